"""A game between a person and players of the suite, decision by decision."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck import showing
from cyberdeck.engine import registry
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.history import Log
from cyberdeck.engine.loops import DISABLED, DRAWN, EVERY
from cyberdeck.engine.memories import Memories
from cyberdeck.engine.policy import RESIGNED, RESIGNS, Watch
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.roles import hides_decision
from cyberdeck.engine.seats import checked_seat
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import EpisodeError, OptionError
from cyberdeck.players import find_player
from cyberdeck.playing.choices import Choice
from cyberdeck.playing.hints import Adviser, Hint
from cyberdeck.views.view import Ending, Event, sentence
from cyberdeck.views.words import consequences

if TYPE_CHECKING:
    from cyberdeck.replay import Replay

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
    before: NDArray[Any]
    after: NDArray[Any]
    """The records before and after it."""


class _Past(NamedTuple):
    """How it was before an own decision."""

    saved: bytes
    memories: Memories
    """What the other players remembered."""
    logs: list[Log] | None
    decisions: int
    """How many had been made."""
    heard: int
    """How much had been heard."""
    said: list[int]
    turn: NDArray[Any] | None
    """A record of the last turn that had been carried out."""


def own_seats(variant: Variant, named: str, seed: int) -> list[int]:
    """The seats that *named* names: a seat by number or name, ``random``, or a team."""
    core = GameBatch(variant, 1)
    core.reset([seed])  # who plays white may be drawn
    for seat, name in enumerate(variant.agents):
        if named.lower() in (
            name,
            str(seat),
            showing.seat_name(variant, core.states, seat).lower(),
        ):
            return [seat]
    chosen = checked_seat(variant, named)
    if chosen.number == EVERY:
        raise OptionError("nobody is left to play against: name one seat, or one team")
    number = chosen.number
    if number == DRAWN:
        number = int(np.random.default_rng(seed).integers(variant.seats))
    if not chosen.team:
        return [number]
    return [seat for seat, side in enumerate(variant.sides) if side == variant.sides[number]]


class GameSession:
    """A running game: *own* are the person's seats, enemies and allies play the others."""

    def __init__(
        self, variant: Variant, own: Sequence[int], enemy: str, ally: str, seed: int
    ) -> None:
        self.variant, self.game = variant, variant.game
        self.own, self.seed = list(own), seed
        side = variant.sides[own[0]]
        self._players = {
            seat: find_player(variant, ally if variant.sides[seat] == side else enemy)
            for seat in range(variant.seats)
            if seat not in own
        }
        self.adviser = Adviser(variant)
        #: All that the person has heard so far.
        self.heard: list[Heard] = []
        # Who has decided in secret since something was heard of others, and of whom it was said. It
        # is said once: how often somebody decides may be a secret as well.
        self._secret: list[int] = []
        self._said: list[int] = []
        kept = not variant.game.open  # what a seat may believe is told by it
        kept = kept or any(player.needs_history for player in self._players.values())
        self._core = GameBatch(variant, 1, autoreset=DISABLED, history=kept)
        self._core.reset([seed])
        self._actions: list[int] = []
        # What has changed since an own decision is marked.
        self._shown = showing.Past(self._core.states.copy())
        self._past: list[_Past] = []
        #: The phases of the turn that was carried out last, for whoever wants to show them.
        self.film: list[Phase] = []

    @property
    def mover(self) -> int:
        """The seat to decide, -1 at the end."""
        return int(self._core.movers[0])

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
        return showing.seat_name(self.variant, self._core.states, seat)

    def player_name(self, seat: int) -> str:
        """Who plays a seat."""
        return self._players[seat].name if seat in self._players else PERSON

    def choices(self) -> list[Choice]:
        """What the person can do now."""
        record = showing.reader(self.variant, self._core.states)
        name = showing.view_of(self.variant).action_name
        names = showing.legal_notations(self.variant, record, self._core.masks[0].tolist())
        return [Choice(action, name(record, action), each) for action, each in names.items()]

    def words(self, action: int) -> str:
        """An action of whoever is to decide now."""
        return showing.action_name(self.variant, self._core.states, action)

    def hint(self) -> Hint:
        """What the best player there is would do."""
        return self.adviser.hint(self.position())

    def position(self) -> GameBatch:
        """The game as it stands now, to think about while it goes on."""
        core = GameBatch(self.variant, 1, autoreset=DISABLED)
        core.load(self._core.save())
        core.logs = self._core.logs and [*self._core.logs]
        return core

    def text(self) -> str:
        """The game as the person sees it."""
        return showing.screen(self.variant, self._core.states, self._viewers)

    def svg(self, theme: str = "dark", narrow: bool = False, bare: bool = False) -> str:
        """The same as a picture; *bare*: the board alone."""
        viewer, *allies = self._viewers
        lately = self.heard[self._past[-1].heard :] if self._past else self.heard
        decided = [
            Event(words=f"{self.seat_name(each.seat)}: {each.words}")
            for each in lately
            if each.seat != NOBODY
        ]
        past = self._shown if self._actions else showing.Past()  # else nothing has happened
        shown = self._core, 0, viewer, True, past, theme, narrow, allies
        return showing.picture_of(*shown, bare, decided)

    def status(self) -> Sequence[str]:
        """How far the game is, in a few words each."""
        return showing.page(self.variant, self._core.states, self._viewers).status

    def signs(self, theme: str = "dark") -> str:
        """What the signs of a bare picture mean, as a picture; or nothing."""
        return showing.signs(self.variant, self._core.states, self._viewers, theme)

    def svg_of(self, phase: Phase, theme: str = "dark", narrow: bool = False) -> str:
        """A phase as a bare picture."""
        shown = self.variant, phase.after, self._viewers, None, phase.before
        return showing.picture(*shown, theme, narrow, self._shown.turn, bare=True)

    def turn(self) -> str:
        """What the present turn is called, if a turn has several decisions."""
        return "" if self.mover == NOBODY else showing.turn(self.variant, self._core.states)

    # --- playing ---------------------------------------------------------------------------------

    def decide(self, action: int) -> list[str]:
        """The person's decision, which may be ``RESIGNS``; what it has brought about, in words."""
        self._core.check(np.array([action]), np.array([action == RESIGNS]))
        core, known = self._core, (len(self._actions), len(self.heard), self._said)
        logs = core.logs and core.logs.copy()
        past = _Past(core.save(), core.memories.copy(), logs, *known, self._shown.turn)
        self._past.append(past)
        self._shown.before = self._core.states.copy()
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
            twin = self.twin()
            self.answered(twin, self.ask(twin))
        return self.heard[known:]

    def twin(self) -> GameBatch:
        """The game as it stands, with all that is remembered, to ask the others about."""
        return copy.deepcopy(self._core)

    def ask(self, twin: GameBatch, watch: Watch | None = None) -> int:
        """What the one of the others decides who has to. Here nothing changes until ``answered``:
        that may take long, and the game can go on otherwise.
        """
        return int(twin.ask(self._players[int(twin.movers[0])], twin.all_rows, watch)[0])

    def answered(self, twin: GameBatch, action: int) -> None:
        """What ``ask`` gave, if the game stands as it did when the *twin* was made."""
        self._core = twin
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
                self._core.ask(player, self._core.all_rows)
            self._step(action)
        self.film = []

    def _step(self, action: int) -> list[Heard]:
        """A decision of whoever has to make one; what the person hears of it."""
        mover, before = self.mover, self._core.states.copy()
        resigns = action == RESIGNS
        hidden = (
            mover not in self.own
            and not resigns
            and all(hides_decision(self.game, before, seat) for seat in self.own)
        )
        turn, words = self.turn(), RESIGNED if resigns else self.words(action)
        told = [] if hidden or resigns else self.choices()
        short = "".join(choice.short for choice in told if choice.action == action)
        self._core.step(np.array([action]), np.array([resigns]))
        self._actions.append(action)
        self._shown.went_on(self.variant, before, self._core.states)
        known = len(self.heard)
        story = showing.story(self.variant, before, self._core.states, self._viewers)
        told_of = consequences(story)
        events = [f"{turn}, {each.line}" if each.phase else each.line for each in told_of]
        if phases := self.game.frames(before, self._core.states):
            self.film = [
                Phase(turn, [each.line for each in told_of if each.phase == at], old, new)
                for at, (old, new) in enumerate(itertools.pairwise([before, *phases]), start=1)
            ]
        if hidden and mover not in (*self._secret, *self._said):
            self._secret.append(mover)
        if self._secret and (not hidden or events or not self.waiting):
            verb = "decides" if len(self._secret) == 1 else "decide"
            who = ", ".join(map(self.name, self._secret))
            self.heard.append(Heard(NOBODY, f"{who} {verb} in secret", turn))
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
        self._core.load(past.saved)
        self._core.memories, self._core.logs = past.memories, past.logs
        self._shown = showing.Past(turn=past.turn)
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
        found = showing.ending(self.variant, self._core.states, self._viewers)
        if self._actions[-1] == RESIGNS:
            seat = self.heard[-1].seat
            who = "You" if seat in self.own else sentence(self.seat_name(seat))
            found = found._replace(why=f"{who} resigned")
        if registry.view(self.game) is None:  # the plain view does not know who has won
            return found._replace(headline=self._outcome())
        return found

    def _outcome(self) -> str:
        returns = self._core.final_returns[0]
        own = float(returns[self.own[0]])
        if self.game.scored:
            return f"You scored {own:g}" if self.variant.seats == 1 else f"You got {own:+g}"
        if self.variant.seats == 1:
            return "You win" if own > 0 else "You lose"
        others = max(
            float(returns[seat])
            for seat, side in enumerate(self.variant.sides)
            if side != self.variant.sides[self.own[0]]
        )
        if own == others:
            return "Nobody wins" if own < 0 else "A draw"
        return "You win" if own > others else "You lose"

    def metrics(self) -> list[tuple[str, int]]:
        """What a game counts that does not say in words how it ended."""
        if registry.view(self.game) is not None:
            return []
        _, _, metrics = self._core.look(self.viewer)
        names = [metric.name.replace("_", " ") for metric in self.game.metrics]
        return list(zip(names, metrics.tolist(), strict=True))

    def replay(self) -> Replay:
        """The finished game."""
        from cyberdeck.replay import Replay

        return Replay(
            self.variant,
            seed=self.seed,
            actions=self._actions,
            players=[self.player_name(seat) for seat in range(self.variant.seats)],
        )
