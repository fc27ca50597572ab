"""Stacktrices: what the built-in heuristic makes of the mover's actions, as numbers."""

from __future__ import annotations

from cyberdeck.engine.kernels import Mask, State, index, kernel
from cyberdeck.engine.prior import BEST, NO_VALUE, note_value
from cyberdeck.games.stacktrices.board import claim
from cyberdeck.games.stacktrices.constants import NONE
from cyberdeck.games.stacktrices.heuristic import outlook, settled, value_of
from cyberdeck.games.stacktrices.hidden import in_setup
from cyberdeck.games.stacktrices.rules import legal

#: From the first turn on luck may outweigh as much: finer differences do not count. 126 steps are
#: 378, nearly three stacks of a full side. In the heuristic's own play they hold all differences in
#: the set-up and in placing pieces, nine in ten of those in raiding, and two thirds of those in
#: moving. A move that is worth still less is as bad as any.
STEP = 3
#: In the heuristic's own play the last capture is beyond 127 of these, and of all other moves not
#: one in a hundred.
PROSPECT_STEP = 16


@kernel
def show_prior(state: State, prior: Mask) -> int:
    """Write the mover's prior; returns its prospect, not yet cut off at the highest number.

    That is what lies open now, what the own stacks are worth less the opponent's, and what the best
    action brings. One that is taken without weighing brings nothing that is known.
    """
    legal(state, prior)
    seen = outlook(state)
    prospect = 0 if in_setup(state) else seen.own.total - seen.theirs.total
    chosen = settled(state, seen, prior)
    if chosen != NONE:
        prior[index(chosen)] = BEST  # the mask has made all others 1
    else:
        best = NO_VALUE
        for action in range(claim(state)):
            if prior[index(action)] == 1:
                best = note_value(prior, action, value_of(state, seen, action) // STEP, best)
        prospect += STEP * best
    return prospect // PROSPECT_STEP
