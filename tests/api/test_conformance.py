"""``cyberdeck.testing``: every clause, for every game and option value; and what clauses find."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch, OptionError
from cyberdeck.api.adapters import Format
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.api.pettingzoo_env import CyberdeckAECEnv, CyberdeckParallelEnv
from cyberdeck.api.vector_env import CyberdeckVectorEnv
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.sb3 import SB3VecEnv
from cyberdeck.testing import Clause, clauses, conform
from tests.api.helpers import CASES, FEW, brief, label

#: A case of each game quickly, two of them in every interface; slowly more option values, in every
#: interface the clauses by turns: an interface does not look at what an option means.
QUICKLY = [
    *clauses("hackthegrid"),
    *clauses("hovercrafts", **{**FEW[7][1], "ships": (2, 1), "max_turns": 3}),
    *clauses("matrix_overload", "gymnasium", "batch", "raw_env", **FEW[1][1]),
    *clauses("stacktrices", "vector", "sb3", "env", **brief(FEW[5])[1]),
]
SLOWLY = [
    clause
    for turn, (game, options) in enumerate(map(brief, CASES))
    for number, clause in enumerate(clauses(game, **options))
    if clause not in QUICKLY and (turn + number) % 2
]


def asked(found: Clause, *marks: Any) -> Any:
    case = found.variant.game.name, found.variant.chosen
    return pytest.param(found, id=f"{label(case)}: {found}", marks=marks)


@pytest.mark.parametrize(
    "clause", [*map(asked, QUICKLY), *(asked(each, pytest.mark.slow) for each in SLOWLY)]
)
def test_what_an_interface_promises_holds(clause: Clause) -> None:
    clause()


def of(name: str) -> Clause:
    """A clause asked of a game; the parallel env's of another."""
    game = "hovercrafts" if name.startswith("parallel_env") else "hackthegrid"
    return next(each for each in clauses(game) if str(each) == name)


#: What is broken in what a method hands out, and the clause that is to say so.
BROKEN: list[tuple[type, str, Callable[[Any, Any], Any], str]] = [
    (CyberdeckEnv, "action_masks", lambda env, masks: ~masks, "gymnasium-one_seat"),
    (Format, "observation", lambda shown, seen: seen + 1, "gymnasium-formats"),
    (CyberdeckEnv, "_info", lambda env, info: info | {"x": 0.5}, "gymnasium-formats"),
    (CyberdeckEnv, "suggest", lambda env, action: 0, "gymnasium-one_seat"),
    (CyberdeckEnv, "svg", lambda env, svg: env.step(env.suggest()) and svg, "gymnasium-pictures"),
    (CyberdeckEnv, "clone", lambda env, twin: env, "gymnasium-copies"),
    (CyberdeckVectorEnv, "step", lambda _, t: (t[0], -t[1], *t[2:]), "vector-single_envs"),
    (CyberdeckVectorEnv, "get_state", lambda envs, saved: saved[1:], "vector-starts"),
    (SB3VecEnv, "_infos", lambda envs, infos: infos[::-1], "sb3-formats"),
    (Batch, "clone", lambda batch, twin: batch, "batch-copies"),
    (CyberdeckAECEnv, "state", lambda env, seen: seen[::-1], "raw_env-all_seats"),
    (CyberdeckAECEnv, "action_masks", lambda env, masks: ~masks, "env-offences"),
    (CyberdeckParallelEnv, "state", lambda env, seen: seen[::-1], "parallel_env-turn_by_turn"),
    (GameBatch, "complaint", lambda games, words: "no, not at all", "batch-refusals"),
    (GameBatch, "resample", lambda games, _: games.masks.fill(1), "env-resampling"),
]


@pytest.mark.parametrize(("owner", "method", "change", "name"), BROKEN)
def test_what_is_broken_is_found(
    owner: type, method: str, change: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = getattr(owner, method)

    def broken(self: Any, *arguments: Any, **more: Any) -> Any:
        return change(self, original(self, *arguments, **more))

    monkeypatch.setattr(owner, method, broken)
    with pytest.raises(AssertionError, match=rf"(?s), {name}: .*\n    What .* is promised: [A-Z]"):
        of(name)()


def test_all_that_does_not_hold_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Batch, "resample", lambda batch, *_, **__: np.zeros(3)[3])
    monkeypatch.setattr(Batch, "clone", lambda batch: None)
    with pytest.raises(AssertionError) as told:
        conform("examples/games/kuhn_poker.py", "batch", decisions=50)
    words = str(told.value)
    assert words.startswith("Kuhn Poker, batch-copies: ")
    assert "What cyberdeck.Batch is promised: Copies, pickles and saved bytes go on alike" in words
    assert "Kuhn Poker, batch-resampling: index 3 is out of bounds" in words
    assert "\nkuhn_poker keeps the contract: 19 checks, " in words


def test_a_game_by_its_file_or_name() -> None:
    file = Path(__file__).parents[2] / "examples/games/tictactoe.py"
    assert {str(clause.variant.game.name) for clause in clauses(str(file))} == {"tictactoe"}
    assert not clauses("hackthegrid", "parallel_env")
    with pytest.raises(OptionError, match="there is no game 'chess'"):
        clauses("chess")
    with pytest.raises(OptionError, match=r"'aaa.*aaa\.\.\.'; there are") as refused:
        clauses("a" * 70_000)
    assert len(str(refused.value)) < 1000
    with pytest.raises(OptionError, match=r"there is no interface 'gym'.*: choose gymnasium, "):
        clauses("hackthegrid", "gym")


def test_it_needs_no_library_of_tests_or_of_learning() -> None:
    script = (
        "import sys, cyberdeck; assert 'cyberdeck.testing' not in sys.modules; "
        "import cyberdeck.testing; print([m for m in ('pytest', 'torch') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
