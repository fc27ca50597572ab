"""Pictures and texts of Stacktrices: nothing hidden shows, and what is legal is lit."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import cyberdeck
from cyberdeck import Batch
from cyberdeck.drawing.lettering import FELL, MOVED
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import CYAN, LIME, Block
from cyberdeck.engine.contract import Look
from cyberdeck.engine.record import FORFEIT, NOBODY
from cyberdeck.games.stacktrices import board, drawing, narration, notation
from cyberdeck.games.stacktrices.drawing.routes import last_route
from cyberdeck.games.stacktrices.drawing.signs import passing
from cyberdeck.games.stacktrices.hidden import known_thief

VARIANTS = list(itertools.product((False, True), repeat=2))
GAMES = 4

Position = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]


def positions(decisions: int, every: int = 1, **options: Any) -> Iterator[Position]:
    """Records and their masks from random play, games begun anew when they end."""
    batch = Batch("stacktrices", GAMES, seed=7, **options)
    for _ in range(0, decisions, every):
        for row in range(GAMES):
            yield batch.core.states[row : row + 1].copy(), batch.mask[row].copy()
        batch.play("random", every)


def in_phase(phase: int, decisions: int = 400, **options: Any) -> list[Position]:
    """Positions of one phase; those of the set-up are drawn unless asked for."""
    options = {"setup": "choose" if phase in (board.HIDE, board.CAP) else "random"} | options
    found = [
        position
        for position in positions(decisions, **options)
        if int(position[0]["phase"][0]) == phase
    ]
    assert found, f"random play never came to the phase {board.PHASES[phase]!r}"
    return found


def hidden_differently(
    record: np.ndarray[Any, Any], seat: int, rng: np.random.Generator
) -> np.ndarray[Any, Any] | None:
    """The same for *seat*, with another thief, and in the set-up other caps, on the other side."""
    twin, owner = record.copy(), 1 - seat
    state = twin[0]
    setting_up = int(state["phase"]) in (board.HIDE, board.CAP)
    living = [
        drone
        for drone in range(board.DRONES)
        if state["square"][owner, drone] != board.NONE and drone != state["thief"][owner]
    ]
    raiding = (board.RAID, board.PLACE_RAIDED, board.HIDE_RAIDER)
    if setting_up:
        state["thief"][owner] = rng.integers(-1, board.DRONES)
        state["pieces"][owner] = rng.integers(0, 3, state["pieces"][owner].shape)
        state["hand"][owner] = rng.integers(0, 3, board.KINDS)
        return twin
    open_to_all = state["exposed"][owner] or (
        int(state["phase"]) in raiding and int(state["mover"]) == owner
    )
    if state["thief"][owner] == board.NONE or open_to_all or not living:
        return None
    state["thief"][owner] = rng.choice(living)
    return twin


def shown(
    record: np.ndarray[Any, Any],
    seat: int,
    mask: np.ndarray[Any, Any] | None,
    before: np.ndarray[Any, Any] | None = None,
) -> tuple[str, str, str]:
    """The picture, and the text; where the seat decides, the picture without what is legal, too."""
    plain = drawing.svg(record, Look(seat)) if mask is not None else ""
    return plain, drawing.svg(record, Look(seat, mask, before)), narration.text(record, seat)


def visible(svg: str) -> str:
    """What is to be seen of a picture: without what programs read."""
    return re.sub(r' (id|data-actions|aria-label)="[^"]*"', "", svg)


@pytest.mark.parametrize("variants", [False, True])
@pytest.mark.parametrize("setup", board.SETUPS)
def test_what_the_other_side_hides_leaves_no_byte(setup: str, variants: bool) -> None:
    rng = np.random.default_rng(1)
    compared = set()
    first: dict[int, np.ndarray[Any, Any]] = {}
    decisions, every = (26, 2) if setup == "choose" else (400, 31)
    for at, (record, mask) in enumerate(
        positions(
            decisions, every, setup=setup, steal_on_attack=variants, stacked_movement=variants
        )
    ):
        before = first.setdefault(at % GAMES, record)
        for seat in range(2):
            twin = hidden_differently(record, seat, rng)
            twin_before = hidden_differently(before, seat, rng)
            if twin is None or twin_before is None:
                continue
            own = mask if int(record["mover"][0]) == seat else None
            assert shown(record, seat, own, before) == shown(twin, seat, own, twin_before)
            compared.add((seat, int(record["phase"][0])))
    assert {seat for seat, _ in compared} == {0, 1}
    assert {phase for _, phase in compared} >= (
        {board.HIDE, board.CAP, board.MOVE} if setup == "choose" else {board.MOVE, board.AFTER_MOVE}
    )


def test_the_forfeit_of_a_set_up_reveals_nothing() -> None:
    rng = np.random.default_rng(2)
    for record, _ in in_phase(board.CAP, 12):
        over = record.copy()
        over["reason"], over["terminated"] = FORFEIT, 1
        over["reward"], over["mover"] = (1.0, -1.0), NOBODY
        for seat in range(2):
            twin = hidden_differently(over, seat, rng)
            assert twin is not None
            assert shown(over, seat, None) == shown(twin, seat, None)


def test_the_own_thief_is_marked_for_its_owner_only() -> None:
    record, _ = in_phase(board.MOVE, 1)[0]
    for seat in range(2):
        assert known_thief(record[0], seat) == board.NONE
        thief = int(record["thief"][0, seat])
        square = notation.square_name(record, int(record["square"][0, seat, thief]))
        assert f"{square}*" in narration.text(record, seat)
        assert f"{square}*" not in narration.text(record, 1 - seat)
        other = record.copy()
        other["thief"][0, seat] = (thief + 1) % board.DRONES
        assert drawing.svg(other, Look(seat)) != drawing.svg(record, Look(seat))


def test_an_exposed_thief_is_marked_for_both() -> None:
    record, _ = in_phase(board.MOVE, 1, steal_on_attack=True)[0]
    record["exposed"][0, 1] = 1
    square = int(record["square"][0, 1, int(record["thief"][0, 1])])
    for seat in range(2):
        assert f"{notation.square_name(record, square)}!" in narration.text(record, seat)


@pytest.mark.parametrize(("steal_on_attack", "stacked_movement"), VARIANTS)
def test_pictures_are_xml_of_a_modest_size(steal_on_attack: bool, stacked_movement: bool) -> None:
    for record, mask in positions(
        400, 101, setup="random", steal_on_attack=steal_on_attack, stacked_movement=stacked_movement
    ):
        for seat in range(2):
            root = ET.fromstring(drawing.svg(record, Look(seat, mask)))
            assert root.tag.endswith("svg")
            assert float(root.attrib["width"]) <= 900
            assert float(root.attrib["height"]) <= 940


def test_pictures_become_pixels() -> None:
    from cyberdeck.drawing.raster import rgb

    record, mask = in_phase(board.MOVE, 1)[0]
    assert rgb(drawing.svg(record, Look(int(record["mover"][0]), mask))).shape == (844, 896, 3)


@pytest.mark.parametrize("phase", range(len(board.PHASES)))
def test_what_is_legal_is_lit(phase: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each legal action leaves its mark: without it the picture is another, not just a number."""
    monkeypatch.setattr(
        drawing, "asked", lambda task, legal, unit, wide, room: Block(wide, 40, task)
    )
    for record, mask in in_phase(phase)[:3]:
        mover = int(record["mover"][0])
        lit = visible(drawing.svg(record, Look(mover, mask)))
        plain = visible(drawing.svg(record, Look(mover)))
        assert lit.count(LIME) > plain.count(LIME)
        assert drawing.svg(record, Look(1 - mover, mask)) == drawing.svg(record, Look(1 - mover))
        for action in np.flatnonzero(mask):
            without = mask.copy()
            without[action] = 0
            assert visible(drawing.svg(record, Look(mover, without))) != lit


