"""Stacktrices in words: actions, events, what is to be decided, and the table as plain text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from cyberdeck.engine.contract import Record
from cyberdeck.engine.kernels import State
from cyberdeck.engine.plain import as_python
from cyberdeck.engine.record import FORFEIT, NOBODY, RUNNING
from cyberdeck.games.stacktrices.board import (
    AFTER_MOVE,
    CALL_OFF,
    CAP,
    DRONES,
    EXPOSE,
    HIDE,
    HIDE_AGAIN,
    HIDE_RAIDER,
    HIDES,
    KINDS,
    MAX_TURNS,
    MOVE,
    NONE,
    OWN_PICKS,
    PHASES,
    PLACE_RAIDED,
    PLACE_STOLEN,
    PUTS,
    RAID,
    SIDE,
    SIZE,
    SQUARES,
    STACKS,
    STALLED,
    STEAL,
    TRADE,
    claim,
    mirrored,
    picked_kind,
    picked_stack,
    their_picks,
)
from cyberdeck.games.stacktrices.hidden import in_setup, known_thief
from cyberdeck.games.stacktrices.notation import (
    FILES,
    KIND_NAMES,
    pieces_called,
    square_name,
    write,
)
from cyberdeck.games.stacktrices.stacks import has_pupil, stacks_left
from cyberdeck.games.stacktrices.trades import legal_trades, stranded, to_receive

COLOURS: Final = ("WHITE", "BLACK")

_legal_trades: Final = as_python(legal_trades)
_stranded: Final = as_python(stranded)

#: What is in hand in a trade.
GIVEN: Final = "GIVEN"

#: (1: came, -1: left; kind)
Change: TypeAlias = tuple[int, int]
#: (owner, stack)
Changes: TypeAlias = dict[tuple[int, int], list[Change]]

# --- what a seat sees ----------------------------------------------------------------------------


def colour_of(state: State, seat: int) -> int:
    """0 for the seat that plays white, 1 for black."""
    return 0 if int(state["first"]) == seat else 1


def rank_of(state: State, seat: int, row: int) -> int:
    """The number of the seat's row: rank 1 is white's home row."""
    return row + 1 if colour_of(state, seat) == 0 else SIDE - row


def caps_hidden(state: State, seat: int | None, owner: int) -> bool:
    """Whether a side's pieces are kept from the seat, or from spectators: they are told what is in
    the record, and that is nothing if it is public.
    """
    if seat is None:
        given = state["pieces"][owner].any() or state["hand"][owner].any()
        return in_setup(state) and not given
    return owner != seat and bool(in_setup(state))


def pieces_seen(state: State, seat: int | None, owner: int, stack: int) -> list[int]:
    """How many pieces of each kind the seat sees on a stack: none while the caps are hidden."""
    if caps_hidden(state, seat, owner):
        return [0] * KINDS
    return [int(count) for count in state["pieces"][owner, stack]]


def thief_seen(state: State, seat: int | None, owner: int) -> int:
    """The drone that the seat knows to be the owner's thief, or NONE."""
    told = seat is None or owner == seat
    return int(state["thief"][owner] if told else known_thief(state, owner))


def hand_seen(state: State, seat: int | None) -> list[int]:
    """The pieces that lie open off the board: one's own in the set-up, then the mover's."""
    hands = state["hand"] if seat is None or not in_setup(state) else state["hand"][[seat]]
    return [int(count) for count in hands.sum(axis=0)]


def turn_shown(state: State) -> int:
    """The turn that is being played; how many there were, when the game is over."""
    begun = int(state["mover"]) != NOBODY and not in_setup(state)
    return int(state["turns"]) + begun


# --- actions, and what they bring about ----------------------------------------------------------


