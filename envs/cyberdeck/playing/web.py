"""Games in a browser: cyberdeck.mjs plays them, and Pyodide runs the table, and what shows them.

No NumPy is needed here. What a file of WebAssembly does not say, since no kernel needs to know it,
is handed over beside it.
"""

from __future__ import annotations

import functools
import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Self, TypeAlias

from cyberdeck.common.reading import fault_of_text
from cyberdeck.common.text import nearest, quoted
from cyberdeck.common.whole import is_whole
from cyberdeck.engine import option_text
from cyberdeck.engine.constants import RESIGNS
from cyberdeck.errors import ActionError, CyberdeckError, OptionError
from cyberdeck.play.engine import Engine
from cyberdeck.play.finished import FinishedGame
from cyberdeck.play.game import Game
from cyberdeck.play.session import Setup
from cyberdeck.playing.table import Table
from cyberdeck.views import kept, notation, plain
from cyberdeck.views.features import Description
from cyberdeck.views.record import Record, Rules
from cyberdeck.views.scene import Scene
from cyberdeck.views.view import Event, Mask, View, Viewer

#: By name, a ``Game`` of cyberdeck.mjs for each file of the game, and what is said beside them.
Games: TypeAlias = Mapping[str, tuple[Sequence[Any], Mapping[str, Any]]]

#: Makes an object of JavaScript from a dictionary.
Given: TypeAlias = Callable[[Mapping[str, Any]], Any]


class WebPosition:
    """A game that stands somewhere: a ``Table`` of cyberdeck.mjs."""

    def __init__(self, engine: WebEngine, table: Any) -> None:
        self.engine, self.table = engine, table

    @property
    def mover(self) -> int:
        """The seat to decide, -1 at the end."""
        return int(self.table.mover)

    @property
    def mask(self) -> list[int]:
        """1 for each action that is legal for the mover."""
        return list(self.table.mask().to_py())

    @property
    def record(self) -> Record:
        """The record as it is now, with its rules."""
        return record_of(self.engine, self.table.twin())

    @property
    def hidden_from(self) -> Sequence[int]:
        """The seats that do not see what the mover decides now."""
        hidden = self.table.roles().hidden
        return [seat for seat in range(len(self.engine.agents)) if hidden[seat]]

    @property
    def returns(self) -> list[float]:
        """What each seat has got, when the game is over."""
        return [float(each) for each in self.table.returns]

    @property
    def reason(self) -> str:
        """Why the game is over, in the game's word."""
        return str(self.table.reason)

    def check(self, action: int) -> None:
        """``ActionError`` if the mover cannot decide that."""
        mask = self.mask
        if action != RESIGNS and not (0 <= action < len(mask) and mask[action]):
            raise ActionError(f"action {action} is not legal")

    def step(self, action: int) -> None:
        """Decide for the mover."""
        if action == RESIGNS:
            self.table.resign()
        else:
            self.table.act(action)

    def twin(self) -> Self:
        """The same, to go its own way."""
        return type(self)(self.engine, self.table.twin())

    def ask(self, player: WebPlayer | Thinker, watch: Callable[[float], bool] | None = None) -> int:
        """What a player decides for the mover."""
        return player.decide(self.table)

    def metrics(self, seat: int) -> list[tuple[str, int]]:
        """What the game counts, from a seat's view."""
        found = self.table.metrics(seat).to_py()
        return [(name, int(value)) for name, value in found.items()]


def record_of(engine: WebEngine, table: Any) -> Record:
    """What views read of a table that stays as it is."""
    mover, mask = int(table.mover), list(table.mask().to_py())

    def known(viewer: Viewer) -> Mask:
        if engine.open or mover < 0 or (viewer is not None and mover in viewer):
            return mask if mover >= 0 else [0] * len(mask)
        return None

    rules = Rules(
        observe=lambda seat: list(table.observe(seat).to_py()),
        deciding=lambda: [seat for seat, now in enumerate(table.roles().deciding) if now],
        mask=known,
        phases=lambda before: [record_of(engine, each) for each in table.phases(before.made_of)],
    )
    return Record.from_bytes(bytes(table.record().to_py()), engine.layout, rules, table)


