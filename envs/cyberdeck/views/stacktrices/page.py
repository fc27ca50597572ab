"""Stacktrices for people: actions, what is to do, how a game ended, and the table as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Final, NamedTuple

from cyberdeck.engine.constants import FORFEIT, NOBODY, RUNNING
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices import names
from cyberdeck.views import view
from cyberdeck.views.record import Record
from cyberdeck.views.stacktrices import sight
from cyberdeck.views.view import Board, Cell, Ending, Line, Mask, Page, Panel, Piece, Viewer

# --- actions -------------------------------------------------------------------------------------


class Act(NamedTuple):
    """What an action is: a MOVE of a stack to a square, to HIDE the thief under it, to PUT a piece
    on it, to PICK one of it; or one of the OTHERS, which are about no stack.
    """

    sort: str
    owner: int  # whose stack
    stack: int
    what: int  # the square as the record has it, the piece's kind, or which of the others


MOVE, HIDE, PUT, PICK, OTHER = "move", "hide", "put", "pick", "other"


def act_of(record: Record, action: int) -> Act:
    """What an action is, to the mover of the record."""
    mover, stacked = max(record.mover, 0), record.stacked_movement
    if action >= c.CLAIM[stacked]:
        return Act(OTHER, mover, c.NONE, action - c.CLAIM[stacked])
    if action < c.HIDES:
        stack, square = divmod(action, c.SQUARES)
        return Act(MOVE, mover, stack, sight.mirrored(mover, square))
    if action < c.PUTS:
        return Act(HIDE, mover, action - c.HIDES, c.NONE)
    if action < c.OWN_PICKS:
        return Act(PUT, mover, *divmod(action - c.PUTS, c.KINDS))
    theirs = action >= c.THEIR_PICKS[stacked]
    owner = 1 - mover if theirs else mover
    first = c.THEIR_PICKS[stacked] if theirs else c.OWN_PICKS
    stack, kind = divmod(action - first, c.PICKS[stacked])
    if not stacked and kind == 0:  # the one movement piece
        there = _heap(record, owner, stack)
        kind = next((size for size in (c.PAWN, c.DRONE) if there[size]), c.QUEEN)
    elif not stacked:
        kind += c.SKILL - 1
    return Act(PICK, owner, stack, kind)


def _heap(record: Record, owner: int, stack: int) -> list[int]:
    """The pieces that may be picked from: those of a stack that is captured are loot."""
    pieces: list[int] = record.loot if record.phase == c.STEAL else record.pieces[owner][stack]
    return pieces


def action_name(record: Record, action: int) -> str:
    """An action in words."""
    last = c.EXPOSE if record.steal_on_attack else c.CALL_OFF
    most = c.CLAIM[record.stacked_movement] + last
    if not 0 <= action <= most:
        return f"nothing (actions are 0 to {most})"
    sort, owner, number, what = act_of(record, action)
    if sort == OTHER:
        return ("claim a raid", "end the turn", "call the trade off", "expose the thief")[what]
    stack = sight.stack_name(record, owner, number)
    if sort == MOVE:
        return f"move {stack} to {names.square_name(record.first, what)}"
    if sort == HIDE:
        return f"hide the thief under {stack}"
    if sort == PUT:
        return f"put a {names.KIND_NAMES[what]} on {stack}"
    there = _heap(record, owner, number)[what]
    name = names.KIND_NAMES[what] if there else "piece that is not there"
    return f"{_picking(record, owner)} the {name} of {stack}"


def _picking(record: Record, owner: int) -> str:
    """What is done with a piece that the mover picks from one of *owner*'s stacks."""
    if owner != max(record.mover, 0):
        return "steal" if record.phase == c.STEAL else "take"
    return "raise" if record.phase == c.RAID else "give"


def notation(record: Record, action: int) -> str:
    """An action in a few letters."""
    sort, owner, number, what = act_of(record, action)
    if sort == OTHER:
        return ("raid", "end", "call off", "expose")[what]
    stack = sight.label(record, owner, number)
    if sort == MOVE:
        return f"{stack}-{names.square_name(record.first, what)}"
    if sort == HIDE:
        return f"hide {stack}"
    if sort == PUT:
        return f"put {names.KIND_CODES[what]} on {stack}"
    return f"{_picking(record, owner)} {names.KIND_CODES[what]} of {stack}"


