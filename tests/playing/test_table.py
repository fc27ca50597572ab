"""The table's messages, without a server or a browser."""

from __future__ import annotations

import errno
import json
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cyberdeck import showing
from cyberdeck.play.compiled import CompiledEngine
from cyberdeck.play.finished import FinishedGame
from cyberdeck.play.session import GameSession
from cyberdeck.playing import table as tables
from cyberdeck.playing.compiled import Compiled
from cyberdeck.playing.keeping import Keeper
from cyberdeck.playing.table import Setup, Table
from cyberdeck.replay import Move, Replay
from cyberdeck.replay.review import review
from cyberdeck.views.words import HIDDEN

from .helpers import GAMES, ask, play_on, table, variant, your_turn

Slowed = Callable[[type, str], tuple[threading.Event, threading.Event]]

PLAYED = pytest.mark.parametrize(
    ("game", "options"),
    [each for each in GAMES if each[0] not in ("connect_four.py", "goofspiel.py")],
)


@PLAYED
def test_a_whole_game_and_its_replay(game: str, options: dict[str, Any], tmp_path: Path) -> None:
    seat = "zion" if game == "hovercrafts" else "0"
    playing = table(game, seat, seed=987654321, **options)
    about = json.loads(json.dumps(playing.handle({"do": "about"})))
    assert about["title"]
    shown = your_turn(playing)
    while shown["end"] is None:
        assert "987654321" not in json.dumps(shown)
        offered = {each["action"] for each in shown["choices"]}
        groups = re.findall('data-actions="([0-9 ]+)"', shown["picture"])
        assert {int(action) for group in groups for action in group.split()} == offered
        assert "replay once the game is over" in ask(playing, "replay", kind="json")["error"]
        shown = play_on(playing, 1, seed=len(shown["heard"]))
    outcomes = "You win|You lose|You got|A draw|Nobody wins|Both lose|Timed out|Zion|The Mach"
    assert re.match(outcomes, shown["end"]["outcome"])
    assert shown["choices"] == []
    assert not shown["waiting"]
    saved = ask(playing, "replay", kind="json")["file"]
    assert saved["name"].endswith(".json")
    path = tmp_path / saved["name"]
    path.write_text(saved["text"])
    replay = Replay.load(path)
    assert replay.seed == 987654321 == shown["end"]["seed"]
    page = ask(playing, "replay", kind="html")["file"]
    assert page["name"].endswith(".html")
    assert "<!doctype html>" in page["text"]
    # Another one on the same deal begins alike.
    again = ask(playing, "new", seed="same")
    assert again["end"] is None
    assert again["heard"] == []
    first = table(game, seat, seed=987654321, **options)
    assert again["picture"] == ask(first, "look", version=None)["picture"]


def test_a_page_that_is_behind_is_refused_and_shown_how_the_game_stands() -> None:
    playing = table("hackthegrid")
    behind = playing.version
    action = your_turn(playing)["choices"][0]["action"]
    now = ask(playing, "choose", action=action)
    for do in ("choose", "undo", "new", "hint", "worth"):
        answer = ask(playing, do, action=action, version=behind)
        assert "has gone on in the meantime" in answer["notice"]
        assert answer["version"] == now["version"] == playing.version
        assert answer["heard"] == now["heard"]
    # Two tabs that both let the others decide do so once.
    first, same = (ask(playing, "go on", version=now["version"]) for _ in range(2))
    assert first == same
    # Who knows how it stands is told so in short.
    assert ask(playing, "look") == {"version": playing.version, "same": True}


