"""A first game of Hovercrafts, in steps."""

from __future__ import annotations

from typing import Final

from cyberdeck.views.view import Lesson, Lessons

LESSONS: Final = Lessons(
    seed=3,
    moves=(
        "row 1 SW, row 2 SE, move, move, landing, move, move, right, move, move, left, left, no "
        "action, no action, left, left, right, no action, left, move, repair, move, right, "
        "move, left, no action"
    ),
    seat=0,
    steps=(
        Lesson(
            1,
            "You are Zion's ship Z0, in blue, and win when the Machines have no ship left. "
            "Their M0 stands at the other edge. Choose a lit hex in column 0 and a facing: a "
            "click on one of its six parts does both.",
        ),
        Lesson(
            2,
            "Each turn, dice say how many actions a ship has: you have two, M0 four. You plan "
            "yours in secret, one by one, with the lit buttons. The lit hex is where a move "
            "would bring you.",
        ),
        Lesson(
            4,
            "You planned a move: the dashed line shows where it leads. The lock says that M0 "
            "has planned too, but not what. When all plans are complete, they are carried out "
            "together, in phases: one action of each ship in each phase.",
        ),
        Lesson(
            8,
            "That was the first turn: you moved and landed, M0 moved three times and turned. "
            "The three tinted hexes before you are your fire arc: in each phase your ship "
            "shoots by itself at an enemy there, unless it lands.",
        ),
        Lesson(
            19,
            "In the last turn both ships shot in every phase. A shot hits if a die plus "
            "ballistic is more than the other's die plus shield: you hit once, and M0 has 2 "
            "hull left of 3. A ship without hull is out.",
        ),
        Lesson(
            26,
            "You planned three moves ahead, but M0 is in the way: ships that meet ram each "
            "other, and one of them or both lose hull. Repair brings hull back, an EMP jams "
            "ships around you for a phase, and a ship that leaves the map is out.",
        ),
    ),
)
