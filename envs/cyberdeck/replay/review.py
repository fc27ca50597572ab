"""What each decision of a replay gave away: exactly where that is known, elsewhere by search."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from cyberdeck import showing
from cyberdeck.common.text import table
from cyberdeck.engine import dice
from cyberdeck.engine.constants import RESIGNS
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.game_batch import GameBatch, placed
from cyberdeck.engine.loops import HEURISTIC
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.values import given_away
from cyberdeck.errors import OptionError, ReplayError, require
from cyberdeck.exact.values import find_values
from cyberdeck.play.finished import Judged, with_noise
from cyberdeck.players.search import usual_search
from cyberdeck.replay.file import Replay
from cyberdeck.transformed import new_games

#: Games that are played on from each of two moves, to compare these; no longer than so many
#: decisions, and so many of them between two looks at who is done.
PLAYOUTS: Final = 100
_LONGEST, _AT_ONCE = 1000, 20


@dataclass(frozen=True)
class Review:
    """What ``review`` has found; ``str`` of it is a table."""

    names: tuple[str, ...]
    judged: tuple[Judged, ...]
    playouts: int

    def table(self, width: int | None = None) -> str:
        """Every decision; what each seat gave away in all; and who says so."""
        head = ("", "who", "move", "best", "gave away", "by")
        rows = [
            (
                f"{each.decision}.",
                self.names[each.seat],
                each.move,
                "" if each.best == each.action else each.best_move,
                each.told,
                each.kind,
            )
            for each in self.judged
        ]
        sums = ("who", "choices", "gave away in all", "most in one", "nothing in")
        whole = [
            (
                self.names[seat],
                str(len(own)),
                with_noise(sum(each.lost for each in own), math.hypot(*(e.noise for e in own))),
                max(own, key=lambda each: each.lost).told,
                str(sum(each.best == each.action for each in own)),
            )
            for seat in range(len(self.names))
            if (own := [each for each in self.judged if each.seat == seat])
        ]
        tables = [table(head, rows, width=width), table(sums, whole, width=width)]
        return "\n\n".join([*tables, *self.notes()])

    def __str__(self) -> str:
        return self.table()

    def notes(self) -> list[str]:
        """Who says so, for each kind of judgement."""
        playouts = f", and {self.playouts} playouts of each of the two moves"
        kinds = {each.by: each.kind for each in self.judged}
        return [
            f"{kind}: by {by}{playouts if kind == 'search' else ''}" for by, kind in kinds.items()
        ]

    def to_json(self) -> dict[str, Any]:
        """All of it, unrounded."""
        decisions = [each._asdict() for each in self.judged]
        return {"seats": self.names, "playouts": self.playouts, "decisions": decisions}


def review(
    replay: Replay, playouts: int = PLAYOUTS, progress: Callable[[int], None] | None = None
) -> Review:
    """Compare every decision that left a choice with the best one.

    Where exact values are known, with these. Elsewhere a search says what is best, by what the
    seat knows. Then *playouts* games are played on from either move, by the heuristic on all seats,
    or randomly where there is none, in worlds that the seat cannot tell from the true one: the same
    worlds, and the same luck, for both. What the best move brings more there is below 0 where the
    search was wrong. *progress* is told how many decisions have been looked at.

    >>> game = Replay("hackthegrid", 7, [3, 2, 1, 0, 2, 3, 3, 14, 1, 1, 3, 30, 0, 0])
    >>> [(each.decision, each.move, each.best_move) for each in review(game).judged if each.lost]
    [(7, 'C3', 'C0'), (12, 'S3-2', 'S0-1')]
    """
    many = is_whole(playouts) and playouts >= 2
    require(many, "playouts", playouts, "at least 2 are needed, or nothing is known of the noise")
    variant = replay.variant.by_outcome.shown_plainly
    decided = [
        each for each in replay.positions() if each.action is not None and each.action != RESIGNS
    ]
    if not decided:
        raise ReplayError("nobody has decided anything in this game: there is nothing to review")
    core = placed(variant, np.concatenate([each.record for each in decided]), make=new_games)
    actions = np.array([each.action for each in decided])
    try:
        found = find_values(variant)
        values, source = found.of(core.states), found.name
    except OptionError:  # this game has none
        values, source = np.full(core.masks.shape, np.nan), ""
    search = usual_search(variant.game)
    judged: list[Judged] = []
    for row in np.flatnonzero(core.rows["choices"] > 1).tolist():
        action, known = int(actions[row]), values[row]
        best, lost, noise, by = action, 0.0, 0.0, source
        if not np.isnan(known[action]):
            lost = round(float(given_away(known)[action]), 9)
            best = int(np.nanargmax(known)) if lost > 0 else action
        else:
            by = search.name
            best = int(core.ask(search, np.array([row]))[0])
            if best != action:
                lost, noise = _compared(core, row, (best, action), playouts)
                best = best if lost or noise else action
        named = showing.notations(variant, core.states[row : row + 1])
        number, seat = decided[row].number, decided[row].mover
        moves = action, named[action], best, named[best]
        judged.append(Judged(number, seat, *moves, lost, noise, by))
        if progress is not None:
            progress(row + 1)
    return Review(replay.names(), tuple(judged), playouts)


def _compared(
    core: GameBatch, row: int, actions: tuple[int, int], playouts: int
) -> tuple[float, float]:
    """How much more the first action brings the mover than the second, and the standard error."""
    seat = int(core.movers[row])
    worlds = np.repeat(core.states[row : row + 1], playouts)
    luck = [dice.seeded(number) for number in range(playouts)]
    for at, bits in enumerate(luck):
        core.loops.resample(worlds, at, seat, bits)
    games = placed(core.variant, np.concatenate([worlds, worlds]), np.tile(luck, 2), new_games)
    games.step(np.repeat(actions, playouts))
    for _ in range(0, _LONGEST, _AT_ONCE):
        if (games.movers == NOBODY).all():
            break
        games.play(HEURISTIC, _AT_ONCE)
    got = games.rows["returns"][:, seat].astype(np.float64)
    more = got[:playouts] - got[playouts:]
    return float(more.mean()), float(more.std(ddof=1)) / math.sqrt(playouts)
