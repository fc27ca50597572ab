"""Players: everything that decides, found by name.

A player is named by a text (see ``find_player``), or is a ``Policy``, or any function
``(observations, action_masks) -> actions``.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any, Final, TypeAlias, get_args

from cyberdeck.common import brought, consent
from cyberdeck.common.consent import Effect
from cyberdeck.common.text import nearest, printable
from cyberdeck.engine.contract import Game
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.policy import BUILT_IN, BuiltIn, Function, Policy
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import CyberdeckError, OptionError, require
from cyberdeck.players import baselines
from cyberdeck.players.networks import SUFFIX, Network, files
from cyberdeck.players.solvers import PLAYERS

#: Policies that play every game: name -> where the class is.
EVERYWHERE: Final = {"search": "cyberdeck.players.search:Search"}

#: Policies that are nothing without the file that they are given: found as those are.
FROM_FILES: Final = {"solved": "cyberdeck.players.solved:Solved"}

#: Files that play by themselves: their endings, and what reads them.
FILES: Final = {
    SUFFIX: "cyberdeck.players.networks:load",
    ".onnx": "cyberdeck.players.models:OnnxPolicy",
    ".zip": "cyberdeck.players.sb3:load_sb3",
}

#: Packages name their players in this group of entry points: name = "module:Name".
ENTRY_POINTS: Final = "cyberdeck.players"

#: A file with its ending, and ``module:Name`` or ``file.py:Name``; and settings after a colon.
_FILE: Final = re.compile(rf"(.+({'|'.join(map(re.escape, FILES))}))(?::(.*))?")
_OWN: Final = re.compile(r"((?:.+\.py|[^\W\d][\w.]*):[^\W\d]\w*)(?::(.*))?")

#: What else may be named, for errors.
_BROUGHT: Final = (
    f"the file of a policy ({', '.join(f'*{each}' for each in FILES)}) or a player of your own "
    "(module:Name, file.py:Name)"
)

#: How a setting's None is given in a player's name.
_AUTO: Final = "auto"

#: How a setting is read, by its type, and what a text must be for that: whatever else it is, is a
#: KeyError or ValueError.
_READ: Final[Mapping[type, tuple[Callable[[str], Any], str]]] = {
    bool: ({"true": True, "false": False}.__getitem__, "true or false"),
    int: (int, "a whole number"),
    float: (float, "a number"),
    str: (str, "a word"),
    type(None): ({_AUTO: None}.__getitem__, _AUTO),
}

#: A player as callers name it.
Player: TypeAlias = str | Policy | Callable[..., Any]

#: A player, or several to draw from for each game.
Opponent: TypeAlias = Player | Sequence[Player]


def levels(variant: Variant) -> dict[str, str]:
    """Opponents for people by their strength, the weakest first.

    Each gets more points than the one before, in all games of the suite that were measured:
    docs/reference/measured/search.md and baselines.md.

    >>> from cyberdeck import variant
    >>> levels(variant("stacktrices"))["medium"]
    'search:iterations=100'
    """
    found = {
        "easy": built_in_names(variant.game)[-1],
        "medium": "search:iterations=100",
        "hard": "search:iterations=1000",
    }
    with suppress(OptionError):  # there is no such player, or not with these options
        found["perfect"] = find_player(variant, "optimal").name
    return found


def find_player(variant: Variant, chosen: Player) -> Policy:
    """A player that can play this game, or ``OptionError``.

    A text names a built-in player (``random``, ``heuristic``), a policy of the suite with its
    settings (``search:iterations=200``; ``cyberdeck describe GAME`` lists those of a game), the
    published policy for the game with these options (``baseline``, where there is one), a solved
    game (``solved:file=kuhn.npz``), the file of a policy (``mine.safetensors``, ``mine.onnx``,
    ``mine.zip``), or what you bring: ``module:Name`` or ``file.py:Name`` of a ``Policy``, of a
    class of such, with its settings (``mine.py:Greedy:depth=3``), or of a function; or a name
    that an installed package gives its player. What is brought decides in two games at once, so
    that it fails here or not at all.

    >>> from cyberdeck import variant
    >>> find_player(variant("hackthegrid"), "search:iterations=50").iterations
    50
    """
    variant = variant.undisguised  # by which all are asked but those that play by words
    if not isinstance(chosen, str):
        return _as_policy(variant, chosen).seated(variant)
    if chosen in built_in_names(variant.game):
        return BUILT_IN[chosen]
    if (own := _named(variant, chosen)) is not None:
        return own.seated(variant)
    found = _brought(variant, chosen)
    if isinstance(found, Network):  # which is numbers, and nobody's code
        return found.seated(variant)
    try:
        policy = _as_policy(variant, found)
    except OptionError as error:
        raise OptionError(f"{chosen}: {error}") from None
    seated = policy.seated(variant)
    _try(seated, variant, chosen)
    return seated


def _as_policy(variant: Variant, chosen: Any) -> Policy:
    """An object as a policy, or ``OptionError``."""
    if isinstance(chosen, Policy):
        return chosen
    name = getattr(chosen, "__name__", type(chosen).__name__)
    if isinstance(chosen, type):
        raise OptionError(f"{name} is a class, and a player is an object: give {name}()")
    if (torch := sys.modules.get("torch")) and isinstance(chosen, torch.nn.Module):
        raise OptionError(
            f"{name} is a module of PyTorch: give cyberdeck.players.models.TorchPolicy(module), or "
            "of a model of Stable-Baselines3 cyberdeck.sb3.SB3Policy(model)"
        )
    if not callable(chosen):
        raise OptionError(
            f"{chosen!r} cannot play: give one of {', '.join(player_names(variant))}, {_BROUGHT}, "
            "or a policy (observations, action_masks) -> actions, such as "
            "cyberdeck.sb3.SB3Policy(model)"
        )
    policy = Function(chosen)
    _need_two_arguments(chosen, policy.name)
    return policy


def find_players(variant: Variant, players: Mapping[str, Player]) -> dict[str, Policy]:
    """All of these players by their names, or ``OptionError``."""
    return {name: find_player(variant, chosen) for name, chosen in players.items()}


def _need_two_arguments(function: Callable[..., Any], name: str) -> None:
    """``OptionError`` for a function that cannot be given observations and masks."""
    try:
        takes = inspect.signature(function)
    except ValueError:  # nobody knows, as of some that are not Python
        return
    try:
        takes.bind(None, None)
    except TypeError:
        one = len(takes.parameters) == 1 and name.isidentifier()
        raise OptionError(
            f"{name}({', '.join(takes.parameters)}) is no player: that is a function of two "
            "arrays, (observations, action_masks) -> actions: give lambda observations, masks: "
            + (f"{name}(observations)" if one else "...")
        ) from None


def player_names(variant: Variant) -> list[str]:
    """The names of all players of a game."""
    published = [baselines.NAME] if baselines.file_for(variant) else []
    own = PLAYERS.get(variant.game.name, ())
    installed = sorted(metadata.entry_points(group=ENTRY_POINTS).names)
    return [*built_in_names(variant.game), *EVERYWHERE, *published, *own, *installed]


def built_in_names(game: Game) -> list[str]:
    """The built-in players of a game: the heuristic is one where the game has its own.

    The last of them plays where nobody is named.
    """
    return [name for name in BUILT_IN if name != "heuristic" or game.has_heuristic]


def short_name(text: str) -> str:
    """A player's name for tables: of the file of a policy, without its folder and ending.

    >>> short_name("runs/own.zip:greedy=false"), short_name("search:network=own.safetensors")
    ('own:greedy=false', 'search:network=own.safetensors')
    """
    known = text.partition(":")[0] in (*EVERYWHERE, *FROM_FILES)
    if known or not (found := _FILE.fullmatch(text)):
        return text
    path, _, settings = found.groups()
    return Path(path).stem + (f":{settings}" if settings else "")


def _named(variant: Variant, text: str) -> Policy | None:
    """The suite's player of that name; None if it has none."""
    name, _, settings = text.partition(":")
    if text == baselines.NAME:
        return baselines.baseline(variant)
    if settings and name in (*BUILT_IN, baselines.NAME):
        raise OptionError(f"{text!r} is not possible: {name} has no settings, leave them out")
    where = {**EVERYWHERE, **FROM_FILES, **PLAYERS.get(variant.game.name, {})}.get(name)
    policy: Policy | None = None if where is None else made(where, name, settings)
    return policy


