"""A heuristic prior in an observation: what a built-in player makes of each action, as a number.

0: not legal, or the seat does not decide now. 127: the best. Any other is less by as many steps as
it is worth less, down to 1. How much a step is, is the game's.
"""

from __future__ import annotations

from typing import Any, Final

from cyberdeck.engine.kernels import index, kernel

#: What such a feature of an observation is called.
PRIOR: Final = "prior"
BEST: Final = 127
#: Below any value; the best so far while there is none.
NO_VALUE: Final = -(2**31)


@kernel
def note_value(prior: Any, action: Any, value: Any, best: Any) -> Any:
    """Note what a legal action is worth, in steps; returns the best value so far.

    Actions come in ascending order. What lies in *prior* from *action* on is not looked at: it may
    still be the mask.
    """
    if value <= best:
        prior[index(action)] = max(1, BEST - (best - value))
        return best
    if best != NO_VALUE:
        fall = min(BEST, value - best)
        for earlier in range(action):
            noted = prior[index(earlier)]
            if noted > 0:
                prior[index(earlier)] = max(1, noted - fall)
    prior[index(action)] = BEST
    return value
