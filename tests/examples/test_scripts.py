"""Each script of ``examples/`` runs to its end, which is where it says what must be true."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import cyberdeck

#: Scripts whose libraries are not in the main environment, and the marker of the one that has them.
ELSEWHERE = {
    "agilerl_ppo": pytest.mark.examples,
    "minari_offline": pytest.mark.examples,
    "openenv_client": pytest.mark.openenv,
    "openspiel_algorithms": pytest.mark.examples,
    "pufferlib_emulation": pytest.mark.examples,
    "rl_zoo3_maskable_ppo": pytest.mark.examples,
    "rl_zoo3_ppo": pytest.mark.examples,
    "rllib_ppo": pytest.mark.ray,
    "tianshou_dqn": pytest.mark.examples,
    "torchrl_gymenv": pytest.mark.ray,
    "trl_grpo": pytest.mark.agents,
    "verifiers_selfplay": pytest.mark.agents,
}

SCRIPTS = [
    pytest.param(path, id=path.stem, marks=ELSEWHERE.get(path.stem, ()))
    for path in sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
]


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_comes_to_its_end(script: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(script)],
        env={
            **os.environ,
            "PYTHONPATH": str(Path(cyberdeck.__file__).parents[1]),
            "OMP_NUM_THREADS": "1",
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,  # the machine may be busy
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
