"""The engine and the slow second version of Hovercrafts, side by side: battles and campaigns.

Whole games, decision by decision, with the engine's own dice. As a program it plays as many
as one likes of each kind:
python -m tests.hovercrafts.test_wars 1000 3
"""

from __future__ import annotations

import itertools
import random
import sys
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch
from cyberdeck.engine import dice
from cyberdeck.games.hovercrafts.constants import MOST_STAT, NONE, PLACES, SHIPS, SLOTS, WALL
from cyberdeck.games.hovercrafts.table import cell_of
from tests.hovercrafts.test_reference import CELL, NUMBER, TEAMS
from tests.play import Play
from tests.reference.hovercrafts import AROUND, Hex, Roll, Ship, ahead, cube, distance
from tests.reference.hovercrafts_war import LIMITS, Options, War, Word

PHASES = {"deploy": 0, "plan": 1, "pick": 2, "upgrade": 3}
STATS = tuple(LIMITS)
PLACE_OF = {cell: place for place, cell in CELL.items()}


#: What must have happened among 1,000 games and 75 campaigns for each goal.
HAPPENS = {
    "disabled_all": 700,
    "both_out": 30,
    "max_turns": 400,
    "flagship_out": 400,
    "flagships_out": 50,
    "points": 200,
    "points_equal": 20,
    "both have the points": 3,
    "locations side by side": 200,
    "escaped": 80,
    "broke through, none remains": 20,
    "held": 400,
    "held with attackers left": 200,
    "war_won": 100,
    "war_drawn": 10,
    "second point": 500,
    "nothing left to raise": 20,
}


