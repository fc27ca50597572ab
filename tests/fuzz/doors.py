"""All doors by their names."""

from __future__ import annotations

from typing import Final

from tests.fuzz import files, games, javascript, playing, training
from tests.fuzz.trial import Door

DOORS: Final[dict[str, type[Door]]] = {
    door.name: door
    for door in (
        *(games.States, games.Replays, games.Links, games.Moves),
        *(files.Policies, files.SolvedGames, files.Journals, files.Prompts, files.Notes),
        *(training.Configurations, training.RunFolders, training.Checkpoints, training.Weights),
        *(playing.KeptGames, playing.Requests),
        *((javascript.Restored, javascript.Opened) if javascript.is_there() else ()),
    )
}
