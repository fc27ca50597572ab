"""Stacktrices in plain Python: words, lists and sets, no tables, no speed.

Written from the rules page without looking at the engine. A square is (rank, file), counted from
seat 0's home row and the a file. A piece is (sort, size), its size being its pips. Only `fields`
and `write`, at the end, know how the engine's record is laid out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

Square = tuple[int, int]
Piece = tuple[str, int]
Step = tuple[int, int]

PIECES: list[Piece] = [(sort, size) for sort in ("movement", "skill") for size in (1, 2, 3)]
IN_ALL = dict(zip(PIECES, [4, 4, 3, 4, 4, 3], strict=True))
#: Ruling S1: what each player caps the stacks with.
TO_CAP = dict(zip(PIECES, [2, 2, 1, 2, 2, 1], strict=True))

#: The eight directions in turn, so that the neighbours in this list are 45 degrees away.
AROUND: list[Step] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
DIAGONALS = [step for step in AROUND if 0 not in step]
ORTHOGONALS = [step for step in AROUND if 0 in step]

DRONES = range(4)
STACKS = range(7)
HOME_RANK = [0, 6]
#: Where seat 0's stacks start (ruling S3): drones on a, c, e, g, queens before them on b, d, f.
START: list[Square] = [(0, 0), (0, 2), (0, 4), (0, 6), (1, 1), (1, 3), (1, 5)]

# The action numbers that no option changes.
HIDES = 343
PUTS = 347
OWN_PICKS = 389


def seen_from(seat: int, square: Square) -> Square:
    """A square as a seat sees it, and back: its home row is rank 0, the files stay."""
    rank, file = square
    return (rank, file) if seat == 0 else (6 - rank, file)


def number(square: Square) -> int:
    return 7 * square[0] + square[1]


@dataclass
class Stack:
    owner: int
    square: Square | None
    pieces: list[Piece] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pieces.sort()

    def add(self, piece: Piece) -> None:
        self.pieces = sorted([*self.pieces, piece])

    def movement(self) -> list[int]:
        return [size for sort, size in self.pieces if sort == "movement"]

    def skills(self) -> list[int]:
        return [size for sort, size in self.pieces if sort == "skill"]

    @property
    def alive(self) -> bool:
        return self.square is not None

    @property
    def is_pupil(self) -> bool:
        return not self.pieces

    @property
    def is_stranded(self) -> bool:
        """Skill without movement, as only a trade leaves a stack for a while."""
        return bool(self.skills()) and not self.movement()


class Stacktrices:
    """One game. `first` is the seat that plays white."""

    def __init__(
        self,
        first: int = 0,
        *,
        reward: str = "outcome",
        max_turns: int = 200,
        steal_on_attack: bool = False,
        stacked_movement: bool = False,
    ) -> None:
        self.first = first
        self.reward = reward
        self.max_turns = max_turns
        self.steal_on_attack = steal_on_attack
        self.stacked_movement = stacked_movement
        self.stacks = [[Stack(seat, seen_from(seat, at)) for at in START] for seat in (0, 1)]
        self.store = Counter({piece: IN_ALL[piece] - 2 * TO_CAP[piece] for piece in PIECES})
        # What a player holds: to cap with, or stolen, raided, given in a trade.
        self.hands = [Counter(TO_CAP), Counter(TO_CAP)]
        self.thieves: list[int | None] = [None, None]
        self.exposed = [False, False]
        self.raided: list[set[int]] = [set(), set()]
        self.phase = "hide the thief"
        self.mover: int | None = first
        self.turn_of = first
        self.turns = 0
        self.stalled = 0
        self.decisions = 0
        self.lead = 0
        self.last_from: Square | None = None
        self.last_to: Square | None = None
        self.rewards = [0.0, 0.0]
        self.terminated = False
        self.truncated = False
        self.reason = ""
        self.forget_turn()

    def forget_turn(self) -> None:
        self.skipped = False
        self.moved: int | None = None
        # On the opponent's home row, by a move that began off it, and has not raided there.
        self.landed = False
        self.captured: int | None = None
        self.loot: list[Piece] = []  # what may still be stolen of the captured stack
        self.given: list[tuple[int, Piece]] = []
        self.taken: list[tuple[int, Piece]] = []
        self.in_trade: set[int] = set()

    # --- what stands where -----------------------------------------------------------------------

    @property
    def over(self) -> bool:
        return self.terminated or self.truncated

    def living(self, seat: int) -> list[int]:
        return [stack for stack in STACKS if self.stacks[seat][stack].alive]

    def drones(self, seat: int) -> list[int]:
        return [stack for stack in self.living(seat) if stack in DRONES]

    def standing_on(self, square: Square) -> Stack | None:
        for side in self.stacks:
            for stack in side:
                if stack.square == square:
                    return stack
        return None

    def can_hold(self, stack: Stack, piece: Piece) -> bool:
        """One movement piece, skill only above movement, one skill of each size (ruling S2)."""
        sort, size = piece
        if not stack.alive:
            return False
        if sort == "movement":
            return not stack.movement() or (self.stacked_movement and not self.in_setup)
        return bool(stack.movement()) and size not in stack.skills()

    @property
    def in_setup(self) -> bool:
        return self.phase in ("hide the thief", "place the pieces")

    def holders(self, seat: int, piece: Piece) -> list[int]:
        return [stack for stack in STACKS if self.can_hold(self.stacks[seat][stack], piece)]

    def unprotected(self, stack: Stack) -> list[Piece]:
        """All but the only movement piece of a skilled stack."""
        if stack.skills() and len(stack.movement()) == 1:
            return [piece for piece in stack.pieces if piece[0] == "skill"]
        return list(stack.pieces)

    # --- moves -----------------------------------------------------------------------------------

    def headings(self, stack: Stack) -> list[Step]:
        """Which ways a stack with movement may set out: skills add to the adult's (ruling S7)."""
        forward = 1 if stack.owner == 0 else -1
        found = [(forward, -1), (forward, 1)]
        for skill in stack.skills():
            found += {1: DIAGONALS, 2: ORTHOGONALS, 3: AROUND}[skill]
        return found

    def reach(self, stack: Stack) -> set[Square]:
        """Where an ordinary move may end: a search over (square, heading, reach left)."""
        origin = stack.square
        if origin is None:
            return set()
        if stack.is_pupil:
            return {square for square in self.beside(origin) if self.has_enemy(stack, square)}
        by_queen_skill = 3 in stack.skills()
        left = sum(stack.movement())
        waiting = [(origin, heading, left) for heading in self.headings(stack)]
        known = set(waiting)
        ends = set()
        while waiting:
            (rank, file), heading, left = waiting.pop()
            square = (rank + heading[0], file + heading[1])
            if not (0 <= square[0] < 7 and 0 <= square[1] < 7):
                continue
            there = self.standing_on(square)
            further: list[tuple[Square, Step, int]] = []
            if there is None or there is stack:
                if left > 0:
                    further.append((square, heading, left - 1))
                    if there is None:
                        ends.add(square)
            elif there.owner != stack.owner:
                if left > 0:
                    ends.add(square)
            elif by_queen_skill and not there.is_pupil:
                turns = (-1, 0, 1) if there.skills() else (0,)
                at = AROUND.index(heading)
                further += [(square, AROUND[(at + turn) % 8], left) for turn in turns]
            for one in further:
                if one not in known:
                    known.add(one)
                    waiting.append(one)
        return ends

    def beside(self, square: Square) -> list[Square]:
        return [(square[0] + up, square[1] + right) for up, right in AROUND]

    def has_enemy(self, stack: Stack, square: Square) -> bool:
        there = self.standing_on(square)
        return there is not None and there.owner != stack.owner

    def warp(self, stack: Stack) -> set[Square]:
        """From the opponent's home row to any empty square of one's own."""
        if stack.square is None or stack.square[0] != HOME_RANK[1 - stack.owner]:
            return set()
        home = [(HOME_RANK[stack.owner], file) for file in range(7)]
        return {square for square in home if self.standing_on(square) is None}

    def targets(self, seat: int, stack: int) -> set[Square]:
        chosen = self.stacks[seat][stack]
        return self.reach(chosen) | self.warp(chosen)

    # --- action numbers --------------------------------------------------------------------------

    @property
    def picks(self) -> int:
        """How many action numbers pick a piece of one stack."""
        return 6 if self.stacked_movement else 4

    @property
    def their_picks(self) -> int:
        return OWN_PICKS + 7 * self.picks

    @property
    def claim(self) -> int:
        return OWN_PICKS + 14 * self.picks

    @property
    def end_turn(self) -> int:
        return self.claim + 1

    @property
    def call_off(self) -> int:
        return self.claim + 2

    @property
    def expose(self) -> int:
        return self.claim + 3

    def pick(self, stack: int, piece: Piece) -> int:
        """From the first pick on: the movement piece and three skills, or every kind."""
        sort, size = piece
        if self.stacked_movement:
            return 6 * stack + PIECES.index(piece)
        return 4 * stack + (size if sort == "skill" else 0)

    def picked(self, pick: int, pieces: Iterable[Piece]) -> tuple[int, Piece]:
        """Which piece of `pieces`, all on one stack, a pick means."""
        stack = pick // self.picks
        (piece,) = {piece for piece in pieces if self.pick(stack, piece) == pick}
        return stack, piece

    def put(self, stack: int, piece: Piece) -> int:
        return PUTS + 6 * stack + PIECES.index(piece)

    # --- what may be done ------------------------------------------------------------------------

    def legal(self) -> set[int]:
        if self.mover is None:
            return set()
        me = self.mover
        if self.phase in ("hide the thief", "hide the thief again", "hide the raider"):
            return {HIDES + drone for drone in self.drones(me)}
        if self.phase in ("place the pieces", "place the stolen piece", "place the raided piece"):
            return self.puts(me, self.hands[me])
        if self.phase == "move":
            return {
                49 * stack + number(seen_from(me, square))
                for stack in self.living(me)
                for square in self.targets(me, stack)
            }
        if self.phase == "steal":
            assert self.captured is not None
            return {
                self.their_picks + self.pick(self.captured, piece) for piece in self.stealable(me)
            }
        if self.phase == "raid":
            return self.raids(me)
        if self.phase == "trade":
            return self.trades(me)
        assert self.phase == "after the move"
        found = {self.end_turn} | self.gives(me)
        # The drone itself must have landed, not have raided, and be the thief (ruling S11).
        if (
            self.landed
            and self.moved is not None
            and self.moved == self.thieves[me]
            and self.moved not in self.raided[me]
            and self.raids(me)
        ):
            found.add(self.claim)
        if (
            self.steal_on_attack
            and self.moved is not None
            and self.moved == self.thieves[me]
            and self.stealable(me)
        ):
            found.add(self.expose)
        return found

    def puts(self, seat: int, source: Counter[Piece]) -> set[int]:
        return {
            self.put(stack, piece)
            for piece in PIECES
            if source[piece] > 0
            for stack in self.holders(seat, piece)
        }

    def stealable(self, seat: int) -> list[Piece]:
        """Of the captured stack's pieces, unless a raid has taken them out of the store since."""
        left = [piece for piece in self.loot if self.store[piece] > 0]
        return [piece for piece in left if self.holders(seat, piece)]

    def gives(self, seat: int) -> set[int]:
        return {
            OWN_PICKS + self.pick(stack, piece)
            for stack in self.living(seat)
            for piece in self.stacks[seat][stack].pieces
        }

    def raids(self, seat: int) -> set[int]:
        """From the store, from the opponent, or, if nobody can take movement, a raise."""
        found = self.puts(seat, self.store)
        for stack in self.living(1 - seat):
            for piece in self.unprotected(self.stacks[1 - seat][stack]):
                if self.holders(seat, piece):
                    found.add(self.their_picks + self.pick(stack, piece))
        pupils = [stack for stack in self.living(seat) if self.stacks[seat][stack].is_pupil]
        if not pupils and not self.stacked_movement:
            for stack in self.living(seat):
                for sort, size in self.stacks[seat][stack].pieces:
                    if size == 3 or self.store[(sort, size + 1)] == 0:
                        continue
                    if sort == "movement" or size + 1 not in self.stacks[seat][stack].skills():
                        found.add(OWN_PICKS + self.pick(stack, (sort, size)))
        return found

    def trades(self, seat: int) -> set[int]:
        found = {self.call_off}
        if not self.taken and len(self.given) < 3:
            found |= self.gives(seat)
        wanted = sum(size for _, (_, size) in self.given) - 1
        taken = sum(size for _, (_, size) in self.taken)
        for piece in PIECES:
            if self.store[piece] == 0 or taken + piece[1] > wanted or len(self.taken) == 3:
                continue
            last = taken + piece[1] == wanted
            if len(self.taken) == 2 and not last:
                continue
            for stack in self.in_trade:
                if not self.can_hold(self.stacks[seat][stack], piece):
                    continue
                others = [one for one in self.living(seat) if one != stack]
                stranded = any(self.stacks[seat][one].is_stranded for one in others)
                if not (last and stranded):
                    found.add(self.put(stack, piece))
        return found

    # --- doing it --------------------------------------------------------------------------------

    def act(self, action: int) -> tuple[float, float]:
        if action not in self.legal():
            raise ValueError(f"action {action} is not legal: {sorted(self.legal())}")
        assert self.mover is not None
        self.rewards = [0.0, 0.0]
        self.decisions += 1
        me = self.mover
        if self.phase == "hide the thief":
            self.thieves[me] = action - HIDES
            self.phase = "place the pieces"
        elif self.phase == "place the pieces":
            self.put_from_hand(me, action)
            self.go_on_with_setup(me)
        elif self.phase == "move":
            rank, file = divmod(action % 49, 7)
            self.move(me, action // 49, seen_from(me, (rank, file)))
        elif self.phase == "steal":
            _, piece = self.picked(action - self.their_picks, self.loot)
            self.loot = []
            self.store[piece] -= 1
            self.hands[me][piece] += 1
            self.phase = "place the stolen piece"
        elif self.phase == "place the stolen piece":
            self.put_from_hand(me, action)
            self.after_steal(me)
        elif self.phase == "hide the thief again":
            self.thieves[me] = action - HIDES
            self.mover, self.phase = self.turn_of, "after the move"
        elif self.phase == "after the move":
            self.decide_after_move(me, action)
        elif self.phase == "raid":
            self.raid(me, action)
        elif self.phase == "place the raided piece":
            self.put_from_hand(me, action)
            self.after_raid(me)
        elif self.phase == "hide the raider":
            self.thieves[me] = action - HIDES
            self.phase = "after the move"
        else:
            self.trade(me, action)
        return (self.rewards[0], self.rewards[1])

    def put_from_hand(self, seat: int, action: int) -> None:
        stack, kind = divmod(action - PUTS, 6)
        piece = PIECES[kind]
        self.hands[seat][piece] -= 1
        self.stacks[seat][stack].add(piece)

    def go_on_with_setup(self, seat: int) -> None:
        """White completes, then black (ruling S4); then white moves."""
        if self.hands[seat].total() > 0:
            return
        if seat == self.first:
            self.mover, self.phase = 1 - seat, "hide the thief"
        else:
            self.begin_turn(self.first)

    def begin_turn(self, seat: int) -> None:
        self.mover = self.turn_of = seat
        self.phase = "move"
        self.forget_turn()
        if not self.legal():  # ruling S9
            self.skipped = True
            self.phase = "after the move"

    def move(self, seat: int, stack: int, square: Square) -> None:
        mine = self.stacks[seat][stack]
        enemy = self.standing_on(square)
        far = HOME_RANK[1 - seat]
        assert mine.square is not None
        self.landed = square[0] == far and mine.square[0] != far
        self.moved = stack
        self.last_from, self.last_to = mine.square, square
        mine.square = square
        self.phase = "after the move"
        if enemy is not None:
            self.capture(seat, self.stacks[1 - seat].index(enemy))

    def capture(self, seat: int, stack: int) -> None:
        them = 1 - seat
        gone = self.stacks[them][stack]
        self.captured = stack
        self.loot = self.unprotected(gone)
        self.store.update(gone.pieces)
        gone.pieces = []
        gone.square = None
        self.raided[them].discard(stack)
        caught = self.thieves[them] == stack
        if caught:
            self.thieves[them] = None
            self.exposed[them] = False
        if not self.living(them):
            self.settle_material()
            self.rewards[seat] += 1.0
            self.rewards[them] -= 1.0
            self.finish("captured_all")
            return
        if not caught:
            if not self.steal_on_attack:
                self.loot = []
            return
        # Ruling S10: one of its unprotected pieces, if there is one that can be held.
        if self.stealable(seat):
            self.phase = "steal"
        else:
            self.loot = []
            self.after_steal(seat)

    def after_steal(self, seat: int) -> None:
        """The victim of a captured thief hides again; an exposed thief's has nothing to hide."""
        them = 1 - seat
        self.phase = "after the move"
        if self.thieves[them] is None and self.drones(them):
            self.mover, self.phase = them, "hide the thief again"

    def decide_after_move(self, seat: int, action: int) -> None:
        if action == self.claim:
            assert self.moved is not None
            self.raided[seat].add(self.moved)
            self.landed = False
            self.phase = "raid"
        elif action == self.expose:
            self.exposed[seat] = True
            self.phase = "steal"
        elif action == self.end_turn:
            self.finish_turn(seat, traded=False)
        else:
            self.phase = "trade"
            self.in_trade = {
                stack for stack in self.living(seat) if self.stacks[seat][stack].is_pupil
            }
            self.give(seat, action)

    def raid(self, seat: int, action: int) -> None:
        if action >= self.their_picks:
            pick = action - self.their_picks
            victim = self.stacks[1 - seat][pick // self.picks]
            _, piece = self.picked(pick, victim.pieces)
            victim.pieces.remove(piece)
            self.hands[seat][piece] += 1
            self.phase = "place the raided piece"
            return
        if action >= OWN_PICKS:
            pick = action - OWN_PICKS
            mine = self.stacks[seat][pick // self.picks]
            _, old = self.picked(pick, mine.pieces)
            new = (old[0], old[1] + 1)
            mine.pieces.remove(old)
            mine.add(new)
            self.store[old] += 1
        else:
            stack, kind = divmod(action - PUTS, 6)
            new = PIECES[kind]
            self.stacks[seat][stack].add(new)
        self.store[new] -= 1
        self.after_raid(seat)

    def after_raid(self, seat: int) -> None:
        self.phase = "after the move" if self.exposed[seat] else "hide the raider"

    def trade(self, seat: int, action: int) -> None:
        if action == self.call_off:
            for stack, piece in self.taken:
                self.stacks[seat][stack].pieces.remove(piece)
                self.store[piece] += 1
            for stack, piece in self.given:
                self.stacks[seat][stack].add(piece)
                self.hands[seat][piece] -= 1
            self.finish_turn(seat, traded=False)
            return
        if action >= OWN_PICKS:
            self.give(seat, action)
            return
        stack, kind = divmod(action - PUTS, 6)
        piece = PIECES[kind]
        self.stacks[seat][stack].add(piece)
        self.store[piece] -= 1
        self.taken.append((stack, piece))
        given = sum(size for _, (_, size) in self.given)
        if sum(size for _, (_, size) in self.taken) == given - 1:
            for _, piece in self.given:
                self.hands[seat][piece] -= 1
                self.store[piece] += 1
            self.finish_turn(seat, traded=True)

    def give(self, seat: int, action: int) -> None:
        pick = action - OWN_PICKS
        mine = self.stacks[seat][pick // self.picks]
        stack, piece = self.picked(pick, mine.pieces)
        mine.pieces.remove(piece)
        self.hands[seat][piece] += 1
        self.given.append((stack, piece))
        self.in_trade.add(stack)

    # --- the end of a turn, and of the game ------------------------------------------------------

    def finish_turn(self, seat: int, *, traded: bool) -> None:
        self.raided[seat] = {
            drone
            for drone in self.raided[seat]
            if self.rank(self.stacks[seat][drone]) != HOME_RANK[seat]
        }
        self.settle_material()
        self.turns += 1
        self.stalled = self.stalled + 1 if self.skipped and not traded else 0
        if self.stalled == 2:
            self.finish("stalled")
        elif self.turns >= self.max_turns:
            self.finish("max_turns")
        else:
            self.begin_turn(1 - seat)

    def rank(self, stack: Stack) -> int | None:
        return None if stack.square is None else stack.square[0]

    def pips(self, seat: int) -> int:
        return sum(size for stack in self.stacks[seat] for _, size in stack.pieces)

    def settle_material(self) -> None:
        lead = self.pips(0) - self.pips(1)
        if self.reward == "material":
            self.rewards[0] += 0.01 * (lead - self.lead)
            self.rewards[1] -= 0.01 * (lead - self.lead)
        self.lead = lead

    def finish(self, reason: str) -> None:
        self.reason = reason
        self.truncated = reason == "max_turns"
        self.terminated = not self.truncated
        self.mover = None
        self.forget_turn()


# --- the engine's record --------------------------------------------------------------------------

PHASES = [
    "hide the thief",
    "place the pieces",
    "move",
    "steal",
    "place the stolen piece",
    "hide the thief again",
    "after the move",
    "raid",
    "place the raided piece",
    "hide the raider",
    "trade",
]
REASONS = ["", "illegal_action", "captured_all", "stalled", "max_turns"]


def _code(value: int | None) -> int:
    return -1 if value is None else value


def _square_code(square: Square | None) -> int:
    return -1 if square is None else number(square)


def _to_counts(pieces: Counter[Piece]) -> list[int]:
    return [pieces[piece] for piece in PIECES]


def _to_codes(pieces: list[tuple[int, Piece]]) -> list[int]:
    codes = [6 * stack + PIECES.index(piece) for stack, piece in pieces]
    return codes + [-1] * (3 - len(codes))


def fields(game: Stacktrices) -> dict[str, Any]:
    """What a record of the engine must hold for this game, by the names of its fields."""
    board = [-1] * 49
    for seat in (0, 1):
        for stack in STACKS:
            square = game.stacks[seat][stack].square
            if square is not None:
                board[number(square)] = 7 * seat + stack
    return {
        "decisions": game.decisions,
        "reward": game.rewards,
        "mover": _code(game.mover),
        "terminated": game.terminated,
        "truncated": game.truncated,
        "reason": REASONS.index(game.reason),
        "max_turns": game.max_turns,
        "turns": game.turns,
        "reward_mode": ["outcome", "material"].index(game.reward),
        "steal_on_attack": game.steal_on_attack,
        "stacked_movement": game.stacked_movement,
        "first": game.first,
        "phase": PHASES.index(game.phase),
        "stalled": game.stalled,
        "lead": game.lead,
        "board": board,
        "square": [[_square_code(stack.square) for stack in side] for side in game.stacks],
        "pieces": [[_to_counts(Counter(stack.pieces)) for stack in side] for side in game.stacks],
        "store": _to_counts(game.store),
        "hand": [_to_counts(hand) for hand in game.hands],
        "thief": [_code(thief) for thief in game.thieves],
        "exposed": game.exposed,
        "raided": [[drone in marks for drone in DRONES] for marks in game.raided],
        "last_from": _square_code(game.last_from),
        "last_to": _square_code(game.last_to),
        "skipped": game.skipped,
        "moved": _code(game.moved),
        "landed": game.landed,
        "captured": _code(game.captured),
        "loot": _to_counts(Counter(game.loot)),
        "given": _to_codes(game.given),
        "taken": _to_codes(game.taken),
        "gives": len(game.given),
        "takes": len(game.taken),
        "in_trade": [stack in game.in_trade for stack in STACKS],
    }


def write(game: Stacktrices, record: Any) -> None:
    """Write a game into a record of the engine, its options too; its dice are left alone."""
    for name, value in fields(game).items():
        record[name] = value
