"""Many pictures as one animated GIF."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.drawing.raster import rgb

if TYPE_CHECKING:
    from PIL import Image

_LAST: Final = 4  # how many times as long the last picture stays
_COLOURS: Final = 256  # of a GIF
_EXACT: Final = 160  # of them those that pictures name, and that areas have
_SAMPLES: Final = 12  # pictures that the others are chosen for
_ACROSS: Final = 300  # pixels of them that are looked at, side by side

#: Called with how many pictures are done, and of how many.
Progress = Callable[[int, int], None]


def gif(svgs: Sequence[str], width: int, seconds: float, progress: Progress | None = None) -> bytes:
    """The pictures one after the other, *width* pixels wide.

    One palette for all: nothing flickers, and what stays as it was takes no room.
    """
    pictures = _painted(svgs, width, progress)
    first = next(pictures)
    shown = round(1000 * seconds)
    written = io.BytesIO()
    first.save(
        written,
        "GIF",
        save_all=True,
        append_images=pictures,
        duration=[shown] * (len(svgs) - 1) + [_LAST * shown],
        loop=0,
    )
    return written.getvalue()


def _painted(svgs: Sequence[str], width: int, progress: Progress | None) -> Iterator[Image.Image]:
    from PIL import Image

    samples = {svg: rgb(svg, width) for svg in svgs[:: -(-len(svgs) // _SAMPLES)]}
    palette = _palette(svgs, list(samples.values()))
    nearest = _nearest(palette)
    for done, svg in enumerate(svgs, start=1):
        # Without dither: it would make the night grainy, and the file several times as large.
        image = Image.fromarray(nearest(samples[svg] if svg in samples else rgb(svg, width)))
        image.putpalette(palette.tobytes())
        yield image
        if progress is not None:
            progress(done, len(svgs))


def _nearest(palette: NDArray[np.uint8]) -> Callable[[NDArray[np.uint8]], NDArray[np.uint8]]:
    """For every pixel the colour of the palette that is nearest, remembered once it was found."""
    colours, known = palette.astype(np.float32), np.full(1 << 24, -1, np.int16)

    def nearest(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
        packed = _packed(pixels)
        new = np.unique(packed[known[packed] < 0])
        for some in np.array_split(new, len(new) // 4096 + 1):
            # |a - b|² without |a|², which is the same for all b
            far = (colours**2).sum(1) - 2 * _unpacked(some).astype(np.float32) @ colours.T
            known[some] = far.argmin(1)
        return known[packed].astype(np.uint8)

    return nearest


def _palette(svgs: Sequence[str], samples: Sequence[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """The colours that any picture names, those of large areas, and what is best for the rest."""
    from PIL import Image

    named = Counter(name.lower() for svg in svgs for name in re.findall(r"#[\da-fA-F]{6}\b", svg))
    exact = [int(name[1:], 16) for name, _ in named.most_common(_EXACT // 2)]
    step = max(1, samples[0].shape[1] // _ACROSS)
    looked = [_packed(pixels[::step, ::step]).ravel() for pixels in samples]
    seen, often = np.unique(np.concatenate(looked), return_counts=True)
    areas = seen[np.argsort(-often, kind="stable")].tolist()
    exact = list(dict.fromkeys(exact + areas))[:_EXACT]
    rest = ~np.isin(seen, exact)
    # A colour counts by the root of its area: otherwise the darkness would get all the shades.
    pixels = _unpacked(np.repeat(seen[rest], np.sqrt(often[rest]).astype(int)))
    left = _COLOURS - len(exact)
    if not len(pixels):
        return _unpacked(np.array(exact))
    others = Image.fromarray(pixels[None]).quantize(left).getpalette() or []
    more = np.array(others, np.uint8).reshape(-1, 3)[:left]
    return np.concatenate([_unpacked(np.array(exact)), more])


def _packed(pixels: NDArray[np.uint8]) -> NDArray[np.int32]:
    red, green, blue = np.moveaxis(pixels.astype(np.int32), -1, 0)
    packed: NDArray[np.int32] = red << 16 | green << 8 | blue
    return packed


def _unpacked(colours: NDArray[np.integer]) -> NDArray[np.uint8]:
    return np.stack([colours >> 16, colours >> 8 & 255, colours & 255], -1).astype(np.uint8)
