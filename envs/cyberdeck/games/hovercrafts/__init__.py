"""Hovercrafts: two teams of ships on a hex map, who plan their turns in secret."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import Game, Metric, Option, Options, is_whole, lazy, whole_numbers
from cyberdeck.engine.record import NOBODY, RUNNING
from cyberdeck.errors import OptionError
from cyberdeck.games.hovercrafts import rules
from cyberdeck.games.hovercrafts.heuristic import heuristic
from cyberdeck.games.hovercrafts.hidden import resample, withdraw_secret_actions
from cyberdeck.games.hovercrafts.invariants import INVARIANTS, check_state
from cyberdeck.games.hovercrafts.observation import METRICS, features, observe, report
from cyberdeck.games.hovercrafts.rules import HIGHEST, MARGIN, NONE, SHIPS, STRIDE, WIDEST

#: Map sizes by the larger team's ships.
SIZES = {1: (7, 4), 2: (9, 6), 3: (11, 8), 4: (13, 10), 5: (13, 10)}
LARGEST = (15, 12)  # for 6 to 9

FREE_HEX, WALL_HEX = ".", "#"
FACINGS = ("N", "NE", "SE", "S", "SW", "NW")

#: (option of a ship, lowest, highest, the text's)
STATS = (("hull", 1, 9, 3), ("shield", 0, 6, 1), ("ballistic", 0, 6, 1), ("energy", 0, 6, 1))

# --- options -------------------------------------------------------------------------------------


def checked_ships(value: Any) -> tuple[int, int]:
    ships = whole_numbers(value) if not isinstance(value, (str, bytes)) else None
    if ships is None or len(ships) != 2 or not all(1 <= n <= 9 for n in ships):
        raise OptionError(
            f"ships={value!r} is not possible: give (Zion's, the Machines'), 1 to 9 each"
        )
    if sum(ships) > SHIPS:
        raise OptionError(f"ships={value!r} are {sum(ships)}: {SHIPS} in all are the most")
    return ships[0], ships[1]


def checked_scenario(value: Any) -> str | tuple[str, ...]:
    """A scenario's name, or a map as strings, one for each row."""
    if isinstance(value, str):
        if value not in rules.SCENARIOS:
            raise OptionError(
                f"scenario={value!r} is not possible: choose "
                + ", ".join(repr(name) for name in rules.SCENARIOS)
                + ", or give a map: a list of strings, '.' for a free hex and '#' for a wall"
            )
        return value
    if not isinstance(value, Sequence) or not all(isinstance(row, str) for row in value):
        raise OptionError(f"scenario={value!r} is no map: it must be a list of strings")
    rows = tuple(value)
    if not 1 <= len(rows) <= HIGHEST:
        raise OptionError(f"the map has {len(rows)} rows: it must have 1 to {HIGHEST}")
    for at, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise OptionError(
                f"row {at} of the map has {len(row)} hexes and row 0 has {len(rows[0])}: all rows "
                "must be of one length"
            )
        for column, character in enumerate(row):
            if character not in (FREE_HEX, WALL_HEX):
                raise OptionError(
                    f"row {at}, column {column} of the map is {character!r}: a hex is "
                    f"{FREE_HEX!r} if free and {WALL_HEX!r} if a wall"
                )
    if not 2 <= len(rows[0]) <= WIDEST:
        raise OptionError(f"the map has {len(rows[0])} columns: it must have 2 to {WIDEST}")
    return rows


def checked_density(value: Any) -> float:
    number = isinstance(value, (int, float, np.integer, np.floating)) and value is not True
    if not number or not 0 <= value <= 0.6:
        raise OptionError(f"wall_density={value!r} is not possible: give a number from 0 to 0.6")
    return round(float(value), 3)


def checked_size(name: str, least: int, most: int) -> Any:
    def check(value: Any) -> int | None:
        if value is None:
            return None
        if not is_whole(value) or not least <= value <= most:
            raise OptionError(
                f"{name}={value!r} is not possible: give a whole number from {least} to {most}, "
                "or None for the scenario's own"
            )
        return int(value)

    return check


def checked_stats(value: Any) -> tuple[tuple[int, int, int, int], ...] | None:
    """Each ship's (hull, shield, ballistic, energy); None for the text's everywhere."""
    if value is None:
        return None
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise OptionError(f"stats={value!r} is not possible: give one entry for each ship, or None")
    return tuple(_checked_ship(at, ship) for at, ship in enumerate(value))


