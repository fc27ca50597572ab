"""Stacktrices for people: actions, what is to do, how a game ended, and the table as a page."""

from __future__ import annotations

from collections.abc import Sequence
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


def action_name(record: Record, action: int, short: bool = False) -> str:
    """An action in words, or in a few letters."""
    most = c.CLAIM[record.stacked_movement]
    most += c.EXPOSE if record.steal_on_attack else c.CALL_OFF
    if not 0 <= action <= most:
        return f"nothing (actions are 0 to {most})"
    sort, owner, number, what = act_of(record, action)
    if sort == OTHER:
        said = ("claim a raid", "end the turn", "call the trade off", "expose the thief")
        return (("raid", "end", "call off", "expose") if short else said)[what]
    stack = (sight.label if short else sight.stack_name)(record, owner, number)
    if sort == MOVE:
        square = names.square_name(record.first, what)
        return f"{stack}-{square}" if short else f"move {stack} to {square}"
    if sort == HIDE:
        return f"hide {stack}" if short else f"hide the thief under {stack}"
    kind = names.KIND_CODES[what] if short else names.KIND_NAMES[what]
    if sort == PUT:
        return f"put {'' if short else 'a '}{kind} on {stack}"
    if owner == max(record.mover, 0):
        verb = "raise" if record.phase == c.RAID else "give"
    else:
        verb = "steal" if record.phase == c.STEAL else "take"
    there = _heap(record, owner, number)[what]
    name = kind if short else f"the {kind}" if there else "the piece that is not there"
    return f"{verb} {name} of {stack}"


# --- what is to be decided, and how it ended -----------------------------------------------------

_DOING: Final = {
    c.HIDE: "hide the thief under a drone",
    c.CAP: "put a piece on a stack",
    c.MOVE: "move a stack; a thief to the far row may raid",
    c.HIDE_AGAIN: "the thief is captured: hide it anew",
    c.HIDE_RAIDER: "hide the thief again",
}


def _task(record: Record, viewer: Viewer, mask: Mask) -> str:
    """Who decides, and what."""
    mover, phase = record.mover, record.phase
    who = "you" if mover == view.seat_of(viewer) else sight.side_name(record, mover)
    doing = _DOING.get(phase, c.PHASES[phase])
    if phase == c.AFTER_MOVE:
        doing = "no move is legal: trade or end"
        if not record.skipped:
            claim = c.CLAIM[record.stacked_movement]
            claims = {"raid": claim, "expose the thief": claim + c.EXPOSE}
            may = [
                name for name, at in claims.items() if mask is not None and any(mask[at : at + 1])
            ]
            doing = ", ".join([*may, "give 1 to 3 pieces for 1 pip less in all", "or end"])
    elif phase == c.STEAL:
        doing = f"steal a piece of captured {sight.captured_label(record)}"
    elif phase == c.RAID and mask is not None:
        raises = any(mask[c.OWN_PICKS : c.THEIR_PICKS[record.stacked_movement]])
        doing = "put a piece of the store on a stack, or take one of the other side's"
        doing += ", or raise one" * raises
    elif phase == c.TRADE and mask is not None:
        doing = _trading(record, mask)
    return f"{who}: {doing}"


def _trading(record: Record, mask: Sequence[int]) -> str:
    """Giving, taking, or that only calling off is left."""
    claim = c.CLAIM[record.stacked_movement]
    gives, takes = any(mask[c.OWN_PICKS : claim]), any(mask[c.PUTS : c.OWN_PICKS])
    worth = sight.pips_of(record.given) - c.TRADE_FEE
    taken = sight.pips_of(record.taken)
    rest = worth - taken
    pips = f"{rest} pip{'' if rest == 1 else 's'}"
    if takes and not _in_store(record, rest):
        lacking = f"no pieces of the store make up {pips}, whatever is put first"
        return f"{lacking}: {'give another piece, or ' * gives}call off"
    if gives and takes:
        return f"give another piece, or take {pips}"
    if gives:
        why = f"nothing for {pips} fits" if rest else "1 pip buys nothing"
        return f"give another piece: {why}"
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
    why = f"nothing for {pips}{' more' * bool(taken)} fits" if rest else "1 pip buys nothing"
    return f"{why}: call off"


def _in_store(record: Record, pips: int) -> bool:
    """Whether so many pips lie there in as many pieces as may still be taken."""
    left = sum(piece == c.NONE for piece in record.taken)
    stored = zip(c.PIPS, record.store, strict=True)
    sizes = [size for size, count in stored for _ in range(min(count, left))]
    return any(sum(some) == pips for n in range(left + 1) for some in combinations(sizes, n))


