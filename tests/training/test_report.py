"""The report of a run: what it says, of whole folders and of all that can be wrong with one."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from markdown_it import MarkdownIt
from PIL import Image

from cyberdeck import OptionError
from cyberdeck_training import document, report
from cyberdeck_training.document import Code, Document, Paragraph
from cyberdeck_training.pictures import Line, Panel, Picture, panels

RUN = {
    "game": "hackthegrid",
    "title": "HACKtheGRID",
    "command": "cyberdeck train configs/hackthegrid.yaml",
    "started": "2026-11-21 10:00:00",
    "finished": "2026-11-21 10:02:41",
    "decisions": 3_500_000,
    "seconds": 161.2,
    "seeds": {"games": 11, "evaluation": 1_000_012},
    "versions": {"python": "3.12.4", "torch": "2.9.0"},
    "revision": "5b155f3",
    "changed": True,
    "machine": "Linux x86_64",
    "threads": 2,
    "resumes": [{"at": "2026-01-01 12:10:00 +0000", "decisions": 100_000}],
}

CONFIG = """\
game: hackthegrid
decisions: 3500000
algorithm: maskable_ppo
options:
  reward: margin
opponents:
  past: 0.75
  random: 0.25
"""

CURVES = (
    *("update", "decisions", "seconds", "decisions_per_second", "games", "mean_return"),
    *("win", "draw", "loss", "length", "illegal", "policy_loss", "value_loss", "entropy"),
    *("approx_kl", "clip_fraction", "explained_variance", "learning_rate"),
)

EVALUATIONS = (
    *("decisions", "player", "opponent", "games", "wins", "draws", "losses", "all_lose"),
    *("points", "points_low", "points_high", "decisions_per_game"),
)


def lines_of(path: Path, head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8", errors="surrogatepass") as file:
        csv.writer(file).writerows([head, *rows])


def curve(update: int, **known: Any) -> list[Any]:
    row = {
        **{"update": update, "decisions": 1000 * update, "seconds": update / 2, "games": 50},
        **{"decisions_per_second": 2000, "mean_return": 0.25, "win": 0.5, "draw": 0.125},
        **{"loss": 0.25, "length": 17, "illegal": 0, "policy_loss": -0.01 * update},
        **known,
    }
    return [row.get(name, "") for name in CURVES]


def anchor(decisions: int, opponent: str, points: float) -> list[Any]:
    wins = round(400 * points)
    return [
        *(decisions, "last", opponent, 400, wins, 0, 400 - wins, 0),
        *(points, points - 0.04, points + 0.04, 17.5),
    ]


def record(opponent: str, side: str, games: int, points: float) -> dict[str, Any]:
    return {
        **{"opponent": opponent, "side": side, "games": games, "wins": games // 2},
        **{"draws": games // 4, "losses": games // 4, "all_lose": 0, "decisions": 17.5},
        "points": {"value": points, "low": points - 0.018, "high": points + 0.018},
    }


def final(folder: Path, **changed: Any) -> None:
    records = [
        record(name, side, 1000 * (1 + (side == "both")), points)
        for name, points in (("random", 0.738), ("heuristic", 0.5123))
        for side in ("column", "row", "both")
    ]
    content = {"player": "best", "interrupted": False, "records": records, "metrics": {}}
    (folder / "evaluation.json").write_text(json.dumps({**content, **changed}))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A finished run of a game for two."""
    run = tmp_path / "run"
    (run / "replays").mkdir(parents=True)
    (run / "config.yaml").write_text(CONFIG)
    (run / "run.json").write_text(json.dumps(RUN))
    lines_of(run / "curves.csv", CURVES, [curve(update) for update in range(1, 6)])
    anchors = [
        anchor(at, name, points + at / 1e7)
        for at in (0, 1_000_000, 2_000_000)
        for name, points in (("random", 0.5), ("heuristic", 0.25))
    ]
    lines_of(run / "evaluations.csv", EVALUATIONS, anchors)
    final(run)
    (run / "evaluation.txt").write_text("the table")
    for name in ("best.safetensors", "last.safetensors", "model.zip"):
        (run / name).write_bytes(b"")
    for number in range(2):
        replay = {"players": ["last", "random"], "result": {"returns": [1, -1], "reason": "x_y"}}
        (run / "replays" / f"00{number}-random.json").write_text(json.dumps(replay))
    (run / "replays" / "001-random.html").write_text("")
    return run


@pytest.fixture
def drawn() -> None:
    """For tests that need the plots themselves."""


