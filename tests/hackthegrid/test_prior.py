"""What the observation with a prior tells: the heuristic's opinion, no more and no less."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch
from cyberdeck.engine.loops import HEURISTIC
from tests.cases import MANY_COLOURS, SCRAMBLED
from tests.hackthegrid.test_rules import DECLINE, SPIKES, Hack
from tests.play import Play

BEST, WIN = 127, 40

CASES: dict[str, dict[str, Any]] = {
    "on_take": {},
    "colours": {"deck": MANY_COLOURS[:16], "scramble": "at_end"},
    "scrambles on_take": {"deck": SCRAMBLED},
    "scrambles at_end": {"deck": SCRAMBLED, "scramble": "at_end"},
}
OPTIONS = pytest.mark.parametrize("options", CASES.values(), ids=CASES)


@OPTIONS
def test_the_prior_ranks_the_legal_actions_as_the_heuristic_does(options: dict[str, Any]) -> None:
    batch = Batch("hackthegrid", 8, seed=11, observation="prior", **options)
    luck = np.random.default_rng(12)
    rows = np.arange(len(batch))
    for step in range(40):
        prior = batch.variant.named(batch.observation)["prior"]
        assert ((prior > 0) == (batch.mask == 1)).all()
        assert (prior.max(axis=1) == BEST).all()
        assert (prior[rows, batch.choose("heuristic")] == BEST).all()
        # Whatever the heuristic may choose from, nothing there is better.
        some = batch.mask * luck.integers(0, 2, batch.mask.shape, dtype=np.int8)
        some = np.where(some.any(axis=1, keepdims=True), some, batch.mask)
        chosen = np.empty(len(batch), np.int64)
        batch._core.loops.choose(HEURISTIC, batch._core.states, batch._core.rows, some, chosen)
        assert (prior[rows, chosen] == np.where(some, prior, 0).max(axis=1)).all()
        batch.step(batch.choose("random" if step % 3 else "heuristic"))


def follow(game: Play) -> dict[int, int]:
    """What each decision that ends the game comes to: the lead, in quarters, and who wins."""
    seat = game.mover
    kept = game.record.copy()
    worth = {}
    for action in game.legal():
        game.act(action)
        assert game.over
        metrics = game.metrics(seat)
        lead = metrics["own_score"] - metrics["opponent_score"]
        worth[action] = 4 * lead + WIN * int(np.sign(lead))
        game.record[:] = kept
    return worth


@pytest.mark.parametrize(
    ("last", "prospect"), [("L5", 4 * 2 + WIN), ("F5", -4 * 2 - WIN), ("P7", 0)]
)
def test_prospect_of_the_last_card_is_the_lead_and_the_win(last: str, prospect: int) -> None:
    """Seven spikes and that card against eight spikes: the row hacker takes it."""
    game = Hack(row=f"{SPIKES[:-2]}{last}", observation="prior").on(15)
    assert list(follow(game).values()) == [prospect]
    seen = game.seen(1)
    assert seen["prospect"].tolist() == [prospect]
    assert np.flatnonzero(seen["prior"]).tolist() == game.legal()
    assert not game.seen(0)["prior"].any()
    assert not game.seen(0)["prospect"].any()


def test_the_prior_of_a_last_swap_is_what_comes_of_it() -> None:
    """The row hacker's last card is a SCRAMBLE: 56 swaps or none, and the game is over."""
    game = Hack(
        column="P6 L7 P6 N7 D6 N7 P6 L5", row="L4 P7 D5 P6 F4 F7 N6 S0", observation="prior"
    ).on(15)
    game.act(game.legal()[0])
    assert game.swapping
    worth = follow(game)
    best = max(worth.values())
    assert len(worth) == 7 * 8 + 1
    assert len(set(worth.values())) > 10
    assert min(worth.values()) < best - 126 < worth[DECLINE] < best
    seen = game.seen(1)
    assert seen["prospect"].tolist() == [best]
    told = {action: int(seen["prior"][action]) for action in worth}
    assert told == {action: max(1, BEST - (best - value)) for action, value in worth.items()}