class Unthought(Exception):
    """A player has to decide, and thinks where it can be watched: it is asked again afterwards."""

    def __init__(self, player: Thinker, table: Any) -> None:
        super().__init__("the player has not thought yet")
        self.player, self.table = player, table


class WebPlayer(NamedTuple):
    """A player that decides at a table of cyberdeck.mjs for the mover."""

    name: str
    decide: Callable[[Any], int]
    memory: int = 0


class Thinker:
    """A player that thinks elsewhere, and is told its decisions. *asked*: what it needs for that,
    for JavaScript: ``{"search": settings}`` or ``{"policy": file}``.
    """

    memory = 0

    def __init__(self, name: str, asked: Any) -> None:
        self.name, self.asked = name, asked
        self._thought: tuple[bytes, int] | None = None

    def decide(self, table: Any) -> int:
        """For the mover, or ``Unthought``."""
        if self._thought is None or self._thought[0] != _bytes(table):
            raise Unthought(self, table)
        return self._thought[1]

    def told(self, table: Any, action: int) -> None:
        """What it has decided at a table."""
        self._thought = _bytes(table), action


def _bytes(table: Any) -> bytes:
    return bytes(table.bytes().to_py())


class WebEngine(Engine):
    """A game with its options chosen, and who can play it.

    Args:
        games: by name, a ``Game`` of cyberdeck.mjs for each file of the game, and what
            ``tools.site.play`` says beside them.
        name: which of them.
        options: those that were chosen.
        given: makes an object of JavaScript from a dictionary.
        ponders: whether players think elsewhere: then they raise ``Unthought``, and published
            policies play.
    """

    here = " here"

    def __init__(
        self, games: Games, name: str, options: Mapping[str, Any], given: Given, ponders: bool
    ) -> None:
        self.games_by_name, self.name, self.given, self._ponders = games, name, given, ponders
        files, self.people = games[name]
        self._asked = dict(options)
        # The last file whose own options are among these.
        *_, at = (
            at
            for at, file in enumerate(self.people["files"])
            if as_in_python(file["options"]).items() <= as_in_python(self._asked).items()
        )
        self.game, self._file = files[at], self.people["files"][at]["file"]
        table = self._table(0)
        self.title: str = self.people["title"]
        self.agents: list[str] = list(table.seats.to_py())
        self.sides = [int(side) for side in table.roles().sides]
        self.options: dict[str, Any] = as_in_python(table.options.to_py())
        usual = as_in_python(files[0].table(given({"seed": 0})).options.to_py())
        self.chosen = {
            key: own for key, own in self.options.items() if key in options and own != usual[key]
        }
        teams = self.people["teams"]
        self.teams: list[str] = teams if len({*self.sides}) == len(teams) else []
        self.scored: bool = self.people["scored"]
        self.open: bool = self.people["open"]
        self.rules: str = self.people["rules"]
        self.layout = self.game.layout.to_py()
        #: What the file says of the game's options.
        self._options = as_in_python(self.game.options.to_py())
        own = self.people["view"]
        self.plainly = not own
        self.view: View = importlib.import_module(own).VIEW if own else self._plain(table)
        listed = json.loads(json.dumps(self.options)).items()
        policies = self.people["policies"] if ponders else []
        fitting = (each["file"] for each in policies if each["rules"].items() <= listed)
        self._policy = next(fitting, "")
        self.players = [*self.people["built_in"], "search", *["baseline"] * bool(self._policy)]
        self.usual: str = self.people["built_in"][-1]
        self.levels: dict[str, str] = self.people["levels"]
        self.bound: float = self.people["reward_bound"]

    def _table(self, seed: int) -> Any:
        from pyodide.ffi import JsException

        try:
            return self.game.table(self.given({"seed": seed, "options": self._asked}))
        except JsException as error:  # it says what is possible
            raise OptionError(str(error).removeprefix("GameError: ")) from None

    def _plain(self, table: Any) -> View:
        features = []
        for each in as_in_python(table.features.to_py()):
            bounds = map(float if each["fractions"] else int, (each["low"], each["high"]))
            features.append((each["name"], each["shape"], *bounds, each["labels"]))
        actions = [(int(count), meaning) for count, meaning in table.actions.to_py()]
        described = {**self.people["plain"], "features": features, "actions": actions}
        return plain.view(Description(seats=self.agents, **described))

    def examine(self, position: WebPosition) -> tuple[list[int], list[float]]:
        """How often the search has looked at each action there, and what it expects of it."""
        found = position.table.examine(self.given(self.people["advice"]), True)
        return list(found.visits.to_py()), list(found.values.to_py())

    def player(self, name: str) -> WebPlayer | Thinker:
        """A player by its name, or ``OptionError``."""
        kind, _, text = name.partition(":")
        if name in self.people["built_in"]:
            return WebPlayer(name, lambda table: int(getattr(table, name)()))
        if name == "baseline" and self._policy:
            return Thinker(name, self.given({"policy": self._policy}))
        if kind != "search":
            near = nearest(kind, self.players)
            raise OptionError(
                f"{self.title} has no player {quoted(name)} here{near}: choose one of "
                + ", ".join(self.players)
            )
        settings = dict(map(_setting, filter(None, text.split(","))))
        if self._ponders:
            return Thinker(name, self.given({"search": self.given(settings), "file": self._file}))
        return WebPlayer(name, lambda table: int(table.search(self.given(settings))))

    def begin(self, seed: int, players: Sequence[WebPlayer | Thinker]) -> WebPosition:
        """A new game."""
        return WebPosition(self, self._table(seed))

    def offered(self) -> list[dict[str, Any]]:
        """The options that change what is played, what they mean, and how they are chosen now:
        of those that are fixed in a file of WebAssembly, what the game's files have.
        """
        free = [option["name"] for option in self._options if "fixed" not in option]
        now = {name: option_text.written(value) for name, value in self.chosen.items()}
        own, found = [file["options"] for file in self.people["files"]], []
        for each in self.people["offered"]:
            name, usual = each["name"], each["default"]
            fixed = [options[name] for options in own if name in options]
            if name in free or fixed:
                choices = [usual, *map(option_text.written, fixed)] if fixed else each["choices"]
                found.append({**each, "choices": choices, "value": now.get(name, usual)})
        return found

    def games(self) -> list[dict[str, str]]:
        """Name, title and summary of every game that there is."""
        return [
            {"name": name, "title": people["title"], "summary": people["summary"]}
            for name, (_, people) in self.games_by_name.items()
        ]

    def choices(self) -> Mapping[str, Sequence[Any]]:
        """What each option that people may give can be, where that is listed."""
        return {each["name"]: each.get("choices", ()) for each in self._options}

    def again(self, name: str, options: Mapping[str, Any]) -> Self:
        """A game by its name, with options as ``chosen`` had them; or ``OptionError``."""
        self.check_name(name)
        return type(self)(self.games_by_name, name, options, self.given, self._ponders)

    def linked(self, letters: str) -> FinishedGame:
        """The game in a link, or ``ReplayError``."""
        found = kept.unpacked(letters)
        seed, options, players = found.seed, found.options, found.players
        try:
            if not is_whole(seed) or not isinstance(options, dict):
                raise OptionError("its seed is no whole number, or its options have no names")
            engine = self.again(found.game, options)
            if not isinstance(players, list) or len(players) not in (0, len(engine.agents)):
                raise OptionError(f"{len(engine.agents)} play, and others are named")
            bad = [who for who in players if not isinstance(who, str) or fault_of_text(who)]
            if bad:
                raise OptionError(f"{quoted(bad[0])} cannot have played")
            return FinishedGame(engine, Game.played(engine, seed, found.actions), players)
        except CyberdeckError as error:
            raise kept.cannot_be_shown(error) from None


