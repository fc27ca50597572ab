"""``evaluate`` and ``tournament``: players measured against each other, as tables and files."""

from __future__ import annotations

import argparse
import functools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cyberdeck.commands import arguments
from cyberdeck.commands.terminal import table_width
from cyberdeck.common.progress import bar
from cyberdeck.common.text import counted, printable, tell
from cyberdeck.engine.record import FORFEIT
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, PolicyError

if TYPE_CHECKING:
    from cyberdeck.evaluation import Evaluation, Games, Tournament

#: Help of the argument PLAYER.
PLAYER: Final = (
    "one of the players that `cyberdeck describe GAME` lists, such as heuristic or "
    "search:iterations=100, or the file of a saved policy (*.safetensors)"
)

#: Letters of a player's name in that of a file, at most.
_LONG: Final = 160


def add(commands: arguments.Commands) -> None:
    """The commands' arguments."""
    one = arguments.add_command(
        commands,
        "evaluate",
        evaluate,
        help="measure one player against others, on both sides of the same deals",
        examples="""
            evaluate hackthegrid heuristic
            evaluate matrix_overload heuristic --deals 2000 --option edition=royals
            evaluate stacktrices search:iterations=50 --against heuristic --deals 20 --processes 2
            evaluate hovercrafts policy.safetensors --option ships=3v3 --json result.json
            evaluate hackthegrid heuristic --against random --replays games --keep 4
            evaluate hackthegrid search --against heuristic --deals 50 --disguise 7
        """,
    )
    arguments.add_game(one)
    one.add_argument("player", metavar="PLAYER", help=PLAYER)
    one.add_argument(
        "--against",
        nargs="+",
        action="extend",
        metavar="P",
        help="its opponents (random, and heuristic where there is one)",
    )
    one.add_argument(
        "--null",
        action="store_true",
        help="of a chat model: play everything twice, and say how much it differs from itself",
    )
    one.add_argument(
        "--disguise",
        type=arguments.positive,
        default=0,
        metavar="SEED",
        help="play everything in this disguise as well: the same game under other names",
    )
    _add_match(one, deals=500)
    all_ = arguments.add_command(
        commands,
        "tournament",
        tournament,
        help="let players play each other, and rate them",
        examples="""
            tournament hackthegrid random heuristic search:iterations=50
            tournament hovercrafts random heuristic --option ships=2v2 --deals 50
            tournament hackthegrid random heuristic search --plots plots --csv pairings.csv
        """,
    )
    arguments.add_game(all_)
    all_.add_argument("players", metavar="P", nargs="+", help=f"two or more: {PLAYER}")
    all_.add_argument("--plots", metavar="FOLDER", help="draw points and ratings there, as PNG")
    _add_match(all_, deals=100)


def _add_match(parser: argparse.ArgumentParser, deals: int) -> None:
    number = functools.partial(arguments.add_number, parser)
    number("--deals", "each is played on every side against everybody", deals)
    deals_of = parser.add_mutually_exclusive_group()
    arguments.add_seed(deals_of, "deals to choose on: other seeds give others (0)")
    deals_of.add_argument(
        "--report",
        metavar="DAY",
        help="deals for a figure to publish, made from who is measured and the day, as 2026-11-24",
    )
    number("--processes", "play in this many processes", 1)
    many = "take steps and search in this many threads; auto: one on each core"
    number("--threads", many, 1, type=arguments.threads)
    parser.add_argument(
        "--illegal",
        choices=("raise", "lose"),
        default="raise",
        help="an illegal decision ends everything with an error, or loses the game (raise)",
    )
    parser.add_argument("--json", metavar="FILE", help="write all results there")
    parser.add_argument("--csv", metavar="FILE", help="write a line for each pairing there")
    parser.add_argument(
        "--replays", metavar="FOLDER", help="keep replays of games there, deal by deal"
    )
    number("--keep", "how many replays", 10)


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
            _save_replays(result.games, Path(chosen.replays), chosen.keep)
    if not result.games.interrupted:
        if not finished:
            raise PolicyError(" ".join(counts.notes(result.games)))
        return 0
    what = f"these are the results of {finished} of {games} games"
    if finished < 2:
        what = f"this is the result of 1 of {games} games" if finished else "no game was finished"
    arguments.note(f"interrupted: {what}")
    return arguments.INTERRUPTED


def _save_replays(games: Games, folder: Path, keep: int) -> None:
    """The first games, deal by deal, so that the sides of one deal lie beside each other."""
    import numpy as np

    from cyberdeck.engine.constants import RESIGNS
    from cyberdeck.replay import prompts

    resigned = np.array([actions[-1] == RESIGNS for actions in games.actions], np.bool_)
    illegal = (games.reasons == FORFEIT) & ~resigned
    order = np.argsort(games.deals, kind="stable")
    saved = order[~illegal[order]][:keep]
    for number, at in enumerate(saved, 1):
        file = folder / f"{number:03}-{_named(games, at)}.json"
        games.replay(at).save(file)
        if games.notes[at]:
            prompts.save(prompts.beside(file), games.notes[at])
    tell(f"\n{counted(len(saved), 'replay')} in {printable(folder)}")
    if illegal.any():
        ended = f"{counted(int(illegal.sum()), 'game')} ended with an illegal decision"
        arguments.note(f"{ended}: such games have no replays")


def _named(games: Games, at: int) -> str:
    """A game's deal and players as part of a file's name."""
    players = (games.players[side] for side in games.lineups[at])
    most = _LONG // len(games.lineups[at])
    named = "-".join(re.sub(r"[^\w.]+", "_", player)[:most] for player in players)
    return f"deal-{games.deals[at]}-{named}"
