"""``new``: the file of a game that works, to be changed into one's own, and its tests."""

from __future__ import annotations

import argparse
import keyword
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from cyberdeck.common.files import make_folder, write_whole
from cyberdeck.common.text import tell
from cyberdeck.engine import registry
from cyberdeck.errors import OptionError

_TEMPLATES: Final = Path(__file__).parent / "templates"
_MOST_SEATS: Final = 6


def new(chosen: argparse.Namespace) -> int:
    """Write the two files, and say what to do with them."""
    name, seats = chosen.name, chosen.seats
    parts = {
        "hidden": chosen.hidden,
        "simultaneous": chosen.simultaneous,
        "teams": chosen.teams,
        "redrawn": chosen.hidden or chosen.simultaneous,
    }
    _check(name, seats, parts, chosen.solo)
    make_folder(folder := Path(chosen.folder))
    files = [folder / f"{name}.py", folder / f"test_{name}.py"]
    for file in files:
        if file.exists():
            raise OptionError(f"{file} exists already: give another name, or another --folder")
    reasons = ("stopped", "too_much") if chosen.solo else ("most_rounds", "equal")
    words = {
        "name": name,
        "title": name.replace("_", " ").capitalize(),
        "seats": str(seats),
        "names": ", ".join(f'"player {number + 1}"' for number in range(seats)),
        "reasons": ", ".join(f'"{reason}"' for reason in reasons),
    }
    for file, template in zip(files, ("solo" if chosen.solo else "game", "test"), strict=True):
        text = (_TEMPLATES / f"{template}.txt").read_text("utf-8")
        write_whole(file, written(text, parts, words))
    tell(
        f"{files[0]}: a game that works; change it rule by rule\n{files[1]}: its tests, for pytest"
    )
    tell(f"Try: cyberdeck check {files[0]}\n     cyberdeck play {files[0]}")
    return 0


def written(template: str, parts: Mapping[str, bool], words: Mapping[str, str]) -> str:
    """A template with the parts that are wanted, and its words.

    ``{@part}...{@}`` is there with a part, ``{@!part}...{@}`` without it, and ``{word}`` stands for
    a word.

    >>> written("{@teams}two {@}{@!teams}no {@}teams of {name}", {"teams": True}, {"name": "x"})
    'two teams of x'
    """
    while found := re.search(r"\{@(!?)(\w+)\}\n?((?:(?!\{@).)*?)\{@\}(\n?)", template, re.DOTALL):
        no, part, text, line = found.groups()
        wanted = parts[part] != bool(no)
        alone = found[0].startswith(f"{{@{no}{part}}}\n")
        kept = (text if wanted else "") + ("" if alone else line)
        template = template[: found.start()] + kept + template[found.end() :]
    for word, text in words.items():
        template = template.replace(f"{{{word}}}", text)
    return template


def _check(name: str, seats: int, parts: Mapping[str, bool], solo: bool) -> None:
    """``OptionError`` unless such a game can be written."""
    if not re.fullmatch("[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise OptionError(f"{name!r} cannot be a game's name: use lower-case letters, digits and _")
    if name in registry.GAMES:
        raise OptionError(f"there is a game {name!r} already: give another name")
    if solo and (seats != 2 or any(parts.values())):
        raise OptionError("--solo is a game for one: leave the other parts out")
    if not 2 <= seats <= _MOST_SEATS:
        raise OptionError(f"--seats {seats} is not possible: 2 to {_MOST_SEATS}; for one: --solo")
    if parts["teams"] and (seats % 2 or seats < 4):
        raise OptionError(f"--teams needs 4 or 6 seats: add --seats {4 if seats < 5 else 6}")
