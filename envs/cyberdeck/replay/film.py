"""Many pictures as one animated GIF."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from cyberdeck.drawing import svg as colours
from cyberdeck.drawing.raster import png

if TYPE_CHECKING:
    from PIL import Image

_LAST: Final = 4  # how many times as long the last picture stays
_SAMPLES: Final = 8  # pictures that the palette is chosen for

#: Told how many pictures are done, and of how many.
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

    palette = _palette(svgs[:: -(-len(svgs) // _SAMPLES)])
    for done, svg in enumerate(svgs, start=1):
        # Without dither: it would make the night grainy, and the file several times as large.
        yield _image(svg, width).quantize(palette=palette, dither=Image.Dither.NONE)
        if progress is not None:
            progress(done, len(svgs))


def _palette(svgs: Sequence[str]) -> Image.Image:
    """256 colours: those that all drawings share, and what these pictures have most of."""
    from PIL import Image, ImageColor

    named = [value for name, value in vars(colours).items() if name.isupper() and value[0] == "#"]
    fixed = [part for colour in named for part in ImageColor.getrgb(colour)]
    samples = [_image(svg, 300) for svg in svgs]
    height = max(image.height for image in samples)
    sheet = Image.new("RGB", (300 * len(samples), height))
    for at, image in enumerate(samples):
        sheet.paste(image, (300 * at, 0))
    most = sheet.quantize(256 - len(named)).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette(fixed + most[: 3 * (256 - len(named))])
    return palette


def _image(svg: str, width: int) -> Image.Image:
    from PIL import Image

    with Image.open(io.BytesIO(png(svg, width))) as image:
        return image.convert("RGB")
