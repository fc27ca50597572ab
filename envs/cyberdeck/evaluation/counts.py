"""Counts that players keep of their own work, such as a chat model's faults and tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.statistics import Mean, mean_of, share
from cyberdeck.common.text import counted
from cyberdeck.evaluation.games import Games

#: What is said as a share, and of what.
_SHARES: Final = {
    "forfeited": "games",
    "voided": "games",
    "illegal": "decisions",
    "unparsable": "decisions",
    "cut_off": "decisions",
}

#: Head and lines.
Table: TypeAlias = tuple[Sequence[str], Sequence[Sequence[str]]]


def tables(games: Games) -> list[Table]:
    """One table, a line for each player that has counted something; none if nobody has."""
    if not games.counts:
        return []
    names = list(dict.fromkeys(name for each in games.counts.values() for name in each))
    lines = [(who, *(_cell(name, of) for name in names)) for who, of in games.counts.items()]
    return [(("player", *(name.replace("_", " ") for name in names)), lines)]


def notes(games: Games) -> list[str]:
    """A remark about games that do not count."""
    if not games.voided:
        return []
    voided = counted(games.voided, "game")
    what = "was voided and does" if games.voided == 1 else "were voided and do"
    why = f": {games.failure}" if games.failure else ""
    return [f"{voided} {what} not count: a player's machine failed{why}"]


def as_json(games: Games) -> dict[str, Any]:
    """The same for a file; nothing where nobody has counted and every game counts."""
    found: dict[str, Any] = {"voided": games.voided} if games.voided or games.counts else {}
    return found | ({"counted": games.counts} if games.counts else {})


def _cell(name: str, counts: Mapping[str, float]) -> str:
    if name not in counts:
        return "-"
    if name in _SHARES:
        return share(int(counts[name]), int(counts[_SHARES[name]]))
    return f"{counts[name]:,}" if isinstance(counts[name], int) else f"{counts[name]:,.1f}"


@dataclass(frozen=True)
class Noise:
    """The difference between a player and an independent copy of it."""

    games: int
    """Played by both: the same deals, sides and opponents."""
    difference: Mean
    """The second time's points (or reward) less the first time's."""
    prompts: int
    """That both were given, the same to the byte."""
    alike: int
    """Of those, how many both answered with the same move."""
    measure: str = "points"
    """Or "reward", in a game that nobody wins."""

    def words(self) -> str:
        """For people."""
        return (
            f"Noise: the same {counted(self.games, 'game')} played again by an independent copy "
            f"brought {_signed(self.difference, self.measure)}. Given the same prompt, "
            f"{counted(self.prompts, 'time')}, the two moved alike in "
            f"{share(self.alike, self.prompts)}."
        )


@dataclass(frozen=True)
class Disguised:
    """The difference that a disguise of the game makes to a player."""

    seed: int
    """Of the disguise."""
    games: int
    """Played in both: the same deals, sides and opponents."""
    difference: Mean
    """The points (or reward) in disguise less those in the game itself."""
    measure: str = "points"
    """Or "reward", in a game that nobody wins."""

    def words(self) -> str:
        """For people."""
        return (
            f"Disguise: the same {counted(self.games, 'game')} in disguise {self.seed} brought "
            f"{_signed(self.difference, self.measure)}."
        )


def _signed(mean: Mean, measure: str) -> str:
    return f"{mean.value:+.3f} {measure} a game ({mean.low:+.3f} to {mean.high:+.3f})"


def in_disguise(plain: Games, disguised: Games, seed: int) -> Disguised:
    """Two matches of one lineup, the second in disguise."""
    deals, gains = _gains(plain, disguised)
    return Disguised(seed, len(gains), mean_of(gains, deals), plain.measure)


def noise(first: Games, second: Games, moves: Any, again: Any) -> Noise:
    """Two matches of one lineup that differ in a copy of the first player alone.

    *moves* and *again*: prompt -> the move that each made there.
    """
    deals, gains = _gains(first, second)
    shared = moves.keys() & again.keys()
    alike = sum(moves[prompt] == again[prompt] for prompt in shared)
    return Noise(len(gains), mean_of(gains, deals), len(shared), alike, first.measure)


def _gains(first: Games, second: Games) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(G,): the deal of each game that was played in both, and what the second brought more."""
    gains = [_by_game(games) for games in (first, second)]
    both = sorted(gains[0].keys() & gains[1].keys())
    deals = np.array([deal for deal, *_ in both], np.int64)
    return deals, np.array([gains[1][game] - gains[0][game] for game in both], np.float64)


def _by_game(games: Games) -> dict[tuple[int, ...], float]:
    """Deal and lineup of each game -> what the first player got."""
    gains = games.gains()
    sides = np.argmax(games.lineups == 0, axis=1)
    return {
        (int(deal), *map(int, lineup)): float(gains[at, sides[at]])
        for at, (deal, lineup) in enumerate(zip(games.deals, games.lineups, strict=True))
    }
