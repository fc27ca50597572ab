"""Hovercrafts in words: what there is to see, what is to be decided, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from cyberdeck.engine.constants import FORFEIT, NOBODY
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.views.hovercrafts.fields import (
    TEAM_NAMES,
    cell_of,
    column_row,
    crew,
    deciding,
    flagships,
    is_out,
    known_plan,
    known_upgrades,
    label,
    named,
    planning,
    replaying,
    revealed,
    ships_left,
    start_column,
    team_of,
    turn_number,
    upgrades_due,
)
from cyberdeck.views.hovercrafts.story import score
from cyberdeck.views.record import Record
from cyberdeck.views.view import (
    DRAWN,
    LOST,
    WON,
    Board,
    Cell,
    Ending,
    Line,
    Mask,
    Page,
    Panel,
    Piece,
    Viewer,
    seat_of,
)

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
half a hex lower. Beside it: hull left/whole, stats, plans of now and of last."""

_ARROWS: Final = "↑↗↘↓↙↖"
_BRIEF: Final = ("move", "right", "left", "land", "EMP", "repair", "-")


def first_side(record: Record) -> int:
    """The action that picks the right side: it comes after deployment's."""
    return c.PLACES + (6 * int(record.height) if record.deployment == c.CHOOSE else 0)


def first_upgrade(record: Record) -> int:
    """The action that raises the hull: it comes after those that pick a side."""
    return first_side(record) + len(c.SIDES) * int(record.pick_side)


def action_name(record: Record, action: int) -> str:
    side, upgrade = action - first_side(record), action - first_upgrade(record)
    if 0 <= action < c.PLACES:
        return c.ACTIONS[action]
    if action >= 0 and side < 0:
        row, facing = divmod(action - c.PLACES, len(c.FACINGS))
        return f"deploy in row {row}, facing {c.FACINGS[facing]}"
    if side >= 0 and upgrade < 0:
        return f"take the {c.SIDES[side]} side"
    if 0 <= upgrade < len(c.STAT_NAMES) and record.battles:
        return f"raise {c.STAT_NAMES[upgrade]}"
    return "nothing"


def public(record: Record) -> dict[str, Any]:
    """Plans and upgrades are not shown to spectators before they are carried out."""
    return {"plan": c.NONE, "upgrade": c.NONE}


# --- how far it is -------------------------------------------------------------------------------


def _battle(record: Record) -> int:
    """The number of the battle, from 1: the one before, where upgrades follow it."""
    number = record.battle + (record.phase != c.UPGRADE)
    return min(c.BATTLES[record.battles], int(number))


def turn(record: Record) -> str:
    """The turn that is planned, or what comes before it or after it."""
    stages = {c.DEPLOY: "Deployment", c.PICK: "Sides", c.UPGRADE: "Upgrades"}
    stage = stages.get(record.phase, f"Turn {turn_number(record)}")
    return f"Battle {_battle(record)}, {stage.lower()}" if record.battles else stage


def _status(record: Record) -> list[str]:
    if record.phase in (c.DEPLOY, c.PICK):
        told = [f"{record.max_turns} turns"]
    else:
        told = [f"turn {turn_number(record)}/{record.max_turns}"]
    if record.battles:
        told.insert(0, f"battle {_battle(record)} of {c.BATTLES[record.battles]}")
    if record.mover == NOBODY and not replaying(record):
        return [*told, "game over"]
    if replaying(record):
        return [*told, f"phase {record.passed}"]
    stages = {c.DEPLOY: "deployment", c.PICK: "sides", c.UPGRADE: "upgrades"}
    return [*told, stages.get(record.phase, f"planning action {record.slot + 1}")]


