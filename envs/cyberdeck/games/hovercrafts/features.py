"""Hovercrafts: the metrics, and the features of an observation, as a vector or as planes."""

from __future__ import annotations

from cyberdeck.engine.contract import Feature, Metric, Options
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.games.hovercrafts.campaign import STATS
from cyberdeck.games.hovercrafts.hexes import HEXES, PLACE
from cyberdeck.games.hovercrafts.options import marks, most_phases
from cyberdeck.games.hovercrafts.prior import prior_features

METRICS = (
    Metric("turns", "turns that have ended"),
    Metric(
        "phase", "0: ships are deployed, 1: a turn is planned, 2: a side is picked, 3: upgrades"
    ),
    Metric("slot", "the slot that is being decided, of plans or of upgrades"),
    Metric("own_hull", "hull left of the seat's ship; 0: out of the game"),
    Metric("own_ships", "ships left of the seat's team"),
    Metric("enemy_ships", "ships left of the other team"),
    Metric("deciding", "1 if this seat decides now, alone or in secret with others"),
    Metric("own_points", "with `seize`: points of the seat's team in this battle"),
    Metric("enemy_points", "points of the other team"),
    Metric("escaped", "with `breakthrough`: attackers that have escaped in this battle"),
    Metric("own_battles", "in a campaign: battles that the seat's team has won"),
    Metric("enemy_battles", "battles that the other team has won"),
)

LIMIT = 127
PLANNED = len(c.ACTIONS)

#: What is told of every ship, own, allied or enemy.
OUT, COLUMN, ROW, HULL_LEFT, HULL, SHIELD, BALLISTIC, ENERGY, ROLLED, LANDED = range(10)
SHIP = 10
SHIP_NAMES = (
    "1 if out of the game; column and row from 0 (-1: not on the map); hull left; hull, shield, "
    "ballistic, energy; actions of this turn; landed in the last phase"
)
#: And of every other ship: where it is and how it faces, as the own ship sees it.
OTHER = SHIP + PLACE


#: What is told of every ship, the own one first, then allies and enemies, in seat order: in the
#: planes one number after the other in the first hexes of a plane, row by row.
ROSTER = 5


def counts(options: Options) -> tuple[int, int]:
    """Seats, and the most allies that a ship has."""
    zion, machines = options["ships"]
    return zion + machines, max(zion, machines) - 1


#: Numbers about the turn, the same with all options.
NUMBERS = (
    Feature("to_move", (1,), 0, 1, "1 if this seat decides now, alone or with others"),
    Feature("planning", (1,), 0, 1, "1 in a turn, 0 while ships are deployed"),
    Feature("slot", (c.SLOTS,), 0, 1, "the slot that is being decided, one-hot"),
    Feature("machines", (1,), 0, 1, "1 for a ship of the Machines"),
    Feature("from_right", (1,), 0, 1, "1 if the own team starts on the rightmost column"),
    Feature("turns_left", (1,), 0, LIMIT, "turns until `max_turns`; 127 if there are more"),
    Feature("own_plan", (c.SLOTS * PLANNED,), 0, 1, "the own plan so far: slot x action, one-hot"),
)


def features(options: Options) -> tuple[Feature, ...]:
    seats, allies = counts(options)
    numbers: tuple[Feature, ...] = NUMBERS
    if options["share_plans"] and allies:
        size = allies * c.SLOTS * PLANNED
        meaning = "the allies' slots that all have decided: ally x slot x action, one-hot"
        numbers += (Feature("ally_plans", (size,), 0, 1, meaning),)
    number = Feature("number", (1,), 1, c.SHIPS, "the own ship's number in its team, from 1")
    if options["observation"] == "planes":
        return _planes(options, numbers, number)
    size, meaning = _deeds(options)
    board, whose = (options["height"], options["width"]), "the own ship, allies, enemies"
    new: tuple[Feature, ...] = (
        number,
        Feature("map", board, 0, 2, "the map as it lies: 0 free, 1 a wall, 2 a location"),
        Feature("last_turn", (seats, size), -c.SHIPS, c.SHIPS, f"{whose}: {meaning}"),
        *_marks(options, (seats,), whose),
    )
    if options["goal"] == "seize":
        count = len(marks(options["scenario"])) or options["locations"]
        meaning = (
            "each location: straight ahead and ahead to the right of the own ship, in hexes; whose "
            "ship stands on it, 1 for the own team's, -1 for an enemy"
        )
        new += (Feature("locations", (count, 3), -40, 40, meaning),)
    new += _score(options)
    where = "straight ahead and ahead to the right, in hexes; facing relative to the own, one-hot"
    return (
        Feature("own", (SHIP,), -1, 20, f"the own ship: {SHIP_NAMES}"),
        Feature("own_facing", (6,), 0, 1, "its facing, one-hot from north clockwise"),
        Feature(
            "others",
            (seats - 1, OTHER),
            -40,
            40,
            f"allies, then enemies, in seat order, each: {SHIP_NAMES}; {where}",
        ),
        Feature("allied", (seats - 1,), 0, 1, "which of them are allies"),
        Feature(
            "around",
            (2, HEXES),
            0,
            1,
            "walls, and hexes off the map, within 3 steps: ring by ring, clockwise from ahead",
        ),
        *numbers,
        *(prior_features(options, seats) if options["observation"] == "prior" else ()),
        *new,
    )


