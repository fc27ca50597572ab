"""Hovercrafts: what a ship sees, as one flat int8 vector (with a prior or not), or as map planes.

The vector is told from the ship's own place and facing: other ships and the hexes around are
given relative to them. The planes show the map as it lies, with the same numbers about the plans.
Plans of others are hidden, but for what `share_plans` opens.
"""

from __future__ import annotations

from cyberdeck.engine.contract import Feature, Metric, Options
from cyberdeck.engine.kernels import Numbers, Seat, State, Vector, index, int64, kernel
from cyberdeck.engine.record import NOBODY
from cyberdeck.games.hovercrafts.hexes import HEXES, PLACE, tell_around, tell_place
from cyberdeck.games.hovercrafts.hidden import knows
from cyberdeck.games.hovercrafts.prior import observe_prior, prior_features
from cyberdeck.games.hovercrafts.ships import ships_left
from cyberdeck.games.hovercrafts.table import (
    ACTIONS,
    MACHINES,
    PLAN,
    PLANES,
    SLOTS,
    WALL,
    WITH_PRIOR,
    ZION,
    Team,
    alive,
    cell_of,
    column_of,
    is_out,
    row_of,
    team_of,
)

METRICS = (
    Metric("turns", "turns that have ended"),
    Metric("phase", "0: ships are deployed, 1: a turn is planned"),
    Metric("slot", "the planning slot that is being decided"),
    Metric("own_hull", "hull left of the seat's ship; 0: out of the game"),
    Metric("own_ships", "ships left of the seat's team"),
    Metric("enemy_ships", "ships left of the other team"),
    Metric("deciding", "1 if this seat decides now, alone or in secret with others"),
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
    if options["observation"] == "planes":
        return _planes(options, numbers)
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
    )


#: Planes for ships: whose they are, then their facing, then what is told of each.
PLANES_OF_SHIPS = 3 + 6 + (SHIP - HULL_LEFT)


def _planes(options: Options, numbers: tuple[Feature, ...]) -> tuple[Feature, ...]:
    board = (options["height"], options["width"])
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
        *(Feature(p.name, (*p.shape, *board), p.low, p.high, p.meaning) for p in numbers),
    )


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
    return state.actions[seat] > state.slot if state.phase == PLAN else state.mover == seat


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
    for slot in range(SLOTS):
        now = state.mover != NOBODY and state.phase == PLAN and state.slot == slot
        at = note(out, at, now, size)
    team = team_of(state, seat)
    at = note(out, at, team == MACHINES, size)
    at = note(out, at, team == state.starting, size)
    at = note(out, at, min(_LIMIT, state.max_turns - state.turns), size)
    at = observe_plan(state, seat, seat, out, at, size)
    if state.share_plans:
        for other in range(state.seats):
            if other != seat and team_of(state, other) == team:
                at = observe_plan(state, seat, other, out, at, size)
    if state.shown == WITH_PRIOR and deciding(state, seat):
        observe_prior(state, seat, out, at)


@kernel
def ships_in_game(state: State, team: Team) -> int:
    """A team's ships on the map, or still to be deployed."""
    if state.phase == PLAN:
        return ships_left(state, team)
    return int64(state.zion if team == ZION else state.seats - state.zion)


@kernel
def report(state: State, seat: Seat, out: Numbers) -> None:
    team = team_of(state, seat)
    out[0] = state.turns
    out[1] = state.phase
    out[2] = state.slot if state.phase == PLAN and state.mover != NOBODY else 0
    out[3] = state.hull_left[seat]
    out[4] = ships_in_game(state, team)
    out[5] = ships_in_game(state, 1 - team)
    out[6] = deciding(state, seat)
