"""A callback of stable-baselines3: `cyberdeck train neon_arena
'callbacks={neon_arena.callback:StopAfter: {rollouts: 20}}'`.
"""

from stable_baselines3.common.callbacks import BaseCallback


class StopAfter(BaseCallback):
    """Ends training after so many rollouts; what has been learned by then is evaluated."""

    def __init__(self, rollouts):
        super().__init__()
        self.left = rollouts

    def _on_rollout_end(self):
        self.left -= 1

    def _on_step(self):
        return self.left > 0
