"""The changes of ``tools.mutants``: each makes another program of one place in a file."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

_ALIKE: list[tuple[type[ast.cmpop], type[ast.cmpop]]] = [
    (ast.Lt, ast.LtE),
    (ast.Gt, ast.GtE),
    (ast.Eq, ast.NotEq),
    (ast.Is, ast.IsNot),
    (ast.In, ast.NotIn),
]
_COMPARED = {one: other for pair in _ALIKE for one, other in (pair, pair[::-1])}
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
