"""Callbacks of stable-baselines3, as ``callbacks`` of a configuration names them.

Two of them are here, for Weights & Biases and MLflow: all that a run records goes there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter

from cyberdeck.common.brought import in_words
from cyberdeck.common.consent import Effect
from cyberdeck.common.extras import need
from cyberdeck.errors import OptionError
from cyberdeck_training.settings import RunSettings
from cyberdeck_training.values import brought


def callbacks_of(config: RunSettings) -> list[BaseCallback]:
    """New ones, as a configuration names them, or ``OptionError``."""
    made = []
    for name, arguments in config.callbacks.items():
        try:
            made.append(brought("callback", name, BaseCallback)(**arguments))
        except Exception as error:
            raise OptionError(f"callbacks: {name} cannot be used: {in_words(error)}") from error
    return made


class _Writer(KVWriter):
    """Hands what is recorded on to a function of numbers by name, and of decisions so far."""

    def __init__(self, log: Callable[..., Any]) -> None:
        self._log = log

    def write(self, key_values: dict[str, Any], key_excluded: Any, step: int = 0) -> None:
        """Of an update, or of an evaluation."""
        self._log({name: float(value) for name, value in key_values.items()}, step=step)

    def close(self) -> None:
        """Whatever it hands on to is closed by who has begun it."""


class _Recorder(BaseCallback):
    """Begins a run of a library, with arguments for that, and hands on what is recorded."""

    effects = (Effect.NETWORK, Effect.ENVIRONMENT, Effect.WRITES)
    library: ClassVar[str]

    def __init__(self, **given: Any) -> None:
        need(self.library, f"callbacks of {self.library}", self.library)
        super().__init__()
        self.given = given

    def _on_step(self) -> bool:
        return True


class WandB(_Recorder):
    """Weights & Biases, by its own callback for stable-baselines3; arguments of ``wandb.init``."""

    library = "wandb"

    def _init_callback(self) -> None:
        import wandb
        from wandb.integration.sb3 import WandbCallback

        wandb.init(**self.given)
        WandbCallback().init_callback(self.model)  # notes the settings
        self.logger.output_formats.append(_Writer(wandb.log))


class MLflow(_Recorder):
    """MLflow, as stable-baselines3 documents it; arguments of ``mlflow.start_run``."""

    library = "mlflow"

    def _init_callback(self) -> None:
        import mlflow

        mlflow.start_run(**self.given)
        self.logger.output_formats.append(_Writer(mlflow.log_metrics))
