"""A game of one's own, or the suite, compiled ahead: as `cyberdeck build` does it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from cyberdeck.building import library, webassembly
from cyberdeck.building.extract import check_numba, extracted
from cyberdeck.building.library import linked
from cyberdeck.building.loops import loops_of
from cyberdeck.building.targets import TARGETS
from cyberdeck.building.zig import check_zig
from cyberdeck.common.files import make_folder
from cyberdeck.engine import native, registry
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import KernelError, OptionError


def check_tools() -> None:
    """``KernelError`` if what builds is missing or another version, or not for this machine."""
    if native.host() not in TARGETS:
        raise KernelError(
            f"no library can be built for {native.host()}: there are {', '.join(TARGETS)}"
        )
    check_numba()
    check_zig()


def build(variant: Variant, chosen: dict[str, object], folder: Path) -> list[Path]:
    """The files of a game in *folder*: a library for this machine, WebAssembly, and what plays it.

    *chosen*: the options that were given. A game of the suite gets no library: it has one in the
    package's wheels.
    """
    if variant.game.recalls:
        raise OptionError(
            "observation='history' is for Python alone: build the game without that option"
        )
    name = variant.game.name
    make_folder(folder)
    made: list[Path] = []
    with tempfile.TemporaryDirectory() as work:
        game = extracted(name, loops_of(name), Path(work))
        if name not in registry.GAMES:
            own = linked([game], Path(work), [native.host()])[native.host()]
            made.append(folder / native.file_name(name))
            native.write(made[0], own.read_bytes())
            made.append(native.note_of(made[0]))
        made += webassembly.write(game, chosen, folder, Path(work, "wasm32"))
    return made


def build_suite(made: Path) -> None:
    """The suite's library for this machine, as the file *made*."""
    with tempfile.TemporaryDirectory() as work:
        suite = library.build(Path(work), [native.host()])[native.host()]
        native.write(made, suite.read_bytes())
