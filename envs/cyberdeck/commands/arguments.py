"""Arguments that several commands take: options of games, and files to write."""

from __future__ import annotations

import argparse
import math
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, TypeAlias

from cyberdeck.api.registration import load_file
from cyberdeck.common.files import PARTLY, make_folder, remove_leftovers
from cyberdeck.common.tables import table_of
from cyberdeck.common.text import printable, tell
from cyberdeck.engine import disguise, option_text, registry
from cyberdeck.engine.contract import Game
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError

#: What ``add_subparsers`` returns.
Commands: TypeAlias = "argparse._SubParsersAction[Any]"

#: The arguments of a command.
Chosen: TypeAlias = argparse.Namespace

#: The exit status after Ctrl-C.
INTERRUPTED: Final = 130


def positive(text: str) -> int:
    """A whole number from 1 on, for argparse."""
    number = whole(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is too few: at least 1 is needed")
    return number


def threads(text: str) -> int | str:
    """A number of threads, or "auto", for argparse."""
    return text if text == "auto" else positive(text)


def deals(text: str) -> range:
    """The numbers of some deals, for argparse: so many, or FIRST:END without END.

    >>> deals("500"), deals("250:500")
    (range(0, 500), range(250, 500))
    """
    first, colon, end = text.rpartition(":")
    numbers = range(whole(first) if colon else 0, positive(end))
    if not numbers:
        raise argparse.ArgumentTypeError(f"{text} holds no deals: END comes after the last of them")
    return numbers


def whole(text: str) -> int:
    """A whole number from 0 on, for argparse."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, 0 or more")
    return int(text)


def above_zero(text: str, what: str = "number above 0", below: float = math.inf) -> float:
    """A number above 0, for argparse."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < below:
        raise argparse.ArgumentTypeError(f"{text!r} is not a {what}")
    return number


def seconds(text: str) -> float:
    """A number of seconds for a picture, for argparse."""
    return above_zero(text, "number of seconds", 600)


#: Types of arguments, as ``commands.toml`` names them.
_READ: Final = (whole, positive, above_zero, threads, seconds, deals)
_TYPES: Final = {each.__name__: each for each in _READ}


def add_commands(commands: Commands) -> None:
    """All commands with their arguments and help, from ``commands.toml``."""
    table = table_of("cyberdeck.commands", "commands.toml")
    for name, about in table["commands"].items():
        examples = "".join(f"  cyberdeck {line}\n" for line in about.get("examples", ()))
        parser = commands.add_parser(
            name,
            help=about["help"],
            description=f"{about['help'][0].upper()}{about['help'][1:]}.",
            epilog=f"examples:\n{examples}" if examples else None,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        parser.set_defaults(run=about["run"])
        groups: dict[str, Any] = {}
        for argument in about.get("arguments", ()):
            for each in table["shared"].get(argument.get("shared"), [argument]):
                _add_argument(parser, groups, **each)


def _add_argument(
    parser: argparse.ArgumentParser, groups: dict[str, Any], name: str, **how: Any
) -> None:
    """One argument; of those with the same ``exclusive`` only one can be given."""
    into: Any = parser
    if exclusive := how.pop("exclusive", None):
        if exclusive not in groups:
            groups[exclusive] = parser.add_mutually_exclusive_group()
        into = groups[exclusive]
    if "type" in how:
        how["type"] = _TYPES[how["type"]]
    into.add_argument(name, **how)


def chosen_game(text: str) -> Game:
    """The game that a text names; if it is the path of a file, the game that stands there."""
    return load_file(text) if text.endswith(".py") else registry.game(text)


def chosen_variant(chosen: Chosen) -> Variant:
    """The game of the arguments GAME and KEY=VALUE."""
    game = chosen_game(chosen.game)
    stray = next((word for word in chosen.assignments if "=" not in word), None)
    if stray is not None and hasattr(chosen, "opponents"):
        raise OptionError(
            f"{stray!r} is not KEY=VALUE: options of the game are, and opponents follow --opponent"
        )
    return Variant(game, game_options(game, chosen.assignments))


def game_options(game: Game, given: Iterable[str]) -> dict[str, Any]:
    """KEY=VALUE texts as the options of a game, each read as its kind, but not checked.

    >>> from cyberdeck import game
    >>> game_options(game("hovercrafts"), ["ships=3v3", "scenario=tunnels", "wall_density=0.2"])
    {'ships': [3, 3], 'scenario': 'tunnels', 'wall_density': 0.2}
    """
    known = {option.name: option for option in (*game.options, disguise.OPTION)}
    options: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise OptionError(f"{text!r} is not KEY=VALUE; keys are: {', '.join(known)}")
        if name in options:
            raise OptionError(f"{name} is given twice")
        options[name] = option_text.read(known[name].choices, value) if name in known else value
    return options


def check_file(path: str | None) -> None:
    """``OptionError`` if no file can be there: better now than after all the work."""
    if path is None:
        return
    if not Path(path).absolute().parent.is_dir():
        raise OptionError(f"{path} cannot be written: there is no folder {Path(path).parent}")
    if Path(path).is_dir():
        raise OptionError(f"{path} is a folder: name a file")


def check_folder(path: str | None) -> None:
    """Make a folder for new files; ``OptionError`` if it holds some already."""
    if path is None:
        return
    folder = Path(path)
    make_folder(folder)
    if all(each.name.endswith(PARTLY) for each in folder.iterdir()):
        remove_leftovers(folder)
    if any(folder.iterdir()):
        raise OptionError(f"{path} is not empty: name a new folder")


def table_width() -> int | None:
    """How wide a table may be: as wide as it is, unless it is read in a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def note(text: str) -> None:
    """Say something beside the output, in one line: a file's name could go on in another."""
    tell(f"cyberdeck: {printable(text, most=None)}", sys.stderr)
