"""The batched game core: N games of one kind side by side. Every adapter is a face of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import dice, loops
from cyberdeck.engine.arrays import Arrays
from cyberdeck.engine.asking import OPPONENTS, AskedGames
from cyberdeck.engine.constants import EVERY, RESIGNS
from cyberdeck.engine.history import Log
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.pieces import ROWS, Pieces
from cyberdeck.engine.positions import broken_invariant, unpacked_for
from cyberdeck.engine.recall import as_records, check_past
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import (
    ActionError,
    OptionError,
    PolicyError,
    StateError,
)

#: What a step has brought, of a row: it stays when the next game begins at once.
OF_THE_LAST_STEP: Final = ("reward", "terminated", "truncated", "reason")


class GameBatch(AskedGames):
    """N games, their masks, observations and bookkeeping, advanced by the compiled loops.

    They are shown and paid as they are played: for others see ``transformed.new_games``.

    *history*: what is decided is kept in ``logs``, for players that are asked by ``ask``; for those
    of the pools it always is, if they need it.
    """

    # --- starting --------------------------------------------------------------------------------

    def reset(
        self,
        seeds: Sequence[int | None],
        options: Mapping[str, Any] | None = None,
        which: NDArray[np.int64] | None = None,
    ) -> None:
        """Begin a game in each row of *which* (all rows by default), or, on an error, in none.

        A row with a seed starts its generators from it; without one it plays on with those it
        has. *options* prescribe how it begins (see the game's ``starts``) or hold ``state``, bytes
        of a saved position to go on from.
        """
        if options is not None and not isinstance(options, Mapping):
            raise OptionError(
                f"options={options!r} must be a dictionary, for example {{'state': b}}"
            )
        if which is None and not options and not self._asks:
            self._seed(self._arrays, seeds)
            self._begin(self._arrays, loops.FROM_SHUFFLE)
            self._forget(self.all_rows)
            self.started = True
            return
        which = self.all_rows if which is None else which
        games = self._arrays.taken(which)
        how = loops.FROM_POSITION if options else loops.FROM_SHUFFLE
        self._seed(games, seeds)
        if options and "state" in options:
            own_dice = games.states["dice"].copy()
            games.states[:] = self._position(options)
            if len(games) > 1:  # rows that go on from one position must not roll alike
                games.states["dice"] = own_dice
        elif options:
            self._prescribe(games, options)
        self._begin(games, how)
        before = self._arrays.taken(which)
        self._arrays.put(which, games)
        with self._all_or_nothing(which, before):
            self._forget(which, whole=not options or "state" not in options)
            self._ask_others(anew=not options)
            if (self.movers[which] == NOBODY).any():
                raise StateError(
                    "the other players end this game before the learner decides: there is "
                    "nothing left to play; choose another seat"
                )
        self.started = True

    def _begin(self, games: Arrays, how: int) -> None:
        """Begin all of these *games*, or do one step of it: see the values of *how*."""
        which, seen = self.all_rows[: len(games)], (games.masks, games.vectors)
        given = games.states, games.rows, self.pool, self.ally_pool, how, *seen
        Pieces(ROWS, few=ROWS).run(self.loops.begin, (which,), *given)
        self._check_past(games.states)

    def _begin_anew(self, which: NDArray[np.int64], kept: Sequence[str] = ()) -> None:
        """Begin new games in these rows; *kept*: what their bookkeeping holds on to."""
        if not len(which):
            return
        games = self._arrays.taken(which)
        self._begin(games, loops.FROM_SHUFFLE)
        for name in kept:
            games.rows[name] = self.rows[name][which]
        self._arrays.put(which, games)

    def _check_past(self, states: NDArray[Any]) -> None:
        """``KernelError`` if a seat has decided more often than the past has room for."""
        if self.game.recalls:
            check_past(self.game, states)

    @staticmethod
    def _seed(games: Arrays, seeds: Sequence[int | None]) -> None:
        for at, seed in enumerate(seeds):
            if seed is not None:
                games.states["dice"][at] = dice.seeded(seed)
                games.rows["dice"][at] = dice.seeded(seed ^ OPPONENTS)

    def _position(self, options: Mapping[str, Any]) -> NDArray[Any]:
        """The saved position to go on from."""
        if len(options) > 1:
            raise OptionError("options={'state': ...} stands alone: it is the whole position")
        state = unpacked_for(self.variant, options["state"])[1]
        if state[0]["mover"] == NOBODY:
            raise StateError("that position is the end of a game: there is nothing left to play")
        return state

    def _prescribe(self, games: Arrays, options: Mapping[str, Any]) -> None:
        """Begin as *options* prescribe; what they leave open is drawn as always."""
        starts = [start.name for start in self.game.starts]
        unknown = [name for name in options if name not in starts]
        if unknown:
            raise OptionError(
                f"{self.game.title} cannot start from {unknown[0]!r}; options of reset() are: "
                + ", ".join([*starts, "state"])
            )
        self._begin(games, loops.ONLY_SHUFFLE)
        states = games.states
        for name in ("reward", "decisions", "terminated", "truncated", "reason"):
            states[name] = 0
        whole = [self.game.prescribe(states[at : at + 1], options) for at in range(len(states))]
        if not all(whole):
            self._begin(games, loops.ONLY_START)
        if broken := broken_invariant(self.game, states):
            raise OptionError(f"that is not a possible beginning: it does not hold that {broken}")

    # --- playing ---------------------------------------------------------------------------------

    def check(self, actions: NDArray[np.int64], given_up: NDArray[np.bool_] | None = None) -> None:
        """Raise ``ActionError`` naming the rows whose action is out of range or illegal.

        But not where the mover has *given_up*.
        """
        self.need_game()
        last = self.variant.action_count - 1
        if self.lenient:
            wrong = ((actions < 0) | (actions > last)) & self._judged(given_up)
            if wrong.any():
                row = int(wrong.argmax())
                raise ActionError(
                    f"nothing was applied: row {row}: action {actions[row]} does not exist: "
                    f"actions are 0 to {last}"
                )
        elif self.loops.first_illegal(self.all_rows, actions, self.rows, self.masks) >= 0:
            known = self.masks[self.all_rows, actions.clip(0, last)] == 1
            legal = known & (actions >= 0) & (actions <= last)
            bad = np.flatnonzero(~legal & self._judged(given_up)).tolist()
            if bad:
                self._refuse_illegal(bad, actions, len(bad))

    def _judged(self, given_up: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        """The rows that go on by an action."""
        running: NDArray[np.bool_] = self.movers != NOBODY
        return running if given_up is None else running & ~given_up

    def step(self, actions: NDArray[np.int64], given_up: NDArray[np.bool_] | None = None) -> None:
        """Apply one action in every row and go on until the caller has to decide everywhere.

        Where the mover has *given_up*, its side loses.
        """
        self.check(actions, given_up)
        self._step(actions)

    def _step(self, actions: NDArray[np.int64]) -> None:
        """``step`` with actions that were checked."""
        if self._only_loops:
            self.loops.advance(self.all_rows, actions, *self._games)
            return
        if not self._asks:
            try:
                self._advance(self.all_rows, actions)
            except KeyboardInterrupt:  # some rows have made the step, and others have not
                self.started = False
                raise
            return
        if self._before is None:
            self._before = self._arrays.copy()
        else:  # new memory takes longer
            self._before.put(slice(None), self._arrays)
        with self._all_or_nothing(slice(None), self._before):
            self._advance(self.all_rows, actions)
            self._ask_others()

    def advance_one(self, action: int) -> None:
        """Apply an action that the caller has found legal, in a batch of one game."""
        self._one_action[0] = action
        self._step(self._one_action)

    def _advance(self, which: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """One step of the rows *which*, and of their logs."""
        if self.logs is None:
            self._apply(which, actions)
            return
        games, movers = self.rows["game"][which], self.movers[which]
        observations = self.observations[which]
        self._apply(which, actions)
        for at, row in enumerate(which.tolist()):
            if self.rows["game"][row] != games[at]:
                self.logs[row] = Log(self.variant, self._record(row))
            elif movers[at] != NOBODY:
                decided = (int(actions[at]), observations[at].copy(), self._record(row))
                self.logs[row] = self.logs[row].after(*decided)

    def _apply(self, which: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Have the loops make one step of the rows *which*."""
        self._steps.run(self.loops.advance, (which, actions), *self._games)
        self._check_past(self.states)

    def _ask_others(self, anew: bool = True) -> None:
        """Ask the caller's own players until none has to decide. What they end before the learner
        has decided is dealt *anew*.
        """
        rows = self.rows
        for _ in range(loops.DEALS if self._asks else 0):
            while rows["waiting"].any():
                for waiting, field, places, policy in self.others.outside:
                    which = np.flatnonzero((rows["waiting"] == waiting) & places[rows[field]])
                    if len(which) == 0:
                        continue
                    actions, _ = self._asked(policy, which, places=rows[field][which])
                    if policy.may_give_up and rows["opening"][which[actions == RESIGNS]].any():
                        raise PolicyError(
                            f"{policy!r} gives up before the learner has decided anything: there "
                            "is no game left to play; nothing was applied"
                        )
                    self._advance(which, actions)
            early = (self.movers == NOBODY) & (rows["opening"] == 1) & (rows["seat"] != EVERY)
            if not anew or not early.any():
                return
            which = np.flatnonzero(early)
            self._begin_anew(which, kept=OF_THE_LAST_STEP)
            self._forget(which)

    def play(self, code: int, steps: int) -> None:
        """Let a player of the compiled loops make *steps* decisions in every row.

        They are made in pieces, so that Ctrl-C is heard soon. Then every row stands between two
        decisions, and some have made more of them than others.
        """
        steps = self._checked_steps(steps)
        if self._asks:
            raise OptionError("the caller's own players cannot play in a compiled loop")
        if self.logs is not None:
            raise OptionError("a compiled loop keeps no history: leave out history=True, or step")
        self._play(code, steps)

    def _play(self, code: int, steps: int) -> None:
        for now, part in self._decisions[code].of_steps(steps, self.count):
            self.loops.play(code, now, *self._games.part(part))
        self._check_past(self.states)


def dealt(variant: Variant, count: int, seed: int) -> NDArray[Any]:
    """(N,) records: the deals *seed*, *seed* + 1, ... as they begin."""
    games = GameBatch(variant, count)
    games.reset(range(seed, seed + count))
    return games.states


def placed(
    variant: Variant,
    states: NDArray[Any],
    luck: Any = 0,
    make: Callable[..., GameBatch] = GameBatch,
) -> GameBatch:
    """Games that stand at these positions, and stay over when they end.

    *luck* are what their players draw from, where luck is to differ. *make*: ``new_games``, where
    games may be in disguise.
    """
    core = make(variant, len(states), autoreset=DISABLED)
    core.states[:] = as_records(variant.game, states)
    core.rows["dice"] = luck
    variant.game.write(core.states, variant.options)
    core._begin(core._arrays, loops.FROM_POSITION)
    core.started = True
    return core


def seen_as(variant: Variant, states: NDArray[Any]) -> NDArray[Any]:
    """(N, ...): what the movers of these positions see where the game is shown as in *variant*."""
    return placed(variant, states).observations
