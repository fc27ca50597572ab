"""verifiers plays the games: a trace for each seat, rewards where they belong, nothing told on.

These tests run where verifiers is installed: ``make agents-test``. Its own machinery plays, against
a server of models that is not one.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import re
import string
import subprocess
import sys
import threading
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

from cyberdeck import TextEnv, TextGame
from cyberdeck.players import EVERYWHERE
from cyberdeck.text.splits import SPLITS
from cyberdeck.text.task_env import TaskEnv
from cyberdeck.text.tasks import UNEVEN, Task
from tests.test_docs import blocks
from tests.text.fake_server import FakeServer, error, first, listed, reply, serving
from tests.text.playing import Machine, move
from tests.text.redrawn import FOLDER

vf = pytest.importorskip("verifiers.v1")
pytestmark = pytest.mark.agents

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "use" / "verifiers.md"
NAME = "cyberdeck-verifiers"
#: So the server knows who asks.
MODELS: dict[str, Any] = {f"player_{seat}": {"model": f"seat {seat}"} for seat in range(10)}
TEAMS: dict[str, Any] = {"game": "hovercrafts", "options": {"ships": [2, 2], "max_turns": 3}}
GOOFSPIEL = {"game": str(FOLDER / "goofspiel.py")}


def seat_of(name: str) -> int:
    """Of a model, or of an agent."""
    return int(re.split("[ _]", name)[-1])


def by_chance(request: dict[str, Any], number: int) -> str:
    """A legal move that follows from the conversation, after a secret of the seat's own."""
    luck = random.Random(json.dumps(request["messages"]) + request["model"])
    secret = f"SECRET OF SEAT {seat_of(request['model'])}: {luck.random()}."
    if luck.random() < 0.1:
        return f"{secret} I do not know."
    return f"{secret} {move(luck.choice(listed(request)))}"


def environment(taskset: dict[str, Any], **seats: Any) -> Any:
    taskset = {"id": NAME, "list_moves": True, **taskset}
    return vf.load_environment(vf.resolve_env_config({"taskset": taskset, **seats}))


def episodes(server: FakeServer, env: Any, tasks: Any) -> list[Any]:
    """All at once."""
    client = vf.EvalClientConfig(base_url=server.url)
    run = vf.ModelContext(client=client, model="the run's", sampling=vf.SamplingConfig())

    async def all_of_them() -> list[Any]:
        async with env.serving():
            return await asyncio.gather(*(env.run_episode(task, run) for task in tasks))

    return asyncio.run(all_of_them())


def played(said: Any, taskset: dict[str, Any], count: int = 1, **seats: Any) -> list[Any]:
    env = environment(taskset, **{**MODELS, **seats})
    with serving(said) as server:
        return episodes(server, env, env.taskset.take(count))


def rewards(episode: Any) -> dict[str, float]:
    return {trace.agent.name: trace.reward for trace in episode.traces}


def conversations(episode: Any) -> dict[int, list[tuple[str, str]]]:
    """What each seat was told and has said."""
    found = {}
    for trace in episode.traces:
        told, answers = (
            [message.content for message in trace.messages if message.role == role]
            for role in ("user", "assistant")
        )
        assert [each.role for each in trace.messages] == ["user", "assistant"] * len(told)
        found[seat_of(trace.agent.name)] = [*zip(told, answers, strict=True)]
    return found


def checked(episode: Any, made: TextGame | TextEnv) -> None:
    """Whether the same game comes of the same answers, and each trace has that seat's part of it:
    what it was told, to the letter, what it got, and nothing that another has said.
    """
    assert episode.ok, episode.errors
    made.reset(episode.task.data.seed)
    game = made.game if isinstance(made, TextEnv) else made
    left, again = conversations(episode), {}
    seats = {*left}
    while not game.over:
        for seat in game.deciding:
            told, said = left[seat].pop(0)
            assert told == (again.get(seat) or game.prompt(seat))
            again[seat] = game.answer(seat, said).reply
    assert not any(left.values())
    assert rewards(episode) == {f"player_{seat}": game.returns[seat] for seat in seats}
    for trace in episode.traces:
        seat, written = seat_of(trace.agent.name), trace.model_dump_json()
        assert trace.rewards.keys() == {"return"}
        counted = {"gave_up": seat in game.gave_up, "length": len(game.actions)}
        assert trace.metrics == {**game.answers(seat), **counted}
        assert trace.info == {"seat": game.variant.agents[seat], "ending": game.ending(seat).words}
        assert not any(f"SECRET OF SEAT {other}:" in written for other in seats - {seat})


# --- who gets what --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "taskset",
    [
        {"options": {"reward": "regret"}},
        pytest.param(
            {"game": "stacktrices", "options": {"max_turns": 7, "reward": "material"}},
            marks=pytest.mark.slow,
        ),
        TEAMS,
        GOOFSPIEL,
        {"game": "matrix_overload", "options": {"reward": "royals", "max_steps": 40}},
    ],
    ids=str,
)
def test_each_seat_gets_its_prompts_its_reward_and_nothing_else(taskset: dict[str, Any]) -> None:
    """Several games at once, each as if it were alone; a server that fails once is asked again."""

    def said(request: dict[str, Any], number: int) -> Any:
        return error(503) if number == 1 else by_chance(request, number)

    config = environment(taskset).taskset.config
    done = played(said, taskset, 2)
    assert len({each for episode in done for each in rewards(episode).values()}) > 1
    for episode in done:
        checked(episode, TextGame(config.variant, list_moves=True, brief=True))
        assert len(episode.traces) == config.variant.seats


