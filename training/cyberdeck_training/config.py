"""A training run's configuration: a YAML file, checked before anything starts."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

import pydantic
import yaml
from pydantic_core import ErrorDetails

from cyberdeck import OptionError
from cyberdeck.common import consent
from cyberdeck.common.reading import read_bytes, texts
from cyberdeck.common.text import nearest, printable, quoted
from cyberdeck.engine import registry
from cyberdeck.errors import ConsentError
from cyberdeck.players import built_in_names
from cyberdeck_training import algorithms, documents
from cyberdeck_training.settings import CURRENT, PAST, RunSettings
from cyberdeck_training.values import Group, game_of

#: No error is longer: a file may be wrong in everything.
_LONGEST: Final = 4000

#: What the user can do where a configuration names what has effects.
_INSTEAD: Final = {
    "game": "name it too, by --game FILE (in Python: game=)",
    "player": "say yes in a terminal, or name it too, as in opponents={...} on the command line",
    "algorithm": "say yes in a terminal, or name it too, as algorithm=... on the command line",
}

#: Where the configurations are that a game's name stands for: of the wheel, or of the checkout.
_FOLDERS: Final = (Path(__file__).parent / "configs", Path(__file__).parents[2] / "configs")


class _Document(NamedTuple):
    """The keys and values of a configuration, where they are, and the line of each key."""

    content: dict[str, Any]
    place: str
    lines: Mapping[str, int]


def load(name: str | Path, changes: Sequence[str] = (), game: str | None = None) -> RunSettings:
    """The configuration that *name* stands for, or one ``OptionError`` with what is wrong in it.

    It is a file (*.yaml), a packaged one, or a game, by its name or file (*.py), that has none of
    its own. *changes* are texts ``key=value`` that take the place of its values; the key of a value
    inside another has a dot (``evaluation.deals=50``), and the value is YAML. What comes out are
    the settings of the algorithm that it names.

    The file of a game is a program, as is a recipe of your own, and some players open connections
    or write files. Those that a configuration names are used if you name them too, as *game* or in
    *changes*, if you have agreed before and they are the same, or if you say yes in a terminal;
    else that is an ``OptionError``. *game* takes the place of the configuration's.

    >>> load("hackthegrid", ["total_timesteps=100_000"]).gamma
    1.0
    """
    document = _read(str(name))
    content, named = document.content, document.content.get("game")
    if game is not None:
        if not (isinstance(named, str) and named.endswith(".py")):
            message = f"{document.place} is of {named!r}, which is no file: leave out {game!r}"
            raise OptionError(message)
        content["game"] = game
    by_user = [str(name), game or ""]
    by_user += [text for change in changes for text in texts(_change(content, change))]
    by_user += [str(Path(each).resolve()) for each in by_user if each.endswith(".py")]
    with consent.named_by(document.place, _INSTEAD, by_user, asks=True):
        wrong = _checked(content)
    if isinstance(wrong, RunSettings):
        return wrong
    raise OptionError(printable(_message(wrong, document, changes), _LONGEST))


def says_again(name: str | Path, change: str) -> bool:
    """Whether the configuration *name* says what *change* does: who names a player so agrees."""
    content = _read(str(name)).content
    before = copy.deepcopy(content)
    _change(content, change)
    return content == before


# --- reading -------------------------------------------------------------------------------------


def _read(name: str) -> _Document:
    """The document that *name* stands for."""
    packaged = {path.stem: path for folder in _FOLDERS for path in folder.glob("*.yaml")}
    if name.endswith((".yaml", ".yml")) or (Path(name).is_file() and not name.endswith(".py")):
        path = Path(name)
    elif name in packaged:
        path = packaged[name]
    elif name.endswith(".py") or name in registry.names():
        return _Document(_self_play(name), name, {})
    else:
        known = [*packaged, *(each for each in registry.names() if each not in packaged)]
        raise OptionError(
            f"there is no configuration {name!r}{nearest(name, known)}: give a file (*.yaml), a "
            f"game's file (*.py), or one of {', '.join(sorted(known))}"
        )
    try:
        content, node = documents.load(read_bytes(path, documents.MOST).decode())
    except OSError as error:
        raise OptionError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise OptionError(f"{path} is no text in UTF-8") from None
    except yaml.YAMLError as error:
        raise OptionError(f"{path} is not YAML: {documents.fault(error)}") from None
    if not isinstance(content, dict):
        raise OptionError(f"{path} must hold a mapping of keys to values, not {quoted(content)}")
    return _Document(content, str(path), dict(_lines(node)))


def _lines(node: yaml.Node | None, outer: str = "") -> Iterator[tuple[str, int]]:
    """The keys of a YAML mapping, those inside others after a dot, and the line of each."""
    if isinstance(node, yaml.MappingNode) and outer.count(".") < 3:
        for key, value in node.value:
            name = f"{outer}{key.value}"
            yield name, key.start_mark.line + 1
            yield from _lines(value, f"{name}.")


def _self_play(name: str) -> dict[str, Any]:
    """What a game is trained with that has no configuration of its own."""
    content: dict[str, Any] = {"game": name, "total_timesteps": 1_000_000}
    game = game_of(str(Path(name).resolve()) if name.endswith(".py") else name)
    if game.most_seats > 1:
        fixed = built_in_names(game)
        content["opponents"] = {CURRENT: 1, PAST: 2, fixed[-1]: 1}
        content["evaluation"] = {"opponents": fixed}
    return content


def _change(content: dict[str, Any], change: str) -> Any:
    """Put ``key=value`` into *content*, and return the value."""
    key, equals, text = change.partition("=")
    if not equals or not key:
        raise OptionError(f"{change!r} is not KEY=VALUE, such as total_timesteps=100000")
    try:
        value, _ = documents.load(text)
    except yaml.YAMLError:
        raise OptionError(f"{quoted(change)}: {quoted(text)} is not YAML") from None
    *outer, last = key.split(".")
    inside: Any = content
    for part in outer:
        if inside.get(part) is None:
            inside[part] = {}
        inside = inside[part]
        if not isinstance(inside, dict):
            raise OptionError(f"{change!r}: {part} is a value, it has no keys")
    inside[last] = value
    return value


# --- checking ------------------------------------------------------------------------------------


class _Fault(NamedTuple):
    """What is wrong: of which key, and in words."""

    key: str
    words: str


def _checked(content: dict[str, Any]) -> RunSettings | list[_Fault]:
    """The settings, or what is wrong with them."""
    name = content.get("algorithm", RunSettings.model_fields["algorithm"].default)
    if not isinstance(name, str):
        return [_Fault("algorithm", f"algorithm must be a text, not {quoted(name)}")]
    settings: type[RunSettings] = RunSettings
    try:
        settings = algorithms.find(name).Settings
        return settings.model_validate(content)
    except pydantic.ValidationError as error:
        found = error.errors()
        for each in found:
            if isinstance(refusal := each.get("ctx", {}).get("error"), ConsentError):
                raise OptionError(printable(refusal, _LONGEST)) from None
        return [_fault(settings, each) for each in found]
    except ConsentError as error:
        raise OptionError(printable(error, _LONGEST)) from None
    except OptionError as error:
        return [_Fault("algorithm", f"algorithm: {error}")]


def _fault(settings: type[RunSettings], error: ErrorDetails) -> _Fault:
    """One of pydantic's errors."""
    place = [part for part in error["loc"] if not str(part).startswith("<")]  # tags of unions
    if place[-1:] == ["[key]"]:
        words = f"the key {quoted(error['input'])} of {place[0]} must be a text"
        return _Fault(str(place[0]), words)
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    key = error.get("ctx", {}).get("key", key.removeprefix("."))
    match error["type"]:
        case "extra_forbidden":
            # By its parts: a key that nobody knows may hold any character.
            groups = takewhile(lambda part: not part.isdigit(), map(str, place[:-1]))
            return _Fault(key, f"unknown key {key}{_known(settings, [*groups], str(place[-1]))}")
        case "missing":
            return _Fault(key, f"{key} is missing")
        case "refused" | "value_error":
            return _Fault(key, f"{key}: {error['msg'].removeprefix('Value error, ')}")
        case kind:
            said = error["msg"].replace("Input should be", "must be")
            return _Fault(key, f"{key} {_EXPECTED.get(kind, said)}, not {quoted(error['input'])}")


