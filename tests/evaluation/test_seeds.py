"""Figures to publish come from deals that nothing was chosen on, and say so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cyberdeck import Batch
from cyberdeck.errors import OptionError
from cyberdeck.evaluation import evaluate, play_games, reporting_seed, tournament
from cyberdeck.evaluation.seeds import LIMIT
from tests.commands import Capture, refused, run

DAY = "2026-11-24"


def test_a_deal_for_reporting_is_none_that_a_number_can_name() -> None:
    players = {"heuristic": "heuristic", "random": "random"}
    last = play_games("hackthegrid", players, [(0, 1)], [2**32 - 1], seed=LIMIT - 1).seeds[0]
    for number in range(300):
        seed = reporting_seed(f"search:iterations={number}", DAY)
        assert LIMIT <= seed.number < 2 * LIMIT
        assert int(last) < seed.number << 32
    games = play_games("hackthegrid", players, [(0, 1)] * 2, [0, 2**32 - 1], seed=seed)
    assert games.seeds.tolist() == [seed.number << 32, (seed.number << 32) + 2**32 - 1]


def test_the_same_player_and_day_have_the_same_deals_everywhere() -> None:
    """Published figures can be measured again: this number must stay."""
    assert reporting_seed("heuristic", DAY).number == 2067428817
    assert reporting_seed("heuristic", "20261124") == reporting_seed("heuristic", DAY)
    others = [("random", DAY), ("heuristic", "2026-11-25"), (["heuristic", "random"], DAY)]
    assert len({reporting_seed(*each).number for each in [("heuristic", DAY), *others]}) == 4


def test_of_a_file_what_is_in_it_counts_also_in_a_setting(tmp_path: Path) -> None:
    one, two, moved = (tmp_path / f"{name}.npz" for name in ("one", "two", "moved"))
    one.write_bytes(b"one")
    two.write_bytes(b"two")

    def numbers(file: Path) -> list[int]:
        players = str(file), f"solved:file={file}", f"solved:file={file},more=1"
        return [reporting_seed(player, DAY).number for player in players]

    before = numbers(one)
    assert len({*before, *numbers(two)}) == 6
    one.rename(moved)
    assert numbers(moved) == before
    two.rename(one)
    assert not {*numbers(one)} & {*before}


@pytest.mark.parametrize("day", ["today", "2026-13-01", 20261124])
def test_what_is_no_day(day: str) -> None:
    with pytest.raises(OptionError, match="no day: give one such as 2026-11-24"):
        reporting_seed("heuristic", day)


def test_tables_and_files_say_what_their_deals_are_for(tmp_path: Path) -> None:
    seed = reporting_seed("heuristic", DAY)
    made = "Seeds for reporting, made from heuristic and 2026-11-24: nothing was chosen on them."
    for measure in (evaluate, tournament):
        players = ("heuristic", ["random"]) if measure is evaluate else (["heuristic", "random"],)
        reported = measure("hackthegrid", *players, deals=3, seed=seed)
        chosen = measure("hackthegrid", *players, deals=3, seed=8)
        assert reported.table().endswith(made)
        assert made not in chosen.table()
        assert repr(reported).startswith("HACKtheGRID, 2026-11-24 (for reporting)")
        assert repr(chosen).startswith("HACKtheGRID, seed 8 (for choosing)")
        for result, number, day in ((reported, seed.number, DAY), (chosen, 8, None)):
            result.save_json(tmp_path / "result.json")
            written = json.loads((tmp_path / "result.json").read_text())
            assert (written["seed"], written["reported"]) == (number, day)


def test_the_command_reports_on_deals_of_the_player_and_the_day(
    capsys: Capture, tmp_path: Path
) -> None:
    line = f"evaluate hackthegrid heuristic --opponent random --deals 3 --held-out {DAY}"
    printed = run(capsys, f"{line} --save-replays {tmp_path}/games --keep 1")
    seed = reporting_seed("heuristic", DAY)
    expected = evaluate("hackthegrid", "heuristic", ["random"], deals=3, seed=seed)
    heading = "HACKtheGRID, 3 deals, 2026-11-24 (for reporting): heuristic"
    assert printed.startswith(f"{heading}\n\n{expected.table(None)}\n")
    (replay,) = (tmp_path / "games").iterdir()
    began = json.loads(replay.read_text())["seed"]
    assert began == seed.number << 32
    Batch("hackthegrid", 1, seed=began)
    printed = run(capsys, f"tournament hackthegrid heuristic random --deals 3 --held-out {DAY}")
    assert "made from heuristic, random and 2026-11-24" in printed


def test_deals_are_for_choosing_or_for_reporting_not_both(capsys: Capture) -> None:
    line = f"evaluate hackthegrid heuristic --seed 3 --held-out {DAY}"
    assert "not allowed with" in refused(capsys, line)
