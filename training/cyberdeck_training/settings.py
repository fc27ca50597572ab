"""What the configuration of a training run may say: the settings that recipes have in common.

What stable-baselines3 has a name for is called as it is there. A recipe's own settings are a class
that builds on one of these: keys that it does not have are refused, and what no single value shows
is checked by its validators.
"""

from __future__ import annotations

import math
from contextlib import suppress
from functools import cached_property
from typing import Annotated, Any, Final

import yaml
from pydantic import AfterValidator, Field, model_validator

from cyberdeck import CyberdeckError
from cyberdeck.engine.policy import BuiltIn, Policy
from cyberdeck.engine.prior import PRIOR
from cyberdeck.engine.variant import Variant
from cyberdeck.players import built_in_names, find_player, player_names
from cyberdeck.players.search import ROOTS
from cyberdeck.transformed import values_of
from cyberdeck_training import schedules, values

#: Opponents that change while the run goes on: the learner itself, and what it was before.
CURRENT: Final = "self"
PAST: Final = "past"

#: The envs number the entries of a pool in 16 bits.
MOST_ENTRIES: Final = 2**15 - 1

#: How many places of a pool there are for each game, where shares change: most have to be free.
PLACES: Final = 4


# --- of every run --------------------------------------------------------------------------------


class PastConfig(values.Group):
    """The past selves that play as ``past``."""

    every: values.Positive = 20
    """Updates between two that join."""
    keep: values.Positive = 8
    """How many are kept."""
    replace: Annotated[str, values.one_of(("oldest", "random", "easiest"))] = "random"
    """Which of them makes room: the ``oldest``, a ``random`` one, or the ``easiest`` to beat."""


class EvaluationConfig(values.Group):
    """How the policy is measured, while it learns and at the end."""

    every: values.Positive = 500_000
    """Timesteps between two measurements."""
    deals: values.Positive = 100
    """Of each measurement; each deal is played on every side against each opponent."""
    final_deals: values.Positive = 1000
    """Of the last one, on other deals."""
    opponents: list[str] = Field(default=["random", "heuristic"])
    greedy: bool = True
    """Whether the policy plays the likeliest action, or draws one."""
    keep: bool = False
    """Whether the policies that were measured are kept, in ``policies``."""


