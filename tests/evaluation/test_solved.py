"""Solved games as players: what a table does in play, and which files are refused."""

from __future__ import annotations

import functools
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import cyberdeck
from cyberdeck.api.registration import load_file
from cyberdeck.errors import CyberdeckError, OptionError, PolicyError
from cyberdeck.evaluation import evaluate
from cyberdeck.exact import InformationSets, PositionSolver, Solver
from cyberdeck.players import find_player, solved
from cyberdeck.players.solved import Solved, save
from tests.commands import Capture, run
from tests.evaluation.test_exact import GAMES, SMALL_GAMES, of, small


@pytest.fixture(scope="module", autouse=True)
def few_games(_games_are_forgotten: None) -> Iterator[None]:
    """So many tell one from another here."""
    sequences.cache_clear()  # whose games are no longer registered
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solved, "_GAMES", 16)
        yield


@functools.cache
def sequences(name: str) -> InformationSets:
    return InformationSets(PositionSolver(small(name) if name == "pennies" else of(name)).positions)


@pytest.fixture
def kuhn() -> InformationSets:
    return sequences("kuhn_poker")


def determined(held: InformationSets, seed: int = 0) -> NDArray[np.float64]:
    """A strategy that takes any one action in each information set."""
    luck, first = np.random.default_rng(seed), held.set_first[:-1]
    found = np.zeros(held.count)
    found[:2] = 1.0
    found[first + luck.integers(0, np.diff(held.set_first))] = 1.0
    return found


def played(held: InformationSets, file: Path, games: int) -> NDArray[np.int64]:
    """(Q,): how often each sequence is come to where the table of a file plays against itself.

    What has been seen and done by then tells which it is.
    """
    variant, found = held.positions.variant, np.zeros(held.count, np.int64)
    policy = find_player(variant, f"solved:file={file}")
    batch = cyberdeck.Batch(variant, games, seed=0, autoreset="Disabled")
    last = np.tile([0, 1], (games, 1))
    while (running := np.flatnonzero(batch.mover >= 0)).size:
        actions, seats = np.zeros(games, np.int64), batch.mover[running]
        actions[running] = batch._core.ask(policy, running)
        for row, seat in zip(running.tolist(), seats.tolist(), strict=True):
            seen = held.positions.observations[held.set_seen] == batch.observation[row].ravel()
            (each,) = np.flatnonzero((held.set_before == last[row, seat]) & seen.all(axis=1))
            nth = np.count_nonzero(batch.mask[row, : actions[row]])
            last[row, seat] = held.set_first[each] + nth
            found[last[row, seat]] += 1
        batch.step(actions)
    return found


@pytest.mark.parametrize("name", ["kuhn_poker", "goofspiel"])
def test_a_table_plays_as_it_was_saved(name: str, tmp_path: Path) -> None:
    """One that takes one action in each information set: what it remembers matters."""
    held = sequences(name)
    strategy = determined(held)
    save(tmp_path / "any.npz", held, strategy)
    player = Solved(str(tmp_path / "any.npz"))
    assert (player.over(held) == strategy).all()
    found = played(held, tmp_path / "any.npz", 15)
    assert (strategy[found > 0] == 1).all()
    assert np.count_nonzero(found) > 5


def test_a_saved_solution_is_as_good_to_single_precision(tmp_path: Path) -> None:
    solver = Solver(sequences("goofspiel"), "cfr+")
    solver.iterate(100)
    solver.save(tmp_path / "goof.npz")
    found, exact = solver.sequences.table_of(Solved(str(tmp_path / "goof.npz")), 1)
    assert exact
    assert found == pytest.approx(solver.average, abs=1e-7)
    here, there = map(solver.sequences.best_responses, (found, solver.average))
    assert here.exploitability == pytest.approx(there.exploitability, abs=1e-5)
    held, size = solver.sequences, (tmp_path / "goof.npz").stat().st_size
    assert size < 10 * len(held.set_seen) + 4 * held.count + 2000


