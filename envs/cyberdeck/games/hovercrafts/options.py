"""Hovercrafts: its options: what they may be, and those that are no fields of the record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import Columns, Option, Options, Record
from cyberdeck.engine.definitions import is_real
from cyberdeck.errors import OptionError
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.games.hovercrafts.table import cell_of, column_of, row_of

#: Map sizes by the larger team's ships.
SIZES = {1: (7, 4), 2: (9, 6), 3: (11, 8), 4: (13, 10), 5: (13, 10)}
LARGEST = (15, 12)  # for 6 to 9

#: With ``breakthrough``: rows of the map, and how many attackers have to escape, by scenario and by
#: the larger team's ships. Between heuristics each side gets 40 to 60% of the points with these.
BREAKTHROUGH = {
    "skirmish": {1: (2, 1), 2: (7, 2), 3: (5, 2), 4: (10, 3), 5: (8, 3)},
    "tunnels": {1: (2, 1), 2: (3, 1), 3: (5, 1), 4: (6, 1), 5: (6, 1)},
    "random": {1: (2, 1), 2: (10, 2), 3: (7, 2), 4: (7, 2), 5: (7, 2)},
}

FREE_HEX, WALL_HEX, LOCATION_HEX = ".", "#", "*"

#: (option of a ship, lowest, highest, the text's)
STATS = (("hull", 1, 9, 3), ("shield", 0, 6, 1), ("ballistic", 0, 6, 1), ("energy", 0, 6, 1))


def checked_scenario(value: Any) -> str | tuple[str, ...]:
    """A scenario's name, or a map as strings, one for each row."""
    if isinstance(value, str):
        if value not in c.SCENARIOS:
            raise OptionError(
                f"scenario={value!r} is not possible: choose "
                + ", ".join(repr(name) for name in c.SCENARIOS)
                + ", or give a map: a list of strings, '.' for a free hex, '#' for a wall and '*' "
                "for a location"
            )
        return value
    if not isinstance(value, Sequence) or not all(isinstance(row, str) for row in value):
        raise OptionError(f"scenario={value!r} is no map: it must be a list of strings")
    rows = tuple(value)
    if not 1 <= len(rows) <= c.HIGHEST:
        raise OptionError(f"the map has {len(rows)} rows: it must have 1 to {c.HIGHEST}")
    for at, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise OptionError(
                f"row {at} of the map has {len(row)} hexes and row 0 has {len(rows[0])}: all rows "
                "must be of one length"
            )
        for column, character in enumerate(row):
            if character not in (FREE_HEX, WALL_HEX, LOCATION_HEX):
                raise OptionError(
                    f"row {at}, column {column} of the map is {character!r}: a hex is "
                    f"{FREE_HEX!r} if free, {WALL_HEX!r} if a wall and {LOCATION_HEX!r} if a "
                    "location"
                )
    if not 2 <= len(rows[0]) <= c.WIDEST:
        raise OptionError(f"the map has {len(rows[0])} columns: it must have 2 to {c.WIDEST}")
    return rows


def resolve_options(options: dict[str, Any]) -> dict[str, Any]:
    """The size of the map, and whether everybody has a place to start from."""
    most, scenario = max(options["ships"]), options["scenario"]
    if sum(options["ships"]) > c.SHIPS:
        raise OptionError(
            f"ships={options['ships']!r} are {sum(options['ships'])}: at most {c.SHIPS} in all"
        )
    width, height = SIZES.get(most, LARGEST)
    share: float = 0.5
    if options["goal"] == "breakthrough" and isinstance(scenario, str) and most in SIZES:
        height, fewest = BREAKTHROUGH[scenario][most]
        share = fewest / most
    if not isinstance(scenario, str):
        width, height = len(scenario[0]), len(scenario)
        for name, given in (("width", width), ("height", height)):
            if options[name] not in (None, given):
                raise OptionError(
                    f"{name}={options[name]} does not fit the map, which has {given}: leave it out"
                )
        for column in (0, width - 1):
            free = sum(row[column] != WALL_HEX for row in scenario)
            if free < most:
                raise OptionError(
                    f"column {column} of the map has {free} free hexes: sides are drawn, so both "
                    f"outer columns need room for {most} ships"
                )
        if options["goal"] != "seize":
            scenario = tuple(row.replace(LOCATION_HEX, FREE_HEX) for row in scenario)
    settled = dict(options, scenario=scenario)
    settled["width"] = width if options["width"] is None else options["width"]
    settled["height"] = height if options["height"] is None else options["height"]
    share = share if options["escape_share"] is None else options["escape_share"]
    escapes = [c.escapes(share, ships) for ships in options["ships"]]
    settled["escape_share"] = share_of(escapes, options["ships"])
    if settled["height"] < most:
        raise OptionError(
            f"height={settled['height']} leaves no room for {most} ships in a start column"
        )
    if options["goal"] == "seize":
        check_locations(settled)
    ships = sum(options["ships"])
    usual = tuple(stat[3] for stat in STATS)
    settled["stats"] = options["stats"] or (usual,) * ships
    if len(settled["stats"]) != ships:
        raise OptionError(f"stats has {len(settled['stats'])} entries: there are {ships} ships")
    return settled


