"""Replays: files that hold whole games, and the pictures, GIFs and pages made from them."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import os
import re
import sys
import tracemalloc
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cyberdeck
from cyberdeck import Batch, CyberdeckError, ReplayError, showing
from cyberdeck.drawing import svg as palette
from cyberdeck.drawing.raster import rgb
from cyberdeck.engine.phases import phases_between
from cyberdeck.replay import Frame, Move, Replay, Result, export
from cyberdeck.replay.frames import HIDDEN
from cyberdeck.replay.page import Packed
from cyberdeck.views.words import consequences
from tests.cases import EACH, label
from tests.test_pictures import contrast

SVG = "http://www.w3.org/2000/svg"


def recorded(
    game: str,
    options: dict[str, Any],
    seed: int | None = 1,
    start: dict[str, Any] | None = None,
    player: str = "heuristic",
    **more: Any,
) -> Replay:
    """A game played to its end."""
    batch = Batch(game, 1, seed=0, autoreset="Disabled", **options)
    batch.reset(seed=seed, options=start)
    actions = []
    while batch.mover[0] >= 0:
        actions.append(int(batch.choose(player)[0]))
        batch.step(actions[-1:])
    returns = tuple(map(float, batch.final_return[0].tolist()))
    result = Result(returns, batch.reasons[batch.reason[0]])
    return Replay(game, seed, actions, options=options, start=start, result=result, **more)


@functools.cache
def brief(game: str) -> Replay:
    """A short game of each kind."""
    options: dict[str, dict[str, Any]] = {
        "matrix_overload": {"max_steps": 16},
        "stacktrices": {"max_turns": 3},
        "hovercrafts": {"ships": (2, 2), "max_turns": 2},
    }
    chosen = options.get(game, {})
    players = [f"player {at}" for at in range(cyberdeck.variant(game, **chosen).seats)]
    return recorded(game, chosen, player="random", players=players)


@functools.cache
def pictures(game: str) -> list[Frame]:
    """And its frames."""
    return brief(game).frames()


def entries(replay: Replay, folder: Path) -> dict[str, Any]:
    replay.save(folder / "kept.json")
    kept: dict[str, Any] = json.loads((folder / "kept.json").read_text())
    return kept


@pytest.fixture
def kept(tmp_path: Path) -> dict[str, Any]:
    """What stands in the file of a whole game."""
    return entries(brief("hackthegrid"), tmp_path)


Refused = Callable[[dict[str, Any] | bytes], str]


@pytest.fixture
def refused(tmp_path: Path) -> Refused:
    """Why a file is refused. The message names it."""

    def load(changed: dict[str, Any] | bytes) -> str:
        path = tmp_path / "refused.json"
        path.write_bytes(changed if isinstance(changed, bytes) else json.dumps(changed).encode())
        with pytest.raises(ReplayError) as raised:
            Replay.load(path)
        message = str(raised.value)
        assert message.startswith(f"{path}: ")
        return message.removeprefix(f"{path}: ")

    return load


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", EACH, ids=label)
def test_every_game_with_every_option_survives_the_round_trip(
    case: tuple[str, dict[str, Any]], tmp_path: Path
) -> None:
    game, options = case
    replay = recorded(
        game,
        options,
        seed=2**40 + 3,
        players=[f"player <{at}> ☃" for at in range(cyberdeck.variant(game, **options).seats)],
        title="A title",
        notes='Notes, "quoted",\nin two lines',
    )
    replay.save(tmp_path / "game.json")
    again = Replay.load(tmp_path / "game.json")
    assert again.result.reason == replay.result.reason
    assert again.result.returns == pytest.approx(replay.result.returns, abs=1e-4)
    for name in ("game", "options", "seed", "start", "actions", "players", "title", "notes"):
        assert getattr(again, name) == getattr(replay, name), name
    assert type(again.options.get("ships")) is type(replay.options.get("ships"))
    # The same once more is the same file.
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "game.json").read_bytes()
    assert len(os.listdir(tmp_path)) == 2, "something unfinished was left behind"


@pytest.mark.parametrize(
    ("game", "options", "start"),
    [
        ("hackthegrid", {}, {"grid": np.arange(16)[::-1], "first": np.int64(1)}),
        ("hovercrafts", {"max_turns": 3}, {"ships": [(0, 0, "SE"), (3, 3, 0, 2)], "dice": (6, 1)}),
    ],
)
def test_a_prescribed_table_survives_the_round_trip(
    game: str, options: dict[str, Any], start: dict[str, Any], tmp_path: Path
) -> None:
    replay = recorded(game, options, start=start)
    replay.save(tmp_path / "game.json")
    again = Replay.load(tmp_path / "game.json")
    assert again.start == replay.start
    one, same = (next(which.positions()).record.tobytes() for which in (replay, again))
    # The table matters: without it the same seed begins another game.
    assert one == same != Batch(game, 1, seed=replay.seed, **options)._core.states.tobytes()


@pytest.mark.parametrize("seed", [None, 5])
def test_a_game_from_a_saved_state(seed: int | None, tmp_path: Path) -> None:
    batch = Batch("hovercrafts", 1, seed=3, max_turns=4)
    batch.play("heuristic", 9)
    start = {"state": batch.get_state(0)}
    replay = recorded("hovercrafts", {"max_turns": 4}, seed=seed, start=start)
    replay.save(tmp_path / "game.json")
    again = Replay.load(tmp_path / "game.json")
    assert again.start == start
    assert again.seed == seed
    if seed is None:  # the state's own generator goes on
        *_, decided, _ = again.positions()
        for action in replay.actions[:-1]:
            batch.step([action])
        assert decided.record.tobytes() == batch._core.states.tobytes()


@pytest.mark.parametrize("game", cyberdeck.GAMES)
def test_decisions_may_be_given_in_notation(game: str, tmp_path: Path) -> None:
    replay = brief(game)
    written = [item.notation for item in replay.story() if isinstance(item, Move)]
    assert all(written)
    mixed = [each if at % 2 else replay.actions[at] for at, each in enumerate(written)]
    loud = [f" {each.upper()}!" for each in written]
    for actions in (written, loud):
        read = Replay(replay.variant, replay.seed, actions)
        assert read.actions == replay.actions
    path = tmp_path / "game.json"
    path.write_text(json.dumps({**entries(replay, tmp_path), "actions": mixed}))
    assert Replay.load(path).actions == replay.actions
    read.save(path)
    assert json.loads(path.read_text())["actions"] == list(replay.actions)


# --- what is wrong with a file --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\xff\x00", "it is no JSON, or was cut off"),
        (b"[" * 100_000, "it is no JSON, or was cut off"),
        (b"1" * 9999, ""),
        (b"[]", 'not a replay: it has no entry "cyberdeck replay": 1'),
        (b'{"game": "hackthegrid"}', 'not a replay: it has no entry "cyberdeck replay": 1'),
    ],
)
def test_what_is_no_replay_is_refused(content: bytes, why: str, refused: Refused) -> None:
    assert why in refused(content)
    with pytest.raises(ReplayError, match=r"nowhere\.json: it cannot be read: No such file"):
        Replay.load("nowhere.json")


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("cyberdeck replay", 2, "it has the version 2, and this cyberdeck reads 1: a newer one"),
        ("cyberdeck replay", True, "reads 1"),
        ("code", "import os", "entry 'code'"),
        ("game", "chess", "there is no game 'chess'"),
        ("game", 3, "the name of a game"),
        ("options", [], "options by name"),
        ("seed", 1.5, "a whole number"),
        ("seed", None, "a whole number"),
        ("start", {"grid": [1, 2]}, "cannot start like that: "),
        ("start", {"state": "###"}, "no base64 text"),
        ("start", [], "reset(options=...)"),
        ("start", {"grid": [float("inf")]}, "start['grid'] holds inf: a replay can hold numbers"),
        ("start", json.loads("[" * 33 + "]" * 33), "more than 32 lists lie in each other"),
        ("players", ["ada"], "2 names, one for each of column, row"),
        ("players", [1, 2], "2 names"),
        ("players", ["ada", "\u202eneb"], r"a player's name is '\u202eneb': it holds '\u202e'"),
        ("title", 1, "title is 1: it must be text"),
        ("title", "two\nlines", r"title is 'two\nlines': it holds '\n'"),
        ("title", "x" * 60_000, "it has 60,000 characters, and at most 1,000 are read"),
        ("notes", "two\nlines\x00", r"it holds '\x00'"),
        ("actions", "12", "actions are '12': they must be a list of whole numbers"),
        ("actions", [0, 1.0], "decision 2: action 1.0 is no whole number, nor notation"),
        ("actions", [10**30], "decision 1: action 1000000000000000000000000000000 does not exist"),
        ("actions", [69], "decision 1: action 69 does not exist: actions are 0 to 68"),
        ("actions", [-2], "decision 1: action -2 does not exist"),
        ("actions", [0] * 20_001, "it has 20,001 decisions, 0 of them in notation: at most 20,000"),
        ("actions", ["C0"] * 4_001, "4,001 of them in notation: at most 20,000 are read, and 4,0"),
        ("actions", [0] * 20_000, "decision "),
        ("actions", ["C0"] * 4_000, "'C0' is no legal action: legal are R"),
        ("result", {"returns": [1.0, float("nan")], "reason": "grid_emptied"}, "returns of 2 seat"),
        ("result", {"returns": [1.0, -1.0], "reason": "boredom"}, "returns of 2 seats"),
        ("result", 7, "returns of 2 seats"),
    ],
)
def test_a_wrong_entry(
    name: str, value: Any, why: str, kept: dict[str, Any], refused: Refused
) -> None:
    assert why in refused({**kept, name: value})


def test_a_decision_that_is_not_possible_is_named(kept: dict[str, Any], refused: Refused) -> None:
    actions, count = kept["actions"], len(kept["actions"])
    batch = Batch("hackthegrid", 1, seed=1)
    batch.step(actions[:1])
    illegal = int(np.flatnonzero(batch.mask[0] == 0)[0])
    ended = f"the game is over after decision {count} ({kept['result']['reason']}), and {count + 1}"
    for changed, begins, holds in (
        ([actions[0], illegal, *actions[2:]], f"decision 2: action {illegal} (", "legal are"),
        ([*actions[:2], "R9", *actions[3:]], "decision 3: 'R9' is no legal action", "legal are "),
        ([*actions, 0], "it goes on after the end", ended),
        (actions[:-1], f"it ends early: after decision {count - 1}, the last", "is to decide"),
    ):
        message = refused({**kept, "actions": changed})
        assert message.startswith(begins)
        assert holds in message


def test_a_result_that_the_rules_do_not_give(
    kept: dict[str, Any], refused: Refused, tmp_path: Path
) -> None:
    right = kept["result"]
    reasons = [r for r in cyberdeck.game("hackthegrid").reasons[1:] if r != right["reason"]]
    gained, *rest = right["returns"]
    for other in ({"returns": [gained + 2e-4, *rest]}, {"reason": reasons[0]}):
        assert "not what the rules give" in refused({**kept, "result": {**right, **other}})
    close = {**right, "returns": [gained + 5e-5, *rest]}
    for claimed in (None, close):
        (tmp_path / "claimed.json").write_text(json.dumps({**kept, "result": claimed}))
        ended = Replay.load(tmp_path / "claimed.json").result
        assert ended == Result(tuple(right["returns"]), right["reason"])


def test_nothing_is_written_where_something_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    path.write_text("precious")
    with pytest.raises(ReplayError, match="ends early"):
        Replay("hackthegrid", 1, brief("hackthegrid").actions[:-1]).save(path)
    assert path.read_text() == "precious"
    with pytest.raises(ReplayError, match="a replay can hold"):
        Replay("hackthegrid", 1, [], start={"grid": {1, 2}})
    assert os.listdir(tmp_path) == ["game.json"]
    assert issubclass(ReplayError, CyberdeckError)
    assert issubclass(ReplayError, ValueError)


# --- pictures -------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", cyberdeck.GAMES)
def test_frames_are_pictures_of_every_decision(game: str) -> None:
    replay, frames = brief(game), pictures(game)
    moves = [move for frame in frames for move in frame.moves]
    assert [move.number for move in moves] == list(range(1, len(replay.actions) + 1))
    batch = Batch(game, 1, seed=1, autoreset="Disabled", **replay.options)
    *decided, last = replay.positions()
    for move, at in zip(moves, decided, strict=True):
        words = batch._core.action_name(0, replay.actions[at.number - 1])
        assert (move.mover, move.words, at.words) == (batch.mover[0], words, words)
        assert (at.number, at.mover) == (move.number, batch.mover[0])
        assert at.record.tobytes() == batch._core.states.tobytes()
        batch.step([at.action])
    assert (last.number, last.mover, last.action) == (len(moves) + 1, -1, None)
    assert last.words == batch.reasons[batch.reason[0]]
    assert last.record.tobytes() == batch._core.states.tobytes()
    assert frames[0].decision < 11
    assert frames[-1].decision == len(replay.actions)
    for frame in frames:
        assert ET.fromstring(frame.svg).tag == f"{{{SVG}}}svg"
        for item in frame.story:
            assert item.words in f"{frame.caption[:1].lower()}{frame.caption[1:]}"
    for one, two in itertools.pairwise(frames):
        assert one.svg != two.svg
        assert one.decision <= two.decision
    assert "Over: " in frames[-1].caption
    assert [item for frame in frames for item in frame.story] == replay.story()
    # The last picture is the end of the game.
    viewer = None if batch._core.game.open else (0,)
    drawn = showing.scene(batch.variant, batch._core.states, viewer).picture()
    assert re.findall("<title>.*</title>", drawn)[0] in frames[-1].svg


def test_hovercrafts_turns_are_shown_phase_by_phase_once() -> None:
    replay = recorded("hovercrafts", {"ships": (2, 2), "max_turns": 2}, seed=2)
    frames = replay.frames()
    phases = [frame for frame in frames if ", phase " in frame.caption]
    # Each is captioned with what happened in it, the same that the game tells of the whole turn.
    told: list[str] = []
    carried_out = turns = 0
    for before, after in itertools.pairwise(replay.positions()):
        carried_out += len(phases_between(replay.variant.game, before.record, after.record))
        turns = int(after.record["turns"][0])
        events = showing.scene(replay.variant, after.record, None, before.record).events
        turn = showing.view_of(replay.variant).turn(showing.reader(replay.variant, before.record))
        told += [f"{turn}, {each.line}" for each in consequences(events) if each.phase]
    assert turns > 1
    assert len(phases) == carried_out > turns
    assert len({frame.svg for frame in phases}) == carried_out
    assert [frame.caption for frame in phases] == told
    assert not any(frame.moves for frame in phases)
    at = frames.index(phases[0])
    assert "in secret: " in frames[at - 1].caption, "orders are told where they were given"
    assert frames[at + 4].caption.startswith("Turn 2")
    plain = replay.frames(every_phase=False)
    assert len(frames) - len(phases) == len(plain)
    # Secret plans share the picture that shows them: all ships' first orders.
    assert len(plain) < len(replay.actions)
    first = next(frame for frame in frames if frame.moves and frame.moves[0].secret)
    assert sorted(move.mover for move in first.moves) == [*range(4)]


def test_a_spectator_and_a_team_are_told_what_they_know(tmp_path: Path) -> None:
    replay = recorded("hovercrafts", {"ships": (2, 1), "max_turns": 1}, seed=1)
    plans = [move for move in replay.story() if isinstance(move, Move) and move.secret]
    assert {move.mover for move in plans} == {0, 1, 2}

    def known(seat: int | str) -> set[int]:
        told = replay.story(seat)
        assert len(told) == len(replay.story())
        moves = [move for move in told if isinstance(move, Move) and move.secret]
        assert all((move.notation == "") == (move.words == HIDDEN) for move in moves)
        return {move.mover for move in moves if move.words != HIDDEN}

    seats: list[tuple[int | str, set[int]]] = [(0, {0}), ("machines_0", {2}), ("all", {0, 1, 2})]
    for seat, movers in (*seats, ("zion", {0, 1}), ("machines", {2}), ("spectator", set())):
        assert known(seat) == movers
    replay.write_html(tmp_path / "page.html", "spectator")
    page = (tmp_path / "page.html").read_text()
    assert HIDDEN in page
    assert "in secret: " not in page
    assert "Seed" not in page


def other_world(replay: Replay, at: int, others: Iterable[int]) -> Replay:
    """The same game with another decision made *at* one place, where the rest is possible then."""
    for other in others:
        actions = [*replay.actions[:at], other, *replay.actions[at + 1 :]]
        world = Replay(replay.variant, replay.seed, actions)
        with contextlib.suppress(ReplayError):
            world.played()
            if other != replay.actions[at]:
                return world
    raise AssertionError("there is no other world")


def test_a_hidden_thief_is_not_told() -> None:
    """Two games that differ only in where seat 1 hides its thief: seat 0 is shown the same."""
    replay = recorded("stacktrices", {"max_turns": 2, "setup": "choose", "first": 0}, 0)
    hides = next(position for position in replay.positions() if position.mover == 1)
    assert "hide the thief" in hides.words
    world = other_world(replay, hides.number - 1, range(343, 347))
    assert world.frames(0) == replay.frames(0)
    assert world.frames(1) != replay.frames(1)
    assert world.frames() != replay.frames(), "who looks on is told everything"


def test_secret_plans_are_not_told_before_they_are_carried_out() -> None:
    replay = recorded("hovercrafts", {"deployment": "random", "max_turns": 1}, 0)
    count = len(replay.actions)
    first = next(p for p in replay.positions() if p.mover == 1)
    assert first.number < count
    world = other_world(replay, first.number - 1, range(3))
    for seat in (0, 1, "spectator"):
        here, there = replay.frames(seat), world.frames(seat)
        assert here != there, "once carried out, a plan is seen"
        before, same = ([each for each in told if each.decision < count] for told in (here, there))
        assert (before == same) == (seat != 1)


def test_seats_that_there_are_not() -> None:
    for seat in (2, -1, "zion", True, 0.0):
        with pytest.raises(cyberdeck.OptionError, match=r"choose 0 \(column\), 1 \(row\), s"):
            brief("hackthegrid").frames(seat)  # type: ignore[arg-type]


# --- what is written ------------------------------------------------------------------------------


def test_export_goes_by_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replay, folder = brief("hackthegrid"), tmp_path / "pictures"
    export(replay, folder)
    written, frames = sorted(folder.iterdir()), pictures("hackthegrid")
    assert [path.name for path in written] == [f"{at:04}.svg" for at in range(len(frames))]
    assert [path.read_text() for path in written] == [frame.svg for frame in frames]
    with pytest.raises(ReplayError, match="is not empty"):
        export(replay, folder)
    replay.write_svgs(tmp_path / "light", theme="light")
    assert palette.NIGHT in frames[0].svg
    assert palette.NIGHT not in (tmp_path / "light" / "0000.svg").read_text()
    export(replay, tmp_path / "game.HTML")
    assert (tmp_path / "game.HTML").read_text().startswith("<!doctype html>")
    films = []
    monkeypatch.setattr(Replay, "write_gif", lambda _, path, seat: films.append((path, seat)))
    export(replay, tmp_path / "game.gif", "row")
    assert films == [(tmp_path / "game.gif", "row")]
    with pytest.raises(ReplayError, match=r"cannot be written as \.png"):
        export(replay, tmp_path / "game.png")


def test_a_gif_shows_every_picture(tmp_path: Path) -> None:
    from PIL import Image

    replay = brief("hackthegrid")
    done: list[tuple[int, int]] = []
    replay.write_gif(
        tmp_path / "game.gif", width=180, progress=lambda at, of: done.append((at, of))
    )
    frames = pictures("hackthegrid")
    count = len(frames)
    assert done == [(at, count) for at in range(1, count + 1)]
    stays = []
    with Image.open(tmp_path / "game.gif") as film:
        assert film.n_frames == count
        drawn = ET.fromstring(frames[0].svg)
        assert film.size == (180, int(drawn.get("height", 0)) // 4)
        for at, frame in enumerate(frames):
            film.seek(at)
            stays.append(film.info["duration"])
            painted, picture = np.array(film.convert("RGB"), float), rgb(frame.svg, 180)
            assert np.abs(painted - picture).mean() < 1.5
            # The colours that tell cards apart are the picture's own.
            for colour in ((40, 226, 255), (226, 63, 192), (255, 217, 58), (52, 208, 128)):
                there = (picture == colour).all(-1)
                assert there.sum() > 10
                assert (painted[there] == colour).all()
    assert stays == [800] * (count - 1) + [3200]


def unpacked(pieces: list[str], frames: list[list[int]]) -> Iterator[str]:
    """What the page's script does."""
    before: list[int] = []
    for frame in frames:
        tags: list[int] = []
        numbers = iter(frame)
        for number in numbers:
            if number >= 0:
                tags.append(number)
            else:
                start = next(numbers)
                tags += before[start : start - number]
        yield "".join(pieces[tag] for tag in tags)
        before = tags


