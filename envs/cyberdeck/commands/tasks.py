"""``cyberdeck tasks``: positions with the exact value of every legal move."""

from __future__ import annotations

import io
import itertools
import json
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from cyberdeck.commands import arguments
from cyberdeck.commands.arguments import Chosen
from cyberdeck.common.files import write_whole
from cyberdeck.common.progress import bar
from cyberdeck.common.text import counted, printable, table, tell
from cyberdeck.errors import OptionError
from cyberdeck.text.tasks import UNEVEN, Task, Tasks, stacked

#: JSON lines to the output.
_OUTPUT: Final = "-"


def tasks(chosen: Chosen) -> int:
    """Show, print or write tasks."""
    stream = Tasks(
        arguments.chosen_variant(chosen),
        values=chosen.action_values,
        players=chosen.player,
        bands=chosen.band or UNEVEN,
        list_moves=chosen.list_moves,
    ).stream(chosen.split, chosen.start, chosen.threads)
    if chosen.output is None:
        for _ in range(chosen.count or 1):
            with bar(None, "tasks"):
                task = next(stream)
            tell(_shown(task))
    elif chosen.output == _OUTPUT:
        for task in itertools.islice(stream, chosen.count):
            print(_line(task), flush=True)  # JSON, which holds no control characters
    else:
        return _save(chosen.output, stream, chosen.count)
    return 0


def _save(path: str, stream: Iterator[Task], count: int | None) -> int:
    """Write a file; what there is, if somebody interrupts."""
    arguments.check_file(path)
    if not path.endswith((".jsonl", ".npz")):
        raise OptionError(f"--output {path}: a file of tasks ends in .jsonl or .npz")
    if count is None:
        raise OptionError("tasks never run out: say how many you want, such as --count 1000")
    tasks: list[Task] = []
    status = 0
    try:
        with bar(count, "tasks") as progress:
            for task in itertools.islice(stream, count):
                tasks.append(task)
                if progress:
                    progress(len(tasks))
    except KeyboardInterrupt:
        status = arguments.INTERRUPTED
    if path.endswith(".npz"):
        written = io.BytesIO()
        arrays: dict[str, Any] = stacked(tasks)
        np.savez_compressed(written, **arrays)
        write_whole(path, written.getvalue())
    else:
        write_whole(path, "".join(f"{_line(task)}\n" for task in tasks))
    stopped = ", then it was interrupted" if status else ""
    tell(f"{printable(path)}: {counted(len(tasks), 'task')}{stopped}")
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
    worths = table(("value", "grade", "moves"), rows, width=arguments.table_width())
    return f"{task.prompt}\n\n{about}\n\n{worths}\n"
