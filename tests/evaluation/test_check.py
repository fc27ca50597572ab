"""``cyberdeck check`` in compiled code: what keeps the contract passes, every fault is found.

``test_broken_games.py`` has those that plain Python finds before.
"""

from __future__ import annotations

import dataclasses
import runpy
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cyberdeck import Batch, OptionError, variant
from cyberdeck.api.registration import load_file
from cyberdeck.engine.variant import Variant
from cyberdeck.evaluation.games import measure_of
from cyberdeck.testing import Fault, check, position_checks, random_play
from cyberdeck.testing.report import CHECKS

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
    monkeypatch.setattr(position_checks, "_ENDLESS", 400)


def test_a_game_that_keeps_the_contract_passes() -> None:
    told: list[int] = []
    report = check(NAME, decisions=50, seed=5, progress=told.append, colour="red")
    assert report.faults == report.failed == report.warnings == []
    assert report.games > 5
    assert told == sorted(told)
    assert told[-1] == report.decisions >= 50
    assert report.status == 0
    assert str(report).startswith("seven_stones_broken keeps the contract: 19 checks, ")
    assert "\n  with colour='red'" in str(report)


#: What is to be seen where a fault is said to be.
SEEN: dict[str, Callable[[Batch], bool]] = {
    "no_action": lambda batch: not batch.mask.any() and int(batch.mover[0]) >= 0,
    "number_too_high": lambda batch: int(batch.observation.max()) == STONES + 1,
    "heuristic_illegal": lambda batch: not batch.mask[0, batch.choose("heuristic")[0]],
    "reward_too_high": lambda batch: float(np.abs(batch.final_return).max()) == 2.0,
    "endless": lambda batch: len(batch) == 1 and int(batch.mover[0]) >= 0,
}


def replayed(fault: str, found: Fault) -> Batch:
    """A game of one's own that comes to where a fault was seen."""
    batch = Batch(NAME, 1, seed=found.seed, autoreset="Disabled", fault=fault)
    for action in found.decisions:
        batch.step([action])
    return batch


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault != "none"])
def test_a_fault_is_found_and_its_seed_and_decisions_lead_there(fault: str) -> None:
    report = random_play(variant(NAME, fault=fault), decisions=40, games=8)
    assert FAULTS[fault] in report.failed
    for each in report.faults:
        if each.check == FAULTS[fault] and fault in SEEN:
            assert SEEN[fault](replayed(fault, each)), str(each)


@pytest.mark.parametrize("fault", ["invariant", "number_too_high", "reward_too_high"])
def test_of_many_games_each_is_looked_at(fault: str) -> None:
    report = random_play(variant(NAME, fault=fault), decisions=240, games=24)
    found = {each.seed for each in report.faults if each.check == FAULTS[fault]}
    assert found - {0}, "the first game alone is looked at for everything"


def test_many_games_keep_the_contract() -> None:
    report = random_play(variant(NAME), decisions=240, games=24)
    assert report.faults == []
    assert report.games > 24
    assert 3 <= report.longest <= STONES


def test_what_is_wrong_is_told_with_where_it_shows() -> None:
    """A few faults of a kind; at once, what plain Python finds; and no other kind with it."""
    report = check(NAME, decisions=40, fault="own_card_redrawn")
    assert report.failed == ["resample"]
    assert len(report.faults) == 3
    told = str(report)
    assert f"\nresample: it does not hold that {CHECKS['resample']}\n" in told
    assert "(seed 0, at its beginning)" in told
    assert "\n  with fault='own_card_redrawn'" in told
    assert "after the decisions the last of 30: 0 0" in str(Fault("end", "it", 1, (0,) * 30))
    batch = replayed("own_card_redrawn", report.faults[0])
    before, redrawn = batch.look(0, 0)[0].tolist(), []
    for seed in range(20):
        twin = batch.clone()
        twin.resample(0, 0, seed=seed)
        redrawn.append(twin.look(0, 0)[0].tolist())
    assert any(each != before for each in redrawn)


def test_what_stopped_it_is_told() -> None:
    report = check(NAME, decisions=20_000, seconds=0.1)
    assert "\n  with the default options\n  stopped by the limit of time" in str(report)
    report.careful, report.twins = 50, 10
    assert str(report).startswith(f"{NAME} keeps the contract as far as time allowed: ")
    assert report.status == 0


@pytest.mark.parametrize(
    ("careful", "twins", "says"),
    [(49, 10, "49 of 50 decisions with every index checked"), (50, 9, "9 of 10 pairs alike")],
)
def test_who_has_looked_at_little_says_so_first(careful: int, twins: int, says: str) -> None:
    report = check(NAME, decisions=20, seconds=60)
    report.careful, report.twins = careful, twins
    assert str(report).startswith(f"{NAME} was looked at too little to say anything: {says}")
    assert report.status == 3
    report.add(Fault("end", "it goes on", 0, ()))
    assert report.status == 1


def test_decisions_are_asked_for_and_options_are_the_game_s() -> None:
    with pytest.raises(OptionError, match="at least 1"):
        check(NAME, decisions=0)
    with pytest.raises(OptionError, match="games=0 is not possible: at least 1"):
        random_play(variant(NAME), decisions=1, games=0)
    with pytest.raises(OptionError, match="seconds=0 is not possible: more than 0"):
        check(NAME, seconds=0)
    with pytest.raises(OptionError, match="colour is"):
        check(NAME, decisions=1, colour="green")


@pytest.mark.parametrize("colour", ["red", "blue"])
def test_what_is_paid_is_a_score_or_a_win_by_the_options(colour: str) -> None:
    scored = dataclasses.replace(
        variant(NAME).game, scored=lambda options: options["colour"] == "red"
    )
    chosen = Variant(scored, {"colour": colour})
    assert chosen.scored == (colour == "red")
    assert measure_of(chosen) == ("reward" if chosen.scored else "points")
    wrong = dataclasses.replace(scored, scored=lambda options: "money")
    with pytest.raises(OptionError, match="scored='money' is not possible: it is True or False"):
        _ = Variant(wrong, {}).scored
