"""What somebody who plays in a terminal sees and types."""

from __future__ import annotations

import contextlib
import os
import re
import select
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from cyberdeck.commands import arguments
from cyberdeck.commands.terminal import coloured, size
from cyberdeck.common.files import write_whole
from cyberdeck.common.text import printable
from cyberdeck.errors import CyberdeckError
from cyberdeck.play.choices import Choice, listed
from cyberdeck.views.view import INKS

if TYPE_CHECKING:
    from cyberdeck.drawing.window import Window
    from cyberdeck.play.engine import Engine
    from cyberdeck.play.session import GameSession

_NUMBER: Final = """\
You type:
  a number    do that
"""
_NOTATION: Final = """\
  notation    do that, whatever the capitals, spaces and marks
"""
_COMMANDS: Final = """\
  some words  list the choices with these words in them; if it is one, do it
  Enter       list all choices, or the rest of a long list
  h           hint: what the best player there is would do
  u           undo your last decision
  p           show the game again
  s FILE      save the replay there, once the game is over
  ?           how to play, and these commands
  q           quit"""
_CLASH: Final = """
Numbers are those of the choices, and these letters are commands, also where
an action is written so."""

#: What is typed as one letter and is no action, however that is written.
LETTERS: Final = ("h", "u", "p", "s", "?", "q")

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
        self._coloured = coloured(sys.stdout)
        self._width, self._lines = size()
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
        commands = _NUMBER + (_NOTATION if self._how_to_write else "") + _COMMANDS
        if any(name.isdigit() or name in LETTERS for name in names):
            commands += _CLASH
        notation = f"Notation:\n{self._how_to_write}" if self._how_to_write else ""
        told = "\n\n".join(filter(None, (self._how_to_play, notation, commands)))
        self._choosing = False
        self._rest = told.split("\n")
        self._page(self._lines - 2)

    def hint(self, session: GameSession) -> None:
        """What the best player there is would do, and what it thinks of other moves."""
        hint = session.hint()
        worth = dict(hint.worth)
        told = f"{hint.player} suggests {hint.action}: {session.words(hint.action)}"
        if hint.action in worth:
            told += f" -> {worth.pop(hint.action)}"
        if others := list(worth.items())[:_OTHERS]:
            told += "; others: " + ", ".join(f"{at} {word}" for at, word in others)
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
            from cyberdeck.drawing.raster import rgb

            self._frame = rgb(session.svg())
            try:
                self._window.show(self._frame)
            except RuntimeError as error:  # pygame's, if there is no display
                self.say(f"There is no window: {error}")
                self._window = None

    def open_window(self, title: str) -> None:
        """Show the game there as well from now on."""
        from cyberdeck.drawing.window import Window

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
