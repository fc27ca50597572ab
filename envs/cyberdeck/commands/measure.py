"""``evaluate``, ``match`` and ``tournament``: players measured, as tables and files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cyberdeck import evaluation
from cyberdeck.commands import arguments
from cyberdeck.commands.arguments import Chosen
from cyberdeck.common.progress import bar
from cyberdeck.common.text import counted, printable, tell
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, PolicyError
from cyberdeck.evaluation import seeds
from cyberdeck.evaluation.results import Result
from cyberdeck.evaluation.tournament import seatings
from cyberdeck.players import built_in_names


def evaluate(chosen: Chosen) -> int:
    """Print how one player did."""
    variant, how = _prepared(chosen, chosen.player)
    sides = max(variant.sides) + 1
    if sides == 1 and chosen.opponents:
        raise OptionError(f"{variant.game.title} is a solitaire: leave --opponent out")
    opponents = chosen.opponents or built_in_names(variant.game)
    games = len(chosen.deals) * (sides * len(opponents) if sides > 1 else 1)
    how |= {"null": chosen.null, "disguise": chosen.disguise}
    with bar(games * (1 + chosen.null + (chosen.disguise > 0)), "games") as progress:
        result = evaluation.evaluate(variant, chosen.player, opponents, progress=progress, **how)
    return _report(chosen, result, games, f": {result.player}")


def match(chosen: Chosen) -> int:
    """Print how two players compare."""
    both = [chosen.player, chosen.opponent]
    variant, how = _prepared(chosen, both)
    games = len(chosen.deals) * len(seatings(2, max(variant.sides) + 1))
    with bar(games, "games") as progress:
        result = evaluation.match(variant, *both, progress=progress, **how)
    return _report(chosen, result, games)


def tournament(chosen: Chosen) -> int:
    """Print how everybody did against everybody."""
    arguments.check_folder(chosen.save_plots)
    variant, how = _prepared(chosen, chosen.players)
    games = len(chosen.deals) * len(seatings(len(chosen.players), max(variant.sides) + 1))
    with bar(games, "games") as progress:
        result = evaluation.tournament(variant, chosen.players, progress=progress, **how)
    status = _report(chosen, result, games)
    if chosen.save_plots is not None and len(result.games):
        result.plot_points(Path(chosen.save_plots, "points.png"))
        if result.ratings is not None:
            result.plot_ratings(Path(chosen.save_plots, "ratings.png"))
    return status


def _prepared(chosen: Chosen, players: str | Sequence[str]) -> tuple[Variant, dict[str, Any]]:
    """The game, and how it is played; what can go wrong with the files goes wrong before that."""
    variant = arguments.chosen_variant(chosen)
    arguments.check_file(chosen.json)
    arguments.check_file(chosen.csv)
    arguments.check_folder(chosen.save_replays)
    names = ("deals", "seed", "openings", "illegal", "processes", "threads")
    how = {name: getattr(chosen, name) for name in names}
    if chosen.held_out is not None:
        how["seed"] = evaluation.reporting_seed(players, chosen.held_out)
    return variant, {**how, "keep_actions": chosen.save_replays is not None}


def _report(chosen: Chosen, result: Result, games: int, whose: str = "") -> int:
    """Print and write what came out; the exit status."""
    played = result.games
    if finished := len(played):
        first = f" from {chosen.deals.start}" if chosen.deals.start else ""
        deals = counted(len(chosen.deals), "deal") + first, seeds.shown(played.seed)
        options = map(printable, chosen.assignments)
        heading = ", ".join([played.variant.game.title, *options, *deals])
        tell(f"{heading}{whose}\n\n{result.table(arguments.table_width())}")
        if chosen.json is not None:
            result.save_json(chosen.json)
        if chosen.csv is not None:
            result.save_csv(chosen.csv)
        if chosen.save_replays is not None:
            saved, illegal = played.save_replays(chosen.save_replays, chosen.keep)
            tell(f"\n{counted(saved, 'replay')} in {printable(Path(chosen.save_replays))}")
            if illegal:
                ended = f"{counted(illegal, 'game')} ended with an illegal decision"
                arguments.note(f"{ended}: such games have no replays")
    if not played.interrupted:
        if not finished:
            raise PolicyError(played.voided_words())
        return 0
    what = f"these are the results of {finished} of {games} games"
    if finished < 2:
        what = f"this is the result of 1 of {games} games" if finished else "no game was finished"
    arguments.note(f"interrupted: {what}")
    return arguments.INTERRUPTED