@pytest.mark.parametrize(
    ("taskset", "seats", "own"),
    [
        ({}, {"opponent": "heuristic"}, [(0,), (1,)]),
        ({}, {"seat": "1"}, [(1,)]),
        (TEAMS, {"seat": "machines", "opponent": ["search:iterations=2"]}, [(2, 3)]),
    ],
    ids=str,
)
def test_a_player_of_the_suite_takes_the_other_seats(taskset: Any, seats: Any, own: Any) -> None:
    config = environment(taskset, **seats).taskset.config
    found = set()
    for episode in played(by_chance, taskset, 6 if len(own) > 1 else 1, **seats):
        about = {"seat": "random", "opponent": None, **seats}
        if about["seat"] == "1":
            about["seat"] = 1
        checked(episode, TextEnv(config.variant, list_moves=True, brief=True, **about))
        found.add(tuple(sorted(conversations(episode))))
    assert found == {*own}


def test_single_positions_are_graded() -> None:
    """An oracle, who has the odd ones, gets 1 in each; the last move gets what it is worth."""
    env = TaskEnv("hackthegrid", list_moves=True)
    known: dict[str, Task] = {}
    for seed in range(6):
        prompt, _ = env.reset(seed=seed)
        known[prompt] = env.task

    def said(request: dict[str, Any], number: int) -> str:
        task = known[request["messages"][-1]["content"]]
        return move(task.moves[task.best[0]] if task.seed % 2 else listed(request)[-1])

    for episode in played(said, {"graded": True}, 6):
        (trace,) = episode.traces
        task = known[conversations(episode)[0][0][0]]
        assert [*trace.rewards] == ["grade"]
        assert trace.reward == (1.0 if task.seed % 2 else task.grades[[*task.moves][-1]])
        assert trace.info["band"] in UNEVEN
        assert trace.metrics["floor"] == pytest.approx(task.floor)


def test_an_agent_with_a_model_of_its_own_is_not_trained() -> None:
    env = environment({}, player_1={"model": "another"})
    with serving(first) as server:
        (episode,) = episodes(server, env, env.taskset.take(1))
    trained = {trace.agent.name: trace.agent.trainable for trace in episode.traces}
    assert trained == {"player_0": True, "player_1": False}
    assert {request["model"] for request in server.requests} == {"the run's", "another"}


# --- tasks ----------------------------------------------------------------------------------------


def test_tasks_are_endless_cheap_and_each_split_has_its_own() -> None:
    env, start = environment(TEAMS), time.process_time()
    tasks = [*env.taskset.take(1000)]
    assert time.process_time() - start < 5
    assert env.taskset.INFINITE
    assert not env.taskset.bounded
    assert [task.data.seed for task in tasks] == [*range(1000)]
    assert tasks[7].data.name == "hovercrafts train 7"
    assert len({task.key for task in tasks}) == 1000
    for split, seeds in SPLITS.items():
        taskset = environment({"split": split}).taskset
        assert [task.data.seed for task in taskset.take(2)] == [*seeds[:2]]


# --- what is not told -----------------------------------------------------------------------------


@pytest.mark.parametrize("at_once", [None, 1])
def test_nobody_who_decides_in_secret_waits_for_another_answer(at_once: int | None) -> None:
    """Both are asked before either is read; and one after the other, if no more are allowed."""
    both = threading.Barrier(2, timeout=20)

    def said(request: dict[str, Any], number: int) -> str:
        if at_once is None:
            both.wait()
        return move(listed(request)[-seat_of(request["model"])])

    env = environment(GOOFSPIEL, max_concurrent_agents=at_once, **MODELS)
    with serving(said) as server:
        (episode,) = episodes(server, env, env.taskset.take(1))
    checked(episode, TextGame(env.taskset.config.variant, list_moves=True, brief=True))
    assert server.most_at_once == (at_once or 2)


# --- answers that are no moves --------------------------------------------------------------------


def test_an_answer_that_was_cut_off_does_not_count() -> None:
    def said(request: dict[str, Any], number: int) -> Any:
        text = first(request, number)
        return reply(text, "length") if number == 0 else text

    (episode,) = played(said, {"retries": {"illegal": 0, "unparsable": 0, "cut_off": 1}})
    counts = sorted(trace.metrics["cut_off"] for trace in episode.traces)
    assert counts == [0, 1]
    told = [talk[1][0] for talk in conversations(episode).values()]
    (again,) = (each for each in told if each.startswith("Your answer was cut off"))
    assert "1 try left" in again


