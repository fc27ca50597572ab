"""What the pages use that Sphinx does not have.

- Scripts of examples/ are notebooks too, which are run: in docs/notebooks, which git ignores.
- What a page named index.md lists are the pages below it, without a toctree that GitHub would show.
- In place of ``<!-- play -->`` stands a link to the page that plays without Python.
- After ``<!-- replay: hackthegrid -->`` a game that was played stands in place of the next
  paragraph, to step through.
- A picture of docs/images has a light twin, where build/pictures has one.
- Pages of rules print on one sheet.
- Pages talk to the code that they run through files: a free port is looked for first and taken
  later, and two pages side by side may find the same one.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any

import jupyter_client
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from tools import pictures
from tools.site import contents, replays, scripts
from traitlets import default

LIGHT = Path("build/pictures")
SHEETS = "docs/play/rules/"
REPLAY = re.compile(r"<!-- replay: (\w+) -->")
PLAY = "<!-- play -->"


class Replays(SphinxTransform):
    """Shows a game on a page of its own, in a frame, where GitHub shows the paragraph after it."""

    default_priority = 90  # before what is in the paragraph is looked at

    def apply(self, **kwargs: Any) -> None:
        for comment in list(self.document.findall(nodes.raw)):
            if found := REPLAY.fullmatch(comment.astext().strip()):
                del comment.parent[comment.parent.index(comment) + 1]
                comment.replace_self(self._frame(found[1]))
            elif comment.astext().strip() == PLAY:
                link = f'<a href="{self._root}play/index.html">Play now, in this browser</a>'
                comment.replace_self(nodes.raw("", f"<p>{link}</p>", format="html"))

    @property
    def _root(self) -> str:
        """The way from this page to the site's first."""
        return "../" * self.env.docname.count("/")

    def _frame(self, game: str) -> nodes.Node:
        told = replays.GAMES[game]
        page = f"{self._root}replays/{game}.html"
        return nodes.raw(
            "",
            f'<iframe class="replay" src="{page}" title="{told.title}" loading="lazy"></iframe>'
            f'<p class="replay">{told.title}. Arrow keys step through it; '
            f'<a href="{page}">open it as a page of its own</a>. '
            f'Or <a href="{self._root}play/index.html">play yourself</a>, here and now.</p>',
            format="html",
        )


class ThroughFiles(jupyter_client.AsyncKernelManager):
    """Talks to the process that runs a page's code."""

    @default("transport")
    def _files(self) -> str:
        return "ipc"

    @default("ip")
    def _where(self) -> str:
        return str(Path(tempfile.mkdtemp(prefix="page-")) / "socket")


class LightTwins(SphinxTransform):
    """Shows a picture's light twin where the page is light."""

    default_priority = 100

    def apply(self, **kwargs: Any) -> None:
        for image in list(self.document.findall(nodes.image)):
            twin = LIGHT / Path(image["uri"]).name
            drawn = normpath(join(dirname(self.env.docname), image["uri"]))
            if drawn.startswith("docs/images/") and twin.exists():
                light = image.deepcopy()
                light["uri"] = f"/{twin.as_posix()}"
                light["classes"] = [*light["classes"], "only-light"]
                image["classes"] = [*image["classes"], "only-dark"]
                image.parent.insert(image.parent.index(image) + 1, light)


def _prepare(app: Sphinx) -> None:
    scripts.write(Path(app.srcdir) / "examples", Path(app.srcdir) / "docs" / "notebooks")
    replays.write(Path(app.outdir) / "replays")
    pictures.draw(Path(app.srcdir) / LIGHT, theme="light")


def _list_pages(app: Sphinx, page: str, source: list[str]) -> None:
    listed = contents.listed(Path(app.srcdir, f"{page}.md"))
    if page == "examples/README":
        listed = [f"../docs/notebooks/{name}" for name in scripts.RUN]
    if listed:
        below = "\n".join(each.removesuffix(".md") for each in listed)
        source[0] += f"\n```{{toctree}}\n:hidden:\n\n{below}\n```\n"


def _print_on_one_sheet(
    app: Sphinx, page: str, template: str, context: dict[str, Any], document: nodes.document | None
) -> None:
    if page.startswith(SHEETS):
        app.add_css_file("sheet.css")


def setup(app: Sphinx) -> dict[str, bool]:
    """Sphinx calls this."""
    jupyter_client.AsyncKernelManager = ThroughFiles
    app.add_transform(Replays)
    app.add_transform(LightTwins)
    app.connect("builder-inited", _prepare)
    app.connect("source-read", _list_pages)
    app.connect("html-page-context", _print_on_one_sheet)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
