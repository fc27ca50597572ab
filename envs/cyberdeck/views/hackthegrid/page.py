"""HACKtheGRID for people: actions, what is to do, how a game ended, the table as a page; and what
has been done between two records, read off them: takes, and swaps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from typing import Any, Final, TypeAlias

from cyberdeck.engine.constants import FORFEIT, NOBODY, RUNNING
from cyberdeck.games.hackthegrid import constants as c
from cyberdeck.views import view
from cyberdeck.views.record import Record
from cyberdeck.views.texts import wrapped
from cyberdeck.views.view import Cell, Ending, Event, Line, Mask, Page, Panel, Viewer, seat_of
from cyberdeck.views.words import columns

# --- cards and hackers by name, and where they are -----------------------------------------------

HACKERS: Final = ("column", "row")


def colour_name(colour: int) -> str:
    return c.COLOURS[colour] if colour < len(c.COLOURS) else f"colour {colour}"


def card_name(record: Record, card: int) -> str:
    """A card in words."""
    return f"{c.KINDS[record.kind[card]]} ({colour_name(record.colour[card])})"


def cell(record: Record, seat: int, position: int) -> int:
    """The crossing of the two lines if *seat* stood at *position*."""
    column, row = record.avatar
    return int(c.SIDE * row + position if seat == 0 else c.SIDE * position + column)


def arrays(record: Record, hacker: int) -> list[tuple[int, int, int]]:
    """The stretches of neighbours of one colour in a Run: first place, length, colour."""
    cards = record.run[hacker][: record.length[hacker]]
    stretches, first = [], 0
    for colour, same in groupby([record.colour[card] for card in cards]):
        count = len(list(same))
        if count > 1:
            stretches.append((first, count, colour))
        first += count
    return stretches


# --- actions -------------------------------------------------------------------------------------


def action_name(record: Record, action: int, short: bool = False) -> str:
    """An action in words, or in a few letters."""
    seat = max(record.mover, 0)
    if 0 <= action < c.SWAPS:
        if short:
            return f"{'CR'[seat]}{action}"
        card = record.grid[cell(record, seat, action)]
        what = "no card is left there" if card == c.NONE else card_name(record, card)
        return f"go to {HACKERS[seat]} {action}: {what}"
    if action == c.DECLINE:
        return "decline" if short else "decline the swap"
    if not c.SWAPS <= action < c.DECLINE:
        return f"nothing (actions are 0 to {c.ACTIONS - 1})"
    own, theirs = divmod(action - c.SWAPS, c.RUN)
    if short:
        return f"S{own}-{theirs}"
    other = HACKERS[1 - seat]
    if own >= record.length[seat] or theirs >= record.length[1 - seat]:
        return f"swap own place {own} for {other}'s place {theirs}"
    given = card_name(record, record.run[seat][own])
    received = card_name(record, record.run[1 - seat][theirs])
    return f"swap own place {own}, {given}, for {other}'s place {theirs}, {received}"


def _task(record: Record, viewer: Viewer) -> str:
    """What the mover has to do."""
    mover = record.mover
    who = "your turn" if mover == seat_of(viewer) else f"{HACKERS[mover]} hacker's turn"
    if record.phase == c.SWAP:
        return f"{who}: swap a card with {HACKERS[1 - mover]}, or decline"
    return f"{who}: choose a {HACKERS[mover]} and take the card"


def ending(record: Record, viewer: Viewer) -> Ending | None:
    """How the game ended."""
    if record.reason == RUNNING:
        return None
    if record.reason == c.CARDS_REMAIN:
        stuck = (record.first + sum(record.length)) % 2
        line = f"{HACKERS[1 - stuck]} {record.avatar[1 - stuck]}"
        return Ending("Both lose", f"No card in {line} for the {HACKERS[stuck]} hacker", view.LOST)
    if record.reason == FORFEIT:
        lead = record.reward[0] - record.reward[1]
        loser = 0 if lead < 0 else 1
        why = f"The {HACKERS[loser]} hacker forfeited the game"
    else:
        lead = record.points[0] - record.points[1]
        high, low = sorted(record.points, reverse=True)
        why = f"The grid is empty: {high} to {low}"
    if lead == 0:
        return Ending("A draw", why, view.DRAWN)
    winner = 0 if lead > 0 else 1
    if seat_of(viewer) == winner:
        return Ending("You win", why, view.WON)
    if viewer is None:
        return Ending(f"The {HACKERS[winner]} hacker wins", why, view.WON)
    return Ending(f"You lose to the {HACKERS[winner]} hacker", why, view.LOST)


# --- the table -----------------------------------------------------------------------------------

_SHORT: Final = ("SCRAMBLE", "SPIKE", "FIREWALL", "LOOPBACK", "NODE", "PACKET")


def _named(record: Record, card: int) -> str:
    return f"{_SHORT[record.kind[card]]} {colour_name(record.colour[card])}"


def _board(record: Record) -> view.Board:
    """The grid; v and > show where the hackers stand."""
    column, row = record.avatar
    crossing = c.SIDE * row + column
    cells = [
        Cell(
            "-" if card == c.NONE else _named(record, card),
            f"column {at % c.SIDE}, row {at // c.SIDE}",
            () if card == c.NONE else (view.Piece(card_name(record, card)),),
            ("crossing",) if at == crossing else (),
        )
        for at, card in enumerate(record.grid)
    ]
    return view.Board(
        [cells[c.SIDE * at : c.SIDE * at + c.SIDE] for at in range(c.SIDE)],
        [f"{'v' if at == column else ' '} column {at}" for at in range(c.SIDE)],
        [f"{'>' if at == row else ' '} row {at}" for at in range(c.SIDE)],
    )


def _run(record: Record, hacker: int, viewer: Viewer) -> Panel:
    """A hacker's cards, four in a line if there is room."""
    you = " (you)" if hacker == seat_of(viewer) else ""
    inside = {
        place for first, count, _ in arrays(record, hacker) for place in range(first, first + count)
    }
    cards = [
        f"{place} {_named(record, card)}{'*' if place in inside else ''}"
        for place, card in enumerate(record.run[hacker][: record.length[hacker]])
    ]
    title = f"{HACKERS[hacker]} hacker's Run{you}, score {record.points[hacker]}"
    return Panel(view.sentence(title), [Line(line) for line in columns(cards, 4)])


