"""Stacktrices: what can be exchanged: left and right, and the sides."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import Options, Record, Symmetry
from cyberdeck.games.stacktrices import constants as c

_SQUARES = np.arange(c.SQUARES).reshape(c.SIDE, c.SIDE)
#: The last entry of each answers for none.
_MIRRORED = np.append(_SQUARES[:, ::-1], c.NONE)  # [square]
_UPSIDE_DOWN = np.append(_SQUARES[::-1], c.NONE)
_STACKS = np.array([3, 2, 1, 0, 6, 5, 4, c.NONE])  # [stack] the one that stands across
_PIECES = np.append(
    c.KINDS * _STACKS[: c.STACKS, None] + np.arange(c.KINDS), c.NONE
)  # [KINDS * stack + kind]


def _mirror(records: Record) -> None:
    stacks: NDArray[np.int64] = _STACKS[: c.STACKS]
    who = np.append(np.append(stacks, c.STACKS + stacks), c.NONE)
    records["board"] = who[records["board"][:, _MIRRORED[: c.SQUARES]]]
    records["square"] = _MIRRORED[records["square"][..., stacks]]
    for name in ("last_from", "last_to"):
        records[name] = _MIRRORED[records[name]]
    for name in ("thief", "moved", "captured"):
        records[name] = _STACKS[records[name]]
    for name in ("given", "taken"):
        records[name] = _PIECES[records[name]]
    records["pieces"] = records["pieces"][:, :, stacks]
    records["raided"] = records["raided"][..., stacks[: c.DRONES]]
    records["in_trade"] = records["in_trade"][:, stacks]


def _mirrored_actions(options: Options) -> list[int]:
    """What each action becomes: its stack, and the square that it moves to, is the one across."""
    width = c.PICKS[options["stacked_movement"]]
    groups = [(c.STACKS, c.SQUARES), (c.DRONES, 1), (c.STACKS, c.KINDS)] + 2 * [(c.STACKS, width)]
    become: list[int] = []
    first = 0
    for stacks, size in groups:
        within = _MIRRORED[:size] if size == c.SQUARES else np.arange(size)
        for stack in _STACKS[:stacks]:
            become += (first + size * stack + within).tolist()
        first += stacks * size
    rest = 4 if options["steal_on_attack"] else 3
    return [*become, *range(first, first + rest)]


def _exchange(records: Record) -> None:
    board = records["board"][:, _UPSIDE_DOWN[: c.SQUARES]]
    records["board"] = np.where(board == c.NONE, board, (board + c.STACKS) % (2 * c.STACKS))
    records["square"] = _UPSIDE_DOWN[records["square"][:, ::-1]]
    for name in ("last_from", "last_to"):
        records[name] = _UPSIDE_DOWN[records[name]]
    for name in ("pieces", "hand", "thief", "exposed", "raided"):
        records[name] = records[name][:, ::-1].copy()
    records["first"] = 1 - records["first"]
    records["lead"] = -records["lead"]


def symmetries(options: Options) -> list[Symmetry]:
    """Sides can be exchanged unless the options say who plays white."""
    mirrored = Symmetry(
        name="left and right exchanged", apply=_mirror, actions=_mirrored_actions(options)
    )
    exchanged = Symmetry(name="sides exchanged", apply=_exchange, seats=(1, 0))
    return [mirrored, exchanged] if options["first"] == "random" else [mirrored]
