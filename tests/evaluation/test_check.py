"""``cyberdeck check``: a game that keeps the contract passes, and every kind of fault is found."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from cyberdeck import Batch, OptionError, variant
from cyberdeck.api.registration import load_file
from cyberdeck.commands.main import main
from cyberdeck.evaluation.check import CHECKS, Fault, Report, check, playing, random_play

FILE = Path(__file__).parent / "broken_game.py"
STONES = 7

NAME = "seven_stones_broken"
#: The names of the faults that its option has, and the check that is to find each.
FAULTS: dict[str, str] = runpy.run_path(str(FILE))["FAULTS"]


@pytest.fixture(scope="module", autouse=True)
def _registered() -> None:
    load_file(FILE)


@pytest.fixture(autouse=True)
def _endless_is_not_that_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "_ENDLESS", 2_000)


@cache
def report_of(fault: str, decisions: int = 80) -> Report:
    return check(NAME, decisions=decisions, fault=fault)


def replayed(fault: str, found: Fault) -> Batch:
    """A game of one's own that comes to where a fault was seen."""
    batch = Batch(NAME, 1, seed=found.seed, autoreset="disabled", fault=fault)
    for action in found.decisions:
        batch.step([action])
    return batch


def test_a_game_that_keeps_the_contract_passes() -> None:
    told: list[int] = []
    report = check(NAME, decisions=1_000, seed=5, progress=told.append)
    assert report.faults == []
    assert report.failed == []
    assert report.games > 100
    assert told == sorted(told)
    assert told[-1] == report.decisions >= 1_000
    assert str(report).startswith("seven_stones_broken keeps the contract: 18 checks, 1")


def test_there_is_a_fault_for_every_check() -> None:
    elsewhere = {"batch", "compiled", "people", "result"}  # see test_broken_games.py
    elsewhere.add("symmetries")  # see test_symmetries.py
    assert set(FAULTS.values()) | elsewhere == {"", *CHECKS}


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault != "none"])
def test_a_fault_is_found(fault: str) -> None:
    report = report_of(fault)
    assert FAULTS[fault] in report.failed
    assert f"\n{FAULTS[fault]}: it does not hold that {CHECKS[FAULTS[fault]]}\n" in str(report)


#: What shows in games of which not everything is looked at.
SHOWS = ["invariant", "number_too_high", "reward_too_high"]


@pytest.mark.parametrize("fault", SHOWS)
def test_of_many_games_each_is_looked_at(fault: str) -> None:
    report = random_play(variant(NAME, fault=fault), decisions=4_000, games=200)
    found = {each.seed for each in report.faults if each.check == FAULTS[fault]}
    assert found - {0}, "the first game alone is looked at for everything"


def test_many_games_keep_the_contract() -> None:
    report = random_play(variant(NAME), decisions=4_000, games=200)
    assert report.faults == []
    assert report.games > 400
    assert 3 <= report.longest <= STONES


#: Faults that are found by their own check alone.
ALONE = [
    "mask_of_two",
    "no_action",
    "number_too_high",
    "option_misread",
    "own_card_redrawn",
    "redrawn_from_secret",
    "heuristic_illegal",
    "heuristic_changes",
    "reward_too_high",
    "endless",
]


@pytest.mark.parametrize("fault", ALONE)
def test_nothing_else_is_said_to_be_wrong(fault: str) -> None:
    assert report_of(fault).failed == [FAULTS[fault]]


#: What is to be seen where a fault is said to be.
SEEN: dict[str, Callable[[Batch], bool]] = {
    "field_too_low": lambda batch: bool(batch.core.states["noted"] == -1),
    "mask_of_two": lambda batch: bool(batch.mask.max() == 2),
    "no_action": lambda batch: not batch.mask.any() and int(batch.mover[0]) >= 0,
    "nobody_moves": lambda batch: int(batch.mover[0]) == -1 and not batch.terminated[0],
    "number_too_high": lambda batch: int(batch.observation.max()) == STONES + 1,
    "heuristic_illegal": lambda batch: not batch.mask[0, batch.choose("heuristic")[0]],
    "reward_too_high": lambda batch: float(np.abs(batch.final_return).max()) == 2.0,
    "endless": lambda batch: len(batch) == 1 and int(batch.mover[0]) >= 0,
}


@pytest.mark.parametrize("fault", SEEN)
def test_seed_and_decisions_lead_to_the_fault(fault: str) -> None:
    found = [each for each in report_of(fault).faults if each.check == FAULTS[fault]]
    assert found
    for each in found:
        assert SEEN[fault](replayed(fault, each)), str(each)


def test_a_redrawn_game_is_shown_to_differ_where_it_is_said_to() -> None:
    found = report_of("own_card_redrawn").faults[0]
    batch = replayed("own_card_redrawn", found)
    before = batch.look(0, 0)[0].tolist()
    redrawn = []
    for seed in range(20):
        twin = batch.clone()
        twin.resample(0, 0, seed=seed)
        redrawn.append(twin.look(0, 0)[0].tolist())
    assert any(each != before for each in redrawn)


def test_what_was_played_with_and_what_stopped_it_are_told() -> None:
    assert "\n  with the default options" in str(check(NAME, decisions=20))
    stopped = str(check(NAME, decisions=20_000, seconds=1, colour="red"))
    assert stopped.startswith(f"{NAME} keeps the contract as far as time allowed: ")
    assert "\n  with colour='red'\n  stopped by the limit of time" in stopped


def test_few_faults_of_one_kind_are_told_and_long_games_are_shortened() -> None:
    report = report_of("own_card_redrawn")
    assert len(report.faults) == 3
    assert "(seed 0, at its beginning)" in str(report)
    assert "after the decisions the last of 30: 0 0" in str(Fault("end", "it", 1, (0,) * 30))


def test_decisions_are_asked_for_and_options_are_the_game_s() -> None:
    with pytest.raises(OptionError, match="at least 1"):
        check(NAME, decisions=0)
    with pytest.raises(OptionError, match="games=0 is not possible: at least 1"):
        random_play(variant(NAME), decisions=1, games=0)
    with pytest.raises(OptionError, match="seconds=0 is not possible: more than 0"):
        check(NAME, seconds=0)
    with pytest.raises(OptionError, match="colour is"):
        check(NAME, decisions=1, colour="green")


@pytest.mark.slow
def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["check", str(FILE), "--decisions", "160", "--seed", "3"]
    assert main(asked) == 0
    out = capsys.readouterr().out
    assert "keeps the contract" in out
    assert main([*asked, "--option", "fault=endless"]) == 1
    out = capsys.readouterr().out
    assert "breaks the contract" in out
    assert "\nend: it does not hold that games and kernels come to an end\n" in out
    assert main(["check", "no_such_game"]) == 2
    assert capsys.readouterr().err.startswith("cyberdeck: there is no game 'no_such_game'")