def test_packed_pictures_that_have_nothing_in_common() -> None:
    svgs = ["<a/>", "", "<b><c/></b>", "<b><c/></b>", "<c/><c/><c/><c/><b>"]
    number: dict[str, int] = {}
    packed = Packed(number)
    for svg in svgs:
        packed.add(svg)
    assert list(unpacked(list(number), packed.frames)) == svgs


EVIL = "</script><img src=x onerror=alert(1)><!--&amp;'\"\u2028{{ data }}"


def evil() -> Replay:
    actions = brief("hackthegrid").actions
    return Replay("hackthegrid", 1, actions, players=[EVIL, "bob"], title=EVIL, notes=EVIL)


@pytest.mark.parametrize("game", cyberdeck.GAMES)
def test_a_page_holds_the_whole_game_and_refers_to_nothing_outside(
    game: str, tmp_path: Path
) -> None:
    replay = brief(game)
    replay.write_html(tmp_path / "game.html", seconds=0.5)
    page = (tmp_path / "game.html").read_text()
    assert set(re.findall(r"\w+://[^\s\"'\\]*", page)) == {SVG}
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)
    outside = r'\s(?:src|href|action|data|srcset)="(.*?)"'
    assert re.findall(outside, page) == ["data:,", "#0"]
    ids, frames = re.findall(r'\sid="(.*?)"', page), pictures(game)
    assert len(set(ids)) == len(ids)
    assert not {each for frame in frames for each in re.findall(r'id="(.*?)"', frame.svg)} & {*ids}
    assert "{{" not in page
    data = json.loads(re.findall(r'id="data">(.*?)</script>', page)[0])
    (view,) = data["views"]
    svgs = list(unpacked(data["tags"], data["frames"]))
    wide, narrow = svgs[: len(frames)], svgs[len(frames) :]
    assert wide == [frame.svg for frame in frames]
    assert [ET.fromstring(svg).get("width") for svg in narrow] == ["390"] * len(frames)
    assert len(json.dumps([data["tags"], data["frames"]])) < 0.35 * sum(map(len, svgs))
    assert (view["name"], data["seconds"]) == ("Everything", 0.5)
    assert data["names"] == list(replay.names() if replay.variant.seats > 1 else ())
    for name, of in ("captions", "caption"), ("decisions", "decision"):
        assert view[name] == [getattr(frame, of) for frame in frames]
    # Every turn has a heading, and what was told stands below in order, with its picture.
    story = [(at, item) for at, frame in enumerate(frames) for item in frame.story]
    turns = [turn for turn, _ in itertools.groupby(item.turn for _, item in story)]
    assert [turn for turn, _ in view["turns"]] == turns
    rows = [row for _, rows in view["turns"] for row in rows]
    telling = {(at, item.words) for at, item in story}
    for number, who, links in rows:
        assert number or not who
        assert {(at, words.partition(" ×")[0]) for at, words, _ in links} <= telling
    shorts = [short for *_, links in rows for *_, short in links if short]
    assert set(shorts) == {item.short for _, item in story if isinstance(item, Move)} - {""}
    said = [words for *_, links in rows for _, words, _ in links]
    counts = [int((re.findall(r" ×(\d+)$", words) or [1])[0]) for words in said]
    assert sum(counts) == len(story)


