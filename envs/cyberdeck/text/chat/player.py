"""A chat model as a player of every game."""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import asdict
from typing import Any, Final, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.policy import RESIGNS, VOID, Policy, PolicyInput, certain
from cyberdeck.errors import OptionError, require
from cyberdeck.text.chat.journal import digest, journal
from cyberdeck.text.chat.protocol import MachineError, Reply, Server

#: Games that a match plays side by side, for each request that may be made at once: some wait for
#: slow answers, and none has to wait for all others.
_GAMES_EACH: Final = 4

#: What is counted: see ``Chat.counts``.
_COUNTED: Final = (
    *("games", "forfeited", "voided", "decisions", "illegal", "unparsable", "cut_off", "answers"),
    *("kept", "prompt_tokens", "completion_tokens"),
)


class Chat(Policy):
    """A language model on a server that speaks OpenAI's chat-completions protocol.

    Args:
        url: the server's base, such as ``http://localhost:8000/v1``, or its whole endpoint.
        model: its name there.
        max_tokens: of an answer at most; None leaves that to the server.
        temperature: None leaves that to the server.
        at_once: how many requests are made at the same time.
        timeout: seconds for a request.
        keep: a folder for all requests and answers: what is there is not asked again.
        list_moves: whether a prompt lists all legal moves.
        brief: whether the conversation goes on through the game, with the rules at its beginning
            only; otherwise each decision is a prompt of its own.
        retries: how often it may try again after an illegal answer, and as often after one that
            cannot be read, and after one that was cut off.
        machine_retries: how often a request is made again after an error of the machine.
        wait: seconds before the first time that it is; doubled each time.
        key_env: the environment variable with the key, by default ``OPENAI_API_KEY``, if there is
            one.
    """

    needs_history = True
    may_give_up = True

    def __init__(
        self,
        url: str = "",
        model: str = "",
        max_tokens: int | None = 4096,
        temperature: float | None = None,
        at_once: int = 8,
        timeout: float = 120.0,
        keep: str | None = None,
        list_moves: bool = False,
        brief: bool = False,
        retries: int = 2,
        machine_retries: int = 4,
        wait: float = 1.0,
        key_env: str | None = None,
    ) -> None:
        if not url or not model:
            raise OptionError(
                "a chat model needs its server and its name: "
                "chat:url=http://localhost:8000/v1,model=NAME"
            )
        possible = max_tokens is None or (is_whole(max_tokens) and max_tokens >= 1)
        require(possible, "max_tokens", max_tokens, "choose 1 or more, or None")
        possible = temperature is None or 0 <= temperature < np.inf
        require(possible, "temperature", temperature, "choose 0 or more, or None")
        require(is_whole(at_once) and 1 <= at_once <= 1000, "at_once", at_once, "choose 1 to 1000")
        require(is_whole(retries) and retries >= 0, "retries", retries, "choose 0 or more")
        self._server = Server(url, key_env, timeout, machine_retries, wait)
        settings = {"model": model, "max_tokens": max_tokens, "temperature": temperature}
        self._settings = {name: each for name, each in settings.items() if each is not None}
        self._at_once, self._retries = int(at_once), int(retries)
        self._list_moves, self._brief = list_moves, brief
        self._journal, self._copy = journal(keep), 0
        self._lock = threading.Lock()
        self.name = f"chat:{model}"
        self.games_at_once = _GAMES_EACH * self._at_once
        self._new_counts()

    def _new_counts(self) -> None:
        self._counts: dict[str, int] = dict.fromkeys(_COUNTED, 0)
        self._seconds = 0.0
        #: The digest of each prompt -> the move made there.
        self.moves: dict[str, int] = {}

    def twin(self) -> Chat:
        """The same model, which is asked everything anew."""
        twin = object.__new__(Chat)
        vars(twin).update(vars(self))
        twin._copy = self._copy + 1
        twin._new_counts()
        return twin

    def counts(self) -> dict[str, float]:
        """Games and decisions; how many games were forfeited or voided, and how many decisions had
        an illegal answer, or one that could not be read or was cut off; answers, those of them that
        had been kept, their tokens, and the seconds that they took.
        """
        with self._lock:
            return {**self._counts, "seconds": self._seconds}

    def decide(self, seen: PolicyInput) -> NDArray[np.int64]:
        turns = [self._turn(seen, at) for at in range(len(seen))]
        self._server.go_on()
        with ThreadPoolExecutor(self._at_once) as threads:
            try:
                running = [threads.submit(self._decided, turn) for turn in turns]
                for each in wait(running, return_when=FIRST_EXCEPTION).done:
                    each.result()
            except BaseException:
                self._stop(threads)
                raise
        actions = [each.result() for each in running]
        seen.notes[:] = [turn.note() for turn in turns]
        return np.array(actions, np.int64)

    def _stop(self, threads: ThreadPoolExecutor) -> None:
        """Make no more requests. What is under way is waited for and kept: it has to be paid; but
        not if Ctrl-C comes a second time.
        """
        self._server.stop()
        threads.shutdown(wait=False, cancel_futures=True)
        try:
            threads.shutdown(wait=True)
        except KeyboardInterrupt:
            self._server.stop(at_once=True)
            raise

    def chances(self, seen: PolicyInput) -> NDArray[np.float64]:
        actions = self.decide(seen)
        if (actions == VOID).any():
            raise OptionError(f"{self.name} could not be asked: {self.failure}")
        if (actions == RESIGNS).any():
            raise OptionError(f"{self.name} gives no legal answer in some situations")
        return certain(actions, seen.masks.shape[1])

    def __reduce__(self) -> NoReturn:
        raise TypeError("a chat model answers several requests at once in one process")
