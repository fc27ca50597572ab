"""A game between a person and players of the suite, decision by decision."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass
from typing import Final, NamedTuple

from cyberdeck.common.reading import fault_of_text
from cyberdeck.common.text import quoted
from cyberdeck.engine.constants import NOBODY
from cyberdeck.errors import EpisodeError, OptionError
from cyberdeck.play.choices import Choice
from cyberdeck.play.engine import Engine, Hint, Position
from cyberdeck.play.finished import FinishedGame
from cyberdeck.play.game import Game
from cyberdeck.play.narrator import Decision, Onlooker, seated
from cyberdeck.views.record import Record
from cyberdeck.views.scene import Scene
from cyberdeck.views.view import Ending, Event, sentence

#: Seeds that are drawn are below it.
SEEDS: Final = 2**31


@dataclass(frozen=True)
class Setup:
    """Who plays what: the person's seat or team, and the others' players by name.

    Nobody named: the heuristic, where the game has one, else random.
    """

    seat: str = "0"
    against: str = ""
    ally: str = ""

    def named(self, engine: Engine) -> Setup:
        """The same with everybody named; in a game without allies nobody asks who they are."""
        for who in astuple(self):
            if fault := fault_of_text(who):
                raise OptionError(f"{quoted(who)} cannot play: {fault}")
        return Setup(self.seat, self.against or engine.usual, self.ally or engine.usual)


class News(NamedTuple):
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


class _Checkpoint(NamedTuple):
    """How it was before an own decision."""

    position: Position
    """With what the other players remembered."""
    decisions: int
    """How many had been made."""
    news: int
    """How much had been heard."""
    announced: list[int]
    last_turn: Record | None
    """A record of the last turn that had been carried out."""


class GameSession(Game):
    """A running game between a person, who has the seats ``own``, and those who play the others.

    Args:
        engine: plays it.
        setup: who plays.
        seed: what is dealt; None: it is drawn.
    """

    def __init__(self, engine: Engine, setup: Setup, seed: int | None = None) -> None:
        self.setup = setup = setup.named(engine)
        seed = secrets.randbelow(SEEDS) if seed is None else seed
        self.engine, self.own = engine, engine.own_seats(setup.seat, seed)
        side = engine.sides[self.own[0]]
        players = {
            seat: engine.player(setup.ally if engine.sides[seat] == side else setup.against)
            for seat in range(len(engine.agents))
            if seat not in self.own
        }
        super().__init__(engine.view, engine.begin(seed, [*players.values()]), seed, players)
        #: All that the person has heard so far.
        self.news: list[News] = []
        # Who has decided in secret since something was heard of others, and of whom it was said. It
        # is said once: how often somebody decides may be a secret as well.
        self._secret: list[int] = []
        self._announced: list[int] = []
        # What has changed since an own decision is marked, and the last turn that was carried out
        # in phases, which began there.
        self._before: Record | None = self.record
        self._last_turn: Record | None = None
        self._checkpoints: list[_Checkpoint] = []
        #: The phases of the turn that was carried out last, for whoever wants to show them.
        self.film: list[Phase] = []

    @property
    def onlooker(self) -> Onlooker:
        """The person, from the side of the own seat that decides, or else of the first."""
        first = self.mover if self.mover in self.own else self.own[0]
        return seated(first, *(seat for seat in self.own if seat != first))

    def name(self, seat: int) -> str:
        """A seat and who plays it."""
        return f"{self.seat_name(seat)} ({self.player_name(seat)})"

    def choices(self) -> list[Choice]:
        """What the person can do now."""
        return [
            Choice(action, self.words(action), written)
            for action, written in self.notations.items()
        ]

    def words(self, action: int) -> str:
        """An action of whoever is to decide now."""
        return self.view.action_name(self.record, action)

    def hint(self) -> Hint:
        """What the best player there is would do."""
        return self.engine.hint(self.position.twin())

    # --- what there is to see --------------------------------------------------------------------

    @property
    def scene(self) -> Scene:
        """The game as the person sees it, with what is marked as new."""
        # Before the first decision nothing has happened.
        past = (self._before, self._last_turn) if self.log else (None, None)
        return Scene(self.view, self.record, self.onlooker.viewer, *past)

    def svg(self, theme: str = "dark", narrow: bool = False, bare: bool = False) -> str:
        """The same as a picture; *bare*: the board alone."""
        since = self._checkpoints[-1].news if self._checkpoints else 0
        decided = [
            Event(words=f"{self.seat_name(each.seat)}: {each.words}")
            for each in self.news[since:]
            if each.seat != NOBODY
        ]
        legal = self.legal if self.mover in self.own else None
        return self.scene.picture(legal, theme, narrow, bare, decided)

    def svg_of(self, phase: Phase, theme: str = "dark", narrow: bool = False) -> str:
        """A phase as a bare picture."""
        scene = Scene(self.view, phase.after, self.onlooker.viewer, phase.before)
        return scene._replace(turn=self._last_turn).picture(None, theme, narrow, bare=True)

    def turn(self) -> str:
        """What the present turn is called, if a turn has several decisions."""
        return "" if self.over else self.view.turn(self.record)

    # --- playing ---------------------------------------------------------------------------------

    def decide(self, action: int) -> list[str]:
        """The person's decision, which may be ``RESIGNS``; what it has brought about, in words."""
        self.position.check(action)
        known = len(self.log), len(self.news), self._announced
        self._checkpoints.append(_Checkpoint(self.position.twin(), *known, self._last_turn))
        self._before = self.record
        return [news.words for news in self._advance(action) if news.seat == NOBODY]

    @property
    def waiting(self) -> bool:
        """Whether others have to decide."""
        return not self.over and self.mover not in self.own

    def others(self) -> Iterator[str]:
        """Let the others decide until the person has to; what the person hears of it."""
        while self.waiting:
            twin = self.position.twin()
            for news in self.carry_out(twin, self.ask(twin)):
                by = f"{self.name(news.seat)}: " if news.seat != NOBODY else ""
                yield by + news.words

    def carry_out(self, twin: Position, action: int) -> list[News]:
        """What ``ask`` gave, if the game stands as it did when the *twin* was made; what the person
        hears of it.
        """
        self.position = twin
        return self._advance(action)

    def play(self, actions: Iterable[int]) -> None:
        """Make decisions that were made before, everybody's."""
        for action in actions:
            if self.over:  # as the rules were then, it was not
                raise EpisodeError("the game is over before its last decision")
            if self.mover in self.own:
                self.decide(action)
                continue
            self.position.check(action)
            player = self.players[self.mover]
            if player.memory:  # it has to remember what it saw
                self.position.ask(player)
            self._advance(action)
        self.film = []

    def _advance(self, action: int) -> list[News]:
        """A decision of whoever has to make one; what the person hears of it."""
        decision = self.step(action)
        hidden = decision.is_hidden(self.onlooker)
        follows = decision.consequences(self.onlooker)
        turn, known = decision.turn, len(self.news)
        if phases := decision.phases:
            self._last_turn = decision.record
            self.film = [
                Phase(turn, [each.line for each in follows if each.phase == at], before, after)
                for at, (before, after) in enumerate(
                    itertools.pairwise([decision.record, *phases]), start=1
                )
            ]
        self._announce(decision, hidden, bool(follows))
        if not hidden:
            self.news.append(News(decision.mover, decision.words, turn, decision.short))
        for each in follows:
            line = f"{turn}, {each.line}" if each.phase else each.line
            self.news.append(News(NOBODY, line, turn))
        if follows or (not hidden and decision.mover not in self.own):
            self._announced = []
        return self.news[known:]

    def _announce(self, decision: Decision, hidden: bool, follows: bool) -> None:
        """Say who has decided in secret, as soon as something else is heard."""
        if hidden and decision.mover not in (*self._secret, *self._announced):
            self._secret.append(decision.mover)
        if self._secret and (not hidden or follows or not self.waiting):
            verb = "decides" if len(self._secret) == 1 else "decide"
            who = ", ".join(map(self.name, self._secret))
            words = f"{who} {verb} in secret, once or more"
            self.news.append(News(NOBODY, words, decision.turn))
            self._announced, self._secret = [*self._announced, *self._secret], []

    @property
    def can_undo(self) -> bool:
        """Whether there is a decision of the person's to take back."""
        return bool(self._checkpoints)

    def undo(self) -> str | None:
        """Take back the person's last decision, and all since; it in words, or None."""
        if not self._checkpoints:
            return None
        then = self._checkpoints.pop()
        self.position, self.record = then.position, then.position.record
        undone = self.log[then.decisions].words
        self._before, self._last_turn = None, then.last_turn
        self._secret, self._announced, self.film = [], then.announced, []
        del self.log[then.decisions :], self.news[then.news :]
        return undone

    # --- the end ---------------------------------------------------------------------------------

    def ending(self) -> Ending:
        """Who has won and why, as the person hears it."""
        found = self.ending_for(self.onlooker)
        if self.log[-1].resigns:
            seat = self.log[-1].mover
            who = "You" if seat in self.own else sentence(self.seat_name(seat))
            found = found._replace(why=f"{who} resigned")
        return found._replace(headline=self._headline()) if self.engine.plainly else found

    def _headline(self) -> str:
        returns, sides = self.position.returns, self.engine.sides
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
        if not self.engine.plainly:
            return []
        found = self.position.metrics(self.own[0])
        return [(name.replace("_", " "), value) for name, value in found]

    def finished(self) -> FinishedGame:
        """The finished game, to be looked at and kept."""
        names = [self.player_name(seat) for seat in range(len(self.engine.agents))]
        return FinishedGame(self.engine, self, names, self.own)
