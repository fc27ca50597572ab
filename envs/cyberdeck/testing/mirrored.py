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
    try:
        _Pair(variant, exchange, seed, games).play(decisions, until)
    except _Differ as fault:
        return Fault("symmetries", *fault.args)
    return None


class _Differ(Exception):
    """What shows that a symmetry is none, the game's seed, and its decisions."""


class _Pair:
    """Games, and their images under a symmetry."""

    def __init__(self, variant: Variant, exchange: Exchange, seed: int, count: int) -> None:
        self.variant, self.exchange, self.next_seed = variant, exchange, seed
        self.rng = np.random.default_rng(int(dice.seeded(seed)))
        self.first = GameBatch(variant, count, autoreset=DISABLED)
        self.image = GameBatch(variant, count, autoreset=DISABLED)
        self.seeds = [0] * count
        self.past: list[list[int]] = [[] for _ in range(count)]

    def play(self, decisions: int, until: float) -> None:
        """Play so many at random; raises what shows that the images do not go the same way."""
        first, image, rows = self.first, self.image, self.first.all_rows
        self._begin(rows)
        while decisions > 0 and time.monotonic() < until:
            movers = first.movers.copy()
            actions = (first.masks * (1 + self.rng.random(first.masks.shape))).argmax(axis=1)
            images = self.exchange.actions[movers, actions]
            for row in rows.tolist():
                self.past[row].append(int(actions[row]))
            first.step(actions)
            image.step(images)
            decisions -= len(rows)
            self._compare(images)
            self._begin(np.flatnonzero(first.movers == NOBODY))
            if self.rng.random() < 1 / _ANEW:
                self._make_images(rows)

    def _begin(self, rows: NDArray[np.int64]) -> None:
        """New games in these rows."""
        if not len(rows):
            return
        for row in rows.tolist():
            self.seeds[row], self.past[row] = self.next_seed, []
            self.next_seed += 1
        self.first.reset([self.seeds[row] for row in rows], which=rows)
        self._make_images(rows)

    def _make_images(self, rows: NDArray[np.int64]) -> None:
        image = self.image
        try:
            states = self.exchange.image(self.first.states[rows])
        except Exception as error:
            if not place(error):
                raise
            raise self._fault(rows[0], f"{place(error)}{in_words(error)}") from error
        for at, row in enumerate(rows.tolist()):
            if broken := broken_invariant(self.variant.game, states[at : at + 1]):
                what = f"the image is no possible position: it does not hold that {broken}"
                raise self._fault(row, what)
        image.states[rows], image.started = states, True
        image._begin(image._arrays, FROM_POSITION)
        self._compare(None)

    def _compare(self, images: NDArray[np.int64] | None) -> None:
        """Who decides and what is legal must be the same; and, after actions whose *images* are
        these, what they bring, and the end.
        """
        first, image, exchange = self.first, self.image, self.exchange
        movers = first.movers
        masks = np.take_along_axis(image.masks, exchange.actions[movers], axis=1)
        illegal = (masks != first.masks) & (movers != NOBODY)[:, None]
        others = {}
        if images is not None:
            rewards = first.rewards != image.rewards[:, exchange.seats]
            over = (first.terminated != image.terminated) | (first.truncated != image.truncated)
            others["what it brings"] = rewards.any(axis=1)
            others["whether it is over, or why"] = over | (first.reasons != image.reasons)
        wanted = np.where(movers == NOBODY, NOBODY, exchange.seats[movers])
        others |= {"who decides": wanted != image.movers, "what is legal": illegal.any(axis=1)}
        for what, rows in others.items():
            if not rows.any():
                continue
            row = int(rows.argmax())
            said = f"{what} is another in the image"
            if what == "what is legal":
                action = int(illegal[row].argmax())
                here, there = ("is", "is not")[:: 1 if first.masks[row, action] == 1 else -1]
                other = exchange.actions[movers[row], action]
                said += f": action {action} {here} legal, and {other}, which it becomes, {there}"
            if images is not None:
                said += f", where action {self.past[row][-1]} has become {images[row]}"
            raise self._fault(row, said)

    def _fault(self, row: int, what: str) -> _Differ:
        name = ", ".join(each.name for each in self.exchange.symmetries)
        return _Differ(f"{name!r} is none: {what}", self.seeds[row], tuple(self.past[row]))
