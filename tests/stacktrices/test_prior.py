"""Stacktrices: what an observation tells of the heuristic's opinion."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch
from cyberdeck.games.stacktrices import heuristic as h
from cyberdeck.games.stacktrices.constants import PHASES
from cyberdeck.games.stacktrices.prior import PROSPECT_STEP, STEP
from tests.stacktrices.words import Stacks, daring

RULES: list[dict[str, Any]] = [
    {},
    {"steal_on_attack": True, "setup": "random"},
    {"stacked_movement": True, "max_turns": 40},
    {"steal_on_attack": True, "stacked_movement": True},
]


def prior_of(game: Stacks) -> dict[str, int]:
    """The mover's prior, by decisions in words."""
    assert game.mover is not None
    prior = game.seen(game.mover)["prior"]
    assert np.flatnonzero(prior).tolist() == game.legal()
    return {game.word(int(action)): int(prior[action]) for action in np.flatnonzero(prior)}


def prospect_of(game: Stacks) -> int:
    assert game.mover is not None
    return int(game.seen(game.mover)["prospect"][0])


# --- in play --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "steps"),
    [(RULES[0], 36), *(pytest.param(each, 120, marks=pytest.mark.slow) for each in RULES)],
)
def test_the_prior_is_what_the_heuristic_values_in_steps_below_the_best(
    options: dict[str, Any], steps: int
) -> None:
    """And its choice, whatever its luck, is as good as the best or within that luck."""
    batch = Batch("stacktrices", 24, seed=8, observation="prior", **options)
    luck = np.random.default_rng(8)
    met: Counter[str] = Counter()
    for step in range(steps):
        row = step % 24
        state, mask = batch._core.states[row], batch.mask[row]
        pieces = batch.variant.named(batch.observation[row])
        prior = pieces["prior"].astype(int)
        assert ((prior > 0) == (mask == 1)).all()
        assert prior.max() == 127
        seen = h.outlook(state)
        certain = h.settled(state, seen, mask)
        setup = PHASES[state["phase"]] in ("hide the thief", "place the pieces")
        prospect = 0 if setup else seen.own.total - seen.theirs.total
        expected = np.where(mask == 1, 1, 0)
        if certain >= 0:
            expected[certain] = 127
            spread = 1
        else:
            known = {int(a): h.value_of(state, seen, int(a)) // STEP for a in np.flatnonzero(mask)}
            best = max(known.values())
            for action, value in known.items():
                expected[action] = max(1, 127 - (best - value))
            prospect += STEP * best
            spread = h.SETUP_LUCK if setup else h.LUCK + int(state["turns"]) * h.RESTLESS // 64
        assert (prior == expected).all()
        assert pieces["prospect"][0] == np.clip(prospect // PROSPECT_STEP, -127, 127)
        for number in range(8):
            batch._core.rows["dice"][row] = 977 * step + number
            chosen = int(batch.choose("heuristic")[row])
            assert 127 - prior[chosen] <= -(-(spread - 1) // STEP)
        met[PHASES[state["phase"]]] += 1
        player = (step // 12) % 3
        if player == 0:
            batch.step(daring(batch._core.states, batch.mask, luck))
        else:
            batch.step(batch.choose("random" if player == 1 else "heuristic"))
    assert met["move"] > steps // 10
    assert met["after the move"] > steps // 10


# --- by hand --------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 1])
def test_the_last_capture_is_beyond_everything(first: int) -> None:
    game = Stacks("d3*:P", "e4*:P", first=first, observation="prior")
    assert prior_of(game) == {"d3-e4": 127, "d3-c4": 1}
    assert prospect_of(game) == 127


def test_a_claim_is_taken_without_weighing() -> None:
    """Prospect: one stack of 44 + 14 x 2 squares against 44 and 44 + 14 x 24."""
    game = Stacks("c6*:P", "g7* | g5:Qpd", observation="prior").do("c6-d7")
    prior = prior_of(game)
    assert prior.pop("claim") == 127
    assert set(prior.values()) == {1}
    assert prospect_of(game) == (72 - 44 - 380) // 16 == -22
