"""A small handle on the real engine for tests: one game, one record, plain Python values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import cyberdeck
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED, HEURISTIC, ONLY_SHUFFLE, ONLY_START
from cyberdeck.games.matrix_overload.rules import VALUE
from cyberdeck.games.stacktrices.constants import PHASES


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
        self.core = GameBatch(self.variant, 1)
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


# --- MATR1X 0VERL0AD in words ---------------------------------------------------------------------

VALUES = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
SUITS = "chsd"


def card(word: str) -> int:
    """`10c` is the ten of clubs, `Qd` the queen of diamonds, `joker` and `joker2` the jokers."""
    if word.startswith("joker"):
        return 53 if word == "joker2" else 52
    return 13 * SUITS.index(word[-1]) + VALUES.index(word[:-1])


def cards(words: str) -> list[int]:
    return [card(word) for word in words.split()]


def word(number: int) -> str:
    if number >= 52:
        return "joker" if number == 52 else "joker2"
    return VALUES[number % 13] + SUITS[number // 13]


@dataclass
class Spot:
    """An outer pile: a royal or none yet, the cards of ICE on it, and whether it is dead."""

    royal: int | None = None
    ice: list[int] = field(default_factory=list)
    dead: bool = False


@dataclass
class Table:
    """A whole position of MATR1X 0VERL0AD."""

    piles: list[list[int]]
    outer: list[Spot | None]
    draw: list[int]
    known_first: int = 1
    known_last: int = 0


def table(
    matrix: str = "- - - / - - - / - - -",
    *,
    royals: Mapping[int, str] | None = None,
    dead: Sequence[int] = (),
    draw: str = "",
    bury: int | None = None,
    jokers: int = 1,
) -> Table:
    """A position in words.

    matrix: nine piles in reading order; `-` is empty, `2c+7h` has the 7 of hearts on top.
    royals: by action number; `Jd 3d` is the jack of diamonds with the 3 of diamonds as ICE, `3d`
            alone is preventative ICE, `dead Jd` a beaten jack.
    dead:   action numbers of outer piles with beaten royals, filled with any that are not named.
    draw:   the next cards, the face-up one first. All cards not named follow in order of their
            ids, unless they are buried (court cards never): numbers at the bottom of inner pile
            `bury`, the lowest first; an ace or joker under it and under any others, as they can
            lie.
    """
    piles = [
        [] if pile == "-" else cards(pile.replace("+", " "))
        for pile in matrix.replace("/", " ").split()
    ]
    outer: list[Spot | None] = [None] * 12
    for action, words in (royals or {}).items():
        spot = Spot()
        for one in words.split():
            if one == "dead":
                spot.dead = True
            elif one[0] in "JQK":
                spot.royal = card(one)
            else:
                spot.ice.append(card(one))
        outer[action - 9] = spot
    front = cards(draw)
    used = {*front, *(one for pile in piles for one in pile)}
    for taken in outer:
        if taken is not None:
            used |= {*taken.ice, taken.royal}
    rest = [one for one in range(52 + jokers) if one not in used]
    court = [one for one in rest if one < 52 and one % 13 >= 10]
    for action in dead:
        outer[action - 9] = Spot(royal=court.pop(0), dead=True)
    placed = {spot.royal for spot in outer if spot is not None}
    rest = [one for one in rest if one not in placed]
    if bury is not None:
        numbers = [one for one in rest if 2 <= VALUE[one] <= 10]
        piles[bury][:0] = sorted(numbers, key=VALUE.__getitem__)
        resting = sorted(piles, key=lambda pile: (pile is not piles[bury], not pile))
        resting = [pile for pile in resting if not pile or VALUE[pile[0]] > 1]
        for one, pile in zip((one for one in rest if VALUE[one] <= 1), resting, strict=False):
            pile.insert(0, one)
        rest = court
    return Table(piles, outer, front + rest)


def lay_out(state: np.void, position: Table) -> None:
    """Write a whole position into an engine record whose options are set."""
    for name in ("place", "height", "unseen", "ice", "dead"):
        state[name][:] = 0
    for name in ("below", "top", "royal"):
        state[name][:] = -1
    for inner, pile in enumerate(position.piles):
        state["depth"][inner] = len(pile)
        state["top_value"][inner] = VALUE[pile[-1]] if pile else -1
        for height, one in enumerate(pile, start=1):
            state["below"][one] = state["top"][inner]
            state["top"][inner] = one
            state["place"][one] = 1 + inner
            state["height"][one] = height
    for at, spot in enumerate(position.outer):
        if spot is None:
            continue
        state["dead"][at] = spot.dead
        if spot.royal is not None:
            state["royal"][at] = spot.royal
            state["place"][spot.royal] = 10 + at
        for one in spot.ice:
            state["place"][one] = 10 + at
            state["ice"][at] += one % 13 + 1
    state["killed"] = sum(1 for spot in position.outer if spot is not None and spot.dead)
    state["draw"][: len(position.draw)] = position.draw
    state["head"] = 0
    state["left"] = len(position.draw)
    state["known_first"] = position.known_first
    state["known_last"] = position.known_last
    for one in position.draw[position.known_first : len(position.draw) - position.known_last]:
        state["unseen"][one] = 1
    state["decisions"] = 0
    state["mover"] = 0
    for name in ("reward", "terminated", "truncated", "reason"):
        state[name] = 0


class Matrix(Play):
    """MATR1X 0VERL0AD from a position, with its cards in words."""

    def __init__(self, position: Table, **options: Any) -> None:
        super().__init__("matrix_overload", **options)
        lay_out(self.record[0], position)
        assert self.trouble() == "", f"no possible position: {self.trouble()}"

    def draw_pile(self) -> list[int]:
        head, left = int(self.state["head"]), int(self.state["left"])
        ring = self.state["draw"].tolist()
        return [ring[(head + at) % len(ring)] for at in range(left)]

    def pile(self, inner: int) -> list[int]:
        """An inner pile's cards, the bottom one first."""
        found: list[int] = []
        one = int(self.state["top"][inner])
        while one >= 0:
            found.insert(0, one)
            one = int(self.state["below"][one])
        return found

    def tops(self) -> str:
        return " ".join(word(one) if one >= 0 else "-" for one in self.state["top"].tolist())

    def strength(self, action: int) -> int:
        return int(self.state["royal"][action - 9]) % 13 + 1 + int(self.state["ice"][action - 9])

    def is_dead(self, action: int) -> bool:
        return bool(self.state["dead"][action - 9])


