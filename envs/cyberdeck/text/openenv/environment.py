"""An OpenEnv environment: games in words for one learner; the others play inside."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final
from uuid import uuid4
from weakref import ref

import numpy as np
from numpy.typing import NDArray
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import EnvironmentMetadata

import cyberdeck
from cyberdeck import showing
from cyberdeck.common.text import quoted
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.values import Values
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import CyberdeckError, EpisodeError, OptionError, require
from cyberdeck.exact.values import find_values
from cyberdeck.players import Opponent
from cyberdeck.text.env import TextEnv
from cyberdeck.text.openenv.models import CyberdeckAction, CyberdeckObservation, CyberdeckState
from cyberdeck.text.splits import SPLITS, split_seed
from cyberdeck.text.task_env import TaskEnv

#: The players that a client may name, without settings: none opens a file or a connection.
PLAYERS: Final = ("random", "heuristic", "search")

#: At most so many tasks are listed at once.
MOST_TASKS: Final = 1000
#: And so many where a client asks for all.
_PREVIEW: Final = 10

#: No argument of a reset is longer, with its name, as Python writes them.
_LONGEST: Final = 10_000

#: What is left of an error that repeats what a client has sent: its beginning, and its end, which
#: says what is needed.
_BEGINS, _ENDS = 300, 700

#: Episodes begin in these threads, so many at once.
_THREADS: Final = ThreadPoolExecutor(32, "reset")


#: So many games, each with its options, are held solved; exact values count positions up to half a
#: gigabyte for each.
MOST_SOLVED: Final = 4


@contextlib.contextmanager
def _briefly() -> Iterator[None]:
    """Cut errors short."""
    try:
        yield
    except CyberdeckError as error:
        text = str(error)
        if len(text) > _BEGINS + _ENDS:
            text = f"{text[:_BEGINS]}...{text[-_ENDS:]}"
        raise type(error)(text) from None


class _Lent(Values):
    """Values that several borrow: they take turns."""

    def __init__(self, variant: Variant, values: Values) -> None:
        super().__init__(variant)
        self.name, self.whole, self._values = values.name, values.whole, values
        self._turn = threading.Lock()

    @property
    def assumption(self) -> str:
        """The same."""
        return self._values.assumption

    def of(self, states: NDArray[Any]) -> NDArray[np.float64]:
        """(N, A)."""
        with self._turn:
            return self._values.of(states)


class Solvers:
    """Lends exact values: sessions with the same game and options have the same.

    One game is solved at a time. Where *most* are held, one that nobody has borrowed makes room.
    """

    def __init__(self, most: int = MOST_SOLVED) -> None:
        self.most = most
        #: By game, options and solver; those asked for last come last.
        self._held: dict[tuple[int, str, str], _Lent] = {}
        self._list, self._solving = threading.Lock(), threading.Lock()

    def lend(self, variant: Variant, chosen: str = "exact") -> Values:
        """The values of a game, known by *chosen*, as of ``find_values``, for one borrower."""
        key = id(variant.game.plain), repr(variant.options), chosen
        if lent := self._known(key):
            return lent
        with self._solving:
            if lent := self._known(key):
                return lent
            with self._list:
                self._make_room()
            lent = self._held[key] = _Lent(variant, find_values(variant, chosen))
        return lent

    def _known(self, key: tuple[int, str, str]) -> Values | None:
        with self._list:
            if key in self._held:
                self._held[key] = self._held.pop(key)
            return self._held.get(key)

    def _make_room(self) -> None:
        if len(self._held) < self.most:
            return
        for key in [*self._held]:
            borrowed = ref(self._held.pop(key))
            if (lent := borrowed()) is None:  # by nobody any more
                return
            self._held[key] = lent
            del lent
        titles = ", ".join(
            f"{held.variant.game.name} {held.variant.chosen or ''}".strip()
            for held in self._held.values()
        )
        raise OptionError(
            f"the server holds exact values of {self.most} games at most, and all are in use: ask "
            f"for one of these ({titles}), or again when a session is over"
        )


#: The exact values of graded positions: the same for all.
_SOLVERS: Final = Solvers()


class CyberdeckEnvironment(Environment):
    """Games in words for one learner, as OpenEnv serves them: one instance for each session.

    Args:
        game: what is played where ``reset`` names no game.
        seat, opponent: the learner's seat in it, and who plays the others, as in ``TextEnv``.
        graded: episodes are single positions, graded by exact values, as in ``TaskEnv``.
        allow_graded: a client may ask for such episodes, even if *graded* is False: to solve a game
            may take a minute and half a gigabyte.
        options: the game's own options.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(
        self,
        game: str = "hackthegrid",
        *,
        seat: int | str | None = None,
        opponent: Opponent | None = None,
        graded: bool = False,
        allow_graded: bool = False,
        **options: Any,
    ) -> None:
        super().__init__()
        self.game, self.seat, self.opponent, self.options = game, seat, opponent, options
        self.graded, self.allow_graded = graded, allow_graded
        self._env: TextEnv | None = None
        self._chosen: tuple[bool, str, dict[str, Any]] = (graded, game, {})
        self._state = CyberdeckState(game=game, options=options)

    # --- an episode ------------------------------------------------------------------------------

    async def reset_async(self, /, **arguments: Any) -> CyberdeckObservation:
        """A client's ``reset``, with all that it has sent, whatever the names of its arguments."""
        for name, value in arguments.items():
            if len(name) + len(repr(value)) > _LONGEST:
                raise OptionError(
                    f"{quoted(name)}={quoted(value)} is too long: {_LONGEST} characters at most"
                )
        begin = partial(self.reset, **arguments)
        return await asyncio.get_running_loop().run_in_executor(_THREADS, begin)

    @_briefly()
    def reset(
        self,
        /,
        seed: int | None = None,
        episode_id: str | None = None,
        *,
        split: str | None = None,
        index: int | None = None,
        game: str | None = None,
        graded: bool | None = None,
        **arguments: Any,
    ) -> CyberdeckObservation:
        """Begin an episode.

        Args:
            seed: everything in the game comes from it; it is drawn if none is given.
            episode_id: what the client calls the episode.
            split: a task's split, in place of a seed; see ``list_splits``.
            index: the task's number in the split.
            game: a game other than the server's.
            graded: a single position, whose move is graded by exact values, in place of a game, as
                in ``TaskEnv``; nobody's seat is chosen then, and nobody plays on. Whoever starts
                the server has to allow it.
            arguments: ``seat``, ``opponent``, ``ally``, ``list_moves``, ``brief``, ``form`` and
                ``retries`` as in ``TextEnv``: players are random, heuristic or search, without
                settings, or several of them. ``bands``, of such a position, as in ``TaskEnv``. And
                the game's own options, beside those of the server.
        """
        if split is not None or index is not None:
            if seed is not None or not isinstance(split, str) or index is None:
                raise OptionError("a task is split= and index=, without seed=")
            seed = split_seed(split, index)
        require(seed is None or is_whole(seed), "seed", seed, "a whole number is needed")
        named = episode_id is None or isinstance(episode_id, str)
        require(named, "episode_id", episode_id, "a text is needed")
        for name in ("opponent", "ally"):
            chosen = arguments.get(name)
            for each in chosen if isinstance(chosen, list | tuple) else [chosen]:
                known = f"a client may name {', '.join(PLAYERS)}; whoever starts the server, any"
                require(each in (None, *PLAYERS), name, each, f"{known} player")
        for name in ("players", "values", "beliefs"):  # they name players, who may do anything
            mine = "whoever starts the server chooses that: leave it out"
            require(name not in arguments, name, arguments.get(name), mine)
        game = self.game if game is None else game
        require(isinstance(game, str), "game", game, "the name of a game is needed")
        if game == self.game:
            for name, usual in (("seat", self.seat), ("opponent", self.opponent)):
                arguments[name] = usual if arguments.get(name) is None else arguments[name]
            arguments = {**self.options, **arguments}
        graded = self.graded if graded is None else graded
        arguments = {"list_moves": False, **arguments}
        flags = {"graded": graded, **arguments}
        for name in ("graded", "list_moves", "brief"):
            flag = flags.get(name, False)
            require(isinstance(flag, bool), name, flag, "true or false is needed")
        allowed = self.graded or self.allow_graded or not graded
        allow = "whoever starts the server has to allow that (--allow-graded yes)"
        require(allowed, "graded", graded, allow)
        form = arguments.get("form", "json")
        require(isinstance(form, str), "form", form, "choose one of json, tool")
        for name in ("seat", "opponent", "ally", "brief") if graded else ("bands",):
            arguments.pop(name, None)
        env = self._env
        if env is None or (graded, game, arguments) != self._chosen:
            env = self._graded(game, **arguments) if graded else TextEnv(game, **arguments)
        text, info = env.reset(seed)
        self._env, self._chosen, variant = env, (graded, game, arguments), env.variant
        self._state = CyberdeckState(
            episode_id=episode_id or str(uuid4()),
            game=variant.game.name,
            options=variant.chosen,
            seats=[variant.agents[at] for at in env.own],
        )
        return self._observed(text, info)

    @staticmethod
    def _graded(game: str, *, values: str = "exact", **arguments: Any) -> TaskEnv:
        return TaskEnv(game, values=partial(_SOLVERS.lend, chosen=values), **arguments)

    def step(self, action: CyberdeckAction, timeout_s: float | None = None) -> CyberdeckObservation:
        """Take an answer. *timeout_s* is OpenEnv's, and ignored: players have their own limits."""
        if self._env is None:
            raise EpisodeError("no game is running: call reset() before step()")
        text, reward, terminated, truncated, info = self._env.step(
            action.text, cut_off=action.cut_off
        )
        self._state.step_count += 1
        if over := terminated or truncated:
            game = self._env.game
            self._state = self._state.model_copy(
                update={"done": True, "seed": game.seed, "actions": list(game.actions)}
            )
        paid = None if info["voided"] else reward
        return self._observed(text, info, reward=paid, done=over, truncated=truncated)

    def _observed(self, text: str, info: dict[str, Any], **result: Any) -> CyberdeckObservation:
        assert self._env is not None
        listed = self._chosen[2]["list_moves"] and not result.get("done")
        moves = [*self._env.game.legal(info["seat"]).values()] if listed else []
        return CyberdeckObservation(text=text, legal_moves=moves, **info, **result)

    @property
    def state(self) -> CyberdeckState:
        """What is known of the episode."""
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """What OpenEnv says about the environment."""
        return EnvironmentMetadata(
            name="cyberdeck",
            description="Cyberspace table-top games in words; this server's own is " + self.game,
            version=cyberdeck.__version__,
            author="The cyberdeck engineers",
        )

    # --- the page at /web ------------------------------------------------------------------------

    def render_web(self, observation: dict[str, Any]) -> str | None:
        """A picture of the game as the seat sees it."""
        if self._env is None:
            return None
        seat = self._env.variant.agents.index(observation["seat"])
        drawn = showing.picture_of(self._env.game.core, 0, seat, True)
        encoded = b64encode(drawn.encode()).decode()
        return f'<img style="max-width: 100%" src="data:image/svg+xml;base64,{encoded}">'

    def web_actions(self, observation: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """The legal moves."""
        if self._env is None or observation["done"]:
            return []
        legal = self._env.game.legal(observation["seat"]).values()
        return [(move, {"move": move}) for move in legal]

    # --- tasks -----------------------------------------------------------------------------------

    def list_splits(self) -> list[dict[str, str]]:
        """The splits: no two share a task."""
        return [{"name": split, "type": split} for split in SPLITS]

    @_briefly()
    def num_tasks(self, split: str) -> int:
        """How many tasks a split has."""
        split_seed(split, 0)
        return len(SPLITS[split])

    @_briefly()
    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """A task: ``reset(split=, index=)`` begins it, with any game, seat and opponents."""
        seed = split_seed(split, index)
        return {"id": f"{split}-{index}", "split": split, "index": index, "seed": seed}

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """The first tasks of a split."""
        return self.get_task_range(split, 0, _PREVIEW)

    def get_task_range(
        self, split: str, start: int | None = None, stop: int | None = None
    ) -> list[dict[str, Any]]:
        """The tasks of a slice: from *start* to before *stop*."""
        chosen = range(self.num_tasks(split))[start:stop]
        if len(chosen) > MOST_TASKS:
            raise OptionError(f"{len(chosen)} tasks are too many at once: ask for {MOST_TASKS}")
        return [self.get_task(split, index) for index in chosen]
