"""The suite's strongest tests for anybody's game: does it keep the contract in long random play?

First plain Python plays it, with every index checked, and looks whether a seat is told anything
that it cannot know. If that finds no fault, compiled code plays it.

>>> from cyberdeck import load_file
>>> print(check(load_file("examples/games/tictactoe.py").name, decisions=50))
... # doctest: +ELLIPSIS
tictactoe keeps the contract...: 19 checks, ...

``check_apart`` does so in a process of its own: a crash or a hang there is reported, and ends
nothing else.
"""

from __future__ import annotations

import ast
import inspect
import multiprocessing
import signal
import textwrap
import time
import types
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any, Final

from cyberdeck.common.limits import OutOfTime, at_most
from cyberdeck.engine.careful import Careful
from cyberdeck.engine.contract import Game, is_whole
from cyberdeck.engine.defaults import hide_nothing
from cyberdeck.engine.definitions import GIVEN
from cyberdeck.engine.fingerprint import functions_of
from cyberdeck.engine.game_loops import carefully, compiled_loops
from cyberdeck.engine.places import in_words, place, place_in
from cyberdeck.engine.registry import variant as variant_of
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import CyberdeckError, KernelError, OptionError, require
from cyberdeck.testing.mirrored import wrong_symmetry
from cyberdeck.testing.playing import PlayedGame, RandomPlay
from cyberdeck.testing.position_checks import GAMES
from cyberdeck.testing.report import CHECKS, ENOUGH, ENOUGH_TWINS, Fault, Report
from cyberdeck.testing.twins import Twins

__all__ = ["CAREFUL", "CHECKS", "SECONDS", "THOROUGH", "Fault", "Report", "check", "random_play"]

#: Checks that fail where a game is more than its record: if it uses what these modules answer.
_TWO_WAYS: Final = {"copy", "batch", "fresh", "compiled", "secrets", "resample"}
_MODULES: Final = ("random", "secrets", "time", "datetime", "os", "numpy.random")

CAREFUL: Final = 250  # decisions with every index checked
_COURSES: Final = 8  # games whose positions are compared with others that look alike
THOROUGH: Final = 10  # times as much

SECONDS: Final = 60.0
#: The shares of the time until which games are played carefully, and positions compared.
_PLAYED, _COMPARED = 0.25, 0.5

#: Seconds that a process is allowed beyond the limit, and for what it does not count: to start on a
#: busy machine, and to compile.
_GRACE: Final = 5.0
_STARTING: Final = 30.0
_COMPILING: Final = 900.0
_DAY: Final = 86_400.0  # nobody waits longer


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
    times, began = THOROUGH if thorough else 1, time.monotonic()
    named = ", ".join(f"{name}={value!r}" for name, value in chosen.chosen.items())
    options_played = named or "the default options" * bool(chosen.options)
    report = Report(chosen.game.name, options_played, enough=ENOUGH)
    report.enough_twins = 0 if chosen.game.resample is hide_nothing else ENOUGH_TWINS
    careful, courses = Careful(chosen.game), list[PlayedGame]()
    try:
        with carefully(careful), at_most(seconds):
            play = RandomPlay(chosen, report, seed, 1, _PLAYED * seconds, progress)
            courses = play.courses
            play.run(times * min(CAREFUL, decisions))
            if not {"kernels", "mask", "mover", "people", "end"} & set(report.failed):
                until = began + _COMPARED * seconds
                Twins(chosen, careful, report).run(times * _COURSES, seed, until)
    except OutOfTime:
        report.stopped = True
    try:
        if not report.faults:
            left = seconds - (time.monotonic() - began)
            play = RandomPlay(chosen, report, seed, GAMES, left, progress, note)
            _play_compiled(play, courses, times * decisions)
        if not report.faults:
            # What was compiled has taken its time: images are to have some in any case.
            until = max(began + seconds, time.monotonic() + seconds / 4)
            _play_images(chosen, report, seed, times * decisions, until)
    except KernelError as error:  # it cannot be compiled
        report.add(Fault("compiled", str(error), seed, ()))
    if _TWO_WAYS & set(report.failed) and (places := _used_from_outside(chosen.game)):
        report.outside = [*places, "a game is its record alone: draw with dice.below(state, n)"]
    return report