def action_name(record: Record, action: int) -> str:
    state = record[0]
    seat = max(int(state["mover"]), 0)
    after = action - int(claim(state))
    last = EXPOSE if state["steal_on_attack"] else CALL_OFF
    if not action >= 0 or after > last:
        return f"nothing (actions are 0 to {action - after + last})"
    if after >= 0:
        return ("claim a raid", "end the turn", "call the trade off", "expose the thief")[after]
    if action < HIDES:
        stack, target = divmod(action, SQUARES)
        where = square_name(record, int(mirrored(seat, target)))
        return f"move {stack_name(record, seat, stack)} to {where}"
    if action < PUTS:
        return f"hide the thief under {stack_name(record, seat, action - HIDES)}"
    if action < OWN_PICKS:
        stack, kind = divmod(action - PUTS, KINDS)
        return f"put a {KIND_NAMES[kind]} on {stack_name(record, seat, stack)}"
    theirs = int(their_picks(state))
    own = action < theirs
    choice = action - (OWN_PICKS if own else theirs)
    stack = int(picked_stack(state, choice))
    owner = seat if own else 1 - seat
    heap = state["loot"] if state["phase"] == STEAL else state["pieces"][owner, stack]
    kind = int(picked_kind(state, heap, choice))
    name = KIND_NAMES[kind] if heap[kind] else "piece that is not there"
    if state["phase"] == STEAL and not own:
        return f"steal the {name} of {stack_name(record, owner, stack)}"
    doing = "raise" if state["phase"] == RAID else "give"
    return f"{doing if own else 'take'} the {name} of {stack_name(record, owner, stack)}"


def stack_name(record: Record, seat: int, stack: int) -> str:
    """A stack in words."""
    square = int(record["square"][0, seat, stack])
    base = "drone" if stack < DRONES else "queen"
    where = "captured" if square == NONE else square_name(record, square)
    return f"{label(record[0], seat, stack)} ({base}, {where})"


def label(state: State, seat: int, stack: int) -> str:
    """W0, ..., B6: both sides number their stacks alike."""
    return f"{COLOURS[colour_of(state, seat)][0]}{stack}"


def seat_name(record: Record, seat: int) -> str:
    """A player by its colour."""
    return COLOURS[colour_of(record[0], seat)].lower()


def turn(record: Record) -> str:
    state = record[0]
    return "Set-up" if in_setup(state) else f"Turn {turn_shown(state)}"


def events(before: Record, after: Record) -> list[str]:
    """A capture, and whether it was the thief's hiding place."""
    lost = (before["square"][0] != NONE) & (after["square"][0] == NONE)
    words = []
    for seat, stack in zip(*lost.nonzero(), strict=True):
        thief = ", with the thief" if before["thief"][0, seat] == stack else ""
        name = stack_name(before, int(seat), int(stack))
        words.append(f"{name} is captured{thief}")
    return words


class News(NamedTuple):
    """Something that has just happened, such as what a stack has got and lost."""

    words: str
    pieces: tuple[Change, ...] = ()
    source: str = ""  # the stack that the pieces were stolen from


def changes(record: Record, before: Record, seat: int | None) -> Changes:
    """The pieces that the seat has seen coming on stacks, and leaving them, since *before*."""
    state, old, found = record[0], before[0], Changes()
    for owner in range(2):
        if caps_hidden(old, seat, owner):
            continue
        more = state["pieces"][owner] - old["pieces"][owner]
        more[state["square"][owner] == NONE] = 0
        for stack, kind in np.argwhere(more).tolist():
            count = int(more[stack, kind])
            change = (1 if count > 0 else -1, kind)
            found.setdefault((owner, stack), []).extend([change] * abs(count))
    return found


def traded(state: State) -> Changes:
    """The pieces that stacks have given and got so far in a trade."""
    found, owner = Changes(), int(state["mover"])
    if int(state["phase"]) == TRADE:
        for change, pieces in ((-1, state["given"]), (1, state["taken"])):
            for piece in pieces[pieces != NONE].tolist():
                stack, kind = divmod(piece, KINDS)
                found.setdefault((owner, stack), []).append((change, kind))
    return found


def news(record: Record, before: Record, seat: int | None) -> list[News]:
    """What the seat has seen happening since *before*, in order: of who was to move, and then of
    the other.
    """
    first = max(int(before["mover"][0]), 0)
    pieces = changes(record, before, seat)
    return [
        each
        for owner in (first, 1 - first)
        for each in _news_of(record, before, seat, owner, pieces)
    ]


