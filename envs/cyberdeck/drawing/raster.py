"""From SVG to pixels, with resvg: no system library and no fonts are needed."""

from __future__ import annotations

import io

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray


def png(svg: str, size: int | None = None) -> bytes:
    """The picture as a PNG file, *size* pixels wide (its own width if not given)."""
    try:
        import resvg_py
    except ImportError as missing:
        raise DependencyNotInstalled(
            "pictures need resvg-py, which is not installed: install cyberdeck[render]"
        ) from missing
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True, width=size))


def rgb(svg: str, size: int | None = None) -> NDArray[np.uint8]:
    """The picture as an array of shape (height, width, 3), *size* pixels wide."""
    try:
        from PIL import Image
    except ImportError as missing:
        raise DependencyNotInstalled(
            "pictures need Pillow, which is not installed: install cyberdeck[render]"
        ) from missing
    with Image.open(io.BytesIO(png(svg, size))) as image:
        return np.array(image.convert("RGB"), np.uint8)
