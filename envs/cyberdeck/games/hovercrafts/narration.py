"""Hovercrafts in words: what a ship's player may know of a turn, and what the last one brought."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.kernels import Action, Seat, State
from cyberdeck.engine.plain import as_python
from cyberdeck.engine.record import FORFEIT, NOBODY, RUNNING
from cyberdeck.games.hovercrafts.campaign import battles_of, judge_war, upgrades_due
from cyberdeck.games.hovercrafts.deployment import start_column
from cyberdeck.games.hovercrafts.goals import (
    escapes_needed,
    flagship_of,
    ships_escaped,
    verdict,
)
from cyberdeck.games.hovercrafts.hidden import knows
from cyberdeck.games.hovercrafts.observation import deciding
from cyberdeck.games.hovercrafts.phase import carry_out_phase
from cyberdeck.games.hovercrafts.table import (
    ACTIONS,
    BOTH_OUT,
    BREAKTHROUGH,
    DEPLOY,
    DISABLED_ALL,
    EMP,
    ESCAPED,
    FACINGS,
    FLAGSHIP,
    FLAGSHIP_OUT,
    FLAGSHIPS_OUT,
    FREE,
    HELD,
    LAND,
    LEFT,
    MACHINES,
    MAX_TURNS,
    MOVE,
    NO_ACTION,
    NONE,
    OFF_MAP,
    PICK,
    PLACES,
    PLAN,
    POINTS,
    POINTS_EQUAL,
    REPAIR,
    RIGHT,
    SEIZE,
    SIDES,
    SLOTS,
    STAT_NAMES,
    UPGRADE,
    WALL,
    WAR_DRAWN,
    WAR_WON,
    ZION,
    Cell,
    Facing,
    Slot,
    Team,
    adjacent,
    beside,
    cell_of,
    column_of,
    first_side,
    first_upgrade,
    is_out,
    row_of,
    team_of,
)
from cyberdeck.games.hovercrafts.turn import deeds_of_ship, phases_left, planned

Record: TypeAlias = NDArray[Any]  # (1,)
Viewers: TypeAlias = tuple[Seat, ...] | None  # whose secrets are known; None: all that is there

TEAM_NAMES: Final = ("ZION", "THE MACHINES")

# --- ships and their places ----------------------------------------------------------------------


def crew(state: State, team: Team) -> range:
    """The seats of a team."""
    zion, seats = int(state["zion"]), int(state["seats"])
    return range(zion) if team == ZION else range(zion, seats)


def column_row(cell: Cell) -> tuple[int, int]:
    return column_of(cell), row_of(cell)


def label(state: State, seat: Seat) -> str:
    """Z0, Z1, ... and M0, M1, ... for the agents ``zion_0`` and so on."""
    zion = int(state["zion"])
    return f"Z{seat}" if seat < zion else f"M{seat - zion}"


def hexes(state: State) -> list[Cell]:
    """The cells of the map, row by row."""
    wide, high = int(state["width"]), int(state["height"])
    return [cell_of(column, row) for row in range(high) for column in range(wide)]


def fired(state: State, attacker: Seat, target: Seat) -> bool:
    return bool(int(state["shot"][attacker]) >> target & 1)


def place_of(state: State, seat: Seat) -> Cell:
    """Where a ship is, or where it was when the last phase finished it."""
    cell = int(state["cell"][seat])
    return cell if cell != NONE else int(state["wreck"][seat])


# --- the turn ------------------------------------------------------------------------------------


@functools.cache
def _carry_out_phase() -> Callable[..., None]:
    """Plain code will do for one turn: to compile it takes many seconds, in every process."""
    return as_python(carry_out_phase)


def frames(record: Record) -> list[Record]:
    """The last turn as it stood after each of its phases, and the record as it is.

    A redrawn game has forgotten the dice of its last turn: it is shown as it is alone.
    """
    state = record[0]
    if not (state["passed"] and state["before_dice"]):
        return [record]
    begun = record.copy()
    past = begun[0]
    past["dice"], past["scripted"] = past["before_dice"], past["before_scripted"]
    past["cell"], past["facing"] = past["before_cell"], past["before_facing"]
    past["hull_left"], past["actions"] = past["before_hull"], past["before_actions"]
    past["escaped"][past["before_cell"] != NONE] = 0
    past["phase"] = PLAN  # in a campaign upgrades may have come after it
    past["mover"], past["plan"] = NOBODY, NONE
    # And what has changed since, so that all records after a turn have begun it with the same one.
    for name in ("passed", "deeds", "jammed", "lost", "reason", "slot", "decisions", "reward"):
        past[name] = 0
    phases = np.frombuffer(_carried_out(begun.tobytes(), begun.dtype), begun.dtype).copy()
    return [*(phases[at : at + 1] for at in range(len(phases))), record]


@functools.lru_cache(maxsize=64)
def _carried_out(begun: bytes, dtype: np.dtype[Any]) -> bytes:
    """A turn from its beginning, after each of its phases: pictures ask for it at every slot."""
    record = np.frombuffer(begun, dtype).copy()
    phases = []
    while phases_left(record[0]):
        _carry_out_phase()(record[0])
        phases.append(record.tobytes())
    return b"".join(phases)


def last_turn(record: Record) -> list[State]:
    """The last turn after each of its phases so far; of a redrawn game, only after the last."""
    state = record[0]
    if not state["passed"]:
        return []
    phases = [phase[0] for phase in frames(record)[:-1]][: int(state["passed"])]
    return phases or [state]


def replaying(state: State) -> bool:
    """Whether this is a turn that is being carried out: there are such records in ``frames``.

    Nobody is asked although the game goes on, or phases of the revealed plans are still to come.
    """
    if int(state["mover"]) == NOBODY and int(state["reason"]) == RUNNING:
        return True
    return int(state["phase"]) != DEPLOY and phases_left(state)


def turn_number(state: State) -> int:
    """The number of the turn, from 1: of the one that is planned, or was the last."""
    ended = replaying(state) or int(state["reason"]) not in (RUNNING, FORFEIT)
    ended = ended or int(state["phase"]) == UPGRADE
    return int(state["turns"]) + (0 if ended else 1)


def planning(state: State) -> bool:
    """Whether a turn is planned, and not shown once more, or the last one."""
    asking = int(state["phase"]) == PLAN and int(state["mover"]) != NOBODY
    return asking and not replaying(state)


def decides(state: State, seat: Seat) -> bool:
    """Whether a seat plans now: see ``deciding``."""
    return planning(state) and deciding(state, seat)


def known_plan(state: State, viewers: Viewers, seat: Seat) -> list[Action]:
    """A ship's slots of this turn; NONE where nothing is planned or no viewer may know."""
    return [
        int(state["plan"][seat, slot]) if _known(state, viewers, seat, slot) else NONE
        for slot in range(int(state["actions"][seat]))
    ]


