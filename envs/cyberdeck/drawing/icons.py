"""Signs that stand as SVG in a package's ``icons.svg``, where any editor shows and changes them.

Each is a group with an id, on lines of its own, drawn about (0, 0) in the dark theme's colours;
``currentColor`` stands for the colour that it is drawn in.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from cyberdeck.common.tables import text_of

_GROUP: Final = re.compile(r'^  <g id="(\w+)">\n(.*?)^  </g>\n', re.MULTILINE | re.DOTALL)


def icons_of(package: str) -> Callable[[str, str], str]:
    """(id, colour): a sign of the package in a colour."""
    groups = _GROUP.findall(text_of(package, "icons.svg"))
    icons = {name: "".join(map(str.strip, group.splitlines())) for name, group in groups}

    def icon(name: str, colour: str) -> str:
        return icons[name].replace("currentColor", colour)

    return icon
