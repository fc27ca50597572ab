"""A first game of MATR1X 0VERL0AD, in steps."""

from __future__ import annotations

from typing import Final

from cyberdeck.views.view import Lesson, Lessons

LESSONS: Final = Lessons(
    seed=3,
    moves=(
        "red 12 to pile 12, 13 of hearts to pile 9, 6 of diamonds to pile 1, 10 of spades to "
        "pile 4, 8 of hearts to pile 3, 9 of hearts to pile 3, 13 of spades to pile 15, 11 to "
        "pile 14, 2 of spades to pile 8, 10 of clubs to pile 6, red 12 to pile 10, 2 of "
        "diamonds to pile 8, 6 of clubs to pile 2, 8 of clubs to pile 0, ace of diamonds to "
        "pile 6, 9 of spades to pile 3"
    ),
    seat=0,
    steps=(
        Lesson(
            0,
            "In the middle lies the matrix: nine inner piles, 0 to 8. Twelve firewalls fit "
            "around it, on piles 9 to 20. Bring them all down before the draw pile is empty. "
            "The card to play is a firewall, the red 12: it may go on a lit pile, beside the "
            "highest red card that has room.",
        ),
        Lesson(
            1,
            "It stands on pile 12 now. It falls only to two red cards that together reach its "
            "strength, the 12 beside the shield. A 12 falls to two cards of its colour, a 13 to "
            "two of its suit, an 11 to any two.",
        ),
        Lesson(
            5,
            "A number goes on an inner pile that is empty, or whose top card is not higher: the "
            "9 may go on any lit pile. Only the top card of a pile counts; "
            "\N{MULTIPLICATION SIGN}2 says that two cards lie in it.",
        ),
        Lesson(
            10,
            "The 10 of clubs was laid on pile 6. A laid card lets the other two of its row or "
            "column attack the firewall at the far end: 9 and 7 of hearts make 16, enough for "
            "the 13 of hearts. One of twelve has fallen.",
        ),
        Lesson(
            13,
            "The 6 of clubs, laid on pile 2, let the red 6 and 7 attack across its row. They "
            "make 13, so the red 12 on pile 12 fell. The laid card itself does not count: it "
            "only opens the way.",
        ),
        Lesson(
            16,
            "The ace sent the two cards of pile 6 to the bottom of the draw pile. Then the 9 of "
            "spades on pile 3 let 10 and 6 bring down the 13 of spades. A number that fits on "
            "no pile becomes ICE: it makes a firewall of your choice stronger.",
        ),
    ),
)