def _known(state: State, viewers: Viewers, seat: Seat, slot: Slot) -> bool:
    if viewers is None:  # slot by slot: to who looks on, the ships choose at the same time
        return bool(slot < state["slot"])
    return any(knows(state, viewer, seat, slot) for viewer in viewers)


def course(state: State, seat: Seat) -> tuple[list[Cell], Facing]:
    """Where the own plan so far leads if nobody is in the way: all cells, and the last facing."""
    cells, facing = [int(state["cell"][seat])], int(state["facing"][seat])
    for action in known_plan(state, (seat,), seat):
        ahead = beside(cells[-1], facing)
        if action == MOVE and state["terrain"][ahead] != WALL:
            cells.append(ahead)
            if state["terrain"][ahead] == OFF_MAP:
                break
        facing = (facing + {RIGHT: 1, LEFT: 5}.get(action, 0)) % 6
    return cells, facing


def revealed(state: State, seat: Seat) -> list[Action]:
    """The plan of the last turn, without the slots after its end."""
    return [int(action) for action in state["revealed"][seat] if action != NONE]


def carried_out(state: State, seat: Seat) -> list[tuple[Action, bool]]:
    """The same with what was done instead after an EMP; and whether it has been carried out."""
    first, passed = seat * deeds_of_ship(state), int(state["passed"])
    done = [int(deed) - 1 for deed in state["deeds"][first : first + passed]]
    plan = revealed(state, seat)
    return [
        (did if did != NONE else action, did != NONE or action == NO_ACTION)
        for action, did in zip_longest(plan, done[: len(plan)], fillvalue=NONE)
    ]


