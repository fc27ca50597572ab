"""The example of a project passes its own tests. `make wheel-test` installs it; this does not."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2] / "examples" / "project"


@pytest.mark.slow
def test_the_example_of_a_project(tmp_path: Path) -> None:
    about = tmp_path / "neon_arena-0.1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: neon-arena\nVersion: 0.1.0\n")
    groups = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["entry-points"]
    lines = [
        line
        for group, points in groups.items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in points.items()))
    ]
    (about / "entry_points.txt").write_text("\n".join(lines))
    found = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    path = os.pathsep.join(filter(None, [str(PROJECT / "src"), str(tmp_path), *found]))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(PROJECT)],
        env={**os.environ, "PYTHONPATH": path, "CYBERDECK_GAMES": "[]"},
        cwd=tmp_path,
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
