"""Saved states in JavaScript, which must take those that Python takes, and no others."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from cyberdeck.engine import saving
from cyberdeck.errors import StateError
from tests.cases import EACH
from tests.fuzz.games import Positions, States, core_of
from tests.fuzz.known import BESIDE
from tests.fuzz.trial import Failure
from tests.native.test_webassembly import ROOT, apart

#: Where `make native-test` or `make web` puts the games.
_FOLDERS: Final = (ROOT / "build" / "native" / "web", ROOT / "dist" / "web")
_DRIVER: Final = Path(__file__).with_name("restore.mjs")


def folder() -> Path | None:
    """Where the games of the suite are as WebAssembly, or None."""
    return next((each for each in _FOLDERS if (each / "hackthegrid.wasm").exists()), None)


def is_there() -> bool:
    """Whether this can be tried: by Node, with the games that `make web` has made."""
    return shutil.which("node") is not None and folder() is not None


class Restored(States):
    """Of those games and options that JavaScript has."""

    name = "javascript"
    beside = BESIDE

    def right(self) -> Sequence[bytes]:
        there = folder()
        assert there is not None
        self.node = subprocess.Popen(
            ["node", str(_DRIVER), str(there)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        cases = [case for case in EACH if not apart(case)[0]]
        self.held = [Positions(case, number) for number, case in enumerate(cases)]
        self.options = [apart(case)[1] for case in cases]
        return [each.head + state for each in self.held for state in each.states]

    def close(self) -> None:
        self.node.communicate()

    def _asked(self, **job: Any) -> Any:
        assert self.node.stdin is not None
        assert self.node.stdout is not None
        self.node.stdin.write(json.dumps(job).encode() + b"\n")
        self.node.stdin.flush()
        return json.loads(self.node.stdout.readline())

    def enter(self, data: bytes) -> Any:
        number = data[0] % len(self.held) if data else 0
        held = self.held[number]
        told = self._asked(
            game=held.variant.game.name,
            options=self.options[number],
            state=base64.b64encode(data[1:]).decode(),
        )
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
            of_now = saving.heading(held.variant.game, core.rows.dtype)
            if not data[1:].startswith(of_now):  # only Python reads other layouts
                raise StateError(told["error"])
            raise Failure(f"JavaScript refuses what Python takes: {told['error']}")
        return core, told

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        core, told = found
        if base64.b64decode(told["state"]) != core.save():
            raise Failure("saved again, it is another in JavaScript")
        yield told["reason"]
