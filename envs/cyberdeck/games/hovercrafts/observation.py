"""Hovercrafts: what a ship sees, as one flat int8 vector (with a prior or not), or as map planes.

The vector is told from the ship's own place and facing: other ships and the hexes around are
given relative to them. The planes show the map as it lies, with the same numbers about the plans.
Plans of others are hidden, but for what `share_plans` opens.
"""

from __future__ import annotations

from typing import NamedTuple

from cyberdeck.engine.features import offsets
from cyberdeck.engine.kernels import Numbers, Seat, State, Vector, index, int64, kernel
from cyberdeck.engine.record import NOBODY
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.games.hovercrafts import features, table
from cyberdeck.games.hovercrafts.campaign import STATS, battles_of, upgrades_due
from cyberdeck.games.hovercrafts.goals import escapes_needed, flagship_of, ships_escaped, ships_of
from cyberdeck.games.hovercrafts.hexes import HEXES, tell_around, tell_place, tell_way
from cyberdeck.games.hovercrafts.hidden import knows
from cyberdeck.games.hovercrafts.prior import observe_prior, prior_size
from cyberdeck.games.hovercrafts.turn import deeds_of_ship

# --- where it lies -------------------------------------------------------------------------------

#: In the vector; ``allied`` and ``around`` come after as many ships as there are.
OWN, OWN_FACING, OTHERS = 0, features.SHIP, features.SHIP + 6

#: Planes of the map: walls, whose ships, their facing, what is told of each; then the numbers.
WALLS, WHOSE, FACING, STATS_OF_SHIPS = 0, 1, 4, 10
PLANES_OF_MAP = STATS_OF_SHIPS + features.SHIP - features.HULL_LEFT

#: Of the numbers, from the first of them on.
AT = offsets(features.NUMBERS)
PLAN_SIZE, RAISED_SIZE = c.SLOTS * features.PLANNED, c.UPGRADES * STATS


class Places(NamedTuple):
    """Where the features begin whose place depends on the options."""

    numbers: int
    prior: int
    number: int
    map: int  # in planes the roster
    last_turn: int
    marks: int  # flagships, or who has escaped
    second_upgrade: int
    locations: int
    points: int
    escapes_left: int
    picking: int
    upgrading: int
    own_upgrades: int


@kernel
def places_of(state: State, size: int) -> Places:
    """In the vector, or in planes of a *size*."""
    seats, deeds = int64(state.seats), deeds_of_ship(state)
    most = max(int64(state.zion), seats - state.zion) if state.share_plans else 1
    if state.shown == c.PLANES:
        numbers = PLANES_OF_MAP * size
        shown, each, locations = features.ROSTER * size, size, size
    else:
        numbers = OTHERS + (features.OTHER + 1) * (seats - 1) + 2 * HEXES
        shown, each = int64(state.width) * state.height, seats
        locations = 3 * count_locations(state)
    prior = numbers + size * (AT.own_plan + PLAN_SIZE * most)
    number = prior + (prior_size(state) if state.shown == c.WITH_PRIOR else 0)
    map_ = number + size
    last_turn = map_ + shown
    marks = last_turn + deeds * each
    second = marks + each * (state.goal == c.FLAGSHIP or state.goal == c.BREAKTHROUGH)
    places = second + each * (state.battles != 0)
    points = places + locations * (state.goal == c.SEIZE)
    escapes_left = points + 3 * size * (state.goal == c.SEIZE)
    picking = escapes_left + size * (state.goal == c.BREAKTHROUGH)
    upgrading = picking + size * state.pick_side
    return Places(
        numbers,
        prior,
        number,
        map_,
        last_turn,
        marks,
        second,
        places,
        points,
        escapes_left,
        picking,
        upgrading,
        upgrading + 4 * size,
    )


@kernel
def count_locations(state: State) -> int:
    count = 0
    for location in state.location:
        count += location != c.NONE
    return count


# --- writing it ----------------------------------------------------------------------------------


