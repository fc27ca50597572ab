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

    from cyberdeck_training.networks import Learned
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

    @model_validator(mode="after")
    def _check_critic(self) -> SecretsSettings:
        for wrong, why in (
            (self.variant.seats == 1, f"in {self.game}, a game for one, nobody sees more"),
            (getattr(self.net_arch, "shared", []), "what sees different things shares no layers"),
            (self.encoding == "standardized", "standardized knows only what a policy sees"),
        ):
            told = f"{self.critic} is not possible here: {why}"
            values.refuse("critic", told, wrong and self.critic != OWN)
        return self


class PPO(MaskablePPO):
    """MaskablePPO whose critic may see more."""

    Settings = SecretsSettings
    config: SecretsSettings

    def envs(self, pool: Pool) -> VecEnv:
        """Games that show the critic what it is to see."""
        from cyberdeck_training.research.views import AllSeats

        envs = super().envs(pool)
        return envs if self.config.critic == OWN else AllSeats(envs)

    def learner(self, envs: Any) -> Any:
        """An ``MMD``, which without ``kl_coef`` is MaskablePPO."""
        from cyberdeck_training import learners, networks
        from cyberdeck_training.research import learners as own

        config = self.config
        more: dict[str, Any] = {"clip_range_vf": config.clip_range_vf}
        if config.critic != OWN:
            kinds = {FULL: own.FullPolicy, ACTION_VALUES: own.ActionValuePolicy}
            sight = own.sight(envs, networks.policy_kwargs(config))
            more |= {"policy": kinds[config.critic], "policy_kwargs": sight}
        return learners.make(own.MMD, config, envs, self.rollouts(), **more)

    def network(self, model: Any) -> Learned:
        """Its policy: what else the critic sees, nobody plays with."""
        from cyberdeck_training.research.learners import player

        return super().network(player(model))


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
        sides, planes = self.variant.sides, len(self.variant.observation_shape) > 1
        values.refuse("history", "planes have none: leave options.observation out", planes)
        told = "a side of several ships has none yet: the policy plays them all in turn"
        values.refuse("history", told, len(sides) > len(set(sides)))
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
        game, planes = self.variant.game, len(self.variant.observation_shape) > 1
        values.refuse("game", f"nothing is hidden in {game.title}", game.open)
        told = "beliefs stand after a vector: leave options.observation out"
        values.refuse("options", told, planes)
        told = f"past selves follow no beliefs: leave {PAST} out"
        values.refuse("opponents", told, PAST in self.playing)
        told = f"who sees beliefs is saved with {' or '.join(values.HELD)} alone"
        values.refuse("activation_fn", told, self.activation_fn.lower() not in values.HELD)
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

    def network(self, model: Any) -> Learned:
        """One that follows the same beliefs."""
        from cyberdeck.players.networks import BelievedObservations
        from cyberdeck_training.networks import learned

        seen = BelievedObservations(self.config.beliefs.player, self.config.beliefs.limit)
        return learned(model, self.config, beliefs=seen)
