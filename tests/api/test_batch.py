"""The batch interface: read-only views, autoreset, every seat, and the AEC env's own games."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

import cyberdeck
from cyberdeck import ActionError, Batch, CyberdeckError, OptionError, StateError
from cyberdeck.engine.policy import Policy, PolicyInput
from tests.api.helpers import CASES, FEW, Case, label, lowest, pick_rows, scripted

VIEWS = [
    "observation",
    "mask",
    "mover",
    "reward",
    "terminated",
    "truncated",
    "reason",
    "seat",
    "metrics",
    "final_observation",
    "final_metrics",
    "final_return",
    "final_length",
    "final_seat",
]


def standing(batch: Batch) -> tuple[bytes, ...]:
    core = batch.core
    return tuple(
        array.tobytes()
        for array in (core.states, core.rows, core.masks, core.observations, core.finals)
    )


@pytest.mark.parametrize("case", FEW, ids=label)
def test_views_are_read_only_and_live(case: Case) -> None:
    """Nobody writes into the games by accident; the views show every step without being renewed."""
    game, options = case
    batch = Batch(game, 9, seed=0, **options)
    views = {name: getattr(batch, name) for name in VIEWS}
    for name, view in views.items():
        assert len(view) == len(batch) == 9
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 0
        assert getattr(batch, name) is view
    before = views["observation"].copy()
    batch.step(batch.choose("random"))
    assert (views["observation"] != before).any()
    seats, shape = batch.variant.seats, batch.variant.observation_shape
    assert views["observation"].shape == (9, *shape)
    assert views["reward"].shape == (9, seats)
    assert views["final_observation"].shape == (9, seats, *shape)
    assert views["terminated"].dtype == views["truncated"].dtype == np.bool_
    assert views["mask"].dtype == np.int8


@pytest.mark.parametrize("case", CASES, ids=label)
def test_autoreset_modes_show_the_same_games(case: Case) -> None:
    """same_step, next_step and disabled differ in when the next game begins, in nothing else."""
    game, options = case
    same, later, never = (
        Batch(game, 4, seed=1, autoreset=mode, **options)
        for mode in ("same_step", "next_step", "disabled")
    )
    rng = np.random.default_rng(0)
    ended = np.zeros(4, np.bool_)
    while not ended.all():
        actions = pick_rows(np.where(ended[:, None], 1, same.mask), rng)
        before = {
            name: getattr(never, name)[ended].copy() for name in ("observation", "terminated")
        }
        running = ~ended
        for batch in (same, later, never):
            # Games past their end have gone their own ways: give each something legal there.
            own = np.where(running, actions, batch.choose("random"))
            batch.step(own)
        for name in ("terminated", "truncated", "reason", "reward"):
            one, two, three = (getattr(batch, name)[running] for batch in (same, later, never))
            assert (one == two).all()
            assert (two == three).all()
        for name, value in before.items():
            assert (getattr(never, name)[~running] == value).all(), "a finished game has moved"
        assert (never.reward[~running] == 0).all()
        over = (same.terminated | same.truncated) & running
        for row in np.flatnonzero(over):
            assert same.mover[row] >= 0, "same_step: the next game has begun"
            assert later.mover[row] == never.mover[row] == -1
            for seat in range(same.variant.seats):
                final = same.final_observation[row, seat]
                assert (final == later.look(row, seat)[0]).all()
                assert (final == never.look(row, seat)[0]).all()
            assert not never.mask[row].any()
        ended |= over
    begun = later.mover == -1
    later.step(later.choose("random"))
    assert (later.reward[begun] == 0).all()
    assert (later.mover[begun] >= 0).all(), "next_step: the next step begins the next game"
    assert not later.terminated[begun].any()


@pytest.mark.parametrize("seat", [0, 1, "random"])
def test_one_seat_of_every_game(seat: int | str) -> None:
    """With a seat chosen, only its decisions are asked for and its final view is kept."""
    batch = Batch("hackthegrid", 12, seed=0, seat=seat, opponent=scripted(1))
    assert batch.final_observation.shape[1] == 1
    rng = np.random.default_rng(0)
    ends = 0
    for _ in range(80):
        assert (batch.mover == batch.seat).all()
        assert batch.mask.any(axis=1).all()
        if seat != "random":
            assert (batch.seat == seat).all()
        batch.step(pick_rows(batch.mask, rng))
        over = batch.terminated | batch.truncated
        ends += int(over.sum())
        for row in np.flatnonzero(over):
            named = batch.variant.named(batch.final_observation[row, 0])
            assert named["to_move"] == 0
            own, other = int(named["own_score"][0]), int(named["opponent_score"][0])
            reward = batch.reward[row, batch.final_seat[row]]
            if batch.reasons[batch.reason[row]] == "cards_remain":
                assert reward == -1.0
            else:
                assert reward == np.sign(own - other)
    assert ends > 40


def test_seeds_count_up_by_rows() -> None:
    whole = Batch("matrix_overload", 6, seed=10)
    for row in range(6):
        one = Batch("matrix_overload", 1, seed=10 + row)
        assert one.core.states.tobytes() == whole.core.states[row : row + 1].tobytes()
    first = whole.observation.copy()
    whole.reset()
    assert (whole.observation != first).any(axis=1).all(), "without a seed the games go on"
    whole.reset(seed=10)
    assert (whole.observation == first).all()
    assert (Batch("matrix_overload", 6).observation != first).any()


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"count": 0}, "at least 1"),
        ({"count": 1.5}, "at least 1"),
        ({"autoreset": "later"}, "same_step"),
        ({"seat": 2}, "seat=2"),
        ({"seat": None}, "seat=None"),
        ({"seat": 0, "opponent": "best"}, "best"),
        ({"illegal": "skip"}, "skip"),
        ({"game": "chess"}, "chess"),
        ({"reward": "gold"}, "gold"),
        ({"colour": 3}, "colour"),
    ],
)
def test_arguments_that_are_not_possible_are_named(arguments: dict[str, Any], message: str) -> None:
    arguments = {"game": "hackthegrid", "count": 2, **arguments}
    with pytest.raises(OptionError, match=message):
        Batch(**arguments)


@pytest.mark.parametrize("opponent", ["random", lowest], ids=["built-in", "outside"])
def test_a_step_is_applied_to_all_or_to_none(opponent: Any) -> None:
    batch = Batch("hackthegrid", 4, seed=0, seat=0, opponent=opponent)
    before = standing(batch)
    good = batch.mask.argmax(axis=1)
    for wrong in (good[:3], good.astype(float), [0, 0, 0, 68], [0, 0, 0, -1], None, "0000"):
        with pytest.raises(ActionError, match="nothing was applied"):
            batch.step(wrong)
        assert standing(batch) == before
    with pytest.raises(OptionError, match="best"):
        batch.choose("best")
    with pytest.raises(OptionError, match="stands alone"):
        batch.reset(options={"state": batch.get_state(0), "grid": list(range(16))})
    for options in ({"grid": [1]}, {"fisrt": 0}):
        with pytest.raises(OptionError):
            batch.reset(options=options)
    assert standing(batch) == before


@pytest.mark.parametrize("seat", ["every", 0])
def test_what_is_saved_of_a_finished_game_stays_the_same(seat: int | str) -> None:
    batch = Batch("hackthegrid", 12, seed=3, seat=seat, autoreset="disabled")
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
    batch = Batch("hackthegrid", 4, seed=0, illegal="lose", autoreset="disabled")
    actions = batch.mask.argmax(axis=1)
    actions[2] = 68
    mover = int(batch.mover[2])
    batch.step(actions)
    assert batch.terminated.tolist() == [False, False, True, False]
    assert batch.reward[2, mover] == -1
    assert batch.reward[2, 1 - mover] == 1
    assert batch.reasons[batch.reason[2]] == "illegal_action"


#: Every call that takes a row or a seat, with one that does not exist. In a process of its own:
#: what reads or writes beyond an array may take the interpreter with it.
BOUNDS = """
import numpy as np
from cyberdeck import Batch, CyberdeckError
from cyberdeck.api.vector_env import CyberdeckVectorEnv
game = {game!r}
batch = Batch(game, 3, seed=0)
envs = CyberdeckVectorEnv(game, 3)
envs.reset(seed=0)
saved, other = batch.get_state(0), envs.get_state(0)
seats = batch.variant.seats
calls = {{}}
for row in (-1, 3, 10**6, -(10**6)):
    calls[f"batch.look(row={{row}})"] = lambda row=row: batch.look(row, 0)
    calls[f"batch.get_state({{row}})"] = lambda row=row: batch.get_state(row)
    calls[f"batch.set_state({{row}})"] = lambda row=row: batch.set_state(row, saved)
    calls[f"batch.svg({{row}})"] = lambda row=row: batch.svg(row)
    calls[f"envs.get_state({{row}})"] = lambda row=row: envs.get_state(row)
    calls[f"envs.set_state({{row}})"] = lambda row=row: envs.set_state(row, other)