def as_in_python(value: Any) -> Any:
    """What JSON has made lists of, as tuples again, and null as None."""
    from pyodide.ffi import jsnull

    if isinstance(value, dict):
        return {name: as_in_python(each) for name, each in value.items()}
    if isinstance(value, list):
        return tuple(map(as_in_python, value))
    return None if value is jsnull else value


def _setting(text: str) -> tuple[str, Any]:
    """A setting of a search, as it is given in a player's name."""
    key, _, value = text.partition("=")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, None if value == "auto" else value


# --- for JavaScript ------------------------------------------------------------------------------


def make_given() -> Given:
    """What makes an object of JavaScript from a dictionary; None is what is not given."""
    import js
    from pyodide.ffi import to_js

    def given(settings: Mapping[str, Any]) -> Any:
        kept = {name: value for name, value in settings.items() if value is not None}
        return to_js(kept, dict_converter=js.Object.fromEntries)

    return given


def games_of(games: Any) -> Games:
    """JavaScript's list of a game's name, of each of its files the ``Game`` of cyberdeck.mjs, and,
    as JSON, what is said beside them.
    """
    return {str(name): (list(files), json.loads(people)) for name, files, people in games}


def seated(games: Any, before: str | None, keep: Callable[[str], None]) -> Callable[[str], Any]:
    """A table in a worker, by its messages and answers as JSON; or, where a player has to think
    first, what that needs: the table of JavaScript, what is asked, and whom to tell the decision.

    *games*: as ``games_of`` has them. *before*: the game that was kept last, as JSON; *keep* is
    given what is to be kept.
    """
    from pyodide.ffi import to_js

    def handle(message: str) -> Any:
        try:
            return json.dumps(playing.handle(json.loads(message)))
        except Unthought as asked:
            player, table = asked.player, asked.table
            return to_js([table, player.asked, functools.partial(player.told, table)])

    found = games_of(games)
    engine = WebEngine(found, next(iter(found)), {}, make_given(), ponders=True)
    begin = functools.partial(Table, engine, Setup(), None, lambda game: keep(json.dumps(game)))
    try:
        playing = begin(kept=json.loads(before or ""))
    except (CyberdeckError, ValueError):  # nothing was kept, or by an older version
        playing = begin()
    return handle


