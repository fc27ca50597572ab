"""Chat models as players, against a server that answers as a test has it answer."""

from __future__ import annotations

import json
import re
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cyberdeck import Batch, OptionError, PolicyError
from cyberdeck.api.registration import load_file
from cyberdeck.commands import main as command
from cyberdeck.evaluation import evaluate, play_games, tournament
from cyberdeck.play.session import GameSession, Setup
from cyberdeck.playing.compiled import Compiled
from cyberdeck.replay import Replay, prompts
from cyberdeck.text.chat.journal import ANSWERS
from tests.commands import Capture, refused, run
from tests.text.fake_server import FakeServer, error, first, reply, serving
from tests.text.playing import First, move

KEY = "sk-very-secret-0123456789"
KUHN = "examples/games/kuhn_poker.py"


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One key; and whatever runs the tests in the background may have Ctrl-C ignored."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("OWN_KEY", KEY)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def player(server: FakeServer, **settings: Any) -> str:
    """A chat model's name; its prompts list the legal moves."""
    settings = {"url": server.url, "model": "m", "list_moves": "true", "wait": 0.001, **settings}
    return "chat:" + ",".join(f"{name}={value}" for name, value in settings.items())


def match(
    answer: Any, game: str = "hackthegrid", deals: int = 1, how: Any = None, **settings: Any
) -> tuple[Any, dict[str, float], FakeServer]:
    """A model that answers so plays random ones, if the game is not for one alone: the result, what
    was counted of it, and the server.
    """
    others = None if game == "matrix_overload" else ["random"]
    with serving(answer) as server:
        how = {"deals": deals, "keep_actions": True, **(how or {})}
        result = evaluate(game, player(server, **settings), others, **how)
    return result, next(iter(result.games.counts.values())), server


def moves(result: Any) -> list[list[int]]:
    return [each.tolist() for each in result.games.actions]


def said(request: dict[str, Any]) -> list[str]:
    return [message["content"] for message in request["messages"]]


def slowly(request: dict[str, Any], number: int) -> str:
    time.sleep(0.01)
    return first(request, number)


def wrong_at(answer: Any, at: Any) -> Any:
    """A model that says something else at some requests."""
    return lambda request, number: answer if at(number) else first(request, number)


# --- whole games ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "options", "brief"),
    [
        ("hackthegrid", {}, "false"),
        ("matrix_overload", {"max_steps": 20}, "true"),
        ("stacktrices", {"max_turns": 3}, "true"),
        ("hovercrafts", {"ships": (2, 1), "max_turns": 2}, "false"),
    ],
)
def test_a_model_plays_as_it_answers(game: str, options: dict[str, Any], brief: str) -> None:
    result, counts, server = match(first, game, 2, options, brief=brief)
    others = None if game == "matrix_overload" else ["random"]
    twin = First()
    same = evaluate(game, twin, others, deals=2, keep_actions=True, **options)
    assert moves(result) == moves(same)
    requests = len(server.requests)
    assert counts["answers"] == twin.choices == requests  # one answer alone is no question
    assert counts["decisions"] == twin.decisions
    assert counts["games"] == len(result.games) == len(same.games)
    assert not any(counts[kind] for kind in ("illegal", "unparsable", "cut_off", "kept"))
    assert (counts["prompt_tokens"], counts["completion_tokens"]) == (100 * requests, 10 * requests)
    assert counts["seconds"] > 0


def test_several_games_are_asked_at_once() -> None:
    four = threading.Barrier(4)

    def together(request: dict[str, Any], number: int) -> str:
        if number < 4:
            four.wait(60)
        return first(request, number)

    assert match(together, deals=4, at_once=4)[2].most_at_once == 4


