"""Compiling: lazily, cached where it can be, never stale, and with many processes at once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import cyberdeck
from cyberdeck.engine.loops import loops_of
from cyberdeck.players.trees import search_loop

PACKAGE = Path(cyberdeck.__file__).parent

#: One compiled loop, the one that is quickest to compile, with kernels of two other files in it.
DRAW = (
    "import numpy as np; from cyberdeck.engine import registry;"
    "from cyberdeck.engine.loops import loops_of;"
    "states = np.zeros(1, registry.game('hackthegrid').dtype);"
    "loops_of(registry.game('hackthegrid')).resample(states, 0, 0, np.uint64(7));"
    "print(states.tobytes().hex())"
)
#: Those that a whole game takes.
PLAY = (
    "import cyberdeck; b = cyberdeck.Batch('hackthegrid', 4, seed=0);"
    "[b.step(b.choose('random')) for _ in range(20)]; print(b.core.states.tobytes().hex())"
)


def run(code: str, *, path: Path | None = None, **environment: str) -> str:
    """Run *code* in a fresh process and return what it printed."""
    env = {**os.environ, "PYTHONPATH": str(path or PACKAGE.parent), **environment}
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


def test_import_is_light() -> None:
    """Importing compiles nothing and brings in no learning or window library, and no drawing."""
    code = (
        "import sys, cyberdeck, gymnasium;"
        "gymnasium.make('cyberdeck/MatrixOverload-v0');"
        "heavy = {'torch', 'pygame', 'stable_baselines3', 'PIL', 'resvg_py', 'tkinter'};"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules);"
        "from cyberdeck.engine import registry; from cyberdeck.engine.loops import loops_of;"
        "loops = [each for n in registry.GAMES"
        "         for each in vars(loops_of(registry.game(n))).values()];"
        "kernels = [getattr(registry.game(n).kernels, f) for n in registry.GAMES"
        "           for f in registry.game(n).kernels.__dataclass_fields__];"
        "print(sum(len(k.signatures) for k in loops + kernels))"
    )
    assert run(code) == "0"


def test_second_process_finds_the_compiled_code(tmp_path: Path) -> None:
    count = (
        "from cyberdeck.engine import registry; from cyberdeck.engine.loops import loops_of;"
        "l = loops_of(registry.game('hackthegrid'));"
        "print(sum(sum(getattr(l, f).stats.cache_misses.values())"
        "          for f in ('begin', 'advance', 'choose', 'first_illegal')))"
    )
    first = run(PLAY + ";" + count, CYBERDECK_CACHE_DIR=str(tmp_path)).split()
    second = run(PLAY + ";" + count, CYBERDECK_CACHE_DIR=str(tmp_path)).split()
    assert first[0] == second[0]
    assert int(first[1]) == 4
    assert int(second[1]) == 0


def test_several_processes_start_at_once(tmp_path: Path) -> None:
    """Four processes race for an empty cache; all draw the same, and so does a fifth."""
    env = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "CYBERDECK_CACHE_DIR": str(tmp_path)}
    racing = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", DRAW],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    played = set()
    for process in racing:
        out, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        played.add(out.strip())
    played.add(run(DRAW, CYBERDECK_CACHE_DIR=str(tmp_path)))
    assert len(played) == 1


def test_an_edit_in_a_kernel_file_is_never_answered_by_stale_code(tmp_path: Path) -> None:
    """The rules call the dice: after an edit of the dice the old loops must not be found."""
    package = tmp_path / "copy" / "cyberdeck"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    # Python's own cache of byte code would be fooled by the same size and date.
    fresh = {"CYBERDECK_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    before = run(DRAW, path=package.parent, **fresh)
    edited = package / "engine" / "dice.py"
    text = edited.read_text()
    changed = text.replace("0x94D049BB133111EB", "0x94D049BB133111ED")
    assert changed != text
    status = edited.stat()
    edited.write_text(changed)
    os.utime(edited, ns=(status.st_atime_ns, status.st_mtime_ns))  # not even a newer date
    after = run(DRAW, path=package.parent, **fresh)
    assert after != before
    edited.write_text(text)
    assert run(DRAW, path=package.parent, **fresh) == before


def test_it_works_where_nothing_can_be_written(tmp_path: Path) -> None:
    """A read-only install, no home folder, no cache folder: it compiles anew and plays the same."""
    not_a_folder = tmp_path / "file"
    not_a_folder.write_text("")
    expected = run(DRAW)
    assert run(DRAW, CYBERDECK_CACHE_DIR=str(not_a_folder)) == expected
    nowhere = "from cyberdeck.engine import kernels; print(kernels.cache_folder())"
    assert run(nowhere, CYBERDECK_CACHE_DIR=str(not_a_folder)) == "None"


def test_a_damaged_cache_is_as_good_as_none(tmp_path: Path) -> None:
    expected = run(DRAW, CYBERDECK_CACHE_DIR=str(tmp_path))
    files = list(tmp_path.rglob("*.nb?"))
    assert files
    for file in files:
        file.write_bytes(file.read_bytes()[:40])
    assert run(DRAW, CYBERDECK_CACHE_DIR=str(tmp_path)) == expected


def test_code_comes_from_nowhere_that_others_can_write(tmp_path: Path) -> None:
    """A folder of the user's choice keeps its permissions; the one in it is private, or unused."""
    shared = tmp_path / "cache"
    shared.mkdir()
    shared.chmod(0o777)
    where = "from cyberdeck.engine import kernels; print(kernels.cache_folder())"
    folder = Path(run(where, CYBERDECK_CACHE_DIR=str(shared)))
    assert folder.parent == shared
    assert shared.stat().st_mode & 0o777 == 0o777
    assert folder.stat().st_mode & 0o077 == 0
    folder.chmod(0o777)
    assert run(where, CYBERDECK_CACHE_DIR=str(shared)) == "None"


def test_an_edit_while_a_process_runs_does_not_reach_the_cache(tmp_path: Path) -> None:
    """What was imported before the edit is compiled after it: it must not count as the new."""
    package = tmp_path / "copy" / "cyberdeck"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    edited = package / "engine" / "dice.py"
    late = (
        "import cyberdeck, pathlib; p = pathlib.Path(cyberdeck.__file__).parent/'engine'/'dice.py';"
        "p.write_text(p.read_text().replace('0x94D049BB133111EB', '0x94D049BB133111ED'));"
    )
    fresh = {"CYBERDECK_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    old = run(late + DRAW, path=package.parent, **fresh)
    assert "133111ED" in edited.read_text()
    new = run(DRAW, path=package.parent, **fresh)
    alone = run(DRAW, path=package.parent, **fresh | {"CYBERDECK_CACHE_DIR": str(tmp_path / "b")})
    assert new == alone
    assert new != old


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
        for loop in [
            *vars(loops_of(cyberdeck.game(name))).values(),
            search_loop(cyberdeck.game(name)),
        ]:
            found[id(loop)] = loop
            inner_kernels(loop.py_func, found)
    names = [(k.py_func.__module__, k.py_func.__qualname__) for k in found.values()]
    assert len(names) > 200
    assert sorted(names) == sorted(set(names))
