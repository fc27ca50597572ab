"""Makes the code of a variant for a device, as a process of its own: ``code.py`` calls it."""

from __future__ import annotations

import pickle
import sys
from importlib import import_module
from pathlib import Path

import llvmlite.binding as llvm

from cyberdeck.building.extract import extracted
from cyberdeck.building.loops import Loop
from cyberdeck.common.files import write_whole
from cyberdeck.device.code import CPU, Setting, loaded, machine_for, played
from cyberdeck.device.entries import entries
from cyberdeck.engine import native
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import KernelError, OptionError


def made(variant: Variant, setting: Setting, kind: str, folder: Path) -> bytes:
    """All entries of a *kind*, optimized with the loops that they call.

    What was taken from numba on the way is kept in *folder*: other options want it as well.
    """
    functions = played(variant)
    made_of = native.made_of(functions)
    loops = [Loop(variant.game.label, each, made_of) for each in functions]
    game = extracted(variant.game.label, loops, folder)
    machine, parts = machine_for(kind), [e for loop in game.loops for e in entries(loop, setting)]
    texts = [each.text(kind) for each in parts]
    own = llvm.parse_assembly("".join([*dict.fromkeys(each.declared for each in parts), *texts]))
    module = llvm.parse_bitcode(game.code)
    for each in (own, module):
        each.triple, each.data_layout = machine.triple, str(machine.target_data)
    module.link_in(own)
    for each in (*module.functions, *module.global_variables):
        if each.name == "sqrt":
            each.name = "llvm.sqrt.f64"  # the same number, and no call into a library of C
        elif not each.is_declaration and not each.name.startswith(kind):
            each.linkage = "internal"
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    # Only what asks for it is put into what calls it: of long functions NVIDIA's compiler has made
    # wrong code until CUDA 13.0 (of Hovercrafts' `act`; right ones by its -O0, and by 13.5).
    options.inlining_threshold = 0
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    module.verify()
    if kind == CPU:
        return bytes(machine.emit_object(module))
    return str(machine.emit_assembly(module)).encode()


def main() -> None:
    """What stands in the standard input goes into the file that is named."""
    import_module("cyberdeck")  # which knows the games of the process that calls
    where = Path(sys.argv[1])
    try:
        variant, setting, kind, known = pickle.load(sys.stdin.buffer)
    except OptionError as error:  # it is not there in this process
        raise KernelError(f"{error}; for a device a game has to stand in a file (*.py)") from None
    if loaded(variant) != known:
        raise KernelError("its file or its tables have changed since it was loaded: start again")
    write_whole(where, made(variant, setting, kind, where.parent))


if __name__ == "__main__":
    main()
