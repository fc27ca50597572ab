"""The plain view of any game, made from what a seat observes: for games that have none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cyberdeck.views.record import Record
from cyberdeck.views.view import Drawn, Look, Page, View


class Description(NamedTuple):
    """What the plain view knows of a game with its options."""

    title: str
    seats: Sequence[str]
    features: Sequence[tuple[str, tuple[int, ...], int, int]]
    """(name, shape, lowest, highest) of each feature of the observation, in order."""
    actions: Sequence[tuple[int, str]]
    """(how many, meaning) of each group of actions."""
    reasons: Sequence[str]
    simultaneous: bool = False


def view(description: Description) -> View:
    raise NotImplementedError


def draw(record: Record, page: Page, look: Look) -> Drawn:
    raise NotImplementedError
