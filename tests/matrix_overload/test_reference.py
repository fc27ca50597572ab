"""The engine and the slow second version of MATR1X 0VERL0AD, side by side at every step."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cyberdeck import variant
from cyberdeck.games.matrix_overload.constants import VALUE
from cyberdeck.games.matrix_overload.game import GAME
from tests.play import Matrix, Play, Spot, Table, kernels_of, lay_out
from tests.reference.matrix_overload import MatrixOverload, card_of, is_court

Policy = Callable[[MatrixOverload, random.Random], int]

EDITIONS = ["firewall", "royals", "rulebook"]


def engine_seen(play: Play) -> list[bool]:
    """Which cards of the draw pile the player knows, front to back."""
    first, last = int(play.state["known_first"]), int(play.state["known_last"])
    return [True] * first + [False] * (int(play.state["left"]) - first - last) + [True] * last


def outer_piles(reference: MatrixOverload) -> list[list[int]]:
    """Of each outer pile the royal or -1, its ICE, and whether it is dead."""
    spots = [spot or {"card": None, "ice": 0, "dead": False} for spot in reference.outer]
    royals = [-1 if spot["card"] is None else spot["card"] for spot in spots]
    return [royals, *([int(spot[name]) for spot in spots] for name in ("ice", "dead"))]


def agree(play: Play, reference: MatrixOverload, reward: float) -> None:
    """Everything that both versions know about the position is the same."""
    state = play.state
    assert play.legal() == reference.legal()
    assert play.over == reference.over
    assert (play.mover is None) == reference.over
    assert play.terminated == reference.terminated
    assert play.truncated == reference.truncated
    assert play.reason == reference.reason
    assert play.reward == np.float32(reward)
    assert int(state["killed"]) == reference.royals_killed
    assert int(state["left"]) == reference.cards_left
    assert int(state["decisions"]) == reference.steps
    assert [Matrix.pile(play, inner) for inner in range(9)] == reference.piles
    assert state["depth"].tolist() == [len(pile) for pile in reference.piles]
    assert [state[name].tolist() for name in ("royal", "ice", "dead")] == outer_piles(reference)
    assert Matrix.draw_pile(play) == reference.draw_pile
    assert engine_seen(play) == reference.seen
    hidden = [
        card for card, seen in zip(reference.draw_pile, reference.seen, strict=True) if not seen
    ]
    assert np.flatnonzero(state["unseen"]).tolist() == sorted(hidden)
    assert play.trouble() == ""


def any_pile(reference: MatrixOverload, luck: random.Random) -> int:
    return luck.choice(reference.legal())


def sharp(reference: MatrixOverload, luck: random.Random) -> int:
    """Kill if possible; else waste little; sometimes anything, so that games differ."""
    legal = reference.legal()
    if len(legal) == 1 or luck.random() < 0.05:
        return luck.choice(legal)

    def worth(action: int) -> tuple[int, int, float]:
        tried = reference.copied()
        before = tried.royals_killed
        tried.act(action)
        tops = [reference.top(pile) for pile in range(9)]
        top = tops[action] if action < 9 else None
        covered = 0 if top is None or top >= 52 else top % 13 + 1
        return tried.royals_killed - before, covered, luck.random()

    return max(legal, key=worth)


def play_out(
    play: Play, reference: MatrixOverload, choose: Policy, luck: random.Random
) -> MatrixOverload:
    agree(play, reference, 0.0)
    while not reference.over:
        action = choose(reference, luck)
        play.act(action)
        agree(play, reference, reference.act(action))
    return reference


def shuffled_deck(edition: str, luck: random.Random) -> list[int]:
    deck = list(range(54 if edition == "rulebook" else 53))
    luck.shuffle(deck)
    return deck


@pytest.mark.parametrize("edition", EDITIONS)
def test_any_card_goes_to_the_same_piles_on_any_table(edition: str) -> None:
    """Tops, royals and ICE by chance: on tables as well to which no play leads."""
    luck = random.Random(f"tables {edition}")
    deck = shuffled_deck(edition, luck)
    low, court = ([card for card in deck if is_court(card) == wanted] for wanted in (False, True))
    reference = MatrixOverload(deck, edition=edition)
    record = variant("matrix_overload", edition=edition).blank()
    state, legal, mask = record[0], kernels_of(GAME).legal, np.full(21, 9, np.int8)
    state["left"], state["known_first"], state["mover"] = 1, 1, 0
    for _ in range(2500):
        bare, free = luck.random(), luck.random()
        reference.piles = [[] if luck.random() < bare else [luck.choice(low)] for _ in range(9)]
        reference.outer = [None] * 12
        for at in range(12):
            if luck.random() > free:
                royal = luck.choice([*court, None] if edition == "rulebook" else court)
                dead = royal is not None and luck.random() < 0.5
                reference.outer[at] = {"card": royal, "ice": luck.randint(0, 9), "dead": dead}
        reference.draw_pile = [luck.choice(deck)]
        state["top"] = [pile[0] if pile else -1 for pile in reference.piles]
        state["top_value"] = [VALUE[one] for one in state["top"]]
        state["royal"], state["ice"], state["dead"] = outer_piles(reference)
        state["draw"][0] = reference.draw_pile[0]
        assert legal(state, mask) == len(reference.legal())
        assert np.flatnonzero(mask).tolist() == reference.legal()
        assert set(mask.tolist()) <= {0, 1}


@pytest.mark.parametrize("games", [60, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("edition", EDITIONS)
def test_random_games_agree_at_every_step(edition: str, games: int) -> None:
    """Random decks and moves, both rewards, short and long limits, and what these do."""
    luck = random.Random(f"random {edition}")
    ends: Counter[str] = Counter()
    for number in range(games):
        options = {
            "edition": edition,
            "reward": luck.choice(["win", "royals"]),
            "max_steps": luck.choice([1, 30, 60, 150, 500, 500]),
            "stall": luck.choice([None, "truncate", "lose"]),
        }
        deck = shuffled_deck(edition, luck)
        play = Play("matrix_overload", {"deck": deck}, seed=number, **options)
        ends[play_out(play, MatrixOverload(deck, **options), any_pile, luck).reason] += 1
    loss = "black_ice" if edition == "rulebook" else "no_legal_pile"
    often = (loss, "draw_pile_empty", "max_steps", "stalled")
    assert min(ends[reason] for reason in often) > games // 200, ends


@pytest.mark.parametrize("games", [12, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("edition", EDITIONS)
def test_sharp_games_agree_at_every_step(edition: str, games: int) -> None:
    """A policy that kills whenever it can: late positions with many dead royals."""
    luck = random.Random(f"sharp {edition}")
    killed: Counter[int] = Counter()
    for number in range(games):
        options = {"edition": edition, "reward": luck.choice(["win", "royals"])}
        deck = shuffled_deck(edition, luck)
        play = Play("matrix_overload", {"deck": deck}, seed=number, **options)
        reference = play_out(play, MatrixOverload(deck, **options), sharp, luck)
        killed[reference.royals_killed] += 1
    assert sum(count for fallen, count in killed.items() if fallen >= 6) >= games // 10, killed


def late_table(edition: str, luck: random.Random) -> Table:
    """A position with few living royals: every card has a random place that it may have."""
    jokers = 2 if edition == "rulebook" else 1
    rest = [card for card in range(52 + jokers) if card >= 52 or card % 13 < 10]
    court = [card for card in range(52) if card % 13 >= 10]
    luck.shuffle(rest)
    luck.shuffle(court)
    alive = luck.choice([0, 0, 1, 1, 2, 3])
    on_the_way = luck.choice([0, 0, 1, 2] if alive else [1, 2])
    outer: list[Spot | None] = []
    for at, royal in enumerate(court):
        if at < alive:
            ice: list[int] = []
            if luck.random() < 0.4:
                ice.append(next(card for card in rest if card < 52 and 1 <= card % 13 <= 6))
                rest.remove(ice[0])
            outer.append(Spot(royal, ice))
        elif at < 12 - on_the_way:
            outer.append(Spot(royal, dead=True))
        elif edition == "rulebook" and luck.random() < 0.25:  # preventative ICE
            ice = [next(card for card in rest if card < 52 and 1 <= card % 13 <= 9)]
            rest.remove(ice[0])
            outer.append(Spot(ice=ice))
        else:
            outer.append(None)
    luck.shuffle(outer)
    draw = [*court[12 - on_the_way :], *(rest.pop() for _ in range(luck.randint(3, 25)))]
    luck.shuffle(draw)
    # Aces and jokers lie lowest, and no number on a higher one.
    bottoms = [card for card in rest if card_of(card)[1] <= 1]
    piles = [[card] for card in bottoms] + [[] for _ in range(9 - len(bottoms))]
    luck.shuffle(piles)
    for card in sorted(set(rest) - set(bottoms), key=lambda card: card % 13):
        luck.choice(piles).append(card)
    known_first = luck.randint(1, len(draw))
    known_last = luck.randint(0, len(draw) - known_first)
    if known_first + known_last == len(draw):
        known_first, known_last = len(draw), 0
    return Table(piles, outer, draw, known_first, known_last)


def reference_at(table: Table, options: dict[str, Any]) -> MatrixOverload:
    jokers = 2 if options["edition"] == "rulebook" else 1
    reference = MatrixOverload(list(range(52 + jokers)), **options)
    reference.piles = [list(pile) for pile in table.piles]
    for at, spot in enumerate(table.outer):
        if spot is not None:
            ice = sum(card % 13 + 1 for card in spot.ice)
            reference.outer[at] = {"card": spot.royal, "ice": ice, "dead": spot.dead}
    reference.draw_pile = list(table.draw)
    hidden = len(table.draw) - table.known_first - table.known_last
    reference.seen = [True] * table.known_first + [False] * hidden + [True] * table.known_last
    return reference


@pytest.mark.parametrize("games", [40, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("edition", EDITIONS)
def test_almost_won_games_agree_at_every_step(edition: str, games: int) -> None:
    """Positions with few royals left to kill, so that games are won as well."""
    luck = random.Random(f"late {edition}")
    ends: Counter[str] = Counter()
    for _ in range(games):
        options = {
            "edition": edition,
            "reward": luck.choice(["win", "royals"]),
            "max_steps": luck.choice([40, 100]),
        }
        table = late_table(edition, luck)
        reference = reference_at(table, options)
        if not reference.legal():
            continue  # the digital editions' face-up card may have no pile in such a position
        play = Play("matrix_overload", **options)
        lay_out(play.record[0], table)
        ends[play_out(play, reference, sharp, luck).reason] += 1
    assert ends["won"] >= games // 20, ends
    assert ends["draw_pile_empty"] >= games // 50, ends
