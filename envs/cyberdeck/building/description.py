"""What cyberdeck.mjs has to know of a game to play it without Python.

Options are Python's to check and to complete, so what comes of them is written down here. Most fill
a field of the record and do nothing else: those may be chosen freely. Some change more, such as the
observation, or each other: of these all values are tried, all together, and what each choice makes
of a blank record is noted. The rest, which have no list of values, stay what they are.
"""

from __future__ import annotations

import base64
import contextlib
import inspect
import itertools
import json
import random
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from cyberdeck.engine import registry, saving
from cyberdeck.engine.contract import Game, Option, Options
from cyberdeck.engine.loops import DISABLED, EVERY, row_dtype
from cyberdeck.engine.policy import HEURISTIC, RANDOM
from cyberdeck.engine.record import COMMON_INVARIANTS, NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.players import trees
from cyberdeck.players.search import (
    OPPONENT_PRIOR_IN_SECRET,
    PLAYOUTS,
    SELECTIONS,
    Search,
    matches_regrets,
)

#: Raised when cyberdeck.mjs has to read something else.
FORMAT: Final = 1

#: With so many of the choices that are tried together every other option is tried as well.
SAMPLED: Final = 40


def described(name: str, options: Options) -> dict[str, Any]:
    """The game *name*, whose options are *options* if nobody chooses others."""
    game = registry.game(name)
    variant = Variant(game, options)
    row = row_dtype(game.most_seats, len(game.metrics))
    table = _Options(game, options)
    return {
        "format": FORMAT,
        "name": game.name,
        "title": game.title,
        "summary": game.summary,
        "version": game.version,
        "most_seats": game.most_seats,
        "reasons": game.reasons,
        "metrics": [[metric.name, metric.meaning] for metric in game.metrics],
        "invariants": [*COMMON_INVARIANTS, *game.invariants],
        "record": {"size": game.dtype.itemsize, "fields": _fields(game.dtype)},
        "bounds": [[f.name, str(f.low), str(f.high)] for f in game.bounds.fields],
        "row": {"size": row.itemsize, "fields": _fields(row), "blank": _text(_blank_row(row))},
        "saved": _text(saving.heading(game, row)),
        "options": [_option(each, variant, table) for each in game.options],
        "settings": table.settings(),
        "search": _search(game),
        "codes": {"random": RANDOM, "heuristic": HEURISTIC, "disabled": DISABLED},
    }


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _fields(dtype: np.dtype[Any]) -> dict[str, tuple[str, int, int]]:
    """Name -> its type, where it lies, and how many numbers it is."""
    found = {}
    for name, (kind, offset, *_) in (dtype.fields or {}).items():
        if not name.startswith("_"):
            count = int(np.prod(kind.shape))
            found[name] = (kind.base.name, offset, count)
    return found


def _blank_row(row: np.dtype[Any]) -> bytes:
    blank = np.zeros(1, row)
    blank["seat_rule"], blank["mover"] = EVERY, NOBODY
    return blank.tobytes()


def _search(game: Game) -> dict[str, Any]:
    parameters = [
        each
        for each in inspect.signature(Search).parameters.values()
        if each.kind is each.POSITIONAL_OR_KEYWORD
        and each.name not in ("network", "root")  # NumPy runs networks
    ]
    return {
        "settings": {each.name: each.default for each in parameters},
        "playouts": PLAYOUTS,
        "selections": SELECTIONS,
        "open": game.open,
        "matches_regrets": matches_regrets(game, None),
        "proves": trees.can_prove(game),
        "has_heuristic": game.has_heuristic,
        "simultaneous": game.simultaneous,
        "opponent_prior_in_secret": OPPONENT_PRIOR_IN_SECRET,
        "node": trees.NODE.itemsize,
        "edge": trees.EDGE.itemsize,
        "step": trees.STEP.itemsize,
        "deepest": trees.DEEPEST,
        "most_edges": trees.MOST_EDGES,
    }


