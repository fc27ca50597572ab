"""What the tests of all interfaces run with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cyberdeck.drawing import raster


@pytest.fixture(scope="module", autouse=True)
def _small_pictures() -> Iterator[None]:
    """Pixels of a tenth of a second each are painted small: interfaces hand them on as they are.

    The tests of drawings have them in their own size.
    """
    png = raster.png
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(raster, "png", lambda svg, size=None: png(svg, size or 120))
        yield
