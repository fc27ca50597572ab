"""What seats believe: Bayes' rule over all that may have happened, where that can be followed."""

from __future__ import annotations

import functools
import pickle
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import chdtrc

from cyberdeck import Batch, variant
from cyberdeck.commands import main as command
from cyberdeck.engine.chance import Outcomes
from cyberdeck.engine.contract import Game
from cyberdeck.engine.history import History, Log
from cyberdeck.engine.policy import Policy, PolicyInput
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import KernelError, OptionError, PolicyError
from cyberdeck.evaluation import play_games
from cyberdeck.exact import InformationSets, PositionSolver, Solver, Tree, uniform
from cyberdeck.play.compiled import describe_beliefs
from cyberdeck.play.session import GameSession, Setup
from cyberdeck.players import find_player, worlds
from cyberdeck.players.beliefs import Beliefs, Filter
from cyberdeck.players.search import Search
from cyberdeck.players.solved import Solved
from cyberdeck.playing.compiled import Compiled
from cyberdeck.text.game import TextGame
from tests.conftest import plainly
from tests.evaluation.test_solved import few_games  # noqa: F401
from tests.refusals import check_refused
from tests.test_search import chosen as example


def plain(states: NDArray[Any]) -> list[bytes]:
    """What tells worlds apart."""
    states = states.copy()
    states["dice"], states["reward"] = 0, 0
    return [state.tobytes() for state in states]


class Peculiar(Policy):
    """In each situation other chances, some of them 0, and no action is certain."""

    name = "peculiar"
    tells_chances = True

    def chances(self, seen: PolicyInput) -> NDArray[np.float64]:
        observations = seen.observations.reshape(len(seen), -1).astype(np.float64)
        size = seen.masks.shape[1]
        mixed = observations @ np.arange(1, observations.shape[1] + 1)[:, None]
        chances = seen.masks * ((mixed * 7 + 3 * np.arange(size)) % 4)
        chances[np.arange(len(seen)), seen.masks.argmax(axis=1)] += 1
        found: NDArray[np.float64] = chances / chances.sum(axis=1, keepdims=True)
        return found


class Honest(Policy):
    """In Kuhn poker: bets on a king, and on nothing else."""

    name = "honest"
    tells_chances = True

    def chances(self, seen: PolicyInput) -> NDArray[np.float64]:
        king = seen.observations[:, 2] == 1
        return np.stack([~king, king], axis=1).astype(np.float64)


class Uniform(Policy):
    """What "random" does, as a policy."""

    name = "uniform"
    tells_chances = True

    def chances(self, seen: PolicyInput) -> NDArray[np.float64]:
        found: NDArray[np.float64] = seen.masks / seen.masks.sum(axis=1, keepdims=True)
        return found


def solved(known: Variant, folder: Path, iterations: int = 50) -> Solved:
    solver = Solver(InformationSets(PositionSolver(known).positions))
    solver.iterate(iterations)
    solver.save(folder / "solved.npz")
    return Solved(str(folder / "solved.npz"))


# --- equal to brute force ------------------------------------------------------------------------


class Model:
    """Every course that a game may take, one by one, in plain Python."""

    def __init__(self, known: Variant, policy: Policy) -> None:
        self.known, self.policy, self.outcomes = known, policy, Outcomes(known)
        #: By all that a mover has seen and done: its worlds, each as likely as the others and
        #: chance let it come to it; and the log of one course.
        self.worlds: dict[Any, dict[bytes, float]] = defaultdict(lambda: defaultdict(float))
        self.logs: dict[Any, Log] = {}
        nothing = tuple(np.zeros(policy.memory, np.float32) for _ in range(known.seats))
        for p, record in self.outcomes.beginnings():
            self._go_on(Log(known, record), p, (1.0,) * known.seats, ((),) * known.seats, nothing)

    def _go_on(self, log: Log, luck: float, reach: Sequence[float], seen: Any, memory: Any) -> None:
        record, mover = log.record, int(log.record[0]["mover"])
        if mover == NOBODY:
            return
        mask, observation, _ = self.known.look(record, mover)
        now = (*seen[mover], observation.tobytes(), mask.tobytes())
        others = np.prod([each for seat, each in enumerate(reach) if seat != mover])
        self.worlds[mover, now][plain(record)[0]] += luck * float(others)
        self.logs.setdefault((mover, now), log)
        asked = PolicyInput(
            self.known, observation[None], mask[None], np.array([mover], np.int8),
            np.zeros(1, np.uint64), record[:0], memory[mover][None].copy()
        )  # fmt: skip
        chances = self.policy.chances(asked)[0]
        for action in np.flatnonzero(mask).tolist():
            noted = replace(asked, memory=asked.memory.copy())
            self.policy.took(noted, np.array([action]))
            for p, after in self.outcomes.after(record, action):
                self._go_on(
                    log.after(action, observation, after),
                    luck * p,
                    put(reach, mover, reach[mover] * float(chances[action])),
                    put(seen, mover, (*now, action)),
                    put(memory, mover, noted.memory[0]),
                )


