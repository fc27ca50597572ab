"""Hovercrafts: what a ship sees, as one flat int8 vector (with a prior or not), or as map planes.

The vector is told from the ship's own place and facing: other ships and the hexes around are
given relative to them. The planes show the map as it lies, with the same numbers about the plans.
Plans of others are hidden, but for what `share_plans` opens.
"""

from __future__ import annotations

from cyberdeck.engine.contract import Feature, Metric, Options
from cyberdeck.engine.kernels import Numbers, Seat, State, Vector, index, int64, kernel
from cyberdeck.engine.record import NOBODY
from cyberdeck.games.hovercrafts.campaign import STATS, battles_of, upgrades_due
from cyberdeck.games.hovercrafts.constants import (
    ACTIONS,
    BREAKTHROUGH,
    FLAGSHIP,
    FLEET,
    LOCATIONS,
    MACHINES,
    MOST_POINTS,
    NONE,
    PICK,
    PLAN,
    PLANES,
    SEIZE,
    SHIPS,
    SKIRMISH,
    SLOTS,
    UPGRADE,
    UPGRADES,
    WALL,
    WITH_PRIOR,
    ZION,
)
from cyberdeck.games.hovercrafts.goals import escapes_needed, flagship_of, ships_escaped, ships_of
from cyberdeck.games.hovercrafts.hexes import HEXES, PLACE, tell_around, tell_place, tell_way
from cyberdeck.games.hovercrafts.hidden import knows
from cyberdeck.games.hovercrafts.options import marks, most_phases
from cyberdeck.games.hovercrafts.prior import observe_prior, prior_features, prior_size
from cyberdeck.games.hovercrafts.table import (
    alive,
    cell_of,
    column_of,
    is_out,
    number_of,
    row_of,
    ship_at,
    team_of,
)
from cyberdeck.games.hovercrafts.turn import deeds_of_ship

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

_LIMIT = 127
PLANNED = len(ACTIONS)

# --- the layout ----------------------------------------------------------------------------------

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


