"""Pages about runs: one HTML file each, which needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from cyberdeck_training.pictures import Panel, draw, printable

#: Inches of a picture, by how many are side by side where there is room.
_SIZES: Final = {2: (4.9, 2.7), 3: (3.4, 2.3)}


def render(name: str, **values: Any) -> str:
    """A template of this package, filled in."""
    return _environment().get_template(name).render(**values)


@cache
def _environment() -> Environment:
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if isinstance(value, Markup) else printable(str(value)),
        loader=FunctionLoader(_source),
    )
    return environment


def _source(name: str) -> str:
    return files("cyberdeck_training").joinpath(name).read_text("utf-8")


def plots(name: str, panels: Sequence[Panel], columns: int) -> Markup:
    """Figures of a page, so many side by side where there is room, or else below each other."""
    figures = [
        Markup('<figure role="img" aria-label="{}">{}</figure>').format(
            printable(f"{panel.title}, over the decisions trained for"),
            Markup(draw(f"{name}{at}", panel, _SIZES[columns])),  # matplotlib has escaped its words
        )
        for at, panel in enumerate(panels)
    ]
    return Markup('<div class="plots{}">{}</div>').format(columns, Markup("").join(figures))
