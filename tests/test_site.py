"""The site's links are checked."""

from __future__ import annotations

from pathlib import Path

from tools.site.links import broken


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
