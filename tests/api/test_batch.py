"""The batch interface: read-only views, autoreset, rows, layouts of actions, shared memory."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from cyberdeck import Batch, OptionError, find_player
from cyberdeck.common import memory
from cyberdeck.engine.policy import PolicyInput
from tests.api.helpers import FEW, Case, label, lowest, pick_rows, standing
from tests.test_policies import Fixed


@pytest.mark.parametrize("case", FEW[1::4], ids=label)
def test_views_are_read_only_and_live(case: Case) -> None:
    """Nobody writes into the games by accident; the views show every step without being renewed."""
    game, options = case
    batch = Batch(game, 9, seed=0, **options)
    views = {name: each for name, each in vars(batch).items() if isinstance(each, np.ndarray)}
    assert len(views) == 14
    for name, view in views.items():
        assert len(view) == len(batch) == batch.num_envs == 9
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 0
        assert getattr(batch, name) is view
    before = views["observation"].copy()
    batch.step(batch.choose("random"))
    assert (views["observation"] != before).any()
    assert views["terminated"].dtype == views["truncated"].dtype == np.bool_


@pytest.mark.parametrize("case", FEW[1::2], ids=label)
def test_autoreset_modes_show_the_same_games(case: Case) -> None:
    """SameStep, NextStep and Disabled differ in when the next game begins, in nothing else."""
    game, options = case
    same, later, never = batches = [
        Batch(game, 4, seed=1, autoreset=mode, **options)
        for mode in ("SameStep", AutoresetMode.NEXT_STEP, "Disabled")
    ]
    rng = np.random.default_rng(0)
    ended = np.zeros(4, np.bool_)
    while not ended.all():
        actions = pick_rows(np.where(ended[:, None], 1, same.mask), rng)
        running = ~ended
        for batch in batches:
            # Games past their end have gone their own ways: give each something legal there.
            batch.step(np.where(running, actions, batch.choose("random")))
        for name in ("terminated", "truncated", "reason", "reward"):
            one, *others = (getattr(batch, name)[running].tolist() for batch in batches)
            assert others == [one, one]
        over = (same.terminated | same.truncated) & running
        for row in np.flatnonzero(over):
            assert same.mover[row] >= 0, "SameStep: the next game has begun"
            assert later.mover[row] == never.mover[row] == -1
            for seat in range(same.variant.seats):
                final = same.final_observation[row, seat]
                assert (final == later.look(row, seat)[0]).all()
                assert (final == never.look(row, seat)[0]).all()
            assert not never.mask[row].any()
        ended |= over


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.uint8, np.uint64])
def test_a_seed_may_be_any_whole_number_of_numpy(kind: Any) -> None:
    batch = Batch("stacktrices", 1, seed=0)
    twin = batch.clone()
    batch.resample(kind(0), kind(1), seed=kind(7))
    twin.resample(0, 1, seed=7)
    assert standing(batch._core) == standing(twin._core)


@pytest.mark.parametrize("count", [10**9, 2**62, 2**70])
def test_games_that_do_not_fit_into_memory_are_not_made(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "memory", lambda: 2**34)
    with pytest.raises(OptionError, match=r"games take .* and there are 16.0: choose 1[0-9,]+ or"):
        Batch("hackthegrid", count)


@pytest.mark.parametrize("seat", ["every", 0])
def test_what_is_saved_of_a_finished_game_stays_the_same(seat: int | str) -> None:
    batch = Batch("hackthegrid", 12, seed=3, seat=seat, autoreset="Disabled")
    ended: dict[int, bytes] = {}
    while (batch.mover >= 0).any():
        batch.step(batch.choose("random"))
        over = np.flatnonzero(batch.mover < 0).tolist()
        ended = {row: ended.get(row, batch.get_state(row)) for row in over}
    batch.step(batch.choose("random"))
    assert not batch.reward.any()
    for row, saved in ended.items():
        assert batch.get_state(row) == saved
        batch.set_state(row, saved)
        assert batch.get_state(row) == saved


def test_illegal_actions_can_lose_only_their_games() -> None:
    batch = Batch("hackthegrid", 4, seed=0, illegal="lose", autoreset="Disabled")
    actions = batch.mask.argmax(axis=1)
    actions[2] = 68
    mover = int(batch.mover[2])
    batch.step(actions)
    assert batch.terminated.tolist() == [False, False, True, False]
    assert batch.reward[2, mover] == -1
    assert batch.reward[2, 1 - mover] == 1
    assert batch.reasons[batch.reason[2]] == "illegal_action"


def test_any_layout_of_actions_reaches_the_same_loop() -> None:
    batch = Batch("hackthegrid", 6, seed=0)
    batch.step(batch.choose("random"))
    # A loop of a library knows one signature: it would raise an error.
    compiled = len(getattr(batch._core.loops.advance, "signatures", ()))
    wide = np.zeros((6, 3), np.int64)
    for _ in range(3):
        wide[:, 1] = batch.choose("random")
        batch.step(wide[:, 1])
        frozen = batch.choose("random")
        frozen.flags.writeable = False
        batch.step(frozen.astype(np.int8))
    assert len(getattr(batch._core.loops.advance, "signatures", ())) == compiled


def test_any_player_is_asked_where_a_game_runs() -> None:
    batch = Batch("hackthegrid", 3, seed=4, autoreset="Disabled")
    search = find_player(batch.variant, "search:iterations=8")
    while (running := batch.mover >= 0).any():
        actions = batch.choose("search:iterations=8")
        assert (actions == batch.choose(search)).all()
        assert batch.mask[running, actions[running]].all()
        assert not actions[~running].any()
        assert (batch.choose(lowest) == np.where(running, batch.mask.argmax(axis=1), 0)).all()
        batch.step(actions)
    batch.states[:] = 0
    assert batch.states["terminated"].all(), "what is handed out is a copy"


def test_arrays_from_shared_memory_are_copied() -> None:
    """Ray and joblib hand out read-only buffers."""
    batch = Batch("hackthegrid", 4, seed=0)
    buffers: list[pickle.PickleBuffer] = []
    packed = pickle.dumps(batch, protocol=5, buffer_callback=buffers.append)
    twin = pickle.loads(packed, buffers=[bytes(buffer.raw()) for buffer in buffers])
    twin.step(twin.choose("random"))
    batch.step(batch.choose("random"))
    assert twin._core.states.tobytes() == batch._core.states.tobytes()


def test_an_opponent_that_is_several_times_in_the_pool_is_asked_in_one_go() -> None:
    asked = []

    def counted(seen: PolicyInput) -> NDArray[Any]:
        asked.append(len(seen))
        return seen.masks.argmax(axis=1)

    batch = Batch("hackthegrid", 400, seed=3, seat=0, opponent=[Fixed(counted)] * 4)
    for _ in range(6):
        batch.step(batch.choose("random"))
    assert max(asked) > 300
    assert len(asked) < 30, asked