def put(values: Sequence[Any], at: int, value: Any) -> tuple[Any, ...]:
    return (*values[:at], value, *values[at + 1 :])


def check_against_brute_force(known: Variant, policy: Policy) -> int:
    """In how many information sets the filter was found to be right."""
    model, own, checked = Model(known, policy), Filter(known, policy), 0
    for (seat, seen), right in model.worlds.items():
        total = sum(right.values())
        if total == 0:  # the others never let it come to this
            continue
        found = own(History(model.logs[seat, seen], seat))
        assert (found.exact, found.redrawn, found.how) == (True, None, "exact")
        got = dict(zip(plain(found.states), found.weights.tolist(), strict=True))
        expected = {world: weight / total for world, weight in right.items() if weight > 0}
        assert got == pytest.approx(expected, abs=1e-9)
        checked += 1
    return checked


@pytest.mark.parametrize(
    ("game", "options", "sets"),
    [
        ("kuhn_poker", {}, 12),
        ("dark_hex", {"size": 2}, 30),
        ("dark_hex", {"size": 2, "rules": "abrupt"}, 30),
        ("kuhn_for_many", {}, 48),
        pytest.param("leduc_poker", {}, 900, marks=pytest.mark.slow),
    ],
)
def test_worlds_are_those_of_brute_force(
    game: str, options: dict[str, Any], sets: int, tmp_path: Path
) -> None:
    known = example(game, **options)
    assert check_against_brute_force(known, Peculiar()) >= sets
    if "poker" in game:  # one that remembers what it has done
        assert check_against_brute_force(known, solved(known, tmp_path)) >= 12


def test_random_players_are_uniform() -> None:
    batch = Batch(example("kuhn_poker"), 8, seed=3, history=True)
    for _ in range(4):
        batch.step(batch.choose("random"))
        for row in range(8):
            one, other = batch.beliefs(row), batch.beliefs(row, Uniform())
            assert plain(one.states) == plain(other.states)
            assert one.weights == pytest.approx(other.weights)


# --- beside the game's own redrawing -------------------------------------------------------------

DRAWS = 250


@functools.cache
def plain_loops(game: Game) -> list[Callable[..., Any]]:
    """The loops of beliefs as plain Python: to compile them takes longer where worlds are few."""
    return [plainly(each) for each in worlds.loops_of(game)]


def redrawn(batch: Batch, seat: int, seed: int, count: int = DRAWS) -> NDArray[Any]:
    """(count,) worlds as the game draws them for whoever decides."""
    states = np.repeat(batch._core.states[:1], count)
    bits = np.random.default_rng(seed).integers(0, 2**64, count, np.uint64)
    for at in range(count):
        batch._core.loops.resample(states, at, seat, bits[at])
    return states


def agreement(weights: NDArray[np.float64], counts: NDArray[np.float64]) -> tuple[int, float]:
    """Degrees of freedom and a chi-square; what is seldom expected is put together."""
    expected = weights * counts.sum()
    often = expected >= 5
    pairs = [*zip(counts[often], expected[often], strict=True)]
    if expected[~often].sum() >= 5:
        pairs.append((counts[~often].sum(), expected[~often].sum()))
    return max(len(pairs) - 1, 0), sum((found - wanted) ** 2 / wanted for found, wanted in pairs)


