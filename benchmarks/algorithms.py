"""Which algorithm learns most in equal CPU time: ``python benchmarks/algorithms.py``.

Maskable PPO, magnetic mirror descent, expert iteration and DAgger, each with the same networks and
the settings of ``algorithms/``, in five runs a game: how exploitable the last policy is in Leduc
poker and abrupt Dark Hex 3, and its points in HACKtheGRID against the heuristic and a search. How
many decisions it makes in the time is measured once, and all its runs make as many; what these then
took is reported. DAgger's teachers in HACKtheGRID are exact play, the published policy and the
heuristic. In the other games it is a search: a solved player knows where it is by what it did
itself, and here the learner plays on.

Finished runs, and how many decisions they have, are kept in --runs: the same command goes on with
what is missing, so name another folder when settings have changed. The interquartile means have 95%
intervals of a bootstrap over the runs. Needs the extra train.
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
import tempfile
import time
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import numpy as np
import yaml

from cyberdeck.commands.main import main as command
from cyberdeck.common.files import write_whole
from cyberdeck.common.text import table
from timing import write_json

HERE = Path(__file__).parent
GAMES: Final = ("leduc", "dark_hex", "hackthegrid")

_TABLE = tomllib.loads((HERE / "algorithms" / "algorithms.toml").read_text())
#: What each algorithm has of its own, as ``KEY=VALUE``; and who teaches in each kind of DAgger.
ALGORITHMS, TEACHERS = _TABLE["algorithms"], _TABLE["teachers"]

#: Who is played against in HACKtheGRID, and how many deals.
OPPONENTS: Final = ("heuristic", "search:iterations=50")
DEALS: Final = 500

#: Updates of the runs from whose difference it is roughly known how long one takes, and the CPU
#: seconds of a longer run that says it better.
SHORT, LONGER, LONG = 3, 9, 20.0

#: CPU seconds of one run, and how many are made of each.
SECONDS, SEEDS = 300, 5


def changes(game: str, algorithm: str, seed: int) -> list[str]:
    """What is changed in the configuration of the game."""
    if (teacher := TEACHERS[game].get(algorithm)) is not None:
        taught = f"dagger={{expert: {teacher}, timesteps: 1000000000}}"
        return ["algorithm=dagger", taught, f"seed={seed}"]
    return [*ALGORITHMS[algorithm], f"seed={seed}"]


def configuration(file: Path, changes: list[str]) -> Any:
    """What a file says, with changes; its game may be a file of the checkout."""
    from cyberdeck_training import config

    game = str(yaml.safe_load(file.read_text())["game"])
    return config.load(file, changes, str(HERE.parent / game) if game.endswith(".py") else None)


def loaded(game: str, algorithm: str, seed: int, updates: int) -> Any:
    """The configuration of a run of so many updates."""
    file, given = HERE / "algorithms" / f"{game}.yaml", changes(game, algorithm, seed)
    total = updates * configuration(file, given).rollout
    return configuration(file, [*given, f"total_timesteps={total}"])


def spent(chosen: Any, folder: Path) -> float:
    """CPU seconds of a run."""
    from cyberdeck_training import train

    folder.mkdir(parents=True)
    began = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        train.begin(chosen, folder)
    return time.process_time() - began


def run(runs: Path, game: str, algorithm: str, seed: int, updates: int) -> dict[str, Any]:
    """One run, and what came of it."""
    with tempfile.TemporaryDirectory() as place:  # it compiles
        spent(loaded(game, algorithm, seed, SHORT), Path(place) / "short")
    chosen = loaded(game, algorithm, seed, updates)
    folder = runs / f"{game}-{algorithm}-{seed}"
    shutil.rmtree(folder, ignore_errors=True)
    took = spent(chosen, folder)
    result = {"game": game, "algorithm": algorithm, "seed": seed, "decisions": chosen.decisions}
    return {
        **result,
        "cpu_seconds": round(took, 1),
        **measured(chosen, folder / "last.safetensors"),
    }


def updates_in(seconds: float, game: str, algorithm: str) -> int:
    """How many updates a run of so many CPU seconds makes."""
    with tempfile.TemporaryDirectory() as place:

        def took(updates: int) -> float:
            folder = Path(tempfile.mkdtemp(dir=place)) / "run"
            return spent(loaded(game, algorithm, 1, updates), folder)

        took(SHORT)  # it compiles
        short = took(SHORT)
        update = max(took(LONGER) - short, 1e-3) / (LONGER - SHORT)
        more = max(LONGER, round(LONG / update))
        update = max(took(SHORT + more) - short, 1e-3) / more
    return max(1, round((seconds - max(short - SHORT * update, 0.0)) / update))


def measured(chosen: Any, policy: Path) -> dict[str, float]:
    """How exploitable a policy is; in HACKtheGRID its points."""
    if chosen.game == "hackthegrid":
        from cyberdeck.evaluation import evaluate

        found = evaluate("hackthegrid", str(policy), list(OPPONENTS), deals=DEALS, seed=10**6)
        return {f"against {each.opponent}": each.points.value for each in found.overall}
    return {"exploitability": exploitability(chosen, policy)}


def exploitability(chosen: Any, policy: Path) -> float:
    """How exploitable a policy is that was trained as *chosen* says."""
    options = [f"--option={name}={value}" for name, value in chosen.options.items()]
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        command(["exploit", chosen.game, str(policy), *options, "--memory=12", "--minutes=600"])
    words = re.search(r"exploitability of\s+\S+\s+is\s+(\d+\.\d+)", said.getvalue())
    assert words is not None, said.getvalue()
    return float(words[1])


def interquartile(values: Sequence[float]) -> tuple[float, float, float]:
    """The mean of the middle half, and where 95% of those lie that are drawn anew.

    Where a quarter is no whole number of runs, a part of one counts.

    >>> [float(round(part, 3)) for part in interquartile([1, 2, 3, 4, 100])]
    [3.0, 1.3, 71.2]
    """
    ordered = np.sort(values)
    # How much of each, in order, lies within the middle half.
    edges = np.arange(len(ordered) + 1) / len(ordered)
    weights = np.clip(edges[1:], 0.25, 0.75) - np.clip(edges[:-1], 0.25, 0.75)
    drawn = np.random.default_rng(0).choice(ordered, (5000, len(ordered)))
    means = np.sort(drawn, axis=1) @ weights * 2
    low, high = np.quantile(means, (0.025, 0.975))
    return float(ordered @ weights * 2), float(low), float(high)


def shown(results: Sequence[dict[str, Any]]) -> str:
    """A table for each game."""
    parts = []
    for game in GAMES:
        own = [each for each in results if each["game"] == game]
        measures = [
            name for name in (own[0] if own else {}) if name.startswith(("expl", "against"))
        ]
        rows = []
        for algorithm in (*ALGORITHMS, *TEACHERS[game]):
            runs = [each for each in own if each["algorithm"] == algorithm]
            if not runs:
                continue
            cells = [interquartile([each[name] for each in runs]) for name in measures]
            mean = {k: np.mean([each[k] for each in runs]) for k in ("decisions", "cpu_seconds")}
            rows.append(
                (
                    algorithm,
                    str(len(runs)),
                    *(f"{mean:.3f} ({low:.3f} to {high:.3f})" for mean, low, high in cells),
                    *(f"{value:,.0f}" for value in mean.values()),
                )
            )
        if rows:
            head = ("algorithm", "runs", *measures, "decisions", "CPU seconds")
            parts.append(f"{game}\n{table(head, rows, True)}")
    return "\n\n".join(parts)


def in_a_process(file: Path, *arguments: str) -> None:
    """What ``--one`` finds out with *arguments*, beside others; it is in *file* then."""
    one = [sys.executable, str(Path(__file__)), "--one", str(file), *arguments]
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(one, env=alone, capture_output=True, check=False)
    if done.returncode:
        print(f"{file.stem} failed:\n{done.stderr.decode()[-2000:]}", flush=True)
    else:
        print(f"{file.stem} done", flush=True)


def one(file: Path, game: str, algorithm: str, what: str) -> None:
    """What ``--one`` is for: ``seconds=300`` or ``seed=1``."""
    from cyberdeck_training import train

    train.references = lambda variant: []
    kind, _, value = what.partition("=")
    found: Any
    if kind == "seconds":
        found = updates_in(float(value), game, algorithm)
    else:
        updates = json.loads(updates_file(file.parent, game, algorithm).read_text())
        found = run(file.parent, game, algorithm, int(value), updates)
    write_whole(file, json.dumps(found) + "\n")


def updates_file(runs: Path, game: str, algorithm: str) -> Path:
    """Where it is kept how many updates each run of an algorithm makes."""
    return runs / f"{game}-{algorithm}-updates.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--runs", type=Path, default=Path("runs/algorithms"), metavar="FOLDER")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="CPU time of each run")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="runs of each")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to FILE too")
    chosen = parser.parse_args()
    if chosen.one:
        file, *rest = chosen.one
        one(Path(file), *rest)
        return
    runs: Path = chosen.runs / f"{chosen.seconds:g}s"
    runs.mkdir(parents=True, exist_ok=True)
    pairs = [(game, name) for game in GAMES for name in (*ALGORITHMS, *TEACHERS[game])]
    wanted = [
        (runs / f"{game}-{algorithm}-{seed}.json", game, algorithm, f"seed={seed}")
        for seed in range(1, 1 + chosen.seeds)
        for game, algorithm in pairs
    ]
    first = [(updates_file(runs, *pair), *pair, f"seconds={chosen.seconds}") for pair in pairs]
    for missing in (first, wanted):
        with ThreadPoolExecutor(2) as pool:
            for each in missing:
                if not each[0].exists():
                    pool.submit(in_a_process, *each)
    there = [each[0] for each in wanted if each[0].exists()]
    results = [json.loads(path.read_text()) for path in there]
    print(f"\n{chosen.seconds:g} CPU seconds each\n\n{shown(results)}")
    write_json(chosen.json, results)


if __name__ == "__main__":
    main()
