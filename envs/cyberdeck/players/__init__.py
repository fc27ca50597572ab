"""Players: everything that decides, found by name.

A player is named by a text (see ``find_player``), or is a ``Policy``, or any function
``(observations, action_masks) -> actions``.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias, get_args

from cyberdeck.common import consent
from cyberdeck.common.text import nearest, printable
from cyberdeck.engine.contract import Game
from cyberdeck.engine.policy import BUILT_IN, BuiltIn, Function, Policy
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.players import baselines
from cyberdeck.players.networks import SUFFIX, load
from cyberdeck.players.solvers import PLAYERS

#: Policies that play every game: name -> where the class is.
EVERYWHERE: Final = {"search": "cyberdeck.players.search:Search"}

#: Policies that are nothing without the file that they are given: found as those are.
FROM_FILES: Final = {"solved": "cyberdeck.players.solved:Solved"}

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
    game (``solved:file=kuhn.npz``), or the file of a saved policy.

    >>> from cyberdeck import variant
    >>> find_player(variant("hackthegrid"), "search:iterations=50").iterations
    50
    """
    variant = variant.undisguised  # by which all are asked but those that play by words
    if isinstance(chosen, str):
        if chosen in built_in_names(variant.game):
            return BUILT_IN[chosen]
        policy = _named(variant, chosen)
    elif isinstance(chosen, Policy):
        policy = chosen
    elif isinstance(chosen, type):
        name = chosen.__name__
        raise OptionError(f"{name} is a class, and a player is an object: give {name}()")
    elif _is_module(chosen):
        raise OptionError(
            f"{type(chosen).__name__} is a module of PyTorch, which takes tensors, and a player is "
            "a function of arrays, (observations, action_masks) -> actions: of a model of "
            "Stable-Baselines3 give cyberdeck.api.sb3.SB3Policy(model), of what gives each action "
            "a number give lambda observations, masks: np.where(masks, module(torch.as_tensor("
            "observations).float()).detach().numpy(), -np.inf).argmax(axis=1)"
        )
    elif callable(chosen):
        policy = Function(chosen)
        _need_two_arguments(chosen, policy.name)
    else:
        raise OptionError(
            f"{chosen!r} cannot play: give one of {', '.join(player_names(variant))}, "
            f"the file of a saved policy (*{SUFFIX}), or a policy "
            "(observations, action_masks) -> actions, such as cyberdeck.api.sb3.SB3Policy(model)"
        )
    return policy.seated(variant)


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


def _is_module(chosen: Any) -> bool:
    """True for a module of PyTorch, which need not be installed."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(chosen, torch.nn.Module)


def player_names(variant: Variant) -> list[str]:
    """The names of all players of a game."""
    published = [baselines.NAME] if baselines.file_for(variant) else []
    own = PLAYERS.get(variant.game.name, ())
    return [*built_in_names(variant.game), *EVERYWHERE, *published, *own]


def built_in_names(game: Game) -> list[str]:
    """The built-in players of a game: the heuristic is one where the game has its own.

    The last of them plays where nobody is named.
    """
    return [name for name in BUILT_IN if name != "heuristic" or game.has_heuristic]


def names_file(text: str) -> bool:
    """True if a player's name is the file of a saved policy, not a search with one.

    >>> names_file("own.safetensors"), names_file("search:network=own.safetensors")
    (True, False)
    """
    name, _, settings = text.partition(":")
    return text.endswith(SUFFIX) and not (settings and name in EVERYWHERE)


def _named(variant: Variant, text: str) -> Policy:
    name, _, settings = text.partition(":")
    if names_file(text):
        return load(text)
    if text == baselines.NAME:
        return baselines.baseline(variant)
    where = {**EVERYWHERE, **FROM_FILES, **PLAYERS.get(variant.game.name, {})}.get(name)
    if text == "heuristic":
        raise _no_heuristic(variant.game, player_names(variant))
    if name in (*BUILT_IN, baselines.NAME):
        raise OptionError(f"{text!r} is not possible: {name} has no settings, leave them out")
    if text.endswith(".npz") and not settings:
        raise OptionError(f"{text!r} is no player: a solved game plays as solved:file={text}")
    if text.endswith(".zip"):
        raise OptionError(
            f"{text!r} is no player: a zip of Stable-Baselines3 can run code when it is loaded; "
            f"name the policy's *{SUFFIX} beside it, or give SB3Policy(model) of "
            "cyberdeck.api.sb3 in Python"
        )
    if where is None:
        names = player_names(variant)
        raise OptionError(
            f"{variant.game.title} has no player {text!r}{nearest(name, [*names, *FROM_FILES])}: "
            "choose one of "
            f"{', '.join(names)}, or the file of a saved policy (*{SUFFIX})"
        )
    policy: Policy = made(where, name, settings)
    return policy


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
    but for the first, which are *given*.

    An argument that may be None has the value ``auto`` for it: what that means is the policy's.
    """
    parameters = inspect.signature(make, eval_str=True).parameters
    arguments = dict([*parameters.items()][given:])
    found: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if key not in arguments or not equals:
            near = "" if key in arguments else nearest(key, arguments)
            raise OptionError(
                f"{name} has no setting {part!r}{near}: it has "
                + ", ".join(f"{key}={_written(at.default)}" for key, at in arguments.items())
            )
        if key in found:
            raise OptionError(f"{name}: {key} is given twice")
        kinds = get_args(arguments[key].annotation) or (arguments[key].annotation,)
        for kind in sorted(kinds, key=lambda kind: kind is not type(None)):
            try:
                found[key] = _READ[kind][0](value)
                break
            except (KeyError, ValueError):
                continue
        else:
            needed = " or ".join(_READ[kind][1] for kind in kinds)
            raise OptionError(f"{name}: {key}={value!r} is not possible: {needed} is needed")
    return found


def _written(value: Any) -> str:
    """A setting's value as it is given in a player's name."""
    if value is None:
        return _AUTO
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
        raise OptionError(
            f"there is no built-in player {name!r}; there are: " + ", ".join(BUILT_IN)
        )
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
    players: dict[int | str, Policy] = {}  # one that is named several times is one player
    order = [each if isinstance(each, str) else id(each) for each in pool]
    for key, each in zip(order, pool, strict=True):
        if key in players:
            continue
        try:
            players[key] = find_player(variant, each)
        except OptionError as error:
            raise OptionError(f"{argument}={printable(repr(each), most=60)}: {error}") from None
    return tuple(players[key] for key in order)
