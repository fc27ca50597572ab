"""A training run's configuration: a YAML file from anybody, checked before anything starts."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn, get_args

import pydantic
import yaml
from pydantic_core import ErrorDetails

from cyberdeck import OptionError
from cyberdeck.common import consent
from cyberdeck.common.reading import DEEPEST, LONGEST_TEXT, fault_of_text, read_bytes, texts
from cyberdeck.common.text import nearest, printable, quoted
from cyberdeck.engine import registry
from cyberdeck.errors import ConsentError
from cyberdeck.players import built_in_names
from cyberdeck_training import algorithms
from cyberdeck_training.settings import CURRENT, PAST, RunSettings
from cyberdeck_training.values import Group, game_of

#: How many bytes a document may have: PyYAML reads some 100,000 in a second.
MOST: Final = 1 << 16

#: How many values there may be.
MOST_VALUES: Final = 10_000

#: No error is longer: a file may be wrong in everything.
_LONGEST: Final = 4000

#: What the user can do where a configuration names what has effects.
_INSTEAD: Final = {
    "game": "name it too, by --game FILE (in Python: game=)",
    "player": "say yes in a terminal, or name it too, as in opponents={...} on the command line",
    **{
        kind: f"say yes in a terminal, or name it too, as in {key}=... on the command line"
        for kind, key in {
            **{key: key for key in ("algorithm", "network", "reward", "shaping")},
            **{"schedule": "learning_rate", "callback": "callbacks"},
        }.items()
    },
}

#: Where the configurations are that a game's name stands for: of the wheel, or of the checkout.
_FOLDERS: Final = (Path(__file__).parent / "configs", Path(__file__).parents[2] / "configs")

#: Timesteps that a responder is trained for at most, if the caller does not say.
_RESPONDING: Final = 2_000_000

#: What makes a configuration that of a responder.
_RESPONDER: Final = ("algorithm", "options", "opponents", "past", "evaluation.opponents")


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

    The file of a game is a program, as is a recipe or network of your own, and some players open
    connections or write files. Those that a configuration names are used if you name them too, as
    *game* or in *changes*, if you have agreed before and they are the same, or if you say yes in a
    terminal; else that is an ``OptionError``. *game* takes the place of the configuration's.

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
    algorithm = content.get("algorithm", RunSettings.model_fields["algorithm"].default)
    with consent.named_by(document.place, _INSTEAD, by_user, asks=True):
        try:
            if not isinstance(algorithm, str):
                raise OptionError(f"must be a text, not {quoted(algorithm)}")
            settings = algorithms.find(algorithm).Settings
            return settings.model_validate(content)
        except pydantic.ValidationError as error:
            every = error.errors()
            refusals = [each.get("ctx", {}).get("error") for each in every]
            refused = next((each for each in refusals if isinstance(each, ConsentError)), None)
            wrong = [_fault(settings, each) for each in every]
        except OptionError as error:
            refused = error if isinstance(error, ConsentError) else None
            wrong = [("algorithm", f"algorithm: {error}")]
    raise OptionError(printable(refused or _message(wrong, document, changes), _LONGEST))


def says_again(name: str | Path, change: str) -> bool:
    """Whether the configuration *name* says what *change* does: who names a player so agrees."""
    content = _read(str(name)).content
    before = copy.deepcopy(content)
    _change(content, change)
    return content == before


def responder(
    game: str, player: str, options: Mapping[str, Any], changes: Sequence[str] = ()
) -> RunSettings:
    """How a best response is trained: the game's own configuration, to train against *player* and
    nobody else.

    *options* are the game's, in place of the configuration's; *changes* are as in ``load``.

    >>> responder("hackthegrid", "heuristic", {}).opponents
    {'heuristic': 1}
    """
    file, colon, rest = player.partition(":")
    if Path(file).suffix and Path(file).is_file():  # a run may go on from another folder
        player = f"{Path(file).resolve()}{colon}{rest}"
    for change in changes:
        key = change.partition("=")[0]
        if key.startswith(_RESPONDER):
            raise OptionError(
                f"{change!r}: the responder plays this game, against the player and nobody else; "
                f"leave {key} out, or use `cyberdeck train`"
            )
    given = [
        *("algorithm=exploit", f"opponents={json.dumps({player: 1})}", "past=null"),
        f"evaluation.opponents={json.dumps([player])}",
        *(f"options.{name}={json.dumps(value)}" for name, value in options.items()),
    ]
    config = load(game, [*given, *changes])
    if any(change.startswith("total_timesteps=") for change in changes):
        return config
    most = min(config.total_timesteps, _RESPONDING)
    return config.model_copy(update={"total_timesteps": most})


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
        content, node = _values(read_bytes(path, MOST).decode())
    except OSError as error:
        raise OptionError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise OptionError(f"{path} is no text in UTF-8") from None
    except yaml.YAMLError as error:
        words = [str(error).replace('in "<unicode string>",', "at")]
        if isinstance(error, yaml.MarkedYAMLError):
            words = [error.context or "", error.problem or ""]
            if mark := error.problem_mark:
                words.append(f"in line {mark.line + 1}, column {mark.column + 1}")
        said = " ".join(" ".join(words).split())
        raise OptionError(printable(f"{path} is not YAML: {said}")) from None
    if not isinstance(content, dict):
        raise OptionError(f"{path} must hold a mapping of keys to values, not {quoted(content)}")
    return _Document(content, str(path), dict(_lines(node)))


def _values(text: str) -> tuple[Any, yaml.Node | None]:
    """A document's value, and its nodes, which know their lines; or ``yaml.YAMLError``."""
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        return None if node is None else loader.construct_document(node), node
    finally:
        loader.dispose()


