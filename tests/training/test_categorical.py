"""The lean distribution is the one of sb3-contrib."""

from __future__ import annotations

import torch
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution

from cyberdeck_training.learners import LeanCategorical


def test_it_has_the_same_probabilities_and_gradients() -> None:
    rng = torch.Generator().manual_seed(3)
    logits = 5 * torch.randn(500, 40, generator=rng)
    masks = torch.rand(500, 40, generator=rng) < 0.3
    masks[:, 7] = True
    lean, original = LeanCategorical(40), MaskableCategoricalDistribution(40)
    for masked in (masks.numpy(), None):
        leaves = [logits.clone().requires_grad_() for _ in range(2)]
        for each, leaf in zip((lean, original), leaves, strict=True):
            each.proba_distribution(leaf)
            each.apply_masking(masked)
        taken = original.sample()
        assert (lean.mode() == original.mode()).all()
        torch.testing.assert_close(lean.log_prob(taken), original.log_prob(taken))
        torch.testing.assert_close(lean.entropy(), original.entropy())
        torch.testing.assert_close(lean.probabilities(), original.distribution.probs)
        for each in (lean, original):
            (each.log_prob(taken).mean() + each.entropy().mean()).backward()
        torch.testing.assert_close(leaves[0].grad, leaves[1].grad)


def test_it_draws_by_them() -> None:
    torch.manual_seed(1)
    chances = torch.tensor([0.5, 0.0, 0.25, 1e-9, 0.25, 0.0])
    lean = LeanCategorical(6)
    lean.proba_distribution(chances.log().expand(40_000, 6))
    lean.apply_masking((chances > 0).expand(40_000, 6))
    counts = torch.bincount(lean.sample(), minlength=6) / 40_000
    assert counts[[1, 5]].tolist() == [0, 0]
    assert (counts - chances).abs().max() < 0.015  # six deviations
