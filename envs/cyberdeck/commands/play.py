"""``play``: a person against players of the suite, in the terminal or in the browser."""

from __future__ import annotations

import contextlib
import os
import re
import select
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from cyberdeck.commands import arguments
from cyberdeck.commands.arguments import Chosen
from cyberdeck.common.files import write_whole
from cyberdeck.common.tables import table_of
from cyberdeck.common.text import printable
from cyberdeck.drawing.raster import rgb
from cyberdeck.drawing.window import Window
from cyberdeck.errors import CyberdeckError, OptionError
from cyberdeck.play.choices import Choice, listed, matching, written
from cyberdeck.play.compiled import CompiledEngine
from cyberdeck.play.engine import Engine
from cyberdeck.play.session import GameSession, Setup
from cyberdeck.views.view import INKS

#: What is typed as one letter and is no action, however that is written.
LETTERS: Final = ("h", "u", "p", "s", "?", "q")

#: Columns and lines where nobody says how large the terminal is; more columns are not used.
_SIZE: Final = (100, 30)

#: They only repeat what the words say.
BOLD, DIM = "1", "2"
_CODES: Final = {ink: DIM if ink == "dim" else str(31 + at) for at, ink in enumerate(INKS)}

#: What arrow keys and the like send where nothing edits the line.
_KEYS: Final = re.compile(r"\x1b(?:\[[0-9;]*[A-Za-z~]|O.)")

#: So many moves beside the best are told in a hint.
_OTHERS: Final = 5

#: Choices have so many lines at least, whatever the table takes.
_LEAST: Final = 3


class Quit(Exception):
    """The person has had enough."""


