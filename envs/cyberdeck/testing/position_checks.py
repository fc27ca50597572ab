"""The checks of one position: of its record, masks, observations, redraws and copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import dice, roles
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.game_loops import is_careful
from cyberdeck.engine.loops import DISABLED, HEURISTIC, RANDOM
from cyberdeck.engine.places import in_words, place
from cyberdeck.engine.positions import broken_invariant, unpacked
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.engine.watched import Misuse
from cyberdeck.errors import CyberdeckError
from cyberdeck.players.trees.proving import can_prove
from cyberdeck.testing.alike import Redraws, fields_apart
from cyberdeck.testing.people import wrong_for_people
from cyberdeck.testing.report import Fault, Report

#: Numbers on both sides of the arrays that kernels write to, which they must leave alone.
_GUARD: Final = 64
_UNTOUCHED: Final = 77

#: Decisions at random after which a game that goes on is taken to be endless.
_ENDLESS: Final = 100_000

#: Of more games than these, few are looked at for everything.
GAMES: Final = 16

#: What a seat is told: its place in ``Variant.look``, and the kernel that tells it.
_LOOKS: Final = ((1, "observation", "observe"), (0, "mask", "legal"), (2, "metrics", "report"))

#: How far rewards may be off their bound.
ROUNDING: Final = 1e-4


def fault_of(error: Exception, seed: int, decisions: Sequence[int]) -> Fault:
    """An error in a game's own code as a fault; any other is raised again."""
    if isinstance(error, CyberdeckError):
        name = error.check if isinstance(error, Misuse) else "kernels"
        return Fault(name, str(error), seed, tuple(decisions))
    if not place(error):
        raise error
    return Fault("kernels", f"{place(error)}{in_words(error)}", seed, tuple(decisions))