class Drawn:
    """What the engine has drawn, for the slow version to hold against the rules."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.record = play.record  # for the generator's dice

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
        return lambda what: 1 + int(dice.below(self.record[0], 6))


class Lockstep:
    """One game on both sides."""

    def __init__(self, seed: int, luck: random.Random, **options: Any) -> None:
        self.play = play = Play("hovercrafts", seed=seed, **options)
        chosen = play.variant.options
        self.luck = luck
        self.drawn = Drawn(play)
        zion, _ = chosen["ships"]
        scenario = chosen["scenario"]
        ships = [
            Ship(TEAMS[seat >= zion], None, 0, stats[0], *stats)
            for seat, stats in enumerate(chosen["stats"])
        ]
        self.highest_energy = max(ship.energy for ship in ships)
        self.height = chosen["height"]
        self.picks = PLACES + (6 * self.height if chosen["deployment"] == "choose" else 0)
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
            self.drawn,
            scenario in ("tunnels", "random"),
            not isinstance(scenario, str) and "*" in "".join(scenario),
        )
        # How the ships are flown: at random, or more or less for a goal.
        self.skill = luck.choice([0.0, 0.8, 0.95])
        self.aims: dict[int, list[Hex]] = {}

    # --- words and numbers ---

    def number(self, word: Word) -> int:
        if isinstance(word, tuple):
            return PLACES + 6 * word[0] + word[1]
        if word in ("right", "left") and self.war.stage == "pick":
            return self.picks + ("right", "left").index(str(word))
        if word in STATS:
            return self.upgrades + STATS.index(str(word))
        return NUMBER[word]

    # --- decisions ---

    def choose(self, seat: int, words: list[Word]) -> Word:
        if self.war.stage != "plan" or self.luck.random() >= self.skill:
            return self.luck.choice(words)
        assert self.war.battle is not None
        battle, ship = self.war.battle, self.war.ships[seat]
        place, facing = ship.place, ship.facing
        assert place is not None
        for action in self.war.plans[seat]:
            place, facing = self.after(place, facing, action)
        goals = self.goals(seat)
        leaving = battle.escaping == ship.team

        def value(word: Word) -> float:
            assert place is not None
            there, turned = self.after(place, facing, word)
            if there not in battle.walls:
                west = turned in (4, 5) and ahead(place, 4) not in battle.walls
                return 2.0 if leaving and west else -9.0
            if battle.walls[there]:
                return -3.0
            near = min(distance(there, goal) for goal in goals)
            best = min(distance(ahead(there, turned), goal) for goal in goals)
            return -near - 0.5 * best + self.luck.random()

        return max(words, key=value)

    @staticmethod
    def after(place: Hex, facing: int, action: Word) -> tuple[Hex, int]:
        if action == "move":
            return ahead(place, facing), facing
        return place, (facing + {"right": 1, "left": 5}.get(str(action), 0)) % 6

    def goals(self, seat: int) -> list[Hex]:
        war, ship = self.war, self.war.ships[seat]
        enemies = [one.place for one in war.ships if one.team != ship.team and one.place]
        if war.marks:
            return war.marks
        if war.options.goal == "breakthrough" and ship.team == war.attacking:
            return [cube(-1, row) for row in range(-1, self.height)]
        return enemies or [ship.place or AROUND[0]]

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
            word = self.choose(seat, words)
            action = self.number(word)
            war.reward = dict.fromkeys(TEAMS, 0.0)
            turns = (war.fought, war.turns)
            play.act(action)
            try:
                asked = game.send(word)
            except StopIteration:
                break
            finally:
                self.compare_reward()
                if (war.fought, war.turns) != turns:
                    self.compare_deeds()
        self.compare_end()
        return war.events

    def compare_reward(self) -> None:
        got = self.play.reward
        assert isinstance(got, tuple)
        wanted = [self.war.reward[ship.team] for ship in self.war.ships]
        assert got[: len(wanted)] == pytest.approx(wanted, abs=1e-6)

    def compare(self) -> None:
        """Everything but the deeds of the last turn."""
        play, war, state = self.play, self.war, self.play.state
        seats = len(war.ships)
        for name in STATS:
            assert state[name][:seats].tolist() == [getattr(ship, name) for ship in war.ships]
        assert state["raised"][:seats].tolist() == [
            [war.raised[seat, name] for name in STATS] for seat in range(seats)
        ]
        chosen = [war.chosen.get(seat, []) for seat in range(seats)]
        assert state["upgrade"][:seats].tolist() == [
            [STATS.index(stats[at]) if at < len(stats) else NONE for at in range(2)]
            for stats in chosen
        ]
        assert state["battle"] == war.fought
        assert state["won"].tolist() == [war.won[team] for team in TEAMS]
        if war.options.battles > 1 and war.last is not None:
            assert play.game.reasons[int(state["battle_reason"])] == war.last.reason
        if war.stage == "upgrade":
            assert {seat for seat in range(seats) if state["second"][seat]} == war.second
            return
        self.compare_places()
        if war.stage != "plan":
            assert not state["turns"]
            assert not state["points"].any()
            assert not state["escaped"].any()
            assert state["hull_left"][:seats].tolist() == [ship.left for ship in war.ships]
            return
        self.compare_battle()
        rolled = [war.rolled.get(seat, 0) for seat in range(seats)]
        assert state["actions"][:seats].tolist() == rolled
        assert state["starting"] == TEAMS.index(war.attacking)

    def compare_places(self) -> None:
        cells = [NONE if ship.place is None else CELL[ship.place] for ship in self.war.ships]
        assert self.play.state["cell"][: len(cells)].tolist() == cells

    def compare_battle(self) -> None:
        war, state = self.war, self.play.state
        seats = len(war.ships)
        assert war.battle is not None
        living = war.battle.alive()
        for name, wanted in (("facing", "facing"), ("hull_left", "left")):
            for seat in living:
                assert state[name][seat] == getattr(war.ships[seat], wanted)
        assert state["turns"] == war.turns
        assert state["points"].tolist() == [war.points[team] for team in TEAMS]
        saved = {seat for seat in range(seats) if state["escaped"][seat]}
        assert saved == war.battle.escaped
        if not war.plans or not any(war.plans.values()):
            assert not self.play.trouble(), self.play.trouble()

    def compare_deeds(self) -> None:
        """What was carried out in the last turn, as everybody saw it."""
        war, battle = self.war, self.war.battle
        assert battle is not None
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
        assert war.result is not None
        assert play.over
        assert play.mover is None
        assert play.reason == war.result.reason
        truncated = war.result.truncated
        assert (play.terminated, play.truncated) == (not truncated, truncated)
        assert play.state["dice"] == self.drawn.record["dice"][0]
        self.compare_places()
        self.compare_battle()
        if war.options.battles > 1:
            assert play.state["won"].tolist() == [war.won[team] for team in TEAMS]
            assert play.state["battle"] == war.fought
        assert not play.trouble(), play.trouble()


# --- which games ----------------------------------------------------------------------------------

GIVEN = [
    "..*....",
    "..#.#..",
    "....*..",
    ".##.#..",
    "..*....",
]
SMALL = ["....", ".#..", "....", "...."]


def settings(luck: random.Random, goal: str, battles: int) -> dict[str, Any]:
    """Random options for a game."""
    zion = luck.choice([1, 1, 2, 3, 5])
    machines = luck.choice([1, 2, 3, 5, zion, zion, zion])
    ships = (zion, machines)
    most = max(ships)
    options: dict[str, Any] = {
        "goal": goal,
        "battles": battles,
        "ships": ships,
        "scenario": luck.choice(["skirmish", "tunnels", "random"]),
        "reward": luck.choice(["outcome", "damage"]),
        "share_plans": luck.random() < 0.5,
        "pick_side": luck.random() < 0.5,
        "deployment": luck.choice(["choose", "random"]),
        "emp_per_turn": luck.choice([1, 2]),
        "max_turns": luck.choice([1, 4, 12, 25, 25]),
    }
    if goal == "seize":
        options["locations"] = luck.choice([1, 3, 5])
        options["points"] = luck.choice([1, 2, 5, 9])
    if goal == "breakthrough":
        options["escape_share"] = luck.choice([0.1, 1 / 3, 0.5, 2 / 3, 1.0])
    if luck.random() < 0.4:
        options["width"] = luck.choice([6, 7, 8])
        options["height"] = max(most, 4)
    elif luck.random() < 0.3 and most <= 5:
        options["scenario"] = GIVEN if most == 5 or luck.random() < 0.5 else SMALL
        if options["scenario"] is SMALL and goal == "seize":
            options["locations"] = 1
    if luck.random() < 0.5:
        options["stats"] = [
            (luck.choice([1, 3, 9]), *(luck.choice([0, 1, 3, 6]) for _ in range(3)))
            for _ in range(sum(ships))
        ]
    return options


#: Fleets, maps and limits that those are too seldom.
OPTIONS: list[dict[str, Any]] = [
    {},
    {"reward": "damage", "max_turns": 4},
    {"ships": (1, 3), "scenario": "tunnels", "emp_per_turn": 2},
    {"ships": (5, 5), "scenario": "random", "wall_density": 0.3, "reward": "damage"},
    {"ships": (9, 1), "stats": [(9, 2, 3, 6)] * 5 + [(1, 0, 0, 0)] * 5, "emp_per_turn": 9},
    {"ships": (2, 4), "width": 5, "height": 4, "stats": [{"energy": at} for at in range(6)]},
]


def play_many(goal: str, battles: int, games: int, seed: int) -> Counter[str]:
    luck = random.Random(f"{goal} {battles} {seed}")
    events: Counter[str] = Counter()
    for game in range(games):
        options = settings(luck, goal, battles)
        try:
            events += Lockstep(1_000_000 * seed + game, luck, **options).run()
        except AssertionError as error:
            raise AssertionError(f"seed {1_000_000 * seed + game}, {options}: {error}") from error
    return events


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_battles_agree(options: dict[str, Any]) -> None:
    """Who is asked, masks, rolls, places, hulls, phases, deeds, rewards, ends, and dice."""
    luck = random.Random(str(options))
    events: Counter[str] = Counter()
    for seed in range(40):
        events += Lockstep(seed, luck, deployment="random", **options).run()
    assert events["turns"] >= 40
    assert events["disabled_all"] >= 20, events
    assert events["max_turns"] >= 3 * ("max_turns" in options)


#: And how a battle may end then.
GOALS = {
    "fleet": "disabled_all",
    "flagship": "flagship_out",
    "seize": "points",
    "breakthrough": "held",
}


@pytest.mark.parametrize(("goal", "reason"), GOALS.items())
def test_games_for_a_goal_agree(goal: str, reason: str) -> None:
    """Also points and escapes."""
    events = play_many(goal, 1, 25, seed=1)
    assert events["turns"] >= 50
    assert events[reason] > 0


@pytest.mark.parametrize("battles", [3, 5])
def test_campaigns_agree(battles: int) -> None:
    """Also upgrades, who may raise a second stat, what is reset, and the score of battles."""
    events: Counter[str] = Counter()
    for goal in GOALS:
        events += play_many(goal, battles, 4, seed=2)
    assert events["war_won"] >= 5
    assert events["second point"] >= 5


def test_a_campaign_of_ships_that_cannot_be_upgraded_agrees() -> None:
    """The next battle begins with the last plan of the one before."""
    events: Counter[str] = Counter()
    for seed in range(5):
        best = [tuple(LIMITS.values())] * 3
        options = {"ships": (1, 2), "battles": 3, "stats": best, "max_turns": 3}
        events += Lockstep(seed, random.Random(seed), **options).run()
    assert events["nothing left to raise"] >= 20
    assert events["second point"] == 0


def test_locations_are_drawn_evenly() -> None:
    """The first of them, among the twelve hexes of the middle columns."""
    batch = Batch("hovercrafts", 6000, seed=8, goal="seize")
    first, often = np.unique(batch.core.states["location"][:, 0], return_counts=True)
    assert set(first) == {cell_of(column, row) for column in (2, 3, 4) for row in range(4)}
    assert np.abs(often - 500).max() < 5 * np.sqrt(500)


def main() -> None:
    """How many games for each goal (a 40th as many campaigns of each length), and the seed."""
    games, seed = [int(number) for number in sys.argv[1:]] or (1000, 3)
    total: Counter[str] = Counter()
    for goal, battles in itertools.product(GOALS, (1, 3, 5, 7)):
        total += play_many(goal, battles, games if battles == 1 else games // 40, seed)
    for what, often in total.most_common():
        print(f"{often:10} {what}")
    for what, often in HAPPENS.items():
        assert total[what] >= often * games / 1000, f"{what}: {total[what]}"


if __name__ == "__main__":
    main()
