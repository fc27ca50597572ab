"""The exact solver: against an exhaustive search on the plain rules, and by its symmetries."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import gymnasium
import numpy as np
import pytest

import cyberdeck
from cyberdeck import Batch, hackthegrid_v0, policies
from cyberdeck.errors import EpisodeError, OptionError, StateError
from cyberdeck.games.hackthegrid import DEFAULT_DECK, rules
from cyberdeck.games.hackthegrid.solver import (
    BOTH_LOSE,
    DRAW,
    LOSS,
    NAMES,
    WIN,
    Optimal,
    Solver,
    liking,
    solve,
)
from tests.play import Play
from tests.reference.hackthegrid import HackTheGrid
from tests.reference.hackthegrid_solver import outcomes

TIES = ("spiteful", "friendly")
SCRAMBLES = ("on_take", "at_end")
NONE = rules.NONE

Deck = list[tuple[str, int]]


def deck_of(luck: random.Random, scrambles: int, colours: int) -> Deck:
    kinds = ["SCRAMBLE"] * scrambles
    kinds += [luck.choice(rules.KINDS[1:]) for _ in range(16 - scrambles)]
    return [(kind, luck.randrange(colours)) for kind in kinds]


def plain(play: Play) -> HackTheGrid:
    """The engine's position in the plain version."""
    state = play.state
    deck = [(kind, str(colour)) for kind, colour in play.variant.options["deck"]]
    game = HackTheGrid(
        list(range(16)), int(state["first"]), deck, rules.SCRAMBLES[state["scramble"]]
    )
    game.grid = {
        (at // 4, at % 4): None if card == NONE else card
        for at, card in enumerate(state["grid"].tolist())
    }
    game.avatars = state["avatar"].tolist()
    game.runs = [
        run[:length]
        for run, length in zip(state["run"].tolist(), state["length"].tolist(), strict=True)
    ]
    game.mover = play.mover
    game.phase = ("move", "swap")[state["phase"]]
    game.next_mover = 1 - int(state["mover"])
    game.waiting = state["takers"][state["decided"] : state["taken"]].tolist()
    if game.waiting and game.phase == "swap":
        game.waiting.pop(0)  # the plain version has taken it off when it is to be decided
    return game


def check(play: Play, solvers: dict[str, Solver]) -> dict[str, dict[int, str]]:
    """The solver agrees with the exhaustive search on every action; returns what they say."""
    said = {}
    for ties, solver in solvers.items():
        wanted = outcomes(plain(play), ties)
        values = solver.values(play.state)
        found = {at: NAMES[value] for at, value in enumerate(values.tolist()) if value != NONE}
        assert found == wanted, (ties, play.record)
        said[ties] = wanted
    return said


def play_on(play: Play, luck: random.Random, left: int, keenness: float) -> None:
    """At random (or, now and then, by the heuristic) until *left* cards lie on the grid."""
    mask = np.zeros(rules.ACTIONS, np.int8)
    while not play.over and play.state["remaining"] > left:
        play.kernels.legal(play.state, mask)
        if luck.random() < keenness:
            action = int(play.kernels.heuristic(play.state, mask, np.uint64(luck.getrandbits(64))))
        else:
            action = luck.choice(play.legal())
        play.act(action)


def block_left(play: Play, luck: random.Random, side: int) -> bool:
    """Take at random what is outside a side x side block, in legal turns; whether that worked."""
    rows, columns = luck.sample(range(4), side), luck.sample(range(4), side)
    block = {4 * row + column for row in rows for column in columns}
    while not play.over and play.state["remaining"] > len(block):
        actions = play.legal()
        if play.state["phase"] == rules.MOVE:
            seat = play.mover
            other = int(play.state["avatar"][1 - seat])
            at = [4 * other + a if seat == 0 else 4 * a + other for a in actions]
            actions = [a for a, cell in zip(actions, at, strict=True) if cell not in block]
        if not actions:
            return False
        play.act(luck.choice(actions))
    return not play.over


def dealt(luck: random.Random, scramble: str, deck: Deck) -> Play:
    table = {"grid": luck.sample(range(16), 16), "first": luck.randrange(2)}
    return Play("hackthegrid", table, scramble=scramble, deck=deck)


def positions(scramble: str, luck: random.Random, count: int) -> Callable[..., Counter[str]]:
    """Check *count* late positions; what the plain search says of the best of them, counted."""

    def run() -> Counter[str]:
        solvers = {ties: Solver(ties, places=1 << 10) for ties in TIES}
        seen: Counter[str] = Counter()
        while seen["all"] < count:
            scrambles = luck.choice([2, 2, 3, 4, 6])
            deck = list(DEFAULT_DECK)
            if luck.random() < 0.6:
                deck = deck_of(luck, scrambles, luck.choice([1, 2, 4, 8]))
            play = dealt(luck, scramble, deck)
            # Many SCRAMBLEs are many swaps: the slow search needs few cards then.
            late = sum(kind == "SCRAMBLE" for kind, _ in deck) > 2
            shape = luck.choice(["block", "late", "late"])
            if shape == "block":
                side = 2 if late or luck.random() < 0.5 else 3
                if not block_left(play, luck, side):
                    continue
                shape = f"{side}x{side}"
            else:
                play_on(play, luck, luck.randint(1, 4 if late else 7), luck.choice([0.0, 0.5, 1.0]))
            if play.over or open_swaps(play) > 2:
                continue
            said = check(play, solvers)
            seen["all"] += 1
            seen[shape] += 1
            seen[f"seat {play.mover}"] += 1
            seen["swap"] += int(play.state["phase"] == rules.SWAP)
            seen["swaps to come"] += open_swaps(play) > 0
            seen["rules differ"] += said["spiteful"] != said["friendly"]
            for ending in set(said["spiteful"].values()):
                seen[ending] += 1
        return seen

    return run


def open_swaps(play: Play) -> int:
    """How many swaps may still come."""
    state = play.state
    grid = state["grid"]
    on_grid = int((state["kind"][grid[grid != NONE]] == rules.SCRAMBLE).sum())
    waiting = int(state["taken"] - state["decided"])
    return on_grid + max(waiting, int(state["phase"] == rules.SWAP))


@pytest.mark.parametrize("scramble", SCRAMBLES)
def test_it_agrees_with_the_exhaustive_search(scramble: str) -> None:
    """Reduced grids and late positions; both rules for ties; default decks and others."""
    seen = positions(scramble, random.Random(f"solver {scramble}"), 60)()
    for what in ("2x2", "late", "seat 0", "seat 1", "swap", "swaps to come", "rules differ"):
        assert seen[what] > 0, (what, seen)
    for ending in NAMES:
        assert seen[ending] > 0, (ending, seen)
