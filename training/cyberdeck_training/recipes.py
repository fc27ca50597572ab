"""Recipes: each is one way of learning, with settings of its own.

A run asks its recipe for games, for a learner, and to learn; all else, such as folders,
checkpoints and measuring, is the run's. A recipe of your own is a class that builds on one of
these. It is named in a configuration as ``algorithm: module:Name``, or by the name that a package
gives it in the group ``cyberdeck.algorithms`` of its entry points:

    class A2C(Recipe):
        def learner(self, envs):
            return CollectingA2C("MlpPolicy", envs, n_steps=self.config.n_steps, **self.rollouts())

with ``class CollectingA2C(Collecting, stable_baselines3.A2C)``: ``Collecting`` of ``rollouts.py``
keeps the decisions of several seats apart.

Nothing is imported here that takes long, such as PyTorch: a configuration is read without it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from cyberdeck.common.files import write_whole
from cyberdeck.common.text import tell
from cyberdeck.errors import OptionError
from cyberdeck_training import settings

if TYPE_CHECKING:
    from stable_baselines3.common.vec_env import VecEnv

    from cyberdeck.evaluation import Evaluation
    from cyberdeck_training.networks import Learned
    from cyberdeck_training.selfplay import Pool


class Recipe:
    """One way of learning, for one run.

    Of the run that it learns in, a recipe may use its ``folder``, ``pool`` and ``model``;
    ``fresh``, whether it begins here and does not go on from a checkpoint; ``games``, what counts
    the training games that end: ``GameCounts``, or a recipe's own; and it may call

    - ``callback()``, for ``learn`` of stable-baselines3: keeps the run up to date;
    - ``updated()`` after each update, before the next rollout;
    - ``counted(games)`` now and then while games are played to measure something.

    Args:
        config: the settings of the run, of the class *Settings*.
    """

    Settings: ClassVar[type[settings.RunSettings]] = settings.RunSettings
    masked: ClassVar[bool] = True
    """Whether the learner knows what is legal. If not, an illegal action loses its game."""
    resumes: ClassVar[bool] = True
    """Whether a run has checkpoints to go on from."""
    maximizes: ClassVar[str] = ""
    """What the best policy has most of, against the opponent that it does worst against: a measure
    such as ``reward``; by default what its game is measured by."""

    config: Any
    callbacks: Sequence[Any] = ()
    """Those of stable-baselines3 that the configuration names: the run calls them."""

    def __init__(self, config: Any) -> None:
        self.config = config
        #: How many of its last observations the learner sees.
        self.history: int = getattr(config, "history", 1)

    # --- what a recipe of one's own has to say, or may say in another way ---

    def learner(self, envs: Any) -> Any:
        """A model with stable-baselines3's interface, which begins with ``Collecting``."""
        raise NotImplementedError

    def envs(self, pool: Pool) -> VecEnv:
        """The games that it learns from."""
        from cyberdeck_training.rollouts import games

        return games(self.config, pool.entries, self.masked)

    def network(self, model: Any) -> Learned:
        """What is learned by now, as it is saved and plays."""
        from cyberdeck_training.networks import learned

        return learned(model, self.config, history=self.history)

    def learn(self, run: Any) -> None:
        """Play and learn until nothing is left to do."""
        run.model.learn(
            self.config.total_timesteps - run.model.num_timesteps,
            callback=run.callback(),
            log_interval=None,
            reset_num_timesteps=run.fresh,
        )

    def finish(self, run: Any, result: Evaluation) -> None:
        """Write what is to be said beside the final evaluation."""

    # --- for all ---

    def rollouts(self) -> dict[str, Any]:
        """What the learner collects its games in, as arguments of stable-baselines3."""
        from cyberdeck_training.rollouts import Rollout

        sides = self.config.variant.sides
        return {
            "rollout_buffer_class": Rollout,
            "rollout_buffer_kwargs": {
                "sides": sides,
                "left_open": len(set(sides)) - 1 if self.config.plays_itself else 0,
                "masked": self.masked,
            },
        }

    def make_learner(self, envs: Any) -> Any:
        """The learner, or ``OptionError`` if it would mix the decisions of several seats."""
        from cyberdeck_training.rewards import pay_of
        from cyberdeck_training.rollouts import Collecting, Rollout

        made = self.learner(envs)
        if not isinstance(made, Collecting) or not isinstance(made.rollout_buffer, Rollout):
            raise OptionError(
                f"{type(self).__name__} makes a {type(made).__name__}, which mixes the decisions "
                "of several seats: put cyberdeck_training.rollouts.Collecting first among its "
                "bases, and give it **self.rollouts()"
            )
        made.rollout_buffer.pay = pay_of(self.config)
        return made


