"""OpenAI's chat-completions protocol, as vLLM, llama.cpp, Ollama and the vendors speak it."""

from __future__ import annotations

import contextlib
import email.utils
import http.client
import json
import os
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from cyberdeck.common import reading
from cyberdeck.engine.contract import is_whole
from cyberdeck.errors import OptionError, require

#: Where the key is, if nobody says otherwise.
KEY_ENV: Final = "OPENAI_API_KEY"

#: Bytes of an answer at most.
_MOST: Final = 2_000_000

#: Seconds to wait before asking again at most, whatever the server says.
_LONGEST: Final = 60.0

#: Letters of a server's own words that an error repeats.
_CLIPPED: Final = 300

#: Letters of a key at least. A shorter one, such as EMPTY, is no secret but a word.
_SECRET: Final = 8

_ENDPOINT: Final = "/chat/completions"

#: Answers that say that another try may help.
_PASSING: Final = frozenset({408, 409, 425, 429})


class MachineError(Exception):
    """The model's machine gave no answer, however often it was asked: nobody's move was wrong."""


class Stopped(Exception):
    """It was not asked any more, after ``Server.stop``."""


class _Passing(Exception):
    """What went wrong with one request, and what may be over soon; *wait*: as the server says."""

    def __init__(self, words: str, wait: float = 0.0) -> None:
        super().__init__(words)
        self.wait = wait


@dataclass(frozen=True)
class Reply:
    """What a model has answered."""

    text: str
    cut_off: bool
    """Whether it had more to say than the limit of tokens lets it."""
    prompt_tokens: int
    completion_tokens: int
    seconds: float


class Server:
    """One who answers requests, from any number of threads.

    Args:
        url: the base, such as ``http://localhost:8000/v1``, or the whole endpoint.
        key_env: the environment variable that holds the key. If nobody names one, that of
            ``OPENAI_API_KEY`` is sent if there is one.
        timeout: seconds for a whole request.
        retries: how often it is asked again after the machine's errors.
        wait: seconds before the first time that it is asked again; doubled each time.
    """

    def __init__(
        self,
        url: str,
        key_env: str | None = None,
        timeout: float = 60.0,
        retries: int = 4,
        wait: float = 1.0,
    ) -> None:
        self.url, (self._secure, self._host, self._port, self._path) = url, _parts(url)
        require(0 < timeout < float("inf"), "timeout", timeout, "choose seconds, more than 0")
        require(is_whole(retries) and retries >= 0, "retries", retries, "choose 0 or more")
        require(0 <= wait < float("inf"), "wait", wait, "choose seconds, 0 or more")
        self._key = _key(key_env)
        self._headers = {"Content-Type": "application/json", "Connection": "close"}
        if self._key:
            self._headers["Authorization"] = f"Bearer {self._key}"
        if len(self._key) >= _SECRET and self._key in url:
            raise OptionError("url= holds the key: leave it out, the environment variable is read")
        self._timeout, self._retries, self._wait = timeout, int(retries), wait
        self._stopped = threading.Event()
        self._open: set[socket.socket] = set()

    def ask(self, body: Mapping[str, Any]) -> Reply:
        """The answer to a request, which holds ``model``, ``messages`` and any settings.

        ``MachineError`` if there is none; ``OptionError`` with the server's words if there will
        never be one to such a request; ``Stopped`` after ``stop``.
        """
        content, wait = json.dumps(body).encode(), self._wait
        for attempt in range(self._retries + 1):
            if self._stopped.is_set():
                raise Stopped
            start = time.perf_counter()
            try:
                return self._read(self._answer(content), start)
            except _Passing as problem:
                words = str(problem)
                if attempt < self._retries:
                    self._stopped.wait(min(max(wait, problem.wait), _LONGEST))
            wait *= 2
        if self._stopped.is_set():
            raise Stopped
        tried = f"asked {attempt + 1} times" if attempt else "asked once"
        raise MachineError(f"{self.url} has not answered, {tried}: {words}")

    def stop(self, at_once: bool = False) -> None:
        """Ask nothing again. Requests that are under way are ended *at_once*, or come to an end."""
        self._stopped.set()
        if at_once:
            for each in [*self._open]:
                _cut(each)

    def go_on(self) -> None:
        """Ask as before ``stop``."""
        self._stopped.clear()

    # --- one request -----------------------------------------------------------------------------

    def _answer(self, content: bytes) -> bytes:
        """What the server answers to one request, or ``_Passing``, or ``OptionError``."""
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=self._timeout)
        deadline, words = time.monotonic() + self._timeout, ""
        try:
            connection.connect()
            with self._cut_at(deadline, connection.sock):
                connection.request("POST", self._path, content, self._headers)
                answer = connection.getresponse()
                found = answer.read(_MOST + 1)
        except (OSError, http.client.HTTPException, ValueError) as error:
            late = f"no answer within {self._timeout:g} s"
            words = late if isinstance(error, TimeoutError) else _said(error)
        finally:
            connection.close()
        if time.monotonic() >= deadline:
            words = f"no answer within {self._timeout:g} s"
        if words:
            raise _Passing(words)
        if len(found) > _MOST:
            raise _Passing(f"an answer of more than {_MOST:,} bytes")
        if answer.status // 100 != 2:
            self._refused(answer, found)
        if answer.length:  # as many bytes were promised as well
            raise _Passing("it hung up in the middle of its answer")
        return found

    @contextlib.contextmanager
    def _cut_at(self, deadline: float, connection: socket.socket) -> Iterator[None]:
        """Meanwhile a connection is ended when its time is over, or by ``stop``."""
        timer = threading.Timer(max(0.0, deadline - time.monotonic()), _cut, (connection,))
        timer.daemon = True
        timer.start()
        self._open.add(connection)
        try:
            yield
        finally:
            timer.cancel()
            self._open.discard(connection)

    def _refused(self, answer: http.client.HTTPResponse, found: bytes) -> None:
        """Raise what another status than that of success means."""
        said = self._words(found) or str(answer.headers.get("Location", ""))
        words = f"HTTP {answer.status} {answer.reason}".rstrip() + f": {said}" * bool(said)
        words = self._shown(words)
        if answer.status in _PASSING or answer.status >= 500:
            raise _Passing(words, _seconds(answer.headers.get("Retry-After", "")))
        raise OptionError(f"{self.url} refuses the request: {words}")

    def _read(self, found: bytes, start: float) -> Reply:
        """A server's answer, taken apart; ``_Passing`` if it is none."""
        try:
            read = json.loads(found)
        except (ValueError, RecursionError):
            raise _Passing(f"no JSON: {self._shown(found.decode('utf-8', 'replace'))}") from None
        try:
            first = read["choices"][0]
            content, cut_off = first["message"].get("content"), first.get("finish_reason")
        except (TypeError, KeyError, IndexError, AttributeError):
            raise _Passing(
                f"an answer without choices: {self._shown(self._words(found))}"
            ) from None
        usage = read.get("usage")
        usage = usage if isinstance(usage, dict) else {}
        return Reply(
            self._cleaned(_text(content)),
            cut_off == "length",
            _count(usage.get("prompt_tokens")),
            _count(usage.get("completion_tokens")),
            time.perf_counter() - start,
        )

    def _words(self, found: bytes) -> str:
        """A server's own words about what is wrong."""
        try:
            read = json.loads(found)
            for name in ("error", "message", "detail"):
                if isinstance(read, dict) and read.get(name):
                    read = read[name]
            return read if isinstance(read, str) else json.dumps(read)
        except (ValueError, RecursionError):
            return found.decode("utf-8", "replace")

    def _shown(self, words: str) -> str:
        """Words for an error: in one line, without the key, and not too many."""
        words = " ".join(self._cleaned(words).split())
        words = "".join(each if each.isprintable() else "?" for each in words)
        return words if len(words) <= _CLIPPED else f"{words[:_CLIPPED]}..."

    def _cleaned(self, words: str) -> str:
        """Words that can be written anywhere: valid Unicode, and without the key."""
        words = words.encode("utf-8", "replace").decode()
        return words.replace(self._key, "***") if len(self._key) >= _SECRET else words


