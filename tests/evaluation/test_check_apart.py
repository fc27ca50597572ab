"""``cyberdeck check`` in a process of its own: what crashes or hangs is told, and ends nothing."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cyberdeck import Variant, variant
from cyberdeck.commands.main import main
from cyberdeck.testing import Fault, checking, playing
from cyberdeck.testing.checking import check_apart
from tests.engine.games import edited


def output(path: Path, capfd: pytest.CaptureFixture[str], *more: str) -> str:
    """What the command says of a game's file."""
    assert main(["check", str(path), "--decisions", "30", *more]) != 0
    out, err = capfd.readouterr()
    assert "Traceback" not in out + err
    return out + err


@pytest.mark.slow
def test_a_loop_without_an_end_is_told_with_its_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    loop = "    for line in LINES:\n"
    endless = f"    if state.decisions == 4:\n        while seat >= 0:\n            pass\n{loop}"
    path = edited(tmp_path, "tictactoe", loop, endless, name="told_of")
    said = output(path, capfd, "--seconds", "1")
    assert "end: it does not hold that games and kernels come to an end" in said
    assert "told_of.py, line 3" in said
    assert "in act: as plain Python this has not ended in" in said
    assert "after the decisions" in said


@pytest.mark.slow
@pytest.mark.parametrize("written", ["while True:\n    pass\n", "import time\ntime.sleep(60)\n"])
def test_a_file_that_is_not_done_loading_is_told(
    written: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checking, "_STARTING", 6)
    began = time.monotonic()
    (tmp_path / "game.py").write_text(written)
    output(tmp_path / "game.py", capfd, "--seconds", "1")
    assert time.monotonic() - began < 55


@pytest.mark.parametrize(
    ("written", "says"),
    [("os.abort()", "the process died"), ("os._exit(3)", "the process died with status 3")],
)
def test_a_file_that_ends_the_process_is_told(
    written: str, says: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "game.py").write_text(f"import os\n{written}\n")
    assert says in output(tmp_path / "game.py", capfd)


@pytest.mark.slow
def test_a_view_without_an_end_is_told_with_its_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    view = (Path(__file__).parent / "views" / "tictactoe_view.py").read_text("utf-8")
    named = view.index("def action_name(")
    body = view.index("\n", view.index(":\n", named)) + 1
    endless = f"{view[:body]}    while record.decisions == 3:\n        pass\n{view[body:]}"
    (tmp_path / "told_of_view.py").write_text(endless, "utf-8")
    said = output(edited(tmp_path, "tictactoe", name="told_of"), capfd, "--seconds", "1")
    assert "end: it does not hold" in said
    assert "told_of_view.py, line" in said
    assert "in action_name: " in said


def begun(then: Callable[[], None]) -> Variant:
    """A game whose compiled code makes some decisions, and *then* this happens."""
    begin = playing.RandomPlay.run

    def run(self: playing.RandomPlay, decisions: int) -> None:
        begin(self, 16)
        if self.note is not None:  # compiled code plays, not plain Python before it
            then()

    playing.RandomPlay.run = run  # type: ignore[method-assign]
    return variant("hackthegrid")


def crashing() -> Variant:
    return begun(lambda: os.kill(os.getpid(), signal.SIGSEGV))


def hanging() -> Variant:
    return begun(lambda: time.sleep(100))


def found(make: Callable[[], Variant], seconds: float) -> Fault:
    (fault,) = check_apart(make, (), None, seconds, decisions=20).faults
    return fault


@pytest.mark.slow
def test_compiled_code_that_crashes_is_told_with_seed_and_decisions() -> None:
    fault = found(crashing, 30)
    assert fault.check == "kernels"
    assert fault.what == "the process died of SIGSEGV, in this game or one beside it"
    assert len(fault.decisions) > 0


@pytest.mark.slow
def test_compiled_code_that_hangs_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "_GRACE", 0.5)
    fault = found(hanging, 8)
    assert fault.check == "end"
    assert fault.what == "compiled code has not come back in 8 s, in this game or one beside it"


def test_options_that_raise_are_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    no_option = ('actions=[(CELLS, "mark cell")]', 'actions=lambda options: options["none"]')
    path = edited(tmp_path, "tictactoe", *no_option, name="told_of")
    assert "told_of.py, line" in output(path, capfd)
