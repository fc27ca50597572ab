"""What the examples assert of what they have trained, no untrained network passes.

A script measures its network at step 0 and trained, on the same deals, and asserts how far the one
is ahead of the other. Here one untrained network stands for the trained, another for the one at
step 0. Scripts share no module, so this does not run them: their networks are made again, by size,
activation and inputs, with the first weights of stable-baselines3 or PyTorch; RLlib's and AgileRL's
draw theirs a little differently. So is the comparison, with what each script asks for.

``make seeds-test``: twenty of each. ``python -m tests.examples.test_untrained`` prints the table of
examples/README.md.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO
from torch import nn

import cyberdeck
from cyberdeck.evaluation import evaluate
from cyberdeck.players import Player
from cyberdeck.sb3 import SB3Policy, Scaled, make_vec_env
from tests.engine.games import example as load_example

DEALS: Final = 500
FIRST, IN_ALL = 100, 20  # seeds of networks
AT_ONCE: Final = 4  # in all by the five seeds of `make seeds-test`


@dataclass(frozen=True)
class Example:
    """A script: what it trains, how that is measured, and how far it has to be ahead."""

    script: str
    hidden: list[int]
    by: str = "torch"
    least: float = 0.1
    game: str = "hackthegrid"
    options: Mapping[str, Any] = field(default_factory=dict)
    opponent: str = "heuristic"
    illegal: str = "raise"
    scaled: bool = False
    paired: bool = True
    errors: int = 3  # standard errors that it asks for on top

    def measured(self, seed: int) -> NDArray[np.float64]:
        """What the untrained network of this seed gets on each deal: points, or killed royals."""
        untrained = (by_sb3 if self.by in ALGORITHMS else by_torch)(self, seed)
        results = evaluate(
            *(self.game, untrained, self.opponent),
            deals=DEALS,
            seed=1,
            illegal=self.illegal,
            **self.options,
        )
        games = results.games
        if results.metrics:
            at = [*results.metrics].index("royals_killed")
            return games.metrics[:, at].astype(np.float64)
        points = games.points()[games.lineups == 0]
        means: NDArray[np.float64] = points.reshape(DEALS, -1).mean(axis=1)
        return means

    def lead(self, trained: NDArray[np.float64], at_first: NDArray[np.float64]) -> float:
        """How far the one is ahead of the other, less the standard errors."""
        variance = (trained - at_first).var() if self.paired else trained.var() + at_first.var()
        return float(trained.mean() - at_first.mean() - self.errors * (variance / DEALS) ** 0.5)


#: Of stable-baselines3 by name; all others draw weights as PyTorch does.
ALGORITHMS: Final[dict[str, Any]] = {"maskable": MaskablePPO, "ppo": PPO, "dqn": DQN}


def by_sb3(example: Example, seed: int) -> Player:
    """A network as stable-baselines3 draws it."""
    algorithm = ALGORITHMS[example.by]
    shape: dict[str, Any] = {"net_arch": example.hidden}
    if example.scaled:
        shape["features_extractor_class"] = Scaled
    illegal: Any = example.illegal
    envs = make_vec_env(example.game, 1, seed=seed, illegal=illegal, **example.options)
    model = algorithm("MlpPolicy", envs, policy_kwargs=shape, seed=seed, device="cpu")
    if algorithm is not DQN:
        return SB3Policy(model, masked=algorithm is MaskablePPO)

    def play(observations: NDArray[Any], masks: NDArray[Any]) -> NDArray[np.int64]:
        with torch.no_grad():
            values = model.q_net(torch.as_tensor(observations))
        chosen: NDArray[np.int64] = values.argmax(dim=1).numpy()
        return chosen

    return play


def by_torch(example: Example, seed: int) -> Player:
    """A network as PyTorch draws it, which chooses among what is legal."""
    variant = cyberdeck.variant(example.game, **example.options)
    bounds = torch.as_tensor(variant.bounds()[1], dtype=torch.float32)
    torch.manual_seed(seed)
    layers: list[nn.Module] = []
    width = len(bounds)
    for hidden in example.hidden:
        layers += [nn.Linear(width, hidden), nn.Tanh() if example.by == "tanh" else nn.ReLU()]
        width = hidden
    network = nn.Sequential(*layers, nn.Linear(width, variant.action_count))

    def play(observations: NDArray[Any], masks: NDArray[Any]) -> NDArray[np.int64]:
        seen = torch.as_tensor(observations, dtype=torch.float32)
        with torch.no_grad():
            logits = network(seen / bounds if example.scaled else seen)
        logits = logits.masked_fill(torch.as_tensor(masks == 0), -torch.inf)
        chosen: NDArray[np.int64] = logits.argmax(dim=1).numpy()
        return chosen

    return play


EXAMPLES: Final = [
    Example(**each)
    for each in tomllib.loads(Path(__file__).with_name("untrained.toml").read_text())["example"]
]


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: f"{each.script}-{each.game}")
def test_no_untrained_network_passes(example: Example, learning_seed: int) -> None:
    if example.game == "tictactoe":
        load_example("tictactoe")
    first = FIRST + AT_ONCE * learning_seed
    found = [example.measured(seed) for seed in range(first, first + AT_ONCE + 1)]
    for at in range(AT_ONCE):
        assert example.lead(found[at], found[at + 1]) <= example.least, f"seed {first + at}"


def main() -> None:
    """Print the table."""
    load_example("tictactoe")
    print("| script | against | 20 untrained | one ahead of another | asked for | pass |")
    print("| --- | --- | --- | --- | --- | --- |")
    for example in EXAMPLES:
        seeds = range(FIRST, FIRST + IN_ALL + 1)
        found = [example.measured(seed) for seed in seeds]
        means = [each.mean() for each in found[:IN_ALL]]
        leads = [example.lead(one, other) for one in found for other in found]
        passed = sum(
            example.lead(one, other) > example.least for one, other in itertools.pairwise(found)
        )
        print(
            f"| {example.script} | {example.opponent} | {min(means):.3f} to {max(means):.3f}"
            f" | {max(leads):.3f} | {example.least} | {passed} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
