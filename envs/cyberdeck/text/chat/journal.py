"""What a model was asked and has answered, kept so that nothing is asked, and paid, twice."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, Final
from weakref import WeakValueDictionary

from filelock import FileLock, Timeout

from cyberdeck.common import reading
from cyberdeck.common.files import make_folder, naming, sync, sync_folder
from cyberdeck.errors import OptionError
from cyberdeck.text.chat.protocol import Reply

#: The file in the folder: a line of JSON for each answer.
ANSWERS: Final = "answers.jsonl"

_LOCK: Final = "answers.lock"

#: How many bytes of the file are read: a few hundred for each answer, and as its model reasons.
_MOST: Final = 1 << 30


class Journal:
    """The answers in a folder, or in memory alone if there is none; for any number of threads.

    One run at a time has a folder. A run that was killed may have left half a line at the end,
    which is cut off.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._answers: dict[str, Future[Reply]] = {}
        self._lock = threading.Lock()
        self._file: BinaryIO | None = None
        self._held: FileLock | None = None
        if folder is None:
            return
        make_folder(folder)
        self._held = FileLock(folder / _LOCK, thread_local=False)
        try:
            self._held.acquire(blocking=False)
        except Timeout:
            raise OptionError(
                f"keep={folder} belongs to another run that is not over: wait for its end, or "
                "name another folder"
            ) from None
        path = folder / ANSWERS
        try:
            content = reading.read_bytes(path, _MOST)
        except FileNotFoundError:
            content = b""
        except OSError as error:
            raise OptionError(f"{path} cannot be read: {error.strerror}") from None
        whole = content[: content.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                key, reply = _kept(reading.from_json(line))
            except (ValueError, TypeError, KeyError):
                raise OptionError(
                    f"{path}, line {number} is damaged: remove that line, and its request is made "
                    "again"
                ) from None
            self._answers[key] = Future()
            self._answers[key].set_result(reply)
        self._file = path.open("ab")
        self._file.truncate(len(whole))
        sync_folder(folder)

    def answer(self, request: Mapping[str, Any], ask: Callable[[], Reply]) -> tuple[Reply, bool]:
        """The answer to a request, of what is kept or by *ask*; and whether it was kept.

        A request that somebody else is making just now is waited for.
        """
        key = digest(request)
        with self._lock:
            kept = self._answers.get(key)
            if kept is None:
                mine = self._answers[key] = Future[Reply]()
        if kept is not None:
            return kept.result(), True
        try:
            reply = ask()
            if self._file is not None:
                entry = {"key": key, "request": _news(request), "reply": asdict(reply)}
                with self._lock, naming(self._file.name):
                    self._file.write(json.dumps(entry).encode() + b"\n")
                    sync(self._file)
        except BaseException as error:
            with self._lock:
                del self._answers[key]  # the next one asks again
            mine.set_exception(error)
            raise
        mine.set_result(reply)
        return reply, False

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()
        if self._held is not None:
            self._held.release()


#: Those in use, by their folders: players of one run may share one.
_JOURNALS: WeakValueDictionary[Path, Journal] = WeakValueDictionary()


def _kept(read: Any) -> tuple[str, Reply]:
    """What stands in a line: what an answer is found by, and the answer."""
    key, reply = read["key"], Reply(**read["reply"])
    words = all(isinstance(each, str) for each in (key, reply.text))
    if not words or not isinstance(reply.cut_off, bool):
        raise TypeError
    for tokens in (reply.prompt_tokens, reply.completion_tokens):
        reading.whole(tokens)
    reading.finite(reply.seconds)
    return key, reply


def journal(folder: str | None) -> Journal:
    """The journal of a folder, which is made if there is none."""
    if folder is None:
        return Journal()
    path = Path(folder).expanduser().resolve()
    if (found := _JOURNALS.get(path)) is None:
        _JOURNALS[path] = found = Journal(path)
    return found


def _news(request: Mapping[str, Any]) -> Mapping[str, Any]:
    """A request without the messages that are in the lines of those before it: up to the last
    answer. How many *earlier* messages these are stands in their place.
    """
    messages = request["messages"]
    roles = [message["role"] for message in messages]
    if "assistant" not in roles:
        return request
    earlier = len(roles) - roles[::-1].index("assistant")
    return {**request, "earlier": earlier, "messages": messages[earlier:]}


def digest(request: Mapping[str, Any]) -> str:
    """What a request is found by.

    >>> digest({"model": "m", "copy": 0}) == digest({"copy": 0, "model": "m"})
    True
    """
    return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()[:32]
