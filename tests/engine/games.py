"""Small games for tests: one of no sense, of which they change parts, and edited examples."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from cyberdeck import Feature, Field, Game, kernel
from cyberdeck.api.registration import load_file

EXAMPLES = Path(__file__).parents[2] / "examples" / "games"
_numbers = itertools.count()


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


def example(name: str) -> Game:
    """A game of the examples."""
    return load_file(EXAMPLES / f"{name}.py")


def edited(folder: Path, example: str, *pairs: str, name: str = "") -> Path:
    """The file of an example under another name, in which each text is replaced by the next."""
    name = name or f"{example}_{next(_numbers)}"
    source = (EXAMPLES / f"{example}.py").read_text("utf-8").replace(f'"{example}"', f'"{name}"')
    for old, new in zip(pairs[::2], pairs[1::2], strict=True):
        assert source.count(old) == 1
        source = source.replace(old, new)
    (folder / f"{name}.py").write_text(source, "utf-8")
    return folder / f"{name}.py"
