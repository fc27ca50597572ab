"""What the tests of all interfaces run with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cyberdeck.drawing import raster


@pytest.fixture(scope="module", autouse=True)
def _small_pictures() -> Iterator[None]:
    """Pictures are painted small, which is faster: interfaces hand the pixels on as they are.

    The tests of drawings have them in their own size.
    """
    image = raster.image
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(raster, "image", lambda svg, size=None: image(svg, size or 120))
        yield
