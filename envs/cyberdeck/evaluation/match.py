"""Matches: whole games of any players on any sides, many at once on the batch engine."""

from __future__ import annotations

import math
import pickle
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.statistics import NOTHING, mean_of, points_of
from cyberdeck.common.text import counted
from cyberdeck.engine import registry
from cyberdeck.engine.constants import RESIGNS
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.policy import VOID, Policy
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.threads import count_of
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.evaluation.seeds import LIMIT, ReportingSeed
from cyberdeck.players import Player, find_player
from cyberdeck.replay import Replay
from cyberdeck.transformed import new_games

#: Games of one go: enough for the batch engine to be fast, few enough to be soon done.
_AT_ONCE: Final = 1024

#: The same where somebody is given positions, mostly to search: side by side is no faster then.
_SEARCHED_AT_ONCE: Final = 32

#: Where there are several processes, so many goes for each, with a report of progress after each.
_GOES: Final = 16

#: Fewer games than that are not worth a go of their own, unless somebody searches.
_LEAST: Final = 32

#: What is counted of how games ended, where somebody wins.
ENDINGS: Final = ("wins", "draws", "losses", "all_lose")

#: Called after each step with how many games are finished.
Progress = Callable[[int], None]


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
    actions              the decisions of each game, if they were to be kept
    notes                then, what the players noted beside each decision, or None; [] if nothing
    voided               how many games do not count, and are not here: a player's machine failed
    failure              what was wrong with such a machine, the last time
    counts               what players counted of their own work, by name; also in voided games
    interrupted          whether Ctrl-C ended the match before all games were finished
    seed                 what the deals were drawn from
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
    actions: list[NDArray[np.int32]] = field(default_factory=list)
    notes: list[list[Any]] = field(default_factory=list)
    voided: int = 0
    failure: str = ""
    counts: dict[str, dict[str, float]] = field(default_factory=dict)
    interrupted: bool = False
    seed: int | ReportingSeed = 0

    def __len__(self) -> int:
        return len(self.deals)

    def __repr__(self) -> str:
        stopped = ", interrupted" if self.interrupted else ""
        played = f"{counted(len(self), 'game')} of {self.variant.game.title}{stopped}"
        return f"<{played}: {', '.join(self.players)}>"

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
        """What players are measured by: "points", or "reward" in a game that nobody wins."""
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

    def ended(self, which: NDArray[np.int64], sides: NDArray[np.int64]) -> dict[str, Any]:
        """How the games *which* ended for who played *sides* in them, counted, and what it got."""
        deals = self.deals[which]
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
        lost: NDArray[np.bool_] = np.all(self.returns < 0, axis=1)
        return lost


def measure_of(variant: Variant) -> str:
    """What players of a game are measured by: "points", or "reward" where nobody wins."""
    return "reward" if variant.scored else "points"


def judged(game: str | Variant, options: Mapping[str, Any] | None = None) -> Variant:
    """The game with its options, but rewarded for its outcome alone: matches count who wins."""
    return registry.variant(game, **(options or {})).by_outcome


