"""Compiling: lazily, cached where it can be, never stale, and with many processes at once."""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cyberdeck
from cyberdeck.engine import jit
from cyberdeck.engine.fingerprint import fingerprint
from cyberdeck.engine.game_loops import loops_of
from cyberdeck.players.trees.guiding import guide_loop
from cyberdeck.players.trees.searching import search_loop

EXAMPLES = Path(__file__).parents[2] / "examples" / "games"

#: A loop in files of somebody's own, which compiles in a moment: it calls a kernel of the same
#: file, one of another and one of the package, and reads a table of a third.
FILES = {
    "loop.py": """
        import numpy as np
        from cyberdeck.engine import dice
        from cyberdeck.engine.arguments import Array
        from cyberdeck.engine.kernels import kernel, kernel_of, loop_of
        from helper import weighed

        @kernel
        def winner(state):
            '''Who wins.'''
            return state % 2  # the odd ones

        @loop_of("own", states=Array(np.uint64, "N"))
        def count(states):
            total = 0
            for at in range(len(states)):
                total += weighed(winner(states[at])) + dice.scaled(states[at], 3)
            return total
        """,
    "helper.py": """
        from cyberdeck.engine.kernels import kernel
        import tables

        @kernel
        def weighed(seat):
            return 10 * tables.WORTH[seat]
        """,
    "tables.py": """
        import numpy as np

        WORTH = np.array([1, 2])
        TITLE = "not read by any kernel"

        def drawing():
            return "<svg/>"
        """,
}
#: What the loop makes of the numbers from 0 to 5.
MADE = 3 * 10 + 3 * 20
#: It prints that, and how often the loop was compiled for it.
COUNT = "from tests.engine.test_kernels import count; import loop; print(*count(loop))"


def run(code: str, *, path: Path | None = None, **environment: str) -> str:
    """Run *code* in a fresh process and return what it printed."""
    here = [Path(cyberdeck.__file__).parents[1], Path(__file__).parents[2]]
    folders = [str(folder) for folder in (*here, *([path] if path else []))]
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(folders),
        # Python's own cache of byte code is fooled by an edit of the same size and date.
        "PYTHONDONTWRITEBYTECODE": "1",
        **environment,
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with those files; what is compiled is kept beside it."""
    folder = tmp_path / "own"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(textwrap.dedent(text).lstrip())
    (folder / "tictactoe.py").write_text((EXAMPLES / "tictactoe.py").read_text())
    monkeypatch.setenv("CYBERDECK_CACHE_DIR", str(tmp_path / "cache"))
    return folder


@contextlib.contextmanager
def imported(own: Path, name: str = "loop") -> Iterator[Any]:
    """A module of that folder, as a new process would import it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(own)
        patch.setattr(sys, "dont_write_bytecode", True)
        try:
            yield importlib.import_module(name)
        finally:
            for each in own.glob("*.py"):
                sys.modules.pop(each.stem, None)


def count(loop: Any) -> tuple[int, int]:
    """What the loop makes of its numbers, and how often it was compiled for it."""
    made = loop.count(np.arange(6, dtype=np.uint64))
    return int(made), sum(loop.count.compiled.stats.cache_misses.values())


def counted(own: Path) -> tuple[int, int]:
    with imported(own) as loop:
        return count(loop)


def edit(file: Path, old: str, new: str) -> None:
    """An edit of the same size, if need be, and no newer date."""
    text, status = file.read_text(), file.stat()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


# --- when it compiles ----------------------------------------------------------------------------


def test_import_is_light() -> None:
    """Importing brings in no compiler, no learning or window library, no drawing, and nothing that
    only evaluation needs.
    """
    code = (
        "import sys, cyberdeck, gymnasium; assert 'numba' not in sys.modules;"
        "gymnasium.make('cyberdeck/MatrixOverload-v0');"
        "heavy = {'torch', 'pygame', 'stable_baselines3', 'PIL', 'pillow_lunasvg', 'tkinter'};"
        "heavy.add('cyberdeck.evaluation');"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules);"
        "assert all(callable(getattr(cyberdeck, name)) for name in ('evaluate', 'tournament'));"
        "from cyberdeck.engine import registry; from cyberdeck.engine.game_loops import loops_of;"
        "loops = [each for n in registry.GAMES"
        "         for each in vars(loops_of(registry.game(n))).values()];"
        "kernels = [each for n in registry.GAMES"
        "           for each in vars(registry.game(n).kernels).values()];"
        "print(sum(len(loop.signatures) for loop in loops),"
        "      sum('dispatcher' in vars(kernel) for kernel in kernels))"
    )
    assert run(code) == "0 0"


def test_another_process_finds_what_was_compiled(own: Path) -> None:
    assert counted(own) == (MADE, 1)
    assert run(COUNT, path=own) == f"{MADE} 0"