@PLAYED
def test_resigning_loses_and_can_be_undone(
    game: str, options: dict[str, Any], tmp_path: Path
) -> None:
    kept: list[dict[str, Any]] = []
    playing = table(game, keep=kept.append, **options)
    before = your_turn(playing)
    ended = ask(playing, "resign")
    assert ended["heard"][-1]["words"] == "resigns"
    assert ended["end"]["reason"] == "You resigned"
    assert re.match("You lose|The Machines win|You got -", ended["end"]["outcome"])
    path = tmp_path / "resigned.json"
    path.write_text(ask(playing, "replay", kind="json")["file"]["text"])
    replay = Replay.load(path)
    assert "resigns" in [move.words for move in replay.story() if isinstance(move, Move)]
    *_, last = replay.positions()
    assert "forfeited" in showing.scene(replay.variant, last.record, None).text().lower()
    # It is kept like any decision.
    again = Table(Compiled(variant(game, **options)), Setup(), kept=kept[-1])
    assert ask(again, "look", version=None)["end"] == ended["end"]
    assert ask(playing, "open")["back"]["headline"].endswith(" resigned")
    undone = ask(playing, "undo")
    assert undone["notice"] == "Undone: resigns"
    assert undone["choices"] == before["choices"]
    while not (told := ask(playing, "resign")).get("error"):
        pass
    assert told["error"] == "The game is over."


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"do": "dance"}, "do='dance' is not possible: choose about, look"),
        ({"do": "choose", "action": "0"}, "not among your choices"),
        ({"do": "undo"}, "nothing to undo"),
        ({"do": "new", "against": "serach"}, "did you mean search"),
        ({"do": "new", "seat": "3"}, "seat='3' is not possible"),
        ({"do": "new", "seed": 2**31}, "must be a whole number from 0 to 2147483647"),
        ({"do": "new", "seed": "0"}, "must be a whole number from 0"),
        ({"do": "replay", "kind": "exe"}, "json, html or link"),
        ({"do": "look", "theme": "pink"}, "'dark' or 'light'"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(
    message: dict[str, Any], said: str
) -> None:
    playing = table("hackthegrid")
    before = ask(playing, "look", version=None)
    assert said in playing.handle({"version": playing.version, **message})["error"]
    assert ask(playing, "look", version=None) == before


def test_another_game_can_be_played_with_its_options() -> None:
    kept: list[dict[str, Any]] = []
    playing = table("tictactoe.py", keep=kept.append)
    about = ask(playing, "about")
    assert {"tictactoe", "hackthegrid", "hovercrafts"} <= {each["name"] for each in about["games"]}
    asked = {"game": "hovercrafts", "options": {"ships": "2v1", "emp_per_turn": ""}}
    offered = playing.handle({"do": "offers", **asked})["offers"]
    assert offered["seats"] == ["Z0", "Z1", "M0"]
    assert offered["teams"] == ["zion", "machines"]
    ships, *_ = offered["options"]
    assert (ships["name"], ships["value"], ships["default"]) == ("ships", "2,1", "1,1")
    assert "how many fly" in ships["meaning"]
    assert not {"reward", "observation"} & {each["name"] for each in offered["options"]}
    begun = ask(playing, "new", seat="zion", seed=5, **asked)
    assert [each["own"] for each in begun["seats"]] == [True, True, False]
    assert ask(playing, "about")["options"] == ["ships=(2, 1)"]
    ask(playing, "choose", action=your_turn(playing)["choices"][0]["action"])
    # The same command goes on with it.
    again = Table(Compiled(variant("tictactoe.py")), Setup(), kept=json.loads(json.dumps(kept[-1])))
    assert ask(again, "look", version=None) == ask(playing, "look", version=None)
    for wrong, said in (
        ({"game": "hovercraft"}, "did you mean hovercrafts"),
        ({"game": "../own.py"}, "there is no game '../own.py'"),
        ({"game": 3}, "there is no game 3"),
        ({"game": "hovercrafts", "options": {"ships": "0v9"}}, "zion=0 is not possible"),
        ({"game": "hovercrafts", "options": {"shipz": "1v1"}}, "did you mean ships"),
        ({"game": "hovercrafts", "options": {"ships": 3}}, "an option's value is a text"),
    ):
        assert said in ask(playing, "new", **wrong)["error"]
        assert said in playing.handle({"do": "offers", **wrong})["error"]
    assert ask(playing, "about")["game"] == "hovercrafts"


def test_what_a_position_is_worth() -> None:
    exact = ask(table("hackthegrid"), "worth")["worth"]
    assert exact["player"] == "The solver"
    assert exact["share"] in (0.0, 0.5, 1.0)
    kuhn = table("kuhn_poker.py")
    your_turn(kuhn)
    found = ask(kuhn, "worth")["worth"]
    assert 0 < found["share"] < 1
    assert found["player"] == "Search"


def test_a_finished_game_is_looked_back_on(tmp_path: Path) -> None:
    playing = table("hackthegrid")
    your_turn(playing)
    for do in ("open", "review", "position"):
        assert "once the game is over" in ask(playing, do, at=0)["error"]
    play_on(playing)
    told = ask(playing, "open")["back"]
    saved = tmp_path / "game.json"
    saved.write_text(ask(playing, "replay", kind="json")["file"]["text"])
    replay = Replay.load(saved)
    assert len(told["moves"]) == len(replay.actions)
    judged = ask(playing, "review")["review"]
    points = judged["points"]
    assert judged["by"] == ["the solver"]
    found = review(replay).judged
    assert [each["lost"] for each in points] == [each.lost for each in found]
    worst = max(points, key=lambda each: each["lost"])
    assert worst["best"]
    drawn = ask(playing, "position", at=worst["at"])["position"]["picture"]
    assert f'data-actions="{worst["bestAction"]}"' in drawn  # the better move is shown
    for at in (len(replay.actions) + 1, -1, "1"):
        assert f"at={at!r} is not possible" in ask(playing, "position", at=at)["error"]
    assert ask(playing, "position", at=len(replay.actions))["position"]["picture"]
    # The same game from a link, at another table, in the middle of another game.
    link = ask(playing, "replay", kind="link")["link"]
    assert len(link) < 150
    other = table("tictactoe.py")
    before = ask(other, "look", version=None)
    assert ask(other, "open", link=f"http://127.0.0.1/#game={link}")["back"] == told
    assert ask(other, "position", at=3, link=link)["position"]["at"] == 3
    assert "holds no game" in ask(other, "open", link=link[:-9])["error"]
    assert ask(other, "look", version=None) == before


def test_a_review_that_nobody_waits_for_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    playing = table("tictactoe.py")
    play_on(playing)
    looked = []

    def reviewed(self: FinishedGame, progress: Callable[[float], None]) -> dict[str, Any]:
        for share in (0.1, 0.2, 0.3):
            looked.append(share)
            progress(share)
            assert ask(playing, "enough") == {}
        return {"points": [], "by": []}

    monkeypatch.setattr(FinishedGame, "review", reviewed)
    assert ask(playing, "review") == {}
    assert looked == [0.1, 0.2]


def test_a_game_in_disguise_is_not_given_away() -> None:
    plain, disguised = table("hackthegrid"), table("hackthegrid", disguise=5)
    assert "HACKtheGRID" in ask(plain, "about")["rules"]
    about = ask(disguised, "about")
    assert about["rules"] == ""
    assert not about["lessons"]
    shown = ask(disguised, "look", version=None)
    told = json.dumps([about["title"], about["how to play"], about["how to write"], shown])
    assert not re.search("(?i)hackthegrid|scramble|firewall", told)
    assert f"<title>{about['title']}" in shown["picture"]


def test_a_page_names_nobody_who_does_more_than_decide() -> None:
    """But whom the starter has named."""
    chat, other = (f"chat:url=http://127.0.0.1:9/v1,model={name}" for name in "mn")
    started = Table(Compiled(variant("hackthegrid")), Setup("row", chat), seed=3)
    assert "error" not in ask(started, "new", against="random")
    assert "error" not in ask(started, "new", against=chat)
    told = ask(started, "new", against=other)["error"]
    assert told.startswith(f"the page names the player {other!r}, which opens connections, reads ")
    assert "give it to `cyberdeck play --browser` in a terminal, as --opponent PLAYER" in told


def test_looking_back_shows_what_the_seat_knew() -> None:
    first = ask(table("stacktrices", "white"), "look", version=None)["picture"]
    assert "hide the thief" in first
    assert "Just now" not in first, "who is asked to hide its thief is not told that it has"
    playing = table("stacktrices", seat="1", setup="choose", max_turns=3)
    play_on(playing)
    back = ask(playing, "open")["back"]
    hidden = [each for each in back["moves"] if each["words"] == HIDDEN]
    assert hidden
    assert not any(each["short"] for each in hidden)


def test_hints_have_a_number_for_each_move_or_the_outcome() -> None:
    playing = table("tictactoe.py")
    told = ask(playing, "hint")["hint"]
    assert told["player"] == "The solver"
    assert {each["action"] for each in told["worth"]} == set(range(9))
    assert {each["worth"] for each in told["worth"]} == {"a draw"} == {told["outlook"]}
    playing = table("hackthegrid")
    shown = your_turn(playing)
    told = ask(playing, "hint")["hint"]
    assert told["player"] == "The solver"
    offered = {each["action"]: each["words"] for each in shown["choices"]}
    assert {each["action"] for each in told["worth"]} == set(offered)
    assert offered[told["action"]] == told["words"]


@pytest.fixture
def slowed(monkeypatch: pytest.MonkeyPatch) -> Slowed:
    """Makes a method wait; returns what says that it has begun, and what lets it go on."""

    def slow(owner: type, name: str) -> tuple[threading.Event, threading.Event]:
        begun, enough = threading.Event(), threading.Event()
        real = getattr(owner, name)

        def waiting(*given: Any) -> Any:
            begun.set()
            assert enough.wait(30)
            return real(*given)

        monkeypatch.setattr(owner, name, waiting)
        return begun, enough

    return slow


def meanwhile(playing: Table, do: str, begun: threading.Event) -> tuple[threading.Thread, Any]:
    """A message that is being answered; and where its answer comes."""
    answers: list[dict[str, Any]] = []
    asked = threading.Thread(target=lambda: answers.append(ask(playing, do)))
    asked.start()
    assert begun.wait(30)
    return asked, answers


def test_the_game_goes_on_while_a_hint_is_thought_about(slowed: Slowed) -> None:
    begun, enough = slowed(CompiledEngine, "hint")
    playing = table("hackthegrid")
    offered = {each["action"]: each["words"] for each in your_turn(playing)["choices"]}
    asked_at = playing.version
    thinking, answers = meanwhile(playing, "hint", begun)
    assert ask(playing, "look")["same"]
    shown = play_on(playing, 1)
    assert {each["words"] for each in shown["choices"]}.isdisjoint(offered.values())
    assert "error" not in ask(playing, "new", game="stacktrices", options={})
    enough.set()
    thinking.join(30)
    # It is about the position that it was asked for, in the words of that game.
    assert answers[0]["version"] == asked_at != playing.version
    hint = answers[0]["hint"]
    assert {each["action"] for each in hint["worth"]} == set(offered)
    assert hint["words"] == offered[hint["action"]]


def test_nobody_waits_for_what_others_think(slowed: Slowed) -> None:
    playing = table("tictactoe.py")
    ask(playing, "choose", action=0)
    begun, enough = slowed(GameSession, "ask")
    thinking, late = meanwhile(playing, "go on", begun)
    started = time.monotonic()
    assert ask(playing, "look", version=None)["waiting"]
    assert ask(playing, "about")["seats"] == ["x", "o"]  # a page that is loaded anew
    assert "once the game is over" in ask(playing, "replay", kind="json")["error"]
    assert ask(playing, "look")["thinking"]["share"] is None  # that player does not say it
    undone = ask(playing, "undo")
    assert len(undone["choices"]) == 9
    begun_anew = ask(playing, "new", seat="o")
    assert begun_anew["waiting"]
    assert time.monotonic() - started < 5
    enough.set()
    thinking.join(30)
    # What they have decided is for a game that nobody plays any more.
    assert late[0] == begun_anew == ask(playing, "look", version=None)
    assert len(ask(playing, "go on")["choices"]) == 8


def test_a_search_says_how_far_it_is_and_can_be_hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    hurried: list[bool] = []

    class Thinking(tables.Thinking):
        def __init__(self, now: bool = False) -> None:
            hurried.append(now)
            super().__init__(now)

    monkeypatch.setattr(tables, "Thinking", Thinking)
    # That takes seconds at the fastest (in tic-tac-toe it is over before anybody has looked).
    playing = Table(Compiled(variant("hackthegrid")), Setup("1", "search:iterations=1000000"), 3)
    thinking = threading.Thread(target=lambda: ask(playing, "go on"))
    thinking.start()
    while not (told := ask(playing, "look").get("thinking")) or not told["share"]:
        assert thinking.is_alive()
        time.sleep(0.01)
    assert 0 < told["share"] < 1
    assert "nothing yet" in ask(playing, "resign")["error"]
    assert ask(playing, "hurry") == {}
    thinking.join(30)
    shown = ask(playing, "look", version=None)
    assert shown["mover"] == "row"
    # Who resigns now does so in the place of the last decision, and the search ends.
    ask(playing, "choose", action=shown["choices"][0]["action"])
    thinking = threading.Thread(target=lambda: ask(playing, "go on"))
    thinking.start()
    while "thinking" not in ask(playing, "look"):
        assert thinking.is_alive()
        time.sleep(0.01)
    assert hurried == [False, False]  # the next decision has its time again
    ended = ask(playing, "resign")
    assert ended["end"]["reason"] == "You resigned"
    assert [each["own"] for each in ended["heard"] if each["who"]] == [False, True]
    thinking.join(30)
    assert not thinking.is_alive()
    assert "thinking" not in ask(playing, "look")


# --- secrets -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "seat", "options"),
    [
        ("matrix_overload", 0, {}),
        ("stacktrices", 0, {}),
        ("hovercrafts", 1, {"ships": (2, 2)}),
        ("kuhn_poker.py", 1, {}),
    ],
)
def test_two_worlds_that_a_seat_cannot_tell_apart_look_alike(
    game: str, seat: int, options: dict[str, Any]
) -> None:
    differed = 0
    for seed in range(2):
        playing = table(game, str(seat), seed=seed, **options)
        for decisions in range(5):
            shown = play_on(playing, 1, seed=decisions) if decisions else your_turn(playing)
            session = playing._session
            core = session.position.core
            if shown["end"] is not None:
                break
            real, saved = core.states.copy(), core.save()
            for narrow in (False, True):
                playing._shown.clear()
                before = ask(playing, "look", version=None, narrow=narrow)
                del before["picture"]
                pictures = set()  # in Hovercrafts those of redrawn games tell less of the last turn
                for bits in range(2):
                    core.resample(seat, bits)
                    session.record = session.position.record
                    differed += bool((core.states != real).any())
                    playing._shown.clear()
                    redrawn = ask(playing, "look", version=None, narrow=narrow)
                    pictures.add(redrawn.pop("picture"))
                    assert redrawn == before
                assert len(pictures) == 1
                core.load(saved)
                session.record = session.position.record
    assert differed


