"""A game as who looks on may see it: its decisions, what they brought about, and pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final, NamedTuple, TypeAlias

from numpy.typing import NDArray

from cyberdeck import showing
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.play.narrator import EVERYTHING, SPECTATOR, Decision, Onlooker, seated
from cyberdeck.views import notation
from cyberdeck.views.record import Record
from cyberdeck.views.scene import Scene
from cyberdeck.views.view import Event, View
from cyberdeck.views.words import HIDDEN, Happening


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


class Consequence(NamedTuple):
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


Item: TypeAlias = Move | Consequence


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

#: What ``seat`` may be besides the names of seats, of teams and of a spectator: everybody's view.
ALL: Final = "all"


def onlookers(variant: Variant, seat: int | str | None, names: Sequence[str]) -> list[Onlooker]:
    """What *seat* asks for: one view, or several to choose from; the seats are called *names*."""
    game, agents = variant.game, variant.agents
    public = showing.has_spectators(variant)
    spectator = [SPECTATOR] if public else []
    each = [seated(at)._replace(name=name) for at, name in enumerate(names)]
    if seat is None:
        return [EVERYTHING]
    if seat == ALL:
        return [EVERYTHING, *spectator, *each] if variant.seats > 1 else [EVERYTHING]
    if seat == SPECTATOR.name and spectator:
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
    named += [*variant.teams, *(each.name for each in spectator), ALL]
    raise OptionError(f"seat={seat!r} is not a seat of {game.title}: choose {', '.join(named)}")


# --- in words ------------------------------------------------------------------------------------


def story(log: Iterable[Decision], onlooker: Onlooker) -> Iterator[Item]:
    """Every decision and what it brought about, in order."""
    for number, decision in enumerate(log, start=1):
        move, consequences = _tell(number, decision, onlooker)
        yield move
        yield from consequences


def _tell(number: int, decision: Decision, onlooker: Onlooker) -> tuple[Move, list[Consequence]]:
    """A decision, and what it brought about."""
    words, turn, secret = decision.words_for(onlooker), decision.turn, bool(decision.hidden_from)
    written = "" if decision.is_hidden(onlooker) else decision.notation
    move = Move(number, decision.mover, words, turn, secret, written)
    return move, [Consequence(number, turn, each) for each in decision.consequences(onlooker)]


def together(items: Iterable[Item]) -> list[list[Move] | Consequence]:
    """The decisions of a seat in a turn, put together where nothing happened in between.

    What seats decide in secret has no order, and so what others decide does not part it.
    """
    rows: list[list[Move] | Consequence] = []
    for item in items:
        if isinstance(item, Consequence):
            rows.append(item)
            continue
        for row in reversed(rows):
            if isinstance(row, Consequence) or not item.turn or row[0].turn != item.turn:
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


# --- pictures ------------------------------------------------------------------------------------


@dataclass
class _Picture:
    """A frame that decisions may still join, as long as they change nothing in it."""

    record: Record
    svg: str
    narrow: str
    unmarked: str
    """The same picture with nothing marked that has changed."""
    opening: str
    decision: int
    mover: int
    story: list[Item] = field(default_factory=list)
    ending: str = ""

    def finish(self, names: Sequence[str]) -> Frame:
        """The frame, which no decision joins any more."""
        parts = []
        for row in together(self.story):
            if isinstance(row, Consequence):
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
    view: View,
    log: Iterable[Decision],
    onlooker: Onlooker,
    names: Sequence[str],
    every_phase: bool,
    narrow: bool = False,
) -> Iterator[Frame]:
    """A game as pictures, the first one from before the first decision; also *narrow* ones."""
    # A record of the last turn that was carried out in phases, from before that.
    last_turn: Record | None = None
    # What was decided in secret since the picture: it has changed nothing in it yet.
    unseen: list[Item] = []

    def draw(
        record: Record, before: Record | None, items: Sequence[Item], small: bool = False
    ) -> str:
        # For games that tell no story of their own.
        by = [f"{name}: " if len(names) > 1 else "" for name in names]
        told = [by[each.mover] + each.words for each in items if isinstance(each, Move)]
        decided = [Event(words=each) for each in (["the game begins"] if before is None else told)]
        scene = Scene(view, record, onlooker.viewer, before, last_turn)
        return scene.picture(narrow=small, decided=decided)

    for number, decision in enumerate(log, start=1):
        before, after = (onlooker.sees(view, each) for each in (decision.record, decision.after))
        if number == 1:
            svg, small = draw(before, None, ()), draw(before, None, (), True) if narrow else ""
            picture = _Picture(before, svg, small, svg, "The game begins", 0, NOBODY)
        over, phases = decision.after.mover == NOBODY, decision.phases
        last_turn = before if phases else last_turn
        move, events = _tell(number, decision, onlooker)
        items: list[Item] = [move, *events]
        scenes: list[tuple[Record, str, list[Item]]] = []
        opening = ""
        if every_phase and any(event.what.phase for event in events):
            if move.secret:  # it was made before they began
                picture.story += [*unseen, move]
                picture.decision, picture.mover = number, move.mover
                items, unseen = [*events], []
            for at, phase in enumerate(phases, start=1):
                here: list[Item] = [event for event in events if event.what.phase == at]
                scenes.append((onlooker.sees(view, phase), "" if here else f"Phase {at}", here))
            items = [item for item in items if isinstance(item, Move) or not item.what.phase]
            opening = "" if over else view.turn(decision.after)
        for record, heading, these in [*scenes, (after, opening, items)]:
            unmarked = draw(record, None, ())
            if unmarked == picture.unmarked and move.secret and not over:
                unseen += these
                continue
            these, unseen = unseen + these, []
            if unmarked == picture.unmarked:
                picture.story += these
            else:
                yield picture.finish(names)
                svg = draw(record, picture.record, these)
                small = draw(record, picture.record, these, True) if narrow else ""
                made = unmarked, heading, number, move.mover, these
                picture = _Picture(record, svg, small, *made)
            picture.decision, picture.mover = number, move.mover
        if over:
            picture.ending = f"Over: {Scene(view, decision.after, onlooker.viewer).ending.words}"
    yield picture.finish(names)
