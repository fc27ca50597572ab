"""The site's links are checked, and what it replaces in pages is there."""

from __future__ import annotations

import re
from pathlib import Path

from tools.site import replays
from tools.site.links import broken

DOCS = Path(__file__).parents[1] / "docs"


def test_broken_links_and_anchors_are_found(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "index.html").write_text('<h2 id="there">There</h2>')
    (tmp_path / "picture.png").touch()
    (tmp_path / "index.html").write_text(
        '<a href="sub/#there"></a><a href="#here"></a><img src="picture.png"><p id="here">'
        '<a href="https://example.org/nowhere"></a>'
    )
    assert broken(tmp_path) == []
    (tmp_path / "sub" / "other.html").write_text(
        '<a href="../index.html#gone"></a><iframe src="lost.html"></iframe><a href="#no"></a>'
    )
    assert broken(tmp_path) == [
        "sub/other.html: ../index.html#gone",
        "sub/other.html: lost.html",
        "sub/other.html: #no",
    ]


def test_where_the_site_shows_a_game_other_readers_find_words() -> None:
    found = []
    for page in DOCS.rglob("*.md"):
        marks = re.findall(r"^<!-- replay: (.*) -->\n\n(.*)", page.read_text("utf-8"), re.MULTILINE)
        assert all(beside and beside[0] not in "#<`" for _, beside in marks), page
        found += [game for game, _ in marks]
    assert set(found) == set(replays.GAMES)
