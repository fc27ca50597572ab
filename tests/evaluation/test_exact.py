"""The exact bench: the same as by all courses of a game, known figures, and what it refuses."""

from __future__ import annotations

import copy
import dataclasses
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import cyberdeck
from cyberdeck import dice, kernel
from cyberdeck.api.registration import load_file
from cyberdeck.engine.policy import PolicyInput
from cyberdeck.enumeration import exploring as positions
from cyberdeck.errors import OptionError
from cyberdeck.exact import InformationSets, PositionSolver, Strategy, Tree, uniform
from cyberdeck.players import find_player
from tests.test_policies import Lowest

GAMES = Path(__file__).parents[2] / "examples" / "games"
SMALL_GAMES = Path(__file__).parent / "small_games.py"

#: row: (file, options)
SMALL = [
    ("kuhn_poker", {}),
    pytest.param("liars_dice", {"sides": 2}, marks=pytest.mark.slow),
    pytest.param("leduc_poker", {}, marks=pytest.mark.slow),
]


def of(name: str, options: dict[str, Any] | None = None) -> cyberdeck.Variant:
    return cyberdeck.Variant(load_file(GAMES / f"{name}.py"), options or {})


def small(kind: str, **options: Any) -> cyberdeck.Variant:
    return cyberdeck.Variant(load_file(SMALL_GAMES), {"kind": kind, **options})


def by_chance(seed: int) -> Strategy:
    """Some strategy, with actions that are never taken among the others."""
    known: dict[bytes, NDArray[np.float64]] = {}

    def strategy(observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.float64]:
        key = observation.tobytes() + mask.tobytes()
        if key not in known:
            luck = np.random.default_rng([seed, *key])
            chances = luck.exponential(size=len(mask)) * mask * (luck.random(len(mask)) < 0.7)
            known[key] = chances / chances.sum() if chances.sum() else uniform(observation, mask)
        return known[key]

    return strategy


# --- what it finds --------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "options"), SMALL)
def test_values_and_best_responses_are_those_of_all_courses(
    name: str, options: dict[str, Any]
) -> None:
    """In Goofspiel those of ``test_solvers.py``, which come to what other solvers do."""
    variant = of(name, options)
    bench, tree = PositionSolver(variant), Tree(variant)
    for strategy in (uniform, by_chance(0), by_chance(1)):
        here, there = (
            bench.best_responses(bench.table_of(strategy)[0]),
            tree.best_responses(strategy),
        )
        assert here.values == pytest.approx(there.values, abs=1e-12)
        assert here.best == pytest.approx(there.best, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "value", "best"),
    [
        ("liars_dice", {}, None, 1.561489),
        ("liars_dice", {"dice": 2, "sides": 3}, None, 2 * 0.738996),
        ("dark_hex", {"rules": "classical"}, 1 / 3, None),
        ("dark_hex", {"rules": "abrupt"}, 0.266926, None),
        ("phantom_tictactoe", {"rules": "classical"}, 0.296825, 0.953125 + 0.624339),
        ("phantom_tictactoe", {"rules": "abrupt"}, 0.316275, None),
    ],
)
def test_uniform_play_has_its_known_figures(
    name: str, options: dict[str, Any], value: float | None, best: float | None
) -> None:
    """What best responses to it get together in some: those take a hundred times as long."""
    bench = PositionSolver(of(name, options))
    values = bench.value(bench.uniform())
    assert values.sum() == pytest.approx(0, abs=1e-9)
    assert value is None or values[0] == pytest.approx(value, abs=1e-6)
    assert best is None or sum(bench.best_responses(bench.uniform()).best) == pytest.approx(
        best, abs=2e-6
    )


@pytest.mark.slow
def test_any_number_of_threads_finds_the_same() -> None:
    one, two = (PositionSolver(of("leduc_poker"), threads=count) for count in (1, 2))
    table = one.table_of(by_chance(5))[0]
    assert one.best_responses(table) == two.best_responses(table)


class Bolder(cyberdeck.Policy):
    """Bets by its luck, the more often the higher its card."""

    name = "bolder"

    def decide(self, seen: PolicyInput) -> NDArray[np.int64]:
        return (seen.random_bits % 4 <= seen.observations[:, :3].argmax(axis=1)).astype(np.int64)