def _news_of(
    record: Record, before: Record, seat: int | None, owner: int, changed: Changes
) -> list[News]:
    """What one side has done."""
    state, old = record[0], before[0]
    name, own = COLOURS[colour_of(state, owner)], [label(state, owner, at) for at in range(STACKS)]
    came, stood = state["square"][owner].tolist(), old["square"][owner].tolist()
    told = []
    if caps_hidden(old, seat, owner) and not caps_hidden(state, seat, owner):
        told.append(News(f"{name}'S CAPS ARE OPEN NOW"))
    told += [
        News(f"{own[at]} {_way(record, stood[at], came[at])}")
        for at in range(STACKS)
        if NONE != came[at] != stood[at] != NONE
    ]
    lost = (state["square"][1 - owner] == NONE) & (old["square"][1 - owner] != NONE)
    for stack in lost.nonzero()[0].tolist():
        thief = ", THE THIEF" if state["caught"] and int(state["captured"]) == stack else ""
        told.append(News(f"{label(state, 1 - owner, stack)} CAPTURED{thief}"))
    called_off = _called_off(state, old, owner)
    told += [
        News(own[at], tuple(changed[owner, at]), _stolen_from(state, old, owner, changed))
        for at in range(STACKS)
        if (owner, at) in changed and not called_off
    ]
    raided = (state["raided"][owner] > old["raided"][owner]).nonzero()[0].tolist()
    told += [News(f"{own[at]} RAIDS") for at in raided]
    if state["exposed"][owner] > old["exposed"][owner]:
        told.append(News(f"{own[int(state['thief'][owner])]} IS EXPOSED"))
    if int(old["mover"]) == owner and int(old["phase"]) in (HIDE, HIDE_AGAIN, HIDE_RAIDER):
        told.append(News(f"{name} HAS HIDDEN ITS THIEF"))
    if called_off:
        told.append(News("TRADE CALLED OFF"))
    if any(COLOURS[at % 2] == name for at in range(int(old["turns"]), int(state["turns"]))):
        told.append(News(f"{name}'S TURN ENDS"))
    return told


def _stolen_from(state: State, old: State, owner: int, changed: Changes) -> str:
    """The captured stack whose piece is all that a side has got, if there was no other way to get
    it: in this turn, which is not over, the side has neither raided nor traded.
    """
    phase, stack, victim = int(state["phase"]), int(state["captured"]), 1 - owner
    active = 1 - int(state["mover"]) if phase == HIDE_AGAIN else int(state["mover"])
    turns = int(state["turns"]) - int(old["turns"])
    if phase not in (HIDE_AGAIN, AFTER_MOVE) or stack == NONE or active != owner or turns > 1:
        return ""
    got = [change for (side, _), pieces in changed.items() if side == owner for change in pieces]
    if (state["raided"][owner] != old["raided"][owner]).any() or [way for way, _ in got] != [1]:
        return ""
    stealing = turns == 0 and int(old["phase"]) in (STEAL, PLACE_STOLEN)
    lost = old["square"][victim, stack] != NONE and old["pieces"][victim, stack, got[0][1]] > 0
    return label(state, victim, stack) if stealing or lost else ""


def _way(record: Record, start: int, end: int) -> str:
    return f"{square_name(record, start)}\N{RIGHTWARDS ARROW}{square_name(record, end)}".upper()


