"""From SVG to pixels, with LunaSVG: no system library and no fonts are needed."""

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
        # Lengths are rounded up: no rounding here may make that one pixel more.
        picture.load(1.0 if size is None else math.nextafter(size / picture.width, 0))
        return picture.convert("RGB")


def rgb(svg: str, size: int | None = None) -> NDArray[np.uint8]:
    """The picture as an array of shape (height, width, 3), *size* pixels wide."""
    return np.array(image(svg, size))