@kernel
def tell(state: State, seat: Seat, out: Vector, at: int) -> None:
    """What is told of every ship."""
    here = table.alive(state, seat)
    out[index(at + features.OUT)] = table.is_out(state, seat)
    out[index(at + features.COLUMN)] = table.column_of(state.cell[seat]) if here else -1
    out[index(at + features.ROW)] = table.row_of(state.cell[seat]) if here else -1
    tell_stats(state, seat, out, at + features.HULL_LEFT, 1)
    out[index(at + features.ROLLED)] = state.actions[seat]
    out[index(at + features.LANDED)] = state.landed[seat]


@kernel
def observe_ships(state: State, seat: Seat, out: Vector) -> None:
    """The vector's part about ships and hexes."""
    tell(state, seat, out, OWN)
    here = table.alive(state, seat)
    if here:
        out[index(OWN_FACING + state.facing[seat])] = 1
    others = int64(state.seats) - 1
    allied = OTHERS + features.OTHER * others
    if here:
        around = allied + others
        tell_around(state, int64(state.cell[seat]), state.facing[seat], out, around)
    for other in range(int64(state.seats)):
        if other == seat:
            continue
        number = rank_of(state, seat, other) - 1
        at = OTHERS + features.OTHER * number
        tell(state, other, out, at)
        if here and table.alive(state, other):
            tell_place(
                state.cell[seat],
                state.facing[seat],
                state.cell[other],
                state.facing[other],
                out,
                at + features.SHIP,
            )
        out[index(allied + number)] = table.team_of(state, other) == table.team_of(state, seat)


@kernel
def observe_map(state: State, seat: Seat, out: Vector) -> None:
    """The planes of the map."""
    width, size = int64(state.width), int64(state.width) * state.height
    for row in range(state.height):
        for column in range(width):
            terrain = state.terrain[index(table.cell_of(column, row))]
            out[index(size * WALLS + width * row + column)] = terrain == c.WALL
    for other in range(state.seats):
        if not table.alive(state, other):
            continue
        place = width * table.row_of(state.cell[other]) + table.column_of(state.cell[other])
        enemy = table.team_of(state, other) != table.team_of(state, seat)
        whose = 0 if other == seat else 2 if enemy else 1
        out[index(size * (WHOSE + whose) + place)] = 1
        out[index(size * (FACING + state.facing[other]) + place)] = 1
        at = size * STATS_OF_SHIPS + place
        tell_stats(state, other, out, at, size)
        out[index(at + 5 * size)] = state.actions[other]
        out[index(at + 6 * size)] = state.landed[other]


@kernel
def tell_stats(state: State, seat: Seat, out: Vector, at: int, apart: int) -> None:
    """Hull left; hull, shield, ballistic, energy."""
    out[index(at)] = state.hull_left[seat]
    out[index(at + apart)] = state.hull[seat]
    out[index(at + 2 * apart)] = state.shield[seat]
    out[index(at + 3 * apart)] = state.ballistic[seat]
    out[index(at + 4 * apart)] = state.energy[seat]


@kernel
def deciding(state: State, seat: Seat) -> bool:
    """Whether a seat decides now, alone or in secret with others. Who of them has been asked
    already does not matter: it would tell of the others' asking.
    """
    if state.mover == NOBODY:
        return False
    if state.phase == c.PLAN:
        return state.actions[seat] > state.slot
    if state.phase == c.UPGRADE:
        return upgrades_due(state, seat) > state.slot
    return state.mover == seat


@kernel
def note(out: Vector, at: int, value: int, size: int) -> None:
    """Write a number, to *size* places."""
    if value != 0:
        for place in range(at, at + size):
            out[index(place)] = value


@kernel
def observe_choices(
    state: State,
    viewer: Seat,
    seat: Seat,
    chosen: table.Choices,
    options: int,
    out: Vector,
    at: int,
    size: int,
) -> None:
    """What a seat may see of a plan, or of pending upgrades: slots are decided one by one."""
    for slot in range(chosen.shape[1]):
        option = int64(chosen[seat, slot])
        if option == c.NONE:
            break
        if knows(state, viewer, seat, slot):
            note(out, at + size * (options * slot + option), 1, size)


