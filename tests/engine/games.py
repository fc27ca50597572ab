"""A game of no sense, of which tests change parts."""

from __future__ import annotations

from typing import Any

from cyberdeck import Feature, Field, Game, kernel


@kernel
def start(state: Any) -> None:
    state.left = 7


@kernel
def legal(state: Any, mask: Any) -> None:
    mask[0] = 1


@kernel
def act(state: Any, action: Any) -> None:
    state.left -= 1


@kernel
def observe(state: Any, seat: Any, out: Any) -> None:
    out[0] = state.left


LEFT = Field("left", 0, 7)
PARTS: dict[str, Any] = {
    "name": "tried",
    "seats": ("one", "other"),
    "fields": [LEFT],
    "start": start,
    "legal": legal,
    "act": act,
    "observe": observe,
    "features": [Feature("left", (1,), 0, 7)],
    "actions": [(1, "take")],
    "reasons": ("taken",),
}


def made(**changed: Any) -> Game:
    return Game(**PARTS | changed)
