"""Matches: whole games of any players on any sides, many at once on the batch engine."""

from __future__ import annotations

import pickle
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.progress import Progress, further
from cyberdeck.engine import registry
from cyberdeck.engine.constants import RESIGNS
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.policy import VOID, Policy
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.threads import count_of
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, require
from cyberdeck.evaluation.games import Games
from cyberdeck.evaluation.seeds import LIMIT, ReportingSeed
from cyberdeck.players import Player, find_players
from cyberdeck.transformed import new_games

#: Games of one go: enough for the batch engine to be fast, few enough to be soon done.
_AT_ONCE: Final = 1024

#: The same where somebody is given positions, mostly to search: side by side is no faster then.
_SEARCHED_AT_ONCE: Final = 32

#: Where there are several processes, so many goes for each, with a report of progress after each.
_GOES: Final = 16

#: Fewer games than that are not worth a go of their own, unless somebody searches.
_LEAST: Final = 32


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
    found = find_players(variant, players)
    match = Match(variant, found, seed, illegal, keep_actions, processes, threads, progress)
    return match.play(lineups, deals)


@dataclass(frozen=True)
class Match:
    """A game, those who play it, and how: see ``play_games``."""

    variant: Variant
    players: Mapping[str, Policy]
    seed: int | ReportingSeed = 0
    illegal: str = "raise"
    keep_actions: bool = False
    processes: int = 1
    threads: int | str = 1
    progress: Progress | None = None

    def __post_init__(self) -> None:
        seed, processes = self.seed, self.processes
        possible = isinstance(seed, ReportingSeed) or (is_whole(seed) and 0 <= seed < LIMIT)
        require(possible, "seed", seed, "a whole number below 2**30 is needed")
        possible = is_whole(processes) and processes > 0
        require(possible, "processes", processes, "at least 1 is needed")

    def play_rounds(self, lineups: Sequence[Sequence[int]], deals: int) -> Games:
        """Play each of *lineups* on each of so many deals.

        Deal by deal: what is finished at any time is about the same for all lineups.
        """
        require(is_whole(deals) and deals > 0, "deals", deals, "at least 1 is needed")
        order, numbers = np.tile(lineups, (deals, 1)), np.repeat(np.arange(deals), len(lineups))
        return self.play(order, numbers)

    def play(
        self,
        lineups: Sequence[Sequence[int]] | NDArray[Any],
        deals: Sequence[int] | NDArray[Any],
    ) -> Games:
        """Play one game for each of *lineups*, on the deal of the same place in *deals*."""
        variant, players = self.variant, [*self.players.values()]
        numbers = _whole(deals, "deals", (len(deals),))
        order = _whole(lineups, "lineups", (len(numbers), max(variant.sides) + 1))
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < 2**32:
            raise OptionError("deals must be numbers from 0 to 2**32 - 1")
        if order.size and not 0 <= order.min() <= order.max() < len(players):
            raise OptionError(f"lineups must hold numbers of players, 0 to {len(players) - 1}")
        first = self.seed.number if isinstance(self.seed, ReportingSeed) else int(self.seed)
        seeds = (first << 32) + numbers
        parts = self._parts(len(seeds))
        alike = replace(self, threads=count_of(self.threads), progress=None)
        work: list[_Work] = [(alike, order[part], seeds[part]) for part in parts]
        before = [each.counts() for each in players]
        done, interrupted = _run(work, self.processes, self.progress)
        ended = np.zeros(len(seeds), _ended(variant))
        for part, each in zip(parts, done, strict=False):
            if each is not None:
                ended[part] = each.ended
        finished = ended["finished"]
        names = (name for name in ended.dtype.names or () if name != "finished")
        played = [each for each in done if each is not None]
        counts = {
            name: {of: count - old.get(of, 0) for of, count in each.counts().items()}
            for (name, each), old in zip(self.players.items(), before, strict=True)
            if each.counts()
        }
        return Games(
            variant,
            tuple(self.players),
            order[finished],
            numbers[finished],
            seeds[finished],
            **{name: ended[name][finished] for name in names},
            actions=[actions for each in played for actions in each.actions],
            notes=[notes for each in played for notes in each.notes],
            voided=sum(each.voided for each in played),
            failure=next((each.failure for each in players if each.failure), ""),
            counts=counts,
            interrupted=interrupted,
            seed=self.seed,
        )

    def _parts(self, count: int) -> list[slice]:
        """The parts of so many games that are played in one go each."""
        players = self.players.values()
        searched = any(each.needs_states for each in players)
        asked = [each.games_at_once for each in players if each.games_at_once is not None]
        size = max(asked, default=_SEARCHED_AT_ONCE if searched else _AT_ONCE)
        if self.processes > 1:
            share = max(1, -(-count // self.processes))
            least = 1 if searched else min(_LEAST, share)
            size = min(size, max(least, -(-share // _GOES)))
        return [slice(at, at + size) for at in range(0, count, size)]


def _ended(variant: Variant) -> np.dtype[Any]:
    """The dtype of a result: whether the game is finished and counts, and columns of ``Games``."""
    sides, metrics = max(variant.sides) + 1, len(variant.game.metrics)
    return np.dtype(
        [
            ("finished", np.bool_),
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


#: The match, the lineups and the seeds of the games of one go, which are played side by side.
_Work: TypeAlias = tuple[Match, NDArray[np.int64], NDArray[np.int64]]


class _Part(NamedTuple):
    """The results of the games of one go; unfinished games do not count."""

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
        try:
            part = _play_part(each, further(progress, before))
        except KeyboardInterrupt:  # before its games had begun
            return parts, True
        parts.append(part)
        before += len(part.ended)
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
                finished += len(part.result().ended)
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
    match, lineups, seeds = work
    variant, players, keep_actions = match.variant, match.players.values(), match.keep_actions
    core = new_games(
        variant,
        len(seeds),
        autoreset=DISABLED,
        illegal=match.illegal,
        threads=match.threads,
        history=any(player.needs_history for player in players),
    )
    sides, rows = np.array(variant.sides), core.all_rows
    kept = list[tuple[NDArray[np.bool_], NDArray[np.int32]]]()
    notes: list[dict[int, Any]] = [{} for _ in seeds]  # of each game, by decision
    voided, interrupted = np.zeros(len(seeds), np.bool_), False
    core.reset([int(seed) for seed in seeds])
    try:
        while (playing := core.movers != NOBODY).any():
            actions, given_up = np.zeros(len(seeds), np.int64), np.zeros(len(seeds), np.bool_)
            deciding = np.where(playing, lineups[rows, sides[core.movers]], -1)
            for number, player in enumerate(players):
                which = np.flatnonzero(deciding == number)
                if len(which) == 0:
                    continue
                actions[which], noted = core.ask_in_match(player, which)
                if player.may_give_up:
                    given_up[which] = (actions[which] == RESIGNS) | (actions[which] == VOID)
                if keep_actions and noted:  # which built-in players do not write
                    for row, note in zip(which.tolist(), noted, strict=True):
                        if note is not None:
                            notes[row][len(kept)] = note
            if keep_actions:
                kept.append((playing, actions.astype(np.int32)))
            voided |= given_up & (actions == VOID)
            core.step(actions, given_up)
            if progress is not None:
                progress(int((core.movers == NOBODY).sum()))
    except KeyboardInterrupt:
        interrupted = True
    finished = (core.movers == NOBODY) & ~voided
    ended = _how_they_ended(core)
    ended["finished"] = finished
    which = np.flatnonzero(finished if keep_actions else [])
    taken = [[actions[row] for playing, actions in kept if playing[row]] for row in which]
    return _Part(
        ended,
        [np.array(each, np.int32) for each in taken],
        [
            [notes[row].get(at) for at in range(len(each))] if notes[row] else []
            for row, each in zip(which, taken, strict=True)
        ],
        int(voided.sum()),
        interrupted,
    )


def _how_they_ended(core: GameBatch) -> NDArray[Any]:
    """A record for each of the games."""
    sides = core.variant.sides
    ended = np.zeros(core.count, _ended(core.variant))
    ended["returns"] = core.final_returns[:, [sides.index(side) for side in range(max(sides) + 1)]]
    ended["lengths"], ended["metrics"] = core.rows["final_length"], core.rows["final_metrics"]
    ended["reasons"], ended["truncated"] = core.states["reason"], core.states["truncated"]
    return ended
