"""What can go wrong at the caller's end: each says what was wrong, expected, and what to do."""

from __future__ import annotations


def install(extra: str) -> str:
    """What to run for an *extra*: on a package index, the name may come to be somebody else's.

    >>> install("sb3")
    "in a checkout of cyberdeck, pip install '.[sb3]'"
    """
    return f"in a checkout of cyberdeck, pip install '.[{extra}]'"


class CyberdeckError(ValueError):
    """Any mistake in what a caller handed to cyberdeck."""


class OptionError(CyberdeckError):
    """An option, a prescribed beginning, a name or a part of a game that is not possible."""


def require(possible: object, name: str, value: object, needed: str) -> None:
    """``OptionError`` unless it is *possible* that something is *value*: it says what is needed."""
    if not possible:
        raise OptionError(f"{name}={value!r} is not possible: {needed}")


class ConsentError(OptionError):
    """Something that does more than decide, named by others: the user has not agreed to it."""


class UnknownOptionError(OptionError, TypeError):
    """A keyword argument that nothing takes: also what Python itself raises for that."""


class ActionError(CyberdeckError):
    """An action of the wrong type, out of range, or illegal now. Nothing was applied."""


class StateError(CyberdeckError):
    """Saved bytes that are damaged, from another game or version, or no possible position."""


class EpisodeError(CyberdeckError):
    """A step before the first reset or after the end of the game."""


class PolicyError(CyberdeckError):
    """A file of a saved policy that is damaged, of another kind or version, or does not fit."""


class ReplayError(CyberdeckError):
    """A replay that is damaged, of another version, or not the game that the rules play."""


class ResultError(CyberdeckError):
    """A file of results that is damaged or of another version, or results that cannot be merged."""


class KernelError(CyberdeckError):
    """A kernel that cannot be compiled: it does what compiled code cannot."""