def _checked_ship(at: int, ship: Any) -> tuple[int, int, int, int]:
    names = [name for name, *_ in STATS]
    if ship is None:
        ship = {}
    if isinstance(ship, Mapping):
        for name in ship:
            if name not in names:
                raise OptionError(
                    f"stats of ship {at}: there is no {name!r}; there are: " + ", ".join(names)
                )
        ship = [ship.get(name, usual) for name, _, _, usual in STATS]
    listed = whole_numbers(ship)
    if listed is None or len(listed) != len(STATS):
        raise OptionError(
            f"stats of ship {at} are {ship!r}: give ({', '.join(names)}) as whole numbers, a "
            "dictionary of those that differ from (3, 1, 1, 1), or None"
        )
    for value, (name, low, high, _) in zip(listed, STATS, strict=True):
        if not low <= value <= high:
            raise OptionError(f"stats of ship {at}: {name} {value} must be from {low} to {high}")
    return listed[0], listed[1], listed[2], listed[3]


def resolve_options(options: dict[str, Any]) -> dict[str, Any]:
    """The size of the map, and whether everybody has a place to start from."""
    most, scenario = max(options["ships"]), options["scenario"]
    width, height = SIZES.get(most, LARGEST)
    if not isinstance(scenario, str):
        width, height = len(scenario[0]), len(scenario)
        for name, given in (("width", width), ("height", height)):
            if options[name] not in (None, given):
                raise OptionError(
                    f"{name}={options[name]} does not fit the map, which has {given}: leave it out"
                )
        for column in (0, width - 1):
            free = sum(row[column] == FREE_HEX for row in scenario)
            if free < most:
                raise OptionError(
                    f"column {column} of the map has {free} free hexes: sides are drawn, so both "
                    f"outer columns need room for {most} ships"
                )
    settled = dict(options)
    settled["width"] = width if options["width"] is None else options["width"]
    settled["height"] = height if options["height"] is None else options["height"]
    if settled["height"] < most:
        raise OptionError(
            f"height={settled['height']} leaves no room for {most} ships in a start column"
        )
    ships = sum(options["ships"])
    usual = tuple(stat[3] for stat in STATS)
    settled["stats"] = options["stats"] or (usual,) * ships
    if len(settled["stats"]) != ships:
        raise OptionError(f"stats has {len(settled['stats'])} entries: there are {ships} ships")
    return settled


OPTIONS = (
    Option(
        "ships",
        (1, 1),
        "(Zion's, the Machines'): 1 to 9 each, 10 in all; teams may be uneven",
        check=checked_ships,
    ),
    Option(
        "scenario",
        "skirmish",
        "`skirmish` (no walls), `tunnels` (winding corridors), `random` (scattered walls), or a "
        "map: a list of strings, `.` free and `#` wall",
        check=checked_scenario,
    ),
    Option(
        "width",
        None,
        "columns of the map; by the larger team: 7 for 1 ship, 9 for 2, 11 for 3, 13 for 4 and 5, "
        "15 for more",
        check=checked_size("width", 2, WIDEST),
    ),
    Option(
        "height",
        None,
        "rows of the map; likewise 4, 6, 8, 10, 12",
        check=checked_size("height", 1, HIGHEST),
    ),
    Option(
        "wall_density", 0.15, "share of walls with `random`, from 0 to 0.6", check=checked_density
    ),
    Option(
        "stats",
        None,
        "each ship's (hull, shield, ballistic, energy); None: 3, 1, 1, 1 for all",
        check=checked_stats,
    ),
    Option(
        "deployment",
        "choose",
        "`choose`: ships are placed by their players; `random`: drawn, and facing inward",
        choices=rules.DEPLOYMENTS,
    ),
    Option("emp_per_turn", 1, "how many EMPs a plan may hold", bounds=(1, rules.SLOTS)),
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
        choices=rules.REWARDS,
        scoring=True,
        field="reward_mode",
    ),
    Option(
        "max_turns", 50, "turns after which the game is truncated", bounds=(1, rules.MOST_TURNS)
    ),
    Option(
        "observation",
        "vector",
        "`vector`, told from the ship's own place; `planes` of the map, for convolutions; or "
        "`prior`: the vector and what the heuristic makes of each action and of the others",
        choices=rules.OBSERVATIONS,
        view=True,
        field="shown",
        renamed={"advised": "prior"},
    ),
)


def write_options(record: NDArray[Any], options: Options) -> None:
    zion, machines = options["ships"]
    scenario = options["scenario"]
    given = not isinstance(scenario, str)
    record["zion"] = zion
    record["seats"] = zion + machines
    record["width"] = options["width"]
    record["height"] = options["height"]
    record["scenario"] = rules.GIVEN if given else rules.SCENARIOS.index(scenario)
    record["walls_drawn"] = round(1000 * options["wall_density"])
    record["deployment"] = rules.DEPLOYMENTS.index(options["deployment"])
    record["emp_per_turn"] = options["emp_per_turn"]
    record["share_plans"] = options["share_plans"]
    record["reward_mode"] = rules.REWARDS.index(options["reward"])
    record["max_turns"] = options["max_turns"]
    record["shown"] = rules.OBSERVATIONS.index(options["observation"])
    for at, (name, *_) in enumerate(STATS):
        record[name][:, : zion + machines] = [ship[at] for ship in options["stats"]]
    if given or scenario == "skirmish":
        write_map(record, scenario if given else None)


