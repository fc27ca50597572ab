"""From SVG to pixels, with resvg: no system library and no fonts are needed."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray


def png(svg: str, size: int | None = None) -> bytes:
    """The picture as a PNG file, *size* pixels wide (its own width if not given)."""
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True, width=size))


def rgb(svg: str, size: int | None = None) -> NDArray[np.uint8]:
    """The picture as an array of shape (height, width, 3), *size* pixels wide."""
    from PIL import Image

    with Image.open(io.BytesIO(png(svg, size))) as image:
        return np.array(image.convert("RGB"), np.uint8)
