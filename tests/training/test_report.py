"""The report of a run: what it says, of whole folders and of all that can be wrong with one."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml

from cyberdeck import OptionError, variant
from cyberdeck.common.files import write_csv
from cyberdeck_training import config, report
from cyberdeck_training.pages import MOST, Line, Panel, draw, thinned
from cyberdeck_training.records import CURVES, evaluation_columns

#: The files of a finished run of a game for two, and what its report says.
RUN = Path(__file__).with_name("run")
TOLD: dict[str, list[str]] = yaml.safe_load(RUN.with_name("told.yaml").read_text("utf-8"))

INFO: dict[str, Any] = json.loads((RUN / "run.json").read_text())
CONFIG = (RUN / "config.yaml").read_text()

EVALUATIONS = evaluation_columns(variant("hackthegrid"))


def curve(update: int, **known: Any) -> list[Any]:
    row = {
        **{"update": update, "decisions": 1000 * update, "seconds": update / 2, "games": 50},
        **{"decisions_per_second": 2000, "mean_return": 0.25, "win": 0.5, "draw": 0.125},
        **{"loss": 0.25, "length": 17, "illegal": 0, "policy_loss": -0.01 * update},
        **known,
    }
    return [row.get(name, "") for name in CURVES]


def anchor(
    decisions: int, opponent: str, points: float, player: str = "last", half: float = 0.04
) -> list[Any]:
    wins = round(400 * points)
    ended = (400, wins, 0, 400 - wins, 0)
    return [decisions, player, opponent, *ended, points, points - half, points + half, 17.5]


def final(folder: Path, trained: Sequence[float] = (0.738, 0.5123), *untrained: float) -> None:
    """The final evaluation, of the policy before its first update too, if that is given."""
    rows = [
        anchor(0, opponent, points, player, 0.018)
        for player, reached in (("trained", trained), ("untrained", untrained))
        for opponent, points in zip(("random", "heuristic"), reached, strict=False)
    ]
    write_csv(folder / "final.csv", EVALUATIONS, rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A finished run of a game for two."""
    run = Path(shutil.copytree(RUN, tmp_path / "run"))
    (run / "replays").mkdir()
    for name in ("best.safetensors", "last.safetensors", "model.zip"):
        (run / name).write_bytes(b"")
    for number in range(2):
        (run / "replays" / f"00{number}-random.json").touch()
    (run / "replays" / "001-random.html").write_text("")
    return run


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

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.EMPTY:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words += data
        if "h2" in self.open:
            self.headings[-1] += data


def page_of(folder: Path) -> Page:
    """The report, written now."""
    assert report.write(folder) == folder / "report.html"
    return Page(folder / "report.html")


def test_everything_is_told_the_verdict_first(folder: Path) -> None:
    words = page_of(folder).words
    assert words.index("After 3,500,000") < words.index("Final evaluation")
    assert "not finished" not in words
    for told in TOLD["finished"]:
        assert told in words, told


@pytest.mark.usefixtures("drawn")
def test_the_page_needs_nothing_else_and_is_the_same_again(folder: Path) -> None:
    page = page_of(folder)
    assert not page.tags & {"script", "img", "object", "image", "foreignobject"}
    for address in page.addresses:
        assert address.startswith(("#", "data:,")) or (folder / address).exists(), address
    text = (folder / "report.html").read_text("utf-8")
    assert "@import" not in text
    assert text.count("</svg>") == text.count("<figure") > 4
    assert "prefers-color-scheme: light" in text
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', text)) <= {
        pair for each in ids for pair in ((each, ""), ("", each))
    }
    # Every colour of a plot is the page's.
    used = set(re.findall(r"var\((--c[0-9a-f]{6})\)", text))
    assert len(used) > 4
    assert used <= set(re.findall(r"(--c[0-9a-f]{6}):", text))
    plots = "".join(re.findall(r"<svg.*?</svg>", text, re.S))
    assert not re.search(r": #[0-9a-f]{3,6}\b(?<!: #000000)", plots)

    report.write(folder)
    assert (folder / "report.html").read_text("utf-8") == text


def test_the_configuration_is_shown_and_its_games_file_named(folder: Path) -> None:
    """One that cannot be read is shown as it is."""
    file = Path(__file__).parents[2] / "examples" / "games" / "connect_four.py"
    config.load(file)  # who trains with it names it
    content = f"game: {file}\ntotal_timesteps: 9\nopponents: {{random: 1}}\n"
    (folder / "config.yaml").write_text(content)
    words = page_of(folder).words
    assert f"cyberdeck replay replays/001-random.json --game {file} " in words
    assert f"cyberdeck evaluate {file} best.safetensors" in words
    (folder / "config.yaml").write_text(CONFIG.replace("total_timesteps", "decisions"))
    assert "decisions: 3500000" in page_of(folder).words


