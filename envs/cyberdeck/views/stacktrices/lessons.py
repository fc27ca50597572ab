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
            "You are black, below. Each side has four drones on its home row and three queens "
            "before it, and hides a thief under one of the drones: choose one. White has hidden "
            "its own already; nobody sees the other's.",
        ),
        Lesson(
            22,
            "Then you put pieces on your stacks. Coloured pyramids are movement: yellow goes 1 "
            "square, orange 2, pink 3. Clear ones are skill: they add directions. All pieces "
            "are open now, but only you see your thief, under B1.",
        ),
        Lesson(
            24,
            "The numbers say which of your stacks may go where: 0, 2 and 4 may go to a5. A "
            "stack goes straight ahead over free squares. Movement alone goes diagonally "
            "forward; a small clear pyramid adds the diagonals back, a middle one the straight "
            "lines, and a large one everything, through own stacks too.",
        ),
        Lesson(
            41,
            "Your B2 entered f4 and captured W3: that stack is out, and its pieces lie in the "
            "store. Whoever captures all stacks of the other side wins. If a thief is captured, "
            "its captor also steals a piece, and the thief hides anew.",
        ),
        Lesson(
            90,
            "Your thief, B1, came to white's home row and claimed a raid: you may take a piece "
            "of the store or of white's, here the large clear one of W0. Now everybody knows "
            "the thief; after the raid it hides again. The lock says that B1 cannot raid again "
            "before it has been home.",
        ),
        Lesson(
            95,
            "You can also trade after a move: give pieces, and take pieces from the store that "
            "are worth one pip less. Here you gave 2 and 3 pips, so take 4. A minus marks a "
            "piece that may leave a stack, a plus one that may come, and the number its pips.",
        ),
    ),
)
