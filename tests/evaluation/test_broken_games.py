"""Every mistake of ``broken_games.txt`` is found by the check that it names, and told in words.

That file has right games with a few lines replaced, written in the way of a ``diff``::

    # <what is wrong with the games below>: <the check that finds it>
    ## <the right game>: <what stands in the message>
     a line that stays
    -a line that is taken out
    +a line that takes its place
    @@
    +another place

Lines that stay and lines that are taken out tell where it is: they stand there once. A place in the
game's view is one as well; without it the game has no view of its own. Instead of a check, a game
is "refused" before it can be played, or there is a "warning" and nothing fails. The first game of
each kind is asked about in quick tests.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from cyberdeck import CyberdeckError, variant
from cyberdeck.api.registration import ENVIRONMENT, load_file
from cyberdeck.engine import registry
from cyberdeck.testing import check, checking
from cyberdeck.testing import report as told
from cyberdeck.testing.playing import RandomPlay
from cyberdeck.testing.report import CHECKS
from cyberdeck.testing.twins import Twins
from tests.engine.games import EXAMPLES, edited

HERE = Path(__file__).parent
GAMES = EXAMPLES, HERE / "games"
VIEWS = HERE / "views"
REFUSED, WARNING = "refused", "warning"


class Broken(NamedTuple):
    """A game with a mistake."""

    kind: str
    game: str
    found: str
    """The check that fails, or REFUSED, or WARNING."""
    says: str
    places: list[tuple[list[str], list[str]]]
    """(lines of the right game, lines in their place)."""

    def write(self, folder: Path) -> Path:
        """Write the broken game, and its view, if the mistake is there; returns the game's file."""
        rules, shown = right(self.game), VIEWS / f"{self.game}_view.py"
        files = {path: path.read_text().splitlines() for path in (rules, shown) if path.is_file()}
        changed = {rules}
        for old, new in self.places:
            found = [
                (path, at)
                for path, text in files.items()
                for at in range(len(text))
                if text[at : at + len(old)] == old
            ]
            assert len(found) == 1, f"{self.kind}, {self.game}: {len(found)} times: {old}"
            ((path, at),) = found
            files[path][at : at + len(old)] = new
            changed.add(path)
        for path in changed:
            (folder / path.name).write_text("\n".join(files[path]) + "\n")
        return folder / rules.name


def right(game: str) -> Path:
    """The file of a right game."""
    return next(path for each in GAMES if (path := each / f"{game}.py").is_file())


def table() -> list[Broken]:
    """All of them."""
    found = []
    for part in re.split(r"^# ", (HERE / "broken_games.txt").read_text(), flags=re.M)[1:]:
        head, *games = re.split(r"^## ", part.rstrip("\n"), flags=re.M)
        kind, check = head.strip().split(": ")
        for each in games:
            name, *lines = each.rstrip("\n").split("\n")
            game, _, says = name.partition(":")
            places = []
            for place in re.split(r"^@@\n", "\n".join(lines), flags=re.M):
                own = place.rstrip("\n").split("\n")
                places.append(
                    ([x[1:] for x in own if x[:1] != "+"], [x[1:] for x in own if x[:1] != "-"])
                )
            found.append(Broken(kind, game, check, says.strip(), places))
    return found


TABLE = table()
#: By the kind; but only one of loops that do not end and of rounds, which take longest, and none of
#: the games that an outsider wrote.
FIRST = {
    each.found if each.found in ("end", "rounds") else each.kind: each
    for each in reversed(TABLE)
    if right(each.game).parent != HERE / "games" or each.game == "teams"
}.values()
#: Found where positions that look alike to a seat are compared, which takes long.
COMPARED = {"secrets", "rounds", WARNING}
#: Found by what people are shown, which takes a third of the time.
SHOWN = {"people", "kernels", WARNING}
#: What may fail besides: the same mistake, seen from elsewhere.
BESIDES = {
    "secrets": {"rewards", "rounds"},
    "rounds": {"secrets", "resample"},
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
def _it_takes_little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """All is found by plain Python: nothing is compiled. And one fault of a kind is enough."""
    monkeypatch.setattr(registry, "_found", dict(registry._found))
    monkeypatch.setattr(registry, "_views", dict(registry._views))
    monkeypatch.setenv(ENVIRONMENT, "[]")
    monkeypatch.setattr(checking, "_play_compiled", lambda *_: None)
    monkeypatch.setattr(told, "_FEW", 1)
    monkeypatch.setattr(checking, "_COURSES", 4)
    monkeypatch.setattr(checking, "_PLAYED", 1.0)


def found_in(file: Path, decisions: int = 60, seconds: float = 200.0) -> tuple[set[str], str]:
    """The checks that fail, or REFUSED, or WARNING; and what is said."""
    try:
        chosen = variant(load_file(file).name)
    except CyberdeckError as error:
        return {REFUSED}, str(error)
    report = check(chosen, decisions=decisions, seconds=seconds)
    if not report.faults:
        return {WARNING} & {WARNING for _ in report.warnings}, str(report)
    return set(report.failed), str(report)


def cases() -> list[object]:
    return [
        pytest.param(
            each,
            id=re.sub(r"\W+", "_", f"{each.kind}-{each.game}"),
            marks=[pytest.mark.slow] * (each not in FIRST),
        )
        for each in TABLE
    ]


@pytest.mark.parametrize("broken", cases())
def test_a_mistake_is_found(
    broken: Broken, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if broken.found not in COMPARED and "public" not in broken.kind:
        monkeypatch.setattr(Twins, "run", lambda *_: None)
    if broken not in FIRST and broken.found not in SHOWN:
        monkeypatch.setattr(RandomPlay, "_show", lambda *_: None)
    hopeless = RandomPlay._is_hopeless
    monkeypatch.setattr(
        RandomPlay,
        "_is_hopeless",
        lambda self: broken.found in self.report.failed or hopeless(self),
    )
    file = broken.write(tmp_path)
    decisions = 12 if broken.found == "secrets" else 60
    found, said = found_in(file, decisions, 0.6 if broken.found == "end" else 200.0)
    assert broken.found in found, said
    assert found <= {broken.found} | BESIDES.get(broken.found, set()), said
    assert broken.says in said
    assert "Traceback" not in said
    assert " at 0x" not in said
    if broken.found == REFUSED:
        assert "\n" not in said
    if broken.found == "kernels":
        assert re.search(rf"{broken.game}\.py, line \d+, in ", said)


@pytest.mark.parametrize(
    ("game", "old", "new", "says"),
    [
        ("dark_hex", "cells & ~own, cells & own", "cells & ~own, 511", "has no legal action"),
        (
            "goofspiel",
            "state.bid[0] = nth_legal(",
            "state.bid[0] = NONE\n    nth_legal(",
            "-1 is no index",
        ),
    ],
)
def test_a_world_that_cannot_be_is_found_where_it_is_played_on(
    game: str, old: str, new: str, says: str, tmp_path: Path
) -> None:
    found, said = found_in(edited(tmp_path, game, old, new), 12)
    assert "resample" in found, said
    assert "and played on, this goes wrong" in said
    assert says in said


def test_there_is_a_mistake_for_every_check() -> None:
    """What only compiled code can do is in test_check.py, symmetries in test_symmetries.py."""
    found = {each.found for each in TABLE}
    assert found | {"compiled", "copy", "symmetries"} == {*CHECKS, REFUSED, WARNING}
    assert len({(each.kind, each.game) for each in TABLE}) == len(TABLE)
