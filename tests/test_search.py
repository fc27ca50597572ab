"""Tree search: legal everywhere, honest, the same beside whatever is searched, and strong."""

from __future__ import annotations

import copy
import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import cyberdeck
from cyberdeck import Batch, variant
from cyberdeck.api.registration import load_file
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.policy import PolicyInput
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.evaluation import evaluate, play_games
from cyberdeck.exact import PositionSolver
from cyberdeck.exact.values import find_values
from cyberdeck.players import guided
from cyberdeck.players.networks import Network, Value
from cyberdeck.players.search import ROOTS, Search
from cyberdeck.players.trees import growing
from cyberdeck.players.trees.proving import can_prove
from tests.cases import STRONG
from tests.refusals import refusals
from tests.test_policies import another_world, part_of

EXAMPLES = Path(__file__).parents[1] / "examples" / "games"
SMALL = Path(__file__).parent / "evaluation" / "small_games.py"

#: Every game, short; rewarded on the way, so that also a short search brings something.
CASES: list[tuple[str, dict[str, Any]]] = [
    ("matrix_overload", {"edition": "royals", "max_steps": 60, "reward": "royals"}),
    ("hackthegrid", {}),
    (
        "stacktrices",
        {"max_turns": 6, "setup": "random", "observation": "planes", "reward": "material"},
    ),
    ("hovercrafts", {"ships": (1, 1), "max_turns": 4, "reward": "damage"}),
    (
        "hovercrafts",
        {"ships": (2, 3), "max_turns": 4, "share_plans": True, "reward": "damage"},
    ),
    (
        "hovercrafts",
        {"ships": (2, 1), "goal": "breakthrough", "battles": 3, "pick_side": True, "max_turns": 3},
    ),
]
IDS = [f"{game}-{at}" for at, (game, _) in enumerate(CASES)]


WATCHED: list[tuple[str, Search]] = [
    ("tictactoe", Search(30)),
    ("kuhn_poker", Search(40, selection="regret")),
    ("hackthegrid", Search(60)),
    ("hackthegrid", Search(60, network="baseline")),
    ("hackthegrid", Search(60, network="baseline", root="gumbel")),
]


@pytest.mark.parametrize(("name", "search"), WATCHED)
def test_who_watches_changes_nothing_and_may_end_it(name: str, search: Search) -> None:
    seen = begun(chosen(name), 5)
    shares: list[float] = []

    def watch(share: float) -> bool:
        shares.append(share)
        return True

    watched = replace(seen, watch=watch)
    both = zip(search.examine(seen), search.examine(watched), strict=True)
    assert all((one == other).all() for one, other in both)
    assert len(shares) > 1
    assert shares == sorted(shares)
    assert shares[-1] == 1
    # Stopped after some of them, it is a search of so many iterations.
    stopped = replace(seen, watch=lambda share: share < 0.2)
    visits, _ = search.examine(stopped)
    if search.root == "puct" and name != "tictactoe":  # whose proofs may have ended it before
        fewer = copy.copy(search)
        fewer.iterations = int(visits.sum())
        assert fewer.iterations < 0.8 * search.iterations
        assert (fewer.examine(seen)[0] == visits).all()
    assert (search.chances(stopped)[0] > 0).sum() >= 1


def positions(game: str, options: dict[str, Any], count: int = 12, steps: int = 20) -> Batch:
    """Games at different places."""
    batch = Batch(game, count, seed=17, **options)
    for step in range(steps):
        batch.step(batch.choose("heuristic" if step % 3 else "random"))
    return batch


def chosen(name: str, **options: Any) -> Variant:
    """A game of the suite, or of one of the files."""
    files = {path.stem: path for path in (*EXAMPLES.glob("*.py"), SMALL)}
    return Variant(load_file(files[name]) if name in files else cyberdeck.game(name), options)


def begun(known: Variant, seed: int) -> PolicyInput:
    """The first decision of a game."""
    core = GameBatch(known, 1, autoreset=DISABLED)
    core.reset([seed])
    return core.seen(core.all_rows, True)


