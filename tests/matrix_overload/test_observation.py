"""The pieces of the observation that are counted out, against plain counting on the reference."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from tests.matrix_overload.test_reference import EDITIONS, any_pile, shuffled_deck, skilled
from tests.play import Play
from tests.reference.matrix_overload import (
    MatrixOverload,
    card_of,
    inner_piles_seen_from,
    is_ace,
    is_court,
)

MANY = 10


def value(card: int | None) -> int:
    return 0 if card is None else card_of(card)[1]


def low(game: MatrixOverload) -> list[int]:
    """Aces and numbers of the draw pile under the face-up card."""
    return [card for card in game.draw_pile[1:] if 1 <= value(card) <= 10]


def fits(card: int, top: int | None) -> bool:
    return is_ace(card) or value(top) <= value(card)


def laid(game: MatrixOverload, pile: int, card: int) -> MatrixOverload:
    tried = game.copied()
    tried.piles[pile].append(card)
    return tried


def iced(game: MatrixOverload, outer: int) -> MatrixOverload:
    tried = game.copied()
    spot = tried.outer[outer]
    assert spot is not None
    spot["ice"] += value(game.draw_pile[0])
    return tried


def with_royal(game: MatrixOverload, outer: int) -> MatrixOverload | None:
    """The game with a royal on that outer pile: the living one, or a face-up court card."""
    if outer in game.living_royals():
        return game
    if outer not in game.empty_outer_piles() or not game.draw_pile:
        return None
    if not is_court(game.draw_pile[0]):
        return None
    tried = game.copied()
    spot = tried.outer[outer] or {"ice": 0, "dead": False}
    tried.outer[outer] = {**spot, "card": game.draw_pile[0]}
    return tried


def beaten(game: MatrixOverload, outer: int) -> bool:
    near, middle, _ = inner_piles_seen_from(outer)
    # An empty pile does not attack (ruling M9).
    return bool(game.piles[near] and game.piles[middle] and game._beats(near, middle, outer))


def may_attack(game: MatrixOverload, outer: int, card: int) -> bool:
    """Whether two of the card would beat the royal if only its suit mattered."""
    near, middle, _ = inner_piles_seen_from(outer)
    tried = laid(laid(game, near, card), middle, card)
    spot = tried.outer[outer]
    assert spot is not None
    spot["ice"] = -20
    return beaten(tried, outer)


def chances(game: MatrixOverload, outer: int, pile: int, below: int | None) -> int:
    """How many cards to come would make the royal fall, laid on that pile, where *below* lies."""
    good = [c for c in low(game) if fits(c, below) and beaten(laid(game, pile, c), outer)]
    return min(len(good), MANY)


def expected(game: MatrixOverload) -> dict[str, np.ndarray]:
    tops = [game.top(pile) for pile in range(9)]
    card = game.draw_pile[0] if game.draw_pile else None
    to_come = Counter(value(other) for other in game.draw_pile[1:])
    inside = card is not None and not is_court(card)

    def placeable(shown: list[int | None]) -> int:
        return sum(any(fits(other, top) for top in shown) for other in low(game))

    def placeable_after(pile: int) -> int:
        return placeable([*tops[:pile], card if inside else tops[pile], *tops[pile + 1 :]])

    seen = {
        "coming": np.array([to_come[number] for number in range(14)]),
        "fitting": np.array([sum(fits(other, top) for other in low(game)) for top in tops]),
        "placeable": np.array([placeable(tops), *map(placeable_after, range(9))]),
        "falls": np.zeros(9, int),
        "ready": np.zeros(12, int),
        "suits": np.zeros(12, int),
    }
    for name in ("attackers", "ready_after", "chances", "chances_after"):
        seen[name] = np.zeros((12, 2), int)
    becomes_ice = inside and value(card) > 1 and not any(fits(card, top) for top in tops)
    for outer in range(12):
        there = with_royal(game, outer)
        if there is None:
            continue
        near, middle, far = inner_piles_seen_from(outer)
        for at, pile in enumerate((near, middle)):
            top = tops[pile]
            if top is not None and may_attack(there, outer, top):
                seen["attackers"][outer, at] = value(top)
            seen["chances"][outer, at] = chances(there, outer, pile, top)
        seen["ready"][outer] = beaten(there, outer)
        if outer in game.living_royals():
            seen["falls"][far] += beaten(game, outer)
        if not inside:
            continue
        seen["suits"][outer] = may_attack(game, outer, card)
        for at, (pile, other) in enumerate(((near, middle), (middle, near))):
            if becomes_ice:
                harder = iced(game, outer)
                seen["ready_after"][outer, at] = beaten(harder, outer)
                seen["chances_after"][outer, at] = chances(harder, outer, pile, tops[pile])
            else:
                tried = laid(game, pile, card)
                seen["ready_after"][outer, at] = beaten(tried, outer)
                seen["chances_after"][outer, at] = chances(tried, outer, other, tops[other])
    return seen


@pytest.mark.parametrize("edition", EDITIONS)
def test_what_is_counted_out_is_what_plain_counting_finds(edition: str) -> None:
    luck = random.Random(f"counted {edition}")
    ice = 0
    for number in range(2):
        deck = shuffled_deck(edition, luck)
        play = Play(
            "matrix_overload", {"deck": deck}, seed=number, edition=edition, observation="counted"
        )
        game = MatrixOverload(deck, edition=edition)
        choose = (number % 2 and skilled(play, luck)) or any_pile
        while not game.over:
            seen = play.seen()
            for name, wanted in expected(game).items():
                assert seen[name].reshape(wanted.shape).tolist() == wanted.tolist(), name
            action = choose(game, luck)
            ice += action >= 9 and not is_court(game.draw_pile[0])
            play.act(action)
            game.act(action)
    assert ice > 0