def page(record: Record, viewer: Viewer, mask: Mask) -> Page:
    """The table: everything lies open; the seat decides who is *you*."""
    over = ending(record, viewer)
    side = 0 if viewer is None else viewer[0]
    phase = "swapping" if record.phase == c.SWAP else "taking"
    facts = ["over" if record.mover == NOBODY else phase]
    if not over and (due := record.takers[record.decided : record.taken]):
        facts.append(f"swaps to come: {', '.join(HACKERS[hacker] for hacker in due)}")
    return Page(
        "HACKtheGRID",
        facts,
        "" if over else _task(record, viewer),
        over,
        _board(record),
        [_run(record, hacker, viewer) for hacker in (1 - side, side)],
        [("*", "in an array")],
    )


#: Cards are shown in their colour.
INKS: Final = tuple(
    (rf"\b(?:{'|'.join(c.KINDS)}|SPIKE|NODE|PACKET) \(?{colour}\b\)?", colour)
    for colour in c.COLOURS
)


# --- the story -----------------------------------------------------------------------------------

Runs: TypeAlias = tuple[list[int], list[int]]


@dataclass(frozen=True, kw_only=True)
class Taken(Event):
    """A card went from a cell of the grid to a place of a hacker's Run."""

    card: int
    cell: int
    place: int


@dataclass(frozen=True, kw_only=True)
class Swapped(Event):
    """The cards at these places of the column hacker's and of the row hacker's Run were swapped;
    by NOBODY, if it cannot be told who did it.
    """

    places: tuple[int, int]


class Declined(Event):
    """A SCRAMBLE's swap was declined."""


_MOST_SWAPS: Final = 2  # between two records, for them to be told one by one


def story(before: Record, after: Record, viewer: Viewer, between: view.Between) -> list[Event]:
    """What has been done since *before*, in order; both are records of one game.

    Between two decisions of a seat the other one has one turn. What is farther apart is told as
    far as it can be.
    """
    mover, swapping = before.mover, before.phase == c.SWAP
    if mover == NOBODY or before.decisions == after.decisions:
        return []
    runs = _runs(before)
    takes = _takes(before, after, 1 - mover if swapping else mover, runs, viewer)
    deciders = _deciders(before, after, takes, runs)
    now = _runs(after)
    swaps = _swaps(runs, now)
    owners = [NOBODY] * len(swaps)
    # Two swaps of four cards may have come in either order.
    ordered = len(swaps) == 1 or any(len(set(places)) == 1 for places in zip(*swaps, strict=True))
    alone = len(set(deciders)) == 1 and len(swaps) < len(deciders)
    if alone or (len(swaps) == len(deciders) and (ordered or len(set(deciders)) == 1)):
        owners = deciders[: len(swaps)]
    done: list[Event] = [
        _swapped(owner, places, viewer) for owner, places in zip(owners, swaps, strict=True)
    ]
    if runs == now and len(deciders) == 1:
        words = f"{_who(deciders[0], viewer)} declined the swap"
        done = [Declined(seat=deciders[0], words=words)]
    # Who was to swap did that first; whatever else was swapped came last.
    first = int(swapping and bool(done) and done[0].seat == mover)
    return [*done[:first], *takes, *done[first:]]


