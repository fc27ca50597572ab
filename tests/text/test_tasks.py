"""Single positions as tasks: what they are worth, where they come from, and that none tells it."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cyberdeck
from cyberdeck import TextGame
from cyberdeck.api.registration import load_file
from cyberdeck.commands.main import main
from cyberdeck.engine.values import Values
from cyberdeck.errors import EpisodeError, OptionError
from cyberdeck.players.solvers.hackthegrid.solver import OUTCOME_REWARDS, Solver
from cyberdeck.text.splits import SPLITS, split_seed
from cyberdeck.text.task_env import TaskEnv
from cyberdeck.text.tasks import BANDS, EXACT, UNEVEN, Task, Tasks, stacked
from cyberdeck.text.trl import environment_factory
from tests.text.playing import move as answer_of

GAMES = Path(__file__).parents[2] / "examples" / "games"


@pytest.fixture(scope="module")
def tasks() -> Tasks:
    return Tasks("hackthegrid", bands=[*BANDS])


@pytest.fixture(scope="module")
def met(tasks: Tasks) -> list[Task]:
    return [task for seed in range(18) for task in tasks.of_deal(seed)]


# --- what they are --------------------------------------------------------------------------------


def test_each_has_the_solvers_values_and_is_in_their_band(met: list[Task]) -> None:
    assert {task.band for task in met} == {*BANDS}
    solver = Solver()
    for task in met:
        outcomes = solver.values(task.state)[0]
        legal = [*task.moves]
        assert legal == np.flatnonzero(outcomes >= 0).tolist()
        assert len(legal) > 1
        assert task.values[legal].tolist() == OUTCOME_REWARDS[outcomes[legal]].tolist()
        assert (task.grades[task.best] == 1.0).all()
        assert (task.values[task.best] == np.nanmax(task.values)).all()
        assert task.floor == pytest.approx(float(np.nanmean(task.grades)))
        assert task.known_by == "exact:ties=spiteful"
        # Bands are by what a random answer gets.
        low = {"hard": 0.0, "medium": 1 / 3, "easy": 0.5, "even": 1.0}[task.band]
        assert low - 1e-6 <= task.floor <= BANDS[task.band]
        assert (task.band == "even") == (len({*task.values[[*task.moves]]}) == 1)


def test_they_are_positions_of_the_deal_and_tell_nothing_of_its_dice(
    tasks: Tasks, met: list[Task]
) -> None:
    game = TextGame("hackthegrid")
    game.prompts = tasks.prompts
    for task in met[::7]:
        game.reset(task.seed, played=task.played)
        assert game.deciding == (task.seat,)
        assert (game.core.states == task.state).all()
        game.core.states["dice"] ^= np.uint64(12345)
        game.core.rows["dice"] ^= np.uint64(54321)
        assert game.prompt(task.seat) == task.prompt
        assert game.legal(task.seat) == task.moves


def test_early_and_late_ones_are_met_from_both_seats(tasks: Tasks, met: list[Task]) -> None:
    plies = Counter(len(task.played) for task in met)
    assert plies[0] >= 14
    assert max(plies) >= 12
    assert {task.seat for task in met} == {0, 1}
    assert tasks.players == ("random", "heuristic", EXACT)
    assert {name for task in met for name in task.players} == {*tasks.players}
    for before, after in itertools.pairwise(met):
        together = before.seed == after.seed and len(before.played) < len(after.played)
        if together and before.players[before.seat] == EXACT:
            assert after.played[len(before.played)] in before.best


def test_everything_comes_from_the_seed(tasks: Tasks, met: list[Task]) -> None:
    again = Tasks("hackthegrid", bands=[*BANDS])
    for task, same in zip(met[:100], again.stream("train", threads=2), strict=False):
        assert task.told() == same.told()
        assert (task.state == same.state).all()
    late = next(tasks.stream("train", start=3))
    assert late.told() == tasks.of_deal(3)[0].told()


# --- splits ---------------------------------------------------------------------------------------


def test_splits_are_by_deal_and_share_none(tasks: Tasks) -> None:
    ranges = sorted(SPLITS.values(), key=lambda seeds: seeds.start)
    assert all(before.stop <= after.start for before, after in itertools.pairwise(ranges))
    assert [*SPLITS] == ["train", "validation", "test"]
    assert ranges[-1][-1] < 2**53  # exact in JSON
    for split, seeds in SPLITS.items():
        assert split_seed(split, 3) == seeds[3]
        dealt = {task.seed for task in itertools.islice(tasks.stream(split), 30)}
        assert len(dealt) > 1
        assert all(seed in seeds for seed in dealt)


@pytest.mark.parametrize(
    ("split", "index", "said"),
    [
        ("tests", 0, "did you mean test?"),
        ("train", 2**40, "is not possible: train has tasks from 0 to"),
        ("train", 1.5, "index=1.5"),
        (["test"], 0, "choose one of train, validation, test"),
    ],
)
def test_a_task_that_there_is_not_is_refused(split: str, index: int, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        split_seed(split, index)


def test_a_deal_without_such_a_position_is_replaced_by_one_of_no_split() -> None:
    hard = Tasks("hackthegrid", bands=["easy"])
    index = next(at for at in range(20, 100) if not hard.of_deal(split_seed("test", at)))
    seed = hard.one(split_seed("test", index)).seed
    assert not any(seed in seeds for seeds in SPLITS.values())
    assert seed % 2**42 == split_seed("test", index)  # so no other task is given this one


GRADED_IF = {
    ("hackthegrid", "exact"): "whoever can do no better than lose would rather both lose than lose",
    ("hackthegrid", "exact:ties=friendly"): "lose would rather lose alone than both lose.",
    ("matrix_overload", "exact:reach=1"): "in the rest of the game if you play on as well as you",
    ("tictactoe", "exact"): "the game if all play on as well as they can.",
    (
        "kuhn_poker",
        "response:to=random",
    ): "if all others play at random, and you as well as you can",
}


@pytest.mark.parametrize(("game", "values"), GRADED_IF)
def test_the_prompt_says_what_its_grade_takes_for_granted(game: str, values: str) -> None:
    path = GAMES / f"{game}.py"
    name = load_file(path).name if path.exists() else game
    env = TaskEnv(name, values=values, bands=[*BANDS])
    env.game.reset(0)
    prompt = env.game.prompt(env.game.deciding[0])
    told = " ".join(prompt.partition("HOW YOUR MOVE IS GRADED\n")[2].split("\n"))
    assert told.startswith("Only this move is graded: by what you get in the rest of the game if ")
    assert GRADED_IF[game, values] in told


def test_values_that_differ_by_rounding_are_best_together() -> None:
    """Who plays deals of tasks takes any of the moves that a task calls best."""
    variant = cyberdeck.Variant(load_file(GAMES / "tictactoe.py"), {})

    class Rounded(Values):
        def of(self, states: Any) -> Any:
            values = np.where(variant.look(states, 0)[0], 0.0, np.nan)[None]
            return values + 1e-9 * np.arange(9)

    tasks = Tasks(variant, values=Rounded, players=["exact"], bands=[*BANDS])
    first = {tasks.of_deal(seed)[1].played[0] for seed in range(9)}
    assert len(first) > 2


# --- as episodes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("disguise", [0, 3])
def test_a_best_move_gets_1_and_a_random_one_the_floor(disguise: int) -> None:
    env = TaskEnv("hackthegrid", disguise=disguise)
    for seed in range(8):
        prompt, info = env.reset(seed=seed)
        task = env.task
        assert (prompt, info["seat"]) == (task.prompt, env.variant.agents[task.seat])
        assert task.band in UNEVEN
        rewards = {}
        for action, move in task.moves.items():
            twin = env.clone()
            told, rewards[action], over, truncated, info = twin.step(answer_of(move))
            assert (over, truncated, info["answer"], info["move"]) == (True, False, "move", move)
            assert told.startswith("The task is over.")
        assert {action for action, grade in rewards.items() if grade == 1.0} == {*task.best}
        assert min(rewards.values()) == 0.0
        assert np.mean([*rewards.values()]) == pytest.approx(task.floor)


def test_trl_plays_them() -> None:
    env = environment_factory("hackthegrid", graded=True, bands=["hard"])()
    for index in range(6):
        told = env.reset(split="validation", index=index)
        assert told.endswith(tuple(env.text.task.moves.values()))  # the form: the tool's argument
        assert env.get_reward() == 0.0  # it was left
        env.reset(split="validation", index=index)
        task = env.text.task
        assert task.band == "hard"
        action = [*task.moves][index % len(task.moves)]
        env.move(task.moves[action])
        assert env.get_reward() == task.grades[action]
        with pytest.raises(EpisodeError):
            env.move(task.moves[action])


# --- other games ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_ends_of_matrix_overload_say_all_that_is_to_come() -> None:
    tasks = Tasks("matrix_overload", values="exact:reach=500", reward="royals")
    found = [task for seed in range(8) for task in tasks.of_deal(seed)]
    assert found
    for task in found:
        assert " 0 of them unseen" in task.prompt or "Draw pile: 1 " in task.prompt


# --- numbers and files ----------------------------------------------------------------------------


def test_they_are_written_as_lines_and_as_arrays(tmp_path: Path, capsys: Any) -> None:
    lines, arrays = tmp_path / "tasks.jsonl", tmp_path / "tasks.npz"
    for path in (lines, arrays):
        assert main(["tasks", "hackthegrid", "--count", "8", "--output", str(path)]) == 0
    assert main(["tasks", "hackthegrid", "--count", "8", "--output", "-"]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == lines.read_text("utf-8").splitlines()
    found = [json.loads(line) for line in lines.read_text("utf-8").splitlines()]
    same = [*itertools.islice(Tasks("hackthegrid").stream("train"), 8)]
    assert found == [task.told() for task in same]
    with np.load(arrays) as held:
        expected = stacked(same)
        assert {*held} == {*expected}
        for name, array in expected.items():
            assert np.array_equal(held[name], array, equal_nan=name == "values")
    assert expected["values"].shape == expected["masks"].shape == (8, 69)
    assert (expected["masks"].sum(axis=1) > 1).all()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["hackthegrid", "--player", "huristic"], "did you mean heuristic?"),
        (["hackthegrid", "--output", "x.csv", "--count", "1"], "ends in .jsonl or .npz"),
        (["hackthegrid", "--output", "x.npz"], "say how many you want, such as --count 1000"),
        (["stacktrices"], "no exact values"),
    ],
)
def test_what_is_not_possible_says_so(
    arguments: list[str], complaint: str, capsys: Any, monkeypatch: Any, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["tasks", *arguments]) == 2
    assert complaint in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]


def test_where_nothing_is_wanted_it_comes_to_an_end(monkeypatch: Any) -> None:
    """Nobody waits for ever for a band that there is not."""
    monkeypatch.setattr("cyberdeck.text.tasks._MOST_DEALS", 3)
    monkeypatch.setattr(Tasks, "of_deal", lambda tasks, seed: [])
    tasks = Tasks("hackthegrid", bands=["even"])
    for asked in (lambda: next(tasks.stream("train")), lambda: tasks.one(0)):
        with pytest.raises(OptionError, match="3 deals of HACKtheGRID have no position of the ban"):
            asked()


def test_who_takes_the_best_move_takes_any_where_none_is_known() -> None:
    variant = cyberdeck.Variant(load_file(GAMES / "tictactoe.py"), {})
    tasks = Tasks(variant, values="exact:memory=1e-6,reach=30", players=["exact"], bands=[*BANDS])
    found = tasks.of_deal(0)
    assert found
    assert min(len(task.played) for task in found) > 2