def play_games(
    game: str | Variant,
    players: Mapping[str, Player],
    lineups: Sequence[Sequence[int]] | NDArray[Any],
    deals: Sequence[int] | NDArray[Any],
    *,
    seed: int | ReportingSeed = 0,
    keep_actions: bool = False,
    illegal: str = "raise",
    processes: int = 1,
    threads: int | str = 1,
    progress: Progress | None = None,
    **options: Any,
) -> Games:
    """Play one game for each of *lineups*, on the deal of the same place in *deals*.

    The course of a game depends on *seed*, its deal and its players alone: not on what is
    played beside it, nor on the number of processes and threads. Options that only choose what is
    rewarded are ignored: who wins is counted.

    Args:
        game: name of the game, or a ``Variant``: the game with its options.
        players: name -> player, see ``cyberdeck.players.find_player``.
        lineups: for each game the numbers of the players (in the order of *players*) that play
            its sides: seats, or teams in games of teams.
        deals: for each game the number of its deal.
        seed: other seeds give other deals; ``reporting_seed`` makes those for published figures.
        keep_actions: keep every game's decisions, for replays.
        illegal: "raise" an error if a policy decides illegally, or let its side "lose".
        processes: play in so many processes; policies must be picklable then.
        threads: take steps and searches of many games in so many threads, "auto": one on each core;
            the result is the same.
        progress: called with the number of finished games.
        options: the game's own options.

    >>> players = {"h": "heuristic", "r": "random"}
    >>> games = play_games("hackthegrid", players, [(0, 1), (1, 0)], [5, 5])
    >>> games.points().shape
    (2, 2)
    """
    variant = judged(game, options)
    sides = max(variant.sides) + 1
    numbers = _whole(deals, "deals", (len(deals),))
    order = _whole(lineups, "lineups", (len(numbers), sides))
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < 2**32:
        raise OptionError("deals must be numbers from 0 to 2**32 - 1")
    if order.size and not 0 <= order.min() <= order.max() < len(players):
        raise OptionError(f"lineups must hold numbers of players, 0 to {len(players) - 1}")
    if not isinstance(seed, ReportingSeed) and (not is_whole(seed) or not 0 <= seed < LIMIT):
        raise OptionError(f"seed={seed!r} is not possible: a whole number below 2**30 is needed")
    if not is_whole(processes) or processes < 1:
        raise OptionError(f"processes={processes!r} is not possible: at least 1 is needed")
    chosen = [find_player(variant, each) for each in players.values()]
    first = seed.number if isinstance(seed, ReportingSeed) else int(seed)
    seeds = (first << 32) + numbers
    searched = any(each.needs_states for each in chosen)
    asked = [each.games_at_once for each in chosen if each.games_at_once is not None]
    room = most = max(asked, default=_SEARCHED_AT_ONCE if searched else _AT_ONCE)
    if processes > 1:
        share = max(1, -(-len(seeds) // processes))
        least = 1 if searched else min(_LEAST, share)
        room = min(most, max(least, -(-share // _GOES)))
    parts = [slice(at, at + room) for at in range(0, len(seeds), room)]
    how = (illegal, keep_actions, count_of(threads))
    work = [_Work(variant, chosen, order[part], seeds[part], *how) for part in parts]
    before = [each.counts() for each in chosen]
    done, interrupted = _run(work, processes, progress)
    counts = {
        name: {of: count - old.get(of, 0) for of, count in each.counts().items()}
        for name, each, old in zip(players, chosen, before, strict=True)
        if each.counts()
    }
    finished = np.zeros(len(seeds), np.bool_)
    ended = np.zeros(len(seeds), _ended(variant))
    for part, each in zip(parts, done, strict=False):
        if each is not None:
            finished[part], ended[part] = each.finished, each.ended
    columns: dict[str, Any] = {name: ended[name][finished] for name in ended.dtype.names or ()}
    parts_done = [each for each in done if each is not None]
    return Games(
        variant,
        tuple(players),
        order[finished],
        numbers[finished],
        seeds[finished],
        **columns,
        actions=[kept for each in parts_done for kept in each.actions],
        notes=[kept for each in parts_done for kept in each.notes],
        voided=sum(each.voided for each in parts_done),
        failure=next((each.failure for each in chosen if each.failure), ""),
        counts=counts,
        interrupted=interrupted,
        seed=seed,
    )


def play_rounds(
    variant: Variant,
    players: Mapping[str, Player],
    round_: Sequence[Sequence[int]],
    deals: int,
    **how: Any,
) -> Games:
    """``play_games`` of each lineup of *round_* on each of so many deals.

    Deal by deal: what is finished at any time is about the same for all lineups.
    """
    if not is_whole(deals) or deals < 1:
        raise OptionError(f"deals={deals!r} is not possible: at least 1 is needed")
    lineups, numbers = np.tile(round_, (deals, 1)), np.repeat(np.arange(deals), len(round_))
    return play_games(variant, players, lineups, numbers, **how)


def _ended(variant: Variant) -> np.dtype[Any]:
    """How a game ended: columns of ``Games``."""
    sides, metrics = max(variant.sides) + 1, len(variant.game.metrics)
    return np.dtype(
        [
            ("returns", np.float32, (sides,)),
            ("lengths", np.int64),
            ("reasons", np.int8),
            ("truncated", np.bool_),
            ("metrics", np.int32, (metrics,)),
        ]
    )


def _whole(values: Any, name: str, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """*values* as an array of whole numbers, or ``OptionError``."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        array = np.empty(0)
    if len(array) == 0 and shape[0] == 0:
        return np.zeros(shape, np.int64)
    if array.shape != shape or array.dtype.kind not in "iu":
        raise OptionError(f"{name} must be whole numbers, an array of the shape {shape}")
    return np.array(array, np.int64)


@dataclass(frozen=True)
class _Work:
    """The games of one go, which are played side by side."""

    variant: Variant
    players: list[Policy]
    lineups: NDArray[np.int64]
    seeds: NDArray[np.int64]
    illegal: str
    keep_actions: bool
    threads: int


@dataclass(frozen=True)
class _Part:
    """How the games of one go ended; of those that did not, nothing counts."""

    finished: NDArray[np.bool_]
    ended: NDArray[Any]
    actions: list[NDArray[np.int32]]
    notes: list[list[Any]]
    voided: int
    interrupted: bool


def _run(
    work: list[_Work], processes: int, progress: Progress | None
) -> tuple[list[_Part | None], bool]:
    """The parts one after the other, or in processes; on Ctrl-C what there is."""
    if processes > 1 and len(work) > 1:
        return _spread(work, processes, progress)
    parts: list[_Part | None] = []
    before = 0
    for each in work:

        def advance(finished: int, before: int = before) -> None:
            if progress is not None:
                progress(before + finished)

        try:
            part = _play_part(each, advance)
        except KeyboardInterrupt:  # before its games had begun
            return parts, True
        parts.append(part)
        before += len(each.seeds)
        if part.interrupted:
            return parts, True
    return parts, False


def _spread(
    work: list[_Work], processes: int, progress: Progress | None
) -> tuple[list[_Part | None], bool]:
    from concurrent.futures import Future, ProcessPoolExecutor, as_completed

    try:
        pickle.dumps(work[0])
    except Exception as error:
        raise OptionError(
            f"these players cannot be sent to other processes ({error}): give functions and "
            "classes of a module, or processes=1"
        ) from None
    finished, interrupted = 0, False
    context = get_context("spawn")
    stop = context.Event()
    parts: list[Future[_Part]] = []
    with ProcessPoolExecutor(processes, context, _watch, (stop,)) as pool:
        try:
            for each in work:
                parts.append(pool.submit(_play_part, each, _stop_if_asked))
            for part in as_completed(parts):
                finished += len(part.result().finished)
                if progress is not None:
                    progress(finished)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
    return [None if part.cancelled() else part.result() for part in parts], interrupted


#: In another process: what says that no more is to be played.
_stops: list[Event] = []


def _watch(stop: Event) -> None:
    """Stop between two steps when asked; Ctrl-C, which comes to all processes, is the first's."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _stops.append(stop)


def _stop_if_asked(finished: int) -> None:
    """After each step in another process."""
    if any(stop.is_set() for stop in _stops):
        raise KeyboardInterrupt


def _play_part(work: _Work, progress: Progress | None = None) -> _Part:
    """Play games side by side until all are over."""
    variant, seeds = work.variant, work.seeds
    core = new_games(
        variant,
        len(seeds),
        autoreset=DISABLED,
        illegal=work.illegal,
        threads=work.threads,
        history=any(player.needs_history for player in work.players),
    )
    sides = np.array(variant.sides)
    rows = core.all_rows
    kept: list[tuple[NDArray[np.bool_], NDArray[np.int32]]] = []
    notes: list[dict[int, Any]] = [{} for _ in seeds]  # of each game, by decision
    voided = np.zeros(len(seeds), np.bool_)
    interrupted = False
    core.reset([int(seed) for seed in seeds])
    try:
        while (playing := core.movers != NOBODY).any():
            actions, given_up = np.zeros(len(seeds), np.int64), np.zeros(len(seeds), np.bool_)
            deciding = np.where(playing, work.lineups[rows, sides[core.movers]], -1)
            for number, player in enumerate(work.players):
                which = np.flatnonzero(deciding == number)
                if len(which) == 0:
                    continue
                actions[which], noted = core.ask_in_match(player, which)
                if player.may_give_up:
                    given_up[which] = (actions[which] == RESIGNS) | (actions[which] == VOID)
                if work.keep_actions and noted.count(None) < len(noted):
                    for row, note in zip(which.tolist(), noted, strict=True):
                        if note is not None:
                            notes[row][len(kept)] = note
            if work.keep_actions:
                kept.append((playing, actions.astype(np.int32)))
            voided |= given_up & (actions == VOID)
            core.step(actions, given_up)
            if progress is not None:
                progress(int((core.movers == NOBODY).sum()))
    except KeyboardInterrupt:
        interrupted = True
    finished = (core.movers == NOBODY) & ~voided
    ended = np.zeros(len(seeds), _ended(variant))
    firsts = [variant.sides.index(side) for side in range(int(sides.max()) + 1)]
    ended["returns"] = core.final_returns[:, firsts]
    ended["lengths"], ended["metrics"] = core.rows["final_length"], core.rows["final_metrics"]
    ended["reasons"], ended["truncated"] = core.states["reason"], core.states["truncated"]
    which = np.flatnonzero(finished if work.keep_actions else [])
    taken = [[actions[row] for playing, actions in kept if playing[row]] for row in which]
    return _Part(
        finished,
        ended,
        [np.array(each, np.int32) for each in taken],
        [
            [notes[row].get(at) for at in range(len(each))] if notes[row] else []
            for row, each in zip(which, taken, strict=True)
        ],
        int(voided.sum()),
        interrupted,
    )
