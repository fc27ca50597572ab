"""Measure cyberdeck beside its peers, on the same cores, in one run: ``python benchmarks/run.py``.

Every figure comes from a process of its own (games.py, peers.py). All of them are started and
warmed up first and then wait; each round lets every one play in turn, alone, so that a machine
that slows down or speeds up meanwhile does so for all of them.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
from importlib import metadata
from pathlib import Path
from typing import Any

from games import GAMES, SUBJECTS
from peers import PEERS
from timing import WITH_THREADS, use_cores

HERE = Path(__file__).resolve().parent
ROUNDS = 5
#: Seconds that a process may take to get ready, and beyond its time to play.
PATIENCE = 600.0

LIBRARIES = (
    *("cyberdeck", "numpy", "numba", "gymnasium", "pettingzoo", "open_spiel"),
    *("pgx", "jax", "jaxlib", "envpool", "torch"),
)

#: The games that are held against connect four: small ones, as it is.
SMALL = ("matrix_overload", "hackthegrid")
#: (at least so many times, which figure of each small game, that peer's figure)
TARGETS = (
    (3.0, "{} x 1024", "PGX connect_four x 1024"),
    (3.0, "{} x 1024, 50 steps a call", "PGX connect_four x 1024"),
    (8.0, "{} x 1024", "OpenSpiel connect_four"),
    (8.0, "{} x 1024", "OpenSpiel connect_four, mask and observation"),
    (400.0, "{} x 1024", "PettingZoo connect_four env()"),
    (400.0, "{} x 1024", "PettingZoo connect_four raw_env()"),
    (0.8, "{} Gymnasium", "Gymnasium CartPole"),
    (5.0, "{} AEC env()", "PettingZoo connect_four env()"),
)

#: The same game on both sides: (at least so many times, our figure, the peer's figure)
LIKE_FOR_LIKE = (
    (5.0, "connect_four x 1024, 50 steps a call", "PGX connect_four x 1024"),
    (4.0, "connect_four x 1024", "PGX connect_four x 1024"),
    (12.0, "connect_four x 1024", "OpenSpiel connect_four"),
    (25.0, "connect_four x 1024", "OpenSpiel connect_four, mask and observation"),
    (700.0, "connect_four x 1024", "PettingZoo connect_four env()"),
    (50.0, "connect_four x 1024", "EnvPool ConnectFour x 1024"),
    (
        40.0,
        f"connect_four x 1024{WITH_THREADS}",
        f"EnvPool ConnectFour x 1024{WITH_THREADS}",
    ),
    (1.0, "connect_four x 1024", "Gymnasium CartPole x 1024"),
    (2.0, "tictactoe x 1024, 50 steps a call", "PGX tic_tac_toe x 1024"),
)

#: Figures that have a goal of their own, in millions of decisions a second.
RATES = {"stacktrices x 1024": 1.5, "hovercrafts x 1024": 3.0, "hovercrafts 5v5 x 1024": 1.5}
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
        if self.problem:
            return {"problem": self.problem}
        rates = [sample["decisions"] / sample["seconds"] for sample in self.samples]
        return {
            "median": statistics.median(rates),
            "least": min(rates),
            "most": max(rates),
            "core_share": min(s["core_seconds"] / s["seconds"] for s in self.samples),
            "samples": self.samples,
        }


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


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
                tell(f"starting {name} ...")
                workers.append(Worker(name, script, folder / f"errors-{len(workers)}"))
                if workers[-1].problem:
                    tell(f"  {workers[-1].problem}")
        for number in range(1, rounds + 1):
            tell(f"round {number} of {rounds} ...")
            for worker in workers:
                if not worker.problem:
                    worker.play(seconds)
        return {worker.name: worker.figure() for worker in workers}
    finally:
        for worker in workers:
            worker.stop()


def ratios(figures: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    rows = []
    small = [
        (least, subject.format(game), peer) for least, subject, peer in TARGETS for game in SMALL
    ]
    for least, name, peer in (*LIKE_FOR_LIKE, *small):
        if name not in figures:
            continue
        ratio = None
        if "median" in figures[name] and "median" in figures[peer]:
            ratio = figures[name]["median"] / figures[peer]["median"]
        verdict = "not measured" if ratio is None else "met" if ratio >= least else "missed"
        rows.append({"of": name, "to": peer, "ratio": ratio, "target": least, "verdict": verdict})
    for name, least in RATES.items():
        ratio = None
        if "median" in figures.get(name, {}):
            ratio = figures[name]["median"] / 1e6
        verdict = "not measured" if ratio is None else "met" if ratio >= least else "missed"
        rows.append(
            {"of": name, "to": MILLION, "ratio": ratio, "target": least, "verdict": verdict}
        )
    return rows


def machine(cores: list[int]) -> dict[str, Any]:
    model = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    versions = {}
    for library in LIBRARIES:
        try:
            versions[library] = metadata.version(library)
        except metadata.PackageNotFoundError:
            versions[library] = "not installed"
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "pinned_to_core": cores[0] if cores else None,
        "load_at_start": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "versions": versions,
    }


def described(about: dict[str, Any]) -> list[str]:
    """``machine`` in words."""
    pinned = about["pinned_to_core"]
    kept = "not pinned to a core" if pinned is None else f"pinned to core {pinned}"
    return [
        f"{about['cpu']}, {about['cores']} cores ({kept}), load {about['load_at_start']}",
        f"{about['system']}, {about['python']}",
        ", ".join(f"{name} {version}" for name, version in about["versions"].items()),
    ]


def report(result: dict[str, Any]) -> str:
    settings = result["settings"]
    lines = [
        *described(result["machine"]),
        "",
        f"Decisions per second on one core, with 2 threads on two: median of {settings['rounds']} "
        f"times {settings['seconds']} s (least .. most)",
    ]
    for name, figure in result["figures"].items():
        if name == next(iter(PEERS)):
            lines.append("")
        if "problem" in figure:
            lines.append(f"  {name:46} {figure['problem']}")
            continue
        line = f"  {name:46} {figure['median']:>12,.0f}"
        line += f"  ({figure['least']:,.0f} .. {figure['most']:,.0f})"
        if figure["core_share"] < 0.9:
            line += f"  had only {figure['core_share']:.0%} of the core"
        lines.append(line)
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
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE too")
    parser.add_argument("--quick", action="store_true", help="short rounds: to see that it runs")
    chosen = parser.parse_args()
    seconds = 0.2 if chosen.quick else 1.5
    about = machine(use_cores())
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
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=1) + "\n")
    return int(any("problem" in figures[name] for name in SUBJECTS))


if __name__ == "__main__":
    sys.exit(main())
