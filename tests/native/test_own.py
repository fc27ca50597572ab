"""A game of one's own that `cyberdeck build` has compiled, where there is no numba."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cyberdeck import Batch, Variant
from cyberdeck.api.registration import load_file
from cyberdeck.engine import native
from cyberdeck.engine.contract import Game
from cyberdeck.engine.loops import loops_of
from cyberdeck.errors import install
from cyberdeck.players.search import Search

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
    digest.update(batch.core.ask(Search(60), batch.core.all_rows).tobytes())
    return digest.hexdigest()


WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = None
from tests.native.test_own import played
print(played(sys.argv[1]))
"""


@pytest.fixture
def built(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return put_beside(GAME, GAME.stem, tmp_path, request)


def put_beside(game: Path, name: str, folder: Path, request: pytest.FixtureRequest) -> Path:
    """The game's file with its library beside it, in another folder than it was built in."""
    library = Path(request.config.getoption("--native"), "web", native.file_name(name))
    for file in (library, native.note_of(library)):
        shutil.copy(file, folder)
    return Path(shutil.copy(game, folder))


def without_numba(file: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", WITHOUT_NUMBA, str(file)],
        capture_output=True,
        text=True,
        check=False,
    )


def is_compiled_here(game: Game) -> bool:
    return {hasattr(loop, "py_func") for loop in vars(loops_of(game)).values()} == {True}


def test_it_is_the_same_without_numba(built: Path) -> None:
    done = without_numba(built)
    assert is_compiled_here(load_file(GAME))
    assert done.stdout.strip() == played(GAME), done.stderr


@pytest.mark.parametrize(
    ("game", "name", "dtype"),
    [(GAME.with_name("coin_bets.py"), "coin_bets", "float32"), (WIDE, "wide_sixteen", "int16")],
)
def test_wider_observations_are_the_same_and_no_others_are_taken(
    game: Path, name: str, dtype: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    done = without_numba(put_beside(game, name, tmp_path, request))
    assert done.stdout.strip() == played(game), done.stderr
    variant = Variant(load_file(tmp_path / game.name), {})
    mask, seen = np.zeros(variant.action_count, np.int8), np.zeros(variant.observation_size)
    metrics = np.zeros(len(variant.game.metrics), np.int32)
    for wrong in (np.int8, np.uint16, np.int32, np.float64):
        with pytest.raises(TypeError, match=f"array of {dtype} of the shape"):
            variant.loops.look(variant.blank(), 0, 0, mask, seen.astype(wrong), metrics)
    variant.loops.look(variant.blank(), 0, 0, mask, seen.astype(dtype), metrics)


def test_an_edit_makes_the_library_useless(built: Path) -> None:
    assert not is_compiled_here(load_file(built))
    built.write_text(built.read_text().replace("range(CELLS)", "range(0, CELLS)"))
    assert is_compiled_here(load_file(built))
    library = built.parent / native.file_name(GAME.stem)
    assert without_numba(built).stderr.splitlines()[-1] == (
        "cyberdeck.errors.KernelError: tictactoe has to be compiled, and numba, which does that, "
        f"is not installed: {install('jit')} ({library} was built from other sources: "
        "`cyberdeck build` it anew)"
    )
