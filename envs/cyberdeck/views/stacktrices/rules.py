"""Stacktrices' rules in short: what their text says by the options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from cyberdeck.common.text import counted
from cyberdeck.views.texts import rules_in_short


def _facts(options: Mapping[str, Any]) -> dict[str, Any]:
    return {"turns": counted(options["max_turns"], "turn")}


how_to_play: Final = rules_in_short(__package__, _facts)
