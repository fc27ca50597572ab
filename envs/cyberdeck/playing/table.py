"""The table of one person: the game that goes on there, as messages for a page to show.

It knows no server and no browser: a message comes in as a dictionary of JSON's values, and so does
the answer go out. What is answered holds nothing that the person's seats may not know.
"""

from __future__ import annotations

import dataclasses
import secrets
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, NamedTuple

from cyberdeck import showing
from cyberdeck.common.reading import fault_of_text
from cyberdeck.common.text import printable, quoted
from cyberdeck.engine import registry
from cyberdeck.engine.contract import is_whole, whole_numbers
from cyberdeck.engine.policy import RESIGNS
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import CyberdeckError, OptionError
from cyberdeck.players import built_in_names, levels, player_names
from cyberdeck.playing.session import GameSession, own_seats

#: What a message and an answer are.
Message = Mapping[str, Any]
Answer = dict[str, Any]

#: Seeds that are drawn are below it.
_SEEDS: Final = 2**31

_STALE: Final = (
    "The game has gone on in the meantime, perhaps in another tab. This is how it stands."
)


@dataclass(frozen=True)
class Setup:
    """Who plays what: the person's seat or team, and the others' players by name.

    Nobody named: the heuristic, where the game has one, else random.
    """

    seat: str = "0"
    against: str = ""
    ally: str = ""


class _Look(NamedTuple):
    """How a page wants the picture."""

    theme: str
    narrow: bool


