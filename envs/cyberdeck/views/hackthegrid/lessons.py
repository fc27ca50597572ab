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
            "Two hackers share a grid of 16 cards. You are the column hacker, in orange, and "
            "stand above column 0; the row hacker, in violet, stands beside row 0. The cards "
            "with bright corners are yours to choose from: go above one of them, and you take "
            "it.",
        ),
        Lesson(
            1,
            "You went to column 1. Your line and the row hacker's cross at one card, SIGNAL "
            "SPIKE, and that card is in your Run now. Next the row hacker moves along its own "
            "edge and takes a card of your column, column 1.",
        ),
        Lesson(
            2,
            "The row hacker went to row 1, so now you choose among the cards of row 1. Where "
            "you stop decides which column the other one gets to choose from. That is the whole "
            "game: take well, and leave little.",
        ),
        Lesson(
            6,
            "The table says what a card scores by how many of its kind are in your Run: your "
            "first LOOPBACK brings 4, a first FIREWALL nothing. Neighbours of one colour are an "
            "array, and each of its cards brings 1 more: your two yellow cards do.",
        ),
        Lesson(
            7,
            "You took a SCRAMBLE. It costs 3 points, but you may swap one of your cards for one "
            "of the other Run at once: click one of each, or decline the swap.",
        ),
        Lesson(
            8,
            "Your DATA PACKET went to the row hacker, and its SIGNAL SPIKE came to you. When "
            "the grid is empty, the higher score wins. But beware: if the hacker to move finds "
            "no card in the line, while others are left, both lose.",
        ),
    ),
)
