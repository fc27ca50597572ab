"""Rows in several threads: the same bits as in one, and errors that name the right row."""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np
import pytest

import cyberdeck
from cyberdeck import Batch
from cyberdeck.engine import threads
from cyberdeck.engine.threads import count_of, together
from cyberdeck.errors import ActionError, OptionError
from cyberdeck.evaluation import evaluate
from cyberdeck.players.search import Search

ARRAYS = ("states", "rows", "masks", "observations", "finals")


@pytest.fixture(autouse=True)
def _always_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Share the rows of any step, however short it is."""
    monkeypatch.setattr(threads, "_WORTH", 1e-9)


def course(batch: Batch, plays: bool = True) -> list[bytes]:
    """What becomes of a batch that steps and plays."""
    for step in range(12):
        batch.step(batch.choose(("random", "heuristic")[step % 2]))
    if plays:
        batch.play("random", 30)
    batch.step(batch.choose("random"))
    return [getattr(batch._core, name).tobytes() for name in ARRAYS]


@pytest.mark.parametrize("name", cyberdeck.GAMES)
def test_any_number_of_threads_plays_the_same(name: str) -> None:
    one, *more = (course(Batch(name, 97, seed=3, threads=count)) for count in (1, 2, 5))
    assert all(each == one for each in more)


@pytest.mark.parametrize("autoreset", ["NextStep", "Disabled"])
def test_seats_opponents_and_autoreset(autoreset: str) -> None:
    def made(count: int) -> Batch:
        return Batch(
            "hackthegrid",
            64,
            seed=3,
            seat="random",
            opponent=["random", "heuristic", Search(iterations=3)],
            autoreset=autoreset,
            threads=count,
        )

    assert course(made(1), plays=False) == course(made(3), plays=False)


def test_search_is_shared_and_the_same() -> None:
    answers = []
    for count in (1, 3):
        batch = Batch("stacktrices", 21, seed=1, threads=count)
        batch.play("random", 9)
        seen = batch._core.seen(batch._core.all_rows, True)
        assert seen.threads == count
        answers.append([each.tobytes() for each in Search(iterations=12, length=20).examine(seen)])
    assert answers[0] == answers[1]


def test_matches_are_the_same() -> None:
    one, two = (
        evaluate("hackthegrid", Search(iterations=5), ["random"], deals=6, threads=count)
        for count in (1, 2)
    )
    assert one.games.returns.tobytes() == two.games.returns.tobytes()
    assert one.table() == two.table()


def test_an_illegal_action_is_named_by_its_row_and_nothing_is_applied() -> None:
    batch = Batch("hackthegrid", 90, seed=0, threads=3)
    assert batch.clone()._core.threads == 3
    batch.step(batch.choose("random"))
    before = [getattr(batch._core, name).tobytes() for name in ARRAYS]
    actions = batch.choose("random")
    actions[77] = int(np.flatnonzero(batch.mask[77] == 0)[0])
    with pytest.raises(ActionError, match="row 77:"):
        batch.step(actions)
    assert [getattr(batch._core, name).tobytes() for name in ARRAYS] == before


@pytest.mark.parametrize("wrong", [0, 1.5, True, "all", 5000])
def test_a_number_of_threads_is_needed(wrong: Any) -> None:
    with pytest.raises(OptionError, match="'auto' for one on each core"):
        Batch("hackthegrid", 2, threads=wrong)


def test_auto_is_every_core_that_may_be_used() -> None:
    assert 1 <= count_of("auto") <= (os.cpu_count() or 1)


def test_pieces_are_done_once_at_the_same_time_and_in_their_places() -> None:
    """An error in one reaches the caller."""

    def fail(piece: int) -> None:
        if piece == 3:
            raise ValueError("piece 3")

    assert together(lambda piece: piece * piece, 50, 4) == [at * at for at in range(50)]
    meeting = threading.Barrier(2, timeout=20)
    together(lambda _: meeting.wait(), 2, 2)
    with pytest.raises(ValueError, match="piece 3"):
        together(fail, 8, 3)
    assert together(lambda piece: piece, 8, 3) == list(range(8))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork()")
def test_a_forked_process_has_threads_of_its_own() -> None:
    batch = Batch("hackthegrid", 90, seed=0, threads=3)
    batch.step(batch.choose("random"))
    child = os.fork()
    if child == 0:
        batch.step(batch.choose("random"))
        os._exit(17)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 17
