"""Draw the pictures of docs/images anew: a position from the middle of a sensible game each."""

from __future__ import annotations

from pathlib import Path

from cyberdeck import Batch
from cyberdeck.drawing.raster import image
from cyberdeck.showing import Past, picture_of

#: game -> (options, seed, decisions of the heuristic)
SHOWN = {
    "matrix_overload": ({"edition": "royals"}, 8, 27),
    "hackthegrid": ({}, 8, 10),
    "stacktrices": ({}, 5, 62),
    "hovercrafts": ({"ships": (3, 3), "scenario": "tunnels"}, 4, 60),
}


def draw(folder: Path, theme: str = "dark") -> None:
    """Write each game's picture into *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (options, seed, decisions) in SHOWN.items():
        batch = Batch(name, 1, seed=seed, **options)
        past = Past()
        for _ in range(decisions):
            past.before = batch.core.states.copy()
            batch.step(batch.choose("heuristic"))
            past.went_on(batch.variant, past.before, batch.core.states)
        seat = max(int(batch.mover[0]), 0)
        shown = picture_of(batch.core, 0, seat, True, past, theme=theme)
        image(shown).save(folder / f"{name}.png")


if __name__ == "__main__":
    draw(Path("docs/images"))
