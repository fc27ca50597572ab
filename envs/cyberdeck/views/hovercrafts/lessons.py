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
            "You are Zion's ship Z0, in blue. The Machines' M0 stands at the other edge. Begin "
            "by choosing a lit hex in your column, and which way to face: a click on one of its "
            "six parts does both.",
        ),
        Lesson(
            2,
            "Each turn dice say how many actions your ship has: two, this time. You plan them "
            "one by one, in secret, and so does M0. The buttons are what you may plan; the lit "
            "hex is where a move would bring you.",
        ),
        Lesson(
            4,
            "You planned a move: the dashed line shows where it leads. You know that M0 has "
            "planned too, but not what: its plan has a lock. When both plans are complete, they "
            "are carried out at the same time, in phases: one action of each ship in each "
            "phase.",
        ),
        Lesson(
            8,
            "That was the first turn, phase by phase: you moved and landed, M0 moved three "
            "times and turned. The dark blue hexes are your fire arc: in each phase your ship "
            "shoots by itself at an enemy there, unless it lands.",
        ),
        Lesson(
            19,
            "In this turn both ships shot in every phase. A shot hits if the die and the ship's "
            "ballistic are more than the other's die and shield: you hit once, and M0 has 2 "
            "hull left of 3.",
        ),
        Lesson(
            26,
            "You planned three moves into M0: ships that meet ram each other. EMP stops ships "
            "around you for a phase, repair brings hull back, and whoever leaves the map is "
            "out. You win when the other team has no ship left.",
        ),
    ),
)
