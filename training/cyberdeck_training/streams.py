"""What decisions bring, on a processor and on a device: T steps in N games of K sides."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


def settle(
    rewards: Tensor, streams: Tensor, whole: Tensor, ends: Tensor, first: Tensor, owed: Tensor
) -> None:
    """Add to *rewards* (T, N, K) what a side got before its first decision in a game, in games in
    which the learner plays all sides: *whole* (T, N).

    streams (T, N): which side has decided; ends (T, N): whether that ended the game. *first*
    (N, K), whether a side has not yet decided in the running game, and *owed* (N, K), what it got
    there so far, go on from what the rollout before has left.
    """
    for step, got in enumerate(rewards):
        own, over = streams[step, :, None], ends[step, :, None]
        owes = whole[step, :, None] & first.gather(1, own)
        gain = owed.gather(1, own) * owes
        owed.add_(got).masked_fill_(over, 0.0)
        first.scatter_(1, own, False).logical_or_(over)
        got.scatter_add_(1, own, gain)


class Decisions(NamedTuple):
    """Those of a rollout, (T, N).

    values       the critic's, of what is done there
    expected     the policy's mean: the same, if the critic does not value actions
    streams      which side has decided
    there        whether there is a decision
    rewards      (T, N, K), what each side got
    ends         whether the game has ended
    unknown      whether nothing is known of what would come then, because a limit has cut it
    cut          (T, N, K), what is expected after a cut that is known; None without any
    """

    values: Tensor
    expected: Tensor
    streams: Tensor
    there: Tensor
    rewards: Tensor
    ends: Tensor
    unknown: Tensor | None = None
    cut: Tensor | None = None


class Traced(NamedTuple):
    """What came of decisions, (T, N).

    errors    by how much the returns are more than the values, by generalized advantage estimation;
              0 where nothing is known yet
    known     whether something is
    brought   what was got until the side's next decision, or so far
    """

    errors: Tensor
    known: Tensor
    brought: Tensor


def trace_back(
    made: Decisions, last: Tensor, last_streams: Tensor, gamma: float, gae_lambda: float
) -> Traced:
    """What came of each decision in its stream.

    Of a critic that values actions it is expected SARSA with traces: what comes later is compared
    with V, the policy's mean, so that which action was drawn there by chance makes no difference
    (arXiv 2605.19235).

    *last* (N,): what is expected where the rollout stops, by those who decide there, *last_streams*
    (N,).
    """
    errors, brought = torch.zeros_like(made.values), torch.zeros_like(made.values)
    known = torch.zeros_like(made.ends)
    # Of the next decision of each stream: (N, K); and what is got before it.
    got, trace = torch.zeros_like(made.rewards[0]), torch.zeros_like(made.rewards[0])
    after = torch.zeros_like(got).scatter(1, last_streams[:, None], last[:, None])
    sure = torch.zeros_like(got, dtype=torch.bool).scatter(1, last_streams[:, None], True)
    nothing = torch.zeros_like(last)[:, None]
    for step in reversed(range(len(made.values))):
        over, own = made.ends[step, :, None], made.streams[step, :, None]
        there = made.there[step, :, None]
        got, trace = got.masked_fill(over, 0.0), trace.masked_fill(over, 0.0)
        if made.cut is None:
            after = after.masked_fill(over, 0.0)
        else:
            after = torch.where(over, made.cut[step], after)
        sure = sure | over
        if made.unknown is not None:
            sure = sure & ~made.unknown[step, :, None]
        got = got + made.rewards[step]
        its_got, its_sure = got.gather(1, own), sure.gather(1, own)
        error = its_got + gamma * after.gather(1, own) - made.values[step, :, None]
        error = error + gamma * gae_lambda * trace.gather(1, own)
        error = error.masked_fill(~(its_sure & there), 0.0)
        errors[step], brought[step] = error[:, 0], its_got[:, 0]
        known[step] = (its_sure & there)[:, 0]
        got = got.scatter(1, own, torch.where(there, nothing, its_got))
        trace = trace.scatter(1, own, torch.where(there, error, trace.gather(1, own)))
        expected = made.expected[step, :, None]
        after = after.scatter(1, own, torch.where(there, expected, after.gather(1, own)))
        sure = sure.scatter(1, own, its_sure | there)
    return Traced(errors, known, brought)
