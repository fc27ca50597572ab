"""Monte Carlo tree search over the contract, compiled.

Each iteration redraws what the searcher cannot know, walks down the tree, plays on from its leaf to
the end, and credits every decision on the way with what its own seat got from there on.

The tree's nodes are *information sets*: what a seat sees when it has to decide (its observation and
its mask), whichever world this came from. So no seat's choice in the tree can depend on what that
seat does not know: not on hidden cards, nor on plans made in secret at the same time. This is
information-set search with many observers; a search in each redrawn world by itself (an ensemble)
would let everybody in that world play as if all were open.
"""