class Screen:
    """What the person sees and types."""

    def __init__(self, file: str | None, engine: Engine) -> None:
        self._file = file
        self._window: Window | None = None
        self._frame: Any = None
        self._rest: list[str] = []
        self._choosing = False
        self._table = 0
        self._how_to_play, self._how_to_write = engine.how_to_play, engine.how_to_write
        self._inks = [(re.compile(words), _CODES[ink]) for words, ink in engine.view.inks]
        # Whoever wants none says so: see no-color.org.
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        self._coloured = sys.stdout.isatty() and not plain
        size = shutil.get_terminal_size(_SIZE)
        self._width, self._lines = min(size.columns, _SIZE[0]), size.lines
        if sys.stdin.isatty() and sys.stdout.isatty():  # elsewhere it may write codes of its own
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401  it makes input() edit lines and remember them

    @property
    def more(self) -> bool:
        """Whether there is more to read than was shown."""
        return bool(self._rest)

    def say(self, text: str, colour: str = "") -> None:
        """A line or several."""
        lines = (printable(line, most=None) for line in text.split("\n"))
        print("\n".join(self._painted(line, colour) for line in lines), flush=True)

    def _folded(self, text: str) -> str:
        """Lines that are too wide go on below."""
        fold = textwrap.TextWrapper(self._width, subsequent_indent="  ", break_on_hyphens=False)
        lines = text.split("\n")
        return "\n".join(line if len(line) <= self._width else fold.fill(line) for line in lines)

    def _painted(self, line: str, colour: str) -> str:
        if not self._coloured:
            return line
        if colour:
            return f"\x1b[{colour}m{line}\x1b[0m"
        for words, code in self._inks:
            line = words.sub(f"\x1b[{code}m\\g<0>\x1b[0m", line)
        return line

    def narrate(self, text: str) -> None:
        """What somebody has done."""
        lines = textwrap.wrap(text, self._width - 4, subsequent_indent="    ")
        self.say("\n".join(f"  {line}" for line in lines))

    def ask(self, prompt: str) -> str:
        """A line that was typed; ``EOFError`` at the end of input."""
        prompt = printable(prompt)
        if self._window is None or os.name != "posix" or not sys.stdin.isatty():
            try:
                return _KEYS.sub("", input(prompt)).strip()
            except UnicodeDecodeError:
                return "?"
        print(prompt, end="", flush=True)
        while not select.select([sys.stdin], [], [], 0.1)[0]:
            self._window.show(self._frame)  # a window that nobody looks after is taken for dead
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return _KEYS.sub("", line).strip()

    def common(self, line: str, session: GameSession) -> bool:
        """Do what can be asked for at any time; whether it was that."""
        if line == "?":
            self._help(session)
        elif line == "q":
            raise Quit
        elif line == "s" or line.startswith("s "):
            self._name_file(line[1:].strip(), session)
        else:
            return False
        return True

    def _help(self, session: GameSession) -> None:
        names = [choice.notation for choice in session.choices()]
        clash = any(name.isdigit() or name in LETTERS for name in names)
        parts = {"number": True, "notation": self._how_to_write, "commands": True, "clash": clash}
        texts = table_of("cyberdeck.commands", "commands.toml")["typed"]
        commands = "".join(texts[name] for name, wanted in parts.items() if wanted)
        notation = f"Notation:\n{self._how_to_write}" if self._how_to_write else ""
        self._choosing = False
        self._rest = "\n\n".join(filter(None, (self._how_to_play, notation, commands))).split("\n")
        self._page(self._lines - 2)

    def hint(self, session: GameSession) -> None:
        """What the best player there is would do, and what it thinks of other moves."""
        hint = session.hint()
        told = f"{hint.player} suggests {hint.action}: {session.words(hint.action)}"
        if hint.outlook:
            told += f" -> {hint.outlook}"
        others = [f"{at} {word}" for at, word in hint.worth.items() if at != hint.action]
        if others:
            told += "; others: " + ", ".join(others[:_OTHERS])
        self.say(self._folded("\n".join(filter(None, (told, hint.believed)))))

    def undo(self, session: GameSession) -> bool:
        """Take back the person's last decision, if there is one."""
        taken_back = session.undo()
        self.say("There is nothing to undo." if taken_back is None else f"Undone: {taken_back}")
        return taken_back is not None

    def list(self, choices: Sequence[Choice]) -> None:
        """The first page of some choices."""
        room = max(self._lines - self._table - 2, _LEAST)
        self._rest = listed(choices, self._width, room)
        self._choosing = True
        self._page(room)

    def go_on(self, session: GameSession, choices: Sequence[Choice]) -> None:
        """The next page: of choices under the table, and the first again after the last."""
        if not self._choosing and self._rest:
            self._page(self._lines - 2)
            return
        if not self._choosing or self._rest:
            self.show(session)
        if self._rest:
            self._page(max(self._lines - self._table - 2, _LEAST))
        else:
            self.list(choices)

    def _page(self, room: int) -> None:
        """What fits of the rest in so many lines: up to an empty line, if the rest does not fit."""
        if len(self._rest) > room:
            room = max((at for at in range(room) if not self._rest[at]), default=room - 1)
        self.say("\n".join(self._rest[:room]))
        self._rest = self._rest[room:]
        if self._rest and not self._rest[0]:
            del self._rest[0]
        if self._rest:
            more = ", or type some of the words" if self._choosing else ""
            self.say(f"... {len(self._rest)} more lines: press Enter{more}", DIM)

    def show(self, session: GameSession) -> None:
        """The game as the person sees it."""
        text = self._folded(session.scene.screen())
        self._table = text.count("\n") + 2
        self.say(f"\n{text}\n")
        if self._window is not None and self._window.is_open():
            self._frame = rgb(session.svg())
            try:
                self._window.show(self._frame)
            except RuntimeError as error:  # pygame's, if there is no display
                self.say(f"There is no window: {error}")
                self._window = None

    def open_window(self, title: str) -> None:
        """Show the game there as well from now on."""
        self._window = Window(title)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()

    def _name_file(self, name: str, session: GameSession) -> None:
        if not name:
            self.say("Name a file: s game.json")
            return
        try:
            arguments.check_file(name)
        except CyberdeckError as error:
            self.say(str(error))
            return
        self._file = name
        if not session.over:
            self.say(f"The replay goes to {name} when the game is over.")
        else:
            self.save(session)

    def save(self, session: GameSession) -> None:
        """Save the replay of a finished game where the person wants it."""
        if self._file is None:
            return
        try:
            write_whole(self._file, session.finished().file("json")["text"].encode())
        except OSError as error:
            self.say(f"{self._file} cannot be written: {error.strerror}")
        else:
            self.say(f"The replay is in {self._file}")


