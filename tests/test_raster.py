"""Pixels show what the SVG says: its size, its shapes, its colours, whatever was painted before."""

from __future__ import annotations

import numpy as np
import pytest

from cyberdeck import Batch
from cyberdeck.drawing.raster import rgb

NIGHT = (7, 9, 25)
RED = (255, 84, 112)

#: On a square from 0 to 40: what is drawn, a point that it covers, and one that it leaves.
SHAPES = {
    "rect": ('<rect x="8" y="8" width="24" height="24"/>', (9, 9), (6, 20)),
    "round rect": ('<rect x="8" y="8" width="24" height="24" rx="12"/>', (20, 9), (9, 9)),
    "circle": ('<circle cx="20" cy="20" r="12"/>', (20, 10), (10, 10)),
    "arcs": ('<path d="M8 20A12 12 0 0 1 32 20z"/>', (20, 10), (20, 22)),
    "curves": ('<path d="M8 20C8 4 32 4 32 20Q20 20 8 20z"/>', (20, 12), (20, 22)),
    "relative": ('<path d="M8 8h24v24h-24zm6 6v12h12v-12z"/>', (10, 20), (20, 20)),
    "even-odd": (
        '<path fill-rule="evenodd" d="M8 8H32V32H8zM14 14H26V26H14z"/>',
        (10, 20),
        (20, 20),
    ),
    "stroke": ('<path d="M8 20H32" stroke-width="6"/>', (20, 18), (20, 25)),
    "round ends": (
        '<path d="M14 20H26" stroke-width="12" stroke-linecap="round"/>',
        (10, 20),
        (9, 14),
    ),
    "dashes": ('<path d="M0 20H40" stroke-width="6" stroke-dasharray="10 10"/>', (5, 20), (15, 20)),
    "moved": (
        '<g transform="translate(20 20)rotate(45)scale(2)"><path d="M-5-5H5V5H-5z"/></g>',
        (20, 8),
        (9, 9),
    ),
}


def document(content: str, width: int = 40, height: int = 40) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}"><rect width="{width}" height="{height}" fill="#070919"/>'
        f'<g fill="#ff5470" stroke="#ff5470" stroke-width="0">{content}</g></svg>'
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_are_where_they_should_be(shape: str) -> None:
    content, inside, outside = SHAPES[shape]
    pixels = rgb(document(content))
    assert tuple(pixels[inside[1], inside[0]]) == RED
    assert tuple(pixels[outside[1], outside[0]]) == NIGHT


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
