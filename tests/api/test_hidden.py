"""Noninterference: what nobody may know shows nowhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from cyberdeck.api.gymnasium_env import CyberdeckEnv
from tests.api.helpers import DECK_SIZE, pick

RING = 64


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


def unseen_places(record: Any) -> list[int]:
    first, last = int(record["known_first"]), int(record["known_last"])
    return [(int(record["head"]) + at) % RING for at in range(first, int(record["left"]) - last)]


@pytest.mark.parametrize("edition", list(DECK_SIZE))
def test_the_unseen_order_of_the_draw_pile_shows_nowhere(edition: str) -> None:
    """Positions that differ only in it give the same observation, mask, info, picture and text.

    Also the same choice of the built-in players from the same luck.
    """
    compared, over = 0, False
    env, rng = CyberdeckEnv("matrix_overload", edition=edition, render_mode="ansi"), default_rng(0)
    env.reset(seed=0)
    while not over:
        places = unseen_places(env._core.states[0])
        expected, choice = shown(env), env.clone().suggest("heuristic")
        for variation in range(3):
            twin = env.clone()
            draw = twin._core.states["draw"][0]
            cards = draw[places]
            if variation == 0:  # just two neighbours
                cards[:2] = cards[:2][::-1]
            else:
                cards = rng.permutation(cards)
            draw[places] = cards
            if twin._past.before is not None:  # what the marks are made of
                hidden, then = unseen_places(twin._past.before[0]), twin._past.before["draw"][0]
                then[hidden] = rng.permutation(then[hidden])
            if variation == 2:
                twin.resample(seed=int(rng.integers(2**31)))
            assert shown(twin) == expected
            # The same luck for ties: resample redraws that like all else.
            twin._core.rows["dice"] = env._core.rows["dice"]
            assert twin.suggest("heuristic") == choice
            compared += bool((draw != env._core.states["draw"][0]).any())
        for _ in range(3):
            if not over:
                seen = env.step(pick(env.action_masks(), rng))
                over = seen[2] or seen[3]
    assert compared > 12


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
