"""The table of one person: the game that goes on there, as messages for a page to show.

It knows no server and no browser: a message comes in as a dictionary of JSON's values, and so does
the answer go out. What is answered holds nothing that the person's seats may not know.
"""

from __future__ import annotations

import dataclasses
import secrets
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

from cyberdeck.common import consent
from cyberdeck.common.reading import fault_of_text
from cyberdeck.common.text import printable, quoted
from cyberdeck.common.whole import is_whole, whole_numbers
from cyberdeck.engine.constants import RESIGNS
from cyberdeck.errors import CyberdeckError, OptionError
from cyberdeck.play.engine import Engine, Position
from cyberdeck.play.finished import FinishedGame
from cyberdeck.play.session import GameSession
from cyberdeck.playing import answers
from cyberdeck.playing.answers import Answer, Look
from cyberdeck.playing.lessons import lessons
from cyberdeck.playing.setup import SEEDS, Setup, named, seated
from cyberdeck.playing.thinking import GivenUp, Thinking

__all__ = ["Setup", "Table"]

#: Finished games besides the one that is looked at that are kept ready.
_BACK: Final = 2

#: What a message is.
Message = Mapping[str, Any]

#: What can be done where a page names what has effects.
_INSTEAD: Final = dict.fromkeys(
    ("game", "player"), "give it to `cyberdeck play --browser` in a terminal, as --against PLAYER"
)

_STALE: Final = (
    "The game has gone on in the meantime, perhaps in another tab. This is how it stands."
)


