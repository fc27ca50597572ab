"""A game of one's own that `cyberdeck build` has compiled, where there is no numba."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cyberdeck import Batch, Variant
from cyberdeck.api.registration import load_file
from cyberdeck.engine import native
from cyberdeck.engine.contract import Game
from cyberdeck.engine.game_loops import loops_of
from cyberdeck.errors import install
from cyberdeck.players.search import Search
from tests.native.test_library import run

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
    return run(f"from tests.native.test_own import played; print(played({str(file)!r}))")


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
