"""Pictures and texts of Stacktrices: nothing hidden shows, and what is legal is lit."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from cyberdeck import Batch, showing
from cyberdeck.engine.record import FORFEIT, NOBODY
from cyberdeck.games.stacktrices import board
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.hidden import known_thief
from cyberdeck.games.stacktrices.names import KIND_NAMES, square_name
from cyberdeck.views.record import Record
from cyberdeck.views.stacktrices import VIEW
from cyberdeck.views.stacktrices.sight import counted, label
from cyberdeck.views.stacktrices.story import CalledOff, Changed, Hidden, Opened, Raided, Stolen
from cyberdeck.views.view import DRAWN, LOST, WON, Event
from tests.stacktrices.positions import story, svg, variant_of, viewer_of, words

Rows: TypeAlias = NDArray[Any]  # one record, as the engine has it
Position: TypeAlias = tuple[Rows, NDArray[Any]]  # with its mask


def in_phase(phase: int, decisions: int = 400, **options: Any) -> list[Position]:
    """Positions of one phase from random play; those of the set-up are drawn unless asked for."""
    options = {"setup": "choose" if phase in (c.HIDE, c.CAP) else "random"} | options
    batch, found = Batch("stacktrices", 4, seed=7, **options), []
    for _ in range(decisions):
        states = batch._core.states
        for row in np.flatnonzero(states["phase"] == phase):
            found.append((states[row : row + 1].copy(), batch.mask[row].copy()))
        batch.play("random", 1)
    assert found, f"random play never came to the phase {c.PHASES[phase]!r}"
    return found


def named(record: Rows, square: int) -> str:
    return square_name(int(record["first"][0]), square)


def test_a_thief_is_marked_for_its_owner_and_an_exposed_one_for_both() -> None:
    """Spectators see neither thief, nor whose view it is; the whole table has both thieves."""
    record, _ = in_phase(c.MOVE, 1, steal_on_attack=True)[0]
    for seat in range(2):
        assert known_thief(record[0], seat) == c.NONE
        thief = int(record["thief"][0, seat])
        square = named(record, int(record["square"][0, seat, thief]))
        assert f"{square}*" in words(record, seat)
        assert f"{square}*" not in words(record, 1 - seat)
        other = record.copy()
        other["thief"][0, seat] = (thief + 1) % c.DRONES
        assert svg(other, seat) != svg(record, seat)
        other["exposed"][0, seat] = 1
        square = named(other, int(other["square"][0, seat, (thief + 1) % c.DRONES]))
        assert f"{square}!" in words(other, 0)
        assert f"{square}!" in words(other, 1)
    told = svg(showing.public(variant_of(record), record))
    assert (svg(record).count(", the thief"), told.count(", the thief")) == (2, 0)
    assert "you" not in words(record, None).lower()
    assert "white (you) 7" in words(record, int(record["first"][0]))


@pytest.mark.parametrize("phase", range(len(c.PHASES)))
def test_one_thing_stands_for_each_legal_action_and_what_it_begins_with_and_ends_at_take_part(
    phase: int,
) -> None:
    for record, mask in in_phase(phase)[:3]:
        mover, legal = int(record["mover"][0]), np.flatnonzero(mask).tolist()
        for narrow in (False, True):
            root = ET.fromstring(svg(record, mover, mask, narrow=narrow))
            ids = [each.get("id") for each in root.iter() if each.get("id")]
            assert sorted(ids) == sorted(f"action-{action}" for action in legal)
            ends = [list(map(int, e.get("data-actions", "").split())) for e in root.iter()]
            for action in legal:
                ended = sum(action in end for end in ends)
                assert ended == (1 if action >= int(board.claim(record[0])) else ended)
                assert ended >= (3 if action < c.HIDES else 1)


def test_the_board_is_seen_from_the_seats_side() -> None:
    """The home row is below, files run from a on the left, and rank 1 is white's home row."""
    for first in (0, 1):
        record, _ = in_phase(c.MOVE, 1, first=first)[0]
        for seat in range(2):
            rows = [line for line in words(record, seat).split("\n") if line[:1].isdigit()]
            ranks = [int(row[0]) for row in rows]
            assert ranks == ([7, 6, 5, 4, 3, 2, 1] if seat == first else [1, 2, 3, 4, 5, 6, 7])
            own = "W" if seat == first else "B"
            assert rows[-1].split()[1].startswith(f"{own}0")
            assert rows[-1].split()[-1].startswith(f"{own}3")


ENDINGS = (
    (c.CAPTURED_ALL, 0, "White wins"),
    (c.CAPTURED_ALL, 1, "Black wins"),
    (c.STALLED, None, "A draw"),
    (c.MAX_TURNS, None, "A draw"),
    (FORFEIT, 0, "White wins"),
    (FORFEIT, 1, "Black wins"),
)


