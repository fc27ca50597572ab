"""``replay``: a saved game as a list of moves, a page, an animation or pictures."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from cyberdeck.commands import arguments
from cyberdeck.common.progress import bar
from cyberdeck.common.text import printable, tell
from cyberdeck.drawing.svg import THEMES
from cyberdeck.errors import OptionError

if TYPE_CHECKING:
    from cyberdeck.replay import Replay
    from cyberdeck.replay.review import Review


def add(commands: arguments.Commands) -> None:
    """The command's arguments."""
    parser = arguments.add_command(
        commands,
        "replay",
        replay,
        help="a saved game as a list of moves, a page, an animation or pictures",
        examples="""
            replay game.json
            replay game.json --html game.html --gif game.gif
            replay game.json --svg pictures
            replay game.json --html game.html --review
            replay game.json --html game.html --seat all --seconds 0.5
            replay game.json --game mygame.py
            replay "http://127.0.0.1:8000/#game=..."
        """,
    )
    add_file(parser)
    parser.add_argument("--html", metavar="OUT", help="write a page to step through")
    parser.add_argument(
        "--review", action="store_true", help="show on the page what each decision gave away"
    )
    parser.add_argument("--gif", metavar="OUT", help="write an animation")
    parser.add_argument("--svg", metavar="FOLDER", help="write each picture there")
    parser.add_argument(
        "--seat",
        metavar="SEAT",
        help="tell only what a seat was told, by its number or name; or a team; or `spectator`, "
        "what everybody was told; or `all`, everything, with each of these to choose on a page "
        "(everything, from the first seat's side)",
    )
    parser.add_argument(
        "--seconds", type=_seconds, default=0.8, metavar="S", help="for each picture (0.8)"
    )
    arguments.add_number(parser, "--width", "of the animation", 600, "PIXELS")
    parser.add_argument(
        "--theme",
        choices=THEMES,
        default="dark",
        help="of the animation and the pictures (dark); who looks at a page chooses",
    )


def add_file(parser: argparse.ArgumentParser) -> None:
    """The arguments FILE and --game."""
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a replay, from `play --save` for example; or the link to a game, in quotes",
    )
    own = "the game's file (*.py), if the replay is of one of your own"
    parser.add_argument("--game", metavar="FILE", help=own)


def loaded(chosen: argparse.Namespace) -> Replay:
    """The replay that they name."""
    from cyberdeck.replay import Replay, link

    if chosen.game is not None:
        arguments.chosen_game(chosen.game)
    if link.is_link(chosen.file) and not Path(chosen.file).exists():
        return link.unpacked(chosen.file)
    return Replay.load(chosen.file)


def replay(chosen: argparse.Namespace) -> int:
    """Write what is asked for, or else print the moves."""
    from cyberdeck.replay import link, prompts

    if chosen.review and chosen.html is None:
        raise OptionError(
            "--review is shown on a page: give --html OUT; or `cyberdeck review FILE`"
        )
    found = loaded(chosen)
    arguments.check_file(chosen.html)
    arguments.check_file(chosen.gif)
    arguments.check_folder(chosen.svg)
    seat = chosen.seat
    if seat is not None and seat.isascii() and seat.isdigit():
        seat = int(seat)
    if chosen.html is not None:
        beside = None if link.is_link(chosen.file) else prompts.beside(chosen.file)
        asked = prompts.load(beside) if beside is not None and beside.is_file() else []
        judged = reviewed(found).judged if chosen.review else ()
        found.write_html(chosen.html, seat, chosen.seconds, asked, judged)
    if chosen.gif is not None:
        with bar(len(found.frames(seat)), "pictures") as progress:

            def advance(done: int, pictures: int) -> None:
                if progress is not None:
                    progress(done)

            found.write_gif(chosen.gif, chosen.width, chosen.seconds, seat, advance, chosen.theme)
    if chosen.svg is not None:
        found.write_svgs(chosen.svg, seat, chosen.theme)
    written = [path for path in (chosen.html, chosen.gif, chosen.svg) if path is not None]
    if written:
        tell(f"written: {', '.join(map(printable, written))}")
    else:
        tell(_moves(found, seat))
    return 0


def reviewed(replay: Replay, playouts: int | None = None) -> Review:
    """What its decisions gave away; how far that is is shown on the terminal."""
    from cyberdeck.replay.review import PLAYOUTS, review

    with bar(len(replay.actions), "decisions") as progress:
        return review(replay, playouts or PLAYOUTS, progress)


def _moves(replay: Replay, seat: int | str | None) -> str:
    """The game as text, a line for each decision."""
    from cyberdeck.replay import Move

    variant, who = replay.variant, replay.names()
    options = [f"{name}={value}" for name, value in variant.chosen.items()]
    lines = [replay.title or variant.game.title]
    lines += [
        f"{seat}: {player}" for seat, player in zip(who, replay.players, strict=False) if player
    ]
    lines += [", ".join(options)] if options else []
    # Who knows the seed knows every card.
    lines += [f"seed {replay.seed}" if seat in (None, "all") else f"seen by {seat}", ""]
    wide = len(str(len(replay.actions)))
    for item in replay.story(seat):
        if isinstance(item, Move):
            name = f"{who[item.mover]}: " if variant.seats > 1 else ""
            short = f"  [{item.short}]" if item.short else ""
            lines.append(f"{item.number:>{wide}}. {name}{item.words}{short}")
        else:
            lines.append(f"{'':{wide}}  {item.sentence}")
    # Names and title may be a stranger's.
    return "\n".join(printable(line) for line in [*lines, "", replay.headline()])


def _seconds(text: str) -> float:
    """How long something lasts, for argparse."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 600:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return seconds