@pytest.mark.parametrize("taskset", [{}, TEAMS, GOOFSPIEL], ids=str)
def test_who_gives_up_loses_with_its_team(taskset: dict[str, Any]) -> None:
    def said(request: dict[str, Any], number: int) -> str:
        return "?" if seat_of(request["model"]) == 1 else by_chance(request, number)

    (episode,) = played(said, {**taskset, "retries": 1})
    game = TextGame(
        environment(taskset).taskset.config.variant, list_moves=True, brief=True, retries=1
    )
    checked(episode, game)
    assert game.gave_up == (1,)
    assert rewards(episode)["player_1"] == -1


# --- games that do not count ----------------------------------------------------------------------


def unscored(episode: Any, why: str) -> None:
    assert not episode.ok
    assert not any(trace.ok or trace.rewards for trace in episode.traces)
    assert "the game does not count" in episode.last_error.message
    assert why in episode.last_error.message


@pytest.mark.parametrize("taskset", [{}, TEAMS, GOOFSPIEL], ids=str)
def test_a_model_that_fails_voids_the_game_for_all(taskset: dict[str, Any]) -> None:
    """Without harm to those that are played at the same time."""

    def said(request: dict[str, Any], number: int) -> Any:
        fails = seat_of(request["model"]) == 1 and len(request["messages"]) > 2
        return error(400, "out of order") if fails else by_chance(request, number)

    for episode in played(said, taskset, 2):
        unscored(episode, "player_1 has failed")
        assert "out of order" in episode.last_error.message


def test_a_player_of_the_suite_that_fails_voids_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EVERYWHERE, "broken", f"{Machine.__module__}:Machine")
    (episode,) = played(by_chance, {}, seat=1, opponent="broken")
    unscored(episode, "the machine of the machine has failed")


# --- what is not possible -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("taskset", "seats", "said"),
    [
        ({"options": {"scrambled": 1}}, {}, "did you mean scramble"),
        ({"graded": True}, {"opponent": "random"}, "leave out seat, opponent and ally"),
        ({"split": "trian"}, {}, "did you mean train"),
        ({}, {"opponent": "heuristc"}, "did you mean heuristic"),
    ],
    ids=str,
)
def test_what_is_not_possible_is_refused(taskset: Any, seats: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        environment(taskset, **seats)


def test_a_game_with_more_seats_than_agents_is_refused(tmp_path: Path) -> None:
    text = (FOLDER / "tictactoe.py").read_text(encoding="utf-8")
    file = tmp_path / "crowd.py"
    file.write_text(text.replace('"x", "o"', f'*"{string.ascii_lowercase[:11]}",'), "utf-8")
    with pytest.raises(ValueError, match="it has 11 seats, and there are agents for 10"):
        environment({"game": str(file)})


# --- as its users run it --------------------------------------------------------------------------


def test_trainers_get_the_same_from_its_environment_server() -> None:
    """Tasks go there over a socket, and episodes come back."""
    from verifiers.v1.serve import EnvClient, EnvServer

    env = environment(TEAMS, **MODELS)
    tasks = [task.data.model_dump(mode="json") for task in env.taskset.take(2)]

    async def asked(url: str) -> list[Any]:
        server = EnvServer(env.config, "tcp://127.0.0.1:0")
        serving = asyncio.create_task(server.run())
        client = EnvClient(server.address)
        about = (vf.EvalClientConfig(base_url=url), "the run's", vf.SamplingConfig())
        try:
            return await asyncio.gather(*(client.run(*about, task) for task in tasks))
        finally:
            await client.close()
            serving.cancel()
            await serving

    with serving(by_chance) as server:
        sent = asyncio.run(asked(server.url))
    for seed, episode in enumerate(sent):
        assert episode.task.data.seed == seed
        checked(episode, TextGame(env.taskset.config.variant, list_moves=True, brief=True))


def test_the_page_plays(capsys: pytest.CaptureFixture[str]) -> None:
    on_page = {block.info: block for block in reversed(blocks(PAGE))}
    block = on_page["python no-run"]
    with serving(first) as server:
        text = block.text.replace("http://localhost:8000/v1", server.url)
        exec(compile("\n" * (block.line - 1) + text, str(PAGE), "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) == 16
    config = vf.resolve_env_config(tomllib.loads(on_page["toml"].text)["env"])
    assert vf.load_environment(config).config.opponent == ["random", "heuristic"]


@pytest.mark.slow
def test_its_command_finds_the_games_by_name(tmp_path: Path) -> None:
    said = itertools.cycle(["R1", "R2"])
    with serving(lambda request, number: move(next(said))) as server:
        words = (
            f"{NAME} --env.taskset.game stacktrices --env.taskset.retries 0 --env.seat 1 -n 2 "
            f"-m model --client.base-url {server.url} --no-push --no-rich --run.name run"
        )
        start = [sys.executable, "-c", "from verifiers.v1.cli.eval.main import main; main()"]
        done = subprocess.run(
            [*start, *words.split(), "--env.taskset.options", '{"max_turns": 4}'],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "outputs" / "run" / "traces.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 2
    for line in lines:
        (trace,) = json.loads(line)["traces"]
        assert trace["rewards"]["return"]["score"] == -1
