"""``replay``: a saved game as a list of moves, a page, an animation or pictures."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from cyberdeck.commands.arguments import (
    Commands,
    add_command,
    add_file,
    check_file,
    check_folder,
    chosen_game,
)
from cyberdeck.common.progress import bar

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from cyberdeck.replay import Replay


def add(commands: Commands) -> None:
    """The command's arguments."""
    parser = add_command(
        commands,
        "replay",
        replay,
        help="a saved game as a list of moves, a page, an animation or pictures",
        examples="""
            replay game.json
            replay game.json --html game.html --gif game.gif
            replay game.json --svg pictures
            replay game.json --game mygame.py
        """,
    )
    parser.add_argument("file", metavar="FILE", help="a replay, from `play --save` for example")
    add_file(parser, "the replay")
    parser.add_argument("--html", metavar="OUT", help="write a page to step through")
    parser.add_argument("--gif", metavar="OUT", help="write an animation")
    parser.add_argument("--svg", metavar="FOLDER", help="write each picture there")


def replay(chosen: argparse.Namespace) -> int:
    """Write what is asked for, or else print the moves."""
    from cyberdeck.replay import Replay

    if chosen.game is not None:
        chosen_game(chosen.game)
    found = Replay.load(chosen.file)
    check_file(chosen.html)
    check_file(chosen.gif)
    check_folder(chosen.svg)
    if chosen.html is not None:
        found.write_html(chosen.html)
    if chosen.gif is not None:
        with bar(len(found.frames()), "pictures") as progress:

            def advance(done: int, pictures: int) -> None:
                if progress is not None:
                    progress(done)

            found.write_gif(chosen.gif, progress=advance)
    if chosen.svg is not None:
        found.write_svgs(chosen.svg)
    written = [path for path in (chosen.html, chosen.gif, chosen.svg) if path is not None]
    if written:
        print(f"written: {', '.join(written)}")
    else:
        print(_moves(found))
    return 0


def _moves(replay: Replay) -> str:
    """The game as text, a line for each decision."""
    variant, who = replay.variant, replay.names()
    options = [f"{name}={value}" for name, value in variant.chosen.items()]
    lines = [replay.title or variant.game.title]
    lines += [
        f"{agent}: {player}" for agent, player in zip(variant.agents, replay.players, strict=False)
    ]
    lines += [", ".join(options)] if options else []
    lines += [f"seed {replay.seed}", ""]
    wide = len(str(len(replay.actions)))
    before: NDArray[Any] | None = None
    for position in replay.positions():
        told = [] if before is None else variant.game.events(before, position.record)
        lines += [f"{'':{wide}}  {event}" for event in told]
        before = position.record
        if position.action is not None:
            name = f"{who[position.mover]}: " if variant.seats > 1 else ""
            lines.append(f"{position.number:>{wide}}. {name}{position.words}")
        else:
            lines += ["", _result(replay, position.words)]
    return "\n".join(lines)


def _result(replay: Replay, reason: str) -> str:
    """What every seat got, and why the game was over."""
    returns = replay.played().returns
    who = replay.names()
    gains = [f"{name} {gain:+g}" for name, gain in zip(who, returns, strict=True)]
    return f"{', '.join(gains)}: {reason.replace('_', ' ')}"
