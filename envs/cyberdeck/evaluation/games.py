"""Finished games: who played which side, how they ended, and what that brought."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck import __version__
from cyberdeck.common.statistics import NOTHING, mean_of, points_of
from cyberdeck.common.text import counted
from cyberdeck.engine.constants import RESIGNS
from cyberdeck.engine.record import FORFEIT
from cyberdeck.engine.variant import Variant
from cyberdeck.evaluation.seeds import ReportingSeed
from cyberdeck.replay import Replay, prompts

#: Letters of players' names in that of a file, at most.
_LONG: Final = 160

#: What is counted of how games ended, where somebody wins.
ENDINGS: Final = ("wins", "draws", "losses", "all_lose")


#: The arrays of ``Games``.
COLUMNS: Final = {
    **{"lineups": np.int64, "deals": np.int64, "seeds": np.int64, "returns": np.float32},
    **{"lengths": np.int64, "reasons": np.int8, "truncated": np.bool_, "metrics": np.int32},
    **{"beginnings": np.int64, "courses": np.int64},
}


@dataclass(frozen=True)
class Games:
    """Finished games, one entry each.

    lineups (G, sides)   which player, by number, played each side (a seat, or a team)
    deals (G,)           games with the same number had the same deal and the same dice
    seeds (G,)           what ``Batch(game, 1, seed=...)`` begins the same game with
    returns (G, sides)   what each side got
    lengths (G,)         decisions
    reasons (G,), truncated (G,)   as in ``Batch``
    metrics (G, M)       as in ``Batch``, from the first seat's view
    beginnings (G,)      digests of the games as they were dealt, and of their openings
    courses (G,)         digests of all that happened: beginnings, decisions, dice
    actions              the decisions of each game, if they were to be kept
    notes                then, what the players noted beside each decision, or None; [] if nothing
    voided               how many games do not count, and are not here: a player's machine failed
    failure              what was wrong with such a machine, the last time
    counts               what players counted of their own work, by name; also in voided games
    interrupted          whether Ctrl-C ended the match before all games were finished
    seed                 what the deals were drawn from
    openings             so many random decisions were made before the players'
    version              the version of cyberdeck that played them
    known_by             what each player is known by: its name, of a file a digest of its content
    """

    variant: Variant
    players: tuple[str, ...]
    lineups: NDArray[np.int64]
    deals: NDArray[np.int64]
    seeds: NDArray[np.int64]
    returns: NDArray[np.float32]
    lengths: NDArray[np.int64]
    reasons: NDArray[np.int8]
    truncated: NDArray[np.bool_]
    metrics: NDArray[np.int32]
    beginnings: NDArray[np.int64]
    courses: NDArray[np.int64]
    actions: list[NDArray[np.int32]] = field(default_factory=list)
    notes: list[list[Any]] = field(default_factory=list)
    voided: int = 0
    failure: str = ""
    counts: dict[str, dict[str, float]] = field(default_factory=dict)
    interrupted: bool = False
    seed: int | ReportingSeed = 0
    openings: int = 0
    version: str = __version__
    known_by: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.deals)

    def __repr__(self) -> str:
        stopped = ", interrupted" if self.interrupted else ""
        played = f"{counted(len(self), 'game')} of {self.variant.game.title}{stopped}"
        return f"<{played}: {', '.join(self.players)}>"

    def voided_words(self) -> str:
        """A remark about games that do not count, if there are any."""
        if not self.voided:
            return ""
        what = "was voided and does" if self.voided == 1 else "were voided and do"
        why = f": {self.failure}" if self.failure else ""
        return f"{counted(self.voided, 'game')} {what} not count: a player's machine failed{why}"

    # --- the same game again ---------------------------------------------------------------------

    @functools.cached_property
    def _played(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """(G,): whether no game before it had the same lineup and course; and whether nothing is
        left to chance when it has begun, as far as these games show: of all with the same lineup,
        those that begin alike take one course.
        """
        _, lineup = np.unique(self.lineups, axis=0, return_inverse=True)
        (begun, _), (taken, at) = (
            np.unique(np.column_stack([lineup, digests]), axis=0, return_index=True)
            for digests in (self.beginnings, self.courses)
        )
        without_chance = np.bincount(begun[:, 0]) == np.bincount(taken[:, 0])
        return np.isin(np.arange(len(self)), at), without_chance[lineup.ravel()]

    @property
    def distinct(self) -> int:
        """How many games differ: in who played which side, or in any decision or deal."""
        return int(self._played[0].sum())

    @property
    def repeats(self) -> NDArray[np.bool_]:
        """(G,): whether it is an earlier game once more, which says nothing new.

        Where anything is left to chance, no game is: two may take the same course, as two throws of
        a die may be alike.
        """
        return self._played[1] & ~self._played[0]

    def observations(self, which: NDArray[np.int64]) -> NDArray[np.int64]:
        """The deals of the games *which*, of deals on which all is repeated the first one: those
        with the same number are one observation.
        """
        deals = self.deals[which]
        if not self._played[1][which].all():
            return deals
        _, first, at = np.unique(self.beginnings[which], return_index=True, return_inverse=True)
        return deals[first[at]]

    # --- points ----------------------------------------------------------------------------------

    def points(self) -> NDArray[np.float64]:
        """(G, sides): 1 for a win, 0 for a loss; in a draw those who got most share the 1, so that
        it is 1/2 for each of two. 0 for all if all lose.

        A game for one is won or not.
        """
        returns = self.returns
        if returns.shape[1] == 1:
            return (returns > 0).astype(np.float64)
        winners = returns == returns.max(axis=1, keepdims=True)
        shares: NDArray[np.float64] = winners / winners.sum(axis=1, keepdims=True)
        return shares * ~self.all_lose()[:, None]

    @property
    def measure(self) -> str:
        """The measure of players: "points", or "reward" in a game that nobody wins."""
        return measure_of(self.variant)

    def gains(self) -> NDArray[np.float64]:
        """(G, sides): the points of each side, or its reward in a game that nobody wins."""
        return self.points() if self.measure == "points" else self.returns.astype(np.float64)

    def replay(self, at: int, title: str = "") -> Replay:
        """One of the games, of a match that kept its actions, to be saved or watched."""
        sides = [self.players[number] for number in self.lineups[at]]
        return Replay(
            self.variant,
            seed=int(self.seeds[at]),
            actions=self.actions[at].tolist(),
            players=[sides[side] for side in self.variant.sides],
            title=title,
        )

    def save_replays(self, folder: str | Path, keep: int) -> tuple[int, int]:
        """Save replays of the first games, at most *keep*: deal by deal, so that the sides of one
        deal lie beside each other. Prompts and answers lie beside them.

        Returns how many were saved, and how many games have none, as they ended with an illegal
        decision.
        """
        resigned = np.array([actions[-1] == RESIGNS for actions in self.actions], np.bool_)
        illegal = (self.reasons == FORFEIT) & ~resigned
        order = np.argsort(self.deals, kind="stable")
        saved = order[~illegal[order]][:keep]
        for number, at in enumerate(saved, 1):
            file = Path(folder) / f"{number:03}-{self._file_name(at)}.json"
            self.replay(at).save(file)
            if self.notes[at]:
                prompts.save(prompts.beside(file), self.notes[at])
        return len(saved), int(illegal.sum())

    def _file_name(self, at: int) -> str:
        """A game's deal and players as part of a file's name."""
        players = (self.players[side] for side in self.lineups[at])
        most = _LONG // len(self.lineups[at])
        named = "-".join(re.sub(r"[^\w.]+", "_", player)[:most] for player in players)
        return f"deal-{self.deals[at]}-{named}"

    def ended(self, which: NDArray[np.int64], sides: NDArray[np.int64]) -> dict[str, Any]:
        """Counts and means of the games *which*, for the player that played *sides* in them."""
        deals = self.observations(which)
        points, all_lose = self.points()[which, sides], int(self.all_lose()[which].sum())
        wins, draws = int((points == 1).sum()), int(((points > 0) & (points < 1)).sum())
        won = self.measure == "points"
        counts = (wins, draws, len(which) - wins - draws - all_lose, all_lose)
        return {
            "games": len(which),
            **{name: count if won else 0 for name, count in zip(ENDINGS, counts, strict=True)},
            "points": points_of(points, deals) if won else NOTHING,
            "reward": mean_of(self.returns[which, sides].astype(np.float64), deals),
            "decisions": float(self.lengths[which].mean()) if len(which) else math.nan,
            "truncated": int(self.truncated[which].sum()),
        }

    def all_lose(self) -> NDArray[np.bool_]:
        """(G,): whether no side got anything but a loss, as when cards remain on the grid."""
        if self.returns.shape[1] == 1:
            return np.zeros(len(self), np.bool_)
        return np.asarray((self.returns < 0).all(axis=1))


def empty(variant: Variant, players: tuple[str, ...]) -> Games:
    """No games."""
    sides, metrics = (max(variant.sides) + 1,), (len(variant.game.metrics),)
    wide = {"lineups": sides, "returns": sides, "metrics": metrics}
    columns: dict[str, Any] = {
        name: np.zeros((0, *wide.get(name, ())), dtype) for name, dtype in COLUMNS.items()
    }
    return Games(variant, players, **columns)


def joined(parts: Sequence[Games]) -> Games:
    """All of these games of one match."""
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(each, name) for each in parts]) for name in COLUMNS
    }
    return replace(
        parts[0],
        **columns,
        actions=[actions for each in parts for actions in each.actions],
        notes=[notes for each in parts for notes in each.notes],
        voided=sum(each.voided for each in parts),
    )


def measure_of(variant: Variant) -> str:
    """The measure of players of a game: "points", or "reward" where nobody wins."""
    return "reward" if variant.scored else "points"
