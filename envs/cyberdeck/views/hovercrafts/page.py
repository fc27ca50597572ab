"""Hovercrafts in words: what there is to see, what is to be decided, and how it ended."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, Final

from cyberdeck.common.text import counted
from cyberdeck.engine.constants import FORFEIT, NOBODY
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.views import view
from cyberdeck.views.hovercrafts.fields import TEAM_NAMES, Battle, cell_of, named
from cyberdeck.views.hovercrafts.story import score
from cyberdeck.views.record import Record
from cyberdeck.views.view import Board, Ending, Line, Mask, Page, Panel, Viewer

#: The two teams' ships.
INKS: Final = ((r"\*?\bZ\d[↑↗↘↓↙↖]?", "green"), (r"\*?\bM\d[↑↗↘↓↙↖]?", "magenta"))


def how_to_write(options: Mapping[str, Any]) -> str:
    """How actions are written."""
    told = [f"Actions are planned one at a time: {', '.join(c.ACTIONS)}."]
    if options["deployment"] == c.DEPLOYMENTS[c.CHOOSE]:
        told.append("A ship is deployed by its row and facing: row 2 NE.")
    if options["pick_side"]:
        told.append("A side is picked by: right side, left side.")
    if options["battles"] > 1:
        told.append(f"A stat is raised by: raise {', raise '.join(c.STAT_NAMES)}.")
    return textwrap.fill(" ".join(told), 79)


_ARROWS: Final = "↑↗↘↓↙↖"
_BRIEF: Final = ("move", "right", "left", "land", "EMP", "repair", "-")
_STAGES: Final = {c.DEPLOY: "deployment", c.PICK: "sides", c.UPGRADE: "upgrades"}


# --- how far it is -------------------------------------------------------------------------------


def _battle(record: Battle) -> int:
    """The number of the battle, from 1: the one before, where upgrades follow it."""
    number = record.battle + (record.phase != c.UPGRADE)
    return min(c.BATTLES[record.battles], int(number))


def turn(record: Record) -> str:
    """The turn that is planned, or what comes before it or after it."""
    seen = Battle.seen(record, None)
    stage = _STAGES.get(seen.phase, f"turn {seen.turn_number}")
    return f"Battle {_battle(seen)}, {stage}" if seen.battles else view.sentence(stage)


def _status(record: Battle) -> list[str]:
    told = []
    if record.battles:
        told.append(f"battle {_battle(record)} of {c.BATTLES[record.battles]}")
    begins = record.phase in (c.DEPLOY, c.PICK)
    turn = f"turn {record.turn_number}/{record.max_turns}"
    told.append(f"{record.max_turns} turns" if begins else turn)
    if record.replaying:
        return [*told, f"phase {record.passed}"]
    if record.mover == NOBODY:
        return [*told, "game over"]
    return [*told, _STAGES.get(record.phase, f"planning action {record.slot + 1}")]


def _task(record: Battle) -> str:
    """What the viewer has to do; what all do, to a spectator.

    In a turn the mask tells nothing: who sees one would know who has been asked already.
    """
    mover, seat = record.mover, record.own
    if record.replaying:
        return f"turn {record.turn_number} is carried out: phase {record.passed}"
    if record.phase == c.DEPLOY:
        if mover == seat:
            return f"deploy {record.label(mover)} in column {record.start_column(mover)}"
        return f"{record.label(mover)} is to be deployed"
    if record.phase == c.PICK:
        own = "pick the side of your team"
        return own if mover == seat else f"{record.label(mover)} picks a side"
    if seat is None:
        return "the ships plan" if record.phase == c.PLAN else "the ships raise stats"
    if record.phase == c.UPGRADE:
        if record.deciding(seat):
            return f"raise a stat: {record.slot + 1} of {record.upgrades_due(seat)}"
        return "others still choose what they raise"
    if record.deciding(seat):
        return f"plan action {record.slot + 1} of {record.actions[seat]}"
    if record.cell[seat] != c.NONE:
        return "your plan is complete: others still plan"
    return f"your ship {'has escaped' if record.escaped[seat] else 'is out'}: the others plan"


# --- how it ended --------------------------------------------------------------------------------


def ending(record: Record, viewer: Viewer) -> Ending | None:
    """How the game ended, if it has."""
    seen = Battle.seen(record, viewer)
    if seen.mover != NOBODY or seen.replaying:
        return None
    winner = _winner(seen)
    loser = "" if winner == c.NONE else TEAM_NAMES[1 - winner]
    escaped = sum(seen.escaped)
    why = {
        FORFEIT: f"{loser} forfeited the game",
        c.MAX_TURNS: f"stopped after {seen.turns} turns",
        c.BOTH_OUT: "no ship of either team is left",
        c.DISABLED_ALL: f"no ship of {loser} is left",
        c.FLAGSHIP_OUT: f"the flagship of {loser} is out",
        c.FLAGSHIPS_OUT: "both flagships are out",
        c.POINTS: f"{max(seen.points)} points to {min(seen.points)}",
        c.POINTS_EQUAL: f"both have {max(seen.points)} points",
        c.ESCAPED: f"{counted(escaped, 'ship')} {'has' if escaped == 1 else 'have'} escaped",
        c.HELD: f"{loser} did not break through",
        c.WAR_WON: f"battles: {score(seen.won)}",
        c.WAR_DRAWN: f"battles: {score(seen.won)}",
    }[seen.reason]
    if winner == c.NONE:
        headline, mood = "Timed out" if seen.reason == c.MAX_TURNS else "A draw", view.DRAWN
    else:
        headline = "Zion wins" if winner == c.ZION else "The Machines win"
        lost = viewer is not None and winner != seen.team_of(viewer[0])
        mood = view.LOST if lost else view.WON
    return Ending(headline, view.sentence(why), mood)


def _winner(record: Battle) -> int:
    """The team that has won, by what the record says of both; NONE: neither."""
    zion, machines = {
        FORFEIT: (record.reward[0], record.reward[record.zion]),
        c.DISABLED_ALL: (record.ships_left(c.ZION), record.ships_left(c.MACHINES)),
        c.FLAGSHIP_OUT: [record.cell[seat] != c.NONE for seat in record.flagships],
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
    seen = Battle.seen(record, viewer)
    legend = [("###", "wall")] if c.WALL in seen.terrain else []
    legend += [("(o)", "location")] if seen.goal == c.SEIZE else []
    return Page(
        title="Hovercrafts",
        status=_status(seen),
        task=_task(seen),
        ending=ending(record, viewer),
        board=_board(seen),
        panels=[*scores(seen), *(_ship(seen, seat) for seat in range(seen.seats))],
        legend=[*legend, ("?", "not known yet"), ("1/1/1", "shield/ballistic/energy")],
    )


def _board(record: Battle) -> Board:
    columns, rows = range(record.width), range(record.height)
    return Board(
        cells=[[_cell(record, cell_of(column, row)) for column in columns] for row in rows],
        columns=[str(column) for column in columns],
        rows=[f"{row:>2}" for row in rows],
        hexes=True,
    )


def _cell(record: Battle, cell: int) -> view.Cell:
    name = named(cell)
    if record.terrain[cell] == c.WALL:
        return view.Cell("###", name, marks=("wall",))
    marks = ("location",) if cell in record.location else ()
    if cell not in record.cell:
        return view.Cell("(o)" if marks else ".", name, marks=marks)
    seat = record.cell.index(cell)
    facing, ship = record.facing[seat], record.label(seat)
    text = f"{'*' if seat == record.own else ' '}{ship}{_ARROWS[facing]}"
    return view.Cell(text, name, (view.Piece(f"{ship}, facing {c.FACINGS[facing]}", seat),), marks)


def scores(record: Battle) -> list[Panel]:
    """How it stands with the goal, and in the campaign; nothing where ships are all that counts."""
    told = []
    if record.goal == c.FLAGSHIP:
        ships = " and ".join(record.label(seat) for seat in record.flagships)
        told.append(Panel("Flagships", [Line(ships)]))
    if record.goal == c.SEIZE:
        rate = "a ship on a location at the end of a turn brings 1"
        points = f"{score(record.points)}; {record.points_to_win} win"
        told.append(Panel("Points", [Line(points), Line(rate)]))
    if record.goal == c.BREAKTHROUGH:
        settled = record.phase in (c.DEPLOY, c.PLAN)
        who = TEAM_NAMES[record.starting] if settled else "the right side"
        needed = record.escapes[record.starting]
        count = f"{sum(record.escaped)} of {needed} escaped"
        told.append(Panel("Breakthrough", [Line(f"by {who}, to the left"), Line(count)]))
    if record.battles:
        told.append(Panel("Battles", [Line(score(record.won))]))
    return told


def _ship(record: Battle, seat: int) -> Panel:
    """A ship with what is known of its turn, and of the one before."""
    name = record.label(seat) + (" (you)" if seat == record.own else "")
    if record.is_out(seat):
        name += " escaped" if record.escaped[seat] else " out"
    else:
        stats = record.shield[seat], record.ballistic[seat], record.energy[seat]
        name += f" hull {record.hull_left[seat]}/{record.hull[seat]}, {'/'.join(map(str, stats))}"
    lines = [Line(name)]
    if record.planning and (plan := record.known_plan(seat)):
        known = seat in (record.viewer or ()) or any(action != c.NONE for action in plan)
        lines.append(Line(f"  now {_plan(plan)}", 1 if known else 2))
    if chosen := record.raises(seat):
        lines.append(Line(f"  raises {', '.join(chosen)}", 1))
    if last := record.last_plan(seat):
        lines.append(Line(f"  last {_plan(last)}", 3))
    if record.phase == c.DEPLOY or record.cell[seat] != c.NONE:
        landed = ", landed" if record.passed and record.landed[seat] else ""
        lines.append(Line(f"  {record.whereabouts(seat)}{landed}", 4))
    return Panel("", lines)


def _plan(actions: Sequence[int]) -> str:
    return " ".join("?" if action == c.NONE else _BRIEF[action] for action in actions)
