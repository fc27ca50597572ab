"""HACKtheGRID: the numbers and tables that the rules and the view share; no NumPy here."""

from __future__ import annotations

SCRAMBLE, SIGNAL_SPIKE, FIREWALL, LOOPBACK, NET_NODE, DATA_PACKET = range(6)
KINDS = ("SCRAMBLE", "SIGNAL SPIKE", "FIREWALL", "LOOPBACK", "NET NODE", "DATA PACKET")
COLOURS = ("cyan", "magenta", "yellow", "green")  # of the default deck
MOST_COLOURS = 8

CARDS = 16
SIDE = 4
RUN = 8  # places in a Run: the players take turns, so each takes half of the cards
NONE = -1  # no card

SWAPS = SIDE  # the first of 64 actions: own place i for the opponent's place j, 4 + 8*i + j
DECLINE = SWAPS + RUN * RUN
ACTIONS = DECLINE + 1

ON_TAKE, AT_END = 0, 1
SCRAMBLES = ("on_take", "at_end")
OUTCOME, MARGIN = 0, 1
REWARDS = ("outcome", "margin")
OBSERVATIONS = ("vector", "prior")

MOVE, SWAP = 0, 1  # phases of a turn

GRID_EMPTIED, CARDS_REMAIN = 2, 3
REASONS = ("grid_emptied", "cards_remain")

#: VALUES[kind][count] = what each card of the kind is worth when a Run holds one, two or more.
VALUES = (
    (0, -3, -3, -3),  # SCRAMBLE
    (0, 2, 2, 2),  # SIGNAL SPIKE
    (0, 0, 1, -1),  # FIREWALL
    (0, 4, 1, 1),  # LOOPBACK
    (0, 0, 1, 2),  # NET NODE
    (0, 1, 1, 2),  # DATA PACKET
)
#: What each card of an array scores more.
ARRAY = 1

#: What a Run is worth at least and at most: SCRAMBLEs alone; one LOOPBACK, seven cards that score
#: 2 each, and all eight in arrays.
LOWEST, HIGHEST = -3 * RUN, 4 + 2 * (RUN - 1) + RUN * ARRAY