def _play_compiled(play: RandomPlay, courses: Sequence[PlayedGame], decisions: int) -> None:
    """Have compiled code play the games that plain Python has played, and others."""
    play.play_again(courses)
    play.run(decisions)


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


def _used_from_outside(game: Game) -> list[str]:
    """Each line of the game's kernels, and of what they call, that uses one of those modules."""
    lines = dict[str, None]()
    kernels = (getattr(game, name) for name in GIVEN)
    own = [each for each in kernels if each and not each.__module__.startswith("cyberdeck.")]
    for function in (each for kernel in own for each in functions_of(kernel.py_func)):
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        except (OSError, SyntaxError):  # written in a console
            continue
        code = function.__code__
        for node in ast.walk(tree):
            if isinstance(node, ast.Name | ast.Attribute):
                used = ast.unparse(node)
                name, _, inner = used.partition(".")
                value = function.__globals__.get(name)
                value = getattr(value, inner, None) if inner else value
                if isinstance(value, types.ModuleType) and value.__name__ in _MODULES:
                    line = code.co_firstlineno + node.lineno - 1
                    lines[f"{place_in(code, line)}{used} is used"] = None
    return list(lines)


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


# --- in a process of its own ----------------------------------------------------------------------


def check_apart(
    make: Callable[..., Variant],
    given: tuple[Any, ...],
    progress: Callable[[int], None] | None,
    seconds: float,
    **more: Any,
) -> Report:
    """``check`` of the variant that *make* makes of what is *given*, in a process of its own.

    The game is loaded there alone. *more*: what ``check`` takes besides.
    """
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    asked = (there, make, given, {**more, "seconds": seconds})
    child = context.Process(target=_check_here, args=asked, daemon=True)
    child.start()
    there.close()
    name, seed, decisions = "the game", None, ()
    until, hung = time.monotonic() + seconds + _STARTING, "the file has not been loaded"
    try:
        while here.poll(min(max(0.0, until - time.monotonic()), _DAY)):
            match here.recv():
                case Report() as report:
                    return report
                case CyberdeckError() as error:
                    raise error
                case str() as name:
                    until = time.monotonic() + seconds + _GRACE + _COMPILING
                    hung = "plain Python has not come back"
                case (seed, decisions):  # the game that compiled code plays
                    hung = "compiled code has not come back"
                case count:
                    if seed is not None:  # compiled code has made a first decision
                        until = time.monotonic() + seconds + _GRACE
                    if progress is not None:
                        progress(count)
        failed, what = "end", f"{hung} in {seconds:g} s"
    except (EOFError, OSError):  # of Windows, or in the middle of an answer
        child.join()
        status = child.exitcode or 0
        cause = f"of {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
        failed, what = "kernels", f"the process died {cause}"
    finally:
        child.kill()
        child.join()
    if seed is not None:
        what = f"{what}, in this game or one beside it"
    return Report(name, stopped=True, faults=[Fault(failed, what, seed or 0, decisions)])


def _check_here(
    there: Connection, make: Callable[..., Variant], given: tuple[Any, ...], more: dict[str, Any]
) -> None:
    """Run in the child: send the game's name, then the progress, and at last the report."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets it too, and ends this process
    try:
        try:
            with at_most(more["seconds"]):
                variant = make(*given)
        except OutOfTime as limit:
            what = f"{place(limit)}the file has not been loaded in {limit.seconds:g} s"
            raise KernelError(what) from None
        there.send(variant.game.name)

        def note(seed: int, decisions: Sequence[int]) -> None:
            there.send((seed, tuple(decisions)))

        there.send(check(variant, progress=there.send, note=note, **more))
    except CyberdeckError as error:
        there.send(error)
    except Exception as error:
        there.send(KernelError(f"{place(error)}{in_words(error)}"))
