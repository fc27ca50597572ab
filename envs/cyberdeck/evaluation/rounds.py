"""Matches: whole games of any players on any sides, many at once on the batch engine."""

from __future__ import annotations

import hashlib
import pickle
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.brought import files_run, run_once
from cyberdeck.common.progress import Progress, further
from cyberdeck.engine import registry
from cyberdeck.engine.constants import RESIGNS, VOID
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.loops import DISABLED, RANDOM
from cyberdeck.engine.policy import Policy
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.threads import count_of
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, require
from cyberdeck.evaluation.games import Games, empty, joined
from cyberdeck.evaluation.seeds import LIMIT, ReportingSeed
from cyberdeck.players import Player, find_players
from cyberdeck.transformed import new_games

#: So many deals are drawn from one seed.
DEALS: Final = 2**32

#: Games of one go: enough for the batch engine to be fast, few enough to be soon done.
_AT_ONCE: Final = 1024

#: The same where somebody is given positions, mostly to search: side by side is no faster then.
_SEARCHED_AT_ONCE: Final = 32

#: Where there are several processes, so many goes for each, with a report of progress after each.
_GOES: Final = 16

#: Fewer games than that are not worth a go of their own, unless somebody searches.
_LEAST: Final = 32


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
        players: name -> player, see ``cyberdeck.find_player``.
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
    variant = registry.variant(game, **options).by_outcome
    chosen = find_players(variant, players)
    match = Match(variant, chosen, seed, illegal, keep_actions, processes, threads, progress)
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
    openings: int = 0
    known_by: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        seed, processes, openings = self.seed, self.processes, self.openings
        possible = isinstance(seed, ReportingSeed) or (is_whole(seed) and 0 <= seed < LIMIT)
        require(possible, "seed", seed, "a whole number below 2**30 is needed")
        possible = is_whole(processes) and processes > 0
        require(possible, "processes", processes, "at least 1 is needed")
        possible = is_whole(openings) and openings >= 0
        require(possible, "openings", openings, "it must be a whole number, 0 or more")

    def play_rounds(self, lineups: Sequence[Sequence[int]], deals: int | range) -> Games:
        """Play each of *lineups* on each of so many deals, or of the deals of a range.

        Deal by deal: what is finished at any time is about the same for all lineups.
        """
        numbers = deals if isinstance(deals, range) else range(deals if is_whole(deals) else 0)
        require(numbers, "deals", deals, "at least 1 is needed")
        order: NDArray[Any] = np.tile(lineups, (len(numbers), 1))
        return self.play(order, np.repeat(np.sort(numbers), len(lineups)))

    def play(
        self,
        lineups: Sequence[Sequence[int]] | NDArray[Any],
        deals: Sequence[int] | NDArray[Any],
    ) -> Games:
        """Play one game for each of *lineups*, on the deal of the same place in *deals*."""
        variant, players = self.variant, [*self.players.values()]
        numbers = _whole(deals, "deals", (len(deals),))
        order = _whole(lineups, "lineups", (len(numbers), max(variant.sides) + 1))
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < DEALS:
            raise OptionError("deals must be numbers from 0 to 2**32 - 1")
        if order.size and not 0 <= order.min() <= order.max() < len(players):
            raise OptionError(f"lineups must hold numbers of players, 0 to {len(players) - 1}")
        seeds = seeds_of(self.seed, numbers)
        alike = replace(self, threads=count_of(self.threads), progress=None)
        parts = self._parts(len(seeds))
        work: list[_Work] = [(alike, order[part], seeds[part]) for part in parts]
        before = [each.counts() for each in players]
        played = _in_turn(work, self.progress)
        if self.processes > 1 and len(work) > 1:
            played = _spread(work, self.processes, self.progress)
        games, interrupted = [empty(variant, tuple(self.players))], False
        try:
            for part in played:
                games.append(part)
        except KeyboardInterrupt:
            interrupted = True
        counts = {
            name: {of: count - old.get(of, 0) for of, count in each.counts().items()}
            for (name, each), old in zip(self.players.items(), before, strict=True)
            if each.counts()
        }
        failure = next((each.failure for each in players if each.failure), "")
        about: dict[str, Any] = {"failure": failure, "counts": counts, "interrupted": interrupted}
        about |= {"seed": self.seed, "openings": self.openings, "known_by": self.known_by}
        return replace(joined(games), **about)

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


def seeds_of(seed: int | ReportingSeed, deals: NDArray[np.int64]) -> NDArray[np.int64]:
    """What ``Batch(game, 1, seed=...)`` begins these deals with."""
    first = seed.number if isinstance(seed, ReportingSeed) else int(seed)
    return first * DEALS + deals


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


