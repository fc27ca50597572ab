"""How an adapter hands out what is seen: where the mask lies, and of which type the numbers are."""

from __future__ import annotations

from typing import Any, Literal, get_args

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.text import nearest
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError

#: Where the action mask lies: beside the observation in a dictionary, in the infos, or in both.
Mask = Literal["observation", "info", "both"]

#: The type of an observation's numbers: the game's own, or float32; ``np.float32`` as well.
Dtype = Literal["int8", "int16", "float32"] | type[np.generic] | np.dtype[Any]


class Format:
    """A game's spaces, and observations as they are handed out: always copies.

    Args:
        variant: the game with its options.
        mask: where the action mask lies; None: in neither, it is asked for by ``action_masks()``.
        dtype: the type of an observation's numbers; None: the game's own. A mask's are int8 in any
            case.
    """

    def __init__(self, variant: Variant, mask: Mask | None, dtype: Dtype | None) -> None:
        if mask is not None:
            _check("mask", mask, get_args(Mask))
        own = variant.dtype.name
        shown = own if dtype is None else _name(dtype)
        _check("dtype", shown, tuple(dict.fromkeys((own, "float32"))))
        self.in_observation = mask in ("observation", "both")
        self.in_info = mask in ("info", "both")
        shape, actions = variant.observation_shape, variant.action_count
        low, high = (bound.astype(shown).reshape(shape) for bound in variant.bounds())
        self.box = gym.spaces.Box(low, high, dtype=np.dtype(shown).type)
        #: Where there are fractions: what is one-hot of others leaves them as they are.
        vars(self.box)["fractions"] = variant.fractions
        self.observation_space: gym.Space[Any] = self.box
        if self.in_observation:
            masks = gym.spaces.Box(0, 1, (actions,), np.int8)
            self.observation_space = gym.spaces.Dict(
                {"observation": self.box, "action_mask": masks}
            )
        self.action_space = gym.spaces.Discrete(actions)
        self.dtype = np.dtype(shown)

    def observation(self, numbers: NDArray[Any], mask: NDArray[np.int8]) -> Any:
        """What is seen of one game or of many, from the numbers and the mask."""
        seen = numbers.astype(self.dtype)  # a copy, of whatever type they are
        return {"observation": seen, "action_mask": mask.copy()} if self.in_observation else seen


def _name(dtype: Dtype) -> Any:
    """What NumPy calls its types; anything else as it is."""
    typed = isinstance(dtype, np.dtype) or (
        isinstance(dtype, type) and issubclass(dtype, np.generic)
    )
    return np.dtype(dtype).name if typed else dtype


def _check(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        choose = " or ".join(map(repr, choices))
        raise OptionError(
            f"{name}={value!r} is not possible{nearest(value, choices)}: choose {choose}"
        )
