"""How Sphinx makes the site of these pages: `make site`.

Its sources are in the whole checkout, so that links between pages, rules, scripts and code are the
same in the site as in the repository.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import cyberdeck

ABOUT = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text())["project"]

project = "cyberdeck"
author = "The cyberdeck engineers"
copyright = f"2026, {author}"
version = release = cyberdeck.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "tools.site.extension",
]
root_doc = "docs/index"
include_patterns = [
    "docs/**.md",
    "envs/cyberdeck/games/*/RULES.md",
    "examples/README.md",
    "docs/notebooks/*.ipynb",
    "benchmarks/README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
]
# Folders that hold no page: so that nobody walks through them.
exclude_patterns = [".*", "build", "dist", "runs", "site", "tests", "tools", "training"]

# Anchors as GitHub makes them.
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_block"]
suppress_warnings = ["config.cache"]
smartquotes = False  # commands and options stand in the text

nb_execution_mode = "force"
nb_execution_timeout = 600  # seconds a cell: a machine may be busy
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
nitpick_ignore_regex = [("py:.*", ".*")]

html_theme = "furo"
html_title = f"cyberdeck {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_logo = html_favicon = "_static/mark.svg"
html_search_scorer = str(Path(__file__).with_name("_static") / "scorer.js")
if repository := ABOUT.get("urls", {}).get("Repository"):
    html_theme_options = {
        "footer_icons": [
            {"name": "Repository", "url": repository, "html": "Repository", "class": ""}
        ]
    }
html_extra_path = ["_root"]
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
