"""The check in a process of its own: a crash or a hang there is reported, and ends nothing else."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Final, NamedTuple

from cyberdeck.common.limits import OutOfTime, at_most
from cyberdeck.engine.places import in_words, place
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import CyberdeckError, KernelError
from cyberdeck.testing.checking import Fault, Report, check

#: Seconds that are allowed beyond the limit, and for what it does not count: to start the process
#: on a busy machine, and to compile.
_GRACE: Final = 5.0
_STARTING: Final = 30.0
_COMPILING: Final = 900.0
_DAY: Final = 86_400.0  # nobody waits longer


class Place(NamedTuple):
    """The game that compiled code plays, and the decisions so far."""

    seed: int | None
    decisions: tuple[int, ...]


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
    child = context.Process(target=_check, args=asked, daemon=True)
    child.start()
    there.close()
    try:
        return _answer(here, child, progress, seconds)
    finally:
        child.kill()
        child.join()


def _answer(
    here: Connection, child: BaseProcess, progress: Callable[[int], None] | None, seconds: float
) -> Report:
    """The child's report, or one about its crash or hang."""
    name, at, until = "the game", Place(None, ()), time.monotonic() + seconds + _STARTING
    hung = "the file has not been loaded"
    try:
        while here.poll(min(max(0.0, until - time.monotonic()), _DAY)):
            told = here.recv()
            if isinstance(told, Report):
                return told
            if isinstance(told, CyberdeckError):
                raise told
            if isinstance(told, str):
                name, until = told, time.monotonic() + seconds + _GRACE + _COMPILING
                hung = "plain Python has not come back"
            elif isinstance(told, Place):
                at, hung = told, "compiled code has not come back"
            else:
                if at.seed is not None:  # compiled code has made a first decision
                    until = time.monotonic() + seconds + _GRACE
                if progress is not None:
                    progress(told)
        check, what = "end", f"{hung} in {seconds:g} s"
    except (EOFError, OSError):  # of Windows, or in the middle of an answer
        child.join()
        check, what = "kernels", f"the process died{_of(child.exitcode)}"
    if at.seed is not None:
        what = f"{what}, in this game or one beside it"
    return Report(name, stopped=True, faults=[Fault(check, what, at.seed or 0, at.decisions)])


def _of(status: int | None) -> str:
    """The cause of a process's death, in words."""
    if status is None or status >= 0:
        return f" with status {status}"
    try:
        return f" of {signal.Signals(-status).name}"
    except ValueError:
        return f" of signal {-status}"


def _check(
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
            there.send(Place(seed, tuple(decisions)))

        there.send(check(variant, progress=there.send, note=note, **more))
    except CyberdeckError as error:
        there.send(error)
    except Exception as error:
        there.send(KernelError(f"{place(error)}{in_words(error)}"))
