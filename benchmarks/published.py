"""Published runs again: ``python benchmarks/published.py NAME``, of those in ``published/``.

Trains as the file says, in ``runs/NAME`` (or goes on with what is there), then goes through the
whole game for the exploitability of the last policy, which draws its actions. Says how long both
took. Needs the extra train, and for the larger games 12 GB.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import yaml

from cyberdeck.commands.main import main as command
from cyberdeck_training import config, runs, train

HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in (HERE / "published").glob("*.yaml"))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("name", choices=NAMES)
    parser.add_argument(
        "changes", nargs="*", metavar="KEY=VALUE", help="other values than published"
    )
    parser.add_argument("--runs", type=Path, default=Path("runs"), metavar="FOLDER")
    chosen = parser.parse_args()
    folder: Path = chosen.runs / chosen.name
    file = HERE / "published" / f"{chosen.name}.yaml"
    game = str(HERE.parent / yaml.safe_load(file.read_text())["game"])
    if folder.exists():
        loaded = runs.config_of(folder, tuple(chosen.changes), game)
        if not runs.read_info(folder).finished or chosen.changes:
            train.resume(loaded, folder)
    else:
        loaded = config.load(file, chosen.changes, game)
        folder.mkdir(parents=True)
        train.begin(loaded, folder)
    info = runs.read_info(folder)
    print(f"\n{info.decisions:,} decisions in {info.seconds:,.0f} s\n", flush=True)
    began = time.perf_counter()
    options = [f"--option={name}={value}" for name, value in loaded.options.items()]
    bounds = ["--memory=12", "--minutes=600"]
    command(["exploit", loaded.game, str(folder / runs.LAST), *options, *bounds])
    print(f"\nexploitability in {time.perf_counter() - began:,.0f} s")


if __name__ == "__main__":
    main()
