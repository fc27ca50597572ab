"""What no kernel may hold is refused at once, and what cannot be compiled in words for its author.

Each error says the file, the line, the kernel, what is wrong, what to do, and where to read more.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import cyberdeck
from cyberdeck.api.registration import load_file
from cyberdeck.engine.mistakes import explained
from cyberdeck.errors import KernelError, OptionError
from tests.engine.games import edited

pytestmark = pytest.mark.compiled

PAGE = '(docs/write/first_game.md, "Rules for kernels")'

#: The top of a file that has one of these kernels.
TOP = """
import json
import math
import numpy as np
from cyberdeck import dice, kernel

COUNT = 0
TABLE = [1, 2, 3]

def plain(number):
    return number + 1

@kernel
def added(one, other):
    return one + other

@kernel
def deeper(state):
    state.cup[0] = np.zeros(3)[0]  # below

@kernel
"""
NEW = "compiled code has none: use a field of the state, or a NumPy table at the file's top"
#: What is written in a kernel -> why that is no kernel.
REFUSED = {
    "global COUNT; COUNT += 1": "it writes to the global COUNT, and kernels keep nothing outside",
    "assert action < 1": "it raises (raise, assert), and kernels raise nothing: what must hold of",
    "yield action": "it is a generator: a kernel has no yield and no async",
    "x = sum(n for n in range(3))": "it is a generator: a kernel has no yield and no async",
    "x = lambda n: n": "it makes a function: write that above the kernel, with @kernel of its own",
    "x = [action]": f"it makes a list, and {NEW}",
    "x = [n for n in range(3)]": f"it makes a list, and {NEW}",
    "x = {action}": f"it makes a set, and {NEW}",
    "x = {1: action}": f"it makes a dict, and {NEW}",
    "x = f'{action}'": "it makes a text, and compiled code has none: texts are for `text` and",
    "import random": "it imports: do that at the file's top",
    "class Thing: pass": "it makes a class: a kernel is made of numbers and arrays",
    "x = action; del x": "it deletes a name with del: leave that out",
}

WHOLE = "state.cup is compared or computed with as a whole: kernels go through arrays element by"
NUMBA = "cannot be compiled: write it with numbers and loops; numba says: "

#: What is written in a kernel -> why it cannot be compiled.
UNCOMPILED = {
    "state.cup[0] = COUMT": "there is no 'COUMT': write it at the file's top",
    "state.cups[0] = 1": "there is no field state.cups (did you mean cup?)",
    "state.nothing = 1": "there is no field state.nothing; there are: dice, left, cup",
    "x = np.zeros(3)": "np.zeros makes a new array: write into the state's fields, element by",
    "x = state.cup + 1": WHOLE,
    "x = str(action)": "str is nothing that compiled code knows: kernels use numbers, tuples",
    "x = json.dumps(action)": "dumps is a Python function and no kernel: write @kernel above it",
    "x = plain(action)": "plain is a Python function and no kernel: write @kernel above it",
    "x = TABLE[action]": "TABLE is a list: make it a NumPy array, TABLE = np.array(...), or",
    "x = math.bogus(2)": "there is no math.bogus",
    "x = dice.bellow(state, 2)": "there is no dice.bellow (did you mean below?)",
    "state.left = x; x = 1": "cannot access local variable 'x' where it is not associated with a",
    "x = (state.cup if action else 1) is None": (
        f"x = (state.cup if action else 1) is None {NUMBA}Cannot unify"
    ),
    "state.cup.append(1)": "AttributeError: 'numpy.ndarray' object has no attribute 'append'",
    "state.left = None": "a NoneType is written to state.left: it is no number",
    "state.cup[0, 0] = 1": "2 indexes are too many for state.cup, which has 1 dimension",
}


def module_of(text: str, folder: Path) -> ModuleType:
    """A file of somebody's own, loaded."""
    file = folder / "own_game.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location("own_game", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def record() -> np.ndarray:
    return np.zeros(1, [("dice", np.uint64), ("left", np.int8), ("cup", np.int8, (4,))])


def written(*lines: str) -> tuple[str, int]:
    """A file whose kernel ``act`` has these lines, and the number of the last."""
    text = TOP + "\n    ".join(["def act(state, action):", "state.left = 0", *lines, ""]).rstrip(
        " "
    )
    return text, text.count("\n")


@pytest.mark.parametrize("line", REFUSED)
def test_what_no_kernel_may_hold_is_refused_where_kernel_is_written(
    line: str, tmp_path: Path
) -> None:
    text, number = written(line)
    with pytest.raises(KernelError) as refused:
        module_of(text, tmp_path)
    expected = f"own_game.py, line {number}, in act: {REFUSED[line]}"
    if "yield" in line:  # Python knows it from the first line
        expected = expected.replace(f"line {number},", f"line {number - 3},")
    assert str(refused.value).startswith(expected)
    assert str(refused.value).endswith(PAGE)


