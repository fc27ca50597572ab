"""Magnetic mirror descent (Sokota et al. 2022, arXiv 2206.05825), as a learner.

PPO draws a policy towards what did well, for as far as its clip allows. This one is held by two
forces besides: towards playing all legal actions alike, its magnet (``ent_coef``: the bonus for
entropy is the distance to that), and towards what it was before the update (``kl_coef``). In games
for two with hidden information, where self-play with little of both goes in circles, it comes to
rest near an equilibrium.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import numpy as np
import torch
from torch.nn import functional

from cyberdeck_training.learners import MaskablePPO


class MMD(MaskablePPO):
    """MaskablePPO with the distance to the policy before the update in its loss."""

    #: The weight of that. Without it this is MaskablePPO, to the last bit.
    kl_coef = 0.0
    #: What ``ent_coef`` is by the share of the run that is left.
    entropy_schedule: Callable[[float], float]

    def learn_from_rollout(self) -> None:
        """Several passes over it."""
        policy, buffer, left = self.policy, self.rollout_buffer, self._current_progress_remaining
        self.ent_coef = self.entropy_schedule(left)
        policy.set_training_mode(True)
        self._update_learning_rate(policy.optimizer)
        clip = self.clip_range(left)  # type: ignore[operator]  # a schedule by now
        clip_vf = self.clip_range_vf and self.clip_range_vf(left)  # type: ignore[operator]
        found = defaultdict[str, list[float]](list)
        for _ in range(self.n_epochs):
            for batch in buffer.get(self.batch_size):
                values, logs, entropy = policy.evaluate_actions(
                    batch.observations, batch.actions.long().flatten(), batch.action_masks
                )
                assert entropy is not None
                values, better = values.flatten(), batch.advantages
                if clip_vf is not None:
                    change = (values - batch.old_values).clamp(-clip_vf, clip_vf)
                    values = batch.old_values + change
                better = (better - better.mean()) / (better.std() + 1e-8)
                ratio = (logs - batch.old_log_prob).exp()
                gain = torch.min(better * ratio, better * ratio.clamp(1 - clip, 1 + clip))
                # KL(new, old) by actions of the old: never negative, and right on average.
                kl = (ratio * (logs - batch.old_log_prob) - (ratio - 1)).mean()
                value_loss = functional.mse_loss(batch.returns, values)
                loss = -gain.mean() - self.ent_coef * entropy.mean()
                loss += self.vf_coef * value_loss + self.kl_coef * kl
                policy.optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(policy.parameters(), self.max_grad_norm)
                policy.optimizer.step()
                found["policy_gradient_loss"].append(-gain.mean().item())
                found["value_loss"].append(value_loss.item())
                found["entropy_loss"].append(-entropy.mean().item())
                found["approx_kl"].append(kl.item())
                clipped = (ratio - 1).abs() > clip
                found["clip_fraction"].append(clipped.float().mean().item())
            self._n_updates += 1
        for name, each in found.items():
            self.logger.record(f"train/{name}", np.mean(each))

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "entropy_schedule"]