def test_a_game_for_one_has_its_metrics(folder: Path) -> None:
    (folder / "run.json").write_text(json.dumps({**INFO, "game": "matrix_overload"}))
    metrics = ("royals_killed", "royals_killed_low", "royals_killed_high")
    rows = [[*anchor(at, "-", at / 1e7), 5, 4.5, 5.5] for at in (0, 1_000_000)]
    write_csv(folder / "evaluations.csv", (*EVALUATIONS, *metrics), rows)
    ends = [
        [*anchor(0, "-", points, player, 0.018), 10.125, 9.9, 10.3]
        for player, points in (("trained", 0.5), ("untrained", 0.25))
    ]
    write_csv(folder / "final.csv", (*EVALUATIONS, *metrics), ends)
    words = page_of(folder).words
    assert "0.500 (0.482 to 0.518) of deals won and 10.125 (9.900 to 10.300) royals kill" in words
    assert "Untrained: 0.250 (0.232 to 0.268) of deals won and 10.125 (9.900 to 10.3" in words
    assert "--opponent" not in words
    assert (folder / "report.html").read_text().count("<svg>") == 7
    (folder / "final.csv").unlink()
    words = page_of(folder).words
    assert "0.100 (0.060 to 0.140) of deals won and 5.000 (4.500 to 5.500) royals killed" in words


# --- runs that are not whole ----------------------------------------------------------------------


def test_an_empty_folder_says_that_nothing_is_known(tmp_path: Path) -> None:
    words = page_of(tmp_path).words
    for told in ("has just begun", "not finished", "No evaluation has been made yet"):
        assert told in words
    with pytest.raises(OptionError, match="no folder of a training run"):
        report.write(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("config.yaml", "config.yaml is missing"),
        ("run.json", "run.json is missing or cannot be read"),
        ("curves.csv", "No update has been logged yet"),
        ("evaluations.csv", "No evaluation has been made yet"),
        ("final.csv", "the table"),
        ("replays", "No game has been saved yet"),
        ("references.csv", "The bands are 95% confidence intervals"),
    ],
)
def test_a_part_that_is_missing_or_broken_is_said(folder: Path, name: str, told: str) -> None:
    path, lefts = folder / name, [b'\xff\x00{"[\n"']
    if not path.is_dir():
        content = path.read_bytes()
        lefts.append(content[: content.index(b"\n" if name.endswith("csv") else b":")])
    path.rename(folder / "away")
    assert told in page_of(folder).words
    for left in lefts if name != "config.yaml" else ():
        path.write_bytes(left)
        assert told in page_of(folder).words


def test_a_run_on_its_way_says_how_far_it_is(folder: Path) -> None:
    """Half a line at the end is left out."""
    (folder / "run.json").write_text(json.dumps({**INFO, "finished": None, "decisions": 0}))
    (folder / "final.csv").unlink()
    (folder / "evaluation.txt").unlink()
    for half in ("", "6,600", "6,6000,3.0,2000,50,0.25,0.5,0.125,0.25,17,0,-0.1,,,,,,"):
        other = "3000000,last,random,400,400,0,0,0,1.0,0.9" if half else ""
        for name, text in (("curves", half), ("evaluations", other)):
            path = folder / f"{name}.csv"
            path.write_bytes(path.read_bytes() + text.encode())
        words = page_of(folder).words
        for told in TOLD["under way"]:
            assert told in words, told


@pytest.mark.usefixtures("drawn")
def test_values_that_are_no_figures_break_nothing(folder: Path) -> None:
    for value in ("inf", '"'):
        known = dict.fromkeys(CURVES[2:], value)
        write_csv(folder / "curves.csv", CURVES, [curve(update, **known) for update in (1, 2, 3)])
        rows = [[at, "last", "random", *[value] * 9] for at in (0, 1000)]
        write_csv(folder / "evaluations.csv", EVALUATIONS, rows)
        page_of(folder)


@pytest.mark.parametrize("value", [None, 1e400, "x", {"a": [1]}])
def test_json_of_other_kinds_breaks_nothing(folder: Path, value: Any) -> None:
    for key in INFO:
        (folder / "run.json").write_text(json.dumps({**INFO, key: value}))
        report.write(folder)


