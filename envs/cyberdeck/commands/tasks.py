"""``cyberdeck tasks``: positions with the exact value of every legal move."""

from __future__ import annotations

import argparse
import io
import itertools
import json
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from cyberdeck.commands.terminal import table_width
from cyberdeck.common.files import write_whole
from cyberdeck.common.progress import bar
from cyberdeck.common.text import counted, printable, table, tell
from cyberdeck.errors import OptionError
from cyberdeck.text.splits import SPLITS
from cyberdeck.text.tasks import BANDS, UNEVEN, Task, Tasks, stacked

from . import arguments

#: JSON lines to the output.
_OUTPUT: Final = "-"


def add(commands: arguments.Commands) -> None:
    """The command ``tasks``."""
    parser = arguments.add_command(
        commands,
        "tasks",
        run,
        help="positions of a game with the exact value of every legal move",
        examples="""
            tasks hackthegrid
            tasks hackthegrid --count 10000 --save train.jsonl
            tasks hackthegrid --split test --band hard --count 500 --save test.npz
            tasks matrix_overload --option reward=royals --save - | head -n 3
            tasks examples/games/tictactoe.py --values exact --save -
        """,
    )
    arguments.add_game(parser)
    parser.add_argument(
        "--save",
        metavar="FILE",
        help="write JSON lines (*.jsonl) or arrays (*.npz); - prints JSON lines, without end but "
        "for --count. Without --save tasks are shown",
    )
    arguments.add_number(parser, "--count", "so many tasks; where they are shown, 1")
    parser.add_argument(
        "--split", default="train", metavar="SPLIT", help=f"{', '.join(SPLITS)} (train)"
    )
    parser.add_argument(
        "--from",
        dest="start",
        type=arguments.whole,
        default=0,
        metavar="DEAL",
        help="begin with this deal of the split (0)",
    )
    parser.add_argument(
        "--band",
        action="append",
        metavar="BAND",
        help=f"only tasks of this band: {', '.join(BANDS)}; may be repeated (all but even)",
    )
    parser.add_argument(
        "--player",
        action="append",
        metavar="PLAYER",
        help="who plays in the deals, of whom one is drawn for each seat; may be repeated (random, "
        "heuristic and exact, as far as the game has them)",
    )
    parser.add_argument(
        "--values", default="exact", metavar="VALUES", help="who knows the values (exact)"
    )
    parser.add_argument("--list-moves", action="store_true", help="list legal moves in the prompts")
    arguments.add_number(parser, "--threads", "on so many cores", 1, type=arguments.threads)


def run(chosen: argparse.Namespace) -> int:
    """Show, print or write tasks."""
    tasks = Tasks(
        arguments.chosen_variant(chosen),
        values=chosen.values,
        players=chosen.player,
        bands=chosen.band or UNEVEN,
        list_moves=chosen.list_moves,
    )
    stream = tasks.stream(chosen.split, chosen.start, chosen.threads)
    if chosen.save is None:
        for task in itertools.islice(stream, chosen.count or 1):
            tell(_shown(task))
    elif chosen.save == _OUTPUT:
        for task in itertools.islice(stream, chosen.count):
            print(_line(task), flush=True)  # JSON, which holds no control characters
    else:
        return _save(chosen.save, stream, chosen.count)
    return 0


def _save(path: str, stream: Iterator[Task], count: int | None) -> int:
    """Write a file; what there is, if somebody interrupts."""
    arguments.check_file(path)
    if not path.endswith((".jsonl", ".npz")):
        raise OptionError(f"--save {path}: a file of tasks ends in .jsonl or .npz")
    if count is None:
        raise OptionError("tasks never run out: say how many you want, such as --count 1000")
    found: list[Task] = []
    status = 0
    try:
        with bar(count, "tasks") as progress:
            for task in itertools.islice(stream, count):
                found.append(task)
                if progress:
                    progress(len(found))
    except KeyboardInterrupt:
        status = arguments.INTERRUPTED
    if path.endswith(".npz"):
        written = io.BytesIO()
        arrays: dict[str, Any] = stacked(found)
        np.savez_compressed(written, **arrays)
        write_whole(path, written.getvalue())
    else:
        write_whole(path, "".join(f"{_line(task)}\n" for task in found))
    stopped = ", then it was interrupted" if status else ""
    tell(f"{printable(path)}: {counted(len(found), 'task')}{stopped}")
    return status


def _line(task: Task) -> str:
    return json.dumps(task.told(), ensure_ascii=False)


def _shown(task: Task) -> str:
    """A task for people: the prompt, and what each move is worth."""
    variant, before = task.variant, counted(len(task.played), "decision")
    about = (
        f"{variant.game.title}, deal {task.seed}, after {before}, for {variant.agents[task.seat]}: "
        f"{task.band}, a random move gets {task.floor:.2f} ({task.known_by})"
    )
    rows = [
        (f"{value:g}", f"{grade:.2f}", ", ".join(task.moves[action] for action in actions))
        for value, grade, actions in task.ranked()
    ]
    worths = table(("value", "grade", "moves"), rows, width=table_width())
    return f"{task.prompt}\n\n{about}\n\n{worths}\n"
