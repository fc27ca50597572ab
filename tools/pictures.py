"""Draw the pictures of docs/images anew: a position from the middle of a sensible game each, and
all four games in motion.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Final, NamedTuple

from PIL import Image
from tools.site import replays

from cyberdeck import Batch
from cyberdeck.drawing.raster import image
from cyberdeck.drawing.svg import NIGHT
from cyberdeck.showing import Past, picture_of


class Part(NamedTuple):
    """What the moving picture shows of a game: its board, as it lies in the game's picture."""

    left: int
    top: int
    wide: int
    high: int
    begins: int
    """With which of the pictures of the site's replay."""
    pace: int = 1
    """For how many pictures of the film each of them stands."""


_TABLE: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
#: The rows of the moving picture.
ROWS: Final = [{name: Part(**part) for name, part in row.items()} for row in _TABLE["rows"]]
WIDE, GAP, NAME = 720, 12, 34  # NAME: how high the line with the games' names is
PICTURES, SECONDS = 12, 1.0


def draw(folder: Path, theme: str = "dark") -> None:
    """Write each game's picture into *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, shown in _TABLE["shown"].items():
        batch = Batch(name, 1, seed=shown["seed"], **shown.get("options", {}))
        past = Past()
        for _ in range(shown["decisions"]):
            past.before = batch._core.states.copy()
            batch.step(batch.choose("heuristic"))
            past.went_on(batch.variant, past.before, batch._core.states)
        seat = max(int(batch.mover[0]), 0)
        picture = picture_of(batch._core, 0, seat, True, past, theme=theme)
        image(picture).save(folder / f"{name}.png")


def film(file: Path) -> None:
    """Write the moving picture: the boards of all games, from the middle of the site's replays."""
    frames = {
        name: replays.played(name).frames(replays.GAMES[name].view) for row in ROWS for name in row
    }
    places, top = [], GAP
    for row in ROWS:
        shapes = [part.wide / part.high for part in row.values()]
        high = round((WIDE - GAP * (len(row) + 1)) / sum(shapes))
        left = GAP
        for (name, part), shape in zip(row.items(), shapes, strict=True):
            places.append((name, part, left, top, round(high * shape)))
            left += round(high * shape) + GAP
        top += NAME + high + GAP
    pictures = []
    for at in range(PICTURES):
        picture = Image.new("RGB", (WIDE, top), NIGHT)
        for name, part, left, above, wide in places:
            svg = frames[name][part.begins + at // part.pace].svg
            picture.paste(_cut(svg, 14, 12, 320, 44, 320 * (NAME - 4) // 44), (left, above))
            board = _cut(svg, part.left, part.top, part.wide, part.high, wide)
            picture.paste(board, (left, above + NAME))
        pictures.append(picture)
    first, *others = pictures
    shown = round(1000 * SECONDS)
    first.save(file, save_all=True, append_images=others, duration=shown, loop=0, quality=80)


def _cut(svg: str, left: int, top: int, wide: int, high: int, size: int) -> Image.Image:
    """A part of a picture, *size* pixels wide."""
    seen = f'viewBox="{left} {top} {wide} {high}" width="{wide}" height="{high}"'
    return image(re.sub(r'viewBox="[^"]*" width="[^"]*" height="[^"]*"', seen, svg, count=1), size)


if __name__ == "__main__":
    draw(Path("docs/images"))
    film(Path("docs/images/play.webp"))
