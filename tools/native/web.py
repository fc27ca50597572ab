"""Every game of the suite as WebAssembly, and what plays it: python -m tools.native.web FOLDER.

Further arguments are files of other games, which are built into FOLDER as well.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Final

from cyberdeck.api.registration import load_file
from cyberdeck.building import webassembly
from cyberdeck.building.extract import Extracted, extracted
from cyberdeck.building.library import extracted_suite, on_every_core
from cyberdeck.building.loops import loops_of

#: What wheels are made from as well is kept for both.
KEPT: Final = Path("build/native")


def web(folder: Path, files: list[Path]) -> None:
    """Write the files."""
    for game in extracted_suite(KEPT):
        _write(game, folder)
    for _ in on_every_core(partial(_write_own, folder), files):
        pass


def _write_own(folder: Path, file: Path) -> None:
    name = load_file(file).name
    _write(extracted(name, loops_of(name), KEPT), folder)


def _write(game: Extracted, folder: Path) -> None:
    webassembly.write(game, {}, folder, KEPT / "wasm32" / game.label)


if __name__ == "__main__":
    web(Path(sys.argv[1]), list(map(Path, sys.argv[2:])))
