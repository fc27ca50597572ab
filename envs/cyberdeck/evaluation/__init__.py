"""Measuring players: matches, rates with their intervals, tournaments and ratings.

Needs nothing but the environments for ``evaluate`` and ``play``; ratings and plots need the
extra ``evaluate``.
"""

from cyberdeck.evaluation.evaluate import Evaluation, Record, evaluate
from cyberdeck.evaluation.match import Games, play

__all__ = ["Evaluation", "Games", "Record", "evaluate", "play"]
