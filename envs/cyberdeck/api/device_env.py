"""Gymnasium's VectorEnv with games on a GPU: what it gives and takes are PyTorch's tensors there.

>>> import gymnasium, cyberdeck
>>> envs = gymnasium.make_vec("cyberdeck/HackTheGrid-v0", num_envs=64, device="cpu")
>>> observations, infos = envs.reset(seed=0)
>>> observations, rewards, terminated, truncated, infos = envs.step(infos["action_mask"].argmax(1))
>>> rewards.shape, rewards.device.type
(torch.Size([64]), 'cpu')
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import torch
from gymnasium.vector import AutoresetMode

from cyberdeck.api.adapters import VectorGames
from cyberdeck.device.tensors import odd
from cyberdeck.engine.loops import DISABLED, SAME_STEP
from cyberdeck.players import Opponent

Infos: TypeAlias = dict[str, Any]


class DeviceVectorEnv(VectorGames):
    """``CyberdeckVectorEnv`` on a device: the same games, and tensors where that has arrays.

    They are views of where the games lie, and the next step writes over them: clone what you keep.
    With illegal="lose" a step waits for nothing: after a first one it can be captured in a CUDA
    graph.

    Infos hold ``action_mask`` (N, A), ``seat``, ``reason`` and the game's metrics, of all games:
    there are no ``_key`` entries beside them, except for games that ended in "SameStep" mode:
    ``final_obs`` (N, ...) and ``final_info`` count where ``_final_obs`` is True.

    Args:
        num_envs: how many games; a GPU wants many thousands.
        device: "cuda", "cuda:1" and so on; "cpu" does the same on this processor.
        autoreset_mode: Gymnasium's ``AutoresetMode`` or its value: "NextStep" (the default),
            "SameStep" or "Disabled".
        seat, opponent, ally, illegal: see ``CyberdeckEnv``; opponents are built-in players.
        options: the game's own options.
    """

    _renders: list[str] = []  # noqa: RUF012

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        device: Any,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        seat: int | str | None = None,
        opponent: Opponent | None = None,
        ally: Opponent | None = None,
        illegal: str = "raise",
        **options: Any,
    ) -> None:
        play: Any = {"illegal": illegal, "device": device, "options": options}
        play |= {"players": (seat, opponent, ally)}
        super().__init__(game, num_envs, autoreset_mode, ("info", None), **play)
        self.device: torch.device = self._core.device

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Infos | None = None
    ) -> tuple[torch.Tensor, Infos]:
        """Begin all games, game i with seed + i; or those that ``options["reset_mask"]`` names."""
        mask = options.get("reset_mask") if isinstance(options, dict) else None
        if isinstance(mask, torch.Tensor) and mask.dtype == torch.bool and not odd(mask):
            options = {**(options or {}), "reset_mask": mask.cpu().numpy()}
        self._begin(seed, options)
        return self._core.observations, self._infos()

    def step(
        self, actions: Any
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, Infos]:
        """Apply one action in every game."""
        core = self._core
        if not core.started or (core.autoreset == DISABLED and not core.lenient):
            self._need_running((core.terminated | core.truncated).cpu().numpy())
        core.step(core.actions(actions))
        over, infos = core.terminated | core.truncated, self._infos()
        seats = core.seats
        if core.autoreset == SAME_STEP:  # the reward belongs to the finished game
            seats = torch.where(over, core.final_seat, seats)
            infos |= self._finals(over)
        rewards = core.rewards.gather(1, seats.long()[:, None])[:, 0]
        return core.observations, rewards, core.terminated, core.truncated, infos

    def _finals(self, over: torch.Tensor) -> Infos:
        """What was last seen of the games that ended in this step ("SameStep" mode)."""
        core = self._core
        return {
            "final_obs": core.finals[:, 0],
            "_final_obs": over,
            "final_info": self._facts(core.final_metrics, core.final_seat, None, core.reasons),
            "_final_info": over,
            "reason": core.reasons.masked_fill(over, 0),  # of the next game, which is running
        }

    def action_masks(self) -> torch.Tensor:
        """(N, A): True for each legal action."""
        masks: torch.Tensor = self._core.masks.bool()
        return masks

    def _infos(self) -> Infos:
        core = self._core
        return self._facts(core.metrics, core.playing(), core.masks, core.reasons)
