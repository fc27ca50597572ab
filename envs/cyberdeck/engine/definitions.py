"""What is wrong in the definition of a game, said when it is made."""

from __future__ import annotations

import functools
import inspect
import keyword
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeVar

import numpy as np

from cyberdeck.common.text import nearest
from cyberdeck.common.whole import is_whole, listed
from cyberdeck.errors import OptionError, UnknownOptionError, require

_T = TypeVar("_T")

#: What is given to a game's kernels.
GIVEN: Final = {
    "shuffle": "state",
    "start": "state",
    "legal": "state, mask",
    "act": "state, action",
    "observe": "state, seat, out",
    "report": "state, seat, out",
    "resample": "state, seat",
    "heuristic": "state, mask, random_bits",
    "check_state": "state",
    "seat_count": "state",
    "side": "state, seat",
    "secret": "state, seat",
    "acts_simultaneously": "state, seat",
    "withdraw_secret_actions": "state, seat",
    "retrace": "state, after",
    "next_phase": "state",
}

#: Seats are int8 in a record, and so are reasons.
_MOST: Final = 125


def is_real(value: Any) -> bool:
    """Whether *value* is a number, whole or not: not a truth value, not an array."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def said(value: Any, options: Any) -> Any:
    """What a game says of its seats, actions or features, with these options."""
    if not callable(value):
        return value
    found = value(options)
    return list(found) if isinstance(found, Iterator) else found


def _parts(value: Any) -> list[Any] | None:
    """*value* as a list, or None if it has no order, or can be gone through only once."""
    return None if isinstance(value, (set, frozenset, Iterator)) else listed(value)


# --- single parts --------------------------------------------------------------------------------


def check_text(what: str, value: Any) -> None:
    """``OptionError`` unless it is a text with something in it."""
    require(isinstance(value, str) and value.strip(), what, value, "give a text")


def check_name(what: str, value: Any) -> None:
    """``OptionError`` unless it can stand after a point, as in ``state.left``."""
    check_text(what, value)
    possible = value.isidentifier() and not value.startswith("_") and not keyword.iskeyword(value)
    require(possible, what, value, "give letters, digits and _, first a letter, such as cards_left")


def check_bounds(what: str, low: Any, high: Any, instead: str = "") -> None:
    """``OptionError`` unless these are whole numbers in order; *instead*: what else is possible."""
    for number in (low, high):
        if not is_whole(number):
            raise OptionError(
                f"{what} has the bounds {low!r} to {high!r}: give whole numbers (a share may be "
                f"held as hundredths, from 0 to 100){instead}"
            )
    _check_order(what, low, high)


def _check_order(what: str, low: float, high: float) -> None:
    if low > high:
        raise OptionError(f"{what} has the bounds {low} to {high}: give the lower one first")


def check_dtype(what: str, dtype: Any, known: Sequence[str], low: Any, high: Any) -> None:
    """``OptionError`` unless *dtype* is one of those *known*, and holds numbers of these bounds."""
    if not isinstance(dtype, str) or dtype not in known:
        near = nearest(dtype, known) if isinstance(dtype, str) else ""
        listed = ", ".join(map(repr, known))
        raise OptionError(f"{what}: dtype={dtype!r} is not possible: choose {listed}{near}")
    if dtype != "float32":
        check_bounds(what, low, high, ", or dtype='float32'")
    elif not all(is_real(number) and abs(number) < math.inf for number in (low, high)):
        raise OptionError(f"{what} has the bounds {low!r} to {high!r}: give finite numbers")
    _check_order(what, low, high)
    least, most = _ends(dtype)
    if low < least or most < high:
        holding = [each for each in known if _ends(each)[0] <= low and high <= _ends(each)[1]]
        wider = f" (dtype={holding[0]!r} holds that)" if holding else ""
        raise OptionError(
            f"{what} has the bounds {low} to {high}: {dtype} holds {least} to {most}{wider}"
        )


@functools.cache
def _ends(dtype: str) -> tuple[float, float]:
    """The lowest and the highest number of a type."""
    if dtype == "float32":
        return float(np.finfo(dtype).min), float(np.finfo(dtype).max)
    return np.iinfo(dtype).min, np.iinfo(dtype).max


def check_shape(what: str, shape: Any, least: int) -> None:
    """``OptionError`` unless it is a tuple of whole numbers, none below *least*."""
    if is_whole(shape):
        raise OptionError(f"{what} has the shape {shape}: give a tuple, ({shape},)")
    if not isinstance(shape, tuple) or not all(is_whole(n) and n >= least for n in shape):
        raise OptionError(
            f"{what} has the shape {shape!r}: give a tuple of whole numbers from {least} on, such "
            "as (3, 3)"
        )


def check_labels(what: str, labels: Any, shape: tuple[int, ...]) -> tuple[tuple[str, ...], ...]:
    """The labels of the last axes of that shape, in their order; or ``OptionError``."""
    found = _parts(labels)
    axes = [labels] if found is None or not any(_parts(each) for each in found) else found
    checked = tuple(tuple(check_texts(what, each)) for each in axes)
    if len(checked) > len(shape) or [len(each) for each in checked] != [*shape[-len(checked) :]]:
        raise OptionError(
            f"{what} are {' x '.join(str(len(each)) for each in checked)}: give a list of "
            f"{shape[-1] if shape else 'no'} texts, or a list for each axis of the shape {shape}"
        )
    return checked


# --- of a game -----------------------------------------------------------------------------------


def checks_arguments(made: type[_T]) -> type[_T]:
    """Have *made*, which takes keywords only, say which are wrong and which are missing."""
    init = made.__init__
    known = dict(list(inspect.signature(init).parameters.items())[1:])
    needed = [name for name, each in known.items() if each.default is each.empty]

    @functools.wraps(init)
    def checking(self: Any, *args: Any, **given: Any) -> None:
        for name in given.keys() - known.keys():
            raise UnknownOptionError(
                f"{made.__name__}() got an unexpected keyword argument {name!r}"
                f"{nearest(name, known)}; there are: {', '.join(known)}"
            )
        if missing := [name for name in needed if name not in given]:
            raise OptionError(f"{made.__name__}() needs {', '.join(missing)} as well")
        init(self, *args, **given)

    made.__init__ = checking  # type: ignore[method-assign]
    return made


def _check_list(what: str, value: Any, wanted: str) -> list[Any]:
    parts = _parts(value)
    require(parts is not None, what, value, wanted)
    return parts or []


def check_things(what: str, value: Any, kind: type[Any]) -> list[Any]:
    """*value* as a list of what is of this *kind*, each with a name of its own."""
    wanted = f"give a list of {kind.__name__}(...)"
    things = _check_list(what, value, wanted)
    for each in things:
        if not isinstance(each, kind):
            raise OptionError(f"{what}: {each!r} is no {kind.__name__}: {wanted}")
    check_different(what, [each.name for each in things])
    return things


def check_texts(what: str, value: Any) -> list[str]:
    """*value* as a list of different texts."""
    texts = _check_list(what, value, "give a list of texts")
    for at, each in enumerate(texts):
        check_text(f"{what}[{at}]", each)
    check_different(what, texts)
    return texts


def check_different(what: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise OptionError(f"{what}: there are two called {name!r}: choose other names")


def check_seats(game: str, value: Any, most: int = 0) -> tuple[str, ...]:
    """The names of a game's seats; *most*: how many the record has room for."""
    seats = check_texts(f"{game}: seats", value)
    if not seats:
        raise OptionError(f"{game}: there are no seats: name those who play, also if it is one")
    if len(seats) > (most or _MOST):
        raise OptionError(
            f"{game}: there are {len(seats)} seats, and at most {most or _MOST} are possible"
            + ("; most_seats says how many" if most else "")
        )
    return tuple(seats)


