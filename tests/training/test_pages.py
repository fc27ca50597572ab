"""The pages of runs in a browser: nothing is cut off, in either theme, and the games play."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from cyberdeck_training import report
from cyberdeck_training.report import Comparison
from tests.training.runs import trained

pytestmark = pytest.mark.usefixtures("drawn")


@pytest.fixture
def pages(tmp_path: Path) -> list[Path]:
    """A report and a comparison."""
    folder = trained(tmp_path, total_timesteps=256)
    Comparison([folder]).write(tmp_path / "compare.html")
    return [report.write(folder), tmp_path / "compare.html"]


def test_pages_fit_and_their_games_play(browser: Any, pages: list[Path]) -> None:
    for path, width, theme in itertools.product(pages, (390, 1200), ("light", "dark")):
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=theme)
        complaints: list[str] = []
        page.on("console", lambda message, found=complaints: found.append(message.text))
        page.on("pageerror", lambda error, found=complaints: found.append(str(error)))
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == width
        cut = """[...document.querySelectorAll("figure svg")].filter(svg => {
            const frame = svg.getBoundingClientRect();
            return [...svg.querySelectorAll("text, g[id*=text_], path")].some(part => {
                const box = part.getBoundingClientRect();
                return box.width && (box.left < frame.left - 1 || box.right > frame.right + 1
                    || box.top < frame.top - 1 || box.bottom > frame.bottom + 1);
            });
        }).length"""
        assert page.evaluate(cut) == 0, "something is drawn over a picture's edge"
        if path.name == "report.html":
            page.locator("iframe").first.scroll_into_view_if_needed()
            game = page.frame_locator("iframe").first
            assert game.locator("#count").inner_text().startswith("0 / ")
            game.locator("#next").click()
            assert game.locator("#count").inner_text().startswith("1 / ")
            page.wait_for_timeout(300)  # what the game does a moment later
        assert complaints == []
        page.close()