def write_map(record: NDArray[Any], rows: Sequence[str] | None) -> None:
    """The terrain of a map, or of one without walls."""
    width, height = int(record["width"][0]), int(record["height"][0])
    terrain = np.full(rules.CELLS, rules.OFF_MAP, np.int8).reshape(-1, STRIDE)
    inside = terrain[MARGIN : MARGIN + height, MARGIN : MARGIN + width]
    inside[:] = rules.FREE
    for at, row in enumerate(rows or ()):
        inside[at] = [rules.WALL if hexagon == WALL_HEX else rules.FREE for hexagon in row]
    record["terrain"] = terrain.reshape(-1)


def read_map(record: NDArray[Any]) -> tuple[str, ...]:
    """The map as strings."""
    width, height = int(record["width"][0]), int(record["height"][0])
    terrain = record["terrain"][0].reshape(-1, STRIDE)
    inside = terrain[MARGIN : MARGIN + height, MARGIN : MARGIN + width]
    return tuple(
        "".join(WALL_HEX if hexagon == rules.WALL else FREE_HEX for hexagon in row)
        for row in inside
    )


def read_options(record: NDArray[Any]) -> dict[str, Any]:
    state = record[0]
    seats, zion = int(state["seats"]), int(state["zion"])
    given = state["scenario"] == rules.GIVEN
    ships = zip(*(state[name][:seats].tolist() for name, *_ in STATS), strict=True)
    return {
        "ships": (zion, seats - zion),
        "scenario": read_map(record) if given else rules.SCENARIOS[state["scenario"]],
        "width": int(state["width"]),
        "height": int(state["height"]),
        "wall_density": int(state["walls_drawn"]) / 1000,
        "stats": tuple(ships),
        "deployment": rules.DEPLOYMENTS[state["deployment"]],
        "emp_per_turn": int(state["emp_per_turn"]),
        "share_plans": bool(state["share_plans"]),
        "reward": rules.REWARDS[state["reward_mode"]],
        "max_turns": int(state["max_turns"]),
        "observation": rules.OBSERVATIONS[state["shown"]],
    }


# --- starts --------------------------------------------------------------------------------------

STARTS = (
    Metric("starting", "the team that deploys first, on the rightmost column: zion or machines"),
    Metric(
        "ships",
        "each ship's (column, row, facing) or (column, row, facing, hull left), facings as N, NE, "
        "SE, S, SW, NW or 0 to 5; None: out of the game. A turn begins there",
    ),
    Metric("dice", f"the faces of the next dice, 1 to 6, at most {rules.SCRIPT}"),
)


def prescribe(record: NDArray[Any], options: Options) -> bool:
    """Write who is ``starting``, where the ``ships`` are, and the ``dice`` to come."""
    state = record[0]
    if "starting" in options:
        if options["starting"] not in rules.TEAMS:
            raise OptionError(f"starting={options['starting']!r} is no team: zion or machines")
        state["starting"] = rules.TEAMS.index(options["starting"])
    dice = whole_numbers(options.get("dice", ()))
    if dice is None or len(dice) > rules.SCRIPT or not all(1 <= face <= 6 for face in dice):
        raise OptionError(
            f"dice={options['dice']!r} are not possible: give at most {rules.SCRIPT} faces, 1 to 6"
        )
    state["script"] = 0
    state["script"][rules.SCRIPT - len(dice) :] = dice[::1]
    state["scripted"] = len(dice)
    if "ships" not in options:
        return False
    ships = options["ships"]
    seats = int(state["seats"])
    if isinstance(ships, str) or not isinstance(ships, Sequence) or len(ships) != seats:
        raise OptionError(f"ships={ships!r} is not possible: give one entry for each of {seats}")
    rules.clear(state)
    for seat, ship in enumerate(ships):
        if ship is None:
            state["hull_left"][seat] = 0
        else:
            _place(state, seat, ship)
    for team, name in enumerate(rules.TEAMS):
        if not rules.ships_left(state, team):
            raise OptionError(f"{name} has no ship left: that is the end of a game")
    rules.begin_turn(state)
    return True


