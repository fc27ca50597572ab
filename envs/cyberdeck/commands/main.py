"""The ``cyberdeck`` command: its parts are in ``commands/``, and load what they need when run."""

from __future__ import annotations

import argparse
import errno
import importlib
import os
import re
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, NoReturn

from gymnasium.error import DependencyNotInstalled

from cyberdeck import __version__
from cyberdeck.commands import arguments
from cyberdeck.common.text import nearest, tell
from cyberdeck.errors import CyberdeckError, install

_EXAMPLES = """examples:
  cyberdeck list
  cyberdeck describe hackthegrid
  cyberdeck play hackthegrid --opponent heuristic
  cyberdeck evaluate hackthegrid heuristic --opponent random
  cyberdeck COMMAND --help
"""

#: Libraries that come with an extra, and its name.
_EXTRAS: Final = {
    **dict.fromkeys(("matplotlib", "safetensors"), "evaluate"),
    **dict.fromkeys(("sb3_contrib", "stable_baselines3", "torch"), "sb3"),
    **dict.fromkeys(("filelock", "jinja2", "pydantic", "tensorboard", "yaml"), "train"),
    **{"llvmlite": "build", "numba": "jit", "onnx": "onnx", "pygame": "window"},
}

#: How a word KEY=VALUE begins; a player, such as search:iterations=50, and a path do not.
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_][\w.]*=")


class Parser(argparse.ArgumentParser):
    """Complains in one line, as all other errors are told."""

    commands: Mapping[str, argparse.ArgumentParser] = {}

    def error(self, message: str) -> NoReturn:
        if unknown := re.match("argument COMMAND: invalid choice: '(.*?)'", message):
            name = unknown[1]
            near, known = nearest(name, self.commands), ", ".join(self.commands)
            message = f"there is no command {name!r}{near}; there are: {known}"
        arguments.note(f"{message} (see {self.prog} --help)")
        self.exit(2)

    def parsed(self, given: Sequence[str]) -> argparse.Namespace:
        """The arguments; KEY=VALUE may stand anywhere, and not only where argparse takes it."""
        assignments, others = self._divided(given)
        chosen, rest = self.parse_known_args(others)
        if hasattr(chosen, "assignments"):
            words = [each for each in rest if each[:1] != "-"]
            chosen.assignments = [*assignments, *chosen.assignments, *words]
            rest = [each for each in rest if each[:1] == "-"]
        if rest:
            command = self.commands[chosen.command]
            near = nearest(rest[0].partition("=")[0], command._option_string_actions)
            command.error(f"unknown argument {rest[0]!r}{near}")
        return chosen

    def _divided(self, given: Sequence[str]) -> tuple[list[str], list[str]]:
        """The words KEY=VALUE, if the command takes any, and all others."""
        command = self.commands.get(given[0]) if given else None
        if command is None or all(each.dest != "assignments" for each in command._actions):
            return [], [*given]
        options = command._option_string_actions.items()
        before_values = {name for name, option in options if option.nargs is None}
        assignments: list[str] = []
        others: list[str] = []
        for before, word in pairwise(["", *given]):
            alone = before not in before_values and not os.path.isfile(word)
            (assignments if alone and _ASSIGNMENT.match(word) else others).append(word)
        return assignments, others


def parser() -> Parser:
    """All arguments of all commands."""
    made = Parser(
        prog="cyberdeck",
        description="Cyberspace table-top games as reinforcement-learning environments.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("--version", action="version", version=f"cyberdeck {__version__}")
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    arguments.add_commands(commands)
    made.commands = commands.choices
    return made


def main(given: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    given = sys.argv[1:] if given is None else given
    chosen = parser().parsed(given)
    chosen.given = given
    try:
        module, _, function = chosen.run.partition(":")
        run = getattr(importlib.import_module(f"cyberdeck.commands.{module}"), function)
        status: int = run(chosen) or 0
        tell(end="")  # or its error would be told by Python, at the end
    except KeyboardInterrupt:
        tell("\ncyberdeck: interrupted", sys.stderr)
        return arguments.INTERRUPTED
    except BrokenPipeError:  # `cyberdeck describe ... | head`
        _say_no_more()
        return 0
    except (CyberdeckError, DependencyNotInstalled) as error:
        return _complain(str(error))
    except OSError as error:
        if error.errno == errno.ENOSPC and not error.filename:  # all other files are named
            _say_no_more()
            return _complain(f"the output cannot be written: {error.strerror}")
        return _complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except ModuleNotFoundError as missing:
        library = str(missing.name).partition(".")[0]
        if library not in _EXTRAS:
            raise
        extra = _EXTRAS[library]
        return _complain(
            f"{library} is not installed: this needs the extra {extra}: {install(extra)}"
        )
    return status


def _say_no_more() -> None:
    """Send further output nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: str) -> int:
    arguments.note(message)
    return 2


if __name__ == "__main__":
    sys.exit(main())
