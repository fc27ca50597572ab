"""The library's own threads: the same bits as in one, whoever else uses them."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import cyberdeck
from cyberdeck import Batch
from cyberdeck.engine import native
from tests.engine.test_threads import course as course_of

#: Enough for several pieces.
GAMES = 700


def course(name: str, threads: int) -> list[bytes]:
    return course_of(Batch(name, GAMES, seed=3, threads=threads))


@pytest.mark.parametrize("name", cyberdeck.GAMES)
def test_any_number_of_threads_plays_the_same(name: str) -> None:
    one, *more = (course(name, threads) for threads in (1, 2, 3, 16))
    assert all(each == one for each in more)


def test_those_who_step_at_the_same_time_do_not_disturb_each_other() -> None:
    """One of them has the threads, the others go on alone."""
    right = course("hackthegrid", 1)
    with ThreadPoolExecutor(4) as pool:
        several = pool.map(lambda _: [course("hackthegrid", 3) for _ in range(8)], range(4))
    assert [*several] == [[right] * 8] * 4


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork()")
def test_a_forked_process_has_threads_of_its_own() -> None:
    right = course("hackthegrid", 3)
    child = os.fork()
    if child == 0:
        os._exit(17 if course("hackthegrid", 3) == right else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 17


def test_only_rows_are_shared() -> None:
    core = Batch("hackthegrid", GAMES, seed=3, threads=2).core
    with pytest.raises(TypeError, match="argument 2"):
        core._advance(core.all_rows, np.zeros(GAMES - 1, np.int64))
    loops = core.loops
    with pytest.raises(TypeError, match="argument 7 is no array of rows"):
        native.split(loops.advance, (0, 6), 2)
    with pytest.raises(TypeError, match="argument 11 is no array"):
        native.split(loops.advance, (0, 10), 2)
    with pytest.raises(TypeError, match="returns a number of all rows"):
        native.split(loops.first_illegal, (0, 1), 2)
