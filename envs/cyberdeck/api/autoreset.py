"""Gymnasium's modes of what becomes of a game that is over, by what the loops do."""

from __future__ import annotations

from typing import Final

from gymnasium.vector import AutoresetMode

from cyberdeck.engine.loops import DISABLED, NEXT_STEP, SAME_STEP
from cyberdeck.errors import OptionError

MODES: Final = {
    AutoresetMode.NEXT_STEP: NEXT_STEP,
    AutoresetMode.SAME_STEP: SAME_STEP,
    AutoresetMode.DISABLED: DISABLED,
}


def chosen_mode(autoreset_mode: AutoresetMode | str) -> AutoresetMode:
    """Gymnasium's mode of that name, or ``OptionError``."""
    try:
        return AutoresetMode(autoreset_mode)
    except ValueError:
        raise OptionError(
            f"autoreset_mode={autoreset_mode!r} is not possible: choose one of "
            + ", ".join(repr(mode.value) for mode in AutoresetMode)
        ) from None
