"""A game in words for one learner, who plays a seat or a team; the others play inside."""

from __future__ import annotations

import copy
import random
from collections.abc import Mapping
from typing import Any, Self

from cyberdeck.api.adapters import learner_seat
from cyberdeck.engine import registry
from cyberdeck.engine.constants import DRAWN
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import EpisodeError
from cyberdeck.players import Opponent, Player, find_pool
from cyberdeck.text.answers import Verdict
from cyberdeck.text.game import TextGame


class TextEnv:
    """A game in words for one learner: Gymnasium's ``reset`` and ``step``, over texts.

    An observation is a prompt, which says all that the seat may know and what form the answer has
    to have; or, after an answer that was no legal move, what was wrong with it. After too many of
    these the learner's side loses. The last one says what has been done since, and how the game
    ended. The infos say, at every step: the ``seat`` that is to answer,
    what the last ``answer`` was (``move``, ``illegal``, ``unparsable``, ``cut_off``; "" after a
    reset), the ``move`` it was read as, whether the learner ``gave_up``, the ``reason`` why the
    game is over, and why it is ``voided``, if it is: because another player's machine has failed;
    then the episode is truncated.

    Args:
        game: its name, or a ``Variant``: the game with its options.
        seat: the learner's: a number, a name, "random" (the default: drawn for each game), or in
            games of teams a team's name or "team": all of its seats.
        opponent, ally: who plays the other seats, as of ``CyberdeckEnv``; of several one is drawn
            for each game.
        list_moves, brief, beliefs, form, retries: as of ``TextGame``.
        options: the game's own options.

    >>> env = TextEnv("hackthegrid", seat="row", opponent="heuristic")
    >>> prompt, info = env.reset(seed=0)
    >>> print(prompt.splitlines()[0])
    You play HACKtheGRID. You are row; against you: column.
    >>> prompt, reward, terminated, truncated, info = env.step('Easy: {"move": "R1"}')
    >>> info["answer"], reward
    ('move', 0.0)
    """

    def __init__(
        self,
        /,  # a stranger may name an option "self"
        game: str | Variant,
        *,
        seat: int | str | None = None,
        opponent: Opponent | None = None,
        ally: Opponent | None = None,
        list_moves: bool = False,
        brief: bool = False,
        beliefs: Player | None = None,
        form: str = "json",
        retries: int | Mapping[str, int] = 2,
        **options: Any,
    ) -> None:
        self.variant = registry.variant(game, TextEnv, **options)
        self._seat = learner_seat(self.variant, seat, opponent, ally)
        self._opponents = find_pool(self.variant, opponent or "random", "opponent")
        self._allies = find_pool(self.variant, ally or "random", "ally")
        #: The game for all its seats.
        self.game = TextGame(
            self.variant,
            list_moves=list_moves,
            brief=brief,
            beliefs=beliefs,
            form=form,
            retries=retries,
        )
        self._seeds: random.Random | None = None
        #: The learner's seats in the running game.
        self.own: tuple[int, ...] = ()

    def reset(
        self, seed: int | None = None, *, options: Mapping[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin a game: the first prompt, and infos. Everything comes from *seed*."""
        seats, sides = self.variant.seats, self.variant.sides
        seed = self._drawn(seed)
        drawn = random.Random(f"players of {seed}")
        first = self._seat.number
        if first == DRAWN and self._seat.team:
            first = sides.index(drawn.randrange(1 + max(sides)))
        elif first == DRAWN:
            first = drawn.randrange(seats)
        enemy, ally = drawn.choice(self._opponents), drawn.choice(self._allies)
        own = tuple(
            at
            for at in range(seats)
            if at == first or (self._seat.team and sides[at] == sides[first])
        )
        others: dict[int | str, Player] = {
            at: ally if sides[at] == sides[first] else enemy for at in range(seats) if at not in own
        }
        self.game.reset(seed, options=options, players=others)
        self.own = own
        if self.game.voided:
            raise EpisodeError(f"the game does not count: {self.game.voided}")
        if self.game.over:
            raise EpisodeError(
                "the other players end this game before the learner decides: there is nothing left "
                "to play; choose another seat"
            )
        return self.game.prompt(self._asked), self._info(None)

    def step(
        self, text: str, *, cut_off: bool = False
    ) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take an answer: what is told next, the reward, terminated, truncated, and infos.

        *cut_off*: the answer was stopped before its end, by a limit of tokens.
        """
        game = self.game
        seat = self._asked
        verdict = game.answer(seat, text, cut_off=cut_off)
        reward, voided = game.gained(self.own[0]), bool(game.voided)
        if game.over:
            observation = game.last_words(seat)
        else:
            observation = verdict.reply or game.prompt(self._asked)
        truncated = voided or game.core.truncated.item(0) == 1
        return observation, reward, game.over and not truncated, truncated, self._info(verdict)

    @property
    def over(self) -> bool:
        """Whether the episode is over."""
        return self.game.over

    def clone(self) -> Self:
        """A twin in the same state that goes its own way."""
        twin = copy.copy(self)
        twin.game, twin._seeds = self.game.clone(), copy.copy(self._seeds)
        return twin

    def _drawn(self, seed: int | None) -> int:
        """The seed of an episode: the one that is given, or the next of those it stands for."""
        if seed is None:
            self._seeds = self._seeds or random.Random()
            return self._seeds.randrange(2**62)
        self._seeds = random.Random(seed)
        return seed

    @property
    def _asked(self) -> int:
        """The seat that has to answer: the first, where several of a team have to."""
        if not self.own or self.over or not self.game.deciding:
            raise EpisodeError("no game is running: call reset() before step()")
        return self.game.deciding[0]

    def _info(self, verdict: Verdict | None) -> dict[str, Any]:
        game = self.game
        return {
            "seat": game.variant.agents[self.own[0] if self.over else self._asked],
            "answer": verdict.kind if verdict else "",
            "move": verdict.answer.said if verdict else "",
            "gave_up": any(seat in self.own for seat in game.gave_up),
            "reason": game.reason,
            "voided": game.voided,
        }
