"""The games as an environment for verifiers: each seat is an agent, with a trace of its own.

verifiers finds it under the name ``cyberdeck-verifiers``. It needs the extra ``verifiers``.
"""

from __future__ import annotations

import asyncio
import functools
import json
import ssl
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

import verifiers.v1 as vf
from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from pydantic import Field, model_validator
from verifiers.v1.configs.agent import agent_config_fields
from verifiers.v1.dialects.chat import message_to_wire

from cyberdeck.api.registration import load_file
from cyberdeck.engine import registry
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import require
from cyberdeck.text.env import TextEnv
from cyberdeck.text.game import TextGame
from cyberdeck.text.splits import SPLITS, split_seed
from cyberdeck.text.task_env import TaskEnv
from cyberdeck.text.tasks import UNEVEN

#: An agent for a seat: a chat in this process. Its model is the run's, unless another is named.
_AGENT: Final = vf.AgentConfig(runtime=vf.SubprocessConfig())


class GamesConfig(vf.TasksetConfig):
    """Which game is played, and in what words."""

    game: str = "hackthegrid"
    """A game's name, or the file of one (*.py)."""
    options: dict[str, Any] = Field(default_factory=dict)
    """The game's own options."""
    split: str = "train"
    """Where the seeds come from: train, validation or test."""
    list_moves: bool = False
    """List the legal moves in each prompt."""
    brief: bool = True
    """Say the rules in a seat's first prompt only; they stay in its conversation."""
    retries: int | dict[str, int] = 2
    """How often an answer that is no move is asked for again: a number, or one for each kind."""
    graded: bool = False
    """Single positions, whose move is graded by exact values, in place of games: as of TaskEnv."""
    bands: list[str] = Field(default_factory=lambda: [*UNEVEN])
    """How hard such positions may be."""

    @model_validator(mode="after")
    def _checked(self) -> GamesConfig:
        split_seed(self.split, 0)
        TextGame(self.variant, **self.words)
        return self

    @property
    def variant(self) -> Variant:
        """The game with its options."""
        return _variant(self.game, json.dumps(self.options))

    @property
    def words(self) -> dict[str, Any]:
        """How it is put into words: arguments of ``TextGame``."""
        return {"list_moves": self.list_moves, "brief": self.brief, "retries": self.retries}


@functools.cache  # so that a game's file is run and compiled once only
def _variant(game: str, options: str) -> Variant:
    name = load_file(Path(game)).name if game.endswith(".py") else game
    return registry.variant(name, **json.loads(options))


class GameData(vf.TaskData):
    """A game to be played; everything in it comes from the seed."""

    game: str
    options: dict[str, Any]
    seed: int


class GameTask(vf.Task[GameData, vf.State, vf.TaskConfig]):
    """A game to be played. The environment records its rewards."""


class Games(vf.Taskset[GameTask, GamesConfig]):
    """The games of a split, without end."""

    INFINITE = True

    def load(self) -> Iterator[GameTask]:
        """One for each seed."""
        config = self.config
        about = {"game": config.game, "options": config.options}
        for index, seed in enumerate(SPLITS[config.split]):
            name = f"{config.variant.game.name} {config.split} {index}"
            yield GameTask(GameData(name=name, seed=seed, **about), config.task)


class SeatsConfig(vf.EnvConfig):
    """Who plays: an agent for each seat, from ``player_0`` on; or for some of them only.

    A seat whose agent names a model of its own is not trained.
    """

    player_0: vf.AgentConfig = _AGENT
    player_1: vf.AgentConfig = _AGENT
    player_2: vf.AgentConfig = _AGENT
    player_3: vf.AgentConfig = _AGENT
    player_4: vf.AgentConfig = _AGENT
    player_5: vf.AgentConfig = _AGENT
    player_6: vf.AgentConfig = _AGENT
    player_7: vf.AgentConfig = _AGENT
    player_8: vf.AgentConfig = _AGENT
    player_9: vf.AgentConfig = _AGENT
    seat: int | str | None = Field(None, union_mode="left_to_right")
    """The only seat that an agent plays, or a team's seats: as in ``TextEnv``."""
    opponent: str | list[str] | None = None
    """Which player of the suite plays the others, as in ``TextEnv``. If opponent, ally and seat
    are all left out, agents play all seats."""
    ally: str | list[str] | None = None
    """Which player of the suite plays the other seats of the agents' team."""

    @model_validator(mode="after")
    def _checked(self) -> SeatsConfig:
        if isinstance(self.taskset, GamesConfig):  # not yet, while verifiers looks it up by name
            self.made()
            game, most = self.taskset.variant, len(agent_config_fields(self))
            few = f"it has {game.seats} seats, and there are agents for {most}"
            require(game.seats <= most, "game", game.game.name, few)
        return self

    def made(self) -> TextGame | TextEnv:
        """A game that waits for its seed; players of the suite have the other seats."""
        about = self.taskset
        alone = self.seat is self.opponent is self.ally is None
        if about.graded:
            single = "it is for single positions: leave out seat, opponent and ally"
            require(alone, "graded", True, single)
            words = {name: said for name, said in about.words.items() if name != "brief"}
            return TaskEnv(about.variant, bands=about.bands, **words)
        if alone:
            return TextGame(about.variant, **about.words)
        return TextEnv(
            about.variant, seat=self.seat, opponent=self.opponent, ally=self.ally, **about.words
        )


