"""What a process of its own does in the tests, and all that it needs, imported before it begins."""

from __future__ import annotations

import itertools
import multiprocessing
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch._dynamo  # which the first optimizer of a process imports, for a second and more

from cyberdeck.building import ahead, webassembly
from cyberdeck.building.extract import Extracted
from cyberdeck_training import train

__all__ = ["PROCESSES", "as_written", "torch", "train"]

#: Processes that have imported everything before they begin: they take no seconds to start.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__])


def as_written(patch: pytest.MonkeyPatch) -> None:
    """Leave out what takes long before commands write: a person who plays, and compiling ahead.

    The actions of HACKtheGRID are tried in turn, legal or not.
    """
    tried = itertools.cycle(map(str, range(69)))
    patch.setattr("builtins.input", lambda prompt: "" if "saves" in prompt else next(tried))
    patch.setattr(ahead, "check_tools", lambda: None)
    patch.setattr(ahead, "loops_of", lambda name: [])
    patch.setattr(ahead, "extracted", lambda name, *_: Extracted(name, [], b"", set()))
    patch.setattr(ahead, "linked", _linked)
    patch.setattr(webassembly, "code_of", lambda *_: b"\0asm" * 1000)


def _linked(games: object, folder: Path, targets: Sequence[str]) -> dict[str, Path]:
    made = folder / "library"
    made.write_bytes(b"library" * 1000)
    return dict.fromkeys(targets, made)
