"""``observation="history"``: all that a seat has seen and decided so far, as one vector.

It is shown by a game of its own, made from one that says its ``longest``: the same rules over a
record that has each seat's past behind the game's own fields. So whatever copies, saves or restores
records does so with the past, and nothing else has to know of it.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import HISTORY, OBSERVATION, Feature, Game, Options, Recall
from cyberdeck.engine.defaults import Kernels, nothing_in_secret
from cyberdeck.engine.kernels import kernel_of
from cyberdeck.engine.record import Field
from cyberdeck.errors import KernelError, OptionError

#: An observation has no more numbers than this, the past included.
MOST_NUMBERS: Final = 20_000

#: For each seat: how often it has decided; and what it saw and did each time.
PAST: Final = ("past_decisions", "past_observations", "past_actions")

#: In the place of how often a seat has decided: more often than the game's ``longest``.
_TOO_OFTEN: Final = -1


def recalling(
    game: Game, own: Options, longest: int, actions: int, present: tuple[Feature, ...]
) -> tuple[Game, tuple[Feature, ...]]:
    """The game that keeps the past, made from *game*, and what is seen of it: the past first.

    *longest*, so many *actions* and *present*, what is seen now, are those with its *own* options.
    """
    size = sum(feature.size for feature in present)
    numbers = longest * (size + actions) + size
    if numbers > MOST_NUMBERS:
        raise OptionError(
            f"{OBSERVATION}={HISTORY!r} would be {numbers:,} numbers here, {longest} decisions of "
            f"{size} + {actions} and {size} for the present, and {MOST_NUMBERS:,} are possible: "
            f"choose options with shorter games, or {OBSERVATION}={own[OBSERVATION]!r}"
        )
    low = min(0, *(feature.low for feature in present))
    high = max(0, *(feature.high for feature in present))
    made, past = _recalling(game, longest, size, actions, low, high)
    return made, (*past, *present)


@functools.cache
def _recalling(
    game: Game, longest: int, size: int, actions: int, low: float, high: float
) -> tuple[Game, list[Feature]]:
    """*game* with the past of each seat: so many decisions at most, of so many numbers each; and
    the features that show it.
    """
    kernels = _kernels(game, longest, size, actions)
    seats, kind = game.most_seats, game.observation_dtype.name
    meaning = "at each own decision so far"
    past = [
        Feature("past_observations", (longest, size), low, high, meaning, dtype=kind),
        Feature("past_actions", (longest, actions), 0, 1, "what was decided there, one-hot"),
    ]

    def features(options: Options) -> list[Feature]:
        return [*past, *game.checked("features", game.plain_options(options))]

    def asked_plainly(value: Any) -> Any:
        return (lambda options: value(game.plain_options(options))) if callable(value) else value

    made = dataclasses.replace(
        game,
        fields=[
            *game.fields,
            Field("past_decisions", 0, longest, (seats,)),
            Field("past_observations", low, high, (seats, longest, size), kind),
            Field("past_actions", 0, actions - 1, (seats, longest)),
        ],
        features=features,
        seats=asked_plainly(game.seats),
        actions=asked_plainly(game.actions),
        derive=lambda record, options: game.derive(record, game.plain_options(options)),
    )
    options = [
        dataclasses.replace(each, recalled=True) if isinstance(each, Recall) else each
        for each in made.options
    ]
    given = {"options": options, "kernels": kernels, "plain": game}
    for name, value in (given | {"observation_dtype": game.observation_dtype}).items():
        object.__setattr__(made, name, value)
    return made, past


def _kernels(game: Game, longest: int, size: int, actions: int) -> Kernels:
    """The game's kernels, around which the past is kept and shown."""
    k = game.kernels
    part = kernel_of(f"{game.name}-{longest}-{size}-{actions}", inline="always")
    own_shuffle, own_act, own_observe = k.shuffle, k.act, k.observe
    own_resample, own_withdraw = k.resample, k.withdraw_secret_actions
    present, hides = longest * (size + actions), not game.open

    @part
    def shuffle(state):  # type: ignore[no-untyped-def]  # numba types it
        for seat in range(len(state.past_decisions)):
            state.past_decisions[seat] = min(state.past_decisions[seat], 0)  # too often stays
        state.past_observations[:] = 0
        state.past_actions[:] = 0
        own_shuffle(state)

    @part
    def act(state, action):  # type: ignore[no-untyped-def]
        seat = state.mover
        at = state.past_decisions[seat]
        if 0 <= at < longest:
            own_observe(state, seat, state.past_observations[seat, at])
            state.past_actions[seat, at] = action
            state.past_decisions[seat] = at + 1
        else:
            state.past_decisions[seat] = _TOO_OFTEN
        own_act(state, action)

    @part
    def observe(state, seat, out):  # type: ignore[no-untyped-def]
        out[:present] = 0
        for at in range(state.past_decisions[seat]):
            for number in range(size):
                out[at * size + number] = state.past_observations[seat, at, number]
            out[longest * size + at * actions + state.past_actions[seat, at]] = 1
        own_observe(state, seat, out[present:])

    @part
    def forget(state: Any, seat: Any) -> None:
        """What the others have seen is not known to *seat*: as if it were nothing."""
        for other in range(len(state.past_decisions)):
            if other != seat:
                state.past_decisions[other] = 0
                state.past_observations[other] = 0
                state.past_actions[other] = 0

    @part
    def resample(state, seat):  # type: ignore[no-untyped-def]
        own_resample(state, seat)
        if hides:
            forget(state, seat)

    @part
    def withdraw_secret_actions(state, seat):  # type: ignore[no-untyped-def]
        own_withdraw(state, seat)
        forget(state, seat)

    around = [shuffle, act, observe, resample]
    if own_withdraw is not nothing_in_secret:
        around.append(withdraw_secret_actions)
    return Kernels(**vars(k) | {each.__name__: each for each in around})


def check_past(game: Game, states: NDArray[Any]) -> None:
    """``KernelError`` if a seat has decided more often in these records than the game says."""
    broken = (states["past_decisions"] == _TOO_OFTEN).any(axis=0)
    if broken.any():
        raise too_often(game, int(broken.argmax()), states.dtype["past_actions"].shape[1])


def too_often(game: Game, seat: int, longest: int) -> KernelError:
    """The error of a game in which a seat decides more often than it says."""
    return KernelError(
        f"{game.name}: seat {seat} has decided more often in a game than longest={longest} says: "
        "give the most decisions that one seat makes in a game"
    )


def as_records(game: Game, states: NDArray[Any]) -> NDArray[Any]:
    """A copy of *states* as records of *game*, which keeps no more of the past than they do."""
    if states.dtype == game.dtype:
        return states.copy()
    found = np.zeros(len(states), game.dtype)
    for name in game.dtype.names or ():
        if not name.startswith("_"):  # the bytes between fields
            found[name] = states[name]
    return found