def decided(state: State, viewers: Viewers, seat: Seat) -> list[bool]:
    """Whether all may know that a slot of this turn is decided, or a viewer what in it."""
    known = known_plan(state, viewers, seat)
    return [action != NONE or slot < state["slot"] for slot, action in enumerate(known)]


# --- what the last phase brought -----------------------------------------------------------------

MOVED, BLOCKED, CRASHED, LEFT_MAP, BROKE_THROUGH = range(5)


def move_of(state: State, seat: Seat) -> int | None:
    """What came of a ship's move in the last phase."""
    was = int(state["was"][seat])
    if not state["passed"] or was == NONE or int(state["done"][seat]) != MOVE:
        return None
    terrain = int(state["terrain"][beside(was, int(state["facing"][seat]))])
    if terrain != FREE:
        left = BROKE_THROUGH if state["escaped"][seat] else LEFT_MAP
        return CRASHED if terrain == WALL else left
    return MOVED if place_of(state, seat) == int(state["aim"][seat]) else BLOCKED


def lost(state: State) -> list[Seat]:
    """The ships that went out of the game in the last phase."""
    if not state["passed"]:
        return []
    seats = range(int(state["seats"]))
    return [
        seat
        for seat in seats
        if is_out(state, seat) and not state["escaped"][seat] and int(state["was"][seat]) != NONE
    ]


def lost_in(record: Record) -> dict[Seat, Slot]:
    """The ships that went out of the game in the last turn, and in which phase, from 1."""
    return {seat: int(phase["passed"]) for phase in last_turn(record) for seat in lost(phase)}


def deeds(state: State, seat: Seat) -> list[str]:
    """What a ship did in the last phase."""
    ship, action = label(state, seat), int(state["done"][seat])
    if int(state["was"][seat]) == NONE or action == NO_ACTION:
        return []
    move = move_of(state, seat)
    if move is not None:
        column, row = column_row(int(state["aim"][seat]))
        rammed = int(state["rammed"][seat])
        if rammed != NONE:
            further = f" and moves to {column},{row}" if move == MOVED else ""
            return [f"{ship} rams {label(state, rammed)}{further}"]
        deed = (
            f"moves to {column},{row}",
            f"stays before {column},{row}",
            "hits a wall",
            "leaves the map",
            "escapes",
        )
        return [f"{ship} {deed[move]}"]
    if action == LAND and int(state["revealed"][seat, int(state["passed"]) - 1]) != LAND:
        return [f"{ship} lands, hit by an EMP"]
    return [f"{ship} {_DEEDS[action]}"]


#: What is done besides moves: who sets off an EMP or repairs is landed too.
_DEEDS: Final = {
    RIGHT: "turns right",
    LEFT: "turns left",
    LAND: "lands",
    EMP: "lands and uses EMP",
    REPAIR: "lands and repairs",
}


def happened(state: State) -> list[str]:
    """The last phase in words."""
    if not state["passed"]:
        return []
    seats = range(int(state["seats"]))
    told = [deed for seat in seats for deed in deeds(state, seat)]
    told += [_jammed(state, seat) for seat in seats if state["jammed"][seat]]
    for attacker in seats:
        for target in seats:
            if fired(state, attacker, target):
                hit = int(state["hit"][attacker]) >> target & 1
                verb = "hits" if hit else "misses"
                told.append(f"{label(state, attacker)} {verb} {label(state, target)}")
    return told + [f"{label(state, seat)} is out" for seat in lost(state)]


def _jammed(state: State, seat: Seat) -> str:
    """Whose EMP has hit a ship, one of those beside it that set one off; and what comes of it."""
    users = [
        label(state, user)
        for user in range(int(state["seats"]))
        if state["done"][user] == EMP
        and place_of(state, user) != NONE
        and adjacent(place_of(state, user), place_of(state, seat))
    ]
    effect = "" if is_out(state, seat) else ": no effect"
    if state["passed"] < SLOTS and planned(state, seat, int(state["passed"])) != NO_ACTION:
        effect = ": lands next"
    return f"{label(state, seat)} is hit by the EMP of {' or '.join(users)}{effect}"


