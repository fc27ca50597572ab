"""Prompts: what a seat is told when it has to decide, made of the game's view."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from cyberdeck import showing
from cyberdeck.common.text import counted, nearest
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import require
from cyberdeck.text.transcript import Transcript
from cyberdeck.views import words
from cyberdeck.views.record import Record

#: So many characters of what has been done are told: the last of it.
MOST_TOLD = 4000

#: What is said of a game that goes on from a position.
GONE_ON = "(the game goes on from a position: what was done before that is not known)"

#: How an answer has to look: as a text, or where the move is the argument of a tool.
FORMS: Final = {
    "json": (
        'Answer with a JSON object that has your move, in this form: {{"move": "{example}"}}\n'
        "You may write before it. The last such object is your answer; nothing else is read for a "
        "move."
    ),
    "tool": 'Call the tool "move" with your move, in this form: {example}',
}


class Prompts:
    """The prompts of a game with its options.

    Args:
        variant: the game.
        list_moves: list the legal moves in each prompt.
        brief: say the rules in a game's first prompt only, and then what has been done since the
            seat's last decision.
        form: how an answer has to look, one of ``FORMS``.
    """

    def __init__(
        self, variant: Variant, list_moves: bool = False, brief: bool = False, form: str = "json"
    ) -> None:
        possible = f"choose one of {', '.join(FORMS)}{nearest(form, FORMS)}"
        require(form in FORMS, "form", form, possible)
        self.variant, self.list_moves, self.brief = variant, list_moves, brief
        self._form = FORMS[form]
        self._view = showing.view_of(variant)

    @cached_property
    def _rules(self) -> str:
        rules = _section("THE RULES", showing.how_to_play(self.variant))
        return rules + _section("HOW MOVES ARE WRITTEN", showing.how_to_write(self.variant))

    def prompt(
        self,
        record: Record,
        seat: int,
        legal: Mapping[int, str],
        transcript: Transcript,
        known: int | None,
        believed: str = "",
    ) -> str:
        """What *seat*, which has to decide, is told: its view, and what has been done so far.

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
            done = _section(
                "SINCE THEN", _last(transcript.since(seat, known)) or "nothing to be seen"
            )
        mask = [0] * self.variant.action_count
        for action in legal:
            mask[action] = 1
        page = self._view.page(record, (seat,), mask)._replace(choices=(), notation=())
        now = _section("THE GAME NOW, AS YOU SEE IT", words.text(page))
        now += _section("WHAT YOU MAY BELIEVE", believed)
        listed = ""
        if self.list_moves:
            listed = _section("YOUR LEGAL MOVES", ", ".join(legal.values()))
        return f"{opening}{done}{now}{listed}{self.form(record)}"

    def form(self, record: Record) -> str:
        """How an answer has to look; its example says nothing of what is legal."""
        example = showing.example(self.variant, record)
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
