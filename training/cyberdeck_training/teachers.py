"""Whoever labels what a learner plays: an expert at first, or its own search all the time."""

from __future__ import annotations

from collections.abc import Callable

from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.players.guided import unlearned
from cyberdeck.players.networks import Network
from cyberdeck.players.search import Search
from cyberdeck_training.config import Config, ExpertIterationConfig
from cyberdeck_training.targets import Labels


class DAgger(Labels):
    """What the expert of *config* says where the learner gets to, for as many timesteps as that
    says.
    """

    called = "dagger"

    def __init__(self, config: Config, core: GameBatch) -> None:
        assert config.dagger is not None
        assert config.expert is not None
        super().__init__(core, config.expert, config.n_steps, threads=config.threads)
        self.until = config.dagger.timesteps


class OwnSearch(Labels):
    """Expert iteration (Anthony et al. 2017; AlphaZero's family): learning from one's own search.

    The network plays, and a search that it guides says of some of its positions what would be
    better: these are the policy's targets. The values' targets are what the games brought. The more
    of its own search the network takes over, the better is the next search.
    """

    called = "search"

    def __init__(self, config: Config, core: GameBatch) -> None:
        chosen = config.expert_iteration or ExpertIterationConfig()
        network = unlearned(config.variant)
        self._search = Search(chosen.iterations, network=network, root=chosen.root)
        super().__init__(core, self._search, config.n_steps, chosen.every, config.threads)

    def follow(self, learned: Callable[[], Network]) -> None:
        """What was learned by now guides the search."""
        self._search.network = learned()
