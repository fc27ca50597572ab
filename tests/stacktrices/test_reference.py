"""The engine and the slow second version of Stacktrices, side by side.

Whole games are played in lockstep. Where stacks can go is compared on random positions as well, far
more of them than plain Python could search: there a compiled third version stands in, which lets
one set of facts grow until it is settled, and which is itself compared with the plain search.

    python -m tests.stacktrices.test_reference --positions 1000000
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from typing import Any

import numba
import numpy as np
import pytest

from cyberdeck.games.stacktrices import moves
from cyberdeck.games.stacktrices.game import GAME
from tests.play import Play, Stacks
from tests.reference import stacktrices as second
from tests.reference.stacktrices import Stack, Stacktrices

# --- whole games ----------------------------------------------------------------------------------


def agree(play: Play, reference: Stacktrices) -> None:
    """Everything that both versions know about the position is the same."""
    assert set(play.legal()) == reference.legal()
    assert play.mover == reference.mover
    assert play.terminated == reference.terminated
    assert play.truncated == reference.truncated
    assert play.reason == reference.reason
    expected = second.fields(reference)
    assert np.allclose(play.reward, expected.pop("reward"), atol=1e-6)
    found = {name: play.state[name].tolist() for name in expected}
    if found != expected:
        different = {name: found[name] for name in found if found[name] != expected[name]}
        pytest.fail(f"found {different} instead of {expected}")
    assert play.trouble() == "", (play.trouble(), expected)


def choose(game: Stacktrices, luck: random.Random, keenness: float) -> int:
    """A random decision, or, when keen, one of those that lead to the rarer parts of the rules."""
    assert game.mover is not None
    me = game.mover
    legal = sorted(game.legal())
    if luck.random() >= keenness:
        return luck.choice(legal)
    if game.phase == "move":
        captures = [action for action in legal if captured_by(game, action) is not None]
        thief = game.thieves[me]
        home = [action for action in legal if action % 49 >= 42]  # the opponent's, as it is seen
        raids = [at for at in home if at // 49 == thief and thief not in game.raided[me]]
        thefts = [action for action in captures if action // 49 == thief]
        catches = [at for at in captures if captured_by(game, at) == game.thieves[1 - me]]
        liked = [group for group in (captures, raids, thefts, catches) if group]
        return luck.choice(luck.choice(liked)) if liked else luck.choice(legal)
    if game.phase == "after the move":
        daring = [action for action in (game.claim, game.expose) if action in legal]
        if daring:
            return luck.choice(daring)
        return game.end_turn if luck.random() < 0.7 else luck.choice(legal)
    if game.phase == "raid":
        groups = [
            [action for action in legal if action < second.OWN_PICKS],
            [action for action in legal if second.OWN_PICKS <= action < game.their_picks],
            [action for action in legal if action >= game.their_picks],
        ]
        return luck.choice(luck.choice([group for group in groups if group]))
    if game.phase == "trade":
        takes = [action for action in legal if action < second.OWN_PICKS]
        return luck.choice(takes if takes and luck.random() < 0.6 else legal)
    return luck.choice(legal)


def captured_by(game: Stacktrices, action: int) -> int | None:
    """Which stack of the opponent's a move captures."""
    assert game.mover is not None
    square, them = target(game, action), game.stacks[1 - game.mover]
    return next((at for at, stack in enumerate(them) if stack.square == square), None)


def target(game: Stacktrices, action: int) -> second.Square:
    """The square that a move leads to."""
    assert game.mover is not None
    rank, file = divmod(action % 49, 7)
    return second.seen_from(game.mover, (rank, file))


def play_on(
    play: Play,
    reference: Stacktrices,
    luck: random.Random,
    keenness: float,
    seen: Counter[str],
    decisions: int = 10_000,
) -> None:
    """Play both to the end, or for a number of decisions, and count what was met."""
    agree(play, reference)
    for _ in range(decisions):
        if reference.over:
            break
        if luck.random() < 0.02:
            # Any position can be taken up from the record alone.
            reference = second.read(play.state)
        action = choose(reference, luck, keenness)
        note(reference, action, seen)
        play.act(action)
        reference.act(action)
        agree(play, reference)
        seen["decisions"] += 1
    seen[reference.reason or "not over"] += 1
    seen["games"] += 1