class Table:
    """A table where a person plays one game after the other.

    Args:
        engine: plays the game, with its options.
        setup: who plays in the first game.
        seed: that of the first game; None: drawn.
        keep: is called with what has to be kept, as values of JSON, whenever that changes. If it
            raises ``OSError``, the game goes on, and the page says so.
        kept: what was kept last: that game goes on, and *setup* and *seed* do not matter.
        command: how to start this table again, in words, if there is a way.

    >>> from cyberdeck import variant
    >>> from cyberdeck.playing.compiled import Compiled
    >>> table = Table(Compiled(variant("hackthegrid")), Setup("row"), seed=3)
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
        engine: Engine,
        setup: Setup,
        seed: int | None = None,
        keep: Callable[[Answer], None] = lambda kept: None,
        kept: Message | None = None,
        command: str = "",
    ) -> None:
        self._keep, self._command = keep, command
        # Nobody holds it who thinks, or reads a file.
        self._changing = threading.RLock()
        self._advising = threading.Lock()
        self._shown: dict[Look, Answer] = {}
        #: Why the game is not kept, in words, if it could not be.
        self.unkept = ""
        self._thinking: Thinking | None = None
        self._reviewing: Thinking | None = None
        self._hurried = False
        self._back: dict[str, FinishedGame] = {}
        if kept is None:
            setup = named(engine, setup)
            self._begin(setup, seated(engine, setup, seed))
        else:
            self._go_on_from(engine, kept)
        #: Players that whoever started the table has named: no page names others that do more than
        #: decide.
        self._named = {setup.against, setup.ally, self._setup.against, self._setup.ally}
        #: Whether a game goes on here. After how many decisions may be a secret of others.
        self.resumed = bool(self._session.actions)

    @property
    def _engine(self) -> Engine:
        """What plays the game of now, with its options."""
        return self._session.engine

    @property
    def version(self) -> str:
        """Of what is shown: another one after each change."""
        return f"{self._id}.{self._changes}"

    def handle(self, message: Message) -> Answer:
        """Do what a page asks for; what cannot be done is answered with an ``error`` in words."""
        try:
            with consent.named_by("the page", _INSTEAD, self._named):
                return self._answer(message)
        except CyberdeckError as error:
            return {"error": str(error)}

    def _answer(self, message: Message) -> Answer:
        look = Look(str(message.get("theme", "dark")), bool(message.get("narrow")))
        asked = str(message.get("do"))
        handlers: dict[str, Callable[[Message, Look], Answer]] = {
            "about": self._about,
            "look": self._look,
            "choose": self._choose,
            "go on": self._others,
            "hurry": self._hurry,
            "undo": self._undo,
            "resign": self._resign,
            "new": self._new,
            "hint": self._hint,
            "worth": self._worth,
            "replay": self._replay,
            "offers": self._offers,
            "open": self._open,
            "position": self._position,
            "lessons": self._lessons,
            "review": self._review,
            "enough": self._enough,
        }
        if asked not in handlers:
            raise OptionError(f"do={quoted(asked)} is not possible: choose " + ", ".join(handlers))
        if asked not in ("choose", "undo", "resign"):
            return handlers[asked](message, look)
        with self._changing:  # by a page that has seen how the game stands
            if self._stale(message):
                return self._refused(look)
            noticed = handlers[asked](message, look)
            self._changed()
            return {**self._look({}, look), **noticed}

    # --- a game begins, or goes on ---------------------------------------------------------------

    def _begin(self, setup: Setup, session: GameSession) -> None:
        """A new game."""
        self._enough({})  # of the game before
        self._hurried = False
        self._sit_down(setup, session)
        self._id, self._changes = secrets.token_hex(4), 0
        self._changed()

    def _sit_down(self, setup: Setup, session: GameSession) -> None:
        self._setup, self._session = setup, session
        #: The others of this game decide one at a time: who wants them to waits here.
        self._deciding = threading.Lock()

    def _go_on_from(self, engine: Engine, kept: Message) -> None:
        """The game that was kept, or ``OptionError``; it may be another than that of *engine*."""
        try:
            if "game" in kept:
                engine = engine.again(str(kept["game"]), kept["options"])
            given, seed, actions = kept["setup"], kept["seed"], whole_numbers(kept["actions"])
            if not all(isinstance(who, str) for who in given.values()):
                raise TypeError("who plays is no text")
            if not is_whole(seed) or actions is None or not is_whole(kept["changes"]):
                raise TypeError("its seed, actions and changes are no whole numbers")
            setup = named(engine, Setup(**given))
            session = seated(engine, setup, seed)
            session.play(actions)
            if not isinstance(kept["id"], str) or fault_of_text(kept["id"]):
                raise TypeError("its name is no text")
            self._id, self._changes = kept["id"], kept["changes"]
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise OptionError(printable(f"the game that was kept cannot go on: {error}")) from None
        self._sit_down(setup, session)
        self._film = session.film

    def _changed(self) -> None:
        """Have it kept, and show it to all that look, whether it could be kept or not."""
        self._changes += 1
        if self._thinking is not None:  # nobody waits for it any more
            self._thinking.enough.set()
        self._hurried = self._hurried and self._session.waiting
        self._film, self._session.film = self._session.film, []
        kept = {
            "id": self._id,
            "game": self._engine.name,
            "options": self._engine.chosen,
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

    def _about(self, message: Message, look: Look) -> Answer:
        """What does not change."""
        with self._changing:
            engine, playing = self._engine, self._id
        return {**answers.about(engine), "command": self._command, "id": playing}

    def _lessons(self, message: Message, look: Look) -> Answer:
        """A first game in steps."""
        steps = lessons(self._engine, look.theme, look.narrow)
        return {"steps": [step._asdict() for step in steps]}

    def _look(self, message: Message, look: Look) -> Answer:
        """The game as it stands; nothing new if the page knows that version."""
        shown = self._shown.get(look)
        if shown is None:
            with self._changing:
                shown = self._shown[look] = self._view(look)
        if message.get("version") == shown["version"]:
            both = {"thinking": self._thinking, "reviewing": self._reviewing}
            on = {name: each for name, each in both.items() if each and not each.over.is_set()}
            told = {name: each.shown() for name, each in on.items()}
            return {"version": shown["version"], "same": True, **told}
        return shown

    def _view(self, look: Look) -> Answer:
        told = answers.state(self._session, self._setup, self._film, look)
        return {"version": self.version, **told, "unkept": self.unkept}

    # --- what changes it -------------------------------------------------------------------------

    def _stale(self, message: Message) -> bool:
        """Whether the page has not seen yet what it wants to change."""
        return message.get("version") != self.version

    def _refused(self, look: Look) -> Answer:
        return {**self._look({}, look), "notice": _STALE}

    def _choose(self, message: Message, look: Look) -> Answer:
        action, session = message.get("action"), self._session
        if session.waiting or session.over:
            raise OptionError("It is not your turn.")
        if not is_whole(action) or action not in [each.action for each in session.choices()]:
            raise OptionError(f"action={quoted(action)} is not among your choices")
        session.decide(int(str(action)))
        return {}

    def _resign(self, message: Message, look: Look) -> Answer:
        """The person's side loses: while others decide, in the place of its last decision."""
        if self._session.over:
            raise OptionError("The game is over.")
        if self._session.waiting and self._session.undo() is None:
            raise OptionError("You have decided nothing yet: begin a new game instead.")
        self._session.decide(RESIGNS)
        return {}

    def _undo(self, message: Message, look: Look) -> Answer:
        taken_back = self._session.undo()
        if taken_back is None:
            raise OptionError("There is nothing to undo.")
        return {"notice": f"Undone: {taken_back}"}

    def _new(self, message: Message, look: Look) -> Answer:
        """Another game: with the entries of a ``Setup`` that are given, and the others as before.

        ``game``: its name, and ``options`` with the texts of those that are to be other than by
        default. ``seed``: a whole number, None to draw one, or "same".
        """
        seed = message.get("seed")
        if seed not in (None, "same") and (not is_whole(seed) or not 0 <= seed < SEEDS):
            raise OptionError(f"seed={quoted(seed)} must be a whole number from 0 to {SEEDS - 1}")
        with self._changing:
            if self._stale(message):
                return self._refused(look)
            known, playing, engine = dataclasses.asdict(self._setup), self._id, self._engine
            seed = self._session.seed if seed == "same" else seed
        if "game" in message:
            other = engine.another(message["game"], message.get("options"))
            known = known if other.name == engine.name else dataclasses.asdict(Setup())
            engine = other
        known |= {name: str(message[name]) for name in known if message.get(name)}
        setup = named(engine, Setup(**known))
        session = seated(engine, setup, seed)
        with self._changing:
            if self._id != playing:  # another tab was faster; a move in the meantime is given up
                return self._refused(look)
            self._begin(setup, session)
            return self._look({}, look)

    def _others(self, message: Message, look: Look) -> Answer:
        """Let the others decide until there is something to show.

        Meanwhile the game can be looked at, given up, and decisions taken back.
        """
        with self._changing:
            session, deciding, known = self._session, self._deciding, len(self._session.news)
        with deciding:
            while True:
                with self._changing:
                    if self._stale(message) or not session.waiting:
                        return self._look({}, look)
                    twin = session.position.twin()
                    thinking = self._thinking = Thinking(self._hurried)
                try:
                    action = session.ask(twin, thinking.watch)
                finally:
                    thinking.over.set()
                with self._changing:
                    if self._stale(message):
                        return self._look({}, look)
                    session.carry_out(twin, action)
                    if not session.waiting or len(session.news) > known:
                        self._changed()

    def _hurry(self, message: Message, look: Look) -> Answer:
        """Whoever thinks decides with what it has found out so far, if it can be hurried; and in
        a second whoever of the others decides after that, until it is the person's turn.
        """
        with self._changing:
            if self._stale(message):
                return self._refused(look)
            if self._thinking is not None:
                self._thinking.enough.set()
            self._hurried = True
        return {}

    # --- besides ---------------------------------------------------------------------------------

    def _hint(self, message: Message, look: Look) -> Answer:
        """What the best player there is would do."""
        return self._advised(message, look, answers.advice)

    def _worth(self, message: Message, look: Look) -> Answer:
        """What the position is worth to the person's side, by what it may know."""
        return self._advised(message, look, answers.worth)

    def _advised(
        self, message: Message, look: Look, ask: Callable[[Engine, Position], Answer]
    ) -> Answer:
        """What is said about the position when it is the person's turn. The game can go on while
        somebody thinks about it.
        """
        with self._changing:
            if self._stale(message):
                return self._refused(look)
            session, version = self._session, self.version
            if session.waiting or session.over:
                raise OptionError("There is nothing to decide now: hints are for your own turn.")
            position = session.position.twin()
        with self._advising:
            return {**ask(session.engine, position), "version": version}

    def _offers(self, message: Message, look: Look) -> Answer:
        """What a new game can be: of ``game`` with ``options``; or as it is played now."""
        engine = self._engine
        if "game" in message:
            engine = engine.another(message["game"], message.get("options"))
        return {"offers": answers.offers(engine)}

    def _replay(self, message: Message, look: Look) -> Answer:
        """The finished game as a file: ``kind`` is "json", or, where Python is, "html", a page to
        step through; or "link": the letters that hold all of it.
        """
        kind, files = message.get("kind"), self._engine.files
        if kind not in (*files, "link"):
            known = ", ".join(files)
            raise OptionError(f"kind={quoted(kind)} is not possible: choose {known} or link")
        finished = self._finished()
        return {"link": finished.link()} if kind == "link" else {"file": finished.file(kind)}

    # --- looking back ----------------------------------------------------------------------------

    def _finished(self) -> FinishedGame:
        """The game that is over. That looked at last is kept."""
        with self._changing:
            if not self._session.over:
                raise OptionError("There is a replay once the game is over.")
            version = self.version
            return self._kept_ready(version, self._back.get(version) or self._session.finished())

    def _looking_back(self, message: Message) -> FinishedGame:
        """The game of a ``link``, or the one that is over here. Those looked at last are kept."""
        if "link" not in message:
            return self._finished()
        asked = str(message["link"])
        return self._kept_ready(asked, self._back.get(asked) or self._engine.linked(asked))

    def _kept_ready(self, asked: str, found: FinishedGame) -> FinishedGame:
        self._back = {**dict([*self._back.items()][-_BACK:]), asked: found}
        return found

    def _open(self, message: Message, look: Look) -> Answer:
        """What a finished game was, to look at: of a ``link``, or the one that is over here."""
        return {"back": self._looking_back(message).summary()}

    def _position(self, message: Message, look: Look) -> Answer:
        """How the board stood ``at`` so many decisions."""
        back, at = self._looking_back(message), message.get("at")
        if not is_whole(at) or not 0 <= int(str(at)) <= len(back):
            raise OptionError(f"at={quoted(at)} is not possible: choose 0 to {len(back)}")
        number = int(str(at))
        return {"position": {"at": number, "picture": back.picture(number, *look)}}

    def _review(self, message: Message, look: Look) -> Answer:
        """What the decisions of a finished game gave away; ``look`` says how far that is."""
        back = self._looking_back(message)
        thinking = self._reviewing = Thinking()
        try:
            return {"review": back.review(thinking.hear)}
        except GivenUp:
            return {}
        finally:
            thinking.over.set()

    def _enough(self, message: Message, look: Look | None = None) -> Answer:
        """Nobody waits for a review any more."""
        if self._reviewing is not None:
            self._reviewing.enough.set()
        return {}