def _parts(url: str) -> tuple[bool, str, int | None, str]:
    """Whether it is https, the host, the port, and what is asked for there."""
    try:
        split = urlsplit(url)
        port = split.port
    except ValueError as error:
        raise OptionError(f"url={url!r} is not possible: {error}") from None
    if split.username is not None or split.password is not None:
        raise OptionError(
            "url= with a name or a password is not possible: leave them out; a key is taken from "
            "the environment"
        )
    plain = url.isascii() and url.isprintable() and " " not in url
    if split.scheme not in ("http", "https") or not split.hostname or not plain:
        raise OptionError(
            f"url={url!r} is not possible: give the base of a server that speaks OpenAI's chat "
            "protocol, such as http://localhost:8000/v1"
        )
    path = split.path.rstrip("/")
    path = path if path.endswith(_ENDPOINT) else path + _ENDPOINT
    query = f"?{split.query}" if split.query else ""
    return split.scheme == "https", split.hostname, port, path + query


def _key(key_env: str | None) -> str:
    """The key, or nothing. What is wrong with it is said without a letter of it."""
    key = os.environ.get(key_env or KEY_ENV, "").strip()
    if key_env is not None and not key:
        raise OptionError(f"key_env={key_env!r}: there is no such environment variable, or no key")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise OptionError(f"the environment variable {key_env or KEY_ENV} holds no possible key")
    return key


def _cut(connection: socket.socket) -> None:
    """End a connection that another thread may be reading from."""
    with contextlib.suppress(OSError):
        # Not that of SSLSocket, which takes itself apart under who reads.
        socket.socket.shutdown(connection, socket.SHUT_RDWR)


def _said(error: Exception) -> str:
    """What went wrong on the way, in a few words."""
    if isinstance(error, http.client.RemoteDisconnected):
        return "it hung up without an answer"
    if isinstance(error, OSError):
        return error.strerror or str(error) or type(error).__name__
    return "it hung up in the middle of its answer, or speaks no HTTP"


def _seconds(text: str) -> float:
    """How long to wait by the header Retry-After, which is a number of seconds or a date."""
    with contextlib.suppress(ValueError):
        return max(0.0, float(text))
    with contextlib.suppress(ValueError, OverflowError):
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    return 0.0


def _text(content: Any) -> str:
    """The words of an answer: a text, or a list of parts that are texts or something else."""
    parts = content if isinstance(content, list) else [content]
    texts = (
        part.get("text") if isinstance(part, dict) and part.get("type") == "text" else part
        for part in parts
    )
    return "".join(text for text in texts if isinstance(text, str))


def _count(value: Any) -> int:
    """What a server has counted; 0 if that cannot be."""
    try:
        return reading.whole(value)
    except ValueError:
        return 0
