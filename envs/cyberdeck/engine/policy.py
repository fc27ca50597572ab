"""The policy protocol: what decides, in many games at once, in evaluation and as ``opponent=``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.consent import Effect
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.history import History
from cyberdeck.engine.loops import HEURISTIC, OUTSIDE, RANDOM
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import ActionError, PolicyError

#: Whoever waits for a decision: is told how much of the thinking is done, and says whether it is to
#: go on.
Watch: TypeAlias = Callable[[float], bool]


@dataclass(frozen=True)
class PolicyInput:
    """Some games of one kind, as those who have to decide in them see them.

    observations (N, ...), masks (N, A)
    seats (N,)    who decides
    random_bits (N,)   64 for each decision: all the randomness a policy may use, so that
                  a match takes the same course whatever else is decided beside it
    states (N,)   for a policy that ``needs_states``: a position that looks to the seat just like
                  the true one. All that the seat cannot know is redrawn, future dice included,
                  from *random_bits* alone. Otherwise empty.
    memory (N, m) for a policy with a ``memory``: what it wrote here at this seat's last decision
                  in this game, or zeros if there was none. What it writes is kept.
    history (N,)  for a policy that ``needs_history``: what each seat may know of its game so far,
                  see ``History``. Otherwise empty.
    places (N,)   for one that plays in several places of a pool: in which of them. Otherwise empty.
    notes (N,)    None for each game: what a policy leaves there (a value of JSON) a match that
                  keeps its actions keeps beside them
    threads       how many it may use
    watch         for one game that somebody waits for: one that thinks for long tells it from time
                  to time how much of that is done (0 to 1), and decides at once with what it has
                  found out by then if the answer is False
    """

    variant: Variant
    observations: NDArray[Any]
    masks: NDArray[np.int8]
    seats: NDArray[np.int8]
    random_bits: NDArray[np.uint64]
    states: NDArray[Any]
    memory: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    history: Sequence[History] = ()
    places: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    notes: list[Any] = field(default_factory=list)
    threads: int = 1
    watch: Watch | None = None

    def __len__(self) -> int:
        return len(self.masks)

    def rows(self, which: NDArray[np.int64]) -> PolicyInput:
        """Some of the games, also several times; nothing is noted of them yet."""
        parts: dict[str, Any] = {
            name: array[which] if len(array) else array
            for name, array in vars(self).items()
            if isinstance(array, np.ndarray)
        }
        history = [self.history[at] for at in which] if len(self.history) else ()
        return replace(self, **parts, history=history, notes=[None] * len(which))


class Policy:
    """Decides in many games at once.

    A subclass gives ``decide``. One that searches also sets ``needs_states``, and is given
    positions that it may play on in: redrawn ones, never the true one. One that remembers sets
    ``memory``, how many numbers it keeps for each seat of each game, and finds them in
    ``seen.memory``. One that decides by what was done before sets ``needs_history``. One that
    sets ``may_give_up`` may answer ``RESIGNS`` or ``VOID`` instead of an action. One whose
    ``chances`` are the same whatever the random bits sets ``tells_chances``: it is asked once,
    where others are asked many times. One that opens connections, reads the environment, writes
    files or runs code says so in ``effects``.

    >>> class Lowest(Policy):
    ...     name = "lowest"
    ...
    ...     def decide(self, seen):
    ...         return seen.masks.argmax(axis=1)
    >>> from cyberdeck import Batch
    >>> batch = Batch("hackthegrid", 4, seed=0, seat=0, opponent=Lowest())

    >>> class Attentive(Lowest):
    ...     needs_history = True
    ...
    ...     def decide(self, seen):
    ...         print(seen.history[0].moves)
    ...         return super().decide(seen)
    >>> batch = Batch("hackthegrid", 1, seed=0, seat=0, opponent=Attentive())
    []
    >>> batch.step([1])
    [(1, 0), (0, 1)]
    """

    #: How tables of results call it.
    name: str = "policy"
    needs_states: bool = False
    memory: int = 0
    needs_history: bool = False
    may_give_up: bool = False
    tells_chances: bool = False
    #: Whether it is asked about a game in disguise as that is shown: with other names and numbers.
    #: All others are asked about the game itself.
    plays_disguised: bool = False
    #: What was wrong when it last answered ``VOID``.
    failure: str = ""
    #: How many games a match plays side by side with it, if that matters to it.
    games_at_once: int | None = None
    #: What it does besides deciding: a file or page that names it needs the user's yes for that.
    effects: tuple[Effect, ...] = ()
    #: OUTSIDE, or that of one who decides in the compiled loops (``BuiltIn``).
    code: int = OUTSIDE

    def decide(self, seen: PolicyInput) -> NDArray[Any]:
        """A legal action for each game."""
        raise NotImplementedError

    def chances(self, seen: PolicyInput) -> NDArray[np.float64]:
        """(N, A): how likely it takes each action. As far as is known: with the random
        bits that it is given, it takes one.
        """
        return certain(self.decide(seen), seen.masks.shape[1])

    def took(self, seen: PolicyInput, actions: NDArray[np.int64]) -> None:
        """Note in ``seen.memory`` that it took these actions, of which it has told the ``chances``:
        for one that remembers what it did. What it saw it has noted when it was asked.
        """

    def counts(self) -> dict[str, float]:
        """What it has counted of its own work so far, by name: tables of results say it."""
        return {}

    def check(self, variant: Variant) -> None:
        """Raise ``OptionError`` if this policy cannot play that game with these options."""

    def seated(self, variant: Variant) -> Policy:
        """The policy as it plays that game, or ``OptionError``."""
        self.check(variant)
        return self

    def __repr__(self) -> str:
        return f"<policy {self.name}>"


class Expert(Policy):
    """A policy that can tell more about a position than the action that it takes there."""

    def targets(self, seen: PolicyInput) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What one who learns from it should learn of each position.

        (N, A): how probable each action should be; (N,): what the one who decides will still get,
        NaN where the policy does not know.
        """
        raise NotImplementedError