def _who(hacker: int, viewer: Viewer) -> str:
    return "you" if hacker == seat_of(viewer) else HACKERS[hacker]


def _swapped(hacker: int, places: tuple[int, int], viewer: Viewer) -> Swapped:
    whose = ["your" if at == seat_of(viewer) else f"{name}'s" for at, name in enumerate(HACKERS)]
    if hacker == NOBODY:
        swapped = (f"{each} place {at}" for each, at in zip(whose, places, strict=True))
        words = f"{' and '.join(swapped)} were swapped"
    else:
        given, got = places[hacker], places[1 - hacker]
        words = f"{_who(hacker, viewer)} swapped place {given} for {whose[1 - hacker]} {got}"
    return Swapped(seat=hacker, places=places, words=words)


def _runs(record: Record) -> Runs:
    column, row = ([card for card in run if card != c.NONE] for run in record.run)
    return column, row


def _takes(old: Record, new: Record, taker: int, runs: Runs, viewer: Viewer) -> list[Taken]:
    """The cards taken in turns from *taker* on, laid at the ends of the *runs*."""
    cells = [at for at, card in enumerate(old.grid) if card != c.NONE and new.grid[at] == c.NONE]
    column, row = ((new if at == taker else old).avatar[at] for at in range(2))
    # The first one was taken before the other hacker had moved.
    cells.sort(key=lambda cell: cell != c.SIDE * row + column)
    takes = []
    for cell in cells:
        card, place = old.grid[cell], len(runs[taker])
        words = f"{_who(taker, viewer)} took {card_name(old, card)}"
        takes.append(Taken(seat=taker, card=card, cell=cell, place=place, words=words))
        runs[taker].append(card)
        taker = 1 - taker
    return takes


def _deciders(old: Record, new: Record, takes: Sequence[Taken], runs: Runs) -> list[int]:
    """Who has decided about a swap since then, in order."""
    if new.scramble == c.AT_END:
        return list(new.takers[old.decided : new.decided])
    first = [old.mover] if old.phase == c.SWAP else []
    later, lengths = [], list(old.length)
    for take in takes:
        had = {new.kind[other] for other in runs[take.seat][: take.place]}
        if new.kind[take.card] == c.SCRAMBLE and lengths[1 - take.seat] and had - {c.SCRAMBLE}:
            later.append(take.seat)
        lengths[take.seat] += 1
    # The last one has yet to decide, if a swap is to be decided now.
    return first + (later[:-1] if new.phase == c.SWAP else later)


def _swaps(runs: Runs, now: Runs) -> list[tuple[int, int]]:
    """The swaps, in order, that make one of the other, if they are few."""
    column, row = (
        [place for place, card in enumerate(run) if now[hacker][place] != card]
        for hacker, run in enumerate(runs)
    )
    for count in range(1, _MOST_SWAPS + 1):
        for tried in product(product(column, row), repeat=count):
            left, right = list(runs[0]), list(runs[1])
            for at_left, at_right in tried:
                left[at_left], right[at_right] = right[at_right], left[at_left]
            if (left, right) == now:
                return list(tried)
    return []


# --- the rules in short --------------------------------------------------------------------------


def facts(options: Mapping[str, Any]) -> dict[str, Any]:
    """What the text of the rules may name: also what each kind of the deck is worth, and how many
    there are in which colours.
    """
    kinds = Counter(kind for kind, _ in options["deck"])
    worth = [f"{'':>14}{'one':>7}{'two':>9}{'three+':>9}   in the deck"]
    for kind, (_, one, two, more) in zip(c.KINDS, c.VALUES, strict=True):
        if kind in kinds:
            colours = Counter(colour for other, colour in options["deck"] if other == kind)
            named = ", ".join(
                f"{count} {colour_name(colour)}" if count > 1 else colour_name(colour)
                for colour, count in sorted(colours.items())
            )
            points = f"{one:>7}{two:>4} each{more:>4} each"
            worth.append(wrapped(f"  {kind:<12}{points}   {kinds[kind]}: {named}", 42))
    scrambles = c.KINDS[c.SCRAMBLE] in kinds
    return {"side": c.SIDE, "array": c.ARRAY, "scrambles": scrambles, "worth": "\n".join(worth)}
