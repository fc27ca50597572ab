"""Saved states are read where nothing has changed, and refused by name elsewhere."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

from cyberdeck import StateError
from cyberdeck.engine.careful import Careful
from cyberdeck.engine.contract import Game, Option
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.game_loops import carefully
from cyberdeck.engine.kernels import kernel
from cyberdeck.engine.record import Field
from cyberdeck.engine.variant import Variant
from tests.engine.games import LEFT, made


@kernel
def start(state: Any) -> None:
    state.left = 7
    state.pile[0] = 3


@kernel
def act(state: Any, action: Any) -> None:
    state.left -= 1
    state.pile[1] += 1
    state.mover = 1 - state.mover
    if state.left == 0:
        state.terminated, state.reason, state.mover = 1, 2, -1


PILE = Field("pile", -1, 9, (3,))


def counting(*fields: Field, **more: Any) -> Game:
    """A game that counts down from seven, whose record has these fields."""
    return made(name="counting", fields=fields, start=start, act=act, **more)


def games(game: Game, **options: Any) -> GameBatch:
    with carefully(Careful(game)):
        core = GameBatch(Variant(game, options), 1)
        core.reset([3])
        core.step(np.zeros(1, np.int64))
    return core


def signed(body: bytes) -> bytes:
    return body + hashlib.blake2b(body, digest_size=16).digest()


def test_a_state_says_its_game_and_is_read_again() -> None:
    core = games(counting(LEFT, PILE))
    saved = core.save()
    assert saved.startswith(b"cyberdeck 1\ncounting\n")
    other = games(counting(LEFT, PILE))
    other.step(np.zeros(1, np.int64))
    other.load(saved)
    assert other.save() == saved
    assert other.states[0]["pile"].tolist() == [3, 1, 0]


@pytest.mark.parametrize(
    "fields",
    [
        (PILE, LEFT),
        (LEFT, Field("pile", -1, 999, (3,))),
        (LEFT, Field("pile", -1, 9, (4,))),
        (LEFT, PILE, Field("was", 0, 9)),
    ],
    ids=["in another order", "a wider type", "another shape", "more"],
)
def test_a_state_of_another_record_is_refused(fields: tuple[Field, ...]) -> None:
    core = games(counting(*fields))
    before = core.save()
    with pytest.raises(StateError, match="saved with another record: by another version"):
        core.load(games(counting(LEFT, PILE)).save())
    assert core.save() == before


def test_a_state_of_other_options_is_refused() -> None:
    pace = Option("pace", "slow", choices=("fast", "slow"))
    game = counting(LEFT, PILE, options=(pace,))
    with pytest.raises(StateError, match="saved with pace='slow', and this env has pace='fast'"):
        games(game, pace="fast").load(games(game).save())


def test_damaged_states_are_refused_and_change_nothing() -> None:
    core = games(counting(LEFT, PILE))
    saved, before = core.save(), core.save()
    core.step(np.zeros(1, np.int64))
    later = core.save()
    assert before != later
    for at in range(0, len(saved), 7):
        damaged = bytearray(saved)
        damaged[at] ^= 1 << (at % 8)
        with pytest.raises(StateError):
            core.load(bytes(damaged))
    for body in (saved[:-17], saved[:-16] + b"\0", saved[: len(b"cyberdeck 1\ncounting\n")], b""):
        with pytest.raises(StateError):
            core.load(signed(body))
    assert core.save() == later


def test_a_pickle_of_another_record_or_observation_is_refused() -> None:
    core = games(counting(LEFT, PILE))
    for name, other in (
        ("states", np.zeros(1, [*core.states.dtype.descr, ("more", np.int8)])),
        ("observations", core.observations.astype(np.int16)),
    ):
        kept = core.__deepcopy__({}).__getstate__()
        setattr(kept["_arrays"], name, other)
        with pytest.raises(StateError, match="pickled by a version with another record or obs"):
            GameBatch.__new__(GameBatch).__setstate__(kept)
