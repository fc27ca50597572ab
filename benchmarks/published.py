"""Learners beside published ones: ``python benchmarks/published.py benchmarks/published/*.yaml``.

Trains as each file says, once with every seed, and computes how exploitable the policies are, which
draw their actions: those that were kept on the way, or the last. Runs are kept in --output-dir: the
same command goes on with what is missing, and prints a table of what is there. Needs the extra
train. Exploitability may take 12 GB of memory.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Sequence
from itertools import cycle, groupby
from pathlib import Path
from typing import Any

import numpy as np

from algorithms import configuration, exploitability
from curves import framed
from cyberdeck.common.files import write_whole
from cyberdeck.common.text import table
from cyberdeck.drawing.svg import AMBER, BRIGHT, CYAN, LIME, MAGENTA
from cyberdeck_training import checkpoints, config, runs, train
from timing import write_json


def settings(file: Path, seed: int, folder: Path) -> Any:
    """The configuration of a run, which may be there: by the same one."""
    loaded: config.Config = configuration(file, [f"seed={seed}"])
    if (folder / runs.CONFIG).exists():
        there = runs.config_of(folder, game=loaded.game)
        if there.model_dump() != loaded.model_dump():
            raise SystemExit(f"{folder} is by other settings than {file}: name another folder")
    return loaded


def go_on(loaded: Any, folder: Path) -> None:
    """Train, up to the end."""
    if checkpoints.last(folder / runs.CHECKPOINTS) is None:
        shutil.rmtree(folder, ignore_errors=True)  # it was stopped before there was any
        folder.mkdir(parents=True)
        train.begin(loaded, folder)
    elif not runs.read_info(folder).finished:
        train.resume(loaded, folder)


def measured(file: Path, seed: int, folder: Path) -> dict[str, Any]:
    """What came of a run; its curve is of pairs of decisions and exploitability."""
    loaded, found_in = settings(file, seed, folder), folder / "exploitability.json"
    if not found_in.exists():
        go_on(loaded, folder)
        info = runs.read_info(folder)
        kept = {int(path.stem): path for path in (folder / runs.POLICIES).glob("*.safetensors")}
        kept = kept or {loaded.decisions: folder / runs.LAST}
        found = {
            "run": file.stem,
            "seed": seed,
            "seconds": info.seconds,
            "curve": [(at, exploitability(loaded, kept[at])) for at in sorted(kept)],
        }
        write_whole(found_in, json.dumps(found) + "\n")
    return dict(json.loads(found_in.read_text()))


def shown(results: Sequence[dict[str, Any]]) -> str:
    """A row for each configuration: the mean over its seeds, the least and the most."""
    rows = []
    for name, own in groupby(results, lambda each: str(each["run"])):
        of_seeds = list(own)
        ends = [each["curve"][-1][1] for each in of_seeds]
        spread = f" ({min(ends):.3f} to {max(ends):.3f})" if len(ends) > 1 else ""
        minutes = np.mean([each["seconds"] for each in of_seeds]) / 60
        decisions = of_seeds[0]["curve"][-1][0]
        row = (name, str(len(ends)), f"{decisions:,}", f"{minutes:.0f}")
        rows.append((*row, f"{np.mean(ends):.3f}{spread}"))
    return table(("run", "seeds", "decisions", "minutes", "exploitability"), rows, True)


def draw(results: Sequence[dict[str, Any]], path: Path) -> None:
    """Curves, each from the least to the most of its seeds."""
    size, x = (7.0, 4.0), "million decisions"
    with framed(path, size, "Exploitability", x, "exploitability") as axes:
        curves = [each for each in results if len(each["curve"]) > 1]
        colours = cycle((CYAN, MAGENTA, LIME, AMBER, BRIGHT))
        for (name, own), colour in zip(
            groupby(curves, lambda each: str(each["run"])), colours, strict=False
        ):
            points = np.array([each["curve"] for each in own])
            at, values = points[0, :, 0] / 1e6, points[:, :, 1]
            axes.plot(at, values.mean(axis=0), marker="o", color=colour, label=name)
            axes.fill_between(at, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.25)
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE.yaml")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1], help="a run of each")
    parser.add_argument("--output-dir", type=Path, default=Path("runs"), metavar="FOLDER")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to FILE too")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the curves into FILE")
    chosen = parser.parse_args()
    results = []
    for file in chosen.files:
        for seed in chosen.seeds:
            results.append(measured(file, seed, chosen.output_dir / f"{file.stem}-{seed}"))
    print(f"\n{shown(results)}")
    write_json(chosen.json, results)
    if chosen.plot:
        draw(results, chosen.plot)


if __name__ == "__main__":
    main()
