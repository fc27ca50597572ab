"""DAgger, before the algorithm itself: an expert says what to do where the learner gets to."""

from __future__ import annotations

from cyberdeck.engine.game_batch import GameBatch
from cyberdeck_training.config import Config
from cyberdeck_training.targets import Labels


class DAgger(Labels):
    """What the expert of *config* says, for as many timesteps as it says."""

    called = "dagger"

    def __init__(self, config: Config, core: GameBatch) -> None:
        assert config.dagger is not None
        assert config.expert is not None
        super().__init__(core, config.expert, config.n_steps, threads=config.threads)
        self.until = config.dagger.timesteps
