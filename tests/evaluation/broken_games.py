"""Games with one mistake each: right ones with a few lines replaced, as ``broken_games.txt`` says.

That file is written like this, in the way of a ``diff``::

    # <what is wrong with the games below>: <the check that finds it>
    ## <the right game>: <what stands in the message>
     a line that stays
    -a line that is taken out
    +a line that takes its place
    @@
    +another place

Lines that stay and lines that are taken out tell where it is: they stand there once. A place in the
game's view is one as well; without it the game has no view of its own. Instead of a check, a game
is "refused" before it can be played, or there is a "warning" and nothing fails.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
GAMES = Path(__file__).parents[2] / "examples/games", HERE / "games"
VIEWS = HERE / "views"
REFUSED, WARNING = "refused", "warning"


class Broken(NamedTuple):
    """A game with a mistake."""

    kind: str
    game: str
    found: str
    """The check that fails, or REFUSED, or WARNING."""
    says: str
    places: list[tuple[list[str], list[str]]]
    """(lines of the right game, lines in their place)."""

    def __str__(self) -> str:
        return re.sub(r"\W+", "_", f"{self.kind}-{self.game}")

    def write(self, folder: Path) -> Path:
        """Write the broken game, and its view, if the mistake is there; returns the game's file."""
        rules, shown = right(self.game), VIEWS / f"{self.game}_view.py"
        files = {path: path.read_text().splitlines() for path in (rules, shown) if path.is_file()}
        changed = {rules}
        for old, new in self.places:
            found = [
                (path, at)
                for path, text in files.items()
                for at in range(len(text))
                if text[at : at + len(old)] == old
            ]
            assert len(found) == 1, f"{self}: stands {len(found)} times: {old}"
            ((path, at),) = found
            files[path][at : at + len(old)] = new
            changed.add(path)
        for path in changed:
            (folder / path.name).write_text("\n".join(files[path]) + "\n")
        return folder / rules.name


def right(game: str) -> Path:
    """The file of a right game."""
    return next(path for each in GAMES if (path := each / f"{game}.py").is_file())


def table() -> list[Broken]:
    """All of them."""
    found = []
    for part in re.split(r"^# ", (HERE / "broken_games.txt").read_text(), flags=re.M)[1:]:
        head, *games = re.split(r"^## ", part.rstrip("\n"), flags=re.M)
        kind, check = head.strip().split(": ")
        for each in games:
            name, *lines = each.rstrip("\n").split("\n")
            game, _, says = name.partition(":")
            places = []
            for place in re.split(r"^@@\n", "\n".join(lines), flags=re.M):
                own = place.rstrip("\n").split("\n")
                places.append(
                    ([x[1:] for x in own if x[:1] != "+"], [x[1:] for x in own if x[:1] != "-"])
                )
            found.append(Broken(kind, game, check, says.strip(), places))
    return found
