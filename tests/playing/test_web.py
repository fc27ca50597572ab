"""A table over cyberdeck.mjs is the same as one over Python, message by message."""

from __future__ import annotations

import functools
import json
import random
import sys
from typing import Any

import pytest
from tools.site.play import beside

from cyberdeck import showing
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.playing.table import Setup, Table
from cyberdeck.playing.web import Unthought, WebEngine, WebViews
from cyberdeck.views.kept import Kept, packed

from . import javascript
from .helpers import ask, table, variant

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("matrix_overload", {"max_steps": 15}),
    ("hackthegrid", {}),
    ("stacktrices", {"setup": "choose", "max_turns": 4}),
    ("hovercrafts", {"ships": (2, 1), "max_turns": 2}),
    *((name, {}) for name in ("kuhn_poker.py", "goofspiel.py", "dark_hex.py")),
]

#: What cannot be the same: numbers that are drawn, and what is there in Python alone.
APART = {"version", "id", "players", "levels", "games", "offered", "files", "command"}


@pytest.fixture(autouse=True)
def _errors_come_from_javascript(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyodide", javascript)
    monkeypatch.setitem(sys.modules, "pyodide.ffi", javascript)


#: A game with its default options: its file is loaded once.
loaded = functools.cache(variant)


def games(asked: Variant) -> dict[str, tuple[Any, Any]]:
    """A game, and another, in a browser."""
    found = {asked.game.name: asked, "hackthegrid": loaded("hackthegrid")}
    made = {}
    for name, each in found.items():
        said = json.loads(json.dumps(beside(each.game)))
        made[name] = [javascript.Game(each, file["options"]) for file in said["files"]], said
    return made


def engine(game: str, ponders: bool = False, **options: Any) -> WebEngine:
    """What plays a game, beside others, in a browser."""
    asked = loaded(game)
    return WebEngine(games(asked), asked.game.name, options, dict, ponders)


def both(game: str, **options: Any) -> tuple[Table, Table]:
    """A table in Python and one in a browser."""
    return table(game, **options), Table(engine(game, **options), Setup("0"), 3)


def same(tables: tuple[Table, Table], do: str, **message: Any) -> dict[str, Any]:
    """The answer of both, which is the same."""
    here, there = (json.loads(json.dumps(ask(each, do, **message))) for each in tables)
    assert {**there, **{name: here[name] for name in APART & here.keys()}} == here
    return here


@pytest.mark.parametrize(("game", "options"), GAMES)
def test_a_whole_game_is_the_same(game: str, options: dict[str, Any]) -> None:
    """What is told and drawn at every decision, by whom it is decided, and what is kept of it."""
    tables, luck = both(game, **options), random.Random(2)
    same(tables, "about")
    shown = same(tables, "look", version=None)
    while shown["end"] is None:
        if shown["waiting"]:
            shown = same(tables, "go on")
        else:
            action = luck.choice(shown["choices"])["action"]
            shown = same(tables, "choose", action=action)
    files = [json.loads(ask(each, "replay", kind="json")["file"]["text"]) for each in tables]
    assert {name: files[0]["options"][name] for name in files[1]["options"]} == files[1]["options"]
    assert {**files[0], "options": {}} == {**files[1], "options": {}}
    link = same(tables, "replay", kind="link")["link"]
    for asked in ({}, {"link": link}):
        told = [ask(each, "open", **asked)["back"] for each in tables]
        assert [each.pop("reviews") for each in told] == [True, False]
        assert told[0] == told[1]
        for at in (0, len(told[0]["moves"]) // 2, len(told[0]["moves"])):
            same(tables, "position", at=at, **asked)


def test_what_is_not_possible_is_said() -> None:
    playing = Table(engine("tictactoe.py"), Setup("0"), 3)
    assert "no player" in ask(playing, "new", against="baseline")["error"]
    told = ask(playing, "new", game="hackthegrid", options={"scramble": "at_once"})["error"]
    assert "scramble='at_once' is not possible" in told
    ask(playing, "resign")
    assert "choose json or link" in ask(playing, "replay", kind="html")["error"]
    assert "cyberdeck review" in ask(playing, "review")["error"]


def test_a_search_that_thinks_elsewhere_is_asked_again() -> None:
    """What it is told holds for the position that it was asked about alone."""
    setup = Setup("0", against="search:iterations=20")
    at_once, later = (
        Table(engine("tictactoe.py", ponders=ponders), setup, 3) for ponders in (False, True)
    )
    for _ in range(2):
        action = ask(later, "look", version=None)["choices"][0]["action"]
        for playing in (at_once, later):
            ask(playing, "choose", action=action)
        with pytest.raises(Unthought) as asked:
            ask(later, "go on")
        player, there = asked.value.player, asked.value.table
        player.told(there, there.search(player.asked["search"]))
        same((at_once, later), "go on")


def test_a_published_policy_plays_with_the_options_that_it_knows() -> None:
    setup = Setup("row", against="baseline")
    playing = Table(engine("hackthegrid", ponders=True), setup, 3)
    with pytest.raises(Unthought) as asked:  # column begins
        ask(playing, "go on")
    assert asked.value.player.asked == {"policy": "hackthegrid.safetensors"}
    assert "baseline" not in engine("hackthegrid", ponders=True, scramble="at_end").players
    assert "baseline" not in engine("hackthegrid").players


def test_another_game_has_its_options() -> None:
    """Those that a file of WebAssembly leaves open, with what was chosen."""
    playing = Table(engine("hovercrafts", max_turns=4), Setup("0"), 3)
    offered = {each["name"]: each for each in ask(playing, "about")["offered"]}
    assert offered["max_turns"]["value"] == "4"
    assert (offered["ships"]["value"], offered["ships"]["choices"]) == ("1,1", ["1,1", "3,3"])
    assert "width" not in offered
    shown = ask(playing, "new", game="hackthegrid", options={"scramble": "AT_END", "deck": ""})
    assert "error" not in shown
    about = ask(playing, "about")
    assert about["options"] == ["scramble=at_end"]
    offered = {each["name"]: each for each in about["offered"]}
    assert offered["scramble"]["value"] == "at_end"


@pytest.mark.parametrize("game", ["hovercrafts", "kuhn_poker.py"])
def test_tables_of_javascript_are_shown_as_in_python(game: str) -> None:
    """Words, events, pictures and choices, as the first seat may know them."""
    asked, decisions = loaded(game), 0
    shows, table = WebViews(games(asked), dict), javascript.Game(asked).table({"seed": 4})
    while table.mover >= 0 and decisions < 12:
        before, old = table.twin(), table.states.copy()
        choices = shows.show("choices", table, table.mover, None)
        written = {each["action"]: each["notation"] for each in choices}
        assert written == showing.notations(asked, old)
        table.act(table.random())
        now, decisions = table.states, decisions + 1
        assert shows.show("text", table, 0, before) == showing.scene(asked, now, (0,), old).text()
        assert shows.show("page", table, 0, None) == showing.scene(asked, now, (0,)).page
        assert shows.show("events", table, 0, before) == showing.scene(asked, now, (0,), old).events
        drawn = showing.scene(asked, now, (0,), old).picture(None, theme="light", narrow=True)
        assert shows.show("picture", table, 0, before, "light", True) == drawn


def test_what_is_hidden_is_shown_to_a_seat_alone() -> None:
    shows = WebViews(games(loaded("kuhn_poker.py")), dict)
    kuhn, grid, other = (
        javascript.Game(loaded(each)).table({"seed": 4})
        for each in ("kuhn_poker.py", "hackthegrid", "tictactoe.py")
    )
    with pytest.raises(OptionError, match="Kuhn Poker hides something: say which seat looks"):
        shows.show("text", kuhn, None, None)
    with pytest.raises(OptionError, match="there is no seat 2: choose 0 to 1"):
        shows.show("page", kuhn, 2, None)
    with pytest.raises(OptionError, match="given the table from before"):
        shows.show("events", kuhn, 0, None)
    assert (
        shows.show("text", grid, None, None)
        == showing.scene(loaded("hackthegrid"), grid.states, None).text()
    )
    with pytest.raises(OptionError, match="not tictactoe"):
        shows.show("text", other, None, None)


@pytest.mark.parametrize(
    "held",
    [
        ["hackthegrid", 1.5, [], {}, []],
        ["hackthegrid", 1, [], [], []],
        ["hackthegrid", 1, [], {}, ["ada"]],
        ["hackthegrid", 1, [], {}, ["ada", "\x1b[2J"]],
        ["hackthegrid", 1, [69], {}, []],
    ],
)
def test_links_of_strangers_are_refused(held: list[Any]) -> None:
    playing = Table(engine("tictactoe.py"), Setup("0"), 3)
    told = ask(playing, "open", link=packed(Kept(*held)))["error"]
    assert told.startswith("the game in this link cannot be shown: ")
    assert "\x1b" not in told