def task(record: Record, viewer: Viewer, mask: Mask) -> str:
    """What the seat has to do; what all do, to a spectator."""
    mover, seat = record.mover, seat_of(viewer)
    if replaying(record):
        return f"turn {turn_number(record)} is carried out: phase {record.passed}"
    if record.phase == c.DEPLOY:
        if mover == seat:
            return f"deploy {label(record, mover)} in column {start_column(record, mover)}"
        return f"{label(record, mover)} is deployed"
    if record.phase == c.PICK:
        own = "pick the side of your team"
        return own if mover == seat else f"{label(record, mover)} picks a side"
    if seat is None:
        return "the ships plan" if record.phase == c.PLAN else "the ships raise stats"
    if record.phase == c.UPGRADE:
        if deciding(record, seat):
            return f"raise a stat: {record.slot + 1} of {upgrades_due(record, seat)}"
        return "others still choose what they raise"
    if deciding(record, seat):
        told = f"plan action {record.slot + 1} of {record.actions[seat]}"
        return told + (_barred(record, mask) if mask is not None and mover == seat else "")
    if record.escaped[seat]:
        return "your ship has escaped: the others plan"
    if is_out(record, seat):
        return "your ship is out: the others plan"
    return "your plan is complete: others still plan"


def _barred(record: Record, mask: Sequence[int]) -> str:
    """What may not be planned now, and why."""
    if not mask[c.NO_ACTION]:
        return ": anything but no action"
    if not mask[c.MOVE]:
        return ": the plan is over"
    return "" if mask[c.EMP] else f": only {record.emp_per_turn} EMP a turn"


def ending(record: Record, viewer: Viewer) -> Ending | None:
    """How the game ended, if it has."""
    if record.mover != NOBODY or replaying(record):
        return None
    points, reason = record.points, record.reason
    winner = _winner(record)
    loser = TEAM_NAMES[1 - winner] if winner != c.NONE else ""
    why = {
        FORFEIT: f"an illegal action of {loser}",
        c.MAX_TURNS: f"stopped after {record.turns} turns",
        c.BOTH_OUT: "no ship of either team is left",
        c.DISABLED_ALL: f"no ship of {loser} is left",
        c.FLAGSHIP_OUT: f"the flagship of {loser} is out",
        c.FLAGSHIPS_OUT: "both flagships are out",
        c.POINTS: f"{max(points)} points to {min(points)}",
        c.POINTS_EQUAL: f"both have {max(points)} points",
        c.ESCAPED: f"{sum(record.escaped)} ships have escaped",
        c.HELD: f"{loser} did not break through",
        c.WAR_WON: f"battles: {score(record.won)}",
        c.WAR_DRAWN: f"battles: {score(record.won)}",
    }[reason]
    why = why[0].upper() + why[1:]
    if winner == c.NONE:
        return Ending("Timed out" if reason == c.MAX_TURNS else "A draw", why, DRAWN)
    lost = viewer is not None and winner != team_of(record, viewer[0])
    headline = "Zion wins" if winner == c.ZION else "The Machines win"
    return Ending(headline, why, LOST if lost else WON)


def _winner(record: Record) -> int:
    """The team that has won, by what the record says of both; NONE: neither."""
    zion, machines = {
        FORFEIT: (record.reward[0], record.reward[record.zion]),
        c.DISABLED_ALL: [ships_left(record, team) for team in (c.ZION, c.MACHINES)],
        c.FLAGSHIP_OUT: [record.cell[seat] != c.NONE for seat in flagships(record)],
        c.POINTS: record.points,
        c.ESCAPED: (1 - record.starting, record.starting),
        c.HELD: (record.starting, 1 - record.starting),
        c.WAR_WON: record.won,
    }.get(record.reason, (0, 0))
    if zion == machines:
        return c.NONE
    return c.ZION if zion > machines else c.MACHINES


# --- the page ------------------------------------------------------------------------------------


def page(record: Record, viewer: Viewer, mask: Mask) -> Page:
    """The map with its ships, what counts, and each ship with what is known of its plans."""
    legend = [("###", "wall")] if c.WALL in record.terrain else []
    legend += [("(o)", "location")] if record.goal == c.SEIZE else []
    return Page(
        title="Hovercrafts",
        status=_status(record),
        task=task(record, viewer, mask),
        ending=ending(record, viewer),
        board=_board(record, seat_of(viewer)),
        panels=[*scores(record), *(_ship(record, viewer, seat) for seat in range(record.seats))],
        legend=[*legend, ("?", "not known yet"), ("1/1/1", "shield/ballistic/energy")],
    )


