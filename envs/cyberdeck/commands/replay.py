"""``replay`` and ``review``: a saved game as moves, a page or pictures, and what it gave away."""

from __future__ import annotations

from pathlib import Path

from cyberdeck.commands import arguments
from cyberdeck.commands.arguments import Chosen
from cyberdeck.common.progress import bar
from cyberdeck.common.text import printable, tell
from cyberdeck.errors import OptionError
from cyberdeck.evaluation.results import write_json
from cyberdeck.replay import Move, Replay, link, prompts
from cyberdeck.replay import review as reviewing
from cyberdeck.replay.review import Review


def loaded(chosen: Chosen) -> Replay:
    """The replay that they name."""
    if chosen.game is not None:
        arguments.chosen_game(chosen.game)
    if link.is_link(chosen.file) and not Path(chosen.file).exists():
        return link.unpacked(chosen.file)
    return Replay.load(chosen.file)


def replay(chosen: Chosen) -> None:
    """Write what is asked for, or else print the moves."""
    pages = [path for path in chosen.output if path.endswith(".html")]
    films = [path for path in chosen.output if path.endswith(".gif")]
    for path in chosen.output:
        if path not in [*pages, *films]:
            raise OptionError(f"--output {path}: a page ends in .html, an animation in .gif")
        arguments.check_file(path)
    if chosen.review and not pages:
        raise OptionError(
            "--review is shown on a page: add --output game.html, or use `cyberdeck review FILE`"
        )
    game = loaded(chosen)
    arguments.check_folder(chosen.output_dir)
    seat = chosen.seat
    if seat is not None and seat.isascii() and seat.isdigit():
        seat = int(seat)
    if pages:
        beside = None if link.is_link(chosen.file) else prompts.beside(chosen.file)
        asked = prompts.load(beside) if beside is not None and beside.is_file() else []
        judged = reviewed(game).judged if chosen.review else ()
        for path in pages:
            game.write_html(path, seat, chosen.seconds, asked, judged)
    for path in films:
        with bar(len(game.frames(seat)), "pictures") as progress:

            def advance(done: int, pictures: int) -> None:
                if progress is not None:
                    progress(done)

            game.write_gif(path, chosen.width, chosen.seconds, seat, advance, chosen.theme)
    written = [*pages, *films]
    if chosen.output_dir is not None:
        game.write_svgs(chosen.output_dir, seat, chosen.theme)
        written.append(chosen.output_dir)
    if written:
        tell(f"written: {', '.join(map(printable, written))}")
    else:
        tell(_moves(game, seat))


def reviewed(replay: Replay, playouts: int | None = None) -> Review:
    """What its decisions gave away; how far that is is shown on the terminal."""
    with bar(len(replay.actions), "decisions") as progress:
        return reviewing.review(replay, playouts or reviewing.PLAYOUTS, progress)


def _moves(replay: Replay, seat: int | str | None) -> str:
    """The game as text, a line for each decision."""
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


def review(chosen: Chosen) -> None:
    """Print what each decision gave away."""
    arguments.check_file(chosen.json)
    replay = loaded(chosen)
    verdict = reviewed(replay, chosen.playouts)
    tell(f"{printable(replay.headline())}\n\n{verdict.table(arguments.table_width())}")
    if chosen.json is not None:
        write_json(chosen.json, replay.variant, verdict.to_json())
