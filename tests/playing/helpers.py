"""Tables for tests."""

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cyberdeck.api.registration import load_file
from cyberdeck.engine import registry
from cyberdeck.engine.variant import Variant
from cyberdeck.playing.compiled import Compiled
from cyberdeck.playing.server import Server
from cyberdeck.playing.table import Setup, Table

EXAMPLES = Path(__file__).parents[2] / "examples" / "games"

#: Every game, with options that let it end soon.
GAMES: list[tuple[str, dict[str, Any]]] = [
    ("matrix_overload", {"max_steps": 15}),
    ("hackthegrid", {}),
    ("stacktrices", {"setup": "random", "max_turns": 5}),
    ("hovercrafts", {"ships": (2, 2), "max_turns": 2}),
    *((name, {}) for name in ("tictactoe.py", "connect_four.py", "kuhn_poker.py", "goofspiel.py")),
]


def variant(game: str, **options: Any) -> Variant:
    """One of the package's games, or of the examples, with its options."""
    found = load_file(EXAMPLES / game) if game.endswith(".py") else registry.game(game)
    return Variant(found, options).by_outcome


def table(game: str, seat: str = "0", seed: int = 3, keep: Any = None, **options: Any) -> Table:
    """A new table."""
    chosen = variant(game, **options)
    return Table(Compiled(chosen), Setup(seat), seed, keep or (lambda kept: None))


@contextlib.contextmanager
def served(table: Table, *port_and_key: Any, **where: str) -> Iterator[Server]:
    """A table's server, at work."""
    with Server(table, *port_and_key, **where) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()


def ask(table: Table, do: str, **message: Any) -> dict[str, Any]:
    """A message from a page that knows how the game stands."""
    return table.handle({"do": do, "version": table.version, **message})


def your_turn(table: Table) -> dict[str, Any]:
    """Let the others decide; how the game stands then."""
    shown = ask(table, "look", version=None)
    while shown["waiting"]:
        shown = ask(table, "go on")
    return shown


def play_on(table: Table, decisions: int = 10_000, seed: int = 0) -> dict[str, Any]:
    """Any choices, so many, or to the end; how the game stands then."""
    rng = random.Random(seed)
    shown = your_turn(table)
    while shown["end"] is None and decisions > 0:
        ask(table, "choose", action=rng.choice(shown["choices"])["action"])
        shown, decisions = your_turn(table), decisions - 1
    return shown
