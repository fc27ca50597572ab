"""What a language model has answered, and what becomes of that: retries, and giving up.

The last JSON object that has a ``move`` counts. Prose is never read for a move.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from cyberdeck.common.text import quoted
from cyberdeck.engine.contract import is_whole
from cyberdeck.errors import OptionError
from cyberdeck.text.prompts import Prompts, Transcript
from cyberdeck.views.notation import found
from cyberdeck.views.record import Record

#: What an answer is. A move that is not legal, and one that does not exist, are both illegal.
MOVE, ILLEGAL, UNPARSABLE, CUT_OFF = "move", "illegal", "unparsable", "cut_off"

#: What there is another try for, after an answer of each kind.
_TRY_TO: Final = {
    ILLEGAL: "name a legal move",
    UNPARSABLE: "answer in this form",
    CUT_OFF: "answer more briefly",
}

#: So much of an answer that could not be read is quoted, from its end.
_QUOTED: Final = 500

#: So much of an answer, from its end, is read.
MOST_READ: Final = 100_000

_NUMBER: Final = re.compile(r"\s*\d{1,9}\s*", re.ASCII)
_OBJECT: Final = re.compile(r'\{\s{0,99}"')
#: So many beginnings of objects are tried, from the end.
_MOST_TRIED: Final = 64
#: So many digits of a number are quoted.
_MOST_DIGITS: Final = 60
_DECODER: Final = json.JSONDecoder()


class Answer(NamedTuple):
    """An answer as it was understood."""

    kind: str
    """MOVE, ILLEGAL, UNPARSABLE or CUT_OFF."""
    action: int | None = None
    """The legal action that it names."""
    said: str = ""
    """Its notation; or the move as it was written, if it is illegal."""


def judged(text: str, legal: Mapping[int, str], cut_off: bool = False) -> Answer:
    """What is answered, where these actions are legal, with their notation.

    *cut_off*: the answer was stopped before its end, and so nothing of it counts.

    >>> legal = {0: "W4-b4", 1: "end"}
    >>> judged('I go for it: {"move": "w4xb4"}', legal).action
    0
    >>> judged("end", legal).kind, judged('{"move": "W4-c5"}', legal).kind
    ('unparsable', 'illegal')
    """
    if cut_off:
        return Answer(CUT_OFF)
    move = move_in(text)
    if move is None:
        return Answer(UNPARSABLE)
    same = meant(move, legal)
    if len(same) == 1:
        return Answer(MOVE, same[0], legal[same[0]])
    return Answer(ILLEGAL, said=quoted(move) if isinstance(move, str) else str(move)[:_MOST_DIGITS])


def meant(move: str | int, names: Mapping[int, str]) -> list[int]:
    """The actions that a move may stand for, of those with these notations. A number written as a
    text is a number, unless notations are such numbers.

    >>> meant("r2", {4: "R1", 6: "R2"}), meant("4", {4: "R1", 6: "R2"}), meant("4", {4: "3"})
    ([6], [4], [])
    """
    if isinstance(move, int):
        return [move] if move in names else []
    same = found(move, names)
    if same or not _NUMBER.fullmatch(move) or any(map(_NUMBER.fullmatch, names.values())):
        return same
    return meant(int(move), names)


def move_in(text: str) -> str | int | None:
    """The move of the last JSON object that has one. A text is a notation, a whole number that of
    an action; None: there is neither.

    >>> move_in('{"move": "C2"}, no: {"move": 3}'), move_in('{"move": null}'), move_in("C2")
    (3, None, None)
    """
    value = _last_value(text[-MOST_READ:])
    while isinstance(value, dict):
        value = value.get("move")
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _last_value(text: str) -> Any:
    """The ``move`` of the last JSON object that has one and is not within another that has."""
    starts = [match.start() for match in _OBJECT.finditer(text)][-_MOST_TRIED:]
    value, end = None, 0
    for start in starts:
        if start < end:
            continue
        try:
            entry, stop = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if "move" in entry:
            value, end = entry["move"], stop
    return value


# --- in one game ----------------------------------------------------------------------------------


def checked_retries(given: int | Mapping[str, int]) -> dict[str, int]:
    """How often an answer of each kind is asked for again, in one decision: the same number of each
    kind, or one for each by its name; ``OptionError`` otherwise.
    """
    counts = given if isinstance(given, Mapping) else dict.fromkeys(_TRY_TO, given)
    if {*counts} == {*_TRY_TO} and all(is_whole(n) and n >= 0 for n in counts.values()):
        return {kind: int(count) for kind, count in counts.items()}
    raise OptionError(
        f"retries={given!r} is not possible: a whole number from 0 on, or one for each of "
        f"{', '.join(_TRY_TO)}"
    )


class Verdict(NamedTuple):
    """What becomes of an answer."""

    answer: Answer
    reply: str
    """What the seat is told of an answer that is no move: it may try again; "" if not."""

    @property
    def kind(self) -> str:
        """``move``, ``illegal``, ``unparsable`` or ``cut_off``."""
        return self.answer.kind

    @property
    def gives_up(self) -> bool:
        """Whether it was the last try: the seat's side loses."""
        return self.kind != MOVE and not self.reply


