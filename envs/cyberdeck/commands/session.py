"""A game between a person and players of the suite, decision by decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.commands.choices import Choice
from cyberdeck.commands.hints import Adviser, Hint
from cyberdeck.drawing import views
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED, DRAWN, EVERY
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.roles import hides_decision
from cyberdeck.engine.seats import checked_seat
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.players import find_player

if TYPE_CHECKING:
    from cyberdeck.replay import Replay

PERSON = "person"


def own_seats(variant: Variant, named: str, seed: int) -> list[int]:
    """The seats that *named* names: a seat by number or name, ``random``, or a team."""
    core = GameBatch(variant, 1)
    core.reset([seed])  # who plays white may be drawn
    for seat, name in enumerate(variant.agents):
        if named.lower() in (name, str(seat), variant.game.named_seat(core.states, seat).lower()):
            return [seat]
    chosen = checked_seat(variant, named)
    if chosen.number == EVERY:
        raise OptionError("somebody else has to play: name one seat, or a team")
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
        self._adviser = Adviser(variant)
        self._core = GameBatch(variant, 1, autoreset=DISABLED)
        self._core.reset([seed])
        self._actions: list[int] = []
        # What has changed since is marked.
        self._before: NDArray[Any] | None = self._core.states.copy()
        self._past: list[tuple[bytes, int]] = []  # before each own decision: the game, its length

    @property
    def mover(self) -> int:
        """The seat to decide, -1 at the end."""
        return int(self._core.movers[0])

    @property
    def viewer(self) -> int:
        """The own seat whose view is shown."""
        return self.mover if self.mover in self.own else self.own[0]

    @property
    def decisions(self) -> int:
        """How many have been made by all."""
        return len(self._actions)

    def name(self, seat: int) -> str:
        """A seat and who plays it."""
        return f"{self.seat_name(seat)} ({self._player(seat)})"

    def seat_name(self, seat: int) -> str:
        """What people call a seat."""
        return self.game.named_seat(self._core.states, seat)

    def _player(self, seat: int) -> str:
        return self._players[seat].name if seat in self._players else PERSON

    def choices(self) -> list[Choice]:
        """What the person can do now."""
        legal = np.flatnonzero(self._core.masks[0]).tolist()
        return [Choice(action, self.words(action)) for action in legal]

    def words(self, action: int) -> str:
        """An action of whoever is to decide now."""
        return self.game.named_action(self._core.states, action)

    def hint(self) -> Hint:
        """What the best player there is would do."""
        return self._adviser.hint(self._core)

    def text(self) -> str:
        """The game as the person sees it."""
        seats = sorted(self.own, key=lambda seat: seat != self.viewer)
        return views.screen(self.variant, self._core.states, seats)

    def svg(self) -> str:
        """The same as a picture."""
        allies = tuple(seat for seat in self.own if seat != self.viewer)
        return views.picture(self._core, 0, self.viewer, True, self._before, allies=allies)

    # --- playing ---------------------------------------------------------------------------------

    def decide(self, action: int) -> list[str]:
        """The person's decision; what it has brought about, in words."""
        self._past.append((self._core.save(), len(self._actions)))
        self._before = self._core.states.copy()
        return self._step(action)

    def others(self) -> Iterator[str]:
        """Let the others decide until the person has to; what the person hears of it."""
        secret: list[int] = []
        while self.mover != NOBODY and self.mover not in self.own:
            mover, player = self.mover, self._players[self.mover]
            action = int(self._core.ask(player, self._core.all_rows)[0])
            record = self._core.states
            hidden = all(hides_decision(self.game, record, seat) for seat in self.own)
            words = self.words(action)
            happened = self._step(action)
            if hidden and mover not in secret:
                secret.append(mover)
            if not hidden or happened:
                yield from self._decided_in_secret(secret)
                secret = []
            if not hidden:
                yield f"{self.name(mover)}: {words}"
            yield from happened
        yield from self._decided_in_secret(secret)

    def _decided_in_secret(self, seats: Sequence[int]) -> list[str]:
        verb = "decides" if len(seats) == 1 else "decide"
        return [f"{', '.join(map(self.name, seats))} {verb} in secret"] if seats else []

    def _step(self, action: int) -> list[str]:
        before = self._core.states.copy()
        self._core.step(np.array([action]))
        self._actions.append(action)
        return self.game.events(before, self._core.states)

    def undo(self) -> str | None:
        """Take back the person's last decision, and all since; it in words, or None."""
        if not self._past:
            return None
        saved, length = self._past.pop()
        taken_back = self._actions[length]
        self._core.load(saved)
        self._before = None
        del self._actions[length:]
        return self.words(taken_back)

    # --- the end ---------------------------------------------------------------------------------

    def outcome(self) -> str:
        """Who has won, as the person hears it."""
        returns = self._core.final_returns[0]
        own = float(returns[self.own[0]])
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

    def reason(self) -> str:
        """Why the game is over."""
        return self.game.named_ending(self._core.states, self.own[0])

    def metrics(self) -> list[tuple[str, int]]:
        """What a game counts that does not say in words how it ended."""
        if self.game.ending is not None:
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
            players=[self._player(seat) for seat in range(self.variant.seats)],
        )
