"""Games in progress in Python: compiled loops, and all players of the suite, who also advise."""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from typing import Any, Final, Self

import numpy as np

from cyberdeck import showing
from cyberdeck.engine import option_text, registry
from cyberdeck.engine.constants import RESIGNS
from cyberdeck.engine.contract import Columns, Game, Option
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.history import History, Log
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.policy import Policy, Watch
from cyberdeck.engine.roles import hidden_from
from cyberdeck.engine.values import Values
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import KernelError, OptionError
from cyberdeck.exact.values import find_values
from cyberdeck.play.engine import Engine, Hint, Judgment
from cyberdeck.play.narrator import Decision
from cyberdeck.players import built_in_names, find_player, levels, player_names
from cyberdeck.players.beliefs import Filter
from cyberdeck.players.search import usual_search
from cyberdeck.players.solvers import PLAYERS
from cyberdeck.transformed import new_games
from cyberdeck.views import features
from cyberdeck.views.record import Record

_SOLVER: Final = "The solver"

#: So many worlds are followed for what a hint says of beliefs: it is to come soon.
WORLDS: Final = 50


class CompiledPosition:
    """A game that stands somewhere: a batch of one."""

    def __init__(self, core: GameBatch) -> None:
        self.core = core

    @property
    def mover(self) -> int:
        """The seat to decide, -1 at the end."""
        return int(self.core.movers[0])

    @property
    def mask(self) -> list[int]:
        """1 for each action that is legal for the mover."""
        return list(self.core.masks[0].tolist())

    @property
    def record(self) -> Record:
        """The record as it is now, with its rules."""
        return showing.reader(self.core.variant, self.core.states)

    @property
    def hidden_from(self) -> Sequence[int]:
        """The seats that do not see what the mover decides now."""
        return hidden_from(self.core.game, self.core.states)

    @property
    def returns(self) -> list[float]:
        """What each seat has got, when the game is over."""
        return list(self.core.final_returns[0].tolist())

    @property
    def reason(self) -> str:
        """Why the game is over, in the game's word."""
        return str(self.core.game.reasons[self.core.reasons[0]])

    def check(self, action: int) -> None:
        """``ActionError`` if the mover cannot decide that."""
        self.core.check(np.array([action]), np.array([action == RESIGNS]))

    def step(self, action: int) -> None:
        """Decide for the mover."""
        self.core.advance_one(action)

    def twin(self) -> Self:
        """The same, with all that players remember, to go its own way."""
        return type(self)(copy.deepcopy(self.core))

    def ask(self, player: Policy, watch: Watch | None = None) -> int:
        """What a player decides for the mover."""
        return int(self.core.ask(player, self.core.all_rows, watch)[0])

    def metrics(self, seat: int) -> list[tuple[str, int]]:
        """What the game counts, from a seat's view."""
        _, _, metrics = self.core.look(seat)
        names = [metric.name for metric in self.core.game.metrics]
        return list(zip(names, metrics.tolist(), strict=True))


