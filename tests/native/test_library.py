"""When the library is taken, and what is said where neither it nor numba can be."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import cyberdeck
from cyberdeck.engine import native
from cyberdeck.engine.defaults import any_legal, report_nothing
from cyberdeck.engine.game_loops import compiled_loops
from cyberdeck.engine.record import Field
from cyberdeck.errors import install


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
    batch.step(batch.core.ask(Search(10), batch.core.all_rows))
    assert batch.svg(0)
print("numba" in [name for name, module in sys.modules.items() if module])
""",
        CYBERDECK_CACHE_DIR="/nowhere",
    )
    assert done.stdout.strip() == "False", done.stderr


#: So short that only the ways are seen, each once: who teaches, who plays, what is seen.
SHORT = (
    "n_envs=8 n_steps=16 batch_size=64 n_epochs=1 threads=1 total_timesteps=128 "
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
evaluate hackthegrid search:iterations=20 --against optimal --deals 1
tournament hovercrafts random heuristic search:iterations=5 --option ships=2v2 --deals 1
solve hackthegrid --deals 1
solve hackthegrid --seed 7
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
    done = run("from cyberdeck.commands.main import main; main(['warm-up'])")
    assert (
        done.stdout.strip() == "every game came compiled with the package: there is nothing to do"
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