def play(chosen: Chosen) -> None:
    """Play one game to its end, or until the person leaves."""
    engine = CompiledEngine(arguments.chosen_variant(chosen))
    variant = engine.variant
    arguments.check_file(chosen.output)
    seed = chosen.seed
    if seed is None:
        seed = int(np.random.default_rng().integers(2**31))
    own = engine.own_seats(chosen.seat, seed)
    sides = [variant.sides[seat] for seat in range(variant.seats) if seat not in own]
    allied = variant.sides[own[0]] in sides
    if chosen.opponent is not None and not sides:
        raise OptionError(f"{variant.game.title} is a solitaire: leave --opponent out")
    if chosen.ally is not None and not allied:
        raise OptionError("--ally is for other ships of your team: there are none")
    if chosen.lan and not chosen.browser:
        raise OptionError("--lan is for the page: add --browser")
    if chosen.browser:
        from cyberdeck.commands.browser import serve

        serve(variant, chosen)
        return
    screen = Screen(chosen.output, engine)
    screen.say(f"{variant.game.title}, seed {seed}", BOLD)
    screen.say("Starting: the first time on a machine this takes a while.", DIM)
    setup = Setup(chosen.seat, chosen.opponent or "", chosen.ally or "")
    session = GameSession(engine, setup, seed)
    if variant.seats > 1:
        screen.say("you: " + ", ".join(map(session.seat_name, own)))
        for seat in range(variant.seats):
            if seat not in own:
                how = "with" if variant.sides[seat] == variant.sides[own[0]] else "against"
                screen.say(f"{how} you: {printable(session.name(seat))}")
    screen.say("Type a number or some of the words; ? explains the game and lists the commands.")
    if chosen.window:
        screen.open_window(variant.game.title)
    try:
        _play(session, screen)
    except (EOFError, KeyboardInterrupt, Quit):
        screen.say(f"\nYou have left. Decisions made by all seats: {len(session.log)}")
    finally:
        screen.close()


def _play(session: GameSession, screen: Screen) -> None:
    """Decide, hear what the others do, and so on."""
    while True:
        for news in session.others():
            screen.narrate(news)
        screen.show(session)
        if session.over:
            _end(session, screen)
            if session.over:
                return
        elif (action := _decision(session, screen)) is not None:
            screen.narrate(f"you: {session.words(action)}")
            for news in session.decide(action):
                screen.narrate(news)


def _decision(session: GameSession, screen: Screen) -> int | None:
    """An action; None if the game has changed otherwise."""
    choices = session.choices()
    known = {str(choice.action): choice.action for choice in choices}
    prompt = f"{session.seat_name(session.mover)}> "
    screen.list(choices)
    if len(choices) == 1:
        prompt = f"The only choice: press Enter. {prompt}"
    while True:
        line = screen.ask(prompt)
        if not line:
            if len(choices) == 1 and not screen.more:
                return choices[0].action
            screen.go_on(session, choices)
        elif line in known:
            return known[line]
        elif line.isdigit():
            screen.say(f"{line} is not among your choices: press Enter to list them.")
        elif line not in LETTERS and (found := written(choices, line)):  # "s 0-1" may be a swap
            if len(found) == 1:
                return found[0].action
            screen.list(found)
        elif line == "h":
            screen.hint(session)
        elif line == "p":
            screen.show(session)
            screen.list(choices)
        elif line == "u":
            if screen.undo(session):
                return None
        elif screen.common(line, session):
            continue
        else:
            found = matching(choices, line)
            if len(found) == 1:
                return found[0].action
            if found:
                screen.list(found)
            else:
                screen.say(f"No choice has the words {line!r}: Enter lists all, ? helps.")


def _end(session: GameSession, screen: Screen) -> None:
    """Who has won, why, and by how much; then save, take back or leave."""
    screen.say(f"{session.ending().words}.", BOLD)
    if told := ", ".join(f"{name} {value}" for name, value in session.metrics()):
        screen.narrate(told)
    screen.save(session)
    while True:
        try:
            line = screen.ask("s FILE saves the replay, u takes back, Enter leaves> ")
            if not line or (line == "u" and screen.undo(session)):
                return
            if line != "u" and not screen.common(line, session):
                screen.say("The game is over: type s FILE, u, or Enter.")
        except (EOFError, KeyboardInterrupt):
            screen.say("")
            return
        except Quit:
            return