@pytest.mark.parametrize(("reason", "winner", "headline"), ENDINGS)
def test_how_a_game_ended(reason: int, winner: int | None, headline: str) -> None:
    record, _ = in_phase(c.MOVE, 1, first=0)[0]
    record["reason"], record["mover"] = reason, NOBODY
    if winner is not None:
        record["reward"][0, winner], record["reward"][0, 1 - winner] = 1.0, -1.0
    if reason == c.CAPTURED_ALL and winner is not None:
        record["square"][0, 1 - winner] = c.NONE
        record["thief"][0, 1 - winner] = c.NONE
    for seat in (None, 0, 1):
        own = headline if None in (winner, seat) else "You win" if winner == seat else "You lose"
        ending = VIEW.ending(Record.of(record), viewer_of(seat))
        assert ending is not None
        moods = {"A draw": DRAWN, "You lose": LOST}
        assert (ending.headline, ending.mood) == (own, moods.get(own, WON))
        assert f"\n{own}. {ending.why}\n" in words(record, seat)
        ET.fromstring(svg(record, seat))


class Decided(NamedTuple):
    """What there was when a mover decided in a phase, the action, and what came of it."""

    before: Rows
    mover: int
    phase: int
    action: int
    record: Rows
    mask: NDArray[Any]


def decided(decisions: int, seed: int = 3, setup: str = "choose") -> Iterator[Decided]:
    """Random play."""
    rng = np.random.default_rng(seed)
    batch = Batch("stacktrices", 1, seed=seed, autoreset="Disabled", setup=setup)
    for _ in range(decisions):
        before = batch._core.states.copy()
        action = int(rng.choice(np.flatnonzero(batch.mask[0])))
        batch.step([action])
        if batch.mover[0] < 0:
            break
        by, phase = int(before["mover"][0]), int(before["phase"][0])
        yield Decided(before, by, phase, action, batch._core.states, batch.mask[0])


def test_pieces_that_come_and_leave_are_told_and_marked() -> None:
    seen = set()
    for before, mover, phase, action, record, _ in decided(400):
        told = story(record, before, mover)
        if action == c.CALL_OFF + int(board.claim(before[0])):
            assert isinstance(told[0], CalledOff)
            assert not any(isinstance(event, Changed) for event in told)
            seen.add("called off")
        elif phase in (c.CAP, c.TRADE) and action >= c.PUTS:
            came = action < c.OWN_PICKS
            (changed,) = (event for event in told if isinstance(event, Changed))
            assert (changed.seat, changed.source) == (mover, c.NONE)
            ((kind,), none) = (changed.came, changed.left)[:: 1 if came else -1]
            assert not none
            name = label(Record.of(record), mover, changed.stack)
            words = f"{name} {'gets' if came else 'gives'} {KIND_NAMES[kind]}"
            assert changed.words == words
            assert f"Just now: {words}" in svg(record, mover, before=before)
            seen.add((phase, came))
            other = [e for e in story(record, before, 1 - mover) if isinstance(e, Changed)]
            assert other == ([] if phase == c.CAP else [changed])
    assert seen == {"called off", (c.CAP, True), (c.TRADE, True), (c.TRADE, False)}


def test_a_stolen_piece_is_told_with_the_stack_that_it_is_from() -> None:
    """From before the move, before the stealing, and before the placing; of no other piece."""
    stolen = 0
    for seed in range(5):
        since: dict[int, Rows] = {}  # the records before the last such phases
        for before, mover, phase, _, record, _ in decided(600, seed, "random"):
            since[phase] = before
            if phase == c.PLACE_STOLEN:
                victim = int(record["captured"][0])
                for earlier in (c.MOVE, c.STEAL, c.PLACE_STOLEN):
                    told = story(record, since[earlier], mover)
                    assert [e.source for e in told if isinstance(e, Changed)] == [victim]
                    picture = svg(record, mover, before=since[earlier])
                    assert f" from {label(Record.of(record), 1 - mover, victim)}" in picture
                stolen += 1
            elif phase in (c.TRADE, c.RAID, c.PLACE_RAIDED) and c.MOVE in since:
                told = story(record, since[c.MOVE], None)
                assert all(e.source == c.NONE for e in told if isinstance(e, Changed))
    assert stolen > 0


