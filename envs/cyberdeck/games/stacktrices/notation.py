"""Stacktrices: positions as text, read; the view writes them.

::

    white: a1:P c1*:Dd e1 g1:P | b2:Dpd d2 f2:Qpq
    black: a7:D c7 e7:Pp g7:Dd | b6:Pd - f6:Qpq
    turn: 12 black

A side's stacks come in the order of their numbers, drones before the bar, queens after it; ``-``
is a captured one. A stack is its square, ``*`` if it is the thief or ``!`` if it is the thief
and exposed, ``^`` if it has raided and has not been home since, and after a colon its pieces:
movement as capitals P, D, Q (pawn, drone, queen), skill as small letters p, d, q. All other
pieces are in the store. ``turn`` is the number of the turn that begins, from 1, and who moves:
white in odd turns. ``stalled: 1`` says that the turn before had neither move nor trade.

Lines that begin with a space or with # are comments; what stands before a line ``Position:`` is
left out, so that what a seat is shown can be read as it is. A side without a thief mark has a thief
that nobody has told of: it is drawn.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.contract import Record
from cyberdeck.engine.kernels import State
from cyberdeck.errors import OptionError
from cyberdeck.games.stacktrices import names, stacks
from cyberdeck.games.stacktrices.board import TOTAL
from cyberdeck.games.stacktrices.constants import DRONES, NONE, SKILL, STACKS
from cyberdeck.games.stacktrices.setup import clear, stand
from cyberdeck.games.stacktrices.turns import begin_turn

EXAMPLE: Final = """\
white: a1:P c1*:Dd e1 g1:P | b2:Dpd d2 f2:Qpq
black: a7:D c7 e7:Pp g7:Dd | b6:Pd - f6:Qpq
turn: 12 black"""


def read(record: Record, text: Any) -> None:
    """Write the position that *text* describes into a record whose options and dice are set.

    Raises ``OptionError`` that names the line and the word that cannot be.
    """
    if not isinstance(text, str):
        raise OptionError(f"position={text!r} is not a position: it must be a text like\n{EXAMPLE}")
    lines = _lines(text.rpartition(f"{names.HEADING}\n")[2])
    state = record[0]
    turn = _turn(lines.get("turn", "1"), int(state["max_turns"]))
    clear(state)
    for colour, name in enumerate(names.COLOURS):
        if name not in lines:
            raise OptionError(f"the position has no line {name!r}; it must look like\n{EXAMPLE}")
        _read_side(record, _seat_of(state, colour), name, lines[name])
    left = names.pieces_called(state["store"])
    if sorted(lines.get("store", left).replace("-", "")) != sorted(left):
        raise OptionError(
            f"store: {lines['store']}: what is on no stack is in the store, and that is "
            f"{left or '-'}; the line may be left out"
        )
    state["stalled"] = _whole("stalled", lines.get("stalled", "0"), 0, 1)
    state["turns"] = turn - 1
    state["lead"] = stacks.pips(state, 0) - stacks.pips(state, 1)
    begin_turn(state, _seat_of(state, int(state["turns"]) % 2))


def _seat_of(state: State, colour: int) -> int:
    """The seat that plays a colour: 0 white, 1 black."""
    first = int(state["first"])
    return first if colour == 0 else 1 - first


def _lines(text: str) -> dict[str, str]:
    """What stands behind each line's name."""
    known = (*names.COLOURS, "store", "turn", "stalled")
    found: dict[str, str] = {}
    for line in text.splitlines():
        if not line.strip() or line[0] in " #":
            continue
        name, colon, rest = line.partition(":")
        if not colon or name not in known:
            raise OptionError(
                f"{line!r} is no line of a position: lines are "
                + ", ".join(f"'{k}: ...'" for k in known)
                + "; those that begin with a space or # are comments"
            )
        if name in found:
            raise OptionError(f"the position has two lines {name!r}")
        found[name] = rest.strip()
    return found


def _whole(name: str, word: str, low: int, high: int) -> int:
    if not word.isdecimal() or not low <= int(word) <= high:
        raise OptionError(f"{name}: {word!r} must be a whole number from {low} to {high}")
    return int(word)