def how_to_write(options: Mapping[str, Any]) -> str:
    expose = "; and, after a capture by your thief, expose" if options["steal_on_attack"] else ""
    return f"""\
Stacks are W0 to W6 (white) and B0 to B6 (black), squares a1 to g7. Pieces are
mp, md, mq (movement pawn, drone, queen) and sp, sd, sq (skill). A move is the
stack and the square: W4-b4. Then: hide W2 (the thief, under that drone); put mp
on W3; give sd of W1 (in a trade); take md of B2 (in a raid); raise mp of W0 (in
a raid); steal sq of B3. Without a piece: raid (to claim it), end (the turn),
call off (the trade){expose}."""


# --- what is to be decided, and how it ended -----------------------------------------------------

_DOING: Final = {
    c.HIDE: "hide the thief under a drone",
    c.CAP: "put a piece on a stack",
    c.MOVE: "move a stack; a thief in the far row may raid",
    c.HIDE_AGAIN: "the thief is captured: hide it anew",
    c.HIDE_RAIDER: "hide the thief again",
}


def _task(record: Record, viewer: Viewer, mask: Mask) -> str:
    mover = record.mover
    who = "you" if mover == view.seat_of(viewer) else sight.side_name(record, mover)
    return f"{who}: {_doing(record, mask)}"


def _doing(record: Record, mask: Mask) -> str:
    """What is to be decided."""
    phase = record.phase
    if phase == c.AFTER_MOVE:
        if record.skipped:
            return "no move is legal: trade or end"
        return "give 1 to 3 pieces for 1 pip less in all, or end"
    if phase == c.STEAL:
        return f"steal a piece of {sight.label(record, 1 - record.mover, record.captured)}"
    if phase == c.RAID and mask is not None:
        raises = any(mask[c.OWN_PICKS : c.THEIR_PICKS[record.stacked_movement]])
        return "take a piece" + ", or raise one" * raises
    if phase == c.TRADE and mask is not None:
        return _trading(record, mask)
    return _DOING.get(phase, c.PHASES[phase])


def _trading(record: Record, mask: Sequence[int]) -> str:
    """Giving, taking, or that only calling off is left."""
    claim = c.CLAIM[record.stacked_movement]
    gives, takes = any(mask[c.OWN_PICKS : claim]), any(mask[c.PUTS : c.OWN_PICKS])
    worth = sight.given_pips(record) - c.TRADE_FEE
    taken = sum(c.PIPS[piece % c.KINDS] for piece in record.taken if piece != c.NONE)
    rest = worth - taken
    pips = f"{rest} pip{'' if rest == 1 else 's'}"
    if takes and not _in_store(record, rest):
        lacking = f"no pieces of the store make up {pips}"
        return f"{lacking}: {'give on, or ' * gives}call off"
    if gives and takes:
        return f"give on, or take {pips} and give no more"
    if gives:
        return "give on: " + (f"no piece fits {pips}" if rest else "1 pip buys nothing")
    if takes and taken:
        return f"{taken} of {worth} pips taken, take {rest} more"
    if takes:
        return f"take {pips}, one less than given"
    bare = [
        sight.label(record, record.mover, stack)
        for stack, pieces in enumerate(record.pieces[record.mover])
        if any(pieces) and not any(pieces[: c.SKILL])
    ]
    if bare:
        need = "need" if len(bare) > 1 else "needs"
        return f"{' and '.join(bare)} {need} reach, no piece fits: call off"
    why = f"no piece fits {pips}{' more' * bool(taken)}" if rest else "1 pip buys nothing"
    return f"{why}: call off"


def _in_store(record: Record, pips: int) -> bool:
    """Whether so many pips lie there in as many pieces as may still be taken."""
    left, sizes = sum(piece == c.NONE for piece in record.taken), list[int]()
    for size, count in zip(c.PIPS, record.store, strict=True):
        sizes += [size] * min(count, left)
    return any(sum(some) == pips for n in range(left + 1) for some in combinations(sizes, n))


