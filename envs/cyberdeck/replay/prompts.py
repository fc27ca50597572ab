"""What a chat model was asked in a game and has answered, in a file beside the replay."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from cyberdeck.common import reading
from cyberdeck.common.files import write_whole
from cyberdeck.engine.contract import is_whole
from cyberdeck.errors import ReplayError

#: What such a file is called, after the replay's name.
SUFFIX: Final = ".prompts.jsonl"

#: How many bytes of one are read: a prompt for each decision of a long game.
_MOST: Final = 1 << 28


class Said(NamedTuple):
    """A prompt or an answer."""

    by: str
    text: str
    remark: str
    """Of an answer: what it was found to be, and what it took."""


class Asked(NamedTuple):
    """All that was said about one decision, in order; decisions are numbered from 1."""

    decision: int
    seat: int
    said: tuple[Said, ...]


def beside(replay: str | os.PathLike[str]) -> Path:
    """Where the prompts of a replay lie.

    >>> beside("games/001-deal-0.json").as_posix()
    'games/001-deal-0.prompts.jsonl'
    """
    return Path(replay).with_suffix(SUFFIX)


def save(path: str | os.PathLike[str], notes: Iterable[Any]) -> None:
    """Write what players noted at each decision of a game, in order: that with its messages."""
    lines = [
        json.dumps({"decision": number, **note})
        for number, note in enumerate(notes, start=1)
        if isinstance(note, dict) and "messages" in note
    ]
    write_whole(path, "".join(f"{line}\n" for line in lines))


def load(path: str | os.PathLike[str]) -> list[Asked]:
    """Read such a file, which may come from anybody; ``ReplayError`` says what is wrong with it."""
    asked = []
    try:
        content = reading.read_bytes(path, _MOST)
    except OSError as error:
        raise ReplayError(f"{os.fspath(path)}: it cannot be read: {error.strerror}") from None
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            note = reading.from_json(line)
            decision, seat = note["decision"], note["seat"]
            said = tuple(map(_said, note["messages"]))
        except (ValueError, TypeError, KeyError):
            decision, seat, said = None, None, ()
        if not is_whole(decision) or not is_whole(seat):
            raise ReplayError(f"{os.fspath(path)}, line {number}: it is no decision of a model")
        asked.append(Asked(decision, seat, said))
    return asked


def _said(message: Mapping[str, Any]) -> Said:
    by, text = message["role"], message["content"]
    if not isinstance(by, str) or not isinstance(text, str):
        raise TypeError
    remarks = [message.get("verdict", "")]
    tokens, seconds = message.get("completion_tokens"), message.get("seconds")
    if is_whole(tokens):
        remarks.append(f"{message.get('prompt_tokens')} + {tokens} tokens")
    if isinstance(seconds, float):
        remarks.append(f"{seconds:.1f} s")
    return Said(by, text, ", ".join(str(each) for each in remarks if each))
