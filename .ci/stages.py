"""Tests all that a commit can break, in stages: at most two cores at a time, times at the end.

Stages begin in this order, each when those that it needs are over. What guards a
release rather than a commit is PARTS, which `make release-check` runs whole: here those run whose
files differ from the commit before, and one by the day of the year, for MOST_MINUTES at most.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parents[1]
LOGS = ROOT / "build" / "ci"
CORES = 2
MOST_MINUTES = 8


@dataclass(frozen=True)
class Stage:
    """A command for the shell, and the stages that have to be over when it begins.

    Of a part of `make release-check`, short: its *minutes*, and the *paths* that it guards.
    """

    name: str
    command: str
    needs: tuple[str, ...] = ()
    cores: int = 1
    minutes: int = 0
    paths: tuple[str, ...] = ()


STAGES = [
    Stage("set-up", "make .venv/ready"),
    Stage("packages", "sh .ci/packages.sh chromium nodejs npm valgrind"),
    Stage("set-up native", "make .venv-native/ready"),
    Stage("set-up ray", "make .venv-ray/ready"),
    Stage("set-up examples", "make .venv-examples/ready"),
    Stage("check", "make check", ("set-up",)),
    Stage("lint-workflows", "make lint-workflows", ("packages",)),
    Stage("set-up agents", "make .venv-agents/ready"),
    Stage("set-up openenv", "make .venv-openenv/ready"),
    Stage("test", "make test", ("set-up", "packages"), cores=2),
    Stage("slow-test", "make slow-test", ("set-up",), cores=2),
    Stage("native-test", "make native-test", ("set-up", "packages", "set-up native"), cores=2),
    Stage("ray-test", "make ray-test", ("set-up ray",)),
    Stage("example-test", "make example-test JOBS=1", ("set-up examples",)),
    Stage("browser-test", "make browser-test", ("set-up", "packages")),
    Stage("agents-test", "make agents-test JOBS=1", ("set-up agents",)),
    Stage("openenv-test", "make openenv-test JOBS=1", ("set-up openenv",)),
    Stage("wheel-test", "make wheel-test", ("set-up",)),
    Stage("oldest-test", "make oldest-test"),
]

_COMPILED = ("envs/cyberdeck/building", "envs/cyberdeck/engine", "tools/native")
_GAMES = "envs/cyberdeck/games"
PARTS = [
    Stage(
        "site, page-test",
        "make site WEB=build/native/web && make page-test PLAY=site/play",
        ("native-test", "browser-test"),
        cores=2,
        minutes=5,
        paths=(
            *("docs", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "examples", "tools/site"),
            *("envs/cyberdeck/play", "envs/cyberdeck/playing", "envs/cyberdeck/views"),
        ),
    ),
    Stage(
        "aarch64-test",
        "sh .ci/packages.sh qemu-user-static && make aarch64-test",
        ("native-test",),
        minutes=3,
        paths=_COMPILED,
    ),
    Stage(
        *("newest-test", "make newest-test", ("native-test",)),
        minutes=5,
        paths=(*_COMPILED, "pyproject.toml", "tools/wheel_test.sh", "tools/newest_python.sh"),
    ),
    Stage("wheels-test", "make wheels-test", ("native-test",), minutes=4, paths=_COMPILED),
    Stage(
        "soak",
        "make soak LONG=20000 REDRAWN=500 SOAK='--read 20000 --disguised 20000'",
        ("test",),
        minutes=3,
        paths=(_GAMES, "tests/soak.py"),
    ),
    Stage(
        *("fuzz", "make fuzz MINUTES=2 FUZZING='--seed 1'", ("test",)),  # release-check draws anew
        minutes=4,
        paths=("tests/fuzz", "envs/cyberdeck/common"),
    ),
    Stage(
        *("seeds-test", "make seeds-test", ("test",)),
        cores=2,
        minutes=5,
        paths=("training", "configs", "envs/cyberdeck/players"),
    ),
]


def chosen_parts() -> list[Stage]:
    """Today's, and those whose files differ from the commit before, while there is time."""
    compared = ["git", "diff", "--name-only", "HEAD~1"]
    differing = subprocess.check_output(compared, cwd=ROOT, text=True).splitlines()
    todays = PARTS[time.localtime().tm_yday % len(PARTS)]
    wanted = [
        part
        for part in PARTS
        if part is todays or any(file.startswith(part.paths) for file in differing)
    ]
    wanted.sort(key=lambda part: part is not todays)
    chosen: list[Stage] = []
    for part in wanted:
        fits = sum(each.minutes for each in chosen) + part.minutes <= MOST_MINUTES
        why = "today's" if part is todays else "its files differ from HEAD~1"
        print(f"--- of make release-check, {part.name}: {why}{'' if fits else ', no time left'}")
        if fits:
            chosen.append(part)
    return chosen


class Runner:
    """Runs stages side by side, each with its output in a file until it is over."""

    def __init__(self, stages: Sequence[Stage]) -> None:
        self.waiting = list(stages)
        self.running: dict[int, tuple[Stage, float, subprocess.Popen[bytes]]] = {}
        self.lines: list[str] = []
        self.over: set[str] = set()
        self.failed = False
        self.began = time.monotonic()

    def run(self) -> int:
        LOGS.mkdir(parents=True, exist_ok=True)
        signal.signal(signal.SIGTERM, self._stop)
        while True:
            self._start()
            if not self.running:
                break
            self._await_one()
        self._summarize()
        return int(self.failed or bool(self.waiting))

    def _start(self) -> None:
        for stage in [] if self.failed else list(self.waiting):
            used = sum(each.cores for each, _, _ in self.running.values())
            if not self.over.issuperset(stage.needs):
                continue
            if stage.cores > CORES - used:
                break  # what needs more would never begin if others went first
            self.waiting.remove(stage)
            with self._log(stage).open("wb") as log:
                process = subprocess.Popen(
                    ["sh", "-c", stage.command],
                    cwd=ROOT,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            self.running[process.pid] = (stage, time.monotonic(), process)
            print(f"... {stage.name}: {stage.command}", flush=True)

    def _await_one(self) -> None:
        pid, status, used = os.wait4(-1, 0)
        if pid not in self.running:
            return
        stage, began, process = self.running.pop(pid)
        process.returncode = os.waitstatus_to_exitcode(status)  # else it would be waited for again
        passed = process.returncode == 0
        self.failed |= not passed
        self.over.add(stage.name)
        wall, cpu = time.monotonic() - began, used.ru_utime + used.ru_stime
        verdict = "passed" if passed else "FAILED"
        self.lines.append(f"{stage.name:18} {wall:6.0f} s {cpu:6.0f} s of CPU  {verdict}")
        self._print(stage)
        print(f"=== {self.lines[-1]}", flush=True)

    def _log(self, stage: Stage) -> Path:
        return LOGS / f"{stage.name.replace(' ', '-').replace(',', '')}.log"

    def _print(self, stage: Stage) -> None:
        print(f"\n=== {stage.name}: {stage.command}", flush=True)
        sys.stdout.buffer.write(self._log(stage).read_bytes())
        sys.stdout.flush()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        for pid, (stage, _, _) in self.running.items():
            self._print(stage)
            os.killpg(pid, signal.SIGKILL)
        self._summarize()
        sys.exit(1)

    def _summarize(self) -> None:
        print("\n--- stages")
        for line in self.lines:
            print(line)
        for stage in self.waiting:
            print(f"{stage.name:18} was not run")
        print(f"{'in all':18} {time.monotonic() - self.began:6.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(Runner([*STAGES, *chosen_parts()]).run())
