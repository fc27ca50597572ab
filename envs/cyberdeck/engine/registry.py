"""The games that there are, by name: the suite's own, and whatever somebody has registered."""

from __future__ import annotations

import copyreg
import importlib
from collections.abc import Callable
from typing import Any, Final

from cyberdeck.common.text import nearest, quoted, warn
from cyberdeck.engine.contract import Game
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError

#: The suite's own games: name -> the module whose GAME describes it, imported when the game is
#: first asked for. The package fills it in when it is imported itself.
GAMES: Final[dict[str, str]] = {}

#: The same for the modules whose VIEW shows these games to people.
VIEWS: Final[dict[str, str]] = {}

#: Games of installed packages, by name: what adds the game when it is first asked for.
_installed: dict[str, Callable[[], None]] = {}

_found: dict[str, Game] = {}
_views: dict[str, Any] = {}


def names() -> list[str]:
    """The names of all games, the suite's own first."""
    return list(dict.fromkeys([*GAMES, *_installed, *_found]))


def games() -> list[Game]:
    """All games, the suite's own first; those that cannot be loaded become warnings."""
    found = []
    for name in names():
        try:
            found.append(game(name))
        except OptionError as error:
            warn(str(error))
    return found


def game(name: str) -> Game:
    """The game called *name*.

    >>> game("hackthegrid").title
    'HACKtheGRID'
    """
    if name in _installed and name not in _found:
        _installed[name]()
    if name not in _found:
        if name not in GAMES:
            same = [each for each in (*GAMES, *_found) if game(each).gym_id == name]
            meant = f" (it is an id: the game is {same[0]})" if same else nearest(name, names())
            raise OptionError(
                f"there is no game {quoted(name)}{meant}; there are: {', '.join(names())}. A game "
                "of your own is there once it is registered: cyberdeck.register(GAME), also in "
                "each worker of a cluster, or everywhere by an installed package's entry point; "
                "the command takes its file (*.py) as well, for a replay or a run as --game FILE"
            )
        _found[name] = importlib.import_module(GAMES[name]).GAME
    return _found[name]


def view(of: Game) -> Any:
    """The view that *of* was registered with; None: it has none of its own."""
    if of.name not in _views and of.name in VIEWS:
        _views[of.name] = importlib.import_module(VIEWS[of.name]).VIEW
    return _views.get(of.name)


def named_action(of: Variant, record: Any, action: int) -> str:
    """An action in the words of the game's view, or by the meaning of its group."""
    disguise, shown_by = of.disguise, view(of.game)
    if disguise is not None:
        action = disguise.own_number(action)
    unknown = shown_by is None or not 0 <= action < of.action_count  # no view need know of that
    named = (of.game if unknown else shown_by).named_action(record, action)
    return str(named) if disguise is None else disguise.words(str(named))


def add(new: Game, shown_by: Any = None) -> None:
    """Have *new* found by its name; in the place of one that was registered by that name before.

    *shown_by* is its view, if it has one of its own.
    """
    _need_another_name(new.name)
    _found[new.name] = new
    _views[new.name] = shown_by


def add_installed(name: str, load: Callable[[], None]) -> None:
    """Have a game of an installed package found by its *name*: *load* will ``add`` it."""
    _need_another_name(name)
    _installed[name] = load


def _need_another_name(name: str) -> None:
    if name in GAMES:
        raise OptionError(f"{name!r} is a game of the suite: choose another name")


def variant(
    chosen: str | Variant, adapter: Callable[..., Any] | None = None, /, **options: Any
) -> Variant:
    """The game called *chosen* with its options chosen and checked; or that ``Variant`` itself.

    *adapter*: what was called with these options, for the error about one that there is not.

    >>> variant("matrix_overload", edition="rulebook").options["max_steps"]
    500
    """
    if not isinstance(chosen, Variant):
        found = game(chosen)
        return Variant(found, options, adapter)
    if options:
        raise OptionError(
            f"the options of this {chosen.game.title} are chosen already: leave out "
            + ", ".join(f"{name}=" for name in options)
        )
    return chosen


def _by_name(one: Game) -> tuple[Any, ...]:
    """There is one of each: a pickle or copy holds its name."""
    if _found.get(one.name) is not one:
        raise OptionError(f"{one.name!r} cannot be sent or copied: register the game first")
    return game, (one.name,)


copyreg.pickle(Game, _by_name)
