"""Calling the loops of a variant on a device, with PyTorch's tensors.

On a GPU that is NVIDIA's driver, in PyTorch's own context and stream: nothing is waited for, and
all that PyTorch knows of streams and graphs holds for games as well.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
from collections.abc import Callable
from typing import Any, Final

import torch

from cyberdeck.device import code
from cyberdeck.device.code import CPU, GPU, Setting
from cyberdeck.engine.arguments import ALL, NAMED, Array
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import KernelError

#: How many threads share a processor's fast memory at a time.
BLOCK: Final = 128

#: Calls an entry: its symbol, how many threads, and what it is given.
Launch = Callable[[str, int, list[int]], None]


class DeviceLoops:
    """The loops of ``PLAYED``, called as those of ``engine/game_loops.py``, with tensors.

    Of an array that has something for each row the rows may lie apart.
    """

    begin: Callable[..., None]
    advance: Callable[..., None]
    play: Callable[..., None]
    choose: Callable[..., None]

    def __init__(self, variant: Variant, setting: Setting, device: torch.device) -> None:
        kind = GPU if device.type == "cuda" else CPU
        made = code.code_of(variant, setting, kind)
        launch = _on_gpu(made, device) if kind == GPU else _on_cpu(made)
        for function in code.played(variant):
            symbol = f"loop_{variant.game.label}_{function.__name__}"
            names, taken = inspect.signature(function).parameters, vars(function)["takes"]
            given = [
                None if name in setting.fixed or name == "code" else each
                for name, each in zip(names, taken, strict=True)
            ]
            asks = "code" in names
            setattr(self, function.__name__, functools.partial(_call, launch, symbol, given, asks))


def _call(launch: Launch, symbol: str, taken: list[Any], asks: bool, *given: Any) -> None:
    """Hand the arguments on as an entry takes them: see ``entries.Argument``.

    None is *taken* of those that are written into it. Of a player who is asked there is one each.
    """
    if asks:
        symbol = f"{symbol}_{given[0]}"
    firsts = {each.lengths[0] for each in taken if isinstance(each, Array)}
    rows = NAMED if NAMED in firsts else ALL
    values, threads = list[int](), 0
    for kind, each in zip(taken, given, strict=True):
        if kind is None:
            continue
        if not isinstance(kind, Array):
            values.append(each)
            continue
        values.append(each.data_ptr())
        first = 0
        if kind.lengths[0] in (NAMED, ALL):
            first = 1
            values.append(each.stride(0) * each.element_size())
            if kind.lengths[0] == rows:
                threads = len(each)
        values += each.shape[first : len(kind.lengths)]  # a record is a row of bytes here
    if threads:
        launch(symbol, threads, values)


@functools.cache
def _compiled_here(made: bytes) -> Any:
    """An object file as code of this process."""
    import llvmlite.binding as llvm

    machine = code.machine_for(CPU)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(made))
    engine.finalize_object()
    return engine


def _on_cpu(made: bytes) -> Launch:
    engine = _compiled_here(made)

    def launch(symbol: str, threads: int, values: list[int]) -> None:
        address = engine.get_function_address(f"{CPU}_{symbol}")
        kinds = [ctypes.c_int64] * (1 + len(values))
        ctypes.CFUNCTYPE(None, *kinds)(address)(threads, *values)

    return launch


@functools.cache
def _on_gpu(made: bytes, device: torch.device) -> Launch:
    from cuda.bindings import driver

    with torch.cuda.device(device):
        torch.cuda.synchronize()  # now PyTorch's context is the current one
        module = _done(driver.cuModuleLoadData(made + b"\0"))

    @functools.cache
    def kernel(symbol: str) -> Any:
        return _done(driver.cuModuleGetFunction(module, f"{GPU}_{symbol}".encode()))

    def launch(symbol: str, threads: int, values: list[int]) -> None:
        given = (ctypes.c_int64 * (1 + len(values)))(threads, *values)
        first = ctypes.addressof(given)
        places = (ctypes.c_void_p * len(given))(*range(first, first + 8 * len(given), 8))
        stream = torch.cuda.current_stream(device).cuda_stream
        grid = -(-threads // BLOCK), 1, 1
        where = ctypes.addressof(places)
        with torch.cuda.device(device):
            _done(driver.cuLaunchKernel(kernel(symbol), *grid, BLOCK, 1, 1, 0, stream, where, 0))

    return launch


def _done(answer: Any) -> Any:
    """What a call of the driver has brought, or ``KernelError``."""
    error, *found = answer
    if int(error):
        raise KernelError(f"the GPU's driver says {error.name}")
    return found[0] if found else None
