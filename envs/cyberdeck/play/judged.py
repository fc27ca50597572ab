"""What decisions gave away, as whoever works it out says it."""

from __future__ import annotations

from typing import NamedTuple


class Judged(NamedTuple):
    """A decision that left a choice, and what it gave away: in rewards of the game's outcome."""

    decision: int
    """Its number, from 1."""
    seat: int
    action: int
    move: str
    """The action in notation."""
    best: int
    """The best action; the one that was taken, if none is better."""
    best_move: str
    lost: float
    """How much more the best one brings, on average."""
    noise: float
    """The standard error of that. 0 where it is exact, or a search takes the same action."""
    by: str
    """Who says so: "exact" or "search", with its settings."""

    @property
    def kind(self) -> str:
        """Exact, or by search."""
        return self.by.partition(":")[0]

    @property
    def told(self) -> str:
        """What was given away, and plus or minus what."""
        return with_noise(self.lost, self.noise)


def with_noise(lost: float, noise: float) -> str:
    """A number, and plus or minus what.

    >>> with_noise(0.5, 0.0), with_noise(0.25, 0.031)
    ('0.50', '0.25 ± 0.03')
    """
    return f"{round(lost, 2) + 0.0:.2f}" + (f" ± {noise:.2f}" if noise else "")
