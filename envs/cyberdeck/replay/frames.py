"""A game as who looks on may see it: its decisions, what they brought about, and pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final, NamedTuple, TypeAlias

from numpy.typing import NDArray

from cyberdeck import showing
from cyberdeck.engine.constants import RESIGNS
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.phases import phases_between
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.roles import hidden_from, hides_decision
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.views import notation, view
from cyberdeck.views.view import Viewer
from cyberdeck.views.words import HIDDEN, Happening, consequences


class Position(NamedTuple):
    """A decision, numbered from 1, and the record that it was made in.

    The last position is the end of the game: its mover is -1 and its action is None.
    """

    number: int
    mover: int
    action: int | None
    words: str
    record: NDArray[Any]


class Move(NamedTuple):
    """A decision as who looks on may know it."""

    number: int
    mover: int
    words: str
    turn: str = ""
    """The turn in which it was made, by its name, where a turn has several decisions."""
    secret: bool = False
    """Whether somebody did not see it then."""
    notation: str = ""
    """The same in short; nothing, if it is hidden."""

    @property
    def short(self) -> str:
        """The notation, where it does not say the same as the words."""
        return notation.short(self.notation, self.words)


class Event(NamedTuple):
    """What a decision has brought about."""

    number: int
    turn: str
    what: Happening

    @property
    def words(self) -> str:
        """In words; of a phase, with its number."""
        return self.what.line

    @property
    def sentence(self) -> str:
        """The same where no heading says the turn."""
        return f"{self.turn}, {self.words}" if self.what.phase else self.words


Item: TypeAlias = Move | Event


class Judged(NamedTuple):
    """A decision that left a choice, and what it gave away: in rewards of the game's outcome."""

    decision: int
    """Its number, from 1."""
    seat: int
    action: int
    move: str
    """The action in notation."""
    best: int
    """The best action; the one that was taken, if none is better."""
    best_move: str
    lost: float
    """How much more the best one brings, on average."""
    noise: float
    """The standard error of that. 0 where it is exact, or a search takes the same action."""
    by: str
    """Who says so: "exact" or "search", with its settings."""

    @property
    def kind(self) -> str:
        """Exact, or by search."""
        return self.by.partition(":")[0]

    @property
    def told(self) -> str:
        """What was given away, and plus or minus what."""
        return with_noise(self.lost, self.noise)


def with_noise(lost: float, noise: float) -> str:
    """A number, and plus or minus what.

    >>> with_noise(0.5, 0.0), with_noise(0.25, 0.031)
    ('0.50', '0.25 ± 0.03')
    """
    return f"{round(lost, 2) + 0.0:.2f}" + (f" ± {noise:.2f}" if noise else "")


@dataclass(frozen=True)
class Frame:
    """A picture of the game after so many decisions."""

    svg: str
    caption: str
    decision: int
    """How many decisions have been made."""
    mover: int
    """The seat that made the last of them; -1 before the first."""
    story: tuple[Item, ...] = ()
    """The decisions since the picture before, and what they brought about. Several decisions, if
    they changed nothing that is to be seen: what is decided in secret stands with the picture that
    it led to. None, if it is a phase of what they brought about."""
    narrow: str = ""
    """The same picture for a phone held upright, where it was asked for."""

    @property
    def moves(self) -> tuple[Move, ...]:
        """The decisions since the picture before."""
        return tuple(item for item in self.story if isinstance(item, Move))


# --- who looks on --------------------------------------------------------------------------------

#: What ``seat`` may be besides the names of seats and teams.
SPECTATOR, ALL = "spectator", "all"


class Onlooker(NamedTuple):
    """From which side the pictures are drawn, None being a spectator's; whose secrets are shown."""

    name: str
    seat: int | None
    knows: tuple[int, ...] | None
    """Seats; None: everybody's."""

    def knows_of(self, seat: int) -> bool:
        """Whether all that a seat knows is known."""
        return self.knows is None or seat in self.knows

    def hides(self, variant: Variant, position: Position) -> bool:
        """Whether the decision of that position is hidden."""
        game, record = variant.game, position.record
        if self.knows is None or self.knows_of(position.mover) or position.action == RESIGNS:
            return False
        if not self.knows:
            return bool(hidden_from(game, record))
        return all(hides_decision(game, record, seat) for seat in self.knows)

    @property
    def viewer(self) -> Viewer:
        """Who looks, the one whose side it is first."""
        if self.seat is None:
            return None
        return (self.seat, *(seat for seat in self.knows or () if seat != self.seat))

    def record(self, variant: Variant, record: NDArray[Any]) -> NDArray[Any]:
        """The record to draw: who knows everything sees the whole table."""
        return record if self.knows is None else showing.shown_to(variant, record, self.viewer)


