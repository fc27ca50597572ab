"""The exact solver: against an exhaustive search on the plain rules, and by its symmetries."""

from __future__ import annotations

import random
from collections import Counter

import gymnasium
import numpy as np
import pytest

import cyberdeck
from cyberdeck import Batch, Variant, hackthegrid_v0
from cyberdeck.engine.symmetry import Exchange
from cyberdeck.errors import EpisodeError, OptionError, StateError
from cyberdeck.games.hackthegrid import constants as c
from cyberdeck.games.hackthegrid.game import DEFAULT_DECK
from cyberdeck.games.hackthegrid.symmetries import SYMMETRIES
from cyberdeck.players import find_player
from cyberdeck.players.solvers.hackthegrid import solver as exact
from cyberdeck.players.solvers.hackthegrid.solver import NAMES, Optimal, Solver, solve
from tests.play import Play
from tests.reference.hackthegrid import HackTheGrid
from tests.reference.hackthegrid_solver import outcomes
from tests.refusals import check_refused

TIES = ("spiteful", "friendly")
SCRAMBLES = ("on_take", "at_end")
PAIRED = list(zip(SCRAMBLES, TIES, strict=True))
NONE = c.NONE

Deck = list[tuple[str, int]]


def deck_of(luck: random.Random, scrambles: int, colours: int) -> Deck:
    kinds = ["SCRAMBLE"] * scrambles
    kinds += [luck.choice(c.KINDS[1:]) for _ in range(16 - scrambles)]
    return [(kind, luck.randrange(colours)) for kind in kinds]


def plain(play: Play) -> HackTheGrid:
    """The engine's position in the plain version."""
    state = play.state
    deck = [(kind, str(colour)) for kind, colour in play.variant.options["deck"]]
    game = HackTheGrid(list(range(16)), int(state["first"]), deck, c.SCRAMBLES[state["scramble"]])
    grid = [None if card == NONE else card for card in state["grid"].tolist()]
    game.grid = {divmod(at, 4): card for at, card in enumerate(grid)}
    game.avatars = state["avatar"].tolist()
    game.runs = [[card for card in run if card != NONE] for run in state["run"].tolist()]
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
    while not play.over and play.state["remaining"] > left:
        action = luck.choice(play.legal())
        if luck.random() < keenness:
            action = play.advised(luck.getrandbits(64))
        play.act(action)


def dealt(luck: random.Random, scramble: str, deck: Deck) -> Play:
    table = {"grid": luck.sample(range(16), 16), "first": luck.randrange(2)}
    return Play("hackthegrid", table, scramble=scramble, deck=deck)


#: With so many swaps to come, the slow search can take so many cards.
FEASIBLE = {0: 9, 1: 4, 2: 1}


def open_swaps(play: Play) -> int:
    """How many swaps may still come."""
    state = play.state
    grid = state["grid"]
    on_grid = int((state["kind"][grid[grid != NONE]] == c.SCRAMBLE).sum())
    waiting = int(state["taken"] - state["decided"])
    return on_grid + max(waiting, int(state["phase"] == c.SWAP))


