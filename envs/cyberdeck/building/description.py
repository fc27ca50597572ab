"""What cyberdeck.mjs has to know of a game to play it without Python.

Options are Python's to check and to complete, so what comes of them is written down here. Most are
a field of the record that nobody but kernels reads: those may be chosen freely. Others are asked
for where the game says its seats, actions and features, completes the options and derives fields:
of these all values are tried, all together. The rest, which have no list of values, stay what they
are, and so does what is more than one whole number.
"""

from __future__ import annotations

import base64
import contextlib
import inspect
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from cyberdeck.engine import registry, saving
from cyberdeck.engine.arguments import Array
from cyberdeck.engine.asking import OPPONENTS
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.contract import Columns, Game, Option, Options
from cyberdeck.engine.game_loops import functions_of
from cyberdeck.engine.loops import DISABLED, HEURISTIC, RANDOM, row_dtype
from cyberdeck.engine.record import COMMON_INVARIANTS, NOBODY, RUNNING
from cyberdeck.engine.variant import Variant, checked
from cyberdeck.errors import OptionError
from cyberdeck.players.search import OPPONENT_PRIOR_IN_SECRET, SELECTIONS, Search, matches_regrets
from cyberdeck.players.trees import growing
from cyberdeck.players.trees.proving import can_prove
from cyberdeck.players.trees.searching import search_loop

#: Raised when cyberdeck.mjs has to read something else.
FORMAT: Final = 6


def described(name: str, options: Options) -> dict[str, Any]:
    """The game *name*, whose options are *options* if nobody chooses others."""
    game = registry.game(name)
    row = row_dtype(game.most_seats, len(game.metrics))
    blank, table = np.zeros(1, row), _Options(game, options)
    blank["seat_rule"], blank["mover"] = EVERY, NOBODY
    alike = ("name", "title", "summary", "version", "most_seats", "reasons")
    return {
        "format": FORMAT,
        **{name: getattr(game, name) for name in alike},
        "metrics": [[metric.name, metric.meaning] for metric in game.metrics],
        "invariants": [*COMMON_INVARIANTS, *game.invariants],
        "observation": game.observation_dtype.name,
        "record": {"size": game.dtype.itemsize, "fields": _fields(game.dtype)},
        "bounds": _bounds({f.name: (f.low, f.high) for f in game.bounds.fields}),
        "header": _headers(game),
        "row": {
            "size": row.itemsize,
            "fields": _fields(row),
            "blank": _text(blank.tobytes()),
            "bounds": _bounds(_BOOKKEEPING),
            "shared": ["terminated", "truncated", "reason", "mover"],
            "pending": float(game.reward_bound),
        },
        "saved": _text(saving.heading(game, row)),
        "options": [_option(each, table) for each in game.own_options],
        "settings": table.settings(),
        "loops": _loops(game),
        "search": _search(game),
        "codes": {
            **{"random": RANDOM, "heuristic": HEURISTIC, "disabled": DISABLED},
            "opponents": OPPONENTS,
        },
    }


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _fields(dtype: np.dtype[Any]) -> dict[str, tuple[str, int, int, tuple[int, ...]]]:
    """Name -> its type, where it lies, how many numbers it is, and in which shape."""
    fields = {}
    for name, (kind, offset, *_) in (dtype.fields or {}).items():
        if not name.startswith("_"):
            count = int(np.prod(kind.shape))
            fields[name] = (kind.base.name, offset, count, kind.shape)
    return fields


#: The largest fraction that is finite, in a float32 and in a float64.
_FINITE_32, _FINITE_64 = (float(np.finfo(kind).max) for kind in (np.float32, np.float64))

#: What the bookkeeping of a saved game may hold in which every seat is the caller's: compiled code
#: trusts it (``fits`` in ``engine/others.py``).
_BOOKKEEPING: Final = {
    **dict.fromkeys(("seat_rule", "seat"), (EVERY, EVERY)),
    "final_seat": (EVERY, 0),
    **dict.fromkeys(("opponent", "final_opponent", "ally", "final_ally"), (0, 0)),
    **dict.fromkeys(("team", "waiting"), (0, 0)),
    "opening": (0, 1),
    **dict.fromkeys(("reward", "returns", "final_returns"), (-_FINITE_32, _FINITE_32)),
    "pending": (-_FINITE_64, _FINITE_64),
}


def _bounds(ends: Mapping[str, tuple[float, float]]) -> list[tuple[str, str, str]]:
    """Fields, and their lowest and highest numbers as texts: JavaScript's own may not hold them."""
    return [(name, str(low), str(high)) for name, (low, high) in ends.items()]


