"""Random play in which every state is looked at: in plain Python, and then in compiled code."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.game_loops import is_careful
from cyberdeck.engine.loops import HEURISTIC, RANDOM
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.players.trees.proving import can_prove
from cyberdeck.testing.alike import fields_apart
from cyberdeck.testing.position_checks import GAMES, ROUNDING, PositionChecks, fault_of
from cyberdeck.testing.report import Fault, Report

_BEGUN: Final = 100  # games in which nobody had to decide, until that is a fault
_ATTEMPTS: Final = 5  # new games after one that stopped at a fault


class PlayedGame(NamedTuple):
    """A game that was played: its seed, its decisions, and the record at their end."""

    seed: int
    decisions: list[int]
    record: bytes


class RandomPlay(PositionChecks):
    """Some games side by side, each begun from a seed of its own and played at random."""

    def __init__(
        self,
        variant: Variant,
        report: Report,
        seed: int,
        count: int,
        seconds: float = math.inf,
        progress: Callable[[int], None] | None = None,
        note: Callable[[int, Sequence[int]], None] | None = None,
    ) -> None:
        super().__init__(variant, report, count)
        self.seconds, self.progress, self.note = seconds, progress, note
        self.courses: list[PlayedGame] = []  # games that plain Python has played
        self.next_seed = self.first_seed = seed
        self.has_paid = self.has_shown = False
        self.turn = 0  # of many games the one that is looked at for everything

    def run(self, decisions: int) -> None:
        """Play so many decisions, and look at every state.

        Plain Python cannot go on after an error: then a new game begins.
        """
        careful, is_new, end = is_careful(self.game), True, self.report.decisions + decisions
        until = time.monotonic() + self.seconds if careful else math.inf
        while self.report.decisions < end and not self._is_hopeless():
            if time.monotonic() > until:
                self.report.stopped = True
                return
            try:
                if is_new:
                    self._begin(self.core.all_rows)
                else:
                    self._round()
                    until = min(until, time.monotonic() + self.seconds)  # all is compiled by now
                is_new = False
                games = self.next_seed - self.first_seed
                if careful and games > _BEGUN and not self.report.decisions:
                    what = f"in {_BEGUN} games nobody had to decide: they are over as they begin"
                    self.report.add(Fault("mover", what, self.first_seed, ()))
            except Exception as error:
                if not careful:
                    raise
                fault, is_new = fault_of(error, self.seeds[0], self.past[0]), True
                self.report.add(fault)
                if fault.check == "end" or self.next_seed - self.first_seed > _ATTEMPTS:
                    return
        if careful:
            return
        self._try("end", max(range(self.core.count), key=lambda row: len(self.past[row])))
        if self.games > GAMES:
            self._warn()

    def _warn(self) -> None:
        """Warn of what is no fault, but is hardly meant."""
        agents = self.variant.agents
        idle = [agents[seat] for seat in range(len(agents)) if seat not in self.moved]
        seen_nothing = "observe never wrote anything: all that anybody saw was 0"
        for check, meant, what in (
            ("mover", not idle, f"{' and '.join(idle)} never had to decide"),
            ("observation", self.has_shown, seen_nothing),
            ("rewards", self.has_paid, "no game brought anybody any reward"),
        ):
            if not meant:
                self.report.add(Fault(check, what, self.first_seed, ()), warning=True)

    def _round(self) -> None:
        """Make a decision in every game."""
        core = self.core
        running = np.flatnonzero(core.movers != NOBODY)
        for row in self._worth_a_look(running):
            self._look_at(row)
        if self._is_hopeless():
            return
        actions = self._decisions(running)
        self.decided[running, core.movers[running]] += 1
        for row in running.tolist():
            self.past[row].append(int(actions[row]))
        if self.note is not None and len(running):
            self.note(self.seeds[running[0]], self.past[running[0]])
        core.step(actions)
        self.returns[running] += core.rewards[running]
        for row in running[running < len(self.alone)].tolist():
            self._try("batch", row)
        most = np.abs(self.returns if can_prove(self.game) else core.rewards).max(axis=1)
        fine = most <= self.game.reward_bound + ROUNDING  # NaN is not
        for row in running[~fine[running]].tolist():
            self._try("rewards", row)
        self.has_paid |= bool(core.rewards.any())
        self.has_shown |= bool(core.observations.any())
        self.report.decisions += len(running)
        self.report.careful += len(running) * is_careful(self.game)
        if self.progress is not None:
            self.progress(self.report.decisions)
        over = np.flatnonzero(core.movers == NOBODY)
        for row in over.tolist():
            if row < len(self.alone):
                self._look_at(row)
            for name in ("bounds", "mover", "rewards", "result"):
                self._try(name, row)
        self._begin(over)

    def play_again(self, courses: Sequence[PlayedGame]) -> None:
        """Have compiled code play what plain Python has played: it must come to the same."""
        for seed, decisions, record in courses:
            if self.note is not None:
                self.note(seed, decisions)
            core = self.room
            core.reset([seed])
            for at, action in enumerate(decisions):
                if core.movers[0] == NOBODY or core.masks[0, action] != 1:
                    what = f"action {action} is not legal in compiled code"
                    self.report.add(Fault("compiled", what, seed, tuple(decisions[:at])))
                    return
                core.step(np.array([action]))
            if core.states.tobytes() != record:
                names = fields_apart(core.states, np.frombuffer(record, self.game.dtype))
                what = f"{' and '.join(names) or 'dice'} came out otherwise in compiled code"
                self.report.add(Fault("compiled", what, seed, tuple(decisions)))

    def _worth_a_look(self, running: NDArray[np.int64]) -> list[int]:
        """All games, or of many one in turn and those that do not look right."""
        core, failed = self.core, np.zeros(self.core.count, np.int64)
        if core.count == len(self.alone):
            return list(map(int, running))
        core.loops.check_state(core.states, failed)
        wrong = (failed > 0) | (core.masks & -2).any(axis=1) | ~core.masks.any(axis=1)
        seen = core.observations.reshape(core.count, -1)
        wrong |= ~((seen >= self.low) & (seen <= self.high)).all(axis=1)  # NaN is outside
        wrong |= (core.movers >= self.variant.seats) | (core.reasons != 0)
        if self.variant.longest is not None:
            wrong |= (self.decided >= self.variant.longest).any(axis=1)
        if self.variant.most_decisions is not None:
            wrong |= core.states["decisions"] >= self.variant.most_decisions
        self.turn = (self.turn + 1) % core.count
        wrong[self.turn] = True
        return list(map(int, running[wrong[running]]))

    def _begin(self, rows: NDArray[np.int64]) -> None:
        """New games in these rows, from seeds that no game has had."""
        for row in rows.tolist():
            past, self.past[row] = self.past[row], []
            self.report.games += bool(past)
            self.games += bool(past)
            if past and is_careful(self.game):
                record = self._record(row).tobytes()
                self.courses.append(PlayedGame(self.seeds[row], past, record))
            self.report.longest = max(self.report.longest, len(past))
            self.seeds[row], self.next_seed = self.next_seed, self.next_seed + 1
            self.returns[row], self.decided[row], self.before = 0.0, 0, None
        if len(rows):
            self.core.reset([self.seeds[row] for row in rows], which=rows)
        for row in rows[rows < len(self.alone)].tolist():
            self.alone[row].reset([self.seeds[row]])
            self._try("fresh", row)

    def _decisions(self, running: NDArray[np.int64]) -> NDArray[np.int64]:
        """The next decision in each row; in a quarter of the games the heuristic's."""
        core, close = self.core, len(self.alone)
        actions = core.choose(RANDOM) if core.count > close else np.zeros(close, np.int64)
        for row in running[running < close].tolist():
            actions[row] = self._decision(row)
        sensible = [row for row in running.tolist() if self.seeds[row] % 4 == 3]
        if sensible and "heuristic" not in self.report.failed:
            chosen = np.zeros(len(sensible), np.int64)
            states, rows, masks = (part[sensible] for part in (core.states, core.rows, core.masks))
            core.loops.choose(HEURISTIC, states, rows, masks, chosen)
            actions[sensible], core.rows[sensible] = chosen, rows  # whose random bits were used
        return actions
