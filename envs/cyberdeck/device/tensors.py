"""Games side by side as tensors on a device: the same records, each field in its place."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
import torch
from numpy.typing import NDArray

from cyberdeck.device.code import ALIGNED
from cyberdeck.engine.arrays import Arrays

#: PyTorch's types of numbers by NumPy's names. It can do little with large unsigned ones.
_KINDS: Final[dict[str, torch.dtype]] = {
    "uint8": torch.uint8,
    "int8": torch.int8,
    "int16": torch.int16,
    "int32": torch.int32,
    "int64": torch.int64,
    "uint64": torch.int64,
    "float32": torch.float32,
    "float64": torch.float64,
}


def field(records: torch.Tensor, dtype: np.dtype[Any], name: str) -> torch.Tensor:
    """A field of records that are rows of bytes: (N, ...), in place."""
    assert dtype.fields is not None
    kind, offset = dtype.fields[name][:2]
    found = records[:, offset : offset + kind.itemsize].view(_KINDS[str(kind.base.name)])
    return found if kind.shape else found[:, 0]


def odd(tensor: torch.Tensor) -> str:
    """What keeps the numbers of a tensor from being read one after the other; "" if nothing does.

    >>> odd(torch.zeros(3)), odd(torch.zeros(3, device="meta")), odd(torch.zeros(3).to_sparse())
    ('', 'meta', 'sparse_coo')
    """
    if tensor.is_nested or tensor.is_meta:
        return "nested" if tensor.is_nested else "meta"
    return "" if tensor.layout == torch.strided else str(tensor.layout).removeprefix("torch.")


@dataclass(eq=False)
class Tensors:
    """What ``engine/arrays.py`` holds; rows begin at multiples of ``ALIGNED`` bytes."""

    states: torch.Tensor  # (N, bytes) uint8
    rows: torch.Tensor  # (N, bytes) uint8
    masks: torch.Tensor  # (N, A) int8
    observations: torch.Tensor  # (N, ...), of the game's own type
    finals: torch.Tensor  # (N, views, ...)

    @classmethod
    def like(cls, arrays: Arrays, count: int, device: torch.device) -> Self:
        """*count* times the one row of *arrays*."""
        return cls(*(_repeated(each, count, device) for each in _plain(arrays)))

    def __len__(self) -> int:
        return len(self.states)

    def copy(self) -> Tensors:
        """All games, apart from now on."""
        return Tensors(*(_twin(each, each.device) for each in self._all()))

    def to(self, device: torch.device) -> Tensors:
        """A copy of all games there."""
        return Tensors(*(_twin(each, device) for each in self._all()))

    def fit(self, others: Tensors) -> bool:
        """Whether each row is of the same form."""
        pairs = zip(self._all(), others._all(), strict=True)
        return all(a.shape[1:] == b.shape[1:] and a.dtype == b.dtype for a, b in pairs)

    def bring(self, arrays: Arrays, which: torch.Tensor) -> None:
        """Write the games *which* over those of *arrays*."""
        for own, array in zip(self._all(), _plain(arrays), strict=True):
            array[:] = own[which].cpu().numpy()

    def put(self, which: torch.Tensor, arrays: Arrays) -> None:
        """Write the games of *arrays* over those *which*."""
        for own, array in zip(self._all(), _plain(arrays), strict=True):
            own[which] = torch.from_numpy(array).to(own.device)

    def _all(self) -> tuple[torch.Tensor, ...]:
        return self.states, self.rows, self.masks, self.observations, self.finals


def _plain(arrays: Arrays) -> Iterator[NDArray[Any]]:
    """The arrays, with records as rows of bytes."""
    count = len(arrays)
    yield arrays.states.view(np.uint8).reshape(count, -1)
    yield arrays.rows.view(np.uint8).reshape(count, -1)
    yield from (arrays.masks, arrays.observations, arrays.finals)


def _repeated(array: NDArray[Any], count: int, device: torch.device) -> torch.Tensor:
    shape = array.shape[1:]
    size, step = math.prod(shape), ALIGNED // array.itemsize
    whole = torch.zeros(
        (count, -(-size // step) * step), dtype=_KINDS[array.dtype.name], device=device
    )
    found = whole[:, :size]
    found[:] = torch.from_numpy(array.reshape(1, size)).to(device)
    return found.as_strided((count, *shape), (whole.stride(0), *_steps(shape)))


def _steps(shape: tuple[int, ...]) -> list[int]:
    """How many numbers each index of a row's steps over."""
    return [math.prod(shape[at + 1 :]) for at in range(len(shape))]


def _twin(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    size, stride = tensor.shape, tensor.stride()
    whole = torch.zeros(size[0] * stride[0], dtype=tensor.dtype, device=device)
    return whole.as_strided(size, stride).copy_(tensor)
