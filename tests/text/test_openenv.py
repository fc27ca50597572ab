"""OpenEnv: the server by its own client, its validation, and what its level 3 asks for.

These tests run where OpenEnv is installed: ``make openenv-test``.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import re
import runpy
import socket
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.request
from base64 import b64decode
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import cyberdeck
from cyberdeck import OptionError, TextEnv, notation, showing
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED
from cyberdeck.text.splits import SPLITS, split_seed
from cyberdeck.text.task_env import TaskEnv
from tests.test_docs import blocks
from tests.text.playing import Machine

pytest.importorskip("openenv")

from openenv.cli._cli_utils import validate_env_structure
from openenv.validation import load_policy, run_validation
from openenv.validation.parsers.openenv_yaml import OpenEnvYamlParser
from openenv.validation.types import ProviderCapability
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from websockets.sync.client import connect

from cyberdeck.players.solvers.hackthegrid.values import SolverValues
from cyberdeck.text.openenv import CyberdeckAction, CyberdeckClient, CyberdeckEnvironment
from cyberdeck.text.openenv import environment as environments
from cyberdeck.text.openenv.app import app_of, make_app, read_arguments
from cyberdeck.text.openenv.environment import Solvers

pytestmark = pytest.mark.openenv

INSTALLED = Path(cyberdeck.__file__).parents[1]
ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = ROOT / "examples" / "cyberdeck_env"
PAGE = ROOT / "docs" / "use" / "openenv.md"

#: So many sessions the server has.
SESSIONS = 3


# --- a server -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The server of the environment's folder, as its Dockerfile starts it: its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("w") as out:
        words = [sys.executable, "-m", "uvicorn", "server.app:app", "--port", str(port)]
        more = {"MAX_CONCURRENT_ENVS": str(SESSIONS), "CYBERDECK_ALLOW_GRADED": "yes"}
        more["PYTHONPATH"] = str(INSTALLED)
        how: Any = {"env": os.environ | more, "cwd": ENVIRONMENT, "stdout": out, "stderr": out}
        process = subprocess.Popen(words, **how)
    url = f"http://127.0.0.1:{port}"
    try:
        until(lambda: process.poll() is not None or answers(url), 120)
        assert process.poll() is None, log.read_text()
        yield url
    finally:
        process.terminate()
        process.wait(60)
    # OpenEnv's own are there, behind our door: of answers to those who had gone.
    ours = (
        re.escape(f'File "{INSTALLED}/cyberdeck/')
        + r"(?!text/openenv/app\.py\", line \d+, in __call__)"
    )
    assert not re.search(ours, log.read_text()), log.read_text()


def until(done: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.05)


def answers(url: str) -> bool:
    with contextlib.suppress(OSError):
        return bool(urllib.request.urlopen(f"{url}/health").status == 200)
    return False


@contextlib.contextmanager
def session(url: str) -> Iterator[Any]:
    """A client of the server; one that has just gone may still count for a moment."""
    client = CyberdeckClient(url).sync()
    with client:
        until(lambda: has_room(client), 60)
        yield client


def has_room(client: Any) -> bool:
    with contextlib.suppress(RuntimeError):  # at capacity
        return client.state() is not None
    client.disconnect()
    return False


def course(client: Any, seed: int, **arguments: Any) -> list[Any]:
    """All that is told in a game with fixed answers, each seventh of which is no move."""
    luck = random.Random(seed)
    result = client.reset(seed=seed, list_moves=True, **arguments)
    told = [result.observation.model_dump()]
    while not result.done:
        if len(told) % 7:
            answer = CyberdeckAction(move=luck.choice(result.observation.legal_moves))
        else:
            answer = CyberdeckAction(message="I move on.")
        result = client.step(answer)
        told.append(result.observation.model_dump())
    return told


#: Games of each kind, and the digests of their courses: the same on every platform. Other prompts
#: make others.
GOLDEN: dict[str, tuple[dict[str, Any], str]] = {
    "matrix_overload": ({}, "8a2623725df12ac2"),
    "hackthegrid": ({"seat": "row", "opponent": "heuristic"}, "562b7882944ec484"),
    "stacktrices": ({"max_turns": 8, "opponent": ["random", "heuristic"]}, "8910ebe35e432043"),
    "hovercrafts": ({"ships": [2, 2], "max_turns": 4, "seat": "team"}, "81700062488be9fe"),
}


def played(url: str, game: str) -> str:
    """The digest of some courses."""
    arguments, _ = GOLDEN[game]
    with session(url) as client:
        told = [course(client, seed, game=game, **arguments) for seed in range(3)]
        assert told[1] == course(client, 1, game=game, **arguments)
    text = json.dumps(told, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def test_the_same_course_is_played_everywhere_and_beside_another(server: str) -> None:
    with ThreadPoolExecutor(2) as threads:
        found = threads.map(lambda game: played(server, game), GOLDEN)
    assert dict(zip(GOLDEN, found, strict=True)) == {game: GOLDEN[game][1] for game in GOLDEN}


def test_what_comes_through_the_door_is_what_text_env_says_and_can_be_replayed(server: str) -> None:
    about: dict[str, Any] = {"seat": "machines", "opponent": "heuristic", "brief": True}
    env = TextEnv("hovercrafts", max_turns=3, **about)
    with session(server) as client:
        result = client.reset(game="hovercrafts", seed=5, max_turns=3, **about)
        text, info = env.reset(5)
        total = 0.0
        assert result.observation.legal_moves == []  # nobody has asked for them
        while not result.done:
            assert (result.observation.text, result.observation.seat) == (text, info["seat"])
            running = client.state()
            assert (running.seed, running.actions, running.done) == (None, [], False)
            answer = json.dumps({"move": next(iter(notation.legal(env.game)))})
            result = client.step(CyberdeckAction(message=answer))
            text, reward, *_, info = env.step(answer)
            assert result.reward == reward
            total += result.reward
        over = client.state()
    observation = result.observation
    assert (observation.text, observation.reason) == (text, info["reason"])
    assert total in (-1, 0, 1)
    assert over.done
    chosen = cyberdeck.variant(over.game, **over.options)
    core = GameBatch(chosen, 1, autoreset=DISABLED)
    core.reset([over.seed])
    for action in over.actions:
        core.advance_one(action)
    assert core.final_returns[0][chosen.agents.index(over.seats[0])] == total


def test_single_positions_are_graded(server: str) -> None:
    """The best move gets 1, and the last what it is worth."""
    env = TaskEnv("hackthegrid")
    with session(server) as client:
        for index in range(12):
            task = {"split": "test", "index": index, "graded": True}
            text = client.reset(**task).observation.text
            assert text == env.reset(split_seed("test", index))[0]
            for action in (env.task.best[0], [*env.task.moves][-1]):
                client.reset(**task)
                result = client.step(CyberdeckAction(move=env.task.moves[action]))
                assert result.done
                assert result.reward == env.task.grades[action]


def step(**data: Any) -> str:
    return json.dumps({"type": "step", "data": data})


def reset(**data: Any) -> str:
    return json.dumps({"type": "reset", "data": data})


def test_a_session_too_many_is_refused_and_one_that_vanishes_makes_room(server: str) -> None:
    address = server.replace("http", "ws") + "/ws"
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(connect(address)) for _ in range(SESSIONS)]
        for each in sockets:
            each.send(reset(seed=1))
            assert json.loads(each.recv())["type"] == "observation"
        with (
            pytest.raises(RuntimeError, match="CAPACITY_REACHED"),
            CyberdeckClient(server).sync() as one_more,
        ):
            one_more.reset(seed=1)
        # In the middle of a game connections are cut off, one while an answer is due.
        sockets[0].send(reset(seed=2, opponent="search"))
        for each in (sockets[0], sockets[2]):
            each.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            each.socket.close()
        with session(server) as client:
            assert course(client, 0)[-1]["done"]
        sockets[1].send(step(move=0))
        assert json.loads(sockets[1].recv())["type"] == "observation"


#: What cannot be, and how it is answered: by OpenEnv, by the models, and by the environment.
JUNK = {
    "INVALID_JSON": ["{"],
    "UNKNOWN_TYPE": ["{}", '{"type": ["step"]}'],
    "VALIDATION_ERROR": [
        *('{"type": "state", "more": 1}', '{"type": "step"}', '{"type": "reset", "data": []}'),
        *(step(), step(move=None), step(move=True), step(move=1.0), step(message=3)),
        *(step(message="R1", move="R1"), step(action="R1")),
    ],
    "EXECUTION_ERROR": [
        *(reset(seed="one"), reset(split="test"), reset(split=["test"], index=1)),
        *(reset(split="test", index=1, seed=1), reset(episode_id=3), reset(game="chess")),
        *(reset(game={"a": 1}), reset(seat="north"), reset(retries=-1), reset(graded="yes")),
        *(reset(graded=True, bands=["hrd"]), reset(opponent=5), reset(scramble="never")),
        *(reset(options={"state": "x"}), reset(session_id="x")),
    ],
}


def test_junk_is_answered_and_the_game_goes_on(server: str) -> None:
    env = TextEnv("hackthegrid", seat="row")
    prompt, _ = env.reset(3)
    with session(server) as client, connect(server.replace("http", "ws") + "/ws") as raw:

        def said(frame: str) -> Any:
            raw.send(frame)
            return json.loads(raw.recv(10))

        with pytest.raises(RuntimeError, match=r"no game is running: call reset\(\)"):
            client.step(CyberdeckAction(move="R1"))
        begun = said(reset(seed=3, seat="row"))
        assert begun["data"]["observation"]["text"] == prompt
        for code, frames in JUNK.items():
            for frame in frames:
                reply = said(frame)
                assert (reply["type"], reply["data"]["code"]) == ("error", code), frame
        assert said('{"type": "state"}')["data"]["step_count"] == 0
        half = said(step(message="\ud800 and nothing else"))["data"]
        assert half["observation"]["answer"] == "unparsable"
        assert "? and nothing else" in half["observation"]["text"]
        long = said(step(message="[" * 3_000_000))["data"]["observation"]
        assert (long["answer"], len(long["text"]) < 1000) == ("unparsable", True)
        move = next(iter(notation.legal(env.game).values()))
        there = said(step(move=move))["data"]
        here = env.step(json.dumps({"move": move}))
        assert (there["observation"]["text"], there["reward"]) == here[:2]

        # What OpenEnv cannot read ends that session, and no other.
        raw.send("[]")
        assert json.loads(raw.recv(10))["data"]["code"] == "SESSION_ERROR"
        assert course(client, 0)[-1]["done"]
        with pytest.raises(RuntimeError, match=r"call reset\(\)"):
            client.step(CyberdeckAction(move="R1"))


def test_the_page_plays_against_the_server(server: str) -> None:
    """The lines of the docs, as they stand there."""
    [block] = [block for block in blocks(PAGE) if block.info == "python no-run"]
    names: dict[str, Any] = {"__name__": "__example__"}
    exec(block.text.replace("http://127.0.0.1:8000", server), names)
    assert names["result"].observation.answer == "move"


def test_the_web_page_has_the_seat_s_picture_and_the_legal_moves() -> None:
    env, luck = CyberdeckEnvironment("stacktrices", max_turns=8, seat=1), random.Random(0)
    assert env.render_web({}) is None
    observation = env.reset(seed=1, list_moves=True)
    game = TextEnv("stacktrices", max_turns=8, seat=1)
    game.reset(1)
    while not observation.done:
        seen = observation.model_dump()
        actions = env.web_actions(seen)
        assert [label for label, _ in actions] == observation.legal_moves
        picture = str(env.render_web(seen)).partition("base64,")[2].partition('"')[0]
        assert b64decode(picture).decode() == showing.picture_of(game.game.core, 0, 1, True)
        _, chosen = luck.choice(actions)
        observation = env.step(CyberdeckAction(**chosen))
        game.step(json.dumps(chosen))
    assert env.web_actions(observation.model_dump()) == []
    assert env.render_web(observation.model_dump())


# --- whom strangers may name ----------------------------------------------------------------------

STRANGERS = ["search:network=own.safetensors", "chat:url=http://127.0.0.1:1", ["random", "optimal"]]


@pytest.mark.parametrize("argument", ["opponent", "ally", "beliefs", "players", "values"])
def test_a_client_names_no_file_and_no_setting(argument: str) -> None:
    env = CyberdeckEnvironment("hovercrafts")
    for player in (*STRANGERS, [["random"]]):
        with pytest.raises(OptionError, match=f"^{argument}=.*whoever starts the server"):
            env.reset(**{argument: player})
    if argument in ("opponent", "ally"):
        assert env.reset(**{argument: "heuristic"}, ships=(2, 2), seat="zion_0").text


def test_a_client_runs_no_file_where_the_server_names_any_player(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import pathlib\npathlib.Path(__file__).with_suffix('.ran').touch()\n")
    env = CyberdeckEnvironment(opponent="optimal:ties=friendly", seat="row")
    begun = env.reset(seed=1)
    for refused, told in (
        *(({"game": named}, "there is no game") for named in (str(file), file.as_uri(), "mine.py")),
        ({"opponent": "optimal:ties=friendly"}, "whoever starts the server"),
    ):
        with pytest.raises(OptionError, match=told):
            env.reset(seed=1, **refused)
    assert env.reset(seed=1, seat="row").text == begun.text
    assert [*tmp_path.iterdir()] == [file]


# --- what a client can make it hold, and who is let in --------------------------------------------


def asking(**started: Any) -> TestClient:
    """A client of a server of this machine."""
    return TestClient(make_app(**started), base_url="http://localhost")


def test_graded_positions_are_for_servers_that_allow_them() -> None:
    graded = {"seed": 1, "graded": True}
    refused = asking().post("/reset", json=graded)
    assert (refused.status_code, "--allow-graded yes" in refused.text) == (400, True)
    allowing = app_of(read_arguments(["--allow-graded", "yes"]))
    for client in (TestClient(allowing, base_url="http://localhost"), asking(graded=True)):
        assert client.post("/reset", json=graded).status_code == 200


@contextlib.contextmanager
def graded_session(client: TestClient, **arguments: Any) -> Iterator[Any]:
    with client.websocket_connect("ws://localhost/ws") as socket:
        socket.send_text(reset(seed=1, graded=True, **arguments))
        yield json.loads(socket.receive_text())["data"]


def test_sessions_share_the_solver_of_a_game_and_few_games_are_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[Any] = []
    init = SolverValues.__init__

    def counted(values: SolverValues, *given: Any, **settings: Any) -> None:
        made.append(given)
        init(values, *given, **settings)

    monkeypatch.setattr(SolverValues, "__init__", counted)
    monkeypatch.setattr(environments, "_SOLVERS", Solvers(2))
    env = TaskEnv("hackthegrid")
    begun, made[:] = env.reset(1)[0], []
    with asking(allow_graded=True) as client, contextlib.ExitStack() as stack:

        def enter(**arguments: Any) -> Any:
            return stack.enter_context(graded_session(client, **arguments))

        with ThreadPoolExecutor(4) as threads:
            told = [*threads.map(lambda _: enter(), range(4))]
        assert [each["observation"]["text"] for each in told] == [begun] * 4
        assert len(made) == 1
        with graded_session(client, scramble="at_end"), graded_session(client, bands=["easy"]):
            assert len(made) == 2
            with graded_session(client, disguise=3) as third:
                assert "2 games at most, and all are in use" in third["message"]
        assert "observation" in enter(disguise=3)  # in place of the one that nobody has any more
        enter()
        assert len(made) == 3


#: What a request says, and what is wrong with it: in OpenEnv's functions, in ours, or in FastAPI's.
ODD: list[tuple[dict[str, Any], str]] = [
    *(({name: 1}, f"unexpected keyword argument '{name}'") for name in ("self", "func", "func_")),
    ({"self": 1, "graded": True}, "unexpected keyword argument 'self'"),
    ({"form": [1]}, "choose one of json, tool"),
    *(({"bands": bands, "graded": True}, "choose from hard") for bands in (5, [[1]])),
    ({"brief": "yes"}, "true or false is needed"),
    *(({name: "n" * 1_000_000}, "is too long") for name in ("game", "seat", "opponent")),
    ({"n" * 1_000_000: 1}, "is too long"),
    ({"scramble": "n" * 9_000}, "choose one of"),
]


def test_odd_requests_get_a_short_answer() -> None:
    with (
        asking(allow_graded=True) as client,
        client.websocket_connect("ws://localhost/ws") as socket,
    ):
        for body, told in ODD:
            answer = client.post("/reset", json=body)
            assert (answer.status_code, told in answer.text) == (400, True), answer.text[:2000]
            socket.send_text(reset(**body))
            error = json.loads(socket.receive_text())["data"]
            assert (error["code"], told in error["message"]) == ("EXECUTION_ERROR", True)
            assert max(len(answer.text), len(error["message"])) < 1_100
        more: list[tuple[str, dict[str, Any]]] = [
            *(("/reset", {"episode_id": wrong}) for wrong in ("\ud800", "n" * 1_000_000)),
            ("/step", {"action": {"move": True, "n" * 1_000_000: "\ud800"}}),
            ("/cyberdeck/tasks", {"split": "test", **dict.fromkeys(map(str, range(99)))}),
            ("/cyberdeck/num_tasks", {"split": "n" * 1_000_000}),
        ]
        head = {"content-type": "application/json"}
        for path, body in more:
            answer = client.post(path, content=json.dumps(body), headers=head)
            assert (answer.status_code in (400, 422), len(answer.text) < 2_000) == (True, True)
        for status, name in ((413, "content-length"), (411, "transfer-encoding")):
            head = {name: "99999999"}
            assert client.post("/reset", content="{}", headers=head).status_code == status


@pytest.mark.parametrize(
    ("listens", "host", "origin", "is_let_in"),
    [
        ("127.0.0.1", "localhost:8000", None, True),
        ("127.0.0.1", "127.0.0.1:8000", "http://127.0.0.1:8000", True),
        ("127.0.0.1", "[::1]", "https://[::1]", True),
        ("127.0.0.1", "localhost:8000", "http://localhost:8001", False),
        ("127.0.0.1", "localhost", "null", False),
        ("127.0.0.1", "localhost", "https://site.example", False),
        ("127.0.0.1", "site.example:8000", None, False),
        ("127.0.0.1", "site.example", "http://site.example", False),
        ("0.0.0.0", "games.example", None, True),
        ("0.0.0.0", "games.example", "https://games.example", True),
        ("0.0.0.0", "games.example", "https://site.example", False),
    ],
)
def test_who_is_let_in(listens: str, host: str, origin: str | None, is_let_in: bool) -> None:
    headers = {"host": host, **({"origin": origin} if origin else {})}
    client = asking(host=listens)
    assert client.get("/health", headers=headers).status_code == (200 if is_let_in else 403)
    refused = contextlib.nullcontext() if is_let_in else pytest.raises(WebSocketDisconnect)
    with refused, client.websocket_connect("ws://localhost/ws", headers=headers) as socket:
        socket.send_text(reset(seed=1))
        assert json.loads(socket.receive_text())["type"] == "observation"


# --- tasks ----------------------------------------------------------------------------------------


def asked(url: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    head = {"content-type": "application/json"}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, head)) as reply:
            return json.load(reply)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)["detail"]


#: Through each of these something of others comes in.
ROUTES = (
    *("/openapi.json", "/docs", "/docs/oauth2-redirect", "/redoc", "/list_environments"),
    *("/{env_name}/splits", "/{env_name}/tasks", "/{env_name}/num_tasks", "/{env_name}/task"),
    *("/{env_name}/task_range", "/mcp", "/reset", "/step", "/state", "/metadata", "/health"),
    *("/schema", "/ws"),
)


def test_all_routes_are_known() -> None:
    paths = {str(getattr(route, "path", "")) for route in make_app().routes}
    assert paths == {*ROUTES}


def test_what_is_wrong_is_said_before_the_server_begins() -> None:
    with pytest.raises(OptionError, match="scramble='never' is not possible"):
        make_app("hackthegrid", scramble="never")


def test_tasks_are_told_by_split_and_index_and_are_the_games_of_their_seeds(server: str) -> None:
    where = f"{server}/cyberdeck"
    assert asked(f"{server}/list_environments") == ["cyberdeck"]
    assert [split["name"] for split in asked(f"{where}/splits")] == [*SPLITS]
    for split, seeds in SPLITS.items():
        assert asked(f"{where}/num_tasks", {"split": split}) == {"num_tasks": len(seeds)}
        task = asked(f"{where}/task", {"split": split, "index": 12})["task"]
        assert task == {"id": f"{split}-12", "split": split, "index": 12, "seed": seeds[12]}
        some = {"split": split, "start": 11, "stop": 14}
        assert asked(f"{where}/task_range", some)["tasks"][1] == task
        with session(server) as client:
            begun = [
                client.reset(**how) for how in ({"split": split, "index": 12}, {"seed": seeds[12]})
            ]
        assert begun[0].observation == begun[1].observation
        first = asked(f"{where}/tasks", {"split": split})["tasks"]
        assert [each["index"] for each in first] == [*range(10)]
    for route in ("tasks", "num_tasks", "task_range"):
        code, told = asked(f"{where}/{route}", {"split": "tests"})
        assert (code, "did you mean test" in told) == (400, True)
    assert asked(f"{where}/task", {"split": "test", "index": -1})[0] == 400
    assert "ask for 1000" in asked(f"{where}/task_range", {"split": "test"})[1]


def test_what_is_declared_is_so() -> None:
    manifest = declared()
    assert manifest.version == manifest.task_distribution.dataset_version == cyberdeck.__version__
    tasks = {split: len(seeds) for split, seeds in SPLITS.items()}
    assert manifest.capabilities.declared_task_count == tasks
    dockerfile = (ENVIRONMENT / "server" / "Dockerfile").read_text()
    assert f'version="{cyberdeck.__version__}"' in dockerfile
    assert validate_env_structure(ENVIRONMENT) == ["Recommended directory missing: outputs/"]
    names = runpy.run_path(str(ENVIRONMENT / "client.py"))
    assert names["CyberdeckEnv"] is CyberdeckClient
    assert names["CyberdeckAction"] is CyberdeckAction


# --- what level 3 asks for ------------------------------------------------------------------------


def test_the_oracle_gets_the_most_in_every_task(server: str) -> None:
    oracle = runpy.run_path(str(ENVIRONMENT / "oracle.py"))
    assert oracle["main"](server, 12) == declared().reward.range[1] == 1


def test_a_void_episode_has_no_reward_and_says_why() -> None:
    env = CyberdeckEnvironment(opponent=Machine(), seat="row")
    env.reset(0)  # row begins
    observation = env.step(CyberdeckAction(move=0))
    assert (observation.done, observation.reward) == (True, None)
    assert observation.voided == "the machine of the machine has failed"
    assert not observation.gave_up
    assert env.state.done


# --- its validation -------------------------------------------------------------------------------


def declared() -> Any:
    return OpenEnvYamlParser().parse(ENVIRONMENT)


@pytest.mark.slow
def test_the_folder_is_valid_and_every_check_is_on_the_page() -> None:
    command = [sys.executable, "-m", "openenv.cli", "validate", str(ENVIRONMENT)]
    done = subprocess.run([*command, "--skip-build", "--json"], capture_output=True, check=True)
    found = {each["check_id"]: each["status"] for each in json.loads(done.stdout)["results"]}
    assert [check for check, status in found.items() if status == "pass"] == ["static.manifest"]
    assert {*found.values()} == {"pass", "skip"}
    rows = [line.split("|") for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    told = {check: row[2].strip() for row in rows for check in re.findall(r"`(\w+\.\w+)`", row[1])}
    checks = [entry.check_id for entry in load_policy("v2").entries]
    assert len(checks) == 46
    assert told == {check: found.get(check, "not listed") for check in checks}


@pytest.mark.filterwarnings(r"ignore:connect\(\) must be used:DeprecationWarning")
def test_the_checks_of_a_running_container_pass_without_one(server: str) -> None:
    """As far as they have been written, but for that of the network."""
    running = SimpleNamespace(base_url=server, inspect=dict, stop=lambda: None)
    provider = SimpleNamespace(
        name="here",
        capabilities=frozenset({ProviderCapability.IMAGE_BUILD}),
        supported_network_modes=frozenset({"no-network"}),
        build=lambda root, execution: f"sha256:{0:064}",
        start=lambda spec: running,
    )
    report = run_validation(ENVIRONMENT, provider=provider)
    passed = {each.check_id for each in report.results if each.status.value == "pass"}
    assert passed == {
        "static.manifest",
        "runtime.startup",
        "runtime.reward_well_formed",
        "runtime.observation_schema",
        "runtime.state_contract",
    }
