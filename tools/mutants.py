"""Small faults put into the code, one at a time, to see whether the tests find them.

    make mutants SEED=28 COUNT=120

Each mutant differs from the code in one place, which a seed draws, by one of ``OPERATORS``. It runs
against the tests of its module first; the first failure kills it. What survives is put in at once
for all of `make test`, then for the slow ones; whatever fails there is tried with each alone.
Results are lines of JSON: a run that was interrupted goes on.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / ".venv/bin/python"

_GAMES = ("matrix_overload", "hackthegrid", "stacktrices", "hovercrafts")

#: Groups of modules. Each has an equal share of the mutants, and within it each of its parts.
GROUPS: dict[str, list[list[str]]] = {
    "rules": [[f"envs/cyberdeck/games/{game}"] for game in _GAMES],  # without the heuristics
    "loops and batch": [["envs/cyberdeck/engine"]],
    "adapters": [["envs/cyberdeck/api"]],
    "players and solvers": [
        [
            "envs/cyberdeck/players",
            *(f"envs/cyberdeck/games/{game}/heuristic.py" for game in _GAMES),
        ]
    ],
    "evaluation": [["envs/cyberdeck/evaluation", "envs/cyberdeck/testing"]],
    "text": [["envs/cyberdeck/text"]],
    "training": [["training/cyberdeck_training"]],
    "play": [
        ["envs/cyberdeck/play", "envs/cyberdeck/playing"],
        ["envs/cyberdeck/replay", "envs/cyberdeck/views"],
        ["envs/cyberdeck/commands", "envs/cyberdeck/drawing"],
    ],
}

#: Tests that run first, by the beginning of a module's path: the first match counts. Modules of one
#: of the suite's games have that game's.
TESTS: list[tuple[str, str]] = [
    ("envs/cyberdeck/api", "api"),
    ("envs/cyberdeck/engine", "engine api"),
    ("envs/cyberdeck/evaluation", "evaluation test_command_measure.py"),
    ("envs/cyberdeck/testing", "api evaluation"),
    ("envs/cyberdeck/players/networks", "test_networks.py test_exporting.py"),
    ("envs/cyberdeck/players/search", "test_search.py test_guided.py"),
    ("envs/cyberdeck/players/trees", "test_search.py test_guided.py test_beliefs.py"),
    ("envs/cyberdeck/players/beliefs", "test_beliefs.py"),
    ("envs/cyberdeck/players/solvers", "test_values.py evaluation hackthegrid"),
    ("envs/cyberdeck/players", "test_policies.py test_values.py test_networks.py"),
    ("envs/cyberdeck/text", "text"),
    ("envs/cyberdeck/replay", "test_replay.py test_review.py test_link.py"),
    ("envs/cyberdeck/play/", "playing text test_replay.py"),
    ("envs/cyberdeck/playing", "playing test_command_play.py"),
    ("envs/cyberdeck/commands/play", "test_command_play.py test_command.py"),
    ("envs/cyberdeck/commands", "test_command.py test_command_measure.py evaluation"),
    ("envs/cyberdeck/drawing", "test_pictures.py test_raster.py test_views.py"),
    ("envs/cyberdeck/views", "test_views.py test_notation.py"),
    ("training", "training"),
]

#: Seconds that a stage may take: a test that hangs has failed.
LONGEST = {"elsewhere": 900, "module": 900, "all": 2400, "slow": 3600}


# --- what is changed ------------------------------------------------------------------------------

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_CALCULATED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}


def change_comparison(node: ast.AST) -> ast.AST | None:
    """A comparison: < and <=, > and >=, == and !=, `is` and `is not`, `in` and `not in`."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        node.ops = [_COMPARED[type(node.ops[0])]()]
        return node
    return None


def change_calculation(node: ast.AST) -> ast.AST | None:
    """Arithmetic: + and -, * to +, / and // to *, % to //, & and |, << and >>."""
    if isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in _CALCULATED:
        if isinstance(node, ast.BinOp) and any(
            isinstance(side, (ast.Constant, ast.JoinedStr))
            and not isinstance(getattr(side, "value", ""), (int, float))
            for side in (node.left, node.right)
        ):
            return None  # words
        node.op = _CALCULATED[type(node.op)]()
        return node
    return None


def change_number(node: ast.AST) -> ast.AST | None:
    """A whole number: one more."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        node.value += 1
        return node
    return None


def change_truth(node: ast.AST) -> ast.AST | None:
    """True and False; `and` and `or`; without `not`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        node.value = not node.value
        return node
    if isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return node
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    return None