def hand_name(record: Record) -> str:
    """What the pieces in hand are there for."""
    if sight.in_setup(record):
        return "to place"
    if record.phase == c.TRADE and record.reason in (RUNNING, FORFEIT):
        return "given"
    if record.phase == c.STEAL:
        return f"on captured {sight.captured_label(record)}"
    return {c.PLACE_STOLEN: "stolen", c.PLACE_RAIDED: "raided"}.get(record.phase, "in hand")


def ending(record: Record, viewer: Viewer) -> Ending | None:
    """How the game ended."""
    if record.reason == RUNNING:
        return None
    if record.reason in (c.STALLED, c.MAX_TURNS):
        late, stuck = f"No winner after {record.turns} turns", "Neither side could move or trade"
        return Ending("A draw", stuck if record.reason == c.STALLED else late, view.DRAWN)
    forfeited = record.reason == FORFEIT
    lost = record.reward[0] < record.reward[1] if forfeited else not sight.standing(record, 0)
    winner = 1 if lost else 0
    loser = view.sentence(sight.side_name(record, 1 - winner))
    why = f"{loser} forfeited the game" if forfeited else f"{loser}'s last stack is captured"
    if viewer is None:
        headline = f"{view.sentence(sight.side_name(record, winner))} wins"
        return Ending(headline, why, view.WON)
    won = view.seat_of(viewer) == winner
    return Ending("You win" if won else "You lose", why, view.WON if won else view.LOST)


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
    if stack < c.DRONES and record.raided[owner][stack]:
        marks.append(("^", "has raided"))
    return marks


def _written(record: Record, viewer: Viewer, owner: int, stack: int) -> str:
    """A stack's marks, and its pieces as letters."""
    signs = "".join(sign for sign, _ in _marks(record, viewer, owner, stack))
    caps = names.pieces_called(sight.pieces_seen(record, viewer, owner, stack))
    return f"{signs}:{caps}" if caps else signs


def _board(record: Record, viewer: Viewer) -> Board:
    """The board as the viewer sees it, its home row below: of a stack its side and number, its
    marks, and its pieces; ``?`` where they are hidden.
    """
    side, rows, cells = 0 if viewer is None else viewer[0], range(c.SIDE - 1, -1, -1), []
    for square in (sight.mirrored(side, c.SIDE * row + at) for row in rows for at in range(c.SIDE)):
        name = names.square_name(record.first, square)
        if record.board[square] == c.NONE:
            cells.append(Cell(".", name))
            continue
        owner, stack = divmod(record.board[square], c.STACKS)
        label = sight.label(record, owner, stack)
        pieces = sight.pieces_seen(record, viewer, owner, stack)
        kinds = [names.KIND_NAMES[kind] for kind, count in enumerate(pieces) for _ in range(count)]
        lying = tuple(Piece(each, owner) for each in (label, *kinds))
        marks = tuple(words for _, words in _marks(record, viewer, owner, stack))
        hidden = ":?" * sight.caps_hidden(record, viewer, owner)
        text = f"{label}{_written(record, viewer, owner, stack)}{hidden}"
        cells.append(Cell(text, name, lying, marks))
    return Board(
        [cells[first : first + c.SIDE] for first in range(0, c.SQUARES, c.SIDE)],
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
    lines = [f"Stacks left: {', '.join(left)}", f"Store: {sight.counted(sight.store_seen(record))}"]
    if any(hand := sight.hand_seen(record, viewer)):
        lines.append(f"{view.sentence(hand_name(record))}: {sight.counted(hand)}")
    if record.phase == c.AFTER_MOVE and any(record.loot):
        had = f"Unprotected on captured {sight.captured_label(record)}"
        lines.append(f"{had}: {sight.counted(record.loot)}")
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
        stacks = ["-"] * c.STACKS
        for stack in sight.standing(record, owner):
            square = names.square_name(record.first, record.square[owner][stack])
            stacks[stack] = square + _written(record, viewer, owner, stack)
        drones, queens = " ".join(stacks[: c.DRONES]), " ".join(stacks[c.DRONES :])
        lines.append(f"{sight.side_name(record, owner)}: {drones} | {queens}")
    lines.append(f"store: {names.pieces_called(sight.store_seen(record)) or '-'}")
    begun = "" if begins_turn(record) else f", {c.PHASES[record.phase]}"
    lines.append(f"turn: {record.turns + 1} {names.COLOURS[record.turns % 2]}{begun}")
    return [*lines, f"stalled: {record.stalled}"] if record.stalled else lines


def begins_turn(record: Record) -> bool:
    """Whether a turn is just beginning: only such positions can be set up."""
    skipped = record.phase == c.AFTER_MOVE and record.skipped
    return bool(record.phase == c.MOVE or skipped)


#: The two sides' stacks.
INKS: Final = ((r"\bW\d\S*", "yellow"), (r"\bB\d\S*", "cyan"))