class PositionChecks:
    """Some games side by side as they stand, and what is checked of one of them.

    A method with the name of a check says what is wrong, or "" if nothing is.
    """

    def __init__(self, variant: Variant, report: Report, count: int) -> None:
        self.variant, self.game, self.report = variant, variant.game, report
        self.core = GameBatch(variant, count, autoreset=DISABLED)
        self.games = 0  # that have ended
        self.seeds = [0] * count
        self.past: list[list[int]] = [[] for _ in range(count)]
        self.returns = np.zeros((count, variant.seats))
        self.decided = np.zeros((count, variant.seats), np.int64)  # how often each seat has
        self.redraws = Redraws(variant)
        self.moved: set[int] = set()
        #: What it pays is a win, a loss or a draw, as long as no option asks for another reward.
        self.is_won = variant.by_outcome is variant and not variant.scored and variant.seats > 1
        self.before: NDArray[Any] | None = None  # the position that was shown before
        self.low, self.high = variant.bounds()
        #: Room to try things in; and the first games, but each of them in a batch of its own.
        few = count if count <= GAMES else 1
        self.room, *self.alone = (GameBatch(variant, 1, autoreset=DISABLED) for _ in range(few + 1))

    def _try(self, name: str, row: int, *seat: int) -> None:
        """Make a check, unless it has failed often enough."""
        if self.report.has_enough(name):
            return
        try:
            what: str = getattr(self, name)(row, *seat)
        except Misuse as error:
            if error.check == "end":
                raise  # it would not come to an end once more
            name, what = error.check, str(error)
        except CyberdeckError as error:
            what = str(error)
        if what:
            self.report.add(Fault(name, what, self.seeds[row], tuple(self.past[row])))

    def _is_hopeless(self) -> bool:
        """True if games cannot go on: no legal action, or nobody who could take one."""
        return bool({"mask", "mover"} & set(self.report.failed))

    def _look_at(self, row: int) -> None:
        """All that can be seen of a game as it stands."""
        seats = range(self.variant.seats)
        for name in ("bounds", "mover"):
            self._try(name, row)
        if self._is_hopeless():
            return  # what follows indexes arrays by the mover
        if is_careful(self.game):
            self._show(row)
        self._try("bytes", row)
        for seat in seats:
            self._try("mask", row, seat)
            self._try("observation", row, seat)
        if self._is_hopeless():
            return
        over = self.core.movers[row] == NOBODY
        for name in () if over else ("heuristic", "copy"):
            self._try(name, row)
        for seat in seats:
            for name in ("resample",) if over else ("resample", "secrets"):
                self._try(name, row, seat)

    def _show(self, row: int) -> None:
        """Check what people see of the position."""
        self.report.shown += 1
        for what in wrong_for_people(self.variant, self._record(row).copy(), self.before):
            self.report.add(Fault("people", what, self.seeds[row], tuple(self.past[row])))
        self.before = self._record(row).copy()

    def _decision(self, row: int) -> int:
        """A legal action at random, the same for the same game."""
        bits = dice.seeded(self.seeds[row] * 1_000_003 + len(self.past[row]))
        legal = np.flatnonzero(self.core.masks[row] == 1)
        return int(legal[int(bits) % len(legal)]) if len(legal) else 0

    def _record(self, row: int) -> NDArray[Any]:
        return self.core.states[row : row + 1]

    # --- the checks ------------------------------------------------------------------------------

    def bounds(self, row: int) -> str:
        broken = broken_invariant(self.game, self._record(row))
        return f"it does not hold that {broken}" if broken else ""

    def mover(self, row: int) -> str:
        """The mover and the end must agree with the header and with ``acts_simultaneously``."""
        record, seats = self.core.states[row], self.variant.seats
        mover, over = int(record["mover"]), bool(record["terminated"] or record["truncated"])
        if (record["terminated"] and record["truncated"]) or bool(record["reason"]) != over:
            return f"the game is {'' if over else 'not '}over, for the reason {record['reason']}"
        if mover == NOBODY:
            return "" if over else "nobody is to move, and the game is not over: call end or win"
        if not 0 <= mover < seats:
            return f"the mover is {mover}, and there are the seats 0 to {seats - 1}"
        if over:
            return f"the game is over, and seat {mover} is to move"
        if self.game.simultaneous and mover not in roles.deciding(self.game, self._record(row)):
            return "acts_simultaneously is not true of the mover"
        longest = self.variant.longest
        if longest is not None and self.decided[row, mover] >= longest:
            who = self.variant.agents[mover]
            return f"{who} decides more often than {longest} times, which longest= says is the most"
        most = self.variant.most_decisions
        if most is not None and record["decisions"] >= most:
            return (
                f"all decide more often than {most} times, which most_decisions= says is the most"
            )
        self.moved.add(mover)
        return ""

    def _seen(self, row: int, seat: int) -> tuple[NDArray[np.int8], NDArray[Any], str]:
        """A seat's mask and observation, and what is wrong with how they came about."""
        core, (guard, a, d) = self.core, (_GUARD, self.variant.action_count, len(self.low))
        masks = np.full(a + 2 * guard, _UNTOUCHED, np.int8)
        vectors = np.full(d + 2 * guard, _UNTOUCHED, self.variant.dtype)
        mask, vector = masks[guard : guard + a], vectors[guard : guard + d]
        metrics = np.zeros(len(self.game.metrics), np.int32)
        before = self._record(row).tobytes()
        core.loops.look(core.states, row, seat, mask, vector, metrics)
        outside = np.concatenate([masks[:guard], masks[-guard:], vectors[:guard], vectors[-guard:]])
        wrong = ""
        if self._record(row).tobytes() != before:
            core.states[row] = np.frombuffer(before, self.game.dtype)[0]
            wrong = "looking changes the record: legal, observe and report must not"
        elif (outside != _UNTOUCHED).any():
            wrong = "numbers are written beside the array: mind its length"
        return mask, vector, wrong

    def mask(self, row: int, seat: int) -> str:
        mask, _, wrong = self._seen(row, seat)
        if wrong:
            return wrong
        if not np.isin(mask, (0, 1)).all():
            return f"the mask holds {sorted(set(mask.tolist()))}, and must hold 0 and 1"
        if seat == self.core.movers[row] and not mask.any():
            return f"{self.variant.agents[seat]} is to move and has no legal action"
        if seat == self.core.movers[row] and not np.array_equal(mask, self.core.masks[row]):
            return f"{self.variant.agents[seat]} is handed a mask other than looking gives"
        if seat != self.core.movers[row] and mask.any():
            return f"{self.variant.agents[seat]} is not to move and has legal actions"
        return ""

    def observation(self, row: int, seat: int) -> str:
        _, vector, wrong = self._seen(row, seat)
        if wrong:
            return wrong
        for at in np.flatnonzero(~((vector >= self.low) & (vector <= self.high)))[:1].tolist():
            bounds = f"{self.low[at]} to {self.high[at]}"
            return f"{self._feature_at(at)} is {vector[at]}, and not {bounds}"
        return ""

    def _feature_at(self, at: int) -> str:
        """A number of the observation, as its feature has it."""
        parts = self.variant.layout.items()
        return next(f"{name}[{at - part.start}]" for name, part in parts if at < part.stop)

    def copy(self, row: int) -> str:
        if not self.core.masks[row].any():
            return ""
        action, ends = np.array([self._decision(row)]), set()
        for _ in range(2):
            twin = self._alone_from(row)
            twin._advance(twin.all_rows, action)
            ends.add(twin.states.tobytes())
        if len(ends) == 1:
            return ""
        return f"action {action[0]} led to two different records from the same position"

    def _alone_from(self, row: int) -> GameBatch:
        """A game by itself that stands where the one of that row does."""
        twin = self.room
        twin.states[:], twin.rows[:] = self.core.states[row], self.core.rows[row]
        twin.masks[:], twin.started = self.core.masks[row], True
        return twin

    def bytes(self, row: int) -> str:
        _, record = unpacked(self.game, self.core.save(row))
        if record.tobytes() != self._record(row).tobytes():
            return "the record read back differs from the one that was saved"
        carried = self.game.read(record)
        for name, value in self.variant.options.items():
            if carried[name] != value:
                return f"the record says {name}={carried[name]!r}, and the option is {value!r}"
        return ""

    def resample(self, row: int, seat: int) -> str:
        agent, here, look = self.variant.agents[seat], self._record(row), self.variant.look
        world = self.redraws.redrawn(seat, here, self.seeds[row] + 31 * len(self.past[row]))
        if broken := broken_invariant(self.game, world):
            return f"the redrawn game for {agent} breaks that {broken}"
        known, redrawn = look(here, seat), look(world, seat)
        for at, what, kernel in _LOOKS:
            if np.array_equal(known[at], redrawn[at]):
                continue
            for name in fields_apart(here, world):  # which of them shows?
                changed = here.copy()
                changed[name] = world[name]
                differ = np.flatnonzero(known[at] != look(changed, seat)[at])
                if len(differ):
                    where = f" ({self._feature_at(differ[0])})" if what == "observation" else ""
                    return (
                        f"{agent}'s {what}{where} shows {name}, which resample redraws for it: "
                        f"either {kernel} tells a secret, or resample redraws what that seat knows"
                    )
            return f"{agent}'s {what} differs in the redrawn game"
        return ""

    def secrets(self, row: int, seat: int) -> str:
        """A game, and the same redrawn, which looks alike to the seat, are redrawn alike."""
        record, bits = self._record(row), self.seeds[row] + 37 * len(self.past[row])
        other = self.redraws.redrawn(seat, record, bits + 1)
        return self.redraws.fault(record, other, seat, [bits])

    def batch(self, row: int) -> str:
        alone = self.alone[row]
        if alone.movers[0] != NOBODY:
            alone._advance(alone.all_rows, np.array(self.past[row][-1:]))
        if alone.states.tobytes() != self._record(row).tobytes():
            return "played alone, the game comes to another record than in a batch"
        return ""

    def fresh(self, row: int) -> str:
        new = GameBatch(self.variant, 1, autoreset=DISABLED)
        new.reset([self.seeds[row]])
        if new.states.tobytes() == self._record(row).tobytes():
            return ""
        named = ", ".join(fields_apart(new.states, self._record(row))) or "dice"
        return f"values of the previous game are left in {named}: start must write every field"

    def heuristic(self, row: int) -> str:
        twin = self._alone_from(row)
        before = twin.states.tobytes()
        chosen = int(twin.choose(HEURISTIC)[0])
        if not 0 <= chosen < self.variant.action_count or self.core.masks[row, chosen] != 1:
            return f"it chooses {chosen}, which is not legal"
        return "" if twin.states.tobytes() == before else "choosing changes the record"

    def rewards(self, row: int) -> str:
        gained, core = self.core.rewards[row], self.core
        # Proofs go by whole games.
        most = float(np.abs(self.returns[row] if can_prove(self.game) else gained).max())
        if not most <= self.game.reward_bound + ROUNDING:
            return f"a seat has got {most:g} by now, and reward_bound is {self.game.reward_bound:g}"
        if core.movers[row] == NOBODY:
            odd = next((gain for gain in self.returns[row] if abs(gain) not in (0, 1)), 0)
            if self.is_won and odd:
                what = f"a seat got {odd:g} in a game that is won or lost, for 1, -1 or 0"
                cure = "say scored=True if it is a score, or scoring=True of an option that pays it"
                return f"{what}: {cure}"
            same = np.allclose(self.returns[row], core.final_returns[row], atol=ROUNDING)
            if not same or core.rows["final_length"][row] != len(self.past[row]):
                return "the return or the length that is kept of the game is not what was played"
        return ""

    def result(self, row: int) -> str:
        won = [float(gain) for gain in self.returns[row]]
        for seat, side in enumerate(self.variant.sides):
            for other in range(seat):
                apart = won[seat] != won[other] if self.is_won else won[seat] * won[other] < 0
                if self.variant.sides[other] == side and apart:
                    agents = (self.variant.agents[each] for each in (other, seat))
                    named = " and ".join(agents)
                    return f"{named} are on one side, and get {won[other]:g} and {won[seat]:g}"
        return ""

    def end(self, row: int) -> str:
        if self.games:
            return ""
        # Step by step, with all games at once: a loop for this alone would have to be compiled.
        for _ in range(_ENDLESS // self.core.count):
            self.core.step(self.core.choose(RANDOM))
            if (self.core.movers == NOBODY).any():
                return ""
        return f"in {_ENDLESS:,} more decisions at random, no game has ended"
