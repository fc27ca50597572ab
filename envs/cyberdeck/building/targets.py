"""The platforms that there are wheels for, and code for each from code that belongs to none."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import llvmlite.binding as llvm

#: glibc of manylinux2014, the oldest that Python's packages still support.
GLIBC: Final = "2.17"


#: With AVX2, which the second level has, MATR1X 0VERL0AD's heuristic takes a seventh less time.
X86: Final = ("x86-64-v2", "x86-64-v3")

#: What the symbols of loops begin with.
PREFIX: Final = "loop_"


@dataclass(frozen=True)
class Target:
    """A platform by the names that LLVM, zig and Python's packages have for it."""

    triple: str
    cpus: tuple[str, ...]  # the oldest, and what is worth code of its own: see ``_native.c``
    zig: str
    tag: str
    library: str = "_native.abi3.so"
    link: tuple[str, ...] = ()
    features: str = ""
    reloc: str = "pic"


#: Python's own functions are found when the library is loaded. Its name is not where it was built.
MACOS: Final = ("-Wl,-undefined,dynamic_lookup", "-Wl,-install_name,@rpath/_native.abi3.so")

TARGETS: Final = {
    "linux-x86_64": Target(
        "x86_64-unknown-linux-gnu",
        X86,
        f"x86_64-linux-gnu.{GLIBC}",
        "manylinux_2_17_x86_64.manylinux2014_x86_64",
    ),
    "linux-aarch64": Target(
        "aarch64-unknown-linux-gnu",
        ("generic",),
        f"aarch64-linux-gnu.{GLIBC}",
        "manylinux_2_17_aarch64.manylinux2014_aarch64",
    ),
    "macos-arm64": Target(
        "arm64-apple-macosx11.0.0",
        ("apple-m1",),
        "aarch64-macos.11.0",
        "macosx_11_0_arm64",
        link=MACOS,
    ),
    "macos-x86_64": Target(
        "x86_64-apple-macosx11.0.0", X86, "x86_64-macos.11.0", "macosx_11_0_x86_64", link=MACOS
    ),
    "windows-x86_64": Target(
        "x86_64-pc-windows-gnu", X86, "x86_64-windows-gnu", "win_amd64", library="_native.pyd"
    ),
}


#: WebAssembly as every browser and Node has it since 2021.
WEB: Final = Target(
    "wasm32-unknown-unknown",
    ("generic",),
    "wasm32-freestanding",
    "",
    reloc="static",
    features="+bulk-memory,+mutable-globals,+nontrapping-fptoint,+sign-ext",
)


def leveled(symbol: str, level: int) -> str:
    """The symbol of a loop in the code for the processors of a level."""
    return f"{symbol}_{level}"


def emitted(
    bitcode: bytes, target: Target, level: int, symbols: Collection[str]
) -> tuple[bytes, dict[str, list[bool]]]:
    """An object file of the loops *symbols* of a game for a level of the target's processors.

    And for each symbol, which arguments it provably does not write to: LLVM finds that out of every
    pointer while it optimizes.
    """
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    made_for = {"cpu": target.cpus[level], "features": target.features, "reloc": target.reloc}
    by_triple = llvm.Target.from_triple(target.triple)
    machine = by_triple.create_target_machine(opt=3, codemodel="default", **made_for)
    module = llvm.parse_bitcode(bitcode)
    module.triple, module.data_layout = target.triple, str(machine.target_data)
    for each in (*module.functions, *module.global_variables):
        if each.name == "sqrt":
            each.name = "llvm.sqrt.f64"  # the same number, and no call into a library of C
        elif each.name in symbols:
            each.visibility = "hidden"
            each.name = leveled(each.name, level)
        elif not each.is_declaration:
            each.linkage = "internal"
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = True
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    module.verify()
    only_read = {
        function.name: [
            any(each in (b"readonly", b"readnone") for each in argument.attributes)
            for argument in function.arguments
        ]
        for function in module.functions
        if function.name.startswith(PREFIX)
    }
    return machine.emit_object(module), only_read
