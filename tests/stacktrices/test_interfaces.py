"""Stacktrices through interfaces, beyond what is asked of every one: planes, and a victim."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cyberdeck import ActionError, Batch, StateError
from cyberdeck.api.pettingzoo_env import raw_env
from cyberdeck.api.sb3 import SB3VecEnv
from tests.api.helpers import pick_rows, scripted
from tests.play import side

GAME = "stacktrices"
#: Every rule and the view as planes; short enough to be played often.
ALL_RULES: dict[str, Any] = {
    "observation": "planes",
    "setup": "random",
    "steal_on_attack": True,
    "stacked_movement": True,
    "reward": "material",
    "max_turns": 40,
}


def test_a_vector_of_games_returns_what_was_earned() -> None:
    """Over many games at once, with autoreset: each game's rewards add up to what its end says."""
    envs = SB3VecEnv(GAME, 24, seed=0, opponent=["random", "heuristic", scripted(2)], **ALL_RULES)
    envs.reset()
    rng = np.random.default_rng(0)
    totals = np.zeros(24)
    drawn, ended = set(), 0
    for _ in range(160):
        _, rewards, dones, infos = envs.step(pick_rows(envs.action_masks(), rng))
        totals += rewards
        for row in np.flatnonzero(dones):
            info = infos[row]
            alive = bool(info["own_stacks"]) - bool(info["opponent_stacks"])
            lead = info["own_pips"] - info["opponent_pips"]
            assert totals[row] == pytest.approx(alive + 0.01 * lead, abs=1e-5)
            drawn.add((info["opponent"], info["seat"]))
            totals[row] = 0.0
            ended += 1
    assert ended > 30
    assert len(drawn) == 6, "each opponent on each seat"


def test_the_message_says_what_the_victim_may_do() -> None:
    one = raw_env(GAME, first=0)
    white, black = side("e3*:Q a1 e1 | b2:D c3:Q"), side("d4*:P a7 g7:Q |")
    one.reset(seed=3, options={"position": f"white: {white}\nblack: {black}\nturn: white"})
    takes_the_thief, steals_the_pawn, puts_it_on_a1 = 24, 417, 353
    for action in (takes_the_thief, steals_the_pawn, puts_it_on_a1):
        one.step(action)
    with pytest.raises(ActionError) as caught:
        one.step(446)
    assert str(caught.value) == (
        "nothing was applied: action 446 (end the turn) is not legal for player_1; legal are "
        "344 (hide the thief under B1 (drone, a7)); "
        "345 (hide the thief under B2 (drone, g7)). The action mask says which are; with "
        "illegal='lose' an illegal action loses the game instead"
    )


@pytest.mark.parametrize(
    "options",
    [{"max_turns": 20}, {**ALL_RULES, "observation": "vector", "first": 1, "max_turns": 20}],
    ids=["default", "all rules"],
)
def test_planes_and_vector_say_the_same(options: dict[str, Any]) -> None:
    """Both views of the same games, piece by piece, for both seats, ends included."""
    flat = Batch(GAME, 6, seed=4, **options)
    board = Batch(GAME, 6, seed=4, **{**options, "observation": "planes"})
    compared = 0
    for _ in range(160):
        for row in range(6):
            for seat in (0, 1):
                one, other = flat.look(row, seat)[0], board.look(row, seat)[0]
                says_the_same(flat.variant.named(one), board.variant.named(other))
        actions = flat.choose("random")
        assert (board.choose("random") == actions).all()
        flat.step(actions)
        board.step(actions)
        assert (flat.mask == board.mask).all()
        assert (flat.reward == board.reward).all()
        over = flat.terminated | flat.truncated
        says_the_same(
            flat.variant.named(flat.final_observation[over]),
            board.variant.named(board.final_observation[over]),
        )
        compared += int(over.sum())
    assert compared > 5


def says_the_same(flat: dict[str, NDArray[Any]], board: dict[str, NDArray[Any]]) -> None:
    """Stacks' features stand on their squares and nowhere else; numbers fill their planes."""
    assert flat.keys() == board.keys()
    for name, told in flat.items():
        shown = board[name]
        if name.endswith("_features"):
            at = flat[name.replace("features", "at")]  # [..., stack, rank, file]
            painted = np.einsum("...sf,...syx->...fyx", told, at)
            assert (shown == painted).all(), name
            gone = at.any(axis=(-1, -2)) == 0
            assert not told[gone].any(), "a captured stack has features"
        elif told.shape[-2:] == (7, 7):
            assert (shown == told).all(), name
        else:
            assert (shown == told[..., None, None]).all(), name


def test_a_state_fits_whatever_the_view() -> None:
    """Saved where vectors are seen, gone on with where planes are, and back."""
    options: dict[str, Any] = {"setup": "random", "reward": "material", "max_turns": 30}
    one = Batch(GAME, 1, seed=1, **options)
    other = Batch(GAME, 1, seed=2, observation="planes", **options)
    one.play("random", 25)
    saved = one.get_state(0)
    other.set_state(0, saved)
    assert other.get_state(0) != saved, "the record says which view it is"
    mover = int(one.mover[0])
    for seat in (0, 1):
        seen, shown = (batch.look(0, seat)[0] for batch in (one, other))
        says_the_same(one.variant.named(seen), other.variant.named(shown))
    assert (other.observation[0] == other.look(0, mover)[0]).all()
    one.set_state(0, other.get_state(0))
    assert one.get_state(0) == saved
    with pytest.raises(StateError, match="max_turns=30"):
        Batch(GAME, 1, **{**options, "max_turns": 31}).set_state(0, saved)
