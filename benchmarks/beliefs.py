"""What a search gains by beliefs: ``python benchmarks/beliefs.py``.

How far it is from what cannot be exploited, in Kuhn poker, Leduc poker and liar's dice, by its
iterations and by whose play it takes the others' to be; with --plot a picture of each game. With
--deals, Stacktrices against plain search instead, and the time of both. Needs the extra evaluate.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from curves import draw_curves
from cyberdeck.api.registration import load_file
from cyberdeck.common.statistics import Mean
from cyberdeck.common.text import table
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import HEURISTIC
from cyberdeck.engine.policy import Policy
from cyberdeck.engine.registry import variant as variant_of
from cyberdeck.engine.variant import Variant
from cyberdeck.evaluation import evaluate
from cyberdeck.evaluation.best_response import Tree
from cyberdeck.evaluation.exact import Bench, Sequences, Solver
from cyberdeck.players import find_player
from cyberdeck.players.search import SELECTIONS, Search
from cyberdeck.players.solved import Solved

GAMES = Path(__file__).parents[1] / "examples" / "games"
SMALL = {"kuhn_poker": {}, "leduc_poker": {}, "liars_dice": {"sides": 3}}
BUDGETS = (10, 30, 100, 300, 1000)

#: A search that believes in itself asks itself in all worlds: beyond this that takes too long.
MOST_OF_ITSELF = 100


def solved(variant: Variant, folder: str) -> Solved:
    solver = Solver(Sequences(Bench(variant).positions))
    solver.iterate(2000)
    file = f"{folder}/{variant.game.name}.npz"
    solver.save(file)
    return Solved(file)


def searches(selection: str, believed: str, player: Policy) -> list[Search]:
    """One for each budget."""
    found = []
    for budget in BUDGETS:
        plain = Search(iterations=budget, selection=selection)
        belief = {"even": None, "solved": player, "itself": plain}[believed]
        if believed != "itself" or budget <= MOST_OF_ITSELF:
            found.append(Search(iterations=budget, selection=selection, belief=belief))
    return found


def exploited(names: list[str], times: int, plot: Path | None) -> None:
    """A table, and a picture, of the exploitability."""
    rows = []
    for name in names:
        options = SMALL[name]
        curves = []
        variant = Variant(load_file(GAMES / f"{name}.py"), options)
        tree = Tree(variant, history=True)
        with TemporaryDirectory() as folder:
            player = solved(variant, folder)
            for selection in SELECTIONS:
                for believed in ("even", "solved", "itself"):
                    values = []
                    for search in searches(selection, believed, player):
                        asked, _ = tree.asked(search, times)
                        values.append(tree.best_responses(asked).exploitability)
                        print(name, selection, believed, search.iterations, values[-1], flush=True)
                    empty = [""] * (len(BUDGETS) - len(values))
                    shown = [f"{value:.3f}" for value in values] + empty
                    rows.append((variant.game.title, selection, believed, *shown))
                    if believed != "itself":
                        drawn = [Mean(each, each, each) for each in values]
                        curves.append((f"{selection}, {believed}", drawn))
        if plot:
            file, title = plot / f"beliefs_{name}.png", variant.game.title
            top = max(mean.value for _, means in curves for mean in means)
            draw_curves(curves, BUDGETS, file, title=title, axis="exploitability", top=top)
    print("\n" + table(("game", "selection", "worlds", *map(str, BUDGETS)), rows, True))


def stacktrices(deals: int, players: tuple[str, str]) -> None:
    """What the first of them gets against the second, and how long both take for a decision."""
    variant, (own, other) = variant_of("stacktrices", setup="random"), players
    core = GameBatch(variant, 1, history=True)
    core.reset([0])
    policies = [find_player(variant, each) for each in players]
    taken = [0.0, 0.0]
    for decision in range(101):
        for at, policy in enumerate(policies):
            begun = time.process_time()
            core.ask(policy, core.all_rows)
            taken[at] += (time.process_time() - begun) * (decision > 0)  # then it is compiled
        core.step(core.choose(HEURISTIC))
    for name, seconds in zip(players, taken, strict=True):
        print(f"{name}: {1000 * seconds / 100:.1f} ms a decision", flush=True)
    print(evaluate(variant, own, [other], deals=deals, seed=9000))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", nargs="+", choices=SMALL, default=[*SMALL], help="small ones")
    parser.add_argument("--times", type=int, default=20, help="how often it decides everywhere")
    parser.add_argument("--plot", type=Path, help="draw the figures into this folder")
    parser.add_argument("--deals", type=int, default=0, help="of Stacktrices, played twice each")
    parser.add_argument("--own", default="search:iterations=8,belief=heuristic")
    parser.add_argument("--other", default="search:iterations=8", help="that takes as long")
    chosen = parser.parse_args()
    if chosen.deals:
        stacktrices(chosen.deals, (chosen.own, chosen.other))
    else:
        exploited(chosen.games, chosen.times, chosen.plot)


if __name__ == "__main__":
    main()
