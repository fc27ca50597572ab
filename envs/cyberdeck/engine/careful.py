"""A game's loops as plain Python that watches every kernel: what compiled code would not notice.

An index past an array, a kernel that writes where it may only look, a fraction written into a whole
number, a game that is won twice: each is a ``Misuse`` that says where it stands in the game's file.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from cyberdeck.common.limits import OutOfTime
from cyberdeck.engine import defaults, dice
from cyberdeck.engine.contract import Game
from cyberdeck.engine.defaults import Kernels
from cyberdeck.engine.places import in_words, place
from cyberdeck.engine.plain import as_called, as_python, from_outside
from cyberdeck.engine.record import COMMON_REASONS, NOBODY
from cyberdeck.engine.watched import Misuse, Watch
from cyberdeck.errors import CyberdeckError

#: Kernels that may only look at the state.
LOOKING: Final = (
    *("legal", "observe", "report", "heuristic", "check_state"),
    *("seat_count", "side", "acts_simultaneously"),
)
#: What a kernel is handed besides the state to write in, by its place and its name in messages.
_HANDED: Final = {"legal": (1, "mask"), "observe": (2, "out"), "report": (2, "out")}

#: What a kernel must return.
_ANSWERS: Final = {
    "heuristic": "an action is needed",
    "check_state": "0 is needed, or 1 + the place of one of invariants=",
    "seat_count": "how many seats there are is needed",
    "side": "the number of a team is needed",
    "acts_simultaneously": "True or False is needed",
}

#: The share of its time that a kernel has to have taken, to have hung.
_HUNG: Final = 0.5


class Careful:
    """What makes plain Python of the loops of *game*.

    *watch* says what is made of mistakes that compiled code survives. *thrown* may change the 64
    bits of every throw of the dice.
    """

    def __init__(self, game: Game, watch: Watch | None = None) -> None:
        self.game = game
        self.watch = watch or Watch()
        self.thrown: Callable[[Any], Any] | None = None
        self._draw = as_called(dice.draw, watch=self.watch)
        self._end = as_called(defaults.end, watch=self.watch)
        ending = {id(defaults.end): self.end}
        self._win = as_called(defaults.win, {id(defaults.end): self._end}, self.watch)
        self._kernels: dict[int, Callable[..., Any]] = {
            id(dice.draw): self.draw,
            **ending,
            id(defaults.win): self.win,
        }
        for name in Kernels.__annotations__:
            made = as_called(getattr(game.kernels, name), self._kernels, self.watch)
            watched = self._looking(name, made) if name in LOOKING else made
            self._kernels[id(getattr(game.kernels, name))] = watched
        self._kernels[id(game.kernels.act)] = self._acting(self._kernels[id(game.kernels.act)])

    def made(self, functions: Sequence[Callable[..., Any]]) -> list[Callable[..., Any]]:
        """Loops, or other functions that call the game's kernels, as plain Python."""
        return [
            self._placing(as_python(_Function(each), self._kernels, self.watch))
            for each in functions
        ]

    def kernel(self, name: str) -> Callable[..., Any]:
        """One of the game's kernels, which takes NumPy's records and arrays."""
        made = self._kernels[id(getattr(self.game.kernels, name))]
        return self._placing(from_outside(made, self.watch))

    # --- what is watched -------------------------------------------------------------------------

    def _looking(self, name: str, made: Callable[..., Any]) -> Callable[..., Any]:
        """A kernel that must leave the state as it is."""

        def look(state: Any, *given: Any) -> Any:
            handed = list(given)
            if name in _HANDED:
                at, called = _HANDED[name]
                handed[at - 1] = handed[at - 1].named(called)
            if name == "heuristic":
                handed[0] = handed[0].frozen(name)
            found = made(state.frozen(name), *handed)
            if name in _ANSWERS and not isinstance(found, (int, np.integer, np.bool_)):
                what = f"{self._defined(name)}: it returns {found!r}: {_ANSWERS[name]}"
                raise Misuse(what, harmless=True)
            if name == "heuristic" and not 0 <= found < len(handed[0]):
                last = len(handed[0]) - 1
                what = f"it returns {found}, which is not legal: actions are 0 to {last}"
                raise Misuse(f"{self._defined(name)}: {what}", "heuristic")
            if name == "seat_count" and not 1 <= found <= self.game.most_seats:
                what = f"it returns {found}, and there are at most {self.game.most_seats} seats"
                raise Misuse(f"{self._defined(name)}: {what}", "mover")
            if name == "check_state" and not 0 <= found <= len(self.game.invariants):
                what = f"{self._defined(name)}: it returns {found}: {_ANSWERS[name]}"
                raise Misuse(what, "bounds", harmless=True)
            if name == "legal":
                marked = int(handed[0].array.sum())
                if found != marked:
                    what = f"it returns {found}, and has marked {marked} actions; return how many"
                    raise Misuse(f"{self._defined(name)}: {what}, or nothing", "mask")
            return found

        return look

    def _acting(self, made: Callable[..., Any]) -> Callable[..., Any]:
        """``act``, after which somebody is to move."""

        def act(state: Any, action: Any) -> None:
            made(state, action)
            mover, seats = state.mover, len(state.reward)
            if not NOBODY <= mover < seats:
                what = f"the mover is {mover}, and there are the seats 0 to {seats - 1}"
                raise Misuse(f"{self._defined('act')}: {what}", "mover")

        return act

    def draw(self, record: Any) -> Any:
        """A throw of the dice."""
        bits = self._draw(record)
        return bits if self.thrown is None else self.thrown(bits)

    def win(self, state: Any, seat: Any, reason: Any) -> None:
        """``win`` that looks whether it can be."""
        seats = len(state.reward)
        if not isinstance(seat, (int, np.integer, np.bool_)) or not 0 <= seat < seats:
            what = f"seat {seat} cannot win: there are the seats 0 to {seats - 1}"
            self.watch.harmless(what, "result")
        self._check_end(state, reason)
        self._win(state, seat, reason)

    def end(self, state: Any, reason: Any) -> None:
        """``end`` that looks whether it can be."""
        self._check_end(state, reason)
        self._end(state, reason)

    def _check_end(self, state: Any, reason: Any) -> None:
        if state.terminated or state.truncated:
            what = "the game is over already: return after win(...) or end(...)"
            self.watch.harmless(what, "result")
        own = dict(enumerate(self.game.reasons))
        for common in range(len(COMMON_REASONS)):
            del own[common]
        if reason not in own:
            there = ", ".join(f"{number} ({name})" for number, name in own.items()) or "none yet"
            what = f"{reason} is no reason of the game; in reasons= there are: {there}"
            self.watch.harmless(what, "result")

    # --- where it stands -------------------------------------------------------------------------

    def _defined(self, name: str) -> str:
        """Where the game's own kernel of that name begins."""
        code = getattr(self.game, name).py_func.__code__
        return f"{Path(code.co_filename).name}, line {code.co_firstlineno}, in {name}"

    def _placing(self, made: Callable[..., Any]) -> Callable[..., Any]:
        """A function whose errors say where in the game's file they come from."""

        def call(*given: Any) -> Any:
            began = time.monotonic()
            try:
                return made(*given)
            except OutOfTime as limit:
                took = time.monotonic() - began
                if took < _HUNG * limit.seconds:
                    raise
                what = f"this has not come to an end in {took:.1f} s: loops must be bounded"
                raise Misuse(f"{place(limit)}{what}", "end", harmless=True) from None
            except Misuse as error:
                what = f"{place(error)}{error}"
                raise Misuse(what, error.check, error.harmless) from None
            except CyberdeckError:
                raise
            except Exception as error:
                raise Misuse(f"{place(error)}{in_words(error)}", harmless=True) from None

        return call


class _Function:
    """A function that stands for a kernel."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.py_func = function
