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
from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator

from cyberdeck import CyberdeckError
from cyberdeck.engine.policy import BuiltIn, Policy
from cyberdeck.engine.prior import PRIOR
from cyberdeck.engine.variant import Variant
from cyberdeck.players import built_in_names, find_player, player_names
from cyberdeck.players.search import ROOTS
from cyberdeck.transformed import values_of
from cyberdeck_training import values

#: Opponents that change while the run goes on: the learner itself, and what it was before.
CURRENT: Final = "self"
PAST: Final = "past"

#: The envs number the entries of a pool in 16 bits.
_MOST_ENTRIES: Final = 2**15 - 1


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
    opponents: dict[str, Annotated[values.Whole, Field(ge=0)]] = Field(default={})
    """Who plays the other sides, and in how many games compared to each other."""
    past: PastConfig | None = None
    seed: Annotated[values.Whole, Field(ge=0, lt=2**30)] = 1
    threads: Annotated[values.Whole, Field(ge=1, le=1024)] = 2
    """Of PyTorch, and of the search that is learned from."""
    precision: Annotated[str, values.one_of(values.PRECISIONS)] = "float32"
    """Of PyTorch's matrix products; bfloat16 is faster on processors that have it."""
    n_envs: Annotated[values.Whole, Field(ge=1, le=2**20)] = 256
    """Games side by side."""
    n_steps: Annotated[values.Whole, Field(ge=1, le=2**16)] = 64
    """Decisions in each game between two updates."""
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
    def playing(self) -> dict[str, int]:
        """The opponents that have a share of the games."""
        return {name: share for name, share in self.opponents.items() if share}

    @property
    def plays_itself(self) -> bool:
        """Whether there are games in which the learner plays all sides."""
        return CURRENT in self.playing

    @property
    def rollout(self) -> int:
        """Decisions between two updates."""
        return self.n_envs * self.n_steps

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
            f"of {self.rollout:,} (n_envs x n_steps), {self.decisions:,} decisions at the end"
        )

    def text(self) -> str:
        """As YAML that ``config.load`` reads."""
        text: str = yaml.safe_dump(self.model_dump(mode="json"), sort_keys=False)
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
        if self.variant.seats == 1:
            self._check_alone()
        else:
            self._check_opponents()
        return self

    def _check_alone(self) -> None:
        for key, given in (
            ("opponents", self.playing),
            ("past", self.past),
            ("evaluation.opponents", self.evaluation.opponents != EvaluationConfig().opponents),
        ):
            if given:
                values.refuse(key, f"{self.game} is a game for one; leave it out")

    def _check_opponents(self) -> None:
        built_in, playing = built_in_names(self.variant.game), self.playing
        if not playing:
            values.refuse(
                "opponents",
                f"{self.game} needs some: shares of {CURRENT}, {PAST} and "
                f"{', '.join(player_names(self.variant))}, such as "
                f"{{{CURRENT}: 1, {PAST}: 2, {built_in[-1]}: 1}}",
            )
        with values.refused_as("opponents", f"; or {CURRENT}, {PAST}"):
            _ = self.fixed
        if not self.evaluation.opponents:
            values.refuse(
                "evaluation.opponents", f"name at least one, such as [{', '.join(built_in)}]"
            )
        if "opponents" not in self.evaluation.model_fields_set:  # a game may have no heuristic
            measured = self.evaluation.model_copy(update={"opponents": built_in})
            object.__setattr__(self, "evaluation", measured)
        with values.refused_as("evaluation.opponents"):
            for name in self.evaluation.opponents:
                find_player(self.variant, name)
        sides = len(set(self.variant.sides))
        if self.plays_itself and self.n_steps <= sides:
            values.refuse(
                "n_steps",
                f"must be more than the {sides} sides that the learner plays against itself, not "
                f"{self.n_steps}: of each game's last decisions nothing is known yet",
            )
        if self.past is not None and PAST not in playing:
            values.refuse("past", "nobody plays past selves: give opponents a share of past")
        kept = (self.past or PastConfig()).keep if PAST in playing else 1
        times = kept // math.gcd(kept, playing.get(PAST, 1))
        if sum(playing.values()) * times > _MOST_ENTRIES:
            values.refuse(
                "opponents",
                f"shares and past.keep have to be smaller: they need {times} times "
                f"{sum(playing.values())} places in the pool, and it has {_MOST_ENTRIES}",
            )


# --- of PPO --------------------------------------------------------------------------------------


