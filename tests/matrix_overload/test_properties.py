"""Properties of placement, over random tops, royals and cards to play."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cyberdeck import variant
from cyberdeck.games.matrix_overload import constants, rules
from cyberdeck.games.matrix_overload.constants import ACTIONS, NONE
from cyberdeck.games.matrix_overload.game import GAME

NUMBERS = [card for card in range(52) if 2 <= card % 13 + 1 <= 10]
COURT = [card for card in range(52) if card % 13 >= 10]
LOW = [card for card in range(54) if card == 52 or (card % 13 + 1 <= 10 and card < 52)]

EDITIONS = st.sampled_from(constants.EDITIONS)
TOPS = st.lists(st.one_of(st.none(), st.sampled_from(LOW)), min_size=9, max_size=9)
#: For each outer pile nothing, or a royal, its ICE, and whether it is dead.
OUTER = st.lists(
    st.one_of(st.none(), st.tuples(st.sampled_from(COURT), st.integers(0, 7), st.booleans())),
    min_size=12,
    max_size=12,
)


def legal(edition: str, tops: list[Any], outer: list[Any], card: int) -> set[int]:
    """The legal piles for *card*. Which cards lie where else does not matter to placement."""
    record = variant("matrix_overload", edition=edition).blank()
    state = record[0]
    state["top"] = [NONE if top is None else top for top in tops]
    state["top_value"] = rules.VALUE[state["top"]]
    state["royal"] = [NONE if pile is None else pile[0] for pile in outer]
    state["ice"] = [0 if pile is None else pile[1] for pile in outer]
    state["dead"] = [pile is not None and pile[2] for pile in outer]
    state["draw"][0], state["left"], state["known_first"], state["mover"] = card, 1, 1, 0
    mask = np.full(ACTIONS, 9, np.int8)
    count = GAME.kernels.legal(record[0], mask)
    assert set(mask.tolist()) <= {0, 1}
    assert count == mask.sum()
    return set(np.flatnonzero(mask).tolist())


def value(card: int | None) -> int:
    return -1 if card is None else int(rules.VALUE[card])


@settings(max_examples=400, deadline=None)
@given(EDITIONS, TOPS, OUTER, st.sampled_from(NUMBERS))
def test_a_number_card_goes_inside_if_it_can(
    edition: str, tops: list[Any], outer: list[Any], card: int
) -> None:
    piles = legal(edition, tops, outer, card)
    fitting = {at for at in range(9) if value(tops[at]) <= value(card)}
    if fitting:
        assert piles == fitting
        return
    assert all(pile >= 9 for pile in piles)
    living = {9 + at for at, pile in enumerate(outer) if pile is not None and not pile[2]}
    empty = {9 + at for at, pile in enumerate(outer) if pile is None}
    if edition != "rulebook":
        assert piles == {
            pile
            for pile in living
            if value(outer[pile - 9][0]) + outer[pile - 9][1] + value(card) <= 20
        }
    elif living:
        assert piles
        assert piles <= living
    else:
        assert piles <= empty
        assert bool(piles) == bool(empty)


@settings(max_examples=400, deadline=None)
@given(EDITIONS, TOPS, OUTER, st.sampled_from(COURT))
def test_a_court_card_goes_beside_the_best_pile_that_has_room(
    edition: str, tops: list[Any], outer: list[Any], card: int
) -> None:
    """Filling any pile that is not legal changes nothing; the legal ones are all equally good."""
    piles = legal(edition, tops, outer, card)
    empty = {9 + at for at, pile in enumerate(outer) if pile is None}
    assert piles <= empty
    assert bool(piles) == bool(empty)
    for worse in sorted(empty - piles)[:3]:
        filled = list(outer)
        filled[worse - 9] = (COURT[0], 0, False)
        assert legal(edition, tops, filled, card) == piles
    for best in sorted(piles):
        filled = [(COURT[0], 0, True) if 9 + at != best else None for at in range(12)]
        assert legal(edition, tops, filled, card) == {best}


@settings(max_examples=300, deadline=None)
@given(EDITIONS, TOPS, OUTER)
def test_an_ace_goes_anywhere_and_a_joker_on_the_lowest(
    edition: str, tops: list[Any], outer: list[Any]
) -> None:
    assert legal(edition, tops, outer, 13) == set(range(9))
    counted = [max(value(top), 0) for top in tops]
    if edition == "rulebook":
        expected = {at for at in range(9) if counted[at] == min(counted)}
    else:
        there = [value(top) for top in tops if top is not None]
        expected = {at for at in range(9) if there and value(tops[at]) == min(there)}
        expected = expected or set(range(9))
    assert legal(edition, tops, outer, 52) == expected


MIRRORED = [2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9, 13, 12, 15, 14, 17, 16, 20, 19, 18]


@pytest.mark.parametrize(
    "cards", [NUMBERS, COURT, [52], [0]], ids=["number", "court", "joker", "ace"]
)
@settings(max_examples=150, deadline=None)
@given(edition=EDITIONS, tops=TOPS, outer=OUTER, data=st.data())
def test_a_mirrored_table_has_mirrored_piles(
    cards: list[int], edition: str, tops: list[Any], outer: list[Any], data: st.DataObject
) -> None:
    card = data.draw(st.sampled_from(cards))
    piles = legal(edition, tops, outer, card)
    other_tops = [tops[MIRRORED[at]] for at in range(9)]
    other_outer = [outer[MIRRORED[9 + at] - 9] for at in range(12)]
    assert legal(edition, other_tops, other_outer, card) == {MIRRORED[pile] for pile in piles}