def change_condition(node: ast.AST) -> ast.AST | None:
    """The condition of an `if`: never true."""
    if isinstance(node, (ast.If, ast.IfExp)) and not isinstance(node.test, ast.Constant):
        node.test = ast.Constant(False)
        return node
    return None


def leave_out(node: ast.AST) -> ast.AST | None:
    """A statement: left out, if it is a call or an assignment to what has no name of its own."""
    if isinstance(node, ast.Expr) and isinstance(node.value, (ast.Call, ast.Await)):
        return ast.copy_location(ast.Pass(), node)
    stored = isinstance(node, ast.Assign) and not isinstance(node.targets[0], (ast.Name, ast.Tuple))
    if stored or isinstance(node, ast.AugAssign):
        return ast.copy_location(ast.Pass(), node)
    return None


def change_loop(node: ast.AST) -> ast.AST | None:
    """`break` and `continue`."""
    if isinstance(node, ast.Break):
        return ast.copy_location(ast.Continue(), node)
    if isinstance(node, ast.Continue):
        return ast.copy_location(ast.Break(), node)
    return None


def change_argument(node: ast.AST) -> ast.AST | None:
    """A call: without its last keyword argument, or with its first two arguments swapped."""
    if not isinstance(node, ast.Call):
        return None
    if node.keywords and node.keywords[-1].arg:
        node.keywords.pop()
        return node
    if len(node.args) > 1 and not any(isinstance(each, ast.Starred) for each in node.args[:2]):
        node.args[0], node.args[1] = node.args[1], node.args[0]
        return node
    return None


Operator = Callable[[ast.AST], ast.AST | None]
OPERATORS: list[Operator] = [
    change_comparison,
    change_calculation,
    change_number,
    change_truth,
    change_condition,
    leave_out,
    change_loop,
    change_argument,
]


@dataclass(frozen=True)
class Mutant:
    """One changed place: of *group*, in *path*, at *line*; *before* became *after*."""

    group: str
    path: str
    line: int
    operator: str
    start: int  # characters from the beginning of the file
    end: int
    before: str
    after: str
    further: int = 0  # characters that its lines lie further on in the commit that is tested

    @property
    def name(self) -> str:
        return f"{self.path}:{self.line}:{self.start}:{self.operator}"

    def apply(self, text: str) -> str:
        start, end = self.start + self.further, self.end + self.further
        return text[:start] + self.after + text[end:]

    def moved(self, drawn_from: str, text: str) -> Mutant | None:
        """The same in another commit's *text* of its file; None if its lines are not there."""
        old, new = (each.splitlines(keepends=True) for each in (drawn_from, text))
        first = drawn_from.count("\n", 0, self.start)
        last = drawn_from.count("\n", 0, self.end)
        for here, there, size in SequenceMatcher(None, old, new, False).get_matching_blocks():
            if here <= first and last < here + size:
                further = sum(map(len, new[:there])) - sum(map(len, old[:here]))
                return replace(self, further=further)
        return None


def places(group: str, path: str, text: str) -> Iterator[Mutant]:
    """Every mutant of a file; none in what only types, raises or says something."""
    tree = ast.parse(text)
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def at(line: int, column: int) -> int:
        text_of_line = text[starts[line - 1] : starts[line]]
        return starts[line - 1] + len(text_of_line.encode()[:column].decode())

    for node in _met(tree):
        for operator in OPERATORS:
            changed = operator(copy.deepcopy(node))
            if changed is None:
                continue
            start, end = at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)
            if isinstance(node, ast.If):  # only its head is written anew
                node, start = node.test, at(node.test.lineno, node.test.col_offset)
                end, changed = at(node.end_lineno, node.end_col_offset), ast.Constant(False)
            after = ast.unparse(ast.fix_missing_locations(changed))
            if isinstance(node, ast.expr):
                after = f"({after})"
            yield Mutant(
                group, path, node.lineno, operator.__name__, start, end, text[start:end], after
            )
            if isinstance(node, ast.expr) and operator is change_condition:
                break


