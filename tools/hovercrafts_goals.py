"""Print the tables of docs/games/hovercrafts.md about goals and campaigns, in Markdown.

python tools/hovercrafts_goals.py [--games N] [--seed N | --held-out DAY]
"""

from __future__ import annotations

import argparse
import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck import Batch
from cyberdeck.common.text import table
from cyberdeck.evaluation import reporting_seed
from cyberdeck.evaluation.seeds import shown

SIZES = (1, 2, 3, 4, 5)
SCENARIOS = ("skirmish", "tunnels", "random")
GOALS = ("flagship", "seize", "breakthrough")


def points(batch: Batch, zion: NDArray[np.bool_]) -> float:
    """Of the side that is Zion where it says so, in percent; a draw is half a point."""
    share = (1 + np.sign(batch.final_return[:, 0])) / 2
    return 100 * float(np.where(zion, share, 1 - share).mean())


def finished(
    games: int, seed: int, by_chance: bool = False, **options: Any
) -> tuple[Batch, NDArray[np.int64]]:
    """Games of heuristics, and how many turns each took, in all its battles.

    *by_chance*: the machines choose their upgrades so.
    """
    batch = Batch("hovercrafts", games, seed=seed, autoreset="Disabled", **options)
    turns, states = np.zeros(games, np.int64), batch._core.states
    while (batch.mover >= 0).any():
        before, actions = states["turns"].copy(), batch.choose("heuristic")
        if by_chance:
            upgrading = (states["phase"] == 3) & (batch.mover >= options["ships"][0])
            actions = np.where(upgrading, batch.choose("random"), actions)
        batch.step(actions)
        turns += states["turns"] == before + 1  # they stay until the next battle begins
    return batch, turns


def against_random(games: int, seed: int, **options: Any) -> tuple[float, float, float]:
    """The heuristic's points, in all, from the right and from the left; both teams in turn."""
    found = []
    for team, own in (("zion", 0), ("machines", -1)):
        batch, _ = finished(games // 2, seed, seat=team, opponent="random", **options)
        share = 50 * (1 + np.sign(batch.final_return[:, own]))
        right = batch._core.states["starting"] == (own != 0)
        found.append((share.mean(), share[right].mean(), share[~right].mean()))
    whole, right_side, left_side = np.mean(found, axis=0)
    return float(whole), float(right_side), float(left_side)


def ends(batch: Batch) -> str:
    counts = np.bincount(batch.reason, minlength=len(batch.reasons))
    return ", ".join(
        f"`{batch.reasons[reason]}` {100 * counts[reason] / len(batch):.0f}"
        for reason in np.argsort(-counts)
        if counts[reason]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=4000)
    deals = parser.add_mutually_exclusive_group()
    deals.add_argument("--seed", type=int, default=0, help="deals to choose on")
    deals.add_argument("--held-out", metavar="DAY", help="deals for figures to publish")
    chosen = parser.parse_args()
    reported = chosen.held_out and reporting_seed("heuristic", chosen.held_out)
    games, seed = chosen.games, reported.number if reported else chosen.seed
    rows = []
    for goal, size in itertools.product(GOALS, SIZES):
        options: dict[str, Any] = {"goal": goal, "ships": (size, size)}
        batch, turns = finished(games, seed, **options)
        right = points(batch, batch._core.states["starting"] == 0)
        whole, as_right, as_left = against_random(games, seed, **options)
        sides = f"{whole:.1f}% (right {as_right:.1f}, left {as_left:.1f})"
        about = (f"{turns.mean():.1f}", ends(batch), f"{right:.1f}%", sides)
        rows.append((f"`{goal}`", f"{size} v {size}", *about))
    head = ("goal", "ships", "turns, mean", "ends, %", "right side, points")
    print(table((*head, "heuristic against random"), rows, markdown=True))
    rows = []
    for scenario in SCENARIOS:
        cells = []
        for size in SIZES:
            options = {"goal": "breakthrough", "ships": (size, size), "scenario": scenario}
            batch, _ = finished(games, seed, **options)
            right = points(batch, batch._core.states["starting"] == 0)
            escapes, high = batch._core.states["escapes"][0, 0], batch.variant.options["height"]
            cells.append(f"{right:.1f}% ({high} rows, {escapes} of {size})")
        rows.append((f"`{scenario}`", *cells))
    head = ("`breakthrough`, right side", *(f"{size} v {size}" for size in SIZES))
    print("\n" + table(head, rows, markdown=True))
    rows = []
    for goal, size in itertools.product(("fleet", *GOALS), SIZES):
        options = {"goal": goal, "ships": (size, size), "battles": 3}
        batch, turns = finished(games, seed, **options)
        shares = (
            points(batch, np.ones(games, bool)),
            points(finished(games, seed, by_chance=True, **options)[0], np.ones(games, bool)),
            against_random(games, seed, **options)[0],
        )
        lasted = (f"{batch._core.states['battle'].mean():.1f}", f"{turns.mean():.1f}")
        about = (*lasted, ends(batch), *(f"{share:.1f}%" for share in shares))
        rows.append((f"`{goal}`", f"{size} v {size}", *about))
    head = ("`battles=3`, goal", "ships", "battles, mean", "turns, mean", "ends, %")
    more = ("Zion, points", "upgrades against chance", "against random")
    print("\n" + table((*head, *more), rows, markdown=True))
    print(f"\nDeals: {shown(reported or seed)}")


if __name__ == "__main__":
    main()