def check_actions(game: str, value: Any) -> tuple[tuple[int, str], ...]:
    """The groups of a game's actions."""
    wanted = 'give a list of (how many, meaning), such as [(9, "place a mark at"), (1, "pass")]'
    groups = _check_list(f"{game}: actions", value, wanted)
    for group in groups:
        match listed(group):
            case [count, str()] if is_whole(count) and count >= 1:
                continue
        raise OptionError(f"{game}: actions: {group!r} is not possible: {wanted}")
    if not groups:
        raise OptionError(f"{game}: there are no actions: {wanted}")
    return tuple(tuple(group) for group in groups)


def own_reasons(game: str, value: Any, common: Sequence[str]) -> list[str]:
    """A game's own reasons. A game that is made from another has those *common* to all as well."""
    reasons = _parts(value)
    if reasons is not None and tuple(reasons[: len(common)]) == tuple(common):
        value = reasons[len(common) :]
    reasons = check_texts(f"{game}: reasons", value)
    for name in reasons:
        if name in common:
            first = f"a game's own begin at {len(common)}"
            raise OptionError(
                f"{game}: reasons: {name!r} is there in every game: leave it out ({first})"
            )
    if len(reasons) + len(common) > _MOST:
        raise OptionError(f"{game}: there are {len(reasons)} reasons: at most 125 are possible")
    return reasons


