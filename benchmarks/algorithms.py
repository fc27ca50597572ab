"""What each algorithm learns in each game: ``python benchmarks/algorithms.py``.

Maskable PPO in three runs a game; magnetic mirror descent, expert iteration and DAgger in one, or
in as many as --seeds says. The settings are in ``algorithms/``: all of a game have the same
networks, and make as many decisions as took about the same CPU time. The table, the curves and the
settings are on docs/train/algorithms.md.

In the suite's games a run is measured by its points against the heuristic (in Stacktrices against
random play, in MATR1X 0VERL0AD by how many royals fall). At the end what did best while it learned,
and the network before it learned, are each measured on new deals of their own. Two players may both
decide by rule alone, so games at the end begin with a few random decisions. In the poker and the
Hex the last policy counts, which draws its actions, by its exploitability.

Runs are kept in --output-dir: the same command goes on with what is missing, so name another folder
when settings have changed. Needs the extras train and evaluate.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, product
from pathlib import Path
from typing import Any, Final

import numpy as np
import yaml

from cyberdeck import evaluate
from cyberdeck.commands.main import main as command
from cyberdeck.common.files import write_whole
from cyberdeck.common.text import table
from cyberdeck.drawing.svg import AMBER, BRIGHT, CYAN, LIME, MAGENTA
from cyberdeck.evaluation import plots, reporting_seed
from timing import write_json

HERE: Final = Path(__file__).parent
PAGE: Final = HERE.parent / "docs" / "train" / "algorithms.md"
PICTURE: Final = PAGE.parents[1] / "images" / "algorithms.png"

#: Between these is what --page writes.
BEGIN: Final = "<!-- made by `python benchmarks/algorithms.py --page`: do not edit from here -->"
END: Final = "<!-- to here -->"

_TABLE: Final = tomllib.loads((HERE / "algorithms" / "algorithms.toml").read_text())
#: What each algorithm has of its own, as ``KEY=VALUE``.
ALGORITHMS: Final[dict[str, list[str]]] = _TABLE["algorithms"]
#: The title and the measure of each game, DAgger's teacher, and how many decisions each makes.
GAMES: Final[dict[str, dict[str, Any]]] = _TABLE["games"]

#: Runs of the first algorithm, and of the others; how often a run is measured while it learns.
SEEDS, ONE, TIMES = 3, 1, 8

#: At the end: deals against the opponent, and random decisions at the beginning of each game.
DEALS, OPENINGS = 500, 4


def configuration(file: Path, changes: Sequence[str]) -> Any:
    """What a file says, with changes; its game may be a file of the checkout."""
    from cyberdeck_training import config

    game = str(yaml.safe_load(file.read_text())["game"])
    return config.load(file, changes, str(HERE.parent / game) if game.endswith(".py") else None)


def loaded(game: str, algorithm: str, seed: int) -> Any:
    """The configuration of a run."""
    own = [each.format(**GAMES[game]) for each in ALGORITHMS[algorithm]]
    total = GAMES[game]["timesteps"][algorithm]
    changes = [*own, f"seed={seed}", f"total_timesteps={total}"]
    changes += [f"evaluation.every={total // TIMES}"]
    return configuration(HERE / "algorithms" / f"{game}.yaml", changes)


def run(folder: Path, game: str, algorithm: str, seed: int) -> dict[str, Any]:
    """One run, and what came of it."""
    from cyberdeck_training import runs, train

    train.references = lambda variant: []
    chosen, began = loaded(game, algorithm, seed), time.process_time()
    shutil.rmtree(folder, ignore_errors=True)  # of a run that was interrupted
    folder.mkdir(parents=True)
    with contextlib.redirect_stdout(io.StringIO()):
        train.begin(chosen, folder)
    spent = time.process_time() - began
    result = {"game": game, "algorithm": algorithm, "seed": seed, "decisions": chosen.decisions}
    result |= {"cpu_seconds": round(spent, 1)}
    if chosen.evaluation.keep:
        kept = sorted((folder / runs.POLICIES).iterdir())
        values = [exploitability(chosen, policy) for policy in kept]
        curve = [*zip([int(policy.stem) for policy in kept], values, strict=True)]
        return {**result, "untrained": values[0], "value": values[-1], "curve": curve}
    columns = next(iter(runs.RunFiles(folder, chosen).evaluations.values()))
    counted = GAMES[game].get("metric", "points")
    curve = [*zip(columns["decisions"].tolist(), columns[counted].tolist(), strict=True)]
    found = [measured(chosen, folder / file, counted) for file in (runs.UNTRAINED, runs.BEST)]
    before, after = [{"value": each[0], "distinct": each[1]} for each in found]
    return {**result, "untrained": before["value"], **after, "curve": curve}


def measured(chosen: Any, policy: Path, counted: str) -> tuple[float, int]:
    """What a policy reaches, and how many games differ."""
    alone = chosen.variant.seats == 1
    found = evaluate(
        chosen.variant,
        str(policy),
        [] if alone else chosen.evaluation.opponents,
        deals=DEALS,
        openings=0 if alone else OPENINGS,
        seed=reporting_seed(str(policy), "2026-11-30"),
        keep_actions=True,
    )
    mean = found.metrics[counted] if alone else found.overall[-1].points
    return mean.value, found.games.distinct


def exploitability(chosen: Any, policy: Path) -> float:
    """How exploitable a policy is that was trained as *chosen* says."""
    options = [f"{name}={value}" for name, value in chosen.options.items()]
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        command(["exploit", chosen.game, str(policy), *options, "--memory=12", "--minutes=600"])
    words = re.search(r"exploitability of\s+\S+\s+is\s+(\d+\.\d+)", said.getvalue())
    assert words is not None, said.getvalue()
    return float(words[1])


# --- what is shown of them ------------------------------------------------------------------------


def spread(values: Sequence[float]) -> str:
    """The mean, and of several runs the least and the most.

    >>> spread([0.25, 0.5, 0.75]), spread([0.5]), spread([])
    ('0.500 (0.250 to 0.750)', '0.500', '-')
    """
    if not values:
        return "-"
    ends = f" ({min(values):.3f} to {max(values):.3f})" if len(values) > 1 else ""
    return f"{np.mean(values):.3f}{ends}"


def results_table(results: Sequence[dict[str, Any]]) -> str:
    """Algorithms by games."""

    def of(game: str, algorithm: str, key: str) -> list[float]:
        same = [each for each in results if (each["game"], each["algorithm"]) == (game, algorithm)]
        return [each[key] for each in same]

    rows = [
        [f"`{algorithm}`", *(spread(of(game, algorithm, "value")) for game in GAMES)]
        for algorithm in ALGORITHMS
    ]
    first = next(iter(ALGORITHMS))
    rows.append(["untrained", *(spread(of(game, first, "untrained")) for game in GAMES)])
    titles = [f"{about['title']}: {about['measure']}" for about in GAMES.values()]
    spent = [
        [f"`{algorithm}`", *(_cost(of, game, algorithm) for game in GAMES)]
        for algorithm in ALGORITHMS
    ]
    return (
        f"{table(['', *titles], rows, True)}\n\n"
        "How many decisions each run made, and the CPU seconds that it took on average:\n\n"
        f"{table(['', *(about['title'] for about in GAMES.values())], spent, True)}"
    )


def _cost(of: Any, game: str, algorithm: str) -> str:
    took = of(game, algorithm, "cpu_seconds")
    made = GAMES[game]["timesteps"][algorithm]
    return f"{made:,} in {np.mean(took):.0f} s" if took else "-"


def settings_tables() -> str:
    """Each algorithm's own settings, those of the games that differ, and those that do not."""
    unlike = ("game", "total_timesteps", "evaluation", "checkpoint")  # told elsewhere
    files = [(HERE / "algorithms" / f"{game}.yaml").read_text() for game in GAMES]
    every: list[dict[str, Any]] = [yaml.safe_load(text) for text in files]
    names = [name for name in dict.fromkeys(chain(*every)) if name not in unlike]
    rows = [[f"`{name}`", *(_written(each.get(name)) for each in every)] for name in names]
    rows.append(["`{expert}`", *(f"`{about['expert']}`" for about in GAMES.values())])
    same = [row[:2] for row in rows if len(set(row[1:])) == 1]
    differ = [row for row in rows if len(set(row[1:])) > 1]
    own = [[f"`{name}`", f"`{' '.join(given)}`"] for name, given in ALGORITHMS.items()]
    titles = ["", *(about["title"] for about in GAMES.values())]
    parts = [
        table(["algorithm", "its own settings"], own, True),
        table(["in all games", ""], same, True),
        table(titles, differ, True),
    ]
    return "\n\n".join(parts).replace("{{", "{").replace("}}", "}")