def _deeds(options: Options) -> tuple[int, str]:
    """How many numbers tell what a ship did in the last turn, and their meaning."""
    _, allies = counts(options)
    phases = most_phases(options)
    return 3 * phases + allies + 1, (
        f"what a ship did in the last turn; in each of {phases} phases: 1 + its action, or 0; then "
        "1 if an EMP hit it; then the number of the ship that it rammed, less than 0 for a friend; "
        "at last how often it hit which of the other team, by their numbers"
    )


def _marks(options: Options, ships: tuple[int, ...], of_whom: str) -> tuple[Feature, ...]:
    """A number for each ship."""
    told = []
    if options["goal"] == "flagship":
        told += [("flagships", "1 for a flagship")]
    if options["goal"] == "breakthrough":
        told += [("escaped", "1 for a ship that has escaped")]
    if options["battles"] > 1:
        told += [("second_upgrade", "1 for a ship that raises two stats")]
    return tuple(
        Feature(name, (1, *ships), 0, 1, f"{meaning}; {of_whom}") for name, meaning in told
    )


def _score(options: Options) -> tuple[Feature, ...]:
    """Numbers about the goal and the campaign."""
    _, allies = counts(options)
    score: tuple[Feature, ...] = ()
    if options["goal"] == "seize":
        most = c.MOST_POINTS + max(c.LOCATIONS) - 1
        score += (
            Feature("points", (2,), 0, most, "the own team's points, the enemies'"),
            Feature("points_to_win", (1,), 0, c.MOST_POINTS, "how many win"),
        )
    if options["goal"] == "breakthrough":
        meaning = "how many ships of the right side have to escape still"
        score += (Feature("escapes_left", (1,), 0, c.SHIPS, meaning),)
    if options["pick_side"]:
        score += (Feature("picking", (1,), 0, 1, "1 while a side is picked"),)
    if options["battles"] > 1:
        size = c.UPGRADES * STATS
        score += (
            Feature("upgrading", (1,), 0, 1, "1 while ships are upgraded"),
            Feature("battles", (3,), 0, 7, "won by the own team, by the enemies; still to come"),
            Feature("own_upgrades", (size,), 0, 1, "the own upgrades so far: slot x stat, one-hot"),
        )
        if options["share_plans"] and allies:
            meaning = "the allies' upgrades that all have decided: ally x slot x stat, one-hot"
            score += (Feature("ally_upgrades", (allies * size,), 0, 1, meaning),)
    return score


def _planes(options: Options, numbers: tuple[Feature, ...], number: Feature) -> tuple[Feature, ...]:
    board = (options["height"], options["width"])
    listed = "in the first hexes, row by row: the own ship, allies, enemies, in seat order"
    stats = "hull left; hull, shield, ballistic, energy, on the map or not"
    size, meaning = _deeds(options)
    new: tuple[Feature, ...] = (
        *_flat((number,), board),
        Feature("roster", (ROSTER, *board), 0, 9, f"{stats}; {listed}"),
        Feature("last_turn", (size, *board), -c.SHIPS, c.SHIPS, f"{meaning}; {listed}"),
        *_marks(options, board, listed),
    )
    if options["goal"] == "seize":
        new += (Feature("locations", (1, *board), 0, 1, "locations"),)
    return (
        Feature("walls", (1, *board), 0, 1, "walls"),
        Feature("ships", (3, *board), 0, 1, "the own ship; allies; enemies"),
        Feature("facing", (6, *board), 0, 1, "every ship's facing, one-hot"),
        Feature(
            "stats",
            (SHIP - HULL_LEFT, *board),
            0,
            9,
            "every ship's hull left; hull, shield, ballistic, energy; actions of this turn; landed",
        ),
        *_flat(numbers, board),
        *new,
        *_flat(_score(options), board),
    )


def _flat(numbers: tuple[Feature, ...], board: tuple[int, int]) -> list[Feature]:
    """Each number as a plane."""
    return [Feature(p.name, (*p.shape, *board), p.low, p.high, p.meaning) for p in numbers]
