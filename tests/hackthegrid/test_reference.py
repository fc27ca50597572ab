"""The engine and the slow second version of HACKtheGRID, side by side at every step."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.play import Play
from tests.reference.hackthegrid import DEFAULT, WORTH, HackTheGrid

ORDERS = ["on_take", "at_end"]
REWARDS = ["outcome", "margin"]

Deck = list[tuple[str, str]]


def agree(play: Play, reference: HackTheGrid, rewards: tuple[float, float]) -> None:
    """Everything that both versions know about the position is the same."""
    state = play.state
    assert play.legal() == reference.legal()
    assert play.mover == reference.mover
    assert play.over == reference.over
    assert play.terminated == reference.over
    assert not play.truncated
    assert play.reason == reference.reason
    assert play.reward == tuple(float(np.float32(reward)) for reward in rewards)
    runs = [[card for card in run if card >= 0] for run in state["run"].tolist()]
    assert runs == reference.runs
    assert [len(run) for run in runs] == state["length"].tolist()
    grid = [-1 if card is None else card for _, card in sorted(reference.grid.items())]
    assert state["grid"].tolist() == grid
    assert state["avatar"].tolist() == reference.avatars
    if not reference.over:
        assert ["move", "swap"][int(state["phase"])] == reference.phase
    left = sum(1 for card in reference.grid.values() if card is not None)
    first, second = reference.scores()
    assert play.metrics(0) == {"own_score": first, "opponent_score": second, "cards_left": left}
    assert play.metrics(1) == {"own_score": second, "opponent_score": first, "cards_left": left}
    assert play.trouble() == ""


def play_out(
    deck: Deck,
    grid: list[int],
    first: int,
    luck: random.Random,
    keenness: float = 0.9,
    **options: Any,
) -> tuple[HackTheGrid, int]:
    """A whole game on both sides; keenness: how often an offered swap is not declined."""
    colours = sorted({colour for _, colour in deck})
    numbered = [(kind, colours.index(colour)) for kind, colour in deck]
    play = Play("hackthegrid", {"grid": grid, "first": first}, deck=numbered, **options)
    reference = HackTheGrid(grid, first, deck, **options)
    agree(play, reference, (0.0, 0.0))
    swaps = 0
    while not reference.over:
        legal = reference.legal()
        if reference.phase == "swap" and luck.random() < keenness:
            legal = legal[:-1]
            swaps += 1
        action = luck.choice(legal)
        play.act(action)
        agree(play, reference, reference.act(action))
    return reference, swaps


@pytest.mark.parametrize("games", [240, pytest.param(1200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("scramble", ORDERS)
@pytest.mark.parametrize("reward", REWARDS)
def test_random_games_agree_at_every_step(scramble: str, reward: str, games: int) -> None:
    """The deck of rulings H1 and H2, random grids, coins and moves."""
    luck = random.Random(f"{scramble} {reward}")
    ends: Counter[str] = Counter()
    swaps = 0
    for _ in range(games):
        grid = luck.sample(range(16), 16)
        game, swapped = play_out(
            DEFAULT, grid, luck.randrange(2), luck, scramble=scramble, reward=reward
        )
        first, second = game.scores()
        ends[game.reason] += 1
        ends["draw"] += game.reason == "grid_emptied" and first == second
        swaps += swapped
    assert min(ends["grid_emptied"], ends["cards_remain"]) >= games // 6, ends
    assert ends["draw"] >= games // 60, ends
    assert swaps >= games * 5 // 6


cards = st.tuples(st.sampled_from(sorted(WORTH)), st.sampled_from([f"c{n}" for n in range(8)]))
plain_decks = st.lists(cards, min_size=16, max_size=16)
#: Many SCRAMBLEs, few colours: long chains of swaps, long arrays.
scrambled_decks = st.lists(
    st.tuples(
        st.sampled_from(["SCRAMBLE", "SCRAMBLE", "FIREWALL", "NET NODE", "LOOPBACK"]),
        st.sampled_from(["c0", "c1"]),
    ),
    min_size=16,
    max_size=16,
)


@settings(max_examples=500, deadline=None, derandomize=True, database=None)
@given(
    deck=st.one_of(plain_decks, scrambled_decks),
    grid=st.permutations(range(16)),
    first=st.integers(0, 1),
    scramble=st.sampled_from(ORDERS),
    reward=st.sampled_from(REWARDS),
    luck=st.integers(0, 2**32 - 1).map(random.Random),
    keenness=st.sampled_from([0.3, 0.9, 1.0]),
)
def test_custom_decks_agree_at_every_step(
    *,
    deck: Deck,
    grid: list[int],
    first: int,
    scramble: str,
    reward: str,
    luck: random.Random,
    keenness: float,
) -> None:
    """Option `deck`: any kinds and counts, up to eight colours."""
    play_out(deck, grid, first, luck, keenness, scramble=scramble, reward=reward)


@pytest.mark.parametrize("scrambles", [14, 15, 16])
@pytest.mark.parametrize("scramble", ORDERS)
def test_decks_of_almost_only_scrambles_agree_at_every_step(scrambles: int, scramble: str) -> None:
    """Hardly anything to give: most swaps are not offered at all."""
    luck = random.Random(f"{scrambles} {scramble}")
    deck = [("SCRAMBLE", "a")] * scrambles + [("DATA PACKET", "b")] * (16 - scrambles)
    swaps = 0
    for _ in range(60):
        grid, first = luck.sample(range(16), 16), luck.randrange(2)
        swaps += play_out(deck, grid, first, luck, 0.9, scramble=scramble)[1]
    assert (swaps > 0) == (scrambles < 16)
