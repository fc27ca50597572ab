"""Tasks by their numbers."""

from __future__ import annotations

from itertools import pairwise

import pytest

from cyberdeck.errors import OptionError
from cyberdeck.text.splits import SPLITS, split_seed


def test_no_two_splits_share_a_seed() -> None:
    ranges = sorted(SPLITS.values(), key=lambda seeds: seeds.start)
    assert all(before.stop <= after.start for before, after in pairwise(ranges))
    assert [*SPLITS] == ["train", "validation", "test"]
    assert all(split_seed(split, 3) == seeds[3] for split, seeds in SPLITS.items())
    assert ranges[-1][-1] < 2**53  # exact in JSON


@pytest.mark.parametrize(
    ("split", "index", "said"),
    [
        ("tests", 0, "did you mean test?"),
        ("train", -1, "index=-1 is not possible: train has tasks from 0 to"),
        ("train", 2**40, "is not possible"),
        ("train", 1.5, "index=1.5"),
        (["test"], 0, "choose one of train, validation, test"),
    ],
)
def test_a_task_that_there_is_not_is_refused(split: str, index: int, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        split_seed(split, index)
