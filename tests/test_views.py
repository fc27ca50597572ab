"""Text and pictures of games that draw none, seen in the games that do."""

from __future__ import annotations

import dataclasses
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import cyberdeck
from cyberdeck import Batch
from cyberdeck.drawing import plain, views
from cyberdeck.drawing.svg import LIME
from cyberdeck.engine.contract import Feature, Look
from cyberdeck.engine.record import COMMON_REASONS
from cyberdeck.engine.variant import Variant


def positions(game: str, **options: Any) -> Iterator[tuple[Batch, NDArray[Any]]]:
    """Positions of a random game, the last one its end."""
    batch = Batch(game, 1, seed=5, autoreset="disabled", **options)
    while batch.mover[0] >= 0:
        yield batch, batch.core.states.copy()
        batch.play("random", 13)
    yield batch, batch.core.states.copy()


def undrawn(variant: Variant) -> Variant:
    """The same game without a drawing of its own."""
    own = variant.game.reasons[len(COMMON_REASONS) :]
    bare = dataclasses.replace(variant.game, svg=None, text=None, reasons=own)
    return Variant(bare, variant.options)


@pytest.mark.parametrize("game", cyberdeck.GAMES)
def test_everything_observed_is_told(game: str) -> None:
    for batch, record in positions(game):
        for seat in range(batch.variant.seats):
            told = plain.text(batch.variant, record, seat)
            seen = batch.variant.named(batch.look(0, seat)[0])
            for name, values in seen.items():
                words = name.replace("_", " ")
                if values.size == 1:
                    assert re.search(rf"\b{words} {values.item()}(;|$)", told, re.MULTILINE)
                else:
                    below = re.split(rf"^{words}$", told, flags=re.MULTILINE)[1]
                    lines = re.match(r"(\n  .*)*", below)
                    assert lines is not None
                    numbers = re.findall(r"-?\d+|\.", lines[0])
                    planes = len(values.reshape(-1, *values.shape[-2:])) if values.ndim > 2 else 1
                    assert len(numbers) == values.size + (planes if planes > 1 else 0)
                    if planes == 1:
                        assert [0 if n == "." else int(n) for n in numbers] == [*values.ravel()]


@pytest.mark.parametrize("game", cyberdeck.GAMES)
def test_legal_actions_are_named_to_who_decides(game: str) -> None:
    for batch, record in positions(game):
        mover = int(batch.mover[0])
        for seat in range(batch.variant.seats):
            told = plain.text(batch.variant, record, seat)
            assert ("legal actions:" in told) == (seat == mover)
            assert ("your turn" in told) >= (seat == mover)
        if mover < 0:
            reason = batch.variant.game.named_ending(record, batch.variant.seats - 1)
            assert f"over: {reason}" in told
            assert "_" not in reason
            continue
        told = " ".join(plain.text(batch.variant, record, mover).split())
        for action in np.flatnonzero(batch.mask[0]):
            name = batch.variant.game.named_action(record, int(action))
            assert f"{action} {name}" in told


@pytest.mark.parametrize("game", cyberdeck.GAMES)
def test_pictures_have_one_size_and_show_the_actions_of_a_mask(game: str) -> None:
    sizes = set()
    for batch, record in positions(game):
        for seat in range(batch.variant.seats):
            root = ET.fromstring(plain.svg(batch.variant, record, Look(seat)))
            sizes.add((root.get("width"), root.get("height")))
        lit = plain.svg(batch.variant, record, Look(0, batch.mask[0]))
        unlit = plain.svg(batch.variant, record, Look(0, np.zeros_like(batch.mask[0])))
        assert lit.count(LIME) - unlit.count(LIME) >= min(batch.mask[0].sum(), 48)
    assert len(sizes) == 1


def test_a_picture_can_be_painted() -> None:
    from cyberdeck.drawing.raster import rgb

    batch = Batch("hackthegrid", 1, seed=0)
    picture = plain.svg(batch.variant, batch.core.states, Look(0))
    root = ET.fromstring(picture)
    assert rgb(picture).shape == (int(str(root.get("height"))), int(str(root.get("width"))), 3)


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("matrix_overload", {}),
        ("stacktrices", {}),
        ("hovercrafts", {}),
        ("hovercrafts", {"ships": (2, 2)}),
    ],
)
def test_nothing_hidden_shows(game: str, options: dict[str, Any]) -> None:
    """A position that a seat cannot tell from the real one looks the same."""
    for batch, record in positions(game, **options):
        for seat in range(batch.variant.seats):
            if batch.mover[0] < 0:
                break
            twin = record.copy()
            batch.core.loops.resample(twin, 0, seat, np.uint64(99))
            game, look = batch.variant, Look(seat)
            assert plain.text(game, twin, seat) == plain.text(game, record, seat)
            assert plain.svg(game, twin, look) == plain.svg(game, record, look)


def test_a_game_without_a_drawing_has_the_plain_one() -> None:
    for batch, record in positions("hackthegrid"):
        bare = undrawn(batch.variant)
        mask = batch.mask[0]
        assert views.text(bare, record, 1) == plain.text(batch.variant, record, 1)
        assert views.svg(bare, record, Look(1, mask)) == plain.svg(
            batch.variant, record, Look(1, mask)
        )
        own = batch.variant.game
        assert views.text(batch.variant, record, 1) == own.text(record, 1)
        assert views.svg(batch.variant, record, Look(1, mask)) == own.svg(record, Look(1, mask))


def test_long_rows_and_wide_numbers() -> None:
    feature = Feature("far_away", (40,), -128, 127, "")
    values = np.arange(-20, 20, dtype=np.int8)
    shown = plain._grids(feature, values, values)
    lines = plain._text_grids(shown.grids)
    assert " ".join(lines).split() == [*map(str, range(-20, 0)), ".", *map(str, range(1, 20))]
    assert max(map(len, lines)) <= 96
    root = ET.fromstring(f"<g>{plain._feature(shown, 660).content}</g>")
    assert len(list(root.iter("rect"))) > 39
