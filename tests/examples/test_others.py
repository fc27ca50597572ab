"""The page on libraries without an adapter: what it shows runs where they are installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.test_docs import Block, blocks

PAGE = Path(__file__).parents[2] / "docs" / "use" / "others.md"
SHOWN = [block for block in blocks(PAGE) if block.info == "python no-run"]

pytestmark = [pytest.mark.examples, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.mark.parametrize("block", SHOWN, ids=["tianshou", "agilerl", "pufferlib"])
def test_what_the_page_shows_runs(block: Block) -> None:
    namespace: dict[str, Any] = {"__name__": "__example__"}
    exec(compile(block.text, str(PAGE), "exec"), namespace)
    namespace["envs"].reset()
