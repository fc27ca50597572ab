"""The ways of Stacktrices' moves in pictures: straight, or through friends."""

from __future__ import annotations

from collections import deque
from typing import Final

from cyberdeck.engine.contract import Record
from cyberdeck.engine.kernels import State
from cyberdeck.engine.plain import as_python
from cyberdeck.games.stacktrices import moves, stacks
from cyberdeck.games.stacktrices.board import KINDS, NONE, SIDE, STACKS

_walk: Final = as_python(moves.walk)
_movement: Final = as_python(stacks.movement)
_skilled: Final = as_python(stacks.skilled)

_DIRECTIONS: Final = 8


def straight(state: State, start: int, end: int, most: int = SIDE) -> bool:
    """Whether nothing stands between two squares of a line that are no more than *most* apart."""
    (rank, file), (end_rank, end_file) = divmod(start, SIDE), divmod(end, SIDE)
    up, right = end_rank - rank, end_file - file
    far = max(abs(up), abs(right))
    if far > most or (up and right and abs(up) != abs(right)):
        return False
    step = (end - start) // far
    return all(state["board"][start + step * at] == NONE for at in range(1, far))


def last_route(record: Record, before: Record | None) -> tuple[int, ...]:
    """The squares of the friends that the last move went through.

    A trade may have changed the pieces since: then they are those of *before*.
    """
    state = record[0]
    start, end = int(state["last_from"]), int(state["last_to"])
    if straight(state, start, end):
        return ()
    seat, stack = divmod(int(state["board"][end]), STACKS)
    then = record.copy()
    state = then[0]
    state["board"][end], state["board"][start] = NONE, STACKS * seat + stack
    state["square"][seat, stack] = start
    for pieces, change in ((state["given"], 1), (state["taken"], -1)):
        for piece in pieces[pieces != NONE].tolist():
            state["pieces"][seat, piece // KINDS, piece % KINDS] += change
    friends = _through(state, seat, stack, end)
    if friends is None and before is not None:
        state["pieces"] = before["pieces"][0]
        friends = _through(state, seat, stack, end)
    return friends or ()  # a warp


def _through(state: State, seat: int, stack: int, end: int) -> tuple[int, ...] | None:
    """The squares of the fewest friends through which a queen-skilled stack comes to *end*."""
    origin = int(state["square"][seat, stack])
    reach = int(_movement(state, seat, stack))
    waiting: deque[tuple[int, int, int, tuple[int, ...]]] = deque(
        (origin, way, reach, ()) for way in range(_DIRECTIONS)
    )
    most: dict[tuple[int, int], int] = {}  # the reach with which a friend has sent it on
    while waiting:
        start, way, left, friends = waiting.popleft()
        ends, friend, rest = _walk(state, seat, origin, start, way, left)
        if ends >> end & 1:
            return friends
        if friend == NONE or _movement(state, seat, friend) == 0:
            continue
        there = int(state["square"][seat, friend])
        for turn in (0, -1, 1) if _skilled(state, seat, friend) else (0,):
            on = (way + turn) % _DIRECTIONS
            if rest > most.get((there, on), 0):
                most[there, on] = rest
                waiting.append((there, on, rest, (*friends, there)))
    return None