def check_locations(options: Options) -> None:
    """Whether a map can have its locations."""
    width, height, scenario = options["width"], options["height"], options["scenario"]
    wanted, third = options["locations"], options["width"] // 3
    where = f"columns {third} to {width - 1 - third}"
    if isinstance(scenario, str):
        room = (width - 2 * third) * height
        if room < wanted:
            raise OptionError(
                f"locations={wanted} lie in {where}, which have {room} hexes: give a larger map "
                "or fewer locations"
            )
        return
    shared = reachable(scenario, 0) & reachable(scenario, width - 1)
    marked = marks(scenario)
    if len(marked) > max(c.LOCATIONS):
        raise OptionError(f"the map has {len(marked)} locations: {max(c.LOCATIONS)} are the most")
    for column, row in marked:
        if (column, row) not in shared:
            raise OptionError(
                f"row {row}, column {column} of the map is a location that cannot be reached from "
                "both outer columns: clear a way to it"
            )
    room = sum(third <= column < width - third for column, _ in shared)
    if not marked and room < wanted:
        raise OptionError(
            f"locations={wanted} lie in {where}: of the map's hexes there {room} can be reached "
            "from both outer columns: clear a way, ask for fewer, or mark them with '*'"
        )


def marks(scenario: Sequence[str], wanted: str = LOCATION_HEX) -> list[tuple[int, int]]:
    """(column, row) of a map's locations, or of other hexes, row by row."""
    return [
        (column, row)
        for row, hexagons in enumerate(scenario)
        for column, hexagon in enumerate(hexagons)
        if hexagon in wanted
    ]


def reachable(scenario: Sequence[str], start: int) -> set[tuple[int, int]]:
    """The (column, row) that can be reached from an outer column."""
    free = set(marks(scenario, FREE_HEX + LOCATION_HEX))
    found = {place for place in free if place[0] == start}
    reached = list(found)
    while reached:
        column, row = reached.pop()
        beside = {(column + right, row + down) for right, down in c.TOWARDS[column & 1]}
        reached += beside & free - found
        found |= beside & free
    return found


class Scenario(Option):
    """A number for one that is drawn; else a map, and the locations that it marks."""

    def encoded(self, value: str | tuple[str, ...]) -> dict[str, Any]:
        if isinstance(value, str):
            return {"scenario": c.SCENARIOS.index(value)}
        cells = [cell_of(column, row) for column, row in marks(value)]
        held = {"scenario": c.MARKED if cells else c.GIVEN, "terrain": terrain(value)}
        if cells:
            held["location"] = cells + [c.NONE] * (max(c.LOCATIONS) - len(cells))
        return held

    def read(self, state: np.void) -> str | tuple[str, ...]:
        if state["scenario"] < c.GIVEN:
            return c.SCENARIOS[state["scenario"]]
        inside = _inside(state["terrain"], state["width"], state["height"])
        rows = [[WALL_HEX if cell == c.WALL else FREE_HEX for cell in row] for row in inside]
        if state["scenario"] == c.MARKED:
            for cell in state["location"][state["location"] != c.NONE]:
                rows[row_of(cell)][column_of(cell)] = LOCATION_HEX
        return tuple("".join(row) for row in rows)


def terrain(rows: Sequence[str]) -> NDArray[np.int8]:
    """(CELLS,) of a map."""
    cells = np.full(c.CELLS, c.OFF_MAP, np.int8)
    _inside(cells, len(rows[0]), len(rows))[:] = [
        [c.WALL if hexagon == WALL_HEX else c.FREE for hexagon in row] for row in rows
    ]
    return cells


def _inside(cells: NDArray[np.int8], width: int, height: int) -> NDArray[np.int8]:
    """(height, width): the hexes without the margin."""
    return cells.reshape(-1, c.STRIDE)[c.MARGIN : c.MARGIN + height, c.MARGIN : c.MARGIN + width]


def checked_share(value: Any) -> float:
    """A share that asks for a ship at least, and for no more than there are."""
    if not is_real(value) or not 0 < value <= 1:
        raise OptionError(
            f"escape_share={value!r} is not possible: it must be a number above 0, and at most 1, "
            "or None"
        )
    return float(value)


def share_of(escapes: Sequence[int], ships: Sequence[int]) -> float:
    """The largest share that asks each team for so many of its ships.

    >>> share_of((2, 2), (3, 3)) == 2 / 3, share_of((1, 2), (2, 4))
    (True, 0.5)
    """
    return min(few / count for few, count in zip(escapes, ships, strict=True))


