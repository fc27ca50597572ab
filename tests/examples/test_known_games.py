"""Leduc poker, Phantom tic-tac-toe and Dark Hex by their rules once more, by loops over lists, and
known figures. ``tests/api/test_openspiel_games.py`` compares them with OpenSpiel's own.
"""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cyberdeck import Batch, variant
from cyberdeck.api.registration import load_file
from cyberdeck.engine import dice
from cyberdeck.engine.chance import Outcomes
from cyberdeck.evaluation.best_response import Tree, uniform
from cyberdeck.evaluation.check import check

FOLDER = Path(__file__).parents[2] / "examples" / "games"
RULES = ("classical", "abrupt")
HIDDEN = [("phantom_tictactoe", {}), *(("dark_hex", {"size": size}) for size in (2, 3, 5))]


@pytest.fixture(scope="module", autouse=True)
def _registered(_games_are_forgotten: None) -> None:
    for name in ("leduc_poker", "phantom_tictactoe", "dark_hex"):
        load_file(FOLDER / f"{name}.py")


# --- Leduc poker ----------------------------------------------------------------------------------


def test_leduc_poker_goes_by_the_rules() -> None:
    """Who may do what, what both see at any time, and who gets what."""
    luck, ends = random.Random(1), set()
    for seed in range(600):
        batch = Batch("leduc_poker", 1, seed=seed, autoreset="disabled")
        cards = [int(batch.look(0, seat)[0][:6].argmax()) for seat in range(2)]
        assert cards[0] != cards[1]
        rounds: list[list[int]] = [[], []]
        paid, opened, mover = [1, 1], -1, 0
        while True:
            bets = [made for each in rounds for made in [*each, 0, 0, 0, 0][:4]]
            for seat in range(2):
                shown = [int(card == held) for held in (cards[seat], opened) for card in range(6)]
                seen = batch.look(0, seat)[0].tolist()
                assert seen == [*shown, paid[seat], paid[1 - seat], *bets]
            if batch.terminated[0]:
                break
            assert batch.mover[0] == mover
            late, other = opened >= 0, 1 - mover
            now = rounds[late]
            fold, raised = paid[mover] < paid[other], now.count(2) < 2
            assert batch.mask[0].tolist() == [fold, True, raised]
            action = luck.choice([1, 1, 1, 2, 2, 2, 0])
            if not batch.mask[0][action]:
                continue
            batch.step([action])
            if action == 0:
                winner: int | None = other
                break
            now.append(action)
            paid[mover] = paid[other] + (action == 2) * (4 if late else 2)
            mover = other
            if action == 1 and len(now) > 1:
                if late:
                    worth = [(card // 2 == opened // 2, card // 2) for card in cards]
                    winner = None if worth[0] == worth[1] else int(worth[1] > worth[0])
                    continue
                opened, mover = int(batch.look(0, 0)[0][6:12].argmax()), 0
                assert opened not in cards
        assert batch.terminated[0]
        got = [0, 0] if winner is None else [min(paid) * (1 - 2 * (winner ^ at)) for at in range(2)]
        assert batch.final_return[0].tolist() == got
        ends.add((batch.reasons[batch.reason[0]], winner, max(paid)))
    assert {each[:2] for each in ends} == {
        *(("folded", winner) for winner in range(2)),
        *(("shown", winner) for winner in (0, 1, None)),
    }
    assert max(most for *_, most in ends) == 13


def test_every_deal_of_leduc_poker_is_as_likely() -> None:
    batch = Batch("leduc_poker", 30_000, seed=1, autoreset="disabled")
    for _ in range(2):
        batch.step(np.ones(len(batch), np.int64))
    deals, counts = np.unique(batch.core.states["cards"], axis=0, return_counts=True)
    assert len(deals) == 6 * 5 * 4
    assert (abs(counts - 250) < 5 * np.sqrt(250)).all()


def test_uniform_play_of_leduc_poker_is_exploited_by_what_openspiel_says() -> None:
    tree = Tree(variant("leduc_poker"))
    waiting, information = [node for _, node in tree.roots], set()
    while waiting:
        node = waiting.pop()
        information.add(node.information)
        waiting += [each for after in node.children.values() for _, each in after]
    assert len(information - {-1}) == 936
    assert 2 * tree.best_responses(uniform).exploitability == pytest.approx(4.747222, abs=1e-6)


# --- what the other holds is found by touch -------------------------------------------------------


def has_row(cells: set[int], seat: int, size: int) -> bool:
    rows = [{3 * row + column for column in range(3)} for row in range(3)]
    columns = [{3 * row + column for row in range(3)} for column in range(3)]
    return any(line <= cells for line in [*rows, *columns, {0, 4, 8}, {2, 4, 6}])


def joined(cells: set[int], seat: int, size: int) -> bool:
    """The first from top to bottom, the second from left to right."""
    places = {divmod(cell, size)[:: 1 - 2 * seat] for cell in cells}  # across: the second's, turned
    reached, waiting = set(), [place for place in places if place[0] == 0]
    while waiting:
        row, column = place = waiting.pop()
        reached.add(place)
        steps = ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, 1), (1, -1))
        near = {(row + down, column + across) for down, across in steps}
        waiting += near & places - reached
    return any(row == size - 1 for row, _ in reached)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(("name", "options"), HIDDEN, ids=str)