class Dealt(Matrix):
    """MATR1X 0VERL0AD from a deck: the cards named first, then all others by their ids."""

    def __init__(self, first: str, **options: Any) -> None:
        count = 54 if options.get("edition") == "rulebook" else 53
        front = cards(first)
        deck = front + [one for one in range(count) if one not in front]
        Play.__init__(self, "matrix_overload", {"deck": deck}, **options)


# --- Stacktrices in words -------------------------------------------------------------------------

FILES = "abcdefg"
PIECES = "PDQpdq"  # movement pawn, drone, queen; skill pawn, drone, queen
COLOURS = ("white", "black")


def letters(counts: Sequence[int]) -> str:
    """Pieces by their letters: two movement drones and a skill pawn are `DDp`."""
    return "".join(letter * int(count) for letter, count in zip(PIECES, counts, strict=True))


def side(stacks: str) -> str:
    """A side's stacks in words, filled up with captured ones: `a1*:P | b2` has two."""
    drones, _, queens = stacks.partition("|")
    words = [drones.split(), queens.split()]
    full = [group + ["-"] * (size - len(group)) for group, size in zip(words, (4, 3), strict=True)]
    return " | ".join(" ".join(group) for group in full)


def flipped(words: str) -> str:
    """The same seen from the other side of the board: a1 is a7, and a7 is a1."""
    return re.sub("([a-g])([1-7])", lambda found: f"{found[1]}{8 - int(found[2])}", words)


