"""Texts and tables of the package that stand in files of their own, beside the code that uses them.

No NumPy is needed.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any


def text_of(package: str, name: str) -> str:
    """A text file that lies in a package."""
    return files(package).joinpath(name).read_text("utf-8")


def table_of(package: str, name: str) -> dict[str, Any]:
    """A table in TOML that lies in a package."""
    return tomllib.loads(text_of(package, name))
