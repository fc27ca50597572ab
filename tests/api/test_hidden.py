"""Noninterference: what nobody may know shows nowhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cyberdeck.api.gymnasium_env import CyberdeckEnv
from tests.api.helpers import pick


def shown(env: CyberdeckEnv, seen: tuple[Any, ...] | None = None) -> tuple[Any, ...]:
    """Everything that the player is shown of a position."""
    core = env._core
    observation, mask, metrics = core.look(0)
    return (
        observation.tobytes(),
        mask.tobytes(),
        metrics.tobytes(),
        env.action_masks().tobytes(),
        str(env._info()),
        env.svg(),
        env.svg(highlight=False),
        env.render(),
        [core.action_name(0, action) for action in range(21)],
        core.complaint(0, 20),
        seen and str(seen[1:4]),
    )


LOOKALIKES = [(10, 36), (11, 37), (24, 50)]  # two 11s, two 12s of a colour


@pytest.mark.parametrize("pair", LOOKALIKES, ids=str)
def test_in_firewall_court_cards_that_look_alike_cannot_be_told_apart(
    pair: tuple[int, int],
) -> None:
    """An 11 shows no suit and a 12 only its colour (ruling M2): a whole game with two of them
    exchanged looks the same, decision by decision.
    """
    deck = np.random.default_rng(pair[0]).permutation(53)
    exchanged = deck.copy()
    exchanged[deck == pair[0]], exchanged[deck == pair[1]] = pair[1], pair[0]
    one = CyberdeckEnv("matrix_overload", render_mode="ansi")
    two = CyberdeckEnv("matrix_overload", render_mode="ansi")
    one.reset(seed=1, options={"deck": deck})
    two.reset(seed=1, options={"deck": exchanged})
    assert one.get_state() != two.get_state()
    rng = np.random.default_rng(pair[1])
    over, seen, again = False, None, None
    while not over:
        assert shown(one, seen) == shown(two, again)
        action = pick(one.action_masks(), rng)
        seen, again = one.step(action), two.step(action)
        over = seen[2] or seen[3]
    assert shown(one, seen) == shown(two, again)