@pytest.mark.parametrize("count", [10, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize("scramble", SCRAMBLES)
def test_it_agrees_with_the_exhaustive_search(scramble: str, count: int) -> None:
    """Late positions; both rules for ties; the default deck and others."""
    luck = random.Random(f"solver {scramble} 23")
    solvers = {ties: Solver(ties, places=1 << 10) for ties in TIES}
    seen: Counter[str] = Counter()
    while seen["all"] < count:
        deck = list(DEFAULT_DECK)
        if luck.random() < 0.6:
            deck = deck_of(luck, luck.choice([0, 1, 2, 4, 6]), luck.choice([1, 2, 4, 8]))
        play = dealt(luck, scramble, deck)
        play_on(play, luck, luck.randrange(10), luck.choice([0.0, 0.5, 1.0]))
        if play.over or play.state["remaining"] > FEASIBLE.get(open_swaps(play), -1):
            continue
        said = check(play, solvers)
        seen.update(("all", f"seat {play.mover}", *set(said["spiteful"].values())))
        seen["swap"] += int(play.state["phase"] == c.SWAP)
        seen["swaps to come"] += open_swaps(play) > 0
        seen["rules differ"] += said["spiteful"] != said["friendly"]
    kinds = {"seat 0", "seat 1", "swap", "swaps to come", "rules differ"}
    assert all(seen[kind] for kind in {*kinds, *NAMES}), seen


def test_long_chains_of_late_swaps() -> None:
    """So few different cards that the slow search can follow many swaps."""
    luck = random.Random(6)
    solvers = {ties: Solver(ties) for ties in TIES}
    chains = 0
    for kind in ("FIREWALL", "NET NODE"):
        deck = [("SCRAMBLE", 0)] * 3 + [(kind, 0)] * 13
        play = dealt(luck, "at_end", deck)
        play_on(play, luck, 1, 0.9)
        if not play.over:
            check(play, solvers)
            chains += open_swaps(play) > 2
    assert chains > 1


# --- symmetries ----------------------------------------------------------------------------------


def early(scramble: str) -> np.ndarray:
    """Positions all over the game, by the heuristic."""
    records = []
    for decisions in range(0, 16, 2):
        batch = Batch("hackthegrid", 2, seed=decisions, scramble=scramble)
        batch.play("heuristic", decisions)
        records.append(batch._core.states.copy())
    return np.concatenate(records)


@pytest.mark.parametrize(("scramble", "ties"), PAIRED)
def test_seats_are_alike_and_only_which_colours_are_equal_counts(scramble: str, ties: str) -> None:
    """Exchanging rows and columns together with the seats changes no value."""
    records = early(scramble)
    values = Solver(ties).values(records)
    turned = Exchange.of(SYMMETRIES[-1], 2, c.ACTIONS).image(records)
    assert (Solver(ties).values(turned) == values).all()
    other = records.copy()
    other["colour"] = np.array([5, 0, 7, 2])[records["colour"]]
    other["colours"] = 8
    assert (Solver(ties).values(other) == values).all()


# --- using it ------------------------------------------------------------------------------------


def test_nothing_that_was_solved_before_changes_a_value() -> None:
    """A tiny table, several deals at once and the same solver again: always the same."""
    records = early("on_take")
    wanted = np.array([Solver().values(record) for record in records])
    solver = Solver(places=2)
    mixed = np.random.default_rng(0).permutation(np.tile(np.arange(len(records)), 2))
    assert (solver.values(records[mixed]) == wanted[mixed]).all()
    kept = Solver()
    assert (kept.values(records) == wanted).all()
    assert (kept.values(records) == wanted).all()


def test_more_deals_than_a_solver_tells_apart() -> None:
    batch = Batch("hackthegrid", 1100, seed=3, autoreset="Disabled")
    batch.play("heuristic", 13)
    records = batch._core.states[batch.mover >= 0]
    wanted = Solver(places=2).values(records)
    solver = Solver()
    assert len(records) > 1024
    assert (solver.values(records[::-1])[::-1] == wanted).all()
    assert (solver.values(records) == wanted).all()


def test_solve_takes_envs_bytes_and_records() -> None:
    env = gymnasium.make("cyberdeck/HackTheGrid-v0", opponent="random", seat=0)
    env.reset(seed=1)
    agents = hackthegrid_v0.env()
    agents.reset(seed=1)
    batch = Batch("hackthegrid", 3, seed=1)
    for given, mask in (
        (env, env.unwrapped.action_masks()),
        (env.unwrapped.get_state(), env.unwrapped.action_masks()),
        (agents, agents.observe(agents.agent_selection)["action_mask"]),
        (batch.get_state(2), batch.mask[2]),
        (batch._core.states[2], batch.mask[2]),
        (batch._core.states[2:], batch.mask[2]),
    ):
        found = solve(given, ties="friendly")
        assert sorted(found) == np.flatnonzero(mask).tolist()
        assert set(found.values()) <= set(NAMES)
    assert solve(batch.get_state(2)) == solve(batch._core.states[2])


def test_what_cannot_be_solved_is_said() -> None:
    other = cyberdeck.variant("stacktrices")
    batch = Batch("hackthegrid", 1, seed=0, autoreset="Disabled")
    renamed = batch.get_state(0).replace(b"hackthegrid", b"stacktrices")
    check_refused(
        ("'spiteful', 'friendly'", lambda: Solver("kind")),
        ("power of two", lambda: Solver(places=1000)),
        ("has no player", lambda: find_player(other, "optimal")),
        ("hackthegrid alone", lambda: find_player(other, Optimal())),
        ("scrambles=-1 is not possible", lambda: Optimal(scrambles=-1)),
    )
    wrong = (("give an env", lambda: solve(7)), ("not of 'hackthegrid'", lambda: solve(renamed)))
    check_refused(*wrong, error=StateError)
    batch.play("random", 40)
    check_refused(("over", lambda: solve(batch.get_state(0))), error=EpisodeError)
    assert (Solver().values(batch._core.states) == NONE).all()


def test_decks_that_take_too_long_are_refused_unless_asked_for() -> None:
    def variant(scrambles: int, scramble: str) -> Variant:
        deck = deck_of(random.Random(0), scrambles, 4)
        return cyberdeck.variant("hackthegrid", deck=deck, scramble=scramble)

    assert isinstance(find_player(variant(4, "at_end"), "optimal"), Optimal)
    assert isinstance(find_player(variant(8, "on_take"), "optimal"), Optimal)
    assert isinstance(find_player(variant(6, "at_end"), "optimal:scrambles=6"), Optimal)
    for long, player, words in (
        (variant(9, "on_take"), "optimal", "has 9 SCRAMBLEs.* takes on 8 with"),
        (variant(6, "at_end"), "optimal", "on 4 with scramble='at_end'.*optimal:scrambles=6 tries"),
        (variant(6, "at_end"), "optimal:scrambles=5,ties=friendly", "takes on 5"),
        (variant(2, "on_take"), "optimal:scrambles=0", "takes on 0"),
    ):
        with pytest.raises(OptionError, match=words):
            find_player(long, player)


# --- the player ----------------------------------------------------------------------------------

DEALS = 8


@pytest.mark.parametrize(("scramble", "ties"), PAIRED)
def test_the_optimal_player_gets_what_the_position_is_worth(scramble: str, ties: str) -> None:
    """At least that against anyone, and exactly that against itself."""
    for opponent in (f"optimal:ties={ties}", "heuristic", "random"):
        batch = Batch("hackthegrid", DEALS, seed=7, scramble=scramble, autoreset="Disabled")
        policy, other = (
            find_player(batch.variant, each) for each in (f"optimal:ties={ties}", opponent)
        )
        first = batch.mover.copy()
        values = policy.solver.values(batch._core.states)
        best = policy.solver.optimal(values)
        promised = values[np.arange(DEALS), best.argmax(1)]
        while len(running := np.flatnonzero(batch.mover >= 0)):
            actions = np.zeros(len(batch), np.int64)
            own = batch.mover[running] == first[running]
            for who, rows in ((policy, running[own]), (other, running[~own])):
                if len(rows):
                    actions[rows] = batch._core.ask(who, rows)
            batch.step(actions)
        got, theirs = (batch.final_return[np.arange(DEALS), seat] for seat in (first, 1 - first))
        lost = np.where(theirs < 0, exact.BOTH_LOSE, exact.LOSS)
        ended = np.where(got > 0, exact.WIN, np.where(got == 0, exact.DRAW, lost))
        if opponent.startswith("optimal"):
            assert (ended == promised).all()
        else:
            # Another mover may do what is worse for itself and for us: strand both.
            fair = ended != exact.BOTH_LOSE
            assert fair.sum() > 4
            liked = policy.solver.liking
            assert (liked[ended] >= liked[promised])[fair].all()