# --- words that would be something else -----------------------------------------------------------

HOSTILE = [
    "<script>alert(1)</script>",
    '" onmouseover="alert(1)',
    "&lt;script&gt; &#60;b&#62;",
    "<!-- --> ]]> </style></svg><h2>x</h2>",
    "{{ run }} {% endif %} $x$ _first",
    "\x00\x1b[31m red, \u202eback",
    "a\nb 猫🐈",
]


def with_words(folder: Path, words: str) -> None:
    """The run with *words* wherever a word can be."""

    def changed(content: Any) -> Any:
        if isinstance(content, Mapping):
            return {
                words if key in INFO["versions"] else key: changed(value)  # type: ignore[operator]
                for key, value in content.items()
            }
        if isinstance(content, list):
            return [changed(each) for each in content]
        return words if isinstance(content, str) and content not in ("both", "-") else content

    (folder / "run.json").write_text(json.dumps(changed(INFO)))
    (folder / "evaluation.txt").write_text(words, "utf-8")
    text = words.replace("\n", " ").replace("\x00\x1b", "")
    (folder / "config.yaml").write_text(f"{CONFIG}\n# {text}", "utf-8")
    opponents = (words, "random")
    rows = [anchor(at, opponent, 0.5) for at in (0, 1000) for opponent in opponents]
    write_csv(folder / "evaluations.csv", EVALUATIONS, rows)
    ends = [anchor(0, each, 0.5, who) for each in opponents for who in ("trained", "untrained")]
    write_csv(folder / "final.csv", EVALUATIONS, ends)
    name = re.sub("[/\x00]", "", words)
    (folder / "replays" / f"002-{name}.json").write_text("{}")
    (folder / "replays" / f"002-{name}.html").write_text("")


def test_words_in_a_plot_are_only_words() -> None:
    at = np.array([0.0, 1.0])
    every = [Line(words, at, at) for words in HOSTILE]
    referring = Panel("a", every[:1], references=dict.fromkeys(HOSTILE, 0.5))
    calm = Panel("a", [Line(str(number), at, at) for number in range(3)])
    tags = [
        {each.tag for each in ElementTree.fromstring(draw("x", panel, (4, 3))).iter()}
        for panel in (calm, Panel("".join(HOSTILE), every, shares=True), referring)
    ]
    assert tags.count(tags[0]) == 3


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_words_are_only_words(folder: Path, words: str) -> None:
    calm = page_of(folder)
    with_words(folder, words)
    page = page_of(folder)
    assert page.headings == calm.headings
    assert page.tags == calm.tags
    for address in page.addresses:
        assert address.startswith(("#", "data:,")) or not os.path.isabs(address)
        assert not re.match(r"[a-z]+:(?!,)", address), address
    seen = re.sub(r"\s+", " ", re.sub("[\x00\x1b\u202e]", "", words))
    assert page.words.count(seen.strip()) > 8


# --- long runs, and files that cannot be written --------------------------------------------------


def test_a_long_run_is_averaged_by_games_and_its_latest_replays_are_listed(folder: Path) -> None:
    rng, at = np.random.default_rng(1), np.arange(4321)
    games = rng.integers(0, 9, 4321).astype(float)
    curves = {
        "decisions": at * 100.0,
        "games": games,
        "win": np.where(games > 0, rng.random(4321), np.nan),
        "entropy": np.where(at % 7, 2.0, np.nan),
        "approx_kl": np.full(4321, np.nan),
    }
    thin = thinned(curves)
    assert {len(values) for values in thin.values()} == {MOST}
    assert MOST <= 300
    assert (np.diff(thin["decisions"]) > 0).all()
    first = curves["decisions"] <= 2 * thin["decisions"][0]
    won = np.nansum((curves["win"] * games)[first])
    assert thin["win"][0] == pytest.approx(won / games[first].sum())
    assert (thin["entropy"] == 2.0).all()
    assert np.isnan(thin["approx_kl"]).all()
    short = {name: values[:MOST] for name, values in curves.items()}
    assert thinned(short) is short

    write_csv(folder / "curves.csv", CURVES, [curve(update) for update in range(1, 2001)])
    for number in range(2, 40):
        (folder / "replays" / f"{number:03}-random.json").write_text("{}")
    words = page_of(folder).words
    assert f"The 2,000 updates are averaged down to {MOST} points" in words
    assert "The latest 12 of 40" in words
    assert words.index("039-random") < words.index("028-random")
    assert "027-random" not in words