class RunSettings(values.Group):
    """What every run has, whatever it learns by: an algorithm of one's own may need no more."""

    game: Annotated[str, AfterValidator(values.existing_game)]
    """Name of the game, see ``cyberdeck list``; or the file (*.py) of one of your own."""
    total_timesteps: Annotated[values.Whole, Field(ge=1, le=10**12)]
    """How many decisions of the learner to train for; against itself those of all sides count."""
    options: dict[str, Any] = Field(default={})
    """The game's own options, see ``cyberdeck describe GAME``."""
    algorithm: str = "maskable_ppo"
    """The recipe that it learns by: see ``algorithms.py``."""
    opponents: dict[str, schedules.Count] = Field(default={})
    """Who plays the other sides, and in how many games compared to each other."""
    past: PastConfig | None = None
    seed: Annotated[values.Whole, Field(ge=0, lt=2**30)] = 1
    threads: Annotated[values.Whole, Field(ge=1, le=1024)] = 2
    """Of PyTorch, and of the search that is learned from."""
    precision: Annotated[str, values.one_of(values.PRECISIONS)] = "float32"
    """Of PyTorch's matrix products; bfloat16 is faster on processors that have it."""
    num_envs: Annotated[values.Whole, Field(ge=1, le=2**20)] = 256
    """Games side by side."""
    n_steps: Annotated[values.Whole, Field(ge=1, le=2**16)] = 64
    """Decisions in each game between two updates."""
    callbacks: values.Callbacks = Field(default={})
    """Those of stable-baselines3: ``[module:Class]``, or ``{module:Class: {argument: value}}``."""
    checkpoint: Annotated[values.Real, Field(ge=0)] = 30.0
    """Seconds between two checkpoints."""
    evaluation: EvaluationConfig = EvaluationConfig()

    @cached_property
    def variant(self) -> Variant:
        return Variant(values.game_of(self.game), self.options)

    @cached_property
    def fixed(self) -> dict[str, Policy]:
        """The opponents that stay the same, by name."""
        return {
            name: find_player(self.variant, name)
            for name in self.playing
            if name not in (CURRENT, PAST)
        }

    @property
    def playing(self) -> dict[str, schedules.Scheduled]:
        """The opponents that have a share of the games, now or then."""
        return {name: share for name, share in self.opponents.items() if share != 0}

    @property
    def constant(self) -> dict[str, int] | None:
        """Their shares; None where one of them changes while the run goes on."""
        shares = {name: each for name, each in self.playing.items() if isinstance(each, int)}
        return shares if len(shares) == len(self.playing) else None

    @property
    def pays(self) -> bool:
        """Whether decisions are paid in another way than the game does."""
        return bool(getattr(self, "reward", None) or getattr(self, "shaping", None))

    @property
    def plays_itself(self) -> bool:
        """Whether there are games in which the learner plays all sides."""
        return CURRENT in self.playing

    @property
    def rollout(self) -> int:
        """Decisions between two updates."""
        return self.num_envs * self.n_steps

    @property
    def decisions(self) -> int:
        """How many are made: every update learns from a whole rollout, the last one too."""
        return -(-self.total_timesteps // self.rollout) * self.rollout

    @property
    def evaluation_seed(self) -> int:
        """Of the deals that progress is measured on. Training plays on from small seeds, matches
        begin from large ones, so no deal of one is met in the other.
        """
        return self.seed + 500_009

    @property
    def final_seed(self) -> int:
        """Of the deals that the result is measured on: training and choosing have seen others."""
        return self.seed + 1_000_003

    @property
    def rounding(self) -> str:
        """Why that is more than was asked for; empty if it is not."""
        if self.decisions == self.total_timesteps:
            return ""
        return (
            f"{self.total_timesteps:,} decisions were asked for; a run learns from whole rollouts "
            f"of {self.rollout:,} (num_envs x n_steps), {self.decisions:,} decisions at the end"
        )

    def text(self) -> str:
        """As YAML that ``config.load`` reads."""
        text: str = yaml.safe_dump(self.model_dump(mode="json", by_alias=True), sort_keys=False)
        return text

    @model_validator(mode="after")
    def _check_game(self) -> RunSettings:
        try:
            self.variant.refuse_disguise("training runs")
            if self.variant.regret:
                values_of(self.variant)  # or no folder is made for a run without any
        except CyberdeckError as error:
            wrong = "options"
            for name in self.options:  # the one without which it would be right
                rest = {other: self.options[other] for other in self.options if other != name}
                with suppress(CyberdeckError):
                    Variant(values.game_of(self.game), rest)
                    wrong = f"options.{name}"
            values.refuse(wrong, str(error))
        if self.variant.seats > 1:
            self._check_opponents()
            return self
        others = self.evaluation.opponents != EvaluationConfig().opponents
        given = {"opponents": self.playing, "past": self.past, "evaluation.opponents": others}
        for key, value in given.items():
            values.refuse(key, f"{self.game} is a game for one; leave it out", value)
        return self

    def _check_opponents(self) -> None:
        built_in, playing = built_in_names(self.variant.game), self.playing
        needed = (
            f"{self.game} needs some: shares of {CURRENT}, {PAST} and "
            f"{', '.join(player_names(self.variant))}, such as "
            f"{{{CURRENT}: 1, {PAST}: 2, {built_in[-1]}: 1}}"
        )
        values.refuse("opponents", needed, not playing)
        with values.refused_as("opponents", f"; or {CURRENT}, {PAST}"):
            _ = self.fixed
        needed = f"name at least one, such as [{', '.join(built_in)}]"
        values.refuse("evaluation.opponents", needed, not self.evaluation.opponents)
        if "opponents" not in self.evaluation.model_fields_set:  # a game may have no heuristic
            measured = self.evaluation.model_copy(update={"opponents": built_in})
            object.__setattr__(self, "evaluation", measured)
        with values.refused_as("evaluation.opponents"):
            for name in self.evaluation.opponents:
                find_player(self.variant, name)
        sides = len(set(self.variant.sides))
        needed = (
            f"must be more than the {sides} sides that the learner plays against itself, not "
            f"{self.n_steps}: of each game's last decisions nothing is known yet"
        )
        values.refuse("n_steps", needed, self.plays_itself and self.n_steps <= sides)
        needed = "nobody plays past selves: give opponents a share of past"
        values.refuse("past", needed, self.past is not None and PAST not in playing)
        most, constant = MOST_ENTRIES // PLACES, self.constant or {}
        needed = f"shares that change need at most {most} games side by side, not {self.num_envs}"
        values.refuse("opponents", needed, self.constant is None and self.num_envs > most)
        kept = (self.past or PastConfig()).keep if PAST in playing else 1
        times, shares = kept // math.gcd(kept, constant.get(PAST, 1)), sum(constant.values())
        needed = (
            f"shares and past.keep have to be smaller: they need {times} times {shares} places in "
            f"the pool, and it has {MOST_ENTRIES}"
        )
        values.refuse("opponents", needed, shares * times > MOST_ENTRIES)


# --- of PPO --------------------------------------------------------------------------------------


class PPOSettings(RunSettings):
    """PPO, and what its network is like."""

    encoding: Annotated[str, values.one_of(values.ENCODINGS)] = "scaled"
    """What the network gets of an observation."""
    net_arch: values.NetArch = Field(default=[256, 128])
    """Widths of the hidden layers: of both networks, or ``{pi: [...], vf: [...]}``; behind those
    that both share with ``{shared: [...], pi: [...], vf: [...]}``."""
    activation_fn: Annotated[str, AfterValidator(values.activation)] = "tanh"
    """One of PyTorch's, by its name there."""
    batch_size: Annotated[values.Whole, Field(ge=2, le=2**24)] = 2048
    n_epochs: Annotated[values.Whole, Field(ge=1, le=1000)] = 4
    """Passes over the decisions of a rollout."""
    learning_rate: schedules.Rate = 1e-3
    clip_range: schedules.Rate = 0.2
    """How far an update may change a decision's probability."""
    gamma: values.Share = 1.0
    gae_lambda: values.Share = 0.95
    ent_coef: schedules.Weight = 0.01
    """Weight of the bonus for staying undecided."""
    vf_coef: values.Weight = 0.5
    """Weight of the loss of what values positions."""
    max_grad_norm: values.AboveZero = 0.5
    """Longer gradients are shortened to this."""

    @model_validator(mode="after")
    def _check_batch(self) -> PPOSettings:
        room = self.rollout
        more = f"{self.batch_size} is more than a rollout holds: num_envs x n_steps = {room}"
        values.refuse("batch_size", more, room < self.batch_size)
        return self


class PriorSettings(PPOSettings):
    """PPO that may begin with the heuristic's prior."""

    prior_weight: Annotated[values.Real, Field(gt=0, le=10)] | None = None
    """What each step of the observation's prior adds to an action at first; learned on. Without,
    the prior is seen by the network as all else is."""
    network: Annotated[str, values.existing("network", "torch.nn:Module")] | None = None
    """A module of your own in place of the perceptron, ``module:Class``: see ``networks.py``."""
    reward: Annotated[str, values.existing("reward")] | None = None
    """What pays for decisions in the place of the game, ``module:function``: see ``rewards.py``."""
    shaping: Annotated[str, values.existing("shaping")] | None = None
    """A potential of what is seen, by which rewards are shaped, ``module:function``."""

    @model_validator(mode="after")
    def _check_prior(self) -> PriorSettings:
        given, missing = self.prior_weight is not None, PRIOR not in self.variant.layout
        message = "these games show no prior: give options.observation=prior, or leave it"
        values.refuse("prior_weight", message, given and missing)
        message = "a network of your own sees the prior itself; leave it out"
        values.refuse("prior_weight", message, given and self.network)
        return self


# --- of other recipes ----------------------------------------------------------------------------


class DAggerConfig(values.Group):
    """DAgger at first: what an expert would do where the learner gets to."""

    expert: str = "heuristic"
    """A player by name."""
    timesteps: values.Positive = 1_000_000
    """For how many of the run's; the algorithm goes on from there."""


class TaughtSettings(PriorSettings):
    """PPO that may learn from an expert's labels."""

    dagger: DAggerConfig | None = None
    replay: values.Positive = 8
    """How many rollouts are learned from while an expert labels them, the latest ones."""

    def expert(self) -> Policy:
        """Who tells in DAgger. Not an opponent's memory: one of that name is another."""
        assert self.dagger is not None
        return find_player(self.variant, self.dagger.expert)

    @model_validator(mode="after")
    def _check_expert(self) -> TaughtSettings:
        if self.dagger is None:
            return self
        needed = f"must be at least those of a rollout, {self.rollout}"
        values.refuse("dagger.timesteps", needed, self.dagger.timesteps < self.rollout)
        with values.refused_as("dagger.expert"):
            expert = self.expert()
        needed = (
            f"{self.dagger.expert} decides by the course of a game, which no expert is told: name "
            "a player that looks at positions, or remembers numbers"
        )
        values.refuse("dagger.expert", needed, expert.needs_history)
        return self


class DAggerSettings(TaughtSettings):
    """DAgger, and then PPO."""

    dagger: DAggerConfig | None = DAggerConfig()


class ExpertIterationConfig(values.Group):
    """The search that expert iteration learns from."""

    iterations: Annotated[values.Whole, Field(ge=1, le=10**6)] = 32
    """Of each search."""
    root: Annotated[str, values.one_of(ROOTS)] = "gumbel"
    """What chooses at its first node."""
    every: values.Positive = 4
    """One decision in so many of each game is searched; all are played by the network alone."""


class ExpertIterationSettings(TaughtSettings):
    """Expert iteration; DAgger may come before it."""

    expert_iteration: ExpertIterationConfig = ExpertIterationConfig()
    gamma: Annotated[values.Real, Field(ge=1, le=1)] = 1.0
    """A search does not discount."""

    @model_validator(mode="after")
    def _check_search(self) -> ExpertIterationSettings:
        every = self.expert_iteration.every
        needed = (
            f"must be at most n_steps, {self.n_steps}, not {every}: in some games of a rollout "
            "nothing would be searched"
        )
        values.refuse("expert_iteration.every", needed, every > self.n_steps)
        needed = "a search is guided by the perceptron alone; leave it out"
        values.refuse("network", needed, self.network)
        needed = f"a search is guided by a perceptron of {' or '.join(values.HELD)} alone"
        values.refuse("activation_fn", needed, self.activation_fn.lower() not in values.HELD)
        needed = "a search counts what the game pays; leave it out"
        for key in ("reward", "shaping"):
            values.refuse(key, needed, getattr(self, key))
        return self


class ExploitSettings(TaughtSettings):
    """PPO against one player that stays the same; DAgger may come before it."""

    @property
    def player(self) -> str:
        """The one that is to be exploited."""
        return next(iter(self.playing))

    @model_validator(mode="after")
    def _check_player(self) -> ExploitSettings:
        fixed = [*self.playing] == [*self.fixed] == self.evaluation.opponents
        needed = (
            "exploit is for one player that stays the same, and nobody else in opponents and "
            "evaluation.opponents: give, for example, opponents={heuristic: 1} and "
            "evaluation.opponents=[heuristic]"
        )
        values.refuse("opponents", needed, not fixed or len(self.fixed) != 1)
        return self


class DeviceConfig(values.Group):
    """Games, network and updates on one device, see ``device_ppo.py``."""

    kind: str = "cuda"
    """``cuda``, ``cuda:1``, or ``cpu``, which does the same here."""
    seconds: values.AboveZero | None = None
    """Stop learning after so many seconds; by then the learning rate has reached its end."""
    graphs: bool = True
    """Whether a GPU's work is recorded as CUDA graphs."""
    compile: bool = False
    """Whether PyTorch compiles network and loss, which takes a while and needs a C compiler."""
    profile: bool = False
    """Whether to say at the end where the time has gone."""


class DeviceSettings(PriorSettings):
    """PPO whose games, network and updates are all on one device."""

    device: DeviceConfig = DeviceConfig()

    @model_validator(mode="after")
    def _check_device(self) -> DeviceSettings:
        game = self.variant.game
        values.refuse("options", "games on a device keep no history: show none", game.recalls)
        asked = not all(isinstance(each, BuiltIn) for each in self.fixed.values())
        known = " and ".join(built_in_names(game))
        needed = f"nobody else can be asked on a device: play against {CURRENT}, {known} alone"
        values.refuse("opponents", needed, asked or PAST in self.playing)
        needed = "on a device shares stay the same: give whole numbers"
        values.refuse("opponents", needed, self.constant is None)
        needed = "nothing outside the device is asked while it learns; leave it out"
        for key in ("reward", "shaping", "callbacks"):
            values.refuse(key, needed, getattr(self, key))
        return self