@pytest.mark.parametrize("line", UNCOMPILED)
def test_what_cannot_be_compiled_is_told_with_its_line_and_a_cure(
    line: str, tmp_path: Path, record: np.ndarray
) -> None:
    text, number = written(line)
    act = module_of(text, tmp_path).act
    with pytest.raises(KernelError) as refused:
        act(record[0], 1)
    said = str(refused.value)
    assert said.startswith(f"own_game.py, line {number}, in act: {UNCOMPILED[line]}")
    assert said.endswith(PAGE)


#: What is written in several lines -> why that cannot be compiled.
LONGER = [
    (
        ["if action:", "    x = 1", "else:", "    x = state.cup", "state.left = x"],
        "state.left = x cannot be compiled: .* numba says: Cannot unify",
    ),
    (
        ["try:", "    state.left = 1", "except ValueError:", "    state.left = 2"],
        "it has try or with, and nothing in a kernel r",
    ),
    (["with open('x'):", "    state.left = 1"], "it has try or with, and nothing in a kernel r"),
]


@pytest.mark.parametrize(("lines", "why"), LONGER)
def test_of_several_lines_one_is_named(
    lines: list[str], why: str, tmp_path: Path, record: np.ndarray
) -> None:
    text, last = written(*lines)
    with pytest.raises(KernelError, match=f"in act: {why}") as refused:
        module_of(text, tmp_path).act(record[0], 1)
    number = int(str(refused.value).split()[2].strip(","))
    assert last - len(lines) < number <= last


def test_the_innermost_kernel_of_the_author_is_named(tmp_path: Path, record: np.ndarray) -> None:
    """Not the one that calls it, nor what it calls in the package or in numba."""
    text, last = written("deeper(state)")
    below = text.partition("# below")[0].count("\n") + 1
    act = module_of(text, tmp_path).act
    with pytest.raises(
        KernelError, match=rf"^own_game\.py, line {below}, in deeper: np\.zeros makes"
    ):
        act(record[0], 1)
    for line in (
        "dice.shuffle(state, action, 0, 2)",
        "if not action: dice.shuffle(state, 1, 0, 2)",
    ):
        text, last = written(line)
        act = module_of(text, tmp_path).act
        with pytest.raises(KernelError, match=rf"^own_game\.py, line {last}, in act: "):
            act(record[0], 1)


RIGHT = """
    for number in [1, 2, action]:
        if number in [1, 2] and not number in (3, 4):
            state.left += number
    both = (action, *(1, 2))
    state.left += both[2]
    match action:
        case 1:
            state.left += 1
        case _:
            state.left += 2
    if (least := action) > 0:
        state.left += added(*(least, 1)) + added(one=1, other=2)
    state.cup[:2] = (1, 2)
    state.cup += 1
    text = "a"
    if text == "a" and state.cup.sum() > 0:
        print("it may be looked at", action)
"""


def test_what_can_be_compiled_is_not_refused(
    tmp_path: Path, record: np.ndarray, capfd: pytest.CaptureFixture[str]
) -> None:
    act = module_of(written(*RIGHT.strip().split("\n    "))[0], tmp_path).act
    act(record[0], 1)
    assert (int(record["left"][0]), record["cup"][0].tolist()) == (
        4 + 2 + 1 + 5,
        [2, 3, 1, 1],
    )
    assert capfd.readouterr().out == "it may be looked at 1\n"


def test_a_game_that_cannot_be_compiled_is_told_by_its_own_line(tmp_path: Path) -> None:
    """Its kernels are inside those of the package, and these in loops."""
    told = "state.board[action] = np.array((seat, 0))[0]"
    file = edited(tmp_path, "tictactoe", "state.board[action] = seat", told, name="making")
    number = file.read_text().partition(told)[0].count("\n") + 1
    game = load_file(file)
    with pytest.raises(
        KernelError, match=rf"^making\.py, line {number}, in act: np\.array makes a"
    ):
        cyberdeck.Batch(game.name, 1, seed=0).step([0])


def test_other_errors_are_told_with_what_numba_says_if_they_are_numba_s(tmp_path: Path) -> None:
    act = module_of(written("state.left = 1")[0], tmp_path).act
    nowhere = "^a kernel of own: something in it cannot be compiled: .* numba says: odd"
    with pytest.raises(KernelError, match=nowhere), explained("own", act.py_func):
        raise NotImplementedError("odd")
    for error in (OSError("the disk is full"), MemoryError(), OptionError("another")):
        with pytest.raises(type(error)) as raised, explained("own", act.py_func):
            raise error
        assert raised.value is error
