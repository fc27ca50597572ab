"""Recipes for experiments that no shipped configuration needs, such as learners for games with
secrets. They come in by the same door as yours: ``algorithm: cyberdeck_training.research:MMD``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field, model_validator

from cyberdeck.engine.policy import BUILT_IN
from cyberdeck.players.beliefs import Filter
from cyberdeck.players.networks import MOST_WORLDS
from cyberdeck_training import values
from cyberdeck_training.recipes import MaskablePPO
from cyberdeck_training.settings import PAST, PPOSettings

if TYPE_CHECKING:
    from stable_baselines3.common.vec_env import VecEnv

    from cyberdeck.players.networks import Network
    from cyberdeck_training.selfplay import Pool

#: Encodings that do without means of random play.
_PLAIN: Final = [name for name in values.ENCODINGS if name != "standardized"]

#: What values positions while a policy learns: a network that sees as much as it does; one that
#: sees what all seats see; and one that sees that and values each action.
OWN: Final = "own"
FULL: Final = "full"
ACTION_VALUES: Final = "action_values"


# --- PPO with other critics, and magnetic mirror descent -----------------------------------------


class SecretsSettings(PPOSettings):
    """PPO for games with secrets."""

    critic: Annotated[str, values.one_of((OWN, FULL, ACTION_VALUES))] = OWN
    """What values positions while it learns sees as much as the policy (``own``), or what all seats
    see (``full``); or it sees that and values each action (``action_values``)."""
    clip_range_vf: values.AboveZero | None = None
    """How far an update may change a value; as far as it likes without."""
    final_ent_coef: values.Weight | None = None
    """Where ``ent_coef`` goes in a straight line; it stays where it is without."""

    @model_validator(mode="after")
    def _check_critic(self) -> SecretsSettings:
        for wrong, why in (
            (self.variant.seats == 1, f"in {self.game}, a game for one, nobody sees more"),
            (getattr(self.net_arch, "shared", []), "what sees different things shares no layers"),
            (self.encoding == "standardized", "standardized knows only what a policy sees"),
        ):
            if wrong and self.critic != OWN:
                values.refuse("critic", f"{self.critic} is not possible here: {why}")
        return self


class PPO(MaskablePPO):
    """MaskablePPO whose critic may see more, and whose bonus for entropy may fall."""

    Settings = SecretsSettings
    config: SecretsSettings

    def envs(self, pool: Pool) -> VecEnv:
        """Games that show the critic what it is to see."""
        from cyberdeck_training.research.views import AllSeats

        envs = super().envs(pool)
        return envs if self.config.critic == OWN else AllSeats(envs)

    def learner(self, envs: Any) -> Any:
        """An ``MMD``, which without ``kl_coef`` is MaskablePPO."""
        from cyberdeck_training import learners
        from cyberdeck_training.research import critics, mmd

        config = self.config
        more: dict[str, Any] = {"clip_range_vf": config.clip_range_vf}
        if config.critic != OWN:
            kinds = {FULL: critics.FullPolicy, ACTION_VALUES: critics.ActionValuePolicy}
            shape = learners.arguments(config)["policy_kwargs"]
            more |= {"policy": kinds[config.critic], "policy_kwargs": critics.sight(envs, shape)}
        model = learners.make(mmd.MMD, config, envs, self.rollouts(), **more)
        model.entropy_schedule = learners.straight(config.ent_coef, config.final_ent_coef)
        return model

    def network(self, model: Any) -> Network:
        """Its policy: what else the critic sees, nobody plays with."""
        from cyberdeck.api.export import network
        from cyberdeck_training.research.critics import player

        return network(player(model), self.config.variant)


class MMDSettings(SecretsSettings):
    """Magnetic mirror descent."""

    kl_coef: values.Weight = 0.05
    """Weight of the distance to the policy before the update; by default as in the experiments of
    Sokota et al. (2022)."""


class MMD(PPO):
    """Magnetic mirror descent: PPO that is held by its policy before the update."""

    Settings = MMDSettings
    config: MMDSettings

    def learner(self, envs: Any) -> Any:
        """An ``MMD``."""
        model = super().learner(envs)
        model.kl_coef = self.config.kl_coef
        return model


# --- policies that see more than the present -----------------------------------------------------


class LastSettings(PPOSettings):
    """PPO that sees its last observations."""

    history: Annotated[values.Whole, Field(ge=1, le=100)] = 2
    """How many of its last observations the policy sees, the present one included."""
    encoding: Annotated[str, values.one_of(_PLAIN)] = "scaled"

    @model_validator(mode="after")
    def _check_history(self) -> LastSettings:
        if len(self.variant.observation_shape) > 1:
            values.refuse("history", "planes have none: leave options.observation out")
        if len(self.variant.sides) > len(set(self.variant.sides)):
            values.refuse(
                "history", "a side of several ships has none yet: the policy plays them all in turn"
            )
        return self


class LastObservations(MaskablePPO):
    """MaskablePPO that sees its last observations."""

    Settings = LastSettings
    config: LastSettings

    def envs(self, pool: Pool) -> VecEnv:
        """Games that show them."""
        from cyberdeck_training.research import views

        return views.LastObservations(super().envs(pool), self.history)


class BeliefsConfig(values.Group):
    """What is seen of the others' views, as far as they can be believed."""

    player: Annotated[str, values.one_of(BUILT_IN)] = "random"
    """How the others are taken to play."""
    limit: Annotated[values.Positive, Field(le=MOST_WORLDS)] = 50
    """How many worlds are followed."""


class BeliefsSettings(PPOSettings):
    """PPO that sees what it may believe that the others see."""

    beliefs: BeliefsConfig = BeliefsConfig()
    """The policy sees after its own observation what it may believe that the others see. Following
    that takes much longer than playing."""
    encoding: Annotated[str, values.one_of(_PLAIN)] = "scaled"

    @property
    def believe(self) -> Filter:
        """What follows the worlds."""
        chosen = self.beliefs
        return Filter(self.variant, BUILT_IN[chosen.player], chosen.limit)

    @model_validator(mode="after")
    def _check_beliefs(self) -> BeliefsSettings:
        if self.variant.game.open:
            values.refuse("game", f"nothing is hidden in {self.variant.game.title}")
        if len(self.variant.observation_shape) > 1:
            values.refuse("options", "beliefs stand after a vector: leave options.observation out")
        if PAST in self.playing:
            values.refuse("opponents", f"past selves follow no beliefs: leave {PAST} out")
        with values.refused_as("beliefs"):
            _ = self.believe
        return self


class Beliefs(MaskablePPO):
    """MaskablePPO that sees what it may believe that the others see."""

    Settings = BeliefsSettings
    config: BeliefsSettings

    def envs(self, pool: Pool) -> VecEnv:
        """Games whose course is kept, from which the beliefs are made."""
        from cyberdeck_training.research.views import BelievedViews
        from cyberdeck_training.rollouts import games

        envs = games(self.config, pool.entries, self.masked, history=True)
        return BelievedViews(envs, self.config.believe)

    def network(self, model: Any) -> Network:
        """One that follows the same beliefs."""
        from cyberdeck.api.export import network
        from cyberdeck.players.networks import OthersSeen

        seen = OthersSeen(self.config.beliefs.player, self.config.beliefs.limit)
        return network(model, self.config.variant, beliefs=seen)
