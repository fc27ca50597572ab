"""The first game of a game from outside: a short one, with every index checked.

Compiled code does not look where it writes. A game that writes past its arrays, or tells the loops
of a seat that there is not, would take the process down; so it is refused before it is compiled.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from cyberdeck.common.limits import OutOfTime, at_most
from cyberdeck.engine import dice, loops
from cyberdeck.engine.careful import Careful
from cyberdeck.engine.fingerprint import fingerprint, outside
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.watched import Lenient, Misuse
from cyberdeck.errors import KernelError

if TYPE_CHECKING:
    from cyberdeck.engine.variant import Variant

_SECONDS: Final = 2.0
_SEEDS: Final = 3
_DECISIONS: Final = 300

#: What was found in this process: "" if nothing was.
_found: Final[dict[str, str]] = {}


def need_a_careful_game(variant: Variant) -> None:
    """Raise ``KernelError`` if compiled loops would leave their arrays in that game's first one."""
    game = variant.game
    if not outside(vars(game.act)["py_func"].__module__):
        return
    made = loops.compiled_loops(game)
    if not hasattr(made.begin, "others"):  # from a library, which was made of what had passed
        return
    name = _name(variant, made)
    if name not in _found:
        fault = "" if _was_fine(name) else _fault(variant)
        if fault == "":
            _keep(name)
        _found[name] = fault or ""
    if _found[name]:
        raise KernelError(
            f"{game.name} is not played: in a first game with every index checked, {_found[name]}"
            " (`cyberdeck check` looks for more)"
        )


def _name(variant: Variant, made: loops.Loops) -> str:
    """Letters for a game's code, layout and options."""
    parts = [fingerprint(loop.py_func) for loop in vars(made).values()]
    parts += [str(variant.game.dtype.descr), str(variant.options)]
    sizes = f"{variant.action_count} {variant.observation_size}"
    return hashlib.blake2b(" ".join([*parts, sizes]).encode(), digest_size=16).hexdigest()


def _marker(name: str) -> Path | None:
    from cyberdeck.engine import jit  # numba is there: it made the loops

    folder = jit.cache_folder()
    return None if folder is None else folder / f"checked-{name}"


def _was_fine(name: str) -> bool:
    """Whether this game has been found fine before."""
    marker = _marker(name)
    return marker is not None and marker.is_file()


def _keep(name: str) -> None:
    """Note that nothing was found."""
    marker = _marker(name)
    if marker is not None:
        with contextlib.suppress(OSError):  # a full disk costs time, not the game
            marker.touch()


def _fault(variant: Variant) -> str | None:
    """What a short game does that compiled code must not, or ""; None if it did not end."""
    until = time.monotonic() + _SECONDS
    try:
        with at_most(_SECONDS):
            made = loops.careful_loops(Careful(variant.game, Lenient()))
            for seed in range(_SEEDS):
                _play(variant, made, seed, until)
    except Misuse as error:
        if not error.harmless:
            return str(error)
        # Compiled code may do well where plain Python stumbles or takes long: `check` tells more.
        if error.check == "end":
            warnings.warn(f"{variant.game.name}: {error} (see `cyberdeck check`)", stacklevel=2)
            return None
    except OutOfTime:
        pass
    return ""


def _play(variant: Variant, made: loops.Loops, seed: int, until: float) -> None:
    """Play a game, by random and by sensible decisions, and look at it from every seat."""
    game, seats, size = variant.game, variant.seats, variant.observation_size
    states, here = variant.blank(), np.zeros(1, np.int64)
    rows = np.zeros(1, loops.row_dtype(game.most_seats, len(game.metrics)))
    states["dice"] = rows["dice"] = dice.seeded(seed)
    rows["seat_rule"] = loops.EVERY
    masks = np.zeros((1, variant.action_count), np.int8)
    seen, finals = np.zeros((1, size), np.int8), np.zeros((1, seats, size), np.int8)
    seat_masks, together = np.zeros((seats, masks.shape[1]), np.int8), np.zeros(seats, np.int8)
    numbers = np.zeros((seats, len(game.metrics)), np.int32)
    pool = np.array([loops.OUTSIDE], np.int8)
    made.begin(here, states, rows, pool, pool, loops.FROM_SHUFFLE, masks, seen)
    for decision in range(_DECISIONS):
        made.look_together(states, 0, seat_masks, finals[0], numbers, together)
        made.check_state(states, np.zeros(1, np.int64))
        for seat in range(seats):
            world = states.copy()
            made.resample(world, 0, seat, dice.seeded(decision))
            made.look(world, 0, seat, seat_masks[seat], seen[0], numbers[seat])
        if states["mover"][0] == NOBODY or time.monotonic() > until:
            return
        code, chosen = (loops.RANDOM, loops.HEURISTIC)[decision % 2], here.copy()
        made.choose(code, states, rows, masks, chosen)
        made.advance(here, chosen, states, rows, pool, pool, loops.DISABLED, masks, seen, finals)
