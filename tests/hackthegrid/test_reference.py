"""The engine and the slow second version of HACKtheGRID, side by side at every step."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.play import Play
from tests.reference.hackthegrid import DEFAULT, WORTH, HackTheGrid

ORDERS = ["on_take", "at_end"]
REWARDS = ["outcome", "margin"]
GAMES = 150
#: Few kinds: long chains of swaps, long arrays.
SCRAMBLED = ["SCRAMBLE", "SCRAMBLE", "FIREWALL", "NET NODE", "LOOPBACK"]

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
    deck: Deck, luck: random.Random, keenness: float = 0.9, **options: Any
) -> Counter[str]:
    """A whole game on both sides; keenness: how often an offered swap is not declined."""
    grid, first = luck.sample(range(16), 16), luck.randrange(2)
    colours = sorted({colour for _, colour in deck})
    numbered = [(kind, colours.index(colour)) for kind, colour in deck]
    play = Play("hackthegrid", {"grid": grid, "first": first}, deck=numbered, **options)
    reference = HackTheGrid(grid, first, deck, **options)
    agree(play, reference, (0.0, 0.0))
    seen: Counter[str] = Counter()
    while not reference.over:
        legal = reference.legal()
        if reference.phase == "swap" and luck.random() < keenness:
            legal = legal[:-1]
            seen["swaps"] += 1
        action = luck.choice(legal)
        play.act(action)
        agree(play, reference, reference.act(action))
    one, other = reference.scores()
    seen[reference.reason] += 1
    seen["draws"] += reference.reason == "grid_emptied" and one == other
    return seen


@pytest.mark.parametrize("scramble", ORDERS)
@pytest.mark.parametrize("reward", REWARDS)
def test_random_games_agree_at_every_step(scramble: str, reward: str) -> None:
    """The deck of rulings H1 and H2, random grids, coins and moves."""
    luck = random.Random(f"{scramble} {reward}")
    seen: Counter[str] = Counter()
    for _ in range(GAMES):
        seen += play_out(DEFAULT, luck, scramble=scramble, reward=reward)
    assert min(seen["grid_emptied"], seen["cards_remain"]) >= GAMES // 6, seen
    assert seen["draws"] >= GAMES // 60, seen
    assert seen["swaps"] >= GAMES * 5 // 6


@pytest.mark.parametrize("kinds", [sorted(WORTH), SCRAMBLED], ids=["all", "few"])
def test_custom_decks_agree_at_every_step(kinds: list[str]) -> None:
    """Option `deck`: any kinds and counts, up to eight colours."""
    luck = random.Random(len(kinds))
    for _ in range(GAMES):
        deck = [(luck.choice(kinds), f"c{luck.randrange(luck.choice([2, 8]))}") for _ in range(16)]
        options = {"scramble": luck.choice(ORDERS), "reward": luck.choice(REWARDS)}
        play_out(deck, luck, luck.choice([0.3, 0.9, 1.0]), **options)


@pytest.mark.parametrize("scrambles", [14, 15, 16])
@pytest.mark.parametrize("scramble", ORDERS)
def test_decks_of_almost_only_scrambles_agree_at_every_step(scrambles: int, scramble: str) -> None:
    """Hardly anything to give: most swaps are not offered at all."""
    luck = random.Random(f"{scrambles} {scramble}")
    deck = [("SCRAMBLE", "a")] * scrambles + [("DATA PACKET", "b")] * (16 - scrambles)
    swaps = sum(play_out(deck, luck, scramble=scramble)["swaps"] for _ in range(20))
    assert (swaps > 0) == (scrambles < 16)
