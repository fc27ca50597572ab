"""The same game on both sides, as a picture: ``python benchmarks/picture.py RESULTS.json OUT.png``.

RESULTS.json is what run.py wrote; all figures are of its one run.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")
from matplotlib import pyplot as plt

from run import GOALS

#: Connect four in the order of the picture, and what each is called there.
ROWS = {
    "connect_four x 1024, 50 steps a call": "cyberdeck, compiled loop",
    "connect_four x 1024": "cyberdeck, step by step",
    "PGX connect_four x 1024": "PGX, compiled loop",
    "OpenSpiel connect_four": "OpenSpiel, bare moves",
    "OpenSpiel connect_four, mask and observation": "OpenSpiel, mask and observation",
    "EnvPool ConnectFour x 1024": "EnvPool",
    "PettingZoo connect_four env()": "PettingZoo",
}


def main() -> None:
    results, out = Path(sys.argv[1]), Path(sys.argv[2])
    figures = json.loads(results.read_text())["figures"]
    found = {
        words: figures[name]["median"]
        for name, words in ROWS.items()
        if "median" in figures.get(name, {})
    }
    names, rates = list(found)[::-1], list(found.values())[::-1]
    colours = ["#0b7285" if name.startswith("cyberdeck") else "#adb5bd" for name in names]
    figure, axes = plt.subplots(figsize=(8, 3.4), layout="constrained")
    bars = axes.barh(names, rates, color=colours)
    axes.set_xscale("log")
    axes.set_xlim(min(rates) / 2, max(rates) * 8)
    axes.bar_label(bars, [f"{rate:,.0f}" for rate in rates], padding=4)
    axes.set_xlabel("decisions a second on one core (each step of the scale is ten times as many)")
    axes.set_title("Connect four, random play, the same rules everywhere", loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(out, dpi=120)
    compared = {name for _, *both in GOALS["like_for_like"] for name in both}
    assert compared >= set(ROWS)


if __name__ == "__main__":
    main()