class Stacks(Play):
    """Stacktrices, with squares, pieces and decisions in words.

    Without *white* and *black* the set-up begins. Decisions are written:

    d2-a6           move the stack on d2 to a6
    hide c1         hide the thief under the drone on c1
    Q>d2            put a movement queen on the own stack on d2
    give Q d2       pick the own movement queen on d2, to give or to raise (`raise Q d2`)
    take q d6       pick the opponent's skill queen on d6
    steal q         pick the skill queen of the captured stack
    claim, end, call off, expose
    """

    def __init__(
        self,
        white: str = "",
        black: str = "",
        turn: str = "white",
        stalled: int = 0,
        seed: int = 0,
        **options: Any,
    ) -> None:
        position = (
            f"white: {side(white)}\nblack: {side(black)}\nturn: {turn}\nstalled: {stalled}"
            if white
            else ""
        )
        options = {"first": 0, **options}
        super().__init__("stacktrices", {"position": position} if white else None, seed, **options)
        self.picks = 6 if self.variant.options["stacked_movement"] else 4
        self.claim = 389 + 2 * 7 * self.picks
        assert self.trouble() == "", f"no possible position: {self.trouble()}"

    # --- what stands where ---

    def seat(self, colour: str) -> int:
        first = int(self.state["first"])
        return first if colour == "white" else 1 - first

    @property
    def colour(self) -> str | None:
        """Who is to decide."""
        return None if self.mover is None else COLOURS[self.mover != int(self.state["first"])]

    @property
    def phase(self) -> str:
        return PHASES[int(self.state["phase"])]

    def square(self, name: str) -> int:
        """The record's number of a square: rank 1 is white's home row."""
        rank = int(name[1]) - 1 if self.state["first"] == 0 else 7 - int(name[1])
        return 7 * rank + FILES.index(name[0])

    def name(self, square: int) -> str:
        rank = square // 7 + 1 if self.state["first"] == 0 else 7 - square // 7
        return f"{FILES[square % 7]}{rank}"

    def on(self, name: str) -> str | None:
        """The pieces of the stack on a square, None if there is no stack."""
        who = int(self.state["board"][self.square(name)])
        return None if who < 0 else letters(self.state["pieces"][who // 7, who % 7])

    def squares(self, colour: str) -> str:
        """Where a side's stacks stand."""
        found = self.state["square"][self.seat(colour)]
        return " ".join(sorted(self.name(int(square)) for square in found if square >= 0))

    def thief(self, colour: str) -> str | None:
        """Where a side's thief stands."""
        seat = self.seat(colour)
        drone = int(self.state["thief"][seat])
        return None if drone < 0 else self.name(int(self.state["square"][seat, drone]))

    def marked(self, colour: str) -> str:
        """Where the drones stand that have raided and not been home since."""
        seat = self.seat(colour)
        drones = np.flatnonzero(self.state["raided"][seat])
        return " ".join(sorted(self.name(int(self.state["square"][seat, at])) for at in drones))

    @property
    def store(self) -> str:
        return letters(self.state["store"])

    # --- decisions ---

    def action(self, word: str) -> int:
        """The number of a legal decision of the mover's."""
        numbers = {self.word(action): action for action in self.legal()}
        assert word in numbers, f"{word!r} is not among {sorted(numbers)}"
        return numbers[word]

    def word(self, action: int) -> str:
        """A legal decision of the mover's in words."""
        seat = self.mover
        assert seat is not None, "nobody is to decide"
        if action >= self.claim:
            return ("claim", "end", "call off", "expose")[action - self.claim]
        squares = [self.name(int(at)) if at >= 0 else "-" for at in self.state["square"][seat]]
        if action < 343:
            return f"{squares[action // 49]}-{self.name(squares_of(action, seat))}"
        if action < 347:
            return f"hide {squares[action - 343]}"
        if action < 389:
            return f"{PIECES[(action - 347) % 6]}>{squares[(action - 347) // 6]}"
        theirs, choice = divmod(action - 389, 7 * self.picks)
        stack, kind = divmod(choice, self.picks)
        owner = 1 - seat if theirs else seat
        stealing = self.phase == "steal"
        heap = self.state["loot"] if stealing else self.state["pieces"][owner, stack]
        if self.picks == 4:
            kind = kind + 2 if kind else int(np.flatnonzero(heap[:3])[0])
        assert heap[kind] > 0, f"action {action} picks a piece that is not there"
        if stealing:
            assert theirs
            assert stack == int(self.state["captured"])
            return f"steal {PIECES[kind]}"
        doing = "take" if theirs else "raise" if self.phase == "raid" else "give"
        at = int(self.state["square"][owner, stack])
        return f"{doing} {PIECES[kind]} {self.name(at)}"

    def options(self) -> set[str]:
        """All legal decisions in words."""
        words = {self.word(action) for action in self.legal()}
        assert len(words) == len(self.legal()), "two legal actions mean the same"
        return words

    def moves(self, name: str) -> str:
        """Where the stack on a square may move to."""
        assert int(self.state["board"][self.square(name)]) // 7 == self.mover, "no own stack"
        return " ".join(sorted(word[3:] for word in self.options() if word.startswith(f"{name}-")))

    def do(self, *words: str) -> Stacks:
        """Make decisions, one after the other."""
        for word in words:
            self.act(self.action(word))
            assert self.trouble() == "", f"after {word!r}: {self.trouble()}"
        return self


def daring(states: np.ndarray, masks: np.ndarray, luck: np.random.Generator) -> np.ndarray:
    """Legal decisions for rows of Stacktrices that lead to the rarer parts of its rules."""
    actions = np.zeros(len(states), np.int64)
    for row, (state, mask) in enumerate(zip(states, masks, strict=True)):
        legal = np.flatnonzero(mask)
        first = len(mask) - 4 if state["steal_on_attack"] else len(mask) - 3
        liked = legal[(legal == first) | (legal == first + 3)]  # claim, expose
        if PHASES[state["phase"]] == "move":
            captures = state["board"][squares_of(legal, int(state["mover"]))] >= 0
            liked = legal[captures | (legal % 49 >= 42)]  # or onto the opponent's home row
        elif PHASES[state["phase"]] == "trade":
            liked = legal[(legal >= 347) & (legal < 389)]
        elif len(liked) == 0 and luck.random() < 0.5:
            liked = legal[legal == first + 1]  # end the turn
        chosen = liked if len(liked) and luck.random() < 0.7 else legal
        actions[row] = luck.choice(chosen)
    return actions


def squares_of(moves: Any, mover: int) -> Any:
    """The record's squares that moves lead to."""
    seen = moves % 49
    return seen if mover == 0 else 7 * (6 - seen // 7) + seen % 7