#: One of three workers. Whoever has compiled the beginning is the last to make a step. It prints
#: what those who wait are told, and how often the loops were compiled for it.
WORKER = """
import os, pathlib, sys, time, cyberdeck, gymnasium, tictactoe
from cyberdeck.engine import compiling
from cyberdeck.engine.game_loops import loops_of

compiling.PATIENCE, sys.stderr = 0.0, sys.stdout
cyberdeck.register(tictactoe.GAME)
env = gymnasium.make("cyberdeck/Tictactoe-v0")
loops, here = loops_of(tictactoe.GAME), pathlib.Path(tictactoe.__file__).parent

def compiled():
    used = loops.begin, loops.advance, loops.first_illegal
    return [sum(loop.stats.cache_misses.values()) for loop in used]

def all_at(place):
    (here / f"{place}-{os.getpid()}").touch()
    while len(list(here.glob(f"{place}-*"))) < 3:
        time.sleep(0.01)

all_at("reset")
_, info = env.reset(seed=0)
all_at("step")
time.sleep(compiled()[0])
env.step(info["action_mask"].argmax())
print(*compiled())
"""


@pytest.mark.slow
def test_who_compiles_the_beginning_compiles_the_first_step_with_it(own: Path) -> None:
    """The others wait for both at once, and load them; each is told of it once."""
    with ThreadPoolExecutor(3) as racing:
        workers = [racing.submit(run, WORKER, path=own) for _ in range(3)]
        told = sorted(worker.result().splitlines() for worker in workers)
    waited = ["cyberdeck: waiting for another process, which compiles tictactoe", "0 0 0"]
    assert told[1:] == [waited, waited]
    (line, counts), _, _ = told
    assert re.fullmatch(r"cyberdeck: compiling tictactoe \(about \d+ s, only once\)", line)
    assert counts == "1 1 1"


def test_a_process_that_is_killed_while_it_compiles_keeps_nobody_waiting(own: Path) -> None:
    killed = (
        "import os; from cyberdeck.engine import compiling;"
        "compiling.announced = lambda *_: os._exit(0);"  # it has the lock by then
    )
    assert run(killed + COUNT, path=own) == ""
    assert counted(own) == (MADE, 1)


