"""What `make check` holds besides types and style: which modules name which, and lengths.

A module that names another in a text, to import it later, uses it as well: it may name only what
lies below it (the layers of pyproject.toml). import-linter cannot see that. Files have at most 450
lines, functions 80 besides their docstrings, and functions with others inside 100; what may be
longer says why here.

    python -m tools.structure
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
FILE, FUNCTION, CLOSURE = 450, 80, 100

#: What may be longer than it should be: "path" or "path:function" -> why.
LONGER: Final[dict[str, str]] = {}

_MODULE = re.compile(r"\bcyberdeck(?:_training)?(?:\.[a-z_0-9]+)+")


def main() -> int:
    """Print what does not hold; how many things there are."""
    sources = {
        path: ast.parse(path.read_text("utf-8"))
        for folder in ("envs", "training")
        for path in sorted((ROOT / folder).rglob("*.py"))
    }
    faults = [*find_arrows(sources), *find_lengths(sources)]
    print("\n".join(faults) or "no arrow upwards in a text, no file or function too long")
    return min(len(faults), 1)


def find_arrows(sources: dict[Path, ast.Module]) -> Iterator[str]:
    """Modules that name one of a layer above theirs in a text."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (layers,) = (
        contract["layers"]
        for contract in settings["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
    )
    height = {
        room.strip(): -number for number, line in enumerate(layers) for room in line.split(":")
    }
    modules = {name_of(path): tree for path, tree in sources.items()}
    for module, tree in modules.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            if "\n" in node.value or " " in node.value:  # prose for people
                continue
            for named in _MODULE.findall(node.value):
                own, other = room_of(module), room_of(named)
                if height.get(other, -99) > height.get(own, 99):
                    yield f"{module}:{node.lineno} names {named}, which lies above it"


def find_lengths(sources: dict[Path, ast.Module]) -> Iterator[str]:
    """Files and functions that are longer than they should be, and reasons that nothing needs."""
    needless = dict(LONGER)
    for path, tree in sources.items():
        place = path.relative_to(ROOT).as_posix()
        long = [(place, len(path.read_text("utf-8").splitlines()), FILE)]
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                inside = [each for each in ast.walk(node) if isinstance(each, ast.FunctionDef)]
                lines = length(node) - sum(map(docstring, inside))
                long.append((f"{place}:{node.name}", lines, CLOSURE if inside[1:] else FUNCTION))
        for what, lines, most in long:
            if lines > most and needless.pop(what, None) is None:
                yield f"{what} has {lines} lines: {most} are the most"
    for what in needless:
        yield f"{what} is not too long: take it out of LONGER"


def length(node: ast.stmt) -> int:
    """The lines of a statement."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def docstring(function: ast.FunctionDef) -> int:
    """The lines of a function's docstring."""
    return length(function.body[0]) if ast.get_docstring(function) else 0


def name_of(path: Path) -> str:
    """The dotted name of a module."""
    parts = path.relative_to(ROOT).with_suffix("").parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """The layer that a module belongs to."""
    parts = module.split(".")
    return ".".join(parts[: 1 if parts[0] == "cyberdeck_training" else 2])


if __name__ == "__main__":
    sys.exit(main())
