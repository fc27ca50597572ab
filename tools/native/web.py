"""Every game of the suite as WebAssembly, and what plays it: python -m tools.native.web FOLDER."""

from __future__ import annotations

import sys
from pathlib import Path

from cyberdeck.building import webassembly
from cyberdeck.building.library import extracted_suite


def web(folder: Path) -> None:
    """Write the files; what wheels are made from as well is kept for both."""
    kept = Path("build/native")
    for game in extracted_suite(kept):
        webassembly.write(game, {}, folder, kept / "wasm32" / game.label)


if __name__ == "__main__":
    web(Path(sys.argv[1]))
