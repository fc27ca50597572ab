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
            "In the middle lies the matrix: nine inner piles, 0 to 8. Around it is room for "
            "twelve firewalls, piles 9 to 20. You bring all twelve down before the deck is "
            "empty. The card to play is a firewall, the red 12, and the lit piles are where it "
            "may go: beside the highest red card.",
        ),
        Lesson(
            1,
            "The 12 stands on pile 12. Its strength is 12, and it falls only to two red cards: "
            "a 12 falls to cards of its colour, a 13 to cards of its suit, an 11 to any two.",
        ),
        Lesson(
            5,
            "A number goes on an inner pile whose top card is not higher: the 9 may go on any "
            "lit pile. Each pile shows its top card alone, and the small number says how many "
            "cards lie in it.",
        ),
        Lesson(
            10,
            "The 10 of clubs was laid on pile 6. A card that is laid lets the two others in its "
            "line attack the firewall at the far end: 9 and 7 of hearts are 16, enough for the "
            "13 of hearts. One of twelve is down.",
        ),
        Lesson(
            13,
            "The 6 of clubs on pile 2 let 6 and 7 attack across its row. Both are red and make "
            "13, so the red 12 fell. The card that attacks with its place does not count "
            "itself: it only opens the way.",
        ),
        Lesson(
            16,
            "The ace sent two cards of pile 6 to the bottom of the deck; then the 9 of spades "
            "on pile 3 brought down the 13 of spades. A number that fits nowhere makes a "
            "firewall stronger, as ICE. You lose if the deck runs out before all twelve are "
            "down.",
        ),
    ),
)