def test_a_long_game_takes_bounded_room_and_time(tmp_path: Path) -> None:
    """Of a page's pictures a few are there at a time; too many are refused, and nothing is left."""
    game = "hackthegrid"
    room = sum(sys.getsizeof(frame.svg) for frame in pictures(game))
    tracemalloc.start()
    try:
        brief(game).write_html(tmp_path / "game.html")
        assert tracemalloc.get_traced_memory()[1] < 2 * room  # wide ones, narrow ones, their tags
    finally:
        tracemalloc.stop()
    long = Replay("hackthegrid", 7, [0] * 5_001)
    for name in ("long.html", "long.gif", "long"):
        with pytest.raises(ReplayError, match=r"has 5,001 decisions, .* 5,000: read it in words"):
            export(long, tmp_path / name)
    assert os.listdir(tmp_path) == ["game.html"]


def test_a_page_says_of_a_game_what_who_looks_may_know(tmp_path: Path) -> None:
    replay = recorded("hovercrafts", {"max_turns": 1}, 987654, players=["ada", "bob"], notes="Why")
    for seat, about in ((None, ("Seed", "987654")), (1, ("Seen by", "M0"))):
        replay.write_html(tmp_path / "game.html", seat)
        page = (tmp_path / "game.html").read_text()
        told = re.findall("<dt>([^<]*)</dt><dd>([^<]*)</dd>", page.partition("</dl>")[0])
        assert told == [
            *(("Game", "Hovercrafts"), ("Z0", "ada"), ("M0", "bob"), ("max_turns", "1")),
            *(about, ("Decisions", str(len(replay.actions))), ("Notes", "Why")),
        ]
        assert ("987654" in page) == (seat is None)