class CompiledEngine(Engine):
    """A game with its options chosen, and who can play it. People play for the outcome alone.

    >>> from cyberdeck import variant
    >>> CompiledEngine(variant("hackthegrid")).usual
    'heuristic'
    """

    def __init__(self, variant: Variant) -> None:
        self.variant = variant = variant.by_outcome
        game = variant.game
        self.name, self.title = game.name, showing.title(variant)
        self.agents, self.sides, self.teams = variant.agents, variant.sides, variant.teams
        self.options, self.chosen = variant.options, variant.chosen
        self.open, self.scored = game.open, variant.scored
        self.view, self.plainly = showing.view_of(variant), registry.view(game) is None
        self.players, self.usual = player_names(variant), built_in_names(game)[-1]
        self.levels = levels(variant)
        # They would give away what is in disguise.
        self.rules = "" if variant.disguise else rules(self.name)
        self._search = usual_search(game)
        self.bound = float(game.reward_bound)

    @property
    def how_to_play(self) -> str:
        """The rules in short, with these options."""
        return showing.how_to_play(self.variant)

    def player(self, name: str) -> Policy:
        """A player by its name, or ``OptionError``."""
        return find_player(self.variant, name)

    def begin(self, seed: int, players: Sequence[Policy]) -> CompiledPosition:
        """A new game, for these players besides the person."""
        kept = not self.open  # a hint tells what a seat may believe by it
        kept = kept or any(player.needs_history for player in players)
        core = new_games(self.variant, 1, autoreset=DISABLED, history=kept)
        core.reset([seed])
        return CompiledPosition(core)

    def offered(self) -> list[dict[str, Any]]:
        """The options that change what is played, what they mean, and how they are chosen now."""
        chosen = self.variant.chosen
        return [
            {
                "name": each.name,
                "meaning": each.meaning,
                "choices": [option_text.written(choice) for choice in each.choices],
                "default": option_text.written(each.default),
                "allowed": each.allowed,
                "value": option_text.written(chosen.get(each.name, each.default)),
            }
            for each in _free(self.variant.game)
        ]

    def choices(self) -> Mapping[str, Sequence[Any]]:
        """What each option that people may give can be, where that is listed."""
        return {each.name: each.choices for each in _free(self.variant.game)}

    def games(self) -> list[dict[str, str]]:
        """Name, title and summary of every game that is known, the suite's own first."""
        return [
            {"name": each.name, "title": each.title, "summary": each.summary}
            for each in registry.games()
        ]

    def again(self, name: str, options: Mapping[str, Any]) -> Self:
        """A game by its name, with options as ``chosen`` had them; or ``OptionError``."""
        return type(self)(registry.variant(name, **options))

    # --- advice ----------------------------------------------------------------------------------

    @functools.cached_property
    def _solver(self) -> Policy | None:
        """The player that solves the game, if there is one and it takes this game on."""
        for name in PLAYERS.get(self.variant.game.name, ()):
            with suppress(OptionError):  # it would take too long with these options
                return find_player(self.variant, name)
        return None

    @functools.cached_property
    def _exact(self) -> Values | None:
        """Exact values, where they are known and nothing is hidden."""
        with suppress(OptionError):
            return find_values(self.variant) if self.open else None
        return None

    @functools.cached_property
    def _filter(self) -> Filter:
        """Follows the worlds of the games, in which the others play like the heuristic."""
        variant = self.variant.undisguised
        usual = "heuristic" if variant.game.has_heuristic else "random"
        return Filter(variant, find_player(variant, usual), WORLDS)

    def examine(self, position: CompiledPosition) -> tuple[list[int], list[float]]:
        """How often the search has looked at each action there, and what it expects of it."""
        seen = position.core.seen(position.core.all_rows, True)
        visits, values = (each[0] for each in self._search.examine(seen, forced=True))
        return visits.tolist(), values.tolist()

    def judge(self, position: CompiledPosition) -> Judgment:
        """What the moves there are worth: exactly, where that is known."""
        return self._known(position) or self._searched(position)

    def _known(self, position: CompiledPosition) -> Judgment | None:
        if self._exact is None:
            return None
        values = self._exact.of(position.core.states)[0]
        order = np.argsort(-values, kind="stable")[: np.count_nonzero(~np.isnan(values))].tolist()
        return Judgment(_SOLVER, {at: float(values[at]) for at in order}, True) if order else None

    def _searched(self, position: CompiledPosition) -> Judgment:
        judgment, numbered = super().judge(position), position.core.numbered
        values = {int(numbered(action)): value for action, value in judgment.values.items()}
        return judgment._replace(values=values)

    def hint(self, position: CompiledPosition) -> Hint:
        """For whoever decides there, with what the seat may believe."""
        core, known = position.core, self._known(position)
        if self._solver is None:
            hint = self._advice(known or self._searched(position))
        else:
            action = int(core.ask(self._solver, core.all_rows)[0])
            hint = Hint(_SOLVER, action, {}) if known is None else self._advice(known, action)
        if core.logs is not None:
            with suppress(KernelError):  # a hint without beliefs is one, too
                hint = hint._replace(believed=describe_beliefs(self._filter, core.history_of(0)))
        return hint


def rules(game: str) -> str:
    """The rules of one of the package's games as Markdown; nothing for games of one's own.

    >>> rules("hackthegrid").splitlines()[0]
    '# HACKtheGRID: the rules'
    """
    if game not in registry.GAMES:
        return ""
    return files("cyberdeck.games").joinpath(game, "RULES.md").read_text("utf-8")


def _free(game: Game) -> list[Option]:
    """The options that change what is played, and that one line can hold."""
    return [
        each
        for each in game.options
        if not each.scoring and not each.view and not (isinstance(each, Columns) and each.rows)
    ]


def decisions(log: Log, known: int = 0, last: Record | None = None) -> Iterator[Decision]:
    """The decisions in a log of the engine's after those that are *known*, the last of which led to
    the record *last*.
    """
    view = showing.view_of(log.variant)
    entries = log.entries[known:]
    if not entries:
        return
    records = [*(entry.record for entry in entries), log.record]
    before = last or showing.reader(log.variant, records[0])
    for entry, record in zip(entries, records[1:], strict=True):
        after = showing.reader(log.variant, record)
        yield Decision(view, entry.mover, entry.action, before, after, entry.hidden_from)
        before = after


def describe_beliefs(believing: Filter, history: History) -> str:
    """What a seat that has to decide believes that the others see; "" where it knows all of that.

    >>> from cyberdeck import Batch, find_player, load_file
    >>> from cyberdeck.players.beliefs import Filter
    >>> batch = Batch(load_file("examples/games/kuhn_poker.py").name, 1, seed=0, history=True)
    >>> believing = Filter(batch.variant, find_player(batch.variant, "random"))
    >>> print(describe_beliefs(believing, batch._core.history_of(0)))
    What the others see, if they play like random:
    second, card: jack 50%, king 50%
    """
    found, told = believing(history), []
    variant, disguise = found.variant, history.log.variant.disguise
    own = registry.view(variant.game)
    worlds = [found.states[at : at + 1] for at in range(len(found))]
    weights = found.weights.tolist()
    for seat in (each for each in range(variant.seats) if each != found.seat):
        lines: list[str] = []
        if own is not None:
            pages = [own.page(showing.reader(variant, world), (seat,), None) for world in worlds]
            lines = features.likely_lines(pages, weights)
        if not lines:  # no view says it
            seen = [showing.look(variant, world, seat)[1] for world in worlds]
            lines = features.likely(showing.described(variant), seen, weights)
        if lines:
            told += [
                f"{showing.seat_name(variant, found.states[:1], seat)}, {lines[0]}",
                *lines[1:],
            ]
    if not told:
        return ""
    head = f"What the others see, if they play like {believing.player.name}:"
    text = "\n".join([head, *told])
    return text if disguise is None else disguise.words(text)
