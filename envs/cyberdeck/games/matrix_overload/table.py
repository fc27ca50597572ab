"""MATR1X 0VERL0AD: the record that holds the table, and the options that it holds as numbers."""

from __future__ import annotations

from cyberdeck.engine.record import Field
from cyberdeck.games.matrix_overload import constants as c

WIN_ONLY, PER_ROYAL = 0, 1
REWARDS = ("win", "royals")
TRUNCATE, LOSE = 0, 1
STALLS = ("truncate", "lose")
OBSERVATIONS = ("cards", "counted")

MOST_LEFT = c.CARDS - 8  # none of the eight inner piles that are dealt is ever empty again
HIGHEST_PILE = 1 + 36  # on the lowest card of an inner pile only number cards are laid
MOST_ICE = 4 * sum(range(2, 11))  # every number card

FIELDS = (
    Field("max_steps", 1, 1_000_000),
    Field("edition", 0, len(c.EDITIONS) - 1),
    Field("reward_mode", 0, len(REWARDS) - 1),
    Field("stall", 0, len(STALLS) - 1),
    Field("counted", 0, 1),  # observation: 0 cards, 1 counted
    # The draw pile is a ring: `left` cards from `head` on, the first one face up.
    Field("draw", 0, c.CARDS - 1, (c.RING,)),
    Field("head", 0, c.RING - 1),
    Field("left", 0, MOST_LEFT),
    Field("known_first", 0, MOST_LEFT),  # seen ones at the front, the face-up card included
    Field("known_last", 0, MOST_LEFT),  # how many at the back were seen going there
    Field("unseen", 0, 1, (c.CARDS,)),  # 1 for cards in the unseen stretch between the two
    # A card's place: 0 in the draw pile, 1 + its pile otherwise.
    Field("place", 0, c.INNER + c.OUTER, (c.CARDS,)),
    Field("height", 0, HIGHEST_PILE, (c.CARDS,)),  # 1 for the lowest card of an inner pile
    Field("below", c.NONE, c.CARDS - 1, (c.CARDS,)),  # the card under it in an inner pile, or NONE
    Field("top", c.NONE, c.CARDS - 1, (c.INNER,)),
    Field("top_value", c.NONE, 10, (c.INNER,)),  # its value, -1 for an empty pile
    Field("depth", 0, HIGHEST_PILE, (c.INNER,)),
    Field("royal", c.NONE, c.JOKER - 1, (c.OUTER,)),
    Field("ice", 0, MOST_ICE, (c.OUTER,)),
    Field("dead", 0, 1, (c.OUTER,)),
    Field("killed", 0, c.OUTER),
)