for seat in (-1, seats, 10**6):
    calls[f"batch.look(seat={{seat}})"] = lambda seat=seat: batch.look(0, seat)
    calls[f"batch.svg(seat={{seat}})"] = lambda seat=seat: batch.svg(0, seat=seat)
    calls[f"batch.resample(seat={{seat}})"] = lambda seat=seat: batch.resample(0, seat, seed=1)
for row in (-1, 3, 10**6, -(10**6)):
    calls[f"batch.resample(row={{row}})"] = lambda row=row: batch.resample(row, 0, seed=1)
before = batch.core.states.tobytes(), batch.core.rows.tobytes(), envs._core.rows.tobytes()
for name, call in calls.items():
    try:
        call()
        print("accepted:", name, flush=True)
    except CyberdeckError:
        pass
    except Exception as error:
        print("unclear:", name, repr(error), flush=True)
after = batch.core.states.tobytes(), batch.core.rows.tobytes(), envs._core.rows.tobytes()
print("unchanged" if before == after else "changed", flush=True)
"""


def test_rows_and_seats_that_do_not_exist_are_refused() -> None:
    """One clear error each, never a look or a write beyond the arrays."""
    code = "".join(BOUNDS.format(game=game) for game in cyberdeck.GAMES)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines() == ["unchanged"] * len(cyberdeck.GAMES), (
        done.stdout + done.stderr[-500:]
    )
    assert done.returncode == 0, f"the interpreter died: {done.returncode}"


def test_a_row_takes_only_states_of_its_own_kind() -> None:
    batch = Batch("hackthegrid", 2, seed=0)
    seated = Batch("hackthegrid", 2, seed=0, seat=0)
    matrix = Batch("matrix_overload", 2, seed=0)
    before = standing(batch)
    stacks = Batch("stacktrices", 2, seed=0)
    for source in (seated, matrix, stacks, Batch("hackthegrid", 2, seed=0, scramble="at_end")):
        with pytest.raises(StateError):
            batch.set_state(1, source.get_state(0))
    for wrong in (b"", None, "state", batch.get_state(0)[:-1]):
        with pytest.raises(CyberdeckError):
            batch.set_state(1, wrong)  # type: ignore[arg-type]
    assert standing(batch) == before


def test_redrawn_twins_roll_on_differently() -> None:
    """Search by clones: the others' luck is redrawn too, not only the cards."""
    env = gymnasium.make("cyberdeck/HackTheGrid-v0", seat=0, opponent="random").unwrapped
    env.reset(seed=3, options={"first": 0})
    action = int(env.action_masks().argmax())
    replies = set()
    for seed in range(40):
        twin = env.clone()
        twin.resample(seed=seed)
        replies.add(twin.step(action)[0].tobytes())
    assert len(replies) > 1, "every twin met the same reply"
    rows = Batch("hackthegrid", 40, seed=0)
    saved = rows.get_state(0)
    for row in range(40):
        rows.set_state(row, saved)
        rows.resample(row, 0, seed=row)
    assert len(set(rows.choose("random").tolist())) > 1