def _board(record: Record, own: int | None) -> Board:
    ships = {cell: seat for seat, cell in enumerate(record.cell) if cell != c.NONE}
    columns, rows = range(record.width), range(record.height)

    def shown(cell: int) -> Cell:
        text, pieces, marks = ".", (), ()
        if record.terrain[cell] == c.WALL:
            text, marks = "###", ("wall",)
        elif cell in record.location:
            text, marks = "(o)", ("location",)
        if cell in ships:
            seat = ships[cell]
            facing, ship = record.facing[seat], label(record, seat)
            text = f"{'*' if seat == own else ' '}{ship}{_ARROWS[facing]}"
            pieces = (Piece(f"{ship}, facing {c.FACINGS[facing]}", seat),)
        return Cell(text, named(cell), pieces, marks)

    return Board(
        cells=[[shown(cell_of(column, row)) for column in columns] for row in rows],
        columns=[str(column) for column in columns],
        rows=[f"{row:>2}" for row in rows],
        hexes=True,
    )


def scores(record: Record) -> list[Panel]:
    """How it stands with the goal, and in the campaign; nothing where ships are all that counts."""
    told = []
    if record.goal == c.FLAGSHIP:
        ships = " and ".join(label(record, seat) for seat in flagships(record))
        told.append(Panel("Flagships", [Line(ships)]))
    if record.goal == c.SEIZE:
        points = f"{score(record.points)}; {record.points_to_win} win"
        told.append(Panel("Points", [Line(points)]))
    if record.goal == c.BREAKTHROUGH:
        settled = record.phase in (c.DEPLOY, c.PLAN)
        who = TEAM_NAMES[record.starting] if settled else "the right side"
        needed = -(-record.escape_share * len(crew(record, record.starting)) // 1000)
        count = f"{sum(record.escaped)} of {needed} escaped"
        told.append(Panel("Breakthrough", [Line(f"by {who}, to the left"), Line(count)]))
    if record.battles:
        told.append(Panel("Battles", [Line(score(record.won))]))
    return told


def _ship(record: Record, viewer: Viewer, seat: int) -> Panel:
    """A ship with what is known of its turn, and of the one before."""
    name = label(record, seat) + (" (you)" if seat == seat_of(viewer) else "")
    if is_out(record, seat):
        name += " escaped" if record.escaped[seat] else " out"
    else:
        stats = record.shield[seat], record.ballistic[seat], record.energy[seat]
        name += f" hull {record.hull_left[seat]}/{record.hull[seat]}, {'/'.join(map(str, stats))}"
    lines = [Line(name)]
    if planning(record) and (plan := known_plan(record, viewer, seat)):
        known = seat in (viewer or ()) or any(action != c.NONE for action in plan)
        lines.append(Line(f"  now {_plan(plan)}", 1 if known else 2))
    if chosen := known_upgrades(record, viewer, seat):
        lines.append(Line(f"  raises {', '.join(raised(chosen))}", 1))
    if last := revealed(record, seat):
        lines.append(Line(f"  last {_plan(last)}", 3))
    if record.phase == c.DEPLOY or record.cell[seat] != c.NONE:
        landed = ", landed" if record.passed and record.landed[seat] else ""
        lines.append(Line(f"  {whereabouts(record, seat)}{landed}", 4))
    return Panel("", lines)


def raised(stats: Sequence[int]) -> list[str]:
    """The stats that a ship raises; ? for one that is not known."""
    return ["?" if stat == c.NONE else c.STAT_NAMES[stat] for stat in stats]


def _plan(actions: Sequence[int]) -> str:
    return " ".join("?" if action == c.NONE else _BRIEF[action] for action in actions)


def whereabouts(record: Record, seat: int) -> str:
    """Where a ship is deployed, or will be."""
    cell = record.cell[seat]
    if cell == c.NONE:
        return f"starts in column {start_column(record, seat)}"
    column, row = column_row(cell)
    return f"column {column}, row {row}, facing {c.FACINGS[record.facing[seat]]}"
