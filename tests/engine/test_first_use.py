"""A first game of a game from outside is played with every index checked, before it is compiled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import gymnasium
import pytest

import cyberdeck
from cyberdeck import Batch, Variant, variant
from cyberdeck.api.pettingzoo_env import raw_env
from cyberdeck.api.registration import load_file
from cyberdeck.engine import first_use, jit
from cyberdeck.engine.game_loops import is_careful
from cyberdeck.errors import KernelError
from cyberdeck.evaluation import evaluate
from cyberdeck.exact import exploitability, uniform
from tests.engine.games import edited

Written = Callable[..., str]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """The name of a new tic-tac-toe in which some texts are others, each after the other."""
    return lambda *pairs: load_file(edited(tmp_path, "tictactoe", *pairs)).name


#: What is written, what instead, and what is said of it.
PAST = [
    (
        ("actions=[(CELLS,", "actions=[(CELLS - 1,"),
        "line 25, in legal: 8 is no index of mask: there are 0 to 7",
    ),
    (
        ("out[AT.theirs + cell] =", "out[AT.theirs + cell + 1] ="),
        "line 54, in observe: 18 is no index of out: there are 0 to 17",
    ),
    (
        ("state.board[action] = seat", "state.board[CELLS] = seat"),
        "line 32, in act: 9 is no index of state.board: there are 0 to 8",
    ),
    (
        ("state.mover = 1 - seat", "state.mover = 2 - seat"),
        "in act: the mover is 2, and there are the seats 0 to 1",
    ),
    (
        ("return CELLS - state.decisions ", "return 1 + CELLS - state.decisions "),
        "in legal: it returns 10, and has marked 9 actions",
    ),
]


@pytest.mark.parametrize(("replaced", "said"), PAST)
def test_a_game_that_leaves_its_arrays_is_refused_through_every_door(
    replaced: tuple[str, str], said: str, written: Written
) -> None:
    name = written(*replaced)
    for door in (
        lambda: Batch(name, 1),
        lambda: Batch(name, 1),  # it is not played at the second attempt either
        lambda: gymnasium.make(cyberdeck.game(name).gym_id),
        lambda: raw_env(name),
        lambda: evaluate(name, "random", ["random"], deals=1),
        lambda: exploitability(name, uniform),
        lambda: variant(name).sides,
    ):
        with pytest.raises(KernelError, match=f"is not played: in a first game.*{said}"):
            door()


def test_a_game_that_is_fine_is_played_so_once(
    written: Written, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    looked: list[str] = []
    fault = first_use._fault

    def note(chosen: Variant) -> str | None:
        looked.append(chosen.game.name)
        return fault(chosen)

    # An index from the end, a number that runs over: compiled code keeps within its arrays.
    unwise = "seat = state.mover\n    state.board[action - 9] = 300\n"
    name = written("seat = state.mover\n", unwise)
    monkeypatch.setattr(first_use, "_fault", note)
    monkeypatch.setattr(jit, "cache_folder", lambda: tmp_path)
    _ = variant(name).loops
    _ = variant(name).loops
    monkeypatch.setattr(first_use, "_found", {})  # as in another process
    _ = variant(name).loops
    assert looked == [name]
    assert [path.name for path in tmp_path.glob("played-*")] != []
    _ = variant("hackthegrid").loops
    assert looked == [name], "the suite's own games are tested elsewhere"


def test_what_options_write_into_the_record_belongs_to_the_game(written: Written) -> None:
    """The kernels are the same, and go past the board by what ``derive`` says."""
    limit = (
        "state.board[action] = seat",
        "state.board[action + state.limit] = seat",
        "fields=[",
        'derive=write, fields=[Field("limit", 0, 9), ',
        "GAME = Game(",
        'def write(record, options):\n    record["limit"] = 0\n\n\nGAME = Game(',
    )
    _ = variant(written(*limit)).loops
    more = tuple(text.replace('"] = 0', '"] = 9') for text in limit)
    with pytest.raises(KernelError, match=r"is no index of state\.board"):
        _ = variant(written(*more)).loops


def test_a_kernel_that_does_not_end_is_told(
    written: Written, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(jit, "cache_folder", lambda: tmp_path)  # it is told once
    monkeypatch.setattr(first_use, "_SECONDS", 0.2)
    name = written("state.board[:] = EMPTY", "while True:\n        state.board[0] = EMPTY")
    with pytest.warns(
        UserWarning, match=r"line (19|20), in start: as plain Python this has not ended"
    ):
        _ = variant(name).loops


def test_a_game_is_played_by_compiled_code_afterwards(written: Written) -> None:
    chosen = variant(written("WON, FULL = 2, 3", "WON, FULL = 2, 3  # and another"))
    assert hasattr(chosen.loops.begin, "py_func")
    assert not is_careful(chosen.game)