def note(game: Stacktrices, action: int, seen: Counter[str]) -> None:
    """Count the things that a comparison must have met to be worth something."""
    assert game.mover is not None
    me = game.mover
    seen[game.phase] += 1
    if game.phase == "move":
        stack = game.stacks[me][action // 49]
        captured = captured_by(game, action)
        if target(game, action) not in game.reach(stack):
            seen["warps"] += 1
        elif captured is not None:
            seen["captures"] += 1
            if captured == game.thieves[1 - me]:
                seen["captures of an exposed thief"] += game.exposed[1 - me]
                seen["captures of a thief"] += 1
    elif game.phase == "after the move":
        seen["skipped turns"] += game.skipped
        seen["claims"] += action == game.claim
        seen["claims of an exposed thief"] += action == game.claim and game.exposed[me]
        seen["exposed"] += action == game.expose
        seen["exposed again"] += action == game.expose and game.exposed[me]
        marked = game.landed and game.moved == game.thieves[me] and game.moved in game.raided[me]
        seen["refused for the mark"] += marked
    elif game.phase == "trade":
        seen["trades called off"] += action == game.call_off
        if action < second.OWN_PICKS:
            size = 1 + (action - second.PUTS) % 3
            given = sum(size for _, (_, size) in game.given)
            if sum(size for _, (_, size) in game.taken) + size == given - 1:
                seen["trades"] += 1
                seen["trades of three for three"] += len(game.given) == 3 == len(game.taken) + 1
    elif game.phase == "raid":
        seen["raised"] += second.OWN_PICKS <= action < game.their_picks
        seen["raided from the opponent"] += game.their_picks <= action < game.claim
        seen["raided from the store"] += action < second.OWN_PICKS


def without_setup(options: dict[str, Any]) -> dict[str, Any]:
    """The options that the reference knows."""
    return {name: value for name, value in options.items() if name not in ("setup", "first")}


def from_the_start(luck: random.Random, options: dict[str, Any]) -> tuple[Play, Stacktrices]:
    play = Play("stacktrices", seed=luck.getrandbits(32), **options)
    reference = Stacktrices(int(play.state["first"]), **without_setup(options))
    if options.get("setup") == "random":
        # Whatever was drawn is played decision by decision: it must be a possible set-up.
        drawn = second.read(play.state)
        for seat in (drawn.first, 1 - drawn.first):
            thief = drawn.thieves[seat]
            assert thief is not None
            reference.act(second.HIDES + thief)
            for piece in second.PIECES:
                for stack in second.STACKS:
                    if piece in drawn.stacks[seat][stack].pieces:
                        reference.act(reference.put(stack, piece))
        reference.decisions = 0
    return play, reference


def somewhere(luck: random.Random, options: dict[str, Any]) -> tuple[Play, Stacktrices]:
    """A random position at the beginning of a turn, often of an end game."""
    first = options.get("first", "random")
    game = Stacktrices(luck.randrange(2) if first == "random" else first, **without_setup(options))
    game.hands = [Counter(), Counter()]
    # On the whole board, or crowded beside a home row.
    ranks = luck.choice([range(7), range(2), range(5, 7)])
    squares = [(rank, file) for rank in ranks for file in range(7)]
    luck.shuffle(squares)
    most = luck.choice([1, 2, 3, 7])
    for seat in (0, 1):
        alive = luck.sample(second.STACKS, luck.randint(1, most))
        game.stacks[seat] = [
            Stack(seat, squares.pop() if stack in alive else None) for stack in second.STACKS
        ]
        if game.drones(seat):
            game.thieves[seat] = luck.choice(game.drones(seat))
            game.exposed[seat] = game.steal_on_attack and luck.random() < 0.3
        game.raided[seat] = {one for one in game.drones(seat) if luck.random() < 0.3}
    game.phase = "move"  # where movement pieces may be stacked
    fullness = luck.choice([luck.random(), 1.0])
    game.store = Counter(second.IN_ALL)
    for piece, count in second.IN_ALL.items():
        for _ in range(count):
            seat = luck.randrange(2)
            holders = game.holders(seat, piece)
            if holders and luck.random() < fullness:
                game.stacks[seat][luck.choice(holders)].add(piece)
                game.store[piece] -= 1
    game.lead = game.pips(0) - game.pips(1)
    game.turns = luck.randrange(game.max_turns)
    game.begin_turn((game.first + game.turns) % 2)
    play = Play("stacktrices", **options)
    second.write(game, play.state)
    return play, game


CASES: list[dict[str, Any]] = [
    {},
    {"reward": "material", "first": "random"},
    {"setup": "random", "max_turns": 60},
    {"steal_on_attack": True, "reward": "material", "first": 1},
    {"stacked_movement": True, "setup": "random"},
    {"steal_on_attack": True, "stacked_movement": True, "reward": "material", "first": "random"},
]


def named(options: dict[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in options.items()) or "default"


def compared(options: dict[str, Any], games: int, positions: int, seed: int = 0) -> Counter[str]:
    luck = random.Random(f"{named(options)} {seed}")
    seen: Counter[str] = Counter()
    for game in range(games):
        play_on(*from_the_start(luck, options), luck, [0.0, 0.9, 0.9][game % 3], seen)
    for _ in range(positions):
        play_on(*somewhere(luck, options), luck, luck.choice([0.0, 0.9]), seen, decisions=40)
    return seen


#: What the comparison of each case must have met to be worth something, and how often at least:
#: of 400 random positions.
MET = {
    "captures of a thief": 100,
    "place the stolen piece": 40,
    "hide the thief again": 40,
    "warps": 100,
    "raided from the store": 10,
    "raided from the opponent": 4,
    "refused for the mark": 10,
    "trades": 300,
    "trades of three for three": 5,
    "trades called off": 300,
    "skipped turns": 100,
    "captured_all": 50,
    "stalled": 5,
    "max_turns": 5,
}
MET_WITH_STEAL_ON_ATTACK = {
    "exposed": 20,
    "exposed again": 3,
    "captures of an exposed thief": 20,
    "claims of an exposed thief": 8,
}
MET_WITHOUT_STACKED_MOVEMENT = {"raised": 8}


@pytest.mark.parametrize(
    ("games", "positions"), [(3, 130), pytest.param(9, 400, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("options", CASES, ids=named)
def test_games_agree_at_every_step(options: dict[str, Any], games: int, positions: int) -> None:
    """From the set-up to the end, and from random positions on."""
    seen = compared(options, games, positions)
    least = dict(MET)
    if options.get("steal_on_attack"):
        least |= MET_WITH_STEAL_ON_ATTACK
    if not options.get("stacked_movement"):
        least |= MET_WITHOUT_STACKED_MOVEMENT
    assert not {
        name: seen[name] for name, count in least.items() if seen[name] < count * positions // 400
    }


def test_a_raid_may_take_what_could_have_been_stolen() -> None:
    """steal_on_attack: the only piece to steal is in the store now, and the raid takes it there."""
    play = Stacks("- d6*:Pp | c3:Dq e3:Dq a3:P", "g5* | e7:Dq", steal_on_attack=True)
    game = second.read(play.state)
    agree(play, game)
    may_expose = []
    for word in ("d6-e7", "claim", "q>e7", "hide e7"):
        action = play.action(word)
        play.act(action)
        game.act(action)
        agree(play, game)
        may_expose.append(game.expose in play.legal())
    assert may_expose == [True, False, False, False]
    assert game.claim not in play.legal()


# --- where stacks can go --------------------------------------------------------------------------

AHEAD = np.array([1, 1, 0, -1, -1, -1, 0, 1])  # the eight directions in turn: ranks,
RIGHT = np.array([0, 1, 1, 1, 0, -1, -1, -1])  # and files
SIZES = np.array([1, 2, 3, 1, 2, 3])
MANY = np.array(list(second.IN_ALL.values()))

#: What the compiled comparison counts.
COUNTS = (
    "positions",
    "stacks with movement",
    "queen-skilled movers",
    "queen-skilled movers that friends let further",
    "queen-skilled movers that friends bring back",
    "pupils",
    "differences",
)


@numba.njit
def draw_position(state: Any) -> None:
    """Stacks and pieces at random: crowded, with chains of friends, rich in queen skill."""
    state.stacked_movement = random.randrange(2)
    state.board[:] = -1
    state.square[:] = -1
    state.pieces[:] = 0
    if random.random() < 0.25:
        draw_chain(state, random.randrange(2))
    # All others in a part of the board, so that there is something to pass through.
    ranks, files = random.randint(3, 7), random.randint(3, 7)
    low, left = random.randint(0, 7 - ranks), random.randint(0, 7 - files)
    chance = random.random()
    for seat in range(2):
        for stack in range(7):
            square = 7 * (low + random.randrange(ranks)) + left + random.randrange(files)
            if random.random() < chance:
                stand(state, seat, stack, square)
    for kind in (2, 1, 0, 5, 3, 4):
        for _ in range(MANY[kind] - state.pieces[:, :, kind].sum()):
            for _ in range(random.randrange(6)):  # so many tries to find a stack for it
                seat, stack = random.randrange(2), random.randrange(7)
                moving = state.pieces[seat, stack, :3].sum() > 0
                if kind < 3:
                    possible = not moving or state.stacked_movement == 1
                else:
                    possible = moving and state.pieces[seat, stack, kind] == 0
                if state.square[seat, stack] >= 0 and possible:
                    state.pieces[seat, stack, kind] += 1
                    break


@numba.njit
def stand(state: Any, seat: int, stack: int, square: int) -> None:
    """Put a stack that stands nowhere on a square, if that is empty."""
    if state.board[square] < 0 and state.square[seat, stack] < 0:
        state.board[square] = 7 * seat + stack
        state.square[seat, stack] = square


@numba.njit
def draw_chain(state: Any, seat: int) -> None:
    """A queen-skilled mover and skilled friends along a way that bends, some of them into a ring.

    Chance alone hardly ever puts enough friends in place to bring a mover back to its own square.
    """
    rank, file, heading = random.randrange(7), random.randrange(7), random.randrange(8)
    bend = 2 * random.randrange(2) - 1
    for stack in range(7):
        stand(state, seat, stack, 7 * rank + file)
        if state.square[seat, stack] < 0:
            return
        if stack == 0:
            state.pieces[seat, stack, 2] = 1
            state.pieces[seat, stack, 5] = 1
            if state.stacked_movement == 1:
                state.pieces[seat, stack, 2] = random.randint(1, 2)
        else:
            state.pieces[seat, stack, 1 if stack < 4 else 0] = 1
            if random.random() < 0.95:
                state.pieces[seat, stack, 3 if stack < 4 else 4] = 1
            if random.random() < 0.9:
                heading = (heading + bend) % 8
        steps = random.randint(1, 4) if random.random() < 0.25 else 1
        rank, file = rank + steps * AHEAD[heading], file + steps * RIGHT[heading]
        if rank < 0 or rank > 6 or file < 0 or file > 6:
            return


@numba.njit
def settled_reach(state: Any, seat: int, stack: int, by_friends: bool, known: Any) -> int:
    """Where an ordinary move of a stack may end, as a set of bits; algorithmically not a search.

    known[square, direction] is the set of what may be left of the reach there, a bit for each
    number. It grows, by going over the whole board, until nothing is new. by_friends: whether the
    queen skill counts.
    """
    origin = state.square[seat, stack]
    board = np.full((7, 7), -1)
    for side in range(2):
        for one in range(7):
            square = state.square[side, one]
            if square >= 0 and square != origin:
                board[square // 7, square % 7] = 7 * side + one
    mine = state.pieces[seat, stack]
    reach = (mine[:3] * SIZES[:3]).sum()
    known[:] = 0
    for direction in range(8):
        diagonal = AHEAD[direction] != 0 and RIGHT[direction] != 0
        if (
            (reach == 0)  # a pupil's one square; its ends are sorted out below
            or (diagonal and AHEAD[direction] == (1 if seat == 0 else -1))
            or (diagonal and mine[3] > 0)
            or (not diagonal and mine[4] > 0)
            or mine[5] > 0
        ):
            known[origin, direction] = 1 << max(1, reach)
    ends = 0
    growing = True
    while growing:
        growing = False
        for square in range(49):
            for direction in range(8):
                left = known[square, direction]
                if left == 0:
                    continue
                rank, file = square // 7 + AHEAD[direction], square % 7 + RIGHT[direction]
                if rank < 0 or rank > 6 or file < 0 or file > 6:
                    continue
                after = 7 * rank + file
                there = board[rank, file]
                if there < 0 or there // 7 != seat:
                    spent = left >> 1  # one less of each; nothing is left of nothing
                    if spent and after != origin and (reach > 0 or there >= 0):
                        ends |= 1 << after
                    if there < 0 and spent & ~known[after, direction]:
                        known[after, direction] |= spent
                        growing = True
                elif mine[5] > 0 and by_friends:
                    friend = state.pieces[seat, there % 7]
                    if friend[:3].sum() == 0:
                        continue
                    most = 1 if friend[3:].sum() > 0 else 0
                    for turn in range(-most, most + 1):
                        onwards = (direction + turn) % 8
                        if left & ~known[after, onwards]:
                            known[after, onwards] |= left
                            growing = True
    return ends


@numba.njit
def settled_targets(state: Any, seat: int, stack: int, by_friends: bool, known: Any) -> int:
    """The same with warps."""
    ends: int = settled_reach(state, seat, stack, by_friends, known)
    near, far = (0, 6) if seat == 0 else (6, 0)
    if state.square[seat, stack] // 7 == far:
        for file in range(7):
            empty = True
            for side in range(2):
                for one in range(7):
                    if state.square[side, one] == 7 * near + file:
                        empty = False
            if empty:
                ends |= 1 << (7 * near + file)
    return ends


@numba.njit
def compare_reach(states: Any, positions: int, seed: int, counts: Any, found: Any) -> None:
    """Compare every living stack of random positions; the first that differs stays in states[0].

    found: seat, stack, what the engine says and what was expected, of that first one.
    """
    random.seed(seed)
    known = np.zeros((49, 8), np.int32)
    state = states[0]
    for _ in range(positions):
        draw_position(state)
        counts[0] += 1
        for seat in range(2):
            for stack in range(7):
                if state.square[seat, stack] < 0:
                    continue
                pieces = state.pieces[seat, stack]
                expected = settled_targets(state, seat, stack, True, known)
                if pieces[:3].sum() == 0:
                    counts[5] += 1
                else:
                    counts[1] += 1
                if pieces[5] > 0:
                    counts[2] += 1
                    reach = (pieces[:3] * SIZES[:3]).sum()
                    counts[4] += (known[state.square[seat, stack]] & ~(1 << reach)).any()
                    if settled_targets(state, seat, stack, False, known) != expected:
                        counts[3] += 1
                got = moves.targets(state, seat, stack)
                if got != expected:
                    counts[6] += 1
                    found[0], found[1], found[2], found[3] = seat, stack, got, expected
                    return


def reach_compared(positions: int, seed: int = 0) -> dict[str, int]:
    """Compare so many random positions; fails at the first difference."""
    states = np.zeros(1, GAME.dtype)
    counts, found = np.zeros(len(COUNTS), np.int64), np.zeros(4, np.int64)
    compare_reach(states, positions, seed, counts, found)
    if counts[-1]:
        seat, stack, got, expected = found.tolist()
        pytest.fail(
            f"stack {stack} of seat {seat} goes to {squares(got)}, not to {squares(expected)}: "
            f"{states['square'][0].tolist()} {states['pieces'][0].tolist()}"
        )
    return dict(zip(COUNTS, counts.tolist(), strict=True))


def squares(bits: int) -> list[int]:
    return [square for square in range(49) if bits >> square & 1]


@pytest.mark.parametrize("positions", [10_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_reach_is_the_same_on_random_positions(positions: int) -> None:
    """Every stack of every position, engine against the facts that have settled."""
    counts = reach_compared(positions)
    assert counts["positions"] == positions
    assert counts["queen-skilled movers that friends let further"] > positions // 2
    assert counts["queen-skilled movers that friends bring back"] > positions // 5000


def test_the_plain_search_gives_the_same_reach() -> None:
    """The search of the rules page against both, on thousands of stacks of the random positions."""
    states = np.zeros(500, GAME.dtype)
    draw_positions(states, 1)
    known = np.zeros((49, 8), np.int32)
    compared = 0
    for state in states:
        game = second.read(state)
        for seat in (0, 1):
            for stack in game.living(seat):
                expected = sum(1 << second.number(square) for square in game.targets(seat, stack))
                assert moves.targets(state, seat, stack) == expected
                assert settled_targets(state, seat, stack, True, known) == expected
                compared += 1
    assert compared > 2_500


@numba.njit
def draw_positions(states: Any, seed: int) -> None:
    random.seed(seed)
    for at in range(len(states)):
        draw_position(states[at])


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare where stacks can go.")
    parser.add_argument("--positions", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--games", type=int, default=0, help="whole games too, of each case")
    chosen = parser.parse_args()
    started = time.perf_counter()
    for name, count in reach_compared(chosen.positions, chosen.seed).items():
        print(f"{count:>12,} {name}")
    print(f"{time.perf_counter() - started:12.1f} seconds")
    for options in CASES if chosen.games else []:
        print(f"\n{named(options)}")
        seen = compared(options, chosen.games, 50 * chosen.games, chosen.seed)
        for name, count in sorted(seen.items()):
            print(f"{count:>12,} {name}")


if __name__ == "__main__":
    main()
