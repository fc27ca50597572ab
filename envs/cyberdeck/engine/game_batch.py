"""The batched game core: N games of one kind side by side. Every adapter is a face of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import dice, registry
from cyberdeck.engine.batch_saving import OPPONENTS, SavedBatch
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.loops import FROM_POSITION, FROM_SHUFFLE, ONLY_SHUFFLE, ONLY_START
from cyberdeck.engine.memories import Place
from cyberdeck.engine.policy import OUTSIDE, Policy, PolicyInput, checked_answer
from cyberdeck.engine.positions import broken_invariant
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import ActionError, OptionError, StateError


class GameBatch(SavedBatch):
    """N games, their masks, observations and bookkeeping, advanced by the compiled loops."""

    # --- starting --------------------------------------------------------------------------------

    def reset(
        self,
        seeds: Sequence[int | None],
        options: Mapping[str, Any] | None = None,
        which: NDArray[np.int64] | None = None,
    ) -> None:
        """Begin a game in each row of *which* (all rows by default), or, on an error, in none.

        A row with a seed starts its generators from it; without one it plays on with those it
        has. *options* prescribe the table (see the game's ``starts``) or hold ``state``, bytes
        of a saved position to go on from.
        """
        if options is not None and not isinstance(options, Mapping):
            raise OptionError(
                f"options={options!r} must be a dictionary, for example {{'state': b}}"
            )
        if which is None and not options and not self._outsiders:
            self._seed(self.states, self.rows, seeds)
            seen = (self.masks, self._vectors)
            self._begin(self.all_rows, self.states, self.rows, FROM_SHUFFLE, seen)
            self.memories.forget(self.all_rows)
            self.started = True
            return
        which = self.all_rows if which is None else which
        states, rows = self.states[which], self.rows[which]
        masks, observations = self.masks[which], self.observations[which]
        local = np.arange(len(which), dtype=np.int64)
        seen = (masks, observations.reshape(len(which), self.variant.observation_size))
        how = FROM_POSITION if options else FROM_SHUFFLE
        if options and "state" in options:
            own_dice = states["dice"].copy()
            states[:] = self._position(options)
            if len(states) > 1:  # rows that go on from one position must not roll alike
                states["dice"] = own_dice
        self._seed(states, rows, seeds)
        if options and "state" not in options:
            self._prescribe(states, rows, options, local, seen)
        self._begin(local, states, rows, how, seen)
        kept = (self.states[which], self.rows[which], self.masks[which], self.observations[which])
        self.states[which], self.rows[which] = states, rows
        self.masks[which], self.observations[which] = masks, observations
        try:
            with self.memories.unless_it_fails():
                self.memories.forget(which)
                self._hear_outsiders()
                if (self.movers[which] == NOBODY).any():
                    raise StateError(
                        "the other players end this game before the learner decides: there is "
                        "nothing left to play; choose another seat"
                    )
        except BaseException:
            self.states[which], self.rows[which] = kept[0], kept[1]
            self.masks[which], self.observations[which] = kept[2], kept[3]
            raise
        self.started = True

    def _begin(
        self,
        which: NDArray[np.int64],
        states: NDArray[Any],
        rows: NDArray[Any],
        how: int,
        seen: tuple[NDArray[np.int8], NDArray[np.int8]],
    ) -> None:
        self.loops.begin(which, states, rows, self.pool, self.ally_pool, how, *seen)

    @staticmethod
    def _seed(states: NDArray[Any], rows: NDArray[Any], seeds: Sequence[int | None]) -> None:
        for at, seed in enumerate(seeds):
            if seed is not None:
                states["dice"][at] = dice.seeded(seed)
                rows["dice"][at] = dice.seeded(seed ^ OPPONENTS)

    def _position(self, options: Mapping[str, Any]) -> NDArray[Any]:
        """The saved position to go on from."""
        if len(options) > 1:
            raise OptionError("options={'state': ...} stands alone: it is the whole position")
        state = self._read(options["state"])[1]
        if state[0]["mover"] == NOBODY:
            raise StateError("that position is the end of a game: there is nothing left to play")
        return state

    def _prescribe(
        self,
        states: NDArray[Any],
        rows: NDArray[Any],
        options: Mapping[str, Any],
        local: NDArray[np.int64],
        seen: tuple[NDArray[np.int8], NDArray[np.int8]],
    ) -> None:
        """Deal the table that *options* prescribe; what they leave open is drawn as always."""
        unknown = [name for name in options if name not in self._starts]
        if unknown:
            raise OptionError(
                f"{self.game.title} cannot start from {unknown[0]!r}; options of reset() are: "
                + ", ".join([*self._starts, "state"])
            )
        self._begin(local, states, rows, ONLY_SHUFFLE, seen)
        for name in ("reward", "decisions", "terminated", "truncated", "reason"):
            states[name] = 0
        whole = [self.game.prescribe(states[at : at + 1], options) for at in range(len(states))]
        if not all(whole):
            self._begin(local, states, rows, ONLY_START, seen)
        if broken := broken_invariant(self.game, states):
            raise OptionError(f"that is no possible table: it does not hold that {broken}")

    @property
    def _starts(self) -> list[str]:
        return [start.name for start in self.game.starts]

    # --- playing ---------------------------------------------------------------------------------

    def check(self, actions: NDArray[np.int64]) -> None:
        """Raise ``ActionError`` naming the rows whose action is out of range or illegal."""
        if self.lenient:
            wrong = (actions < 0) | (actions >= self.variant.action_count)
            wrong &= self.movers != NOBODY
            if wrong.any():
                row = int(np.flatnonzero(wrong)[0])
                raise ActionError(
                    f"nothing was applied: row {row}: action {actions[row]} does not exist: "
                    f"actions are 0 to {self.variant.action_count - 1}"
                )
            return
        if self.loops.first_illegal(self.all_rows, actions, self.rows, self.masks) >= 0:
            bad = [
                row
                for row in range(self.count)
                if self.rows["mover"][row] != NOBODY
                and not (
                    0 <= actions[row] < self.variant.action_count and self.masks[row, actions[row]]
                )
            ]
            named = "; ".join(self.complaint(row, int(actions[row])) for row in bad[:3])
            more = f"; and {len(bad) - 3} more rows: {bad[3:20]}" if len(bad) > 3 else ""
            raise ActionError(f"nothing was applied. {named}{more}")

    def complaint(
        self, row: int, action: int, seat: int | None = None, mask: NDArray[np.int8] | None = None
    ) -> str:
        """What is wrong with *action* in *row*: its meaning, who acts, and what is legal.

        The seat and its mask are the mover's, unless others decide at the same time.
        """
        record = self.states[row : row + 1]
        seat = int(self.movers[row]) if seat is None else seat
        legal = np.flatnonzero(self.masks[row] if mask is None else mask)
        listed = "; ".join(
            f"{a} ({registry.named_action(self.game, record, int(a))})" for a in legal[:12]
        )
        more = f"; and {len(legal) - 12} more" if len(legal) > 12 else ""
        place = f"row {row}: " if self.count > 1 else ""
        meant = registry.named_action(self.game, record, action)
        return (
            f"{place}action {action} ({meant}) is not legal for "
            f"{self.variant.agents[seat]}; legal are {listed}{more}. The action mask says which "
            "are; with illegal='lose' an illegal action loses the game instead"
        )

    def action_name(self, row: int, action: Any) -> str:
        """What *action* would be in *row* as it stands, in words."""
        self.check_row(row)
        self.need_game()
        if not is_whole(action) or not 0 <= int(action) < self.variant.action_count:
            last = self.variant.action_count - 1
            raise ActionError(f"action {action!r} does not exist: actions are 0 to {last}")
        return registry.named_action(self.game, self.states[row : row + 1], int(action))

    def actions(self, actions: Any) -> NDArray[np.int64]:
        """*actions* as an array of whole numbers, one for each row, or ``ActionError``."""
        try:
            array = np.asarray(actions)
        except ValueError:
            raise ActionError(
                f"actions {actions!r} are no array: one whole number for each row is needed; "
                "nothing was applied"
            ) from None
        if array.shape != (self.count,):
            raise ActionError(
                f"actions have the shape {array.shape}: one for each row is needed, "
                f"({self.count},); nothing was applied"
            )
        if array.dtype.kind not in "iu":
            raise ActionError(
                f"actions are of type {array.dtype}: whole numbers are needed; nothing was applied"
            )
        # A fresh, contiguous array: another layout would have the loops compiled once more.
        return np.array(array, np.int64)

    def step(self, actions: NDArray[np.int64]) -> None:
        """Apply one action in every row and go on until the caller has to decide everywhere."""
        self.check(actions)
        self._step(actions)

    def _step(self, actions: NDArray[np.int64]) -> None:
        """``step`` with actions that were checked."""
        if not self._outsiders:
            self._advance(self.all_rows, actions)
            return
        arrays = (self.states, self.rows, self.masks, self.observations, self.finals)
        before = [array.copy() for array in arrays]
        try:
            self._advance(self.all_rows, actions)
            with self.memories.unless_it_fails():
                self._hear_outsiders()
        except BaseException:
            for array, kept in zip(arrays, before, strict=True):
                array[:] = kept
            raise

    def advance_one(self, action: int) -> None:
        """Apply an action that the caller has found legal, in a table of one game."""
        self._one[0] = action
        self._step(self._one)

    def reason_name(self, reason: int) -> str:
        """Why a game is over, in a word."""
        return self.game.reasons[reason]

    def _advance(self, which: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        self.loops.advance(
            which,
            actions,
            self.states,
            self.rows,
            self.pool,
            self.ally_pool,
            self.autoreset,
            self.masks,
            self._vectors,
            self._final_vectors,
        )

    def _hear_outsiders(self) -> None:
        """Ask the caller's own opponents until none has to decide."""
        if not self._outsiders:
            return
        rows = self.rows
        while rows["waiting"].any():
            for waiting, name, places, policy in self._askable:
                which = np.flatnonzero((rows["waiting"] == waiting) & places[rows[name]])
                if len(which) == 0:
                    continue
                answer = self.ask(policy, which)
                self._advance(which, answer)

    def seen(self, which: NDArray[np.int64], needs_states: bool) -> PolicyInput:
        """The rows *which*, as those who have to decide there see them."""
        random_bits = np.empty(len(which), np.uint64)
        states = np.empty(len(which) if needs_states else 0, self.states.dtype)
        self.loops.ask(which, self.states, self.rows, random_bits, states)
        return PolicyInput(
            self.variant,
            self.observations[which],
            self.masks[which],
            self.movers[which],
            random_bits,
            states,
            threads=self.threads,
        )

    def ask(
        self, policy: Policy, which: NDArray[np.int64], lenient: bool = False
    ) -> NDArray[np.int64]:
        """What a policy decides in the rows *which*; ``ActionError`` if that is not legal.

        Unless *lenient*: then it is up to ``step`` what becomes of an illegal action. A policy with
        a memory notes there that it was asked: ask it once for each decision.
        """
        if policy.code != OUTSIDE:
            return self.choose(policy.code)[which]
        seen = self.seen(which, policy.needs_states)
        place = Place(which, seen.seats, self.rows["game"][which])
        if policy.memory:
            memory = self.memories.recall(policy, policy.memory, place)
            seen = replace(seen, memory=memory)
        answer = checked_answer(policy, policy.decide(seen), len(which))
        wrong = -1
        if not lenient:
            wrong = self.loops.first_illegal(which, answer, self.rows, self.masks)
        if wrong >= 0:
            raise ActionError(
                f"{policy!r} chose wrongly: "
                + self.complaint(int(which[wrong]), int(answer[wrong]))
            )
        if policy.memory:
            self.memories.note(policy, seen.memory, place)
        return answer

    def choose(self, code: int) -> NDArray[np.int64]:
        """What a player of the compiled loops decides for the mover of every row (0 where a game
        is over).
        """
        actions = np.empty(self.count, np.int64)
        self.loops.choose(code, self.states, self.rows, self.masks, actions)
        return actions

    def play(self, code: int, steps: int) -> None:
        """Let a player of the compiled loops make *steps* decisions in every row, all in one."""
        if not is_whole(steps) or steps < 0:
            raise OptionError(f"{steps!r} steps are not possible: a whole number is needed")
        self.need_game()
        if self._outsiders:
            raise OptionError("the caller's own players cannot play in a compiled loop")
        self.loops.play(
            code,
            int(steps),
            self.states,
            self.rows,
            self.pool,
            self.ally_pool,
            self.autoreset,
            self.masks,
            self._vectors,
            self._final_vectors,
        )


def dealt(variant: Variant, count: int, seed: int) -> NDArray[Any]:
    """(N,) records: the deals *seed*, *seed* + 1, ... as they begin."""
    games = GameBatch(variant, count)
    games.reset(range(seed, seed + count))
    return games.states


def seen_as(variant: Variant, states: NDArray[Any]) -> NDArray[np.int8]:
    """(N, ...): what the movers of these positions see where the game is shown as in *variant*."""
    core = GameBatch(variant, len(states))
    core.states[:] = states
    variant.game.write(core.states, variant.options)
    seen = (core.masks, core._vectors)
    core._begin(core.all_rows, core.states, core.rows, FROM_POSITION, seen)
    return core.observations
