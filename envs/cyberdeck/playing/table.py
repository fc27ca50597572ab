"""The table of one person: the game that goes on there, as messages for a page to show.

It knows no server and no browser: a message comes in as a dictionary of JSON's values, and so does
the answer go out. What is answered holds nothing that the person's seats may not know.
"""

from __future__ import annotations

import dataclasses
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from cyberdeck.common import consent
from cyberdeck.common.reading import fault_of_text
from cyberdeck.common.text import printable, quoted
from cyberdeck.common.whole import is_whole, whole_numbers
from cyberdeck.engine.constants import RESIGNS
from cyberdeck.errors import CyberdeckError, OptionError
from cyberdeck.play.engine import Engine
from cyberdeck.play.finished import FinishedGame
from cyberdeck.play.session import SEEDS, GameSession, Setup
from cyberdeck.playing import answers
from cyberdeck.playing.answers import Answer, Look

__all__ = ["Setup", "Table"]

#: Finished games besides the one that is looked at that are kept ready.
_BACK: Final = 2

#: Seconds for a decision of one who is hurried.
_HURRIED: Final = 1.0

#: What a message is.
Message = Mapping[str, Any]

#: What can be done where a page names what has effects.
_INSTEAD: Final = dict.fromkeys(
    ("game", "player"), "give it to `cyberdeck play --browser` in a terminal, as --opponent PLAYER"
)

_STALE: Final = (
    "The game has gone on in the meantime, perhaps in another tab. This is how it stands."
)


class GivenUp(Exception):
    """Nobody waits for a review any more."""


