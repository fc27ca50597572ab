"""The contract of views: what a game is to people, apart from its rules.

A view is plain functions over a record that is read by its fields' names. Two of them give
something structured: ``story``, what happened between two records, and ``page``, what there is to
see. Text, terminal, captions, the frame of a picture and its description are made from these, for
all games. Whatever a view tells is for a viewer, and says nothing that the viewer may not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from cyberdeck.drawing.svg import Block
from cyberdeck.engine.constants import NOBODY
from cyberdeck.views.record import Record

#: The seats whose secrets the viewer knows, the one whose side it is on first. None: a spectator,
#: who is shown what the record holds, from the first seat's side.
Viewer: TypeAlias = tuple[int, ...] | None

#: 1 for each action that is legal for the mover; None where the viewer may not know.
Mask: TypeAlias = Sequence[int] | None

#: Colours of a terminal, as ``View.inks`` names them.
INKS: Final = ("red", "green", "yellow", "blue", "magenta", "cyan", "dim")


def seat_of(viewer: Viewer) -> int | None:
    """The seat that is *you* to the viewer."""
    return None if viewer is None else viewer[0]


def sentence(words: str) -> str:
    """Words that begin with a capital.

    >>> sentence("row hacker: choose"), sentence("Z0 is out")
    ('Row hacker: choose', 'Z0 is out')
    """
    return words[:1].upper() + words[1:]


# --- what happened -------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened. A game's own kinds add what they are about: cards, cells, seats.

    Args:
        words: as a clause to the viewer: "you took LOOPBACK (yellow)".
        seat: who did it.
        phase: the phase of the turn that it happened in, from 1, where turns have phases.
        follows: whether a decision has brought it about that does not say so itself.
    """

    words: str
    seat: int = NOBODY
    phase: int = 0
    follows: bool = False

    @property
    def kind(self) -> str:
        """What it is, in a word: ``captured``."""
        return type(self).__name__.lower()


class Between(NamedTuple):
    """What is known of the way from one record to another.

    Args:
        decisions: (seat, action) of each decision, in order; None: not known.
        phases: the record after each phase of the turn that was carried out, where turns have
            phases.
    """

    decisions: Sequence[tuple[int, int]] | None = None
    phases: Sequence[Record] = ()


# --- what there is to see ------------------------------------------------------------------------


class Piece(NamedTuple):
    """Something that lies on a board's cell.

    Args:
        name: what it is: "LOOPBACK (yellow)", "W4".
        owner: the seat that it belongs to.
    """

    name: str
    owner: int = NOBODY


class Cell(NamedTuple):
    """A cell of a board.

    Args:
        text: what stands there in a terminal, in a few letters.
        name: what people call the cell: "c4".
        pieces: what lies there.
        marks: what else is to be seen of it: "wall", "crossing".
    """

    text: str
    name: str = ""
    pieces: tuple[Piece, ...] = ()
    marks: tuple[str, ...] = ()


class Board(NamedTuple):
    """The board as the viewer sees it: rows from the top, each from the left.

    Args:
        cells: its rows of cells.
        columns: what stands above the columns.
        rows: what stands before the rows.
        hexes: columns of hexes: the odd ones lie half a hex lower.
    """

    cells: Sequence[Sequence[Cell]]
    columns: Sequence[str] = ()
    rows: Sequence[str] = ()
    hexes: bool = False


class Line(NamedTuple):
    """A line of a panel.

    Args:
        text: what it says.
        rank: in a terminal that is too small the lines with the highest rank are left out.
    """

    text: str
    rank: int = 0


class Panel(NamedTuple):
    """Something beside the board: a player's cards, a stack, the scores.

    Args:
        title: what stands above it.
        lines: what it says.
    """

    title: str
    lines: Sequence[Line]


class Ending(NamedTuple):
    """How a game ended, to a viewer.

    Args:
        headline: what it means to the viewer: "You win".
        why: how it came: "The grid is empty: 9 to 7".
        mood: WON, LOST or DRAWN: to the viewer, and to a spectator WON if anybody has.
    """

    headline: str
    why: str
    mood: str

    @property
    def words(self) -> str:
        """Both, as sentences without the last full stop."""
        return f"{self.headline}. {self.why}" if self.why else self.headline


WON, LOST, DRAWN = "won", "lost", "drawn"


class Page(NamedTuple):
    """What there is to see for a viewer, in words and as data.

    Args:
        title: the game's name.
        status: how far the game is, in a few words each: "turn 3 of 200", "planning".
        task: what is to be decided, and by whom: "Your turn: move a stack".
        ending: how the game ended, if it has.
        board: what lies where, in a game with a board.
        panels: what stands beside it.
        legend: what signs in text mean: ("*", "in an array").
        choices: what may be chosen, where the page itself lists it: "3 go to column 3".
        notation: the position in the game's own notation, for programs: text alone ends with it.
    """

    title: str
    status: Sequence[str]
    task: str
    ending: Ending | None = None
    board: Board | None = None
    panels: Sequence[Panel] = ()
    legend: Sequence[tuple[str, str]] = ()
    choices: Sequence[str] = ()
    notation: Sequence[str] = ()

    @property
    def situation(self) -> str:
        """What is to be decided, or how the game ended."""
        return self.ending.words if self.ending else self.task


# --- a picture -----------------------------------------------------------------------------------


