"""Pixels show what the SVG says: its size, its shapes, its colours, whatever was painted before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cyberdeck import Batch
from cyberdeck.drawing.raster import rgb

NIGHT = (7, 9, 25)
RED = (255, 84, 112)

SHAPES = Path(__file__).with_name("shapes.txt").read_text("utf-8").splitlines()[1:]


def document(content: str, width: int = 40, height: int = 40) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}"><rect width="{width}" height="{height}" fill="#070919"/>'
        f'<g fill="#ff5470" stroke="#ff5470" stroke-width="0">{content}</g></svg>'
    )


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.partition(":")[0])
def test_shapes_are_where_they_should_be(shape: str) -> None:
    _, points, content = shape.split(": ")
    pixels = rgb(document(content))
    inside, outside = (tuple(map(int, point.split())) for point in points.split(", "))
    assert tuple(pixels[inside[::-1]]) == RED
    assert tuple(pixels[outside[::-1]]) == NIGHT


def test_opacity_and_gradients_mix_colours() -> None:
    pixels = rgb(
        document(
            '<defs><linearGradient id="fade" x1="0" y1="0" x2="1" y2="0">'
            '<stop offset="0" stop-color="#000000"/><stop offset="1" stop-color="#ffffff"/>'
            '</linearGradient></defs><rect width="40" height="20" fill="url(#fade)"/>'
            '<g opacity="0.5"><rect y="20" width="20" height="20"/></g>'
            '<rect x="20" y="20" width="20" height="20" fill-opacity="0.5"/>'
        )
    ).astype(int)
    across = pixels[10, :, 0]
    assert (np.diff(across) > 0).all()
    assert abs(across - np.linspace(3, 252, 40)).max() <= 3
    half = (np.array(NIGHT) + RED) / 2
    assert abs(pixels[30, 10] - half).max() <= 1
    assert abs(pixels[30, 30] - half).max() <= 1


@pytest.mark.parametrize(("width", "height"), [(40, 40), (720, 861)])
@pytest.mark.parametrize("size", [None, 8, 97])
def test_a_picture_is_as_wide_as_was_asked(width: int, height: int, size: int | None) -> None:
    """To the last row, which is another colour where the picture ends within it."""
    pixels = rgb(document("", width, height), size)
    wide = size or width
    assert pixels.shape == (height * wide // width, wide, 3)
    assert (pixels == NIGHT).all()


def test_a_picture_depends_on_its_size_and_on_nothing_that_was_painted_before() -> None:
    batch = Batch("hackthegrid", 1, seed=3)
    svgs = [batch.svg(0)]
    batch.step(batch.choose("random"))
    svgs += [batch.svg(0), Batch("matrix_overload", 1, seed=3).svg(0)]
    small = rgb(svgs[1], 360).astype(float)
    large = rgb(svgs[1], 720)[: 2 * len(small)].astype(float)
    assert abs(large.reshape(-1, 2, 360, 2, 3).mean((1, 3)) - small).mean() < 2
    forth = [rgb(svg) for svg in svgs]
    back = [rgb(svg) for svg in svgs[::-1]][::-1]
    assert all((one == other).all() for one, other in zip(forth, back, strict=True))
    assert not (forth[0] == forth[1]).all()
    forth[0][:] = 0  # each is the caller's own
    assert rgb(svgs[0]).any()