@pytest.fixture(autouse=True)
def _quick(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing is what takes long: all other tests have empty plots."""
    if "drawn" not in request.fixturenames:
        monkeypatch.setattr(report, "panels", lambda *_: Picture(b"", "<svg></svg>"))


class Page(HTMLParser):
    """What a page has: tags that all end, addresses, words."""

    EMPTY = ("meta", "link", "path", "use", "br")

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.addresses: list[str] = []
        self.headings: list[str] = []
        self.words = ""
        self.open: list[str] = []
        self.feed(path.read_text("utf-8"))
        self.close()
        assert self.open == []
        self.words = re.sub(r"\s+", " ", self.words)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attributes:
            assert not name.startswith("on"), "a script"
            if name in ("href", "src", "xlink:href", "action"):
                self.addresses.append(value or "")
        if tag not in self.EMPTY:
            self.open.append(tag)
        if tag == "h2":
            self.headings.append("")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in self.EMPTY:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.EMPTY:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words += data
        if "h2" in self.open:
            self.headings[-1] += data


def rendered(folder: Path) -> list[Any]:
    """All tokens of report.md as Markdown's readers see it."""
    reader = MarkdownIt("commonmark").enable("table")
    tokens = reader.parse((folder / "report.md").read_text("utf-8"))
    return [each for token in tokens for each in (token, *(token.children or ()))]


def both(folder: Path) -> tuple[str, str]:
    """The words of report.md and of report.html, written now."""
    assert report.write(folder) == folder / "report.md"
    return (folder / "report.md").read_text("utf-8"), Page(folder / "report.html").words


def test_the_verdict_comes_first(folder: Path) -> None:
    verdict = (
        "After 3,500,000 decisions in 2 min 41 s: 73.8% of points against random (72.0 to 75.6) "
        "and 51.2% against heuristic (49.4 to 53.0)."
    )
    markdown, page = both(folder)
    assert markdown.split("\n\n")[0] == "# Training report: HACKtheGRID"
    assert markdown.split("\n\n")[2] == f"**{verdict}**"
    assert verdict in page
    assert "not finished" not in markdown + page


def test_the_tables_have_the_figures(folder: Path) -> None:
    markdown, _ = both(folder)
    assert (
        "| random | both | 2000 | 50.0% (47.8 to 52.2) | 25.0% (23.2 to 26.9) | "
        "25.0% (23.2 to 26.9) | 0.0% (0.0 to 0.2) | 73.8% (72.0 to 75.6) | 18 |"
    ) in markdown
    assert (
        "| heuristic | 3 | 400 | 25.0% (21.0 to 29.0) | 45.0% (41.0 to 49.0) | 2,000,000 | "
        "45.0% (41.0 to 49.0) |"
    ) in markdown


def test_everything_else_is_told(folder: Path) -> None:
    for words in both(folder):
        for told in (
            *("MaskablePPO.load", "cyberdeck train config.yaml", "cyberdeck train --resume ."),
            *("1000012", "3.12.4", "5b155f3, with changes", "Linux x86", "1 time"),
            *("past 0.75, random 0.25", "algorithm: maskable_ppo", "000-random.json", "x y"),
            "cyberdeck replay replays/001-random.json --html replays/001-random.html",
            "cyberdeck evaluate hackthegrid best.safetensors --against random heuristic",
            "--option reward=margin",
        ):
            assert told in words.replace("\\_", "_"), told


@pytest.mark.usefixtures("drawn")
def test_the_page_needs_nothing_else(folder: Path) -> None:
    report.write(folder)
    page = Page(folder / "report.html")
    assert not page.tags & {"script", "img", "iframe", "object", "image", "foreignobject"}
    for address in page.addresses:
        assert address.startswith(("#", "data:,")) or (folder / address).exists(), address
    text = (folder / "report.html").read_text("utf-8")
    assert "@import" not in text
    assert "prefers-color-scheme: light" in text
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', text)) <= {
        pair for each in ids for pair in ((each, ""), ("", each))
    }


@pytest.mark.usefixtures("drawn")
def test_every_colour_of_a_plot_is_the_pages(folder: Path) -> None:
    report.write(folder)
    text = (folder / "report.html").read_text("utf-8")
    used = set(re.findall(r"var\((--c[0-9a-f]{6})\)", text))
    assert len(used) > 4
    assert used <= set(re.findall(r"(--c[0-9a-f]{6}):", text))
    plots = "".join(re.findall(r"<svg.*?</svg>", text, re.S))
    assert not re.search(r": #[0-9a-f]{3,6}\b(?<!: #000000)", plots)


