"""When the library is taken, and what is said where neither it nor numba can be."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import cyberdeck
from cyberdeck import Batch, Variant
from cyberdeck.api.registration import ENVIRONMENT, load_file
from cyberdeck.engine import native
from cyberdeck.engine.contract import Game
from cyberdeck.engine.defaults import any_legal, report_nothing
from cyberdeck.engine.game_loops import compiled_loops, loops_of
from cyberdeck.engine.record import Field
from cyberdeck.errors import install
from cyberdeck.players.search import Search
from tests.engine.test_threads import course as course_of


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run *code* in a process that has the library, and no numba."""
    folder = str(Path(native.library().__file__).parent)
    first = (
        "import sys; sys.modules['numba'] = None;"
        f"import cyberdeck.engine; cyberdeck.engine.__path__.append({folder!r});"
    )
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", first + code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )


def test_where_the_sources_differ_numba_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "stamp", lambda: "of other sources")
    monkeypatch.setattr(native, "library", native.library.__wrapped__)
    loops = compiled_loops.__wrapped__(cyberdeck.game("hackthegrid"))
    assert all(hasattr(loop, "py_func") for loop in vars(loops).values())


def test_where_they_differ_and_there_is_no_numba_that_is_said() -> None:
    done = run(
        "from cyberdeck.engine import native; native.stamp = lambda: 'other';"
        "import cyberdeck; cyberdeck.Batch('hackthegrid', 1)"
    )
    assert done.stderr.splitlines()[-1] == (
        "cyberdeck.errors.KernelError: hackthegrid has to be compiled, and numba, which does that, "
        f"is not installed: {install('jit')} (what was compiled with this package is of "
        "other sources than those installed)"
    )


def test_no_game_of_the_suite_needs_it() -> None:
    """Nor do its search, its words and its pictures; and nothing is kept on the disk."""
    done = run(
        """
import cyberdeck, gymnasium, numpy as np
from cyberdeck.players.search import Search
for name in cyberdeck.GAMES:
    env = gymnasium.make(cyberdeck.game(name).gym_id, render_mode="ansi")
    _, info = env.reset(seed=1)
    for _ in range(30):
        action = int(np.flatnonzero(info["action_mask"])[-1])
        _, _, terminated, truncated, info = env.step(action)
        assert env.render()
        if terminated or truncated:
            break
    batch = cyberdeck.Batch(name, 2, seed=0)
    batch.step(batch.choose(Search(10)))
    assert batch.svg(0)
print("numba" in [name for name, module in sys.modules.items() if module])
""",
        CYBERDECK_CACHE_DIR="/nowhere",
    )
    assert done.stdout.strip() == "False", done.stderr


#: So short that only the ways are seen, each once: who teaches, who plays, what is seen.
SHORT = (
    "num_envs=8 n_steps=16 batch_size=64 n_epochs=1 threads=1 total_timesteps=128 "
    "evaluation.every=1000 evaluation.deals=1 evaluation.final_deals=1"
)
LEARNED = f"""
train matrix_overload {SHORT} algorithm=dagger dagger.expert=sampler:decks=2 dagger.timesteps=128
train hackthegrid {SHORT} algorithm=dagger dagger.expert=search:iterations=5 dagger.timesteps=128
train hackthegrid-ppo {SHORT} algorithm=cyberdeck_training.research:LastObservations history=2
train stacktrices {SHORT} encoding=standardized past.every=1
train hovercrafts {SHORT} encoding=onehot
train --resume runs/hackthegrid-2* total_timesteps=256
compare runs/hackthegrid*
evaluate hackthegrid search:iterations=20 --opponent optimal --deals 1
tournament hovercrafts random heuristic search:iterations=5 ships=2v2 --deals 1
solve hackthegrid --deals 1
solve hackthegrid --deal 7
solve matrix_overload --deals 1
check stacktrices --decisions 300 --seconds 600
"""