class Share(Option):
    """What a record holds, and the game derives, is how many of either team's ships it asks for."""

    def encoded(self, value: float) -> dict[str, Any]:
        return {}

    def read(self, state: np.void) -> float:
        zion, ships = int(state["zion"]), int(state["seats"])
        return share_of(state["escapes"].tolist(), (zion, ships - zion))


OPTIONS = (
    Columns(
        "ships",
        (1, 1),
        "how many fly for each team: at most 10 in all; teams may be uneven",
        columns=(
            Option("zion", 1, bounds=(1, 9)),
            Option("machines", 1, bounds=(1, 9), field="seats"),
        ),
        over=[("seats", "zion")],
    ),
    Scenario(
        "scenario",
        "skirmish",
        "`skirmish` (no walls), `tunnels` (winding corridors), `random` (scattered walls), or a "
        "map: a list of strings, `.` free, `#` wall and `*` location",
        check=checked_scenario,
    ),
    Option(
        "width",
        None,
        "columns of the map; by the larger team: 7 for 1 ship, 9 for 2, 11 for 3, 13 for 4 and 5, "
        "15 for more",
        bounds=(2, c.WIDEST),
    ),
    Option(
        "height",
        None,
        "rows of the map; likewise 4, 6, 8, 10, 12; with `breakthrough` by the scenario, too",
        bounds=(1, c.HIGHEST),
    ),
    Option(
        "wall_density",
        0.15,
        "share of walls with `random`",
        bounds=(0, 0.6),
        digits=3,
        field="walls_drawn",
    ),
    Columns(
        "stats",
        None,
        f"of each ship; None: {', '.join(str(usual) for *_, usual in STATS)} for all",
        columns=tuple(Option(name, usual, bounds=(low, high)) for name, low, high, usual in STATS),
        rows="seats",
        over=[(name, "raised", at) for at, name in enumerate(c.STAT_NAMES)],  # by upgrades
    ),
    Option(
        "goal",
        "fleet",
        "what wins a battle besides the last ship: `fleet` (nothing else), `flagship` (the "
        "other's first ship is out), `seize` (points for standing on locations), `breakthrough` "
        "(ships of the rightmost column escape over the leftmost one)",
        choices=c.GOALS,
    ),
    Option(
        "locations",
        c.LOCATIONS[0],
        "with `seize`: how many there are, unless a map marks them",
        choices=c.LOCATIONS,
        indexed=True,
    ),
    Option(
        "points",
        5,
        "with `seize`: how many win",
        bounds=(1, c.MOST_POINTS),
        field="points_to_win",
    ),
    Share(
        "escape_share",
        None,
        "with `breakthrough`: which share of the attackers has to escape, more than 0 and at most "
        "1, rounded up to whole ships; None: by the scenario and the larger team",
        check=checked_share,
    ),
    Option(
        "deployment",
        "choose",
        "`choose`: ships are placed by their players; `random`: drawn, and facing inward",
        choices=c.DEPLOYMENTS,
    ),
    Option(
        "pick_side",
        False,
        "True: the first ship of the team whose roll was higher picks its side; False: it has the "
        "rightmost column",
        choices=(False, True),
    ),
    Option("emp_per_turn", 1, "how many EMPs a plan may hold", bounds=(1, c.SLOTS)),
    Option(
        "share_plans",
        False,
        "True: allies see each other's slots of this turn once all have decided them",
        choices=(False, True),
    ),
    Option(
        "reward",
        "outcome",
        "`outcome`: which team wins; `damage`: and each turn 0.1 x (hull lost by the enemies - "
        "hull lost by the own team)",
        choices=c.REWARDS,
        scoring=True,
        field="reward_mode",
    ),
    Option(
        "max_turns",
        50,
        "turns after which the game is truncated, or a battle of a campaign drawn",
        bounds=(1, c.MOST_TURNS),
    ),
    Option(
        "battles",
        c.BATTLES[0],
        "more than 1: a campaign of so many battles at most, with upgrades between them",
        choices=c.BATTLES,
        indexed=True,
    ),
    Option(
        "observation",
        "vector",
        "`vector`, told from the ship's own place; `planes` of the map, for convolutions; or "
        "`prior`: the vector and what the heuristic makes of each action and of the others",
        choices=c.OBSERVATIONS,
        view=True,
        field="shown",
    ),
)


def most_phases(options: Options) -> int:
    """How many a turn can have: of the die, and of energy."""
    if options["battles"] > 1:
        return c.SLOTS
    return c.SLOTS - c.MOST_STAT + max(energy for *_, energy in options["stats"])


def derive(record: Record, options: Options) -> None:
    record["phases"] = most_phases(options)
    record["escapes"] = [c.escapes(options["escape_share"], count) for count in options["ships"]]
    if options["battles"] == 1:
        record["upgrade"] = c.NONE
    if options["scenario"] == "skirmish":
        record["terrain"] = terrain([FREE_HEX * options["width"]] * options["height"])