@pytest.mark.parametrize("phase", range(len(board.PHASES)))
def test_every_legal_action_can_be_clicked(phase: int) -> None:
    """One thing alone stands for it, and what it begins with and ends at take part in it."""
    for record, mask in in_phase(phase)[:2]:
        for narrow in (False, True):
            look = Look(int(record["mover"][0]), mask, narrow=narrow)
            root = ET.fromstring(drawing.svg(record, look))
            assert float(root.attrib["width"]) == (390 if narrow else 896)
            ids = [each.get("id") for each in root.iter() if each.get("id")]
            legal = np.flatnonzero(mask).tolist()
            assert sorted(ids) == sorted(f"action-{action}" for action in legal)
            ends = [list(map(int, e.get("data-actions", "").split())) for e in root.iter()]
            for action in legal:
                ended = sum(action in end for end in ends)
                assert ended == (1 if action >= int(board.claim(record[0])) else ended)
                assert ended >= (3 if action < board.HIDES else 1)


def test_what_has_just_happened_is_marked() -> None:
    """A move, and the stack that it captures."""
    batch = Batch("stacktrices", 1, seed=1, setup="random", autoreset="disabled")
    captures = 0
    while batch.mover[0] >= 0 and captures < 3:
        before = batch.core.states.copy()
        batch.play("heuristic", 1)
        record = batch.core.states
        seat = int(before["mover"][0])
        lost = drawing.captured(before[0], record[0], 1 - seat)
        moved = before["phase"][0] == board.MOVE and batch.mover[0] >= 0
        shown = drawing.svg(record, Look(0, before=before))
        for sign, marks in ((MOVED, moved), (FELL, bool(lost))):
            stroke = letters(sign, 0, 0, 11).partition('"/>')[0].partition('" ')[0]
            assert shown.count(stroke) == 1 + marks  # one is the legend's
        captures += len(lost)
    assert captures == 3