def _called_off(state: State, old: State, owner: int) -> bool:
    """Whether all that was given in a trade is back, as far as its stacks are still there."""
    if int(old["phase"]) != TRADE or int(old["mover"]) != owner or state["turns"] == old["turns"]:
        return False
    pieces = old["pieces"][owner].copy()
    for traded, change in ((old["given"], 1), (old["taken"], -1)):
        for piece in traded[traded != NONE].tolist():
            pieces[piece // KINDS, piece % KINDS] += change
    here = state["square"][owner] != NONE
    return bool((state["pieces"][owner] == pieces)[here].all())


# --- what is to be decided, and how it ended -----------------------------------------------------


def task(state: State, seat: int | None) -> str:
    mover = int(state["mover"])
    return f"{'YOU' if mover == seat else COLOURS[colour_of(state, mover)]}: {_doing(state)}"


def _doing(state: State) -> str:
    """What is to be decided."""
    phase = int(state["phase"])
    if phase == AFTER_MOVE and state["skipped"]:
        return "NO MOVE IS LEGAL: TRADE OR END"
    if phase == AFTER_MOVE:
        return "GIVE A PIECE, OR END THE TURN"
    if phase == STEAL:
        victim = 1 - int(state["mover"])
        return f"STEAL A PIECE OF {label(state, victim, int(state['captured']))}"
    if phase == RAID:
        return (
            "TAKE A PIECE"
            if has_pupil(state, int(state["mover"]))
            else "TAKE A PIECE, OR RAISE ONE"
        )
    if phase == TRADE:
        return _trading(state)
    return {
        HIDE: "HIDE THE THIEF UNDER A DRONE",
        CAP: "CAP THE STACKS",
        MOVE: "MOVE A STACK",
        HIDE_AGAIN: "THE THIEF IS CAUGHT: HIDE IT ANEW",
        HIDE_RAIDER: "HIDE THE THIEF AGAIN",
    }.get(phase, PHASES[phase].upper())


def _trading(state: State) -> str:
    """Giving, taking, or that only calling off is left."""
    seat, rest = int(state["mover"]), int(to_receive(state))
    mask = np.zeros(int(claim(state)) + EXPOSE + 1, np.int8)
    _legal_trades(state, seat, mask)
    gives, takes = mask[OWN_PICKS : int(claim(state))].any(), mask[PUTS:OWN_PICKS].any()
    pips, given = _plural(rest, "PIP"), given_pips(state)
    if gives and takes:
        return f"GIVE ON, OR TAKE {pips}"
    if gives:
        return "GIVE ON: " + (f"NO PIECE FITS {pips}" if rest else "1 PIP BUYS NOTHING")
    taken = given - 1 - rest
    if takes:
        return (
            f"{taken} OF {given - 1} PIPS TAKEN, TAKE {rest} MORE"
            if taken
            else f"TAKE {pips}, ONE LESS THAN GIVEN"
        )
    bare = [label(state, seat, stack) for stack in range(STACKS) if _stranded(state, seat, stack)]
    if bare:
        need = "NEED" if len(bare) > 1 else "NEEDS"
        return f"{' AND '.join(bare)} {need} REACH, NO PIECE FITS: CALL OFF"
    return f"NO PIECE FITS {pips}{' MORE' if taken else ''}: CALL OFF"


def given_pips(state: State) -> int:
    """What the pieces given in a trade are worth."""
    given = state["given"]
    return int(SIZE[given[given != NONE] % KINDS].sum())


def _plural(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 'S'}"


def hand_name(state: State) -> str:
    """What the pieces in hand are there for."""
    phase = int(state["phase"])
    if in_setup(state):
        return "TO CAP WITH"
    if phase == PLACE_STOLEN:
        return "STOLEN"
    if phase == PLACE_RAIDED:
        return "RAIDED"
    trading = phase == TRADE and int(state["reason"]) in (RUNNING, FORFEIT)
    return GIVEN if trading else "IN HAND"


def ending(state: State) -> tuple[str, str, int] | None:
    """How the game ended: a headline, the reason in plain words, and who has won, or NOBODY."""
    reason = int(state["reason"])
    if reason == RUNNING:
        return None
    if reason == STALLED:
        return "A DRAW", "NEITHER SIDE COULD MOVE, OR TRADED", NOBODY
    if reason == MAX_TURNS:
        return "A DRAW", f"NO WINNER AFTER {int(state['turns'])} TURNS", NOBODY
    if reason == FORFEIT:
        loser = int(np.argmin(state["reward"]))
        why = f"{COLOURS[colour_of(state, loser)]} MADE AN ILLEGAL MOVE"
    else:
        loser = 0 if stacks_left(state, 0) == 0 else 1
        why = f"{COLOURS[colour_of(state, loser)]}'S LAST STACK IS CAPTURED"
    winner = 1 - loser
    return f"{COLOURS[colour_of(state, winner)]} WINS", why, winner


# --- the table as plain text ---------------------------------------------------------------------

#: So wide the board may be in a terminal.
_WIDEST: Final = 75


def text(record: Record, seat: int | None) -> str:
    """The table as plain text: comments that begin with a space, then the position's notation."""
    state = record[0]
    told = [
        f" STACKTRICES, turn {turn_shown(state)} of {int(state['max_turns'])}",
        f" {_sides(record, seat)}",
        " " + situation(state, seat),
        *(f" {each}" for each in _beside(record, seat)),
    ]
    return "\n".join(
        [
            *told,
            *_diagram(state, seat),
            " W, B: white, black; 0 to 3 stand on drones, 4 to 6 on queens",
            " P D Q: movement; p d q: skill; *: thief; !: exposed thief; ^: has raided",
            *write(record, seat),
        ]
    )


def screen(record: Record, seats: Sequence[int]) -> str:
    """The same in few lines, and without the notation, which programs read."""
    state, seat = record[0], seats[0]
    over = ending(state)
    return "\n".join(
        [
            f"STACKTRICES, turn {turn_shown(state)} of {int(state['max_turns'])}, "
            f"{_sides(record, seat)}",
            "; ".join([". ".join(over[:2]) if over else task(state, seat), *_beside(record, seat)]),
            *_diagram(state, seat),
            "PDQ movement, pdq skill: pawn, drone, queen; * thief, ! exposed, ^ has raided",
        ]
    )


def _sides(record: Record, seat: int | None) -> str:
    """Whose view it is, and how many stacks are left."""
    left = ", ".join(f"{seat_name(record, at)} {stacks_left(record[0], at)}" for at in range(2))
    you = "" if seat is None else f"you are {seat_name(record, seat)}; "
    return f"{you}stacks left: {left}"


def _beside(record: Record, seat: int | None) -> list[str]:
    """The last move, and the pieces off the board."""
    state = record[0]
    told = []
    if state["last_from"] != NONE:
        squares = [square_name(record, int(state[end])) for end in ("last_from", "last_to")]
        told.append(f"last move: {squares[0]} to {squares[1]}")
    if hand := pieces_called(np.array(hand_seen(state, seat), np.int8)):
        told.append(f"{hand_name(state).lower()}: {hand}")
    return told


def _diagram(state: State, viewer: int | None) -> list[str]:
    """The board as the seat sees it, its home row below."""
    seat = viewer or 0
    cells = {
        mirrored(seat, int(state["square"][owner, stack])): _cell(state, viewer, owner, stack)
        for owner in range(2)
        for stack in range(STACKS)
        if state["square"][owner, stack] != NONE
    }
    longest = [
        max(5, *(len(cells.get(SIDE * row + file, "")) for row in range(SIDE)))
        for file in range(SIDE)
    ]
    wide = [2 + max(longest)] * SIDE
    if sum(wide) > _WIDEST:
        wide = [1 + each for each in longest]
    rows = [
        f" {rank_of(state, seat, row)} | "
        + "".join(cells.get(SIDE * row + file, ".").ljust(wide[file]) for file in range(SIDE))
        for row in range(SIDE - 1, -1, -1)
    ]
    files = "".join(file.ljust(wide[at]) for at, file in enumerate(FILES))
    lines = [*rows, "   +" + "-" * (sum(wide) - 1), f"     {files}"]
    return [line.rstrip() for line in lines]


def _cell(state: State, seat: int | None, owner: int, stack: int) -> str:
    """A stack: its side and number, its marks, and its pieces; ``?`` where they are hidden."""
    mark = ""
    if stack == thief_seen(state, seat, owner):
        mark = "!" if state["exposed"][owner] else "*"
    if stack < DRONES and state["raided"][owner, stack]:
        mark += "^"
    caps = pieces_called(np.array(pieces_seen(state, seat, owner, stack), np.int8))
    if caps_hidden(state, seat, owner):
        caps = "?"
    return f"{label(state, owner, stack)}{mark}" + (f":{caps}" if caps else "")


def described(record: Record, seat: int | None, words: str, happened: Sequence[News] = ()) -> str:
    """What a picture shows in sentences, for who hears it read out: what has just happened, the
    situation in *words*, and the table.
    """
    state = record[0]
    told = [f"Just now: {'; '.join(map(_told, happened))}"] if happened else []
    told.append(spoken(words))
    for owner in (int(state["first"]), 1 - int(state["first"])):
        stacks = "; ".join(
            _stack_in_words(record, seat, owner, stack)
            for stack in range(STACKS)
            if state["square"][owner, stack] != NONE
        )
        hidden = ", what is on them is hidden" if caps_hidden(state, seat, owner) else ""
        told.append(f"{seat_name(record, owner).capitalize()} has {stacks or 'no stack'}{hidden}")
    told.append(f"In the store: {_counted(state['store'].tolist())}")
    hand = hand_seen(state, seat)
    if any(hand):
        told.append(f"{spoken(hand_name(state))}: {_counted(hand)}")
    if state["last_from"] != NONE:
        squares = [square_name(record, int(state[end])) for end in ("last_from", "last_to")]
        told.append(f"Last move: {squares[0]} to {squares[1]}")
    return ". ".join(told) + "."


def situation(state: State, seat: int | None) -> str:
    """What is to be decided, or how it ended."""
    over = ending(state)
    return ". ".join(over[:2]) if over else task(state, seat)


def spoken(words: str) -> str:
    """A line of capitals as a sentence; names such as W1 stay."""
    small = re.sub(r"\b[A-Z]+\b", lambda word: word[0].lower(), words)
    return small[:1].upper() + small[1:]


def _stack_in_words(record: Record, seat: int | None, owner: int, stack: int) -> str:
    state = record[0]
    marks = ""
    if stack == thief_seen(state, seat, owner):
        marks = ", the exposed thief" if state["exposed"][owner] else ", the thief"
    if stack < DRONES and state["raided"][owner, stack]:
        marks += ", has raided"
    pieces = pieces_seen(state, seat, owner, stack)
    on = f" with {_counted(pieces)}" if any(pieces) else ""
    return f"{stack_name(record, owner, stack)}{on}{marks}"


def _told(each: News) -> str:
    """What has happened as part of a sentence."""
    words = each.words.replace("\N{RIGHTWARDS ARROW}", " to ")
    words = re.sub(r"\b[A-Z]+\b", lambda word: word[0].lower(), words)
    for change, verb in ((1, "gets"), (-1, "gives")):
        kinds = [KIND_NAMES[kind] for sign, kind in each.pieces if sign == change]
        words += f" {verb} {', '.join(kinds)}" if kinds else ""
    return words + (f" from {each.source}" if each.source else "")


def _counted(pieces: Sequence[int]) -> str:
    """Pieces of each kind in words."""
    named = zip(KIND_NAMES, pieces, strict=True)
    words = [f"{count} {name}" if count > 1 else name for name, count in named if count]
    return ", ".join(words) or "nothing"


def ended(record: Record, seat: int) -> str:
    """Why the game is over."""
    end = ending(record[0])
    return end[1].lower() if end else ""


#: The two sides' stacks.
INKS: Final = ((r"\bW\d\S*", "yellow"), (r"\bB\d\S*", "cyan"))

HOW_TO_PLAY: Final = """\
Capture every stack of the other side. A stack is a drone (numbers 0 to 3) or a
queen (4 to 6) with pieces on it: at most one movement piece (P D Q), and skill
pieces (p d q) only with movement. Pawn is 1, drone 2, queen 3.
Turn: move a stack; then claim a raid if you may, trade, or end the turn.
Move: the movement piece is the reach, up to 1, 2 or 3 squares. Directions:
  no piece (pupil)  any square beside it, only to capture
  movement alone    the two forward diagonals
  and skill p       all diagonals      and skill d   all straight lines too
  and skill q       all directions, and through own stacks that have pieces
A move to a square with a stack of the other side captures it: its pieces go to
the store. From the other side's home row a stack may warp to its own home row.
Thief (*): one of your drones, hidden under it. Who captures the other's thief
steals a piece from it, and the thief is hidden anew under another drone.
Raid: when your thief has come to the other side's home row, claim to take a
piece from the store or an unprotected piece of the other side's, or to raise an
own piece by one size if every stack has pieces. A movement piece under skill is
protected. Then hide the thief anew.
Trade: give 1 to 3 own pieces that count V, at least 2; take 1 to 3 from the
store that count exactly V - 1, for stacks that gave or had none.
If nobody can move or trade, or the turns run out, it is a draw.
On the board: W4*:Dp is white's stack 4, known as the thief, with a movement
drone and a skill pawn."""
