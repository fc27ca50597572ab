"""How a best response to one player is trained.

>>> responder("hackthegrid", "heuristic", {}).opponents
{'heuristic': 1}
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from cyberdeck.errors import OptionError
from cyberdeck.players.networks import SUFFIX
from cyberdeck_training import config as configs
from cyberdeck_training.settings import RunSettings

#: Timesteps that a responder is trained for at most, if the caller does not say.
MOST: Final = 2_000_000

#: What makes a configuration that of a responder.
_GIVEN: Final = ("algorithm", "opponents", "past", "evaluation.opponents")


def responder(
    game: str, player: str, options: Mapping[str, Any], changes: Sequence[str] = ()
) -> RunSettings:
    """The game's own configuration, to train against *player* and nobody else.

    *options* are the game's, in place of the configuration's; *changes* are as in ``config.load``.
    """
    if player.endswith(SUFFIX) and Path(player).is_file():
        player = str(Path(player).resolve())  # a run may go on from another folder
    for change in changes:
        key = change.partition("=")[0]
        if key.startswith(_GIVEN):
            raise OptionError(
                f"{change!r}: the responder plays against the player and nobody else; leave {key} "
                "out, or use `cyberdeck train`"
            )
    given = [
        *("algorithm=exploit", f"opponents={json.dumps({player: 1})}", "past=null"),
        f"evaluation.opponents={json.dumps([player])}",
        *(f"options.{name}={json.dumps(value)}" for name, value in options.items()),
    ]
    config = configs.load(game, [*given, *changes])
    if any(change.startswith("total_timesteps=") for change in changes):
        return config
    most = min(config.total_timesteps, MOST)
    return config.model_copy(update={"total_timesteps": most})
