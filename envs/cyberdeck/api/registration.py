"""Games from anywhere: registered with the suite, Gymnasium and PettingZoo under their names.

A game's file is found again in processes that are started from this one, such as the workers of an
``AsyncVectorEnv``: an environment variable says which files and modules to load.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.metadata
import importlib.util
import inspect
import json
import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

import gymnasium
import pettingzoo

from cyberdeck.common import consent
from cyberdeck.common.limits import OutOfTime
from cyberdeck.common.text import printable, warn
from cyberdeck.engine import registry
from cyberdeck.engine.contract import Game
from cyberdeck.errors import CyberdeckError, KernelError, OptionError
from cyberdeck.views.view import View

#: Tells processes that are started from this one which games were registered, as a JSON list of
#: modules' names and files' paths.
ENVIRONMENT: Final = "CYBERDECK_GAMES"

#: Packages name their games in this group of entry points: name = "module:GAME".
ENTRY_POINTS: Final = "cyberdeck.games"


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
    module = _run(file, path)
    shown_by = _run(beside, beside) if beside.is_file() else module
    try:
        game = getattr(module, "GAME", None)
        if not isinstance(game, Game):
            raise OptionError("it describes no game: it must have GAME = cyberdeck.Game(...)")
        return register(game, _view_of(shown_by))
    except OptionError as error:
        del sys.modules[module.__name__]
        raise OptionError(f"{os.fspath(path)}: {error}") from None


class _FromSource(SourceFileLoader):
    """Keeps no byte code: an edit of the same length in the same second would not be noticed."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def _run(file: Path, path: str | os.PathLike[str]) -> ModuleType:
    """A file as a module; it is called *path* in errors."""
    # Called by its place, so that two files of one name are two modules.
    name = f"cyberdeck_game_{file.stem}_{hashlib.sha256(str(file).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, file, loader=_FromSource(name, str(file)))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, (KeyboardInterrupt, OutOfTime)):
            raise
        raise OptionError(_in_a_line(error, file, os.fspath(path))) from error
    return module


def _in_a_line(error: BaseException, file: Path, path: str) -> str:
    """An error in one line, with the last line of *file*, called *path*, that led to it."""
    if isinstance(error, KernelError):
        return str(error)  # which says where
    places = traceback.extract_tb(error.__traceback__)
    lines = [place.lineno for place in places if place.filename == str(file)]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    where = f"line {line}: " if line is not None else ""
    words = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
    if isinstance(error, CyberdeckError):
        return f"{path}: {where}{words}"
    return f"{path} cannot be run: {where}{type(error).__name__}: {words}"


def register_all() -> None:
    """Register the suite's games, those of installed packages, and those of the parent process.

    What is wrong with another's game must not take the suite away: it becomes a warning.
    """
    for name in registry.GAMES:
        _announce(registry.game(name))
    for point in importlib.metadata.entry_points(group=ENTRY_POINTS):
        with _only_warning(f"the game {point.name!r} of an installed package ({point.value})"):
            found = _checked(point.load())
            _add(found, _view_of(sys.modules.get(point.module)))
    # Taken out meanwhile: a script that starts processes when it is loaded starts no more of them.
    for source in json.loads(os.environ.pop(ENVIRONMENT, "[]")):
        with _only_warning(f"the game of {source}, which the parent process had registered,"):
            if source.endswith(".py"):
                load_file(source)
            else:
                module, _, name = source.partition(":")
                loaded = importlib.import_module(module)
                register(getattr(loaded, name), _view_of(loaded))


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
        raise OptionError(f"VIEW = {view!r} is not a view: it must be a cyberdeck.views.view.View")
    return view


def _add(game: Game, view: View | None) -> None:
    registry.add(game, view)
    _announce(game)


_HERE: Final = "cyberdeck.api"

#: Stands in the place of a version that no longer exists.
_GONE: Final = f"{_HERE}.registration:refuse"


def replaced(game: Game, version: int, stem: str) -> str:
    """Why there is no *version* of a game any more, and what has taken its place.

    *stem* is an id without its number: ``cyberdeck/Hovercrafts-v``.
    """
    changes = [
        game.changes[at] for at in range(version + 1, game.version + 1) if at in game.changes
    ]
    why = "; ".join(changes) or "its rules, rewards, observation or actions have changed"
    return f"{stem}{version} no longer exists: use {stem}{game.version}, where {why}"


def refuse(*, message: str, **_: Any) -> None:
    """The entry point of versions that no longer exist."""
    raise OptionError(message)


def _announce(game: Game) -> None:
    """Tell Gymnasium and, if several play, PettingZoo; older versions name the one there is."""
    stem = game.gym_id.removesuffix(str(game.version))
    single, many = "gymnasium_env:CyberdeckEnv", "vector_env:vector_env"
    entries = f"{_HERE}.{single}", f"{_HERE}.{many}"
    _tell_gymnasium(game.gym_id, *entries, game=game.name)
    # For libraries that take an id, nothing else, and know no masks.
    maskless = f"{stem.removesuffix('-v')}-Lose-v{game.version}"
    _tell_gymnasium(maskless, *entries, game=game.name, illegal="lose", dtype="float32")
    for version in range(game.version):
        message = replaced(game, version, stem)
        _tell_gymnasium(f"{stem}{version}", _GONE, _GONE, message=message)
    # The registry came with PettingZoo 1.27; older ones have only the modules.
    if not hasattr(pettingzoo, "register"):
        return
    kinds = [("aec", "env")] * (game.most_seats > 1)
    kinds += [("parallel", "parallel_env")] * game.simultaneous
    stem = game.zoo_id.removesuffix(str(game.version))
    for kind, entry in kinds:
        made = f"{_HERE}.pettingzoo_env:{entry}"
        _tell_pettingzoo(kind, game.zoo_id, made, game=game.name)
        for version in range(game.version):
            message = replaced(game, version, stem)
            _tell_pettingzoo(kind, f"{stem}{version}", _GONE, message=message)


def _tell_gymnasium(name: str, single: str, many: str, **arguments: str) -> None:
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


def _tell_pettingzoo(kind: str, name: str, entry_point: str, **arguments: str) -> None:
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
