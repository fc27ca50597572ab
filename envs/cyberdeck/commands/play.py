"""``play``: a person against players of the suite, in the terminal."""

from __future__ import annotations

import argparse
import os
import select
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from cyberdeck.commands.arguments import (
    Commands,
    add_command,
    add_game,
    add_seed,
    check_file,
    chosen_variant,
)
from cyberdeck.commands.choices import Choice, listed, matching
from cyberdeck.errors import CyberdeckError, OptionError

if TYPE_CHECKING:
    from cyberdeck.commands.session import GameSession
    from cyberdeck.drawing.window import Window

_HELP: Final = """\
  a number      do that
  some words    list the choices with these words in them; do it if there is one only
  Enter         list all choices, or the rest of a long list
  h             hint: what the heuristic would do
  u             undo your last decision
  p             show the game again
  s FILE        save the replay there, once the game is over
  q             quit"""

#: Colours, where there are any: they only repeat what the words say.
_BOLD, _CYAN, _DIM = "1", "36", "2"

_WIDEST: Final = 100


def add(commands: Commands) -> None:
    """The command's arguments."""
    parser = add_command(
        commands,
        "play",
        play,
        help="play a game yourself, in the terminal",
        examples="""
            play hackthegrid
            play mygame.py --against search
            play hackthegrid --seat row --against search:iterations=500 --window
            play matrix_overload --option edition=royals --seed 7
            play hovercrafts --option ships=2v2 --seat zion --save battle.json
        """,
    )
    add_game(parser)
    parser.add_argument(
        "--seat",
        default="0",
        help="the seat you play, by number or name; `random`; in games of teams also a team, or "
        "`team` to have one drawn (0)",
    )
    parser.add_argument(
        "--against",
        metavar="PLAYER",
        help="who plays against you: one of the players that `cyberdeck describe GAME` lists, such "
        "as search:iterations=200, or the file of a saved policy (heuristic)",
    )
    parser.add_argument(
        "--ally", metavar="PLAYER", help="who plays the other ships of your team (heuristic)"
    )
    add_seed(parser, "the same seed deals the same game (drawn)", default=None)
    parser.add_argument(
        "--window",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="show the game in a window as well (no)",
    )
    parser.add_argument("--save", metavar="FILE", help="save the replay there when it is over")


def play(chosen: argparse.Namespace) -> int:
    """Play one game to its end, or until the person leaves."""
    import numpy as np

    from cyberdeck.commands.session import GameSession, own_seats
    from cyberdeck.evaluation.match import judged

    variant = judged(chosen_variant(chosen))
    check_file(chosen.save)
    seed = chosen.seed
    if seed is None:
        seed = int(np.random.default_rng().integers(2**31))
    own = own_seats(variant, chosen.seat, seed)
    sides = [variant.sides[seat] for seat in range(variant.seats) if seat not in own]
    allied = variant.sides[own[0]] in sides
    if chosen.against is not None and not sides:
        raise OptionError(f"{variant.game.title} is a solitaire: leave --against out")
    if chosen.ally is not None and not allied:
        raise OptionError("--ally is for other ships of your team: there are none")
    screen = Screen(chosen.save)
    screen.say(f"{variant.game.title}, seed {seed}", _BOLD)
    screen.say("Starting: the first time on a machine this takes a while.", _DIM)
    enemy, ally = chosen.against or "heuristic", chosen.ally or "heuristic"
    session = GameSession(variant, own, enemy, ally, seed)
    if variant.seats > 1:
        screen.say("you: " + ", ".join(variant.agents[seat] for seat in own))
        for seat in range(variant.seats):
            if seat not in own:
                with_you = variant.sides[seat] == variant.sides[own[0]]
                screen.say(f"{'with' if with_you else 'against'} you: {session.name(seat)}")
    screen.say("Type a number, some of the words, or ? for help.")
    if chosen.window:
        screen.open_window(variant.game.title)
    try:
        _play(session, screen)
    except (EOFError, KeyboardInterrupt, Quit):
        screen.say(f"\nYou have left. Decisions made by all seats: {session.decisions}")
    finally:
        screen.close()
    return 0


class Quit(Exception):
    """The person has had enough."""


