"""The batched game core: N games of one kind side by side. Every adapter is a face of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.memory import need_room
from cyberdeck.engine import dice, illegal, loops, registry, saving
from cyberdeck.engine.arrays import Arrays, LoopGames
from cyberdeck.engine.constants import EVERY, RESIGNS
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.history import History, Log
from cyberdeck.engine.loops import CALLER, DISABLED, SAME_STEP
from cyberdeck.engine.memories import Memories, Place
from cyberdeck.engine.others import NO_ONE, Others
from cyberdeck.engine.pieces import ROWS, Pieces
from cyberdeck.engine.policy import VOID, Policy, PolicyInput, Watch, checked_answer
from cyberdeck.engine.positions import broken_invariant, fits, unpacked_for
from cyberdeck.engine.recall import as_records, check_past
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.seats import EVERY_SEAT, Seat
from cyberdeck.engine.threads import count_of
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import (
    ActionError,
    EpisodeError,
    OptionError,
    PolicyError,
    StateError,
    require,
)

#: Keeps the opponents' generator apart from the game's.
OPPONENTS: Final = 0x0DDB411

#: What a step has brought, of a row: it stays when the next game begins at once.
OF_THE_LAST_STEP: Final = ("reward", "terminated", "truncated", "reason")

#: Decisions that are not worth a look at the clock, where so many are quick.
_FEW: Final = 4096


class GameBatch:
    """N games, their masks, observations and bookkeeping, advanced by the compiled loops.

    They are shown and paid as they are played: for others see ``transformed.new_games``.

    *history*: what is decided is kept in ``logs``, for players that are asked by ``ask``; for those
    of the pools it always is, if they need it.
    """

    #: Whether they may be shown, or paid, otherwise than they are played.
    transforms = False

    def __init__(
        self,
        variant: Variant,
        count: int,
        *,
        seat: Seat = EVERY_SEAT,
        opponents: Sequence[Policy] = (NO_ONE,),
        allies: Sequence[Policy] = (NO_ONE,),
        autoreset: int = SAME_STEP,
        illegal: str = "raise",
        threads: int | str = 1,
        history: bool = False,
    ) -> None:
        if not is_whole(count) or count < 1:
            raise OptionError(f"{count!r} games are not possible: the number must be at least 1")
        require(illegal in ("raise", "lose"), "illegal", illegal, "choose 'raise' or 'lose'")
        if variant.transformed and not self.transforms:
            raise TypeError("games in disguise, or paid by regret, are made by new_games()")
        count = int(count)
        self.variant = variant
        self.threads = count_of(threads)
        self.autoreset = autoreset
        self.lenient = illegal == "lose"
        played = seat.number != EVERY and any(each.needs_history for each in (*opponents, *allies))
        self.others = Others(opponents, allies, all_outside=history or played)
        every = seat.number == EVERY or CALLER in self.others.opponent_codes
        views = variant.seats if every else 1
        need_room(count, Arrays.bytes_of(variant, views), "games")
        self.memories = Memories(count, variant.seats)
        #: Of each row's game, where anybody asks for it.
        self.logs: list[Log] | None = None
        if history or played:
            self.logs = [Log(variant, variant.blank())] * count
        self.started = False
        self._arrays = Arrays.of(variant, count, views)
        rows = self._arrays.rows
        rows["seat_rule"] = seat.number
        rows["team"] = seat.team
        rows["mover"] = NOBODY
        self._bind()

    def _bind(self) -> None:
        """What follows from the rest: the loops, and views of the arrays."""
        self.game = self.variant.game
        arrays, seats = self._arrays, self.variant.seats
        self.count = len(arrays)
        self.states, self.rows = arrays.states, arrays.rows
        self.masks, self.observations = arrays.masks, arrays.observations
        self.finals = arrays.finals
        self.loops = self.variant.loops.fitted(V=self.finals.shape[1])
        if self.threads > 1:
            self.loops = self.loops.split(self.game, self.threads)
        rows = self.rows
        self.movers, self.metrics = rows["mover"], rows["metrics"]
        self.rewards, self.pending = rows["reward"][:, :seats], rows["pending"][:, :seats]
        self.final_returns = rows["final_returns"][:, :seats]
        self.terminated, self.truncated = rows["terminated"], rows["truncated"]
        self.reasons, self.seats = rows["reason"], rows["seat"]
        self.final_metrics, self.final_length = rows["final_metrics"], rows["final_length"]
        self.final_seat = rows["final_seat"]
        self.team = bool(rows["team"][0])
        # The first row by itself: all there is in a batch of one game.
        self.one_mask, self.one_observation = self.masks[0], self.observations[0]
        self.one_metrics = self.metrics[0]
        self._one_action = np.zeros(1, np.int64)
        self.all_rows = np.arange(self.count, dtype=np.int64)
        self.pool, self.ally_pool = self.others.opponent_codes, self.others.ally_codes
        finals = self.finals.reshape(self.count, -1, self.variant.observation_size)
        self._games = LoopGames(
            *(self.states, rows, self.pool, self.ally_pool, self.autoreset),
            *(self.masks, arrays.vectors, finals),
        )
        # By who decides: they may differ by a factor of twenty.
        self._steps = Pieces(ROWS, _FEW)
        self._decisions = {code: Pieces(ROWS, _FEW) for code in (loops.RANDOM, loops.HEURISTIC)}
        #: What a step that asks others began with.
        self._before: Arrays | None = None
        self._asks = bool(self.others.outside and rows["seat_rule"][0] != EVERY)
        #: Whether a step is a call of the loops, and nothing else.
        self._only_loops = not (self._asks or self.transforms or self.game.recalls or self.logs)

    def __getstate__(self) -> dict[str, Any]:
        names = ("variant", "threads", "autoreset", "lenient", "others", "memories", "logs")
        return {name: getattr(self, name) for name in (*names, "started", "_arrays")}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)
        kinds = self._arrays.states.dtype, self._arrays.observations.dtype
        if kinds != (self.variant.game.dtype, self.variant.dtype):
            raise StateError(
                f"these games of {self.variant.game.title} were pickled by a version with another "
                "record or observation: pickles are for the version that made them; bytes of "
                "get_state() can be read by later ones"
            )
        self._bind()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A twin that goes its own way; players of the pools are shared, not copied."""
        twin = object.__new__(type(self))
        own: dict[str, Any] = {"_arrays": self._arrays.copy(), "memories": self.memories.copy()}
        own["logs"] = self.logs and self.logs.copy()
        twin.__setstate__(self.__getstate__() | own)
        return twin

    # --- guards ----------------------------------------------------------------------------------

    def check_row(self, row: int) -> None:
        """Raise ``OptionError`` for a row that there is not: compiled code does not look."""
        if not is_whole(row) or not 0 <= row < self.count:
            raise OptionError(f"there is no row {row!r}: rows are 0 to {self.count - 1}")

    def check_seat(self, seat: int) -> None:
        """Raise ``OptionError`` for a seat that there is not."""
        if not is_whole(seat) or not 0 <= seat < self.variant.seats:
            raise OptionError(
                f"seat={seat!r} is not a seat of {self.game.title}: "
                f"there are 0 to {self.variant.seats - 1}"
            )

    @contextmanager
    def single(self, row: int) -> Iterator[tuple[Self, int]]:
        """Where a row can be looked at: here. Games on a device bring it to this processor."""
        self.check_row(row)
        yield self, row

    def need_game(self) -> None:
        """Raise ``EpisodeError`` before the first ``reset``."""
        if not self.started:
            raise EpisodeError("there is no game yet: call reset() first")

    def check_view(self, row: int, seat: int) -> None:
        """Raise an error if there is nothing to be seen in a row from a seat."""
        self.check_row(row)
        self.check_seat(seat)
        self.need_game()

    # --- looking ---------------------------------------------------------------------------------

    def playing(self) -> NDArray[np.int8]:
        """The seat that the caller plays now: of several the one that decides, or the first."""
        several = (self.seats == EVERY) | self.team
        if not several.any():
            return self.seats
        return np.where(several & (self.movers != NOBODY), self.movers, self.seats.clip(0))

    def look(
        self, seat: int, row: int = 0
    ) -> tuple[NDArray[Any], NDArray[np.int8], NDArray[np.int32]]:
        """What *seat* sees now: fresh arrays of the observation, its mask and its metrics."""
        self.check_row(row)
        self.check_seat(seat)
        mask = np.empty(self.variant.action_count, np.int8)
        observation = np.empty(self.variant.observation_shape, self.variant.dtype)
        metrics = np.empty(len(self.game.metrics), np.int32)
        self.loops.look(self.states, row, seat, mask, observation.reshape(-1), metrics)
        return observation, mask, metrics

    def look_together(
        self,
        masks: NDArray[np.int8],
        observations: NDArray[Any],
        metrics: NDArray[np.int32],
        together: NDArray[np.int8],
    ) -> None:
        """Write what every seat of the first game sees, and the masks of those who decide now, in
        secret and at the same time: marked in *together*.
        """
        self.loops.look_together(self.states, 0, masks, observations, metrics, together)

    def _look_again(self, row: int) -> None:
        """Write anew what the one who has to decide in a row sees."""
        mover, learner = int(self.movers[row]), int(self.seats[row])
        viewer = mover if mover != NOBODY and (learner == EVERY or self.team) else learner
        observation, mask, metrics = self.look(max(viewer, 0), row)
        self.rows["choices"][row] = mask.sum()
        if learner != EVERY and mover == NOBODY:
            mask[:] = 1
        self.observations[row], self.masks[row], self.metrics[row] = observation, mask, metrics

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

    @contextmanager
    def _all_or_nothing(self, which: NDArray[np.int64] | slice, before: Arrays) -> Iterator[None]:
        """If this block fails, the games *which* are as *before*, and so are logs and memories."""
        logs, failed = self.logs and self.logs.copy(), True
        self.memories.record_changes()
        try:
            yield
            failed = False
        finally:
            self.memories.settle(take_back=failed)
            if failed:
                self._arrays.put(which, before)
                self.logs = logs

    def _forget(self, rows: NDArray[np.int64] | int, whole: bool = True) -> None:
        """Other games are there now: from their beginning, if *whole*."""
        self.memories.forget(rows)
        if self.logs is not None:
            for row in np.atleast_1d(rows).tolist():
                self.logs[row] = Log(self.variant, self._record(row), whole)

    def _record(self, row: int) -> NDArray[Any]:
        """A copy of a row's record."""
        return self.states[row : row + 1].copy()

    def _begin(self, games: Arrays, how: int) -> None:
        """Begin all of these *games*, or do one step of it: see the values of *how*."""
        which, seen = self.all_rows[: len(games)], (games.masks, games.vectors)
        given = games.states, games.rows, self.pool, self.ally_pool, how, *seen
        Pieces(ROWS, few=ROWS).over(
            len(games), lambda first, end: self.loops.begin(which[first:end], *given)
        )
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
            if not bad:
                return
            named = "; ".join(self.complaint(row, int(actions[row])) for row in bad[:3])
            more = f"; and {len(bad) - 3} more rows: {bad[3:20]}" if len(bad) > 3 else ""
            raise ActionError(f"nothing was applied. {named}{more}")

    def _judged(self, given_up: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        """The rows that go on by an action."""
        running: NDArray[np.bool_] = self.movers != NOBODY
        return running if given_up is None else running & ~given_up

    def complaint(
        self, row: int, action: int, seat: int | None = None, mask: NDArray[np.int8] | None = None
    ) -> str:
        """What is wrong with *action* in *row*: its meaning, who acts, and what is legal.

        The seat and its mask are the mover's, unless others decide at the same time.
        """
        seat = int(self.movers[row]) if seat is None else seat
        mask = self.masks[row] if mask is None else mask
        place = f"row {row}: " if self.count > 1 else ""
        record = self.states[row : row + 1]
        return place + illegal.complaint(self.variant, record, action, seat, mask)

    def action_name(self, row: int, action: Any) -> str:
        """What *action* would be in *row* as it stands, in words."""
        self.check_row(row)
        self.need_game()
        number = illegal.checked_number(self.variant, action)
        return registry.named_action(self.variant, self.states[row : row + 1], number)

    def actions(self, actions: Any) -> NDArray[np.int64]:
        """*actions* as an array of whole numbers, one for each row, or ``ActionError``."""
        return illegal.as_actions(actions, self.count)

    def step(self, actions: NDArray[np.int64], given_up: NDArray[np.bool_] | None = None) -> None:
        """Apply one action in every row and go on until the caller has to decide everywhere.

        Where the mover has *given_up*, its side loses.
        """
        self.check(actions, given_up)
        self._step(actions)

    def _step(self, actions: NDArray[np.int64]) -> None:
        """``step`` with actions that were checked."""
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
        if self._only_loops:
            self.loops.advance(self.all_rows, self._one_action, *self._games)
        else:
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
        advance, games = self.loops.advance, self._games
        self._steps.over(
            len(which),
            lambda first, end: advance(which[first:end], actions[first:end], *games),
        )
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

    def seen(self, which: NDArray[np.int64], needs_states: bool, **more: Any) -> PolicyInput:
        """The rows *which*, as those who have to decide there see them; *more* of the input."""
        random_bits = np.empty(len(which), np.uint64)
        states = np.empty(len(which) if needs_states else 0, self.states.dtype)
        self.loops.ask(which, self.states, self.rows, random_bits, states)
        shown = (self.observations[which], self.masks[which], self.movers[which])
        more |= {"notes": [None] * len(which), "threads": self.threads}
        return PolicyInput(self.variant, *shown, random_bits, states, **more)

    def numbered(self, actions: Any) -> Any:
        """The game's own numbers of actions, as they are shown."""
        return actions

    def _shown(self, policy: Policy, which: NDArray[np.int64], **more: Any) -> PolicyInput:
        """What is shown to *policy* of the rows *which*, in which it has to decide."""
        return self.seen(which, policy.needs_states, **more)

    def _answer(self, policy: Policy, seen: PolicyInput) -> NDArray[np.int64]:
        """What it decides."""
        return checked_answer(policy, policy.decide(seen), len(seen))

    def ask(
        self,
        policy: Policy,
        which: NDArray[np.int64],
        watch: Watch | None = None,
    ) -> NDArray[np.int64]:
        """What a policy decides in the rows *which*; ``ActionError`` if that is not legal.

        One that may give up may have answered ``RESIGNS``. A policy with a memory notes there that
        it was asked: ask it once for each decision.
        """
        return self._asked(policy, which, watch=watch)[0]

    def ask_in_match(
        self, policy: Policy, which: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], list[Any]]:
        """The same, and what it notes beside each decision.

        It may have answered ``VOID`` as well; and where illegal actions lose, it is up to ``step``
        what becomes of one.
        """
        return self._asked(policy, which, in_match=True)

    def _asked(
        self,
        policy: Policy,
        which: NDArray[np.int64],
        in_match: bool = False,
        watch: Watch | None = None,
        places: NDArray[Any] | None = None,
    ) -> tuple[NDArray[np.int64], list[Any]]:
        if policy.code != loops.OUTSIDE:
            return self.choose(policy.code)[which], []
        place = Place(which, self.movers[which], self.rows["game"][which])
        more: dict[str, Any] = {"watch": watch}
        if places is not None:
            more["places"] = places.astype(np.int64)
        if policy.memory:
            more["memory"] = self.memories.recall(policy, policy.memory, place)
        if policy.needs_history:
            more["history"] = self._histories(policy, which)
        seen = self._shown(policy, which, **more)
        answer = self._answer(policy, seen)
        judged, judged_answer = which, answer
        if policy.may_give_up:
            if not in_match and VOID in answer:
                raise PolicyError(
                    f"{policy!r} could not decide, and nothing was applied: its machine has failed"
                    + (f": {policy.failure}" if policy.failure else "")
                )
            sure = (answer != RESIGNS) & (answer != VOID)
            judged, judged_answer = which[sure], answer[sure]
        wrong = -1
        if not (in_match and self.lenient):
            wrong = self.loops.first_illegal(judged, judged_answer, self.rows, self.masks)
        if wrong >= 0:
            complaint = self.complaint(int(judged[wrong]), int(judged_answer[wrong]))
            raise ActionError(f"{policy!r} chose wrongly: {complaint}")
        if policy.memory:
            self.memories.note(policy, seen.memory, place)
        return answer, seen.notes

    def _histories(self, policy: Policy, which: NDArray[np.int64]) -> list[History]:
        if self.logs is None:
            raise PolicyError(
                f"{policy!r} needs the history of games, and these keep none: it can play in "
                "matches, at tables, and as an opponent or ally"
            )
        return [self.history_of(row) for row in which.tolist()]

    def history_of(self, row: int) -> History:
        """What the one who has to decide in a row may know of its game, where logs are kept."""
        assert self.logs is not None
        return History(self.logs[row], int(self.movers[row]))

    def choose(self, code: int) -> NDArray[np.int64]:
        """What a player of the compiled loops decides for the mover of every row (0 where a game
        is over).
        """
        actions = np.empty(self.count, np.int64)
        asked = self.states, self.rows, self.masks, actions
        self._decisions[code].over(
            self.count,
            lambda first, end: self.loops.choose(code, *(each[first:end] for each in asked)),
        )
        return actions

    def play(self, code: int, steps: int) -> None:
        """Let a player of the compiled loops make *steps* decisions in every row.

        They are made in pieces, so that Ctrl-C is heard soon. Then every row stands between two
        decisions, and some have made more of them than others.
        """
        if not is_whole(steps) or steps < 0:
            raise OptionError(f"{steps!r} steps are not possible: a whole number is needed")
        self.need_game()
        if self._asks:
            raise OptionError("the caller's own players cannot play in a compiled loop")
        if self.logs is not None:
            raise OptionError("a compiled loop keeps no history: leave out history=True, or step")
        self._play(code, int(steps))

    def _play(self, code: int, steps: int) -> None:
        decisions = self._decisions[code]
        if steps * self.count <= min(decisions.some, _FEW):
            self.loops.play(code, steps, *self._games)
        else:
            for now, part in decisions.of_steps(steps, self.count):
                self.loops.play(code, now, *self._games.part(part))
        self._check_past(self.states)

    # --- single rows: redrawn, saved and put back ------------------------------------------------

    def resample(self, seat: int, random_bits: int | None, row: int = 0) -> None:
        """Redraw what *seat* cannot know in a row; None: by the row's own generator."""
        self.check_view(row, seat)
        row, seat = int(row), int(seat)
        possible = random_bits is None or is_whole(random_bits)
        require(possible, "seed", random_bits, "a whole number is needed, or None")
        random_bits = int(self.rows["dice"][row] if random_bits is None else random_bits)
        # What the others will draw, and who they are, is as unknown as the cards.
        self.rows["dice"][row] = dice.seeded(random_bits ^ OPPONENTS)
        others = np.flatnonzero(self.pool != CALLER)
        if self.seats[row] != EVERY:
            self.rows["opponent"][row] = others[int(dice.seeded(random_bits + 1)) % len(others)]
        self.rows["ally"][row] = int(dice.seeded(random_bits + 2)) % len(self.ally_pool)
        self.loops.resample(self.states, row, seat, dice.seeded(random_bits))
        self._forget(row, whole=False)  # what there is tells of the cards that the others saw
        self._look_again(row)

    def save(self, row: int = 0) -> bytes:
        """One row as bytes."""
        self.check_row(row)
        self.need_game()
        bookkeeping, state = self.rows[row : row + 1].copy(), self.states[row : row + 1]
        # How the game before ended is not part of this one.
        for name in ("terminated", "truncated", "reason"):
            bookkeeping[name] = state[name]
        if state[0]["mover"] != NOBODY:
            for name in self.rows.dtype.names or ():
                if name.startswith("final_"):
                    bookkeeping[name] = 0
        if bookkeeping[0]["opening"]:  # what the last step brought is of the game before
            bookkeeping["reward"] = 0
        elif state[0]["mover"] == NOBODY:
            # Whatever was asked of the others since: later steps bring a finished game nothing.
            bookkeeping["reward"] = self._paid_at_the_end(row)
        return saving.pack(self.game, bookkeeping, state)

    def _paid_at_the_end(self, row: int) -> Any:
        """What the last decision of a row's game has brought, where all seats are the caller's."""
        return self.states["reward"][row] if self.seats[row] == EVERY else 0

    def load(self, saved: bytes, row: int = 0) -> None:
        """Put bytes from ``save`` into a row, or raise ``StateError`` and change nothing."""
        self.check_row(row)
        if not self.started and self.count > 1:
            raise EpisodeError("the other rows have no games yet: call reset() first")
        bookkeeping, state = unpacked_for(self.variant, saved)
        if self.autoreset == SAME_STEP and state[0]["mover"] == NOBODY:
            raise StateError("this game is over, and here finished games are replaced at once")
        if not fits(self.variant, self.others, self.rows[row], bookkeeping[0], state[0]):
            raise StateError(
                "this state was saved by an env with another seat or other opponents; to go on "
                "from its position here, use reset(options={'state': saved})"
            )
        self.states[row] = state[0]
        self.rows[row] = bookkeeping[0]
        self._forget(row, whole=False)
        self._look_again(row)
        self.started = True


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
