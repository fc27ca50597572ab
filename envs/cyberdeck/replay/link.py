"""A whole game in a few letters, for the end of an address: see ``views.kept``."""

from __future__ import annotations

from typing import Any

from cyberdeck.errors import ReplayError
from cyberdeck.replay.file import Replay
from cyberdeck.views import kept
from cyberdeck.views.kept import MARK, Kept


def is_link(text: str) -> bool:
    """Whether it is the address of a page with a game at its end.

    >>> is_link("http://127.0.0.1:8000/#game=q1Yy"), is_link("#token&game=q1Yy"), is_link("a.json")
    (True, True, False)
    """
    return text.strip().startswith(MARK) or f"#{MARK}" in text or f"&{MARK}" in text


def packed(replay: Replay) -> str:
    """The letters for a finished game.

    >>> game = Replay("hackthegrid", 7, [3, 2, 1, 0, 2, 3, 3, 14, 1, 1, 3, 30, 0, 0])
    >>> unpacked(packed(game)).actions == game.actions
    True
    """
    if replay.start is not None:
        raise ReplayError("a link holds games from their beginning alone: save this one as a file")
    chosen, players = replay.variant.chosen, list(replay.players)
    return kept.packed(Kept(replay.game, replay.seed, list(replay.actions), chosen, players))


def unpacked(text: Any) -> Replay:
    """The game in a link, or in its letters alone, played through, or ``ReplayError``."""
    found = kept.unpacked(text)
    try:
        replay = Replay(found.game, found.seed, found.actions, found.players, found.options)
        replay.played()
    except ReplayError as error:
        raise kept.cannot_be_shown(error) from None
    return replay
