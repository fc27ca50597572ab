"""The loops of a game as code for a GPU, or for this processor in its place.

A GPU's code is PTX, from which NVIDIA's driver makes what the card there is runs. LLVM writes it
from the very module that wheels are made from (``building/extract.py``), so that no other compiler
has to be installed, and games need not be compiled by another dialect of Python.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cyberdeck.common.folders import own_folder
from cyberdeck.engine import compiling, game_loops, native
from cyberdeck.engine.fingerprint import fingerprint
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import KernelError

#: What is played with on a device, of ``engine/game_loops.py``.
PLAYED: Final = ("begin", "advance", "play", "choose")

#: Where code is made for: an NVIDIA GPU, or this processor.
GPU, CPU = "gpu", "cpu"

#: Tells a process that it is there to make code alone.
_MAKING: Final = "CYBERDECK_MAKING"

#: Cards of 2020 and later, and what their drivers have understood since 2022.
_CARD, _PTX = "sm_80", "+ptx75"

#: Rows of arrays begin at multiples of so many bytes, and are moved by as many at a time.
ALIGNED: Final = 16


@dataclass(frozen=True)
class Setting:
    """What code is made for: the lengths of a variant's arrays, and what stays as it is."""

    actions: int
    observation: int
    opponents: tuple[int, ...]
    allies: tuple[int, ...]
    autoreset: int

    def length(self, letter: str) -> int:
        """The length that a letter of ``engine/arguments.py`` stands for."""
        return {"A": self.actions, "D": self.observation}[letter]

    @property
    def fixed(self) -> dict[str, int | tuple[int, ...]]:
        """What every call of a loop is given, by the names of its arguments."""
        return {"pool": self.opponents, "allies": self.allies, "mode": self.autoreset}


def played(variant: Variant) -> list[Callable[..., Any]]:
    """The functions of ``PLAYED``."""
    return [each for each in game_loops.functions_of(variant.game) if each.__name__ in PLAYED]


def loaded(variant: Variant) -> tuple[str, ...]:
    """Digests of what is played as this process has it: a file may have been edited since."""
    functions = played(variant)
    return native.made_of(functions), *map(fingerprint, functions)


def code_of(variant: Variant, setting: Setting, kind: str) -> bytes:
    """PTX, or an object file of this processor: made once, and kept in the user's own folder."""
    made_from: tuple[Any, ...] = (native.stamp(), _own(), loaded(variant), setting, kind)
    if kind == CPU:
        made_from = (*made_from, *_processor())
    letters = hashlib.blake2b(repr(made_from).encode(), digest_size=12).hexdigest()
    if letters not in _made:
        _made[letters] = _kept_code(variant, setting, kind, letters)
    return _made[letters]


#: What this process has read or made.
_made: Final[dict[str, bytes]] = {}


def _kept_code(variant: Variant, setting: Setting, kind: str, letters: str) -> bytes:
    with contextlib.ExitStack() as stack:
        found = own_folder("device") or stack.enter_context(tempfile.TemporaryDirectory())
        folder, label = Path(found), variant.game.label
        kept = folder / f"{label}-{letters}.{kind}"
        if not kept.exists():
            if _MAKING in os.environ:
                raise KernelError(
                    "this process was started to compile a game, and runs its file: put what plays "
                    "it below `if __name__ == '__main__':`"
                )
            with compiling.alone(folder, label, label):
                if not kept.exists():  # another process may have made it
                    with compiling.announced(label, *played(variant)):
                        _make((variant, setting, kind), kept)
        return kept.read_bytes()


def _make(what: tuple[Variant, Setting, str], where: Path) -> None:
    """Have a process of its own write the code: numba compiles for one purpose in each."""
    # -P: nothing is imported from whatever folder this is started in.
    command = [sys.executable, "-P", "-m", "cyberdeck.device.making", str(where)]
    done = subprocess.run(
        command,
        input=pickle.dumps((*what, loaded(what[0]))),
        env={**os.environ, _MAKING: "1"},
        capture_output=True,
        check=False,
    )
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["without a word"]
        why = lines[-1].rpartition("Error: ")[2]
        raise KernelError(f"{what[0].game.label} cannot be compiled for a device: {why}")


def _own() -> str:
    """A digest of the sources that say how loops are called, and compiled."""
    digest = hashlib.blake2b(digest_size=8)
    for name in ("code.py", "entries.py", "making.py", "../building/extract.py"):
        digest.update((Path(__file__).parent / name).read_bytes())
    return digest.hexdigest()


@functools.cache
def _processor() -> tuple[str, str]:
    import llvmlite.binding as llvm

    return str(llvm.get_host_cpu_name()), str(llvm.get_host_cpu_features().flatten())


def machine_for(kind: str) -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    if kind == GPU:
        target = llvm.Target.from_triple("nvptx64-nvidia-cuda")
        return target.create_target_machine(cpu=_CARD, features=_PTX, opt=3)
    cpu, features = _processor()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(
        cpu=cpu, features=features, opt=2, reloc="default", codemodel="jitdefault", jit=True
    )
