"""Masked PPO whose games, network and updates are all on one device, such as a GPU.

What is played, what follows from it, and what is learned from one minibatch are each the same work
in the same places of memory again and again. On a GPU they are recorded once, as CUDA graphs, so
that Python starts some dozen of them for a million decisions. Nothing is waited for within a
rollout or an update.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import torch

from cyberdeck import Batch, CyberdeckError
from cyberdeck.common.text import tell
from cyberdeck.device.code import ALIGNED
from cyberdeck.device.tensors import field
from cyberdeck.engine import loops
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.policy import Policy
from cyberdeck.engine.record import FORFEIT
from cyberdeck_training.learners import NEVER
from cyberdeck_training.schedules import schedule_of
from cyberdeck_training.settings import DeviceSettings
from cyberdeck_training.streams import Decisions, settle, trace_back

#: What is counted of games that have ended; where a return tells who won, the rest as well.
_WON: Final = ("win", "draw", "loss")
_COUNTED: Final = ("games", "mean_return", "length", "illegal", "truncated", *_WON)

#: What a minibatch tells of learning, by the columns of ``records.LEARNING``.
_TOLD: Final = ("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction")


class DevicePPO:
    """A policy of stable-baselines3 that learns from N games of T steps, D elements, A actions."""

    def __init__(
        self, config: DeviceSettings, policy: Any, opponents: Sequence[Policy], outcome: bool
    ) -> None:
        """*opponents*: the pool that they are drawn from, evenly; *outcome*: whether a return says
        who won.
        """
        variant, chosen = config.variant, config.device
        self.config, self.outcome = config, outcome
        # One policy for all of a side.
        seat = 0 if variant.seats == 1 else "team" if variant.teams else "random"
        self.core: Any = Batch(
            variant,
            config.num_envs,
            seed=config.seed,
            seat=seat,
            opponent=opponents if variant.seats > 1 else None,
            illegal="lose",
            device=chosen.kind,
        )._core
        self.device: torch.device = self.core.device
        self.on_gpu = self.device.type == "cuda"
        if self.on_gpu:  # streams, graphs and events are those of PyTorch's current one
            torch.cuda.set_device(self.device)
        self.policy = policy.to(self.device)
        self.policy.set_training_mode(True)
        #: What may change from one iteration to the next.
        scheduled = (config.learning_rate, config.clip_range, config.ent_coef)
        self.schedules = [*map(schedule_of, scheduled)]
        self.rate, self.clip, self.bonus = (
            torch.tensor(each(1.0), device=self.device) for each in self.schedules
        )
        self.optimizer = torch.optim.Adam(
            policy.parameters(), lr=self.rate, eps=1e-5, fused=True, capturable=self.on_gpu
        )
        self._allocate()
        self.judge, self.loss = (
            torch.compile(each) if chosen.compile else each for each in (self._judge, self._loss)
        )
        #: The parts of an iteration.
        self.parts: dict[str, Callable[[], None]] = {}
        self.parts.update(play=self._play, trace=self._trace, update=self._update)
        #: Whether all has been done once, and recorded if it is to be.
        self.warm = False
        self.graphs = self.on_gpu and chosen.graphs
        self.generator: torch.Generator | None = None
        #: Seconds since the beginning, and those of each part since then.
        self.seconds = 0.0
        self.spent = dict.fromkeys(self.parts, 0.0)
        self.games: dict[str, float] = {"games": 0}

    def _allocate(self) -> None:
        """All that is written over again and again: it stays where it is.

        The first rows are of decisions that the rollout before has left open, see ``_carry``.
        """
        config, core, variant = self.config, self.core, self.config.variant
        count, sides = config.num_envs, variant.sides
        self.left_open = len(set(sides)) - 1 if config.plays_itself else 0
        steps = self.left_open + config.n_steps

        def made(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
            return torch.zeros(shape, dtype=dtype, device=self.device)

        shown = core.observations
        self.shown = shown[0].numel()
        # Rows begin where a GPU can move many bytes at a time.
        widths = (-(-width // ALIGNED) * ALIGNED for width in (self.shown, core.masks.shape[1]))
        self.seen, self.masks = (
            made(steps, count, width, dtype=each.dtype)
            for width, each in zip(widths, (shown, core.masks), strict=True)
        )
        self.actions = made(steps, count, dtype=torch.int64)
        self.log_probs, self.values = made(steps, count), made(steps, count)
        self.advantages, self.returns = made(steps, count), made(steps, count)
        self.known, self.brought = made(steps, count), made(steps, count)
        self.streams = made(steps, count, dtype=torch.int64)
        #: Whether there is a decision; and whether what comes of it is not known yet.
        self.there = made(steps, count, dtype=torch.bool).fill_(True)
        self.open = made(steps, count, dtype=torch.bool)
        self.last = made(count)
        #: What is known of each game before every step, and after the last one: records.
        kept = made(config.n_steps + 1, count, core.rows.stride(0), dtype=torch.uint8)
        self.rows = kept[..., : core.rows.shape[1]]
        self.sides = torch.tensor(sides, device=self.device)
        self.first_seats = torch.tensor([sides.index(k) for k in sorted(set(sides))]).to(self.sides)
        self.first = made(count, len(self.first_seats), dtype=torch.bool).fill_(True)
        """(N, K): whether a side has not yet decided in the running game."""
        self.owed = made(count, len(self.first_seats))
        """(N, K): what it got there so far. It is part of what its first decision brings."""
        self.index = made(config.batch_size, dtype=torch.int64)
        self.counted = made(len(_COUNTED), dtype=torch.float64)
        self.told = made(len(_TOLD))
        self.spread = made(2)

    # --- an iteration ----------------------------------------------------------------------------

    def iterate(self, left: float) -> dict[str, float]:
        """A rollout and what is learned from it; *left*: the share of the run that is left.

        Returns columns of ``records.LEARNING``, with the sign that stable-baselines3 gives them.
        """
        began = time.perf_counter()
        for held, each in zip((self.rate, self.clip, self.bonus), self.schedules, strict=True):
            held.fill_(each(left))
        marks = _Marks(self.on_gpu)
        for part in ("play", "trace"):
            self.parts[part]()
            marks.add(part)
        # Some passes over the rollout in minibatches.
        count, size = self.known.numel(), self.config.batch_size
        for _ in range(self.config.n_epochs):
            order = torch.randperm(count, device=self.device, generator=self.generator)
            for start in range(0, count - size + 1, size):
                self.index.copy_(order[start : start + size])
                self.parts["update"]()
        updates = self.config.n_epochs * (count // size)
        marks.add("update")
        told, counted = (self.told / updates).tolist(), self.counted.tolist()
        unexplained, spread = self.spread.tolist()
        self.games = {"games": round(counted[0])}
        if counted[0]:
            means = [each / counted[0] for each in counted]
            known = _COUNTED if self.outcome else _COUNTED[: -len(_WON)]
            self.games |= dict(zip(known[1:], means[1:], strict=False))
        self.told.zero_()
        self.counted.zero_()
        if self.warm:
            for part, seconds in marks.seconds().items():
                self.spent[part] += seconds
        elif self.graphs:
            self._record()
        self.warm = True
        self.seconds += time.perf_counter() - began
        return {
            **dict(zip(_TOLD, told, strict=True)),
            "explained_variance": 1.0 - unexplained / spread if spread else float("nan"),
            "learning_rate": self.schedules[0](left),
        }

    def take(self) -> tuple[dict[str, float], dict[int, tuple[int, float]]]:
        """The games of the last iteration, as ``records.GameCounts`` tells them; of opponents
        nothing.
        """
        return self.games, {}

    def _record(self) -> None:
        """Make CUDA graphs of the parts, which have all been done once."""
        plain = dict(self.parts)
        self.optimizer.zero_grad(set_to_none=True)
        try:
            for name, part in plain.items():
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph):
                    part()
                self.parts[name] = graph.replay
        except (RuntimeError, CyberdeckError) as error:
            self.parts = plain
            tell(f"CUDA graphs could not be recorded, going on without them: {error}")
            # PyTorch's own may take itself to be recorded still.
            self.generator = torch.Generator(self.device).manual_seed(self.config.seed)

    # --- playing ---------------------------------------------------------------------------------

    def _play(self, stepped: Callable[[], None] | None = None) -> None:
        """A rollout; *stepped* is called before and after each step of the games."""
        core = self.core
        with torch.no_grad():
            self._carry()
            for step in range(self.left_open, len(self.values)):
                seen, mask = self.seen[step], self.masks[step]
                seen[:, : self.shown].copy_(core.observations.flatten(1))
                mask[:, : core.masks.shape[1]].copy_(core.masks)
                self.rows[step - self.left_open].copy_(core.rows)
                logits, self.values[step] = self.judge(seen)
                chances = _log_chances(logits, mask)
                # Gumbel's way to draw: the largest sum of a logarithm and such a noise.
                noise = torch.empty_like(chances).exponential_(generator=self.generator).log()
                drawn = (chances - noise).argmax(1, keepdim=True)
                self.actions[step] = drawn[:, 0]
                self.log_probs[step] = chances.gather(1, drawn)[:, 0]
                if stepped is not None:
                    stepped()
                core.advance(self.actions[step])
                if stepped is not None:
                    stepped()
            self.rows[-1].copy_(core.rows)
            self.last.copy_(self.judge(core.observations.flatten(1))[1])

    def _carry(self) -> None:
        """Put what was left open, one decision of every side but the mover's, before the others."""
        mover = self.sides[self.core.movers.long()]
        columns = (
            *(self.seen, self.masks, self.actions, self.log_probs),
            *(self.streams, self.brought, self.there),
        )
        moved = []
        for slot in range(self.left_open):
            which = self.open & (self.streams == slot + (slot >= mover).long())
            step = which.byte().argmax(0)
            moved.append([column[step, self.core.all_rows] for column in columns[:-1]])
            moved[-1].append(which.any(0))
        for slot, found in enumerate(moved):
            for column, values in zip(columns, found, strict=True):
                column[slot] = values
            self.values[slot] = self.judge(self.seen[slot])[1]

    def _judge(self, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (M, A) and values (M,); hidden layers with half precision, if that is chosen."""
        policy, half = self.policy, self.on_gpu and self.config.precision == "bfloat16"
        with torch.autocast(self.device.type, torch.bfloat16, enabled=half):
            decides, values = policy.mlp_extractor(
                policy.features_extractor(seen[:, : self.shown].float())
            )
        return policy.action_net(decides.float()), policy.value_net(values.float())[:, 0]

    # --- what follows from it --------------------------------------------------------------------

    def _field(self, name: str) -> torch.Tensor:
        """(T + 1, N, ...): a field of the records of all rows."""
        game = self.core.game
        dtype = loops.row_dtype(game.most_seats, len(game.metrics))
        found = field(self.rows.flatten(0, 1), dtype, name)
        return found.view(*self.rows.shape[:2], *found.shape[1:])

    def _trace(self) -> None:
        first = self.left_open
        streams = self.sides[self._field("mover").long()]
        self.streams[first:] = streams[:-1]
        whole = self._field("seat")[:-1] == EVERY
        got = self._field("reward")[1:].index_select(2, self.first_seats)
        terminated = self._field("terminated")[1:] != 0
        cut = (self._field("truncated")[1:] != 0) & ~terminated
        ends = terminated | cut
        self._count(ends, cut)
        settle(got, self.streams[first:], whole, ends, self.first, self.owed)
        # What decisions that were left open have brought before this rollout.
        before = torch.zeros_like(got[:1]).expand(first, -1, -1)
        before = before.scatter(2, self.streams[:first, :, None], self.brought[:first, :, None])
        before = before * self.there[:first, :, None]
        no = torch.zeros_like(cut[:1]).expand(first, -1)
        ends, cut = torch.cat((no, ends)), torch.cat((no, cut))
        values, rewards = self.values, torch.cat((before, got))
        made = Decisions(values, values, self.streams, self.there, rewards, ends, unknown=cut)
        config = self.config
        traced = trace_back(made, self.last, streams[-1], config.gamma, config.gae_lambda)
        advantages, known, brought = traced
        self.advantages.copy_(advantages)
        self.known.copy_(known)
        self.brought.copy_(brought)
        running = ends.flip(0).cumsum(0).flip(0) == 0  # the game of the decision still
        self.open.copy_(self.there & ~known & running)
        torch.add(self.values, advantages, out=self.returns)
        for at, each in enumerate((advantages, self.returns)):
            self.spread[at] = _variance(each, known)

    def _count(self, ends: torch.Tensor, cut: torch.Tensor) -> None:
        """The games that have ended, as ``records.GameCounts`` does: of all sides the mean."""
        got = self._field("final_returns")[1:].index_select(2, self.first_seats)
        seat = self._field("final_seat")[1:, :, None].long()
        side = torch.arange(got.shape[2], device=self.device)
        own = (seat == EVERY) | (self.sides[seat] == side)
        share = own / own.sum(2, keepdim=True)
        columns = (
            torch.ones_like(ends),
            (got * share).sum(2),
            self._field("final_length")[1:],
            self._field("reason")[1:] == FORFEIT,
            cut,
            *((each * share).sum(2) for each in (got > 0, got == 0, got < 0)),
        )
        for at, column in enumerate(columns):
            self.counted[at] += column.double().masked_fill(~ends, 0.0).sum()

    # --- learning --------------------------------------------------------------------------------

    def _update(self) -> None:
        """Learn from the minibatch that ``index`` names."""
        columns = (
            *(self.seen, self.masks, self.actions, self.log_probs),
            *(self.advantages, self.returns, self.known),
        )
        batch = [column.flatten(0, 1).index_select(0, self.index) for column in columns]
        self.optimizer.zero_grad(set_to_none=True)
        loss, told = self.loss(*batch)
        loss.backward()  # type: ignore[no-untyped-call]  # of PyTorch
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.config.max_grad_norm)
        self.optimizer.step()
        self.told += told

    def _loss(self, *batch: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """What is to become less, and what is told of it."""
        seen, masks, actions, before, advantages, returns, known = batch
        config, clip = self.config, self.clip
        logits, values = self._judge(seen)
        chances = _log_chances(logits, masks)
        weights = known / known.sum().clamp(min=1)
        centred = advantages - (weights * advantages).sum()
        normal = centred / ((weights * centred.square()).sum().sqrt() + 1e-8)
        change = chances.gather(1, actions[:, None])[:, 0] - before
        ratio = change.exp()
        gained = torch.minimum(normal * ratio, normal * ratio.clamp(1 - clip, 1 + clip))
        policy_loss = -(weights * gained).sum()
        value_loss = (weights * (returns - values).square()).sum()
        entropy = -(weights * (chances.exp() * chances).sum(1)).sum()
        loss = policy_loss - self.bonus * entropy + config.vf_coef * value_loss
        kl = (weights * (ratio - 1 - change)).sum()
        clipped = (weights * ((ratio - 1).abs() > clip)).sum()
        told = torch.stack((policy_loss, value_loss, -entropy, kl, clipped))
        return loss, told.detach()

    # --- where time goes -------------------------------------------------------------------------

    def profile(self) -> str:
        """Where the time of all iterations but the first went, in words."""
        marks, parts = _Marks(self.on_gpu), itertools.cycle(("decide", "step"))
        self._play(lambda: marks.add(next(parts)))  # one more, in which each step is measured
        steps = marks.seconds()["step"]
        whole = sum(self.spent.values()) or math.inf  # where there was but one
        told = [f"{part} {seconds / whole:.0%}" for part, seconds in self.spent.items()]
        count = self.config.rollout
        return (
            f"time on the device: {', '.join(told)}; the steps of a rollout's games alone take "
            f"{steps:.4f} s, {count / steps:,.0f} decisions a second"
        )


class _Marks:
    """Moments on the device, or here."""

    def __init__(self, on_gpu: bool) -> None:
        self._on_gpu, self._marks = on_gpu, list[tuple[str, Any]]()
        self.add("")

    def add(self, name: str) -> None:
        """Now, the end of what *name* is."""
        now: Any = time.perf_counter()
        if self._on_gpu:
            now = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
            now.record()
        self._marks.append((name, now))

    def seconds(self) -> dict[str, float]:
        """How long each took; it waits for the last."""
        found: dict[str, float] = {}
        if self._on_gpu:
            self._marks[-1][1].synchronize()
        for (_, begun), (name, ended) in zip(self._marks, self._marks[1:], strict=False):
            took = begun.elapsed_time(ended) / 1000 if self._on_gpu else ended - begun
            found[name] = found.get(name, 0.0) + took
        return found


def _log_chances(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """(M, A): logarithms of what each legal action is chosen with."""
    return torch.log_softmax(logits.masked_fill(masks[:, : logits.shape[1]] == 0, NEVER), dim=1)


def _variance(values: torch.Tensor, known: torch.Tensor) -> torch.Tensor:
    weights = known / known.sum()
    return (weights * (values - (weights * values).sum()).square()).sum()