def test_spectators_are_told_what_is_public() -> None:
    """Neither the thieves nor whose view it is; the whole table has both thieves."""
    public = cyberdeck.game("stacktrices").public
    assert public is not None
    record, _ = in_phase(board.MOVE, 1)[0]
    whole = drawing.svg(record, Look())
    told = drawing.svg(public(record.copy()), Look())
    assert (whole.count(", the thief"), told.count(", the thief")) == (2, 0)
    assert "you" not in narration.text(record, None).lower()
    assert "you are white" in narration.text(record, int(record["first"][0]))


def test_a_chosen_stacks_reach_is_lit_alone() -> None:
    """With the moves of one stack only, its reach stands out more than among the others'."""
    several = [
        (record, mask)
        for record, mask in in_phase(board.MOVE, 6)
        if mask[: board.HIDES].reshape(board.STACKS, -1).any(axis=1).sum() > 1
    ]
    record, mask = several[0]
    mover = int(record["mover"][0])
    stack = int(np.flatnonzero(mask)[0]) // board.SQUARES
    chosen = np.zeros_like(mask)
    moves = slice(board.SQUARES * stack, board.SQUARES * (stack + 1))
    chosen[moves] = mask[moves]
    assert 'stroke-dasharray="4 4"' in drawing.svg(record, Look(mover, mask))
    assert 'stroke-dasharray="4 4"' not in drawing.svg(record, Look(mover, chosen))


@pytest.mark.parametrize("setup", board.SETUPS)
def test_texts_are_comments_and_then_the_notation(setup: str) -> None:
    for record, _ in positions(60, 3, setup=setup):
        for seat in range(2):
            lines = narration.text(record, seat).split("\n")
            written = notation.write(record, seat)
            comments = lines[: -len(written)]
            assert lines[-len(written) :] == written
            assert all(line.startswith(" ") and line.strip() for line in comments)
            assert all(line == line.rstrip() for line in lines)