class Table:
    """A table where a person plays one game after the other.

    Args:
        variant: the game with its options.
        setup: who plays in the first game.
        seed: that of the first game; None: drawn.
        keep: is called with what has to be kept, as values of JSON, whenever that changes. If it
            raises ``OSError``, the game goes on, and the page says so.
        kept: what was kept last: that game goes on, and *setup* and *seed* do not matter.
        command: how to start this table again, in words, if there is a way.

    >>> from cyberdeck import variant
    >>> table = Table(variant("hackthegrid"), Setup("row"), seed=3)
    >>> table.handle({"do": "look"})["waiting"]  # column begins
    True
    >>> shown = table.handle({"do": "go on", "version": table.version})
    >>> chosen = shown["choices"][0]
    >>> shown = table.handle({"do": "choose", "action": chosen["action"], "version": table.version})
    >>> shown["heard"][1]["words"] == chosen["words"]
    True
    """

    def __init__(
        self,
        variant: Variant,
        setup: Setup,
        seed: int | None = None,
        keep: Callable[[Answer], None] = lambda kept: None,
        kept: Message | None = None,
        command: str = "",
    ) -> None:
        self._variant, self._game = variant, variant.game
        self._keep, self._command = keep, command
        # Nobody holds it who thinks, or reads a file.
        self._changing = threading.RLock()
        self._advising = threading.Lock()
        self._shown: dict[_Look, Answer] = {}
        #: Why the game is not kept, in words, if it could not be.
        self.unkept = ""
        if kept is None:
            setup = self._named(setup)
            self._begin(setup, self._seated(setup, seed))
        else:
            self._go_on_from(kept)
        #: Whether a game goes on here. After how many decisions may be a secret of others.
        self.resumed = bool(self._session.actions)

    @property
    def version(self) -> str:
        """Of what is shown: another one after each change."""
        return f"{self._id}.{self._changes}"

    def handle(self, message: Message) -> Answer:
        """Do what a page asks for; what cannot be done is answered with an ``error`` in words."""
        try:
            look = _Look(str(message.get("theme", "dark")), bool(message.get("narrow")))
            asked = str(message.get("do"))
            answers: dict[str, Callable[[Message, _Look], Answer]] = {
                "about": self._about,
                "look": self._look,
                "choose": self._choose,
                "go on": self._others,
                "undo": self._undo,
                "resign": self._resign,
                "new": self._new,
                "hint": self._hint,
                "replay": self._replay,
            }
            if asked not in answers:
                raise OptionError(
                    f"do={quoted(asked)} is not possible: choose " + ", ".join(answers)
                )
            if asked not in ("choose", "undo", "resign"):
                return answers[asked](message, look)
            with self._changing:  # by a page that has seen how the game stands
                if self._stale(message):
                    return self._refused(look)
                noticed = answers[asked](message, look)
                self._changed()
                return {**self._look({}, look), **noticed}
        except CyberdeckError as error:
            return {"error": str(error)}

    # --- a game begins, or goes on ---------------------------------------------------------------

    def _begin(self, setup: Setup, session: GameSession) -> None:
        """A new game."""
        self._sit_down(setup, session)
        self._id, self._changes = secrets.token_hex(4), 0
        self._changed()

    def _sit_down(self, setup: Setup, session: GameSession) -> None:
        self._setup, self._session = setup, session
        #: The others of this game decide one at a time: who wants them to waits here.
        self._deciding = threading.Lock()

    def _go_on_from(self, kept: Message) -> None:
        """The game that was kept, or ``OptionError``."""
        try:
            given, seed, actions = kept["setup"], kept["seed"], whole_numbers(kept["actions"])
            if not all(isinstance(who, str) for who in given.values()):
                raise TypeError("who plays is no text")
            if not is_whole(seed) or actions is None or not is_whole(kept["changes"]):
                raise TypeError("its seed, actions and changes are no whole numbers")
            setup = self._named(Setup(**given))
            session = self._seated(setup, seed)
            session.play(actions)
            if not isinstance(kept["id"], str) or fault_of_text(kept["id"]):
                raise TypeError("its name is no text")
            self._id, self._changes = kept["id"], kept["changes"]
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise OptionError(printable(f"the game that was kept cannot go on: {error}")) from None
        self._sit_down(setup, session)
        self._film = session.film

    def _named(self, setup: Setup) -> Setup:
        """The same with everybody named; in a game without allies nobody asks who they are."""
        for who in dataclasses.astuple(setup):
            if fault := fault_of_text(who):
                raise OptionError(f"{quoted(who)} cannot play: {fault}")
        usual = built_in_names(self._game)[-1]
        return Setup(setup.seat, setup.against or usual, setup.ally or usual)

    def _seated(self, setup: Setup, seed: int | None) -> GameSession:
        """A game in which nothing is decided yet; None: on a deal that is drawn."""
        if seed is None:
            seed = secrets.randbelow(_SEEDS)
        own = own_seats(self._variant, setup.seat, seed)
        return GameSession(self._variant, own, setup.against, setup.ally, seed)

    def _changed(self) -> None:
        """Have it kept, and show it to all that look, whether it could be kept or not."""
        self._changes += 1
        self._film, self._session.film = self._session.film, []
        kept = {
            "id": self._id,
            "changes": self._changes,
            "setup": dataclasses.asdict(self._setup),
            "seed": self._session.seed,
            "actions": self._session.actions,
        }
        try:
            self._keep(kept)
            self.unkept = ""
        except OSError as error:  # such as a full disk
            self.unkept = (
                f"Your game cannot be kept on the disk: {error.strerror or error}. Keep the "
                "program running until that is mended. Your next move then keeps the game."
            )
        self._shown = {look: self._view(look) for look in self._shown}

    # --- what is shown ---------------------------------------------------------------------------

    def _about(self, message: Message, look: _Look) -> Answer:
        """What stays the same from game to game."""
        variant, game = self._variant, self._game
        return {
            "title": game.title,
            "options": [f"{name}={value}" for name, value in variant.chosen.items()],
            "how to play": showing.how_to_play(variant),
            "how to write": showing.own_notation(variant),
            "rules": rules(game.name),
            "seats": list(variant.agents) if variant.seats > 1 else [],
            "teams": list(variant.teams) if variant.seats > len(set(variant.sides)) else [],
            "players": player_names(variant),
            "levels": levels(variant),
            "command": self._command,
        }

    def _look(self, message: Message, look: _Look) -> Answer:
        """The game as it stands; nothing new if the page knows that version."""
        shown = self._shown.get(look)
        if shown is None:
            with self._changing:
                shown = self._shown[look] = self._view(look)
        if message.get("version") == shown["version"]:
            return {"version": shown["version"], "same": True}
        return shown

    def _view(self, look: _Look) -> Answer:
        session, setup = self._session, self._setup
        over = session.mover == NOBODY
        return {
            "version": self.version,
            "picture": session.svg(look.theme, look.narrow, bare=True),
            "status": list(session.status()),
            "signs": session.signs(look.theme),
            # What was to be seen on the way there.
            "film": [
                {
                    "picture": session.svg_of(phase, look.theme, look.narrow),
                    "turn": phase.turn,
                    "words": phase.lines,
                }
                for phase in self._film
            ],
            "setup": dataclasses.asdict(setup),
            "seats": [
                {
                    "name": session.seat_name(seat),
                    "player": session.player_name(seat),
                    "own": seat in session.own,
                    "ally": self._variant.sides[seat] == self._variant.sides[session.own[0]],
                }
                for seat in range(self._variant.seats)
            ],
            "turn": session.turn(),
            "mover": "" if over else session.seat_name(session.mover),
            "waiting": session.waiting,
            "choices": []
            if over or session.waiting
            else [{**choice._asdict(), "short": choice.short} for choice in session.choices()],
            "heard": [
                {
                    "who": "" if heard.seat == NOBODY else session.seat_name(heard.seat),
                    "own": heard.seat in session.own,
                    "words": heard.words,
                    "short": heard.short,
                    "turn": heard.turn,
                }
                for heard in session.heard
            ],
            "undo": session.can_undo,
            "unkept": self.unkept,
            "end": self._end() if over else None,
        }

    def _end(self) -> Answer:
        session = self._session
        ending = session.ending()
        return {
            "outcome": ending.headline,
            "reason": ending.why,
            "metrics": [f"{name}: {value}" for name, value in session.metrics()],
            "seed": session.seed,
        }

    # --- what changes it -------------------------------------------------------------------------

    def _stale(self, message: Message) -> bool:
        """Whether the page has not seen yet what it wants to change."""
        return message.get("version") != self.version

    def _refused(self, look: _Look) -> Answer:
        return {**self._look({}, look), "notice": _STALE}

    def _choose(self, message: Message, look: _Look) -> Answer:
        action, session = message.get("action"), self._session
        if session.waiting or session.mover == NOBODY:
            raise OptionError("It is not your turn.")
        if not is_whole(action) or action not in [each.action for each in session.choices()]:
            raise OptionError(f"action={quoted(action)} is not among your choices")
        session.decide(int(str(action)))
        return {}

    def _resign(self, message: Message, look: _Look) -> Answer:
        """The person's side loses."""
        if self._session.waiting or self._session.mover == NOBODY:
            raise OptionError("You can resign when it is your turn.")
        self._session.decide(RESIGNS)
        return {}

    def _undo(self, message: Message, look: _Look) -> Answer:
        taken_back = self._session.undo()
        if taken_back is None:
            raise OptionError("There is nothing to undo.")
        return {"notice": f"Undone: {taken_back}"}

    def _new(self, message: Message, look: _Look) -> Answer:
        """Another game: with the entries of a ``Setup`` that are given, and the others as before.

        ``seed``: a whole number, None to draw one, or "same".
        """
        seed = message.get("seed")
        if seed not in (None, "same") and (not is_whole(seed) or not 0 <= seed < _SEEDS):
            raise OptionError(f"seed={quoted(seed)} must be a whole number from 0 to {_SEEDS - 1}")
        with self._changing:
            if self._stale(message):
                return self._refused(look)
            known, playing = dataclasses.asdict(self._setup), self._id
            seed = self._session.seed if seed == "same" else seed
        known |= {name: str(message[name]) for name in known if message.get(name)}
        setup = self._named(Setup(**known))
        session = self._seated(setup, seed)
        with self._changing:
            if self._id != playing:  # another tab was faster; a move in the meantime is given up
                return self._refused(look)
            self._begin(setup, session)
            return self._look({}, look)

    def _others(self, message: Message, look: _Look) -> Answer:
        """Let the others decide until there is something to show.

        Meanwhile the game can be looked at, given up, and decisions taken back.
        """
        with self._changing:
            session, deciding, known = self._session, self._deciding, len(self._session.heard)
        with deciding:
            while True:
                with self._changing:
                    if self._stale(message) or not session.waiting:
                        return self._look({}, look)
                    twin = session.twin()
                action = session.ask(twin)
                with self._changing:
                    if self._stale(message):
                        return self._look({}, look)
                    session.answered(twin, action)
                    if not session.waiting or len(session.heard) > known:
                        self._changed()

    # --- besides ---------------------------------------------------------------------------------

    def _hint(self, message: Message, look: _Look) -> Answer:
        """What the best player there is would do. The game can go on while it thinks."""
        with self._changing:
            if self._stale(message):
                return self._refused(look)
            if self._session.waiting or self._session.mover == NOBODY:
                raise OptionError("There is nothing to decide now: hints are for your own turn.")
            version, adviser, core = self.version, self._session.adviser, self._session.position()
        with self._advising:
            hint = adviser.hint(core)
        words = showing.action_name(self._variant, core.states, hint.action)
        worth = [{"action": action, "worth": word} for action, word in hint.worth.items()]
        told = {"player": hint.player, "action": hint.action, "words": words, "worth": worth}
        return {"hint": told, "version": version}

    def _replay(self, message: Message, look: _Look) -> Answer:
        """The finished game as a file: ``kind`` is "json", or "html", a page to step through."""
        kind = message.get("kind")
        if kind not in ("json", "html"):
            raise OptionError(f"kind={quoted(kind)} is not possible: choose json or html")
        with self._changing:
            if self._session.mover != NOBODY:
                raise OptionError("There is a replay once the game is over.")
            replay = self._session.replay()
        name = f"{self._game.name}-{replay.seed}.{kind}"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            if kind == "json":
                replay.save(path)
            else:
                replay.write_html(path)
            text = path.read_text("utf-8")
        kinds = {"json": "application/json", "html": "text/html"}
        return {"file": {"name": name, "type": kinds[kind], "text": text}}


def rules(game: str) -> str:
    """The rules of one of the package's games as Markdown; nothing for games of one's own.

    >>> rules("hackthegrid").splitlines()[0]
    '# HACKtheGRID: the rules'
    """
    if game not in registry.GAMES:
        return ""
    return files("cyberdeck.games").joinpath(game, "RULES.md").read_text("utf-8")