def compared(batch: Batch, positions: int) -> tuple[int, float]:
    """Over so many positions of random games: how well ``resample`` agrees with beliefs in uniform
    play (degrees of freedom and a chi-square), where both must hold the same worlds possible.
    """
    degrees, total = 0, 0.0
    for at in range(positions):
        found = batch.beliefs(limit=20_000)
        assert found.exact
        drawn: dict[bytes, int] = dict.fromkeys(plain(found.states), 0)
        for world in plain(redrawn(batch, int(batch.mover[0]), at)):
            drawn[world] += 1  # a KeyError: a world that cannot be
        assert all(drawn.values()) or len(drawn) > DRAWS / 20
        freedom, chi = agreement(found.weights, np.array([*drawn.values()], float))
        degrees, total = degrees + freedom, total + chi
        batch.step(batch.choose("random"))
    return degrees, total


def games(name: str, **options: Any) -> Batch:
    return Batch(example(name, **options), 1, seed=11, history=True)


@pytest.mark.parametrize(
    ("name", "options", "positions"),
    [
        ("kuhn_poker", {}, 20),
        ("goofspiel", {}, 20),
        ("leduc_poker", {}, 12),
        ("kuhn_for_many", {}, 12),
        ("liars_dice", {"dice": 2, "sides": 2}, 12),
        pytest.param("hovercrafts", {"ships": (1, 1)}, 14, marks=pytest.mark.slow),
    ],
)
def test_resample_is_what_uniform_play_lets_a_seat_believe(
    name: str, options: dict[str, Any], positions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worlds, "_loops", plain_loops)
    degrees, total = compared(games(name, **options), positions)
    assert degrees > 10
    assert chdtrc(degrees, total) > 0.001


# --- Stacktrices ---------------------------------------------------------------------------------

SET_UP = 2  # phases below this


@pytest.mark.slow
def test_after_the_set_up_of_stacktrices_there_are_four_worlds() -> None:
    """Each of 22 decisions was made in secret: too many ways to follow, and all of them end in the
    same board. The thief is under one of four drones, as likely under each.
    """
    batch = Batch("stacktrices", 1, seed=0, history=True)
    while batch._core.states["phase"][0] < SET_UP:
        batch.step(batch.choose("heuristic"))
    seat, places = int(batch.mover[0]), set()
    for at in range(60):
        if batch.mover[0] == seat:
            found = batch.beliefs()
            assert (found.exact, found.redrawn) == (False, 22)
            assert len(found) <= 4
            assert found.weights == pytest.approx(1 / len(found))
            places.add(tuple(sorted(found.states["thief"][:, 1 - seat].tolist())))
            drawn = redrawn(batch, seat, at)["thief"][:, 1 - seat]
            assert set(drawn.tolist()) == set(found.states["thief"][:, 1 - seat].tolist())
        batch.step(batch.choose("random"))
    assert (0, 1, 2, 3) in places


# --- what they depend on, and what they say ------------------------------------------------------


def course(known: Variant, actions: Sequence[int], seed: int = 0) -> Batch:
    batch = Batch(known, 1, seed=seed, history=True)
    for action in actions:
        batch.step([action])
    return batch


def dealt(card: int) -> Batch:
    """Kuhn poker in which the first bets, and the second has that card."""
    batches = (course(example("kuhn_poker"), [1], seed) for seed in range(100))
    return next(batch for batch in batches if batch.observation[0, card] == 1)


def told(found: Beliefs) -> tuple[list[bytes], list[float], str]:
    return plain(found.states), found.weights.tolist(), found.how


@pytest.mark.parametrize(("player", "limit"), [("random", 1000), (Peculiar(), 4)])
def test_they_depend_on_nothing_that_the_seat_has_not_seen(player: Any, limit: int) -> None:
    """Also not on how often the other has tried in vain, nor where."""
    known = example("dark_hex")
    courses = ([0, 4], [0, 1], [0, 0, 1], [0, 0, 4])
    found = [course(known, each).beliefs(0, player, limit=limit) for each in courses]
    assert all(told(found[0]) == told(each) for each in found[1:])
    assert found[0].exact == (limit == 1000)
    assert len(found[0]) <= limit


