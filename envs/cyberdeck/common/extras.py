"""Libraries that only parts of the suite need: the extra ``evaluate``."""

from __future__ import annotations

from importlib.util import find_spec

from gymnasium.error import DependencyNotInstalled


def need(library: str, what: str) -> None:
    """Say what to install if *library* is not there."""
    if find_spec(library) is None:
        raise DependencyNotInstalled(
            f"{what} need {library}, which is not installed: install cyberdeck[evaluate]"
        )