def test_each_decision_is_a_prompt_of_its_own_or_a_brief_conversation_goes_on() -> None:
    settings = {"model": "org/m:7b", "max_tokens": 50, "temperature": 0.5}
    for request in match(first, **settings)[2].requests:
        [message] = request["messages"]
        assert message["role"] == "user"
        assert "THE RULES" in message["content"]
        assert {name: request[name] for name in settings} == settings
    requests = match(first, brief="true", at_once=1, max_tokens="auto")[2].requests
    assert {*requests[-1]} == {"model", "messages"}
    longest = max(requests, key=lambda request: len(request["messages"]))["messages"]
    turns = len(longest) // 2
    assert turns > 4
    assert [each["role"] for each in longest] == [*["user", "assistant"] * turns, "user"]
    assert ["THE RULES" in each["content"] for each in longest].count(True) == 1
    assert all(each["content"].startswith("I wonder.") for each in longest[1::2])
    begun = [len(request["messages"]) for request in requests]
    assert begun.count(1) == 2  # a conversation for each of two games


def test_nobody_is_told_what_another_model_has_said() -> None:
    def bluff(request: dict[str, Any], number: int) -> str:
        return f"MY SECRET PLAN of {request['model']}: {first(request, number)}"

    with serving(bluff) as server:
        names = [player(server, model=name, brief="true") for name in ("ada", "bob")]
        tournament("hackthegrid", names, deals=1)
        for request in server.requests:
            other = {"ada": "bob", "bob": "ada"}[request["model"]]
            assert f"MY SECRET PLAN of {other}" not in json.dumps(request)
        assert any("MY SECRET PLAN" in json.dumps(request) for request in server.requests)


# --- wrong answers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "answer", "told"),
    [
        ("illegal", move("R77"), "'R77' cannot be read as a move. Moves are written like "),
        ("unparsable", "I take R0, and row 0, and 0.", "no move in the form"),
        ("unparsable", "", "no move in the form"),
        ("cut_off", reply(move("R0"), reason="length"), "cut off"),
    ],
)
def test_who_never_answers_with_a_move_forfeits(kind: str, answer: Any, told: str) -> None:
    result, counts, server = match(lambda request, number: answer, deals=2, retries=1)
    assert len(server.requests) == 2 * 4
    again = [each for each in server.requests if len(each["messages"]) == 3]
    assert len(again) == 4
    assert all(told in said(request)[-1] for request in again)
    assert all(said(request)[1] for request in again), "no message is empty"
    both = result.records[-1]
    assert (both.games, both.losses, both.points.value) == (4, 4, 0)
    assert counts[kind] == counts["decisions"] == counts["forfeited"] == counts["games"] == 4
    assert counts["answers"] == 8
    others = {"illegal", "unparsable", "cut_off", "voided"} - {kind}
    assert not any(counts[each] for each in others)
    line = result.table().splitlines()[-1]
    assert re.search(r"  4 +100\.0% +0\.0% +4 ", line)


# --- machines that fail --------------------------------------------------------------------------


def test_a_machine_that_fails_voids_the_game_and_no_other() -> None:
    """Of two games side by side, each with its own first prompt, one goes on."""
    failing: list[str] = []

    def half_dead(request: dict[str, Any], number: int) -> Any:
        failing[:] = failing or [said(request)[0]]
        return error(500, "out of memory") if said(request)[0] in failing else first(request, 0)

    result, counts, server = match(half_dead, deals=2, machine_retries=1)
    assert [said(each)[0] for each in server.requests].count(failing[0]) == 2
    assert (len(result.games), result.games.voided) == (3, 1)
    assert result.records[-1].games == 3
    assert (counts["voided"], counts["games"], counts["forfeited"]) == (1, 4, 0)
    table = result.table().replace("\n", " ")
    assert "1 game was voided and does not count: a player's machine failed: http:" in table
    assert "has not answered, asked 2 times: HTTP 500 Internal Server Error: out of" in table


def test_what_the_user_has_to_mend_ends_the_match(capsys: Capture) -> None:
    with serving(wrong_at(error(401, "no such key"), lambda number: number == 3)) as server:
        complaint = refused(capsys, f"evaluate hackthegrid {player(server)} --deals 20")
        assert "refuses the request: HTTP 401 Unauthorized: no such key" in complaint
        assert len(server.requests) < 20


# --- nothing is paid twice -----------------------------------------------------------------------