def test_they_are_the_same_however_far_they_have_been_followed_before() -> None:
    known, policy = example("goofspiel"), Peculiar()
    once = Filter(known, policy)
    for seed in range(3):
        batch = Batch(known, 1, seed=seed, history=True)
        for _ in range(5):
            history = batch._core.history_of(0)
            twin = pickle.loads(pickle.dumps(Filter(known, policy)))
            assert told(once(history)) == told(twin(history))
            batch.step(batch.choose("random"))


def test_a_game_in_disguise_is_followed_from_where_it_was_last_asked_about() -> None:
    class Counting(Uniform):
        asked = 0

        def chances(self, seen: PolicyInput) -> NDArray[np.float64]:
            Counting.asked += 1
            return super().chances(seen)

    asked = []
    for disguise in (0, 7):
        known = example("dark_hex", disguise=disguise)
        own, Counting.asked = Filter(known, Counting()), 0
        batch = Batch(known, 1, seed=3, history=True)
        shown = known.disguise.shown if known.disguise else np.arange(known.action_count)
        for action in (1, 2, 3):
            history = batch._core.history_of(0)
            # As a search is told, which plays the game itself.
            own(History(history.log.undisguised(), history.seat))
            batch.step(shown[[action]])
        asked.append(Counting.asked)
    assert asked[0] == asked[1] > 0


def test_beyond_the_limit_they_are_drawn_and_say_so() -> None:
    known = example("dark_hex")
    batch = course(known, [0, 4, 8, 2, 6])
    exact, few = batch.beliefs(), batch.beliefs(limit=60)
    assert (exact.how, few.how) == ("exact", "by particles")
    assert len(few) <= 60 < len(exact)
    right = dict(zip(plain(exact.states), exact.weights.tolist(), strict=True))
    drawn = dict(zip(plain(few.states), few.weights.tolist(), strict=True))
    assert set(drawn) <= set(right)
    apart = sum(abs(right[world] - drawn.get(world, 0.0)) for world in right) / 2
    assert 0 < apart < 0.35
    assert few.weights.sum() == pytest.approx(1)


def test_what_a_player_never_does_tells_nothing() -> None:
    batch = dealt(2)  # an honest player does not bet without the king
    assert batch.beliefs(0, Honest()).weights.tolist() == [0.5, 0.5]


def test_what_is_asked_often_is_never_certain() -> None:
    """A player that draws is asked sixteen times: what it did in none may still happen."""
    silent = Honest()
    silent.tells_chances = False
    found = dealt(1).beliefs(0, silent)
    assert found.exact
    assert found.weights == pytest.approx([33 / 34, 1 / 34])


def test_a_game_gone_on_with_begins_with_worlds_redrawn_there(tmp_path: Path) -> None:
    """And who knows no past there is believed to play anything."""
    known = example("kuhn_poker")
    batch = course(known, [0])
    other = Batch(known, 1, seed=5, history=True)
    other.set_state(0, batch.get_state(0))
    found = other.beliefs(0, Peculiar())
    assert (found.exact, found.redrawn, len(found)) == (False, 0, 2)
    assert found.how == "by worlds redrawn after 0 decisions"
    player = solved(known, tmp_path)
    for action in (1, 0):
        found = other.beliefs(0, player)
        assert found.redrawn is not None
        assert told(found) == told(other.beliefs(0, "random"))
        other.step([action])


def test_what_cannot_be_asked_is_refused() -> None:
    class Attentive(Uniform):
        name, needs_history = "attentive", True

    known = example("kuhn_poker")
    batch = Batch(known, 1, seed=0, history=True, autoreset="Disabled")
    following, log = Filter(known, find_player(known, "random")), batch._core.history_of(0).log
    too_many = r"worlds take .* of memory, .*choose [0-9,]+ or fewer"
    check_refused(
        ("give history=True", lambda: Batch(known, 1, seed=0).beliefs()),
        (r"limit=0.*choose 1 or more", lambda: batch.beliefs(limit=0)),
        (too_many, lambda: batch.beliefs(limit=2**63)),
        (too_many, lambda: batch.beliefs(limit=2**70)),
        ("there is no row 1", lambda: batch.beliefs(1)),
        (r"no player 'rndom' \(did you mean random", lambda: batch.beliefs(0, "rndom")),
        ("history=True", lambda: batch.play("random", 1)),
        ("attentive decides by the course of a game", lambda: batch.beliefs(0, Attentive())),
        ("seat 1 has nothing to decide now", lambda: following(History(log, 1))),
    )
    batch.step([0])
    batch.step([0])
    check_refused(("the game of row 0 is over", batch.beliefs))


