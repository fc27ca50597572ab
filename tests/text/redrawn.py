"""Games beside the same games redrawn for a seat: while it sees the same it is told the same."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, Final

from cyberdeck import TextGame, variant
from cyberdeck.api.registration import load_file
from cyberdeck.engine import dice
from cyberdeck.engine.defaults import hide_nothing
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.roles import deciding, hides_decision
from cyberdeck.engine.variant import Variant
from cyberdeck.players import find_player

#: Of each game the options with the most secrets.
CASES: Final[dict[str, list[dict[str, Any]]]] = {
    "hackthegrid": [{}, {"scramble": "on_take"}, {"scramble": "at_end"}],
    "matrix_overload": [
        {"edition": "firewall"},
        {"edition": "royals"},
        {"edition": "rulebook", "observation": "counted"},
    ],
    "stacktrices": [{}, {"steal_on_attack": True}, {"stacked_movement": True, "max_turns": 60}],
    "hovercrafts": [
        {},
        {"ships": (2, 2), "max_turns": 8},
        {"ships": (2, 2), "battles": 3, "max_turns": 3, "share_plans": True},
    ],
}
#: Games of one file that have secrets: of chance, of dice, of decisions at the same time, of all
#: decisions, even how many there were.
EXAMPLES: Final[dict[str, list[dict[str, Any]]]] = {
    "kuhn_poker": [{}],
    "liars_dice": [{}],
    "goofspiel": [{}],
    "phantom_tictactoe": [{"rules": "classical"}, {"rules": "abrupt"}],
}
FOLDER: Final = Path(__file__).parents[2] / "examples" / "games"


class Leak(AssertionError):
    """A seat is told what it cannot know."""


class _Still(TextGame):
    """Stays where it is put."""

    def _go_on(self) -> None:
        pass


class Redrawn:
    """Games of one variant, in which every few decisions a seat's secrets are redrawn.

    From there both go on: with the same decisions, but for those that the seat does not see, until
    it sees something else in one than in the other. All that has been done must be told it alike,
    and a spectator; and where it has to decide, its prompt must be the same, with its legal moves.
    Of the latter those ``states`` are counted which differ, and not in what chance will bring
    alone; all, in games that have no other secrets.
    """

    def __init__(self, chosen: Variant, seed: int) -> None:
        self.variant = chosen
        self.states = 0
        self._luck = random.Random(seed)
        self._game = GameBatch(chosen, 1, autoreset=DISABLED)
        names = ["random", "heuristic"] if chosen.game.has_heuristic else ["random"]
        self._players = [find_player(chosen, name).code for name in names]
        self._only_chance = chosen.game.resample is hide_nothing
        self._pairs = [
            [_Still(chosen, list_moves=True, brief=brief) for _ in range(2)]
            for brief in (False, True)
        ]

    def run(self, states: int) -> None:
        """Compare so many states, or raise ``Leak``."""
        self._game.reset([self._luck.getrandbits(60)])
        while self.states < states:
            for _ in range(self._luck.randrange(12)):
                if not _over(self._game):
                    self._game.advance_one(self._chosen(self._game))
            # Much is secret in how games begin.
            if _over(self._game) or self._luck.random() < 0.1:
                self._game.reset([self._luck.getrandbits(60)])
            seat = self._luck.choice(deciding(self.variant.game, self._game.states))
            if self._luck.random() < 0.2:
                seat = self._luck.randrange(self.variant.seats)
            self._compare(self._luck.choice(self._pairs), seat)

    def _compare(self, pair: list[TextGame], seat: int) -> None:
        redrawn = GameBatch(self.variant, 1, autoreset=DISABLED)
        redrawn.load(self._game.save())
        redrawn.resample(seat, self._luck.getrandbits(60))
        if not self._differ(self._game, redrawn):
            hidden = hides_decision(self.variant.game, self._game.states, seat)
            if not hidden or self._luck.random() < 0.7:
                return
        # What chance brings later is as secret. With the same luck both look alike for longer.
        seeds = [self._luck.getrandbits(60), self._luck.getrandbits(60)]
        if self._luck.random() < 0.5:
            seeds[1] = seeds[0]
        for world, seed, core in zip(pair, seeds, (self._game, redrawn), strict=True):
            world.reset(seed, options={"state": core.save()})
        assert self._looks_alike(pair, seat), f"{self.variant} redrawn for {seat} looks otherwise"
        for _ in range(self._luck.randrange(1, 8)):
            self._is_told_the_same(pair, seat)
            if pair[0].over or not self._go_on(pair, seat) or not self._looks_alike(pair, seat):
                return

    def _go_on(self, pair: list[TextGame], seat: int) -> bool:
        """Make decisions, up to one that the seat sees; whether it was possible in both."""
        game, cores = self.variant.game, [world.core for world in pair]
        if hides_decision(game, cores[0].states, seat):
            for world in pair:
                core = world.core
                while not _over(core) and hides_decision(game, core.states, seat):
                    world._game.step(self._chosen(core))
            return True
        action = self._chosen(cores[0])
        if any(core.one_mask[action] == 0 for core in cores):
            return False
        for world in pair:
            world._game.step(action)
        return True

    def _chosen(self, core: GameBatch) -> int:
        return int(core.choose(self._luck.choice(self._players))[0])

    def _differ(self, *cores: GameBatch) -> bool:
        records = [core.states.copy() for core in cores]
        for record in records:
            record["dice"] = 0
        return self._only_chance or records[0].tobytes() != records[1].tobytes()

    def _looks_alike(self, pair: list[TextGame], seat: int) -> bool:
        """Whether the seat cannot tell them apart: it sees the same, and they are redrawn alike.

        What was laid open need not be seen for ever: plans of Hovercrafts that an EMP has foiled.
        """
        bits = dice.seeded(self._luck.getrandbits(60))
        known = []
        for core in (world.core for world in pair):
            redrawn = core.states.copy()
            self.variant.loops.resample(redrawn, 0, seat, bits)
            redrawn["dice"] = 0
            seen = core.look(seat)[0].tobytes()
            known.append((core.movers.item(0), core.rewards[0, seat], seen, redrawn.tobytes()))
        return bool(known[0] == known[1])

    def _is_told_the_same(self, pair: list[TextGame], seat: int) -> None:
        one, other = (self._told(world, seat) for world in pair)
        self.states += "prompt" in one and self._differ(*(world.core for world in pair))
        if one == other:
            return
        what = next(each for each in one if one[each] != other.get(each))
        raise Leak(f"{self.variant}, {what} of seat {seat}: {one[what]}, or {other.get(what)}")

    def _told(self, world: TextGame, seat: int) -> dict[str, str]:
        """All that a seat and a spectator are told now."""
        told = {
            "transcript": "\n".join(world.transcript(seat)),
            "spectator": "\n".join(world.transcript(None)),
        }
        if world.over:
            told["ending"] = world.ending(seat).words
        elif seat in deciding(self.variant.game, world.core.states):
            told["prompt"] = world._prompt(seat)
        return told


def _over(core: GameBatch) -> bool:
    return bool(core.movers.item(0) == NOBODY)


def compare(game: str, states: int, seed: int = 0) -> int:
    """Compare so many redrawn states of a game of the suite, or of an example, with each of its
    options: how many there were.
    """
    if game in EXAMPLES:
        load_file(FOLDER / f"{game}.py")
    cases, done = (CASES | EXAMPLES)[game], 0
    for number, options in enumerate(cases, start=seed):
        redrawn = Redrawn(variant(game, **options), number)
        redrawn.run(-(-states // len(cases)))
        done += redrawn.states
    return done
