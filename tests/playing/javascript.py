"""What cyberdeck.mjs and Pyodide hand to a table in a browser, made of a batch instead.

That WebAssembly plays the same is tested in ``tests/native``: here is tested what is made of it.
"""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cyberdeck.building import description
from cyberdeck.engine import roles
from cyberdeck.engine.constants import RESIGNS
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.phases import phases_between
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.players import find_player
from cyberdeck.players.search import Search


class JsException(Exception):
    """An error of JavaScript."""


#: JavaScript's null.
jsnull = object()


class Js:
    """A value of JavaScript: JSON has no tuples."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def to_py(self) -> Any:
        return _as_json(self._value)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._value)

    def __getitem__(self, at: Any) -> Any:
        return self._value[at]


def _as_json(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _as_json(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return list(map(_as_json, value))
    return jsnull if value is None else value


@functools.cache
def _about(game: str, built: str) -> dict[str, Any]:
    """The description of a file, but for what takes seconds to find and no table asks for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(description._Options, "settings", dict)
        return description.described(game, json.loads(built))


class Game:
    """A ``Game`` of cyberdeck.mjs."""

    def __init__(self, variant: Variant, built: Mapping[str, Any] | None = None) -> None:
        self.made_of, self._built = variant.game, dict(built or {})
        self._about = _about(variant.game.name, json.dumps(self._built))
        known = ("field", "held", "values", "view")
        self.options = Js(
            [
                {name: each for name, each in option.items() if name not in known}
                for option in self._about["options"]
            ]
        )
        fields = self._about["record"]["fields"].items()
        self.layout = Js({name: (kind, at, shape) for name, (kind, at, _, shape) in fields})

    def table(self, chosen: Mapping[str, Any]) -> Table:
        try:
            options = {**self._built, **chosen.get("options", {})}
            return Table(Variant(self.made_of, options), chosen["seed"])
        except OptionError as error:
            raise JsException(f"GameError: {error}") from None


class Table:
    """A ``Table`` of cyberdeck.mjs."""

    def __init__(self, variant: Variant, seed: int) -> None:
        self._variant, self.game = variant, variant.game.name
        self._core = GameBatch(variant, 1, autoreset=DISABLED)
        self._core.reset([seed])
        self.seats, self.actions = Js(variant.agents), Js(variant.actions)
        own = variant.game.own_options
        self.options = Js({each.name: variant.options[each.name] for each in own})
        self.features = Js(
            [
                {
                    "name": each.name,
                    "shape": each.shape,
                    "low": int(each.low),
                    "high": int(each.high),
                    "meaning": each.meaning,
                    "labels": each.labels,
                    "fractions": each.dtype == "float32",
                }
                for each in variant.features
            ]
        )

    @property
    def mover(self) -> int:
        return int(self._core.states["mover"][0])

    @property
    def reason(self) -> str:
        return self._variant.game.reasons[int(self._core.states["reason"][0])]

    @property
    def returns(self) -> Js:
        return Js(self._core.final_returns[0].tolist())

    @property
    def states(self) -> Any:
        """The record as NumPy has it, which JavaScript does not know."""
        return self._core.states

    def mask(self) -> Js:
        return Js(self._core.masks[0].tolist())

    def observe(self, seat: int) -> Js:
        return Js(self._core.look(seat)[0].ravel().tolist())

    def metrics(self, seat: int) -> Js:
        names = [metric.name for metric in self._variant.game.metrics]
        return Js(dict(zip(names, self._core.look(seat)[2].tolist(), strict=True)))

    def bytes(self) -> Js:
        return Js(self._core.save(0))

    def record(self) -> Js:
        return Js(self._core.states.tobytes())

    def roles(self) -> SimpleNamespace:
        game, seats = self._variant.game, range(self._variant.seats)
        deciding = roles.deciding(game, self._core.states)
        hidden = roles.hidden_from(game, self._core.states)
        return SimpleNamespace(
            sides=Js(roles.sides(game, self._core.states)[: len(seats)]),
            deciding=Js([seat in deciding for seat in seats]),
            hidden=Js([seat in hidden for seat in seats]),
        )

    def act(self, action: int) -> None:
        self._core.step(np.array([action]))

    def resign(self) -> None:
        self._core.step(np.array([RESIGNS]), np.array([True]))

    def twin(self) -> Table:
        return copy.deepcopy(self)

    def phases(self, before: Table) -> list[Table]:
        found = []
        for record in phases_between(self._variant.game, before._core.states, self._core.states):
            found.append(self.twin())
            found[-1]._core.states[:] = record
        return found

    def random(self) -> int:
        return self._ask(find_player(self._variant, "random"))

    def heuristic(self) -> int:
        return self._ask(find_player(self._variant, "heuristic"))

    def search(self, settings: Mapping[str, Any]) -> int:
        return self._ask(Search(**settings))

    def examine(self, settings: Mapping[str, Any], forced: bool) -> SimpleNamespace:
        seen = self._core.seen(self._core.all_rows, True)
        visits, values = (found[0].tolist() for found in Search(**settings).examine(seen, forced))
        return SimpleNamespace(visits=Js(visits), values=Js(values))

    def _ask(self, player: Any) -> int:
        return int(self._core.ask(player, self._core.all_rows)[0])
