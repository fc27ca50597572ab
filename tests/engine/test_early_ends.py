"""Games that others may end before the learner has decided."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from cyberdeck import Batch, kernel, win
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.engine.policy import Policy, PolicyInput
from cyberdeck.engine.variant import Variant
from tests.engine.games import made


def early(always: bool) -> Variant:
    """The first may give up at once, or always does; then the second says who wins."""

    @kernel
    def legal(state, mask):  # type: ignore[no-untyped-def]
        mask[:] = 1

    @kernel
    def act(state, action):  # type: ignore[no-untyped-def]
        if state.mover == 0 and (always or action == 0):
            win(state, 1, 2)
        elif state.mover == 0:
            state.mover = 1
        else:
            state.left -= 1
            win(state, action, 2)

    game = made(name=f"early_{always}", legal=legal, act=act, actions=[(2, "say")])
    return Variant(game, {})


class Likewise(Policy):
    """As random, but asked."""

    name = "likewise"

    def decide(self, seen: PolicyInput) -> NDArray[np.int64]:
        return (seen.random_bits >> np.uint64(40) & np.uint64(1)).astype(np.int64)


@pytest.mark.parametrize("opponent", ["random", Likewise()], ids=["built in", "asked"])
@pytest.mark.parametrize("autoreset", ["NextStep", "SameStep"])
def test_only_games_in_which_it_decides_are_the_learner_s(
    autoreset: Literal["NextStep", "SameStep"], opponent: Any
) -> None:
    batch = Batch(early(False), 8, seed=0, seat="other", opponent=opponent, autoreset=autoreset)
    assert (batch.mover == 1).all()
    for step in range(10):
        actions = batch.choose("random")
        batch.step(actions)
        played = autoreset == "SameStep" or step % 2 == 0
        assert (batch.terminated == played).all()
        assert batch.reward[:, 1].tolist() == (np.where(actions == 1, 1, -1) * played).tolist()
        if autoreset == "SameStep" or not played:
            assert (batch.mover == 1).all()
            assert (batch._core.states["left"] == 7).all()


def test_so_it_is_in_single_envs_and_where_it_never_decides() -> None:
    env = CyberdeckEnv(early(False), seat="other")
    for seed in range(10):
        env.reset(seed=seed)
        assert env.step(1)[1:3] == (1, True)
    batch = Batch(early(True), 1, seed=0, seat="other", autoreset="SameStep")
    for _ in range(2):
        assert batch.mover.tolist() == [-1]
        assert not batch.reward.any()
        assert (batch._core.states["left"] == 7).all()
        batch.step([1])
