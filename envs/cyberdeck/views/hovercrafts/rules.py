"""Hovercrafts' rules in short, as they are played with given options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from cyberdeck.common.text import counted
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.views.rules import paragraph, sections, terms


def how_to_play(options: Mapping[str, Any]) -> str:
    """The rules and the scoring."""
    zion, machines = _names(options)
    allied = max(options["ships"]) > 1
    return sections(
        paragraph(
            f"Zion has {_listed(zion)}, the Machines have {_listed(machines)}; a ship that has no "
            "hull left is out.",
            _war(options) if options["battles"] > 1 else "",
            _victory(options),
            _rewards(options),
        ),
        paragraph(
            f"Map: {counted(options['width'], 'column')} and {counted(options['height'], 'row')} "
            "of hexes, named column,row, from 0,0 at the top left. Odd columns lie half a hex "
            "lower. Facings, clockwise: N NE SE S SW NW. North of c,r is c,r-1, south c,r+1. Where "
            "c is even, NE is c+1,r-1, SE c+1,r, SW c-1,r and NW c-1,r-1; where c is odd, NE is "
            "c+1,r, SE c+1,r+1, SW c-1,r+1 and NW c-1,r. A hex holds one ship.",
            _walls(options),
        ),
        _deployment(options),
        paragraph(
            _stats(options),
            "A check of a stat is 1, 2 or 3, each as likely, plus the stat.",
        ),
        paragraph(
            "Turn: every ship makes an energy check, openly: so many actions it has. All plan at "
            "the same time and in secret, action by action, at least one each.",
            _sharing(options) if allied else "",
            "Then all plans are carried out together, in phases: one action of every ship each, "
            "until the longest plan is over. Actions:",
        )
        + "\n"
        + terms(
            ("move", "to the hex ahead"),
            ("right, left", "turn by 60 degrees, clockwise and back"),
            ("landing", "land"),
            ("EMP", f"land and jam ships around; at most {_times(options)} in a plan"),
            ("repair", "land and get 1 hull back, up to the ship's hull stat"),
            ("no action", "the plan is over, only no action may follow; never comes first"),
        ),
        paragraph(
            "A ship that lands does not shoot in that phase, and no EMP reaches it. A ship whose "
            "plan is over stays, but has not landed. Each phase goes in this order:"
        )
        + "\n"
        + terms(
            ("jammed", "a ship that is jammed lands instead of its action, if it has one"),
            ("turns", "right and left; and repairs"),
            ("moves", "see below"),
            (
                "EMPs",
                "its user makes an energy check, then each other ship in the six hexes around that "
                f"has not landed{', allies too' * allied}: if its check is not higher it is jammed "
                "in the next phase of this turn",
            ),
            (
                "shots",
                "every ship that has not landed shoots at each enemy in three hexes next to it: "
                "ahead, and 60 degrees to the left and right of that. If its ballistic check is "
                "higher than the enemy's shield check, the enemy loses 1 hull; equal checks are "
                "made again. All shots come at once",
            ),
        ),
        _moves(options),
        _between(options) if options["battles"] > 1 else "",
    )


# --- who, and where ------------------------------------------------------------------------------


def _names(options: Mapping[str, Any]) -> list[list[str]]:
    """The ships of both teams."""
    return [
        [f"{letter}{ship}" for ship in range(count)]
        for letter, count in zip("ZM", options["ships"], strict=True)
    ]


def _listed(ships: list[str]) -> str:
    return " and ".join(ships) if len(ships) < 3 else f"{ships[0]} to {ships[-1]}"


def _walls(options: Mapping[str, Any]) -> str:
    scenario = options["scenario"]
    if scenario == "tunnels":
        return "Between the outer columns all is wall (###) but for corridors, which are drawn."
    if scenario == "random":
        share = f"{100 * options['wall_density']:g}%"
        return f"Between the outer columns each hex is a wall (###) with a chance of {share}."
    return "There are walls (###)." if "#" in "".join(scenario) else "There are no walls."


def _deployment(options: Mapping[str, Any]) -> str:
    last = options["width"] - 1
    return paragraph(
        f"At first a team is drawn: its first ship picks column {last} or column 0 for the team, "
        f"and the other team has the other."
        if options["pick_side"]
        else f"At first it is drawn which team has column {last}; the other has column 0.",
        f"The ships of column {last}, then those of column 0, one by one, choose a free hex of it "
        "and a facing, openly."
        if options["deployment"] == "choose"
        else f"Each ship begins on a free hex of its team's column that is drawn, in column {last} "
        "facing SW or NW, in column 0 NE or SE.",
    )


def _stats(options: Mapping[str, Any]) -> str:
    """What ships have: what most do, and who does not."""
    (usual, _), *others = Counter(options["stats"]).most_common()
    zion, machines = _names(options)
    told = ", ".join(f"{name} {stat}" for name, stat in zip(c.STAT_NAMES, usual, strict=True))
    differing = [
        f"{ship} {', '.join(map(str, stats))}"
        for ship, stats in zip(zion + machines, options["stats"], strict=True)
        if stats != usual
    ]
    begin = "Ships begin with" if options["battles"] > 1 else "Ships have"
    return f"{begin} {told}{'; but ' * bool(others)}{'; '.join(differing)}."


# --- a turn --------------------------------------------------------------------------------------


def _sharing(options: Mapping[str, Any]) -> str:
    if options["share_plans"]:
        return "Allies see each other's actions as far as all ships have decided."
    return "Allies do not see each other's plans."


def _times(options: Mapping[str, Any]) -> str:
    return "one" if options["emp_per_turn"] == 1 else str(options["emp_per_turn"])


def _moves(options: Mapping[str, Any]) -> str:
    """How moves are settled that hang on each other."""
    escape = ", if it does not escape" if options["goal"] == "breakthrough" else ""
    return paragraph(
        f"Moves: off the map a ship is out{escape}. Into a wall it loses 1 hull and stays.",
        "If several aim at one hex, they make energy checks, the tied again: the highest claims "
        "the hex, the others trail. Who aims alone claims. Claimants go first, one by one: always "
        "the first ship (Zion's before the Machines', by number) whose hex holds no claimant that "
        "is yet to go. It goes in, or rams the ship there. Claimants that are left wait for each "
        "other in rings: two ram once, and if just one is out the other goes in; three or more all "
        "advance. Then the trailers, hex by hex, the higher check first, go in if the hex is "
        "empty, or ram.",
        "Ramming: both ships make a check with the hull they have left; the lower loses 1 hull, if "
        "equal both do. If that puts only the rammed ship out, the rammer goes in, else it stays. "
        "A ship that is out does nothing more.",
    )


# --- the end -------------------------------------------------------------------------------------


def _victory(options: Mapping[str, Any]) -> str:
    """What decides a battle, at the end of a turn."""
    goal, turns = options["goal"], counted(options["max_turns"], "turn")
    whole = "the battle" if options["battles"] > 1 else "the game"
    fleets = f"a team with ships wins {whole} if the other has none; if neither has, it is a draw"
    drawn = f"After {turns} it is a draw."
    if goal == "flagship":
        return (
            f"At the end of a turn a team loses {whole} if its flagship (Z0, M0) is out; if both "
            f"are it is a draw. {drawn}"
        )
    if goal == "seize":
        marked = "".join(options["scenario"]).count("*")
        locations = counted(marked or options["locations"], "location")
        return (
            f"The map has {locations} (o). At the end of each turn a team gets a point for each "
            f"that a ship of its own stands on. {counted(options['points'], 'point')} win {whole}: "
            "if both teams have them, the one with more, or it is a draw. Without that, "
            f"{fleets}. {drawn}"
        )
    if goal == "breakthrough":
        return _breakthrough(options, whole, turns)
    return f"At the end of a turn {fleets}. {drawn}"


def _breakthrough(options: Mapping[str, Any], whole: str, turns: str) -> str:
    zion, machines = (c.escapes(options["escape_share"], ships) for ships in options["ships"])
    needed = zion if zion == machines else f"{zion} (Zion) or {machines} (the Machines)"
    return (
        f"The team that begins in column {options['width'] - 1} attacks. An attacker that moves "
        "off the map from column 0, facing SW or NW, escapes: it leaves the battle and loses no "
        f"hull. At the end of a turn the attackers win {whole} if at least {needed} of their ships "
        "escaped, or if they have a ship on the map and the defenders have none. Else the "
        "defenders win it if the attackers on the map and those that escaped are too few for "
        f"that, or after {turns}."
    )


def _rewards(options: Mapping[str, Any]) -> str:
    damage = (
        " Each turn also brings 0.1 for each hull that the enemies have lost in it, and -0.1 for "
        "each that the own team has lost, whatever the cause; off the map a ship loses all it has."
    )
    won = "wins the war" if options["battles"] > 1 else "wins"
    draw = "" if options["goal"] == "breakthrough" else "; a draw is 0"
    return (
        f"Every ship of the team that {won} gets 1, of the other -1, those that are out too{draw}."
        f"{damage * (options['reward'] == 'damage')}"
    )


# --- a campaign ----------------------------------------------------------------------------------


def _war(options: Mapping[str, Any]) -> str:
    return (
        f"It is a war of {options['battles']} battles at most, over as soon as a team leads by "
        "more battles than are left. More battles won win the war"
        f"{'' if options['goal'] == 'breakthrough' else '; as many are a draw'}."
    )


def _between(options: Mapping[str, Any]) -> str:
    """What happens between two battles."""
    allied = max(options["ships"]) > 1
    scenario = options["scenario"]
    drawn = ["a new map"] if scenario in ("tunnels", "random") else []
    if options["goal"] == "seize" and "*" not in "".join(scenario):
        drawn.append("new locations")
    escaped = " or had escaped" if options["goal"] == "breakthrough" else ""
    return paragraph(
        "After a battle all ships come back with all their hull. Each raises a stat by 1, in "
        f"secret, up to {c.MOST_HULL} for hull and {c.MOST_STAT} for the others. Then each ship of "
        f"the team that won, if it was on the map in the end{escaped}, raises one more.",
        "Allies see the first choice of each other when all have made it."
        if allied and options["share_plans"]
        else "",
        f"The next battle begins like the first{', with ' * bool(drawn)}{' and '.join(drawn)}.",
    )
