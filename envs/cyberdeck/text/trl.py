"""Games in words for TRL: an environment factory for its ``GRPOTrainer``, which needs no TRL.

TRL makes an environment for each game that it plays at the same time, and resets it with a row of
the dataset. What ``reset`` returns is appended to the row's prompt; public methods are tools that
the model may call; ``get_reward`` is called when the model has stopped.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from cyberdeck.engine.variant import Variant
from cyberdeck.errors import EpisodeError, OptionError
from cyberdeck.text.env import TextEnv
from cyberdeck.text.splits import split_seed
from cyberdeck.text.task_env import TaskEnv


def environment_factory(
    game: str | Variant, *, graded: bool = False, **options: Any
) -> Callable[[], CyberdeckGame]:
    """What ``GRPOTrainer(environment_factory=...)`` takes: each call makes an environment.

    A row of the dataset has a ``seed``, or a ``split`` and an ``index`` that stand for one. Other
    columns are ignored. Equal rows are equal games: the deal, the learner's seat, who plays the
    others, and their luck. So the generations of one row differ only by what the model does.

    Args:
        game: its name, or a ``Variant``: the game with its options.
        graded: a row is a single position, and the reward the grade of one move: see ``TaskEnv``.
        options: those of ``TextEnv``, or ``TaskEnv``, but for ``form``, and the game's own.

    >>> make = environment_factory("hackthegrid", seat="row", opponent="heuristic")
    >>> env = make()
    >>> env.reset(split="test", index=0).splitlines()[-1].partition(", in this form")[0]
    'Call the tool "move" with your move'
    >>> env.move("R9").partition(". ")[0]
    "'R9' cannot be read as a move"
    >>> env.get_reward()  # no more calls: the game is given up
    -1.0
    """
    first = (TaskEnv if graded else TextEnv)(game, form="tool", **options)
    return lambda: CyberdeckGame(first.clone())


class CyberdeckGame:
    """One game for one learner, as TRL plays it; ``environment_factory`` makes it.

    TRL takes public methods but ``reset`` and ``get_reward`` for tools: ``move`` is the only one.
    """

    def __init__(self, text: TextEnv) -> None:
        #: The game that is played.
        self.text = text
        self._return = 0.0
        self._failure: Exception | None = None

    def reset(
        self,
        *,
        seed: int | None = None,
        split: str | None = None,
        index: int | None = None,
        **_others: Any,
    ) -> str:
        """Begin the game of a row; returns its first prompt."""
        if (seed is None) == (split is None or index is None):
            raise OptionError(
                f"a row with seed={seed!r}, split={split!r}, index={index!r} names no game: give "
                "it a seed, or a split and an index"
            )
        if seed is None:
            assert split is not None and index is not None  # noqa: PT018
            seed = split_seed(split, index)
        self._return, self._failure = 0.0, None
        try:
            return self.text.reset(seed)[0]
        except EpisodeError:
            if not self.text.game.voided:
                raise
            return f"{self.text.game.ending().words}."

    def move(self, move: str) -> str:
        """Make a move in the game.

        Args:
            move: The move, written as the rules say.

        Returns:
            The game after it, as you see it; or what was wrong with the move.
        """
        if self.text.over:
            raise EpisodeError("The game is over: there is no move to make.")
        return self._answered(json.dumps({"move": move}))

    def get_reward(self) -> float | None:
        """The learner's return; None if the game is void. One that the model left is given up."""
        while self._failure or not self.text.over:
            self._answered("")
        return None if self.text.game.voided else self._return

    def _answered(self, text: str) -> str:
        """What the model is told then. TRL tells the model of any exception, as if its call were
        wrong. One that is not its fault is raised again when the reward is asked for, and training
        stops.
        """
        if self._failure:
            raise self._failure
        try:
            told, reward, *_ = self.text.step(text)
        except Exception as error:
            self._failure = error
            raise
        self._return += reward
        return told
