"""The batch interface: N games at once for your own loops, in arrays that each step overwrites."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck import registry
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.loops import DISABLED, EVERY, NEXT_STEP, SAME_STEP
from cyberdeck.engine.tables import Opponent, Tables, checked_seat
from cyberdeck.errors import OptionError

_MODES = {"next_step": NEXT_STEP, "same_step": SAME_STEP, "disabled": DISABLED}


class Batch:
    """N games of one kind, side by side.

    Args:
        game: name of the game, see ``cyberdeck list``.
        count: how many games.
        seed: game i starts from seed + i; None draws one.
        seat: "every" (the default): each step decides for whoever is to move; a seat number or
            "random": only that seat's decisions are asked for; in games of teams also a team's
            name or "team": those of all its seats.
        opponent, ally: who plays the other seats, if there are any; see ``CyberdeckEnv``.
        autoreset: "same_step" (the default): a finished game is replaced at once; "next_step":
            by the next step, whose action is ignored; "disabled": it stays over.
        illegal: "raise" an error for illegal actions, or "lose" the games concerned.
        options: the game's own options.

    The attributes are read-only views that the next step overwrites: copy what you keep.

    observation (N, D)   as the mover (or the learner's seat) sees it
    mask (N, A)          1 for legal actions
    mover (N,)           the seat to decide; -1 where the game is over
    reward (N, seats)    what the last step brought each seat
    terminated, truncated (N,)   whether the last step ended a game
    reason (N,)          why, as an index into ``reasons``
    final_observation (N, views, D)   with "same_step": what the seats saw at the end of the last
                         finished game; one view for each seat, or only the learner's

    >>> batch = Batch("hackthegrid", 256, seed=0)
    >>> for _ in range(100):
    ...     batch.step(batch.choose("random"))
    >>> batch.reward.shape
    (256, 2)
    """

    def __init__(
        self,
        game: str,
        count: int,
        *,
        seed: int | None = None,
        seat: int | str = "every",
        opponent: Opponent | None = None,
        ally: Opponent | None = None,
        autoreset: str = "same_step",
        illegal: str = "raise",
        **options: Any,
    ) -> None:
        if autoreset not in _MODES:
            raise OptionError(
                f"autoreset={autoreset!r} is not possible: choose one of "
                + ", ".join(repr(mode) for mode in _MODES)
            )
        variant = registry.variant(game, **options)
        chosen = checked_seat(variant, seat)
        if opponent is not None and (chosen.number == EVERY or variant.seats == 1):
            raise OptionError("opponent= is for other seats than the learner's: give seat= as well")
        if ally is not None and (chosen.number == EVERY or chosen.team or not variant.game.teams):
            raise OptionError("ally= is for one seat of a team: give seat= as well")
        self.tables = Tables(
            variant,
            count,
            seat=chosen,
            opponent="random" if opponent is None else opponent,
            ally="random" if ally is None else ally,
            autoreset=_MODES[autoreset],
            illegal=illegal,
        )
        self._bind()
        self.reset(seed=seed)

    def _bind(self) -> None:
        tables = self.tables
        self.variant = tables.variant
        self.reasons = tables.game.reasons
        self.observation = _seen(tables.observations)
        self.mask = _seen(tables.masks)
        self.mover = _seen(tables.movers)
        self.reward = _seen(tables.rewards)
        self.terminated = _seen(tables.terminated.view(np.bool_))
        self.truncated = _seen(tables.truncated.view(np.bool_))
        self.reason = _seen(tables.reasons)
        self.seat = _seen(tables.seats)
        self.facts = _seen(tables.facts)
        self.final_observation = _seen(tables.finals)
        self.final_facts = _seen(tables.rows["final_facts"])
        self.final_return = _seen(tables.final_returns)
        self.final_length = _seen(tables.rows["final_length"])
        self.final_seat = _seen(tables.rows["final_seat"])

    def __repr__(self) -> str:
        return f"<Batch of {len(self)} games of {self.variant.game.title}>"

    def __len__(self) -> int:
        return self.tables.count

    def reset(self, seed: int | None = None, *, options: Mapping[str, Any] | None = None) -> None:
        """Begin all games anew: from seed + i, or going on with their generators."""
        seeds: Sequence[int | None] = [None] * len(self)
        if seed is not None and not is_whole(seed):
            raise OptionError(f"seed={seed!r} is not possible: a whole number is needed")
        if seed is None and not self.tables.started:
            seed = int(np.random.default_rng().integers(2**62))
        if seed is not None:
            seeds = range(seed, seed + len(self))
        self.tables.reset(seeds, options)

    def step(self, actions: Any) -> None:
        """Apply one action in every game; an illegal one raises, and then none is applied."""
        self.tables.step(self.tables.actions(actions))

    def choose(self, player: str) -> NDArray[np.int64]:
        """What the built-in player "random" or "heuristic" would do for each mover."""
        return self.tables.choose(player)

    def play(self, player: str, steps: int) -> None:
        """Let a built-in player make *steps* decisions in every game, all in compiled code.

        The same as *steps* times ``step(choose(player))``, only faster.

        >>> batch = Batch("matrix_overload", 64, seed=0)
        >>> batch.play("heuristic", 20)  # positions from the middle of sensible games
        >>> int(batch.facts[:, 1].max()) < 45
        True
        """
        self.tables.play(player, steps)

    def look(self, row: int, seat: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """What any seat of one game sees, and its mask (zeros if it is not to move)."""
        observation, mask, _ = self.tables.look(seat, row)
        return observation, mask

    def get_state(self, row: int) -> bytes:
        """One game as bytes."""
        return self.tables.save(row)

    def set_state(self, row: int, saved: bytes) -> None:
        """Put bytes of ``get_state`` into a row; on any error nothing changes."""
        self.tables.load(saved, row)

    def resample(self, row: int, seat: int, *, seed: int | None = None) -> None:
        """Redraw in one game what *seat* cannot know, future dice included."""
        self.tables.resample(seat, seed, row)

    def clone(self) -> Batch:
        """A twin of all games that goes its own way."""
        return copy.deepcopy(self)

    def svg(
        self, row: int, *, seat: int | None = None, highlight: bool | Iterable[int] = True
    ) -> str:
        """Picture of one game from a seat's view (by default the mover's).

        *highlight*: the mover's legal actions, those of them that are named, or none (False).
        """
        self.tables.check_row(row)
        viewer = max(int(self.mover[row]), 0) if seat is None else seat
        return self.tables.svg(row, viewer, highlight)

    def __getstate__(self) -> dict[str, Any]:
        return {"tables": self.tables}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._bind()


def _seen(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