@pytest.mark.usefixtures("drawn")
def test_the_plots_are_pictures_that_the_markdown_shows(folder: Path) -> None:
    report.write(folder)
    shown = [token.attrs["src"] for token in rendered(folder) if token.type == "image"]
    assert shown == [f"plots/{name}.png" for name in ("strength", "training", "learning")]
    for path in shown:
        with Image.open(folder / path) as image:
            assert image.format == "PNG"
            assert image.width > 400


@pytest.mark.usefixtures("drawn")
def test_written_again_it_is_the_same(folder: Path) -> None:
    report.write(folder)
    names = ("report.md", "report.html", "plots/strength.png")
    before = [(folder / name).read_bytes() for name in names]
    files = [(folder / name).stat().st_ino for name in names]
    report.write(folder)
    assert [(folder / name).read_bytes() for name in names] == before
    for name, file in zip(names, files, strict=True):
        assert (folder / name).stat().st_ino != file, "written over, not put in its place"


def test_a_game_for_one_has_its_facts(folder: Path) -> None:
    (folder / "run.json").write_text(json.dumps({**RUN, "game": "matrix_overload"}))
    metrics = ("royals_killed", "royals_killed_low", "royals_killed_high")
    rows = [[*anchor(at, "-", at / 1e7), 5, 4.5, 5.5] for at in (0, 1_000_000)]
    lines_of(folder / "evaluations.csv", (*EVALUATIONS, *metrics), rows)
    royals = {"royals_killed": {"value": 10.125, "low": 9.9, "high": 10.3}}
    final(folder, records=[record("-", "-", 1000, 0.5)], metrics=royals)
    for words in both(folder):
        assert "50.0% of deals won (48.2 to 51.8) and 10.12 (9.90 to 10.30) royals killed." in words
        assert "--against" not in words
    assert (folder / "plots" / "facts.png").exists()
    (folder / "evaluation.json").unlink()
    for words in both(folder):
        assert "10.0% of deals won (6.0 to 14.0) and 5.00 (4.50 to 5.50) royals killed" in words


# --- runs that are not whole ----------------------------------------------------------------------


def test_an_empty_folder_says_that_nothing_is_known(tmp_path: Path) -> None:
    markdown, page = both(tmp_path)
    for words in (markdown, page):
        for told in ("has just begun", "not finished", "No evaluation has been made yet"):
            assert told in words
    assert not (tmp_path / "plots").exists()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("config.yaml", "config.yaml is missing"),
        ("run.json", "not finished"),
        ("curves.csv", "No update has been logged yet"),
        ("evaluations.csv", "No evaluation has been made yet"),
        ("evaluation.json", "the table"),
        ("replays", "No game has been saved yet"),
    ],
)
@pytest.mark.parametrize("left", ["nothing", "rubbish", "the beginning"])
def test_a_part_that_is_missing_or_broken_is_said(
    folder: Path, name: str, told: str, left: str
) -> None:
    path = folder / name
    content = b"" if path.is_dir() else path.read_bytes()
    path.rename(folder / "away")
    if left == "rubbish" and name != "config.yaml":
        path.write_bytes(b'\xff\x00{"[\n"')
    elif left == "the beginning" and name not in ("config.yaml", "replays"):
        path.write_bytes(content[: content.index(b"\n" if name.endswith("csv") else b":")])
    both(folder)
    assert told in Page(folder / "report.html").words


def test_a_run_on_its_way_says_how_far_it_is(folder: Path) -> None:
    (folder / "run.json").write_text(json.dumps({**RUN, "finished": None, "decisions": 0}))
    (folder / "evaluation.json").unlink()
    (folder / "evaluation.txt").unlink()
    for words in both(folder):
        assert (
            "After 5,000 decisions in 2 s: 70.0% of points against random (66.0 to 74.0) and 45.0% "
            "against heuristic (41.0 to 49.0), as last measured at 2,000,000."
        ) in words
        assert "5,000 of 3,500,000 decisions are done" in words
        assert "no final evaluation yet" in words


def test_an_interrupted_evaluation_is_called_so(folder: Path) -> None:
    final(folder, interrupted=True)
    for words in both(folder):
        assert "The final evaluation was interrupted" in words


