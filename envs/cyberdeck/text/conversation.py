"""What one seat is told and answers in one game: prompts, answers, retries, and giving up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from cyberdeck.engine.contract import is_whole
from cyberdeck.errors import OptionError
from cyberdeck.text.answers import CUT_OFF, ILLEGAL, MOVE, UNPARSABLE, Answer, judged
from cyberdeck.text.prompts import Prompts
from cyberdeck.text.transcript import Transcript
from cyberdeck.views.record import Record

#: So much of an answer that could not be read is quoted, from its end.
_QUOTED: Final = 500


#: The kinds of answers that are asked for again.
_WRONG: Final = (ILLEGAL, UNPARSABLE, CUT_OFF)


def checked_retries(given: int | Mapping[str, int]) -> dict[str, int]:
    """How often an answer of each kind is asked for again, in one decision: the same number of each
    kind, or one for each by its name; ``OptionError`` otherwise.
    """
    counts = given if isinstance(given, Mapping) else dict.fromkeys(_WRONG, given)
    if {*counts} == {*_WRONG} and all(is_whole(n) and n >= 0 for n in counts.values()):
        return {kind: int(count) for kind, count in counts.items()}
    raise OptionError(
        f"retries={given!r} is not possible: a whole number from 0 on, or one for each of "
        f"{', '.join(_WRONG)}"
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
    answers: dict[str, int] = field(default_factory=lambda: dict.fromkeys((MOVE, *_WRONG), 0))
    #: The notation of each action that is legal in the decision asked for.
    legal: Mapping[int, str] = field(default_factory=dict)
    _known: int | None = None
    _form: str = ""
    _left: dict[str, int] = field(default_factory=dict)

    def ask(
        self, record: Record, legal: Mapping[int, str], transcript: Transcript, believed: str = ""
    ) -> str:
        """The prompt for the seat's decision in *record*, which has it as its mover."""
        prompt = self.prompts.prompt(record, self.seat, legal, transcript, self._known, believed)
        self._known, self.legal = transcript.count, legal
        self._left, self._form = dict(self.retries), self.prompts.form(record)
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
            wrong = f"{answer.said} is no legal move now."
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
        return f"{wrong}\n\nYou have {tries} left.\n{self._form}"
