"""The suite's strongest tests for anybody's game: does it keep the contract in long random play?

First it is played by plain Python, in which every index is checked, and what a seat cannot know is
looked for in all that it is told; then, if nothing was found, by compiled code.

>>> print(check("hackthegrid", decisions=200))
hackthegrid keeps the contract: 17 checks, ...
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from cyberdeck.common.limits import OutOfTime, at_most
from cyberdeck.engine.careful import Careful
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.loops import carefully
from cyberdeck.engine.registry import variant as variant_of
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import require
from cyberdeck.evaluation.check.playing import GAMES, Games
from cyberdeck.evaluation.check.report import CHECKS, Fault, Report
from cyberdeck.evaluation.check.twins import Twins

__all__ = ["CHECKS", "Fault", "Report", "check", "random_play"]

#: Decisions that are made with every index checked; and games whose positions are compared with
#: others that look alike.
_CAREFUL: Final = 250
_COURSES: Final = 8
_THOROUGH: Final = 10  # times as much

#: The shares of the time that the first parts may take.
_PLAYED, _COMPARED = 0.25, 0.5


def check(
    game: str | Variant,
    *,
    decisions: int = 5_000,
    seed: int = 0,
    seconds: float = 60.0,
    thorough: bool = False,
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> Report:
    """Play a game at random for so many decisions and look at everything at every one of them.

    Args:
        game: its name, or a game with its options.
        decisions: how many to play.
        seed: game i begins from seed + i.
        seconds: how long it may take, compiling apart.
        thorough: play ten times as much.
        progress: called with the number of decisions made.
        options: the game's own.
    """
    chosen = game if isinstance(game, Variant) else variant_of(game, **options)
    require(seconds > 0, "seconds", seconds, "more than 0 are needed")
    times = _THOROUGH if thorough else 1
    report = Report(chosen.game.name)
    began = time.monotonic()
    _play_carefully(chosen, report, seed, times, decisions, seconds)
    if report.faults:
        return report
    left = seconds - (time.monotonic() - began)
    Games(chosen, report, seed, GAMES, left).run(times * decisions, progress)
    return report


def random_play(chosen: Variant, *, decisions: int, games: int, seed: int = 0) -> Report:
    """Play so many games side by side by compiled code, and look at what can be seen of them.

    Of more than 16, only one in turn is looked at for everything; of the others, what can be seen
    of all together: invariants, masks, observations, rewards, ends.
    """
    for name, number in (("decisions", decisions), ("games", games)):
        require(is_whole(number) and number > 0, name, number, "at least 1 is needed")
    report = Report(chosen.game.name)
    Games(chosen, report, seed, games).run(decisions)
    return report


def _play_carefully(
    chosen: Variant, report: Report, seed: int, times: int, decisions: int, seconds: float
) -> None:
    """Play by plain Python, and compare what looks alike."""
    careful, began = Careful(chosen.game), time.monotonic()
    try:
        with carefully(careful), at_most(seconds):
            games = Games(chosen, report, seed, 1, began + _PLAYED * seconds)
            games.run_carefully(times * min(_CAREFUL, decisions))
            if not report.faults:
                courses = times * _COURSES
                Twins(chosen, careful, report).run(courses, seed, began + _COMPARED * seconds)
    except OutOfTime:
        report.stopped = True
