"""Plots: files of the kind that was asked for, the same every time, with all that is to be told."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from PIL import Image, ImageColor

from cyberdeck import OptionError
from cyberdeck.drawing.svg import NIGHT
from cyberdeck.evaluation import plots
from cyberdeck.evaluation.ratings import Ratings

NAMES = ["random", "heuristic", "search:iterations=2000,exploration=0.75"]
POINTS = np.array([[np.nan, 0.125, 0.25], [0.875, np.nan, 0.5], [0.75, np.nan, np.nan]])
RATED = Ratings(
    values=np.array([0.0, 300, 700]),
    low=np.array([0.0, 250, 500]),
    high=np.array([0.0, 350, np.inf]),
    ties=0.1,
    anchor=0,
)


def draw(kind: str, path: Path, title: str = "HACKtheGRID") -> Path:
    if kind == "points":
        plots.points(NAMES, POINTS, path, title)
    else:
        plots.ratings(NAMES, RATED, path, title)
    return path


@pytest.mark.parametrize("kind", ["points", "ratings"])
def test_pictures_are_on_the_night_and_the_same_whatever_the_readers_own_settings(
    kind: str, tmp_path: Path
) -> None:
    with Image.open(draw(kind, tmp_path / "plot.PNG")) as image:
        assert image.format == "PNG"
        assert image.width > 300
        assert image.convert("RGB").getpixel((2, 2)) == ImageColor.getrgb(NIGHT)
    one = draw(kind, tmp_path / "one.svg").read_bytes()
    with matplotlib.rc_context({"font.size": 30, "lines.linestyle": ":"}):
        assert draw(kind, tmp_path / "other.svg").read_bytes() == one
    assert ElementTree.fromstring(one).tag.endswith("svg")
    assert b"<dc:date>" not in one
    assert b"data:image" not in one, "pixels instead of shapes"


def written(path: Path) -> list[str]:
    """The texts of an SVG: matplotlib names each in a comment beside its outlines."""
    return re.findall(r"<!-- (.*?) -->", path.read_text("utf-8"))


def test_points_tell_who_got_what_against_whom(tmp_path: Path) -> None:
    texts = written(draw("points", tmp_path / "plot.svg"))
    for label in ("random", "heuristic", "search:iteratio…ploration=0.75"):
        assert texts.count(label) == 2, label
    for label in ("points of", "against", "mean points", "HACKtheGRID", "0.88", "0.12"):
        assert label in texts
    assert "nan" not in texts


def test_ratings_name_the_players_best_first_and_the_anchor(tmp_path: Path) -> None:
    texts = written(draw("ratings", tmp_path / "plot.svg"))
    places = [texts.index(label) for label in ("search:iteratio…ploration=0.75", *NAMES[1::-1])]
    assert places == sorted(places)
    assert "rating (Elo scale, random = 0)" in texts


def test_every_player_is_in_the_picture(tmp_path: Path) -> None:
    """Twelve of them, and an interval without limit at each end."""
    values = np.linspace(-600, 500, 12)
    rated = Ratings(values, values - 50, values + 50, 0.1, 3)
    rated.low[0], rated.high[-1] = -np.inf, np.inf
    names = [f"player {at}" for at in range(12)]
    plots.ratings(names, rated, tmp_path / "plot.svg")
    assert set(names) <= set(written(tmp_path / "plot.svg"))


def test_names_are_no_formulas_and_stay_whole_where_they_would_be_alike(tmp_path: Path) -> None:
    plots.points(["$a$", "$b"], POINTS[:2, :2], tmp_path / "plot.svg")
    assert {"$a$", "$b"} <= set(written(tmp_path / "plot.svg"))
    alike = [f"search:iterations={n},exploration=0.75" for n in (1000, 2000)]
    assert plots.labels(alike) == alike


@pytest.mark.parametrize(("kind", "name"), [("points", "plot.jpg"), ("ratings", "svg")])
def test_other_files_are_refused(kind: str, name: str, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"\.png or \.svg"):
        draw(kind, tmp_path / name)
    assert not (tmp_path / name).exists()
