"""The solver of MATR1X 0VERL0AD, and the player that searches decks that it redraws."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cyberdeck import Batch, OptionError, StateError, variant
from cyberdeck.engine.policy import PolicyInput
from cyberdeck.engine.positions import broken_invariant
from cyberdeck.games.matrix_overload.constants import WON
from cyberdeck.games.matrix_overload.game import GAME
from cyberdeck.players import find_player
from cyberdeck.players.solvers.matrix_overload import solver
from cyberdeck.players.solvers.matrix_overload.sampler import Sampler
from cyberdeck.players.solvers.matrix_overload.solver import read, signature, solve, wins
from tests.matrix_overload.words import Matrix, table
from tests.play import Play

EDITIONS = ["firewall", "royals", "rulebook"]


def deals(edition: str, count: int, seed: int = 0) -> Batch:
    return Batch("matrix_overload", count, seed=seed, autoreset="Disabled", edition=edition)


def record(batch: Batch, row: int) -> NDArray[Any]:
    return batch._core.states[row : row + 1].copy()


def winning(position: NDArray[Any]) -> list[int]:
    """A line that wins: there is one."""
    line = solve(position)
    assert line is not None
    return line


@functools.cache
def engine() -> Play:
    return Play("matrix_overload")


def after(position: NDArray[Any], line: list[int]) -> NDArray[Any]:
    engine().record[:] = position
    for action in line:
        engine().act(action)
    return engine().record.copy()


def legal(position: NDArray[Any]) -> list[int]:
    engine().record[:] = position
    return engine().legal()


@functools.cache
def solved(edition: str) -> list[tuple[NDArray[Any], list[int]]]:
    """Deals, and a line that wins each."""
    batch = deals(edition, 16)
    found = [(record(batch, row), solve(batch.get_state(row), widest=3000)) for row in range(16)]
    lines = [(position, line) for position, line in found if line is not None]
    assert len(lines) >= 14
    return lines


# --- lines ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("edition", EDITIONS)
def test_lines_win_when_the_engine_plays_them(edition: str) -> None:
    for position, line in solved(edition):
        assert wins(position, line)
        one, two = after(position, line[:-1]), after(position, line[:-2])
        assert (one["reason"][0], after(one, line[-1:])["reason"][0]) == (0, WON)
        assert len(winning(one)) == 1
        assert len(winning(two)) in (1, 2)


def can_win(position: NDArray[Any]) -> bool:
    """Try everything."""
    for action in legal(position):
        following = after(position, [action])
        if following["reason"][0] == WON or can_win(following):
            return True
    return False


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_search_that_keeps_everything_agrees_with_trying_everything(edition: str) -> None:
    """Six moves before the end of lines that win, three other ones, and then the limit of moves."""
    found = {True: 0, False: 0}
    dice = np.random.default_rng(0)
    for start, line in solved(edition):
        position = after(start, line[:-6])
        for _ in range(3):
            if position["mover"][0] == 0:
                position = after(position, [int(dice.choice(legal(position)))])
        position["max_steps"] = position["decisions"] + 4
        if position["mover"][0] != 0:
            continue
        expected = can_win(position)
        answer = solve(position, width=20_000, widest=20_000)
        assert (answer is not None) == expected
        assert answer is None or wins(position, answer)
        found[expected] += 1
    assert min(found.values()) >= 2


def test_positions_count_as_the_same_only_if_their_futures_are() -> None:
    royals = {9: "Kc", 10: "Jd"}
    words = table("2h 2c 3d 4c 5d 6h 7h 8c 10h", royals=royals, draw="3c 4d 5s", bury=8)
    position = Matrix(words).record
    same = signature(position[0])
    assert signature(position.copy()[0]) == same
    changes = ("ice", 1, 3), ("dead", 1, 1), ("royal", 2, 10), ("draw", 1, 5), ("top", 0, 5)
    for name, at, value in changes:
        changed = position.copy()
        changed[name][0, at] = value
        assert signature(changed[0]) != same, name


@pytest.mark.parametrize(("last", "alike"), [("5s", True), ("Ac", False), ("joker", False)])
def test_what_lies_under_a_pile_counts_while_a_reset_can_come(last: str, alike: bool) -> None:
    one, other = (
        Matrix(table(f"2h 2c 3d 4c 5d 6h 7h {pile} 10h", draw=f"3c 4d {last}", bury=8)).record
        for pile in ("3s+3h+8c", "3h+3s+8c")
    )
    assert (signature(one[0]) == signature(other[0])) == alike


def test_a_line_stays_within_the_limit_of_moves() -> None:
    position, line = solved("firewall")[0]
    position = position.copy()
    position["max_steps"] = len(line)
    again = winning(position)
    assert len(again) <= len(line)
    assert wins(position, again)
    position["max_steps"] = 20  # twelve royals have to be placed first
    assert solve(position, widest=300) is None


def test_solving_changes_nothing_and_is_the_same_each_time() -> None:
    batch = deals("rulebook", 1, seed=7)
    position = record(batch, 0)
    line = winning(position)
    assert line == solve(batch.get_state(0))
    assert wins(position, line)
    assert position.tobytes() == record(batch, 0).tobytes() == read(batch.get_state(0)).tobytes()
    illegal = int(batch.mask[0].argmin())
    for wrong in ([], line[:-1], [*line, 0], [*line[:-1], 21], [-1, *line], [illegal, *line[1:]]):
        assert not wins(batch.get_state(0), wrong)


def test_positions_and_widths_are_checked() -> None:
    batch = deals("firewall", 1)
    other = batch.get_state(0).replace(b"matrix_overload", b"hackthegrid")
    broken = record(batch, 0)
    broken["killed"] = 3
    ended = after(*solved("firewall")[0])
    for position, message in (
        (other, "of 'hackthegrid', not of 'matrix_overload'"),
        (np.zeros(3), "array of shape"),
        (broken, "no possible position"),
        (ended, "end of a game"),
    ):
        with pytest.raises(StateError, match=message):
            solve(position)
    for name, width in (("width", 0), ("width", 1.5), ("widest", 10**9)):
        with pytest.raises(OptionError, match=f"{name}=.* is not possible"):
            solve(batch.get_state(0), **{name: width})


def test_what_was_won_is_counted() -> None:
    narrow = solver.solved(20, width=1, widest=1)
    assert 0 < narrow.won < 20
    assert narrow.royals == 12 * narrow.won / 20
    assert narrow.low < narrow.won / 20 < narrow.high
    assert 0 < narrow.median <= narrow.p95 <= narrow.longest


# --- the player -----------------------------------------------------------------------------------


def seen(positions: NDArray[Any], luck: list[int], edition: str) -> PolicyInput:
    """What a policy is given; the sampler looks at the positions and the luck alone."""
    blank = np.zeros((len(positions), 0), np.int8)
    seats = np.zeros(len(positions), np.int8)
    chosen = variant("matrix_overload", edition=edition)
    return PolicyInput(chosen, blank, blank, seats, np.array(luck, np.uint64), positions)


def middle(edition: str, count: int, seed: int = 50) -> NDArray[Any]:
    """Positions from the middle of games."""
    batch = Batch("matrix_overload", count, seed=seed, edition=edition)
    batch.play("heuristic", 18)
    states: NDArray[Any] = batch._core.states
    return states


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_sampler_decides_by_what_its_seat_knows(edition: str) -> None:
    """Another order of the unseen cards, and other dice: the same decision, unless by luck."""
    positions = middle(edition, 5)
    other = positions.copy()
    for row in range(5):
        engine().core.loops.resample(other, row, 0, np.uint64(977 * row))
    assert (other["draw"] != positions["draw"]).any(axis=1).all()
    luck, before = list(range(5)), positions.tobytes()
    sampler = Sampler(decks=6, width=2)
    chosen = sampler.decide(seen(positions, luck, edition))
    assert (sampler.decide(seen(other, luck, edition)) == chosen).all()
    assert positions.tobytes() == before
    lucky = Sampler(decks=2).decide(seen(np.repeat(positions, 8), list(range(40)), edition))
    assert any(len(set(row)) > 1 for row in lucky.reshape(5, 8).tolist())


def swapped(positions: NDArray[Any], one: int, other: int) -> NDArray[Any]:
    """The same positions with two court cards in each other's places."""
    changed = positions.copy()
    for name in ("draw", "royal"):
        cards = changed[name]
        cards[positions[name] == one] = other
        cards[positions[name] == other] = one
    for row, position in enumerate(positions):
        # The ring holds 0 where there is no card: a court card's number is never that.
        changed["place"][row, [one, other]] = position["place"][[other, one]]
        changed["unseen"][row, [one, other]] = position["unseen"][[other, one]]
    return changed