def phase_by_phase(record: Record) -> list[tuple[int, str]]:
    """The phases of the last turn with their numbers, in words: what has happened, and the hull
    that is left to those who lost or repaired some.
    """
    phases = b"".join(state.tobytes() for state in last_turn(record))
    return list(_told(phases, record.dtype))


@functools.lru_cache(maxsize=64)
def _told(phases: bytes, dtype: np.dtype[Any]) -> tuple[tuple[int, str], ...]:
    """The same of these records, one after the other: pictures tell it at every slot."""
    told = []
    hulls: list[int] | None = None
    for state in np.frombuffer(phases, dtype):
        number = int(state["passed"])
        if number == 1:
            hulls = state["before_hull"].tolist()
        now = state["hull_left"].tolist()
        changed = [
            f"{label(state, seat)} {now[seat]}/{int(state['hull'][seat])}"
            for seat in range(int(state["seats"]))
            if hulls is not None
            and int(state["cell"][seat]) != NONE
            and (now[seat] != hulls[seat] or state["done"][seat] == REPAIR)
        ]
        events = happened(state) + ([f"hull {', '.join(changed)}"] if changed else [])
        told.append((number, "; ".join(events) or "nothing happens"))
        hulls = now
    return tuple(told)


def turn(record: Record) -> str:
    """The turn that is planned, or what comes before it or after it."""
    state = record[0]
    stages = {DEPLOY: "Deployment", PICK: "Sides", UPGRADE: "Upgrades"}
    stage = stages.get(int(state["phase"]), f"Turn {turn_number(state)}")
    if not int(state["battles"]):
        return stage
    battle = int(state["battle"]) + (int(state["phase"]) != UPGRADE)
    return f"Battle {battle}, {stage.lower()}"


def events(before: Record, after: Record) -> list[str]:
    """The turn that has been carried out, if one has, in words, a line for each phase; and what it
    meant for the goal and the campaign, or the upgrades that all have chosen.
    """
    was, now = before[0], after[0]
    if replaying(now):
        deeds = "; ".join(happened(now)) or "nothing happens"
        return [f"turn {turn_number(now)}, phase {int(now['passed'])}: {deeds}"]
    ended = was["battle"] != now["battle"]
    told = []
    if was["phase"] == PLAN and (ended or was["turns"] != now["turns"]):
        told = [line for phase in frames(after)[:-1] for line in events(before, phase)]
        points = [int(now["points"][team]) for team in (ZION, MACHINES)]
        if points != was["points"].tolist() and any(points):
            told.append(f"points: Zion {points[ZION]}, the Machines {points[MACHINES]}")
    if ended:
        won = [team for team in (ZION, MACHINES) if now["won"][team] > was["won"][team]]
        outcome = f"{TEAM_NAMES[won[0]].title()} won" if won else "a draw"
        told.append(f"battle {int(now['battle'])}: {outcome}; {score_of_battles(now)}")
    raised = [
        f"{label(now, seat)} {name} {int(now[name][seat])}"
        for seat in range(int(now["seats"]))
        for at, name in enumerate(STAT_NAMES)
        if now["raised"][seat, at] > was["raised"][seat, at]
    ]
    return told + ([f"raised: {', '.join(raised)}"] if raised else [])


# --- the goal, and the campaign ------------------------------------------------------------------


def score_of_battles(state: State) -> str:
    zion, machines = (int(state["won"][team]) for team in (ZION, MACHINES))
    return f"Zion {zion}, the Machines {machines}"


def scores(state: State) -> list[str]:
    """How it stands with the goal, and in the campaign; nothing where ships are all that counts."""
    told = []
    goal = int(state["goal"])
    if goal == FLAGSHIP:
        flagships = " and ".join(label(state, flagship_of(state, team)) for team in range(2))
        told.append(f"flagships: {flagships}")
    if goal == SEIZE:
        zion, machines = state["points"].tolist()
        needed = int(state["points_to_win"])
        told.append(f"locations: Zion {zion}, the Machines {machines}, {needed} win")
    if goal == BREAKTHROUGH:
        settled = int(state["phase"]) in (DEPLOY, PLAN)
        who = TEAM_NAMES[int(state["starting"])].title() if settled else "the right side"
        count = f"{ships_escaped(state)} of {escapes_needed(state)}"
        told.append(f"breakthrough to the left by {who}: {count} escaped")
    if int(state["battles"]):
        battles = battles_of(state)
        number = min(battles, int(state["battle"]) + (int(state["phase"]) != UPGRADE))
        told.append(f"battle {number} of {battles}: {score_of_battles(state)}")
    return told


