"""Libraries that only parts of the suite need, and the extras that bring them."""

from __future__ import annotations

from importlib.util import find_spec

from gymnasium.error import DependencyNotInstalled

from cyberdeck.errors import install


def need(library: str, what: str, extra: str = "evaluate") -> None:
    """Say what to install if *library* is not there."""
    if find_spec(library) is None:
        raise DependencyNotInstalled(
            f"{what} need {library}, which is not installed: {install(extra)}"
        )