def test_what_is_saved_is_the_last_iterate_of_a_mirror_descent(
    kuhn: InformationSets, tmp_path: Path
) -> None:
    solver = Solver(kuhn, "mmd")
    solver.iterate(50)
    solver.save(tmp_path / "kuhn.npz")
    found = Solved(str(tmp_path / "kuhn.npz")).over(solver.sequences)
    assert found == pytest.approx(solver.strategy, abs=1e-7)


def test_actions_are_drawn_by_the_chances(kuhn: InformationSets, tmp_path: Path) -> None:
    luck = np.random.default_rng(1).uniform(0.2, 0.8, 12)
    chances = np.stack([luck, 1 - luck], axis=1)
    save(tmp_path / "any.npz", kuhn, np.concatenate([[1.0, 1.0], chances.ravel()]))
    found = played(kuhn, tmp_path / "any.npz", 600)[2:].reshape(12, 2)
    counts = found.sum(axis=1)
    off = (found[:, 0] / counts - luck) / np.sqrt(luck * (1 - luck) / counts)
    assert counts.min() > 10
    assert np.abs(off).max() < 2.5


def test_a_table_plays_matches_and_as_an_opponent(tmp_path: Path) -> None:
    solver = Solver(sequences("goofspiel"))
    solver.iterate(100)
    solver.save(tmp_path / "goof.npz")
    spec, variant = f"solved:file={tmp_path / 'goof.npz'}", solver.sequences.positions.variant
    found = evaluate(variant, spec, ["random"], deals=12)
    assert found.overall[0].points.value > 0.7
    assert evaluate(variant, spec, ["random"], deals=12).table() == found.table()
    batch = cyberdeck.Batch(variant, 8, seed=0, seat=0, opponent=spec)
    for _ in range(9):
        batch.step(batch.choose("random"))
    twin = pickle.loads(pickle.dumps(batch))
    for each in (batch, twin):
        for _ in range(6):
            each.step(each.choose("random"))
    assert (batch.observation == twin.observation).all()
    # Where the past is not known it does not play.
    saved = batch.get_state(0)
    other = cyberdeck.Batch(variant, 1, seed=1, seat=0, opponent=spec)
    other.set_state(0, saved)
    with pytest.raises(PolicyError, match="does not know what was before a saved position"):
        other.step(other.choose("random"))


@pytest.mark.parametrize("seed", range(2))
def test_a_first_decision_that_looks_like_a_later_one_is_told_from_it(
    seed: int, tmp_path: Path, capsys: Capture
) -> None:
    """Nobody sees anything there: only the course of the game says how far it has come."""
    held = sequences("pennies")
    strategy = determined(held, seed)
    save(tmp_path / "any.npz", held, strategy)
    spec = f"solved:file={tmp_path / 'any.npz'}"
    batch = cyberdeck.Batch(held.positions.variant, 1, seed=0, seat=0, opponent=spec)
    last = 1  # what the other seat has done: nothing
    for _ in range(2):
        batch.step([0])
        (each,) = np.flatnonzero(held.set_before == last)
        last = int(held.set_first[each] + strategy[held.set_first[each] :][:2].argmax())
        assert batch.reward[0][0] == (1 if last == held.set_first[each] else -1)
    batch.set_state(0, batch.get_state(0))
    with pytest.raises(PolicyError, match="does not know what was before a saved position"):
        batch.step([0])
    # It is exploited exactly.
    found = run(capsys, f"exploit {SMALL_GAMES} {spec} kind=pennies")
    assert f"all {len(held.set_seen)} information sets" in found
    assert " is 2.0000: the best response gains" in " ".join(found.split())


# --- what is refused ------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path: Path, kuhn: InformationSets) -> Path:
    save(tmp_path / "kuhn.npz", kuhn, kuhn.uniform())
    return tmp_path / "kuhn.npz"


def test_another_game_or_other_options_are_refused(tmp_path: Path, saved: Path) -> None:
    held = sequences("pennies")
    other = cyberdeck.Variant(held.positions.variant.game, {"kind": "named"})
    with pytest.raises(OptionError, match=r"kuhn\.npz solves kuhn_poker, not small_games$"):
        find_player(other, f"solved:file={saved}")
    save(tmp_path / "any.npz", held, held.uniform())
    with pytest.raises(OptionError, match="solves Small Games with kind='pennies', not with kind="):
        find_player(other, f"solved:file={tmp_path / 'any.npz'}")


