"""Several runs over each other: which count as one, what is drawn, and what cannot be compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from cyberdeck import OptionError
from cyberdeck.commands import main as command
from cyberdeck.common.files import write_csv
from cyberdeck_training.records import CURVES
from cyberdeck_training.report import Comparison
from tests.training.runs import TINY
from tests.training.test_report import EVALUATIONS, Page, anchor, curve, final


def run(folder: Path, points: float = 0.5, until: int = 2, **changed: Any) -> Path:
    """A run with evaluations after 0, 1000 and so on, better from one to the next."""
    folder.mkdir()
    (folder / "config.yaml").write_text(yaml.safe_dump({**TINY, **changed}))
    updates = [curve(update, mean_return=points) for update in range(1, until + 1)]
    write_csv(folder / "curves.csv", CURVES, updates)
    anchors = [
        anchor(1000 * at, name, points + at / 10)
        for at in range(until + 1)
        for name in ("random", "heuristic")
    ]
    write_csv(folder / "evaluations.csv", EVALUATIONS, anchors)
    return folder


def test_runs_that_differ_only_in_their_seed_are_one_curve(tmp_path: Path) -> None:
    folders = [
        run(tmp_path / "one", points=0.2, seed=1),
        run(tmp_path / "other", gamma=0.9),
        run(tmp_path / "two", points=0.4, seed=2, until=3),
    ]
    both, other = Comparison(folders).groups
    assert [member.folder.name for member in both.members] == ["one", "two"]
    assert [both.label, other.label] == ["gamma=1.0", "gamma=0.9"]
    line = both.curve("random", "points")
    assert line is not None
    assert line.decisions.tolist() == [0, 1000, 2000]  # as far as both have come
    assert line.values == pytest.approx([0.3, 0.4, 0.5])
    assert line.low == pytest.approx([0.2, 0.3, 0.4])
    assert line.high == pytest.approx([0.4, 0.5, 0.6])
    line = other.curve("random", "points")
    assert line is not None
    assert line.low == pytest.approx([0.46, 0.56, 0.66])  # the interval of one run
    line = both.training("mean_return")
    assert line is not None
    assert line.values == pytest.approx([0.3, 0.3])
    assert not len(both.curve("optimal", "points").values)


@pytest.mark.usefixtures("drawn")
def test_the_command_prints_a_table_and_writes_a_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [
        run(tmp_path / "<one>", seed=1),
        run(tmp_path / "two", seed=2),
        run(tmp_path / "three", learning_rate=0.01, evaluation={**TINY["evaluation"], "deals": 6}),
    ]
    final(folders[1], (0.738, 0.5123), 0.25, 0.125)
    page = tmp_path / "page.html"
    assert command.main(["compare", *map(str, folders), "--output", str(page)]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    for told in (
        "run seeds decisions time against random against heuristic",
        "1, 2 2,000 1 s 0.719 (0.700 to 0.738) 0.606 (0.512 to 0.700)",
        "untrained 1, 2 0 - 0.375 (0.250 to 0.500) 0.312 (0.125 to 0.500)",
        "three 1 2,000 1 s 0.700 0.700",
        "three, untrained 1 0 - 0.500 0.500",
        "evaluation.deals 5 6 learning_rate 0.001 0.01",
        f"written: {page}",
    ):
        assert told in printed, told
    written = Page(page)
    assert not written.tags & {"script", "img", "iframe", "object"}
    assert all(address.startswith(("#", "data:,")) for address in written.addresses)
    for told in ("3 runs, 2 configurations", "0.719 (0.700 to 0.738)", "learning_rate", "<one>"):
        assert told in written.words, told
    assert page.read_text("utf-8").count("</svg>") == 4


def test_what_cannot_be_compared_is_one_clear_error(tmp_path: Path) -> None:
    one = run(tmp_path / "one")
    (tmp_path / "empty").mkdir()
    broken = run(tmp_path / "broken", gamma=7)
    solitaire: dict[str, Any] = {"game": "matrix_overload", "opponents": {}, "past": None}
    other = run(tmp_path / "other", **solitaire)
    for folder, complaint in (
        (tmp_path / "nowhere", "nowhere is no folder of a run: there is no such folder"),
        (one / "config.yaml", "config.yaml is no folder of a run: it is a file"),
        (tmp_path / "empty", "empty is no folder of a run: it has no config.yaml"),
        (broken, r"config.yaml, line \d+: gamma must be less than or equal to 1, not 7"),
        (other, "different games .*one is of HACKtheGRID; .*other is of MATR1X 0VERL0AD"),
        (one, "one is named twice"),
    ):
        with pytest.raises(OptionError, match=complaint):
            Comparison([one, folder])