# --- what users bring ----------------------------------------------------------------------------


def _brought(variant: Variant, text: str) -> Any:
    """The object that somebody brings by that name, or ``OptionError``."""
    if found := _FILE.fullmatch(text):
        return _of_file(text, *found.groups(""))
    name, _, settings = text.partition(":")
    points = metadata.entry_points(group=ENTRY_POINTS)
    installed = name in points.names
    if installed:
        where = points[name].value
    elif own := _OWN.fullmatch(text):
        where, settings = own.groups("")
        name = where
    elif text.endswith(".npz") and not settings:
        raise OptionError(f"{text!r} is no player: a solved game plays as solved:file={text}")
    else:
        names = player_names(variant)
        if text == "heuristic":
            raise _no_heuristic(variant.game, names)
        near = nearest(name, [*names, *FROM_FILES])
        raise OptionError(
            f"{variant.game.title} has no player {text!r}{near}: choose one of {', '.join(names)}, "
            f"or {_BROUGHT}"
        )
    loaded = brought.load("player", text, where, agreed=installed)
    if installed:  # which agrees to its code, and to nothing else
        consent.need("player", text, getattr(loaded, "effects", ()))
    if not (isinstance(loaded, type) and issubclass(loaded, Policy)):
        if settings or isinstance(loaded, type):
            what = "only such have settings" if settings else "it cannot play"
            raise OptionError(f"{name} is no class that builds on cyberdeck.Policy: {what}")
        return loaded
    try:
        return loaded(**_settings(loaded, name, settings))
    except CyberdeckError:
        raise
    except Exception as error:
        raise OptionError(f"{name} cannot be made: {brought.in_words(error)}") from error


