"""A chat model as a player of every game."""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from cyberdeck import showing
from cyberdeck.common.consent import Effect
from cyberdeck.engine.constants import RESIGNS, VOID
from cyberdeck.engine.contract import Record, is_whole
from cyberdeck.engine.history import Log
from cyberdeck.engine.policy import Policy, PolicyInput, certain
from cyberdeck.errors import OptionError, require
from cyberdeck.text.answers import Conversation, checked_retries
from cyberdeck.text.chat.journal import Journal, digest, journal
from cyberdeck.text.chat.protocol import MachineError, Reply, Server
from cyberdeck.text.prompts import Prompts, Transcript
from cyberdeck.views.notation import notations

#: Games that a match plays side by side, for each request that may be made at once: some wait for
#: slow answers, and none has to wait for all others.
_GAMES_EACH: Final = 4

#: Games and seats of which it is known what was said. Without that, a conversation begins anew.
_TALKS: Final = 1024

#: What is counted: see ``Chat.counts``.
_COUNTED: Final = (
    *("games", "forfeited", "voided", "decisions", "illegal", "unparsable", "cut_off", "answers"),
    *("kept", "prompt_tokens", "completion_tokens"),
)


@dataclass
class _Talk:
    """What one seat has been told in one game, and has answered.

    beginning   the game's first record, which says which game it is
    record      the one that it decided in last
    """

    beginning: Record
    record: Record
    transcript: Transcript
    conversation: Conversation
    messages: list[dict[str, str]] = field(default_factory=list)


