"""Every mistake of ``broken_games.txt`` is found by the check that it names, and told in words."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from cyberdeck import CyberdeckError, variant
from cyberdeck.api.registration import ENVIRONMENT, load_file
from cyberdeck.engine import registry
from cyberdeck.evaluation import check as checking
from cyberdeck.evaluation.check import CHECKS, check
from cyberdeck.evaluation.check import report as told
from cyberdeck.evaluation.check.playing import Games
from cyberdeck.evaluation.check.twins import Twins
from tests.evaluation.broken_games import REFUSED, VIEWS, WARNING, Broken, right, table

TABLE = table()
#: What is asked in quick tests: one game through each door.
QUICK = {
    "an action has no name": "kuhn_poker",
    "past an inner axis": "goofspiel",
    "won twice": "goofspiel",
    "legal counts too many": "tictactoe",
    "seats as a text": "tictactoe",
    "resample is missing": "kuhn_poker",
}
DECISIONS, FEW, COURSES = 60, 12, 4
SECONDS, HUNG = 20.0, 2.0
#: Found where positions that look alike to a seat are compared, which takes long.
COMPARED = {"secrets", WARNING}
#: What may fail besides: the same mistake, seen from elsewhere.
BESIDES = {
    "secrets": {"rewards"},
    "rewards": {"bounds"},
    "kernels": {"people", "resample"},
    "resample": {"secrets"},
    "mover": {"bounds"},
    "bounds": {"bytes", "resample"},
    "result": {"bounds", "mover"},
    "fresh": {"batch"},
    "batch": {"copy", "fresh"},
}


@pytest.fixture(autouse=True)
def _broken_games_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_found", dict(registry._found))
    monkeypatch.setattr(registry, "_views", dict(registry._views))
    monkeypatch.setenv(ENVIRONMENT, "[]")


@pytest.fixture(autouse=True)
def _it_takes_little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """All is found by plain Python: nothing is compiled. And one fault of a kind is enough."""
    monkeypatch.setattr(Games, "run", lambda *_: None)
    monkeypatch.setattr(Games, "play_again", lambda *_: None)
    monkeypatch.setattr(told, "_FEW", 1)
    monkeypatch.setattr(checking, "_COURSES", COURSES)


def found_in(
    file: Path, decisions: int = DECISIONS, seconds: float = SECONDS
) -> tuple[set[str], str]:
    """The checks that fail, or REFUSED, or WARNING; and what is said."""
    try:
        chosen = variant(load_file(file).name)
    except CyberdeckError as error:
        return {REFUSED}, str(error)
    report = check(chosen, decisions=decisions, seconds=seconds)
    if not report.faults:
        return {WARNING} & {WARNING for _ in report.warnings}, str(report)
    return set(report.failed), str(report)


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(
            each, id=str(each), marks=[pytest.mark.slow] * (QUICK.get(each.kind) != each.game)
        )
        for each in TABLE
    ],
)
def test_a_mistake_is_found(
    broken: Broken, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if broken.found not in COMPARED and "public" not in broken.kind:
        monkeypatch.setattr(Twins, "run", lambda *_: None)
    hopeless = Games._is_hopeless
    monkeypatch.setattr(
        Games, "_is_hopeless", lambda self: broken.found in self.report.failed or hopeless(self)
    )
    file = broken.write(tmp_path)
    decisions = FEW if broken.found == "secrets" else DECISIONS
    found, said = found_in(file, decisions, HUNG if broken.found == "end" else SECONDS)
    assert broken.found in found, said
    assert found <= {broken.found} | BESIDES.get(broken.found, set()), said
    assert broken.says in said
    assert "Traceback" not in said
    assert " at 0x" not in said
    if broken.found == REFUSED:
        assert "\n" not in said
    if broken.found == "kernels":
        assert re.search(rf"{broken.game}\.py, line \d+, in ", said)


WORLDS = [
    ("told", "theirs, unseen = 0, 0", "theirs, unseen = -1, 0", "has no legal action"),
    (
        "goofspiel",
        "state.bid[0] = nth_legal(",
        "state.bid[0] = NONE\n    nth_legal(",
        "-1 is no index",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "old", "new", "says"), WORLDS, ids=lambda text: text[:10])
def test_a_world_that_cannot_be_is_found_where_it_is_played_on(
    game: str, old: str, new: str, says: str, tmp_path: Path
) -> None:
    source = right(game).read_text("utf-8")
    assert source.count(old) == 1
    (tmp_path / f"{game}.py").write_text(source.replace(old, new), "utf-8")
    found, said = found_in(tmp_path / f"{game}.py")
    assert "resample" in found, said
    assert "and played on, this goes wrong" in said
    assert says in said


def test_every_kind_of_mistake_is_made_in_three_games() -> None:
    games: dict[str, set[str]] = {}
    for each in TABLE:
        games.setdefault(each.kind, set()).add(each.game)
    assert [kind for kind, of in games.items() if len(of) < 3] == []
    assert len(TABLE) >= 120
    assert max(Counter(map(str, TABLE)).values()) == 1
    assert {each.found for each in TABLE} <= {*CHECKS, REFUSED, WARNING}


def test_the_places_of_all_mistakes_are_there(tmp_path: Path) -> None:
    for each in TABLE:
        each.write(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("view", sorted(VIEWS.glob("*_view.py")), ids=lambda path: path.stem)
def test_without_its_mistake_a_view_is_right(view: Path, tmp_path: Path) -> None:
    for path in (view, right(view.stem.removesuffix("_view"))):
        (tmp_path / path.name).write_text(path.read_text())
    found, said = found_in(tmp_path / path.name)
    assert found == set(), said