def test_a_game_whose_rules_have_changed_is_refused(tmp_path: Path, saved: Path) -> None:
    changed = tmp_path / "kuhn_poker.py"
    text = (GAMES / "kuhn_poker.py").read_text()
    changed.write_text(
        text.replace("state.reward[winner] = state", "state.reward[winner] = 2 * state")
    )
    other = cyberdeck.Variant(load_file(changed), {})
    with pytest.raises(OptionError, match="solves another version of Kuhn Poker: solve it anew"):
        find_player(other, f"solved:file={saved}")
    assert find_player(of("kuhn_poker"), f"solved:file={saved}").name == "kuhn"


GONE = object()

#: A part of the file; what it is instead, or what the object that it describes has instead, or
#: (where, what) of a part that stays otherwise; and what is said.
DAMAGED: list[tuple[str, Any, str]] = [
    ("strategy", GONE, "its parts are about"),
    ("about", np.zeros(3, np.uint8), "Expecting value"),
    ("about", {"cyberdeck solved": 9}, "it is no table of version 1"),
    ("about", {"game": 3}, "it does not say its game"),
    ("strategy", np.zeros((24, 1), np.float32), "strategy is float32 of the shape"),
    ("strategy", np.full(23, 0.5, np.float32), "it has 23 chances for 24"),
    ("strategy", (0, np.nan), "its chances must not be below 0"),
    ("strategy", (0, 0.9), "its chances must not be below 0, and add up to 1"),
    ("legal", (0, 0), "leave something to be done"),
    ("legal", np.ones(11, np.int16), "not equally long"),
    ("sets", (1, 0), "its information sets must ascend"),
    ("sets", np.array([{}] * 12), "sets is no array of numbers"),
]


@pytest.mark.parametrize(("name", "change", "complaint"), DAMAGED)
def test_a_damaged_file_is_refused(name: str, change: Any, complaint: str, saved: Path) -> None:
    with np.load(saved) as file:
        held = {each: file[each].copy() for each in file if change is not GONE or each != name}
    if isinstance(change, dict):
        about = json.dumps(json.loads(held[name].tobytes()) | change)
        held[name] = np.frombuffer(about.encode(), np.uint8)
    elif isinstance(change, tuple):
        held[name][change[0]] = change[1]
    elif change is not GONE:
        held[name] = change
    np.savez(saved, **held)
    with pytest.raises(PolicyError, match=complaint) as caught:
        Solved(str(saved))
    assert "is no whole file of a solved game" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_legal_elsewhere_is_not_taken(saved: Path) -> None:
    """A file in which the numbers fit, and not to the game."""
    with np.load(saved) as file:
        held = {name: file[name].copy() for name in file}
    held["legal"][:2], held["strategy"][:4] = (1, 3), (1, 0.5, 0.25, 0.25)
    np.savez(saved, **held)
    batch = cyberdeck.Batch("kuhn_poker", 64, seed=0, seat=0, opponent=f"solved:file={saved}")

    def play_on() -> None:
        for _ in range(8):
            batch.step(batch.choose("random"))

    with pytest.raises(PolicyError, match=r"solve the game anew|know what was before"):
        play_on()


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("solved", "needs its file: solved:file="),
        ("solved:table=x", "solved has no setting 'table=x': it has file="),
        ("solved:file=none.npz", r"none\.npz does not exist: give a file of `cyberdeck solve`"),
        ("solved:file=.", r"^\. cannot be read: "),
        ("some.npz", "a solved game plays as solved:file=some.npz"),
        ("solve:file=some.npz", r"did you mean solved\?"),
    ],
)
def test_a_wrong_name_is_refused(spec: str, complaint: str) -> None:
    with pytest.raises(CyberdeckError, match=complaint):
        find_player(cyberdeck.variant("hackthegrid"), spec)
