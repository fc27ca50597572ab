"""Which options the tests try: every pair of values for the rules, every value for the adapters.

A fault in the rules may want two options at once, but hardly three: so the engine's own tests play
``PAIRS``, in which any two values that can go together meet. An interface does not look at what an
option means: its tests play ``EACH``, in which every value occurs.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import cyberdeck

Case = tuple[str, dict[str, Any]]
#: An option's name, and which of its values.
Choice = tuple[str, int]

MANY_COLOURS = [(kind, at % 8) for at, kind in enumerate(["NET NODE", "LOOPBACK", "FIREWALL"] * 6)]
SCRAMBLED = [("SCRAMBLE", at % 3) for at in range(9)] + [("DATA PACKET", at % 3) for at in range(7)]
MAP = ["........", "..#..#..", "........", "...##...", "........", "..#..#.."]
#: Ten ships; other teams have strong and plain ones in turn.
STRONG = [{"hull": 9, "shield": 6, "ballistic": 6, "energy": 6}] * 5 + [None] * 5

#: The values tried of options that have no list of choices; the default first.
FREE: dict[str, dict[str, list[Any]]] = {
    "matrix_overload": {"max_steps": [500, 30]},
    "hackthegrid": {"deck": [None, MANY_COLOURS[:16], SCRAMBLED]},
    "stacktrices": {"max_turns": [200, 60]},
    "hovercrafts": {
        "ships": [(1, 1), (2, 1), (3, 3), (5, 5)],
        "scenario": ["skirmish", "tunnels", "random", MAP],
        "width": [None, 12],
        "height": [None, 10],
        "wall_density": [0.15, 0.4],
        "stats": [None, STRONG],
        "emp_per_turn": [1, 3],
        "max_turns": [50, 4],
        "locations": [3, 5],
        "points": [5, 2],
        "escape_share": [None, 1.0],
        "battles": [1, 3],
    },
}


def listed(path: Path) -> list[Case]:
    """The cases of a file: in each line a game, and its options as they are given in a call."""
    lines = (line.partition(" ") for line in path.read_text("utf-8").splitlines())
    return [(game, eval(f"dict({options})", globals())) for game, _, options in lines]


def values(game: str) -> dict[str, list[Any]]:
    """Every option of a game, and its values that are tried: the default first."""
    found = {}
    for option in cyberdeck.game(game).options:
        free = FREE[game].get(option.name)
        tried = free or [option.default, *(one for one in option.choices if one != option.default)]
        assert len(tried) > 1, f"FREE names no values for {game}'s option {option.name}"
        found[option.name] = tried
    return found


def fits(game: str, options: dict[str, Any]) -> bool:
    """Whether these options can go together, and their games come to an end in a short test."""
    if game != "hovercrafts":
        return True
    resized = options.get("width") is not None or options.get("height") is not None
    if options.get("scenario") is MAP and resized:
        return False  # a map has its size
    large = options.get("ships") == (5, 5) or options.get("stats") == STRONG
    large = large or options.get("battles") == 3
    return not (large and options.get("max_turns") == 50)


def covering(game: str, at_once: int) -> list[dict[str, Any]]:
    """Options of a game in which any *at_once* values that fit occur together.

    Greedy: begin with what is still missing, and give every other option the value that adds most.
    """
    tried = values(game)

    def chosen(choices: Iterable[Choice]) -> dict[str, Any]:
        return {name: tried[name][which] for name, which in choices}

    def groups(choices: dict[str, int]) -> set[tuple[Choice, ...]]:
        return set(itertools.combinations(sorted(choices.items()), at_once))

    every = [[(name, which) for which in range(len(found))] for name, found in tried.items()]
    missing = {
        tuple(sorted(group))
        for names in itertools.combinations(every, at_once)
        for group in itertools.product(*names)
        if fits(game, chosen(group))
    }
    cases = []
    while missing:
        case = dict.fromkeys(tried, 0) if not cases else dict(min(missing))
        for name, found in tried.items():
            if name not in case:
                possible = [
                    {**case, name: which}
                    for which in range(len(found))
                    if fits(game, chosen({**case, name: which}.items()))
                ]
                case = max(possible, key=lambda one: len(groups(one) & missing))
        missing -= groups(case)
        cases.append(chosen(case.items()))
    return [written(game, case) for case in cases]


def written(game: str, options: dict[str, Any]) -> dict[str, Any]:
    """Options as a caller gives them: without the defaults."""
    tried = values(game)
    given = {name: value for name, value in options.items() if value != tried[name][0]}
    if given.get("stats") == STRONG:
        given["stats"] = [STRONG[at % 2 * 9] for at in range(sum(options["ships"]))]
    return given


#: The longest game: MATR1X is truncated; HACKtheGRID has 16 cards and at most 16 swaps; a game of
#: Stacktrices has 22 decisions of the set-up and 200 turns of a move, two steals of two decisions,
#: of which one is called for, hiding again, a raid of four decisions, and a trade of six; one of
#: Hovercrafts has ten ships to deploy, which plan at most nine actions in 50 turns, and in a
#: campaign that seven times, with a side to pick and two upgrades of each ship.
LONGEST = {
    "matrix_overload": 500,
    "hackthegrid": 32,
    "stacktrices": 22 + 200 * 17,
    "hovercrafts": 7 * (1 + 10 + 50 * 10 * 9 + 20),
}

PAIRS: list[Case] = [(game, case) for game in cyberdeck.GAMES for case in covering(game, 2)]
EACH: list[Case] = [(game, case) for game in cyberdeck.GAMES for case in covering(game, 1)]


def label(case: Case) -> str:
    game, options = case
    shown = {
        **options,
        **{name: "custom" for name in ("deck", "stats") if name in options},
        **({"ships": "{}v{}".format(*options["ships"])} if "ships" in options else {}),
    }
    if isinstance(shown.get("scenario"), list):
        shown["scenario"] = "map"
    return game + "".join(f" {name}={value}" for name, value in shown.items())