def _of_file(text: str, path: str, ending: str, settings: str) -> Any:
    """The player in a file; those that run code need the user's yes."""
    if ending != SUFFIX and not Path(path).exists():
        raise OptionError(f"{path} does not exist: give the file of a policy")
    words = files.read(path)[0] if ending == SUFFIX else {}
    reader = words.get(files.READER)
    if ending == SUFFIX and reader is None:
        return made(FILES[ending], path, settings, path)
    named = [words[each].partition(":")[0] for each in (files.READER, files.OWN) if each in words]
    code = [file for module in named for file in brought.files_of(module)]
    consent.need("player", text, [Effect.CODE], [Path(path), *code])
    with consent.agreed():
        if reader is None:
            return made(FILES[ending], path, settings, path)
        require(not settings, "settings", settings, f"{path} has none, leave them out")
        return brought.load("player", path, reader)(path)


def _try(policy: Policy, variant: Variant, text: str) -> None:
    """``OptionError`` if what somebody has brought as *text* does not decide as a player does."""
    if {*policy.effects} - {Effect.CODE}:  # which no game has asked for yet
        return
    core = GameBatch(variant.by_outcome, 2, history=policy.needs_history)
    core.reset([0, 1])
    try:
        core.ask(policy, core.all_rows)
    except CyberdeckError as error:
        raise OptionError(f"{text}: {error}") from error
    except Exception as error:
        raise OptionError(
            f"{text}, asked for two decisions in {variant.game.title}, raised "
            f"{brought.in_words(error)}; a player returns an action for each row of observations "
            "and action_masks"
        ) from error


