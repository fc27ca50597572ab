"""Single positions as episodes: one answer, graded by what its move is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cyberdeck.engine.values import Values
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.text.env import TextEnv
from cyberdeck.text.tasks import UNEVEN, Task, Tasks


class TaskEnv(TextEnv):
    """A position for one learner, in place of a game: its move is graded, and the episode is over.

    ``reset`` and ``step`` are those of ``TextEnv``. The reward is the grade of the move: 1 for a
    best one, 0 for the worst (see ``graded``), and for who has no try left. The position is the one
    that ``Tasks.one`` finds by the seed.

    Args:
        game: its name, or a ``Variant``: the game with its options.
        values, players, bands: as of ``Tasks``.
        list_moves, form, retries: as of ``TextGame``.
        options: the game's own options.

    >>> env = TaskEnv("hackthegrid")
    >>> prompt, info = env.reset(seed=0)
    >>> best = env.task.moves[env.task.best[0]]
    >>> told, reward, terminated, truncated, info = env.step(f'{{"move": "{best}"}}')
    >>> reward, terminated
    (1.0, True)
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
        retries: int | Mapping[str, int] = 2,
        **options: Any,
    ) -> None:
        self._tasks = tasks = Tasks(
            game,
            values=values,
            players=players,
            bands=bands,
            list_moves=list_moves,
            form=form,
            **options,
        )
        super().__init__(tasks.variant, retries=retries)
        self.game.prompts = tasks.prompts
        #: The position that is asked for.
        self.task: Task | None = None
        self._answered = False

    def reset(
        self, seed: int | None = None, *, options: Mapping[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin a task: its prompt, and infos. Everything comes from *seed*."""
        if options:
            raise OptionError("a position comes from its seed alone: leave out options")
        self.task = task = self._tasks.one(self._drawn(seed))
        self.game.reset(task.seed, played=task.played)
        self.own, self._answered = (task.seat,), False
        return self.game.prompt(task.seat), self._info(None)

    def step(
        self, text: str, *, cut_off: bool = False
    ) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take an answer: what is told next, the grade, terminated, truncated, and infos."""
        verdict = self.game.answer(self._asked, text, cut_off=cut_off)
        if verdict.reply:
            return verdict.reply, 0.0, False, False, self._info(verdict)
        self._answered, action = True, verdict.answer.action
        assert self.task is not None
        grade = 0.0 if verdict.gives_up or action is None else self.task.grades.item(action)
        told = f"The task is over. The grade of your answer is {grade:.2f}."
        return told, grade, True, False, self._info(verdict)

    @property
    def over(self) -> bool:
        """Whether it has been answered."""
        return self._answered