class _Options:
    """Which options may be chosen how, and what each choice makes of a blank record."""

    def __init__(self, game: Game, given: Options) -> None:
        self.game, self.given = game, given
        self.options = {option.name: option for option in game.options}
        #: Of these all values are tried together.
        self.together: list[str] = []
        #: These stay as they are.
        self.fixed = [name for name, each in self.options.items() if each.as_field is None]
        while wrong := next(self._not_free(), None):
            for name in wrong:
                kept = self.together if self.options[name].choices else self.fixed
                if name not in kept:
                    kept.append(name)
        self.together.sort(key=list(self.options).index)

    def values(self, option: Option) -> list[Any]:
        """All of an option, if it has choices, or the ends of its range."""
        values = list(option.choices or option.bounds or ())
        usual = self.given.get(option.name, option.default)
        return values if usual in values or not option.choices else [usual, *values]

    def _not_free(self) -> Iterator[set[str]]:
        """Options that do more than fill their field, or not always."""
        tried = [
            (name, value)
            for name, option in self.options.items()
            if name not in self.fixed and name not in self.together
            for value in self.values(option)
            if value is not None
        ]
        choices = list(self.choices())
        for choice in random.Random(1).sample(choices, min(len(choices), SAMPLED)):
            with contextlib.suppress(OptionError):  # it is noted that this is not possible
                before = self._made(choice)
                for name, value in tried:
                    if not self._only_fills(before, choice, {name: value}):
                        yield {name}
        usual = self._made({})
        for (one, v), (other, w) in itertools.combinations(tried, 2):
            if one != other and not self._only_fills(usual, {}, {one: v, other: w}):
                yield {one, other}

    def choices(self) -> Iterator[dict[str, Any]]:
        """All choices of the options that are tried together, in the order of their values."""
        values = [self.values(self.options[name]) for name in self.together]
        for chosen in itertools.product(*values):
            yield dict(zip(self.together, chosen, strict=True))

    def _made(self, chosen: Options) -> Variant:
        return Variant(self.game, {**self.given, **chosen})

    def _only_fills(self, before: Variant, choice: Options, more: Options) -> bool:
        try:
            after = self._made({**choice, **more})
        except OptionError:
            return False
        expected = before.blank()
        for name, value in more.items():
            option = self.options[name]
            expected[option.field or name] = option.stored(value)
        same = after.blank().tobytes() == expected.tobytes()
        return same and _layout(after) == _layout(before)

    def settings(self) -> dict[str, Any]:
        """What comes of each of the ``choices``, or why it is not possible.

        Of records only where they differ from the usual one. What several have alike, such as
        most features, stands there once, and its number everywhere else.
        """
        usual = self._made({})
        first = usual.blank().view(np.uint8)
        layouts, features = _Numbered(), _Numbered()
        found: list[Any] = []
        for choice in self.choices():
            try:
                made = self._made(choice)
            except OptionError as error:
                found.append(str(error))
                continue
            blank = made.blank().view(np.uint8)
            seen = _layout(made)
            layout = {**seen, "features": [features.of(each) for each in seen["features"]]}
            changed = [(int(at), int(blank[at])) for at in np.flatnonzero(blank != first)]
            found.append([layouts.of(layout), changed])
        return {
            "together": self.together,
            "blank": _text(first.tobytes()),
            "own": _own(usual),
            "features": features.all,
            "layouts": layouts.all,
            "found": found,
        }


class _Numbered:
    """Different things, each once, by their numbers."""

    def __init__(self) -> None:
        self.all: list[Any] = []
        self._numbers: dict[str, int] = {}

    def of(self, thing: Any) -> int:
        number = self._numbers.setdefault(json.dumps(thing), len(self.all))
        if number == len(self.all):
            self.all.append(thing)
        return number


def _layout(variant: Variant) -> dict[str, Any]:
    """What is seen and done with these options."""
    return {
        "seats": variant.agents,
        "actions": variant.actions,
        "features": [[f.name, f.shape, f.low, f.high, f.meaning] for f in variant.features],
    }


def _own(variant: Variant) -> list[tuple[int, int]]:
    """Where, in a record, options lie that are no fields by themselves: from, to.

    Those are the bytes that ``write_options`` writes and ``read_options`` looks at: it reads
    something else, or fails, where they are changed. An option that it makes out from what changes
    in play as well, as of ships that are upgraded, stands in no bytes of its own.
    """
    game, blank = variant.game, variant.blank()
    usual, memory = game.read_options(blank), blank.view(np.uint8)
    places: dict[str, set[int]] = {name: set() for name in usual}

    def changed(start: int, end: int) -> set[str]:
        """The options that are others if something else stands there."""
        kept, names = memory[start:end].copy(), set()
        for change in (1, 2, 4, 128, 255):
            memory[start:end] = kept ^ change
            try:
                found = game.read_options(blank)
            except Exception:  # whatever reading nonsense may raise
                found = {}
            names |= {name for name in usual if name not in found or found[name] != usual[name]}
        memory[start:end] = kept
        return names

    for kind, offset, *_ in (game.dtype.fields or {}).values():
        end, size = offset + kind.itemsize, kind.base.itemsize
        for at in range(offset, end, size) if usual and changed(offset, end) else ():
            for name in changed(at, at + size):
                places[name].update(range(at, at + size))
    written = _written(variant)
    own = sorted(set().union(*(each for each in places.values() if each <= written)))
    runs = itertools.groupby(enumerate(own), lambda pair: pair[1] - pair[0])
    return [(found[0][1], found[-1][1] + 1) for found in (list(run) for _, run in runs)]


def _written(variant: Variant) -> set[int]:
    """The bytes of a record that ``write_options`` writes."""
    found: set[int] = set()
    for filled in (1, 2):
        record = np.full(variant.game.dtype.itemsize, filled, np.uint8)
        variant.game.write_options(record.view(variant.game.dtype), variant.options)
        found.update(np.flatnonzero(record != filled).tolist())
    return found


def _option(option: Option, variant: Variant, table: _Options) -> dict[str, Any]:
    described = {
        "name": option.name,
        "meaning": option.meaning,
        "default": table.given.get(option.name, option.default),
        "view": option.view,
    }
    if option.name in table.fixed:
        return {**described, "fixed": variant.options[option.name]}
    given = {"values": table.values(option)} if option.choices else {"bounds": option.bounds}
    return {**described, "field": option.field or option.name, "choices": option.choices, **given}
