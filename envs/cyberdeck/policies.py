"""Policies: what decides, in many games at once, in evaluation and as ``opponent=``.

A player is named by a text (see ``player``), or is a ``Policy``, or any function
``(observations, action_masks) -> actions``.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import Variant, is_whole
from cyberdeck.errors import ActionError, OptionError, PolicyError

#: Players that the compiled loops know by themselves.
BUILT_IN: Final = ("random", "heuristic")

#: Policies that play every game: name -> where the class is.
EVERYWHERE: Final = {"search": "cyberdeck.search:Search"}

#: How a setting's None is given in a player's name.
_AUTO: Final = "auto"

#: How a setting is read, by its type; whatever else a text may be is a KeyError or ValueError.
_READ: Final[Mapping[type, Callable[[str], Any]]] = {
    bool: {"true": True, "false": False}.__getitem__,
    int: int,
    float: float,
    str: str,
    type(None): {_AUTO: None}.__getitem__,
}

#: What is missing where no such value is given.
_NEEDED: Final[Mapping[type, str]] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a word",
    type(None): _AUTO,
}

#: The ending of a saved policy's file.
SUFFIX: Final = ".safetensors"


@dataclass(frozen=True)
class Seen:
    """Some games of one kind, as those who have to decide in them see them.

    observations (N, ...), masks (N, A)
    seats (N,)    who decides
    luck (N,)     64 random bits for each decision: all the randomness a policy may use, so that
                  a match takes the same course whatever else is decided beside it
    states (N,)   for a policy that ``needs_states``: a position that looks to the seat just like
                  the true one. All that the seat cannot know is redrawn, future dice included,
                  from *luck* alone. Otherwise empty.
    memory (N, m) for a policy with a ``memory``: what it wrote here at this seat's last decision
                  in this game, or zeros if there was none. What it writes is kept.
    """

    variant: Variant
    observations: NDArray[np.int8]
    masks: NDArray[np.int8]
    seats: NDArray[np.int8]
    luck: NDArray[np.uint64]
    states: NDArray[Any]
    memory: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32))

    def __len__(self) -> int:
        return len(self.masks)


class Policy:
    """Decides in many games at once.

    A subclass gives ``decide``. One that searches also sets ``needs_states``, and is given
    positions that it may play on in: redrawn ones, never the true one. One that remembers sets
    ``memory``, how many numbers it keeps for each seat of each game, and finds them in
    ``seen.memory``.

    >>> class Lowest(Policy):
    ...     name = "lowest"
    ...
    ...     def decide(self, seen):
    ...         return seen.masks.argmax(axis=1)
    >>> from cyberdeck import Batch
    >>> batch = Batch("hackthegrid", 4, seed=0, seat=0, opponent=Lowest())
    """

    #: How tables of results call it.
    name: str = "policy"
    needs_states: bool = False
    memory: int = 0

    def decide(self, seen: Seen) -> NDArray[Any]:
        """A legal action for each game."""
        raise NotImplementedError

    def check(self, variant: Variant) -> None:
        """Raise ``OptionError`` if this policy cannot play that game with these options."""

    def seated(self, variant: Variant) -> Policy:
        """The policy as it plays that game, or ``OptionError``."""
        self.check(variant)
        return self

    def __repr__(self) -> str:
        return f"<policy {self.name}>"


def memory_for(size: int, history: int) -> int:
    """How much memory it takes to see *history* observations, *size* numbers in all."""
    if not is_whole(history) or history < 1:
        raise PolicyError(f"history={history!r} is not possible: a whole number from 1 on")
    return (int(history) - 1) * (size // int(history))


def last_observations(seen: Seen, history: int) -> NDArray[Any]:
    """(N, history x size): each seat's last observations, the present one last, and noted.

    They are those of its own decisions; before its first there are zeros. For policies whose
    ``memory`` is as ``memory_for`` says.
    """
    now = seen.observations.reshape(len(seen), -1)
    if history == 1:
        return now
    stack = np.hstack([seen.memory, now])
    seen.memory[:] = stack[:, now.shape[1] :]
    return stack


class Function(Policy):
    """A plain function ``(observations, action_masks) -> actions`` as a policy."""

    def __init__(self, function: Callable[..., Any], name: str | None = None) -> None:
        self.function = function
        self.name = str(name or getattr(function, "__name__", type(function).__name__))

    def decide(self, seen: Seen) -> Any:
        return self.function(seen.observations, seen.masks)

    def __repr__(self) -> str:
        return repr(self.function)


#: A player as callers name it.
Player: TypeAlias = str | Policy | Callable[..., Any]


def player(variant: Variant, chosen: Player) -> str | Policy:
    """A player that can play this game: a built-in one's name, or a policy; or ``OptionError``.

    A text names a built-in player (``random``, ``heuristic``), a policy of the suite with its
    settings (``search:iterations=200``; ``cyberdeck describe GAME`` lists those of a game), the
    published policy for the game with these options (``baseline``, where there is one), or the file
    of a saved policy.

    >>> from cyberdeck import variant
    >>> player(variant("hackthegrid"), "search:iterations=50").iterations
    50
    """
    if isinstance(chosen, str):
        if chosen in BUILT_IN:
            return chosen
        policy = _named(variant, chosen)
    elif isinstance(chosen, Policy):
        policy = chosen
    elif callable(chosen):
        policy = Function(chosen)
    else:
        wrap = ", such as cyberdeck.api.sb3.SB3Policy(model)" if hasattr(chosen, "predict") else ""
        raise OptionError(
            f"{chosen!r} cannot play: give one of {', '.join(names(variant))}, the file of a saved "
            f"policy (*{SUFFIX}), or a policy (observations, action_masks) -> actions{wrap}"
        )
    return policy.seated(variant)


def names(variant: Variant) -> list[str]:
    """The names of all players of a game."""
    from cyberdeck import baselines

    published = [baselines.NAME] if baselines.file_for(variant) else []
    return [*BUILT_IN, *EVERYWHERE, *published, *variant.game.players]


def _named(variant: Variant, text: str) -> Policy:
    from cyberdeck import baselines

    name, _, settings = text.partition(":")
    if text.endswith(SUFFIX):
        from cyberdeck.networks import load

        return load(text)
    if text == baselines.NAME:
        return baselines.baseline(variant)
    where = {**EVERYWHERE, **variant.game.players}.get(name)
    if name in (*BUILT_IN, baselines.NAME):
        raise OptionError(f"{text!r} is not possible: {name} has no settings, leave them out")
    if text.endswith(".zip"):
        raise OptionError(
            f"{text!r} is no player: a zip of Stable-Baselines3 can run code when it is loaded; "
            f"name the policy's *{SUFFIX} beside it, or give SB3Policy(model) of "
            "cyberdeck.api.sb3 in Python"
        )
    if where is None:
        raise OptionError(
            f"{text!r} is no player of {variant.game.title}: choose one of "
            f"{', '.join(names(variant))}, "
            f"the file of a saved policy (*{SUFFIX}), or give a policy "
            "(observations, action_masks) -> actions"
        )
    module, _, kind = where.partition(":")
    make = getattr(importlib.import_module(module), kind)
    policy: Policy = make(**_settings(make, name, settings))
    return policy


def _settings(make: Any, name: str, text: str) -> dict[str, Any]:
    """``key=value,key=value`` for the arguments of *make*, each of the type it is declared with.

    An argument that may be None has the value ``auto`` for it: what that means is the policy's.
    """
    arguments = inspect.signature(make, eval_str=True).parameters
    found: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if key not in arguments or not equals:
            raise OptionError(
                f"{name} has no setting {part!r}: it has "
                + ", ".join(f"{key}={_written(at.default)}" for key, at in arguments.items())
            )
        if key in found:
            raise OptionError(f"{name}: {key} is given twice")
        kinds = get_args(arguments[key].annotation) or (arguments[key].annotation,)
        for kind in kinds:
            try:
                found[key] = _READ[kind](value)
                break
            except (KeyError, ValueError):
                continue
        else:
            needed = " or ".join(_NEEDED[kind] for kind in kinds)
            raise OptionError(f"{name}: {key}={value!r} is not possible: {needed} is needed")
    return found


def _written(value: Any) -> str:
    """A setting's value as it is given in a player's name."""
    if value is None:
        return _AUTO
    return str(value).lower() if isinstance(value, bool) else str(value)


def checked_answer(policy: Policy, answer: Any, count: int) -> NDArray[np.int64]:
    """What a policy has returned as an array of *count* actions, or ``ActionError``."""
    try:
        actions = np.asarray(answer)
    except ValueError:  # rows of different lengths
        raise ActionError(
            f"{policy!r} must return {count} whole numbers, one for each observation; it returned "
            f"no array: {answer!r}"
        ) from None
    if actions.shape != (count,) or actions.dtype.kind not in "iu":
        raise ActionError(
            f"{policy!r} must return {count} whole numbers, one for each observation; "
            f"it returned shape {actions.shape} of {actions.dtype}"
        )
    return np.array(actions, np.int64)  # fresh: another layout would have the loops compiled anew


def checked_pool(
    variant: Variant, chosen: Player | Sequence[Player], argument: str
) -> tuple[str | Policy, ...]:
    """One player or several to draw from as a tuple; ``OptionError`` for what cannot play."""
    alone = isinstance(chosen, str) or not isinstance(chosen, Sequence)
    pool: Sequence[Any] = (chosen,) if alone else tuple(chosen)  # type: ignore[arg-type]
    if not pool:
        raise OptionError(f"{argument}=[] is an empty pool: name at least one player")
    players: dict[int | str, str | Policy] = {}  # one that is named several times is one player
    order = [each if isinstance(each, str) else id(each) for each in pool]
    for key, each in zip(order, pool, strict=True):
        if key in players:
            continue
        try:
            players[key] = player(variant, each)
        except OptionError as error:
            raise OptionError(f"{argument}={each!r}: {error}") from None
    return tuple(players[key] for key in order)
