"""Games from anywhere: registered with the suite, Gymnasium and PettingZoo under their names.

A game's file is found again in processes that are started from this one, such as the workers of an
``AsyncVectorEnv``: an environment variable says which files and modules to load.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import inspect
import json
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import gymnasium
import pettingzoo

from cyberdeck.common import consent
from cyberdeck.common.brought import run_file
from cyberdeck.common.text import printable, warn
from cyberdeck.engine import registry
from cyberdeck.engine.contract import Game
from cyberdeck.engine.naming import usual_id
from cyberdeck.errors import OptionError
from cyberdeck.views.view import View

#: Tells processes that are started from this one which games were registered, as a JSON list of
#: modules' names and files' paths.
ENVIRONMENT: Final = "CYBERDECK_GAMES"

#: Packages name their games in this group of entry points: name = "module:GAME". The name says
#: without an import which ids the game has: its own, or with namespace and version that in
#: PettingZoo's registry.
ENTRY_POINTS: Final = "cyberdeck.games"

_NAMED: Final = re.compile(r"(?:(\w[\w-]*)/)?([^\W\d]\w*?)(?:-v(\d+))?")


def register(game: Game, view: View | None = None) -> Game:
    """Make a game known by its name to all of cyberdeck, to Gymnasium and to PettingZoo.

    It is there in processes that are started from this one as well, if it stands in a file. A game
    that is registered once more takes the place of what had its name. Its *view* shows it to
    people; without one, the plain view does. A file or module that is loaded again, or given to
    the command, has them as ``GAME`` and ``VIEW``.

    >>> import numpy as np, gymnasium, cyberdeck
    >>> from cyberdeck import Feature, Field, Game, kernel, win
    >>> @kernel
    ... def start(state):
    ...     state.left = 7
    >>> @kernel
    ... def legal(state, mask):
    ...     for taken in range(min(3, state.left)):
    ...         mask[taken] = 1
    >>> @kernel
    ... def act(state, action):
    ...     state.left -= action + 1
    ...     if state.left == 0:
    ...         win(state, state.mover, 2)
    ...     else:
    ...         state.mover = 1 - state.mover
    >>> @kernel
    ... def observe(state, seat, out):
    ...     out[0] = state.left
    >>> _ = cyberdeck.register(Game(
    ...     name="seven_stones", seats=("first", "second"), fields=[Field("left", 0, 7)],
    ...     start=start, legal=legal, act=act, observe=observe, reasons=("took the last stone",),
    ...     features=[Feature("left", (1,), 0, 7)], actions=[(3, "take this many less one:")],
    ... ))
    >>> gymnasium.make("cyberdeck/SevenStones-v0").reset(seed=1)[0]
    array([7], dtype=int8)
    """
    _add(_checked(game), view)
    source = _source(game)
    noted: list[str] = json.loads(os.environ.get(ENVIRONMENT, "[]"))
    if source is not None and source not in noted:
        os.environ[ENVIRONMENT] = json.dumps([*noted, source])
    return game


def load_file(path: str | os.PathLike[str]) -> Game:
    """Run a Python file of your own and register the ``GAME`` that it describes.

    If there is a ``VIEW`` in it, or in a second file beside it, ``my_game_view.py`` for
    ``my_game.py``, that shows the game to people.
    """
    file = Path(path).resolve()
    if not file.is_file() or file.suffix != ".py":
        what = "is no Python file" if file.exists() else "does not exist"
        raise OptionError(f"{os.fspath(path)} {what}: give the file of a game (*.py)")
    if any("\ud800" <= letter <= "\udfff" for letter in str(file)):
        raise OptionError(f"{printable(file)}: a name that is not Unicode: rename what has it")
    beside = file.with_name(f"{file.stem}_view.py")
    consent.need("game", str(file), [consent.Effect.CODE], [file, beside])
    module = run_file(file, os.fspath(path))
    shown_by = run_file(beside, str(beside)) if beside.is_file() else module
    try:
        game = getattr(module, "GAME", None)
        if not isinstance(game, Game):
            raise OptionError("it describes no game: it must have GAME = cyberdeck.Game(...)")
        return register(game, _view_of(shown_by))
    except OptionError as error:
        del sys.modules[module.__name__]
        raise OptionError(f"{os.fspath(path)}: {error}") from None


def register_all() -> None:
    """Register the suite's games, those of installed packages, and those of the parent process.

    A package is imported when its game is asked for. What is wrong with another's game must not
    take the suite away: it becomes a warning.
    """
    for name in registry.GAMES:
        game = registry.game(name)
        _announce(_Ids.of(game), _kinds(game))
    for point in importlib.metadata.entry_points(group=ENTRY_POINTS):
        with _only_warning(f"the game {point.name!r} of an installed package ({point.value})"):
            _expect(point)
    # Taken out meanwhile: a script that starts processes when it is loaded starts no more of them.
    for source in json.loads(os.environ.pop(ENVIRONMENT, "[]")):
        with _only_warning(f"the game of {source}, which the parent process had registered,"):
            if source.endswith(".py"):
                load_file(source)
            else:
                module, _, name = source.partition(":")
                loaded = importlib.import_module(module)
                register(getattr(loaded, name), _view_of(loaded))


def _expect(point: importlib.metadata.EntryPoint) -> None:
    """Announce the game of an installed package, by what its entry point is called."""
    named = _NAMED.fullmatch(point.name)
    if named is None:
        raise OptionError("an entry point is called as its game, or NAMESPACE/GAME-v1")
    space, name, version = named[1] or "cyberdeck", named[2], int(named[3] or 0)
    ids = _Ids(name, f"{usual_id(name, space)}-v", f"{space}/{name}-v", version)

    def load() -> None:
        try:
            game = _checked(point.load())
        except Exception as error:
            raise OptionError(
                f"the game {point.name!r} of an installed package ({point.value}) cannot be "
                f"loaded: {type(error).__name__}: {error}"
            ) from error
        if _Ids.of(game) != ids:
            own = game.gym_id.rpartition("/")[0]
            raise OptionError(
                f"the entry point {point.name!r} announces {ids.gym}{version}, and {point.value} "
                f"is {game.gym_id}: call the entry point {game.zoo_id}, and let the game have "
                f"gym_id={usual_id(game.name, own)!r}"
            )
        _add(game, _view_of(sys.modules.get(point.module)))

    registry.add_installed(name, load)
    _announce(ids, _KINDS)


@contextlib.contextmanager
def _only_warning(what: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        message = f"{what} cannot be loaded: {type(error).__name__}: {error}"
        warn(message, stacklevel=5)  # where cyberdeck is imported


def _checked(game: Any) -> Game:
    if not isinstance(game, Game):
        raise OptionError(f"{game!r} is no game: give a cyberdeck.Game")
    return game


def _view_of(module: Any) -> View | None:
    """The ``VIEW`` of a game's module."""
    view = getattr(module, "VIEW", None)
    if view is not None and not isinstance(view, View):
        raise OptionError(f"VIEW = {view!r} is not a view: it must be a cyberdeck.View")
    return view