def check_fields(game: str, header: Sequence[str], fields: Any, options: Any) -> None:
    """``OptionError`` unless the *fields* can lie behind the *header*, beside those of *options*.

    A game may declare a field that holds an option, to choose where it lies.
    """
    stored = [field for option in options for field in option.fields]
    check_different(f"{game}: fields", [field.name for field in fields])
    check_different(f"{game}: the fields of options", [field.name for field in stored])
    for field in [*fields, *stored]:
        if field.name in header:
            raise OptionError(
                f"{game}: the name {field.name!r} is reserved: choose another one than "
                + ", ".join(header)
            )
    declared = {field.name: field for field in fields}
    single = [option for option in options if option.choices or option.bounds]
    for each in (field for option in single for field in option.fields):
        field = declared.get(each.name, each)
        if field.low > each.low or field.high < each.high or field.shape or field.dtype:
            raise OptionError(
                f"{game}: the field {field.name!r} holds the option of that name, one number from "
                f"{each.low} to {each.high}: leave the field out, or rename one of them"
            )


def check_sides(game: str, sides: Sequence[int], teams: Sequence[str]) -> None:
    """``OptionError`` unless each seat is in one of the teams, and each team has one; without
    teams, unless each seat has a side of its own.
    """
    for seat, side in enumerate(sides):
        if teams and not 0 <= side < len(teams):
            raise OptionError(
                f"{game}: side gives {side} for seat {seat}: it must be 0 to {len(teams) - 1}, for "
                + ", ".join(teams)
            )
        if not teams and side != seat:
            raise OptionError(
                f"{game}: side gives {side} for seat {seat}, and teams names none with these "
                "options: without teams the side of a seat is its number"
            )
    for side, name in enumerate(teams):
        if side not in sides:
            raise OptionError(
                f"{game}: nobody is on the side {side}, {name}: side gives {list(sides)}"
            )


def check_kernel(game: str, name: str, function: Callable[..., Any]) -> None:
    """``OptionError`` unless it is a kernel, and takes what kernels of its name are given."""
    inner = getattr(function, "py_func", None)  # numba keeps there what it compiles
    if inner is None:
        raise OptionError(f"{game}: {name} is no kernel: write @kernel above it")
    given = GIVEN[name]
    try:
        inspect.signature(inner).bind(*given.split(", "))
    except TypeError:
        taken = ", ".join(inspect.signature(inner).parameters)
        own = "" if inner.__name__ == name else f" ({inner.__name__})"
        raise OptionError(f"{game}: {name}{own} takes ({taken}): it must take ({given})") from None
