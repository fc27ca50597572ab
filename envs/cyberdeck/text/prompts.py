"""Prompts: what a seat is told when it has to decide, made of the game's view; and transcripts: the
public moves in words, in order, as each seat may know them.
"""

from __future__ import annotations

import contextlib
import json
import textwrap
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from cyberdeck import showing
from cyberdeck.common.text import counted, nearest
from cyberdeck.engine.history import Log
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import require
from cyberdeck.play.compiled import decisions
from cyberdeck.play.narrator import SPECTATOR, Decision, Onlooker, seated
from cyberdeck.views.record import Record
from cyberdeck.views.words import HIDDEN, text

#: So many characters of what has been done are told: the last of it.
MOST_TOLD = 4000

#: What is said of a game that goes on from a position.
GONE_ON = "(the game goes on from a position: what was done before that is not known)"

#: What is said of who gives up.
_GIVES_UP = "gives up"

#: What is said of decisions that nobody is asked for.
_ONLY_MOVE: Final = "Where only one move is legal, it is made for you."

#: How an answer has to look: as a text, or where the move is the argument of a tool.
FORMS: Final = {
    "json": (
        'Answer with a JSON object that has your move, in this form: {{"move": "{example}"}}\n'
        "You may write before it. The last such object is your answer; nothing else is read for a "
        "move."
    ),
    "tool": 'Call the tool "move" with your move, in this form: {example}',
}


@dataclass
class _Lines:
    """What a seat has been told."""

    told: int = 0
    """So many decisions."""
    lines: list[str] = field(default_factory=list)
    last: tuple[str, str] | None = None
    """The turn, and who decided in it, of a line that may go on."""


class Transcript:
    """What has been done in one game, line by line.

    A decision is told by its notation, with what it has brought about; one that was made in secret
    to those who know it.

    Args:
        variant: the game.
        log: its decisions, which become more while it is played; without it they come by
            ``follow``.
        whole: False where the game went on from a position: what led to it is not known.
    """

    def __init__(
        self, variant: Variant, log: list[Decision] | None = None, whole: bool = True
    ) -> None:
        self._variant, self.whole = variant, whole
        self._public = showing.has_spectators(variant)
        self._log = [] if log is None else log
        self._lines: dict[int | None, _Lines] = {}

    @property
    def count(self) -> int:
        """How many decisions have been told."""
        return len(self._log)

    def follow(self, log: Log) -> None:
        """Tell what has been done since: *log* is a later one of the same game."""
        self.whole = log.whole
        last = self._log[-1].after if self._log else None
        self._log += decisions(log, self.count, last)

    def lines(self, seat: int | None) -> list[str]:
        """All that has been done, as far as that seat may know it; or a spectator: None."""
        known = self._lines.setdefault(seat, _Lines())
        self._tell(known, seat)
        return known.lines

    def since(self, seat: int | None, count: int) -> list[str]:
        """The same without the first *count* decisions."""
        known = _Lines(count)
        self._tell(known, seat)
        return known.lines

    def _tell(self, known: _Lines, seat: int | None) -> None:
        onlooker = SPECTATOR if seat is None else seated(seat)
        for decision in self._log[known.told :]:
            self._add(known, decision, onlooker)
            decision.record.forget()  # a long game keeps many
        known.told = len(self._log)

    def _add(self, known: _Lines, decision: Decision, onlooker: Onlooker) -> None:
        """Tell a decision to a seat, on the last line, if that is of the same turn."""
        turn, who = decision.turn, decision.who if self._variant.seats > 1 else ""
        head = ", ".join(filter(None, (turn, who)))
        done = _GIVES_UP if decision.resigns else decision.notation
        hidden = decision.is_hidden(onlooker)
        if hidden:
            line = f"{head} {HIDDEN}"
            # Where all decide at the same time it says nothing that somebody has.
            if not self._variant.game.simultaneous and line not in known.lines[-1:]:
                known.lines.append(line)
                known.last = None
        elif turn and known.last == (turn, who):
            known.lines[-1] += f", {done}"
        else:
            known.lines.append(f"{head}: {done}" if head else done)
            known.last = turn, who
        # Where there are spectators, what they are told is told to all.
        for event in decision.consequences(SPECTATOR if self._public else onlooker):
            if event.phase or hidden:
                known.lines.append(f"{turn}, {event.line}" if turn else event.line)
                known.last = None
            else:
                known.lines[-1] += f" [{event.line}]"