def _place(state: np.void, seat: int, ship: Any) -> None:
    try:
        column, row, facing, *hull = ship
    except (TypeError, ValueError):
        raise OptionError(
            f"ship {seat} is {ship!r}: give (column, row, facing) or (column, row, facing, hull)"
        ) from None
    if not (is_whole(column) and 0 <= column < state["width"]) or not (
        is_whole(row) and 0 <= row < state["height"]
    ):
        raise OptionError(
            f"ship {seat}: column {column!r}, row {row!r} is not on the map, which has "
            f"{state['width']} columns and {state['height']} rows"
        )
    cell = rules.cell_of(column, row)
    if state["terrain"][cell] != rules.FREE or rules.ship_at(state, cell) != NONE:
        raise OptionError(f"ship {seat}: column {column}, row {row} is a wall or taken")
    if isinstance(facing, str) and facing in FACINGS:
        facing = FACINGS.index(facing)
    if not is_whole(facing) or not 0 <= facing < len(FACINGS):
        raise OptionError(f"ship {seat}: facing {facing!r} must be 0 to 5 or " + ", ".join(FACINGS))
    left = hull[0] if hull else int(state["hull"][seat])
    if len(hull) > 1 or not is_whole(left) or not 1 <= left <= state["hull"][seat]:
        raise OptionError(f"ship {seat}: hull left {left!r} must be 1 to {state['hull'][seat]}")
    state["cell"][seat] = cell
    state["facing"][seat] = facing
    state["hull_left"][seat] = left


# --- actions -------------------------------------------------------------------------------------


def actions(options: Options) -> tuple[tuple[int, str], ...]:
    planned = tuple((1, f"plan: {name}") for name in rules.ACTIONS)
    if options["deployment"] == "random":
        return planned
    deployed = "deploy in the own start column: 7 + 6 * row + facing"
    return (*planned, (6 * options["height"], deployed))


def action_name(record: NDArray[Any], action: int) -> str:
    if 0 <= action < rules.PLACES:
        return rules.ACTIONS[action]
    row, facing = divmod(action - rules.PLACES, len(FACINGS))
    if action >= 0 and row < record["height"][0]:
        return f"deploy in row {row}, facing {FACINGS[facing]}"
    return "nothing"


def agents(options: Options) -> tuple[str, ...]:
    zion, machines = options["ships"]
    return (
        *(f"zion_{ship}" for ship in range(zion)),
        *(f"machines_{ship}" for ship in range(machines)),
    )


# --- pictures ------------------------------------------------------------------------------------


def frames(record: NDArray[Any]) -> list[NDArray[Any]]:
    """The last turn as it stood after each of its phases, and the record as it is.

    A redrawn game has forgotten the dice of its last turn: it is shown as it is alone.
    """
    shown = [record]
    state = record[0]
    if state["passed"] and state["before_dice"]:
        before = record.copy()
        past = before[0]
        past["dice"], past["scripted"] = past["before_dice"], past["before_scripted"]
        past["cell"], past["facing"] = past["before_cell"], past["before_facing"]
        past["hull_left"], past["passed"] = past["before_hull"], 0
        past["actions"], past["plan"] = past["before_actions"], NONE
        past["mover"], past["reason"] = NOBODY, RUNNING
        phases = []
        while rules.phases_left(past):
            rules.carry_out_phase(past)
            phases.append(before.copy())
        shown = [*phases, record]
    return shown


def secret(record: NDArray[Any], seat: int) -> bool:
    """Deployments are open, plans are not."""
    state = record[0]
    return bool(state["phase"] != rules.DEPLOY and state["mover"] != seat)


GAME = Game(
    name="hovercrafts",
    title="Hovercrafts",
    gym_id="cyberdeck/Hovercrafts-v0",
    summary="Two teams of ships hunt each other on a hex map, with plans made in secret.",
    seats=agents,
    most_seats=rules.SHIPS,
    options=OPTIONS,
    starts=STARTS,
    reasons=rules.REASONS,
    metrics=METRICS,
    invariants=INVARIANTS,
    rewards=(
        "`outcome`: the winning team's ships get 1, the losing team's -1, the disabled included; "
        "draw or truncation 0. `damage`: each turn also 0.1 x (hull lost by the enemies - hull "
        "lost by the own team)."
    ),
    reward_bound=1e4,
    shuffle=rules.shuffle,
    start=rules.start,
    legal=rules.legal,
    act=rules.act,
    observe=observe,
    report=report,
    resample=resample,
    heuristic=heuristic,
    check_state=check_state,
    seat_count=rules.seats,
    side=rules.team_of,
    acts_simultaneously=rules.acts_simultaneously,
    withdraw_secret_actions=withdraw_secret_actions,
    fields=rules.FIELDS,
    actions=actions,
    features=features,
    write_options=write_options,
    read_options=read_options,
    prescribe=prescribe,
    action_name=action_name,
    svg=lazy("cyberdeck.games.hovercrafts.drawing", "svg"),
    text=lazy("cyberdeck.games.hovercrafts.drawing", "text"),
    teams=rules.TEAMS,
    resolve_options=resolve_options,
    events=lazy("cyberdeck.games.hovercrafts.drawing", "events"),
    frames=frames,
    secret=secret,
)
