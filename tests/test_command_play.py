"""``cyberdeck play``: whole games typed by a test, and everything a person may type besides."""

from __future__ import annotations

import dataclasses
import random
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cyberdeck import Batch, notation, showing
from cyberdeck.commands import main as command
from cyberdeck.drawing import window
from cyberdeck.engine import registry
from cyberdeck.play import choices as listing
from cyberdeck.play.choices import Choice
from cyberdeck.replay import Replay
from cyberdeck.views.view import DRAWN, LOST, WON

_NUMBERED = re.compile(r"(?:^|  )(\d+)  \S")

Capture = pytest.CaptureFixture[str]

GRID = "hackthegrid --seed 3"


class Person:
    """Types lines, and keeps what was shown before each."""

    def __init__(self, capsys: Capture, answer: Callable[[str, str], str]) -> None:
        self._capsys, self._answer = capsys, answer
        self.shown: list[str] = []

    def __call__(self, prompt: str) -> str:
        self.shown.append(self._capsys.readouterr().out)
        return self._answer(prompt, self.shown[-1])

    @property
    def all_shown(self) -> str:
        return "".join(self.shown)


Plays = Callable[..., Person]


@pytest.fixture
def plays(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> Plays:
    """A person who plays, answers with a function, or types some lines and then leaves."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("LINES", "24")

    def play(
        arguments: str,
        answer: Callable[[str, str], str] | Iterable[str | BaseException] = (),
    ) -> Person:
        if not callable(answer):
            lines = iter(answer)

            def answer(prompt: str, shown: str) -> str:
                line = next(lines, EOFError())
                if isinstance(line, BaseException):
                    raise line
                return line

        person = Person(capsys, answer)
        monkeypatch.setattr("builtins.input", person)
        assert command.main(["play", *arguments.split()]) == 0
        return person

    return play


def numbers(shown: str) -> list[int]:
    """The choices that stand after the table."""
    listed = shown.rpartition("\n\n")[2]
    return [int(found) for line in listed.splitlines() for found in _NUMBERED.findall(line)]


def by_chance(seed: int) -> Callable[[str, str], str]:
    """Any choice by its number, and Enter after the end."""
    rng = random.Random(seed)

    def answer(prompt: str, shown: str) -> str:
        return "" if "Enter leaves" in prompt else str(rng.choice(numbers(shown)))

    return answer


@pytest.mark.parametrize(
    "arguments",
    [
        "matrix_overload edition=royals",
        "hackthegrid --seat row",
        "stacktrices setup=random max_turns=60",
        "hovercrafts ships=2v3 --seat machines",
        "hovercrafts ships=2v2 --seat zion_1 --ally random",
    ],
)
def test_whole_games_by_number(arguments: str, plays: Plays, tmp_path: Path) -> None:
    saved = tmp_path / "game.json"
    person = plays(f"{arguments} --seed 3 --output {saved}", by_chance(3))
    end = person.shown[-1]
    assert re.search(r"^\w[^.]*\. \w", end, re.MULTILINE)
    assert f"The replay is in {saved}" in end
    replay = Replay.load(saved)
    assert replay.seed == 3
    assert "person" in replay.players
    ended = replay.played()
    *_, last = (position.record for position in replay.positions())
    own = (replay.players.index("person"),)
    told = showing.scene(replay.variant, last, own).ending
    assert f"{told.words}." in end
    gains = dict(zip(replay.variant.sides, ended.returns, strict=True))
    gained = gains.pop(replay.variant.sides[own[0]])
    most = max(gains.values(), default=0.5)  # who plays alone gets 1 or 0
    assert told.mood == (WON if gained > most else DRAWN if gained == most == 0 else LOST)
    assert ended.reason not in end
    assert "Traceback" not in person.all_shown
    shown = person.all_shown.replace(str(saved), "game.json")  # where a test's folder is
    assert max(map(len, shown.splitlines())) <= 100


@pytest.mark.parametrize(
    ("arguments", "typed", "told"),
    [
        (GRID, [], {0: "you: column\nagainst you: row (heuristic)\n"}),
        ("examples/games/tictactoe.py", [], {0: "against you: o (random)\n"}),
        (GRID, ["NODE", "node cyan"], {2: "you: go to column 2: NET NODE (cyan)"}),
        (GRID, [], {0: "\n  2  C2  go to column 2: NET NODE (cyan)\n"}),
        (GRID, ["c-2!"], {1: "you: go to column 2: NET NODE (cyan)"}),
        (GRID, ["?", "", ""], {3: "\n  notation    do that"}),
        ("examples/games/kuhn_poker.py", ["B.E.T"], {1: "you: bet"}),
        (GRID, ["7"], {1: "7 is not among your choices"}),
        (GRID, ["xyz"], {1: "No choice has the words 'xyz'"}),
        (GRID, ["9" * 5000, "²"], {2: "² is not among your choices"}),
        (
            GRID,
            ["u", "1", "u", "u"],
            {1: "There is nothing to undo.\n", 4: "is nothing to undo.\n"},
        ),
        (
            "hovercrafts ships=2v1 --ally random",
            [],
            {0: "with you: Z1 (random)\nagainst you: M0 (heuristic)\n"},
        ),
        (
            f"{GRID} --opponent search:iterations=5",
            ["1"],
            {1: "row (search:iterations=5): go to row"},
        ),
    ],
)
def test_what_is_typed_and_told(
    arguments: str, typed: list[str], told: dict[int, str], plays: Plays
) -> None:
    person = plays(arguments, typed)
    assert "Starting: the first time on a machine" in person.shown[0]
    for at, words in told.items():
        assert words in person.shown[at]


@pytest.mark.parametrize(
    ("typed", "decisions"), [(["1"], 2), (["q"], 0), ([KeyboardInterrupt()], 0)], ids=str
)
def test_leaving(
    typed: list[str | BaseException], decisions: int, plays: Plays, capsys: Capture, tmp_path: Path
) -> None:
    saved = tmp_path / "game.json"
    plays(f"{GRID} --output {saved}", typed)
    said = capsys.readouterr().out
    assert f"You have left. Decisions made by all seats: {decisions}" in said
    assert not saved.exists()


def test_help_hint_and_the_table_again(plays: Plays) -> None:
    typed = ["?", "", "", "h", "p", ""]
    first, _, scored, helped, hinted, again, listed = plays(GRID, typed).shown
    for each in ("h", "u", "p", "s FILE", "q", "Enter"):
        assert f"  {each} " in helped
    assert "NET NODE          0   1 each   2 each" in scored
    assert " ".join(hinted.split()) == (
        "The solver suggests 1: go to column 1: SIGNAL SPIKE (green) -> a draw; "
        "others: 0 a draw, 2 a draw, 3 a loss"
    )
    assert first.endswith(again)
    assert numbers("\n\n" + listed) == [0, 1, 2, 3]


@pytest.mark.parametrize("game", ["hackthegrid", "hovercrafts", "stacktrices", "matrix_overload"])
def test_undo_goes_back_to_the_decision(game: str, plays: Plays) -> None:
    chosen: list[str] = []

    def answer(prompt: str, shown: str) -> str:
        if len(chosen) == 9:
            raise EOFError
        line = "u" if len(chosen) in (4, 6, 7) else str(numbers(shown)[-1])
        chosen.append(line)
        return line

    person = plays(f"{game} --seed 5", answer)
    core = [shown.split("\n\n", 1)[1] for shown in person.shown]
    assert core[5] == core[3]  # decided 4 times, undone
    assert core[6] == core[4]  # the same again takes the same course
    assert core[7] == core[3]
    assert core[8] == core[2]
    assert "Undone: " in person.shown[5]


def test_a_replay_is_saved_when_asked_and_what_is_alone_needs_no_typing(
    plays: Plays, tmp_path: Path
) -> None:
    early, late = tmp_path / "early.json", tmp_path / "late.json"
    chance, listed, alone = by_chance(1), list[str](), set[int]()
    typed = iter(["s", f"s {tmp_path}/no/game.json", f"s {tmp_path}", f"s {early}"])
    after = iter(["u", "x", "s", f"s {late}", "q"])

    def answer(prompt: str, shown: str) -> str:
        if "Enter leaves" in prompt:
            return next(after)
        listed.extend([shown] if numbers(shown) else [])
        if len(numbers(listed[-1])) == 1:
            alone.update(numbers(listed[-1]))
            return ""
        return next(typed, None) or chance(prompt, listed[-1])

    person = plays(GRID, answer)
    assert person.shown[1] == "Name a file: s game.json\n"
    assert "there is no folder" in person.shown[2]
    assert "is a folder" in person.shown[3]
    assert person.shown[4] == f"The replay goes to {early} when the game is over.\n"
    assert person.all_shown.count(f"The replay is in {early}") == 2, "undone after the end"
    assert "type s FILE, u, or Enter" in person.all_shown
    assert Replay.load(early).actions == Replay.load(late).actions
    assert alone
    assert all(f"you: go to column {action}:" in person.all_shown for action in alone)


# --- what others do ------------------------------------------------------------------------------


def test_plans_are_secret_until_they_are_carried_out_and_told_once(plays: Plays) -> None:
    typed = ["7", *["move"] * 4, *["no action", "right"] * 8]
    person = plays("hovercrafts --seed 1 --seat zion", typed)
    assert "M0 (heuristic): deploy in row" in person.all_shown  # that is open
    assert "M0 (heuristic) decides in secret" in person.all_shown
    said = [line for line in person.all_shown.splitlines() if "M0 (heuristic): " in line]
    assert all("deploy" in line for line in said)
    assert re.search(r"Turn 1, phase 1: Z0 .*; M0 ", person.all_shown)
    told = re.findall(r"Turn \d+, phase \d: .*", person.all_shown)
    assert len(told) == len(set(told)) > 1


def test_the_thief_does_not_leak(plays: Plays) -> None:
    person = plays("stacktrices --seed 2 --seat 0", by_chance(2))
    assert "  white (heuristic) decides in secret, once or more\n" in person.shown[0]
    assert person.shown[0].count("decides in secret") == 1
    opponents = re.findall(r"white \(heuristic\): (.*)", person.all_shown)
    assert opponents
    assert not [line for line in opponents if line.startswith("hide")]
    before_the_first_move = person.all_shown.partition("white (heuristic): move")[0]
    assert "white (heuristic): put" not in before_the_first_move


# --- mistakes ------------------------------------------------------------------------------------


def test_a_swap_may_begin_like_the_command_that_saves(plays: Plays) -> None:
    person = plays("hackthegrid --seed 2", ["0", "2", "s 0-0"])
    assert "you: swap own place 0, " in person.all_shown
    assert "The replay goes to" not in person.all_shown


def test_numbers_and_commands_keep_their_meaning(
    plays: Plays, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in a game whose actions are written so; the help says it there."""
    typed = ["?", "", "", "u", "1"]
    assert "also where" not in plays(GRID, typed).all_shown
    view = registry.view(registry.game("hackthegrid"))
    other = dataclasses.replace(view, notation=lambda _, action: "1u23"[action % 4])
    monkeypatch.setitem(registry._views, "hackthegrid", other)
    told = plays(GRID, typed).all_shown
    assert "also where\nan action is written so" in told
    assert "There is nothing to undo" in told
    assert "you: go to column 1" in told


# --- lists ---------------------------------------------------------------------------------------


def test_long_lists_come_in_pages(plays: Plays, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("LINES", "18")
    line = "hovercrafts ships=5v5 --seed 1"
    first, second, third, filtered = plays(line, ["", "", "row 11"]).shown
    assert "more lines: press Enter" in first
    assert numbers(first)[0] == 7
    assert numbers("\n\n" + second)[0] == numbers(first)[-1] + 1
    assert max(map(len, second.splitlines())) <= 80
    assert "more" in second or numbers("\n\n" + third)[0] == 7
    assert "No choice" in filtered


# --- the screen ----------------------------------------------------------------------------------

#: Games whose boards are large, and what is typed there at most.
_TABLES = [
    ("matrix_overload", {}),
    ("stacktrices", {}),
    ("hovercrafts", {"ships": (3, 3), "goal": "seize"}),
    ("hovercrafts", {"ships": (5, 5), "battles": 3}),
]


@pytest.mark.parametrize(("game", "options"), _TABLES)
def test_the_table_and_choices_fit_80x24(game: str, options: dict[str, Any]) -> None:
    """Nothing wraps, and there is room for choices."""
    batch = Batch(game, 1, seed=4, autoreset="Disabled", **options)
    while batch.mover[0] >= 0:
        mover, record = int(batch.mover[0]), batch._core.states
        lines = showing.scene(batch.variant, record, (mover,)).screen().splitlines()
        assert max(map(len, lines)) <= 80
        assert len(lines) <= 19
        chosen = [
            Choice(action, batch._core.action_name(0, action), each)
            for action, each in notation.legal(batch).items()
        ]
        assert max(map(len, listing.listed(chosen, 80, 22 - len(lines)))) <= 80
        batch.play("random", 7)


@pytest.mark.parametrize(
    ("environment", "colours"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_colours_are_for_terminals(
    environment: dict[str, str], colours: bool, monkeypatch: pytest.MonkeyPatch, plays: Plays
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    (shown,) = plays(GRID).shown
    assert ("\x1b[36mSCRAMBLE cyan\x1b[0m" in shown) == ("\x1b" in shown) == colours


def test_a_game_of_ones_own_needs_no_words_for_it(
    plays: Plays, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry._views, "hackthegrid", None)
    _, helped = plays(GRID, ["?"]).shown
    assert helped.startswith(registry.game("hackthegrid").summary)
    assert "\n\nYou type:" in helped
    end = plays(GRID, by_chance(3)).shown[-1]
    assert re.search(r"^(You|A draw|Nobody)[^.]*\. (Grid emptied|Cards remain)\.$", end, re.M)
    assert "own score" in end


# --- the window ----------------------------------------------------------------------------------


def test_the_table_is_shown_in_a_window(plays: Plays, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    shown: list[tuple[int, ...]] = []
    closed: list[bool] = []
    show, close = window.Window.show, window.Window.close

    def seen(self: window.Window, frame: NDArray[np.uint8]) -> None:
        shown.append(frame.shape)
        show(self, frame)

    monkeypatch.setattr(window.Window, "show", seen)
    monkeypatch.setattr(window.Window, "close", lambda self: closed.append(close(self) is None))
    plays(f"{GRID} --window", ["1", "p"])
    assert len(shown) == 3
    assert shown[0][2] == 3
    assert closed
    # Without a display the game goes on.
    monkeypatch.setenv("SDL_VIDEODRIVER", "no such driver")
    person = plays(f"{GRID} --window", ["1"])
    assert "There is no window: " in person.all_shown
    assert person.all_shown.count("There is no window") == 1
