"""Positions of games in which every throw of the dice is a position of its own, with what each seat
knows there: for OpenSpiel, whose algorithms want chance to be explicit.
"""

from __future__ import annotations

import threading
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import dice
from cyberdeck.engine.chance import Outcomes, copy_of
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.contract import HISTORY, OBSERVATION, Record
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED, FROM_POSITION, row_dtype
from cyberdeck.engine.recall import too_often
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError

#: OpenSpiel asks for a bound of the decisions and throws in a game.
LONGEST: Final = 100_000

#: In the place of a seat, as OpenSpiel numbers them: dice are thrown, or the game is over.
CHANCE, OVER = -1, -4

#: Random games that show what rewards are like, and how exactly.
_TRIED: Final = 64
_ROUNDING: Final = 1e-4


class Rewards(NamedTuple):
    """What holds of the rewards of all games."""

    total: float | None  # of all seats, if it is always the same
    most: float  # that a seat may get, or less than its negative
    at_end: bool  # and nothing before


def try_rewards(variant: Variant) -> Rewards:
    """What random games show of their rewards."""
    core = GameBatch(variant, _TRIED, autoreset=DISABLED)
    core.reset(range(_TRIED))
    returns, at_end = np.zeros((_TRIED, variant.seats)), True
    rng = np.random.default_rng(0)
    for _ in range(LONGEST):
        if (core.movers == NOBODY).all():
            break
        core.step((rng.random(core.masks.shape, np.float32) * core.masks).argmax(axis=1))
        returns += core.rewards
        at_end &= not core.rewards[core.movers != NOBODY].any()
    else:
        raise OptionError(f"{variant.game.title} does not end in {LONGEST:,} random decisions")
    totals, most = returns.sum(axis=1), float(variant.game.reward_bound)
    alike = variant.seats > 1 and np.ptp(totals) < _ROUNDING
    within = np.abs(returns).max() < most + _ROUNDING
    return Rewards(
        round(float(totals[0]), 4) if alike else None, most if within else most * LONGEST, at_end
    )


class Decision(NamedTuple):
    """A decision as the one who made it knows it."""

    seen: NDArray[Any]
    action: int
    text: str  # both, and what was legal


class Position(NamedTuple):
    """Where a game stands. It is never changed: a state and its copies share it."""

    record: Record
    player: int  # the seat to decide, or OpenSpiel's number for chance or for the end
    mask: NDArray[np.int8]  # what the mover may do
    seen: NDArray[Any]  # and sees
    known: tuple[tuple[Decision, ...], ...]  # what each seat saw and did whenever it decided
    returns: NDArray[np.float64]
    outcomes: int = 0  # of the throw that comes next
    action: int | None = None  # what the dice are thrown for: to deal, if there is none
    thrown: tuple[int, ...] = ()  # for that, until now

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        return self

    @property
    def begun(self) -> bool:
        """Whether there is anything to be seen."""
        return self.player != CHANCE or self.action is not None


def _recall(variant: Variant) -> Variant | None:
    """The same game with ``observation="history"``, if that is possible and shows no less."""
    if variant.game.recalls:
        return variant
    history = {**variant.options, OBSERVATION: HISTORY}
    if variant.longest is None or variant.game.plain_options(history) != variant.options:
        return None
    try:
        return Variant(variant.game, history)
    except OptionError:  # it has too many numbers
        return None


