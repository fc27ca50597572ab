"""The engine and the slow second version of Hovercrafts, side by side: battles and campaigns.

Whole games, decision by decision, with the engine's own dice.
"""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch
from cyberdeck.engine import dice
from cyberdeck.games.hovercrafts.constants import MOST_STAT, NONE, PLACES, SHIPS, SLOTS, WALL
from cyberdeck.games.hovercrafts.table import cell_of
from tests.cases import PAIRS
from tests.hovercrafts.test_reference import CELL, NUMBER, TEAMS
from tests.play import Play
from tests.reference.hovercrafts import Hex, Roll, Ship, cube
from tests.reference.hovercrafts_war import LIMITS, Options, War, Word

PHASES = {"deploy": 0, "plan": 1, "pick": 2, "upgrade": 3}
STATS = tuple(LIMITS)
PLACE_OF = {cell: place for place, cell in CELL.items()}


class Lockstep:
    """One game on both sides, in which the slow version takes what the engine has drawn."""

    def __init__(self, seed: int, luck: random.Random, **options: Any) -> None:
        self.play = play = Play("hovercrafts", seed=seed, **options)
        self.record = play.record  # for the generator's dice
        chosen = play.variant.options
        self.luck = luck
        zion, _ = chosen["ships"]
        scenario = chosen["scenario"]
        ships = [
            Ship(TEAMS[seat >= zion], None, 0, stats[0], *stats)
            for seat, stats in enumerate(chosen["stats"])
        ]
        self.highest_energy = max(ship.energy for ship in ships)
        self.picks = PLACES + (6 * chosen["height"] if chosen["deployment"] == "choose" else 0)
        self.upgrades = self.picks + (2 if chosen["pick_side"] else 0)
        self.war = War(
            Options(
                chosen["goal"],
                chosen["locations"],
                chosen["points"],
                Fraction(chosen["escape_share"]).limit_denominator(SHIPS),
                chosen["pick_side"],
                chosen["battles"],
                chosen["deployment"] == "choose",
                chosen["emp_per_turn"],
                chosen["reward"] == "damage",
                chosen["max_turns"],
            ),
            ships,
            self,
            scenario in ("tunnels", "random"),
            not isinstance(scenario, str) and "*" in "".join(scenario),
        )
        self.skill = luck.choice([0.0, 0.3, 0.9])

    # --- what the engine has drawn, to be held against the rules ---

    def map(self) -> tuple[dict[Hex, bool], list[Hex]]:
        state = self.play.state
        walls = {
            cube(column, row): bool(state["terrain"][cell_of(column, row)] == WALL)
            for column in range(int(state["width"]))
            for row in range(int(state["height"]))
        }
        marks = [PLACE_OF[cell] for cell in state["location"].tolist() if cell != NONE]
        return walls, marks

    def starting(self) -> str:
        state = self.play.state
        if self.play.variant.options["pick_side"]:
            return TEAMS[int(state["mover"]) >= int(state["zion"])]
        return TEAMS[int(state["starting"])]

    def place(self, seat: int) -> tuple[Hex, int]:
        state = self.play.state
        return PLACE_OF[int(state["cell"][seat])], int(state["facing"][seat])

    def dice(self, ships: int) -> Roll:
        """The engine's, from before it drew the energy checks of so many ships."""
        self.record = self.play.record.copy()
        drawn = ships * int(dice.STEP)
        self.record["dice"] = (int(self.play.state["dice"]) - drawn) % 2**64
        return lambda: 1 + int(dice.below(self.record[0], 6))

    # --- words and numbers ---

    def number(self, word: Word) -> int:
        if isinstance(word, tuple):
            return PLACES + 6 * word[0] + word[1]
        if word in ("right", "left") and self.war.stage == "pick":
            return self.picks + ("right", "left").index(str(word))
        if word in STATS:
            return self.upgrades + STATS.index(str(word))
        return NUMBER[word]

    # --- side by side ---

    def run(self) -> Counter[str]:
        game = self.war.play()
        play, war = self.play, self.war
        asked = next(game)
        while True:
            seat, words = asked
            self.compare()
            assert not play.over
            assert play.mover == seat
            assert play.legal() == sorted(self.number(word) for word in words)
            assert play.state["phase"] == PHASES[war.stage]
            # At random, or mostly as the heuristic does: for the goal.
            word = self.luck.choice(words)
            if self.luck.random() < self.skill:
                chosen = play.advised(self.luck.getrandbits(64))
                (word,) = (each for each in words if self.number(each) == chosen)
            action = self.number(word)
            war.reward = dict.fromkeys(TEAMS, 0.0)
            turns = (war.fought, war.turns)
            play.act(action)
            try:
                asked = game.send(word)
            except StopIteration:
                break
            finally:
                paid = [war.reward[ship.team] for ship in war.ships]
                assert play.reward[: len(paid)] == pytest.approx(paid, abs=1e-6)
                if (war.fought, war.turns) != turns:
                    self.compare_deeds()
        self.compare_end()
        return war.events

    def hold(self, **wanted: list[Any]) -> None:
        """Fields of all ships are what the slow version says."""
        for name, values in wanted.items():
            assert self.play.state[name][: len(values)].tolist() == values, name

    def compare(self) -> None:
        """Everything but the deeds of the last turn."""
        play, war, state = self.play, self.war, self.play.state
        seats = range(len(war.ships))
        chosen = [[STATS.index(stat) for stat in war.chosen.get(seat, [])] for seat in seats]
        self.hold(
            **{name: [getattr(ship, name) for ship in war.ships] for name in STATS},
            raised=[[war.raised[seat, name] for name in STATS] for seat in seats],
            upgrade=[[*stats, NONE, NONE][:2] for stats in chosen],
        )
        assert state["battle"] == war.fought
        assert state["won"].tolist() == [war.won[team] for team in TEAMS]
        if war.options.battles > 1 and war.last is not None:
            assert play.game.reasons[int(state["battle_reason"])] == war.last.reason
        if war.stage == "upgrade":
            assert set(np.flatnonzero(state["second"])) == war.second
        elif war.stage == "plan":
            self.compare_battle()
            self.hold(actions=[war.rolled.get(seat, 0) for seat in seats])
            assert state["starting"] == TEAMS.index(war.attacking)
        else:
            self.compare_places()
            for name in ("turns", "points", "escaped"):
                assert not state[name].any()
            self.hold(hull_left=[ship.left for ship in war.ships])

    def compare_places(self) -> None:
        self.hold(
            cell=[NONE if ship.place is None else CELL[ship.place] for ship in self.war.ships]
        )

    def compare_battle(self) -> None:
        war, state = self.war, self.play.state
        self.compare_places()
        for seat in war.battle.alive():
            ship = war.ships[seat]
            assert (state["facing"][seat], state["hull_left"][seat]) == (ship.facing, ship.left)
        assert state["turns"] == war.turns
        assert state["points"].tolist() == [war.points[team] for team in TEAMS]
        assert set(np.flatnonzero(state["escaped"])) == war.battle.escaped
        if not war.plans or not any(war.plans.values()):
            assert not self.play.trouble(), self.play.trouble()

    def compare_deeds(self) -> None:
        """What was carried out in the last turn, as everybody saw it."""
        war, battle = self.war, self.war.battle
        phases = 3 + (MOST_STAT if war.options.battles > 1 else self.highest_energy)
        size = phases * 3 + max(len(war.members(team)) for team in TEAMS)
        number = {seat: at for team in TEAMS for at, seat in enumerate(war.members(team))}
        told = self.play.state["deeds"].tolist()
        if war.result is None and war.stage in ("pick", "deploy"):
            # Nobody could be upgraded, so the next battle has begun at once.
            assert not any(told)
            return
        assert self.play.state["passed"] == battle.phases
        for seat, ship in enumerate(war.ships):
            acts, emps, rams, hits = ([0] * SLOTS for _ in range(4))
            for phase, deeds in enumerate(battle.deeds):
                deed = deeds.get(seat)
                if deed is None:
                    continue
                acts[phase] = 0 if deed.action is None else 1 + NUMBER[deed.action]
                emps[phase] = int(deed.hit_by_emp)
                if deed.rammed is not None:
                    friend = war.ships[deed.rammed].team == ship.team
                    rams[phase] = (1 + number[deed.rammed]) * (-1 if friend else 1)
                for target in deed.hits:
                    hits[number[target]] += 1
            of_turn = [*acts[:phases], *emps[:phases], *rams[:phases], *hits]
            assert told[size * seat : size * (seat + 1)] == of_turn[:size]
        assert not any(told[size * len(war.ships) :])

    def compare_end(self) -> None:
        play, war = self.play, self.war
        assert play.over
        assert play.mover is None
        assert play.reason == war.result.reason
        truncated = war.result.truncated
        assert (play.terminated, play.truncated) == (not truncated, truncated)
        assert play.state["dice"] == self.record["dice"][0]
        self.compare_battle()
        if war.options.battles > 1:
            assert play.state["won"].tolist() == [war.won[team] for team in TEAMS]
            assert play.state["battle"] == war.fought
        assert not play.trouble(), play.trouble()