# --- PPO by self-play ----------------------------------------------------------------------------


class MaskablePPO(Recipe):
    """PPO that chooses among the legal actions only."""

    Settings: ClassVar[type[settings.RunSettings]] = settings.PriorSettings
    config: settings.PPOSettings

    def __init__(self, config: settings.PPOSettings) -> None:
        super().__init__(config)
        if getattr(config, "network", None) is not None:
            from cyberdeck_training import networks

            networks.check(config)

    def learner(self, envs: Any) -> Any:
        """MaskablePPO of sb3-contrib, or without masks PPO of stable-baselines3."""
        from cyberdeck_training import learners

        learner = learners.MaskablePPO if self.masked else learners.PPO
        return learners.make(learner, self.config, envs, self.rollouts())


class PPO(MaskablePPO):
    """PPO that has to find out by itself what is legal: what masks are worth is seen by it."""

    masked = False


# --- learning from experts -----------------------------------------------------------------------


class DAgger(MaskablePPO):
    """Learns what an expert would do where the learner gets to; then it goes on by PPO."""

    Settings: ClassVar[type[settings.RunSettings]] = settings.DAggerSettings
    config: settings.TaughtSettings

    def learner(self, envs: Any) -> Any:
        """MaskablePPO that learns from labels while there are any."""
        from cyberdeck_training import imitation, learners

        learner = imitation.LabelledMaskablePPO
        model = learners.make(learner, self.config, envs, self.rollouts())
        model.replay = imitation.Replay(self.config.replay)
        core, threads = envs.unwrapped.core, self.config.threads
        if self.config.dagger is not None:
            expert = imitation.Labels(core, self.config.expert(), self.config.n_steps, 1, threads)
            expert.until = self.config.dagger.timesteps
            model.teachers.append(expert)
        return model


class ExpertIteration(DAgger):
    """Learns from a search that its own network guides."""

    Settings = settings.ExpertIterationSettings
    config: settings.ExpertIterationSettings

    def learner(self, envs: Any) -> Any:
        """MaskablePPO that learns from labels, of the expert first, then of its own search."""
        from cyberdeck_training import imitation

        model = super().learner(envs)
        core = envs.unwrapped.core
        search = imitation.OwnSearch(self.config, core, lambda: self.network(model))
        model.teachers.append(search)
        return model


# --- the best response to one player -------------------------------------------------------------


class Exploit(DAgger):
    """A best response: gains as much reward as it can from one player."""

    Settings = settings.ExploitSettings
    config: settings.ExploitSettings
    # The rewards may not be those of winning most games.
    maximizes = "reward"

    def finish(self, run: Any, result: Evaluation) -> None:
        """How much the player can be exploited by, at least."""
        from cyberdeck_training import exploit

        config, done = self.config, run.model.num_timesteps
        bound = exploit.bound(config.player, result, done, config.final_seed, run.counted)
        write_whole(run.folder / exploit.EXPLOITED, f"{bound.text()}\n")


# --- PPO on a device -----------------------------------------------------------------------------


class DeviceMaskablePPO(MaskablePPO):
    """MaskablePPO whose games, network and updates are all on one device.

    Such a run takes minutes, and has no checkpoints.
    """

    Settings = settings.DeviceSettings
    config: settings.DeviceSettings
    resumes = False

    def __init__(self, config: settings.DeviceSettings) -> None:
        from cyberdeck.device.games import device_called

        device_called(config.device.kind)  # an error, if it is not there
        super().__init__(config)

    def envs(self, pool: Pool) -> VecEnv:
        """One game, by which the network is made: those that are learned from are apart."""
        from cyberdeck_training.rollouts import games

        return games(self.config.model_copy(update={"num_envs": 1}), pool.entries, self.masked)

    def learn(self, run: Any) -> None:
        """Rollouts and updates, until the decisions are made or the time is over."""
        from cyberdeck_training.device_ppo import DevicePPO
        from cyberdeck_training.records import LEARNING

        config, model = self.config, run.model
        learner = DevicePPO(config, model.policy, run.pool.entries, run.games.outcome)
        run.games = learner
        seconds = config.device.seconds or math.inf
        while True:
            done = max(model.num_timesteps / config.total_timesteps, learner.seconds / seconds)
            if done >= 1:
                break
            for name, value in learner.iterate(1 - done).items():
                model.logger.record(LEARNING[name], value)
            model.num_timesteps += config.rollout
            run.updated()
        if config.device.profile:
            tell(learner.profile())
        learner.policy.cpu()
