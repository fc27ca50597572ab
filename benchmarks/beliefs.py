"""What a search gains by beliefs: ``python benchmarks/beliefs.py``.

How far it is from what cannot be exploited, in Kuhn poker, Leduc poker and liar's dice, by its
iterations and by whose play it takes the others' to be; with --plot a picture of each game, with
--json a file of the figures, from which --drawn draws the pictures again. With --deals, Stacktrices
against plain search instead, and the time of both. Needs the extra evaluate.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from curves import draw_curves
from cyberdeck import Search, evaluate, find_player, load_file
from cyberdeck.common.files import write_whole
from cyberdeck.common.statistics import Mean
from cyberdeck.common.text import table
from cyberdeck.drawing.svg import CYAN, LIME, MAGENTA
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import HEURISTIC
from cyberdeck.engine.policy import Policy
from cyberdeck.engine.registry import variant as variant_of
from cyberdeck.engine.variant import Variant
from cyberdeck.exact import InformationSets, PositionSolver, Solver, Tree
from cyberdeck.players.search import SELECTIONS
from cyberdeck.players.solved import Solved

GAMES = Path(__file__).parents[1] / "examples" / "games"
SMALL = {"kuhn_poker": {}, "leduc_poker": {}, "liars_dice": {"sides": 3}}
BUDGETS = (10, 30, 100, 300, 1000)

#: A search that believes in itself asks itself in all worlds: beyond this that takes too long.
MOST_OF_ITSELF = 100

#: How the lines of a picture look: by whose play is believed in, and by the selection.
COLOURS: Final = {"even": CYAN, "solved": MAGENTA, "itself": LIME}
STYLES: Final = {"puct": "-", "regret": "--"}

#: What plays Stacktrices.
OWN: Final = "search:iterations=8,belief=heuristic"

#: What is below 0 is not drawn.
MISSING: Final = Mean(-1, -1, -1)


def solved(variant: Variant, folder: str) -> Solved:
    solver = Solver(InformationSets(PositionSolver(variant).positions))
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


def exploited(names: list[str], times: int) -> list[dict[str, Any]]:
    """The exploitability by iterations: a line for each game, selection and kind of worlds."""
    found: list[dict[str, Any]] = []
    for name in names:
        variant = Variant(load_file(GAMES / f"{name}.py"), SMALL[name])
        tree = Tree(variant, history=True)
        with TemporaryDirectory() as folder:
            player = solved(variant, folder)
            for selection in SELECTIONS:
                for believed in COLOURS:
                    values = []
                    for search in searches(selection, believed, player):
                        asked, _ = tree.table_of(search, times)
                        values.append(tree.best_responses(asked).exploitability)
                        print(name, selection, believed, search.iterations, values[-1], flush=True)
                    line = {"game": name, "selection": selection, "worlds": believed}
                    found.append({**line, "times": times, "exploitability": values})
    return found


def shown(found: list[dict[str, Any]], plot: Path | None) -> None:
    """A table of what ``exploited`` found, and a picture of each game."""
    rows = []
    for each in found:
        values = [f"{value:.3f}" for value in each["exploitability"]]
        values += [""] * (len(BUDGETS) - len(values))
        rows.append((each["game"], each["selection"], each["worlds"], *values))
    print("\n" + table(("game", "selection", "worlds", *map(str, BUDGETS)), rows, True))
    if plot is None:
        return
    for name in dict.fromkeys(each["game"] for each in found):
        own = [each for each in found if each["game"] == name]
        draw_curves(
            [
                (
                    f"{each['selection']}, {each['worlds']}",
                    [Mean(value, value, value) for value in each["exploitability"]]
                    + [MISSING] * (len(BUDGETS) - len(each["exploitability"])),
                )
                for each in own
            ],
            BUDGETS,
            plot / f"beliefs_{name}.png",
            title=load_file(GAMES / f"{name}.py").title,
            axis="exploitability",
            # With room for the names of the lines.
            top=1.45 * max(value for each in own for value in each["exploitability"]),
            looks=[(COLOURS[each["worlds"]], STYLES[each["selection"]]) for each in own],
        )


def stacktrices(deals: int, other: str) -> None:
    """What it gets against another, and how long both take for a decision."""
    variant, players = variant_of("stacktrices", setup="random"), (OWN, other)
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
    print(evaluate(variant, OWN, [other], deals=deals, seed=9000))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", nargs="+", choices=SMALL, default=[*SMALL], help="small ones")
    parser.add_argument("--times", type=int, default=20, help="how often it decides everywhere")
    parser.add_argument("--plot", type=Path, help="draw the figures into this folder")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--drawn", type=Path, help="take them from this file instead")
    parser.add_argument("--deals", type=int, default=0, help="of Stacktrices, played twice each")
    parser.add_argument("--other", default="search:iterations=8", help="that takes as long")
    chosen = parser.parse_args()
    if chosen.deals:
        stacktrices(chosen.deals, chosen.other)
        return
    if chosen.drawn:
        found = json.loads(chosen.drawn.read_text())
    else:
        found = exploited(chosen.games, chosen.times)
    shown(found, chosen.plot)
    if chosen.json:
        write_whole(chosen.json, "[\n" + ",\n".join(map(json.dumps, found)) + "\n]\n")


if __name__ == "__main__":
    main()