def network_of(chosen: Variant, valued: bool, seed: int = 0) -> Network:
    """Random weights, so that it has an opinion of everything."""
    luck = np.random.default_rng(seed)
    width = 16
    layers = [
        (luck.normal(size=(width, chosen.observation_size)) * 0.1, luck.normal(size=width)),
        (luck.normal(size=(chosen.action_count, width)), luck.normal(size=chosen.action_count)),
    ]
    value = Value([(luck.normal(size=(1, width)) * 0.1, np.zeros(1))], 1) if valued else None
    return Network(chosen.game.name, layers, options=chosen.options, value=value)


#: A case and the root of a search that a network guides there; None: none guides it.
GUIDED: list[Any] = [
    *(pytest.param(case, None, id=name) for case, name in zip(CASES, IDS, strict=True)),
    *(pytest.param(CASES[at], root, id=f"{IDS[at]}-{root}") for at in (1, 3) for root in ROOTS),
]


def search_of(known: Variant, iterations: int, root: str | None, length: int = 20) -> Search:
    """A search as *root* says."""
    if root is None:
        return Search(iterations, length=length)
    return Search(iterations, network=network_of(known, valued=iterations != 2), root=root)


def tic_tac_toe(board: str, luck: int) -> PolicyInput:
    """A position of the example, as whoever is to move sees it."""
    seen = begun(chosen("tictactoe"), 0)
    states = seen.states.copy()
    states["board"] = [[".xo".index(cell) - 1 for cell in board]]
    states["decisions"] = 9 - board.count(".")
    states["mover"] = states["decisions"] % 2
    mask, observation, _ = seen.variant.look(states, int(states["mover"][0]))
    bits, seats = np.full(1, luck, np.uint64), states["mover"]
    return PolicyInput(seen.variant, observation[None], mask[None], seats, bits, states)


def everything(batch: Batch) -> PolicyInput:
    return batch._core.seen(batch._core.all_rows, True)


# --- through whole games -------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_it_plays_legally_through_whole_games(case: tuple[str, dict[str, Any]]) -> None:
    game, options = case
    players = {
        "short": Search(iterations=1, length=20),
        "plain": Search(iterations=9, playout="random", length=30),
        "even": Search(iterations=7, length=0, prior=0.0),
        "greedy": Search(iterations=7, length=30, prior=0.9, c_puct=0.0),
        "r": "random",
    }
    sides = max(variant(game, **options).sides) + 1
    lineups = [(at,) for at in range(4)]
    if sides == 2:
        lineups = [pair for at in range(4) for pair in ((at, 4), (4, at))]
    games = play_games(game, players, lineups, range(len(lineups)), **options)
    assert len(games) == len(lineups)
    assert (games.reasons > 1).all()


@pytest.mark.parametrize("iterations", [1, 2, 40])
@pytest.mark.parametrize(("case", "root"), GUIDED)
def test_every_iteration_tries_one_legal_action(
    case: tuple[str, dict[str, Any]], root: str | None, iterations: int
) -> None:
    """A forced decision is made without searching."""
    free = 0
    for steps in (3, 20, 45):
        batch = positions(*case, steps=steps)
        seen, search = everything(batch), search_of(batch.variant, iterations, root)
        visits, values = search.examine(seen)
        actions = search.decide(seen)
        choices = batch.mask.sum(axis=1)
        assert (visits[batch.mask == 0] == 0).all()
        assert (values[batch.mask == 0] == 0).all()
        assert (visits.sum(axis=1) == np.where(choices == 1, 1, iterations)).all()
        assert (visits[np.arange(len(batch)), actions] == visits.max(axis=1)).all()
        bound = batch.variant.game.reward_bound
        assert root is not None or (abs(values) <= 2 * bound + 1e-6).all()
        free += int((choices > 1).sum())
    assert free > 5


@pytest.mark.parametrize("steps", [1, 37])
def test_also_where_many_decide_in_secret_before(steps: int) -> None:
    """Ten ships with up to nine actions each: all of them decide again in every iteration."""
    batch = Batch("hovercrafts", 4, seed=2, ships=(5, 5), stats=STRONG, deployment="random")
    for _ in range(steps):
        batch.step(batch.choose("random"))
    for iterations in (1, 25):
        visits, _ = Search(iterations=iterations, length=50).examine(everything(batch))
        wanted = np.where(batch.mask.sum(axis=1) == 1, 1, iterations)
        assert (visits.sum(axis=1) == wanted).all()


