"""The suite's strongest tests for anybody's game: does it keep the contract in long random play?

First plain Python plays it, with every index checked, and looks whether a seat is told anything
that it cannot know. If that finds no fault, compiled code plays it.

>>> from cyberdeck.api.registration import load_file
>>> print(check(load_file("examples/games/tictactoe.py").name, decisions=50))
... # doctest: +ELLIPSIS
tictactoe keeps the contract...: 19 checks, ...
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from cyberdeck.common.limits import OutOfTime, at_most
from cyberdeck.engine.careful import Careful
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.defaults import hide_nothing
from cyberdeck.engine.game_loops import carefully, compiled_loops
from cyberdeck.engine.registry import variant as variant_of
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import KernelError, OptionError, require
from cyberdeck.testing.mirrored import wrong_symmetry
from cyberdeck.testing.outside import used_from_outside
from cyberdeck.testing.playing import PlayedGame, RandomPlay
from cyberdeck.testing.position_checks import GAMES
from cyberdeck.testing.report import CHECKS, ENOUGH, ENOUGH_TWINS, Fault, Report
from cyberdeck.testing.twins import Twins

__all__ = ["CAREFUL", "CHECKS", "SECONDS", "THOROUGH", "Fault", "Report", "check", "random_play"]

CAREFUL: Final = 250  # decisions with every index checked
#: Checks that fail where a game is more than its record.
_TWO_WAYS: Final = {"copy", "batch", "fresh", "compiled", "secrets", "resample"}
_COURSES: Final = 8  # games whose positions are compared with others that look alike
THOROUGH: Final = 10  # times as much

SECONDS: Final = 60.0
#: The shares of the time until which games are played carefully, and positions compared.
_PLAYED, _COMPARED = 0.25, 0.5


def check(
    game: str | Variant,
    *,
    decisions: int = 5_000,
    seed: int = 0,
    seconds: float = SECONDS,
    thorough: bool = False,
    progress: Callable[[int], None] | None = None,
    note: Callable[[int, Sequence[int]], None] | None = None,
    **options: Any,
) -> Report:
    """Play a game at random for so many decisions, and look at everything after each.

    Args:
        game: its name, or a game with its options.
        decisions: how many to play.
        seed: game i begins from seed + i.
        seconds: how long it may take, not counting compilation.
        thorough: do ten times as much.
        progress: called with the number of decisions made.
        note: called with a game's seed and decisions before compiled code plays on.
        options: the game's own.
    """
    chosen = game if isinstance(game, Variant) else variant_of(game, **options)
    chosen.refuse_disguise("checks")
    possible = is_whole(decisions) and decisions > 0
    require(possible, "decisions", decisions, "at least 1 is needed")
    require(seconds > 0, "seconds", seconds, "more than 0 are needed")
    compiled_loops(chosen.game)  # at once, where nothing can compile them
    times = THOROUGH if thorough else 1
    named = ", ".join(f"{name}={value!r}" for name, value in chosen.chosen.items())
    options_played = named or "the default options" * bool(chosen.options)
    report, began = Report(chosen.game.name, options_played), time.monotonic()
    report.enough = ENOUGH
    report.enough_twins = 0 if chosen.game.resample is hide_nothing else ENOUGH_TWINS
    courses = _play_carefully(chosen, report, seed, times, decisions, seconds, progress)
    try:
        if not report.faults:
            left = seconds - (time.monotonic() - began)
            games = RandomPlay(chosen, report, seed, GAMES, left, progress, note)
            games.play_again(courses)
            games.run(times * decisions)
        if not report.faults:
            # What was compiled has taken its time: images are to have some in any case.
            until = max(began + seconds, time.monotonic() + seconds / 4)
            _play_images(chosen, report, seed, times * decisions, until)
    except KernelError as error:  # it cannot be compiled
        report.add(Fault("compiled", str(error), seed, ()))
    # If the same game went two ways, lines of kernels may be the cause.
    if _TWO_WAYS & set(report.failed) and (places := used_from_outside(chosen.game)):
        report.outside = [*places, "a game is its record alone: draw with dice.below(state, n)"]
    return report


def _play_images(chosen: Variant, report: Report, seed: int, decisions: int, until: float) -> None:
    """Play the images of games as well, if the game declares symmetries."""
    try:
        exchanges = chosen.symmetries
    except OptionError as error:
        report.add(Fault("symmetries", str(error), seed, ()))
        return
    for each in exchanges:
        share = decisions // len(exchanges)
        if fault := wrong_symmetry(chosen, each, seed=seed, decisions=share, until=until):
            report.add(fault)
        report.stopped |= time.monotonic() > until


def random_play(chosen: Variant, *, decisions: int, games: int, seed: int = 0) -> Report:
    """Have compiled code play so many games side by side, and look at what can be seen of them.

    Of more than 16, only one at a time, each in turn, is looked at for everything. Of the others,
    only what is seen of all at once: invariants, masks, observations, rewards, ends.
    """
    for name, number in (("decisions", decisions), ("games", games)):
        require(is_whole(number) and number > 0, name, number, "at least 1 is needed")
    report = Report(chosen.game.name)
    RandomPlay(chosen, report, seed, games).run(decisions)
    return report


def _play_carefully(
    chosen: Variant,
    report: Report,
    seed: int,
    times: int,
    decisions: int,
    seconds: float,
    progress: Callable[[int], None] | None,
) -> list[PlayedGame]:
    """Have plain Python play, and compare positions that look alike; returns the games played."""
    careful, began, courses = Careful(chosen.game), time.monotonic(), list[PlayedGame]()
    try:
        with carefully(careful), at_most(seconds):
            games = RandomPlay(chosen, report, seed, 1, _PLAYED * seconds, progress)
            courses = games.courses
            games.run_carefully(times * min(CAREFUL, decisions))
            if not {"kernels", "mask", "mover", "people", "end"} & set(report.failed):
                until = began + _COMPARED * seconds
                Twins(chosen, careful, report).run(times * _COURSES, seed, until)
    except OutOfTime:
        report.stopped = True
    return courses
