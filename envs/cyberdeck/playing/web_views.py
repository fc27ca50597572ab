"""What there is to see at tables of cyberdeck.mjs, for whoever shows them in JavaScript."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from cyberdeck.errors import CyberdeckError, OptionError
from cyberdeck.playing.web import (
    Games,
    Given,
    WebEngine,
    as_in_python,
    games_of,
    make_given,
    record_of,
)
from cyberdeck.views import notation
from cyberdeck.views.scene import Scene
from cyberdeck.views.view import Event, Page


class WebViews:
    """What there is to see at tables of JavaScript, for a seat; None: for anybody, where nothing is
    hidden. *before*: an earlier table of the game, or None.
    """

    def __init__(self, games: Games, given: Given) -> None:
        self._games, self._given = games, given
        self._engines: dict[str, WebEngine] = {}

    def text(self, table: Any, seat: int | None, before: Any) -> str:
        """The table as plain text."""
        return self._scene(table, seat, before).text()

    def page(self, table: Any, seat: int | None, before: Any) -> Page:
        """What there is to see, as data."""
        return self._scene(table, seat, before).page

    def events(self, table: Any, seat: int | None, before: Any) -> list[Event]:
        """What has happened since *before*."""
        if before is None:
            raise OptionError("events() is given the table from before: { before: table.twin() }")
        return self._scene(table, seat, before).events

    def picture(self, table: Any, seat: int | None, before: Any, theme: str, narrow: bool) -> str:
        """An SVG picture."""
        return self._scene(table, seat, before).picture(None, theme, narrow)

    def choices(self, table: Any, seat: int | None, before: Any) -> list[dict[str, Any]]:
        """What the mover may decide."""
        view, record, viewer, *_ = self._scene(table, seat, before)
        written = notation.notations(view, record, record.rules.mask(viewer) or ())
        return [
            {"action": action, "words": view.action_name(record, action), "notation": each}
            for action, each in written.items()
        ]

    def _scene(self, table: Any, seat: int | None, before: Any) -> Scene:
        """What the seat sees."""
        engine = self._engine(table)
        if seat is None and not engine.open:
            raise OptionError(f"{engine.title} hides something: say which seat looks")
        if seat is not None and seat not in range(len(engine.agents)):
            raise OptionError(f"there is no seat {seat}: choose 0 to {len(engine.agents) - 1}")
        old = None if before is None else record_of(engine, before.twin())
        viewer = None if seat is None else (seat,)
        return Scene(engine.view, record_of(engine, table.twin()), viewer, old, old)

    def _engine(self, table: Any) -> WebEngine:
        """What knows the table's game, with its options."""
        name, options = str(table.game), as_in_python(table.options.to_py())
        if name not in self._games:
            raise OptionError(f"these views were loaded for {', '.join(self._games)}, not {name}")
        key = json.dumps([name, options])
        if key not in self._engines:
            self._engines[key] = WebEngine(self._games, name, options, self._given)
        return self._engines[key]


def views(games: Any) -> Callable[..., str]:
    """Shows tables of JavaScript: JSON with what a method of ``WebViews`` has ``told``, or with an
    ``error`` in words. *games*: as ``seated`` has them.
    """
    showing = WebViews(games_of(games), make_given())

    def answer(asked: str, *about: Any) -> str:
        try:
            return json.dumps({"told": _as_json(getattr(showing, asked)(*about))})
        except CyberdeckError as error:
            return json.dumps({"error": str(error)})

    return answer


def _as_json(told: Any) -> Any:
    """What has names, as dictionaries."""
    if isinstance(told, Event):
        told = {"kind": told.kind, **vars(told)}
    elif hasattr(told, "_asdict"):
        told = told._asdict()
    if isinstance(told, dict):
        return {name: _as_json(each) for name, each in told.items()}
    return list(map(_as_json, told)) if isinstance(told, (list, tuple)) else told