@pytest.mark.parametrize(("one", "other"), [(10, 36), (23, 49), (11, 37)])
def test_nothing_tells_cards_that_look_alike_apart(one: int, other: int) -> None:
    """`firewall`: two 11s, or two 12s of one colour, one of them seen and the other not."""
    positions = middle("firewall", 60, seed=900)
    apart = positions["unseen"][:, one] != positions["unseen"][:, other]
    positions = positions[apart][:5]
    assert len(positions) == 5
    changed = swapped(positions, one, other)
    assert not any(broken_invariant(GAME, each) for each in np.split(changed, 5))
    luck = list(range(5))
    sampler = Sampler(decks=6, width=2)
    chosen = sampler.decide(seen(positions, luck, "firewall"))
    assert (sampler.decide(seen(changed, luck, "firewall")) == chosen).all()


def test_the_sampler_decides_alike_alone_and_in_a_batch() -> None:
    batch = deals("firewall", 4, seed=20)
    sampler = Sampler(decks=3)
    everywhere = np.arange(4)
    for _ in range(4):
        together = batch._core.ask(sampler, everywhere)
        alone = [int(batch._core.ask(sampler, everywhere[at : at + 1])[0]) for at in range(4)]
        assert together.tolist() == alone
        backwards = batch._core.ask(sampler, everywhere[::-1].copy())
        assert together.tolist() == backwards[::-1].tolist()
        batch.step(together)


