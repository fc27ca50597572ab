"""Expert iteration (Anthony et al. 2017; AlphaZero's family): learning from one's own search.

The network plays, and a search that it guides says of some of its positions what would be better:
these are the policy's targets. The values' targets are what the games brought. The more of its own
search the network takes over, the better is the next search.
"""

from __future__ import annotations

from cyberdeck.players.networks import Network
from cyberdeck.players.search import Search
from cyberdeck_training.dagger import DAggerMaskablePPO
from cyberdeck_training.targets import Labels


class ExpertIteration(DAggerMaskablePPO):
    """What MaskablePPO is up to a full rollout; then it learns from the search."""

    #: What the search says.
    searched: Labels

    def follow(self, network: Network) -> None:
        """The search is guided by what was learned by now."""
        assert isinstance(self.searched.expert, Search)
        self.searched.expert.network = network

    def labels(self, timesteps: int) -> Labels | None:
        return super().labels(timesteps) or self.searched

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "searched"]