def made(where: str, name: str, settings: str, *given: Any) -> Any:
    """An object of the class at ``module:class``, from *given* and its settings as a text.

    *name* is what callers call it.
    """
    module, _, kind = where.partition(":")
    make = getattr(importlib.import_module(module), kind)
    consent.need("player", f"{name}:{settings}" if settings else name, getattr(make, "effects", ()))
    return make(*given, **_settings(make, name, settings, len(given)))


def _settings(make: Any, name: str, text: str, given: int = 0) -> dict[str, Any]:
    """``key=value,key=value`` for the arguments of *make*, each of the type it is declared with,
    or that its default has; but for the first, which are *given*.

    An argument that may be None has the value ``auto`` for it: what that means is the policy's.
    """
    parameters = [*inspect.signature(make, eval_str=True).parameters.values()][given:]
    various = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    arguments = {each.name: each for each in parameters if each.kind not in various}
    found: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if key not in arguments or not equals:
            near = "" if key in arguments else nearest(key, arguments)
            known = ", ".join(f"{key}={_written(at.default)}" for key, at in arguments.items())
            raise OptionError(f"{name} has no setting {part!r}{near}: it has {known or 'none'}")
        if key in found:
            raise OptionError(f"{name}: {key} is given twice")
        kinds = _kinds(arguments[key])
        for kind in sorted(kinds, key=lambda kind: kind is not type(None)):
            try:
                found[key] = _READ[kind][0](value)
                break
            except (KeyError, ValueError):
                continue
        else:
            needed = " or ".join(_READ[kind][1] for kind in kinds) or "what no text can say"
            raise OptionError(f"{name}: {key}={value!r} is not possible: {needed} is needed")
    return found


def _kinds(argument: inspect.Parameter) -> list[type]:
    """The types that a setting may have, of those that are read."""
    kind, default = argument.annotation, argument.default
    if kind is argument.empty:
        kind = str if default is argument.empty else type(default)
    return [each for each in get_args(kind) or (kind,) if each in _READ]


def _written(value: Any) -> str:
    """A setting's value as it is given in a player's name."""
    if value is None:
        return _AUTO
    if value is inspect.Parameter.empty:
        return "..."
    return str(value).lower() if isinstance(value, bool) else str(value)


def _no_heuristic(game: Game, names: Iterable[str]) -> OptionError:
    return OptionError(
        f"{game.title} has no heuristic: choose one of {', '.join(names)}, or give the game one, "
        "as Game(heuristic=...)"
    )


def built_in(game: Game, name: str) -> BuiltIn:
    """A player of the compiled loops, or ``OptionError``.

    >>> from cyberdeck import game
    >>> built_in(game("hackthegrid"), "random").name
    'random'
    """
    if name not in BUILT_IN:
        raise OptionError(f"there is no built-in player {name!r}; there are: {', '.join(BUILT_IN)}")
    if name not in (names := built_in_names(game)):
        raise _no_heuristic(game, names)
    return BUILT_IN[name]


def find_pool(
    variant: Variant, chosen: Player | Sequence[Player], argument: str
) -> tuple[Policy, ...]:
    """One player or several to draw from as a tuple; ``OptionError`` for what cannot play."""
    alone = isinstance(chosen, str) or not isinstance(chosen, Sequence)
    pool: Sequence[Any] = (chosen,) if alone else tuple(chosen)  # type: ignore[arg-type]
    if not pool:
        raise OptionError(f"{argument}=[] is an empty pool: name at least one player")
    keys = [each if isinstance(each, str) else id(each) for each in pool]
    players: dict[int | str, Policy] = {}  # one that is named several times is one player
    for key, each in dict(zip(keys, pool, strict=True)).items():
        try:
            players[key] = find_player(variant, each)
        except OptionError as error:
            raise OptionError(f"{argument}={printable(repr(each), most=60)}: {error}") from None
    return tuple(players[key] for key in keys)
