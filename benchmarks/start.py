"""Seconds from the start of Python to the first step: ``python benchmarks/start.py WHEEL``.

WHEEL is a wheel with compiled games for this machine; it is used without numba. Beside it stands
the checkout, whose games numba compiles, and what else a user waits for. Every figure comes from
processes of their own, each alone on one core; in each round everything starts once, so that a
machine that slows down or speeds up meanwhile does so for all.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any, TypeAlias

import timing
from games import GAMES

ROUNDS = 7
#: Rounds in which numba compiles everything: half a minute for the largest game.
COLD_ROUNDS = 3
#: Seconds that the wheel may take.
MOST = 1.0

GYMNASIUM = """
import gymnasium, numpy
env = gymnasium.make({!r})
_, info = env.reset(seed=0)
env.step(int(numpy.flatnonzero(info.get("action_mask", [1]))[0]))
"""
PGX = """
import jax, pgx
env = pgx.make("connect_four")
state = jax.jit(env.init)(jax.random.key(0))
jax.block_until_ready(jax.jit(env.step)(state, state.legal_action_mask.argmax()))
"""
WITHOUT_NUMBA = "import sys; sys.modules['numba'] = None\n"
#: A clock that the process that waits reads as well; and for how long the core was used.
DONE = "\nimport time; print(time.monotonic(), time.process_time())"

#: Starts Python once; returns seconds on the wall and on the core.
Start: TypeAlias = Callable[[], dict[str, float]]


def start(code: str, **environment: str) -> dict[str, float]:
    """Run *code* in a new process, up to its last line."""
    began = monotonic()
    done = subprocess.run(
        [sys.executable, "-c", code + DONE],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["no message"])[-1])
    ended, core = map(float, done.stdout.split()[-2:])
    return {"seconds": ended - began, "core_seconds": core}


def starts_of_cyberdeck(wheel: Path, folder: Path) -> tuple[dict[str, Start], dict[str, Start]]:
    """By the wheel and with what numba has compiled before; and with nothing compiled."""
    installed = folder / "wheel"
    zipfile.ZipFile(wheel).extractall(installed)
    with_wheel = {"PYTHONPATH": str(installed), "CYBERDECK_CACHE_DIR": str(folder / "none")}
    fast: dict[str, Start] = {}
    cold: dict[str, Start] = {}

    def with_empty_cache(code: str) -> dict[str, float]:
        with tempfile.TemporaryDirectory(dir=folder) as cache:
            return start(code, CYBERDECK_CACHE_DIR=cache)

    before, compiled = {"CYBERDECK_CACHE_DIR": str(folder / "compiled")}, dict[str, Start]()
    for game, gym_id in GAMES.items():
        code = "import cyberdeck" + GYMNASIUM.format(gym_id)
        fast[f"{game}, wheel without numba"] = partial(start, WITHOUT_NUMBA + code, **with_wheel)
        compiled[f"{game}, compiled before"] = partial(start, code, **before)
        cold[f"{game}, nothing compiled"] = partial(with_empty_cache, code)
    return fast | compiled, cold


PEERS: dict[str, Start] = {
    "Gymnasium CartPole": partial(start, GYMNASIUM.format("CartPole-v1")),
    "PGX connect_four": partial(start, PGX),
    "import torch": partial(start, "import torch"),
}


def measured(starts: dict[str, Start], rounds: int, untimed: bool) -> dict[str, dict[str, Any]]:
    """Each started *rounds* times; *untimed*: once before, for what is on the disk after that."""
    samples: dict[str, list[dict[str, float]]] = {name: [] for name in starts}
    problems: dict[str, str] = {}
    for number in range(-untimed, rounds):
        timing.tell(f"round {number + 1} of {rounds} ..." if number >= 0 else "starting all ...")
        for name, once in starts.items():
            if name in problems:
                continue
            try:
                sample = once()
            except RuntimeError as error:
                problems[name] = str(error)
                timing.tell(f"  {name}: {error}")
            else:
                samples[name] += [sample] * (number >= 0)
    found: dict[str, dict[str, Any]] = {name: {"problem": told} for name, told in problems.items()}
    for name in starts.keys() - problems.keys():
        found[name] = timing.figure([each["seconds"] for each in samples[name]], samples[name])
        found[name]["core_median"] = median(each["core_seconds"] for each in samples[name])
    return {name: found[name] for name in starts}


def report(result: dict[str, Any]) -> str:
    lines = [
        *timing.described(result["machine"]),
        "Seconds from the start of Python to the first step: median (least .. most), of so many",
        "starts; and seconds of the core",
    ]
    for name, each in result["figures"].items():
        told = each.get("problem")
        if told is None:
            told = f"{each['median']:>6.2f}  {timing.spread(each, '.2f')}  {len(each['samples'])}"
            told += f"  {each['core_median']:>6.2f}{timing.busy(each)}"
        lines.append(f"  {name:40} {told}")
    worst = max(each.get("median", float("inf")) for each in wheels(result))
    met = timing.verdict(worst, most=MOST)
    lines += ["", f"  {met}  {worst:.2f}  (at most {MOST:g})  the slowest game by the wheel"]
    return "\n".join(lines)


def wheels(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The figures of the wheel."""
    return [each for name, each in result["figures"].items() if name.endswith("without numba")]


def main() -> int:
    parser = timing.parser_of(__doc__)
    parser.add_argument("wheel", type=Path, help="made by: make wheels")
    chosen = parser.parse_args()
    about = timing.machine(timing.use_cores())
    with tempfile.TemporaryDirectory(prefix="cyberdeck-bench-") as folder:
        fast, cold = starts_of_cyberdeck(chosen.wheel, Path(folder))
        rounds, cold_rounds = (1, 1) if chosen.quick else (ROUNDS, COLD_ROUNDS)
        figures = measured({**fast, **PEERS}, rounds, untimed=True)
        figures |= measured(cold, cold_rounds, untimed=False)
    result = {"machine": about, "figures": figures}
    print(report(result))
    timing.write_json(chosen.json, result)
    return int(any("problem" in each for each in wheels(result)))


if __name__ == "__main__":
    sys.exit(main())