@dataclass
class Conversation:
    """What one seat is told and answers in one game.

    Args:
        prompts: the prompts of the game.
        seat: whose.
        retries: how often it may try again.
    """

    prompts: Prompts
    seat: int
    retries: Mapping[str, int]
    #: How many answers there were of each kind.
    answers: dict[str, int] = field(default_factory=lambda: dict.fromkeys((MOVE, *_TRY_TO), 0))
    #: The notation of each action that is legal in the decision asked for.
    legal: Mapping[int, str] = field(default_factory=dict)
    _record: Record | None = None
    #: How many decisions had been made when it was asked last; None: never.
    known: int | None = None
    _example: str = ""
    _left: dict[str, int] = field(default_factory=dict)

    def ask(
        self, record: Record, legal: Mapping[int, str], transcript: Transcript, believed: str = ""
    ) -> str:
        """The prompt for the seat's decision in *record*, which has it as its mover."""
        known = self.known
        prompt, example = self.prompts.ask(record, self.seat, legal, transcript, known, believed)
        self.known, self.legal, self._record = transcript.count, legal, record
        self._left, self._example = dict(self.retries), example
        return prompt

    def judge(self, text: str, cut_off: bool = False) -> Verdict:
        """What becomes of an answer to it, or to what was told of the answer before."""
        answer = judged(text, self.legal, cut_off)
        self.answers[answer.kind] += 1
        if answer.kind == MOVE or not self._left[answer.kind]:
            return Verdict(answer, "")
        self._left[answer.kind] -= 1
        return Verdict(answer, self._reply(answer, text))

    def _reply(self, answer: Answer, text: str) -> str:
        if answer.kind == ILLEGAL:
            assert self._record is not None
            move = move_in(text)
            known = move is not None and meant(move, self.prompts.moves(self._record))
            wrong = f"{answer.said} is a move of the game, but not legal now."
            if not known:
                wrong = (
                    f"{answer.said} cannot be read as a move. Moves are written like "
                    f"{self._example}."
                )
        elif answer.kind == CUT_OFF:
            wrong = "Your answer was cut off before its end, so it was not read. Be briefer."
        elif len(text) > _QUOTED:
            wrong = (
                f"Your answer has no move in the form that is needed. It ends:\n{text[-_QUOTED:]}"
            )
        else:
            wrong = f"Your answer has no move in the form that is needed:\n{text}"
        left = self._left[answer.kind] + 1
        tries = "1 try" if left == 1 else f"{left} tries"
        loses = "your side loses" if self.prompts.in_teams else "you lose"
        limit = f"You have {tries} left to {_TRY_TO[answer.kind]}; after the last {loses}."
        return f"{wrong}\n\n{limit}\n{self.prompts.form(self._example)}"