def is_flagship(state: State, seat: Seat) -> bool:
    return int(state["goal"]) == FLAGSHIP and seat == flagship_of(state, team_of(state, seat))


def known_upgrades(state: State, viewers: Viewers, seat: Seat) -> list[int]:
    """The stats that a ship raises now; NONE where none is chosen or no viewer may know."""
    if int(state["phase"]) != UPGRADE:
        return []
    return [
        int(state["upgrade"][seat, slot]) if _known(state, viewers, seat, slot) else NONE
        for slot in range(upgrades_due(state, seat))
    ]


def upgrades(state: State, seat: Seat) -> bool:
    """Whether a seat chooses an upgrade now."""
    asking = int(state["phase"]) == UPGRADE and int(state["mover"]) != NOBODY
    return asking and bool(deciding(state, seat))


def action_name(record: Record, action: int) -> str:
    state = record[0]
    side, upgrade = action - first_side(state), action - first_upgrade(state)
    if 0 <= action < PLACES:
        return ACTIONS[action]
    if action >= 0 and side < 0:
        row, facing = divmod(action - PLACES, len(FACINGS))
        return f"deploy in row {row}, facing {FACINGS[facing]}"
    if side >= 0 and upgrade < 0:
        return f"take the {SIDES[side]} side"
    if 0 <= upgrade < len(STAT_NAMES) and state["battles"]:
        return f"raise {STAT_NAMES[upgrade]}"
    return "nothing"


# --- what to do, and how it ended ----------------------------------------------------------------


def whereabouts(state: State, seat: Seat) -> str:
    """Where a ship is deployed, or will be."""
    cell = int(state["cell"][seat])
    if cell == NONE:
        return f"STARTS IN COLUMN {start_column(state, team_of(state, seat))}"
    column, row = column_row(cell)
    return f"COLUMN {column}, ROW {row}, FACING {FACINGS[int(state['facing'][seat])]}"


def task(state: State, seat: Seat | None) -> str:
    """What the seat has to do; what all do, to a spectator."""
    if replaying(state):
        return f"TURN {turn_number(state)} IS CARRIED OUT: PHASE {int(state['passed'])}"
    if int(state["phase"]) == DEPLOY:
        mover = int(state["mover"])
        if mover == seat:
            column = start_column(state, team_of(state, seat))
            return f"DEPLOY {label(state, seat)} IN COLUMN {column}"
        return f"{label(state, mover)} IS DEPLOYED"
    if int(state["phase"]) == PICK:
        if int(state["mover"]) == seat:
            return "PICK THE SIDE OF YOUR TEAM"
        return f"{label(state, int(state['mover']))} PICKS A SIDE"
    if seat is None:
        return "THE SHIPS PLAN" if int(state["phase"]) == PLAN else "THE SHIPS RAISE STATS"
    if int(state["phase"]) == UPGRADE:
        if upgrades(state, seat):
            return f"RAISE A STAT: {int(state['slot']) + 1} OF {upgrades_due(state, seat)}"
        return "OTHERS STILL CHOOSE WHAT THEY RAISE"
    if decides(state, seat):
        return f"PLAN ACTION {int(state['slot']) + 1} OF {int(state['actions'][seat])}"
    if state["escaped"][seat]:
        return "YOUR SHIP HAS ESCAPED: THE OTHERS PLAN"
    if is_out(state, seat):
        return "YOUR SHIP IS OUT: THE OTHERS PLAN"
    return "YOUR PLAN IS COMPLETE: OTHERS STILL PLAN"


def stage(state: State) -> str:
    """The phase of the game."""
    if ending(state):
        return "GAME OVER"
    if int(state["phase"]) != PLAN:
        return {DEPLOY: "DEPLOYMENT", PICK: "SIDES", UPGRADE: "UPGRADES"}[int(state["phase"])]
    if replaying(state):
        return f"PHASE {int(state['passed'])}"
    return f"PLANNING ACTION {int(state['slot']) + 1}"


