"""Policies that remember: what was noted in a game is found again there, and nowhere else."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cyberdeck import Batch
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.engine.policy import Policy, PolicyInput
from cyberdeck.errors import ActionError
from cyberdeck.evaluation import play_games

#: Games that soon end, so that rows see many of them.
TWO = {"deck": [("NET NODE", 0)] * 16}
TEAMS: dict[str, Any] = {"ships": (2, 2), "max_turns": 2, "deployment": "random"}


class Counting(Policy):
    """Remembers how often it was asked in this game, and the first observation it saw there.

    It plays the first or the last legal action, by the count. What it was told is kept in *told*:
    for each decision (seat, count before, whether it remembered its first observation).
    """

    name = "counting"

    def __init__(self, size: int) -> None:
        self.memory = 1 + size
        self.told: list[tuple[int, int]] = []

    def decide(self, seen: PolicyInput) -> NDArray[Any]:
        counts = seen.memory[:, 0].astype(int)
        now = seen.observations.reshape(len(seen), -1)
        new = counts == 0
        assert not seen.memory[new].any()
        seen.memory[new, 1:] = now[new]
        seen.memory[:, 0] += 1
        self.told += zip(seen.seats.tolist(), counts.tolist(), strict=True)
        last = seen.masks.shape[1] - 1 - seen.masks[:, ::-1].argmax(axis=1)
        # What it does depends on all that it remembers.
        odd = (counts + seen.memory[:, 1:].sum(axis=1).astype(int)) % 2 == 1
        return np.where(odd, last, seen.masks.argmax(axis=1))


@pytest.mark.parametrize(
    ("seat", "autoreset"), [(0, "same_step"), (1, "next_step"), ("random", "same_step")]
)
def test_a_new_game_in_a_row_is_remembered_from_its_start(seat: int | str, autoreset: str) -> None:
    """Rows begin new games at different times, inside the compiled loop, or by the next step."""

    class Checked(Policy):
        """Counts games: what is left of 16 cards becomes less in a game, and 15 begin one."""

        memory = 2
        games = 0

        def decide(self, seen: PolicyInput) -> NDArray[Any]:
            left = seen.variant.named(seen.observations)["cards_left"][:, 0]
            new = seen.memory[:, 0] == 0
            assert (left[new] >= 15).all()
            assert (left[~new] <= seen.memory[~new, 1]).all()
            assert (left[~new] < 16).all()
            self.games += int(new.sum())
            seen.memory[:, 0] = 1
            seen.memory[:, 1] = left
            return seen.masks.argmax(axis=1)

    policy = Checked()
    batch = Batch("hackthegrid", 30, seed=4, seat=seat, opponent=policy, autoreset=autoreset)
    finished = 0
    for _ in range(60):
        batch.step(batch.choose("random"))
        finished += int((batch.terminated | batch.truncated).sum())
    assert finished > 100
    assert finished - 30 <= policy.games - 30 <= finished
    batch.reset(seed=4)
    batch.step(batch.choose("random"))


def test_each_seat_and_each_policy_remembers_for_itself() -> None:
    """One policy on all sides of a match: as a count shows, each seat has a memory of its own."""
    size = Batch("hovercrafts", 1, seed=0, **TEAMS).observation.shape[1]
    one, other = Counting(size), Counting(size)
    games = play_games(
        "hovercrafts",
        {"one": one, "other": other},
        [(0, 0), (0, 1), (1, 0)],
        [0, 1, 1],
        keep_actions=True,
        **TEAMS,
    )
    for policy, lineup in ((one, [4, 2, 2]), (other, [0, 2, 2])):
        firsts = [seat for seat, count in policy.told if count == 0]
        assert len(firsts) == sum(lineup)
        for seat in range(4):
            counts = [count for at, count in policy.told if at == seat]
            for count in set(counts) - {0}:
                assert counts.count(count) <= counts.count(count - 1)
    again = play_games(
        "hovercrafts",
        {"one": Counting(size), "other": Counting(size)},
        [(0, 1), (1, 0), (0, 0)],
        [1, 1, 0],
        keep_actions=True,
        **TEAMS,
    )
    for first, second in ((0, 2), (1, 0), (2, 1)):
        assert games.actions[first].tolist() == again.actions[second].tolist()


def course(seats: Any, count: int, game: str = "hackthegrid", **options: Any) -> list[Any]:
    """What becomes of the game from seed 9 with a policy that remembers inside."""
    size = Batch(game, 1, seed=0, **options).variant.observation_size
    players: dict[str, Any] = {"opponent": Counting(size)}
    if game == "hovercrafts":
        players["ally"] = Counting(size)
    batch = Batch(game, count, seed=9, seat=seats, autoreset="disabled", **players, **options)
    found = []
    while batch.mover[0] >= 0:
        batch.step(batch.mask.argmax(axis=1))
        found.append((batch.observation[0].tobytes(), batch.reward[0].tolist()))
    return found


@pytest.mark.parametrize("case", [("hackthegrid", TWO), ("hovercrafts", TEAMS)])
def test_a_game_takes_its_course_whatever_is_played_beside_it(
    case: tuple[str, dict[str, Any]],
) -> None:
    game, options = case
    assert course(0, 1, game, **options) == course(0, 7, game, **options)


def go_on(batch: Batch, steps: int) -> list[bytes]:
    states = []
    for _ in range(steps):
        batch.step(batch.mask.argmax(axis=1))
        states.append(batch.core.states.tobytes())
    return states


def test_twins_remember_the_same_and_then_go_their_own_way() -> None:
    batch = Batch("hackthegrid", 8, seed=2, seat=0, opponent=Counting(349))
    go_on(batch, 4)
    twins = [batch.clone(), pickle.loads(pickle.dumps(batch)), copy.deepcopy(batch)]
    expected = go_on(batch, 6)
    assert [go_on(twin, 6) for twin in twins] == [expected] * 3


def test_nothing_is_remembered_after_an_error() -> None:
    """A step that is refused is as if it had never been asked for, memories included."""

    class Late(Counting):
        """Chooses wrongly in its third decision of a game, while it is told to."""

        wrong = False

        def decide(self, seen: PolicyInput) -> NDArray[Any]:
            counts = seen.memory[:, 0].copy()
            answer = super().decide(seen)
            return np.where((counts == 2) & self.wrong, 68, answer)

    policy = Late(349)
    batch = Batch("hackthegrid", 20, seed=2, seat="random", opponent=[policy, Counting(349)])
    undisturbed = batch.clone()
    policy.wrong = True
    refused = 0
    for _ in range(4):
        try:
            batch.step(batch.mask.argmax(axis=1))
        except ActionError:
            refused += 1
            policy.wrong = False
            batch.step(batch.mask.argmax(axis=1))
        was, policy.wrong = policy.wrong, False
        undisturbed.step(undisturbed.mask.argmax(axis=1))
        policy.wrong = was
    assert refused == 1
    policy.wrong = False
    assert go_on(batch, 6) == go_on(undisturbed, 6)


def remembered(batch: Batch) -> list[int]:
    """How often the opponent was asked before, as it is told at its next decisions, by row."""
    policy = batch.core.others.opponents[0]
    assert isinstance(policy, Counting)
    policy.told.clear()
    batch.step(batch.mask.argmax(axis=1))
    return [count for _, count in policy.told]


def test_states_carry_no_memories() -> None:
    """A row that is loaded or redrawn, or starts from a position, is remembered by nobody."""
    batch = Batch("hackthegrid", 1, seed=2, seat=0, opponent=Counting(349))
    go_on(batch, 3)
    saved = batch.get_state(0)
    assert min(remembered(batch.clone())) >= 2
    for change in (
        lambda twin: twin.set_state(0, saved),
        lambda twin: twin.resample(0, 0, seed=1),
        lambda twin: twin.reset(seed=1, options={"state": saved}),
    ):
        twin = batch.clone()
        change(twin)
        assert remembered(twin)[0] == 0
    assert batch.get_state(0) == saved


def test_a_single_env_begins_anew() -> None:
    policy = Counting(349)
    env = CyberdeckEnv("hackthegrid", seat=1, opponent=policy)
    for seed in (3, 3, 4):
        policy.told.clear()
        env.reset(seed=seed, options={"first": 0})
        for _ in range(2):
            env.step(int(env.action_masks().argmax()))
        assert policy.told[0] == (0, 0)
        assert [count for _, count in policy.told] == list(range(len(policy.told)))


def test_those_without_a_memory_are_told_of_none() -> None:
    given = []

    class Plain(Policy):
        def decide(self, seen: PolicyInput) -> NDArray[Any]:
            given.append(seen.memory.size)
            return seen.masks.argmax(axis=1)

    batch = Batch("hackthegrid", 3, seed=2, seat=0, opponent=Plain())
    go_on(batch, 3)
    assert set(given) == {0}
