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
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from cyberdeck.engine import registry, saving
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.contract import Columns, Game, Option, Options
from cyberdeck.engine.loops import DISABLED, HEURISTIC, RANDOM, row_dtype
from cyberdeck.engine.record import COMMON_INVARIANTS, NOBODY
from cyberdeck.engine.variant import Variant, checked
from cyberdeck.errors import OptionError
from cyberdeck.players.search import OPPONENT_PRIOR_IN_SECRET, SELECTIONS, Search, matches_regrets
from cyberdeck.players.trees import growing
from cyberdeck.players.trees.proving import can_prove
from cyberdeck.players.trees.selection import REGRET

#: Raised when cyberdeck.mjs has to read something else.
FORMAT: Final = 5


def described(name: str, options: Options) -> dict[str, Any]:
    """The game *name*, whose options are *options* if nobody chooses others."""
    game = registry.game(name)
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
        "observation": game.observation_dtype.name,
        "record": {"size": game.dtype.itemsize, "fields": _fields(game.dtype)},
        "reward_bound": float(game.reward_bound),
        "bounds": [[f.name, str(f.low), str(f.high)] for f in game.bounds.fields],
        "row": {"size": row.itemsize, "fields": _fields(row), "blank": _text(_blank_row(row))},
        "saved": _text(saving.heading(game, row)),
        "options": [_option(each, table) for each in game.own_options],
        "settings": table.settings(),
        "search": _search(game),
        "codes": {"random": RANDOM, "heuristic": HEURISTIC, "disabled": DISABLED},
    }


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _fields(dtype: np.dtype[Any]) -> dict[str, tuple[str, int, int, tuple[int, ...]]]:
    """Name -> its type, where it lies, how many numbers it is, and in which shape."""
    found = {}
    for name, (kind, offset, *_) in (dtype.fields or {}).items():
        if not name.startswith("_"):
            count = int(np.prod(kind.shape))
            found[name] = (kind.base.name, offset, count, kind.shape)
    return found


def _blank_row(row: np.dtype[Any]) -> bytes:
    blank = np.zeros(1, row)
    blank["seat_rule"], blank["mover"] = EVERY, NOBODY
    return blank.tobytes()


def _search(game: Game) -> dict[str, Any]:
    unknown = ("network", "root", "belief")  # Python alone has those
    settings = inspect.signature(Search).parameters.items()
    records = {"node": growing.NODE, "edge": growing.EDGE, "step": growing.STEP}
    records |= {"tally": growing.TALLY, "regret": REGRET}
    return {
        "settings": {name: each.default for name, each in settings if name not in unknown},
        "playouts": growing.PLAYOUTS,
        "selections": SELECTIONS,
        "open": game.open,
        "matches_regrets": matches_regrets(game, None),
        "proves": can_prove(game),
        "has_heuristic": game.has_heuristic,
        "simultaneous": game.simultaneous,
        "opponent_prior_in_secret": OPPONENT_PRIOR_IN_SECRET,
        **{name: dtype.itemsize for name, dtype in records.items()},
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
            for depending in (game.seats, game.actions, game.features):
                game.given(depending, settled)
            game.derive(self.usual.blank(), settled)

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
        layouts, features, changes, written = (_Numbered() for _ in range(4))
        found: list[Any] = []
        for choice in self.choices():
            try:
                made = Variant(self.game, {**self.given, **choice})
            except OptionError as error:
                found.append(str(error))
                continue
            filled = self.usual.blank()
            for name, value in choice.items():
                if value is not None:
                    self.options[name].write(filled, value)
            before, after = filled.view(np.uint8), made.blank().view(np.uint8)
            shown = [
                [f.name, f.shape, f.low, f.high, f.meaning, f.labels, f.dtype == "float32"]
                for f in made.features
            ]
            layout: dict[str, Any] = {"seats": made.agents, "actions": made.actions}
            layout["features"] = [features.of(each) for each in shown]
            changed = [(int(at), int(after[at])) for at in np.flatnonzero(before != after)]
            writes = written.of(self._written(made))
            found.append([layouts.of(layout), changes.of(changed), writes])
        return {
            "together": self.together,
            "blank": _text(self.usual.blank().tobytes()),
            "own": self._own(),
            "over": self._over(),
            "features": features.all,
            "layouts": layouts.all,
            "changes": changes.all,
            "written": written.all,
            "found": found,
        }

    def _written(self, made: Variant) -> list[tuple[int, int]]:
        """From where to where the options of a variant lie in any record, and what follows from
        them: what is alike in two that were different everywhere.
        """
        twins = []
        for byte in (0, 1):
            record = self.usual.blank()
            record.view(np.uint8)[:] = byte
            self.game.write(record, made.options)
            twins.append(record.view(np.uint8))
        alike = twins[0] == twins[1]
        edges = np.flatnonzero(np.diff(np.concatenate([[False], alike, [False]])))
        return [(int(start), int(end)) for start, end in edges.reshape(-1, 2)]

    def _over(self) -> list[tuple[str, str, int, int]]:
        """Fields that hold fixed options and more: the field, the one that it lies on top of, where
        in that, and for how many rows.
        """
        found = []
        for option in filter(self.fixed, self.options.values()):
            encoded = option.encoded(self.usual.options[option.name])
            for name, other, *at in option.over if isinstance(option, Columns) else ():
                if other not in encoded:
                    rows = encoded[name]
                    found.append((name, other, *at, len(rows) if isinstance(rows, list) else 1))
        return found

    def _own(self) -> list[str]:
        """The fields that hold the fixed options, without those that change in play."""
        changing = {name for name, *_ in self._over()}
        own: list[str] = []
        for option in filter(self.fixed, self.options.values()):
            encoded = option.encoded(self.usual.options[option.name])
            own += [name for name in encoded if name not in changing]
        return own


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
