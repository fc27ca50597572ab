"""A policy of cyberdeck by NumPy alone: its numbers lie beside this file, in one of its name."""

from pathlib import Path
from typing import Any

import numpy as np

ACTIVATIONS: dict[str, Any] = {"tanh": np.tanh, "relu": lambda x: np.maximum(x, 0.0)}


class Policy:
    """``features`` says what it reads, in order: (name, how many numbers). ``about``: its game."""

    def __init__(self, path: Any = None) -> None:
        with np.load(path or Path(__file__).with_suffix(".npz")) as file:
            self.file = {name: file[name] for name in file.files}
        names, sizes = self.file["features"].tolist(), self.file["sizes"].tolist()
        self.features, self.about = list(zip(names, sizes, strict=True)), str(self.file["about"])

    def logits(self, observations: Any) -> Any:
        """(N, A) of (N, D) observations; with a history of H they are (N, H, D), latest last."""
        it = self.file
        seen = np.asarray(observations, float).reshape(len(observations), -1)
        one_hot = seen[:, it["sources"]] == it["values"]
        x, at = np.concatenate([seen[:, it["kept"]], one_hot], axis=1), 0
        while f"{at}.weights" in it:
            y = x @ it[f"{at}.weights"].T + it[f"{at}.biases"]
            if f"{at + 1}.weights" in it:  # not the last layer
                y = ACTIVATIONS[str(it["activation"])](y)
            if f"{at}.back.weights" in it:
                y = x + y @ it[f"{at}.back.weights"].T + it[f"{at}.back.biases"]
            x, at = y, at + 1
        prior = int(it["prior"])
        return x if prior < 0 else x + float(it["weight"]) * seen[:, prior : prior + x.shape[1]]

    def act(self, observations: Any, masks: Any, rng: Any = None) -> Any:
        """(N,): the likeliest legal actions, by (N, A) masks; with a generator, drawn ones."""
        legal = np.where(np.asarray(masks, bool), self.logits(observations), -np.inf)
        if rng is not None:
            legal = legal + rng.gumbel(size=legal.shape)
        return legal.argmax(axis=1)
