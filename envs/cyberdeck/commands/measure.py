"""``evaluate`` and ``tournament``: players measured against each other, as tables and files."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cyberdeck.commands.arguments import (
    INTERRUPTED,
    Commands,
    add_command,
    add_game,
    add_seed,
    check_file,
    check_folder,
    chosen_variant,
    note,
    positive,
    threads,
)
from cyberdeck.commands.terminal import table_width
from cyberdeck.common.progress import bar
from cyberdeck.common.text import counted
from cyberdeck.engine.record import FORFEIT
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError

if TYPE_CHECKING:
    from cyberdeck.evaluation import Evaluation, Games, Tournament

#: Help of the argument PLAYER.
PLAYER: Final = (
    "one of the players that `cyberdeck describe GAME` lists, such as heuristic or "
    "search:iterations=100, or the file of a saved policy (*.safetensors)"
)


def add(commands: Commands) -> None:
    """The commands' arguments."""
    one = add_command(
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
        """,
    )
    add_game(one)
    one.add_argument("player", metavar="PLAYER", help=PLAYER)
    one.add_argument(
        "--against",
        nargs="+",
        action="extend",
        metavar="P",
        help="its opponents (random and heuristic)",
    )
    _add_match(one, deals=500)
    all_ = add_command(
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
    add_game(all_)
    all_.add_argument("players", metavar="P", nargs="+", help=f"two or more: {PLAYER}")
    all_.add_argument("--plots", metavar="FOLDER", help="draw points and ratings there, as PNG")
    _add_match(all_, deals=100)


def _add_match(parser: argparse.ArgumentParser, deals: int) -> None:
    parser.add_argument(
        "--deals",
        type=positive,
        default=deals,
        metavar="N",
        help=f"each is played on every side against everybody ({deals})",
    )
    add_seed(parser, "other seeds give other deals (0)")
    parser.add_argument(
        "--processes", type=positive, default=1, metavar="N", help="play in so many processes (1)"
    )
    parser.add_argument(
        "--threads",
        type=threads,
        default=1,
        metavar="N",
        help="take steps and searches in so many threads, auto: one on each core (1)",
    )
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
    parser.add_argument(
        "--keep", type=positive, default=10, metavar="N", help="how many replays (10)"
    )


def evaluate(chosen: argparse.Namespace) -> int:
    """Print how one player did."""
    from cyberdeck.evaluation import evaluate as measure

    variant = _prepared(chosen)
    sides = max(variant.sides) + 1
    if sides == 1 and chosen.against:
        raise OptionError(f"{variant.game.title} is a solitaire: leave --against out")
    against = chosen.against or ["random", "heuristic"]
    games = chosen.deals * (sides * len(against) if sides > 1 else 1)
    with bar(games, "games") as progress:
        result = measure(variant, chosen.player, against, progress=progress, **_match(chosen))
    return _report(chosen, f"{_heading(chosen, variant)}: {result.player}", result, games)


def tournament(chosen: argparse.Namespace) -> int:
    """Print how everybody did against everybody."""
    from cyberdeck.evaluation import tournament as meet

    check_folder(chosen.plots)
    variant = _prepared(chosen)
    games = chosen.deals * len(chosen.players) * (len(chosen.players) - 1)
    with bar(games, "games") as progress:
        result = meet(variant, chosen.players, progress=progress, **_match(chosen))
    status = _report(chosen, _heading(chosen, variant), result, games)
    if chosen.plots is not None and len(result.games):
        result.plot_points(Path(chosen.plots, "points.png"))
        if result.ratings is not None:
            result.plot_ratings(Path(chosen.plots, "ratings.png"))
    return status


def _prepared(chosen: argparse.Namespace) -> Variant:
    """The game with its options; what can go wrong with the files goes wrong before the games."""
    variant = chosen_variant(chosen)
    check_file(chosen.json)
    check_file(chosen.csv)
    check_folder(chosen.replays)
    return variant


def _match(chosen: argparse.Namespace) -> dict[str, Any]:
    return {
        "deals": chosen.deals,
        "seed": chosen.seed,
        "illegal": chosen.illegal,
        "processes": chosen.processes,
        "threads": chosen.threads,
        "keep_actions": chosen.replays is not None,
    }


def _heading(chosen: argparse.Namespace, variant: Variant) -> str:
    parts = [variant.game.title, *chosen.option]
    return f"{', '.join(parts)}, {counted(chosen.deals, 'deal')}, seed {chosen.seed}"


def _report(
    chosen: argparse.Namespace, heading: str, result: Evaluation | Tournament, games: int
) -> int:
    """Print and write what came out; the exit status."""
    finished = len(result.games)
    if finished:
        print(f"{heading}\n\n{result.table(table_width())}")
        if chosen.json is not None:
            result.save_json(chosen.json)
        if chosen.csv is not None:
            result.save_csv(chosen.csv)
        if chosen.replays is not None:
            _save_replays(result.games, Path(chosen.replays), chosen.keep)
    if not result.games.interrupted:
        return 0
    what = f"this is of the {finished} of {games} games that were" if finished else "no game was"
    if finished == 1:
        what = f"this is of the 1 of {games} games that was"
    note(f"interrupted: {what} finished")
    return INTERRUPTED


def _save_replays(games: Games, folder: Path, keep: int) -> None:
    """The first games, deal by deal, so that the sides of one deal lie beside each other."""
    import numpy as np

    forfeited = int((games.reasons == FORFEIT).sum())
    order = np.argsort(games.deals, kind="stable")
    saved = 0
    for at in order[games.reasons[order] != FORFEIT][:keep]:
        sides = [games.players[number] for number in games.lineups[at]]
        saved += 1
        games.replay(at).save(
            folder / f"{saved:03}-deal-{games.deals[at]}-{_file_name(sides)}.json"
        )
    print(f"\n{counted(saved, 'replay')} in {folder}")
    if forfeited:
        ended = counted(forfeited, "game")
        note(f"{ended} ended with an illegal decision: of such games there are no replays")


def _file_name(players: Sequence[str]) -> str:
    return "-".join(re.sub(r"[^\w.]+", "_", player) for player in players)