class _Loader(yaml.SafeLoader):
    """Reads the values that JSON has, and no more of them than a person writes. What looks like a
    date is a text.
    """

    yaml_implicit_resolvers = {  # noqa: RUF012  # PyYAML's own
        first: [each for each in known if not each[0].endswith(":timestamp")]
        for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    _depth = _count = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self._depth += 1
        self._count += 1
        if self._count > MOST_VALUES or self._depth > DEEPEST:
            much = f"it holds more than {MOST_VALUES:,} values, or {DEEPEST} in each other"
            raise yaml.composer.ComposerError(None, None, much)
        if self.check_event(yaml.AliasEvent):  # a short text could stand for any number of values
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]  # of PyYAML
            raise yaml.composer.ComposerError(None, None, "aliases (*name) are not read", mark)
        node: yaml.Node | None = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        if node.tag.removeprefix("tag:yaml.org,2002:") not in _READ:
            _refuse(f"{quoted(node.tag)} is no kind of value that is read", node)
        try:
            value = super().construct_object(node, deep)
        except (ValueError, TypeError, LookupError, ArithmeticError) as error:
            _refuse(f"{quoted(node.value)} is not possible: {quoted(str(error))}", node)
        if isinstance(value, int) and value.bit_length() > 64:
            _refuse(f"{quoted(node.value)} is too large a number", node)
        if isinstance(value, str) and (fault := fault_of_text(value, LONGEST_TEXT, lines=True)):
            _refuse(f"{quoted(value)} is not possible: {fault}", node)
        return value


#: The kinds of values that are read.
_READ: Final = ("str", "int", "float", "bool", "null", "seq", "map")


def _refuse(words: str, node: yaml.Node) -> NoReturn:
    raise yaml.constructor.ConstructorError(None, None, words, node.start_mark)


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
        value, _ = _values(text)
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


# --- what is wrong -------------------------------------------------------------------------------


def _fault(settings: type[RunSettings], error: ErrorDetails) -> tuple[str, str]:
    """One of pydantic's errors: of which key, and in words."""
    place = [part for part in error["loc"] if not str(part).startswith("<")]  # tags of unions
    if place[-1:] == ["[key]"] and error["type"] == "string_type":
        return str(place[0]), f"the key {quoted(error['input'])} of {place[0]} must be a text"
    if place[-1:] == ["[key]"] and error["type"] == "value_error":
        place.pop()  # the key itself is wrong, and named already
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    key = error.get("ctx", {}).get("key", key.removeprefix("."))
    match error["type"]:
        case "extra_forbidden":
            # By its parts: a key that nobody knows may hold any character.
            groups = takewhile(lambda part: not part.isdigit(), map(str, place[:-1]))
            return key, f"unknown key {key}{_known(settings, [*groups], str(place[-1]))}"
        case "missing":
            return key, f"{key} is missing"
        case "refused" | "value_error":
            return key, f"{key}: {error['msg'].removeprefix('Value error, ')}"
        case kind:
            said = error["msg"].replace("Input should be", "must be")
            return key, f"{key} {_EXPECTED.get(kind, said)}, not {quoted(error['input'])}"


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
        if name in kind.model_fields:  # and is no key of a mapping, such as an opponent
            kind = [*_groups_in(kind.model_fields[name].annotation)][-1]
    known = [field.alias or name for name, field in kind.model_fields.items()]
    for other, keys in algorithms.settings().items() if not groups else ():
        if wrong in keys:
            return f" of this algorithm: algorithm={other} has it; known are {', '.join(known)}"
    return f"{nearest(wrong, known)}; known are {', '.join(known)}"


def _groups_in(annotation: Any) -> Iterator[type[Group]]:
    if isinstance(annotation, type) and issubclass(annotation, Group):
        yield annotation
    for part in get_args(annotation):
        yield from _groups_in(part)


def _message(wrong: Sequence[tuple[str, str]], document: _Document, changes: Sequence[str]) -> str:
    """All that is wrong in one line, after the line of the file or the argument where it stands."""

    def where(key: str) -> str:
        key = key.replace("[", ".")
        for change in reversed(changes):
            changed = change.partition("=")[0]
            if f"{key}.".startswith(f"{changed}."):
                return f"argument {change!r}"
            if changed.startswith(f"{key}."):
                return f"{document.place} with {change!r}"
        while key not in document.lines and "." in key:
            key = key.rpartition(".")[0]
        line = f", line {document.lines[key]}" if key in document.lines else ""
        return f"{document.place}{line}"

    said: dict[str, list[str]] = {}
    for key, words in wrong:
        said.setdefault(where(key), []).append(words)
    return "; ".join(f"{place}: {'; '.join(words)}" for place, words in said.items())
