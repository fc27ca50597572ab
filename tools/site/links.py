"""Check a built site offline: every link of its pages leads to a file, and every anchor exists."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """A page's links, and the names that others may link to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note where it leads, and what it is called."""
        for key, value in attrs:
            if value and key in ("href", "src"):
                self.links.append(value)
            elif value and key in ("id", "name"):
                self.names.add(value)


def broken(site: Path) -> list[str]:
    """Links that lead nowhere, each with its page."""
    pages = {path.resolve(): Page(path) for path in site.rglob("*.html")}
    found = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            missing = not target.exists()
            anchor = unquote(parts.fragment)
            # A replay reads its anchor itself.
            if anchor and target in pages and target.parent.name != "replays":
                missing = missing or anchor not in pages[target].names
            if missing:
                found.append(f"{path.relative_to(site.resolve())}: {link}")
    return found


if __name__ == "__main__":
    lost = broken(Path(sys.argv[1]))
    print("\n".join(lost) or "every link of the site leads somewhere")
    sys.exit(bool(lost))
