"""Train TorchRL's PPO with masks on MATR1X 0VERL0AD, many games at once, and watch one in GymEnv.

Needs cyberdeck with the extra torchrl (docs/install.md).
"""

import gymnasium
import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import DTypeCastTransform, EnvBase, GymEnv, GymWrapper, TransformedEnv
from torchrl.envs.utils import ExplorationType, set_exploration_type
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss

import cyberdeck  # noqa: F401  # registers the envs
from cyberdeck import evaluate

ENVS, STEPS, UPDATES, EPOCHS, MINIBATCH = 64, 32, 60, 4, 512
GAME = {"observation": "counted"}
IN_TENSORDICTS = {"mask": "observation", "dtype": "float32"}

torch.manual_seed(0)
torch.set_num_threads(1)


def with_bool_masks(env: EnvBase) -> TransformedEnv:
    """Gymnasium's masks are int8, TorchRL's distributions want bool."""
    return TransformedEnv(env, DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"]))


envs = gymnasium.make_vec(
    "cyberdeck/MatrixOverload-v0",
    num_envs=ENVS,
    vectorization_mode="vector_entry_point",
    autoreset_mode="Disabled",  # TorchRL resets what is over by itself
    reward="royals",
    **GAME,
    **IN_TENSORDICTS,
)
env = with_bool_masks(GymWrapper(envs, categorical_action_encoding=True))
env.set_seed(0)


class Scaled(nn.Module):
    """Each number of an observation by its bound: a network learns better from similar ones."""

    def __init__(self) -> None:
        super().__init__()
        bounds = envs.single_observation_space["observation"].high
        self.register_buffer("bounds", torch.as_tensor(bounds))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return observations / self.bounds


def perceptron(out: int) -> nn.Module:
    scaled = Scaled()
    layers = MLP(len(scaled.bounds), out, num_cells=[128], activation_class=nn.ReLU)
    return nn.Sequential(scaled, layers)


actor = ProbabilisticActor(
    TensorDictModule(perceptron(env.action_spec.space.n), ["observation"], ["logits"]),
    in_keys={"logits": "logits", "mask": "action_mask"},
    distribution_class=MaskedCategorical,
    return_log_prob=True,
)
loss = ClipPPOLoss(actor, ValueOperator(perceptron(1), ["observation"]), entropy_coeff=0.01)
loss.make_value_estimator(gamma=1.0, lmbda=0.95)
optimizer = torch.optim.Adam(loss.parameters(), lr=3e-3)


def play(observations, masks):
    """A policy as cyberdeck's evaluation takes it: from batches to actions."""
    seen = {
        "observation": torch.as_tensor(observations, dtype=torch.float32),
        "action_mask": torch.as_tensor(masks == 1),
    }
    with torch.no_grad(), set_exploration_type(ExplorationType.DETERMINISTIC):
        return actor(TensorDict(seen, [len(observations)]))["action"].numpy()


def measured(name: str) -> tuple[float, float]:
    """Royals that the actor kills on deals that it is not trained on, and the standard error."""
    results = evaluate("matrix_overload", play, deals=500, seed=1, **GAME)
    print(f"{name}\n{results.table()}\n", flush=True)
    mean = results.metrics["royals_killed"]
    return mean.value, (mean.high - mean.low) / (2 * 1.96)


untrained, error_before = measured("untrained")

collector = Collector(
    env,
    actor,
    frames_per_batch=ENVS * STEPS,
    total_frames=ENVS * STEPS * UPDATES,
    auto_register_policy_transforms=True,
)
for update, data in enumerate(collector, 1):
    with torch.no_grad():
        loss.value_estimator(data)
    flat = data.reshape(-1)
    for _ in range(EPOCHS):
        for part in torch.randperm(len(flat)).split(MINIBATCH):
            found = loss(flat[part])
            optimizer.zero_grad()
            (found["loss_objective"] + found["loss_critic"] + found["loss_entropy"]).backward()
            nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
            optimizer.step()
    reward = data["next", "reward"].mean()
    print(f"update {update}/{UPDATES}: reward of a decision {reward:.4f}", flush=True)
collector.shutdown()

single = GymEnv(
    "cyberdeck/MatrixOverload-v0", categorical_action_encoding=True, **GAME, **IN_TENSORDICTS
)
single.set_seed(1)
with torch.no_grad():
    played = with_bool_masks(single).rollout(500, actor)
print(f"one game: {len(played)} decisions")
assert played["next", "done"][-1]
assert played["action_mask"].gather(-1, played["action"][:, None]).all()

trained, error_after = measured("trained")
assert trained - untrained > 1 + 3 * (error_before**2 + error_after**2) ** 0.5, (
    "nothing was learned"
)