#: What pydantic says in Python's words.
_EXPECTED: Final = {
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "string_type": "must be a text",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be a mapping of keys to values",
    "model_type": "must be a mapping of keys to values",
}


def _known(settings: type[RunSettings], groups: Sequence[str], wrong: str) -> str:
    """Which keys there are where one is *wrong*: inside *groups*."""
    kind: type[pydantic.BaseModel] = settings
    for name in groups:
        kind = [*_groups_in(kind.model_fields[name].annotation)][-1]
    known = [*kind.model_fields]
    for other, keys in algorithms.settings().items() if not groups else ():
        if wrong in keys:
            return f" of this algorithm: algorithm={other} has it; known are {', '.join(known)}"
    return f"{nearest(wrong, known)}; known are {', '.join(known)}"


def _groups_in(annotation: Any) -> Iterator[type[Group]]:
    if isinstance(annotation, type) and issubclass(annotation, Group):
        yield annotation
    for part in get_args(annotation):
        yield from _groups_in(part)


def _message(wrong: Sequence[_Fault], document: _Document, changes: Sequence[str]) -> str:
    """All that is wrong in one line, after the line of the file or the argument where it stands."""
    place, lines = document.place, document.lines

    def where(key: str) -> str:
        key = key.replace("[", ".")
        for change in reversed(changes):
            changed = change.partition("=")[0]
            if f"{key}.".startswith(f"{changed}."):
                return f"argument {change!r}"
            if changed.startswith(f"{key}."):
                return f"{place} with {change!r}"
        while key not in lines and "." in key:
            key = key.rpartition(".")[0]
        return f"{place}, line {lines[key]}" if key in lines else place

    said: dict[str, list[str]] = {}
    for fault in wrong:
        said.setdefault(where(fault.key), []).append(fault.words)
    return "; ".join(f"{place}: {'; '.join(words)}" for place, words in said.items())
