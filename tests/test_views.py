"""Views: the plain one of every game, and that all of them need no NumPy and tell no secret."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import cyberdeck
from cyberdeck import Batch, showing, variant
from cyberdeck.drawing import lettering
from cyberdeck.drawing.lettering import LEAST
from cyberdeck.drawing.svg import LIME
from cyberdeck.engine.variant import Variant
from cyberdeck.replay import Replay
from cyberdeck.views import plain, scene, words
from cyberdeck.views.view import Board, Cell, Line, Look, Page, Panel, sentence
from cyberdeck.views.words import HIDDEN
from tests.engine.games import example

States = NDArray[Any]

SVG = "{http://www.w3.org/2000/svg}"


def positions(game: str, every: int = 13, **options: Any) -> Iterator[tuple[Batch, States]]:
    """Positions of a random game, the last one its end."""
    short = {"max_turns": 40} if game == "stacktrices" else {}
    batch = Batch(game, 1, seed=5, autoreset="Disabled", **short, **options)
    while batch.mover[0] >= 0:
        yield batch, batch._core.states.copy()
        batch.play("random", every)
    yield batch, batch._core.states.copy()


def plain_text(variant: Variant, states: States, seat: int) -> str:
    """A record in the words of the plain view."""
    mask = showing.known_mask(variant, states, (seat,))
    record = showing.reader(variant, states)
    return words.text(showing.plain_view(variant).page(record, (seat,), mask))


def plainly_drawn(
    variant: Variant,
    states: States,
    seat: int,
    choices: tuple[int, ...] | None = None,
    before: States | None = None,
) -> str:
    """A record as the plain view draws it."""
    old = None if before is None else showing.reader(variant, before)
    look = Look((seat,), choices, before=old)
    return scene.picture(showing.plain_view(variant), showing.reader(variant, states), None, look)


# --- the plain view ------------------------------------------------------------------------------


@pytest.mark.parametrize("game", cyberdeck.GAMES)
def test_everything_observed_is_told(game: str) -> None:
    for batch, record in positions(game):
        for seat in range(batch.variant.seats):
            told = plain_text(batch.variant, record, seat)
            seen = batch.variant.named(batch.look(0, seat)[0])
            for name, values in seen.items():
                called = name.replace("_", " ")
                if values.size == 1:
                    assert re.search(rf"\b{called} {values.item()}(;|$)", told, re.MULTILINE)
                else:
                    heads = re.findall(r"^\S.*(?=:$)", told, flags=re.MULTILINE)
                    (head,) = (
                        each for each in heads if called in re.sub(r" \d+\b", "", each).split(", ")
                    )
                    below = re.split(rf"^{head}:$", told, flags=re.MULTILINE)[1]
                    lines = re.match(r"(\n  .*)*", below)
                    assert lines is not None
                    if head != called:  # several boards of 0 and 1 in one: see below
                        continue
                    numbers = re.findall(r"-?\d+|\.", lines[0])
                    planes = len(values.reshape(-1, *values.shape[-2:])) if values.ndim > 2 else 1
                    assert len(numbers) == values.size + (planes if planes > 1 else 0)
                    if planes == 1:
                        assert [0 if n == "." else int(n) for n in numbers] == [*values.ravel()]


@pytest.mark.parametrize("game", cyberdeck.GAMES)
def test_legal_actions_are_named_to_who_decides_and_drawn_in_pictures_of_one_size(
    game: str,
) -> None:
    sizes = set()
    for batch, record in positions(game):
        mover, variant = int(batch.mover[0]), batch.variant
        legal = np.flatnonzero(batch.mask[0]).tolist()
        lit, unlit = (plainly_drawn(variant, record, 0, shown) for shown in (tuple(legal), ()))
        assert lit.count(LIME) - unlit.count(LIME) >= min(len(legal), 48)
        for seat in range(variant.seats):
            root = ET.fromstring(plainly_drawn(variant, record, seat))
            sizes.add((root.get("width"), root.get("height")))
            told = plain_text(variant, record, seat)
            assert ("Legal actions:" in told) == (seat == mover)
            assert ("Your turn" in told) >= (seat == mover)
        if mover < 0:
            reason = variant.game.reasons[int(record["reason"][0])].replace("_", " ")
            assert f"Game over. {sentence(reason)}" in told
            continue
        told = " ".join(plain_text(variant, record, mover).split())
        for action in legal:
            assert f"{action} {variant.game.named_action(record, action)}" in told
    assert len(sizes) == 1


@pytest.mark.parametrize(
    ("game", "options"),
    [("matrix_overload", {}), ("stacktrices", {}), ("hovercrafts", {"ships": (2, 2)})],
)
def test_nothing_hidden_shows(game: str, options: dict[str, Any]) -> None:
    """A position that a seat cannot tell from the real one looks the same, and tells the same."""
    before: States | None = None
    for batch, record in positions(game, **options):
        variant = batch.variant
        for seat in range(variant.seats):
            if batch.mover[0] < 0:
                break
            twin = record.copy()
            batch._core.loops.resample(twin, 0, seat, np.uint64(99))
            assert plain_text(variant, twin, seat) == plain_text(variant, record, seat)
            assert plainly_drawn(variant, twin, seat) == plainly_drawn(variant, record, seat)
            screens = (showing.scene(variant, each, (seat,)).screen() for each in (record, twin))
            assert len(set(screens)) == 1
            if before is None:
                continue
            one, two = (showing.scene(variant, each, (seat,), before) for each in (record, twin))
            assert (one.events, one.picture()) == (two.events, two.picture())
        before = record


def test_a_record_is_read_as_the_variant_shows_it() -> None:
    """Also if it was played with another observation, of another size."""
    vector, planes = (
        Batch("hovercrafts", 1, seed=3, observation=view, ships=(2, 1))
        for view in ("vector", "planes")
    )
    for one, other in ((vector, planes), (planes, vector)):
        read = showing.reader(one.variant, other._core.states)
        assert read.rules.observe(int(one.mover[0])) == one.observation[0].reshape(-1).tolist()


def plainly(features: Any, now: list[int], old: list[int] | None = None) -> tuple[str, str]:
    """What a seat observes in words, and drawn after what it has observed before."""
    view = plain.view(plain.Description("Game", ["you"], features, [], []))
    one, other = (
        SimpleNamespace(mover=0, decisions=0, rules=SimpleNamespace(observe=lambda seat, n=n: n))
        for n in (now, old or now)
    )
    told = words.text(view.page(one, (0,), None))
    return told, scene.picture(view, one, None, Look((0,), before=other))


def test_long_rows_and_wide_numbers() -> None:
    told, drawn = plainly([("far_away", (40,), -128, 127, ())], list(range(-20, 20)))
    numbers = told.partition("far away:\n")[2].splitlines()
    assert " ".join(numbers).split()[:40] == [
        *map(str, range(-20, 0)),
        ".",
        *map(str, range(1, 20)),
    ]
    assert max(map(len, numbers)) <= 80
    assert len(list(ET.fromstring(drawn).iter(f"{SVG}rect"))) > 39


@pytest.mark.parametrize(
    ("shape", "high", "labels", "values", "lines"),
    [
        ((3,), 1, [("jack", "queen", "king")], [0, 1, 0], ["card: queen"]),
        ((3,), 1, [("jack", "queen", "king")], [0, 0, 0], ["card: none"]),
        ((2,), 9, [("you", "the other")], [0, 7], ["card: you 0, the other 7"]),
        ((2, 2), 1, [("a", "b")], [1, 1, 0, 1], ["card:", "  0: a, b", "  1: b"]),
        ((2, 2), 1, [("x", "y"), ("a", "b")], [1, 1, 0, 0], ["card:", "  x: a, b", "  y: none"]),
    ],
)
def test_what_has_labels_is_told_by_them(
    shape: tuple[int, ...], high: int, labels: Any, values: list[int], lines: list[str]
) -> None:
    feature = [("card", shape, 0, high, labels)]
    told, drawn = plainly(feature, values)
    assert "\n".join(lines) in told
    _, other = plainly(feature, [high] * len(values), values)
    one, two = (
        [ET.fromstring(each).get(name) for name in ("width", "height")] for each in (drawn, other)
    )
    assert one == two  # whatever they say
    assert other.count("<rect") > drawn.count("<rect"), "what has changed is marked"


@pytest.mark.parametrize("columns", [3, 19])
def test_boards_of_one_size_are_told_as_one(columns: int) -> None:
    """By their names, or where these have no room by numbers; a single board as it is."""
    boards = [(name, (3, columns), 0, 1, ()) for name in ("own", "theirs", "walls")]
    cells = np.zeros((3, 3, columns), int)
    cells[[0, 1, 2], [0, 2, 2], 0] = 1
    count, other = ("far", (2, 2), 0, 9, ()), ("own", (3, columns), 0, 1, ())
    numbers = [*cells.ravel().tolist(), *(1, 2, 3, 4), *cells[0].ravel().tolist()]
    told, drawn = plainly([*boards, count, other], numbers)
    heads = re.findall(r"^(\S.*):$", told, re.MULTILINE)
    dots = ["."] * (columns - 1)
    names = ("own", "theirs", "walls") if columns == 3 else ("1", "2", "3")
    both = f"{names[1]}+{names[2]}"
    head = "own, theirs, walls" if columns == 3 else "own 1, theirs 2, walls 3"
    assert heads == [head, "far", "own"]
    rows = [line.split() for line in told.partition(f"{head}:\n")[2].splitlines()[:3]]
    assert rows == [[names[0], *dots], [".", *dots], [both, *dots]]
    (letters,) = re.findall(' d="(.*?)"', lettering.text(both, 0, 0, LEAST))
    assert f'"{letters}"' in drawn


def test_the_plain_picture_of_a_page_names_what_may_be_done() -> None:
    """Also where the game has a view of its own that draws nothing."""
    name = example("twenty_forty_eight").name
    batch = Batch(name, 1, seed=0)
    legal = np.flatnonzero(batch.mask[0]).tolist()
    root = ET.fromstring(showing.scene(batch.variant, batch._core.states, (0,)).picture(legal))
    assert {each.get("aria-label") for each in root.iter()} >= {
        batch.action_name(0, action) for action in legal
    }
    view, record = showing.view_of(batch.variant), showing.reader(batch.variant, batch._core.states)
    assert scene.signs_of(view, record, None, Look((0,), bare=True)) == ""


def test_plain_pictures_of_a_replay_name_what_was_decided() -> None:
    """But for what the viewer may not know."""
    name = example("goofspiel").name
    chosen = variant(name)
    for seat, told in ((None, "Just now: left: bid 1."), ("right", f"Just now: left: {HIDDEN}.")):
        replay = Replay(chosen, seed=0, actions=[0, 1, 1, 0, 2, 3, 3, 2])
        first, second, *_ = replay.frames(seat)
        assert "Just now: the game begins." in first.svg
        assert told in second.svg
        assert ("bid 1" in second.svg.partition("</desc>")[0]) == (seat is None)


# --- words for all games -------------------------------------------------------------------------


def test_a_terminal_has_room_for_what_matters_most() -> None:
    """What is too much is put beside the board, then left out by its rank."""
    board = Board([[Cell("x") for _ in range(5)] for _ in range(12)])
    lines = [Line("always"), *(Line(f"rank {rank}", rank) for rank in (1, 2, 3) for _ in range(5))]

    def shown(count: int) -> str:
        page = Page("Game", ["turn 1"], "your turn", board=board, panels=[Panel("", lines[:count])])
        text = words.screen(page)
        assert len(text.splitlines()) <= words.HEIGHT
        assert max(map(len, text.splitlines())) <= words.WIDTH
        return text

    assert shown(3).index("x  x") < shown(3).index("always")
    assert re.search("x  +always", shown(16)), "beside the board"
    assert "rank 1" in shown(16)
    tall = Board([[Cell("x" * 74)] for _ in range(18)])
    page = Page("Game", [], "your turn", board=tall, panels=[Panel("", lines)])
    assert "rank 3" not in words.screen(page)


def test_signs_are_told_alike_in_a_terminal_and_in_text() -> None:
    page = Page("Game", [], "your turn", legend=[("*", "in an array"), ("!", "stolen")])
    assert words.screen(page).splitlines()[-1] == "*: in an array; !: stolen"
    assert words.text(page).splitlines()[-2:] == ["*: in an array", "!: stolen"]


# --- without NumPy -------------------------------------------------------------------------------


def test_what_shows_games_needs_no_numpy() -> None:
    """How it shows plain bytes is compared in ``playing/test_web.py``."""
    views = [f"cyberdeck.views.{game}" for game in cyberdeck.GAMES]
    wanted = ", ".join(["cyberdeck.playing.web", "cyberdeck.views.scene", *views])
    without = f"import sys; sys.modules.update(numpy=None, numba=None); import {wanted}"
    subprocess.run([sys.executable, "-c", without], check=True)