def test_a_policy_is_asked_about_each_thing_that_is_seen() -> None:
    variant = of("kuhn_poker")
    bench, player = PositionSolver(variant), Bolder()
    mine, exact = bench.table_of(player, 300)
    bets = (bench.positions.observations[:, :3].argmax(axis=1) + 1) / 4
    wanted = bench.positions.table(np.stack([1 - bets, bets], axis=1))
    assert not exact
    assert np.abs(mine - wanted).max() < 0.1
    table, exact = bench.table_of(find_player(variant, "random"), 30)
    assert exact
    assert table.tolist() == bench.uniform().tolist()


class Peeks(cyberdeck.Policy):
    """Bets where its card beats the other's in the position that it is shown."""

    name = "peeks"
    needs_states = True

    def decide(self, seen: PolicyInput) -> NDArray[np.int64]:
        cards, rows = seen.states["deck"], np.arange(len(seen))
        better: NDArray[np.bool_] = cards[rows, seen.seats] > cards[rows, 1 - seen.seats]
        return better.astype(np.int64)


def test_one_that_is_shown_positions_sees_what_is_hidden_drawn_anew() -> None:
    variant = of("kuhn_poker")
    bench = PositionSolver(variant)
    held, tree = InformationSets(bench.positions), Tree(variant, history=True)
    (table, exact), (too, _) = bench.table_of(Peeks(), 300), held.table_of(Peeks(), 300)
    assert not exact
    betting = np.array([*table[1::2], *too[3::2], *tree.table_of(Peeks(), 300)[0][:, 1]])
    # With the jack never, with the king always, with the queen half of the time.
    assert sorted({*np.round(2 * betting)}) == [0, 1, 2]
    assert np.abs(betting * 2 - np.round(betting * 2)).max() < 0.2


# --- what it does not -----------------------------------------------------------------------------


