"""The engine and the slow second version of Stacktrices, side by side."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.play import Play
from tests.reference import stacktrices as second
from tests.reference.stacktrices import Stack, Stacktrices
from tests.stacktrices.words import Stacks, daring

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
        keen = np.random.default_rng(luck.getrandbits(32))
        daringly = int(daring(play.record, play.mask[None], keen)[0])
        action = daringly if luck.random() < keenness else luck.choice(play.legal())
        note(reference, action, seen)
        play.act(action)
        reference.act(action)
        agree(play, reference)
    seen[reference.reason] += 1


def note(game: Stacktrices, action: int, seen: Counter[str]) -> None:
    """Count the things that a comparison must have met to be worth something."""
    assert game.mover is not None
    seen[game.phase] += 1
    if game.phase == "move":
        stack = game.stacks[game.mover][action // 49]
        square, them = target(game, action), game.stacks[1 - game.mover]
        captured = next((at for at, one in enumerate(them) if one.square == square), None)
        exposed = captured is not None and captured == game.thieves[1 - game.mover]
        seen["captures of an exposed thief"] += exposed and game.exposed[1 - game.mover]
        seen["warps"] += square not in game.reach(stack)
    elif game.phase == "after the move":
        exposed = game.exposed[game.mover]
        seen["skipped turns"] += game.skipped
        seen["claims of an exposed thief"] += action == game.claim and exposed
        seen["exposed again"] += action == game.expose and exposed
    elif game.phase == "trade":
        seen["trades called off"] += action == game.call_off
        last = len(game.given) == 3 == len(game.taken) + 1
        seen["three for three"] += last and action < second.OWN_PICKS
    elif game.phase == "raid":
        seen["raised"] += second.OWN_PICKS <= action < game.their_picks


def known(options: dict[str, Any]) -> dict[str, Any]:
    """The options that the reference knows."""
    unknown = ("setup", "first", "observation")
    return {name: value for name, value in options.items() if name not in unknown}


def from_the_start(luck: random.Random, options: dict[str, Any]) -> tuple[Play, Stacktrices]:
    play = Play("stacktrices", seed=luck.getrandbits(32), **options)
    reference = Stacktrices(int(play.state["first"]), **known(options))
    if options.get("setup") == "random":
        # Whatever was drawn is played decision by decision: it must be a possible set-up.
        for seat in (reference.first, 1 - reference.first):
            reference.act(second.HIDES + int(play.state["thief"][seat]))
            for kind, piece in enumerate(second.PIECES):
                for stack in np.flatnonzero(play.state["pieces"][seat, :, kind]).tolist():
                    reference.act(reference.put(stack, piece))
        reference.decisions = 0
    return play, reference


def somewhere(
    luck: random.Random, options: dict[str, Any], chains: float = 0.2
) -> tuple[Play, Stacktrices]:
    """A random position at the beginning of a turn, often of an end game, or with a chain."""
    first = options.get("first", "random")
    game = Stacktrices(luck.randrange(2) if first == "random" else first, **known(options))
    game.turns = luck.randrange(game.max_turns)
    mover = (game.first + game.turns) % 2
    game.hands = [Counter(), Counter()]
    game.store = Counter(second.IN_ALL)
    game.stacks = [[Stack(seat, None) for _ in second.STACKS] for seat in (0, 1)]
    if luck.random() < chains:
        lay_chain(game, mover, luck)
    # The others on the whole board, or crowded beside a home row.
    ranks = luck.choice([range(7), range(2), range(5, 7)])
    squares = [(rank, file) for rank in ranks for file in range(7)]
    squares = [square for square in squares if game.standing_on(square) is None]
    luck.shuffle(squares)
    most = luck.choice([1, 2, 3, 7])
    for seat in (0, 1):
        for stack in luck.sample(second.STACKS, luck.randint(1, most)):
            if squares and not game.stacks[seat][stack].alive:
                game.stacks[seat][stack].square = squares.pop()
        if game.drones(seat):
            game.thieves[seat] = luck.choice(game.drones(seat))
            game.exposed[seat] = game.steal_on_attack and luck.random() < 0.3
        game.raided[seat] = {one for one in game.drones(seat) if luck.random() < 0.3}
    game.phase = "move"  # where movement pieces may be stacked
    fullness = luck.choice([luck.random(), 1.0])
    for piece in second.PIECES:
        for _ in range(game.store[piece]):
            seat = luck.randrange(2)
            holders = game.holders(seat, piece)
            if holders and luck.random() < fullness:
                put(game, game.stacks[seat][luck.choice(holders)], piece)
    game.lead = game.pips(0) - game.pips(1)
    game.begin_turn(mover)
    play = Play("stacktrices", **options)
    second.write(game, play.state)
    return play, game


def put(game: Stacktrices, stack: Stack, piece: second.Piece) -> None:
    stack.add(piece)
    game.store[piece] -= 1


def lay_chain(game: Stacktrices, seat: int, luck: random.Random) -> None:
    """A queen-skilled mover and skilled friends along a way that bends, some of them into a ring.

    Chance alone hardly ever puts enough friends in place to bring a mover back to its own square.
    """
    rank, file, heading = luck.randrange(7), luck.randrange(7), luck.randrange(8)
    bend = luck.choice([-1, 1])
    for at, stack in enumerate(game.stacks[seat]):
        stack.square = (rank, file)
        put(game, stack, ("movement", 3 if at == 0 else 2 if at < 4 else 1))
        if at == 0 or luck.random() < 0.95:
            put(game, stack, ("skill", 3 if at == 0 else 1 if at < 4 else 2))
        if at > 0 and luck.random() < 0.9:
            heading = (heading + bend) % 8
        steps = luck.choice([1, 1, 1, luck.randint(1, 4)])
        rank += steps * second.AROUND[heading][0]
        file += steps * second.AROUND[heading][1]
        outside = not (0 <= rank <= 6 and 0 <= file <= 6)
        if outside or game.standing_on((rank, file)) is not None:
            return


CASES: list[dict[str, Any]] = [
    {},
    {"steal_on_attack": True, "reward": "material", "first": 1, "max_turns": 60},
    {"stacked_movement": True, "reward": "material", "setup": "random"},
    {"steal_on_attack": True, "stacked_movement": True, "setup": "random", "max_turns": 60},
]


#: What the comparison of each case must have met to be worth something, and how often at least:
#: of 400 random positions.
MET = {
    "place the stolen piece": 40,
    "hide the thief again": 40,
    "warps": 100,
    "raid": 20,
    "place the raided piece": 4,
    "hide the raider": 10,
    "three for three": 5,
    "trades called off": 300,
    "skipped turns": 100,
    "captured_all": 50,
    "stalled": 4,
    "max_turns": 5,
}
MET_WITH_STEAL_ON_ATTACK = {
    "exposed again": 3,
    "captures of an exposed thief": 20,
    "claims of an exposed thief": 8,
}


@pytest.mark.parametrize(
    ("games", "positions"), [(2, 50), pytest.param(5, 200, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("options", CASES, ids=str)
def test_games_agree_at_every_step(options: dict[str, Any], games: int, positions: int) -> None:
    """From the set-up to the end, and from random positions on."""
    luck = random.Random(f"{options} 8")
    seen: Counter[str] = Counter()
    for game in range(games):
        play_on(*from_the_start(luck, options), luck, [0.0, 0.9, 0.9][game % 3], seen)
    for _ in range(positions):
        play_on(*somewhere(luck, options), luck, luck.choice([0.0, 0.9]), seen, decisions=40)
    least = dict(MET)
    if options.get("steal_on_attack"):
        least |= MET_WITH_STEAL_ON_ATTACK
    if not options.get("stacked_movement"):
        least["raised"] = 8
    assert not {
        name: seen[name] for name, count in least.items() if seen[name] < count * positions // 400
    }


def test_a_raid_may_take_what_could_have_been_stolen() -> None:
    """steal_on_attack: the only piece to steal is in the store now, and the raid takes it there."""
    play = Stacks("- d6*:Pp | c3:Dq e3:Dq a3:P", "g5* | e7:Dq", steal_on_attack=True)
    may_expose = []
    for word in ("d6-e7", "claim", "q>e7", "hide e7"):
        may_expose.append("expose" in play.do(word).options())
    assert may_expose == [True, False, False, False]
    assert "claim" not in play.options()


# --- where stacks can go --------------------------------------------------------------------------


@pytest.mark.parametrize("positions", [500, pytest.param(2_500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("stacked", [False, True])
def test_stacks_can_go_to_the_same_squares(stacked: bool, positions: int) -> None:
    """Where friends pass a queen-skilled mover on, far more often than in play."""
    luck = random.Random(f"reach {stacked}")
    for _ in range(positions):
        play, game = somewhere(luck, {"stacked_movement": stacked}, chains=0.7)
        assert set(play.legal()) == game.legal()
