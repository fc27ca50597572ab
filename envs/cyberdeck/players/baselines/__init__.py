"""Published policies: files in this folder, which play as ``"baseline"``.

A file says by itself for which game and options it is. Only those that change the game count: not
what is rewarded, nor how it is shown.
"""

from __future__ import annotations

import functools
import json
import struct
from pathlib import Path
from typing import Any, Final

from cyberdeck.engine.contract import Game
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.players.networks import SUFFIX, Network, load
from cyberdeck.players.solved import list_options

#: How such a policy is called.
NAME: Final = "baseline"

FOLDER: Final = Path(__file__).parent


def published(game: Game) -> dict[Path, Variant]:
    """The files for a game, each with the game and the options that it was trained with."""
    files = sorted(FOLDER.glob("*" + SUFFIX))
    trained = {path: _trained(game, path, path.stat().st_mtime_ns) for path in files}
    return {path: variant for path, variant in trained.items() if variant is not None}


@functools.cache
def _trained(game: Game, path: Path, written: int) -> Variant | None:
    """The variant that a file was trained with, if it is of that game.

    *written* is when: what is known of another file by that name does not count.
    """
    with path.open("rb") as file:  # without safetensors, which not everybody has
        (size,) = struct.unpack("<Q", file.read(8))
        about: dict[str, str] = json.loads(file.read(size))["__metadata__"]
    return Variant(game, json.loads(about["options"])) if about["game"] == game.name else None


def file_for(variant: Variant) -> Path | None:
    """The file of the policy for a game with these options, if there is one."""
    files, rules = published(variant.game), rules_of(variant)
    fitting = [path for path, trained in files.items() if rules_of(trained) == rules]
    # Any plays, whatever it is shown; one that was made for this view needs no other.
    return min(fitting, key=lambda path: _view_of(files[path]) != _view_of(variant), default=None)


def option_sets(game: Game) -> list[str]:
    """The options for which there is a baseline, in words."""
    return sorted(map(_list_rules, published(game).values()))


def baseline(variant: Variant) -> Network:
    """The published policy for a game with these options, or ``OptionError``."""
    path = file_for(variant)
    if path is None:
        sets = option_sets(variant.game)
        there = f"there are baselines for {'; '.join(sets)}" if sets else "there is none at all"
        raise OptionError(
            f"there is no baseline for {variant.game.title} with {_list_rules(variant)}: {there}"
        )
    made = load(path)
    made.name = NAME
    return made


def rules_of(variant: Variant) -> dict[str, Any]:
    """Those of its options that change the game: not what is rewarded, nor how it is shown."""
    rules = (each for each in variant.game.options if not (each.scoring or each.view))
    return {option.name: variant.options[option.name] for option in rules}


def _view_of(variant: Variant) -> dict[str, Any]:
    """Those of its options that say how the game is shown."""
    views = (each for each in variant.game.options if each.view)
    return {option.name: variant.options[option.name] for option in views}


def _list_rules(variant: Variant) -> str:
    rules = rules_of(variant)
    return list_options({name: each for name, each in variant.chosen.items() if name in rules})
