"""What lists the pages: those called index.md.

On GitHub they are lists like any other. On the site, what they list stands beside every page, as a
tree that unfolds.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_ENTRY: Final = re.compile(r"^- \[[^\]]*\]\(([^)#:]+\.md)\)", re.MULTILINE)


def listed(page: Path) -> list[str]:
    """The pages whose links begin an entry of a list, as they are linked to; elsewhere none."""
    return _ENTRY.findall(page.read_text("utf-8")) if page.name == "index.md" else []
