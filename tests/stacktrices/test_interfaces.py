"""Stacktrices through interfaces, beyond what is asked of every one: planes, and a victim."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cyberdeck import ActionError, Batch, StateError
from cyberdeck.api.pettingzoo_env import raw_env
from tests.stacktrices.words import side

GAME = "stacktrices"


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
    [
        {"max_turns": 20},
        {"setup": "random", "steal_on_attack": True, "stacked_movement": True, "max_turns": 20},
    ],
    ids=["default", "all rules"],
)
def test_planes_and_vector_say_the_same(options: dict[str, Any]) -> None:
    """Both views of the same games, piece by piece, for both seats, ends included; and a game that
    is saved with one of them goes on with the other.
    """
    flat = Batch(GAME, 6, seed=4, **options)
    board = Batch(GAME, 6, seed=4, observation="planes", **options)
    compared = 0
    for _ in range(160):
        for row, seat in np.ndindex(6, 2):
            one, other = flat.look(row, seat)[0], board.look(row, seat)[0]
            says_the_same(flat.variant.named(one), board.variant.named(other))
        actions = flat.choose("random")
        assert (board.choose("random") == actions).all()
        flat.step(actions)
        board.step(actions)
        assert (flat.mask == board.mask).all()
        over = flat.terminated | flat.truncated
        says_the_same(
            flat.variant.named(flat.final_observation[over]),
            board.variant.named(board.final_observation[over]),
        )
        compared += int(over.sum())
    assert compared > 5
    saved = flat.get_state(0)
    board.reset()
    board.set_state(0, saved)
    assert board.get_state(0) != saved, "the record says which view it is"
    assert (board.observation[0] == board.look(0, int(flat.mover[0]))[0]).all()
    says_the_same(
        flat.variant.named(flat.observation[0]), board.variant.named(board.observation[0])
    )
    flat.set_state(0, board.get_state(0))
    assert flat.get_state(0) == saved
    with pytest.raises(StateError, match="max_turns=20"):
        Batch(GAME, 1, **{**options, "max_turns": 21}).set_state(0, saved)


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