class Rules:
    """How the positions of a game follow each other."""

    def __init__(self, variant: Variant, rewards: Rewards) -> None:
        self.variant, self.rewards = variant, rewards
        #: The game that shows all that a seat has seen and done, if there is one.
        self.recall = _recall(variant)
        self._loops = variant.loops
        self._outcomes, self._alone = Outcomes(variant, raw=True), threading.Lock()
        self._row = np.zeros(1, row_dtype(variant.game.most_seats, len(variant.game.metrics)))
        self._row["seat_rule"] = self._row["seat"] = EVERY
        self._nobody = np.zeros(1, np.int8)
        mask = np.zeros(variant.action_count, np.int8)
        seen = np.zeros(variant.observation_size, variant.dtype)
        known, returns = ((),) * variant.seats, np.zeros(variant.seats)
        nothing = Position(variant.blank(), CHANCE, mask, seen, known, returns)
        self.first = self._thrown(nothing, None, ())

    def decided(self, at: Position, action: int) -> Position:
        """What the mover's *action* leads to."""
        seat, nobody = at.player, self._nobody
        own = (*at.known[seat], Decision(at.seen, action, f"{self.now(at)}>{action}"))
        known = (*at.known[:seat], own, *at.known[seat + 1 :])
        record, row = copy_of(at.record), copy_of(self._row)
        mask, seen = at.mask[None].copy(), at.seen[None].copy()
        ends = np.empty((1, self.variant.seats, seen.size), seen.dtype)
        which, chosen = np.zeros(1, np.int64), np.array([action])
        self._loops.advance(which, chosen, record, row, nobody, nobody, DISABLED, mask, seen, ends)
        if record["dice"][0] != at.record["dice"][0]:  # it has thrown dice of its own
            return self._thrown(at._replace(known=known), action, ())
        reached = Position(record, self._player(record), mask[0], seen[0], known, at.returns)
        return self._paid(reached)

    def shown(self, at: Position, outcome: int) -> Position:
        """What it leads to that the dice show *outcome*."""
        return self._thrown(at, at.action, (*at.thrown, outcome))

    def redrawn(self, at: Position, seat: int, random_bits: int) -> Position:
        """A position that *seat* cannot tell from this one; what others have seen is left out."""
        record = copy_of(at.record)
        self._loops.resample(record, 0, seat, dice.seeded(random_bits))
        record["dice"] = at.record["dice"]
        known = tuple(own if each == seat else () for each, own in enumerate(at.known))
        return self._at(record, known, at.returns)

    def seen(self, at: Position, seat: int) -> NDArray[Any]:
        """What a seat sees: nothing before the game has begun."""
        if at.player == seat or not at.begun:
            return at.seen
        variant = self.variant
        seen, mask = np.empty_like(at.seen), np.empty_like(at.mask)
        metrics = np.empty(len(variant.game.metrics), np.int32)
        self._loops.look(at.record, 0, seat, mask, seen, metrics)
        return seen

    def recalled(self, at: Position, seat: int, recall: Variant) -> NDArray[Any]:
        """All that a seat has seen and done, as *recall* shows it: also while dice are thrown for
        what it has decided last.
        """
        vector = np.zeros(recall.observation_size, recall.dtype)
        past, size = recall.named(vector), sum(feature.size for feature in recall.present)
        for number, decision in enumerate(at.known[seat]):
            if number == recall.longest:
                raise too_often(recall.game, seat, number)
            past["past_observations"][number] = decision.seen[-size:]
            past["past_actions"][number, decision.action] = 1
        vector[-size:] = self.seen(at, seat)[-size:]
        return vector

    @staticmethod
    def now(at: Position) -> str:
        """What the mover sees and may do."""
        return f"{at.seen.tobytes().hex()}/{np.packbits(at.mask).tobytes().hex()}"

    def _thrown(self, at: Position, action: int | None, thrown: tuple[int, ...]) -> Position:
        """What *action* leads to if the dice show *thrown*, or the next throw for it."""
        with self._alone:
            record, outcomes = self._outcomes.reach(at.record, action, thrown)
        if outcomes:
            return at._replace(player=CHANCE, outcomes=outcomes, action=action, thrown=thrown)
        return self._paid(self._at(record, at.known, at.returns))

    def _at(
        self, record: Record, known: tuple[tuple[Decision, ...], ...], returns: NDArray[np.float64]
    ) -> Position:
        """The position of a record."""
        nobody, which, row = self._nobody, np.zeros(1, np.int64), copy_of(self._row)
        mask = np.empty((1, self.variant.action_count), np.int8)
        seen = np.empty((1, self.variant.observation_size), self.variant.dtype)
        self._loops.begin(which, record, row, nobody, nobody, FROM_POSITION, mask, seen)
        return Position(record, self._player(record), mask[0], seen[0], known, returns)

    @staticmethod
    def _player(record: Record) -> int:
        mover = int(record["mover"][0])
        return OVER if mover == NOBODY else mover

    def _paid(self, at: Position) -> Position:
        """The position with what it has brought."""
        returns = at.returns + at.record["reward"][0, : self.variant.seats]
        if at.player == OVER:
            total, most, _ = self.rewards
            within = np.abs(returns).max() < most + _ROUNDING
            if not within or (total is not None and abs(returns.sum() - total) >= _ROUNDING):
                raise OptionError(
                    f"this game of {self.variant.game.title} brings {returns.tolist()}, other than "
                    f"{_TRIED} random games have shown: make it with general_sum=True"
                )
        return at._replace(returns=returns)
