"""Hovercrafts in words: what there is to see, what is to be decided, and how it ended."""

from __future__ import annotations

from collections import Counter
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


_ARROWS: Final = "↑↗↘↓↙↖"
_BRIEF: Final = ("move", "right", "left", "landing", "EMP", "repair", "-")
_OF_PLANS: Final = (
    ("now", "this turn's plan"),
    ("last", "planned last turn"),
    ("?", "an action not known yet"),
    ("-", "no action"),
)
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
    told, turn = [], f"turn {record.turn_number}/{record.max_turns}"
    if record.battles:
        told.append(f"battle {_battle(record)} of {c.BATTLES[record.battles]}")
    told.append(f"{record.max_turns} turns" if record.phase in (c.DEPLOY, c.PICK) else turn)
    doing = _STAGES.get(record.phase, f"planning action {record.slot + 1}")
    if record.mover == NOBODY:
        doing = f"phase {record.passed}" if record.replaying else "game over"
    return [*told, doing]


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
    plans = record.phase == c.PLAN
    if seat is None:
        return "the ships plan" if plans else "the ships raise stats"
    if record.deciding(seat):
        due, slot = record.actions[seat] if plans else record.upgrades_due(seat), record.slot + 1
        doing = "plan action" if plans else "raise a stat:"
        if plans and c.NO_ACTION in record.known_plan(seat):
            doing = "your plan is over: no action in"
        return _warned(f"{doing} {slot} of {due}", record, seat)
    if not plans:
        return "others still choose what they raise"
    if record.cell[seat] != c.NONE:
        return _warned("your plan is complete: others still plan", record, seat)
    return f"your ship {'has escaped' if record.escaped[seat] else 'is out'}: the others plan"


def _warned(task: str, record: Battle, seat: int) -> str:
    return "; ".join(filter(None, (task, record.warning(seat))))


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
    legend += [("*", "your ship")] if seen.own is not None else []
    panels = [*scores(seen), *(_ship(seen, seat) for seat in range(seen.seats))]
    lines = "\n".join(line.text for panel in panels for line in panel.lines)
    legend += [(sign, words) for sign, words in _OF_PLANS if f" {sign}" in lines]
    return Page(
        title="Hovercrafts",
        status=_status(seen),
        task=_task(seen),
        ending=ending(record, viewer),
        board=_board(seen),
        panels=panels,
        legend=[*legend, ("1/1/1", "shield/ballistic/energy")],
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
        landed = ", landed in the last phase" if record.passed and record.landed[seat] else ""
        lines.append(Line(f"  {record.whereabouts(seat)}{landed}", 4))
    return Panel("", lines)


def _plan(actions: Sequence[int]) -> str:
    return " ".join("?" if action == c.NONE else _BRIEF[action] for action in actions)


# --- the rules in short --------------------------------------------------------------------------


def facts(options: Mapping[str, Any]) -> dict[str, Any]:
    """What the texts of the rules may name."""
    scenario, war, (zion, machines) = options["scenario"], options["battles"] > 1, options["ships"]
    marked = "".join(scenario).count("*")
    names = [f"Z{ship}" for ship in range(zion)] + [f"M{ship}" for ship in range(machines)]
    ((usual, _),) = Counter(options["stats"]).most_common(1)
    differing = [
        f"{ship} {', '.join(map(str, stats))}"
        for ship, stats in zip(names, options["stats"], strict=True)
        if stats != usual
    ]
    # What the next battle of a campaign has that is new.
    drawn = ["a new map"] if scenario in ("tunnels", "random") else []
    drawn += ["new locations"] if options["goal"] == "seize" and not marked else []
    whole = "the battle" if war else "the game"
    needed = [c.escapes(options["escape_share"], ships) for ships in (zion, machines)]
    return {
        "zion": _listed(names[:zion]),
        "machines": _listed(names[zion:]),
        "allied": max(zion, machines) > 1,
        "war": war,
        "columns": counted(options["width"], "column"),
        "rows": counted(options["height"], "row"),
        "last": options["width"] - 1,
        "walls": scenario in ("tunnels", "random") or "#" in "".join(scenario),
        "share": f"{100 * options['wall_density']:g}%",
        "usual": ", ".join(map("{} {}".format, c.STAT_NAMES, usual)),
        "others": "; ".join(differing),
        "most_hull": c.MOST_HULL,
        "most_stat": c.MOST_STAT,
        "drawn": " and ".join(drawn),
        "whole": whole,
        "fleets": f"a team with ships wins {whole} if the other has none; if neither has, it is a "
        "draw",
        "turns": counted(options["max_turns"], "turn"),
        "locations": counted(marked or options["locations"], "location"),
        "points": counted(options["points"], "point"),
        "needed": "{} (Zion) or {} (the Machines)".format(*needed)  # attackers have to escape
        if len(set(needed)) > 1
        else needed[0],
        "actions": ", ".join(c.ACTIONS),
        "raises": ", ".join(f"raise {name}" for name in c.STAT_NAMES),
    }


def _listed(ships: Sequence[str]) -> str:
    return " and ".join(ships) if len(ships) < 3 else f"{ships[0]} to {ships[-1]}"