@pytest.mark.parametrize(
    "half", ["6,600", "6,6000,3.0,2000,50,0.25,0.5,0.125,0.25,17,0,-0.1,,,,,,"]
)
def test_half_a_line_at_the_end_is_left_out(folder: Path, half: str) -> None:
    (folder / "run.json").write_text(json.dumps({**RUN, "finished": None}))
    with (folder / "curves.csv").open("a") as file:
        file.write(half)
    with (folder / "evaluations.csv").open("a") as file:
        file.write("3000000,last,random,400,400,0,0,0,1.0,0.9")
    for words in both(folder):
        assert "After 5,000 decisions" in words
        assert "3,000,000" not in words


def test_where_a_run_went_back_its_later_lines_count(folder: Path) -> None:
    with (folder / "evaluations.csv").open("a", newline="") as file:
        csv.writer(file).writerow(anchor(1_000_000, "random", 0.625))
    markdown, _ = both(folder)
    assert (
        "| random | 2 | 400 | 50.0% (46.0 to 54.0) | 62.5% (58.5 to 66.5) | 1,000,000 |" in markdown
    )
    assert "| heuristic | 3 |" in markdown


@pytest.mark.usefixtures("drawn")
@pytest.mark.parametrize("value", ["", "inf", "1e308", "-5", '"'])
def test_values_that_are_no_figures_break_nothing(folder: Path, value: str) -> None:
    known = dict.fromkeys(CURVES[2:], value)
    lines_of(folder / "curves.csv", CURVES, [curve(update, **known) for update in (1, 2, 3)])
    rows = [[at, "last", "random", *[value] * 9] for at in (0, 1000)]
    lines_of(folder / "evaluations.csv", EVALUATIONS, rows)
    both(folder)


@pytest.mark.parametrize("value", [None, True, -5, 1e400, "x", "", [], [1], {}, {"a": [1]}])
def test_json_of_other_kinds_breaks_nothing(folder: Path, value: Any) -> None:
    for name in ("curves.csv", "evaluations.csv"):
        (folder / name).unlink()  # so that it is quick: nothing to draw
    content = json.loads((folder / "evaluation.json").read_text())
    replay = folder / "replays" / "000-random.json"
    for key in RUN:
        (folder / "run.json").write_text(json.dumps({**RUN, key: value}))
        report.write(folder)
    for key in content:
        final(folder, **{key: value})
        report.write(folder)
    for key in content["records"][0]:
        final(folder, records=[{**content["records"][2], key: value}])
        report.write(folder)
    for key in ("game", "decisions", "options", "opponents", "algorithm"):
        (folder / "config.yaml").write_text(json.dumps({key: value}))
        report.write(folder)
    for content in (value, {"players": value, "result": value}, {"result": {"reason": value}}):
        replay.write_text(json.dumps(content))
        report.write(folder)


# --- words that would be something else -----------------------------------------------------------

HOSTILE = [
    "<script>alert(1)</script>",
    '" onmouseover="alert(1)',
    "](javascript:alert(1)) [x](javascript:alert(2))",
    "a | b \\| c \\",
    "```\n# heading\n````\n<b>",
    "*bold* _it_ ~~gone~~ `code` ![x](http://x)",
    "&lt;script&gt; &#60;b&#62;",
    "<!-- --> ]]> </style></svg><h2>x</h2>",
    "{{ body }} $x$ _first",
    "half of a pair \ud800, \x00\x1b[31m, \u202eback",
    "- item\n1. item\n\n    code\n---\n",
    "猫🐈",
]


def with_words(folder: Path, words: str) -> None:
    """The run with *words* wherever a word can be."""

    def changed(content: Any) -> Any:
        if isinstance(content, Mapping):
            return {
                words if key in RUN["versions"] else key: changed(value)
                for key, value in content.items()
            }
        if isinstance(content, list):
            return [changed(each) for each in content]
        return words if isinstance(content, str) and content not in ("both", "-") else content

    for name in ("run.json", "evaluation.json", "replays/000-random.json"):
        path = folder / name
        path.write_text(json.dumps(changed(json.loads(path.read_text()))))
    config = json.dumps({"algorithm": words, "options": {words: words}, "opponents": {words: 1}})
    text = words.encode("utf-8", "replace").decode()
    (folder / "config.yaml").write_text(f"{config}\n# {text}", "utf-8")
    rows = [anchor(at, opponent, 0.5) for at in (0, 1000) for opponent in (words, "random")]
    lines_of(folder / "evaluations.csv", EVALUATIONS, rows)
    name = re.sub("[/\x00\ud800]", "", words)
    (folder / "replays" / f"002-{name}.json").write_text("{}")
    (folder / "replays" / f"002-{name}.html").write_text("")


