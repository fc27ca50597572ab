"""Measuring players: matches, rates with their intervals, tournaments and ratings.

Needs nothing but the environments for ``evaluate`` and ``play_games``; ratings and plots need the
extra ``evaluate``.
"""

from cyberdeck.evaluation.evaluate import Evaluation, Record, evaluate
from cyberdeck.evaluation.games import Games
from cyberdeck.evaluation.match import play_games
from cyberdeck.evaluation.ratings import Ratings, rate
from cyberdeck.evaluation.seeds import ReportingSeed, reporting_seed
from cyberdeck.evaluation.tournament import Pairing, Tournament, tournament

__all__ = [
    "Evaluation",
    "Games",
    "Pairing",
    "Ratings",
    "Record",
    "ReportingSeed",
    "Tournament",
    "evaluate",
    "play_games",
    "rate",
    "reporting_seed",
    "tournament",
]