class BuiltIn(Policy):
    """A player that the compiled loops know by its code: it is never asked from outside."""

    def __init__(self, name: str, code: int) -> None:
        self.name, self.code = name, code


#: All of them, by name.
BUILT_IN: Final = {
    player.name: player for player in (BuiltIn("random", RANDOM), BuiltIn("heuristic", HEURISTIC))
}


def certain(actions: NDArray[Any], count: int) -> NDArray[np.float64]:
    """(N, *count*): the probabilities of one who takes these actions.

    >>> certain(np.array([2, 0]), 3).tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    if np.less(actions, 0).any():  # it may give up, and what it would do is not known
        raise PolicyError("a policy gave a game up where it was asked for nothing but an action")
    chances = np.zeros((len(actions), count))
    chances[np.arange(len(actions)), actions] = 1.0
    return chances


def drawn(weights: NDArray[np.float64], random_bits: NDArray[np.uint64]) -> NDArray[np.int64]:
    """One action for each row, drawn by *weights* (not negative) with 64 random bits each."""
    sums = weights.cumsum(axis=1)
    wanted = (random_bits >> np.uint64(11)) * 2.0**-53 * sums[:, -1]
    first: NDArray[np.int64] = (sums > wanted[:, None]).argmax(axis=1)
    return first


def memory_for(size: int, history: int) -> int:
    """How much memory it takes to see *history* observations, *size* numbers in all."""
    if not is_whole(history) or history < 1:
        raise PolicyError(f"history={history!r} is not possible: a whole number from 1 on")
    return (int(history) - 1) * (size // int(history))


def last_observations(seen: PolicyInput, history: int) -> NDArray[Any]:
    """(N, history x size): each seat's last observations, the present one last, and noted.

    They are those of its own decisions; before its first there are zeros. For policies whose
    ``memory`` is as ``memory_for`` says.
    """
    now = seen.observations.reshape(len(seen), -1)
    if history == 1:
        return now
    stack = np.hstack([seen.memory, now])
    seen.memory[:] = stack[:, now.shape[1] :]
    return stack


class Function(Policy):
    """A plain function ``(observations, action_masks) -> actions`` as a policy."""

    def __init__(self, function: Callable[..., Any], name: str | None = None) -> None:
        self.function = function
        self.name = str(name or getattr(function, "__name__", type(function).__name__))

    def decide(self, seen: PolicyInput) -> Any:
        return self.function(seen.observations, seen.masks)

    def __repr__(self) -> str:
        return repr(self.function)


def checked_answer(policy: Policy, answer: Any, count: int) -> NDArray[np.int64]:
    """What a policy has returned as an array of *count* actions, or ``ActionError``."""
    try:
        actions = np.asarray(answer)
        if actions.shape == (count,) and actions.dtype.kind in "iu":
            # Fresh: another layout would have the loops compiled anew.
            return np.array(actions, np.int64)
        returned = f"shape {actions.shape} of {actions.dtype}"
    except ValueError:  # rows of different lengths
        returned = f"no array: {answer!r}"
    raise ActionError(
        f"{policy!r} must return {count} whole numbers, one for each observation; it returned "
        + returned
    )