def onlookers(variant: Variant, seat: int | str | None, names: Sequence[str]) -> list[Onlooker]:
    """What *seat* asks for: one view, or several to choose from; the seats are called *names*."""
    game, agents = variant.game, variant.agents
    public = showing.has_spectators(variant)
    everything = Onlooker("everything", None, None)
    spectator = [Onlooker(SPECTATOR, None, ())] if public else []
    each = [Onlooker(name, at, (at,)) for at, name in enumerate(names)]
    if seat is None:
        return [everything]
    if seat == ALL:
        return [everything, *spectator, *each] if variant.seats > 1 else [everything]
    if seat == SPECTATOR and spectator:
        return spectator
    if isinstance(seat, str) and seat in variant.teams:
        of = [at for at, side in enumerate(variant.sides) if side == variant.teams.index(seat)]
        return [Onlooker(names[at], at, tuple(of)) for at in of]
    for known in (agents, names):
        if seat in known:
            return [each[known.index(str(seat))]]
    if is_whole(seat) and 0 <= int(seat) < variant.seats:
        return [each[int(seat)]]
    named = [f"{at} ({name})" for at, name in enumerate(agents)]
    named += [*variant.teams, *(view.name for view in spectator), ALL]
    raise OptionError(f"seat={seat!r} is not a seat of {game.title}: choose {', '.join(named)}")


# --- in words ------------------------------------------------------------------------------------


def story(variant: Variant, positions: Iterable[Position], onlooker: Onlooker) -> Iterator[Item]:
    """Every decision and what it brought about, in order."""
    before: Position | None = None
    for position in positions:
        if before is not None:
            move = _move(variant, before, onlooker)
            yield move
            yield from _events(variant, onlooker, move, before, position)
        before = position


def _move(variant: Variant, position: Position, onlooker: Onlooker) -> Move:
    hidden = onlooker.hides(variant, position)
    known = {} if hidden else showing.notations(variant, position.record)
    return Move(
        position.number,
        position.mover,
        HIDDEN if hidden else position.words,
        showing.turn(variant, position.record),
        bool(hidden_from(variant.game, position.record)),
        "" if position.action is None else known.get(position.action, ""),
    )


def _events(
    variant: Variant, onlooker: Onlooker, move: Move, before: Position, after: Position
) -> list[Event]:
    """What a decision brought about and does not say itself."""
    old, new = (onlooker.record(variant, each.record) for each in (before, after))
    found = consequences(showing.story(variant, old, new, onlooker.viewer))
    return [Event(move.number, move.turn, each) for each in found]


def together(items: Iterable[Item]) -> list[list[Move] | Event]:
    """The decisions of a seat in a turn, put together where nothing happened in between.

    What seats decide in secret has no order, and so what others decide does not part it.
    """
    rows: list[list[Move] | Event] = []
    for item in items:
        if isinstance(item, Event):
            rows.append(item)
            continue
        for row in reversed(rows):
            if isinstance(row, Event) or not item.turn or row[0].turn != item.turn:
                rows.append([item])
                break
            if row[0].mover == item.mover:
                row.append(item)
                break
            if not (item.secret and row[-1].secret):
                rows.append([item])
                break
        else:
            rows.append([item])
    return rows


def doer(move: Move, names: Sequence[str]) -> str:
    """Who has made a decision, and whether it was a secret then that is shown now."""
    secretly = ", in secret" if move.secret and move.words != HIDDEN else ""
    return f"{names[move.mover]}{secretly}"


def listed(words: Iterable[str]) -> str:
    """Decisions one after the other; the same several times is said once."""
    counted = [(each, len(list(same))) for each, same in groupby(words)]
    return ", ".join(each if count == 1 else f"{each} ×{count}" for each, count in counted)


#: What is told of a game before its first decision.
_BEGINS: Final = (view.Event(words="the game begins"),)