def _in_turn(work: list[_Work], progress: Progress | None) -> Iterator[Games]:
    """The parts one after the other; on Ctrl-C, which is raised again, what is finished."""
    done = 0
    for each in work:
        part = _play_part(each, further(progress, done))
        yield part
        done += len(each[2])
        if part.interrupted:
            raise KeyboardInterrupt


def _spread(work: list[_Work], processes: int, progress: Progress | None) -> Iterator[Games]:
    """The same in so many processes."""
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
    parts: dict[Future[Games], int] = {}
    with ProcessPoolExecutor(processes, context, _watch, (stop, files_run())) as pool:
        try:
            for each in work:
                parts[pool.submit(_play_part, each, _stop_if_asked)] = len(each[2])
            for part in as_completed(parts):
                part.result()
                finished += parts[part]
                if progress is not None:
                    progress(finished)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
    yield from (part.result() for part in parts if not part.cancelled())
    if interrupted:
        raise KeyboardInterrupt


#: In another process: what says that no more is to be played.
_stops: list[Event] = []


def _watch(stop: Event, files: list[Path]) -> None:
    """Stop between two steps when asked; Ctrl-C, which comes to all processes, is the first's.

    Players that users bring may be of classes in *files*.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _stops.append(stop)
    for file in files:
        run_once(file)


def _stop_if_asked(finished: int) -> None:
    """After each step in another process."""
    if any(stop.is_set() for stop in _stops):
        raise KeyboardInterrupt


def _play_part(work: _Work, progress: Progress | None = None) -> Games:
    """Play games side by side until all are over; those that are unfinished do not count."""
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
    kept = list[NDArray[np.int32]]()  # the decisions of each step
    lengths = np.zeros(len(seeds), np.int64)
    notes: list[dict[int, Any]] = [{} for _ in seeds]  # of each game, by decision
    voided, interrupted = np.zeros(len(seeds), np.bool_), False
    core.reset([int(seed) for seed in seeds])
    begun = core.states.copy()
    try:
        for _ in range(match.openings):
            kept.append(core.choose(RANDOM).astype(np.int32))
            core.step(kept[-1].astype(np.int64))
            going_on = bool((core.movers != NOBODY).all())
            require(going_on, "openings", match.openings, "a game ends before a player decides")
        lengths += match.openings
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
            kept.append(actions.astype(np.int32))
            lengths += playing
            voided |= given_up & (actions == VOID)
            core.step(actions, given_up)
            if progress is not None:
                progress(int((core.movers == NOBODY).sum()))
    except KeyboardInterrupt:
        interrupted = True
    which = np.flatnonzero((core.movers == NOBODY) & ~voided)
    made = np.array(kept, np.int32).reshape(len(kept), len(seeds)).T
    taken = [made[row, : lengths[row]].copy() for row in which]
    dice = core.states["dice"][which]
    beginnings, courses = _digests(begun[which], dice, seeds[which], taken, match.openings)
    return Games(
        variant,
        tuple(match.players),
        lineups[which],
        seeds[which] & (DEALS - 1),
        seeds[which],
        core.final_returns[which][:, [variant.sides.index(side) for side in range(max(sides) + 1)]],
        core.rows["final_length"][which],
        core.states["reason"][which],
        core.states["truncated"][which] != 0,
        core.rows["final_metrics"][which],
        beginnings,
        courses,
        taken if keep_actions else [],
        [
            [notes[row].get(at) for at in range(len(each))] if notes[row] else []
            for row, each in zip(which, taken, strict=True)
            if keep_actions
        ],
        int(voided.sum()),
        interrupted=interrupted,
    )


def _digests(begun: Any, dice: Any, seeds: Any, actions: Any, openings: int) -> NDArray[np.int64]:
    """(2, G): digests of how games begin, and of their whole courses.

    The record as it was dealt and the decisions say all of a game, unless dice were thrown after
    the deal: what came next on them hangs on the seed alone.
    """
    thrown = begun["dice"] != dice
    begun["dice"] = 0
    digests = np.zeros((2, len(actions)), np.int64)
    for at, made in enumerate(actions):
        digest = hashlib.blake2b(begun[at].tobytes() + made[:openings].tobytes(), digest_size=8)
        digests[0, at] = int.from_bytes(digest.digest(), "little", signed=True)
        digest.update(made[openings:].tobytes() + (seeds[at].tobytes() if thrown[at] else b""))
        digests[1, at] = int.from_bytes(digest.digest(), "little", signed=True)
    return digests
