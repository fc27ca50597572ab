"""Random play of every pair of options: the contract at every state (long: soak.py), and ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch, variant
from cyberdeck.testing import random_play
from tests.cases import LONGEST, PAIRS, Case, label

#: Decisions that 32 games make in a short time; the long games need more until enough have ended.
DECISIONS = {
    "matrix_overload": 1_100,
    "hackthegrid": 800,
    "stacktrices": 2_400,
    "hovercrafts": 800,
}


@pytest.mark.parametrize("case", PAIRS, ids=label)
def test_the_contract_is_kept_at_every_state_of_random_play(case: Case) -> None:
    chosen = variant(case[0], **case[1])
    report = random_play(chosen, decisions=DECISIONS[case[0]], games=32, seed=7)
    assert not report.faults, str(report)
    assert report.longest <= LONGEST[case[0]]


@pytest.mark.parametrize("case", PAIRS, ids=label)
def test_games_end_as_their_rewards_say(case: Case) -> None:
    """What a game has brought adds up, also where the next one begins at once."""
    batch = Batch(case[0], 24, seed=7, **case[1])
    returns, lengths = np.zeros((24, batch.variant.seats)), np.zeros(24, np.int64)
    ended = 0
    for _ in range(DECISIONS[case[0]] // 6):
        actions = batch.choose("random")
        actions[::4] = batch.choose("heuristic")[::4]  # to get further
        batch.step(actions)
        returns += batch.reward
        lengths += 1
        over = batch.terminated | batch.truncated
        assert ((batch.reason > 0) == over).all()
        for row in np.flatnonzero(over).tolist():
            assert np.allclose(returns[row], batch.final_return[row], atol=1e-5)
            assert lengths[row] == batch.final_length[row] <= LONGEST[case[0]]
            ENDS[case[0]](batch, row, returns[row], final_metrics(batch, row))
        returns[over], lengths[over] = 0, 0
        ended += int(over.sum())
    assert ended >= 12 or "battles" in case[1], "hardly any game ended"


# --- what a finished game has brought, by its own rewards -----------------------------------------


def final_metrics(batch: Batch, row: int) -> dict[str, int]:
    names = (metric.name for metric in batch.variant.game.metrics)
    return dict(zip(names, batch.final_metrics[row].tolist(), strict=True))


def why(batch: Batch, row: int) -> str:
    return batch.reasons[batch.reason[row]]


def end_of_matrix_overload(batch: Batch, row: int, returns: Any, metrics: dict[str, int]) -> None:
    won = why(batch, row) == "won"
    royals = batch.variant.options["reward"] == "royals"
    assert np.isclose(returns[0], won + royals * metrics["royals_killed"] / 12, atol=1e-5)
    assert (metrics["royals_killed"] == 12) == won
    assert batch.truncated[row] == (why(batch, row) == "max_steps")


def end_of_hackthegrid(batch: Batch, row: int, returns: Any, metrics: dict[str, int]) -> None:
    if why(batch, row) == "cards_remain":
        assert returns.tolist() == [-1.0, -1.0]
        assert metrics["cards_left"] > 0
        return
    lead = metrics["own_score"] - metrics["opponent_score"]
    margin = batch.variant.options["reward"] == "margin"
    expected = max(-1.0, min(1.0, lead / 20)) if margin else np.sign(lead)
    assert np.allclose(returns, [expected, -expected], atol=1e-6)


def end_of_stacktrices(batch: Batch, row: int, returns: Any, metrics: dict[str, int]) -> None:
    alive = bool(metrics["own_stacks"]) - bool(metrics["opponent_stacks"])
    assert (why(batch, row) == "captured_all") == (alive != 0)
    assert batch.truncated[row] == (why(batch, row) == "max_turns")
    lead = metrics["own_pips"] - metrics["opponent_pips"]
    gained = 0.01 * lead if batch.variant.options["reward"] == "material" else 0.0
    assert np.allclose(returns, [alive + gained, -alive - gained], atol=1e-5)


def end_of_hovercrafts(batch: Batch, row: int, returns: Any, metrics: dict[str, int]) -> None:
    options, reason = batch.variant.options, why(batch, row)
    zion = options["ships"][0]
    assert batch.truncated[row] == (reason == "max_turns")
    assert np.allclose(returns[:zion], returns[0], atol=1e-5)
    assert np.allclose(returns[zion:], -returns[0], atol=1e-5)
    assert (options["battles"] > 1) == (reason in ("war_won", "war_drawn"))
    if options["reward"] == "outcome":
        counted = {"war_won": "battles", "points": "points", "disabled_all": "ships"}
        decided = (*counted, "flagship_out", "escaped", "held")
        assert abs(returns[0]) == (reason in decided)
        if reason in counted:
            lead = metrics[f"own_{counted[reason]}"] - metrics[f"enemy_{counted[reason]}"]
            assert returns[0] == np.sign(lead)


ENDS: dict[str, Callable[[Batch, int, Any, dict[str, int]], None]] = {
    "matrix_overload": end_of_matrix_overload,
    "hackthegrid": end_of_hackthegrid,
    "stacktrices": end_of_stacktrices,
    "hovercrafts": end_of_hovercrafts,
}
