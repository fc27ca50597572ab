"""A game between a person and players of the suite, decision by decision."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from cyberdeck.engine.constants import NOBODY, RESIGNED, RESIGNS
from cyberdeck.errors import EpisodeError
from cyberdeck.playing.choices import Choice
from cyberdeck.playing.engine import Engine, Finished, Hint, Position
from cyberdeck.views import shown
from cyberdeck.views.record import Record
from cyberdeck.views.view import Ending, Event, sentence
from cyberdeck.views.words import consequences, screen

PERSON = "person"


class Heard(NamedTuple):
    """What the person hears: a decision, or what has come of one."""

    seat: int
    """Who has decided; NOBODY: it is what came of it."""
    words: str
    turn: str
    """The turn's name, where a turn has several decisions."""
    short: str = ""
    """The decision's notation, where it does not say the same as the words."""


class Phase(NamedTuple):
    """A phase of a turn that was carried out."""

    turn: str
    lines: list[str]
    """What it brought."""
    before: Record
    after: Record
    """The records before and after it."""


class _Past(NamedTuple):
    """How it was before an own decision."""

    position: Position
    """With what the other players remembered."""
    decisions: int
    """How many had been made."""
    heard: int
    """How much had been heard."""
    said: list[int]
    turn: Record | None
    """A record of the last turn that had been carried out."""


