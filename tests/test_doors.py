"""Doors for what others send: ``doors.toml`` names a test of each rule, or why none is needed."""

from __future__ import annotations

import ast
import os
import pickle
import re
import socket
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import cyberdeck
from cyberdeck import Batch, players
from cyberdeck.api import registration
from cyberdeck.commands.main import parser
from cyberdeck.common.consent import Effect
from cyberdeck.engine.policy import BUILT_IN
from cyberdeck.players import EVERYWHERE, FROM_FILES, baselines, find_player, player_names
from cyberdeck.players.solvers import PLAYERS
from cyberdeck.playing import server
from cyberdeck_training import algorithms
from tests.fuzz.doors import ALL
from tests.reach import reached

ROOT = Path(__file__).parents[1]
DOORS = tomllib.loads(Path(__file__).with_name("doors.toml").read_text("utf-8"))

#: What reads files and messages, by what it is imported from.
READS = {
    "reading": {"read_bytes", "opened", "from_json"},
    "archives": {"arrays"},
}
#: Modules that read for others, or what is the user's own: digests of files that are to be run.
COMMON = {
    *("cyberdeck.common.archives", "cyberdeck.common.consent"),
}


def modules_that_read() -> Iterator[str]:
    """Those of the packages that call one of the functions that read."""
    for top in ("envs", "training"):
        for path in (ROOT / top).rglob("*.py"):
            text, place = path.read_text("utf-8"), path.relative_to(ROOT / top)
            if not re.search("|".join(READS), text):
                continue
            tree = ast.parse(text)
            called = {
                ast.unparse(each.func) for each in ast.walk(tree) if isinstance(each, ast.Call)
            }
            imported = {
                alias.name
                for each in ast.walk(tree)
                if isinstance(each, ast.ImportFrom)
                for alias in each.names
                if (each.module or "").endswith(tuple(READS))
            }
            names = {f"{module}.{name}" for module, found in READS.items() for name in found}
            if called & (names | imported & set().union(*READS.values())):
                yield ".".join(place.with_suffix("").parts)


def test_the_fuzzer_has_a_door_to_whatever_reads() -> None:
    read = tuple(each for door in ALL.values() for each in door.reads)
    assert [each for each in {*modules_that_read()} - COMMON if not each.startswith(read)] == []


def test_no_door_is_missing() -> None:
    named = {*BUILT_IN, *EVERYWHERE, *FROM_FILES, baselines.NAME}.union(*PLAYERS.values())
    assert {*DOORS["players"]} == named
    assert {*DOORS["commands"]} == {*parser().commands}
    entries = {registration.ENTRY_POINTS, players.ENTRY_POINTS, algorithms.ENTRY_POINTS}
    assert {*DOORS["entries"]} == {*entries, registration.ENVIRONMENT}
    handled = {name[3:] for name in vars(server._Handler) if name.startswith("do_")}
    assert {route.split()[0] for route in DOORS["page"]} == handled


@pytest.mark.parametrize("kind", DOORS["held"])
def test_every_rule_is_held_by_a_test_or_does_not_matter_there(kind: str) -> None:
    assert list(DOORS["held"][kind]) == DOORS["rules"]
    for rule, held in DOORS["held"][kind].items():
        file, _, name = held.partition("::")
        if name:
            assert re.search(rf"^def {name}\b", (ROOT / file).read_text("utf-8"), re.M), rule
        else:
            assert " " in held, f"{kind}, {rule}: why is there nothing to hold?"


@pytest.mark.parametrize("game", cyberdeck.GAMES)
def test_a_player_does_what_it_declares_and_nothing_else(game: str) -> None:
    batch = Batch(game, 1, seed=1)
    for name in player_names(batch.variant):
        if DOORS["players"][name]:
            continue
        with reached() as did:
            player = find_player(batch.variant, name)
            batch._core.ask(player, batch._core.all_rows)
        assert did == []
        assert player.effects == ()


def connect(_: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.connect(("127.0.0.1", 9))


def run_file(path: Path) -> None:
    exec(compile("x = 1", str(path), "exec"))


@pytest.mark.parametrize(
    ("do", "effect"),
    [
        (connect, Effect.NETWORK),
        (run_file, Effect.CODE),
        (lambda _: subprocess.run(["true"], check=True), Effect.CODE),
        (lambda _: pickle.loads(pickle.dumps(os.getcwd)), Effect.CODE),
        (lambda path: path.touch(), Effect.WRITES),
        (lambda path: path.mkdir(), Effect.WRITES),
        (lambda _: os.environ.get("SECRET"), Effect.ENVIRONMENT),
        (lambda _: os.getenv("SECRET"), Effect.ENVIRONMENT),
    ],
)
def test_what_is_done_is_noticed(
    do: Callable[[Path], Any], effect: Effect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "1")
    with reached() as did:
        do(tmp_path / "new")
    assert effect in {each for each, _ in did}
    if effect is Effect.WRITES:
        with reached(tmp_path) as did:
            do(tmp_path / "another")
        assert did == []
