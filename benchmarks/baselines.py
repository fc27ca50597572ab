"""How strong the published baselines are: ``python benchmarks/baselines.py``.

Each plays random, the heuristic, search and, where there is one, the exact player, on both sides of
deals that its training has not seen: a table, then a tournament of them all with ratings, and for
HACKtheGRID the regret against exact values. What is published is measured with --held-out DAY.
"""

from __future__ import annotations

import argparse
from typing import Final

from cyberdeck import GAMES, evaluate, game, tournament
from cyberdeck.common.statistics import percent, shown
from cyberdeck.common.text import table
from cyberdeck.engine.variant import Variant
from cyberdeck.players.baselines import published
from cyberdeck.players.solvers import PLAYERS
from cyberdeck.players.solvers.hackthegrid.regret import regret
from reporting import add_seeds, first_of, seed_of, told

#: Opponents, and how many deals against them: (all games, but for games where search is slow).
OPPONENTS: Final = (
    ("random", 1000, 1000),
    ("heuristic", 1000, 1000),
    ("search:iterations=50", 200, 10),
)
SLOW: Final = ("stacktrices",)

#: Far from those that training draws.
SEED: Final = 77_000_001

HEAD: Final = (
    *("game", "against", "games", "win", "draw", "loss", "all lose", "of decided", "points"),
)


def rows(variant: Variant, chosen: argparse.Namespace) -> list[tuple[str, ...]]:
    """A line for each opponent."""
    name = label(variant)
    found = []
    exact = (("optimal", 200, 200),) if "optimal" in PLAYERS.get(variant.game.name, ()) else ()
    for opponent, deals, few in (*OPPONENTS, *exact):
        count = few if variant.game.name in SLOW else deals
        seed = seed_of(chosen, "baseline")
        result = evaluate(
            variant.game.name, "baseline", [opponent], deals=count, seed=seed, **variant.chosen
        )
        record = result.records[-1]
        decided = record.wins + record.losses
        found.append(
            (
                name,
                opponent,
                str(record.games),
                *(
                    f"{100 * each / record.games:.1f}%"
                    for each in (record.wins, record.draws, record.losses, record.all_lose)
                ),
                percent(record.wins, decided).strip() if decided else "-",
                shown(record.points),
            )
        )
        print(table(HEAD, found[-1:]).splitlines()[-1], flush=True)
    return found


def alone(variant: Variant, chosen: argparse.Namespace) -> list[tuple[str, ...]]:
    """A line for each player of a game for one."""
    found = []
    for player, deals, _ in (("baseline", 1000, 0), *OPPONENTS):
        seed = seed_of(chosen, player)
        result = evaluate(variant.game.name, player, deals=deals, seed=seed, **variant.chosen)
        record = result.records[0]
        metrics = [f"{name} {shown(mean)}" for name, mean in result.metrics.items()]
        won = percent(record.wins, record.games).strip()
        found.append((label(variant), player, str(record.games), won, metrics[0]))
        print(found[-1], flush=True)
    return found


def rated(variant: Variant, chosen: argparse.Namespace) -> str:
    """All players of a game against each other, on few deals where search is slow."""
    players = ["random", "heuristic", "search:iterations=50", "baseline"]
    players += ["optimal"] if "optimal" in PLAYERS.get(variant.game.name, ()) else []
    deals = 10 if variant.game.name in SLOW else 100
    seed = seed_of(chosen, *players)
    result = tournament(variant.game.name, players, deals=deals, seed=seed, **variant.chosen)
    return f"{label(variant)}, {deals} deals\n{result.table()}"


def label(variant: Variant) -> str:
    """The game with the options that change it."""
    same = {option.name for option in variant.game.options if option.scoring or option.view}
    chosen = {name: value for name, value in variant.chosen.items() if name not in same}
    return variant.game.title + "".join(f" {name}={value}" for name, value in chosen.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_seeds(parser, SEED)
    chosen = parser.parse_args()
    # Each game as its baselines were trained.
    trained = [variant for name in GAMES for variant in published(game(name)).values()]
    met = [variant for variant in trained if variant.seats > 1]
    solo = [row for each in trained if each.seats == 1 for row in alone(each, chosen)]
    found = [row for each in met for row in rows(each, chosen)]
    print("\n" + table(("game", "player", "games", "won", "at the end"), solo, markdown=True))
    print("\n" + table(HEAD, found, markdown=True))
    for each in met:
        print("\n" + rated(each, chosen), flush=True)
    first = first_of(chosen, "baseline")
    for opponent in ("heuristic", "optimal"):
        print(f"\nagainst {opponent}: {regret('baseline', opponent, deals=500, seed=first)}")
    print("\n" + told(chosen))


if __name__ == "__main__":
    main()
