"""``evaluate`` and ``tournament``: players measured against each other, as tables and files."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cyberdeck.commands import arguments
from cyberdeck.commands.terminal import table_width
from cyberdeck.common.progress import bar
from cyberdeck.common.text import counted, printable, tell
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, PolicyError

if TYPE_CHECKING:
    from cyberdeck.evaluation import Evaluation, Games, Tournament


def evaluate(chosen: argparse.Namespace) -> int:
    """Print how one player did."""
    from cyberdeck.evaluation import evaluate as measure
    from cyberdeck.players import built_in_names

    variant = _prepared(chosen)
    sides = max(variant.sides) + 1
    if sides == 1 and chosen.against:
        raise OptionError(f"{variant.game.title} is a solitaire: leave --against out")
    against = chosen.against or built_in_names(variant.game)
    games = chosen.deals * (sides * len(against) if sides > 1 else 1)
    how = {**_match(chosen, chosen.player), "null": chosen.null, "disguise": chosen.disguise}
    with bar(games * (1 + chosen.null + (chosen.disguise > 0)), "games") as progress:
        result = measure(variant, chosen.player, against, progress=progress, **how)
    return _report(chosen, f"{_heading(chosen, result.games)}: {result.player}", result, games)


def tournament(chosen: argparse.Namespace) -> int:
    """Print how everybody did against everybody."""
    from cyberdeck.evaluation import tournament as meet
    from cyberdeck.evaluation.tournament import seatings

    arguments.check_folder(chosen.plots)
    variant = _prepared(chosen)
    games = chosen.deals * len(seatings(len(chosen.players), max(variant.sides) + 1))
    with bar(games, "games") as progress:
        result = meet(variant, chosen.players, progress=progress, **_match(chosen, chosen.players))
    status = _report(chosen, _heading(chosen, result.games), result, games)
    if chosen.plots is not None and len(result.games):
        result.plot_points(Path(chosen.plots, "points.png"))
        if result.ratings is not None:
            result.plot_ratings(Path(chosen.plots, "ratings.png"))
    return status


def _prepared(chosen: argparse.Namespace) -> Variant:
    """The game with its options; what can go wrong with the files goes wrong before the games."""
    variant = arguments.chosen_variant(chosen)
    arguments.check_file(chosen.json)
    arguments.check_file(chosen.csv)
    arguments.check_folder(chosen.replays)
    return variant


def _match(chosen: argparse.Namespace, players: str | Sequence[str]) -> dict[str, Any]:
    from cyberdeck.evaluation import reporting_seed

    names = ("deals", "seed", "illegal", "processes", "threads")
    given = {name: getattr(chosen, name) for name in names}
    if chosen.report is not None:
        given["seed"] = reporting_seed(players, chosen.report)
    return {**given, "keep_actions": chosen.replays is not None}


def _heading(chosen: argparse.Namespace, games: Games) -> str:
    from cyberdeck.evaluation import seeds

    title, deals = games.variant.game.title, counted(chosen.deals, "deal")
    return ", ".join([title, *map(printable, chosen.option), deals, seeds.shown(games.seed)])


def _report(
    chosen: argparse.Namespace, heading: str, result: Evaluation | Tournament, games: int
) -> int:
    """Print and write what came out; the exit status."""
    from cyberdeck.evaluation import counts

    finished = len(result.games)
    if finished:
        tell(f"{heading}\n\n{result.table(table_width())}")
        if chosen.json is not None:
            result.save_json(chosen.json)
        if chosen.csv is not None:
            result.save_csv(chosen.csv)
        if chosen.replays is not None:
            saved, illegal = result.games.save_replays(chosen.replays, chosen.keep)
            tell(f"\n{counted(saved, 'replay')} in {printable(Path(chosen.replays))}")
            if illegal:
                ended = f"{counted(illegal, 'game')} ended with an illegal decision"
                arguments.note(f"{ended}: such games have no replays")
    if not result.games.interrupted:
        if not finished:
            raise PolicyError(" ".join(counts.notes(result.games)))
        return 0
    what = f"these are the results of {finished} of {games} games"
    if finished < 2:
        what = f"this is the result of 1 of {games} games" if finished else "no game was finished"
    arguments.note(f"interrupted: {what}")
    return arguments.INTERRUPTED