def test_what_was_interrupted_goes_on_and_pays_for_nothing_twice(tmp_path: Path) -> None:
    whole, _, server = match(slowly, deals=2)
    needed = len(server.requests)

    def stopping(request: dict[str, Any], number: int) -> Any:
        if number == 12:
            ctrl_c()
        return slowly(request, number)

    with serving(stopping) as server:
        name = player(server, keep=tmp_path / "kept", at_once=4)
        stopped = evaluate("hackthegrid", name, ["random"], deals=2)
        assert stopped.games.interrupted
        assert 12 < len(server.requests) <= 12 + 4
        [counts] = stopped.games.counts.values()
        assert not counts["voided"]
        done = len(server.requests)
        again = evaluate("hackthegrid", name, ["random"], deals=2, keep_actions=True)
        assert len(server.requests) == needed
    [counts] = again.games.counts.values()
    assert counts["kept"] == done
    assert moves(again) == moves(whole)
    assert len((tmp_path / "kept" / ANSWERS).read_text().splitlines()) == needed


def ctrl_c() -> None:
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def test_a_second_copy_of_the_model_is_asked_anew(tmp_path: Path) -> None:
    """One that always answers alike makes no noise."""
    with serving(first) as server:
        name = player(server, keep=tmp_path)
        for _ in range(2):
            result = evaluate("hackthegrid", name, ["random"], deals=2, null=True)
        requests = [json.dumps(each) for each in server.requests]
        assert all(requests.count(each) % 2 == 0 for each in requests)
        answers = [counts["answers"] for counts in result.games.counts.values()]
        assert sum(answers) == len(requests)
        assert [counts["kept"] for counts in result.games.counts.values()] == answers
    noise = result.noise
    assert (noise.games, noise.difference.value, noise.difference.high) == (4, 0, 0)
    assert noise.alike == noise.prompts == answers[0]
    assert "the two moved alike in 100.0%" in noise.words().replace("\n", " ")


# --- what is kept and shown ----------------------------------------------------------------------


def test_prompts_and_answers_lie_beside_replays(capsys: Capture, tmp_path: Path) -> None:
    def second_thought(request: dict[str, Any], number: int) -> str:
        return "Hm?" if len(request["messages"]) == 1 else first(request, number)

    folder = tmp_path / "games"
    with serving(second_thought) as server:
        line = f"evaluate hackthegrid {player(server)} --opponent heuristic --deals 1"
        run(capsys, line, "--save-replays", str(folder))
        requests = len(server.requests)
    replays = sorted(folder.glob("*[0-9a-z].json"))
    same = evaluate("hackthegrid", First(), ["heuristic"], deals=1, keep_actions=True)
    assert [[*Replay.load(each).actions] for each in replays] == moves(same)  # it plays on
    assert [prompts.beside(each).is_file() for each in replays] == [True, True]
    asked = [each for file in replays for each in prompts.load(prompts.beside(file))]
    assert sum(len(each.said) for each in asked) == 2 * requests
    replay = Replay.load(replays[0])
    positions = {each.number: each for each in replay.positions()}
    for each in prompts.load(prompts.beside(replays[0])):
        assert positions[each.decision].mover == each.seat
        assert [one.by for one in each.said] == ["user", "assistant"] * 2
        assert each.said[1].text == "Hm?"
        assert each.said[1].remark.startswith("unparsable, 100 + 10 tokens, ")
        assert each.said[3].remark.startswith("move, ")


def test_a_forfeited_game_is_kept_with_its_prompts(tmp_path: Path) -> None:
    with serving(wrong_at("no idea", lambda number: number > 5)) as server:
        name, folder = player(server, retries=0, model="m" * 300), tmp_path / "games"
        line = f"evaluate hackthegrid {name} --opponent random --deals 1 --save-replays {folder}"
        assert command.main(line.split()) == 0
    files = sorted(folder.iterdir())
    assert [each.name[:3] for each in files] == ["001", "001", "002", "002"]
    assert all(each.name[3:10] == "-deal-0" for each in files)
    assert prompts.load(prompts.beside(files[2]))[-1].said[-1].text == "no idea"


