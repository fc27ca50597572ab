"""Measure cyberdeck beside its peers, on the same cores, in one run: ``python benchmarks/run.py``.

Every figure comes from a process of its own (games.py, peers.py). All of them are started and
warmed up first and then wait; each round lets every one play in turn, alone, so that a machine
that slows down or speeds up meanwhile does so for all of them.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import tomllib
from pathlib import Path
from typing import Any

import timing
from games import GAMES, SUBJECTS
from peers import PEERS

HERE = Path(__file__).resolve().parent
ROUNDS = 5
#: Seconds that a process may take to get ready, and beyond its time to play.
PATIENCE = 600.0

GOALS = tomllib.loads((HERE / "goals.toml").read_text())
MILLION = "a million a second"


class Worker:
    """The process of one subject. ``problem`` says why there is none, or no more of it."""

    def __init__(self, name: str, script: str, errors: Path) -> None:
        self.name = name
        self.problem = ""
        self.samples: list[dict[str, float]] = []
        self.errors = errors
        with errors.open("wb") as stderr:
            self.process = subprocess.Popen(
                [sys.executable, str(HERE / script), name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
            )
        answer = self._answer(PATIENCE)
        self.problem = self.problem or str(answer.get("missing", ""))

    def play(self, seconds: float) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):  # if it is gone, the missing answer tells
            self.process.stdin.write(f"{seconds}\n")
            self.process.stdin.flush()
        answer = self._answer(PATIENCE + seconds)
        if answer:
            self.samples.append(answer)

    def _answer(self, limit: float) -> dict[str, Any]:
        """The next line of the process, or nothing and a ``problem`` if it died or hangs."""
        assert self.process.stdout is not None
        timer = threading.Timer(limit, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        code = self.process.wait()
        said = self.errors.read_text(errors="replace").strip().splitlines()
        self.problem = f"failed (exit {code}): {said[-1] if said else 'no message'}"
        return {}

    def stop(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def figure(self) -> dict[str, Any]:
        return {"problem": self.problem} if self.problem else timing.rates(self.samples)


def ask(what: str, game: str, cache: str) -> dict[str, Any]:
    """The answer of ``games.py WHAT GAME`` in a new process that compiles into *cache*."""
    done = subprocess.run(
        [sys.executable, str(HERE / "games.py"), what, game],
        env={**os.environ, "CYBERDECK_CACHE_DIR": cache},
        stdout=subprocess.PIPE,
        timeout=PATIENCE,
        check=True,
        text=True,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def decisions_per_second(rounds: int, seconds: float, folder: Path) -> dict[str, dict[str, Any]]:
    workers: list[Worker] = []
    try:
        for script, subjects in (("games.py", SUBJECTS), ("peers.py", PEERS)):
            for name in subjects:
                timing.tell(f"starting {name} ...")
                workers.append(Worker(name, script, folder / f"errors-{len(workers)}"))
                if workers[-1].problem:
                    timing.tell(f"  {workers[-1].problem}")
        for number in range(1, rounds + 1):
            timing.tell(f"round {number} of {rounds} ...")
            for worker in workers:
                if not worker.problem:
                    worker.play(seconds)
        return {worker.name: worker.figure() for worker in workers}
    finally:
        for worker in workers:
            worker.stop()


def ratios(figures: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    small = [
        (least, name.format(game), peer)
        for least, name, peer in GOALS["beside_small"]
        for game in GOALS["small"]
    ]
    rows = []
    for least, name, peer in (*GOALS["like_for_like"], *small, *GOALS["alone"]):
        if name not in figures:
            continue
        ours = figures[name].get("median")
        theirs = 1e6 if peer == MILLION else figures[peer].get("median")
        ratio = ours / theirs if ours and theirs else None
        rows.append({"of": name, "to": peer, "ratio": ratio, "target": least})
        rows[-1]["verdict"] = timing.verdict(ratio, least)
    return rows


def report(result: dict[str, Any]) -> str:
    settings = result["settings"]
    lines = [
        *timing.described(result["machine"]),
        f"Decisions per second on one core, with 2 threads on two: median of {settings['rounds']} "
        f"times {settings['seconds']} s (least .. most)",
    ]
    for name, figure in result["figures"].items():
        if name == next(iter(PEERS)):
            lines.append("")
        told = figure.get("problem")
        told = told or f"{figure['median']:>12,.0f}  {timing.spread(figure)}{timing.busy(figure)}"
        lines.append(f"  {name:46} {told}")
    lines += ["", "Bytes per game         record  observation  mask"]
    for game, size in result["sizes"].items():
        lines.append(
            f"  {game:20} {size['bytes']:>6,}  {size['observation']:>11,}  {size['mask']:>4,}"
        )
    lines += ["", "CPU milliseconds of         a frame  in a GIF  pixels of the frame"]
    for game, took in result["frames"].items():
        lines.append(
            f"  {game:24} {1e3 * took['frame']:>8.1f}  {1e3 * took['film']:>8.1f}"
            f"  {took['width']} x {took['height']}"
        )
    lines += ["", "Ratios"]
    for row in result["ratios"]:
        ratio = "-" if row["ratio"] is None else f"{row['ratio']:,.2f}"
        lines.append(
            f"  {row['verdict']:12} {ratio:>9}  (at least {row['target']:g})"
            f"  {row['of']} / {row['to']}"
        )
    return "\n".join(lines)


def main() -> int:
    chosen = timing.parser_of(__doc__).parse_args()
    seconds = 0.2 if chosen.quick else 1.5
    about = timing.machine(timing.use_cores())
    with tempfile.TemporaryDirectory(prefix="cyberdeck-bench-") as folder:
        cache = str(Path(folder) / "compiled")
        sizes = {game: ask("size", game, cache) for game in GAMES}
        frames = {game: ask("frames", game, cache) for game in GAMES}
        os.environ["CYBERDECK_CACHE_DIR"] = cache
        figures = decisions_per_second(ROUNDS, seconds, Path(folder))
    result = {
        "machine": about,
        "settings": {"rounds": ROUNDS, "seconds": seconds},
        "figures": figures,
        "sizes": sizes,
        "frames": frames,
        "ratios": ratios(figures),
    }
    print(report(result))
    timing.write_json(chosen.json, result)
    return int(any("problem" in figures[name] for name in SUBJECTS))


if __name__ == "__main__":
    sys.exit(main())
