"""Hovercrafts' rules in short: what their text says by the options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from cyberdeck.common.text import counted
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.views.texts import rules_in_short


def _facts(options: Mapping[str, Any]) -> dict[str, Any]:
    scenario, war = options["scenario"], options["battles"] > 1
    names = _names(options)
    usual, differing = _stats(options, names)
    whole = "the battle" if war else "the game"
    zion, machines = (c.escapes(options["escape_share"], ships) for ships in options["ships"])
    needed = str(zion) if zion == machines else f"{zion} (Zion) or {machines} (the Machines)"
    return {
        "zion": _listed(names[0]),
        "machines": _listed(names[1]),
        "allied": max(options["ships"]) > 1,
        "war": war,
        "columns": counted(options["width"], "column"),
        "rows": counted(options["height"], "row"),
        "last": options["width"] - 1,
        "walls": "#" in "".join(scenario),
        "share": f"{100 * options['wall_density']:g}%",
        "usual": usual,
        "others": differing,
        "most_hull": c.MOST_HULL,
        "most_stat": c.MOST_STAT,
        "drawn": _drawn_anew(options),
        "whole": whole,
        "fleets": f"a team with ships wins {whole} if the other has none; if neither has, it is a "
        "draw",
        "turns": counted(options["max_turns"], "turn"),
        "locations": counted("".join(scenario).count("*") or options["locations"], "location"),
        "points": counted(options["points"], "point"),
        "needed": needed,  # how many attackers have to escape
    }


def _names(options: Mapping[str, Any]) -> list[list[str]]:
    """The ships of both teams."""
    return [
        [f"{letter}{ship}" for ship in range(count)]
        for letter, count in zip("ZM", options["ships"], strict=True)
    ]


def _listed(ships: list[str]) -> str:
    return " and ".join(ships) if len(ships) < 3 else f"{ships[0]} to {ships[-1]}"


def _stats(options: Mapping[str, Any], names: list[list[str]]) -> tuple[str, str]:
    """What most ships have; and who has something else."""
    ((usual, _),) = Counter(options["stats"]).most_common(1)
    told = ", ".join(f"{name} {stat}" for name, stat in zip(c.STAT_NAMES, usual, strict=True))
    differing = [
        f"{ship} {', '.join(map(str, stats))}"
        for ship, stats in zip(names[0] + names[1], options["stats"], strict=True)
        if stats != usual
    ]
    return told, "; ".join(differing)


def _drawn_anew(options: Mapping[str, Any]) -> str:
    """What the next battle of a campaign has that is new."""
    scenario = options["scenario"]
    drawn = ["a new map"] if scenario in ("tunnels", "random") else []
    if options["goal"] == "seize" and "*" not in "".join(scenario):
        drawn.append("new locations")
    return " and ".join(drawn)


how_to_play: Final = rules_in_short(__package__, _facts)
