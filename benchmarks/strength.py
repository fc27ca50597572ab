"""How the strength of tree search grows with its budget: ``python benchmarks/strength.py``.

Search with 10, 100 and 1000 iterations a decision plays against random, the heuristic and itself
with a lower budget, in every game: a table, and with --save-plots pictures. Needs the extra
evaluate. What is published is measured with --held-out DAY, on deals that no setting was chosen on.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from typing import Any

from curves import draw_curves
from cyberdeck import evaluate
from cyberdeck.common.statistics import Mean
from cyberdeck.docs import table
from cyberdeck.evaluation.seeds import as_json
from reporting import add_seeds, seed_of, told
from timing import write_json

BUDGETS = (10, 100, 1000)

#: label, game, options, deals for each budget (two games each; one in the game for one).
GAMES: tuple[tuple[str, str, dict[str, Any], tuple[int, int, int]], ...] = (
    ("MATR1X 0VERL0AD", "matrix_overload", {}, (500, 500, 200)),
    ("HACKtheGRID", "hackthegrid", {}, (200, 200, 100)),
    ("Stacktrices", "stacktrices", {}, (20, 10, 4)),
    ("Hovercrafts 1v1", "hovercrafts", {}, (200, 200, 100)),
    ("Hovercrafts 2v2", "hovercrafts", {"ships": (2, 2)}, (200, 200, 50)),
)


def measured(chosen: argparse.Namespace) -> list[dict[str, Any]]:
    """A line for each game, budget and opponent."""
    lines = []
    for label, game, options, deals in GAMES:
        for at, budget in enumerate(BUDGETS):
            seed = seed_of(chosen, search(budget))
            opponents = ["random", "heuristic", *(search(lower) for lower in BUDGETS[:at])]
            for opponent in opponents:
                start = time.process_time()
                result = evaluate(
                    game, search(budget), [opponent], deals=deals[at], seed=seed, **options
                )
                record = result.records[-1]
                line = {
                    "game": label,
                    "iterations": budget,
                    "opponent": record.opponent if record.opponent != "-" else "",
                    "games": record.games,
                    "points": record.points.value,
                    "low": record.points.low,
                    "high": record.points.high,
                    "cpu_seconds_per_game": (time.process_time() - start) / record.games,
                    **as_json(seed),
                }
                lines.append(line)
                print(shown([line]).splitlines()[-1], flush=True)
                if not line["opponent"]:
                    break  # a game for one
    return lines


def search(iterations: int) -> str:
    return f"search:iterations={iterations}"


def shown(lines: list[dict[str, Any]], markdown: bool = False) -> str:
    """The lines as a table."""
    head = ("game", "iterations", "against", "games", "points", "CPU s a game")
    rows = [
        (
            line["game"],
            str(line["iterations"]),
            line["opponent"] or "-",
            str(line["games"]),
            f"{line['points']:.3f} ({line['low']:.3f} to {line['high']:.3f})",
            f"{line['cpu_seconds_per_game']:.2f}",
        )
        for line in lines
    ]
    return table(head, rows, markdown)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_seeds(parser)
    parser.add_argument("--json", type=Path, help="write the figures there")
    parser.add_argument("--save-plots", type=Path, help="draw them in this folder, one a game")
    chosen = parser.parse_args()
    lines = measured(chosen)
    print("\n" + shown(lines, markdown=True))
    print("\n" + told(chosen))
    write_json(chosen.json, lines)
    if chosen.save_plots:
        chosen.save_plots.mkdir(parents=True, exist_ok=True)
        for game in dict.fromkeys(line["game"] for line in lines):
            own = [line for line in lines if line["game"] == game]
            name = "strength-" + game.lower().replace(" ", "-")
            draw(game, own, chosen.save_plots / f"{name}.png")


def draw(game: str, lines: list[dict[str, Any]], path: Path) -> None:
    """One game's figures as curves, a line for each opponent."""
    nothing = Mean(math.nan, math.nan, math.nan)
    curves = []
    for opponent in dict.fromkeys(line["opponent"] for line in lines):
        met = {line["iterations"]: line for line in lines if line["opponent"] == opponent}
        means = [
            Mean(met[at]["points"], met[at]["low"], met[at]["high"]) if at in met else nothing
            for at in BUDGETS
        ]
        curves.append((f"against {opponent}" if opponent else "won", means))
    draw_curves(curves, BUDGETS, path, title=game)


if __name__ == "__main__":
    main()
