"""The lean distribution is the one of sb3-contrib."""

from __future__ import annotations

import torch
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution

from cyberdeck_training.categorical import LeanCategorical


def test_it_draws_the_same_with_the_same_probabilities() -> None:
    rng = torch.Generator().manual_seed(3)
    logits = 5 * torch.randn(500, 40, generator=rng)
    masks = torch.rand(500, 40, generator=rng) < 0.3
    masks[:, 7] = True
    both = [LeanCategorical(40), MaskableCategoricalDistribution(40)]
    for masked in (masks.numpy(), None):
        draws = []
        for each in both:
            each.proba_distribution(logits.clone())
            each.apply_masking(masked)
            torch.manual_seed(1)
            draws.append(each.sample())
        lean, original = both
        assert (draws[0] == draws[1]).all()
        assert (lean.mode() == original.mode()).all()
        torch.testing.assert_close(lean.log_prob(draws[0]), original.log_prob(draws[0]))
        torch.testing.assert_close(lean.entropy(), original.entropy())
        if masked is not None:
            assert masks.gather(1, draws[0][:, None]).all()


def test_its_gradients_are_the_same() -> None:
    torch.manual_seed(2)
    logits = torch.randn(64, 12)
    masks = torch.rand(64, 12) < 0.5
    masks[:, 0] = True
    gradients = []
    for each in (LeanCategorical(12), MaskableCategoricalDistribution(12)):
        leaf = logits.clone().requires_grad_()
        each.proba_distribution(leaf)
        each.apply_masking(masks)
        loss = each.log_prob(masks.int().argmax(dim=1)).mean() + each.entropy().mean()
        loss.backward()
        assert leaf.grad is not None
        gradients.append(leaf.grad)
    torch.testing.assert_close(*gradients)
