"""At the first use of a game from outside: a short game with every index checked.

Compiled code does not look where it writes. A game that writes past the end of an array, or names a
seat that does not exist, could take the process down: it is refused before it is compiled.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import time
from typing import Any, Final

import numpy as np

from cyberdeck.common.limits import OutOfTime, at_most
from cyberdeck.common.text import warn
from cyberdeck.engine import dice, game_loops, loops, mistakes
from cyberdeck.engine.careful import Careful
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.contract import Game
from cyberdeck.engine.fingerprint import fingerprint, outside
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.watched import Misuse, lenient
from cyberdeck.errors import KernelError

_SECONDS: Final = 2.0
_SEEDS: Final = 3
_DECISIONS: Final = 300

#: What was found in this process, by what the game was made of: "" if nothing was.
_found: Final[dict[str, str]] = {}


def need_a_careful_game(variant: Any) -> None:
    """Raise ``KernelError`` if compiled loops of a ``Variant``, whose module imports this one,
    would leave their arrays in a short game.
    """
    game = variant.game
    if not outside(vars(game.act)["py_func"].__module__):
        return
    if not _made_of(game):  # loops from a library: they were made of what had passed
        return
    name = _digest(variant)
    if name not in _found:
        from cyberdeck.engine import jit  # numba is there: it made the loops

        folder = jit.cache_folder()
        # In the cache folder a mark says that this game has been found fine before.
        mark = None if folder is None else folder / f"played-{name}"
        fine = mark is not None and mark.is_file()
        fault = "" if fine else _fault(variant)
        if fault == "" and mark is not None:
            with contextlib.suppress(OSError):  # a full disk costs time, not the game
                mark.touch()
        _found[name] = fault or ""
    if _found[name]:
        raise KernelError(
            f"{game.name} is not played: in a first game with every index checked, {_found[name]}"
            " (`cyberdeck check` looks for more)"
        )


@functools.cache
def _made_of(game: Game) -> str:
    """Digests of what numba compiles of a game; "" if its loops come from a library."""
    made = vars(game_loops.compiled_loops(game)).values()
    return " ".join(fingerprint(loop.py_func) for loop in made if hasattr(loop, "others"))


def _digest(variant: Any) -> str:
    """A digest of a game's code and layout, and of what its options make of a record."""
    game, sizes = variant.game, (variant.seats, *variant.lengths.values(), variant.longest)
    parts = [_made_of(game), game.dtype.descr, game.observation_dtype, *sizes]
    whole = repr(parts).encode() + variant.blank().tobytes()
    return hashlib.blake2b(whole, digest_size=16).hexdigest()


def _fault(variant: Any) -> str | None:
    """What makes compiled code leave its arrays in short games, or ""; None if one went wrong in
    another way, which may be why it cannot be compiled.
    """
    game, until = variant.game, time.monotonic() + _SECONDS
    try:
        with at_most(_SECONDS):
            made = game_loops.careful_loops(Careful(game, lenient))
            for seed in range(_SEEDS):
                _play(variant, made, seed, until)
    except Misuse as error:
        if not error.harmless:
            return str(error)
        # Compiled code may do well where plain Python fails or takes long: `check` tells more.
        mistakes.note(game.label, str(error))
        if error.check == "end":
            warn(f"{game.name}: {error} (see `cyberdeck check`)", stacklevel=2)
        return None
    except OutOfTime:
        pass
    return ""


def _play(variant: Any, made: game_loops.Loops, seed: int, until: float) -> None:
    """Play a game, half at random and half by its heuristic, and look at it from every seat."""
    game, states, here = variant.game, variant.blank(), np.zeros(1, np.int64)
    actions, size, seats = variant.action_count, variant.observation_size, variant.seats
    rows = np.zeros(1, loops.row_dtype(game.most_seats, len(game.metrics)))
    states["dice"] = rows["dice"] = dice.seeded(seed)
    rows["seat_rule"] = EVERY
    masks = np.zeros((1, actions), np.int8)
    seen, finals = np.zeros((1, size), variant.dtype), np.zeros((1, seats, size), variant.dtype)
    seat_masks, together = np.zeros((seats, actions), np.int8), np.zeros(seats, np.int8)
    numbers = np.zeros((seats, len(game.metrics)), np.int32)
    pool = np.array([loops.OUTSIDE], np.int8)
    decided = [0] * game.most_seats
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
        mover = int(states["mover"][0])
        decided[mover] += 1
        if variant.longest is not None and decided[mover] > variant.longest:
            what = f"{variant.agents[mover]} decides more often than {variant.longest} times"
            raise Misuse(f"{what}, which longest= says is the most", "mover")
        code, chosen = (loops.RANDOM, loops.HEURISTIC)[decision % 2], here.copy()
        made.choose(code, states, rows, masks, chosen)
        made.advance(here, chosen, states, rows, pool, pool, loops.DISABLED, masks, seen, finals)