# --- which games ----------------------------------------------------------------------------------

#: Stats, fleets and a campaign that those of ``PAIRS`` lack.
UNEVEN = {
    **{"ships": (2, 4), "width": 5, "height": 4, "battles": 5, "max_turns": 9},
    "stats": [{"energy": at} for at in range(6)],
}

#: What happens among the games for each goal, often enough.
GOALS = {
    "fleet": {"disabled_all", "both_out", "max_turns", "war_drawn"},
    "flagship": {"flagship_out", "flagships_out", "max_turns", "war_drawn"},
    "seize": {"points", "points_equal", "locations side by side", "war_drawn"},
    "breakthrough": {"escaped", "broke through, none remains", "held", "held with attackers left"},
}


@pytest.mark.parametrize("seeds", [range(1), pytest.param(range(5), marks=pytest.mark.slow)])
@pytest.mark.parametrize("goal", GOALS)
def test_wars_agree(goal: str, seeds: range) -> None:
    """Who is asked, masks, rolls, places, hulls, phases, deeds, points, escapes, rewards, ends, and
    dice; upgrades, who may raise a second stat, what is reset, and the score of battles.
    """
    events: Counter[str] = Counter()
    cases = [options for game, options in PAIRS if game == "hovercrafts"]
    for seed in seeds:
        for at, options in enumerate([*cases, UNEVEN]):
            luck = random.Random(f"{seed} {at} {goal}")
            options = {**options, "goal": goal}
            events += Lockstep(luck.getrandbits(60), luck, **options).run()
    assert {*GOALS[goal], "war_won", "second point"} <= set(events)


def test_a_campaign_of_ships_that_cannot_be_upgraded_agrees() -> None:
    """The next battle begins with the last plan of the one before."""
    best = [tuple(LIMITS.values())] * 3
    options = {"ships": (1, 2), "battles": 3, "stats": best, "max_turns": 3}
    events = Lockstep(0, random.Random(0), **options).run()
    assert events["nothing left to raise"] >= 4
    assert events["second point"] == 0


def test_locations_are_drawn_evenly() -> None:
    """The first of them, among the twelve hexes of the middle columns."""
    batch = Batch("hovercrafts", 6000, seed=8, goal="seize")
    first, often = np.unique(batch._core.states["location"][:, 0], return_counts=True)
    assert set(first) == {cell_of(column, row) for column in (2, 3, 4) for row in range(4)}
    assert np.abs(often - 500).max() < 5 * np.sqrt(500)