def test_nor_what_learns_and_measures(tmp_path: Path) -> None:
    done = run(
        f"""
import glob, os, shlex, cyberdeck.commands.main
os.chdir({str(tmp_path)!r})
for line in {LEARNED.strip().splitlines()!r}:
    words = [each for word in shlex.split(line) for each in sorted(glob.glob(word)) or [word]]
    assert cyberdeck.commands.main.main(words) == 0, line
""",
        CYBERDECK_CACHE_DIR="/nowhere",
        OMP_NUM_THREADS="1",
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", ["train {game}", "warm-up"])
def test_a_game_of_ones_own_wants_numba_and_leaves_nothing(
    command: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    game = Path("examples/games/tictactoe.py").resolve()
    # Not in a process that this one starts either.
    none = tmp_path_factory.mktemp("none")
    (none / "numba.py").write_text("raise ModuleNotFoundError('there is none', name='numba')\n")
    done = run(
        "from cyberdeck.api.registration import load_file; import os, cyberdeck.commands.main;"
        f"load_file({str(game)!r}); os.chdir({str(tmp_path)!r});"
        f"sys.exit(cyberdeck.commands.main.main({command.format(game=game).split()!r}))",
        PYTHONPATH=str(none),
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.strip().endswith(install("jit"))
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_warm_up_has_nothing_to_do() -> None:
    # Without the games of files that tests before this one have loaded.
    done = run("from cyberdeck.commands.main import main; main(['warm-up'])", **{ENVIRONMENT: "[]"})
    assert done.stdout.strip() == "every game of the package is compiled: there is nothing to do", (
        done.stderr
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"heuristic": any_legal},
        {"metrics": (), "report": report_nothing},
        {"fields": (*cyberdeck.game("hackthegrid").fields, Field("more", 0, 1))},
    ],
    ids=["heuristic", "metrics", "fields"],
)
def test_a_game_made_from_one_of_the_suite_is_not_taken_for_it(changed: dict[str, Any]) -> None:
    """It has its name, and rules or a record of its own."""
    loops = compiled_loops.__wrapped__(replace(cyberdeck.game("hackthegrid"), **changed))
    assert all(hasattr(loop, "py_func") for loop in vars(loops).values())


# --- games of one's own, where there is no numba --------------------------------------------------

GAME = Path(__file__).parents[2] / "examples" / "games" / "tictactoe.py"
WIDE = Path(__file__).parents[1] / "wide.py"


def played(path: str | Path) -> str:
    """A digest of what is played; the same here and in another process."""
    game = load_file(path)
    batch, digest = Batch(game.name, 5, seed=3), hashlib.sha256()
    for step in range(30):
        batch.step(batch.choose("random"))
        digest.update(batch.observation.tobytes() + batch.mask.tobytes())
        digest.update(batch.get_state(step % 5))
    digest.update(batch._core.ask(Search(60), batch._core.all_rows).tobytes())
    return digest.hexdigest()


Beside = Callable[..., Path]


@pytest.fixture
def beside(tmp_path: Path, request: pytest.FixtureRequest) -> Beside:
    """A game's file with its library beside it, in another folder than it was built in."""

    def put(game: Path = GAME, name: str = GAME.stem) -> Path:
        library = Path(request.config.getoption("--native"), "web", native.file_name(name))
        for file in (library, native.note_of(library)):
            shutil.copy(file, tmp_path)
        return Path(shutil.copy(game, tmp_path))

    return put


def without_numba(file: Path) -> subprocess.CompletedProcess[str]:
    return run(f"from tests.native.test_library import played; print(played({str(file)!r}))")


def is_compiled_here(game: Game) -> bool:
    return {hasattr(loop, "py_func") for loop in vars(loops_of(game)).values()} == {True}


@pytest.mark.parametrize(
    ("game", "name", "dtype"),
    [
        (GAME, "tictactoe", "int8"),
        (GAME.with_name("coin_bets.py"), "coin_bets", "float32"),
        (WIDE, "wide_sixteen", "int16"),
    ],
)
def test_it_is_the_same_without_numba_and_no_other_observations_are_taken(
    game: Path, name: str, dtype: str, beside: Beside
) -> None:
    file = beside(game, name)
    done = without_numba(file)
    assert is_compiled_here(load_file(game))
    assert done.stdout.strip() == played(game), done.stderr
    variant = Variant(load_file(file), {})
    mask, seen = np.zeros(variant.action_count, np.int8), np.zeros(variant.observation_size)
    metrics = np.zeros(len(variant.game.metrics), np.int32)
    for wrong in (np.uint8, np.uint16, np.int32, np.float64):
        with pytest.raises(TypeError, match=f"array of {dtype} of the shape"):
            variant.loops.look(variant.blank(), 0, 0, mask, seen.astype(wrong), metrics)
    variant.loops.look(variant.blank(), 0, 0, mask, seen.astype(dtype), metrics)


def test_an_edit_makes_the_library_useless(beside: Beside) -> None:
    built = beside()
    assert not is_compiled_here(load_file(built))
    built.write_text(built.read_text().replace("range(CELLS)", "range(0, CELLS)"))
    assert is_compiled_here(load_file(built))
    library = built.parent / native.file_name(GAME.stem)
    assert without_numba(built).stderr.splitlines()[-1] == (
        "cyberdeck.errors.KernelError: tictactoe has to be compiled, and numba, which does that, "
        f"is not installed: {install('jit')} ({library} was built from other sources: "
        "`cyberdeck build` it anew)"
    )


# --- its threads ----------------------------------------------------------------------------------

#: Enough for several pieces.
GAMES = 700


def course(name: str, threads: int) -> list[bytes]:
    return course_of(Batch(name, GAMES, seed=3, threads=threads))


@pytest.mark.parametrize("name", cyberdeck.GAMES)
def test_any_number_of_threads_plays_the_same(name: str) -> None:
    one, *more = (course(name, threads) for threads in (1, 2, 3, 16))
    assert all(each == one for each in more)


def test_those_who_step_at_the_same_time_do_not_disturb_each_other() -> None:
    """One of them has the threads, the others go on alone."""
    right = course("hackthegrid", 1)
    with ThreadPoolExecutor(4) as pool:
        several = pool.map(lambda _: [course("hackthegrid", 3) for _ in range(8)], range(4))
    assert [*several] == [[right] * 8] * 4


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork()")
def test_a_forked_process_has_threads_of_its_own() -> None:
    right = course("hackthegrid", 3)
    child = os.fork()
    if child == 0:
        os._exit(17 if course("hackthegrid", 3) == right else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 17


def test_only_rows_are_shared() -> None:
    core = Batch("hackthegrid", GAMES, seed=3, threads=2)._core
    with pytest.raises(TypeError, match="argument 2"):
        core._advance(core.all_rows, np.zeros(GAMES - 1, np.int64))
    loops = core.loops
    with pytest.raises(TypeError, match="argument 7 is no array of rows"):
        native.split(loops.advance, (0, 6), 2)
    with pytest.raises(TypeError, match="argument 11 is no array"):
        native.split(loops.advance, (0, 10), 2)
    with pytest.raises(TypeError, match="returns a number of all rows"):
        native.split(loops.first_illegal, (0, 1), 2)


# --- under valgrind -------------------------------------------------------------------------------

PLAYED = Path(__file__).with_name("played.py")


def started(folder: Path, *more: str) -> subprocess.Popen[bytes]:
    """What is played under valgrind, which writes what it finds into the folder."""
    library = Path(native.library().__file__)
    told = ["--xml=yes", f"--xml-file={folder / 'found.xml'}", "--num-callers=8"]
    command = ["valgrind", *told, sys.executable, str(PLAYED), str(library.parent), *more]
    folder.mkdir()
    # Python's own memory in one piece would hide where an array ends.
    environment = {**os.environ, "PYTHONMALLOC": "malloc"}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)


def found(folder: Path) -> list[str | None]:
    """What was wrong in the library: Python and NumPy have errors of their own."""
    errors = ElementTree.parse(folder / "found.xml").iter("error")
    return [
        error.findtext("kind")
        for error in errors
        if any("_native" in (frame.findtext("obj") or "") for frame in error.iter("frame"))
    ]


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="there is no valgrind on the PATH")
def test_valgrind_finds_nothing_in_the_loops(tmp_path: Path) -> None:
    """But it does where a row is asked for that is not there."""
    runs = [started(tmp_path / "right"), started(tmp_path / "wrong", "wrong")]
    for each in runs:
        assert each.communicate()[0] == b"played\n"
        assert each.returncode == 0
    assert found(tmp_path / "right") == []
    assert "InvalidRead" in found(tmp_path / "wrong")
