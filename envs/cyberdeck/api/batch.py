"""The batch interface: N games at once for your own loops, in arrays that each step overwrites."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from cyberdeck.api.adapters import MODES, Rows, checked_mode, games_of
from cyberdeck.engine import registry
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.policy import BUILT_IN, Policy
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.seats import checked_seat
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, require
from cyberdeck.players import Opponent, Player, built_in, find_player
from cyberdeck.players.beliefs import LIMIT, Beliefs, Filter
from cyberdeck.showing import picture_of, text_of


class Batch(Rows):
    """N games of one kind, side by side.

    Args:
        game: name of the game, see ``cyberdeck list``; or a ``Variant``: it with its options.
        num_envs: how many games.
        seed: game i starts from seed + i; None draws one.
        seat: "every" (the default): each step decides for whoever is to move; a seat number or
            "random": only that seat's decisions are asked for; in games of teams also a team's
            name or "team": those of all its seats.
        opponent, ally: who plays the other seats, if there are any; see ``CyberdeckEnv``.
        autoreset: Gymnasium's ``AutoresetMode`` or its value: "SameStep" (the default): a finished
            game is replaced at once; "NextStep": by the next step, whose action is ignored;
            "Disabled": it stays over.
        illegal: "raise" an error for illegal actions, or "lose" the games concerned.
        threads: play in so many threads, "auto": one on each core. It changes no result.
        history: whether to keep what was decided in running games, for ``beliefs``.
        device: "cuda" or "cuda:1": the games are on a GPU, and what is shown of them are PyTorch's
            tensors there, which are not read-only; "cpu": the same here. It changes no result.
        options: the game's own options.

    The attributes are read-only views that the next step overwrites: copy what you keep.

    - ``observation`` (N, D): as the mover (or the learner's seat) sees it
    - ``mask`` (N, A): 1 for legal actions
    - ``mover`` (N,): the seat to decide; -1 where the game is over
    - ``reward`` (N, seats): what the last step brought each seat
    - ``terminated``, ``truncated`` (N,): whether the last step ended a game
    - ``reason`` (N,): why, as an index into ``reasons``
    - ``final_observation`` (N, views, D): with "SameStep": what the seats saw at the end of the
      last finished game; one view for each seat, or only the learner's

    >>> batch = Batch("hackthegrid", 256, seed=0)
    >>> for _ in range(100):
    ...     batch.step(batch.choose("random"))
    >>> batch.reward.shape
    (256, 2)
    """

    def __init__(
        self,
        game: str | Variant,
        num_envs: int,
        *,
        seed: int | None = None,
        seat: int | str = "every",
        opponent: Opponent | None = None,
        ally: Opponent | None = None,
        autoreset: AutoresetMode | str = AutoresetMode.SAME_STEP,
        illegal: str = "raise",
        threads: int | str = 1,
        history: bool = False,
        device: Any = None,
        **options: Any,
    ) -> None:
        mode = MODES[checked_mode("autoreset", autoreset)]
        variant = registry.variant(game, Batch, **options)
        chosen = checked_seat(variant, seat)
        if opponent is not None and (chosen.number == EVERY or variant.seats == 1):
            raise OptionError("opponent= is for other seats than the learner's: give seat= as well")
        if ally is not None and (chosen.number == EVERY or chosen.team or not variant.teams):
            raise OptionError("ally= is for one seat of a team: give seat= as well")
        play: Any = {"autoreset": mode, "illegal": illegal, "threads": threads}
        play["history"] = history
        self._core = games_of(variant, num_envs, chosen, opponent, ally, device, **play)
        self._bind()
        self.reset(seed=seed)

    def _bind(self) -> None:
        core = self._core
        self._players: dict[Player, Policy] = {}
        self._filters: dict[tuple[Player, int], Filter] = {}
        self.variant = core.variant
        self.num_envs: int = core.count
        self.reasons = core.game.reasons
        self.observation = _seen(core.observations)
        self.mask = _seen(core.masks)
        self.mover = _seen(core.movers)
        self.reward = _seen(core.rewards)
        self.terminated = _seen(core.terminated, np.bool_)
        self.truncated = _seen(core.truncated, np.bool_)
        self.reason = _seen(core.reasons)
        self.seat = _seen(core.seats)
        self.metrics = _seen(core.metrics)
        self.final_observation = _seen(core.finals)
        self.final_metrics = _seen(core.final_metrics)
        self.final_return = _seen(core.final_returns)
        self.final_length = _seen(core.final_length)
        self.final_seat = _seen(core.final_seat)

    def __repr__(self) -> str:
        return f"<Batch of {len(self)} games of {self.variant.game.title}>"

    def __len__(self) -> int:
        return self.num_envs

    def reset(self, seed: int | None = None, *, options: Mapping[str, Any] | None = None) -> None:
        """Begin all games anew: from seed + i, or going on with their generators."""
        seeds: Sequence[int | None] = [None] * len(self)
        require(seed is None or is_whole(seed), "seed", seed, "a whole number is needed")
        if seed is None and not self._core.started:
            seed = int(np.random.default_rng().integers(2**62))
        if seed is not None:
            seeds = range(int(seed), int(seed) + len(self))
        self._core.reset(seeds, options)

    def step(self, actions: Any) -> None:
        """Apply one action in every game; an illegal one raises, and then none is applied.

        After Ctrl-C in a step of very many games some have made it and others not: call ``reset``.
        """
        self._core.step(self._core.actions(actions))

    @property
    def states(self) -> Any:
        """(N,): a copy of the positions as records, for solvers and values: also what is hidden. On
        a device: of their bytes.
        """
        return copy.deepcopy(self._core.states)

    def choose(self, player: Player = "heuristic") -> Any:
        """What a player would do in every game now; 0 where one is over.

        Whoever has a memory notes there that it was asked: ask it once for each decision.

        >>> batch = Batch("hackthegrid", 4, seed=0)
        >>> batch.step(batch.choose("search:iterations=20"))
        """
        if isinstance(player, str) and player in BUILT_IN:
            return super().choose(player)
        if player not in self._players:
            self._players[player] = find_player(self.variant, player)
        core, actions = self._core, np.zeros(len(self), np.int64)
        running = core.all_rows[core.movers != NOBODY]
        actions[running] = core.ask(self._players[player], running)
        return actions

    def play(self, player: str, steps: int) -> None:
        """Let a built-in player make *steps* decisions in every game, all in compiled code.

        The same as *steps* times ``step(choose(player))``, only faster. After Ctrl-C every game
        stands between two decisions, and some have come further than others: all can be played on.

        >>> batch = Batch("matrix_overload", 64, seed=0)
        >>> batch.play("heuristic", 20)  # positions from the middle of sensible games
        >>> int(batch.metrics[:, 1].max()) < 45
        True
        """
        self._core.play(built_in(self._core.game, player).code, steps)

    def look(self, row: int, seat: int) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """What any seat of one game sees, and its mask (zeros if it is not to move)."""
        observation, mask, _ = self._core.look(seat, row)
        return observation, mask

    def resample(self, row: int, seat: int, *, seed: int | None = None) -> None:
        """Redraw in one game what *seat* cannot know, future dice included."""
        self._core.resample(seat, seed, row)

    def beliefs(self, row: int = 0, player: Player = "random", *, limit: int = LIMIT) -> Beliefs:
        """What the mover of one game may believe, if the others play like *player*.

        That is followed from the game's beginning, in up to *limit* worlds exactly.

        >>> from cyberdeck import load_file
        >>> kuhn = load_file("examples/games/kuhn_poker.py").name
        >>> batch = Batch(kuhn, 1, seed=0, history=True)
        >>> found = batch.beliefs()
        >>> found.states["deck"][:, 1].tolist(), found.weights.tolist(), found.how
        ([0, 2], [0.5, 0.5], 'exact')
        """
        if self._core.logs is None:
            raise OptionError(
                "beliefs are made of the course of the game: give history=True, and no device="
            )
        self._core.check_row(row)
        if self.mover[row] < 0:
            raise OptionError(f"the game of row {row} is over: nobody has to decide")
        if (player, limit) not in self._filters:
            found = find_player(self.variant, player)
            self._filters[player, limit] = Filter(self.variant.undisguised, found, limit)
        return self._filters[player, limit](self._core.history_of(row))

    def clone(self) -> Batch:
        """A twin of all games that goes its own way."""
        return copy.deepcopy(self)

    def svg(
        self,
        row: int,
        *,
        seat: int | None = None,
        highlight: bool | Iterable[int] = True,
        theme: str = "dark",
        narrow: bool = False,
    ) -> str:
        """Picture of one game from a seat's view (by default the mover's).

        *highlight*: the mover's legal actions, those of them that are named, or none (False).
        *theme*: "dark" or "light". *narrow*: for a phone held upright, 390 wide.
        """
        with self._core.single(row) as (core, at):
            viewer = max(int(core.movers[at]), 0) if seat is None else seat
            return picture_of(core, at, viewer, highlight, None, theme, narrow)

    def text(self, row: int = 0, *, seat: int | None = None) -> str:
        """One game as plain text from a seat's view (by default the mover's)."""
        with self._core.single(row) as (core, at):
            return text_of(core, at, max(int(core.movers[at]), 0) if seat is None else seat)

    def __getstate__(self) -> dict[str, Any]:
        return {"_core": self._core}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._bind()


def _seen(array: Any, dtype: Any = None) -> Any:
    """A view that cannot be written to; tensors have none, and come with their own types."""
    if not isinstance(array, np.ndarray):
        return array
    view = array.view() if dtype is None else array.view(dtype)
    view.flags.writeable = False
    return view
