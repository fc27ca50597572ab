"""A first game of Stacktrices, in steps."""

from __future__ import annotations

from typing import Final

from cyberdeck.views.view import Lesson, Lessons

LESSONS: Final = Lessons(
    seed=5,
    moves=(
        "hide W2, put mq on W0, put sq on W0, put md on W1, put sd on W1, put md on W3, put sd "
        "on W3, put sp on W1, put sp on W3, put mp on W2, put mp on W4, hide B1, put mq on B2, "
        "put sq on B2, put md on B0, put sd on B0, put sp on B0, put md on B1, put sd on B1, "
        "put sp on B1, put mp on B3, put mp on B4, W0-d4, end, B1-c5, end, W0-f4, end, B2-e5, "
        "end, W3-g3, end, B1-d4, end, W0-g4, end, B2-e4, end, W3-f4, end, B2-f4, end, W0-g1, "
        "end, B2-b2, end, W0-g4, end, B2-f4, end, W0-d1, end, B0-a5, end, W0-b3, end, B2-c4, "
        "end, W0-b1, end, B0-b4, end, W1-c2, end, B4-c5, end, W0-c1, end, B2-f4, end, W0-d1, "
        "end, B1-b2, end, W1-d3, end, B0-d4, end, W1-b5, end, B2-c4, end, W1-b6, end, B2-e4, "
        "end, W1-b5, end, B1-b1, raid, take sq of W0, put sq on B3, hide B0, give md of B0, "
        "give sq of B3"
    ),
    seat=0,
    steps=(
        Lesson(
            11,
            "You are black, below. Whoever captures all stacks of the other side wins. Each "
            "side has four drones on its home row and three queens in front of them, and hides "
            "a thief under one drone: choose yours. White has chosen already; neither sees the "
            "other's.",
        ),
        Lesson(
            22,
            "Then both put pieces on their stacks. All see them now, but only you see your "
            "thief, under B1. Coloured pyramids are movement: their dots, the pips, say how far "
            "a stack goes. Blue ones are skill: they add directions.",
        ),
        Lesson(
            24,
            "The numbers say which of your stacks may go where: 1 and 4 may go to c5. With "
            "movement alone a stack goes diagonally forward. A small blue pyramid adds the "
            "diagonals back, a middle one the straight lines, a large one all directions, also "
            "through own stacks.",
        ),
        Lesson(
            41,
            "Your B2 moved onto f4, where W3 stood, and captured it: W3 is out, and its pieces "
            "are in the store. If a thief is captured, the captor also steals a piece of that "
            "stack, and the thief hides under another drone. After its move your turn can end.",
        ),
        Lesson(
            90,
            "Your thief, B1, came to white's home row and raids: take a lit piece of the store, "
            "or one of those that are marked on white's stacks. All know the thief now; after "
            "the raid it hides again. The lock says that B1 must go home before it raids again.",
        ),
        Lesson(
            95,
            "A turn can also end with a trade: give pieces, then take others from the store, "
            "worth one pip less in all. You gave 2 and 3 pips, so take 4. A minus marks a piece "
            "that may leave a stack, a plus one that may come; a white edge, what has just "
            "left.",
        ),
    ),
)