def hand_name(record: Record) -> str:
    """What the pieces in hand are there for."""
    if sight.in_setup(record):
        return "to place"
    if record.phase == c.TRADE and record.reason in (RUNNING, FORFEIT):
        return "given"
    return {c.PLACE_STOLEN: "stolen", c.PLACE_RAIDED: "raided"}.get(record.phase, "in hand")


def ending(record: Record, viewer: Viewer) -> Ending | None:
    """How the game ended."""
    if record.reason == RUNNING:
        return None
    if record.reason in (c.STALLED, c.MAX_TURNS):
        late, stuck = f"No winner after {record.turns} turns", "Neither side could move or trade"
        return Ending("A draw", stuck if record.reason == c.STALLED else late, view.DRAWN)
    if record.reason == FORFEIT:
        winner = 1 if record.reward[0] < record.reward[1] else 0
        why = f"{sight.side_name(record, 1 - winner)} forfeited the game"
    else:
        winner = 0 if sight.standing(record, 0) else 1
        why = f"{sight.side_name(record, 1 - winner)}'s last stack is captured"
    won = viewer is None or view.seat_of(viewer) == winner
    headline = "You win" if won else "You lose"
    if viewer is None:
        headline = f"{view.sentence(sight.side_name(record, winner))} wins"
    return Ending(headline, view.sentence(why), view.WON if won else view.LOST)


def turn(record: Record) -> str:
    """What stands above the decisions of a turn."""
    return "Set-up" if sight.in_setup(record) else f"Turn {_turn(record)}"


def _turn(record: Record) -> int:
    """The turn that is being played; how many there were, when the game is over."""
    return int(record.turns + (record.mover != NOBODY))


def public(record: Record) -> dict[str, Any]:
    """Spectators do not see the thieves, nor the pieces on the stacks before both are set up."""
    shown: dict[str, Any] = {"thief": [sight.known_thief(record, owner) for owner in range(2)]}
    if sight.in_setup(record):
        shown["pieces"] = [[[0] * c.KINDS] * c.STACKS] * 2
        shown["hand"] = [[0] * c.KINDS] * 2
    return shown


# --- the table -----------------------------------------------------------------------------------


def _marks(record: Record, viewer: Viewer, owner: int, stack: int) -> list[tuple[str, str]]:
    """The marks of a stack: (sign, words)."""
    marks = []
    if stack == sight.thief_seen(record, viewer, owner):
        marks = [("!", "the exposed thief") if record.exposed[owner] else ("*", "the thief")]
    raided = stack < c.DRONES and record.raided[owner][stack]
    return [*marks, ("^", "has raided")] if raided else marks


def _written(record: Record, viewer: Viewer, owner: int, stack: int) -> str:
    """A stack's marks, and its pieces as letters."""
    signs = "".join(sign for sign, _ in _marks(record, viewer, owner, stack))
    caps = names.pieces_called(sight.pieces_seen(record, viewer, owner, stack))
    return f"{signs}:{caps}" if caps else signs


def _cell(record: Record, viewer: Viewer, square: int) -> Cell:
    """A square, and the stack on it: its side and number, its marks, and its pieces; ``?`` where
    they are hidden.
    """
    name = names.square_name(record.first, square)
    if record.board[square] == c.NONE:
        return Cell(".", name)
    owner, stack = divmod(record.board[square], c.STACKS)
    label = sight.label(record, owner, stack)
    hidden = ":?" * sight.caps_hidden(record, viewer, owner)
    pieces = sight.pieces_seen(record, viewer, owner, stack)
    kinds = [names.KIND_NAMES[kind] for kind, count in enumerate(pieces) for _ in range(count)]
    return Cell(
        f"{label}{_written(record, viewer, owner, stack)}{hidden}",
        name,
        tuple(Piece(each, owner) for each in (label, *kinds)),
        tuple(words for _, words in _marks(record, viewer, owner, stack)),
    )


def _board(record: Record, viewer: Viewer) -> Board:
    """The board as the viewer sees it, its home row below."""
    side, rows = 0 if viewer is None else viewer[0], range(c.SIDE - 1, -1, -1)
    return Board(
        [
            [_cell(record, viewer, sight.mirrored(side, c.SIDE * row + at)) for at in range(c.SIDE)]
            for row in rows
        ],
        list(names.FILES),
        [str(sight.rank_of(record, side, row)) for row in rows],
    )


