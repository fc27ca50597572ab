"""Games behind a table in Python: with pages to step through, and reviews."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from cyberdeck.play.compiled import CompiledEngine
from cyberdeck.play.finished import FinishedGame
from cyberdeck.play.game import Game
from cyberdeck.replay import Replay, link
from cyberdeck.replay.review import Review, review
from cyberdeck.views.kept import Kept


class Compiled(CompiledEngine):
    """A game with its options chosen, and who can play it: an ``Engine``.

    >>> from cyberdeck import variant
    >>> Compiled(variant("hackthegrid")).files
    ('json', 'html')
    """

    files = "json", "html"
    reviews = True

    def page(self, kept: Kept) -> str:
        """A finished game as a page to step through."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "game.html")
            self._replay(kept).write_html(path)
            return path.read_text("utf-8")

    def review(self, kept: Kept, progress: Callable[[float], None]) -> Review:
        """What the decisions of a finished game gave away; *progress* hears how much is done."""
        count = len(kept.actions)
        return review(self._replay(kept), progress=lambda row: progress(row / count))

    def _replay(self, kept: Kept) -> Replay:
        return Replay(self.variant, kept.seed, kept.actions, kept.players)

    def linked(self, letters: str) -> FinishedGame:
        """The game in a link, or ``ReplayError``."""
        replay = link.unpacked(letters)
        engine = type(self)(replay.variant)
        game = Game.played(engine, replay.seed or 0, replay.actions)
        return FinishedGame(engine, game, replay.players)