def test_rows_that_go_on_from_one_position_get_their_own_dice() -> None:
    saved = Batch("matrix_overload", 1, seed=1).get_state(0)
    batch = Batch("matrix_overload", 8, seed=100)
    for seed in (None, 100):
        batch.reset(seed=seed, options={"state": saved})
        assert len(set(batch.core.states["dice"].tolist())) == 8


@pytest.mark.parametrize("seed", range(20))
def test_a_table_prescribed_in_part_is_whole(seed: int) -> None:
    """Only who begins: the grid is drawn, and nobody has taken a card from it before the deal."""
    env = gymnasium.make("cyberdeck/HackTheGrid-v0", seat=0).unwrapped
    env.reset(seed=seed, options={"first": 0})
    assert env.look()[1]["cards_left"] == 16
    assert not env._core.loops.check_state(env._core.states, np.zeros(1, np.int64))


def test_any_layout_of_actions_reaches_the_same_loop() -> None:
    batch = Batch("hackthegrid", 6, seed=0)
    batch.step(batch.choose("random"))
    # A loop of a library knows one signature: it would raise an error.
    compiled = len(getattr(batch.core.loops.advance, "signatures", ()))
    wide = np.zeros((6, 3), np.int64)
    for _ in range(3):
        wide[:, 1] = batch.choose("random")
        batch.step(wide[:, 1])
        frozen = batch.choose("random")
        frozen.flags.writeable = False
        batch.step(frozen.astype(np.int8))
    assert len(getattr(batch.core.loops.advance, "signatures", ())) == compiled