class Look(NamedTuple):
    """What a picture is to show besides the page.

    Args:
        viewer: whose picture it is.
        choices: the legal actions to show as something that can be chosen; None: nobody chooses.
        narrow: to be read on a phone held upright: 390 wide, with the same letters.
        before: the record before what has just happened, which is marked; None: nothing is.
        events: what has happened since.
        last_turn: what the last turn has brought, where turns have phases: also if that is longer
            ago.
        bare: without name, news, status and legend: whoever shows the picture says that beside it.
    """

    viewer: Viewer = None
    choices: tuple[int, ...] | None = None
    narrow: bool = False
    before: Record | None = None
    events: Sequence[Event] = ()
    last_turn: Sequence[Event] = ()
    bare: bool = False

    @property
    def side(self) -> int:
        """The seat that the picture is drawn from."""
        return 0 if self.viewer is None else self.viewer[0]


#: What the frame puts between a game's own blocks: what just happened, whose turn it is or how the
#: game ended, and what the signs mean.
NEWS, STATUS, LEGEND = "news", "status", "legend"


class Drawn(NamedTuple):
    """A game's own part of a picture. The frame adds its name and how far it is, above all.

    Args:
        wide: how wide the picture is.
        edge: how much of that is left free on each side.
        gap: how much is left free between blocks.
        blocks: from left to right and down, NEWS, STATUS and LEGEND among them.
        signs: what signs mean: (drawn about (0, 0), words).
        definitions: what stands in its ``<defs>``, as SVG.
        name: the game's name as it draws it; None: as all games do.
        unit: what the choices are called where they are counted: "3 legal moves".
        buttons: choices that stand nowhere else: at the right end of the status.
        news_rows: how many lines the news may take.
        numbered: whether several events are told by number, because the signs on the board have
            numbers.
    """

    wide: float
    edge: float
    gap: float
    blocks: Sequence[Block | str]
    signs: Sequence[tuple[str, str]] = ()
    definitions: str = ""
    name: Block | None = None
    unit: str = "action"
    buttons: Block | None = None
    news_rows: int = 3
    numbered: bool = False


class Lesson(NamedTuple):
    """A step of a first game: a position of it, and what is to be learned there.

    Args:
        after: how many of the decisions have been made.
        words: what is said: two or three sentences, each about something that can be seen.
    """

    after: int
    words: str


class Lessons(NamedTuple):
    """A first game, in steps, with the options that the game has if nobody chooses others.

    Args:
        seed: its deal.
        moves: its decisions in notation, with commas between them, as far as they are shown.
        seat: whose view it is.
        steps: in order.
    """

    seed: int
    moves: str
    seat: int
    steps: Sequence[Lesson]


def no_story(before: Record, after: Record, viewer: Viewer, between: Between) -> list[Event]:
    """Of a view that has none: what was decided is told by the actions' names."""
    return []


# --- the view ------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class View:
    """What a game is to people. A game without one has the plain view, which names all values.

    Its functions are plain Python, and no kernels. They read a record by the names of its fields,
    and change nothing in it.

    Args:
        action_name: (record, action): an action in words, as the mover of that record would say it.
        seat_name: (record, seat): what people call a seat: "white".
        ending: (record, viewer): how the game ended, as an ``Ending``; None while it runs.
        page: (record, viewer, mask): what there is to see, as a ``Page``: all text is made of it.
            The mask is the mover's, if the viewer may know it, else None.
        story: (before, after, viewer, between): what happened between two records, in order: a list
            of ``Event``. Without it, what was decided is told by the actions' names.
        draw: (record, page, look): the board once more, in the dark colours of ``drawing.svg``, as
            ``Drawn``. Without it the page is drawn, plainly.
        public: (record): the fields that spectators are not shown as they are, and what they see
            instead: a dictionary from the field's name to a number, for all of an array, or to a
            list of its shape. Not needed where nothing is hidden. Without it a game with secrets
            has no spectators.
        turn: (record): what stands above the decisions of a turn where a game is told, for the next
            one: "Turn 3". Not needed where every decision is a turn.
        notation: (record, action): an action in a few letters, for the mover of that record:
            "W4-b4". Of those that are legal together no two have the same letters and digits,
            whatever their case, and no later version writes it otherwise. Without it, as by
            ``action_name``, with the action's number where two are alike.
        how_to_write: how actions are written so, for somebody who has to: a text, or a function
            of the game's options. Not needed without ``notation``.
        how_to_play: the rules and the scoring in short, for somebody who plays and reads nothing
            else: a text up to 79 columns wide, or a function of the game's options that gives it.
            Not needed where the game's ``summary``, or the first paragraph of its file, says them.
        inks: what a terminal shows in colour: (regular expression, one of the ``INKS``) each. The
            words say what the colours do.
        lessons: a first game in a few steps, for somebody who has not read the rules: the page in
            the browser shows them. Not needed.
    """

    action_name: Callable[[Record, int], str]
    seat_name: Callable[[Record, int], str]
    ending: Callable[[Record, Viewer], Ending | None]
    page: Callable[[Record, Viewer, Mask], Page]
    story: Callable[[Record, Record, Viewer, Between], list[Event]] = no_story
    draw: Callable[[Record, Page, Look], Drawn] | None = None
    public: Callable[[Record], Mapping[str, Any]] | None = None
    turn: Callable[[Record], str] = lambda record: ""
    notation: Callable[[Record, int], str] | None = None
    how_to_write: str | Callable[[Mapping[str, Any]], str] = ""
    how_to_play: str | Callable[[Mapping[str, Any]], str] = ""
    inks: Sequence[tuple[str, str]] = ()
    lessons: Lessons | None = None

    def named_action(self, array: Any, action: int) -> str:
        """An action of the record in NumPy's array of one, in words."""
        return self.action_name(Record.of(array), action)
