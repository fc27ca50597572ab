"""Games of ``examples/games`` are OpenSpiel's own: what is legal, thrown, seen, known and won.

Small ones at every node, large ones in random games. Run where OpenSpiel is installed:
``make example-test``.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cyberdeck.api.registration import load_file

pyspiel = pytest.importorskip("pyspiel")
made: Any = importlib.import_module("cyberdeck.openspiel").load_game

GAMES = Path(__file__).resolve().parents[2] / "examples" / "games"
HIDDEN = "obstype=reveal-nothing"
POKERS = ("kuhn_poker", "kuhn_for_many", "leduc_poker")
OTHERS = ("liars_dice", "phantom_tictactoe", "dark_hex")


@pytest.fixture(scope="module", autouse=True)
def _own_games(_games_are_forgotten: None) -> None:
    for name in POKERS + OTHERS:
        load_file(GAMES / f"{name}.py")


# --- at every node --------------------------------------------------------------------------------


def nodes(ours: Any, theirs: Any) -> Iterator[tuple[Any, Any]]:
    """Both games side by side, everywhere: the same seats, actions, chances and returns."""
    assert ours.current_player() == theirs.current_player()
    assert ours.returns() == (theirs.returns() if theirs.is_terminal() else [0.0, 0.0])
    yield ours, theirs
    if theirs.is_chance_node():
        chances = [[chance for _, chance in each.chance_outcomes()] for each in (ours, theirs)]
        assert chances[0] == pytest.approx(chances[1])
    elif not theirs.is_terminal():
        assert ours.legal_actions() == theirs.legal_actions()
    for action, twin in zip(ours.legal_actions(), theirs.legal_actions(), strict=True):
        yield from nodes(ours.child(action), theirs.child(twin))


def told_apart(pairs: set[tuple[Any, Any]]) -> int:
    """So many are told apart, by both alike."""
    ours, theirs = (len(set(each)) for each in zip(*pairs, strict=True))
    assert ours == theirs == len(pairs)
    return ours


# --- what is remembered ---------------------------------------------------------------------------

REMEMBERED: list[tuple[str, dict[str, Any], str, int]] = [
    ("kuhn_poker", {}, "kuhn_poker", 24),
    ("leduc_poker", {}, "leduc_poker", 2 * 936),
    ("liars_dice", {"sides": 3}, "liars_dice(numdice=1,dice_sides=3)", 384),
    ("liars_dice", {"dice": 2, "sides": 2}, "liars_dice(numdice=2,dice_sides=2)", 1536),
    ("dark_hex", {"size": 2}, f"dark_hex(board_size=2,gameversion=cdh,{HIDDEN})", 90),
    (
        "dark_hex",
        {"size": 2, "rules": "abrupt"},
        f"dark_hex(board_size=2,gameversion=adh,{HIDDEN})",
        138,
    ),
]


def dealt(ours: Any, theirs: Any) -> Iterator[tuple[Any, Any]]:
    """Both games after the deal: Kuhn poker's is thrown in another way."""
    if ours.is_chance_node():
        for action in ours.legal_actions():
            yield from dealt(ours.child(action), theirs)
        return
    twin = theirs.clone()
    if twin.is_chance_node():
        for seat in range(2):
            twin.apply_action(ours.observation_tensor(seat).index(1))
    yield ours, twin


@pytest.mark.parametrize(("name", "options", "theirs", "count"), REMEMBERED)
def test_a_history_tells_apart_what_openspiels_information_state_does(
    name: str, options: dict[str, Any], theirs: str, count: int
) -> None:
    """At every decision, for both seats: also for the one that does not decide.

    With its tensor: its text of Dark Hex says how many decisions there were, which a seat cannot
    know. Not at the end: there its tensor of Leduc poker does not say who folded or called last,
    and its text shows both cards.
    """
    start = made(name, **options).new_initial_state(), pyspiel.load_game(theirs).new_initial_state()
    begun = dealt(*start) if name == "kuhn_poker" else [start]
    pairs = set()
    for ours, twin in (pair for each in begun for pair in nodes(*each)):
        if twin.is_chance_node() or twin.is_terminal():
            continue
        for seat in range(2):
            own, other = (tuple(each.information_state_tensor(seat)) for each in (ours, twin))
            pairs.add(((seat, own), (seat, other)))
    assert told_apart(pairs) == count


@pytest.mark.parametrize(("name", "options"), [REMEMBERED[at][:2] for at in (0, 5)])
def test_the_bridge_remembers_what_the_engine_does(name: str, options: dict[str, Any]) -> None:
    """Everywhere, before the deal and at the end as well."""
    shown = made(name, **options, observation="history")
    assert shown.get_type().provides_information_state_tensor
    assert shown.information_state_tensor_shape() == [shown.variant.observation_size]
    seen = set()
    for present, history in nodes(
        *(
            made(name, **each).new_initial_state()
            for each in (options, {**options, "observation": "history"})
        )
    ):
        for seat in range(2):
            told = history.information_state_tensor(seat)
            assert present.information_state_tensor(seat) == told
            if not history.is_chance_node():  # there the last decision is not yet carried out
                assert history.observation_tensor(seat) == told
            seen.add((seat, *told))
    assert len(seen) > 24


