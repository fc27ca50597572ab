"""What a process of its own does in the tests, and all that it needs, imported before it begins."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import pytest
import torch._dynamo  # which the first optimizer of a process imports, for a second and more

from cyberdeck.commands import main as command
from cyberdeck_training import train
from tests.training.runs import be_quick

__all__ = ["cyberdeck", "torch", "train"]


def cyberdeck(arguments: list[str], printed: Path, limit: int | None = None) -> None:
    """The command, which can write files of *limit* bytes at most; as quick as in ``conftest``."""
    be_quick(pytest.MonkeyPatch())
    with printed.open("w") as out:
        sys.stdout = sys.stderr = out
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        status = command.main(arguments)
        out.flush()
    sys.exit(status)
