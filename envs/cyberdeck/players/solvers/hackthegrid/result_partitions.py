"""HACKtheGRID: the four results of a game, who likes which, and what can be asked about them.

The two seats' rankings of the results are not each other's reverse: nobody likes it that both
lose. So a window between two results, as in alpha-beta, means nothing in the other's ranking.
What stays exact is to ask which results have to be told apart.

A **question** is a partition of the four results into classes. It is answered by the class that
the true result lies in. Say that a mover is asked a question and has an action that leads to b.
Of another action's result x it needs to know only the class of the better one of b and x: then
that of the best of all actions follows. So two results x < y of the mover's ranking need not be
told apart if everything from x (or b, if that is better) up to y is of one class. That makes the
question for the next action: b and all below it, and above b every unbroken stretch of one class.
When it has a single class left, the mover's own question is answered. With rankings that are each
other's reverse this is alpha-beta; but it holds for any two rankings.
"""

from __future__ import annotations

import itertools

import numpy as np

from cyberdeck.games.hackthegrid.constants import NONE

#: Results, seen from the table: who has won.
COLUMN, DRAW, ROW, BOTH_LOSE = range(4)
RESULTS = 4

SPITEFUL, FRIENDLY = 0, 1
TIES = ("spiteful", "friendly")

#: RANK[ties, seat, result]: how much that seat likes the result, 3 the most.
RANK = np.array(
    [
        [[3, 2, 0, 1], [0, 2, 3, 1]],  # spiteful: rather both than alone
        [[3, 2, 1, 0], [1, 2, 3, 0]],  # friendly: rather alone than both
    ],
    np.int64,
)


def _canonical(classes: tuple[int, ...]) -> tuple[int, ...]:
    """Classes numbered in the order in which they first occur."""
    seen = list(dict.fromkeys(classes))
    return tuple(map(seen.index, classes))


#: All questions: the class of each result. The first knows no difference, the last all of them.
QUESTIONS = sorted({_canonical(classes) for classes in itertools.product(range(4), repeat=4)})
SETTLED, WHICH = 0, len(QUESTIONS) - 1

#: CLASS[question, result] = the results of the same class, one bit each.
CLASS = np.array(
    [
        [sum(1 << x for x in range(RESULTS) if q[x] == q[result]) for result in range(RESULTS)]
        for q in QUESTIONS
    ],
    np.int64,
)


def _question(ties: int, seat: int, asked: tuple[int, ...], best: int) -> int:
    """What *seat*, who is *asked*, asks of its next action when *best* is the best so far."""
    rank = RANK[ties, seat]
    liked = sorted(range(RESULTS), key=lambda result: int(rank[result]))  # the worst first
    floor = 0 if best == NONE else int(rank[best])
    classes = [0] * RESULTS
    stretch = 0
    for at, result in enumerate(liked):
        if at > floor and asked[result] != asked[liked[at - 1]]:
            stretch += 1
        classes[result] = stretch
    return QUESTIONS.index(_canonical(tuple(classes)))


#: ASK[ties, seat, question, best]: the question put to the next action; the last *best* is NONE.
ASK = np.array(
    [
        [
            [
                [_question(ties, seat, q, best) for best in (*range(RESULTS), NONE)]
                for q in QUESTIONS
            ]
            for seat in range(2)
        ]
        for ties in range(2)
    ],
    np.int64,
)
