"""Tasks by their numbers: each is a game from a seed, and no two splits share one."""

from __future__ import annotations

from typing import Final

from cyberdeck.common.text import nearest
from cyberdeck.engine.contract import is_whole
from cyberdeck.errors import require

#: The seeds of each split: endless for all purposes, and exact as numbers of JSON.
SPLITS: Final = {
    "train": range(2**40),
    "validation": range(2**40, 2**41),
    "test": range(2**41, 2**41 + 2**40),
}


def split_seed(split: str, index: int) -> int:
    """The seed of a split's task.

    >>> split_seed("train", 7), split_seed("test", 7) - split_seed("test", 0)
    (7, 7)
    """
    require(
        isinstance(split, str) and split in SPLITS,
        "split",
        split,
        f"choose one of {', '.join(SPLITS)}{nearest(split, SPLITS)}",
    )
    seeds = SPLITS[split]
    possible = is_whole(index) and 0 <= index < len(seeds)
    require(possible, "index", index, f"{split} has tasks from 0 to {len(seeds) - 1}")
    return seeds[int(index)]