def test_secret_plans_are_not_told_before_they_are_carried_out() -> None:
    """What the enemies plan, and how many decisions that takes, shows nowhere."""
    seen = []
    for player in ("random", "heuristic"):
        options = {"ships": (2, 2), "deployment": "random"}
        playing = Table(
            Compiled(variant("hovercrafts", **options)), Setup("machines", player, player), 5
        )
        shown, told = your_turn(playing), []
        while shown["turn"] == "Turn 1":
            told.append(json.dumps({**shown, "version": ""}).replace(player, "player"))
            ask(playing, "choose", action=shown["choices"][-1]["action"])
            shown = your_turn(playing)
        assert "phase 1" in json.dumps(shown["heard"])
        seen.append(told)
    assert len(seen[0]) > 2
    assert seen[0] == seen[1]
    assert all("decide in secret" in shown for shown in seen[0])


# --- nothing is lost -----------------------------------------------------------------------------


@PLAYED
def test_a_game_that_was_kept_goes_on_after_any_decision(
    game: str, options: dict[str, Any]
) -> None:
    kept: list[dict[str, Any]] = []
    playing = table(game, keep=lambda state: kept.append(json.loads(json.dumps(state))), **options)
    for decisions in range(4):
        shown = play_on(playing, 1, seed=decisions) if decisions else your_turn(playing)
        found = Table(Compiled(variant(game, **options)), Setup("1"), kept=kept[-1])
        assert found.resumed == bool(kept[-1]["actions"])
        again = ask(found, "look", version=None)
        # What is marked as new may be more: a decision of the person's leads to it.
        for name in shown.keys() - {"picture", "film"}:
            assert again[name] == shown[name]
        if shown["undo"]:
            assert ask(found, "undo")["heard"] == ask(playing, "undo")["heard"]
            play_on(playing, 1, seed=decisions)