def test_a_game_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no more room; or before, by how seldom random games meet."""
    monkeypatch.setattr(positions, "_PROBES", 80)
    assert 400 < positions.at_least(of("tictactoe"), np.inf) < 4520
    for least, found in ((0.0, r"\d{4}"), (25.0, "700,000")):
        monkeypatch.setattr(positions, "at_least", lambda _, enough, least=least: least * enough)
        with pytest.raises(OptionError, match=f"Tictactoe has more than {found} .*=0.001 allows"):
            PositionSolver(of("tictactoe"), memory=1e-3)


def test_what_takes_too_long_or_does_not_fit_is_refused_and_says_how_much() -> None:
    bench = PositionSolver(of("goofspiel"), minutes=1e-6)
    with pytest.raises(OptionError, match=r"takes about .*, more than minutes=1e-06 allows"):
        bench.best_responses(bench.uniform())
    with pytest.raises(OptionError, match=r"to ask lowest 2 times in each of [\d,]+ situations"):
        bench.table_of(Lowest(), 2)
    bench.minutes, bench.memory = 60.0, 1e-6
    with pytest.raises(OptionError, match=r"Goofspiel need more GB than memory=1e-06 allows"):
        bench.best_responses(bench.uniform())


@pytest.mark.slow
def test_a_policy_that_answers_slowly_at_first_is_not_refused(deals: PositionSolver) -> None:
    class Slow(Lowest):
        asked = 0

        def decide(self, seen: Any) -> Any:
            self.asked += 1
            if self.asked == 2:  # what all would take by this one is more than a minute
                time.sleep(0.1)
            return super().decide(seen)

    bench = copy.copy(deals)
    bench.minutes = 1
    assert (bench.table_of(Slow(), 1)[0] == bench.table_of(Lowest(), 1)[0]).all()


def test_games_for_one_and_policies_that_remember_are_refused() -> None:
    with pytest.raises(OptionError, match="is for 1"):
        PositionSolver("matrix_overload")
    remembers = Lowest()
    remembers.memory = 1
    with pytest.raises(OptionError, match="lowest remembers what it has seen"):
        PositionSolver(of("kuhn_poker")).table_of(remembers, 1)


@pytest.mark.parametrize("walked", [False, True])
def test_one_task_that_fails_ends_all_and_it_may_begin_again(walked: bool) -> None:
    """By beliefs, and where all courses of the game are gone through."""
    bench, told = PositionSolver(of("goofspiel"), threads=2), list[int]()
    held = InformationSets(bench.positions, threads=2, keep=0) if walked else bench

    def fail(done: int) -> None:
        told.append(done)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        held.best_responses(held.uniform(), fail)
    assert len(told) <= 2  # one of each thread
    assert held.best_responses(held.uniform()).exploitability == pytest.approx(0.74652777777)


def test_a_game_that_draws_raw_bits_is_refused() -> None:
    @kernel
    def start(state):  # type: ignore[no-untyped-def]
        state.paid[:] = dice.draw(state) & np.uint64(1)

    raw = dataclasses.replace(load_file(GAMES / "kuhn_poker.py"), name="raw_bits", start=start)
    with pytest.raises(OptionError, match=r"draws raw bits, not dice\.below"):
        PositionSolver(cyberdeck.Variant(raw, {}))


# --- games that strain it -------------------------------------------------------------------------


def test_a_decision_may_have_more_outcomes_than_there_is_room_for_at_first() -> None:
    bench = PositionSolver(small("many"))
    assert len(bench.positions.moves.after) == 10_000
    assert bench.value(bench.uniform()) == pytest.approx((-0.6, 0.6))
    positions = PositionSolver(small("many", outcomes=20_000)).positions
    for keep in (0, 10**9):  # courses are gone through, or kept
        held = InformationSets(positions, keep=keep)
        assert held.best_responses(held.uniform()).values == pytest.approx((-0.6, 0.6))


def test_dice_are_followed_by_whatever_name_a_game_knows_them() -> None:
    bench = PositionSolver(small("named"))
    assert bench.positions.moves.chance.tolist() == [0.5] * 4
    assert bench.best_responses(bench.uniform()).values == (0.0, 0.0)


@pytest.fixture(scope="module")
def deals() -> PositionSolver:
    """More deals than 16 bits can count, each seen by the one who guesses."""
    return PositionSolver(small("deals"))


@pytest.mark.slow
def test_a_best_response_may_begin_in_very_many_situations(deals: PositionSolver) -> None:
    """So may one that remembers. And what is seen is what the game's observations say."""
    assert len(deals.positions.example) == 67_600
    assert deals.best_responses(deals.uniform()).best == pytest.approx((1.0, 0.0))
    held = InformationSets(deals.positions)
    assert [len(sets) for sets in held.sets] == [67_600, 0]
    assert held.best_responses(held.uniform()).best == pytest.approx((1.0, 0.0))
    seen, states = deals.positions.observations, deals.positions.states
    for row in range(0, 67_600, 901):
        i = deals.positions.example[row]
        expected = deals.variant.look(states[i : i + 1].copy(), 0)[1]
        assert seen[row].tolist() == np.ravel(expected).tolist()


def test_a_game_may_be_over_before_anybody_decides() -> None:
    bench = PositionSolver(small("over"))
    found = bench.best_responses(bench.uniform())
    assert (len(bench.positions), found.values, found.best) == (0, (-0.5, 0.5), (-0.5, 0.5))


def test_it_says_beforehand_about_how_long_it_takes_and_how_much() -> None:
    bench, said = PositionSolver(of("goofspiel"), threads=2), list[Any]()
    bench.best_responses(
        bench.uniform(), said.append, lambda seconds, size: said.append((seconds, size))
    )
    seconds, size = said[0]
    assert 0 < seconds < 60
    assert 0.01 < size < 0.5


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (np.full(9, 0.5), r"shape \(9,\) is not possible: Kuhn Poker has 48 actions"),
        (np.full(48, np.nan), r"chances \[nan, nan\] in position 0"),
        (np.full(48, 0.4), r"chances \[0.4, 0.4\] in position 0.*add up to 1"),
    ],
)
def test_what_is_no_strategy_is_refused(table: NDArray[np.float64], said: str) -> None:
    bench = PositionSolver(of("kuhn_poker"))
    for ask in (bench.value, bench.best_responses):
        with pytest.raises(OptionError, match=said):
            ask(table)
    with pytest.raises(OptionError, match="seat=2 is not possible: choose 0 or 1"):
        bench.best_response(bench.uniform(), 2)