def test_arrays_from_shared_memory_are_copied() -> None:
    """Ray and joblib hand out read-only buffers."""
    batch = Batch("hackthegrid", 4, seed=0)
    buffers: list[pickle.PickleBuffer] = []
    packed = pickle.dumps(batch, protocol=5, buffer_callback=buffers.append)
    twin = pickle.loads(packed, buffers=[bytes(buffer.raw()) for buffer in buffers])
    twin.step(twin.choose("random"))
    batch.step(batch.choose("random"))
    assert twin.core.states.tobytes() == batch.core.states.tobytes()


def test_an_opponent_without_another_seat_is_refused() -> None:
    for seats in ({}, {"seat": "every"}):
        with pytest.raises(OptionError, match="seat="):
            Batch("hackthegrid", 2, opponent="heuristic", **seats)


def test_after_a_refused_first_reset_the_env_works() -> None:
    env = gymnasium.make("cyberdeck/HackTheGrid-v0", seat=0)
    with pytest.raises(OptionError):
        env.reset(seed=0, options={"gird": []})
    _, info = env.reset(seed=0)
    env.step(int(info["action_mask"].argmax()))


def test_an_opponent_that_is_several_times_in_the_pool_is_asked_in_one_go() -> None:
    class Counting(Policy):
        def __init__(self) -> None:
            self.asked = self.decided = 0

        def decide(self, seen: PolicyInput) -> NDArray[Any]:
            self.asked += 1
            self.decided += len(seen)
            return seen.masks.argmax(axis=1)

    counts = []
    for times in (1, 4):
        policy = Counting()
        batch = Batch("hackthegrid", 400, seed=3, seat=0, opponent=[policy] * times)
        for _ in range(6):
            batch.step(batch.choose("random"))
        counts.append(policy)
    once, often = counts
    assert often.asked <= once.asked + 2
    assert 0.9 < often.decided / once.decided < 1.1