class Ending(NamedTuple):
    """How the game ended, in plain words."""

    headline: str
    why: str
    winner: Team | None


def ending(state: State) -> Ending | None:
    """How the game ended, if it has."""
    reason = int(state["reason"])
    if reason == RUNNING or replaying(state):
        return None
    if reason == MAX_TURNS:
        return Ending("TIMED OUT", f"STOPPED AFTER {int(state['turns'])} TURNS", None)
    winner = NONE
    if reason == FORFEIT:
        winner = ZION if state["reward"][0] > 0 else MACHINES
    elif reason == WAR_WON:
        winner = int(judge_war(state)[1])
    elif reason not in (BOTH_OUT, FLAGSHIPS_OUT, POINTS_EQUAL, WAR_DRAWN):
        winner = int(verdict(state)[1])
    loser = TEAM_NAMES[1 - winner] if winner != NONE else ""
    why = {
        FORFEIT: f"AN ILLEGAL ACTION OF {loser}",
        BOTH_OUT: "NO SHIP OF EITHER TEAM IS LEFT",
        DISABLED_ALL: f"NO SHIP OF {loser} IS LEFT",
        FLAGSHIP_OUT: f"THE FLAGSHIP OF {loser} IS OUT",
        FLAGSHIPS_OUT: "BOTH FLAGSHIPS ARE OUT",
        POINTS: f"{int(state['points'].max())} POINTS TO {int(state['points'].min())}",
        POINTS_EQUAL: f"BOTH HAVE {int(state['points'].max())} POINTS",
        ESCAPED: f"{ships_escaped(state)} SHIPS HAVE ESCAPED",
        HELD: f"{loser} DID NOT BREAK THROUGH",
        WAR_WON: f"BATTLES: {score_of_battles(state).upper()}",
        WAR_DRAWN: f"BATTLES: {score_of_battles(state).upper()}",
    }[reason]
    if winner == NONE:
        return Ending("A DRAW", why, None)
    won = "ZION WINS" if winner == ZION else "THE MACHINES WIN"
    return Ending(won, why, winner)


# --- plain text ----------------------------------------------------------------------------------

_ARROWS: Final = "↑↗↘↓↙↖"


def _text_map(
    state: State, seat: Seat | None, cell_width: int = 5, dense: bool = False
) -> list[str]:
    """The map in two lines for each row, the second one with the odd columns; *dense*: in one."""
    shown = {
        int(state["cell"][ship]): f"{'*' if ship == seat else ' '}{label(state, ship)}"
        f"{_ARROWS[int(state['facing'][ship])]}"
        for ship in range(int(state["seats"]))
    }
    wide, high = int(state["width"]), int(state["height"])
    lines = ["    " + "".join(str(column).center(cell_width) for column in range(wide)).rstrip()]
    for row in range(high):
        for odd in (0,) if dense else (0, 1):
            line = f"{row:>2}  " if not odd else "    "
            for column in range(wide):
                cell = cell_of(column, row)
                empty = "###" if state["terrain"][cell] == WALL else "."
                empty = "(o)" if cell in state["location"] else empty
                hexagon = shown.get(cell, empty) if dense or column & 1 == odd else ""
                line += hexagon.center(cell_width)
            lines.append(line.rstrip())
    return lines


def _text_ship(state: State, viewer: Seat | None, seat: Seat) -> str:
    name = f"{label(state, seat)}{' (you)' if seat == viewer else ''}"
    name += " (flagship)" if is_flagship(state, seat) else ""
    cell = int(state["cell"][seat])
    if is_out(state, seat):
        return f"{name}: {'escaped' if state['escaped'][seat] else 'out'}"
    column, row = column_row(cell)
    facing = FACINGS[int(state["facing"][seat])]
    place = "not deployed" if cell == NONE else f"column {column}, row {row}, facing {facing}"
    stats = ", ".join(
        f"{name} {int(state[name][seat])}" for name in ("shield", "ballistic", "energy")
    )
    landed = ", landed" if state["passed"] and state["landed"][seat] else ""
    hull = f"hull {int(state['hull_left'][seat])}/{int(state['hull'][seat])}"
    return f"{name}: {place}, {hull}, {stats}{landed}"