def test_a_text_can_be_read_back() -> None:
    """At the beginning of a turn the text sets up the position that it shows."""
    for record, _ in in_phase(board.MOVE, 40):
        if record["last_from"][0] == board.NONE:
            continue
        seat = int(record["mover"][0])
        text = narration.text(record, seat)
        twin = record.copy()
        notation.read(twin, text)
        assert notation.write(twin, seat) == notation.write(record, seat)


def test_the_board_is_seen_from_the_seats_side() -> None:
    """The home row is below, files run from a on the left, and rank 1 is white's home row."""
    for first in (0, 1):
        record, _ = in_phase(board.MOVE, 1, first=first)[0]
        for seat in range(2):
            rows = [line for line in narration.text(record, seat).split("\n") if " | " in line]
            rows = [row for row in rows if row[1].isdigit()]
            ranks = [int(row[1]) for row in rows]
            assert ranks == ([7, 6, 5, 4, 3, 2, 1] if seat == first else [1, 2, 3, 4, 5, 6, 7])
            own = "W" if seat == first else "B"
            assert rows[-1].split()[2].startswith(f"{own}0")
            assert rows[-1].split()[-1].startswith(f"{own}3")


ENDINGS = (
    (board.CAPTURED_ALL, 0, "WHITE WINS"),
    (board.CAPTURED_ALL, 1, "BLACK WINS"),
    (board.STALLED, None, "A DRAW"),
    (board.MAX_TURNS, None, "A DRAW"),
    (FORFEIT, 0, "WHITE WINS"),
    (FORFEIT, 1, "BLACK WINS"),
)


@pytest.mark.parametrize(("reason", "winner", "headline"), ENDINGS)
def test_how_a_game_ended(reason: int, winner: int | None, headline: str) -> None:
    record, _ = in_phase(board.MOVE, 1, first=0)[0]
    record["reason"], record["mover"] = reason, NOBODY
    if winner is not None:
        record["reward"][0, winner], record["reward"][0, 1 - winner] = 1.0, -1.0
    if reason == board.CAPTURED_ALL and winner is not None:
        record["square"][0, 1 - winner] = board.NONE
        record["thief"][0, 1 - winner] = board.NONE
    for seat in range(2):
        assert f" {headline}. " in narration.text(record, seat)
        ET.fromstring(drawing.svg(record, Look(seat)))


def decided(
    decisions: int, seed: int = 3, setup: str = "choose"
) -> Iterator[tuple[Batch, Position, int]]:
    """Random play: after each decision the batch, the record and mask before it, and the action."""
    rng = np.random.default_rng(seed)
    batch = Batch("stacktrices", 1, seed=seed, autoreset="disabled", setup=setup)
    for _ in range(decisions):
        before = batch.core.states.copy(), batch.mask[0].copy()
        action = int(rng.choice(np.flatnonzero(before[1])))
        batch.step([action])
        if batch.mover[0] < 0:
            break
        yield batch, before, action


def test_pieces_that_come_and_leave_are_told_and_marked() -> None:
    seen = set()
    for batch, (before, _), action in decided(400):
        record, mover, phase = batch.core.states, int(before["mover"][0]), int(before["phase"][0])
        pieces = narration.changes(record, before, mover)
        told = narration.news(record, before, mover)
        shown = drawing.svg(record, Look(mover, before=before))
        if action == board.CALL_OFF + int(board.claim(before[0])):
            assert told[0].words == "TRADE CALLED OFF"
            assert not any(each.pieces for each in told)
            seen.add("called off")
        elif phase in (board.CAP, board.TRADE) and action >= board.PUTS:
            came = action < board.OWN_PICKS
            gone = "gives" if phase == board.TRADE else ""
            ((owner, stack),) = pieces
            ((change, kind),) = pieces[owner, stack]
            assert (owner, change) == (mover, 1 if came else -1)
            assert told[0] == (narration.label(record[0], owner, stack), ((change, kind),), "")
            verb = "gets" if came else gone
            assert f"Just now: {told[0].words} {verb} {notation.KIND_NAMES[kind]}" in shown
            seen.add((phase, came))
            other = narration.changes(record, before, 1 - mover)
            assert other == ({} if phase == board.CAP else pieces)
    assert seen == {"called off", (board.CAP, True), (board.TRADE, True), (board.TRADE, False)}


