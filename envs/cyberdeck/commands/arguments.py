"""Arguments that several commands take: options of games, and files to write."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, TypeAlias

from cyberdeck.api.registration import load_file
from cyberdeck.common.files import PARTLY, make_folder, remove_leftovers
from cyberdeck.common.text import printable, tell
from cyberdeck.engine import disguise, option_text, registry
from cyberdeck.engine.contract import Game
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError

#: What ``add_subparsers`` returns.
Commands: TypeAlias = "argparse._SubParsersAction[Any]"

#: The exit status after Ctrl-C.
INTERRUPTED: Final = 130


def add_command(
    commands: Commands,
    name: str,
    run: Callable[[argparse.Namespace], int],
    *,
    help: str,
    examples: str = "",
) -> argparse.ArgumentParser:
    """A command with its help, which shows *examples*, one a line."""
    shown = "".join(f"  cyberdeck {line.strip()}\n" for line in examples.strip().splitlines())
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=help,
        description=f"{help[0].upper()}{help[1:]}.",
        epilog=f"examples:\n{shown}" if shown else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def add_game(parser: argparse.ArgumentParser) -> None:
    """The arguments GAME and --option."""
    parser.add_argument(
        "game",
        metavar="GAME",
        help="its name, as `cyberdeck list` prints it, or the file of a game of your own (*.py)",
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="an option of the game, as `cyberdeck describe GAME` lists them; may be repeated",
    )


def add_seed(parser: argparse._ActionsContainer, help: str, default: int | None = 0) -> None:
    """The argument --seed."""
    parser.add_argument("--seed", type=whole, default=default, metavar="S", help=help)


def positive(text: str) -> int:
    """A whole number from 1 on, for argparse."""
    number = whole(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is too few: at least 1 is needed")
    return number


def threads(text: str) -> int | str:
    """A number of threads, or "auto", for argparse."""
    return text if text == "auto" else positive(text)


def whole(text: str) -> int:
    """A whole number from 0 on, for argparse."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, 0 or more")
    return int(text)


def above_zero(text: str) -> float:
    """A number above 0, for argparse."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not number > 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return number


def add_number(
    parser: argparse.ArgumentParser,
    name: str,
    help: str,
    default: int | None = None,
    metavar: str = "N",
    type: Callable[[str], int | str] = positive,
) -> None:
    """The argument *name*, a whole number from 1 on, whose help ends with its *default*."""
    shown = help if default is None else f"{help} ({default})"
    parser.add_argument(name, type=type, default=default, metavar=metavar, help=shown)


def add_file_of_game(parser: argparse.ArgumentParser) -> None:
    """The argument --game, for what names a file that would be run."""
    parser.add_argument(
        "--game",
        metavar="FILE",
        help="the game's file (*.py), where the configuration names one: it is a program, and is "
        "run if you name it, have trained with it before, or say yes when asked",
    )


def add_runs(parser: argparse.ArgumentParser) -> None:
    """The argument --runs."""
    parser.add_argument(
        "--runs", metavar="FOLDER", default="runs", help="where the run's folder is made (runs)"
    )


def chosen_game(text: str) -> Game:
    """The game that a text names; if it is the path of a file, the game that stands there."""
    return load_file(text) if text.endswith(".py") else registry.game(text)


def chosen_variant(chosen: argparse.Namespace) -> Variant:
    """The game of the arguments GAME and --option."""
    game = chosen_game(chosen.game)
    return Variant(game, game_options(game, chosen.option))


def game_options(game: Game, given: Iterable[str]) -> dict[str, Any]:
    """KEY=VALUE texts as the options of a game, each read as its kind, but not checked.

    >>> from cyberdeck import game
    >>> game_options(game("hovercrafts"), ["ships=3v3", "scenario=tunnels", "wall_density=0.2"])
    {'ships': [3, 3], 'scenario': 'tunnels', 'wall_density': 0.2}
    """
    known = {option.name: option for option in (*game.options, disguise.OPTION)}
    found: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise OptionError(f"--option {text!r} is not KEY=VALUE; keys are: " + ", ".join(known))
        if name in found:
            raise OptionError(f"--option {name} is given twice")
        found[name] = option_text.read(known[name].choices, value) if name in known else value
    return found


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


def note(text: str) -> None:
    """Say something beside the output, in one line: a file's name could go on in another."""
    tell(f"cyberdeck: {printable(text, most=None)}", sys.stderr)