def test_the_sampler_wins_at_once_if_it_can() -> None:
    starts = solved("firewall")
    positions = np.concatenate([after(start, line[:-1]) for start, line in starts])
    chosen = Sampler(decks=2).decide(seen(positions, list(range(len(starts))), "firewall"))
    for row, action in enumerate(chosen.tolist()):
        assert wins(positions[row : row + 1], [action])


@pytest.mark.parametrize(
    ("edition", "games"),
    [("royals", 8), *(pytest.param(each, 20, marks=pytest.mark.slow) for each in EDITIONS)],
)
def test_the_sampler_is_strong(edition: str, games: int) -> None:
    """Nine deals of ten are won even with few decks; the heuristic wins five to seven of ten."""
    batch = deals(edition, games, seed=60)
    sampler = Sampler(decks=12)
    while (batch.mover >= 0).any():
        batch.step(batch._core.ask(sampler, np.arange(games)))
    assert (batch.final_metrics[:, 0] == 12).mean() >= 0.8


def test_settings_of_the_sampler() -> None:
    chosen = variant("matrix_overload")
    named = find_player(chosen, "sampler:decks=7,width=3")
    assert isinstance(named, Sampler)
    assert (named.decks, named.width) == (7, 3)
    for wrong in ("sampler:decks=0", "sampler:width=5000", "sampler:depth=3", "sampler:decks=x"):
        with pytest.raises(OptionError, match=r"decks|width"):
            find_player(chosen, wrong)
    with pytest.raises(OptionError, match="MATR1X 0VERL0AD only"):
        find_player(variant("hackthegrid"), Sampler())
    with pytest.raises(OptionError, match="has no player"):
        find_player(variant("hackthegrid"), "sampler")
