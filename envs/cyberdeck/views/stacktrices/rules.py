"""Stacktrices' rules in short, as they are played with given options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from cyberdeck.common.text import counted
from cyberdeck.views.rules import paragraph, sections, terms

_WHITE: Final = {
    0: "The first player is white.",
    1: "The second player is white.",
    "random": "Who is white is drawn.",
}


def how_to_play(options: Mapping[str, Any]) -> str:
    """The rules and the scoring."""
    stacked, exposes = options["stacked_movement"], options["steal_on_attack"]
    return sections(
        paragraph(
            "Capture every stack of the other side. The board has files a to g and ranks 1 to 7. "
            "White's home row is rank 1, black's is rank 7; forward is away from the own home row. "
            "Each side has seven stacks, W0 to W6 and B0 to B6: 0 to 3 stand on drones, on a, c, e "
            "and g of the home row, 4 to 6 on queens, on b, d and f of the row before it. White "
            "moves first.",
            _WHITE[options["first"]],
        ),
        paragraph(
            "Pieces are movement (P, D, Q) or skill (p, d, q):",
            "pawns of 1 pip, drones of 2, queens of 3. A stack can hold",
            "movement pieces" if stacked else "one movement piece",
            "and, only with movement, one skill piece of each size. Without pieces it is a pupil.",
            f"The {'last ' * stacked}movement piece of a stack with skill is protected: it cannot "
            "be stolen or raided. Pieces on no stack are in the store.",
        ),
        _setup(options["setup"] == "choose", stacked),
        paragraph(
            "Turn: move a stack, which is left out only if none can move. Then claim a raid",
            "or expose your thief" if exposes else "",
            "if you may, and choose again; or trade, which ends the turn; or end it at once.",
        ),
        paragraph(
            "Move: in a straight line, as many squares as",
            "the movement pieces have pips in all, or fewer."
            if stacked
            else "the movement piece has pips, or fewer.",
            "No stack passes another (but with q) or ends on an own one. Entering the square of a "
            "stack of the other side captures it and ends the move. Directions; skills add up:",
        )
        + "\n"
        + terms(
            ("pupil", "one square in any of the 8 directions, only to capture"),
            ("movement", "the two forward diagonals"),
            ("with p", "all four diagonals"),
            ("with d", "all four straight directions, and the forward diagonals"),
            ("with q", "all 8 directions, and through own stacks"),
        ),
        paragraph(
            "Through own stacks: it costs no reach to enter their squares. A stack with movement "
            "alone sends the mover straight on; one with skill straight on or turned by 45 "
            "degrees, left or right; a pupil blocks. A stack may be passed more than once. The "
            "square that the mover came from counts as empty on the way, but it cannot end there."
        ),
        paragraph(
            "Warp: instead, a stack on the other side's home row may go to any empty square of its "
            "own home row, pupils too."
        ),
        paragraph(
            "Capture: the stack is out, its pieces go to the store, and all are told whether it "
            "was the thief. If so, the captor steals one of its unprotected pieces for an own "
            "stack that can hold it, and must if one can. Then the owner hides the thief anew "
            "under any drone left; without drones there is none any more."
        ),
        _expose() if exposes else "",
        _raid(stacked, exposes),
        paragraph(
            "Trade: give 1 to 3 own pieces, one by one, worth V pips in all, at least 2. Then "
            "take 1 to 3 from the store worth exactly V - 1, one by one, for stacks that can hold "
            "them and gave a piece or were pupils before. What you gave goes to the store only in "
            "the end, when no skill may be without movement. Before that you may call it off: all "
            "goes back, and the turn ends."
        ),
        paragraph(
            "A side without stacks has lost. It is a draw after two turns in a row in which no "
            "stack could move and nothing was traded, and after",
            f"{counted(options['max_turns'], 'turn')}, both sides' counted. A win is 1, a loss -1, "
            "a draw 0.",
            "At the end of each turn each side also gets 0.01 for each pip by which its pieces on "
            "stacks, less the other side's, have grown in it, and loses as much for each by which "
            "they have shrunk."
            if options["reward"] == "material"
            else "",
        ),
    )


def _setup(choose: bool, stacked: bool) -> str:
    """How a game begins."""
    pieces = "two pawns, two drones and one queen of each sort"
    return paragraph(
        "Set-up: first white, then black hides its thief under one of its drones and puts "
        f"{pieces} on its stacks, one by one"
        + ", no two movement pieces on one" * stacked
        + ". Neither sees the other's before both are done."
        if choose
        else f"Set-up: under which drone each side's thief is, and how {pieces} lie on its stacks, "
        "is drawn.",
        "Then all pieces are open, but a thief (*) is known to its owner alone. One queen of each "
        "sort begins in the store.",
    )


def _expose() -> str:
    """The variant steal_on_attack."""
    return paragraph(
        "Expose: if your thief has captured a stack that was not the other thief, you may expose "
        "it (!) to steal an unprotected piece of that stack for an own stack that can hold it, "
        "while the store has such a piece and the thief is under the stack that moved. An exposed "
        "thief is open to all, stays under its drone, and may do so again at each capture. When it "
        "is captured itself, you hide it anew."
    )


def _raid(stacked: bool, exposes: bool) -> str:
    """What a thief may do on the other side's home row."""
    raising = (
        "; or, if you have no pupil, raise an own pawn or drone: exchange it for the next size of "
        "its sort from the store, unless the stack has that skill already"
    )
    return paragraph(
        "Raid: you may claim one if the stack that moved is your thief, came to the other side's "
        "home row from another row and has no mark (^), and if something can be taken"
        f"{'' if stacked else ' or raised'}. That reveals the thief and marks the stack, until a "
        "turn of yours ends with it on your home row. Put a piece of the store, or an unprotected "
        "piece of a stack of the other side's, on an own stack that can hold it"
        f"{'' if stacked else raising}. Then hide the thief anew under any own drone, or the same"
        f"{'; an exposed one stays' * exposes}."
    )