# --- search by belief ----------------------------------------------------------------------------


def asked(batch: Batch, search: Search, count: int = 2) -> NDArray[np.int32]:
    """(count, A): the visits of so many searches in the first row, with luck that is always the
    same.
    """
    row = batch._core.seen(np.zeros(count, np.int64), True)
    bits = np.random.default_rng(0).integers(0, 2**64, count, np.uint64)
    states = np.repeat(row.states[:1], count)
    history = [batch._core.history_of(0)] * count
    seen = replace(row, random_bits=bits, states=states, history=history)
    return search.examine(seen)[0]


def test_a_search_knows_what_the_other_tells_by_its_play() -> None:
    """To call with a queen brings nothing if both cards are as likely, and costs 2 where an honest
    player has bet; to fold costs 1.
    """
    batch = dealt(1)
    fold, call = asked(batch, Search(60), 5).sum(axis=0)
    assert call > 2 * fold
    fold, call = asked(batch, Search(60, belief=Honest()), 5).sum(axis=0)
    assert fold > 5 * call


def test_a_search_by_belief_depends_on_nothing_hidden() -> None:
    known = example("dark_hex", size=2)
    for selection in ("puct", "regret"):
        search = Search(8, selection=selection, belief="search:iterations=2")
        courses = (course(known, each) for each in ([0, 3], [0, 1], [0, 0, 1], [0, 0, 3]))
        found = [asked(each, search).tolist() for each in courses]
        assert all(each == found[0] for each in found)
        assert found[0] != asked(course(known, [0, 0, 3]), Search(8, selection=selection)).tolist()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "options"),
    [("stacktrices", {"max_turns": 4}), ("hovercrafts", {"ships": (2, 2), "max_turns": 2})],
)
def test_a_search_by_belief_plays_whole_games(game: str, options: dict[str, Any]) -> None:
    own, seated = "search:iterations=5,length=20,belief=heuristic", [(0, 1), (1, 0)]
    games = play_games(game, {"own": own, "r": "random"}, seated, range(2), **options)
    assert len(games) == 2
    assert (games.reasons > 1).all()


