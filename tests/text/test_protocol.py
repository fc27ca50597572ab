"""How a server of chat models is asked: what it answers, what it fails at, and what nobody sees."""

import email.utils
import json
import socket
import threading
import time
from contextlib import contextmanager, suppress
from itertools import pairwise

import pytest

from cyberdeck.errors import OptionError
from cyberdeck.text.chat.protocol import MachineError, Reply, Server, Stopped
from tests.text.fake_server import Gone, error, raw, reply, serving

KEY = "sk-very-secret-0123456789"

QUICK = {"wait": 0.001, "timeout": 5, "retries": 2}
BODY = {"model": "m", "messages": [{"role": "user", "content": "hello"}], "temperature": 0.5}


@pytest.fixture(autouse=True)
def no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def asked(answer, **settings):
    """What comes back from a server that answers so, or is said of it; and the server."""
    with serving(answer) as server:
        try:
            return Server(server.url, **{**QUICK, **settings}).ask(BODY), server
        except MachineError as error:
            return str(error), server


@contextmanager
def listening(speak):
    """The address of somebody who speaks no HTTP, to the first who calls."""
    with socket.socket() as here:
        here.bind(("127.0.0.1", 0))
        here.listen()

        def answer():
            connection, _ = here.accept()
            with connection:
                speak(connection)

        thread = threading.Thread(target=answer)
        thread.start()
        yield f"http://127.0.0.1:{here.getsockname()[1]}/v1"
        thread.join()


@contextmanager
def within(seconds, least=0.0):
    start = time.monotonic()
    yield
    assert least <= time.monotonic() - start < seconds


def in_order(*answers):
    """The answers, one after the other; the last one again and again."""
    return lambda request, number: answers[min(number, len(answers) - 1)]


def test_an_answer_has_its_words_its_tokens_and_its_time():
    found, server = asked(in_order(reply("R2", usage={"prompt_tokens": 7, "completion_tokens": 3})))
    assert isinstance(found, Reply)
    assert (found.text, found.cut_off) == ("R2", False)
    assert (found.prompt_tokens, found.completion_tokens) == (7, 3)
    assert 0 < found.seconds < 5
    assert server.requests == [BODY]
    assert server.paths == ["/v1/chat/completions"]
    assert asked(in_order(reply("I think", reason="length")))[0].cut_off


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (reply(None, reasoning_content='{"move": "R2"}', usage="many"), ""),
        (reply([{"type": "text", "text": "a"}, "b"], usage={"prompt_tokens": None}), "ab"),
        (reply([{"type": "thinking", "text": "a"}, 7], usage={"prompt_tokens": -1}), ""),
        (reply("a", usage={"prompt_tokens": 10**4298, "completion_tokens": 2**53 + 1}), "a"),
        (reply("a\ud800b", usage=[1]), "a?b"),
    ],
)
def test_the_answer_is_the_text_of_the_content_and_a_server_need_not_count_tokens(answer, text):
    found, _ = asked(in_order(answer))
    assert (found.text, found.prompt_tokens, found.completion_tokens) == (text, 0, 0)


# --- errors of the machine -----------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 529])
def test_what_may_be_over_soon_is_asked_again(status):
    found, server = asked(in_order(error(status), error(status), "yes"))
    assert found.text == "yes"
    assert server.requests == [BODY] * 3


def test_the_server_says_how_long_to_wait():
    with within(10, least=0.15):
        asked(in_order(error(429, Retry_After="0.15"), "yes"))
    date = email.utils.formatdate(time.time() + 2.1)  # in whole seconds
    with within(20, least=0.9):
        asked(in_order(error(429, Retry_After=date), "yes"))
    for none_or_past in ("soon", "Wed, 21 Oct 2015 07:28:00 GMT", "-3", "nan"):
        with within(10):
            asked(in_order(error(429, Retry_After=none_or_past), "yes"))


def test_waits_grow():
    times = []

    def answer(request, number):
        times.append(time.monotonic())
        return error(500)

    asked(answer, wait=0.02, retries=3)
    waits = [after - before for before, after in pairwise(times)]
    assert all(wait >= least for wait, least in zip(waits, (0.02, 0.04, 0.08), strict=True))


def hang_up(request, number):
    raise Gone


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (in_order(error(500, "out of\nmemory")), "HTTP 500 Internal Server Error: out of memory"),
        (in_order(raw(b"<html>busy</html>")), "no JSON: <html>busy</html>"),
        (in_order(raw(b"[" * 100_000)), "no JSON: [[["),
        (in_order(raw(b'{"choices": []}')), "without choices"),
        (in_order(raw(b'{"choices": [7]}')), "without choices"),
        (in_order(raw(b'{"error": {"message": "overloaded"}}')), "without choices: overloaded"),
        (in_order(raw(b"7")), "without choices: 7"),
        (in_order(raw(b"{", Content_Length="500")), "hung up in the middle"),
        (in_order(raw(b" " * 2_000_001)), "more than 2,000,000 bytes"),
        (hang_up, "hung up without an answer"),
    ],
)
def test_after_the_retries_one_line_says_what_was_wrong(answer, said):
    words, server = asked(answer)
    assert said in words
    assert "has not answered, asked 3 times: " in words
    assert "\n" not in words
    assert len(words) < 500
    assert len(server.requests) == 3


