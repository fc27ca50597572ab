"""Single positions as tasks: met in play, each with a prompt and the exact value of every move."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck import showing
from cyberdeck.common.text import nearest
from cyberdeck.engine import registry
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.policy import Policy
from cyberdeck.engine.threads import count_of
from cyberdeck.engine.values import Values, given_away, graded
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, require
from cyberdeck.exact.values import find_values
from cyberdeck.play.compiled import CompiledPosition
from cyberdeck.play.game import Game
from cyberdeck.players import built_in_names, find_player
from cyberdeck.text.prompts import Prompts, Transcript
from cyberdeck.text.splits import split_seed
from cyberdeck.transformed import new_games

#: Who takes a best move by the values, any of them; where these are not known, any legal one.
EXACT: Final = "exact"

#: Bands of difficulty: the highest mean grade of all legal moves, which is what a random answer
#: gets. In even positions all moves are worth the same.
BANDS: Final = {"hard": 0.3334, "medium": 0.5, "easy": 0.9999, "even": 1.0}

#: Those in which it matters what is answered.
UNEVEN: Final = ("hard", "medium", "easy")

#: Where a deal has no position that is wanted, another is dealt, so many seeds further: such seeds
#: belong to no split.
_FURTHER: Final = 2**42
_MOST_DEALS: Final = 1000

#: Who knows the values, one game, and the players by their names.
_Table: TypeAlias = tuple[Values, GameBatch, Mapping[str, Policy]]

#: How far ahead of who takes them tasks are made, for each thread.
_AHEAD: Final = 4


@dataclass(frozen=True, eq=False)
class Task:
    """A position, and what each of its legal moves is worth."""

    variant: Variant
    seed: int
    """Of the deal."""
    played: tuple[int, ...]
    """What was decided before, by all."""
    players: tuple[str, ...]
    """Who has played there, for each seat."""
    seat: int
    """Who is to move."""
    state: NDArray[Any]
    """The record: an array of one."""
    observation: NDArray[Any]
    values: NDArray[np.float64]
    """(A,): of each legal action, NaN for the others: see ``Values``."""
    known_by: str
    """Who knows them, with settings."""
    moves: dict[int, str]
    """The notation of each legal action."""
    prompt: str

    @cached_property
    def grades(self) -> NDArray[np.float64]:
        """(A,): see ``graded``."""
        return graded(self.values)

    @property
    def best(self) -> list[int]:
        """The actions that are worth most."""
        return np.flatnonzero(self.grades == 1.0).tolist()

    @cached_property
    def floor(self) -> float:
        """The grade of a random legal move, on average."""
        return float(self.grades[[*self.moves]].mean())

    @property
    def band(self) -> str:
        """How hard it is: one of ``BANDS``."""
        floor = self.floor
        return next(band for band, most in BANDS.items() if floor <= most)

    def ranked(self) -> list[tuple[float, float, list[int]]]:
        """Values from the best on, each with its grade and its actions."""
        values, grades = self.values.round(6), self.grades
        found = sorted({values.item(action) for action in self.moves}, reverse=True)
        same = [np.flatnonzero(values == value).tolist() for value in found]
        return [
            (value, grades.item(actions[0]), actions)
            for value, actions in zip(found, same, strict=True)
        ]

    def told(self) -> dict[str, Any]:
        """All of it but for arrays, as values of JSON."""
        variant, legal = self.variant, [*self.moves]
        return {
            "game": variant.game.name,
            "version": variant.game.version,
            "options": variant.chosen,
            "seed": self.seed,
            "ply": len(self.played),
            "seat": variant.agents[self.seat],
            "players": [*self.players],
            "band": self.band,
            "floor": round(self.floor, 6),
            "actions": legal,
            "moves": [*self.moves.values()],
            "known_by": self.known_by,
            "values": self.values[legal].tolist(),
            "best": [self.moves[action] for action in self.best],
            "prompt": self.prompt,
        }


def stacked(tasks: Sequence[Task]) -> dict[str, NDArray[Any]]:
    """The tasks as arrays, by name: for who learns from numbers.

    observations (N, ...), masks (N, A), values (N, A) with NaN where an action is illegal, seats
    (N,), seeds (N,) and plies (N,).
    """
    values = np.array([task.values for task in tasks])
    kind = tasks[0].variant.dtype if tasks else np.int8
    return {
        "observations": np.array([task.observation for task in tasks], kind),
        "masks": (~np.isnan(values)).astype(np.int8),
        "values": values,
        "seats": np.array([task.seat for task in tasks], np.int8),
        "seeds": np.array([task.seed for task in tasks], np.int64),
        "plies": np.array([len(task.played) for task in tasks], np.int32),
    }


class Tasks:
    """Positions of a game, met in play, without end, with the exact value of every legal move.

    Everything in a deal comes from its seed: the cards, who plays each seat, and their luck. Splits
    are by deal: two positions of one deal are in the same.

    Args:
        game: its name, or a ``Variant``: the game with its options.
        values: who knows the values, as of ``find_values``; or what finds them for each thread:
            they may be shared, if threads may have them at the same time.
        players: who plays in the deals; for each seat of each deal one is drawn. "exact" takes a
            best move by the values. By default random, the heuristic, where there is one, and
            "exact", where the values of all positions are known.
        bands: of these bands: see ``BANDS``. By default those in which it matters what is answered.
        list_moves, form: of the prompts, as of ``TextGame``.
        options: the game's own options.

    >>> tasks = Tasks("hackthegrid")
    >>> task = next(tasks.stream("train"))
    >>> task.band in tasks.bands, {task.grades.item(action) for action in task.best}
    (True, {1.0})
    """

    def __init__(
        self,
        /,
        game: str | Variant,
        *,
        values: str | Callable[[Variant], Values] = "exact",
        players: Sequence[str] | None = None,
        bands: Sequence[str] = UNEVEN,
        list_moves: bool = False,
        form: str = "json",
        **options: Any,
    ) -> None:
        self.variant = variant = registry.variant(game, Tasks, **options)
        listed = bands if isinstance(bands, Sequence) and bands else [bands]
        for band in listed:
            choose = f"choose from {', '.join(BANDS)}{nearest(str(band), BANDS)}"
            require(isinstance(band, str) and band in BANDS, "bands", band, choose)
        self._find = partial(find_values, chosen=values) if isinstance(values, str) else values
        known, self.bands = self._find(variant), (*bands,)
        self.prompts = Prompts(variant, list_moves, form=form, graded_if=known.assumption)
        if players is None:
            players = [*built_in_names(variant.game), *([EXACT] if known.whole else [])]
        require(len(players), "players", players, "name at least one")
        #: Who plays in the deals.
        self.players = (*players,)
        #: Where deals are played that are looked at: one for each thread.
        self._free: SimpleQueue[_Table] = SimpleQueue()
        self._free.put(self._table(known))

    def _table(self, values: Values) -> _Table:
        core = new_games(self.variant, 1, autoreset=DISABLED, history=True)
        names = [name for name in self.players if name != EXACT]
        return values, core, {name: find_player(self.variant, name) for name in names}

    def stream(self, split: str, start: int = 0, threads: int | str = 1) -> Iterator[Task]:
        """The tasks of all deals of a split from one on, in order, without end."""
        threads, without = count_of(threads), 0
        ahead: deque[Future[list[Task]]] = deque()
        with ThreadPoolExecutor(threads) as pool:
            try:
                for deal in range(start, start + 2**62):
                    ahead.append(pool.submit(self.of_deal, split_seed(split, deal)))
                    if len(ahead) > _AHEAD * threads:
                        found = ahead.popleft().result()
                        without = 0 if found else without + 1
                        if without == _MOST_DEALS:
                            raise self._nowhere()
                        yield from found
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    def one(self, seed: int) -> Task:
        """A task by a seed: a position of its deal, drawn; or of another, if that has none."""
        for deal in range(_MOST_DEALS):
            if found := self.of_deal(seed + deal * _FURTHER):
                return random.Random(f"position of {seed}").choice(found)
        raise self._nowhere()

    def _nowhere(self) -> OptionError:
        return OptionError(
            f"{_MOST_DEALS} deals of {self.variant.game.title} have no position of the bands "
            f"{', '.join(self.bands)}: choose other bands, players or options"
        )

    def of_deal(self, seed: int) -> list[Task]:
        """The tasks of a deal, in order."""
        try:
            table = self._free.get_nowait()
        except Empty:
            table = self._table(self._find(self.variant))
        try:
            return [*self._find_in(table, seed)]
        finally:
            self._free.put(table)

    def _find_in(self, table: _Table, seed: int) -> Iterator[Task]:
        (values, core, players), luck = table, random.Random(f"players of {seed}")
        names = tuple(luck.choice(self.players) for _ in range(self.variant.seats))
        core.reset([seed])
        game = Game(showing.view_of(self.variant), CompiledPosition(core), seed)
        transcript = Transcript(self.variant, game.log)
        while not game.over:
            seat, mask = game.mover, core.one_mask
            best = mask
            if mask.sum() > 1:
                row = values.of(core.states)[0]
                if not np.isnan(row).all():
                    played, states = tuple(game.actions), core.states.copy()
                    seen = core.one_observation.copy()
                    where = self.variant, seed, played, names, seat, states, seen
                    task = Task(*where, row, values.name, game.notations, "")
                    if task.band in self.bands:
                        asked = game.record, seat, task.moves, transcript, None
                        yield replace(task, prompt=self.prompts.ask(*asked)[0])
                    best = given_away(row) == 0
            if names[seat] == EXACT:
                action = luck.choice(np.flatnonzero(best).tolist())
            else:
                action = int(core.ask(players[names[seat]], core.all_rows)[0])
            game.step(action)