def test_on_a_full_disk_the_game_goes_on() -> None:
    full, kept = True, []

    def keep(state: dict[str, Any]) -> None:
        if full:
            raise OSError(errno.ENOSPC, "No space left on device")
        kept.append(state)

    playing = table("tictactoe.py", keep=keep)
    assert "No space left" in ask(playing, "look", version=None)["unkept"]
    shown = play_on(playing, 1)
    assert len(shown["choices"]) == 7
    assert shown["version"] == playing.version
    assert "No space left" in shown["unkept"]
    full = False
    shown = play_on(playing, 1)
    assert shown["unkept"] == ""
    again = Table(Compiled(variant("tictactoe.py")), Setup(), kept=kept[-1])
    assert ask(again, "look", version=None)["heard"] == shown["heard"]


KEPT = {"setup": {}, "seed": 1, "actions": [], "id": "a", "changes": 2}
NO_NUMBERS = ": its seed, actions and changes are no"


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ({}, ": 'setup'"),
        ({**KEPT, "setup": {"colour": "1"}}, ": .*'colour'"),
        ({**KEPT, "setup": {"seat": 9}}, ": who plays is no text"),
        ({**KEPT, "setup": ["0"]}, ": .*'values'"),
        ({**KEPT, "setup": {"against": "\x1b[2J"}}, r": .*\\x1b\[2J"),
        ({**KEPT, "actions": [None]}, NO_NUMBERS),
        ({**KEPT, "id": "\x1b"}, ": its name is no text"),
        ({**KEPT, "actions": [0, 0]}, ": .*action 0"),
        ({**KEPT, "actions": [*range(9)]}, ": the game is over before"),  # the seventh wins
    ],
)
def test_what_cannot_go_on_is_said(kept: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=f"kept cannot go on{said}"):
        Table(Compiled(variant("tictactoe.py")), Setup(), kept=kept)


