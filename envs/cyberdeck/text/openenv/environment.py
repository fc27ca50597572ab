"""An OpenEnv environment: games in words for one learner; the others play inside."""

from __future__ import annotations

import asyncio
import contextlib
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import EnvironmentMetadata

import cyberdeck
from cyberdeck import showing
from cyberdeck.common.text import quoted
from cyberdeck.engine.contract import is_whole
from cyberdeck.errors import CyberdeckError, EpisodeError, OptionError, require
from cyberdeck.players import Opponent
from cyberdeck.text.env import TextEnv
from cyberdeck.text.openenv.models import CyberdeckAction, CyberdeckObservation, CyberdeckState
from cyberdeck.text.openenv.solvers import Solvers
from cyberdeck.text.splits import SPLITS, split_seed
from cyberdeck.text.task_env import TaskEnv
from cyberdeck.text.tasks import UNEVEN

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

#: The exact values of graded positions: the same for all.
_SOLVERS: Final = Solvers()

#: Episodes begin in these threads, so many at once.
_THREADS: Final = ThreadPoolExecutor(32, "reset")


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
        self._arguments: dict[str, Any] = {}
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
        seat: int | str | None = None,
        opponent: str | Sequence[str] | None = None,
        ally: str | Sequence[str] | None = None,
        list_moves: bool = False,
        brief: bool = False,
        retries: int | Mapping[str, int] = 2,
        graded: bool | None = None,
        bands: Sequence[str] = UNEVEN,
        **options: Any,
    ) -> CyberdeckObservation:
        """Begin an episode.

        Args:
            seed: everything in the game comes from it; it is drawn if none is given.
            episode_id: what the client calls the episode.
            split: a task's split, in place of a seed; see ``list_splits``.
            index: the task's number in the split.
            game: a game other than the server's.
            seat: as in ``TextEnv``, as are all that follow.
            opponent: random, heuristic or search, without settings, or several of them.
            ally: the same.
            list_moves: list the legal moves in each prompt.
            brief: say the rules in the first prompt only.
            retries: how often an answer that is no move is asked for again.
            graded: a single position, whose move is graded by exact values, in place of a game, as
                in ``TaskEnv``; nobody's seat is chosen then, and nobody plays on. Whoever starts
                the server has to allow it.
            bands: how hard such a position may be.
            options: the game's own options, beside those of the server.
        """
        if split is not None or index is not None:
            if seed is not None or not isinstance(split, str) or index is None:
                raise OptionError("a task is split= and index=, without seed=")
            seed = split_seed(split, index)
        require(seed is None or is_whole(seed), "seed", seed, "a whole number is needed")
        named = episode_id is None or isinstance(episode_id, str)
        require(named, "episode_id", episode_id, "a text is needed")
        for name, chosen in (("opponent", opponent), ("ally", ally)):
            for each in chosen if isinstance(chosen, list | tuple) else [chosen]:
                known = f"a client may name {', '.join(PLAYERS)}; whoever starts the server, any"
                require(each in (None, *PLAYERS), name, each, f"{known} player")
        for name in ("players", "values", "beliefs"):  # they name players, who may do anything
            mine = "whoever starts the server chooses that: leave it out"
            require(name not in options, name, options.get(name), mine)
        game = self.game if game is None else game
        require(isinstance(game, str), "game", game, "the name of a game is needed")
        playing: Opponent | None = opponent
        if game == self.game:
            options = {**self.options, **options}
            seat = self.seat if seat is None else seat
            playing = self.opponent if opponent is None else opponent
        graded = self.graded if graded is None else graded
        for name, flag in (("graded", graded), ("list_moves", list_moves), ("brief", brief)):
            require(isinstance(flag, bool), name, flag, "true or false is needed")
        allowed = self.graded or self.allow_graded or not graded
        allow = "whoever starts the server has to allow that (--allow-graded yes)"
        require(allowed, "graded", graded, allow)
        form = options.get("form", "json")
        require(isinstance(form, str), "form", form, "choose one of json, tool")
        others = {"seat": seat, "opponent": playing, "ally": ally, "brief": brief}
        arguments: dict[str, Any] = {
            "game": game,
            "list_moves": list_moves,
            "retries": retries,
            **({"bands": bands} if graded else others),
            **options,
        }
        env = self._env
        if env is None or arguments != self._arguments:
            env = self._graded(**arguments) if graded else TextEnv(**arguments)
        text, info = env.reset(seed)
        self._env, self._arguments, variant = env, arguments, env.variant
        self._state = CyberdeckState(
            episode_id=episode_id or str(uuid4()),
            game=variant.game.name,
            options=variant.chosen,
            seats=[variant.agents[at] for at in env.own],
        )
        return self._told(text, info)

    @staticmethod
    def _graded(*, values: str = "exact", **arguments: Any) -> TaskEnv:
        return TaskEnv(values=partial(_SOLVERS.lend, chosen=values), **arguments)

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
        reward_told = None if info["voided"] else reward
        return self._told(text, info, reward=reward_told, done=over, truncated=truncated)

    def _told(self, text: str, info: dict[str, Any], **result: Any) -> CyberdeckObservation:
        listed = self._arguments["list_moves"] and not result.get("done")
        moves = self._legal(info["seat"]) if listed else []
        return CyberdeckObservation(text=text, legal_moves=moves, **info, **result)

    def _legal(self, seat: str) -> list[str]:
        assert self._env is not None
        return [*self._env.game.legal(seat).values()]

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
        return [(move, {"move": move}) for move in self._legal(observation["seat"])]

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