@dataclass
class _Turn:
    """A decision, and what is said about it; *first*: the digest of the first request."""

    talk: _Talk
    bits: int
    said: list[dict[str, Any]] = field(default_factory=list)
    first: str = ""
    failure: str = ""

    def say(self, role: str, words: str, **remarks: Any) -> None:
        """By the model, or to it, with what is noted of it."""
        # There are servers that take no empty message.
        shown = words if words.strip() else "(nothing)"
        self.talk.messages.append({"role": role, "content": shown})
        self.said.append({"role": role, "content": words, **remarks})

    def note(self) -> dict[str, Any]:
        """What a match keeps of it."""
        failed = {"failure": self.failure} if self.failure else {}
        return {"seat": self.talk.conversation.seat, "messages": self.said, **failed}


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
    plays_disguised = True
    effects = (Effect.NETWORK, Effect.ENVIRONMENT, Effect.WRITES)

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
        self._server = Server(url, key_env, timeout, machine_retries, wait)
        settings = {"model": model, "max_tokens": max_tokens, "temperature": temperature}
        self._settings = {name: each for name, each in settings.items() if each is not None}
        self._at_once, self._retries = int(at_once), checked_retries(retries)
        self._list_moves, self._brief = list_moves, brief
        self._keep, self._copy = keep, 0
        #: Opened when it first decides: who only reads what names this player changes no file.
        self._journal: Journal | None = None
        self._lock = threading.Lock()
        self._prompts: Prompts | None = None
        self._talks: dict[tuple[int, int], _Talk] = {}
        self.name = f"chat:{model}"
        self.games_at_once = _GAMES_EACH * self._at_once
        self._new_counts()

    def _new_counts(self) -> None:
        self._counts: dict[str, float] = {**dict.fromkeys(_COUNTED, 0), "seconds": 0.0}
        #: The digest of each prompt -> the move made there.
        self.moves: dict[str, int] = {}

    def twin(self) -> Chat:
        """The same model, which is asked everything anew."""
        twin = object.__new__(Chat)
        vars(twin).update(vars(self))
        twin._copy, twin._talks, twin._lock = self._copy + 1, {}, threading.Lock()
        twin._new_counts()
        return twin

    def counts(self) -> dict[str, float]:
        """Games and decisions; how many games were forfeited or voided, and how many decisions had
        an illegal answer, or one that could not be read or was cut off; answers, those of them that
        had been kept, their tokens, and the seconds that they took. Of decisions with one legal
        action it is not asked.
        """
        with self._lock:
            return dict(self._counts)

    def decide(self, seen: PolicyInput) -> NDArray[np.int64]:
        self._journal = self._journal or journal(self._keep)
        self._begin(seen)
        actions: NDArray[np.int64] = seen.masks.argmax(axis=1).astype(np.int64)
        asked = np.flatnonzero(seen.masks.sum(axis=1) > 1)  # one answer alone is no question
        turns = [self._turn(seen, at) for at in asked.tolist()]
        self._add(decisions=len(seen) - len(turns))
        self._server.go_on()
        with ThreadPoolExecutor(self._at_once) as threads:
            try:
                running = [threads.submit(self._decided, turn) for turn in turns]
                for each in wait(running, return_when=FIRST_EXCEPTION).done:
                    each.result()
            except BaseException:
                self._stop(threads)
                raise
        actions[asked] = [each.result() for each in running]
        seen.notes[:] = [None] * len(seen)
        for at, turn in zip(asked.tolist(), turns, strict=True):
            seen.notes[at] = turn.note()
        return actions

    def _stop(self, threads: ThreadPoolExecutor) -> None:
        """Make no more requests. What is under way is waited for and kept: it has to be paid; but
        not if Ctrl-C comes a second time.
        """
        try:
            self._server.stop()
            threads.shutdown(cancel_futures=True)
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

    # --- one decision ----------------------------------------------------------------------------

    def _begin(self, seen: PolicyInput) -> None:
        """Count the games in which nobody of the side has decided yet."""
        sides = seen.variant.sides
        for history, seat in zip(seen.history, seen.seats.tolist(), strict=True):
            if all(sides[mover] != sides[seat] for mover, _ in history.moves):
                self._add(games=1)

    def _turn(self, seen: PolicyInput, at: int) -> _Turn:
        """The decision in the game *at*, and what is said first about it."""
        history, seat, variant = seen.history[at], int(seen.seats[at]), seen.variant
        talk = self._talk(history.log, seat)
        record = showing.reader(variant, history.log.record)
        legal = notations(showing.view_of(variant), record, seen.masks[at].tolist())
        turn = _Turn(talk, int(seen.random_bits[at]))
        turn.say("user", talk.conversation.ask(record, legal, talk.transcript))
        return turn

    def _talk(self, log: Log, seat: int) -> _Talk:
        """What was said in that game to that seat, if it is to go on; or nothing as yet."""
        if self._prompts is None or self._prompts.variant is not log.variant:
            self._prompts = Prompts(log.variant, self._list_moves, self._brief)
        beginning = log.entries[0].record if log.entries else log.record
        known = self._talks.pop((id(beginning), seat), None)
        conversation = Conversation(self._prompts, seat, self._retries)
        talk = _Talk(beginning, log.record, Transcript(log.variant), conversation)
        # The same game is another one if decisions were taken back.
        if known is not None and any(entry.record is known.record for entry in log.entries):
            talk.transcript = known.transcript
            if self._brief:
                talk.conversation, talk.messages = known.conversation, known.messages
        talk.transcript.follow(log)
        self._talks[id(beginning), seat] = talk
        if len(self._talks) > _TALKS:
            del self._talks[next(iter(self._talks))]
        return talk

    def _decided(self, turn: _Turn) -> int:
        """What is answered in the end; called in a thread."""
        wrong: set[str] = set()
        while True:
            try:
                reply, used = self._asked(turn)
            except MachineError as error:
                self.failure = turn.failure = str(error)
                self._add(voided=1)
                return VOID
            verdict = turn.talk.conversation.judge(reply.text, reply.cut_off)
            turn.say("assistant", reply.text, verdict=verdict.kind, **used)
            action = verdict.answer.action
            if action is None:
                wrong.add(verdict.kind)
            if not verdict.reply:
                break
            turn.say("user", verdict.reply)
        action = RESIGNS if action is None else action
        self._add(decisions=1, forfeited=int(action == RESIGNS), **dict.fromkeys(wrong, 1))
        self.moves[turn.first] = action
        return action

    def _asked(self, turn: _Turn) -> tuple[Reply, dict[str, Any]]:
        """What the model answers next, and what that took."""
        body = {**self._settings, "messages": turn.talk.messages}
        attempt = len(turn.said) // 2  # each is a prompt and its answer
        request = {"url": self._server.url, **body, "bits": turn.bits, "attempt": attempt}
        turn.first = turn.first or digest(request)
        assert self._journal is not None
        answer = self._journal.answer
        reply, kept = answer({**request, "copy": self._copy}, lambda: self._server.ask(body))
        used = asdict(reply)
        del used["text"], used["cut_off"]
        self._add(answers=1, kept=int(kept), **used)
        return reply, used

    def _add(self, **counts: float) -> None:
        with self._lock:
            for name, count in counts.items():
                self._counts[name] += count
