"""What the workflows of GitHub run on and with: `make lint-workflows` reads the rest."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml

WORKFLOWS = Path(".github/workflows")


def test_actions_are_pinned_by_commit() -> None:
    for path in WORKFLOWS.glob("*.yml"):
        for used in re.findall(r"uses: *(.*)", path.read_text("utf-8")):
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", used), f"{path}: {used}"


def test_every_python_that_is_promised_is_tested() -> None:
    project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
    said = "Programming Language :: Python :: "
    promised = re.findall(rf"{said}(3\.\d+)", "\n".join(project["classifiers"]))
    jobs = yaml.safe_load((WORKFLOWS / "test.yml").read_text("utf-8"))["jobs"]
    assert jobs["test"]["strategy"]["matrix"]["python"] == promised
    played = yaml.safe_load((WORKFLOWS / "wheels.yml").read_text("utf-8"))["jobs"]["play"]
    assert played["strategy"]["matrix"]["python"] == [promised[0], promised[-1]]
    newest = re.search(r"^NEWEST := (.*)", Path("Makefile").read_text("utf-8"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == promised[-1]
