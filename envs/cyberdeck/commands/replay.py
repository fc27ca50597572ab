"""``replay``: a saved game as a list of moves, a page, an animation or pictures."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from cyberdeck.commands import arguments
from cyberdeck.common.progress import bar
from cyberdeck.common.text import printable, tell
from cyberdeck.errors import OptionError

if TYPE_CHECKING:
    from cyberdeck.replay import Replay
    from cyberdeck.replay.review import Review


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
