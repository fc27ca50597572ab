"""Games behind a table in Python: compiled loops, and all players of the suite."""

from __future__ import annotations

import copy
import functools
import tempfile
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from cyberdeck import showing
from cyberdeck.engine import registry
from cyberdeck.engine.constants import RESIGNS
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.policy import Policy, Watch
from cyberdeck.engine.roles import hides_decision
from cyberdeck.engine.variant import Variant
from cyberdeck.players import built_in_names, find_player, levels, player_names
from cyberdeck.playing import offers
from cyberdeck.playing.hints import Adviser
from cyberdeck.playing.reviewed import Reviewed
from cyberdeck.replay import Replay, link
from cyberdeck.transformed import new_games
from cyberdeck.views.record import Record
from cyberdeck.views.view import View


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
        found: list[int] = self.core.masks[0].tolist()
        return found

    @property
    def record(self) -> Record:
        """The record as it is now, with its rules."""
        return showing.reader(self.core.variant, self.core.states)

    def hidden_from(self, seat: int) -> bool:
        """Whether that seat does not see what the mover decides now."""
        return hides_decision(self.core.game, self.core.states, seat)

    def check(self, action: int) -> None:
        """``ActionError`` if the mover cannot decide that."""
        self.core.check(np.array([action]), np.array([action == RESIGNS]))

    def step(self, action: int) -> None:
        """Decide for the mover."""
        self.core.step(np.array([action]), np.array([action == RESIGNS]))

    def twin(self) -> CompiledPosition:
        """The same, with all that players remember, to go its own way."""
        return CompiledPosition(copy.deepcopy(self.core))

    def ask(self, player: Policy, watch: Watch | None = None) -> int:
        """What a player decides for the mover."""
        return int(self.core.ask(player, self.core.all_rows, watch)[0])

    def returns(self) -> list[float]:
        """What each seat has got, when the game is over."""
        found: list[float] = self.core.final_returns[0].tolist()
        return found

    def metrics(self, seat: int) -> list[tuple[str, int]]:
        """What the game counts, from a seat's view."""
        _, _, metrics = self.core.look(seat)
        names = [metric.name for metric in self.core.game.metrics]
        return list(zip(names, metrics.tolist(), strict=True))


class Compiled:
    """A game with its options chosen, and who can play it: an ``Engine``.

    >>> from cyberdeck import variant
    >>> Compiled(variant("hackthegrid")).usual
    'heuristic'
    """

    files: Sequence[str] = "json", "html"

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.name, self.title = variant.game.name, showing.title(variant)
        self.agents, self.teams = variant.agents, variant.teams
        self.scored = variant.scored
        self.shown_plainly = registry.view(variant.game) is None

    @property
    def sides(self) -> Sequence[int]:
        """The side of each seat."""
        return self.variant.sides

    @property
    def chosen(self) -> Mapping[str, Any]:
        """The options that are not as they are by default."""
        return self.variant.chosen

    @functools.cached_property
    def view(self) -> View:
        """What shows it."""
        return showing.view_of(self.variant)

    @property
    def how_to_play(self) -> str:
        """The rules in short, with these options."""
        return showing.how_to_play(self.variant)

    @property
    def how_to_write(self) -> str:
        """How actions are written, where people do not read that anyway."""
        return showing.own_notation(self.variant)

    @property
    def rules(self) -> str:
        """All rules, as Markdown; or nothing: they would give away what is in disguise."""
        return "" if self.variant.disguise else rules(self.name)

    @property
    def players(self) -> Sequence[str]:
        """The names of all who can play it."""
        return player_names(self.variant)

    @property
    def usual(self) -> str:
        """Who plays where nobody is named."""
        return built_in_names(self.variant.game)[-1]

    @property
    def levels(self) -> Mapping[str, str]:
        """Players for people, the weakest first."""
        return levels(self.variant)

    @functools.cached_property
    def adviser(self) -> Adviser:
        """Who is asked for hints."""
        return Adviser(self.variant)

    def player(self, name: str) -> Policy:
        """A player by its name, or ``OptionError``."""
        return find_player(self.variant, name)

    def begin(self, seed: int, players: Sequence[Policy]) -> CompiledPosition:
        """A new game, for these players besides the person."""
        kept = not self.variant.game.open  # a hint tells what a seat may believe by it
        kept = kept or any(player.needs_history for player in players)
        core = new_games(self.variant, 1, autoreset=DISABLED, history=kept)
        core.reset([seed])
        return CompiledPosition(core)

    def offered(self) -> list[dict[str, Any]]:
        """The options that change what is played, what they mean, and how they are chosen now."""
        return offers.options(self.variant)

    def games(self) -> list[dict[str, str]]:
        """Name, title and summary of every game that is known, the suite's own first."""
        return offers.games()

    def another(self, name: Any, texts: Any) -> Compiled:
        """A game by its name, with options as people write them; or ``OptionError``."""
        return Compiled(offers.chosen(name, texts))

    def again(self, name: str, options: Mapping[str, Any]) -> Compiled:
        """A game by its name, with options as ``chosen`` had them; or ``OptionError``."""
        return Compiled(registry.variant(name, **options).by_outcome)

    def finished(self, seed: int, actions: Sequence[int], players: Sequence[str]) -> CompiledReplay:
        """A game that is over."""
        return CompiledReplay(Replay(self.variant, seed=seed, actions=actions, players=players))

    def linked(self, letters: str) -> Reviewed:
        """The game in a link, or ``ReplayError``."""
        return CompiledReplay(link.unpacked(letters)).back(())


class CompiledReplay:
    """A finished game as it can be kept."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay

    def file(self, kind: str) -> dict[str, str]:
        """Its name, type and text, as a kind of the engine's ``files``."""
        name = f"{self.replay.game}-{self.replay.seed}.{kind}"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            if kind == "json":
                self.replay.save(path)
            else:
                self.replay.write_html(path)
            text = path.read_text("utf-8")
        kinds = {"json": "application/json", "html": "text/html"}
        return {"name": name, "type": kinds[kind], "text": text}

    def link(self) -> str:
        """The letters that hold all of it."""
        return link.packed(self.replay)

    def back(self, own: Sequence[int]) -> Reviewed:
        """The same to look at, from these seats."""
        return Reviewed(Compiled(self.replay.variant.shown_plainly), self.replay, own)


def rules(game: str) -> str:
    """The rules of one of the package's games as Markdown; nothing for games of one's own.

    >>> rules("hackthegrid").splitlines()[0]
    '# HACKtheGRID: the rules'
    """
    if game not in registry.GAMES:
        return ""
    return files("cyberdeck.games").joinpath(game, "RULES.md").read_text("utf-8")
