"""Stacktrices through interfaces, beyond what is asked of every one: planes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cyberdeck import Batch, StateError

GAME = "stacktrices"


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
