"""Stacktrices' sides and stacks by name, and what a viewer knows of them."""

from __future__ import annotations

from collections.abc import Sequence

from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.names import COLOURS, square_name
from cyberdeck.views.record import Record
from cyberdeck.views.view import Viewer

# --- names ---------------------------------------------------------------------------------------


def colour_of(record: Record, seat: int) -> int:
    """0 for the seat that plays white, 1 for black."""
    return 0 if record.first == seat else 1


def side_name(record: Record, seat: int) -> str:
    """A player by its colour."""
    return COLOURS[colour_of(record, seat)]


def label(record: Record, seat: int, stack: int) -> str:
    """W0, ..., B6: both sides number their stacks alike."""
    return f"{side_name(record, seat)[0].upper()}{stack}"


def captured_label(record: Record) -> str:
    """The stack that has been captured in this turn: it was the other side's."""
    other = 1 - record.turns % 2
    return label(record, record.first if other == 0 else 1 - record.first, record.captured)


def stack_name(record: Record, seat: int, stack: int) -> str:
    """A stack in words."""
    square = record.square[seat][stack]
    base = "drone" if stack < c.DRONES else "queen"
    where = "captured" if square == c.NONE else square_name(record.first, square)
    return f"{label(record, seat, stack)} ({base}, {where})"


def rank_of(record: Record, seat: int, row: int) -> int:
    """The number of the seat's row: rank 1 is white's home row."""
    return row + 1 if colour_of(record, seat) == 0 else c.SIDE - row


def mirrored(seat: int, square: int) -> int:
    """A square as *seat* sees it, and back: for seat 1 the ranks are mirrored, the files kept."""
    rank, file = divmod(square, c.SIDE)
    return square if seat == 0 else c.SIDE * (c.SIDE - 1 - rank) + file


def straight(record: Record, start: int, end: int) -> bool:
    """Whether two squares are on a line, and nothing stands between them."""
    (rank, file), (end_rank, end_file) = divmod(start, c.SIDE), divmod(end, c.SIDE)
    up, right = abs(end_rank - rank), abs(end_file - file)
    if up and right and up != right:
        return False
    step = (end - start) // max(up, right)
    return all(record.board[start + step * at_] == c.NONE for at_ in range(1, max(up, right)))


def counted(pieces: Sequence[int]) -> str:
    """Pieces of each kind in words: "movement 2 pawns, skill drone, queen"."""
    words, sorts = [], {"movement": pieces[: c.SKILL], "skill": pieces[c.SKILL :]}
    for sort, counts in sorts.items():
        several = zip(("pawn", "drone", "queen"), counts, strict=True)
        those = [f"{count} {size}s" if count > 1 else size for size, count in several if count]
        words += [f"{sort} {', '.join(those)}"] if those else []
    return ", ".join(words) or "nothing"


# --- what a viewer knows -------------------------------------------------------------------------


def standing(record: Record, owner: int) -> list[int]:
    """The stacks that a side has left."""
    return [stack for stack, square in enumerate(record.square[owner]) if square != c.NONE]


def in_setup(record: Record) -> bool:
    """Each side's thief and pieces are hidden until both have set up."""
    return record.phase in (c.HIDE, c.CAP)


def known_thief(record: Record, owner: int) -> int:
    """The drone that everybody knows to be *owner*'s thief, or NONE: it is exposed, in the middle
    of its raid, or the only drone.
    """
    raiding = record.mover == owner and record.phase in (c.RAID, c.PLACE_RAIDED, c.HIDE_RAIDER)
    alone = sum(stack < c.DRONES for stack in standing(record, owner)) == 1
    known = record.exposed[owner] or raiding or alone
    return int(record.thief[owner]) if known and not in_setup(record) else c.NONE


def thief_seen(record: Record, viewer: Viewer, owner: int) -> int:
    """The drone that the viewer knows to be the owner's thief, or NONE."""
    told = viewer is None or owner in viewer
    return int(record.thief[owner]) if told else known_thief(record, owner)


def caps_hidden(record: Record, viewer: Viewer, owner: int) -> bool:
    """Whether a side's pieces are kept from the viewer. A spectator is shown what is in the record,
    and that is nothing if it is public.
    """
    if viewer is None:
        given = any(map(any, record.pieces[owner])) or any(record.hand[owner])
        return in_setup(record) and not given
    return owner not in viewer and in_setup(record)


def pieces_seen(record: Record, viewer: Viewer, owner: int, stack: int) -> list[int]:
    """How many pieces of each kind the viewer sees on a stack: none while they are hidden."""
    hidden = caps_hidden(record, viewer, owner)
    return [0] * c.KINDS if hidden else list(record.pieces[owner][stack])


def loot(record: Record) -> list[int]:
    """The pieces of the captured stack that one is being stolen from, as far as they are still
    there. The record has them in the store, where the others will stay.
    """
    stealing = record.phase == c.STEAL
    return [min(pair) * stealing for pair in zip(record.loot, record.store, strict=True)]


def store_seen(record: Record) -> list[int]:
    """The pieces in the store: those of a captured stack come there when the steal is over."""
    return [all_ - kept for all_, kept in zip(record.store, loot(record), strict=True)]


def hand_seen(record: Record, viewer: Viewer) -> list[int]:
    """The pieces that lie open off the board: in the set-up the viewer's own, in a steal those of
    the captured stack.
    """
    hands = [*record.hand, loot(record)]
    if in_setup(record) and viewer is not None:
        hands = [hands[record.mover if record.mover in viewer else viewer[0]]]
    return [sum(counts) for counts in zip(*hands, strict=True)]


def pips_of(pieces: Sequence[int]) -> int:
    """What the pieces given or taken in a trade are worth."""
    return sum(c.PIPS[piece % c.KINDS] for piece in pieces if piece != c.NONE)
