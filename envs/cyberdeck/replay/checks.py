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

_NEEDED: Final = ("game", "seed", "actions")
#: All that a file may hold, in its order.
_WORDS: Final = ("players", "title", "notes", "result")
ENTRIES: Final = ("game", "options", "seed", "start", *_WORDS, "actions")

#: How many decisions in notation a file may have: it takes fifty times as long to read.
MOST_WRITTEN: Final = 4_000


class Result(NamedTuple):
    """How a game ended: what each seat got, and why it was over."""

    returns: tuple[float, ...]
    reason: str


def checked_variant(game: Any, options: Any) -> Variant:
    if not isinstance(game, (str, Variant)):
        raise ReplayError(f"game is {quoted(game)}: it must be the name of a game")
    if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
        raise ReplayError(f"options are {quoted(options)}: they must be the game's options by name")
    try:
        return registry.variant(game, **options)
    except OptionError as error:
        raise ReplayError(str(error)) from None


def checked_seed(seed: Any, start: Any) -> int | None:
    if seed is None and isinstance(start, Mapping) and "state" in start:
        return None
    if not is_whole(seed):
        raise ReplayError(
            f"seed is {quoted(seed)}: it must be a whole number (or none, with a saved state to "
            "start from)"
        )
    return int(seed)


def checked_actions(actions: Any) -> tuple[int | str, ...]:
    listed = None if isinstance(actions, Mapping) else whole_numbers(actions)
    if listed is not None:
        return tuple(listed)
    if not isinstance(actions, (Sequence, np.ndarray)) or isinstance(actions, (str, bytes)):
        raise ReplayError(
            f"actions are {quoted(actions)}: they must be a list of whole numbers, or of notation"
        )
    for at, action in enumerate(actions, start=1):
        if not is_whole(action) and not isinstance(action, str):
            raise ReplayError(
                f"decision {at}: action {quoted(action)} is no whole number, nor notation"
            )
    return tuple(str(each) if isinstance(each, str) else int(each) for each in actions)


def checked_players(players: Any, variant: Variant) -> tuple[str, ...]:
    listed = isinstance(players, (list, tuple)) and all(isinstance(name, str) for name in players)
    if not listed or len(players) not in (0, variant.seats):
        raise ReplayError(
            f"players are {quoted(players)}: they must be {variant.seats} names, one for each of "
            + ", ".join(variant.agents)
        )
    return tuple(checked_text("a player's name", name) for name in players)


def checked_text(
    name: str, value: Any, most: int = reading.LONGEST_NAME, lines: bool = False
) -> str:
    if not isinstance(value, str):
        raise ReplayError(f"{name} is {quoted(value)}: it must be text")
    if fault := reading.fault_of_text(value, most, lines):
        raise ReplayError(f"{name} is {quoted(value)}: {fault}")
    return value


def checked_result(result: Any, variant: Variant) -> Result | None:
    if result is None:
        return None
    try:
        returns, reason = result
        gains = tuple(map(reading.finite, returns))
    except (TypeError, ValueError):
        gains, reason = (), None
    if len(gains) != variant.seats or reason not in variant.game.reasons[1:]:
        raise ReplayError(
            f"result is {quoted(result)}: it must be the returns of {variant.seats} seats and one "
            "of " + ", ".join(variant.game.reasons[1:])
        )
    return Result(gains, reason)


def checked_start(start: Any) -> dict[str, Any] | None:
    """A start in the values that JSON has, but a saved state as bytes."""
    if start is None:
        return None
    if not isinstance(start, Mapping) or not start:
        raise ReplayError(f"start is {quoted(start)}: it must be what reset(options=...) takes")
    return {
        name: value if name == "state" else _as_json(f"start[{quoted(name)}]", value)
        for name, value in start.items()
    }


def _as_json(place: str, value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, (list, tuple)):
        return [_as_json(place, item) for item in value]
    raise ReplayError(
        f"{place} holds {quoted(value)}: a replay can hold numbers, text and lists of them"
    )


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
        raise ReplayError(
            f'it is not a replay: it has no entry "{BEGINNING}": {FORMAT}, with which a replay '
            "begins"
        )
    version = read.pop(BEGINNING)
    if not is_whole(version) or version != FORMAT:
        raise ReplayError(
            f"it has the version {quoted(version)}, and this cyberdeck reads {FORMAT}: a newer "
            "one may be needed"
        )
    if unknown := [name for name in read if name not in ENTRIES]:
        raise ReplayError(
            f"it has an entry {quoted(unknown[0])}; a replay has {', '.join(ENTRIES)}"
        )
    if missing := [name for name in _NEEDED if name not in read]:
        raise ReplayError(f"it has no entry {missing[0]!r}")
    if isinstance(read["actions"], list):
        written = sum(isinstance(action, str) for action in read["actions"])
        if len(read["actions"]) > MOST or written > MOST_WRITTEN:
            raise ReplayError(
                f"it has {len(read['actions']):,} decisions, {written:,} of them in notation: at "
                f"most {MOST:,} are read, and {MOST_WRITTEN:,} in notation"
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
