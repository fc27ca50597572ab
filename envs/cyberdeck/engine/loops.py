"""What loops do with one row of a batch: its bookkeeping, and kernels that take it a step further.

A *row* is one game of a batch. Beside the game's own record it has a record of bookkeeping
(``row_dtype``): which seat the learner plays, who plays the others, and what the last step brought.
The loops over many rows are in ``engine/game_loops.py``.
"""

from __future__ import annotations

import functools
from typing import Any, Final

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.constants import DRAWN, EVERY
from cyberdeck.engine.contract import Game
from cyberdeck.engine.defaults import counts_itself, legal_count, nth_legal
from cyberdeck.engine.kernels import kernel_of
from cyberdeck.engine.record import FORFEIT, NOBODY, record_dtype

#: Who plays by code in the loops; everybody else is asked from outside.
RANDOM, HEURISTIC, OUTSIDE = 0, 1, 2
#: In a pool of opponents: the caller itself, who then decides for every seat of that game.
CALLER: Final = 3

#: ``row.waiting``: for whom; nobody is 0.
OPPONENT, ALLY = 1, 2

#: How a game begins: shuffled and started, or from the position that is in the record; or only
#: one step of it, where a beginning is prescribed in part.
FROM_SHUFFLE, FROM_POSITION, ONLY_SHUFFLE, ONLY_START = 0, 1, 2, 3

#: What happens to a game that is over.
NEXT_STEP, SAME_STEP, DISABLED = 0, 1, 2

#: So often a game is dealt anew that is over before the learner has decided.
DEALS: Final = 1000


@functools.cache
def row_dtype(seats: int, metrics: int) -> np.dtype[Any]:
    """The adapter's bookkeeping for one row.

    dice         generator for the opponents' choices and for who plays what
    game         which it is of this row's: where the generator stood at its start
    reward       per seat, since the caller's last decision in this row
    pending      rewards of the running game not yet handed out; where the caller decides for
                 every seat: what each seat got since it last decided (float64, so that
                 such sums are exactly those that Python makes of the rewards)
    returns      per seat, the sum of what was handed out in this game
    metrics      the game's metrics as the viewer sees them; final_metrics: at the last end
    final_...    of the last finished game; final_length: its decisions
    terminated, truncated, reason   of the game that the last step ended, else 0
    """
    return record_dtype(
        [
            ("dice", np.uint64),
            ("game", np.uint64),
            ("reward", np.float32, (seats,)),
            ("pending", np.float64, (seats,)),
            ("returns", np.float32, (seats,)),
            ("final_returns", np.float32, (seats,)),
            ("metrics", np.int32, (metrics,)),
            ("final_metrics", np.int32, (metrics,)),
            ("final_length", np.int32),
            ("choices", np.int32),  # how many actions the mask allows
            ("seat_rule", np.int8),
            ("seat", np.int8),
            ("final_seat", np.int8),
            ("team", np.int8),  # 1: the caller decides for all of that seat's side
            ("opponent", np.int16),
            ("final_opponent", np.int16),
            ("ally", np.int16),
            ("final_ally", np.int16),
            ("mover", np.int8),
            ("waiting", np.int8),  # OPPONENT or ALLY while one from outside has to decide
            ("opening", np.int8),  # 1 until the caller's first decision in the running game
            ("terminated", np.int8),
            ("truncated", np.int8),
            ("reason", np.int8),
        ]
    )