# --- in random games ------------------------------------------------------------------------------


def told(theirs: Any, seat: int, dice: int = 0, sides: int = 0, **board: Any) -> list[float]:
    """What OpenSpiel shows a seat, as ours does."""
    whole = theirs.information_state_tensor(seat)[2:]  # after whose it is
    if not dice and not board:  # cards, what both have paid, and bets
        pot, bets = theirs.observation_tensor(seat)[-2:], np.reshape(whole[12:], (-1, 2))
        return [*whole[:12], pot[seat], pot[1 - seat], *(bets @ [1, 2])]
    if dice:  # how many of each face, and the bids
        own = np.reshape(whole[: dice * sides], (dice, sides)).sum(axis=0)
        return [*own, *whole[dice * sides :]]
    # Own cells of the board, then the other's, and whose view it is.
    rows = theirs.observation_string(seat).split("\n")
    cells = "".join(rows[: len(rows[0])])
    return [*(float(cell == mark) for mark in ("xo", "ox")[seat] for cell in cells), seat]


@pytest.mark.parametrize(
    ("name", "options", "theirs"),
    [
        *(
            (name, {**options, "rules": rules}, theirs.format(rules, rules[0]))
            for rules in ("classical", "abrupt")
            for name, options, theirs in (
                ("phantom_tictactoe", {}, f"phantom_ttt(gameversion={{0}},{HIDDEN})"),
                ("dark_hex", {"size": 3}, f"dark_hex(board_size=3,gameversion={{1}}dh,{HIDDEN})"),
                ("dark_hex", {"size": 5}, f"dark_hex(board_size=5,gameversion={{1}}dh,{HIDDEN})"),
            )
        ),
        ("leduc_poker", {}, "leduc_poker"),
        ("liars_dice", {"dice": 1, "sides": 6}, "liars_dice(numdice=1,dice_sides=6)"),
        ("liars_dice", {"dice": 5, "sides": 6}, "liars_dice(numdice=5,dice_sides=6)"),
    ],
)
def test_random_games(
    pytestconfig: pytest.Config, name: str, options: dict[str, Any], theirs: str
) -> None:
    """The same decisions after the same throws: legal, seen, known and won is the same."""
    luck, twins = np.random.default_rng(5), (made(name, **options), pyspiel.load_game(theirs))
    pairs, ends = set(), set()
    for _ in range(pytestconfig.getoption("--games") // 25):
        ours, twin = (game.new_initial_state() for game in twins)
        while not twin.is_terminal():
            seat, ways = twin.current_player(), [ours.legal_actions(), twin.legal_actions()]
            assert ours.current_player() == seat
            if not twin.is_chance_node():
                assert ways[0] == ways[1]
                assert ours.observation_tensor(seat) == told(twin, seat, **options)
                known = tuple(twin.information_state_tensor(seat))
                pairs.add((ours.information_state_string(), (seat, known)))
            # Mostly low bids, so that games are long.
            at = luck.random() ** luck.integers(1, 4) if name == "liars_dice" else luck.random()
            for state, legal in zip((ours, twin), ways, strict=True):
                state.apply_action(legal[int(len(ways[1]) * at)])
        assert ours.is_terminal()
        assert ours.returns() == twin.returns()
        for seat in range(2):
            assert ours.observation_tensor(seat) == told(twin, seat, **options)
        ends.add((*twin.returns(), len(twin.history())))
    assert told_apart(pairs) > 300
    assert len(ends) > 5


# --- three seats ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "deals", "known"), [(2, 6, 11 / 12), (3, 24, 33 / 16)])
def test_kuhn_poker_for_many_is_openspiels(players: int, deals: int, known: float) -> None:
    """Through the bridge: what everybody gets by uniform play, and gains by a best response.

    A deal is one draw, where OpenSpiel deals card by card.
    """
    from open_spiel.python.algorithms import expected_game_score, exploitability
    from open_spiel.python.policy import UniformRandomPolicy

    ours = made("kuhn_for_many", players=players)
    assert len(ours.new_initial_state().chance_outcomes()) == deals
    found = []
    for game in (ours, pyspiel.load_game(f"kuhn_poker(players={players})")):
        uniform = UniformRandomPolicy(game)
        start = game.new_initial_state()
        values = expected_game_score.policy_value(start, [uniform] * players)
        found.append([*values, exploitability.nash_conv(game, uniform)])
    assert found[0] == pytest.approx(found[1], abs=1e-12)
    assert found[0][-1] == pytest.approx(known, abs=1e-12)