def test_they_go_by_the_rules(name: str, options: dict[str, int], rules: str) -> None:
    """What may be chosen, who is next, what both see at any time, and who wins."""
    luck, ends, size = random.Random(2), set(), options.get("size", 3)
    won = joined if name == "dark_hex" else has_row
    for seed in range(150):
        batch = Batch(name, 1, seed=seed, rules=rules, autoreset="disabled", **options)
        own: list[set[int]] = [set(), set()]
        found: list[set[int]] = [set(), set()]
        mover, winner = 0, None
        cells = range(size * size)
        while True:
            for seat in range(2):
                seen = [int(cell in each[seat]) for each in (own, found) for cell in cells]
                assert batch.look(0, seat)[0].tolist() == [*seen, seat]
            if winner is not None or len(own[0] | own[1]) == len(cells):
                break
            assert batch.mover[0] == mover
            unknown = [cell for cell in cells if cell not in own[mover] | found[mover]]
            assert np.flatnonzero(batch.mask[0]).tolist() == unknown
            action = luck.choice(unknown)
            batch.step([action])
            if action in own[1 - mover]:
                found[mover].add(action)
                mover = mover if rules == "classical" else 1 - mover
                continue
            own[mover].add(action)
            winner = mover if won(own[mover], mover, size) else None
            mover = 1 - mover
        assert batch.terminated[0]
        got = [0, 0] if winner is None else [1 - 2 * (winner ^ seat) for seat in range(2)]
        assert batch.final_return[0].tolist() == got
        ends.add((batch.reasons[batch.reason[0]], winner))
    draw = {("full", None)} if name == "phantom_tictactoe" else set()
    reason = "joined" if name == "dark_hex" else "three_in_a_row"
    assert ends == {(reason, 0), (reason, 1)} | draw


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("phantom_tictactoe", "classical"),
        ("dark_hex", "abrupt"),
        pytest.param("phantom_tictactoe", "abrupt", marks=pytest.mark.slow),
        pytest.param("dark_hex", "classical", marks=pytest.mark.slow),
    ],
)
def test_they_keep_the_contract(name: str, rules: str) -> None:
    assert "keeps the contract" in str(check(name, decisions=200, rules=rules))


@pytest.mark.parametrize("rules", RULES)
def test_what_is_redrawn_is_all_that_may_be(rules: str) -> None:
    """Of Dark Hex on four cells: the positions that some seat's course of the game may lead to."""
    chosen = variant("dark_hex", size=2, rules=rules)
    outcomes, possible = Outcomes(chosen), defaultdict[Any, dict[bytes, NDArray[Any]]](dict)

    def explore(record: NDArray[Any], known: tuple[Any, Any]) -> None:
        mover = int(record["mover"][0])
        if mover < 0:
            return
        mask, seen, _ = chosen.look(record, mover)
        course = (*known[mover], tuple(seen.tolist()))
        possible[mover, course][without_past(record)] = record
        for action in np.flatnonzero(mask).tolist():
            after = list(known)
            after[mover] = (*course, action)
            for _, child in outcomes.after(record, action):
                explore(child, (after[0], after[1]))

    for _, record in outcomes.beginnings():
        explore(record, ((), ()))
    assert len(possible) == {"classical": 70, "abrupt": 94}[rules]
    assert max(map(len, possible.values())) > 3
    for (seat, _), records in possible.items():
        redrawn = set()
        for bits in range(40 * len(records)):
            world = next(iter(records.values())).copy()
            chosen.loops.resample(world, 0, seat, dice.seeded(bits))
            redrawn.add(without_past(world))
        assert redrawn == set(records)


def without_past(record: NDArray[Any]) -> bytes:
    now = record.copy()
    now["dice"], now["reward"] = 0, 0
    return now.tobytes()


@pytest.mark.parametrize(
    ("name", "rules", "expected"),
    [
        ("phantom_tictactoe", "classical", 0.296825),
        ("phantom_tictactoe", "abrupt", 0.316275),
        ("dark_hex", "classical", 0.333333),
        ("dark_hex", "abrupt", 0.266926),
    ],
)
def test_random_play_is_worth_what_is_known(name: str, rules: str, expected: float) -> None:
    batch = Batch(name, 250_000, seed=1, rules=rules, autoreset="disabled")
    batch.play("random", 17)
    assert batch.terminated.all()
    error = batch.final_return[:, 0].std() / np.sqrt(len(batch))
    assert batch.final_return[:, 0].mean() == pytest.approx(expected, abs=4 * error)