def _play(session: GameSession, screen: Screen) -> None:
    """Decide, hear what the others do, and so on."""
    while True:
        for heard in session.others():
            screen.narrate(heard)
        screen.show(session)
        if session.mover < 0:
            _end(session, screen)
            if session.mover < 0:
                return
        elif (action := _decision(session, screen)) is not None:
            screen.narrate(f"you: {session.words(action)}")
            for heard in session.decide(action):
                screen.narrate(heard)


def _decision(session: GameSession, screen: Screen) -> int | None:
    """An action; None if the game has changed otherwise."""
    choices = session.choices()
    known = {str(choice.action): choice.action for choice in choices}
    prompt = f"{session.variant.agents[session.mover]}> "
    screen.list(choices)
    if len(choices) == 1:
        screen.say("This is the only choice: press Enter.", _DIM)
    while True:
        line = screen.ask(prompt)
        if not line:
            if len(choices) == 1:
                return choices[0].action
            screen.list_more(choices)
        elif line in known:
            return known[line]
        elif line.isdigit():
            screen.say(f"{line} is not among your choices: press Enter to list them.")
        elif line == "h":
            hint = session.hint()
            if hint is None:
                screen.say("This game has no heuristic to ask.")
            else:
                screen.say(f"The heuristic would choose {hint}: {session.words(hint)}")
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
    screen.say(f"{session.outcome()}: {session.reason()}.", _BOLD)
    told = ", ".join(f"{name} {value}" for name, value in session.metrics())
    screen.say(textwrap.fill(told, 80))
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


class Screen:
    """What the person sees and types."""

    def __init__(self, file: str | None) -> None:
        self._file = file
        self._window: Window | None = None
        self._frame: Any = None
        self._rest: list[str] = []
        self._coloured = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        size = shutil.get_terminal_size((_WIDEST, 30))
        self._width, self._page = min(size.columns, _WIDEST), max(size.lines - 6, 12)

    def say(self, text: str, colour: str = "") -> None:
        """A line or several."""
        print(f"\x1b[{colour}m{text}\x1b[0m" if colour and self._coloured else text, flush=True)

    def narrate(self, text: str) -> None:
        """What somebody has done."""
        lines = textwrap.wrap(text, self._width - 4, subsequent_indent="    ")
        self.say("\n".join(f"  {line}" for line in lines), _CYAN)

    def ask(self, prompt: str) -> str:
        """A line that was typed; ``EOFError`` at the end of input."""
        if self._window is None or os.name != "posix" or not sys.stdin.isatty():
            try:
                return input(prompt).strip()
            except UnicodeDecodeError:
                return "?"
        print(prompt, end="", flush=True)
        while not select.select([sys.stdin], [], [], 0.1)[0]:
            self._window.show(self._frame)  # a window that nobody looks after is taken for dead
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line.strip()

    def common(self, line: str, session: GameSession) -> bool:
        """Do what can be asked for at any time; whether it was that."""
        if line == "?":
            self.say(_HELP)
        elif line == "q":
            raise Quit
        elif line == "s" or line.startswith("s "):
            self._name_file(line[1:].strip(), session)
        else:
            return False
        return True

    def undo(self, session: GameSession) -> bool:
        """Take back the person's last decision, if there is one."""
        taken_back = session.undo()
        self.say("There is nothing to undo." if taken_back is None else f"Undone: {taken_back}")
        return taken_back is not None

    def list(self, choices: Sequence[Choice]) -> None:
        """The first page of some choices."""
        self._rest = listed(choices, self._width)
        self.list_more(choices)

    def list_more(self, choices: Sequence[Choice]) -> None:
        """The next page, or the first again."""
        lines = self._rest or listed(choices, self._width)
        self.say("\n".join(lines[: self._page]))
        self._rest = lines[self._page :]
        if self._rest:
            self.say(f"... {len(self._rest)} more lines: press Enter, or type some of the words")

    def show(self, session: GameSession) -> None:
        """The game as the person sees it."""
        self.say(f"\n{session.text()}\n")
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
            check_file(name)
        except CyberdeckError as error:
            self.say(str(error))
            return
        self._file = name
        if session.mover >= 0:
            self.say(f"The replay goes to {name} when the game is over.")
        else:
            self.save(session)

    def save(self, session: GameSession) -> None:
        """Save the replay of a finished game where the person wants it."""
        if self._file is None:
            return
        try:
            session.replay().save(self._file)
        except OSError as error:
            self.say(f"{self._file} cannot be written: {error.strerror}")
        else:
            self.say(f"The replay is in {self._file}")