class RowKernels:
    """The kernels of a game that take one row a step further: the loops call them."""

    def __init__(self, game: Game) -> None:
        self._part, self._rules = kernel_of(game.name, inline="always"), game.kernels
        self._define_deciding()
        self._define_paying()
        self._define_beginning()
        self._define_showing(counts_itself(game.legal))
        self._define_rows()

    def _define_deciding(self) -> None:
        """Who decides, and what built-in players do."""
        part, side, heuristic = self._part, self._rules.side, self._rules.heuristic

        @part
        def is_learners(state: Any, row: Any, seat: Any) -> Any:
            if row.team == 1:
                return side(state, seat) == side(state, row.seat)
            return seat == row.seat

        @part
        def pick(code: Any, state: Any, mask: Any, count: Any, random_bits: Any) -> Any:
            """A built-in player's decision for the mover, by 64 random bits."""
            if code == HEURISTIC:
                return heuristic(state, mask, random_bits)
            return nth_legal(mask, dice.scaled(random_bits, count))

        @part
        def bits_for(state: Any, row: Any) -> Any:
            """64 random bits for a decision that is only asked for: asking changes nothing."""
            return dice.mixed(dice.mixed(row.dice) + np.uint64(state.decisions))

        @part
        def hint(code: Any, state: Any, row: Any, mask: Any) -> Any:
            """``pick`` for the caller."""
            return pick(code, state, mask, row.choices, bits_for(state, row))

        self.is_learners, self.pick = is_learners, pick
        self.bits_for, self.hint = bits_for, hint

    def _define_paying(self) -> None:
        """What decisions bring, and when it is handed out."""
        part, seats, side = self._part, self._rules.seat_count, self._rules.side

        @part
        def forfeit(state: Any) -> None:
            """The mover's side loses for an illegal action, and the others win."""
            guilty = side(state, state.mover)
            for seat in range(seats(state)):
                state.reward[seat] = -1.0 if side(state, seat) == guilty else 1.0
            state.decisions += 1
            state.terminated = 1
            state.reason = FORFEIT
            state.mover = NOBODY

        @part
        def collect(state: Any, row: Any) -> None:
            for seat in range(seats(state)):
                row.pending[seat] += state.reward[seat]

        @part
        def hand_out(state: Any, row: Any) -> None:
            for seat in range(seats(state)):
                gain = state.reward[seat] if row.seat == EVERY else row.pending[seat]
                row.reward[seat] = gain
                row.returns[seat] += gain
                if row.seat != EVERY:
                    row.pending[seat] = 0.0

        self.forfeit, self.collect, self.hand_out = forfeit, collect, hand_out

    def _define_beginning(self) -> None:
        """How games begin, and go on to where somebody from outside has to decide."""
        part, k = self._part, self._rules
        shuffle, start, legal, act, side = k.shuffle, k.start, k.legal, k.act, k.side
        seats, is_learners, pick, collect = k.seat_count, self.is_learners, self.pick, self.collect

        @part
        def seat_players(state: Any, row: Any, pool: Any, allies: Any) -> None:
            """A new game begins: who plays what."""
            dice.draw(row)  # so that ``hint`` has new bits in every game
            row.game = row.dice
            row.seat = row.seat_rule
            if row.seat_rule == DRAWN and row.team == 1:
                last = 0
                for seat in range(seats(state)):
                    last = max(last, side(state, seat))
                drawn = dice.below(row, 1 + last)
                row.seat = 0
                while side(state, row.seat) != drawn:  # a side is known by its first seat
                    row.seat += 1
            elif row.seat_rule == DRAWN:
                row.seat = dice.below(row, seats(state))
            row.opening = 1
            row.waiting = 0
            row.opponent = 0
            row.ally = 0
            if len(pool) > 1:
                row.opponent = dice.below(row, len(pool))
            if pool[row.opponent] == CALLER:
                row.seat = EVERY
            if len(allies) > 1:
                row.ally = dice.below(row, len(allies))
            for seat in range(seats(state)):
                row.pending[seat] = 0.0
                row.returns[seat] = 0.0

        @part
        def play_others(state: Any, row: Any, mask: Any, pool: Any, allies: Any) -> None:
            """Let built-in players decide until the learner has to, an outsider, or nobody."""
            if row.seat == EVERY:
                return
            while state.mover != NOBODY and not is_learners(state, row, state.mover):
                ally = side(state, state.mover) == side(state, row.seat)
                code = allies[row.ally] if ally else pool[row.opponent]
                if code == OUTSIDE:
                    row.waiting = ALLY if ally else OPPONENT
                    return
                count = legal(state, mask)
                act(state, pick(code, state, mask, count, dice.draw(row)))
                collect(state, row)

        @part
        def new_game(state: Any, row: Any, mask: Any, pool: Any, allies: Any) -> None:
            for _ in range(DEALS):
                seat_players(state, row, pool, allies)
                shuffle(state)
                start(state)
                play_others(state, row, mask, pool, allies)
                # What the others end before the learner has decided is no game for it.
                if state.mover != NOBODY or row.seat == EVERY:
                    break

        self.seat_players, self.play_others, self.new_game = seat_players, play_others, new_game

    def _define_showing(self, counted: bool) -> None:
        """What is seen of a game as it stands, and of its end."""
        part, k = self._part, self._rules
        legal, observe, report, seats = k.legal, k.observe, k.report, k.seat_count

        @part
        def show(state: Any, row: Any, mask: Any, observation: Any) -> None:
            """Write what the one who has to decide (or, at the end, the learner) sees."""
            row.choices = legal(state, mask)
            if state.mover == NOBODY and row.seat != EVERY:
                mask[:] = 1  # nothing is left to choose: never hand a learner an empty mask
            row.mover = state.mover
            viewer = row.seat
            if state.mover != NOBODY and (row.seat == EVERY or row.waiting or row.team):
                viewer = state.mover
            viewer = max(viewer, 0)
            observe(state, viewer, observation)
            report(state, viewer, row.metrics)
            if not counted:
                # Now: to read many bytes at once just after they were written one by one is slow.
                row.choices = 0 if state.mover == NOBODY else legal_count(mask)

        @part
        def close(state: Any, row: Any, final: Any) -> None:
            """The game is over: hand out what is left and note how it ended."""
            row.terminated = state.terminated
            row.truncated = state.truncated
            row.reason = state.reason
            for seat in range(seats(state)):
                row.final_returns[seat] = row.returns[seat]
            row.final_length = state.decisions
            row.final_seat = row.seat
            row.final_opponent = row.opponent
            row.final_ally = row.ally
            if row.seat == EVERY:
                for seat in range(seats(state)):
                    observe(state, seat, final[seat])
                report(state, 0, row.final_metrics)
            else:
                observe(state, row.seat, final[0])
                report(state, row.seat, row.final_metrics)

        self.show, self.close = show, close

    def _define_rows(self) -> None:
        """How one row begins, and goes on."""
        part, k, show, close = self._part, self._rules, self.show, self.close
        shuffle, start, act, seats = k.shuffle, k.start, k.act, k.seat_count
        forfeit, collect, hand_out = self.forfeit, self.collect, self.hand_out
        seat_players, play_others, new_game = self.seat_players, self.play_others, self.new_game

        @part
        def begin_row(
            state: Any, row: Any, pool: Any, allies: Any, how: Any, mask: Any, observation: Any
        ) -> None:
            """One row of ``begin``."""
            if how == ONLY_SHUFFLE:
                shuffle(state)
                return
            if how == ONLY_START:
                start(state)
                return
            if how == FROM_SHUFFLE:
                new_game(state, row, mask, pool, allies)
            else:
                seat_players(state, row, pool, allies)
                play_others(state, row, mask, pool, allies)
            for seat in range(seats(state)):
                row.reward[seat] = 0.0
            row.terminated = state.terminated
            row.truncated = state.truncated
            row.reason = state.reason
            show(state, row, mask, observation)

        @part
        def advance_row(
            state: Any, row: Any, action: Any, pool: Any, allies: Any, mode: Any, mask: Any,
            observation: Any, final: Any,
        ) -> None:  # fmt: skip
            """One row of ``advance``."""
            if row.waiting:
                row.waiting = 0
            else:
                over = row.terminated or row.truncated
                # What is over before the learner has decided is not marked so.
                if state.mover == NOBODY or (over and mode != SAME_STEP):
                    for seat in range(seats(state)):
                        row.reward[seat] = 0.0
                    if mode != DISABLED:
                        row.terminated, row.truncated, row.reason = 0, 0, 0
                        new_game(state, row, mask, pool, allies)
                        show(state, row, mask, observation)
                    return
                row.terminated, row.truncated, row.reason = 0, 0, 0
                row.opening = 0
            if row.seat == EVERY:
                row.pending[state.mover] = 0.0
            if 0 <= action < len(mask) and mask[action] == 1:
                act(state, action)
            else:
                forfeit(state)
            collect(state, row)
            play_others(state, row, mask, pool, allies)
            if row.waiting == 0 and row.opening == 0:
                hand_out(state, row)
                if state.mover == NOBODY:
                    close(state, row, final)
                    if mode == SAME_STEP:
                        new_game(state, row, mask, pool, allies)
            show(state, row, mask, observation)

        self.begin_row, self.advance_row = begin_row, advance_row