def _met(node: ast.AST) -> Iterator[Any]:
    """The nodes below one that can be changed, in the order of the text."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(
                child, (ast.Raise, ast.Assert, ast.JoinedStr, ast.Import, ast.ImportFrom)
            ):
                continue
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            if isinstance(child, ast.Assign) and "TypeVar" in ast.unparse(child.value):
                continue
            if hasattr(child, "lineno"):
                yield child
            yield from _met(child)


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else list(path.rglob("*.py"))


def draw(root: Path, seed: int, count: int) -> list[Mutant]:
    """*count* mutants of the code in *root*: equal shares for groups, and for parts of a group."""
    drawn: list[Mutant] = []
    for group, parts in GROUPS.items():
        luck = random.Random(f"{seed} {group}")
        pools = []
        for part in parts:
            files = sorted(file for named in part for file in _files(root / named))
            if group == "rules":
                files = [file for file in files if file.name != "heuristic.py"]
            pool = [
                each
                for file in files
                for each in places(group, file.relative_to(root).as_posix(), file.read_text())
            ]
            luck.shuffle(pool)
            pools.append(pool)
        share = count // len(GROUPS)
        drawn += [pools[number % len(pools)].pop() for number in range(share)]
    return drawn


# --- whether a test notices -----------------------------------------------------------------------


def run(root: Path, python: Path, arguments: list[str], limit: float) -> tuple[list[str], float]:
    """What fails of pytest in *root*, the tests or what else it said, and the seconds."""
    began = time.monotonic()
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(root / name) for name in ("envs", "training", ".")),
        "HYPOTHESIS_STORAGE_DIRECTORY": str(root / ".hypothesis"),
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
    for game in _GAMES:
        if game in path.parts:
            return [f"tests/{game}", "tests/golden"]
    named = next((tests for start, tests in TESTS if mutant.path.startswith(start)), "")
    return [f"tests/{name}" for name in named.split()]


def stages(
    root: Path, mutant: Mutant, chosen: argparse.Namespace
) -> Iterator[tuple[str, Path, list[str]]]:
    """What a mutant runs against alone: a name, a Python, and pytest's arguments.

    Of tests that are not in *root*, which may be another commit, pytest would say that it failed.
    """
    room = Path(mutant.path).parts[3:4]
    for environment, *tests in chosen.elsewhere:
        own = [
            test
            for test in tests
            if room and f"/test_{Path(*room).stem}" in test and (root / test).exists()
        ]
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
            if stage not in chosen.stages:
                continue
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
    parser.add_argument("--together", type=int, default=2, help="mutants side by side")
    parser.add_argument("--stages", nargs="+", default=list(LONGEST), choices=list(LONGEST))
    parser.add_argument("--here", required=True, help="a marker: all but what runs elsewhere")
    parser.add_argument(
        "--elsewhere",
        nargs="+",
        action="append",
        default=[],
        help="an environment of the checkout's, and the tests that run there",
    )
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "mutants.jsonl")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "mutants", help="of copies")
    parser.add_argument("--list", action="store_true", help="show the mutants, run nothing")
    chosen = parser.parse_args()

    origin = copied(chosen.folder / "origin", chosen.drawn_at)
    mutants = draw(origin, chosen.seed, chosen.count)
    if chosen.list:
        for each in mutants:
            changed = f"{each.before!r} -> {each.after!r}"
            print(f"{each.group:20} {each.path}:{each.line} {each.operator}: {changed}")
        return 0
    chosen.results.parent.mkdir(parents=True, exist_ok=True)
    lines = chosen.results.read_text().splitlines() if chosen.results.exists() else []
    done = {found["name"]: found for found in map(json.loads, lines)}
    roots = [copied(chosen.folder / str(n), chosen.tests_at) for n in range(chosen.together)]
    texts = [[_text(root / each.path) for root in (origin, roots[0])] for each in mutants]
    moved = [each.moved(*both) for each, both in zip(mutants, texts, strict=True)]
    mutants = [each for each in moved if each]
    print(f"{len(moved) - len(mutants)} are in lines that the tested commit does not have")

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
    with ThreadPoolExecutor(chosen.together) as pool:
        list(pool.map(work, [each for each in mutants if each.name not in done]))
    for stage in ("all", "slow"):
        alive = [each for each in mutants if not done[each.name]["killed"]]
        left = [each for each in alive if stage not in done[each.name]["seconds"]]
        if stage not in chosen.stages or not left:
            continue
        began = time.monotonic()
        killed_by = try_together(roots[0], left, stage, chosen)
        took = round((time.monotonic() - began) / len(left), 1)
        for each in left:
            result, by = done[each.name], killed_by.get(each.name, "")
            seconds = {**result["seconds"], stage: took}
            note({**result, "killed": stage if by else "", "by": by, "seconds": seconds})
    for group in GROUPS:
        found = [done[each.name] for each in mutants if each.group == group]
        killed = [e["killed"] for e in found]
        print(
            f"{group:20} {len(found):4} mutants, {sum(map(bool, killed)):4} killed: "
            + ", ".join(f"{killed.count(s)} by {s}" for s in ("module", "elsewhere", "all", "slow"))
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
