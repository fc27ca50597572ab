"""A game as WebAssembly: its loops, and in a section of its own what cyberdeck.mjs has to know."""

from __future__ import annotations

import gzip
import hashlib
import json
import time
from pathlib import Path
from typing import Final

from cyberdeck.building.description import LOOPS, described
from cyberdeck.building.extract import Extracted
from cyberdeck.building.loops import REAL, Takes
from cyberdeck.building.targets import WEB, emitted, leveled
from cyberdeck.building.zig import zig
from cyberdeck.common.files import make_folder, write_whole
from cyberdeck.engine.contract import Options
from cyberdeck.errors import KernelError

HERE: Final = Path(__file__).parent

#: What plays them in browsers and in Node, and what plays by a policy's file.
MODULES: Final = sorted(HERE.glob("*.mjs"))

#: The sections with what the game is like, and with a digest of that.
SECTION: Final = b"cyberdeck"
DIGEST: Final = b"cyberdeck.digest"


def code_of(game: Extracted, work: Path) -> bytes:
    """The loops as WebAssembly, without a description; *work* is a folder for files on the way."""
    loops = {name: loop for loop in game.loops if (name := loop.name.partition(".")[2]) in LOOPS}
    work.mkdir(parents=True, exist_ok=True)
    machine_code, only_read = emitted(game.code, WEB, 0, [loop.symbol for loop in loops.values()])
    (work / "loops.o").write_bytes(machine_code)
    functions = [REAL]
    for name, loop in loops.items():
        symbol = leveled(loop.symbol, 0)
        takes = Takes(loop, only_read[symbol])
        functions.append(takes.function(symbol, f'EXPORTED("{name}") int run_{name}'))
    (work / "loops.inc").write_text("".join(functions))
    compiled, made = work / "web.o", work / "code.wasm"
    flags = ("-c", "-O2", "-Wall", "-Wextra", "-Werror", f"-I{work}")
    zig("cc", "-target", WEB.zig, *flags, HERE / "web.c", "-o", compiled, folder=work.parent)
    # A stack that runs over meets the end of memory and stops the game, and no other data.
    # Whoever links otherwise looks at `check` in cyberdeck.mjs: it refuses what no game has so far.
    kept = ("--stack-first", "-zstack-size=1048576", "--export=__heap_base")
    linked = ("--no-entry", "--strip-all", *kept, compiled, work / "loops.o", "-o", made)
    zig("wasm-ld", *linked, folder=work.parent)
    return made.read_bytes()


def with_description(code: bytes, label: str, options: Options) -> bytes:
    """*code* and what its game is like, whose options are *options* if nobody chooses others."""
    return with_section(code, json.dumps(described(label, options), separators=(",", ":")).encode())


def code_in(content: bytes, label: str) -> bytes:
    """The loops alone of a game's file that was made with no options, or ``KernelError``."""
    description = with_description(b"", label, {})
    if not content.endswith(description):
        raise KernelError(f"{label}.wasm was made from other sources: build it anew")
    return content.removesuffix(description)


def with_section(code: bytes, content: bytes) -> bytes:
    """*code* with two more sections, where ``cyberdeck.mjs`` looks for what the game is like."""
    digest = hashlib.blake2b(content, digest_size=16).digest()
    return code + _section(SECTION, content) + _section(DIGEST, digest)


def _section(name: bytes, content: bytes) -> bytes:
    body = _number(len(name)) + name + content
    return b"\0" + _number(len(body)) + body


def write(game: Extracted, options: Options, folder: Path, work: Path) -> list[Path]:
    """The game's file and, beside it, what plays it and by policies."""
    began = time.monotonic()
    make_folder(folder)
    content = with_description(code_of(game, work), game.label, options)
    made = folder / f"{game.label}.wasm"
    write_whole(made, content)
    size, small = len(content) // 1000, len(gzip.compress(content, 9)) // 1000
    taken = time.monotonic() - began
    print(f"{made.name}: {size} kB, {small} kB by gzip, in {taken:.0f} s", flush=True)
    for module in MODULES:
        write_whole(folder / module.name, module.read_bytes())
    return [made, *(folder / module.name for module in MODULES)]


def _number(value: int) -> bytes:
    """As WebAssembly writes lengths: LEB128."""
    found = b""
    while value > 127:
        found += bytes([value & 127 | 128])
        value >>= 7
    return found + bytes([value])
