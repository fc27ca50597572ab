"""Tasks by number: each stands for the seed of a game, and no two splits share a seed."""

from __future__ import annotations

from typing import Final

from cyberdeck.common.text import nearest
from cyberdeck.engine.contract import is_whole
from cyberdeck.errors import require

#: The seeds of each split: more than anybody will play, and small enough to be exact in JSON.
SPLITS: Final = {
    "train": range(2**40),
    "validation": range(2**40, 2**41),
    "test": range(2**41, 2**41 + 2**40),
}


def split_seed(split: str, index: int) -> int:
    """The seed of a task: its split, and its number in that.

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
