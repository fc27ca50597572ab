"""What decisions are paid, where it is not what the game pays: rewards and potentials of your own.

``reward: module:function`` takes ``Transitions`` and gives a number for each. ``shaping:
module:function`` is a potential: it takes what is seen, (M, ...), and gives a number for each
position. With it a decision is paid ``gamma * potential(next) - potential(now)`` more, and the
potential of a game's end is 0, so that what is best to do stays the same (Ng, Harada and Russell
1999).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck import Batch
from cyberdeck.common.brought import in_words
from cyberdeck.errors import OptionError
from cyberdeck_training import values


class Transitions(NamedTuple):
    """M decisions, each of one seat, or side, and what it came to by its own next decision.

    observations       (M, ...), as the seat saw them when it decided
    actions            (M,)
    rewards            (M,), what the game has paid it by then
    next_observations  (M, ...), at its next decision, or at the end of the game
    terminated         (M,), whether the game ended by its rules before that
    truncated          (M,), whether a limit has cut it
    """

    observations: NDArray[Any]
    actions: NDArray[np.int64]
    rewards: NDArray[np.float32]
    next_observations: NDArray[Any]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]


#: What pays for transitions, with a discount.
Pay: TypeAlias = Callable[[Transitions, float], NDArray[np.float32]]


def pay_of(config: Any) -> Pay | None:
    """What pays in a run; None where the game does."""
    if not config.pays:
        return None
    reward = values.brought("reward", config.reward) if config.reward else None
    potential = values.brought("shaping", config.shaping) if config.shaping else None

    def pay(made: Transitions, gamma: float) -> NDArray[np.float32]:
        got = made.rewards if reward is None else _numbers(config.reward, reward, made)
        if potential is not None:
            after = _numbers(config.shaping, potential, made.next_observations)
            after[made.terminated] = 0.0
            now = _numbers(config.shaping, potential, made.observations)
            got = got + np.float32(gamma) * after - now
        return got

    return pay


def _numbers(name: str | None, function: Callable[[Any], Any], asked: Any) -> NDArray[np.float32]:
    """What a function of one's own gives, (M,), or ``OptionError``."""
    count = len(asked.actions) if isinstance(asked, Transitions) else len(asked)
    found = np.array(function(asked), np.float32)
    if found.shape != (count,) or not np.isfinite(found).all():
        raise OptionError(f"{name} gives {found.shape}, not a finite number for each of {count}")
    return found


class End(NamedTuple):
    """Where a game has ended in a rollout.

    step, row, stream   which one's, of the sides that have decided there
    seen                what that sees there
    cut                 whether a limit has cut the game
    """

    step: int
    row: int
    stream: int
    seen: NDArray[Any]
    cut: bool


def paid(
    buffer: Any, seen: NDArray[Any], streams: NDArray[np.int64], over: Sequence[End]
) -> NDArray[np.float32]:
    """(T, N, K): all that the decisions of a ``Rollout`` are paid, each where it was made, as far
    as it is known what they came to.

    *seen* (N, ...): where the rollout stops, by those who decide there, *streams* (N,).
    """
    shape = buffer.values.shape
    places, columns = np.arange(buffer.values.size).reshape(shape), np.arange(shape[1])
    finals = np.zeros(buffer.rewards.shape, np.int64)
    for at, end in enumerate(over, buffer.values.size + len(seen)):
        finals[end.step, end.row, end.stream] = at
    # What each stream sees next, by its number among all that was seen, from the last step on.
    ahead, after = np.zeros_like(finals[0]), np.zeros_like(places)
    ahead[columns, streams] = buffer.values.size + columns
    for step in reversed(range(len(places))):
        over_here, own, there = buffer.ends[step], buffer.streams[step], buffer.there[step]
        ahead[over_here] = finals[step, over_here]
        after[step] = ahead[columns, own]
        ahead[columns[there], own[there]] = places[step, there]
    which = np.nonzero(buffer.known & buffer.there)
    found = np.concatenate([buffer.flat(buffer.observations), seen, *(e.seen[None] for e in over)])
    cut = np.array([False] * (buffer.values.size + len(seen)) + [end.cut for end in over])
    then = after[which]
    moved = found[places[which]], buffer.actions[which], buffer.brought[which], found[then]
    made = Transitions(*moved, (then >= buffer.values.size + len(seen)) & ~cut[then], cut[then])
    rewards: NDArray[np.float32] = np.zeros_like(buffer.rewards)
    rewards[*which, buffer.streams[which]] = buffer.pay(made, buffer.gamma)
    return rewards


def check(config: Any) -> None:
    """``OptionError`` if they cannot pay: tried on the first decisions of two games."""
    if (pay := pay_of(config)) is None:
        return
    batch = Batch(config.variant, 2, seed=config.seed)
    before, actions = batch.observation.copy(), batch.mask.argmax(axis=1)
    batch.step(actions)
    after, none, ends = batch.observation.copy(), np.zeros(2, np.float32), np.arange(2) == 1
    try:
        pay(Transitions(before, actions, none, after, ends, ~ends), 1.0)
    except Exception as error:
        named = {key: own for key in ("reward", "shaping") if (own := getattr(config, key))}
        keys, names = " and ".join(named), " and ".join(named.values())
        raise OptionError(f"{keys}: {names} cannot be used: {in_words(error)}") from error
