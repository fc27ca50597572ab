"""When the library is taken, and what is said where neither it nor numba can be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import cyberdeck
from cyberdeck.engine import native
from cyberdeck.engine.loops import loops_of


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
        timeout=300,
    )


@pytest.fixture
def other_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "stamp", lambda: "of other sources")
    monkeypatch.setattr(native, "library", native.library.__wrapped__)


@pytest.mark.usefixtures("other_sources")
def test_where_the_sources_differ_numba_compiles() -> None:
    loops = loops_of.__wrapped__(cyberdeck.game("hackthegrid"))
    assert all(hasattr(loop, "py_func") for loop in vars(loops).values())


def test_where_they_differ_and_there_is_no_numba_that_is_said() -> None:
    done = run(
        "from cyberdeck.engine import native; native.stamp = lambda: 'other';"
        "import cyberdeck; cyberdeck.Batch('hackthegrid', 1)"
    )
    assert done.stderr.splitlines()[-1] == (
        "cyberdeck.errors.KernelError: hackthegrid has to be compiled, and numba, which does that, "
        "is not installed: pip install 'cyberdeck[jit]' (what was compiled with this package is of "
        "other sources than those installed)"
    )


def test_a_game_of_ones_own_needs_numba() -> None:
    done = run(
        "from cyberdeck.api.registration import load_file; import cyberdeck;"
        "game = load_file('examples/games/tictactoe.py'); cyberdeck.Batch(game.name, 1)"
    )
    assert "pip install 'cyberdeck[jit]'" in done.stderr.splitlines()[-1]


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
    batch.step(batch.core.ask(Search(10), batch.core.all_rows))
    assert batch.svg(0)
print("numba" in [name for name, module in sys.modules.items() if module])
""",
        CYBERDECK_CACHE_DIR="/nowhere",
    )
    assert done.stdout.strip() == "False", done.stderr


def test_warm_up_has_nothing_to_do() -> None:
    done = run("from cyberdeck.commands.main import main; main(['warm-up'])")
    assert (
        done.stdout.strip() == "every game came compiled with the package: there is nothing to do"
    )
