"""A progress bar for stable-baselines3 that shows what matters: speed, wins, losses."""

from __future__ import annotations

from collections import deque
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback
from tqdm import tqdm


class Progress(BaseCallback):
    """Decisions done, decisions a second, and the mean return of the last 1000 games."""

    def __init__(self, total: int) -> None:
        super().__init__()
        self._total = total
        self._returns: deque[float] = deque(maxlen=1000)
        self._bar: tqdm[Any] | None = None

    def _on_training_start(self) -> None:
        self._bar = tqdm(total=self._total, unit=" decisions", unit_scale=True, smoothing=0.05)

    def _on_step(self) -> bool:
        for info in self.locals["infos"]:
            if "episode" in info:
                self._returns.append(float(info["episode"]["r"]))
        return True

    def _on_rollout_end(self) -> None:
        if self._bar is None:
            return
        self._bar.update(min(self.num_timesteps, self._total) - self._bar.n)
        if self._returns:
            mean = sum(self._returns) / len(self._returns)
            self._bar.set_postfix_str(f"mean return {mean:+.2f}")

    def _on_training_end(self) -> None:
        if self._bar is not None:
            self._bar.close()
