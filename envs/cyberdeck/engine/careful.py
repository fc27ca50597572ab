"""A game's loops as plain Python that watches every kernel for what compiled code would not notice.

An index past the end of an array, a kernel that writes where it may only look, a fraction written
where a whole number belongs, a game that is won twice: each is a ``Misuse`` that names the line of
the game's file.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from cyberdeck.common.limits import OutOfTime
from cyberdeck.engine import defaults, dice
from cyberdeck.engine.contract import Game
from cyberdeck.engine.definitions import GIVEN
from cyberdeck.engine.places import in_words, place, place_in
from cyberdeck.engine.plain import Interpreter
from cyberdeck.engine.record import COMMON_REASONS, NOBODY
from cyberdeck.engine.watched import Misuse, Watch, frozen, named, strict
from cyberdeck.errors import CyberdeckError

#: Kernels that may only look at the state.
_LOOKING: Final = (
    *("legal", "observe", "report", "heuristic", "check_state"),
    *("seat_count", "side", "secret", "acts_simultaneously"),
)
#: The array that a kernel is handed besides the state: its place, and its name in messages.
_HANDED: Final = {
    "legal": (0, "mask"),
    "observe": (1, "out"),
    "report": (1, "out"),
    "heuristic": (0, "mask"),
}

#: What a kernel must return.
_ANSWERS: Final = {
    "heuristic": "an action",
    "check_state": "0, or 1 + the place of one of invariants=",
    "seat_count": "the number of seats",
    "side": "the number of a team",
    "secret": "True or False",
    "acts_simultaneously": "True or False",
    "retrace": "how many phases are left",
}

#: The share of the time allowed that one call must have taken to count as hung.
_HUNG: Final = 0.5


def hung(limit: OutOfTime, began: float) -> BaseException:
    """The limit of time as a misuse, if what began then has taken most of it; or as it is."""
    took = time.monotonic() - began
    if took < _HUNG * limit.seconds:
        return limit
    what = f"as plain Python this has not ended in {took:.1f} s: loops must be bounded"
    return Misuse(f"{place(limit)}{what}", "end", harmless=True)


class Careful(Interpreter):
    """The interpreter for the loops and kernels of *game*, with checks of what these do.

    *watch* is told of harmless misuse. ``thrown`` may be set to a function that changes the 64 bits
    of every throw of the dice.
    """

    def __init__(self, game: Game, watch: Watch = strict) -> None:
        self.game = game
        self.thrown: Callable[[Any], Any] | None = None
        self._winner: Any = None
        super().__init__(watch=watch)
        unchecked = Interpreter(watch=self.watch)
        self._draw, self._end, self._win = map(
            unchecked.copy, (dice.draw, defaults.end, defaults.win)
        )
        self.hook(dice.draw, self.draw)
        self.hook(defaults.end, self.end)
        self.hook(defaults.win, self.win)
        for name in GIVEN:
            kernel = getattr(game.kernels, name)
            made = self.copy(kernel)
            if name in _LOOKING:
                self.hook(kernel, self._looking(name, made))
            elif name == "act":
                self.hook(kernel, self._acting(made))
            elif name == "retrace":
                self.hook(kernel, self._retracing(made))

    def function(self, kernel: Any) -> Callable[..., Any]:
        """*kernel*, or a loop, as a function whose errors say where in the game's file they come
        from.
        """
        made = super().function(kernel)

        def call(*given: Any) -> Any:
            began = time.monotonic()
            try:
                return made(*given)
            except OutOfTime as limit:
                raise hung(limit, began) from None
            except Misuse as error:
                raise Misuse(f"{place(error)}{error}", error.check, error.harmless) from None
            except CyberdeckError:
                raise
            except Exception as error:
                raise Misuse(f"{place(error)}{in_words(error)}", harmless=True) from None

        return call

    def kernel(self, name: str) -> Callable[..., Any]:
        """One of the game's kernels, which takes NumPy's records and arrays."""
        return self.function(getattr(self.game.kernels, name))

    # --- what is watched -------------------------------------------------------------------------

    def _looking(self, name: str, made: Callable[..., Any]) -> Callable[..., Any]:
        """A kernel that must leave the state as it is."""

        def look(state: Any, *given: Any) -> Any:
            handed = list(given)
            if name in _HANDED:
                at, called = _HANDED[name]
                handed[at] = named(handed[at], called)
            if name == "heuristic":
                handed[0] = frozen(handed[0], name)
            answer = made(frozen(state, name), *handed)
            if name in _ANSWERS:
                self._check_answer(name, answer)
            if name == "heuristic" and handed[0].any() and not 0 <= answer < len(handed[0]):
                last = len(handed[0]) - 1
                what = f"it returns {answer}, which is not legal: actions are 0 to {last}"
                raise self._misuse(name, what, "heuristic")
            if name == "legal":
                marked = int(handed[0].array.sum())
                if answer != marked:
                    what = f"it returns {answer}, and has marked {marked} actions"
                    raise self._misuse(name, f"{what}; return how many, or nothing", "mask")
            return answer

        return look

    def _check_answer(self, name: str, answer: Any) -> None:
        """``Misuse`` unless the kernel *name* may return that *answer*."""
        if not isinstance(answer, (int, np.integer, np.bool_)):
            what = f"it returns {answer!r}, and must return {_ANSWERS[name]}"
            raise self._misuse(name, what, harmless=True)
        if name == "seat_count" and not 1 <= answer <= self.game.most_seats:
            what = f"it returns {answer}, and must return 1 to {self.game.most_seats} seats"
            raise self._misuse(name, what, "mover")
        if name == "check_state" and not 0 <= answer <= len(self.game.invariants):
            what = f"it returns {answer}, and must return {_ANSWERS[name]}"
            raise self._misuse(name, what, "bounds", harmless=True)

    def _acting(self, made: Callable[..., Any]) -> Callable[..., Any]:
        """``act``: then one of the seats is to move, or nobody; a winner's side has got most."""
        k = self.game.kernels

        def act(state: Any, action: Any) -> None:
            self._winner = None
            made(state, action)
            side, count = self.copy(k.side), self.copy(k.seat_count)
            winner, reward = self._winner, state.reward
            for seat in range(0 if winner is None else count(state)):
                if side(state, seat) != side(state, winner) and reward[seat] >= reward[winner]:
                    paid = f"seat {winner} has won and gets {reward[winner]:g}"
                    other = f"but seat {seat}, not on its side, gets {reward[seat]:g}"
                    what = f"{paid}, {other}: leave the rewards as win(...) has written them"
                    raise self._misuse("act", what, "result")
            if not NOBODY <= state.mover < len(reward):
                there = f"there are the seats 0 to {len(reward) - 1}"
                raise self._misuse("act", f"the mover is {state.mover}, and {there}", "mover")

        return act

    def _retracing(self, made: Callable[..., Any]) -> Callable[..., Any]:
        """``retrace``, which must leave the later record as it is."""

        def retrace(state: Any, after: Any) -> Any:
            answer = made(state, frozen(after, "retrace"))
            self._check_answer("retrace", answer)
            return answer

        return retrace

    def _misuse(
        self, name: str, what: str, check: str = "kernels", harmless: bool = False
    ) -> Misuse:
        """What the game's own kernel *name* does wrong, and where it begins."""
        code = getattr(self.game, name).py_func.__code__
        return Misuse(f"{place_in(code)}{what}", check, harmless)

    # --- what is played instead of the engine's own kernels ---------------------------------------

    def draw(self, record: Any) -> Any:
        """A throw of the dice."""
        bits = self._draw(record)
        return bits if self.thrown is None else self.thrown(bits)

    def win(self, state: Any, seat: Any, reason: Any) -> None:
        """``win``, unless that seat cannot win, or the game cannot end so."""
        seats = len(state.reward)
        if not isinstance(seat, (int, np.integer, np.bool_)) or not 0 <= seat < seats:
            what = f"seat {seat} cannot win: there are the seats 0 to {seats - 1}"
            self.watch(what, "result")
        self._check_end(state, reason)
        self._win(state, seat, reason)
        self._winner = seat

    def end(self, state: Any, reason: Any) -> None:
        """``end``, unless the game cannot end so."""
        self._check_end(state, reason)
        self._end(state, reason)

    def _check_end(self, state: Any, reason: Any) -> None:
        if state.terminated or state.truncated:
            what = "the game is over already: return after win(...) or end(...)"
            self.watch(what, "result")
        reasons = list(enumerate(self.game.reasons))[len(COMMON_REASONS) :]
        if reason not in dict(reasons):
            there = ", ".join(f"{number} ({name})" for number, name in reasons) or "none yet"
            what = f"{reason} is no reason of the game; in reasons= there are: {there}"
            self.watch(what, "result")