class Thinking:
    """One of the others decides, or a game is reviewed; *hurried*: in a second."""

    def __init__(self, hurried: bool = False) -> None:
        self._began, self._hurried = time.monotonic(), hurried
        #: How much is done, from 0 to 1, if whoever thinks says that: then it can be hurried.
        self._share: float | None = None
        self.enough = threading.Event()
        self.over = threading.Event()

    def watch(self, share: float) -> bool:
        """Hear how much is done; whether to go on."""
        self._share = share
        late = self._hurried and time.monotonic() - self._began > _HURRIED
        return not (late or self.enough.is_set())

    def hear(self, share: float) -> None:
        """The same for work that is of no use before it is done."""
        if not self.watch(share):
            raise GivenUp

    def progress(self) -> Answer:
        """How far it is, for a page."""
        return {"seconds": round(time.monotonic() - self._began, 1), "share": self._share}


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
            self._begin(GameSession(engine, setup, seed))
        else:
            self._go_on_from(engine, kept)
        playing = self._session.setup
        #: Players that whoever started the table has named: no page names others that do more than
        #: decide.
        self._named = {setup.against, setup.ally, playing.against, playing.ally}
        #: Whether a game goes on here. After how many decisions may be a secret of others.
        self.resumed = bool(self._session.actions)

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
            "hint": self._advised,
            "worth": self._advised,
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

    def _begin(self, session: GameSession) -> None:
        """A new game."""
        self._enough()  # of the game before
        self._hurried = False
        self._sit_down(session, secrets.token_hex(4), 0)
        self._changed()

    def _sit_down(self, session: GameSession, name: str, changes: int) -> None:
        self._session, self._id, self._changes = session, name, changes
        #: The others of this game decide one at a time: who wants them to waits here.
        self._deciding = threading.Lock()

    def _go_on_from(self, engine: Engine, kept: Message) -> None:
        """The game that was kept, or ``OptionError``; it may be another than that of *engine*."""
        try:
            if "game" in kept:
                engine = engine.again(str(kept["game"]), kept["options"])
            given, actions, name = kept["setup"], whole_numbers(kept["actions"]), kept["id"]
            if not all(isinstance(who, str) for who in given.values()):
                raise TypeError("who plays is no text")
            if not isinstance(name, str) or fault_of_text(name):
                raise TypeError("its name is no text")
            if actions is None or not (is_whole(kept["seed"]) and is_whole(kept["changes"])):
                raise TypeError("its seed, actions and changes are no whole numbers")
            session = GameSession(engine, Setup(**given), kept["seed"])
            session.play(actions)
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise OptionError(printable(f"the game that was kept cannot go on: {error}")) from None
        self._sit_down(session, name, kept["changes"])
        self._film = session.film

    def _changed(self) -> None:
        """Have it kept, and show it to all that look, whether it could be kept or not."""
        session = self._session
        self._changes += 1
        if self._thinking is not None:  # nobody waits for it any more
            self._thinking.enough.set()
        self._hurried = self._hurried and session.waiting
        self._film, session.film = session.film, []
        kept = {
            "id": self._id,
            "game": session.engine.name,
            "options": session.engine.chosen,
            "changes": self._changes,
            "setup": dataclasses.asdict(session.setup),
            "seed": session.seed,
            "actions": session.actions,
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
            engine, playing = self._session.engine, self._id
        return {**answers.about(engine), "command": self._command, "id": playing}

    def _lessons(self, message: Message, look: Look) -> Answer:
        """A first game in steps."""
        steps = answers.lessons(self._session.engine, look.theme, look.narrow)
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
            progress = {name: each.progress() for name, each in on.items()}
            return {"version": shown["version"], "same": True, **progress}
        return shown

    def _view(self, look: Look) -> Answer:
        shown = answers.state(self._session, self._film, look)
        return {"version": self.version, **shown, "unkept": self.unkept}

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
        if not is_whole(action) or action not in session.legal:
            raise OptionError(f"action={quoted(action)} is not among your choices")
        session.decide(action)
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
        undone = self._session.undo()
        if undone is None:
            raise OptionError("There is nothing to undo.")
        return {"notice": f"Undone: {undone}"}

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
            before, playing = self._session, self._id
        engine = self._engine_of(message, before.engine)
        setup = before.setup if engine.name == before.engine.name else Setup()
        known = dataclasses.asdict(setup)
        known |= {name: str(message[name]) for name in known if message.get(name)}
        session = GameSession(engine, Setup(**known), before.seed if seed == "same" else seed)
        with self._changing:
            if self._id != playing:  # another tab was faster; a move in the meantime is given up
                return self._refused(look)
            self._begin(session)
            return self._look({}, look)

    @staticmethod
    def _engine_of(message: Message, engine: Engine) -> Engine:
        """What plays ``game`` with ``options``; without these the one that plays now."""
        if "game" not in message:
            return engine
        return engine.another(message["game"], message.get("options"))

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

    def _advised(self, message: Message, look: Look) -> Answer:
        """The ``hint`` of the best player there is at the person's turn, or what the position is
        ``worth``, by what the person's side may know. The game can go on while somebody thinks.
        """
        ask = answers.hint if message["do"] == "hint" else answers.worth
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
        return {"offers": answers.offers(self._engine_of(message, self._session.engine))}

    def _replay(self, message: Message, look: Look) -> Answer:
        """The finished game as a file: ``kind`` is "json", or, where Python is, "html", a page to
        step through; or "link": the letters that hold all of it.
        """
        kind, files = message.get("kind"), self._session.engine.files
        if kind not in (*files, "link"):
            known = ", ".join(files)
            raise OptionError(f"kind={quoted(kind)} is not possible: choose {known} or link")
        game = self._looking_back({})
        return {"link": game.link()} if kind == "link" else {"file": game.file(kind)}

    # --- looking back ----------------------------------------------------------------------------

    def _looking_back(self, message: Message) -> FinishedGame:
        """The game of a ``link``, or the one that is over here. Those looked at last are kept."""
        if "link" in message:
            asked = str(message["link"])
            game = self._back.get(asked) or self._session.engine.linked(asked)
        else:
            with self._changing:
                if not self._session.over:
                    raise OptionError("There is a replay once the game is over.")
                asked = self.version
                game = self._back.get(asked) or self._session.finished()
        self._back = {**dict([*self._back.items()][-_BACK:]), asked: game}
        return game

    def _open(self, message: Message, look: Look) -> Answer:
        """What a finished game was, to look at: of a ``link``, or the one that is over here."""
        return {"back": self._looking_back(message).summary()}

    def _position(self, message: Message, look: Look) -> Answer:
        """How the board stood ``at`` so many decisions."""
        game = self._looking_back(message)
        at: Any = message.get("at")
        if not is_whole(at) or not 0 <= at <= len(game):
            raise OptionError(f"at={quoted(at)} is not possible: choose 0 to {len(game)}")
        return {"position": {"at": at, "picture": game.picture(at, *look)}}

    def _review(self, message: Message, look: Look) -> Answer:
        """What the decisions of a finished game gave away; ``look`` says how far that is."""
        game = self._looking_back(message)
        thinking = self._reviewing = Thinking()
        try:
            return {"review": game.review(thinking.hear)}
        except GivenUp:
            return {}
        finally:
            thinking.over.set()

    def _enough(self, *message: Any) -> Answer:
        """Nobody waits for a review any more."""
        if self._reviewing is not None:
            self._reviewing.enough.set()
        return {}
