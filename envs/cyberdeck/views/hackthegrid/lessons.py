"""A first game of HACKtheGRID, in steps."""

from __future__ import annotations

from typing import Final

from cyberdeck.views.view import Lesson, Lessons

LESSONS: Final = Lessons(
    seed=4,
    moves=("C1, R1, C3, R3, C0, R0, C2, S2-0"),
    seat=0,
    steps=(
        Lesson(
            0,
            "Two hackers share a grid of 16 cards; when it is empty, the higher score wins. You "
            "are the column hacker, in orange, above column 0. The row hacker, in violet, "
            "stands beside row 0. Choose one of the bright cards: you go above it, or stay "
            "there, and take it.",
        ),
        Lesson(
            1,
            "You went to column 1. Your line and the row hacker's crossed at SIGNAL SPIKE: it "
            "is in your Run now. Next the row hacker moves along its own edge and takes a card "
            "of your column.",
        ),
        Lesson(
            2,
            "The row hacker went to row 1, so now you choose among the cards of row 1. Where "
            "you stop decides which column the row hacker chooses from next: take well, and "
            "leave little.",
        ),
        Lesson(
            6,
            "Four cards later. The table gives the points of each card by how many of its kind "
            "your Run has: one LOOPBACK brings 4, two bring 1 each. Neighbours of one colour "
            "are an array, with 1 point more for each card: your two yellow cards are one.",
        ),
        Lesson(
            7,
            "You took a SCRAMBLE. It costs 3 points, but makes an array with the card beside "
            "it. Now you may swap a bright card of your own for one of the row hacker's: click "
            "both, or decline.",
        ),
        Lesson(
            8,
            "Your DATA PACKET went to the row hacker, and its SIGNAL SPIKE came to you. Beware "
            "of the end: if the hacker to move finds no card in the other's line while some are "
            "left, both lose.",
        ),
    ),
)