class Residual(values.Group):
    """A residual block among the shared layers: what it takes, plus what its hidden units add."""

    residual: values.Width


class NetArch(values.Group):
    """The hidden layers: of the policy, and of the network that values positions."""

    shared: list[
        Annotated[
            Annotated[values.Width, Tag("<width>")] | Annotated[Residual, Tag("<block>")],
            Discriminator(lambda x: "<block>" if isinstance(x, dict | Residual) else "<width>"),
        ]
    ] = Field(default=[])
    """Those of both, before their own."""
    pi: values.Widths
    vf: values.Widths


#: One list stands for both networks. The tags are parts of no key.
_NetArch = Annotated[
    Annotated[values.Widths, Tag("<both>")] | Annotated[NetArch, Tag("<each>")],
    Discriminator(lambda given: "<each>" if isinstance(given, dict | NetArch) else "<both>"),
]


class PPOSettings(RunSettings):
    """PPO, and what its network is like."""

    encoding: Annotated[str, values.one_of(values.ENCODINGS)] = "scaled"
    """What the network gets of an observation."""
    net_arch: _NetArch = Field(default=[256, 128])
    """Widths of the hidden layers: of both networks, or ``{pi: [...], vf: [...]}``; behind those
    that both share with ``{shared: [...], pi: [...], vf: [...]}``."""
    activation_fn: Annotated[str, values.one_of(values.ACTIVATIONS)] = "tanh"
    batch_size: Annotated[values.Whole, Field(ge=2, le=2**24)] = 2048
    n_epochs: Annotated[values.Whole, Field(ge=1, le=1000)] = 4
    """Passes over the decisions of a rollout."""
    learning_rate: values.Rate = 1e-3
    final_learning_rate: values.Share | None = None
    """Where the learning rate goes in a straight line; it stays where it is without."""
    clip_range: values.Rate = 0.2
    """How far an update may change a decision's probability."""
    gamma: values.Share = 1.0
    gae_lambda: values.Share = 0.95
    ent_coef: values.Weight = 0.01
    """Weight of the bonus for staying undecided."""
    vf_coef: values.Weight = 0.5
    """Weight of the loss of what values positions."""
    max_grad_norm: values.AboveZero = 0.5
    """Longer gradients are shortened to this."""

    @model_validator(mode="after")
    def _check_batch(self) -> PPOSettings:
        if (room := self.rollout) < self.batch_size:
            more = f"{self.batch_size} is more than a rollout holds: n_envs x n_steps = {room}"
            values.refuse("batch_size", more)
        return self


class PriorSettings(PPOSettings):
    """PPO that may begin with the heuristic's prior."""

    prior_weight: Annotated[values.Real, Field(gt=0, le=10)] | None = None
    """What each step of the observation's prior adds to an action at first; learned on. Without,
    the prior is seen by the network as all else is."""

    @model_validator(mode="after")
    def _check_prior(self) -> PriorSettings:
        if self.prior_weight is not None and PRIOR not in self.variant.layout:
            values.refuse(
                "prior_weight",
                "these games show no prior: give options.observation=prior, or leave it",
            )
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
        if self.dagger.timesteps < self.rollout:
            values.refuse(
                "dagger.timesteps", f"must be at least those of a rollout, {self.rollout}"
            )
        with values.refused_as("dagger.expert"):
            expert = self.expert()
        if expert.needs_history:
            values.refuse(
                "dagger.expert",
                f"{self.dagger.expert} decides by the course of a game, which no expert is "
                "told: name a player that looks at positions, or remembers numbers",
            )
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
        if self.expert_iteration.every > self.n_steps:
            values.refuse(
                "expert_iteration.every",
                f"must be at most n_steps, {self.n_steps}, not {self.expert_iteration.every}: in "
                "some games of a rollout nothing would be searched",
            )
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
        if not fixed or len(self.fixed) != 1:
            values.refuse(
                "opponents",
                "exploit is for one player that stays the same, and nobody else in opponents and "
                "evaluation.opponents: give, for example, opponents={heuristic: 1} and "
                "evaluation.opponents=[heuristic]",
            )
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
        if self.variant.game.recalls:
            values.refuse("options", "games on a device keep no history: show none")
        asked = [name for name, each in self.fixed.items() if not isinstance(each, BuiltIn)]
        if asked or PAST in self.playing:
            known = " and ".join(built_in_names(self.variant.game))
            values.refuse(
                "opponents",
                f"nobody else can be asked on a device: play against {CURRENT}, {known} alone",
            )
        return self
