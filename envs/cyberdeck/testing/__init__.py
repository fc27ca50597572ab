"""For the tests of your own game: does it keep the contract, and its promises to every library?

``check`` plays the game at random and looks for anything that breaks the contract. Each clause is
one thing that an interface promises, and a name for it. With pytest::

    import pytest
    from cyberdeck import testing

    @pytest.mark.parametrize("clause", testing.clauses("my_game.py"), ids=str)
    def test_my_game(clause):
        clause()

>>> for clause in clauses("hackthegrid", "gymnasium"):
...     print(clause)
gymnasium-seeds
gymnasium-copies
gymnasium-refusals
gymnasium-order
gymnasium-starts
gymnasium-resampling
gymnasium-formats
gymnasium-pictures
gymnasium-one_seat
gymnasium-losses
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any, Final

from cyberdeck.api.registration import load_file
from cyberdeck.common.text import nearest
from cyberdeck.engine import registry
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.testing import faces, promises_to_libraries  # noqa: F401  # it notes its clauses
from cyberdeck.testing.checking import Fault, Report, check, random_play
from cyberdeck.testing.promises import CLAUSES, hold, same

__all__ = [
    "FACES",
    "Clause",
    "Fault",
    "Report",
    "check",
    "clauses",
    "conform",
    "random_play",
    "same",
]

#: The interfaces that can be asked for, by name.
FACES: Final[dict[str, type[faces.Face]]] = {
    "gymnasium": faces.Gymnasium,
    "vector": faces.Vector,
    "batch": faces.Rows,
    "raw_env": faces.Turns,
    "env": faces.OrderedTurns,
    "parallel_env": faces.Rounds,
    "sb3": faces.SB3,
}


@dataclass(frozen=True)
class Clause:
    """Something that an interface promises, asked of one game; ``str`` is its name.

    Called, it raises an ``AssertionError`` that says what was expected, and what was found.
    """

    face: str
    function: Callable[[Any], None]
    variant: Variant

    def __str__(self) -> str:
        return f"{self.face}-{self.function.__name__}"

    def __call__(self) -> None:
        """Try it."""
        made_by = FACES[self.face]
        try:
            self.function(partial(made_by, self.variant))
        except Exception as error:
            raise AssertionError(
                f"{self.variant.game.title}, {self}: {str(error) or repr(error)}\n"
                f"    What {made_by.library} is promised: {self.function.__doc__}"
            ) from error


def chosen_game(game: str | Variant, **options: Any) -> Variant:
    """A game by its name, or by its file."""
    if isinstance(game, str) and game.endswith(".py"):
        game = load_file(game).name
    return registry.variant(game, **options)


def clauses(game: str | Variant, *names: str, **options: Any) -> list[Clause]:
    """The clauses for a game: those of the named interfaces, or of all that it has here.

    Args:
        game: its name, its file, or a game with its options.
        names: of ``FACES``; without any, all whose library is installed.
        options: the game's own.
    """
    variant = chosen_game(game, **options)
    for name in names:
        if name not in FACES:
            raise OptionError(
                f"there is no interface {name!r}{nearest(name, FACES)}: choose {', '.join(FACES)}"
            )
    missing = {"parallel_env"} if not variant.game.simultaneous else set[str]()
    if not names and find_spec("stable_baselines3") is None:
        missing.add("sb3")
    asked = [name for name in names or FACES if name not in missing]
    return [Clause(name, each, variant) for name in asked for each in CLAUSES[FACES[name]]]


def conform(game: str | Variant, *names: str, decisions: int = 1_000, **options: Any) -> list[str]:
    """Try every clause, and ``check`` the rules; returns the names of what was tried.

    Everything that does not hold is listed in a single ``AssertionError``.

    Args:
        game: its name, its file, or a game with its options.
        names: of ``FACES``; without any, all whose library is installed.
        decisions: how many ``check`` plays.
        options: the game's own.

    >>> conform("examples/games/tictactoe.py", "batch", decisions=100)
    ['batch-seeds', 'batch-copies', 'batch-refusals', 'batch-starts', 'batch-resampling', 'check']
    """
    variant, broken = chosen_game(game, **options), []
    tried = clauses(variant, *names)
    for clause in tried:
        try:
            clause()
        except AssertionError as error:
            broken.append(str(error))
    report = check(variant, decisions=decisions)
    hold(not broken and not report.faults, "\n".join([*broken, str(report)]))
    return [*map(str, tried), "check"]