def test_a_file_has_one_table_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    first, second, other = (Keeper("tictactoe", {"seed": seed}) for seed in (1, 1, 2))
    first.open()
    assert (first.game, first.address) == (None, {})
    first.keep_address({"port": 1, "key": "k", "url": "http://here/"})
    first.keep_game({"actions": [1]})
    if hasattr(first.path, "owner"):
        assert first.path.stat().st_mode & 0o077 == 0
    with pytest.raises(ValueError, match="open already, at http://here/"):
        second.open()
    other.open()
    assert other.game is None
    first.close()
    second.open()
    assert second.game == {"actions": [1]}
    assert second.address == {"port": 1, "key": "k", "url": "http://here/"}
    aside = second.put_aside()
    assert json.loads(aside.read_text())["game"] == {"actions": [1]}
    assert second.game is None
    assert not second.path.exists()
    for address, good in (
        *(({"port": port}, 0 <= port < 2**16) for port in (-1, 0, 2**16 - 1, 2**16)),
        *((broken, False) for broken in ([], {"url": 3}, {"port": "1"}, {"key": "\0"}, {"x": ""})),
    ):
        content = {"cyberdeck table": 1, "address": address, "game": [address]}
        second.path.write_text(json.dumps(content))
        second.open()
        assert (second.game, second.address) == (None, address if good else {})
    for broken in ("{", "[]", json.dumps({"cyberdeck table": 2, "game": {"actions": [1]}})):
        second.path.write_text(broken)
        second.open()
        assert second.game is None
    second.close()
    other.close()
