"""At the first use of a game from outside: a short game with every index checked.

Compiled code does not look where it writes. A game that writes past the end of an array, or names a
seat that does not exist, could take the process down: it is refused before it is compiled.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import time
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from cyberdeck.common.limits import OutOfTime, at_most
from cyberdeck.common.text import warn
from cyberdeck.engine import dice, game_loops, loops, mistakes
from cyberdeck.engine.careful import Careful
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.contract import Game, Record
from cyberdeck.engine.fingerprint import fingerprint, outside
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.watched import Lenient, Misuse
from cyberdeck.errors import KernelError

_SECONDS: Final = 2.0
_SEEDS: Final = 3
_DECISIONS: Final = 300

#: What was found in this process, by what the game was made of: "" if nothing was.
_found: Final[dict[str, str]] = {}


class Setup(NamedTuple):
    """A game with its options chosen, as it is set up to be played."""

    game: Game
    blank: Record
    """A record with the options, and nothing dealt."""
    agents: tuple[str, ...]
    actions: int
    numbers: int
    """How many an observation has."""
    longest: int | None


def need_a_careful_game(setup: Setup) -> None:
    """Raise ``KernelError`` if compiled loops would leave their arrays in a short game."""
    game = setup.game
    if not outside(vars(game.act)["py_func"].__module__):
        return
    if not _made_of(game):  # loops from a library: they were made of what had passed
        return
    name = _name(setup)
    if name not in _found:
        marker = _marker(name)  # in the cache folder: this game has been found fine before
        fine = marker is not None and marker.is_file()
        fault = "" if fine else _fault(setup)
        if fault == "" and marker is not None:
            with contextlib.suppress(OSError):  # a full disk costs time, not the game
                marker.touch()
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


def _name(setup: Setup) -> str:
    """A digest of a game's code and layout, and of what its options make of a record."""
    game, blank, agents, *sizes = setup
    parts = [_made_of(game), game.dtype.descr, game.observation_dtype, len(agents), *sizes]
    return hashlib.blake2b(repr(parts).encode() + blank.tobytes(), digest_size=16).hexdigest()


def _marker(name: str) -> Path | None:
    from cyberdeck.engine import jit  # numba is there: it made the loops

    folder = jit.cache_folder()
    return None if folder is None else folder / f"played-{name}"


def _fault(setup: Setup) -> str | None:
    """What makes compiled code leave its arrays in short games, or ""; None if one went wrong in
    another way, which may be why it cannot be compiled.
    """
    until = time.monotonic() + _SECONDS
    try:
        with at_most(_SECONDS):
            made = game_loops.careful_loops(Careful(setup.game, Lenient()))
            for seed in range(_SEEDS):
                _play(setup, made, seed, until)
    except Misuse as error:
        if not error.harmless:
            return str(error)
        # Compiled code may do well where plain Python fails or takes long: `check` tells more.
        mistakes.note(setup.game.label, str(error))
        if error.check == "end":
            warn(f"{setup.game.name}: {error} (see `cyberdeck check`)", stacklevel=2)
        return None
    except OutOfTime:
        pass
    return ""


def _play(setup: Setup, made: game_loops.Loops, seed: int, until: float) -> None:
    """Play a game, half at random and half by its heuristic, and look at it from every seat."""
    game, blank, agents, actions, size, longest = setup
    seats, kind = len(agents), game.observation_dtype
    states, here = blank.copy(), np.zeros(1, np.int64)
    rows = np.zeros(1, loops.row_dtype(game.most_seats, len(game.metrics)))
    states["dice"] = rows["dice"] = dice.seeded(seed)
    rows["seat_rule"] = EVERY
    masks = np.zeros((1, actions), np.int8)
    seen, finals = np.zeros((1, size), kind), np.zeros((1, seats, size), kind)
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
        if longest is not None and decided[mover] > longest:
            what = f"{agents[mover]} decides more often than {longest} times"
            raise Misuse(f"{what}, which longest= says is the most", "mover")
        code, chosen = (loops.RANDOM, loops.HEURISTIC)[decision % 2], here.copy()
        made.choose(code, states, rows, masks, chosen)
        made.advance(here, chosen, states, rows, pool, pool, loops.DISABLED, masks, seen, finals)