def _written(value: Any) -> str:
    """As in YAML."""
    said = yaml.safe_dump(value, default_flow_style=True, sort_keys=False)
    return "-" if value is None else f"`{said.removesuffix(chr(10)).removesuffix('...').strip()}`"


def draw(results: Sequence[dict[str, Any]], path: Path) -> None:
    """The means of the runs over their decisions, from the least to the most."""
    from matplotlib import style
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter, MaxNLocator

    with style.context(plots.STYLE, after_reset=True):
        figure = Figure(figsize=(10.5, 6), layout="constrained")
        axes = figure.subplots(2, len(GAMES) // 2)
        for place, (game, about) in zip(axes.flat, GAMES.items(), strict=True):
            for algorithm, colour in zip(ALGORITHMS, (CYAN, MAGENTA, AMBER, LIME), strict=True):
                same = [
                    r["curve"] for r in results if (r["game"], r["algorithm"]) == (game, algorithm)
                ]
                if not same:
                    continue
                made, values = np.array(same).transpose(2, 0, 1)
                place.plot(made[0], values.mean(0), color=colour, marker=".", label=algorithm)
                place.fill_between(made[0], values.min(0), values.max(0), color=colour, alpha=0.2)
            place.set_title(f"{about['title']}\n{about['measure']}", fontsize=10, loc="left")
            place.set_ylim(0)
            place.grid(linewidth=0.6)
            place.xaxis.set_major_formatter(EngFormatter(sep=""))
            place.xaxis.set_major_locator(MaxNLocator(4))
        axes.flat[0].legend(frameon=False, labelcolor=BRIGHT, fontsize=8)
        figure.supxlabel("decisions", fontsize=10)
        write_whole(path, plots.picture(figure, "png"))


def in_a_process(file: Path, *which: str) -> None:
    """One run beside others; what came of it is in *file* then."""
    one = [sys.executable, str(Path(__file__)), "--one", str(file), *which]
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(one, env=alone, capture_output=True, check=False)
    said = "done" if not done.returncode else f"failed:\n{done.stderr.decode()[-2000:]}"
    print(f"{file.stem} {said}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument(
        "--output-dir", type=Path, default=Path("runs/algorithms"), metavar="FOLDER"
    )
    parser.add_argument("--games", nargs="+", choices=GAMES, default=[*GAMES])
    parser.add_argument("--algorithms", nargs="+", choices=ALGORITHMS, default=[*ALGORITHMS])
    parser.add_argument(
        "--seeds",
        type=int,
        help=f"runs of each ({SEEDS} of the first algorithm, {ONE} of the others)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to FILE too")
    parser.add_argument("--page", action="store_true", help="write docs/train/algorithms.md anew")
    chosen = parser.parse_args()
    runs: Path = chosen.output_dir
    if chosen.one:
        file, game, algorithm, seed = chosen.one
        found = run(Path(file).with_suffix(""), game, algorithm, int(seed))
        write_whole(Path(file), json.dumps(found) + "\n")
        return
    runs.mkdir(parents=True, exist_ok=True)
    first = next(iter(ALGORITHMS))
    count = {name: chosen.seeds or (SEEDS if name == first else ONE) for name in ALGORITHMS}
    every = product(range(1, 1 + max(count.values())), chosen.algorithms, chosen.games)
    wanted = {
        runs / f"{game}-{name}-{seed}.json": (game, name, str(seed))
        for seed, name, game in every
        if seed <= count[name]
    }
    with ThreadPoolExecutor(2) as pool:
        for each, which in wanted.items():
            if not each.exists():
                pool.submit(in_a_process, each, *which)
    results = [json.loads(path.read_text()) for path in wanted if path.exists()]
    shown = results_table(results)
    print(shown)
    write_json(chosen.json, results)
    if chosen.page:
        draw(results, PICTURE)
        picture = "![What was reached after how many decisions](../images/algorithms.png)"
        made = f"{shown}\n\n{picture}\n\n### Settings\n\n{settings_tables()}"
        before, _, rest = PAGE.read_text().partition(BEGIN)
        after = rest.partition(END)[2]
        write_whole(PAGE, f"{before}{BEGIN}\n\n{made}\n\n{END}{after}")


if __name__ == "__main__":
    main()
