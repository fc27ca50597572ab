"""What a caller gives for a replay, or a file holds: checked, entry by entry."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from cyberdeck.common import reading
from cyberdeck.common.text import quoted
from cyberdeck.engine import registry
from cyberdeck.engine.contract import is_whole, whole_numbers
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, ReplayError
from cyberdeck.views.kept import BEGINNING, FORMAT, MOST

_WORDS: Final = ("players", "title", "notes", "result")
#: All that a file may hold, in its order.
ENTRIES: Final = ("game", "options", "seed", "start", *_WORDS, "actions")

#: How many decisions in notation a file may have: it takes fifty times as long to read.
MOST_WRITTEN: Final = 4_000


class Result(NamedTuple):
    """How a game ended: what each seat got, and why it was over."""

    returns: tuple[float, ...]
    reason: str


def need(possible: object, name: str, value: object, needed: str) -> None:
    """``ReplayError`` unless it is *possible* that an entry is *value*: it says what is needed."""
    if not possible:
        raise ReplayError(f"{name} {quoted(value)}{needed}")


def checked_variant(game: Any, options: Any) -> Variant:
    need(isinstance(game, (str, Variant)), "game is", game, ": it must be the name of a game")
    named = isinstance(options, Mapping) and all(isinstance(name, str) for name in options)
    need(named, "options are", options, ": they must be the game's options by name")
    try:
        return registry.variant(game, **options)
    except OptionError as error:
        raise ReplayError(str(error)) from None


def checked_seed(seed: Any, start: Any) -> int | None:
    if seed is None and isinstance(start, Mapping) and "state" in start:
        return None
    needed = ": it must be a whole number (or none, with a saved state to start from)"
    need(is_whole(seed), "seed is", seed, needed)
    return int(seed)


def checked_actions(actions: Any) -> tuple[int | str, ...]:
    listed = None if isinstance(actions, Mapping) else whole_numbers(actions)
    if listed is not None:
        return tuple(listed)
    several = isinstance(actions, (Sequence, np.ndarray)) and not isinstance(actions, (str, bytes))
    needed = ": they must be a list of whole numbers, or of notation"
    need(several, "actions are", actions, needed)
    for at, action in enumerate(actions, start=1):
        possible, needed = isinstance(action, str), " is no whole number, nor notation"
        need(possible or is_whole(action), f"decision {at}: action", action, needed)
    return tuple(str(each) if isinstance(each, str) else int(each) for each in actions)


def checked_players(players: Any, variant: Variant) -> tuple[str, ...]:
    listed = isinstance(players, (list, tuple)) and all(isinstance(name, str) for name in players)
    needed = f": they must be {variant.seats} names, one for each of {', '.join(variant.agents)}"
    need(listed and len(players) in (0, variant.seats), "players are", players, needed)
    return tuple(checked_text("a player's name", name) for name in players)


def checked_text(
    name: str, value: Any, most: int = reading.LONGEST_NAME, lines: bool = False
) -> str:
    need(isinstance(value, str), f"{name} is", value, ": it must be text")
    fault = reading.fault_of_text(value, most, lines)
    need(not fault, f"{name} is", value, f": {fault}")
    return str(value)


def checked_result(result: Any, variant: Variant) -> Result | None:
    if result is None:
        return None
    try:
        returns, reason = result
        gains = tuple(map(reading.finite, returns))
    except (TypeError, ValueError):
        gains, reason = (), None
    reasons = variant.game.reasons[1:]
    needed = f": it must be the returns of {variant.seats} seats and one of {', '.join(reasons)}"
    need(len(gains) == variant.seats and reason in reasons, "result is", result, needed)
    return Result(gains, str(reason))


def checked_start(start: Any) -> dict[str, Any] | None:
    """A start in the values that JSON has, but a saved state as bytes."""
    if start is None:
        return None
    needed = ": it must be what reset(options=...) takes"
    need(isinstance(start, Mapping) and start, "start is", start, needed)
    return {
        name: value if name == "state" else _as_json(f"start[{quoted(name)}]", value)
        for name, value in start.items()
    }


def _as_json(place: str, value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_as_json(place, item) for item in value]
    possible = value is None or isinstance(value, (bool, int, str, float))
    possible = possible and not (isinstance(value, float) and not math.isfinite(value))
    needed = ": a replay can hold numbers, text and lists of them"
    need(possible, f"{place} holds", value, needed)
    return value


def start_to_json(start: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if start is None or "state" not in start:
        return None if start is None else dict(start)
    return {**start, "state": base64.b64encode(start["state"]).decode("ascii")}


def read_entries(path: Path) -> dict[str, Any]:
    """What stands in a file, as arguments of ``Replay``."""
    try:
        read = reading.from_json(reading.read_bytes(path))
    except OSError as error:
        raise ReplayError(f"it cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ReplayError(f"it is no JSON, or was cut off: {error}") from None
    if not isinstance(read, dict) or BEGINNING not in read:
        begins = f'"{BEGINNING}": {FORMAT}, with which a replay begins'
        raise ReplayError(f"it is not a replay: it has no entry {begins}")
    version = read.pop(BEGINNING)
    newer = f", and this cyberdeck reads {FORMAT}: a newer one may be needed"
    need(is_whole(version) and version == FORMAT, "it has the version", version, newer)
    for name in read:
        need(name in ENTRIES, "it has an entry", name, f"; a replay has {', '.join(ENTRIES)}")
    for name in ("game", "seed", "actions"):
        need(name in read, "it has no entry", name, "")
    if isinstance(read["actions"], list):
        count = len(read["actions"])
        written = sum(isinstance(action, str) for action in read["actions"])
        if count > MOST or written > MOST_WRITTEN:
            raise ReplayError(
                f"it has {count:,} decisions, {written:,} of them in notation: at most {MOST:,} "
                f"are read, and {MOST_WRITTEN:,} in notation"
            )
    start, result = read.get("start"), read.get("result")
    if isinstance(start, dict) and "state" in start:
        try:
            read["start"] = {**start, "state": base64.b64decode(start["state"], validate=True)}
        except (TypeError, ValueError):
            raise ReplayError("the saved state that it starts from is no base64 text") from None
    if isinstance(result, dict):
        read["result"] = (result.get("returns"), result.get("reason"))
    return read