def test_exploit_asks_a_search_by_belief_in_each_information_set(
    capsys: pytest.CaptureFixture[str],
) -> None:
    player = "search:iterations=2,belief=random"
    assert command.main(["exploit", "examples/games/kuhn_poker.py", player]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert f"The exploitability of {player} is 0." in told
    assert f"{player} is one of the strategies that decide by all of that as well" in told
    assert f"{player} draws what it does. It was asked 30 times" in told


def test_one_that_needs_the_history_is_asked_by_all_that_it_has_seen() -> None:
    """In dark Hex the order of what a seat has tried is more than it sees now."""

    class Attentive(Uniform):
        needs_history = True

        def chances(self, seen: PolicyInput) -> NDArray[np.float64]:
            assert all(
                (history.log.record[0]["mover"] == seat) and (mask == 1).any()
                for history, seat, mask in zip(seen.history, seen.seats, seen.masks, strict=True)
            )
            met.update(tuple(history.actions.tolist()) for history in seen.history)
            return super().chances(seen)

    met: set[tuple[int, ...]] = set()
    known = example("dark_hex", size=2)
    tree = Tree(known, history=True)
    table, exact = tree.table_of(Attentive(), 1)
    assert exact
    assert {(0, 1), (1, 0)} <= met
    assert len(table) == 70
    assert tree.best_responses(table).gains == pytest.approx(tree.best_responses(uniform).gains)
    assert tree.value([table, uniform]) == pytest.approx(tree.value(uniform))


# --- in words ------------------------------------------------------------------------------------


def words(batch: Batch, player: str = "random") -> list[str]:
    known = batch.variant.undisguised
    following = Filter(known, find_player(known, player))
    return describe_beliefs(following, batch._core.history_of(0)).split("\n")


def test_what_others_may_see_is_told_by_the_features_that_are_not_alike() -> None:
    """A card, a board, and single numbers with each of their values."""
    _, told = words(course(example("goofspiel"), [0], seed=1))
    assert re.fullmatch(r"left, bid: 1 25%, 2 25%, 3 25%, 4 25%", told)
    told = words(course(example("dark_hex"), [0, 4, 8]))
    assert told[0] == "What the others see, if they play like random:"
    assert told[1] == "first, own:"
    assert [len(line.split()) for line in told[2:5]] == [3, 3, 3]
    assert told[3].split()[1] == "."  # where the own stone is


@pytest.mark.slow
def test_a_view_tells_what_others_may_see_in_its_own_words() -> None:
    batch = Batch("stacktrices", 1, seed=0, history=True, setup="random")
    _, told = words(batch)
    assert told == "black, thief: B0 25%; B1 25%; B2 25%; B3 25%"


def test_prompts_tell_beliefs_on_request() -> None:
    """Also to each of those who decide at the same time; not where nothing is hidden."""
    told = {}
    for player in (None, "random"):
        game = TextGame(example("kuhn_poker"), beliefs=player)
        game.reset(seed=0)
        game.answer(0, '{"move": "bet"}')
        told[player] = game.clone().prompt(1)
    section = told["random"].partition("WHAT YOU MAY BELIEVE\n")[2].partition("\n\n")[0]
    assert section.startswith("What the others see, if they play like random:\n")
    assert re.search(r"first, card: (jack|queen|king) 50%, (queen|king) 50%$", section)
    assert told["random"].replace(f"WHAT YOU MAY BELIEVE\n{section}\n\n", "") == told[None]
    game = TextGame(example("goofspiel"), beliefs="random")
    game.reset(seed=0)
    first, second = (game.prompt(seat) for seat in game.deciding)
    assert "WHAT YOU MAY BELIEVE" not in first
    assert "left, bid: 1 25%, 2 25%, 3 25%, 4 25%" in second
    with pytest.raises(OptionError, match="beliefs= is for games with secrets, and HACKtheGRID"):
        TextGame("hackthegrid", beliefs="random")


def test_a_hint_tells_what_others_may_see() -> None:
    for game, some in (("hackthegrid", False), ("kuhn_poker", True)):
        session = GameSession(Compiled(example(game)), Setup("0", "random", "random"), 0)
        assert bool(session.hint().believed) == some


def test_where_nothing_compiles_beliefs_say_so_and_hints_do_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in a wheel beside which there is no numba: it plays and searches."""

    def missing(*_: Any) -> None:
        raise KernelError("kuhn has to be compiled, and numba is not installed: pip install it")

    known = example("kuhn_poker")
    session = GameSession(Compiled(known), Setup("0", "random", "random"), 0)
    monkeypatch.setattr(worlds, "_loops", worlds._loops.__wrapped__)
    monkeypatch.setattr(worlds, "compile_loops", missing)
    for ask in (
        lambda: find_player(known, "search:belief=random"),
        lambda: Batch(known, 1, seed=0, history=True).beliefs(),
    ):
        with pytest.raises(KernelError, match=r"beliefs need code of their own.*pip install"):
            ask()
    hint = session.hint()
    assert hint.worth
    assert not hint.believed


def test_beliefs_that_a_search_cannot_have_are_refused() -> None:
    known, grid = example("kuhn_poker"), variant("hackthegrid")
    believing, nested = "search:belief=random", "search:belief=search:belief=random"
    check_refused(
        ("is for games with secrets, and HACKtheGRID has", lambda: find_player(grid, believing)),
        ("goes without a network: leave", lambda: Search(belief="random", network="baseline")),
        ("Poker has no player 'rndom'", lambda: find_player(known, "search:belief=rndom")),
        ("decides by the course of a game", lambda: find_player(known, nested)),
    )
    core, search = Batch(known, 1, seed=0)._core, find_player(known, believing)
    with pytest.raises(PolicyError, match="needs the history of games"):
        core.ask(search, core.all_rows)