@kernel
def observe(state: State, seat: Seat, out: Vector) -> None:
    size = 1
    if state.shown == c.PLANES:
        size = int64(state.width) * state.height
        observe_map(state, seat, out)
    else:
        observe_ships(state, seat, out)
    at = places_of(state, size)
    observe_numbers(state, seat, out, at.numbers, size)
    if state.shown == c.WITH_PRIOR and deciding(state, seat):
        observe_prior(state, seat, out, at.prior)
    note(out, at.number, 1 + table.number_of(state, seat), size)
    if state.shown == c.PLANES:
        for ship in range(int64(state.seats)):  # whether it is on the map or not
            tell_stats(state, ship, out, at.map + rank_of(state, seat, ship), size)
        observe_deeds_in_planes(state, seat, out, at.last_turn, size)
    else:
        observe_terrain(state, out, at.map)
        observe_deeds(state, seat, out, at.last_turn)
    if state.goal == c.FLEET and not state.pick_side and not state.battles:
        return
    observe_marks(state, seat, out, at)
    if state.goal == c.SEIZE:
        if state.shown == c.PLANES:
            note_locations(state, out, at.locations, 1)
        else:
            observe_locations(state, seat, out, at.locations)
    observe_score(state, seat, out, at, size)


@kernel
def observe_numbers(state: State, seat: Seat, out: Vector, at: int, size: int) -> None:
    """Numbers about the turn, and what the seat may see of plans."""
    note(out, at + size * AT.to_move, deciding(state, seat), size)
    note(out, at + size * AT.planning, state.phase == c.PLAN, size)
    if state.mover != NOBODY and (state.phase == c.PLAN or state.phase == c.UPGRADE):
        note(out, at + size * (AT.slot + state.slot), 1, size)
    team = table.team_of(state, seat)
    note(out, at + size * AT.machines, team == c.MACHINES, size)
    note(out, at + size * AT.from_right, team == state.starting, size)
    note(out, at + size * AT.turns_left, min(features.LIMIT, state.max_turns - state.turns), size)
    at += size * AT.own_plan
    observe_choices(state, seat, seat, state.plan, features.PLANNED, out, at, size)
    if state.share_plans:
        for other in range(int64(state.seats)):
            if other != seat and table.team_of(state, other) == team:
                place = at + size * PLAN_SIZE * rank_of(state, seat, other)
                observe_choices(state, seat, other, state.plan, features.PLANNED, out, place, size)


@kernel
def observe_terrain(state: State, out: Vector, at: int) -> None:
    """The map as it lies."""
    width, height = int64(state.width), int64(state.height)
    if state.scenario != c.SKIRMISH:
        for row in range(height):
            for column in range(width):
                terrain = state.terrain[index(table.cell_of(column, row))]
                out[index(at + width * row + column)] = terrain
    if state.goal == c.SEIZE:
        note_locations(state, out, at, 2)


@kernel
def note_locations(state: State, out: Vector, at: int, value: int) -> None:
    """Locations on the map as it lies."""
    width = int64(state.width)
    for cell in state.location:
        if cell != c.NONE:
            out[index(at + width * table.row_of(cell) + table.column_of(cell))] = value


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
def observe_deeds(state: State, viewer: Seat, out: Vector, at: int) -> None:
    """What every ship did in the last turn, as it lies: many ships at once."""
    size, own, enemies = deeds_of_ship(state), int64(0), int64(state.zion)
    first, last = own, enemies
    if viewer >= enemies:
        own, enemies = enemies, own
        first, last = own, int64(state.seats)
    if viewer > first:
        before, after = viewer - first, last - viewer - 1
        copy_deeds(state, size * viewer, size, out, at)
        copy_deeds(state, size * first, size * before, out, at + size)
        copy_deeds(state, size * (viewer + 1), size * after, out, at + size * (1 + before))
    else:  # they lie in order
        copy_deeds(state, size * first, size * (last - first), out, at)
    others = int64(state.seats) - last + first
    copy_deeds(state, size * enemies, size * others, out, at + size * (last - first))


@kernel
def copy_deeds(state: State, first: int, count: int, out: Vector, at: int) -> None:
    for number in range(count):
        out[index(at + number)] = state.deeds[index(first + number)]


