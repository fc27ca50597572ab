"""Numbers that change while a run goes on, such as a learning rate, or an opponent's share.

In a configuration each is a number, ``{from: 0.001, to: 0.0001}``, or a function of your own,
``module:function``. As in stable-baselines3 it is asked by the share of the run that is left to do:
1 at the beginning, 0 at the end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Generic, TypeAlias, TypeVar

from pydantic import Discriminator, Field, Tag

from cyberdeck.common.brought import in_words
from cyberdeck.errors import OptionError
from cyberdeck_training import values

#: What a number is, by the share of the run that is left.
Schedule: TypeAlias = Callable[[float], float]

#: How much of the way back to the first number is left, by the share of the run that is left.
_SHAPES: Final[Mapping[str, Schedule]] = {
    "linear": lambda left: left,
    "cosine": lambda left: (1 - math.cos(math.pi * left)) / 2,
    "constant": lambda left: 1.0,
}

_Number = TypeVar("_Number")


class Course(values.Group, Generic[_Number]):
    """From one number to another."""

    start: _Number = Field(alias="from")
    to: _Number
    schedule: Annotated[str, values.one_of(_SHAPES)] = "linear"

    def __str__(self) -> str:
        return f"{self.start} to {self.to}"


def _kind(given: Any) -> str:
    if isinstance(given, dict | Course):
        return "<course>"
    return "<function>" if isinstance(given, str) and ":" in given else "<number>"


_Function = Annotated[str, values.existing("schedule"), Tag("<function>")]

#: The tags are parts of no key.
Rate = Annotated[
    Annotated[values.Rate, Tag("<number>")]
    | Annotated[Course[values.Share], Tag("<course>")]
    | _Function,
    Discriminator(_kind),
]
Weight = Annotated[
    Annotated[values.Weight, Tag("<number>")]
    | Annotated[Course[values.Weight], Tag("<course>")]
    | _Function,
    Discriminator(_kind),
]
Count = Annotated[
    Annotated[values.Whole, Field(ge=0), Tag("<number>")]
    | Annotated[Course[values.Weight], Tag("<course>")]
    | _Function,
    Discriminator(_kind),
]

Scheduled: TypeAlias = float | Course[float] | str


def schedule_of(given: Scheduled) -> Schedule:
    """What a configuration's value is while the run goes on."""
    # The last rollout may go beyond the run's timesteps: then less than nothing is left.
    if isinstance(given, str):
        function = values.brought("schedule", given)
        return lambda left: float(function(max(left, 0.0)))
    if isinstance(given, Course):
        first, last, shape = given.start, given.to, _SHAPES[given.schedule]
        return lambda left: last + (first - last) * shape(max(left, 0.0))
    return lambda left: given


def check(key: str, given: Scheduled) -> None:
    """``OptionError`` if a function of one's own gives anything but numbers from 0 on."""
    if not isinstance(given, str):
        return
    try:
        for left in (1.0, 0.5, 0.0):
            if not 0 <= (number := schedule_of(given)(left)) < math.inf:
                raise ValueError(f"it gives {number}, and a number from 0 on is needed")
    except Exception as error:
        raise OptionError(f"{key}: {given} cannot be used: {in_words(error)}") from error
