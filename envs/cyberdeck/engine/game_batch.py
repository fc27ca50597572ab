"""The batched game core: N games of one kind side by side. Every adapter is a face of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import dice, saving
from cyberdeck.engine.contract import Game, is_whole
from cyberdeck.engine.loops import (
    ALLY,
    DRAWN,
    EVERY,
    FROM_POSITION,
    FROM_SHUFFLE,
    ONLY_SHUFFLE,
    ONLY_START,
    OPPONENT,
    SAME_STEP,
    loops_of,
    row_dtype,
)
from cyberdeck.engine.memories import Memories, Place
from cyberdeck.engine.policy import OUTSIDE, RANDOM, BuiltIn, Policy, PolicyInput, checked_answer
from cyberdeck.engine.record import COMMON_INVARIANTS, NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import ActionError, EpisodeError, OptionError, StateError

ILLEGAL: Final = ("raise", "lose")

#: Keeps the opponents' generator apart from the game's.
_OPPONENTS: Final = 0x0DDB411


#: Who plays where the caller decides for every seat: nobody is ever asked.
NO_ONE: Final = BuiltIn("nobody", RANDOM)


@dataclass(frozen=True)
class Seat:
    """What the caller plays: a seat (or DRAWN, or EVERY), or with *team* all of its side."""

    number: int
    team: bool = False


def checked_seat(variant: Variant, seat: int | str) -> Seat:
    """*seat* as the caller names it, or ``OptionError``."""
    if seat == "random":
        return Seat(DRAWN)
    if seat == "every":
        return Seat(EVERY)
    teams = variant.game.teams
    if teams and seat == "team":
        return Seat(DRAWN, team=True)
    if seat in teams:
        return Seat(variant.sides.index(teams.index(str(seat))), team=True)
    if not is_whole(seat) or not 0 <= int(seat) < variant.seats:
        seats = ", ".join(f"{at} ({name})" for at, name in enumerate(variant.agents))
        named = ", ".join(repr(name) for name in ("random", *(("team", *teams) if teams else ())))
        raise OptionError(f"seat={seat!r} is not possible: choose {named} or one of {seats}")
    return Seat(int(seat))


def _codes(pool: Sequence[Policy]) -> NDArray[np.int8]:
    """A pool for the compiled loops."""
    return np.array([policy.code for policy in pool], np.int8)


class GameBatch:
    """N games, their masks, observations and bookkeeping, advanced by the compiled loops."""

    #: What a copy or a pickle holds; the rest is the game's or a view.
    _KEPT = (
        "variant",
        "count",
        "autoreset",
        "lenient",
        "opponents",
        "allies",
        "pool",
        "ally_pool",
        "_outsiders",
        "states",
        "rows",
        "masks",
        "observations",
        "finals",
        "all_rows",
        "_one",
        "memories",
        "started",
    )

    def __init__(
        self,
        variant: Variant,
        count: int,
        *,
        seat: Seat = Seat(EVERY),  # it is frozen
        opponents: Sequence[Policy] = (NO_ONE,),
        allies: Sequence[Policy] = (NO_ONE,),
        autoreset: int = SAME_STEP,
        illegal: str = "raise",
    ) -> None:
        if not is_whole(count) or count < 1:
            raise OptionError(f"{count!r} games are not possible: the number must be at least 1")
        if illegal not in ILLEGAL:
            raise OptionError(f"illegal={illegal!r} is not possible: choose 'raise' or 'lose'")
        self.variant = variant
        self.game = variant.game
        self.loops = loops_of(self.game)
        self.count = int(count)
        self.autoreset = autoreset
        self.lenient = illegal == "lose"
        self.opponents, self.allies = tuple(opponents), tuple(allies)
        self.pool, self.ally_pool = _codes(self.opponents), _codes(self.allies)
        outside = OUTSIDE in self.pool or OUTSIDE in self.ally_pool
        self._outsiders = outside and seat.number != EVERY
        seats = 1 if seat.number != EVERY else variant.seats
        metrics = len(self.game.metrics)
        self.states = np.repeat(variant.blank(), self.count)  # (N,) records
        self.rows = np.zeros(self.count, row_dtype(self.game.most_seats, metrics))
        self.rows["seat_rule"] = seat.number
        self.rows["team"] = seat.team
        self.rows["mover"] = NOBODY
        self.masks = np.zeros((self.count, variant.action_count), np.int8)
        self.observations = np.zeros((self.count, *variant.observation_shape), np.int8)
        self.finals = np.zeros((self.count, seats, *variant.observation_shape), np.int8)
        self.all_rows = np.arange(self.count)
        self._one = np.zeros(1, np.int64)
        self.memories = Memories(self.count, variant.seats)
        self.started = False
        self._bind()

    def _bind(self) -> None:
        """Views of the bookkeeping that are looked at in every step."""
        rows, seats = self.rows, self.variant.seats
        self.movers, self.metrics = rows["mover"], rows["metrics"]
        self.rewards, self.pending = rows["reward"][:, :seats], rows["pending"][:, :seats]
        self.final_returns = rows["final_returns"][:, :seats]
        self.team = bool(rows["team"][0])
        self.terminated, self.truncated = rows["terminated"], rows["truncated"]
        self.reasons, self.seats = rows["reason"], rows["seat"]
        # One that is several times in a pool is asked for all its games in one go.
        self._askable = [
            (waiting, name, np.array([each is policy for each in pool]), policy)
            for waiting, name, pool in (
                (OPPONENT, "opponent", self.opponents),
                (ALLY, "ally", self.allies),
            )
            for policy in {id(each): each for each in pool}.values()
            if policy.code == OUTSIDE
        ]
        # For the loops every observation is a vector.
        size = self.variant.observation_size
        self._vectors = self.observations.reshape(self.count, size)
        self._final_vectors = self.finals.reshape(self.count, -1, size)
        # The first row by itself: all there is in a table of one game.
        self.one_mask, self.one_observation = self.masks[0], self.observations[0]
        self.one_metrics = self.metrics[0]

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in self._KEPT}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        for name, value in kept.items():
            if isinstance(value, np.ndarray) and not value.flags.writeable:
                self.__dict__[name] = value.copy()  # unpickled from somebody's shared memory
        self.game = self.variant.game
        self.loops = loops_of(self.game)
        self._bind()

    def __deepcopy__(self, memo: dict[int, Any]) -> GameBatch:
        """A twin that goes its own way; players of the pool are shared, not copied."""
        twin = object.__new__(GameBatch)
        twin.__setstate__(
            {
                name: value.copy() if isinstance(value, (np.ndarray, Memories)) else value
                for name, value in self.__getstate__().items()
            }
        )
        return twin

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
        local = np.arange(len(which))
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
                rows["dice"][at] = dice.seeded(seed ^ _OPPONENTS)

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
        listed = "; ".join(f"{a} ({self.game.named_action(record, int(a))})" for a in legal[:12])
        more = f"; and {len(legal) - 12} more" if len(legal) > 12 else ""
        place = f"row {row}: " if self.count > 1 else ""
        return (
            f"{place}action {action} ({self.game.named_action(record, action)}) is not legal for "
            f"{self.variant.agents[seat]}; legal are {listed}{more}"
        )

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
        if not self._outsiders:
            self._advance(self.all_rows, actions)
            return
        before = (self.states.copy(), self.rows.copy(), self.masks.copy())
        seen, ends = self.observations.copy(), self.finals.copy()
        try:
            self._advance(self.all_rows, actions)
            with self.memories.unless_it_fails():
                self._hear_outsiders()
        except BaseException:
            self.states[:], self.rows[:], self.masks[:] = before
            self.observations[:], self.finals[:] = seen, ends
            raise

    def advance_one(self, action: int) -> None:
        """Apply an action that the caller has found legal, in a table of one game."""
        self._one[0] = action
        if self._outsiders:
            self.step(self._one)
        else:
            self._advance(self.all_rows, self._one)

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

    def playing(self) -> NDArray[np.int8]:
        """The seat that the caller plays now: in a team the one that decides, or its first."""
        if not self.team:
            return self.seats
        return np.where(self.movers != NOBODY, self.movers, self.seats)

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

    def need_game(self) -> None:
        if not self.started:
            raise EpisodeError("there is no game yet: call reset() first")

    def check_view(self, row: int, seat: int) -> None:
        """Raise an error if there is nothing to be seen in a row from a seat."""
        self.check_row(row)
        self.check_seat(seat)
        self.need_game()

    # --- looking ---------------------------------------------------------------------------------

    def look(
        self, seat: int, row: int = 0
    ) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int32]]:
        """What *seat* sees now: fresh arrays of the observation, its mask and its facts."""
        self.check_row(row)
        self.check_seat(seat)
        mask = np.empty(self.variant.action_count, np.int8)
        observation = np.empty(self.variant.observation_shape, np.int8)
        metrics = np.empty(len(self.game.metrics), np.int32)
        self.loops.look(self.states, row, seat, mask, observation.reshape(-1), metrics)
        return observation, mask, metrics

    def resample(self, seat: int, random_bits: int | None, row: int = 0) -> None:
        """Redraw what *seat* cannot know in a row: from *luck*, or from the row's own generator."""
        self.check_row(row)
        self.check_seat(seat)
        self.need_game()
        if random_bits is None:
            random_bits = int(self.rows["dice"][row])
        # The others' luck, and who they are, is as unknown as the cards.
        self.rows["dice"][row] = dice.seeded(random_bits ^ _OPPONENTS)
        self.rows["opponent"][row] = int(dice.seeded(random_bits + 1)) % len(self.pool)
        self.rows["ally"][row] = int(dice.seeded(random_bits + 2)) % len(self.ally_pool)
        self.memories.forget(row)  # it tells of the cards that the others saw
        self.loops.resample(self.states, row, seat, dice.seeded(random_bits))
        self._look_again(row)

    # --- saving ----------------------------------------------------------------------------------

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
        return saving.pack(self.game, bookkeeping, state)

    def load(self, saved: bytes, row: int = 0) -> None:
        """Put bytes from ``save`` into a row, or raise ``StateError`` and change nothing."""
        self.check_row(row)
        if not self.started and self.count > 1:
            raise EpisodeError("the other rows have no games yet: call reset() first")
        bookkeeping, state = self._read(saved)
        if self.autoreset == SAME_STEP and state[0]["mover"] == NOBODY:
            raise StateError("this game is over, and here finished games are replaced at once")
        kept = bookkeeping[0]
        if not self._fits(kept, state[0], self.rows[row]):
            raise StateError(
                "this state was saved by an env with another seat or other opponents; to go on "
                "from its position here, use reset(options={'state': saved})"
            )
        self.states[row] = state[0]
        self.rows[row] = kept
        self.memories.forget(row)
        self._look_again(row)
        self.started = True

    def _fits(self, kept: np.void, state: np.void, here: np.void) -> bool:
        """Whether saved bookkeeping is possible here, beside *state*: compiled code trusts it."""
        rule = int(here["seat_rule"])
        seats = range(self.variant.seats) if rule == DRAWN else (rule,)
        opponents, allies = range(len(self.pool)), range(len(self.ally_pool))
        mover = int(kept["mover"])
        own = mover in (NOBODY, kept["seat"]) or (
            kept["team"] and self._side(state, mover) == self._side(state, int(kept["seat"]))
        )
        moneys = [kept[name] for name in ("reward", "pending", "returns", "final_returns")]
        return bool(
            all(kept[name] == state[name] for name in ("terminated", "truncated", "reason"))
            and kept["seat_rule"] == rule
            and kept["seat"] in seats
            and kept["final_seat"] in (0, *seats)
            and kept["opponent"] in opponents
            and kept["final_opponent"] in opponents
            and kept["ally"] in allies
            and kept["final_ally"] in allies
            and kept["team"] == here["team"]
            and kept["waiting"] == 0
            and kept["opening"] in (0, 1)
            and mover == state["mover"]
            and (rule == EVERY or own)
            and all((abs(money) <= self.game.reward_bound + 1e-4).all() for money in moneys)
        )

    def _side(self, state: np.void, seat: int) -> int:
        return int(self.game.kernels.side(state, seat))

    def _look_again(self, row: int) -> None:
        """Write anew what the one who has to decide in a row sees."""
        mover, learner = int(self.movers[row]), int(self.seats[row])
        viewer = learner
        if mover != NOBODY and (learner == EVERY or self.rows["team"][row]):
            viewer = mover
        observation, mask, metrics = self.look(max(viewer, 0), row)
        self.rows["choices"][row] = mask.sum()
        if learner != EVERY and mover == NOBODY:
            mask[:] = 1
        self.observations[row], self.masks[row], self.metrics[row] = observation, mask, metrics

    def _read(self, saved: bytes) -> tuple[NDArray[Any], NDArray[Any]]:
        bookkeeping, state = unpacked(self.game, saved)
        carried = self.game.read(state)
        views = {option.name for option in self.game.options if option.view}
        for name, value in self.variant.options.items():
            if carried[name] != value and name not in views:
                raise StateError(
                    f"this state was saved with {name}={carried[name]!r}, and this env has "
                    f"{name}={value!r}: make the env with the same options"
                )
        self.game.write(state, self.variant.options)
        return bookkeeping, state


def broken_invariant(game: Game, states: NDArray[Any]) -> str:
    """What does not hold in the first of these records that is no possible position, or ""."""
    common = game.bounds.broken(states)
    if common.any():
        return COMMON_INVARIANTS[int(common[common > 0][0]) - 1]
    failed = np.zeros(len(states), np.int64)
    if loops_of(game).check_state(states, failed):
        return game.invariants[int(failed[failed > 0][0]) - 1]
    return ""


def checked_position(game: Game, states: NDArray[Any]) -> NDArray[Any]:
    """*states*, or ``StateError`` if one of them is no possible position."""
    if broken := broken_invariant(game, states):
        raise StateError(
            f"this is no possible position of {game.title}: it does not hold that {broken}"
        )
    return states


def unpacked(game: Game, saved: bytes) -> tuple[NDArray[Any], NDArray[Any]]:
    """The bookkeeping and the record in saved bytes, or ``StateError``."""
    row, state = saving.unpack(game, row_dtype(game.most_seats, len(game.metrics)), saved)
    return row, checked_position(game, state)


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