def test_what_speaks_no_http_and_what_is_not_there_are_the_machines_errors():
    def junk(connection):
        connection.recv(100_000)
        connection.sendall(b"SSH-2.0-junk\r\n\r\n")

    with listening(junk) as url, pytest.raises(MachineError, match="or speaks no HTTP"):
        Server(url, retries=0).ask(BODY)
    said = f"{url} has not answered, asked once: Conn.*refused"
    with pytest.raises(MachineError, match=said):
        Server(url, retries=0).ask(BODY)


def test_the_time_is_that_of_the_whole_request():
    """Also of one whose answer keeps coming, a little at a time."""

    def drip(connection):
        with suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
            while True:
                time.sleep(0.02)
                connection.sendall(b"X: y\r\n")

    refused = pytest.raises(MachineError, match=r"no answer within 0\.1 s")
    with within(20), listening(drip) as url, refused:
        Server(url, retries=0, timeout=0.1).ask(BODY)


def test_who_waits_to_ask_again_can_be_stopped():
    def failing(request, number):
        threading.Timer(0.1, server.stop).start()
        return error(500)

    with serving(failing) as fake:
        server = Server(fake.url, wait=30)
        for _ in range(2):
            with within(20), pytest.raises(Stopped):
                server.ask(BODY)
        assert len(fake.requests) == 1
        fake.answer = in_order("yes")
        server.go_on()
        assert server.ask(BODY).text == "yes"


def test_who_waits_for_an_answer_waits_no_longer_than_its_time_and_can_be_stopped_at_once():
    def never(request, number):
        if number == 2:
            threading.Timer(0.05, server.stop, (True,)).start()
        fake.over.wait()
        raise Gone

    with serving(never) as fake:
        with pytest.raises(MachineError, match=r"asked 2 times: no answer within 0\.1 s"):
            Server(fake.url, retries=1, wait=0, timeout=0.1).ask(BODY)
        server = Server(fake.url)
        with within(20), pytest.raises(Stopped):
            server.ask(BODY)


# --- errors of who asks --------------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 404, 301])
def test_what_will_not_be_over_is_said_at_once(status):
    with serving(in_order(error(status, "there is no\nmodel m" + "!" * 1000))) as server:
        with pytest.raises(OptionError, match=f"refuses the request: HTTP {status}") as said:
            Server(server.url).ask(BODY)
        assert "there is no model m!" in str(said.value)
        assert len(str(said.value)) < 500
        assert len(server.requests) == 1


def test_nobody_is_sent_elsewhere_with_the_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving(in_order("yes")) as other:
        with pytest.raises(OptionError, match=f"HTTP 307 .*{other.url}"):
            asked(in_order((307, {"Location": other.url}, b"")))
        assert not other.requests


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ftp://host/v1", "such as http://localhost:8000/v1"),
        ("http://", "give the base"),
        ("http://a b/v1", "give the base"),
        ("http://h:x/v1", "Port could not be cast"),
    ],
)
def test_an_impossible_url_is_said(url, said):
    with pytest.raises(OptionError, match=f"url='{url}' is not possible: .*{said}"):
        Server(url)


# --- the key -------------------------------------------------------------------------------------


def test_the_key_is_that_of_the_environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    _, server = asked(in_order("yes"))
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    monkeypatch.setenv("OWN_KEY", "other")
    _, server = asked(in_order("yes"), key_env="OWN_KEY")
    assert server.headers[0]["Authorization"] == "Bearer other"
    with pytest.raises(OptionError, match="key_env='NONE': there is no such environment"):
        Server("http://localhost", key_env="NONE")
    monkeypatch.delenv("OPENAI_API_KEY")
    _, server = asked(in_order("yes"))
    assert "Authorization" not in server.headers[0]


def test_a_server_that_repeats_the_key_has_it_written_nowhere(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(OptionError, match=r"wrong key \*\*\*") as refused:
        asked(in_order(error(401, f"wrong key {KEY}")))
    said = [
        str(refused.value),
        asked(in_order(error(500, "x" * 290 + KEY)))[0],
        asked(in_order(raw(KEY.encode())))[0],
        asked(in_order(raw(json.dumps({"error": KEY}).encode())))[0],
        asked(in_order(f"Your key is {KEY}."))[0].text,
        repr(Server("http://localhost")),
    ]
    assert not any("sk-very" in each for each in said)


@pytest.mark.parametrize(
    ("key", "url", "said"),
    [
        *((key, "http://localhost", "_API_KEY holds no poss") for key in ("a b", "\xe9", "sk\x07")),
        (KEY, f"http://me:{KEY}@localhost/v1", "a name or a password .*: leave them out"),
        (KEY, f"http://localhost/v1?key={KEY}", "url= holds the key: leave it out"),
    ],
)
def test_an_impossible_key_or_one_in_the_url_is_not_shown(monkeypatch, key, url, said):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(OptionError, match=said) as refused:
        Server(url)
    assert key not in str(refused.value)
