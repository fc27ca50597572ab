"""What is kept of a model's answers: nothing is asked twice, whatever ends a run."""

import gc
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict

import pytest

from cyberdeck.errors import OptionError
from cyberdeck.text.chat.journal import ANSWERS, Journal, journal
from cyberdeck.text.chat.protocol import MachineError, Reply
from tests.faults import Disk, full_from, moments

REPLY = Reply("R2 \u00e9\n", False, 100, 10, 0.5)


def request(**changed):
    messages = [{"role": "user", "content": "hello"}]
    return {"model": "m", "messages": messages, "bits": 2**64 - 1, "copy": 0, **changed}


def never():
    raise MachineError("nobody there")


@pytest.mark.parametrize(
    "changed", [{"model": "n"}, {"bits": 1}, {"copy": 1}, {"attempt": 1}, {"messages": []}]
)
def test_another_request_is_asked(tmp_path, changed):
    kept, other = Journal(tmp_path), Reply("C1", True, 1, 1, 0.1)
    kept.answer(request(), lambda: REPLY)
    assert kept.answer(request(**changed), lambda: other) == (other, False)
    assert kept.answer(request(), never) == (REPLY, True)


def test_every_request_and_answer_is_a_line_with_what_is_new_alone(tmp_path):
    """A long conversation is kept once, not once for each of its answers."""
    kept, messages = Journal(tmp_path), []
    for at in range(3):
        messages += [{"role": "user", "content": f"prompt {at}"}]
        assert kept.answer(request(messages=messages), lambda: REPLY) == (REPLY, False)
        lines = (tmp_path / ANSWERS).read_bytes().splitlines()  # at once, with the file still open
        assert len(lines) == at + 1
        read = json.loads(lines[-1])
        earlier = {"earlier": 2 * at} if at else {}
        assert read["request"] == {**request(messages=messages[-1:]), **earlier}
        assert read["reply"] == asdict(REPLY)
        messages += [{"role": "assistant", "content": f"answer {at}"}]
    assert kept.answer(request(messages=messages[:3]), never) == (REPLY, True)
    del kept
    assert Journal(tmp_path).answer(request(messages=messages[:5]), never) == (REPLY, True)


def test_an_answer_is_on_the_disk_when_it_is_given(tmp_path):
    disk = Disk(tmp_path)
    with disk.until(-1):
        kept = Journal(tmp_path / "kept")
        assert [kept.answer(request(copy=at), lambda: REPLY)[1] for at in (0, 1)] == [False] * 2
    left = Journal(disk.left(tmp_path.with_name(f"{tmp_path.name}-left")) / "kept")
    assert [left.answer(request(copy=at), never) for at in (0, 1)] == [(REPLY, True)] * 2


def test_what_failed_is_asked_again_and_a_full_disk_is_told_by_the_file(tmp_path):
    kept = Journal(tmp_path)
    with pytest.raises(MachineError):
        kept.answer(request(), never)
    with moments(full_from(0)), pytest.raises(OSError, match="No space") as told:
        kept.answer(request(), lambda: REPLY)
    assert told.value.filename == str(tmp_path / ANSWERS)
    assert kept.answer(request(), lambda: REPLY) == (REPLY, False)
    del kept, told
    gc.collect()  # what was raised has held the journal
    assert Journal(tmp_path).answer(request(), never) == (REPLY, True)


def test_half_a_line_at_the_end_is_cut_off(tmp_path):
    Journal(tmp_path).answer(request(), lambda: REPLY)
    file = tmp_path / ANSWERS
    whole = file.read_bytes()
    file.write_bytes(whole + whole.replace(b'"copy": 0', b'"copy": 1')[:-40])
    kept = Journal(tmp_path)
    assert kept.answer(request(), never)[1]
    assert kept.answer(request(copy=1), lambda: REPLY) == (REPLY, False)
    assert len([json.loads(line) for line in file.read_bytes().splitlines()]) == 2


def damaged(**changed):
    read = {"key": "a", "reply": asdict(REPLY)}
    for name, value in changed.items():
        (read if name == "key" else read["reply"])[name] = value
    return json.dumps(read).encode()


@pytest.mark.parametrize(
    "line",
    [
        *(b"7", b'{"key": "a"}', b"[" * 100_000, damaged(text="\ud800"), damaged(cut_off=0)),
        *(damaged(prompt_tokens=None), damaged(seconds=float("inf"))),
    ],
    ids=map(str, range(7)),
)
def test_damage_is_said(tmp_path, line):
    (tmp_path / ANSWERS).write_bytes(line + b"\n")
    with pytest.raises(OptionError, match=r"answers\.jsonl, line 1 is damaged: remove that line"):
        Journal(tmp_path)


def test_a_request_that_is_under_way_is_not_made_twice():
    kept, begun, go_on, asked = Journal(), threading.Event(), threading.Event(), []

    def slow():
        asked.append(1)
        begun.set()
        go_on.wait(5)
        return REPLY

    with ThreadPoolExecutor(3) as threads:
        first = threads.submit(kept.answer, request(), slow)
        begun.wait(5)
        others = [threads.submit(kept.answer, request(), slow) for _ in range(2)]
        go_on.set()
        assert [each.result() for each in (first, *others)] == [
            (REPLY, False),
            (REPLY, True),
            (REPLY, True),
        ]
    assert asked == [1]


def test_a_folder_has_one_run_at_a_time(tmp_path):
    held = journal(str(tmp_path))
    assert journal(str(tmp_path / ".." / tmp_path.name)) is held  # players of one run share it
    with pytest.raises(OptionError, match="belongs to another run that is not over: wait") as said:
        Journal(tmp_path)
    assert f"keep={tmp_path} " in str(said.value)
    del held, said
    Journal(tmp_path)
