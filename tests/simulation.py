"""Long random play of a batch, every invariant that holds for every game checked at every state.

Used short by the tests, and long by ``make soak``.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from cyberdeck import Batch
from cyberdeck.engine.loops import HEURISTIC

#: The longest game: MATR1X is truncated; HACKtheGRID has 16 cards and at most 16 swaps; a game of
#: Stacktrices has 22 decisions of the set-up and 200 turns of a move, two steals of two decisions,
#: of which one is called for, hiding again, a raid of four decisions, and a trade of six; one of
#: Hovercrafts has ten ships to deploy, which plan at most nine actions in 50 turns, and in a
#: campaign that seven times, with a side to pick and two upgrades of each ship.
LONGEST = {
    "matrix_overload": 500,
    "hackthegrid": 32,
    "stacktrices": 22 + 200 * 17,
    "hovercrafts": 7 * (1 + 10 + 50 * 10 * 9 + 20),
}


def simulate(game: str, options: dict[str, Any], decisions: int, count: int, seed: int) -> int:
    """Play *count* games at once for at least *decisions*; returns how many games ended."""
    batch = Batch(game, count, seed=seed, **options)
    core, variant = batch.core, batch.variant
    low, high = (bound.reshape(variant.observation_shape) for bound in variant.bounds())
    rows = np.arange(count)
    failed = np.zeros(count, np.int64)
    returns = np.zeros((count, variant.seats))
    lengths = np.zeros(count, np.int64)
    ended = 0
    sensible = rows[::4]  # a quarter of the games is played with sense, to get further
    for step in range(-(-decisions // count)):
        # A position that holds together, and a mask that says exactly what may be done.
        assert core.loops.check_state(core.states, failed) == 0, (
            f"step {step}: {variant.game.invariants[failed[failed > 0][0] - 1]}"
        )
        assert (batch.mover >= 0).all()
        assert (batch.mover < variant.seats).all()
        assert ((batch.mask == 0) | (batch.mask == 1)).all()
        assert batch.mask.any(axis=1).all(), "a state without a legal action"
        assert (batch.observation >= low).all()
        assert (batch.observation <= high).all()

        actions = batch.choose("random")
        asked = (part[sensible] for part in (core.states, core.rows, core.masks))
        chosen = np.zeros(len(sensible), np.int64)
        core.loops.choose(HEURISTIC, *asked, chosen)
        actions[sensible] = chosen
        assert batch.mask[rows, actions].all(), "a built-in player chose an illegal action"
        if step % 2 == 0:
            look_closely(batch, step // 2 % count, step)

        # A copy acts alike and leaves the original alone.
        twin = copy.deepcopy(batch) if step % 5 == 0 else None
        if twin is not None:
            before = core.states.tobytes()
            twin.step(actions)
            assert core.states.tobytes() == before
        movers = batch.mover.copy()
        batch.step(actions)
        if twin is not None:
            assert twin.core.states.tobytes() == core.states.tobytes()
            assert twin.core.rows.tobytes() == core.rows.tobytes()
            assert (twin.observation == batch.observation).all()
            assert (twin.mask == batch.mask).all()

        # Rewards add up to returns; a game ends within its bounds.
        returns += batch.reward
        lengths += 1
        over = batch.terminated | batch.truncated
        assert not (batch.terminated & batch.truncated).any()
        assert (batch.reason[over] > 0).all()
        assert (batch.reason[~over] == 0).all()
        for row in np.flatnonzero(over):
            assert np.allclose(returns[row], batch.final_return[row], atol=1e-5)
            assert lengths[row] == batch.final_length[row] <= LONGEST[game]
            check_end(batch, int(row), returns[row])
            assert (low <= batch.final_observation[row]).all()
            assert (batch.final_observation[row] <= high).all()
        returns[over], lengths[over] = 0, 0
        assert (movers >= 0).all()
        ended += int(over.sum())
    return ended


def look_closely(batch: Batch, row: int, step: int) -> None:
    """What costs too much to ask of every row: one row in every other step."""
    core, seats = batch.core, batch.variant.seats
    views = [core.look(seat, row) for seat in range(seats)]
    for seat, (observation, mask, _) in enumerate(views):
        if seat == batch.mover[row]:
            assert (mask == batch.mask[row]).all()
            assert (observation == batch.observation[row]).all()
        else:
            assert not mask.any(), "a mask for a seat that is not to move"
    # Bytes there and back.
    saved = batch.get_state(row)
    kept = core.states[row : row + 1].copy()
    bookkeeping = core.rows[row : row + 1].copy()
    shown = core.masks[row].copy(), core.observations[row].copy()
    batch.set_state(row, saved)
    assert batch.get_state(row) == saved
    assert core.states[row : row + 1].tobytes() == kept.tobytes()
    # A redrawn game looks the same to the seat it was redrawn for, and is a possible one.
    for seat in range(seats):
        batch.resample(row, seat, seed=step)
        again = core.look(seat, row)
        assert all((a == b).all() for a, b in zip(again, views[seat], strict=True))
        assert core.loops.check_state(core.states[row : row + 1], np.zeros(1, np.int64)) == 0
        core.states[row : row + 1] = kept
        core.rows[row : row + 1] = bookkeeping
        core.masks[row], core.observations[row] = shown


def check_end(batch: Batch, row: int, returns: np.ndarray) -> None:
    """The utilities of a finished game, by the game's own rewards."""
    options, reason = batch.variant.options, batch.reasons[batch.reason[row]]
    metrics = dict(
        zip(
            (metric.name for metric in batch.variant.game.metrics),
            batch.final_metrics[row],
            strict=True,
        )
    )
    if batch.variant.game.name == "matrix_overload":
        won = float(reason == "won")
        fallen = metrics["royals_killed"] / 12 if options["reward"] == "royals" else 0.0
        assert np.isclose(returns[0], won + fallen, atol=1e-5)
        assert (metrics["royals_killed"] == 12) == (reason == "won")
        assert batch.truncated[row] == (reason == "max_steps")
        assert returns[0] <= batch.variant.game.reward_bound
        return
    if batch.variant.game.name == "stacktrices":
        alive = bool(metrics["own_stacks"]) - bool(metrics["opponent_stacks"])
        assert (reason == "captured_all") == (alive != 0)
        assert batch.truncated[row] == (reason == "max_turns")
        lead = metrics["own_pips"] - metrics["opponent_pips"]
        gained = 0.01 * lead if options["reward"] == "material" else 0.0
        assert np.allclose(returns, [alive + gained, -alive - gained], atol=1e-5)
        return
    if batch.variant.game.name == "hovercrafts":
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
        return
    if reason == "cards_remain":
        assert returns.tolist() == [-1.0, -1.0]
        assert metrics["cards_left"] > 0
        return
    lead = int(metrics["own_score"]) - int(metrics["opponent_score"])
    expected = float(np.sign(lead))
    if options["reward"] == "margin":
        expected = max(-1.0, min(1.0, lead / 20))
    assert np.allclose(returns, [expected, -expected], atol=1e-6)
