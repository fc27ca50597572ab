"""A small handle on the real engine for tests: one game, one record, plain Python values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import cyberdeck
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED, HEURISTIC, ONLY_SHUFFLE, ONLY_START


class Play:
    """One game of the engine, dealt from a prescribed table or from a seed.

    It goes by the loops, which are compiled already, and not by single kernels.
    """

    def __init__(
        self,
        name: str,
        table: Mapping[str, Any] | None = None,
        seed: int = 0,
        **options: Any,
    ) -> None:
        self.variant = cyberdeck.variant(name, **options)
        self.game = self.variant.game
        self.kernels = self.game.kernels
        self.core = GameBatch(self.variant, 1, autoreset=DISABLED)
        self.record = self.core.states
        self.record["dice"] = seed
        self.core.rows["seat"] = EVERY
        self._begin(ONLY_SHUFFLE)
        if not (table and self.game.prescribe(self.record, table)):
            self._begin(ONLY_START)

    def _begin(self, how: int) -> None:
        core = self.core
        seen = (core.masks, core._arrays.vectors)
        core.loops.begin(
            core.all_rows, self.record, core.rows, core.pool, core.ally_pool, how, *seen
        )

    def _look(self, seat: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A seat's mask, observation and metrics."""
        mask = np.full(self.variant.action_count, 99, np.int8)
        out = np.full(self.variant.observation_size, 99, np.int8)
        metrics = np.zeros(len(self.game.metrics), np.int32)
        self.core.loops.look(self.record, 0, seat, mask, out, metrics)
        return mask, out, metrics

    @property
    def state(self) -> np.void:
        return self.record[0]

    @property
    def mask(self) -> np.ndarray:
        """The mover's; all zeros when the game is over."""
        if self.mover is None:
            return np.zeros(self.variant.action_count, np.int8)
        return self._look(self.mover)[0]

    def legal(self) -> list[int]:
        return np.flatnonzero(self.mask).tolist()

    def act(self, action: int) -> float | tuple[float, ...]:
        """Play a legal action; the reward, one number or one for each seat."""
        core = self.core
        core.masks[0] = self.mask
        assert core.masks[0, action] == 1, f"{action} is not among {self.legal()}"
        for name in ("terminated", "truncated", "waiting"):
            core.rows[name] = 0
        core.loops.advance(
            core.all_rows,
            np.array([action]),
            self.record,
            core.rows,
            core.pool,
            core.ally_pool,
            DISABLED,
            core.masks,
            core._arrays.vectors,
            core._games[-1],
        )
        return self.reward

    def advised(self, bits: int) -> int:
        """What the heuristic does, by so much luck."""
        self.core.masks[0], self.core.rows["dice"] = self.mask, bits
        return int(self.core.choose(HEURISTIC)[0])

    def redraw(self, seat: int) -> None:
        """What a seat cannot know, by the record's own generator."""
        self.core.loops.resample(self.record, 0, seat, self.record["dice"][0])

    @property
    def mover(self) -> int | None:
        mover = int(self.record["mover"][0])
        return None if mover < 0 else mover

    @property
    def reward(self) -> float | tuple[float, ...]:
        rewards = self.record["reward"][0].tolist()
        return rewards[0] if len(rewards) == 1 else tuple(rewards)

    @property
    def reason(self) -> str:
        return self.game.reasons[int(self.record["reason"][0])]

    @property
    def terminated(self) -> bool:
        return bool(self.record["terminated"][0])

    @property
    def truncated(self) -> bool:
        return bool(self.record["truncated"][0])

    @property
    def over(self) -> bool:
        return self.terminated or self.truncated

    def seen(self, seat: int = 0) -> dict[str, np.ndarray]:
        """What a seat sees, by the names of its features."""
        return self.variant.named(self._look(seat)[1])

    def metrics(self, seat: int = 0) -> dict[str, int]:
        """What `info` reports."""
        out = self._look(seat)[2]
        return {metric.name: int(out[at]) for at, metric in enumerate(self.game.metrics)}

    def trouble(self) -> str:
        """Empty, or which of the game's invariants does not hold."""
        failed = np.zeros(1, np.int64)
        self.core.loops.check_state(self.record, failed)
        return self.game.invariants[int(failed[0]) - 1] if failed[0] else ""