def _decided(items: Iterable[Item], names: Sequence[str]) -> list[view.Event]:
    """Decisions for pictures of games that tell no story of their own."""
    moves = [each for each in items if isinstance(each, Move)]
    who = [f"{names[each.mover]}: " if len(names) > 1 else "" for each in moves]
    return [view.Event(words=by + each.words) for by, each in zip(who, moves, strict=True)]


# --- pictures ------------------------------------------------------------------------------------


@dataclass
class _Picture:
    """A frame that decisions may still join, as long as they change nothing in it."""

    svg: str
    narrow: str
    unmarked: str
    record: NDArray[Any]
    opening: str
    decision: int
    mover: int
    story: list[Item] = field(default_factory=list)
    ending: str = ""

    def join(self, move: Move) -> None:
        self.story.append(move)
        self.decision, self.mover = move.number, move.mover

    def finished(self, names: Sequence[str]) -> Frame:
        parts = []
        for row in together(self.story):
            if isinstance(row, Event):
                parts.append(row.sentence)
            else:
                who = f"{doer(row[0], names)}: " if len(names) > 1 else ""
                parts.append(f"{row[0].number}. {who}{listed(move.words for move in row)}")
        caption = ": ".join(filter(None, (self.opening, "; ".join(parts))))
        caption = ". ".join(filter(None, (caption, self.ending)))
        caption = caption[:1].upper() + caption[1:]
        items = tuple(self.story)
        return Frame(self.svg, caption, self.decision, self.mover, items, self.narrow)


def frames(
    variant: Variant,
    positions: Iterable[Position],
    onlooker: Onlooker,
    names: Sequence[str],
    every_phase: bool,
    narrow: bool = False,
) -> Iterator[Frame]:
    """The game as pictures, the first one from before the first decision; also *narrow* ones."""

    def drawn(
        record: NDArray[Any],
        before: NDArray[Any] | None = None,
        narrow: bool = False,
        items: Sequence[Item] = (),
    ) -> str:
        shown = variant, record, onlooker.viewer, None, before
        told = _BEGINS if before is None else _decided(items, names)
        return showing.picture(*shown, narrow=narrow, turn=past.turn, decided=told)

    def narrowly(
        record: NDArray[Any], before: NDArray[Any] | None = None, items: Sequence[Item] = ()
    ) -> str:
        return drawn(record, before, True, items) if narrow else ""

    past = showing.Past()
    shown: _Picture | None = None
    unseen: list[Item] = []  # decided in secret since: no picture has changed yet
    before: Position | None = None
    for position in positions:
        record = onlooker.record(variant, position.record)
        if shown is None or before is None:
            first = drawn(record)
            small = narrowly(record)
            shown = _Picture(first, small, first, record, "The game begins", 0, NOBODY)
            before = position
            continue
        old = onlooker.record(variant, before.record)
        past.went_on(variant, old, record)
        move = _move(variant, before, onlooker)
        events = _events(variant, onlooker, move, before, position)
        pictures: list[tuple[NDArray[Any], str, list[Item]]] = []
        items: list[Item] = [move, *events]
        opening = ""
        if every_phase and any(event.what.phase for event in events):
            if move.secret:  # it was made before they began
                shown.story += unseen
                shown.join(move)
                items.remove(move)
                unseen = []
            for at, phase in enumerate(phases_between(variant.game, old, record), start=1):
                here: list[Item] = [event for event in events if event.what.phase == at]
                pictures.append((phase, "" if here else f"Phase {at}", here))
            items = [item for item in items if isinstance(item, Move) or not item.what.phase]
            opening = "" if position.mover == NOBODY else showing.turn(variant, position.record)
        for after, heading, these in [*pictures, (record, opening, items)]:
            unmarked = drawn(after)
            if unmarked == shown.unmarked and move.secret and position.mover != NOBODY:
                unseen += these
                continue
            these, unseen = unseen + these, []
            if unmarked == shown.unmarked:
                shown.story += these
            else:
                yield shown.finished(names)
                marked = drawn(after, shown.record, items=these)
                small = narrowly(after, shown.record, these)
                shown = _Picture(
                    marked, small, unmarked, after, heading, move.number, move.mover, these
                )
            shown.decision, shown.mover = move.number, move.mover
        if position.mover == NOBODY:
            ended = showing.ending(variant, position.record, onlooker.viewer)
            shown.ending = f"Over: {ended.words}"
        before = position
    if shown is not None:
        yield shown.finished(names)