def _text_plan(state: State, viewers: Viewers, seat: Seat) -> str:
    """The last plan of a ship, and what is known of this turn's; ? for a slot that is not."""
    before = [ACTIONS[action] for action in revealed(state, seat)]
    known = known_plan(state, viewers, seat) if planning(state) else []
    plan = ["?" if action == NONE else ACTIONS[action] for action in known]
    last = f"last turn {', '.join(before)}" if before else ""
    now = f"this turn {', '.join(plan)}" if plan else ""
    chosen = known_upgrades(state, viewers, seat)
    raised = ["?" if stat == NONE else STAT_NAMES[stat] for stat in chosen]
    upgrade = f"raises {', '.join(raised)}" if raised else ""
    parts = [part for part in (last, now, upgrade) if part]
    return f"{label(state, seat)}: {'; '.join(parts) or '-'}"


def text(record: Record, seat: Seat | None) -> str:
    """The table as plain text: ships with their facing, the own one with a star."""
    state = record[0]
    viewers = None if seat is None else (seat,)
    over = ending(state)
    seats = range(int(state["seats"]))
    told = happened(state)
    return "\n".join(
        [
            f"Hovercrafts, turn {turn_number(state)}/{int(state['max_turns'])}, "
            f"{stage(state).lower()}",
            f"{over.headline}. {over.why}" if over else task(state, seat),
            *scores(state),
            "",
            *_text_map(state, seat),
            "",
            *(_text_ship(state, seat, ship) for ship in seats),
            "",
            "plans:",
            *(f"  {_text_plan(state, viewers, ship)}" for ship in seats),
            *([f"last phase ({int(state['passed'])}):"] if told else []),
            *(f"  {event}" for event in told),
            "#: wall, ?: not known or not planned yet"
            + (", (o): location" if int(state["goal"]) == SEIZE else ""),
        ]
    )


def described(record: Record, viewers: Viewers) -> str:
    """The same in sentences: what a picture shows, for who hears it read out."""
    state = record[0]
    seats, told = range(int(state["seats"])), phase_by_phase(record)
    seat = None if viewers is None else viewers[0]
    lines = [
        situation(state, seat),
        f"The map has {int(state['width'])} columns and {int(state['height'])} rows",
        *scores(state),
        *(_text_ship(state, seat, ship) for ship in seats),
        "Plans",
        *(_text_plan(state, viewers, ship) for ship in seats),
        *(["Last turn"] if told else []),
        *(f"Phase {number}: {events}" for number, events in told),
    ]
    return ". ".join(lines) + "."


def situation(state: State, seat: Seat | None) -> str:
    """What is to be decided, or how it ended, as a sentence."""
    over = ending(state)
    words = f"{over.headline}. {over.why}" if over else task(state, seat)
    small = re.sub(r"\b[A-Z]+\b", lambda word: word[0].lower(), words)
    return small[:1].upper() + small[1:]


# --- the same for a terminal ---------------------------------------------------------------------

#: What fits in 80x24 beside the choices.
_WIDTH, _HEIGHT = 79, 20

_BRIEF: Final = ("move", "right", "left", "land", "EMP", "repair", "-")


def screen(record: Record, seats: Sequence[Seat]) -> str:
    """The table in few lines, the ships beside the map: with what whoever plays *seats* knows."""
    state = record[0]
    seat, high = seats[0], int(state["height"])
    over = ending(state)
    doing = f"{over.headline}. {over.why}" if over else task(state, seat)
    head = [
        f"Hovercrafts, turn {turn_number(state)}/{int(state['max_turns'])}, "
        f"{stage(state).lower()}. {doing}",
        *scores(state),
    ]
    # A large map has no room for a line of its own for the odd columns.
    dense = len(head) + 1 + 2 * high > _HEIGHT
    columns = _text_map(state, seat, 4, dense)
    wide = 4 + 4 * int(state["width"]) + 2
    ships = _ships_beside(state, seats, len(columns), _WIDTH - wide)
    rows = zip_longest(columns, ships, fillvalue="")
    told = [line.ljust(wide) + ship if ship else line for line, ship in rows]
    return "\n".join([*head, *(line.rstrip() for line in told)])