def test_equals_in_visits_are_told_apart_by_what_they_brought() -> None:
    visits, values = np.zeros((1, 69), np.int32), np.full((1, 69), 5.0)
    visits[0, :3], values[0, :3] = [4, 4, 2], [-0.5, -0.25, 1.0]
    assert guided.most_visited(visits, values).tolist() == [1]


# --- what it may depend on -----------------------------------------------------------------------


@pytest.mark.parametrize(("case", "root"), GUIDED)
def test_the_same_in_any_company_and_threads(
    case: tuple[str, dict[str, Any]], root: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = positions(*case)
    seen, found = everything(batch), []
    kept = seen.states.tobytes()
    mixes = root is None and not batch.variant.game.open
    for selection in ("puct", "regret") if mixes else (None,):
        search = search_of(batch.variant, 25, root, 1000)
        search.selection = selection
        visits, values = search.examine(seen)
        found.append(visits.tolist())
        assert seen.states.tobytes() == kept, "the positions are the caller's"
        assert values.any()
        order = np.random.default_rng(3).permutation(len(batch))
        for which in (order, order[:5], *(np.array([at]) for at in range(0, len(batch), 3))):
            again = search.examine(part_of(seen, which))
            assert again[0].tolist() == visits[which].tolist()
            assert again[1].tolist() == values[which].tolist()
        threaded = search.examine(replace(seen, threads=3))
        assert [part.tobytes() for part in threaded] == [visits.tobytes(), values.tobytes()]
        with monkeypatch.context() as patch:
            patch.setattr(guided, "ROOM", 1)  # one game after the other
            assert search.examine(seen)[0].tolist() == visits.tolist()
    assert found[1:] != found[:1]


@pytest.mark.parametrize(("case", "root"), GUIDED)
def test_it_decides_alike_in_worlds_that_its_seat_cannot_tell_apart(
    case: tuple[str, dict[str, Any]], root: str | None
) -> None:
    batch = positions(*case, steps=0)
    search = search_of(batch.variant, 15, root, 1000)  # to the end: only there something is won
    brought = 0.0
    for step in range(30):
        if step % 6 == 0:
            expected = [part.tolist() for part in search.examine(everything(batch))]
            brought += np.abs(expected[1]).sum()
            world = another_world(batch._core, 99 * step)
            seen = world.seen(world.all_rows, True)
            assert [part.tolist() for part in search.examine(seen)] == expected
        batch.step(batch.choose("random"))
    assert brought > 0


def test_other_luck_is_another_search() -> None:
    batch = positions("matrix_overload", {}, count=1)
    seen = everything(batch)
    luck = np.arange(20, dtype=np.uint64)
    many = part_of(seen, np.zeros(20, np.int64), luck)
    visits, _ = Search(iterations=30).examine(many)
    assert len({row.tobytes() for row in visits}) > 10


def test_plans_of_the_others_are_made_anew_by_players_who_do_not_know_its_own() -> None:
    """Two ships face to face, one shot from the end: whatever
    the other has planned already, the searcher finds the same, as it cannot know it.
    """
    results = []
    start = {"starting": "zion", "ships": [(3, 0, "S", 1), (3, 2, "N", 1)], "dice": [1, 1]}
    for plan in range(6):
        batch = Batch("hovercrafts", 1, seed=0, ships=(1, 1))
        batch.reset(seed=0, options=start)
        batch.step([plan])  # the first seat's, in secret
        assert batch.mover[0] == 1
        found = Search(iterations=60).examine(everything(batch))
        results.append([part.tolist() for part in found])
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize(
    ("game", "options", "digest"),
    [
        ("matrix_overload", {}, "5ef8b59ae2977fd7"),
        ("hackthegrid", {}, "ae33e0db1341a07e"),
        (
            "stacktrices",
            {"max_turns": 6, "setup": "random", "reward": "material"},
            "127e80a0032efeaf",
        ),
        ("hovercrafts", {"ships": (1, 1)}, "dc62b4ed4b3b5509"),
    ],
)
def test_without_a_network_it_finds_what_it_always_has(
    game: str, options: dict[str, Any], digest: str
) -> None:
    """Visits and values, bit for bit, as before there were networks and regrets."""
    search = Search(iterations=40, length=60, opponent_prior=0.7)
    visits, values = search.examine(everything(positions(game, options)))
    found = hashlib.blake2b(visits.tobytes() + values.tobytes(), digest_size=8).hexdigest()
    assert found == digest


# --- memory --------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_a_full_tree_still_decides(
    case: tuple[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Room for the first node and hardly more; or for two decisions on the way down."""
    batch = positions(*case)
    wanted = np.where(batch.mask.sum(axis=1) == 1, 1, 50)
    with monkeypatch.context() as patch:
        patch.setattr(growing, "MOST_EDGES", batch.variant.action_count + 3)
        visits, _ = Search(iterations=50, length=20).examine(everything(batch))
        assert (visits.sum(axis=1) == wanted).all()
    if not batch.variant.game.simultaneous:  # there the way to the first node is longer
        monkeypatch.setattr(growing, "DEEPEST", 2)
        visits, _ = Search(iterations=50, length=20).examine(everything(batch))
        assert (visits.sum(axis=1) == wanted).all()
        assert (visits[batch.mask == 0] == 0).all()


# --- strength ------------------------------------------------------------------------------------


def ends(wanted: int, seed: int, most: int) -> list[tuple[Batch, NDArray[np.float64]]]:
    """Positions with few cards, where it matters what is done: what each action is worth."""
    found: list[tuple[Batch, NDArray[np.float64]]] = []
    batch = Batch("hackthegrid", 400, seed=seed, autoreset="Disabled")
    values = find_values(batch.variant, "exact:ties=spiteful")
    while len(found) < wanted:
        batch.step(batch.choose("random"))
        rows = np.flatnonzero((batch.mover >= 0) & (batch._core.metrics[:, 2] <= most))
        for row, worth in zip(rows, values.of(batch._core.states[rows]), strict=True):
            if len(found) < wanted and len(set(worth[~np.isnan(worth)])) > 1:
                one = Batch("hackthegrid", 1, seed=0)
                one.set_state(0, batch.get_state(int(row)))
                found.append((one, worth))
    return found


def agreement(found: list[tuple[Batch, NDArray[np.float64]]], search: Search) -> float:
    chosen = [search.decide(everything(batch))[0] for batch, _ in found]
    return float(np.mean([w[at] == np.nanmax(w) for at, (_, w) in zip(chosen, found, strict=True)]))


def test_it_takes_the_win_and_avoids_the_loss_of_the_last_move() -> None:
    """Positions of a few decisions at most, so that one mistake is the last."""
    last = ends(40, 5, most=2)
    assert agreement(last, Search(iterations=60)) == 1.0
    assert agreement(last, Search(iterations=600, playout="random", prior=0.0)) == 1.0
    assert agreement(last, Search(iterations=1, prior=0.0)) < 0.9, "any choice would do"


@pytest.mark.slow
def test_it_agrees_with_trying_everything() -> None:
    found = ends(40, 6, most=5)
    assert agreement(found, Search(iterations=2000)) >= 0.85
    assert agreement(found, Search(iterations=2000, playout="random")) >= 0.85
    assert agreement(found, Search(iterations=1, prior=0.0)) < 0.75, "any choice would do"


def test_it_beats_the_heuristic_in_hackthegrid() -> None:
    result = evaluate("hackthegrid", "search:iterations=100", ["heuristic"], deals=10, seed=1)
    assert result.records[-1].points.value > 0.75
    more = evaluate(
        "hackthegrid", "search:iterations=200", ["search:iterations=10"], deals=10, seed=1
    )
    assert more.records[-1].points.value > 0.6


@pytest.mark.slow
def test_it_beats_the_heuristic_in_matrix_overload() -> None:
    search = evaluate("matrix_overload", "search:iterations=100", deals=40, seed=1)
    plain = evaluate("matrix_overload", "heuristic", deals=40, seed=1)
    assert search.records[0].wins >= plain.records[0].wins + 8


# --- what it proves ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("board", "best", "worth"),
    [
        ("xx..o.o..", {2}, 1.0),  # wins at once
        ("x...o...x", {1, 3, 5, 7}, 0.0),  # in a corner it would lose
        ("x.x.o.x.o", set(range(9)), -1.0),  # a fork
    ],
)
@pytest.mark.parametrize("luck", [0, *(pytest.param(at, marks=pytest.mark.slow) for at in (1, 2))])
def test_what_is_proved_is_exact(board: str, best: set[int], worth: float, luck: int) -> None:
    """A proved move has all the visits, and a proved loss none, whatever was tried how often."""
    seen = tic_tac_toe(board, luck)
    visits, values = Search(iterations=400).examine(seen)
    choice = int(visits[0].argmax())
    assert choice in best
    assert seen.masks[0, choice] == 1
    assert visits[0, choice] == visits.sum() == 400
    assert values[0, choice] == worth


@pytest.mark.parametrize("luck", range(3))
def test_of_three_nobody_counts_on_the_one_who_wins_to_be_kind(luck: int) -> None:
    """The first takes a little, or lets the second win, who may leave it nothing or ruin it."""
    first = begun(chosen("small_games", kind="kindness"), luck)
    visits, values = Search(iterations=200).examine(first)
    assert visits[0].argmax() == 0
    assert values[0].tolist() == [-0.5, -1.0]


def test_it_proves_only_where_everything_is_open_and_no_heuristic_helps() -> None:
    assert can_prove(chosen("tictactoe").game)
    for name in (*cyberdeck.GAMES, "kuhn_poker", "goofspiel"):
        assert not can_prove(chosen(name).game)


# --- what it mixes -------------------------------------------------------------------------------


@pytest.mark.slow
def test_where_plans_are_secret_it_is_exploited_less_the_longer_it_searches() -> None:
    """Goofspiel is worth 0 to both: so all that the best answer wins is won by exploiting."""
    bench = PositionSolver(chosen("goofspiel"))
    searches = Search(10), Search(1000), Search(1000, selection="puct")
    asked = (bench.table_of(each, 3)[0] for each in searches)
    short, long_, other = (bench.best_response(each, 1) for each in asked)
    assert long_ < 0.3
    assert short > 0.5
    assert long_ < other - 0.1


def test_it_draws_as_often_as_the_mean_of_its_strategies_says() -> None:
    """Which side to take: some of the searches say the one, and some the other."""
    one = begun(chosen("hovercrafts", **CASES[-1][1]), 3)
    one = part_of(one, np.zeros(128, np.int64), np.arange(128, dtype=np.uint64) << np.uint64(57))
    search = Search(iterations=30, selection="regret")
    visits, chances, drawn = *search.examine(one)[:1], search.chances(one), search.decide(one)
    assert (visits.sum(axis=1) == 30).all()
    np.testing.assert_allclose(chances, visits / 30)
    shares = np.bincount(drawn, minlength=one.masks.shape[1]) / 128
    np.testing.assert_allclose(shares, chances.mean(axis=0), atol=0.05)
    assert (chances[np.arange(128), drawn] > 0).all()
    secret = begun(chosen("goofspiel"), 3)  # where all decide at once it is what is chosen by
    mixed = Search(9).chances(secret)
    assert (mixed == Search(9, selection="regret").chances(secret)).all()
    assert mixed.max() < 1


# --- settings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("setting", "value"), refusals("settings of a search"))
def test_settings_that_are_not_possible(setting: str, value: str) -> None:
    with pytest.raises(OptionError, match=f"{setting}=.* is not possible"):
        Search(**{setting: eval(value, {"inf": float("inf"), "nan": float("nan")})})


def test_where_nothing_is_hidden_there_is_no_reason_to_mix() -> None:
    with pytest.raises(OptionError, match=r"selection='regret' is for games with secrets"):
        Batch("hackthegrid", 1, seat=0, opponent=Search(selection="regret"))
