"""Measuring players: matches, rates with their intervals, tournaments and ratings.

Only plots need more than the environments do: the extra ``evaluate``.
"""

from cyberdeck.evaluation.evaluate import Evaluation, Record, evaluate
from cyberdeck.evaluation.games import Games
from cyberdeck.evaluation.match import Comparison, match
from cyberdeck.evaluation.ratings import Ratings, rate
from cyberdeck.evaluation.results import merge
from cyberdeck.evaluation.rounds import play_games
from cyberdeck.evaluation.seeds import ReportingSeed, reporting_seed
from cyberdeck.evaluation.tournament import Pairing, Tournament, tournament

__all__ = [
    "Comparison",
    "Evaluation",
    "Games",
    "Pairing",
    "Ratings",
    "Record",
    "ReportingSeed",
    "Tournament",
    "evaluate",
    "match",
    "merge",
    "play_games",
    "rate",
    "reporting_seed",
    "tournament",
]