@kernel
def observe_deeds_in_planes(state: State, viewer: Seat, out: Vector, at: int, size: int) -> None:
    """The same; each number has a plane."""
    deeds = deeds_of_ship(state)
    for seat in range(int64(state.seats)):
        place = at + rank_of(state, viewer, seat)
        for number in range(deeds):
            out[index(place + number * size)] = state.deeds[index(seat * deeds + number)]


@kernel
def observe_marks(state: State, viewer: Seat, out: Vector, at: Places) -> None:
    """Flagships, who has escaped, who is upgraded twice."""
    if state.goal == c.FLAGSHIP:
        for team in range(2):
            out[index(at.marks + rank_of(state, viewer, flagship_of(state, team)))] = 1
    for seat in range(int64(state.seats)):
        rank = rank_of(state, viewer, seat)
        if state.goal == c.BREAKTHROUGH:
            out[index(at.marks + rank)] = state.escaped[seat]
        if state.battles:
            out[index(at.second_upgrade + rank)] = state.second[seat]


@kernel
def observe_locations(state: State, viewer: Seat, out: Vector, at: int) -> None:
    """Where they lie, and whose they are."""
    for number, location in enumerate(state.location):
        cell, place = int64(location), at + 3 * number
        if cell == c.NONE:
            break
        if table.alive(state, viewer):
            tell_way(int64(state.cell[viewer]), int64(state.facing[viewer]), cell, out, place)
        seat = table.ship_at(state, cell)
        if seat != c.NONE:
            out[index(place + 2)] = (
                1 if table.team_of(state, seat) == table.team_of(state, viewer) else -1
            )


@kernel
def observe_score(state: State, viewer: Seat, out: Vector, at: Places, size: int) -> None:
    """Numbers about the goal and the campaign."""
    team = table.team_of(state, viewer)
    if state.goal == c.SEIZE:
        note(out, at.points, int64(state.points[team]), size)
        note(out, at.points + size, int64(state.points[1 - team]), size)
        note(out, at.points + 2 * size, int64(state.points_to_win), size)
    if state.goal == c.BREAKTHROUGH:
        note(out, at.escapes_left, max(0, escapes_needed(state) - ships_escaped(state)), size)
    if state.pick_side:
        note(out, at.picking, state.phase == c.PICK, size)
    if state.battles:
        battles = at.upgrading + size
        note(out, at.upgrading, state.phase == c.UPGRADE, size)
        note(out, battles, int64(state.won[team]), size)
        note(out, battles + size, int64(state.won[1 - team]), size)
        note(out, battles + 2 * size, battles_of(state) - state.battle, size)
        for other in range(int64(state.seats)):
            if other == viewer or (state.share_plans and table.team_of(state, other) == team):
                place = at.own_upgrades + size * RAISED_SIZE * rank_of(state, viewer, other)
                observe_choices(state, viewer, other, state.upgrade, STATS, out, place, size)


@kernel
def ships_in_game(state: State) -> tuple[int, int]:
    """Each team's ships on the map, or still to be deployed."""
    if state.phase != c.PLAN:
        return ships_of(state, c.ZION), ships_of(state, c.MACHINES)
    zion, both = 0, 0
    for seat in range(int64(state.seats)):
        here = state.cell[index(seat)] != c.NONE
        both += here
        zion += here and seat < state.zion
    return zion, both - zion


@kernel
def report(state: State, seat: Seat, out: Numbers) -> None:
    team = table.team_of(state, seat)
    out[0] = state.turns
    out[1] = state.phase
    out[2] = state.slot if state.mover != NOBODY else 0
    out[3] = state.hull_left[seat]
    zion, machines = ships_in_game(state)
    out[4] = zion if team == c.ZION else machines
    out[5] = machines if team == c.ZION else zion
    out[6] = deciding(state, seat)
    seizing, warring = state.goal == c.SEIZE, battles_of(state) > 1
    out[7] = state.points[team] if seizing else 0
    out[8] = state.points[1 - team] if seizing else 0
    out[9] = ships_escaped(state) if state.goal == c.BREAKTHROUGH else 0
    out[10] = state.won[team] if warring else 0
    out[11] = state.won[1 - team] if warring else 0