# --- the page in a browser ------------------------------------------------------------------------


@pytest.fixture
def tab(browser: Any) -> Iterator[Any]:
    """An empty page that must end without a complaint of the browser's or a request for more."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append("a dialog"))
    page.on("request", lambda request: complaints.append(request.url))
    yield page
    page.close()
    opened = [url for url in complaints if url.startswith("file:")]
    assert len(opened) == 1
    assert complaints == opened


def number(page: Any) -> int:
    """The picture that the page shows, by everything that says so."""
    count, of = page.inner_text("#count").split(" / ")
    assert page.input_value("#slider") == count
    assert page.get_attribute("#slider", "aria-valuetext").startswith(f"{count} of {of}: ")
    assert page.is_disabled("#previous") == page.is_disabled("#first") == (count == "0")
    assert page.is_disabled("#next") == page.is_disabled("#last") == (count == of)
    return int(count)


#: Whether that is in the address line, where it stands a little later than its picture.
AT = "address => location.hash === address"
SAME = """expected => {
  const made = document.createElement("div");
  made.innerHTML = expected;
  return made.innerHTML === document.getElementById("picture").innerHTML;
}"""


@pytest.mark.parametrize("game", ["matrix_overload", "hovercrafts"])
def test_a_page_works_in_a_browser(game: str, tab: Any, tmp_path: Path) -> None:
    replay, frames = brief(game), pictures(game)
    last = len(frames) - 1
    replay.write_html(tmp_path / "game.html")
    tab.emulate_media(reduced_motion="reduce")  # nothing glides over the picture
    tab.goto((tmp_path / "game.html").as_uri())

    def shows(frame: int) -> None:
        assert number(tab) == frame
        assert tab.evaluate(SAME, frames[frame].svg)
        assert tab.text_content("#caption") == frames[frame].caption
        current = tab.locator("#moves [aria-current]")
        telling = next((f for f in frames[frame::-1] if f.story), None)
        expected = set() if telling is None else {item.words for item in telling.story}
        # What links say, without the notation that stands beside it.
        texts = current.evaluate_all("links => links.map(link => link.firstChild.textContent)")
        assert bool(texts) == bool(expected)
        for text in texts:  # "phase 1: ..." below "Turn 1", and "move ×2"
            assert any(words.endswith(text.split(" ×")[0]) for words in expected)
        if texts:  # the list has followed
            list_box, row_box = tab.locator("#moves").bounding_box(), current.last.bounding_box()
            assert list_box["y"] <= row_box["y"]
            assert row_box["y"] + row_box["height"] <= list_box["y"] + list_box["height"]

    shows(0)
    for key, frame in [
        *(("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last)),
        *(("ArrowRight", last), ("Home", 0), ("ArrowLeft", 0)),
    ]:
        tab.keyboard.press(key)
        shows(frame)
    for button, frame in [("next", 1), ("last", last), ("previous", last - 1), ("first", 0)]:
        tab.click(f"#{button}")
        shows(frame)
    # Keys do the same, once, while the slider has the focus; dragging it moves, too.
    tab.focus("#slider")
    tab.keyboard.press("ArrowRight")
    shows(1)
    box = tab.locator("#slider").bounding_box()
    tab.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert abs(number(tab) - last / 2) <= 1 + last / 50
    shows(number(tab))
    # Everything told leads to its picture, and so does its address.
    links = tab.locator("#moves a")
    for at in (links.count() * 2 // 3, 0):
        links.nth(at).click()
        picture = number(tab)
        shows(picture)
        address = links.nth(at).get_attribute("href")
        tab.wait_for_function(AT, arg=address)
        tab.keyboard.press("End")
        tab.wait_for_function(f"address => !({AT})(address)", arg=address)
        tab.evaluate("address => { location.hash = address; }", address)
        tab.wait_for_selector(f"#count:text-is('{picture} / {last}')")
    turns = [item.turn for frame in frames for item in frame.story if item.turn]
    headings = [turn for turn, _ in itertools.groupby(turns)]
    assert tab.locator("#moves h3").all_text_contents() == headings
    # Ids are unique in the page as it is shown.
    ids = tab.evaluate("[...document.querySelectorAll('[id]')].map(found => found.id)")
    assert len(set(ids)) == len(ids)


def test_a_page_plays_by_itself_and_things_glide(tab: Any, tmp_path: Path) -> None:
    gliding = "#picture svg > g[aria-hidden]"
    evil().write_html(tmp_path / "game.html", seconds=0.2)
    last = len(pictures("hackthegrid")) - 1
    tab.goto((tmp_path / "game.html").as_uri())
    tab.keyboard.press("ArrowRight")
    tab.wait_for_selector(gliding, state="attached")
    tab.wait_for_function(f"() => !document.querySelector('{gliding}')")
    tab.emulate_media(reduced_motion="reduce")
    tab.keyboard.press("ArrowRight")
    assert number(tab) == 2
    assert not tab.locator(gliding).count()
    tab.keyboard.press("Space")
    assert tab.get_attribute("#play", "aria-pressed") == "true"
    tab.wait_for_selector(f"#count:text-is('{last} / {last}')")
    tab.wait_for_selector("#play[aria-pressed=false]")
    tab.click("#play")  # from the end it begins anew
    tab.wait_for_selector(f"#count:text-is('1 / {last}')")
    tab.keyboard.press("Space")
    stopped = number(tab)
    assert tab.get_attribute("#play", "aria-pressed") == "false"
    tab.wait_for_timeout(500)
    assert number(tab) == stopped
    # Names do no harm.
    tab.click("summary")
    assert tab.locator("img").count() == 0
    assert tab.title().startswith("</script>")
    assert EVIL in tab.text_content("dl")
    assert EVIL in tab.text_content("header")
    tab.set_viewport_size({"width": 320, "height": 480})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 320


#: The colours of every text and of what is behind it, the pictures apart.
COLOURS = """() => {
  const behind = element => {
    const colour = element ? getComputedStyle(element).backgroundColor : "rgb(255, 255, 255)";
    return /, 0\\)$/.test(colour) ? behind(element.parentElement) : colour;
  };
  const found = [...document.querySelectorAll("main *")].filter(element =>
    !element.closest("#picture") && !element.closest("svg") && element.getClientRects().length &&
    [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim()) ||
    element.matches("#bar button"));
  return found.map(element => [getComputedStyle(element).color, behind(element)]
    .map(colour => colour.match(/[\\d.]+/g).slice(0, 3).map(Number)));
}"""

#: What has the focus: its name, its label, and whether that is to be seen.
FOCUSED = """() => {
  const now = document.activeElement, style = getComputedStyle(now);
  return [now.id || now.tagName, now.getAttribute("aria-label") || "",
    style.outlineStyle !== "none" && style.outlineWidth !== "0px"];
}"""


def test_a_page_fits_the_screen_and_all_of_it_can_be_read_and_reached(
    tab: Any, tmp_path: Path
) -> None:
    brief("hackthegrid").write_html(tmp_path / "game.html", seat="all")
    tab.emulate_media(color_scheme="light")
    tab.goto((tmp_path / "game.html").as_uri())
    tab.keyboard.press("End")
    for width, height in [(900, 1200), (844, 390), (390, 844), (320, 480), (1280, 800)]:
        tab.set_viewport_size({"width": width, "height": height})
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        # On a phone held upright the narrow picture keeps its size, and is scrolled.
        narrow = width <= 500
        tab.wait_for_function(  # the page is told of its new size a moment later
            "narrow => narrow === document.querySelector('#picture svg')"
            ".getAttribute('viewBox').startsWith('0 0 390 ')",
            arg=narrow,
        )
        if narrow:
            assert tab.locator("#picture svg").bounding_box()["width"] == width
        for part in ("#picture" if narrow else "#picture svg", "#caption", "#bar", "#moves"):
            box = tab.locator(part).bounding_box()
            assert box["width"] > 150
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            if height > 480:
                assert box["y"] + box["height"] <= height, "all is in sight"
        seen, whole = tab.evaluate("[moves.clientHeight, moves.scrollHeight]")
        assert whole >= seen > 60
    tab.keyboard.press("Home")
    reached = []
    for _ in range(12):
        tab.keyboard.press("Tab")
        reached.append(tab.evaluate(FOCUSED))
    assert all(outlined for *_, outlined in reached)
    named = {name: label for name, label, _ in reached}
    buttons = {"play", "next", "last", "slider", "speed", "link", "theme"}
    assert buttons | {"SUMMARY"} <= set(named)
    assert all(named[name] for name in buttons)
    tab.click("summary:text('About')")
    tab.click("summary:text('Keys')")
    for scheme in ("light", "dark", "light"):  # as the system has it, and then the other ways
        contrasts = [contrast(*pair) for pair in tab.evaluate(COLOURS)]
        assert len(contrasts) > 30
        assert min(contrasts) >= 4.5
        assert tab.evaluate("getComputedStyle(document.documentElement).colorScheme") == scheme
        tab.click("#theme")