def test_what_can_be_stolen_lies_apart_from_the_store() -> None:
    """All that may be stolen is named, and is in the store for everybody when the steal is over."""
    for record, mask in in_phase(c.STEAL, steal_on_attack=True):
        mover = int(record["mover"][0])
        seen = Record.of(record)
        names = {VIEW.action_name(seen, action) for action in np.flatnonzero(mask)}
        stack = label(seen, 1 - mover, seen.captured)
        for viewer in (mover, 1 - mover, None):
            said = words(record, viewer)
            (lying,) = re.findall(f"On captured {stack}: (.*)", said)
            assert all(name.split()[3] in lying for name in names)
            loot = [min(pair) for pair in zip(seen.loot, seen.store, strict=True)]
            stored = [all_ - kept for all_, kept in zip(seen.store, loot, strict=True)]
            assert f"Store: {counted(stored)}\n" in said
            assert lying == counted(loot)
            assert f"On captured {stack}: {lying};" in svg(record, viewer)


def test_steals_raids_and_hiding_again_are_marked() -> None:
    """In the board alone, which has no words, for the other side too."""
    marked: set[type[Event]] = set()
    for before, mover, phase, _, record, _ in decided(200, 45, "random"):
        if phase not in (c.AFTER_MOVE, c.STEAL, c.HIDE_AGAIN):
            continue
        kinds = {type(event) for event in story(record, before, 1 - mover)}
        for kind in kinds & {Stolen, Raided, Hidden} - marked:
            pictures = [
                showing.scene(variant_of(record), record, (1 - mover,), each).picture(bare=True)
                for each in (before, None)
            ]
            shapes = [re.sub("<(title|desc)>.*?</", "", each) for each in pictures]
            assert shapes[0] != shapes[1]
            marked.add(kind)
    assert marked == {Stolen, Raided, Hidden}


def test_caps_that_open_are_no_pieces_that_come() -> None:
    for before, _, phase, _, after, _ in decided(23):
        if phase == c.CAP and after["phase"][0] == c.MOVE:
            white = int(before["first"][0])
            told = story(after, before, white)
            (opened,) = (event for event in told if isinstance(event, Opened))
            assert (opened.seat, opened.words) == (1 - white, "black's pieces are open now")
            assert not any(isinstance(event, Changed) for event in told)
            return
    raise AssertionError("the set-up has not ended")


def test_a_raid_says_all_that_may_be_done() -> None:
    for record, mask in in_phase(c.RAID):
        seen = Record.of(record)
        task = VIEW.page(seen, (seen.mover,), mask.tolist()).task
        verbs = {VIEW.action_name(seen, action).split()[0] for action in np.flatnonzero(mask)}
        assert verbs <= set(task.split())
        assert ("raise" in task) == ("raise" in verbs)
    rules = " ".join(showing.how_to_play(variant_of(record)).split())
    assert "The trade ends by itself" in rules


def test_a_trade_says_what_fits() -> None:
    """Taking is asked for where something can be taken, and calling off where nothing else can."""
    seen = set()
    for *_, after, mask in decided(1500):
        record = Record.of(after)
        if record.phase != c.TRADE:
            continue
        words = VIEW.page(record, (record.mover,), mask.tolist()).task
        takes, alone = mask[c.PUTS : c.OWN_PICKS].any(), mask.sum() == 1
        lacking = re.search(r"no pieces of the store make up (\d) pip", words)
        assert ("take " in words or lacking is not None) == takes
        assert words.endswith("call off") == (alone or lacking is not None)
        if lacking is not None:
            left = sum(piece == c.NONE for piece in record.taken)
            lying = [record.store[size] + record.store[c.SKILL + size] for size in range(3)]
            for taken in itertools.product(*(range(min(left, count) + 1) for count in lying)):
                pips = sum((size + 1) * count for size, count in enumerate(taken))
                assert sum(taken) > left or pips != int(lacking[1])
        seen.add((bool(takes), bool(alone), "need" in words))
        assert VIEW.page(record, (1 - record.mover,), None).task.endswith(": trade")
    assert seen >= {(True, False, False), (False, True, False), (False, True, True)}


def test_raids_and_exposures_are_named_where_they_are_legal_with_what_may_be_stolen() -> None:
    seen = set()
    for record, mask in in_phase(c.AFTER_MOVE, 2000, steal_on_attack=True):
        told = words(record, int(record["mover"][0]))
        (question,) = [line for line in told.splitlines() if "or end" in line]
        raid, expose = mask[c.CLAIM[0]] == 1, mask[c.CLAIM[0] + c.EXPOSE] == 1
        assert (": raid, " in question, "expose the thief, " in question) == (raid, expose)
        loot = record["loot"][0]
        lies = f"Unprotected on captured {'WB'[1 - int(record['turns'][0]) % 2]}"
        assert (lies in told) == loot.any()
        assert not expose or counted(loot.tolist()) in told
        seen |= {("raid", bool(raid)), ("expose", bool(expose))}
    assert len(seen) == 4