def _off_board(record: Record, viewer: Viewer) -> Panel:
    """What the board does not say."""
    left = [
        f"{sight.side_name(record, owner)}{' (you)' * (owner == view.seat_of(viewer))} "
        f"{len(sight.standing(record, owner))}"
        for owner in (record.first, 1 - record.first)
    ]
    lines = [f"Stacks left: {', '.join(left)}", f"Store: {sight.counted(record.store)}"]
    if any(hand := sight.hand_seen(record, viewer)):
        lines.append(f"{view.sentence(hand_name(record))}: {sight.counted(hand)}")
    if record.last_from != c.NONE:
        ends = (names.square_name(record.first, end) for end in (record.last_from, record.last_to))
        lines.append(f"Last move: {' to '.join(ends)}")
    return Panel("", [Line(line) for line in lines])


def _stacks(record: Record, viewer: Viewer, owner: int) -> Panel:
    """A side's stacks in words."""
    hidden = ", what is on them is hidden" * sight.caps_hidden(record, viewer, owner)
    lines = []
    for stack in sight.standing(record, owner):
        pieces = sight.pieces_seen(record, viewer, owner, stack)
        on = f" with {sight.counted(pieces)}" if any(pieces) else ""
        marks = "".join(f", {words}" for _, words in _marks(record, viewer, owner, stack))
        lines.append(Line(f"{sight.stack_name(record, owner, stack)}{on}{marks}", rank=1))
    title = f"{view.sentence(sight.side_name(record, owner))}'s stacks{hidden}"
    return Panel(title, lines or [Line("none", rank=1)])


#: What wins.
GOAL: Final = "goal: capture every stack of the other side"


def page(record: Record, viewer: Viewer, mask: Mask) -> Page:
    """The table as the viewer knows it."""
    over = ending(record, viewer)
    turns = f"turn {_turn(record)} of {record.max_turns}"
    sides = record.first, 1 - record.first
    hidden = any(sight.caps_hidden(record, viewer, owner) for owner in sides)
    legend = [
        ("W, B", "white, black: 0 to 3 stand on drones, 4 to 6 on queens"),
        ("PDQ", "movement pawn, drone, queen"),
        ("pdq", "skill pawn, drone, queen"),
        *([("?", "hidden pieces")] if hidden else []),
        ("*", "thief"),
        *([("!", "exposed thief")] if record.steal_on_attack else []),
        ("^", "has raided"),
    ]
    return Page(
        "Stacktrices",
        [GOAL, "set-up" if sight.in_setup(record) else turns],
        "" if over else _task(record, viewer, mask),
        over,
        _board(record, viewer),
        [_off_board(record, viewer), *(_stacks(record, viewer, owner) for owner in sides)],
        legend,
        notation=[names.HEADING, *position(record, viewer)],
    )


# --- the position as text ------------------------------------------------------------------------


def position(record: Record, viewer: Viewer) -> list[str]:
    """The position in its notation, as far as the viewer knows it: see RULES.md."""
    lines = []
    for owner in (record.first, 1 - record.first):
        stacks = [
            "-"
            if square == c.NONE
            else names.square_name(record.first, square) + _written(record, viewer, owner, stack)
            for stack, square in enumerate(record.square[owner])
        ]
        drones, queens = " ".join(stacks[: c.DRONES]), " ".join(stacks[c.DRONES :])
        lines.append(f"{sight.side_name(record, owner)}: {drones} | {queens}")
    lines.append(f"store: {names.pieces_called(record.store) or '-'}")
    begun = "" if begins_turn(record) else f", {c.PHASES[record.phase]}"
    lines.append(f"turn: {record.turns + 1} {names.COLOURS[record.turns % 2]}{begun}")
    return [*lines, f"stalled: {record.stalled}"] if record.stalled else lines


def begins_turn(record: Record) -> bool:
    """Whether a turn is just beginning: only such positions can be set up."""
    skipped = record.phase == c.AFTER_MOVE and record.skipped
    return bool(record.phase == c.MOVE or skipped)


#: The two sides' stacks.
INKS: Final = ((r"\bW\d\S*", "yellow"), (r"\bB\d\S*", "cyan"))