def test_it_works_where_nothing_can_be_written(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A read-only install, no home folder, no cache folder: it compiles anew, to the same."""
    monkeypatch.setenv("CYBERDECK_CACHE_DIR", str(own / "loop.py"))  # which is no folder
    assert counted(own) == (MADE, 1)
    assert counted(own) == (MADE, 1)
    assert jit.cache_folder() is None


def test_a_damaged_cache_is_as_good_as_none(own: Path) -> None:
    assert counted(own) == (MADE, 1)
    files = list((own.parent / "cache").rglob("*.nb?"))
    assert len(files) == 2
    for file in files:
        file.write_bytes(file.read_bytes()[:40])
    assert counted(own) == (MADE, 1)


def folder_in(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path | None:
    monkeypatch.setenv("CYBERDECK_CACHE_DIR", str(place))
    return jit.cache_folder()


def test_code_comes_from_nowhere_that_others_can_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor from below such a place, where they could put a folder of theirs."""
    chosen = tmp_path / "shared" / "cache"
    folder = folder_in(chosen, monkeypatch)
    assert folder is not None
    assert folder.parent == chosen
    assert folder.stat().st_mode & 0o077 == 0
    for place in (folder, chosen, chosen.parent):
        for mode in (0o770, 0o707):
            place.chmod(mode)
            with pytest.warns(UserWarning, match=f"others can change what is in {place};"):
                assert folder_in(chosen, monkeypatch) is None
        place.chmod(0o700)
        if os.geteuid() == 0:  # only root gives away files
            os.chown(place, 65534, -1)
            with pytest.warns(UserWarning, match="is not used"):
                assert folder_in(chosen, monkeypatch) is None
            os.chown(place, 0, -1)
    assert folder_in(chosen, monkeypatch) == folder
    chosen.parent.chmod(0o1777)  # as /tmp is
    assert folder_in(chosen, monkeypatch) == folder
    # A link that others could turn leads to where it led at first.
    (tmp_path / "link").symlink_to("shared")
    assert folder_in(tmp_path / "link" / "cache", monkeypatch) == folder


@pytest.mark.filterwarnings("ignore:.*is not used:UserWarning")
def test_a_folder_that_has_become_unsafe_is_left_alone(own: Path) -> None:
    """The same process neither loads from it nor writes to it any more."""
    cache = own.parent / "cache"
    for kept in (0, 2):
        with imported(own) as loop:
            assert loop.count.compiled is not None
            cache.chmod(0o777)
            assert count(loop) == (MADE, 1)
        assert len(list(cache.rglob("*.nb?"))) == kept
        cache.chmod(0o700)
        counted(own)


# --- stale code never runs -----------------------------------------------------------------------


def made_from(own: Path) -> str:
    """The fingerprint of the loop as a new process would import it."""
    with imported(own) as loop:
        return fingerprint(loop.count.function)


def test_an_edit_counts_where_a_kernel_reads_it_and_nowhere_else(own: Path) -> None:
    """And when it is taken back, the old code is found again."""
    assert counted(own) == (MADE, 1)
    edit(own / "loop.py", "@kernel", "# A kernel\n@kernel")
    edit(own / "tables.py", '"<svg/>"', '"<svg></svg>"')
    assert counted(own) == (MADE, 0)
    edit(own / "helper.py", "10 *", "20 *")
    assert counted(own) == (2 * MADE, 1)
    edit(own / "helper.py", "20 *", "10 *")
    assert counted(own) == (MADE, 0)


@pytest.mark.parametrize(
    ("file", "old", "new", "counts"),
    [
        ("loop.py", "state % 2", "state % 3", True),
        ("loop.py", "states[at], 3)", "states[at], 9)", True),
        ("loop.py", "@kernel", "@kernel_of('own', inline='always')", True),
        ("helper.py", "return 10 * tables.WORTH[seat]", "return 10 * tables.WORTH[seat] * 1", True),
        ("tables.py", "[1, 2]", "[1, 3]", True),
        ("tables.py", "[1, 2]", "[1.0, 2.0]", True),
        ("loop.py", "# the odd ones", "# those that are not even", False),
        ("loop.py", "Who wins.", "The seat that wins.", False),
        ("helper.py", "@kernel", "\n\n@kernel", False),
        ("tables.py", "not read by", "of no interest to", False),
    ],
)
def test_what_a_kernel_reads_counts_whatever_file_it_is_in_and_nothing_else_does(
    own: Path, file: str, old: str, new: str, counts: bool
) -> None:
    before = made_from(own)
    edit(own / file, old, new)
    assert (made_from(own) != before) == counts
    edit(own / file, new, old)
    assert made_from(own) == before


def test_an_edit_while_a_process_runs_does_not_reach_the_cache(own: Path) -> None:
    """What was imported before the edit is compiled after it: it must not count as the new."""
    with imported(own) as loop:
        edit(own / "helper.py", "10 *", "20 *")
        assert count(loop) == (MADE, 1)
    assert counted(own) == (2 * MADE, 1)


def test_a_table_that_is_written_to_before_the_first_call_does_not_reach_the_cache(
    own: Path,
) -> None:
    with imported(own) as loop:
        assert loop.count.compiled is not None  # it compiles later
        sys.modules["tables"].WORTH[0] = 4
        assert count(loop) == (3 * 40 + 3 * 20, 1)
    assert counted(own) == (MADE, 1)


def test_the_rules_of_a_game_in_a_file_of_its_own_are_never_stale(own: Path) -> None:
    """The winner inverted: three in a row lose, also for whoever finds the old code."""

    def last_move() -> tuple[list[float], str]:
        with imported(own, "tictactoe") as made:
            state = np.zeros(1, made.GAME.dtype)
            state["board"], state["decisions"] = [0, 0, -1, 1, 1, -1, -1, -1, -1], 4
            made.GAME.kernels.act(state[0], 2)
            loop: Any = loops_of(made.GAME).advance
            return state["reward"][0].tolist(), fingerprint(loop.py_func)

    reward, letters = last_move()
    assert reward == [1.0, -1.0]
    edit(own / "tictactoe.py", "win(state, seat, WON)", "win(state, 1 - seat, WON)")
    reward, others = last_move()
    assert reward == [-1.0, 1.0]
    assert letters != others


def test_functions_that_call_each_other_have_a_fingerprint() -> None:
    def even(n: int) -> bool:
        return n == 0 or odd(n - 1)

    def odd(n: int) -> bool:
        return n != 0 and even(n - 1)

    assert fingerprint(even) == fingerprint(even) != fingerprint(odd)


# --- names ---------------------------------------------------------------------------------------


def inner_kernels(function: Any, found: dict[int, Any]) -> None:
    """Every compiled function that *function* reaches by its closure or its globals."""
    code = function.__code__
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    values = [function.__globals__.get(name) for name in code.co_names]
    for value in [*cells, *values]:
        if hasattr(value, "py_func") and id(value) not in found:
            found[id(value)] = value
            inner_kernels(value.py_func, found)


def test_no_two_kernels_have_one_name() -> None:
    """Numba tells compiled code apart by it, also between processes."""
    found: dict[int, Any] = {}
    for name in cyberdeck.GAMES:
        game = cyberdeck.game(name)
        for loop in [*vars(loops_of(game)).values(), search_loop(game), guide_loop(game)]:
            found[id(loop)] = loop
            inner_kernels(loop.py_func, found)
    names = [(k.py_func.__module__, k.py_func.__qualname__) for k in found.values()]
    assert len(names) > 200
    assert sorted(names) == sorted(set(names))