def _ships_beside(state: State, seats: Sequence[Seat], lines: int, room: int) -> list[str]:
    """The ships, and under each its orders and what it did last, as far as there is room."""
    told: list[tuple[str, int]] = []
    for ship in range(int(state["seats"])):
        name = f"{'*' if ship == seats[0] else ' '}{label(state, ship)}"
        if is_out(state, ship):
            told.append((f"{name} {'escaped' if state['escaped'][ship] else 'out'}", 0))
            continue
        hull = f"{int(state['hull_left'][ship])}/{int(state['hull'][ship])}"
        stats = "/".join(str(int(state[stat][ship])) for stat in STAT_NAMES[1:])
        told.append((f"{name} hull {hull}, {stats}", 0))
        told += [(f"     {line}", rank) for line, rank in _notes(state, seats, ship, room - 5)]
    for least in (3, 2, 1):
        if len(told) > lines:
            told = [each for each in told if each[1] < least]
    return [line for line, _ in told]


def _notes(state: State, seats: Sequence[Seat], ship: Seat, room: int) -> list[tuple[str, int]]:
    """What is known of a ship's turn, and of the one before; the higher, the sooner left out."""
    notes = [("flagship", 1)] if is_flagship(state, ship) else []
    if planning(state):
        orders = known_plan(state, tuple(seats), ship)
        known = ship in seats or any(order != NONE for order in orders)
        notes.append((_briefly("now", orders, room), 1 if known else 2))
    if int(state["phase"]) == UPGRADE:
        chosen = known_upgrades(state, tuple(seats), ship)
        stats = ["?" if stat == NONE else STAT_NAMES[stat] for stat in chosen]
        notes += [(f"raises {' '.join(stats)}", 1)] if stats else []
    if before := revealed(state, ship):
        notes.append((_briefly("last", before, room), 3))
    if state["passed"] and state["landed"][ship]:
        notes.append(("landed", 3))
    return notes


def _briefly(when: str, orders: Sequence[Action], room: int) -> str:
    """Orders in a line; by their first letters, if there is no room for words."""
    words = ["?" if order == NONE else _BRIEF[order] for order in orders]
    line = f"{when} {' '.join(words)}"
    return line if len(line) <= room else f"{when} {' '.join(word[:2] for word in words)}"


def seat_name(record: Record, seat: Seat) -> str:
    """A ship by its name on the map."""
    return label(record[0], seat)


def ended(record: Record, seat: Seat) -> str:
    """Why the game is over."""
    end = ending(record[0])
    why = end.why.lower() if end else ""
    return why.replace("zion", "Zion").replace("machines", "Machines")


#: The two teams' ships.
INKS: Final = ((r"\*?\bZ\d[↑↗↘↓↙↖]?", "green"), (r"\*?\bM\d[↑↗↘↓↙↖]?", "magenta"))

HOW_TO_PLAY: Final = """\
Be the last team with ships: Z0, Z1 ... of Zion, M0, M1 ... of the Machines.
Each turn every ship rolls how many actions it has and plans them in secret.
Then all plans are carried out at once, action by action (a phase each):
  move     to the hex ahead. Off the map a ship is out; a wall costs 1 hull; a
           ship that stands there is rammed: the one with less hull is more
           likely to lose 1, equal checks cost both 1
  right    turn by 60 degrees (and left)
  landing  do nothing: a landed ship does not shoot, and no EMP reaches it
  EMP      land, and jam the six ships around: they land in the next phase
  repair   land, and gain 1 hull, never more than at the start
  no action  the plan is over
Shooting: after each phase every ship that is not landed shoots at every enemy
in the three hexes before it (ahead, and the two beside that). It hits, for 1
hull, if its ballistic check beats the target's shield check. A check is half a
die, rounded up, and the stat. A ship without hull is out.
Goals (option goal): flagship: sink the other's first ship. seize: a point each
turn for each location (o) that you hold. breakthrough: leave by the left edge.
On the map: * your ship, arrows where ships face, ### a wall; odd columns lie
half a hex lower. Beside it: hull left/whole, shield/ballistic/energy, orders."""