def test_a_stolen_piece_is_told_with_the_stack_that_it_is_from() -> None:
    """From before the move, before the stealing, and before the placing; of no other piece."""
    stolen = 0
    for seed in range(12):
        since: dict[int, np.ndarray[Any, Any]] = {}  # the records before the last such phases
        for batch, (before, _), _ in decided(600, seed, "random"):
            record, mover, phase = batch.core.states, before["mover"][0], int(before["phase"][0])
            since[phase] = before
            if phase == board.PLACE_STOLEN:
                victim = narration.label(record[0], 1 - mover, int(record["captured"][0]))
                for earlier in (board.MOVE, board.STEAL, board.PLACE_STOLEN):
                    told = narration.news(record, since[earlier], mover)
                    assert [each.source for each in told if each.pieces] == [victim]
                    picture = drawing.svg(record, Look(mover, before=since[earlier]))
                    assert f" from {victim}" in picture
                stolen += 1
            elif phase in (board.TRADE, board.RAID, board.PLACE_RAIDED) and board.MOVE in since:
                told = narration.news(record, since[board.MOVE], None)
                assert not any(each.source for each in told)
    assert stolen > 3


def test_caps_that_open_are_no_pieces_that_come() -> None:
    for batch, (before, _), _ in decided(23):
        if before["phase"][0] == board.CAP and batch.core.states["phase"][0] == board.MOVE:
            white = int(before["first"][0])
            (told, *_) = (
                each
                for each in narration.news(batch.core.states, before, white)
                if "CAPS" in each.words
            )
            assert told.words == "BLACK'S CAPS ARE OPEN NOW"
            assert not narration.changes(batch.core.states, before, white)
            return
    raise AssertionError("the set-up has not ended")


def test_a_trade_says_what_fits() -> None:
    """Taking is asked for where something can be taken, and calling off where nothing else can."""
    seen = set()
    for batch, _, _ in decided(1500):
        record, mask = batch.core.states[0], batch.mask[0]
        if int(record["phase"]) != board.TRADE:
            continue
        words = narration.task(record, int(record["mover"]))
        takes, alone = mask[board.PUTS : board.OWN_PICKS].any(), mask.sum() == 1
        assert ("TAKE " in words) == takes
        assert words.endswith("CALL OFF") == alone
        seen.add((bool(takes), bool(alone), "NEED" in words))
    assert seen >= {(True, False, False), (False, True, False), (False, True, True)}


@pytest.mark.parametrize(("to", "friends"), [("a6", ["d3", "c4"]), ("e4", ["d3"]), ("b4", [])])
def test_the_last_move_is_drawn_through_friends(to: str, friends: list[str]) -> None:
    """The example of the rules: a queen-skilled stack, a skilled friend, an adult, an enemy."""
    before = in_phase(board.MOVE, 1)[0][0]
    text = "white: d2:Dq d3:Pp c4:P - | - - -\nblack: a6 g7 - - | - - -\nturn: 1"
    notation.read(before, text)
    start, end = (notation.square_called(before, name) for name in ("d2", to))
    assert start is not None
    assert end is not None
    record, seat = before.copy(), int(before["mover"][0])
    taken = int(record["board"][0, end])
    if taken != board.NONE:
        record["square"][0, 1 - seat, taken % board.STACKS] = board.NONE
    record["board"][0, end], record["board"][0, start] = record["board"][0, start], board.NONE
    record["square"][0, seat, 0] = record["last_to"] = end
    record["last_from"], record["phase"] = start, board.AFTER_MOVE
    told = [notation.square_name(record, each) for each in last_route(record, None)]
    assert told == friends
    circle = passing(CYAN)
    bends = drawing.svg(record, Look(0, before=before)).count(circle)
    assert bends == len(friends) + 1  # one is the legend's
