"""The engine and the slow second version of MATR1X 0VERL0AD, side by side at every step."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from cyberdeck import variant
from cyberdeck.games.matrix_overload.constants import VALUE
from cyberdeck.games.matrix_overload.game import GAME
from cyberdeck.players.solvers.matrix_overload.solver import solve
from tests.matrix_overload.words import Matrix
from tests.play import Play
from tests.reference.matrix_overload import MatrixOverload, is_court

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


def skilled(play: Play, luck: random.Random) -> Policy | None:
    """Moves that win, up to some step, and then any; None if no such moves are found."""
    line = solve(play.record, widest=300)
    known = luck.choice([1000, luck.randrange(1000)]) * len(line or []) // 1000
    if line is None:
        return None
    return lambda game, luck: line[game.steps] if game.steps < known else any_pile(game, luck)


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
    state, legal, mask = record[0], GAME.kernels.legal, np.full(21, 9, np.int8)
    state["left"], state["known_first"], state["mover"] = 1, 1, 0
    for _ in range(1000):
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


@pytest.mark.parametrize("games", [40, pytest.param(400, marks=pytest.mark.slow)])
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


@pytest.mark.parametrize("games", [20, pytest.param(80, marks=pytest.mark.slow)])
@pytest.mark.parametrize("edition", EDITIONS)
def test_skilled_games_agree_at_every_step(edition: str, games: int) -> None:
    """Games that are won, and others with many dead royals."""
    luck = random.Random(f"skilled {edition}")
    killed: Counter[int] = Counter()
    for number in range(games):
        options = {"edition": edition, "reward": luck.choice(["win", "royals"])}
        deck = shuffled_deck(edition, luck)
        play = Play("matrix_overload", {"deck": deck}, seed=number, **options)
        choose = skilled(play, luck)
        if choose is not None:
            reference = play_out(play, MatrixOverload(deck, **options), choose, luck)
            killed[reference.royals_killed] += 1
    assert killed[12] >= games // 4, killed
    assert killed.total() - killed[12] >= games // 4, killed
