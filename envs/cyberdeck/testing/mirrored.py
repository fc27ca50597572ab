"""Are a game's symmetries symmetries? The game and its image are played side by side."""

from __future__ import annotations

import math
import time
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import dice
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED, FROM_POSITION
from cyberdeck.engine.places import in_words, place
from cyberdeck.engine.positions import broken_invariant
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.symmetry import Exchange
from cyberdeck.engine.variant import Variant
from cyberdeck.testing.report import Fault

#: Images are made anew one time in so many decisions: positions have images as well.
_ANEW: Final = 4


def wrong_symmetry(
    variant: Variant,
    exchange: Exchange,
    *,
    seed: int,
    decisions: int,
    until: float = math.inf,
    games: int = 16,
) -> Fault | None:
    """The first fault of a symmetry in so many random decisions, or *until* that time."""
    return _Pair(variant, exchange, seed, games).played(decisions, until)


class _Pair:
    """Games, and their images under a symmetry."""

    def __init__(self, variant: Variant, exchange: Exchange, seed: int, count: int) -> None:
        self.variant, self.exchange, self.next_seed = variant, exchange, seed
        self.rng = np.random.default_rng(int(dice.seeded(seed)))
        self.first = GameBatch(variant, count, autoreset=DISABLED)
        self.image = GameBatch(variant, count, autoreset=DISABLED)
        self.seeds = [0] * count
        self.past: list[list[int]] = [[] for _ in range(count)]

    def played(self, decisions: int, until: float) -> Fault | None:
        """Play so many at random; what shows that the images do not go the same way."""
        first, image, rows = self.first, self.image, self.first.all_rows
        fault = self._begin(rows)
        while fault is None and decisions > 0 and time.monotonic() < until:
            movers = first.movers.copy()
            actions = (first.masks * (1 + self.rng.random(first.masks.shape))).argmax(axis=1)
            become = self.exchange.actions[movers, actions]
            for row in rows.tolist():
                self.past[row].append(int(actions[row]))
            first.step(actions)
            image.step(become)
            decisions -= len(rows)
            fault = self._compared(self._ends() | self._allowed(), become)
            if fault is None:
                fault = self._begin(np.flatnonzero(first.movers == NOBODY))
            if fault is None and self.rng.random() < 1 / _ANEW:
                fault = self._imaged(rows)
        return fault

    def _begin(self, rows: NDArray[np.int64]) -> Fault | None:
        """New games in these rows."""
        if not len(rows):
            return None
        for row in rows.tolist():
            self.seeds[row], self.past[row] = self.next_seed, []
            self.next_seed += 1
        self.first.reset([self.seeds[row] for row in rows], which=rows)
        return self._imaged(rows)

    def _imaged(self, rows: NDArray[np.int64]) -> Fault | None:
        """Make the images of these games."""
        image = self.image
        try:
            states = self.exchange.image(self.first.states[rows])
        except Exception as error:
            if not place(error):
                raise
            return self._fault(rows[0], f"{place(error)}{in_words(error)}")
        for at, row in enumerate(rows.tolist()):
            if broken := broken_invariant(self.variant.game, states[at : at + 1]):
                what = "the image is no possible position: it does not hold that"
                return self._fault(row, f"{what} {broken}")
        image.states[rows], image.started = states, True
        image._begin(image._arrays, FROM_POSITION)
        return self._compared(self._allowed(), None)

    def _allowed(self) -> dict[str, NDArray[np.bool_]]:
        """(N,) each: is another seat to move in the image, is the mask another?"""
        movers = self.first.movers
        wanted = np.where(movers == NOBODY, NOBODY, self.exchange.seats[movers])
        wrong = (self._masks() != self.first.masks).any(axis=1) & (movers != NOBODY)
        return {"who decides": wanted != self.image.movers, "what is legal": wrong}

    def _ends(self) -> dict[str, NDArray[np.bool_]]:
        """(N,) each: are the image's rewards, or the end, others?"""
        first, image = self.first, self.image
        over = (first.terminated != image.terminated) | (first.truncated != image.truncated)
        return {
            "what it brings": (first.rewards != image.rewards[:, self.exchange.seats]).any(axis=1),
            "whether it is over, or why": over | (first.reasons != image.reasons),
        }

    def _masks(self) -> NDArray[np.int8]:
        """The images' masks, each action in the place of the one that becomes it."""
        return np.take_along_axis(
            self.image.masks, self.exchange.actions[self.first.movers], axis=1
        )

    def _compared(
        self, differences: dict[str, NDArray[np.bool_]], become: NDArray[np.int64] | None
    ) -> Fault | None:
        """The first difference there is, after actions that have *become* others."""
        for what, rows in differences.items():
            if not rows.any():
                continue
            row = int(rows.argmax())
            said = f"{what} is another in the image"
            if what == "what is legal":
                action = int((self._masks()[row] != self.first.masks[row]).argmax())
                other = self.exchange.actions[self.first.movers[row], action]
                legal = self.first.masks[row, action] == 1
                here, there = ("is", "is not") if legal else ("is not", "is")
                said += f": action {action} {here} legal, and {other}, which it becomes, {there}"
            if become is not None:
                said += f", where action {self.past[row][-1]} has become {become[row]}"
            return self._fault(row, said)
        return None

    def _fault(self, row: int, what: str) -> Fault:
        name = ", ".join(each.name for each in self.exchange.symmetries)
        past = tuple(self.past[row])
        return Fault("symmetries", f"{name!r} is none: {what}", self.seeds[row], past)