def _add(game: Game, view: View | None) -> None:
    registry.add(game, view)
    _announce(_Ids.of(game), _kinds(game))


_HERE: Final = "cyberdeck.api"

#: Stands in the place of a version that no longer exists.
_GONE: Final = f"{_HERE}.registration:refuse"


class _Ids(NamedTuple):
    """What a game is called in registries: stems of ids, to which the version is put."""

    name: str
    gym: str
    zoo: str
    version: int

    @classmethod
    def of(cls, game: Game) -> _Ids:
        gym, zoo = (each.removesuffix(str(game.version)) for each in (game.gym_id, game.zoo_id))
        return cls(game.name, gym, zoo, game.version)


_KINDS: Final = (("aec", "env"), ("parallel", "parallel_env"))


def _kinds(game: Game) -> list[tuple[str, str]]:
    """The kinds of PettingZoo's envs that a game has, and what makes them."""
    has = (game.most_seats > 1, game.simultaneous)
    return [kind for kind, there in zip(_KINDS, has, strict=True) if there]


def refuse(*, game: str, stem: str, version: int, **_: Any) -> None:
    """The entry point of versions that no longer exist: says what has taken their place."""
    new = registry.game(game)
    changes = [new.changes[at] for at in range(version + 1, new.version + 1) if at in new.changes]
    why = "; ".join(changes) or "its rules, rewards, observation or actions have changed"
    raise OptionError(f"{stem}{version} no longer exists: use {stem}{new.version}, where {why}")


def _announce(ids: _Ids, kinds: Iterable[tuple[str, str]]) -> None:
    """Tell Gymnasium and, of *kinds* of env, PettingZoo; older versions name the one there is."""
    single, many = "gymnasium_env:CyberdeckEnv", "vector_env:vector_env"
    entries, game = (f"{_HERE}.{single}", f"{_HERE}.{many}"), {"game": ids.name}
    _tell_gymnasium(f"{ids.gym}{ids.version}", *entries, **game)
    # For libraries that take an id, nothing else, and know no masks.
    maskless = f"{ids.gym.removesuffix('-v')}-Lose-v{ids.version}"
    _tell_gymnasium(maskless, *entries, **game, illegal="lose", dtype="float32")
    for version in range(ids.version):
        gone = {"stem": ids.gym, "version": version, **game}
        _tell_gymnasium(f"{ids.gym}{version}", _GONE, _GONE, **gone)
    # The registry came with PettingZoo 1.27; older ones have only the modules.
    if not hasattr(pettingzoo, "register"):
        return
    for kind, entry in kinds:
        made = f"{_HERE}.pettingzoo_env:{entry}"
        _tell_pettingzoo(kind, f"{ids.zoo}{ids.version}", made, **game)
        for version in range(ids.version):
            gone = {"stem": ids.zoo, "version": version, **game}
            _tell_pettingzoo(kind, f"{ids.zoo}{version}", _GONE, **gone)


def _tell_gymnasium(name: str, single: str, many: str, **arguments: Any) -> None:
    gymnasium.registry.pop(name, None)  # a game may be registered once more
    gymnasium.register(
        name,
        entry_point=single,
        vector_entry_point=many,
        # Gymnasium's checker never recovers from a first reset that was refused; what it
        # checks is checked in our tests.
        disable_env_checker=True,
        kwargs=arguments,
    )


def _tell_pettingzoo(kind: str, name: str, entry_point: str, **arguments: Any) -> None:
    with warnings.catch_warnings():  # a game may be registered once more
        warnings.filterwarnings("ignore", "Overriding environment", UserWarning)
        pettingzoo.register(kind, name, entry_point=entry_point, kwargs=arguments)


def _source(game: Game) -> str | None:
    """The file of a game, or its place in a package; None if it is nowhere to be found again."""
    function: Any = game.act
    module = sys.modules.get(function.py_func.__module__)
    if module is None:
        return None
    name = next((name for name, value in vars(module).items() if value is game), "GAME")
    if getattr(module, "__spec__", None) is not None and module.__package__:
        return f"{module.__name__}:{name}"
    try:
        file = inspect.getsourcefile(function.py_func)
    except TypeError:
        return None
    return str(Path(file).resolve()) if file and Path(file).is_file() else None
