"""Many pictures as one animated GIF."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from cyberdeck.drawing.raster import png

if TYPE_CHECKING:
    from PIL import Image

LAST = 4  # how many times as long the last picture stays

#: Told how many pictures are done, and of how many.
Progress = Callable[[int, int], None]


def gif(
    svgs: Sequence[str], width: int, seconds: float, progress: Progress | None = None
) -> bytes:
    """The pictures one after the other, *width* pixels wide, each with a palette of its own.

    The first and the last one are the frames 0 and ``len(svgs) - 1`` of the GIF: none is left out.
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
        duration=[shown] * (len(svgs) - 1) + [LAST * shown],
        loop=0,
    )
    return written.getvalue()


def _painted(svgs: Sequence[str], width: int, progress: Progress | None) -> Iterator[Image.Image]:
    from PIL import Image

    for done, svg in enumerate(svgs, start=1):
        with Image.open(io.BytesIO(png(svg, width))) as image:
            # Without dither: it would make the night grainy, and the file several times as large.
            yield image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        if progress is not None:
            progress(done, len(svgs))