class WebViews:
    """What there is to see at tables of JavaScript, for a seat; None: for anybody, where nothing is
    hidden.
    """

    def __init__(self, games: Games, given: Given) -> None:
        self._games, self._given = games, given
        self._engines: dict[str, WebEngine] = {}

    def show(self, asked: str, table: Any, seat: int | None, before: Any, *how: Any) -> Any:
        """The table as ``text``, as a ``page`` of data or as a ``picture``; the ``events`` since
        *before*, an earlier table of the game, or None; or the ``choices`` of the mover.
        *how*: of a picture, its theme, and whether it is narrow.
        """
        if asked == "events" and before is None:
            raise OptionError("events() is given the table from before: { before: table.twin() }")
        engine = self._engine(table)
        if seat is None and not engine.open:
            raise OptionError(f"{engine.title} hides something: say which seat looks")
        if seat is not None and seat not in range(len(engine.agents)):
            raise OptionError(f"there is no seat {seat}: choose 0 to {len(engine.agents) - 1}")
        view, record = engine.view, record_of(engine, table.twin())
        old = None if before is None else record_of(engine, before.twin())
        scene = Scene(view, record, None if seat is None else (seat,), old, old)
        if asked == "choices":
            written = notation.notations(view, record, record.rules.mask(scene.viewer) or ())
            return [
                {"action": action, "words": view.action_name(record, action), "notation": each}
                for action, each in written.items()
            ]
        if asked == "picture":
            return scene.picture(None, *how)
        return scene.text() if asked == "text" else getattr(scene, asked)

    def _engine(self, table: Any) -> WebEngine:
        """What knows the table's game, with its options."""
        name, options = str(table.game), as_in_python(table.options.to_py())
        if name not in self._games:
            raise OptionError(f"these views were loaded for {', '.join(self._games)}, not {name}")
        key = json.dumps([name, options])
        if key not in self._engines:
            self._engines[key] = WebEngine(self._games, name, options, self._given, False)
        return self._engines[key]


def views(games: Any) -> Callable[..., str]:
    """Shows tables of JavaScript: JSON with what ``WebViews.show`` has ``told``, or with an
    ``error`` in words. *games*: as ``games_of`` has them.
    """
    showing = WebViews(games_of(games), make_given())

    def answer(*asked: Any) -> str:
        try:
            return json.dumps({"told": _as_json(showing.show(*asked))})
        except CyberdeckError as error:
            return json.dumps({"error": str(error)})

    return answer


def _as_json(value: Any) -> Any:
    """What has names, as dictionaries."""
    if isinstance(value, Event):
        value = {"kind": value.kind, **vars(value)}
    elif hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {name: _as_json(each) for name, each in value.items()}
    return list(map(_as_json, value)) if isinstance(value, (list, tuple)) else value
