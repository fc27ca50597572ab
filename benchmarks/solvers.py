"""The figures of docs/reference/measured/solvers.md: ``python benchmarks/solvers.py -h``."""

from __future__ import annotations

import argparse
import time

import numpy as np

from cyberdeck import Batch, find_player
from cyberdeck.common.progress import bar
from cyberdeck.common.statistics import percent, wilson
from cyberdeck.common.text import counted, table
from cyberdeck.engine.policy import Policy
from cyberdeck.games.hackthegrid.constants import SCRAMBLES
from cyberdeck.games.matrix_overload.constants import EDITIONS, OUTER
from cyberdeck.players.solvers.hackthegrid.result_partitions import TIES
from cyberdeck.players.solvers.hackthegrid.solver import NAMES, deal_values
from cyberdeck.players.solvers.matrix_overload.solver import solved
from reporting import add_seeds, first_of, told


def hackthegrid(given: argparse.Namespace) -> None:
    """What the deals are worth to who goes first, and what finding that out takes."""
    with bar(given.deals, "deals") as progress:
        first = first_of(given, given.what)
        found = deal_values(
            given.deals, given.ties, seed=first, progress=progress, scramble=given.scramble
        )
    shares = [
        (name, percent(count, given.deals).strip())
        for name, count in zip(NAMES, found.outcomes, strict=True)
    ]
    costs = [
        ("ms", *(f"{1000 * each:.1f}" for each in found.seconds)),
        ("positions", *(f"{each:,}" for each in found.positions)),
    ]
    print(f"{counted(given.deals, 'deal')}, scramble={given.scramble}, ties={given.ties}\n")
    print(table(("for who goes first", "share of deals"), shares, markdown=True), end="\n\n")
    print(table(("for a deal", "median", "95%", "most"), costs, markdown=True))


def matrix_overload(given: argparse.Namespace) -> None:
    """How many deals are won with open cards."""
    for edition in given.edition or EDITIONS:
        widths = {"width": given.width, "widest": given.widest}
        first = first_of(given, given.what)
        print(solved(given.deals, seed=first, edition=edition, **widths), flush=True)


def sampler(given: argparse.Namespace) -> None:
    """How many a policy wins with closed cards, and the seconds that its games take."""
    first = first_of(given, given.player)
    for edition in given.edition or EDITIONS:
        batch = Batch("matrix_overload", 1, autoreset="Disabled", edition=edition)
        policy = find_player(batch.variant, given.player)
        assert isinstance(policy, Policy), (
            "what plays by itself is measured by `cyberdeck evaluate`"
        )
        batch.step(policy.decide(batch._core.seen(batch._core.all_rows, True)))  # compile
        royals, seconds = [], []
        for seed in range(first, first + given.deals):
            batch.reset(seed)
            begun = time.process_time()
            while batch.mover[0] >= 0:
                batch.step(batch.choose(policy))
            seconds.append(time.process_time() - begun)
            royals.append(int(batch.final_metrics[0, 0]))
        won = sum(killed == OUTER for killed in royals)
        low, high = wilson(won, given.deals)
        print(
            f"{edition}: won {won} of {given.deals} (95% interval {low:.1%} to {high:.1%}), "
            f"{np.mean(royals):.2f} royals, {np.median(seconds):.2f} s a game",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("what", choices=("hackthegrid", "matrix_overload", "sampler"))
    parser.add_argument("--deals", type=int, default=1000)
    add_seeds(parser)
    parser.add_argument("--ties", choices=TIES, default=TIES[0])
    parser.add_argument("--scramble", choices=SCRAMBLES, default=SCRAMBLES[0])
    parser.add_argument("--edition", choices=EDITIONS, action="append")
    parser.add_argument("--width", type=int, default=30, help="of the first search")
    parser.add_argument("--widest", type=int, default=30_000, help="of the last one")
    parser.add_argument("--player", default="sampler", help="for example sampler:decks=20")
    given = parser.parse_args()
    {"hackthegrid": hackthegrid, "matrix_overload": matrix_overload, "sampler": sampler}[
        given.what
    ](given)
    print("\n" + told(given))


if __name__ == "__main__":
    main()