def features(options: Options) -> tuple[Feature, ...]:
    seats, allies = counts(options)
    plans: tuple[Feature, ...] = (
        Feature(
            "own_plan", (SLOTS * PLANNED,), 0, 1, "the own plan so far: slot x action, one-hot"
        ),
    )
    if options["share_plans"] and allies:
        size = allies * SLOTS * PLANNED
        meaning = "the allies' slots that all have decided: ally x slot x action, one-hot"
        plans += (Feature("ally_plans", (size,), 0, 1, meaning),)
    numbers = (
        Feature("to_move", (1,), 0, 1, "1 if this seat decides now, alone or with others"),
        Feature("planning", (1,), 0, 1, "1 in a turn, 0 while ships are deployed"),
        Feature("slot", (SLOTS,), 0, 1, "the slot that is being decided, one-hot"),
        Feature("machines", (1,), 0, 1, "1 for a ship of the Machines"),
        Feature("from_right", (1,), 0, 1, "1 if the own team starts on the rightmost column"),
        Feature("turns_left", (1,), 0, _LIMIT, "turns until `max_turns`; 127 if there are more"),
        *plans,
    )
    number = Feature("number", (1,), 1, SHIPS, "the own ship's number in its team, from 1")
    if options["observation"] == "planes":
        return _planes(options, numbers, number)
    size, meaning = _deeds(options)
    board, whose = (options["height"], options["width"]), "the own ship, allies, enemies"
    new: tuple[Feature, ...] = (
        number,
        Feature("map", board, 0, 2, "the map as it lies: 0 free, 1 a wall, 2 a location"),
        Feature("last_turn", (seats, size), -SHIPS, SHIPS, f"{whose}: {meaning}"),
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
        most = MOST_POINTS + max(LOCATIONS) - 1
        score += (
            Feature("points", (2,), 0, most, "the own team's points, the enemies'"),
            Feature("points_to_win", (1,), 0, MOST_POINTS, "how many win"),
        )
    if options["goal"] == "breakthrough":
        meaning = "how many ships of the right side have to escape still"
        score += (Feature("escapes_left", (1,), 0, SHIPS, meaning),)
    if options["pick_side"]:
        score += (Feature("picking", (1,), 0, 1, "1 while a side is picked"),)
    if options["battles"] > 1:
        size = UPGRADES * STATS
        score += (
            Feature("upgrading", (1,), 0, 1, "1 while ships are upgraded"),
            Feature("battles", (3,), 0, 7, "won by the own team, by the enemies; still to come"),
            Feature("own_upgrades", (size,), 0, 1, "the own upgrades so far: slot x stat, one-hot"),
        )
        if options["share_plans"] and allies:
            meaning = "the allies' upgrades that all have decided: ally x slot x stat, one-hot"
            score += (Feature("ally_upgrades", (allies * size,), 0, 1, meaning),)
    return score


#: Planes for ships: whose they are, then their facing, then what is told of each.
PLANES_OF_SHIPS = 3 + 6 + (SHIP - HULL_LEFT)


def _planes(options: Options, numbers: tuple[Feature, ...], number: Feature) -> tuple[Feature, ...]:
    board = (options["height"], options["width"])
    listed = "in the first hexes, row by row: the own ship, allies, enemies, in seat order"
    stats = "hull left; hull, shield, ballistic, energy, on the map or not"
    size, meaning = _deeds(options)
    new: tuple[Feature, ...] = (
        *_flat((number,), board),
        Feature("roster", (ROSTER, *board), 0, 9, f"{stats}; {listed}"),
        Feature("last_turn", (size, *board), -SHIPS, SHIPS, f"{meaning}; {listed}"),
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


# --- writing it ----------------------------------------------------------------------------------


@kernel
def tell(state: State, seat: Seat, out: Vector, at: int) -> None:
    """What is told of every ship."""
    here = alive(state, seat)
    out[index(at + OUT)] = is_out(state, seat)
    out[index(at + COLUMN)] = column_of(state.cell[seat]) if here else -1
    out[index(at + ROW)] = row_of(state.cell[seat]) if here else -1
    out[index(at + HULL_LEFT)] = state.hull_left[seat]
    out[index(at + HULL)] = state.hull[seat]
    out[index(at + SHIELD)] = state.shield[seat]
    out[index(at + BALLISTIC)] = state.ballistic[seat]
    out[index(at + ENERGY)] = state.energy[seat]
    out[index(at + ROLLED)] = state.actions[seat]
    out[index(at + LANDED)] = state.landed[seat]


@kernel
def observe_ships(state: State, seat: Seat, out: Vector) -> int:
    """The vector's part about ships and hexes; returns where the numbers begin."""
    tell(state, seat, out, 0)
    here = alive(state, seat)
    if here:
        out[index(SHIP + state.facing[seat])] = 1
    at = SHIP + 6
    allied = at + OTHER * (state.seats - 1)
    for group in range(2):  # allies, then enemies
        for other in range(state.seats):
            friend = team_of(state, other) == team_of(state, seat)
            if other == seat or friend != (group == 0):
                continue
            tell(state, other, out, at)
            if here and alive(state, other):
                tell_place(
                    state.cell[seat],
                    state.facing[seat],
                    state.cell[other],
                    state.facing[other],
                    out,
                    at + SHIP,
                )
            out[index(allied)] = friend
            at += OTHER
            allied += 1
    at = allied
    if here:
        tell_around(state, int64(state.cell[seat]), state.facing[seat], out, at)
    return at + 2 * HEXES


@kernel
def observe_map(state: State, seat: Seat, out: Vector) -> int:
    """The planes of the map; returns where the numbers begin."""
    width, size = int64(state.width), int64(state.width) * state.height
    for row in range(state.height):
        for column in range(width):
            terrain = state.terrain[index(cell_of(column, row))]
            out[index(width * row + column)] = terrain == WALL
    for other in range(state.seats):
        if not alive(state, other):
            continue
        place = width * row_of(state.cell[other]) + column_of(state.cell[other])
        enemy = team_of(state, other) != team_of(state, seat)
        whose = 0 if other == seat else 2 if enemy else 1
        out[index(size * (1 + whose) + place)] = 1
        out[index(size * (4 + state.facing[other]) + place)] = 1
        at = 10 * size + place
        out[index(at)] = state.hull_left[other]
        out[index(at + size)] = state.hull[other]
        out[index(at + 2 * size)] = state.shield[other]
        out[index(at + 3 * size)] = state.ballistic[other]
        out[index(at + 4 * size)] = state.energy[other]
        out[index(at + 5 * size)] = state.actions[other]
        out[index(at + 6 * size)] = state.landed[other]
    return (1 + PLANES_OF_SHIPS) * size


@kernel
def deciding(state: State, seat: Seat) -> bool:
    """Whether a seat decides now, alone or in secret with others. Who of them has been asked
    already does not matter: it would tell of the others' asking.
    """
    if state.mover == NOBODY:
        return False
    if state.phase == PLAN:
        return state.actions[seat] > state.slot
    if state.phase == UPGRADE:
        return upgrades_due(state, seat) > state.slot
    return state.mover == seat


@kernel
def note(out: Vector, at: int, value: int, size: int) -> int:
    """Write a number, to *size* places; returns where the next one goes."""
    if value != 0:
        for place in range(at, at + size):
            out[index(place)] = value
    return at + size


@kernel
def observe_plan(state: State, viewer: Seat, seat: Seat, out: Vector, at: int, size: int) -> int:
    """What a seat may see of a plan; returns where the next one goes."""
    if state.phase == PLAN:
        for slot in range(state.actions[seat]):
            action = state.plan[seat, slot]
            if action >= 0 and knows(state, viewer, seat, slot):
                note(out, at + size * (PLANNED * slot + action), 1, size)
    return at + size * SLOTS * PLANNED


@kernel
def observe(state: State, seat: Seat, out: Vector) -> None:
    size = 1
    if state.shown == PLANES:
        size = int64(state.width) * state.height
        at = observe_map(state, seat, out)
    else:
        at = observe_ships(state, seat, out)
    at = note(out, at, deciding(state, seat), size)
    at = note(out, at, state.phase == PLAN, size)
    by_slots = state.mover != NOBODY and (state.phase == PLAN or state.phase == UPGRADE)
    if by_slots:
        note(out, at + size * state.slot, 1, size)
    at += size * SLOTS
    team = team_of(state, seat)
    at = note(out, at, team == MACHINES, size)
    at = note(out, at, team == state.starting, size)
    at = note(out, at, min(_LIMIT, state.max_turns - state.turns), size)
    at = observe_plan(state, seat, seat, out, at, size)
    if state.share_plans:
        allies = at
        for other in range(state.seats):
            if other != seat and team_of(state, other) == team:
                at = observe_plan(state, seat, other, out, at, size)
        most = max(int64(state.zion), int64(state.seats) - state.zion)  # teams may be uneven
        at = allies + (most - 1) * SLOTS * PLANNED * size
    if state.shown == WITH_PRIOR:
        if deciding(state, seat):
            observe_prior(state, seat, out, at)
        at += prior_size(state)
    stride = size
    at = note(out, at, 1 + number_of(state, seat), size)
    if state.shown == PLANES:
        at = observe_roster(state, seat, out, at, stride)
        at = observe_deeds_in_planes(state, seat, out, at, stride)
    else:
        stride = int64(state.seats)
        at = observe_terrain(state, out, at)
        at = observe_deeds(state, seat, out, at)
    if state.goal == FLEET and not state.pick_side and not state.battles:
        return
    at = observe_marks(state, seat, out, at, stride)
    if state.goal == SEIZE:
        if state.shown == PLANES:
            at = note_locations(state, out, at, 1)
        else:
            at = observe_locations(state, seat, out, at)
    observe_score(state, seat, out, at, size)


@kernel
def observe_terrain(state: State, out: Vector, at: int) -> int:
    """The map as it lies; returns where the next numbers go."""
    width, height = int64(state.width), int64(state.height)
    if state.scenario != SKIRMISH:
        for row in range(height):
            for column in range(width):
                terrain = state.terrain[index(cell_of(column, row))]
                out[index(at + width * row + column)] = terrain
    if state.goal == SEIZE:
        note_locations(state, out, at, 2)
    return at + width * height


@kernel
def note_locations(state: State, out: Vector, at: int, value: int) -> int:
    """Locations on the map as it lies; returns where the next numbers go."""
    width = int64(state.width)
    for cell in state.location:
        if cell != NONE:
            out[index(at + width * row_of(cell) + column_of(cell))] = value
    return at + width * state.height


@kernel
def rank_of(state: State, viewer: Seat, seat: Seat) -> int:
    """Which a ship is of the own one, allies and enemies, in seat order."""
    zion = int64(state.zion)
    if viewer < zion:
        return 0 if seat == viewer else seat + 1 if seat < viewer else seat
    if seat < zion:
        return state.seats - zion + seat
    return 0 if seat == viewer else seat - zion + (seat < viewer)


@kernel
def observe_roster(state: State, viewer: Seat, out: Vector, at: int, stride: int) -> int:
    """Every ship's stats, whether it is on the map or not; returns where the next numbers go."""
    for seat in range(int64(state.seats)):
        place = at + rank_of(state, viewer, seat)
        out[index(place)] = state.hull_left[seat]
        out[index(place + stride)] = state.hull[seat]
        out[index(place + 2 * stride)] = state.shield[seat]
        out[index(place + 3 * stride)] = state.ballistic[seat]
        out[index(place + 4 * stride)] = state.energy[seat]
    return at + ROSTER * stride


@kernel
def observe_deeds(state: State, viewer: Seat, out: Vector, at: int) -> int:
    """What every ship did in the last turn, as it lies; returns where the next numbers go."""
    size, own, enemies = deeds_of_ship(state), int64(0), int64(state.zion)
    first, last = own, enemies
    if viewer >= enemies:
        own, enemies = enemies, own
        first, last = own, int64(state.seats)
    if viewer > first:
        at = copy_deeds(state, size * viewer, size, out, at)
        at = copy_deeds(state, size * first, size * (viewer - first), out, at)
        at = copy_deeds(state, size * (viewer + 1), size * (last - viewer - 1), out, at)
    else:  # they lie in order
        at = copy_deeds(state, size * first, size * (last - first), out, at)
    return copy_deeds(state, size * enemies, size * (state.seats - last + first), out, at)


@kernel
def copy_deeds(state: State, first: int, count: int, out: Vector, at: int) -> int:
    for number in range(count):
        out[index(at + number)] = state.deeds[index(first + number)]
    return at + count


@kernel
def observe_deeds_in_planes(state: State, viewer: Seat, out: Vector, at: int, stride: int) -> int:
    """The same; each number has a plane."""
    size = deeds_of_ship(state)
    for seat in range(int64(state.seats)):
        place = at + rank_of(state, viewer, seat)
        for number in range(size):
            out[index(place + number * stride)] = state.deeds[index(seat * size + number)]
    return at + size * stride


@kernel
def observe_marks(state: State, viewer: Seat, out: Vector, at: int, stride: int) -> int:
    """Flagships, who has escaped, who is upgraded twice; returns where the next numbers go."""
    if state.goal == FLAGSHIP:
        for team in range(2):
            out[index(at + rank_of(state, viewer, flagship_of(state, team)))] = 1
        at += stride
    if state.goal == BREAKTHROUGH:
        for seat in range(int64(state.seats)):
            out[index(at + rank_of(state, viewer, seat))] = state.escaped[seat]
        at += stride
    if state.battles:
        for seat in range(int64(state.seats)):
            out[index(at + rank_of(state, viewer, seat))] = state.second[seat]
        at += stride
    return at


@kernel
def observe_locations(state: State, viewer: Seat, out: Vector, at: int) -> int:
    """Where they lie, and whose they are; returns where the next numbers go."""
    for location in state.location:
        cell = int64(location)
        if cell == NONE:
            break
        if alive(state, viewer):
            tell_way(int64(state.cell[viewer]), int64(state.facing[viewer]), cell, out, at)
        seat = ship_at(state, cell)
        if seat != NONE:
            out[index(at + 2)] = 1 if team_of(state, seat) == team_of(state, viewer) else -1
        at += 3
    return at


@kernel
def observe_score(state: State, viewer: Seat, out: Vector, at: int, size: int) -> None:
    """Numbers about the goal and the campaign."""
    team = team_of(state, viewer)
    if state.goal == SEIZE:
        at = note(out, at, int64(state.points[team]), size)
        at = note(out, at, int64(state.points[1 - team]), size)
        at = note(out, at, int64(state.points_to_win), size)
    if state.goal == BREAKTHROUGH:
        at = note(out, at, max(0, escapes_needed(state) - ships_escaped(state)), size)
    if state.pick_side:
        at = note(out, at, state.phase == PICK, size)
    if state.battles:
        at = note(out, at, state.phase == UPGRADE, size)
        at = note(out, at, int64(state.won[team]), size)
        at = note(out, at, int64(state.won[1 - team]), size)
        at = note(out, at, battles_of(state) - state.battle, size)
        at = observe_upgrades(state, viewer, viewer, out, at, size)
        if state.share_plans:
            for other in range(state.seats):
                if other != viewer and team_of(state, other) == team:
                    at = observe_upgrades(state, viewer, other, out, at, size)


@kernel
def observe_upgrades(
    state: State, viewer: Seat, seat: Seat, out: Vector, at: int, size: int
) -> int:
    """What a seat may see of pending upgrades; returns where the next numbers go."""
    for slot in range(UPGRADES):
        stat = int64(state.upgrade[seat, slot])
        if stat != NONE and knows(state, viewer, seat, slot):
            note(out, at + size * (STATS * slot + stat), 1, size)
    return at + size * UPGRADES * STATS


@kernel
def ships_in_game(state: State) -> tuple[int, int]:
    """Each team's ships on the map, or still to be deployed."""
    if state.phase != PLAN:
        return ships_of(state, ZION), ships_of(state, MACHINES)
    zion, both = 0, 0
    for seat in range(int64(state.seats)):
        here = state.cell[index(seat)] != NONE
        both += here
        zion += here and seat < state.zion
    return zion, both - zion


@kernel
def report(state: State, seat: Seat, out: Numbers) -> None:
    team = team_of(state, seat)
    out[0] = state.turns
    out[1] = state.phase
    out[2] = state.slot if state.mover != NOBODY else 0
    out[3] = state.hull_left[seat]
    zion, machines = ships_in_game(state)
    out[4] = zion if team == ZION else machines
    out[5] = machines if team == ZION else zion
    out[6] = deciding(state, seat)
    seizing, warring = state.goal == SEIZE, battles_of(state) > 1
    out[7] = state.points[team] if seizing else 0
    out[8] = state.points[1 - team] if seizing else 0
    out[9] = ships_escaped(state) if state.goal == BREAKTHROUGH else 0
    out[10] = state.won[team] if warring else 0
    out[11] = state.won[1 - team] if warring else 0
