"""Saved states and files of games in JavaScript."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from cyberdeck.building.webassembly import DIGEST, with_section
from cyberdeck.errors import StateError
from tests.cases import EACH
from tests.fuzz.changes import bytes_changed, changed
from tests.fuzz.games import Positions, States, core_of
from tests.fuzz.known import BESIDE
from tests.fuzz.trial import Door, Failure
from tests.native.test_webassembly import ROOT, apart

#: Where `make native-test` or `make web` puts the games.
_FOLDERS: Final = (ROOT / "build" / "native" / "web", ROOT / "dist" / "web")


def folder() -> Path | None:
    """Where the games of the suite are as WebAssembly, or None."""
    return next((each for each in _FOLDERS if (each / "hackthegrid.wasm").exists()), None)


def is_there() -> bool:
    """Whether this can be tried: by Node, with the games that `make web` has made."""
    return shutil.which("node") is not None and folder() is not None


def _node(driver: str, *arguments: str) -> subprocess.Popen[bytes]:
    command = ["node", str(Path(__file__).with_name(driver)), *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _answer(node: subprocess.Popen[bytes], line: bytes) -> Any:
    node.stdin.write(line + b"\n")
    node.stdin.flush()
    return json.loads(node.stdout.readline())


class Opened(Door):
    """Files of games: damaged anywhere, or made to say something else of their game."""

    name = "wasm"
    reads = ("cyberdeck.mjs",)
    refusals = (ValueError,)

    def right(self) -> Sequence[bytes]:
        there = folder()
        self.node = _node("open.mjs")
        return [(there / f"{name}.wasm").read_bytes() for name in ("hackthegrid", "stacktrices")]

    def close(self) -> None:
        self.node.communicate()

    def change(self, data: bytes, luck: Random) -> bytes:
        end = data.rfind(b"}", 0, data.rfind(DIGEST)) + 1
        told = data[data.find(b'{"format"') : end]
        sections = with_section(b"", told)
        if luck.random() < 0.5 or not data.endswith(sections):
            return bytes_changed(data, luck)
        return with_section(data.removesuffix(sections), changed(told, luck))

    def enter(self, data: bytes) -> Any:
        told = _answer(self.node, base64.b64encode(data))
        error = told.get("error", "")
        if error.startswith("GameError: "):
            raise ValueError(error)
        if error and told.get("doing", "opening") == "opening":
            raise Failure(f"JavaScript says {error}")
        return told

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        yield str(found)


class Restored(States):
    """States of those games and options that JavaScript has: those that Python takes, no others."""

    name = "javascript"
    reads = ("cyberdeck.mjs",)
    beside = BESIDE

    def right(self) -> Sequence[bytes]:
        there = folder()
        self.node = _node("restore.mjs", str(there))
        cases = [case for case in EACH if not apart(case)[0]]
        self.held = [Positions(case, number) for number, case in enumerate(cases)]
        self.options = [apart(case)[1] for case in cases]
        return [each.head + state for each in self.held for state in each.states]

    def close(self) -> None:
        self.node.communicate()

    def enter(self, data: bytes) -> Any:
        held = self.of(data)
        job = {"game": held.variant.game.name, "options": self.options[self.held.index(held)]}
        job["state"] = base64.b64encode(data[1:]).decode()
        told = _answer(self.node, json.dumps(job).encode())
        core = core_of(held.variant)
        try:
            core.load(data[1:])
        except StateError:
            if told.get("error") is None:
                raise Failure("JavaScript takes what Python refuses") from None
            if not told["error"].startswith("GameError: "):
                raise Failure(f"JavaScript says {told['error']}") from None
            raise StateError(told["error"]) from None
        if "error" in told:
            raise Failure(f"JavaScript refuses what Python takes: {told['error']}")
        return core, told

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        core, told = found
        if base64.b64decode(told["state"]) != core.save():
            raise Failure("saved again, it is another in JavaScript")
        yield told["reason"]
