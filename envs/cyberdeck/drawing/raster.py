"""From SVG to pixels, with LunaSVG: no system library and no fonts are needed.

It paints the games' pictures about five times as fast as resvg, and they look the same.
"""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL import Image


def image(svg: str, size: int | None = None) -> Image.Image:
    """The picture, *size* pixels wide (its own width if not given)."""
    from pillow_lunasvg import SvgImageFile

    with SvgImageFile(io.BytesIO(svg.encode())) as picture:
        if size is None:
            return picture.convert("RGB")
        width, height = picture.size
        # LunaSVG rounds lengths up: a width must not become a pixel more by a rounding error here,
        # and a last row that the picture covers only in part is left out.
        picture.load(math.nextafter(size / width, 0))
        return picture.convert("RGB").crop((0, 0, size, max(1, size * height // width)))


def rgb(svg: str, size: int | None = None) -> NDArray[np.uint8]:
    """The picture as an array of shape (height, width, 3), *size* pixels wide."""
    return np.array(image(svg, size))