class Prompts:
    """The prompts of a game with its options.

    Args:
        variant: the game.
        list_moves: list the legal moves in each prompt.
        brief: say the rules in a game's first prompt only, and then what has been done since the
            seat's last decision.
        form: how an answer has to look, one of ``FORMS``.
        graded_if: where a single move is asked for and graded: how the game goes on after it, as of
            ``Values.assumption``.
    """

    def __init__(
        self,
        variant: Variant,
        list_moves: bool = False,
        brief: bool = False,
        form: str = "json",
        graded_if: str = "",
    ) -> None:
        possible = f"choose one of {', '.join(FORMS)}{nearest(form, FORMS)}"
        require(form in FORMS, "form", form, possible)
        self.variant, self.list_moves, self.brief = variant, list_moves, brief
        self._form, self._graded = FORMS[form], ""
        if graded_if:
            by = (
                f"Only this move is graded: by what you get in the rest of the game if {graded_if}."
            )
            self._graded = _section("HOW YOUR MOVE IS GRADED", "\n".join(textwrap.wrap(by, 79)))
        self._view = showing.view_of(variant)
        #: Whether seats play together.
        self.in_teams = len(variant.sides) > 1 + max(variant.sides)

    @cached_property
    def _rules(self) -> str:
        rules = _section("THE RULES", showing.how_to_play(self.variant))
        written = f"{showing.how_to_write(self.variant)}\n{_ONLY_MOVE}".lstrip()
        return rules + _section("HOW MOVES ARE WRITTEN", written)

    def ask(
        self,
        record: Record,
        seat: int,
        legal: Mapping[int, str],
        transcript: Transcript,
        known: int | None,
        believed: str = "",
    ) -> tuple[str, str]:
        """What *seat*, which has to decide, is told: its view, what has been done so far, and how
        to answer; and the legal move that is the example of that.

        The example is drawn from all legal moves by the words for the position. So it gives nothing
        away that the seat does not see, prefers no move, and to repeat it is to play at random.

        Args:
            record: the game, with the seat as its mover.
            seat: who has to decide.
            legal: the notation of each legal action.
            transcript: what has been done.
            known: after how many decisions it was prompted last in this game; None: never.
            believed: what it believes that the others see.
        """
        if known is None or not self.brief:
            opening = self._opening(record, seat) + self._rules
            lines = transcript.lines(seat)
            lines = lines if transcript.whole else [GONE_ON, *lines]
            done = _section("WHAT HAS BEEN DONE SO FAR", _last(lines) or "nothing yet")
        else:
            opening = ""
            done = since(transcript, seat, known)
        mask = [0] * self.variant.action_count
        for action in legal:
            mask[action] = 1
        page = self._view.page(record, (seat,), mask)._replace(choices=(), notation=())
        now = _section("THE GAME NOW, AS YOU SEE IT", text(page))
        now += _section("WHAT YOU MAY BELIEVE", believed) + self._graded
        listed = ""
        if self.list_moves:
            listed = _section("YOUR LEGAL MOVES", ", ".join(legal.values()))
        whose = ""
        if self.in_teams:
            whose = f"You decide for {self._view.seat_name(record, seat)} now.\n\n"
        example = [*legal.values()][zlib.crc32(now.encode()) % len(legal)]
        return f"{opening}{done}{now}{listed}{whose}{self.form(example)}", example

    def moves(self, record: Record) -> dict[int, str]:
        """The notation of every action of the game, legal in *record* or not, where it has one."""
        write, names = self._view.notation or self._view.action_name, dict[int, str]()
        for action in range(self.variant.action_count):
            with contextlib.suppress(LookupError, ValueError):  # there need only be one if legal
                names[action] = write(record, action)
        return names

    def form(self, example: str) -> str:
        """How an answer has to look."""
        if self._form == FORMS["json"]:
            example = json.dumps(example, ensure_ascii=False)[1:-1]
        return self._form.format(example=example)

    def _opening(self, record: Record, seat: int) -> str:
        """Who plays what."""
        title, sides = showing.title(self.variant), self.variant.sides
        if len(sides) == 1:
            return f"You play {title}, a game for one.\n\n"
        names = [self._view.seat_name(record, at) for at in range(len(sides))]
        allies = [names[at] for at, side in enumerate(sides) if side == sides[seat] and at != seat]
        against = [names[at] for at, side in enumerate(sides) if side != sides[seat]]
        told = f"You play {title}. You are {names[seat]}"
        told += f", on one side with {_and(allies)}" if allies else ""
        return f"{told}; against you: {_and(against)}.\n\n"


def since(transcript: Transcript, seat: int, known: int) -> str:
    """What a seat is told that knew so many decisions."""
    return _section("SINCE THEN", _last(transcript.since(seat, known)) or "nothing to be seen")


def _section(title: str, text: str) -> str:
    return f"{title}\n{text}\n\n" if text else ""


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _last(lines: Sequence[str]) -> str:
    """The lines, but for so many of the first that the rest is not too long."""
    room, first = MOST_TOLD, len(lines)
    while first and room >= len(lines[first - 1]):
        first -= 1
        room -= len(lines[first]) + 1
    if lines and first == len(lines):  # one line alone is too long
        return f"(what came before is left out) ...{lines[-1][-MOST_TOLD:]}"
    left_out = [f"(what came before, {counted(first, 'line')}, is left out)"] if first else []
    return "\n".join([*left_out, *lines[first:]])
