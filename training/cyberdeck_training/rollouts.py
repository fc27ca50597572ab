"""Rollouts: what a learner plays between two updates, and what follows from it.

A *stream* is what one side of a game decides, one decision after the other: what a decision brings
is all that its side gets until its next one, which is what is bootstrapped from. Against others the
learner has one stream in each game; against itself it plays every side, and has all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBufferSamples
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.type_aliases import RolloutBufferSamples
from stable_baselines3.common.utils import explained_variance
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor
from torch.nn import Linear

from cyberdeck.api.adapters import learner_games
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import SAME_STEP
from cyberdeck.engine.policy import Policy
from cyberdeck.sb3 import SB3VecEnv
from cyberdeck_training.rewards import End, Pay, paid
from cyberdeck_training.schedules import Schedule
from cyberdeck_training.settings import RunSettings
from cyberdeck_training.streams import Decisions, settle, trace_back

#: Positions that a critic values in one go: as many as still lie in a processor's caches.
_TOGETHER: Final = 1024


class _Games(SB3VecEnv):
    """Infos are of games alone that a limit has cut: all else is read where it lies."""

    #: Whether they are of all games that have ended.
    tells_all = False

    def _last_infos(self, over: NDArray[np.int64]) -> list[dict[str, Any]]:
        if self.tells_all:
            return super()._last_infos(over)
        rows, infos = self.core.rows, list[dict[str, Any]]()
        for row in over.tolist():
            cut = rows["truncated"][row] and not rows["terminated"][row]
            infos += (
                super()._last_infos(np.array([row])) if cut else [{"TimeLimit.truncated": False}]
            )
        return infos


def games(
    config: RunSettings, pool: Sequence[Policy], masked: bool, history: bool = False
) -> SB3VecEnv:
    """The games of a run against those of *pool*, drawn evenly; *history*: whether the past of each
    is kept.
    """
    variant = config.variant
    seat = "team" if variant.teams else None  # one policy for all ships of a side
    others = pool if variant.seats > 1 else None
    play: Any = {"autoreset": SAME_STEP, "illegal": "raise" if masked else "lose", "itself": True}
    play |= {"threads": config.threads, "history": history}
    core = learner_games(games, variant, config.num_envs, {}, (seat, others, None), **play)
    made = _Games(core, seed=config.seed)
    made.tells_all = config.pays or bool(config.callbacks)
    return made


class Rollout(RolloutBuffer):
    """The decisions of T steps in N games, of K sides; A actions. T includes what was left open.

    observations (T, N, ...), action_masks (T, N, A), actions, log_probs (T, N)
    streams (T, N)    which side has decided; whole (T, N), whether the learner plays all sides
    rewards (T, N, K) what the step brought each side
    ends (T, N)       whether it ended the game
    brought (T, N)    what came of it until the side's next decision, or so far
    values (T, N)     the critic's, of what is done there; expected (T, N), the policy's mean:
                      the same, if the critic does not value actions
    known (T, N)      False for the last decision of a side whose turn has not come again, which
                      cannot be bootstrapped. The one before it is bootstrapped from it, and it is
                      learned from with the next rollout: *left_open* steps before the others hold
                      what was left open so, one decision in each game, or none (*there*).
    """

    #: What is kept of a decision that was left open.
    KEPT: Final = (
        *("observations", "action_masks", "actions", "streams", "log_probs", "brought", "there"),
    )

    first: NDArray[np.bool_]
    """(N, K): whether a side has not yet decided in the running game."""
    owed: NDArray[np.float32]
    """(N, K): what it got there so far. It is part of what its first decision brings."""

    #: What pays for decisions in the place of the game.
    pay: Pay | None = None

    def __init__(
        self,
        *arguments: Any,
        sides: Sequence[int] = (0,),
        left_open: int = 0,
        masked: bool = True,
        **more: Any,
    ) -> None:
        self.sides, self.left_open, self.masked = tuple(sides), left_open, masked
        #: The first seat of each side: its rewards are the side's.
        self.first_seats = [self.sides.index(side) for side in range(1 + max(self.sides))]
        super().__init__(*arguments, **more)

    def reset(self) -> None:
        """Before a rollout: all of the last one is written over, but for what it left open."""
        if self.full:
            self.put_open(self.open())
        elif not hasattr(self, "known"):
            self._allocate()
        self.pos, self.full = self.left_open, False

    def _allocate(self) -> None:
        shape = (self.left_open + self.buffer_size, self.n_envs)
        actions = int(self.action_space.n)  # type: ignore[attr-defined]
        kind = self.observation_space.dtype
        self.observations = np.zeros((*shape, *self.obs_shape), kind)
        self.action_masks = np.ones((*shape, actions), np.bool_)
        self.actions, self.streams = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        self.rewards = np.zeros((*shape, len(self.first_seats)), np.float32)
        self.whole, self.ends, self.known, self.there = (
            np.zeros(shape, np.bool_) for _ in range(4)
        )
        self.there[self.left_open :] = True
        self.brought, self.log_probs, self.values, self.expected = (
            np.zeros(shape, np.float32) for _ in range(4)
        )
        self.returns, self.advantages = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self.first = np.ones((self.n_envs, len(self.first_seats)), np.bool_)
        self.owed = np.zeros(self.first.shape, np.float32)

    def open(self) -> dict[str, NDArray[Any]]:
        """What it leaves to the next rollout or, before it, what the last one left to it."""
        kept = {name: getattr(self, name)[: self.left_open].copy() for name in self.KEPT}
        if self.full:
            rows, steps = np.nonzero((self.there & ~self.known).T)
            slots = np.arange(len(rows)) - np.searchsorted(rows, rows)
            kept["there"][:] = False
            for name, column in kept.items():
                column[slots, rows] = getattr(self, name)[steps, rows]
        return {**kept, "first": self.first, "owed": self.owed}

    def put_open(self, kept: Mapping[str, NDArray[Any]]) -> None:
        """What ``open`` gave, before the next rollout, or ``ValueError``."""
        for name, sizes in (("actions", self.action_masks), ("streams", self.rewards)):
            if not ((kept[name] >= 0) & (kept[name] < sizes.shape[-1])).all():
                raise ValueError(f"{name} that were left open are not possible")
        for name in self.KEPT:
            getattr(self, name)[: self.left_open] = kept[name]
        self.first[:], self.owed[:] = kept["first"], kept["owed"]
        self.rewards[: self.left_open], self.ends[: self.left_open] = 0.0, False
        at = np.nonzero(self.there[: self.left_open])
        self.rewards[*at, self.streams[at]] = self.brought[at]

    def trace_back(
        self,
        last: NDArray[np.float32],
        streams: NDArray[np.int64],
        cut: NDArray[np.float32],
        seen: Any = None,
        over: Sequence[End] = (),
    ) -> None:
        """Returns and advantages: see ``trace_back``.

        *last* (N,): the mean values where the rollout stops, of those who decide there, *streams*
        (N,). *cut* (T, N, K): those where a limit has cut a game, else 0. *seen* (N, ...): what is
        seen where the rollout stops, and *over*, where games have ended, for what pays.
        """
        tensor, new = torch.from_numpy, slice(self.left_open, None)
        decided, ends = tensor(self.streams), tensor(self.ends)
        rewards, whole = tensor(self.rewards), tensor(self.whole)
        first, owed = tensor(self.first), tensor(self.owed)
        settle(rewards[new], decided[new], whole[new], ends[new], first, owed)
        values = tensor(self.values), tensor(self.expected)
        made = Decisions(*values, decided, tensor(self.there), rewards, ends, cut=tensor(cut))
        traced = trace_back(made, tensor(last), tensor(streams), self.gamma, self.gae_lambda)
        self.known, self.brought = traced.known.numpy(), traced.brought.numpy()
        if self.pay is not None:
            made = made._replace(rewards=tensor(paid(self, seen, streams, over)))
            traced = trace_back(made, tensor(last), tensor(streams), self.gamma, self.gae_lambda)
        self.returns = self.values + traced.errors.numpy()
        self.advantages = np.where(self.known, self.returns - self.expected, np.float32(0.0))
        self.full = True

    def get(self, batch_size: int | None = None) -> Iterator[Any]:  # type: ignore[override]
        """All that can be learned from in batches of about that size, in any order."""
        rows = np.random.permutation(np.flatnonzero(self.known))  # noqa: NPY002  # as SB3 does
        count = 1 if batch_size is None else min(round(len(rows) / batch_size), len(rows) // 2)
        for batch in np.array_split(rows, max(count, 1)):
            yield self._get_samples(batch)

    def _get_samples(self, batch_inds: NDArray[np.int64], env: Any = None) -> Any:
        columns = (
            *(self.observations, self.actions, self.values, self.log_probs),
            *(self.advantages, self.returns),
        )
        batch = (self.flat(column).take(batch_inds, axis=0) for column in columns)
        found = RolloutBufferSamples(*map(torch.from_numpy, batch))
        if not self.masked:
            return found
        masks = torch.from_numpy(self.flat(self.action_masks).take(batch_inds, axis=0))
        return MaskableRolloutBufferSamples(*found, masks)

    @staticmethod
    def flat(column: NDArray[Any]) -> NDArray[Any]:
        """(T * N, ...) of (T, N, ...)."""
        return column.reshape(-1, *column.shape[2:])


class Collecting(OnPolicyAlgorithm):
    """A mixin for an algorithm that learns from a ``Rollout``: first among its class's bases."""

    #: What ``ent_coef`` is by the share of the run that is left; None where it stays.
    bonus: Schedule | None = None

    def before_rollout(self) -> None:
        """Games are as they are at the beginning of a rollout."""

    def after_step(self, step: int, actions: NDArray[np.int64]) -> None:
        """A step of the rollout is made, in which the learner took these *actions* (N,)."""

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Play a rollout; a critic of its own is asked about all of it at the end."""
        buffer, core, policy = rollout_buffer, env.unwrapped.core, self.policy  # type: ignore[attr-defined]
        assert isinstance(buffer, Rollout)
        sides, over = np.array(buffer.sides), list[End]()
        seen: Any = self._last_obs
        policy.set_training_mode(False)
        buffer.reset()
        callback.on_rollout_start()
        self.before_rollout()
        with _quick_for_few(policy):
            for step in range(buffer.left_open, buffer.left_open + n_rollout_steps):
                buffer.observations[step], buffer.whole[step] = seen, core.seats == EVERY
                buffer.streams[step] = sides[core.playing()]
                self._act(buffer, step, core)
                seen, _, dones, infos = env.step(buffer.actions[step])
                buffer.rewards[step] = core.rewards[:, buffer.first_seats]
                buffer.ends[step] = (core.terminated | core.truncated) != 0
                for row in np.flatnonzero(buffer.ends[step]).tolist():
                    cut = infos[row]["TimeLimit.truncated"]
                    if cut or buffer.pay is not None:
                        last, seat = infos[row]["terminal_observation"], infos[row]["seat"]
                        own = last[buffer.first_seats] if seat == EVERY else [last]
                        first = 0 if seat == EVERY else buffer.sides[seat]
                        over += [
                            End(step, row, at, each, cut) for at, each in enumerate(own, first)
                        ]
                self.num_timesteps += env.num_envs
                self._last_obs = seen
                self.after_step(step - buffer.left_open, buffer.actions[step])
                callback.update_locals({"new_obs": seen, "dones": dones, "infos": infos})
                if not callback.on_step():
                    return False
        _judge(policy, buffer, seen, sides[core.playing()], over)
        callback.on_rollout_end()
        return True

    def train(self) -> None:
        """Learn from the rollout."""
        if self.bonus is not None:
            self.ent_coef = self.bonus(self._current_progress_remaining)
        self.learn_from_rollout()
        # How much of what differs among the returns the critic has known. SB3's own counts what was
        # left open as well.
        buffer = self.rollout_buffer
        assert isinstance(buffer, Rollout)
        known = explained_variance(buffer.values[buffer.known], buffer.returns[buffer.known])
        self.logger.record("train/explained_variance", known)

    def learn_from_rollout(self) -> None:
        """As the algorithm does."""
        super().train()

    def _act(self, buffer: Rollout, step: int, core: GameBatch) -> None:
        """Decide in all games, by what is seen there."""
        seen, allowed = torch.from_numpy(buffer.observations[step]), {}
        if buffer.masked:
            buffer.action_masks[step] = core.masks
            allowed["action_masks"] = torch.from_numpy(buffer.action_masks[step])
        with torch.inference_mode():
            if _judges_too(self.policy):
                actions, values, logs = self.policy(seen, **allowed)
                buffer.values[step] = values[:, 0].numpy()
            else:
                chances = self.policy.get_distribution(seen, **allowed)
                actions = chances.sample()
                logs = chances.log_prob(actions)
            buffer.log_probs[step] = logs.numpy()
        buffer.actions[step] = actions.numpy()


def _judges_too(policy: Any) -> bool:
    """Whether what acts and the critic have layers in common: one pass then does for both."""
    shared = policy.share_features_extractor
    return shared and any(True for _ in policy.features_extractor.parameters())


@contextmanager
def _quick_for_few(policy: Any) -> Iterator[None]:
    """In this block the weights that act lie in memory as products with few rows like them best."""
    parts = (policy.pi_features_extractor, policy.mlp_extractor.policy_net, policy.action_net)
    layers = [each for part in parts for each in part.modules() if isinstance(each, Linear)]
    usual = [layer.weight.data for layer in layers]
    for layer in layers:
        layer.weight.data = layer.weight.data.t().contiguous().t()
    try:
        yield
    finally:
        for layer, weight in zip(layers, usual, strict=True):
            layer.weight.data = weight


def _judge(
    policy: Any,
    buffer: Rollout,
    seen: NDArray[Any],
    streams: NDArray[np.int64],
    over: Sequence[End],
) -> None:
    """Ask the critic about all of a rollout, what is *seen* after it and where games were cut, of
    those that are *over*.
    """
    # Those of which nothing was said when they were decided.
    new = slice(buffer.left_open if _judges_too(policy) else None)
    positions, values = buffer.flat(buffer.observations[new]), buffer.values[new]
    if values_actions := getattr(policy, "values_actions", None):  # a critic of actions
        judged = _in_parts(values_actions, positions, buffer.flat(buffer.actions))
        buffer.values[:], buffer.expected[:] = judged.T.reshape(2, *values.shape)
    else:
        values[:] = _in_parts(policy.predict_values, positions).reshape(values.shape)
        buffer.expected[:] = buffer.values
    cut = [end for end in over if end.cut]
    after = np.concatenate([seen, *(end.seen[None] for end in cut)])
    worth = _in_parts(policy.predict_values, after)[:, 0]
    at_cuts = np.zeros_like(buffer.rewards)
    for end, value in zip(cut, worth[len(seen) :], strict=True):
        at_cuts[end.step, end.row, end.stream] = value
    buffer.trace_back(worth[: len(seen)], streams, at_cuts, seen, over)


def _in_parts(judge: Callable[..., Tensor], *arrays: NDArray[Any]) -> NDArray[np.float32]:
    """What *judge* says of the rows of *arrays*, (M, ...)."""
    if not len(arrays[0]):
        return np.zeros((0, 1), np.float32)
    with torch.inference_mode():
        parts = [
            judge(*(torch.as_tensor(array[at : at + _TOGETHER]) for array in arrays)).numpy()
            for at in range(0, len(arrays[0]), _TOGETHER)
        ]
    return np.concatenate(parts)