class GamesEnv(vf.Env[SeatsConfig]):
    """A game among agents, or of agents against players of the suite."""

    async def setup(self, agents: vf.Agents) -> None:
        """Only the answers of the run's own model are for training."""
        for name, agent in agent_config_fields(self.config).items():
            getattr(agents, name).trainable = agent.model is None

    async def run(self, task: GameTask, agents: vf.Agents) -> None:
        """Play a game to its end, and record each seat's return on that seat's trace."""
        # In threads: other games go on while this one is compiled, or a player of ours thinks.
        made = self.config.made()
        if isinstance(made, TaskEnv):
            await self._graded(made, task, agents)
            return
        await asyncio.to_thread(made.reset, task.data.seed)
        game = made.game if isinstance(made, TextEnv) else made
        talks: dict[int, vf.Interaction] = {}
        replies: dict[int, str] = {}
        async with AsyncExitStack() as stack:
            while not game.over:
                asked = game.deciding
                for seat in asked:
                    if seat not in talks:
                        agent = getattr(agents, f"player_{seat}")
                        talks[seat] = await stack.enter_async_context(agent.interaction(task))
                answers = await asyncio.gather(
                    *(_said(talks[seat], replies.get(seat) or game.prompt(seat)) for seat in asked)
                )
                for seat, (text, cut_off) in zip(asked, answers, strict=True):
                    verdict = await asyncio.to_thread(game.answer, seat, text, cut_off=cut_off)
                    replies[seat] = verdict.reply
            if game.voided:
                raise vf.EnvError(f"the game does not count: {game.voided}")
        for seat, talk in talks.items():
            trace = talk.trace
            trace.record_reward("return", game.returns[seat])
            trace.record_metrics(game.answers(seat))
            trace.record_metrics({"gave_up": seat in game.gave_up, "length": len(game.actions)})
            trace.info |= {"seat": game.variant.agents[seat], "ending": game.ending(seat).words}

    @staticmethod
    async def _graded(made: TaskEnv, task: GameTask, agents: vf.Agents) -> None:
        """Ask for the move of one position, and record its grade."""
        words, info = await asyncio.to_thread(made.reset, task.data.seed)
        grade = 0.0
        async with agents.player_0.interaction(task) as talk:
            while not made.over:
                text, cut_off = await _said(talk, words)
                words, grade, *_, info = await asyncio.to_thread(made.step, text, cut_off=cut_off)
        assert made.task is not None
        trace = talk.trace
        trace.record_reward("grade", grade)
        trace.record_metrics(made.game.answers(made.task.seat))
        trace.record_metrics({"gave_up": info["gave_up"], "floor": made.task.floor})
        trace.info |= {"seat": info["seat"], "band": made.task.band}


async def _said(talk: vf.Interaction, words: str) -> tuple[str, bool]:
    """An agent's answer, and whether it was cut off."""
    trace = talk.trace
    if trace.stop_condition is None:
        segment = await talk.turn(words)
        if not segment.terminated:
            return segment.last_reply, trace.calls[-1].finish_reason == "length"
    if trace.errors or trace.is_timeout or trace.stop_condition is None:
        why = trace.errors[-1].message if trace.errors else trace.stop_condition or "no answer"
        raise vf.EnvError(f"the game does not count: {trace.agent.name} has failed: {why}")
    return "", True  # its run has reached a limit: it can say no more


class Chat(vf.Harness[vf.HarnessConfig]):
    """A chat without tools, in this process: nothing is installed or started to ask a model."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Ask for the next answer in a conversation; verifiers records it on the trace."""
        system, said = self.resolve_prompt(data)
        messages = [{"role": "system", "content": system}] if system else []
        messages += [message_to_wire(message) for message in said]
        http = DefaultAsyncHttpxClient(verify=_certificates())
        async with AsyncOpenAI(
            base_url=endpoint, api_key=secret, timeout=None, http_client=http
        ) as client:
            body = {"model": ctx.model, "messages": messages}
            await client.post("/chat/completions", body=body, cast_to=object)
        return vf.ProgramResult(0, "", "")


#: They take longer to load than a turn.
_certificates = functools.cache(ssl.create_default_context)
