"""Kernels as plain Python: the same as compiled, or an error."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cyberdeck import dice, kernel
from cyberdeck.engine import registry
from cyberdeck.engine.careful import Careful
from cyberdeck.engine.game_loops import carefully
from cyberdeck.engine.kernels import Kernel, lowest
from cyberdeck.engine.phases import phases_between
from cyberdeck.engine.plain import as_python
from tests.play import Play
from tests.stacktrices.positions import write

TABLE = np.array([100, 120], np.int8)


@kernel
def sum_of(state, at):
    """Wider than what it is made of."""
    return state.cells[at] + TABLE[at] + TABLE[1]


@kernel
def double(state):
    for at in range(len(state.cells)):
        state.cells[at] = 2 * state.cells[at]


@pytest.fixture
def record() -> np.ndarray:
    record = np.zeros(1, [("dice", np.uint64), ("cells", np.int8, (2,))])
    record["cells"] = [27, 60]
    return record


def test_numbers_are_widened_and_written_as_in_compiled_code(record: np.ndarray) -> None:
    assert as_python(sum_of)(record[0], np.int8(0)) == sum_of(record[0], 0) == 247
    as_python(double)(record[0])
    assert record["cells"].tolist() == [[54, 120]]


@kernel
def converted(number):
    return np.int64(np.uint64(number) % np.uint64(7)) + np.int32(number) + np.int8(number)


@pytest.mark.parametrize("number", [5, -1, 300, -(2**40) - 3])
def test_what_is_converted_runs_over_as_in_compiled_code(number: int) -> None:
    assert as_python(converted)(number) == converted(number)


def test_random_bits_run_over_as_in_compiled_code(record: np.ndarray) -> None:
    plain, compiled = as_python(dice.draw), dice.draw
    twin = record.copy()
    assert [plain(record[0]) for _ in range(5)] == [compiled(twin[0]) for _ in range(5)]
    assert [as_python(lowest)(1 << place) for place in range(63)] == list(range(63))


@pytest.mark.parametrize("name", ["hackthegrid", "stacktrices"])
def test_a_game_by_plain_rules_is_the_same_game(name: str) -> None:
    compiled, plain = Play(name, seed=3), Play(name, seed=3)
    act = as_python(plain.game.kernels.act)
    legal = as_python(plain.game.kernels.legal)
    luck = np.random.default_rng(1)
    while not compiled.over:
        mask = np.zeros(plain.variant.action_count, np.int8)
        assert legal(plain.record[0], mask) == len(compiled.legal())
        assert mask.tolist() == compiled.mask.tolist()
        action = int(luck.choice(np.flatnonzero(mask)))
        act(plain.record[0], action)
        compiled.act(action)
        assert plain.record.tobytes() == compiled.record.tobytes()


SHOWN = {
    "stacktrices": [{}, {"steal_on_attack": True, "stacked_movement": True}],
    "hovercrafts": [{"ships": (2, 3), "scenario": "tunnels"}, {"goal": "seize", "battles": 3}],
}


def shown(game: str, options: dict[str, Any]) -> Iterator[Any]:
    """What views are given of a game, and a table that is read from its text."""
    play = Play(game, seed=5, **options)
    variant, luck = play.variant, np.random.default_rng(2)
    while not play.over and play.state["decisions"] < 60:
        before = play.record.copy()
        play.act(int(luck.choice(play.legal())))
        yield [frame.tobytes() for frame in phases_between(variant.game, before, play.record)]
        yield before.tobytes()
    if game == "stacktrices":
        table = {"position": "\n".join(write(play.record))}
        yield Play(game, table, **options).record.tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("game", SHOWN)
def test_phases_and_tables_are_the_same(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = functools.cache(as_python)
    for options in SHOWN[game]:
        compiled = list(shown(game, options))
        with monkeypatch.context() as patch:
            patch.setattr(Kernel, "__call__", lambda self, *given: plain(self)(*given))
            with carefully(Careful(registry.game(game))):
                assert list(shown(game, options)) == compiled


@pytest.mark.parametrize(
    ("numba", "why"),
    [
        (
            "raise ModuleNotFoundError('there is none', name='numba')",
            "is not installed: in a checkout of cyberdeck, pip install '.[jit]'",
        ),
        (
            "raise ImportError('Numba needs NumPy 2.2 or less.\\nGot 9.0.')",
            "cannot be imported: Numba needs NumPy 2.2 or less. Got 9.0.",
        ),
    ],
)
def test_without_numba_kernels_pictures_and_words_are_plain_python(
    numba: str, why: str, tmp_path: Path
) -> None:
    """Or with one that cannot be imported."""
    (tmp_path / "numba.py").write_text(numba)
    for game in SHOWN:
        play = Play(game, seed=5)
        for _ in range(30):
            play.act(play.legal()[-1] if game == "hovercrafts" else play.legal()[0])
        (tmp_path / game).write_bytes(play.record.tobytes())
    code = f"""if True:
        import sys
        from pathlib import Path
        sys.path.insert(0, {str(tmp_path)!r})
        import numpy as np
        import cyberdeck
        from cyberdeck import showing
        for game in {list(SHOWN)}:
            variant = cyberdeck.variant(game)
            content = Path({str(tmp_path)!r}, game).read_bytes()
            record = np.frombuffer(bytearray(content), variant.game.dtype)
            shown = showing.scene(variant, record, (0,))
            assert "<svg" in shown.picture()
            assert shown.view.action_name(shown.record, 0)
            assert shown.screen()
            print(int(variant.game.kernels.seat_count(variant.blank()[0])))
            try:
                cyberdeck.Batch(variant, 1)
            except cyberdeck.CyberdeckError as error:
                print(error)
    """
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    told = [f"{game} has to be compiled, and numba, which does that, {why}" for game in SHOWN]
    assert done.stdout.splitlines() == ["2", told[0], "2", told[1]]
