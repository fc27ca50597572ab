"""Stacktrices: the numbers that the rules and the view share; no NumPy here.

Squares are numbered 7 * rank + file as seat 0 sees the board: its home row is rank 0, seat 1's is
rank 6. Each seat's stacks are 0 to 3 (on drones) and 4 to 6 (on queens). A piece's kind is its
sort and size: movement pawn, drone, queen, then skill pawn, drone, queen.
"""

from __future__ import annotations

SIDE = 7
SQUARES = SIDE * SIDE
STACKS = 7
DRONES = 4  # the stacks 0 to 3 stand on drones, the others on queens
NONE = -1  # no square, no stack, no piece

KINDS = 6
SIZES = 3
PAWN, DRONE, QUEEN = range(SIZES)
MOVEMENT, SKILL = 0, SIZES  # the first kind of each sort: MOVEMENT + DRONE, SKILL + QUEEN
PIPS = (1, 2, 3, 1, 2, 3)  # [kind] what a piece is worth
TRADE_FEE = 1  # a trade brings so many pips less than were given

# --- phases --------------------------------------------------------------------------------------

(
    HIDE,  # set-up: the thief
    CAP,  # set-up: the pieces, one by one
    MOVE,
    STEAL,  # the attacker chooses a piece of the captured stack
    PLACE_STOLEN,
    HIDE_AGAIN,  # the victim of a captured thief, in the middle of the attacker's turn
    AFTER_MOVE,  # claim a raid, expose, begin a trade, or end the turn
    RAID,  # take a piece of the opponent's or of the store, or raise one
    PLACE_RAIDED,
    HIDE_RAIDER,
    TRADE,
) = range(11)
PHASES = (
    "hide the thief",
    "place the pieces",
    "move",
    "steal",
    "place the stolen piece",
    "hide the thief again",
    "after the move",
    "raid",
    "place the raided piece",
    "hide the raider",
    "trade",
)

CAPTURED_ALL, STALLED, MAX_TURNS = 2, 3, 4
REASONS = ("captured_all", "stalled", "max_turns")

# --- actions -------------------------------------------------------------------------------------

HIDES = STACKS * SQUARES  # after 343 moves: SQUARES * stack + target
PUTS = HIDES + DRONES  # 42: KINDS * stack + kind
OWN_PICKS = PUTS + STACKS * KINDS  # a stack's pieces: `picks` actions for each stack
#: Piece picks of a stack: its movement piece and the three skills; or, where movement pieces are
#: stacked, every kind.
PICKS = (1 + SIZES, KINDS)
#: [stacked_movement] the first action that picks a piece of the opponent's.
THEIR_PICKS = (OWN_PICKS + STACKS * PICKS[0], OWN_PICKS + STACKS * PICKS[1])
#: [stacked_movement] the action `claim`; `end the turn`, `call off` and `expose` follow it.
CLAIM = (OWN_PICKS + 2 * STACKS * PICKS[0], OWN_PICKS + 2 * STACKS * PICKS[1])
END_TURN, CALL_OFF, EXPOSE = 1, 2, 3  # from claim

#: The most decisions: of the set-up; and of a turn, which are a move, two steals of two, of which
#: one is called for, hiding again, a raid of four, and a trade of six.
MOST_IN_SETUP, MOST_IN_TURN = 22, 17