def test_the_key_is_sent_and_is_nowhere_else(capsys: Capture, tmp_path: Path) -> None:
    def chatty(request: dict[str, Any], number: int) -> Any:
        """A server that repeats the key wherever it can."""
        if number % 5 == 1:
            return error(500, f"not with {KEY}")
        return f"Your key is {KEY}. " + first(request, number)

    with serving(chatty) as server:
        name = player(server, key_env="OWN_KEY", keep=tmp_path / "kept")
        line = f"evaluate hackthegrid {name} --opponent random --deals 1"
        run(capsys, f"{line} --save-replays {tmp_path}/games --json {tmp_path}/a.json")
        assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
        assert KEY not in json.dumps(server.requests)
        server.answer = lambda request, number: error(403, KEY)
        complaint = refused(capsys, line, "--seed", "1")
    for file in (tmp_path / "games").glob("001*.json"):
        run(capsys, f"replay {file} --output {tmp_path}/a.html")
    written = "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    assert "Your key is ***" in written
    assert KEY not in written + complaint


# --- elsewhere -----------------------------------------------------------------------------------


def test_a_person_plays_against_a_model_and_takes_back() -> None:
    with serving(first) as server:
        variant = Batch("hackthegrid", 1).variant
        session = GameSession(
            Compiled(variant), Setup("0", player(server, brief="true"), "random"), 3
        )
        heard = list(session.others())
        for _ in range(3):
            session.decide(session.choices()[0].action)
            heard += session.others()
        before = len(server.requests)
        assert any("(chat:m)" in each for each in heard)
        assert len(server.requests[-1]["messages"]) > 1
        while session.can_undo:
            session.undo()
        session.decide(session.choices()[-1].action)
        list(session.others())
        assert len(server.requests) > before
        # What was taken back is not part of the conversation.
        assert len(server.requests[-1]["messages"]) == 1


def test_a_person_hears_why_the_model_does_not_answer() -> None:
    with serving(lambda request, number: error(500, "no memory")) as server:
        name = player(server, machine_retries=0)
        session = GameSession(
            Compiled(Batch("hackthegrid", 1).variant), Setup("0", name, "random"), 3
        )
        said = "its machine has failed: .* HTTP 500 Internal Server Error: no memory"
        if not session.waiting:
            session.decide(session.choices()[0].action)
        with pytest.raises(PolicyError, match=said):
            list(session.others())


def test_exploit_tells_its_requests(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cyberdeck.exact.exploiting._DRAWS", 2)
    kuhn = load_file(KUHN)
    with serving(first) as server:
        assert command.main(["exploit", KUHN, player(server)]) == 0
        requests = len(server.requests)
        told = [said(request)[0] for request in server.requests]
    caught = capsys.readouterr()
    assert requests == 12 * 2
    assert "12 situations, 2 times each: 24 requests to chat:m" in caught.err
    assert f"{kuhn.title}, all 54 positions" in caught.out
    done = [each.partition("WHAT HAS BEEN DONE SO FAR\n")[2].splitlines()[0] for each in told]
    assert len(set(done)) > 2, "each is told what led there"


def test_a_model_stays_in_one_process() -> None:
    with serving(first) as server:
        players = {"chat": player(server), "random": "random"}
        with pytest.raises(OptionError, match="a chat model answers several requests at once"):
            play_games("hackthegrid", players, [(0, 1)] * 100, range(100), processes=2)


def test_who_plays_by_heart_is_found_out_by_a_disguise() -> None:
    """A model that knows a game by its names alone gives up without them: it is shown none."""

    def by_heart(request: dict[str, Any], number: int) -> str:
        if "SCRAMBLE" in said(request)[-1]:
            return first(request, number)
        return "I do not know this game."

    result, _, server = match(by_heart, deals=4, how={"disguise": 3}, retries=0)
    assert result.disguised is not None
    assert result.disguised.games == 8
    assert result.disguised.difference.value == -result.overall[0].points.value < 0
    assert result.games.counts[f"{result.player}, in disguise"]["forfeited"] == 8
    told = [said(request)[-1].lower() for request in server.requests]
    in_disguise = [each for each in told if "scramble" not in each]
    assert len(in_disguise) == 8 < len(told)
    assert not any("hacker" in each for each in in_disguise)