class GameSession:
    """A running game: *own* are the person's seats, enemies and allies play the others."""

    def __init__(
        self, engine: Engine, own: Sequence[int], enemy: str, ally: str, seed: int
    ) -> None:
        self.engine = engine
        self.own, self.seed = list(own), seed
        side = engine.sides[own[0]]
        self._players = {
            seat: engine.player(ally if engine.sides[seat] == side else enemy)
            for seat in range(len(engine.agents))
            if seat not in own
        }
        self.adviser = engine.adviser
        #: All that the person has heard so far.
        self.heard: list[Heard] = []
        # Who has decided in secret since something was heard of others, and of whom it was said. It
        # is said once: how often somebody decides may be a secret as well.
        self._secret: list[int] = []
        self._said: list[int] = []
        self._position = engine.begin(seed, [*self._players.values()])
        self._actions: list[int] = []
        # What has changed since an own decision is marked, and the last turn that was carried out
        # in phases, which began there.
        self._before: Record | None = self._position.record
        self._turn: Record | None = None
        self._past: list[_Past] = []
        #: The phases of the turn that was carried out last, for whoever wants to show them.
        self.film: list[Phase] = []

    @property
    def mover(self) -> int:
        """The seat to decide, -1 at the end."""
        return self._position.mover

    @property
    def viewer(self) -> int:
        """The own seat whose view is shown."""
        return self.mover if self.mover in self.own else self.own[0]

    @property
    def _viewers(self) -> tuple[int, ...]:
        """All own seats, that one first."""
        return (self.viewer, *(seat for seat in self.own if seat != self.viewer))

    @property
    def decisions(self) -> int:
        """How many have been made by all."""
        return len(self._actions)

    def name(self, seat: int) -> str:
        """A seat and who plays it."""
        return f"{self.seat_name(seat)} ({self.player_name(seat)})"

    def seat_name(self, seat: int) -> str:
        """What people call a seat."""
        return self.engine.view.seat_name(self._position.record, seat)

    def player_name(self, seat: int) -> str:
        """Who plays a seat."""
        return str(self._players[seat].name) if seat in self._players else PERSON

    def choices(self) -> list[Choice]:
        """What the person can do now."""
        view, record = self.engine.view, self._position.record
        names = shown.notations(view, record, self._position.mask).items()
        return [Choice(action, view.action_name(record, action), each) for action, each in names]

    def words(self, action: int) -> str:
        """An action of whoever is to decide now."""
        return self.engine.view.action_name(self._position.record, action)

    def hint(self) -> Hint:
        """What the best player there is would do."""
        return self.adviser.hint(self.position())

    def position(self) -> Position:
        """The game as it stands, with all that is remembered, to think about while it goes on."""
        return self._position.twin()

    def text(self) -> str:
        """The game as the person sees it."""
        return screen(shown.page(self.engine.view, self._position.record, self._viewers))

    def svg(self, theme: str = "dark", narrow: bool = False, bare: bool = False) -> str:
        """The same as a picture; *bare*: the board alone."""
        lately = self.heard[self._past[-1].heard :] if self._past else self.heard
        decided = [
            Event(words=f"{self.seat_name(each.seat)}: {each.words}")
            for each in lately
            if each.seat != NOBODY
        ]
        legal = None
        if self.mover in self.own:
            legal = [action for action, possible in enumerate(self._position.mask) if possible]
        begun = bool(self._actions)  # else nothing has happened
        before, turn = (self._before, self._turn) if begun else (None, None)
        drawn = self.engine.view, self._position.record, self._viewers, legal, before
        return shown.picture(*drawn, theme, narrow, turn, bare, decided)

    def status(self) -> Sequence[str]:
        """How far the game is, in a few words each."""
        return shown.page(self.engine.view, self._position.record, self._viewers).status

    def signs(self, theme: str = "dark") -> str:
        """What the signs of a bare picture mean, as a picture; or nothing."""
        return shown.signs(self.engine.view, self._position.record, self._viewers, theme)

    def svg_of(self, phase: Phase, theme: str = "dark", narrow: bool = False) -> str:
        """A phase as a bare picture."""
        drawn = self.engine.view, phase.after, self._viewers, None, phase.before
        return shown.picture(*drawn, theme, narrow, self._turn, bare=True)

    def turn(self) -> str:
        """What the present turn is called, if a turn has several decisions."""
        return "" if self.mover == NOBODY else self.engine.view.turn(self._position.record)

    # --- playing ---------------------------------------------------------------------------------

    def decide(self, action: int) -> list[str]:
        """The person's decision, which may be ``RESIGNS``; what it has brought about, in words."""
        self._position.check(action)
        known = len(self._actions), len(self.heard), self._said
        self._past.append(_Past(self._position.twin(), *known, self._turn))
        self._before = self._position.record
        return [heard.words for heard in self._step(action) if heard.seat == NOBODY]

    @property
    def waiting(self) -> bool:
        """Whether others have to decide."""
        return self.mover != NOBODY and self.mover not in self.own

    def others(self) -> Iterator[str]:
        """Let the others decide until the person has to; what the person hears of it."""
        while self.waiting:
            for heard in self.go_on():
                by = f"{self.name(heard.seat)}: " if heard.seat != NOBODY else ""
                yield by + heard.words

    def go_on(self) -> list[Heard]:
        """Let the others decide until the person hears of it, or has to decide."""
        known = len(self.heard)
        while self.waiting and len(self.heard) == known:
            twin = self.position()
            self.answered(twin, self.ask(twin))
        return self.heard[known:]

    def ask(self, twin: Position, watch: Callable[[float], bool] | None = None) -> int:
        """What the one of the others decides who has to. Here nothing changes until ``answered``:
        that may take long, and the game can go on otherwise.
        """
        return twin.ask(self._players[twin.mover], watch)

    def answered(self, twin: Position, action: int) -> None:
        """What ``ask`` gave, if the game stands as it did when the *twin* was made."""
        self._position = twin
        self._step(action)

    def play(self, actions: Iterable[int]) -> None:
        """Make decisions that were made before, everybody's."""
        for action in actions:
            if self.mover == NOBODY:  # as the rules were then, it was not
                raise EpisodeError("the game is over before its last decision")
            if self.mover in self.own:
                self.decide(action)
                continue
            player = self._players[self.mover]
            if player.memory:  # it has to remember what it saw
                self._position.ask(player)
            self._step(action)
        self.film = []

    def _step(self, action: int) -> list[Heard]:
        """A decision of whoever has to make one; what the person hears of it."""
        mover, before, view = self.mover, self._position.record, self.engine.view
        resigns = action == RESIGNS
        hidden = (
            mover not in self.own and not resigns and all(map(self._position.hidden_from, self.own))
        )
        turn, words = self.turn(), RESIGNED if resigns else self.words(action)
        told = [] if hidden or resigns else self.choices()
        short = "".join(choice.short for choice in told if choice.action == action)
        self._position.step(action)
        now = self._position.record
        self._actions.append(action)
        phases = now.rules.phases(before)
        if phases:
            self._turn = before
        known = len(self.heard)
        story = shown.story(view, before, now, self._viewers)
        told_of = consequences(story)
        events = [f"{turn}, {each.line}" if each.phase else each.line for each in told_of]
        if phases:
            self.film = [
                Phase(turn, [each.line for each in told_of if each.phase == at], old, new)
                for at, (old, new) in enumerate(itertools.pairwise([before, *phases]), start=1)
            ]
        if hidden and mover not in (*self._secret, *self._said):
            self._secret.append(mover)
        if self._secret and (not hidden or events or not self.waiting):
            verb = "decides" if len(self._secret) == 1 else "decide"
            who = ", ".join(map(self.name, self._secret))
            self.heard.append(Heard(NOBODY, f"{who} {verb} in secret, once or more", turn))
            self._said, self._secret = [*self._said, *self._secret], []
        if not hidden:
            self.heard.append(Heard(mover, words, turn, short))
        self.heard += [Heard(NOBODY, event, turn) for event in events]
        if events or (not hidden and mover not in self.own):
            self._said = []
        return self.heard[known:]

    @property
    def can_undo(self) -> bool:
        """Whether there is a decision of the person's to take back."""
        return bool(self._past)

    def undo(self) -> str | None:
        """Take back the person's last decision, and all since; it in words, or None."""
        if not self._past:
            return None
        past = self._past.pop()
        taken_back = self._actions[past.decisions]
        self._position = past.position
        self._before, self._turn = None, past.turn
        self._secret, self._said, self.film = [], past.said, []
        del self._actions[past.decisions :], self.heard[past.heard :]
        return RESIGNED if taken_back == RESIGNS else self.words(taken_back)

    @property
    def actions(self) -> list[int]:
        """Everybody's decisions so far."""
        return list(self._actions)

    # --- the end ---------------------------------------------------------------------------------

    def ending(self) -> Ending:
        """Who has won and why, as the person hears it."""
        found = shown.ending(self.engine.view, self._position.record, self._viewers)
        if self._actions[-1] == RESIGNS:
            seat = self.heard[-1].seat
            who = "You" if seat in self.own else sentence(self.seat_name(seat))
            found = found._replace(why=f"{who} resigned")
        if self.engine.shown_plainly:
            return found._replace(headline=self._outcome())
        return found

    def _outcome(self) -> str:
        returns, sides = self._position.returns(), self.engine.sides
        own, alone = returns[self.own[0]], len(self.engine.agents) == 1
        if self.engine.scored:
            return f"You scored {own:g}" if alone else f"You got {own:+g}"
        if alone:
            return "You win" if own > 0 else "You lose"
        others = max(returns[seat] for seat, side in enumerate(sides) if side != sides[self.own[0]])
        if own == others:
            return "Nobody wins" if own < 0 else "A draw"
        return "You win" if own > others else "You lose"

    def metrics(self) -> list[tuple[str, int]]:
        """What a game counts that does not say in words how it ended."""
        if not self.engine.shown_plainly:
            return []
        found = self._position.metrics(self.viewer)
        return [(name.replace("_", " "), value) for name, value in found]

    def finished(self) -> Finished:
        """The finished game, to be kept."""
        names = [self.player_name(seat) for seat in range(len(self.engine.agents))]
        return self.engine.finished(self.seed, self._actions, names)
