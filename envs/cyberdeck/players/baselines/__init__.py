"""Published policies: files in this folder, which play as ``"baseline"``.

A file says by itself for which game and options it is. Only those that change the game count: not
what is rewarded, nor how it is shown.
"""

from __future__ import annotations

import functools
import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from cyberdeck.engine.contract import Game, Options
from cyberdeck.engine.variant import Variant, resolved
from cyberdeck.errors import OptionError
from cyberdeck.players.networks import SUFFIX, Network, load

#: How such a policy is called.
NAME: Final = "baseline"

FOLDER: Final = Path(__file__).parent


def published(game: Game) -> dict[Path, dict[str, Any]]:
    """The files for a game, each with the options that it was trained with."""
    found = {}
    for path in sorted(FOLDER.glob("*" + SUFFIX)):
        about = _words(path, path.stat().st_mtime_ns)
        if about["game"] == game.name:
            found[path] = json.loads(about["options"])
    return found


def file_for(variant: Variant) -> Path | None:
    """The file of the policy for a game with these options, if there is one."""
    rules = rules_of(variant.game, variant.options)
    files = [
        (path, options)
        for path, options in published(variant.game).items()
        if rules_of(variant.game, resolved(variant.game, options)) == rules
    ]
    # Any plays, whatever it is shown; one that was made for this view needs no other.
    files.sort(key=lambda each: _other_view(variant, each[1]))
    return files[0][0] if files else None


def option_sets(game: Game) -> list[str]:
    """The options for which there is a baseline, in words."""
    return sorted(_worded(Variant(game, options)) for options in published(game).values())


def baseline(variant: Variant) -> Network:
    """The published policy for a game with these options, or ``OptionError``."""
    path = file_for(variant)
    if path is None:
        sets = option_sets(variant.game)
        there = f"there are baselines for {'; '.join(sets)}" if sets else "there is none at all"
        raise OptionError(
            f"there is no baseline for {variant.game.title} with {_worded(variant)}: {there}"
        )
    made = load(path)
    made.name = NAME
    return made


def rules_of(game: Game, options: Options) -> dict[str, Any]:
    """Those of all options that change the game: not what is rewarded, nor how it is shown."""
    return {
        option.name: options[option.name]
        for option in game.options
        if not (option.scoring or option.view)
    }


def _other_view(variant: Variant, options: Options) -> bool:
    """Whether these options show the game otherwise than it is shown."""
    return any(
        options.get(option.name, option.default) != variant.options[option.name]
        for option in variant.game.options
        if option.view
    )


def _worded(variant: Variant) -> str:
    rules = rules_of(variant.game, variant.options)
    words = [f"{name}={value!r}" for name, value in variant.chosen.items() if name in rules]
    return ", ".join(words) or "default options"


@functools.cache
def _words(path: Path, written: int) -> Mapping[str, str]:
    """What a file says of itself: read without safetensors, which not everybody has.

    *written* is when: what is known of another file by that name does not count.
    """
    with path.open("rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        about: dict[str, str] = json.loads(file.read(size))["__metadata__"]
    return about
