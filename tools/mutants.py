"""Small faults put into the code, one at a time, to see whether the tests find them.

    make mutants SEED=28 COUNT=120

Each mutant differs from the code in one place, which a seed draws, by one of the ``OPERATORS`` of
``tools.mutations``. It runs against the tests of its module first; the first failure kills it. What
survives is put in at once for all of `make test`, then for the slow ones; whatever fails there is
tried with each alone. Results are lines of JSON: a run that was interrupted goes on.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tools.mutations import Mutant, places

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / ".venv/bin/python"

#: Where copies of the code lie, and how many mutants are tried side by side.
FOLDER, TOGETHER = ROOT / "build" / "mutants", 2

#: The groups of modules, and which tests run first for each module.
TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())

#: The modules of a game's heuristic, which are no rules.
_HEURISTIC = ("heuristic.py", "armies.py", "bargains.py", "targets.py")

#: Seconds that a stage may take: a test that hangs has failed.
LONGEST = {"elsewhere": 900, "module": 900, "all": 2400, "slow": 3600}


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else list(path.rglob("*.py"))


def draw(root: Path, seed: int, count: int) -> list[Mutant]:
    """*count* mutants of the code in *root*: equal shares for groups, and for parts of a group."""
    drawn: list[Mutant] = []
    for group, parts in TABLE["groups"].items():
        luck = random.Random(f"{seed} {group}")
        pools = []
        for part in parts:
            files = sorted(file for named in part for file in _files(root / named))
            if group == "rules":
                files = [file for file in files if file.name not in _HEURISTIC]
            pool = [
                each
                for file in files
                for each in places(group, file.relative_to(root).as_posix(), file.read_text())
            ]
            luck.shuffle(pool)
            pools.append(pool)
        share = count // len(TABLE["groups"])
        drawn += [pools[number % len(pools)].pop() for number in range(share)]
    return drawn


# --- whether a test notices -----------------------------------------------------------------------


def run(root: Path, python: Path, arguments: list[str], limit: float) -> tuple[list[str], float]:
    """What fails of pytest in *root*, the tests or what else it said, and the seconds."""
    began = time.monotonic()
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(root / name) for name in ("envs", "training", ".")),
    }
    shutil.rmtree(cache := root / "build" / "failed", ignore_errors=True)
    process = subprocess.Popen(
        [str(python), "-m", "pytest", "-q", "-o", f"cache_dir={cache}", *arguments],
        cwd=root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        printed, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return [f"not over after {limit:.0f} s"], time.monotonic() - began
    took = time.monotonic() - began
    if process.returncode in (0, 5):
        return [], took
    failed = cache / "v" / "cache" / "lastfailed"
    return list(json.loads(failed.read_text())) if failed.exists() else [printed[-200:]], took


def _of_module(mutant: Mutant) -> list[str]:
    """The tests that run first."""
    path = Path(mutant.path)
    for game in {Path(each).name for (each,) in TABLE["groups"]["rules"]} & {*path.parts}:
        return [f"tests/{game}", "tests/golden"]
    named = (tests for start, tests in TABLE["tests"].items() if mutant.path.startswith(start))
    return [f"tests/{name}" for name in next(named, [])]


def stages(
    root: Path, mutant: Mutant, chosen: argparse.Namespace
) -> Iterator[tuple[str, Path, list[str]]]:
    """What a mutant runs against alone: a name, a Python, and pytest's arguments.

    Of tests that are not in *root*, which may be another commit, pytest would say that it failed.
    """
    path = Path(mutant.path)
    name = TABLE["elsewhere"].get(mutant.path, Path(*path.parts[3:4]).stem or path.stem)
    for environment, *tests in chosen.elsewhere:
        own = [test for test in tests if f"/test_{name}" in test and (root / test).exists()]
        if own and (ROOT / environment / "ready").exists():
            yield "elsewhere", ROOT / environment / "bin/python", own
    named = [test for test in _of_module(mutant) if (root / test).exists()]
    yield "module", PYTHON, [*named, *_apart(chosen), "-m", f"not slow and {chosen.here}"]


def _apart(chosen: argparse.Namespace) -> list[str]:
    return [f"--ignore={test}" for _, *tests in chosen.elsewhere for test in tests]


@contextlib.contextmanager
def put_in(root: Path, mutants: Sequence[Mutant]) -> Iterator[None]:
    """Faults put into the copy in *root*, and taken out again."""
    texts = {each.path: (root / each.path).read_text() for each in mutants}
    try:
        for each in sorted(mutants, key=lambda each: -each.start):  # from the end of a file
            (root / each.path).write_text(each.apply((root / each.path).read_text()))
        yield
    finally:
        for path, text in texts.items():
            (root / path).write_text(text)


def try_one(root: Path, mutant: Mutant, chosen: argparse.Namespace) -> dict[str, Any]:
    """One fault, and the tests that run against it alone."""
    log: dict[str, float] = {}
    killed, by = "", ""
    with put_in(root, [mutant]):
        for stage, python, arguments in stages(root, mutant, chosen):
            failed, took = run(root, python, ["-x", *arguments], LONGEST[stage])
            log[stage] = round(log.get(stage, 0) + took, 1)
            if failed:
                killed, by = stage, failed[0]
                break
    if "::" in by and run(root, python, [by], LONGEST[stage])[0]:
        raise SystemExit(f"{by} fails without any fault")
    return {**asdict(mutant), "name": mutant.name, "killed": killed, "by": by, "seconds": log}


def try_together(
    root: Path, mutants: list[Mutant], stage: str, chosen: argparse.Namespace
) -> dict[str, str]:
    """Which of the *mutants* a stage kills, and by which test.

    All are put in at once. What fails then, and passes without any, runs with each alone; what is
    killed is taken out, and all runs once more.
    """
    mark = f"{'not slow' if stage == 'all' else 'slow'} and {chosen.here}"
    whole = [*_apart(chosen), "-n", "2", "--dist", "worksteal", "-m", mark]
    found: dict[str, str] = {}
    while left := [each for each in mutants if each.name not in found]:
        with put_in(root, left):
            failed, _ = run(root, PYTHON, whole, LONGEST[stage])
        if failed and not all((root / test.partition("::")[0]).exists() for test in failed):
            failed = whole  # it hung, or came to no test
        elif failed:
            anyway, _ = run(root, PYTHON, failed, LONGEST[stage])
            failed = [test for test in failed if test not in anyway]
        killed: dict[str, str] = {}
        for each in left if failed else ():
            with put_in(root, [each]):
                by, _ = run(root, PYTHON, ["-x", *failed], LONGEST[stage])
            killed |= {each.name: by[0]} if by else {}
        if not killed:
            break
        found |= killed
    return found


def copied(into: Path, commit: str) -> Path:
    """The tree of a commit in a folder of its own."""
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    archive = subprocess.check_output(["git", "archive", commit], cwd=ROOT)
    subprocess.run(["tar", "-x"], cwd=into, input=archive, check=True)
    return into


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40, help="mutants, an equal share a group")
    parser.add_argument("--drawn-at", default="HEAD", help="draw from the code of this commit")
    parser.add_argument("--tests-at", default="HEAD", help="change and test this commit")
    parser.add_argument("--here", required=True, help="a marker: all but what runs elsewhere")
    parser.add_argument(
        "--elsewhere",
        nargs="+",
        action="append",
        default=[],
        help="an environment of the checkout's, and the tests that run there",
    )
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "mutants.jsonl")
    chosen = parser.parse_args()

    origin = copied(FOLDER / "origin", chosen.drawn_at)
    mutants = draw(origin, chosen.seed, chosen.count)
    chosen.results.parent.mkdir(parents=True, exist_ok=True)
    lines = chosen.results.read_text().splitlines() if chosen.results.exists() else []
    done = {found["name"]: found for found in map(json.loads, lines)}
    roots = [copied(FOLDER / str(number), chosen.tests_at) for number in range(TOGETHER)]
    there = [each for each in mutants if (roots[0] / each.path).exists()]
    texts = [[(root / each.path).read_text() for root in (origin, roots[0])] for each in there]
    moved = [each.moved(*both) for each, both in zip(there, texts, strict=True)]
    count, mutants = len(mutants), [each for each in moved if each]
    print(f"{count - len(mutants)} are in lines that the tested commit does not have")

    def note(result: dict[str, Any]) -> None:
        with writing, chosen.results.open("a") as file:
            file.write(json.dumps(result) + "\n")
            done[result["name"]] = result
            outcome = f"{result['killed'] or 'SURVIVED':10} {result['name']} {result['by']}"
            print(f"{len(done)}/{len(mutants)} {outcome}", flush=True)

    def work(mutant: Mutant) -> None:
        root = roots.pop()
        try:
            note(try_one(root, mutant, chosen))
        finally:
            roots.append(root)

    writing = threading.Lock()
    with ThreadPoolExecutor(TOGETHER) as pool:
        list(pool.map(work, [each for each in mutants if each.name not in done]))
    for stage in ("all", "slow"):
        alive = [each for each in mutants if not done[each.name]["killed"]]
        left = [each for each in alive if stage not in done[each.name]["seconds"]]
        if not left:
            continue
        began = time.monotonic()
        killed_by = try_together(roots[0], left, stage, chosen)
        took = round((time.monotonic() - began) / len(left), 1)
        for each in left:
            result, by = done[each.name], killed_by.get(each.name, "")
            seconds = {**result["seconds"], stage: took}
            note({**result, "killed": stage if by else "", "by": by, "seconds": seconds})
    for group in TABLE["groups"]:
        found = [done[each.name] for each in mutants if each.group == group]
        killed = [e["killed"] for e in found]
        print(
            f"{group:20} {len(found):4} mutants, {sum(map(bool, killed)):4} killed: "
            + ", ".join(f"{killed.count(s)} by {s}" for s in ("module", "elsewhere", "all", "slow"))
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