def test_words_in_a_plot_are_only_words() -> None:
    at = np.array([0.0, 1.0])
    every = [Line(words, at, at) for words in HOSTILE]
    stacked = Panel(
        "".join(HOSTILE), [Line(words, at, at / 9) for words in HOSTILE[:3]], True, True
    )
    svg = panels("x", [Panel(HOSTILE[4], every, shares=True), stacked], 2, (4, 3)).svg
    calm = [Line(str(number), at, at) for number in range(3)]
    tags = [
        {each.tag for each in ElementTree.fromstring(picture).iter()}
        for picture in (svg, panels("x", [Panel("a", calm)], 1, (4, 3)).svg)
    ]
    assert tags[0] == tags[1]


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_words_are_only_words(folder: Path, words: str) -> None:
    report.write(folder)
    calm_page, calm = Page(folder / "report.html"), rendered(folder)
    with_words(folder, words)
    report.write(folder)

    page = Page(folder / "report.html")
    assert page.headings == calm_page.headings
    assert page.tags == calm_page.tags
    for address in page.addresses:
        assert address.startswith(("#", "data:,")) or not os.path.isabs(address)
        assert not re.match(r"[a-z]+:(?!,)", address), address
    seen = re.sub(r"\s+", " ", re.sub("[\x00\x1b\u202e]", "", words.replace("\ud800", "?")))
    assert page.words.count(seen.strip()) > 8

    tokens = rendered(folder)
    assert not [token for token in tokens if token.type.startswith("html")]
    for kind in ("heading_open", "image", "fence", "table_open", "list_item_open", "code_block"):
        count = [sum(token.type == kind for token in each) for each in (tokens, calm)]
        assert count[0] == count[1], kind
    assert not [token for token in tokens if token.type in ("em_open", "s_open", "hr")]
    for token in tokens:
        if token.type == "link_open":
            assert re.match(r"replays/|[a-z]+(\.|$)", token.attrs["href"]), token.attrs
    read = ["".join(each.content for each in token.children or ()) for token in tokens]
    assert sum(each.strip() == seen.strip() for each in read) > 6, "cells of the tables"
    if "\\|" not in words:
        assert seen.strip() in {
            each.content.strip() for each in tokens if each.type == "code_inline"
        }
    assert not document.markdown(Document("", "", [Paragraph(Code("\\|"))])).count("`")


# --- long runs, and files that cannot be written --------------------------------------------------


def test_a_long_run_is_averaged_by_games() -> None:
    rng = np.random.default_rng(1)
    lines = 4321
    curves = {
        "decisions": np.arange(lines) * 100.0,
        "games": rng.integers(0, 9, lines).astype(float),
        "win": rng.random(lines),
        "entropy": np.where(np.arange(lines) % 7, 2.0, np.nan),
        "approx_kl": np.full(lines, np.nan),
    }
    curves["win"][curves["games"] == 0] = np.nan
    thin = report.thinned(curves)
    assert {len(values) for values in thin.values()} == {report.MOST}
    assert report.MOST <= 300
    assert (np.diff(thin["decisions"]) > 0).all()
    first = curves["decisions"] <= 2 * thin["decisions"][0]
    assert thin["win"][0] == pytest.approx(
        np.nansum((curves["win"] * curves["games"])[first]) / curves["games"][first].sum()
    )
    assert (thin["entropy"] == 2.0).all()
    assert np.isnan(thin["approx_kl"]).all()
    short = {name: values[: report.MOST] for name, values in curves.items()}
    assert report.thinned(short) is short


def test_a_long_run_says_so(folder: Path) -> None:
    lines_of(folder / "curves.csv", CURVES, [curve(update) for update in range(1, 2001)])
    for words in both(folder):
        assert f"The 2,000 updates are averaged down to {report.MOST} points" in words


def test_of_many_replays_the_latest_are_listed(folder: Path) -> None:
    for number in range(2, 40):
        (folder / "replays" / f"{number:03}-random.json").write_text("{}")
    for words in both(folder):
        assert "The latest 12 of 40" in words
        assert words.index("039-random.json") < words.index("028-random.json")
        assert "027-random.json" not in words


def test_what_cannot_be_written_leaves_the_report_as_it_was(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report.write(folder)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    (folder / "run.json").write_text(json.dumps({**RUN, "title": "other"}))
    before[folder / "run.json"] = (folder / "run.json").read_bytes()
    replace = Path.replace

    def full(path: Path, target: Path) -> Path:
        if target.name.startswith("report"):
            os.truncate(path, 100)
            raise OSError(28, "No space left on device")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        report.write(folder)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_no_folder_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no folder of a training run"):
        report.write(tmp_path / "nowhere")