def _turn(words: str, most: int) -> int:
    """The number of the turn that begins: from its number, its colour, or both."""
    plain, comma, phase = words.partition(",")
    if comma:
        raise OptionError(
            f"turn: {words!r}: a position is set up at the beginning of a turn, not in the phase "
            f"{phase.strip()!r}; to go on from the middle of a turn use options={{'state': ...}}"
        )
    parts = plain.split()
    colour = parts.pop() if parts and parts[-1] in names.COLOURS else None
    if len(parts) > 1 or not (parts or colour):
        raise OptionError(f"turn: {words!r} must be a number, a colour, or both: '12 black'")
    if not parts:
        return 1 + names.COLOURS.index(str(colour))
    number = _whole("turn", parts[0], 1, most)
    if colour is not None and names.COLOURS[(number - 1) % 2] != colour:
        raise OptionError(f"turn: {words!r}: white moves in odd turns, black in even ones")
    return number


def _read_side(record: Record, seat: int, name: str, line: str) -> None:
    drones, bar, queens = line.partition("|")
    words = [*drones.split(), *queens.split()]
    if not bar or len(drones.split()) != DRONES or len(words) != STACKS:
        raise OptionError(
            f"{name}: {line!r} must be {DRONES} stacks on drones, a bar |, and "
            f"{STACKS - DRONES} on queens, '-' for one that is captured"
        )
    if all(word == "-" for word in words):
        raise OptionError(f"{name} has no stack left: that is the end of a game")
    state = record[0]
    for stack, word in enumerate(words):
        if word != "-":
            _read_stack(record, seat, stack, word, f"{name}: {word!r}")
    left = int(stacks.drones_left(state, seat))
    if state["thief"][seat] == NONE and left:
        living = np.flatnonzero(state["square"][seat, :DRONES] != NONE)
        state["thief"][seat] = living[dice.below(state, left)]


def _read_stack(record: Record, seat: int, stack: int, word: str, where: str) -> None:
    """One stack: its square, its marks, its pieces."""
    state = record[0]
    place, colon, letters = word.partition(":")
    square = names.square_called(int(state["first"]), place[:2])
    if square is None:
        raise OptionError(f"{where}: {place[:2]!r} is no square: they are a1 to g7")
    if state["board"][square] != NONE:
        raise OptionError(f"{where}: another stack stands there already")
    stand(state, seat, stack, square)
    for mark in place[2:]:
        _read_mark(state, seat, stack, mark, where)
    if colon and not letters:
        raise OptionError(f"{where}: pieces are missing after the colon")
    kinds = [names.PIECES.find(letter) for letter in letters]
    if NONE in kinds:
        raise OptionError(
            f"{where}: {letters[kinds.index(NONE)]!r} is no piece: P, D, Q are movement pawn, "
            "drone, queen, and p, d, q skill"
        )
    for kind in sorted(kinds):  # movement first: skill needs it
        if not stacks.can_hold(state, seat, stack, kind):
            skill = "skill lies only on a movement piece, one of each size"
            movement = "it holds one movement piece (more only with stacked_movement=True)"
            why = skill if kind >= SKILL else movement
            raise OptionError(f"{where} is no legal stack: {why}")
        if state["store"][kind] == 0:
            raise OptionError(
                f"{where}: there is no {names.KIND_NAMES[kind]} left: the game has {TOTAL[kind]}"
            )
        state["store"][kind] -= 1
        state["pieces"][seat, stack, kind] += 1


def _read_mark(state: State, seat: int, stack: int, mark: str, where: str) -> None:
    if mark not in "*!^":
        raise OptionError(
            f"{where}: {mark!r} is no mark: * is the thief, ! an exposed thief, ^ has raided"
        )
    if stack >= DRONES:
        raise OptionError(f"{where}: only stacks on drones are marked with {mark}")
    if mark == "^":
        state["raided"][seat, stack] = 1
        return
    if state["thief"][seat] != NONE:
        raise OptionError(f"{where}: there is a thief already: a side has one")
    if mark == "!" and not state["steal_on_attack"]:
        raise OptionError(f"{where}: a thief is only exposed with steal_on_attack=True")
    state["thief"][seat] = stack
    state["exposed"][seat] = mark == "!"