def _headers(game: Game) -> list[list[tuple[str, str, str]]]:
    """The bounds of the header's fields: while a game goes on, where its rules have ended it, and
    where a limit has.
    """
    last, most = len(game.reasons) - 1, int(np.iinfo(np.int32).max)
    always = {"decisions": (0, most), "reward": (-_FINITE_32, _FINITE_32)}
    running = {**always, "mover": (0, game.most_seats - 1), "reason": (RUNNING, RUNNING)}
    over = {**always, "mover": (NOBODY, NOBODY), "reason": (RUNNING + 1, last)}
    ends = ((running, 0, 0), (over, 1, 0), (over, 0, 1))
    return [
        _bounds({**header, "terminated": (ended, ended), "truncated": (limited, limited)})
        for header, ended, limited in ends
    ]


def _settings(game: Game) -> list[dict[str, Any]]:
    """The settings of a search: of each its default, and its bounds or choices."""
    share = {"bounds": (0, float(np.nextafter(1, 0))), "fractions": True}
    possible: dict[str, dict[str, Any]] = {
        "iterations": {"bounds": (1, 1_000_000)},
        "playout": {"choices": growing.PLAYOUTS},
        "length": {"bounds": (0, 2**53 - 1)},
        "prior": share,
        "opponent_prior": share,
        "c_puct": {"bounds": (0, _FINITE_64), "fractions": True},
        "selection": {"choices": [each for each in SELECTIONS if not game.open or each == "puct"]},
    }
    usual = inspect.signature(Search).parameters
    return [{"name": name, "default": usual[name].default, **possible[name]} for name in possible]


#: The loops that it calls.
LOOPS: Final = (
    *("begin", "advance", "choose", "look", "ask", "check_state"),
    *("describe_seats", "retrace", "next_phase", "search"),
)


def _loops(game: Game) -> dict[str, list[tuple[Any, ...]]]:
    """What each loop takes, one after the other: of an array its name, the bytes of an item and a
    letter for each length; of a number its name, and whether it is a fraction.
    """
    functions = [*functions_of(game), inspect.unwrap(search_loop)(game)]
    named = {function.__name__: function for function in functions}
    return {
        name: list(_taken(inspect.signature(named[name]).parameters, vars(named[name])["takes"]))
        for name in LOOPS
    }


def _taken(names: Iterable[str], taken: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    for name, each in zip(names, taken, strict=True):
        if isinstance(each, tuple):
            yield from _taken(vars(type(each))["_fields"], each)
        elif isinstance(each, Array):
            yield name, np.dtype(each.dtype).itemsize, each.lengths
        else:
            yield name, each is np.float64


def _search(game: Game) -> dict[str, Any]:
    return {
        "settings": _settings(game),
        "playouts": growing.PLAYOUTS,
        "matches_regrets": matches_regrets(game, None),
        "proves": can_prove(game),
        "has_heuristic": game.has_heuristic,
        "simultaneous": game.simultaneous,
        "opponent_prior_in_secret": OPPONENT_PRIOR_IN_SECRET,
        "deepest": growing.DEEPEST,
        "most_edges": growing.MOST_EDGES,
    }


class _Asked(dict[str, Any]):
    """Options that note which of them are asked for by name. To copy all is not to ask."""

    def __init__(self, options: Options, asked: set[str]) -> None:
        super().__init__(options)
        self.asked = asked

    def __getitem__(self, name: str) -> Any:
        self.asked.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.asked.add(name)
        return super().get(name, default)


class _Options:
    """Which options may be chosen how, and what each choice makes of a blank record."""

    def __init__(self, game: Game, given: Options) -> None:
        self.game, self.given = game, given
        self.usual = Variant(game, given)
        self._blank = self.usual.blank()
        self.options = {option.name: option for option in game.own_options}
        self.asked: set[str] = set()
        known = None
        while known != self.asked:
            known = set(self.asked)
            #: Of these all values are tried together.
            self.together = [
                name for name, each in self.options.items() if each.choices and name in known
            ]
            for choice in self.choices():
                self._ask(choice)

    def _ask(self, choice: Options) -> None:
        """Note which options are asked for where those are chosen."""
        game, options = self.game, checked(self.game, {**self.given, **choice})
        with contextlib.suppress(OptionError):  # it is noted that this is not possible
            settled = _Asked(game.resolve_options(_Asked(options, self.asked)), self.asked)
            for part in ("seats", "actions", "features"):
                game.checked(part, settled)
            game.derive(self._blank.copy(), settled)

    def fixed(self, option: Option) -> bool:
        """Whether it stays as it is."""
        numbers = option.bounds is None or option.digits or option.name in self.asked
        return not option.choices and bool(numbers)

    def values(self, option: Option) -> list[Any]:
        """All that may be chosen, the usual one included."""
        usual = self.given.get(option.name, option.default)
        return [*([] if usual in option.choices else [usual]), *option.choices]

    def choices(self) -> Iterator[dict[str, Any]]:
        """All choices of the options that are tried together, in the order of their values."""
        values = [self.values(self.options[name]) for name in self.together]
        for chosen in itertools.product(*values):
            yield dict(zip(self.together, chosen, strict=True))

    def settings(self) -> dict[str, Any]:
        """What comes of each of the ``choices``, or why it is not possible.

        Of records what differs from the usual one with these options' fields filled. What several
        have alike, such as most features, stands there once, and its number everywhere else.
        """
        layouts, features, changes, written = (dict[str, int]() for _ in range(4))
        results: list[Any] = []
        for choice in self.choices():
            try:
                made = Variant(self.game, {**self.given, **choice})
            except OptionError as error:
                results.append(str(error))
                continue
            filled = self._blank.copy()
            for name, value in choice.items():
                if value is not None:
                    self.options[name].write(filled, value)
            before, after = filled.view(np.uint8), made.blank().view(np.uint8)
            shown = [
                [f.name, f.shape, f.low, f.high, f.meaning, f.labels, f.dtype == "float32"]
                for f in made.features
            ]
            layout: dict[str, Any] = {"seats": made.agents, "actions": made.actions}
            layout["features"] = [_number_of(each, features) for each in shown]
            changed = [(int(at), int(after[at])) for at in np.flatnonzero(before != after)]
            parts = (layout, layouts), (changed, changes), (self._written(made), written)
            results.append([_number_of(*part) for part in parts])
        return {
            "together": self.together,
            "blank": _text(self._blank.tobytes()),
            "fixed": list(self._fixed_numbers()),
            "features": [json.loads(each) for each in features],
            "layouts": [json.loads(each) for each in layouts],
            "changes": [json.loads(each) for each in changes],
            "written": [json.loads(each) for each in written],
            "results": results,
        }

    def _written(self, made: Variant) -> list[tuple[int, int]]:
        """From where to where the options of a variant lie in any record, and what follows from
        them: what is alike in two that were different everywhere.
        """
        twins = []
        for byte in (0, 1):
            record = np.full(self._blank.nbytes, byte, np.uint8).view(self._blank.dtype)
            self.game.write(record, made.options)
            twins.append(record.view(np.uint8))
        alike = twins[0] == twins[1]
        edges = np.flatnonzero(np.diff(np.concatenate([[False], alike, [False]])))
        return [(int(start), int(end)) for start, end in edges.reshape(-1, 2)]

    def _fixed_numbers(self) -> Iterator[list[tuple[str, int]]]:
        """Where each number of the fixed options lies; and, if it lies on top of another one that
        may change in play, where that does.
        """
        for option in filter(self.fixed, self.options.values()):
            encoded = option.encoded(self.usual.options[option.name])
            over = (
                {name: rest for name, *rest in option.over} if isinstance(option, Columns) else {}
            )
            for name, numbers in encoded.items():
                other, *at = over.get(name, (name,))
                for row in range(len(numbers) if isinstance(numbers, list) else 1):
                    place = self._place(name, row)
                    yield [place] if other in encoded else [place, self._place(other, row, *at)]

    def _place(self, field: str, *index: int) -> tuple[str, int]:
        """The type of a number in a field, and where it lies."""
        fields: Mapping[str, Any] = self.game.dtype.fields or {}
        kind, offset, *_ = fields[field]
        index = index[: len(kind.shape)]
        at = np.ravel_multi_index(index, kind.shape) if index else 0
        return kind.base.name, int(offset + at * kind.base.itemsize)


def _number_of(thing: Any, things: dict[str, int]) -> int:
    """The number of a thing among different *things*: a new one for one that was not there."""
    return things.setdefault(json.dumps(thing), len(things))


def _option(option: Option, table: _Options) -> dict[str, Any]:
    described = {
        "name": option.name,
        "meaning": option.meaning,
        "default": table.given.get(option.name, option.default),
        "view": option.view,
    }
    if option.choices or (option.bounds and not option.digits):
        described["field"] = option.place
    if table.fixed(option):
        return {**described, "fixed": table.usual.options[option.name]}
    if option.bounds is not None:
        return {**described, "bounds": option.bounds}
    values = table.values(option)
    return {**described, "choices": option.choices, "held": option.held, "values": values}
