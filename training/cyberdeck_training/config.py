"""A training run's configuration: a YAML file, checked before anything starts."""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import yaml

from cyberdeck import GAMES, CyberdeckError, OptionError, variant
from cyberdeck.engine.prior import PRIOR
from cyberdeck.engine.variant import Variant
from cyberdeck.players import find_player, player_names
from cyberdeck_training.algorithms import ALGORITHMS, ENCODINGS

#: Opponents that change while the run goes on.
CURRENT: Final = "self"
PAST: Final = "past"

#: Which past self makes room for a new one.
REPLACED: Final = ("oldest", "random", "easiest")

ACTIVATIONS: Final = ("tanh", "relu")

#: What PyTorch calls them.
PRECISIONS: Final = {"float32": "highest", "bfloat16": "medium"}

#: What no machine that this is for could do more of.
_MOST: Final = {
    "decisions": 10**12,
    "threads": 1024,
    "history": 100,
    "games_at_once": 2**20,
    "rollout": 2**16,
    "batch_size": 2**24,
    "epochs": 1000,
    "seed": 2**30 - 1,
}
_WIDEST: Final = 2**14
_MOST_HEED: Final = 10.0

#: The envs number the entries of a pool in 16 bits.
_MOST_ENTRIES: Final = 2**15 - 1

#: Where the configurations are that a game's name stands for: of the wheel, or of the checkout.
_FOLDERS: Final = (Path(__file__).parent / "configs", Path(__file__).parents[2] / "configs")


@dataclass(frozen=True)
class Past:
    """The past selves that play as ``past``."""

    every: int = 20
    """Updates between two that join."""
    keep: int = 8
    """How many are kept."""
    replace: str = "random"
    """Which of them makes room: the ``oldest``, a ``random`` one, or the ``easiest`` to beat."""


@dataclass(frozen=True)
class Imitation:
    """A teacher to learn from at first: what it would do where the learner gets to."""

    player: str = "heuristic"
    """A player by name."""
    decisions: int = 1_000_000
    """For how many of the run's decisions; PPO goes on from there."""


@dataclass(frozen=True)
class Evaluation:
    """How the policy is measured, while it learns and at the end."""

    every: int = 500_000
    """Decisions between two measurements."""
    deals: int = 100
    """Of each measurement; each deal is played on every side against each opponent."""
    final_deals: int = 1000
    """Of the last one, on other deals."""
    opponents: list[str] = field(default_factory=lambda: ["random", "heuristic"])
    greedy: bool = True
    """Whether the policy plays the likeliest action, or draws one."""


@dataclass(frozen=True)
class Config:
    """One training run."""

    game: str
    """Name of the game, see ``cyberdeck list``."""
    decisions: int
    """How many decisions of the learner to train for."""
    options: dict[str, Any] = field(default_factory=dict)
    """The game's own options, see ``cyberdeck describe GAME``."""
    algorithm: str = "maskable_ppo"
    opponents: dict[str, int] = field(default_factory=dict)
    """Who plays the other sides, and in how many games compared to each other."""
    past: Past | None = None
    imitation: Imitation | None = None
    seed: int = 1
    threads: int = 2
    """Of PyTorch."""
    precision: str = "float32"
    """Of PyTorch's matrix products; bfloat16 is faster on processors that have it."""
    history: int = 1
    """How many of its last observations the policy sees, the present one included."""
    encoding: str = "scaled"
    """What the network gets of an observation."""
    heed: float | None = None
    """What each step of the observation's prior adds to an action at first; learned on. Without,
    the prior is seen by the network as all else is."""
    hidden: list[int] = field(default_factory=lambda: [256, 128])
    """Widths of the hidden layers."""
    critic: list[int] | None = None
    """The same of the network that values positions; as ``hidden`` without."""
    activation: str = "tanh"
    games_at_once: int = 256
    rollout: int = 64
    """Decisions in each game between two updates."""
    batch_size: int = 2048
    epochs: int = 4
    """Passes over the decisions of a rollout."""
    learning_rate: float = 1e-3
    final_learning_rate: float | None = None
    """Where the learning rate goes in a straight line; it stays where it is without."""
    clip: float = 0.2
    """How far an update may change a decision's probability."""
    discount: float = 1.0
    gae_lambda: float = 0.95
    entropy: float = 0.01
    """Weight of the bonus for staying undecided."""
    value_weight: float = 0.5
    checkpoint: float = 30.0
    """Seconds between two checkpoints."""
    evaluation: Evaluation = field(default_factory=Evaluation)

    @property
    def variant(self) -> Variant:
        return variant(self.game, **self.options)

    def text(self) -> str:
        """As YAML that ``load`` reads."""
        # Through JSON's kinds: YAML has no word for tuples.
        text: str = yaml.safe_dump(_plain(asdict(self)), sort_keys=False)
        return text


def find(name: str) -> Path:
    """The configuration that *name* stands for: a file, or the packaged one of a game.

    >>> find("hackthegrid").name
    'hackthegrid.yaml'
    """
    path = Path(name)
    if path.is_file() or path.suffix in (".yaml", ".yml"):
        return path
    for folder in _FOLDERS:
        if (folder / f"{name}.yaml").is_file():
            return folder / f"{name}.yaml"
    packaged = sorted({path.stem for folder in _FOLDERS for path in folder.glob("*.yaml")})
    raise OptionError(
        f"there is no configuration {name!r}: give a file (*.yaml), or one of "
        + ", ".join(packaged)
    )


def load(path: Path, changes: Sequence[str] = ()) -> Config:
    """The configuration in *path*, or one ``OptionError`` that says what is wrong with it.

    *changes* are texts ``key=value`` that take the place of the file's values; the key of a value
    inside another has a dot (``evaluation.deals=50``), and the value is YAML.
    """
    try:
        content = yaml.safe_load(path.read_text("utf-8"))
    except OSError as error:
        raise OptionError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise OptionError(f"{path} is no text in UTF-8") from None
    except yaml.YAMLError as error:
        told = " ".join(str(error).split())
        raise OptionError(f"{path} is not YAML: {told}") from None
    if not isinstance(content, dict):
        raise OptionError(f"{path} must hold a mapping of keys to values, not {content!r}")
    for change in changes:
        _change(content, change)
    config: Config = _build(Config, content, str(path))
    _check(config, str(path))
    return config


def _change(content: dict[str, Any], change: str) -> None:
    """Put ``key=value`` into *content*."""
    key, equals, text = change.partition("=")
    if not equals or not key:
        raise OptionError(f"{change!r} is not KEY=VALUE, such as decisions=100000")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        raise OptionError(f"{change!r}: {text!r} is not YAML") from None
    *outer, last = key.split(".")
    inside: Any = content
    for part in outer:
        if inside.get(part) is None:
            inside[part] = {}
        inside = inside[part]
        if not isinstance(inside, dict):
            raise OptionError(f"{change!r}: {part} is a value, it has no keys")
    inside[last] = value


def _check(config: Config, where: str) -> None:
    """What no single value shows."""

    def refuse(key: str, message: str) -> typing.NoReturn:
        raise OptionError(f"{where}: {key}: {message}")

    for key, value, choices in (
        ("game", config.game, tuple(GAMES)),
        ("algorithm", config.algorithm, tuple(ALGORITHMS)),
        ("encoding", config.encoding, tuple(ENCODINGS)),
        ("activation", config.activation, ACTIVATIONS),
        ("precision", config.precision, tuple(PRECISIONS)),
        ("past.replace", (config.past or Past()).replace, REPLACED),
    ):
        if value not in choices:
            refuse(key, f"there is no {value!r}; choose " + ", ".join(choices))
    try:
        chosen = config.variant
    except CyberdeckError as error:
        refuse("options", str(error))
    least = {
        **dict.fromkeys(("decisions", "threads", "history", "games_at_once", "rollout"), 1),
        **dict.fromkeys(("epochs",), 1),
        "batch_size": 2,
        **dict.fromkeys(("seed", "entropy", "value_weight", "checkpoint"), 0),
    }
    for key, low in least.items():
        high = _MOST.get(key, math.inf)
        if not low <= getattr(config, key) <= high or math.isinf(getattr(config, key)):
            most = f" and at most {high}" if key in _MOST else ""
            refuse(key, f"must be at least {low}{most}, not {getattr(config, key)!r}")
    for name, group in (("evaluation", config.evaluation), ("past", config.past or Past())):
        for key in ("every", "deals", "final_deals", "keep"):
            if getattr(group, key, 1) < 1:
                refuse(f"{name}.{key}", f"must be at least 1, not {getattr(group, key)}")
    for key in ("learning_rate", "final_learning_rate", "clip"):
        value = getattr(config, key)
        if value is not None and not 0 < value <= 1:
            refuse(key, f"must be above 0 and at most 1, not {value!r}")
    for key in ("discount", "gae_lambda"):
        if not 0 <= getattr(config, key) <= 1:
            refuse(key, f"must be from 0 to 1, not {getattr(config, key)!r}")
    for key, widths in (("hidden", config.hidden), ("critic", config.critic or [])):
        if any(not 1 <= width <= _WIDEST for width in widths):
            refuse(key, f"widths must be from 1 to {_WIDEST}, not {widths}")
    if config.heed is not None and not 0 < config.heed <= _MOST_HEED:
        refuse("heed", f"must be above 0 and at most {_MOST_HEED:g}, not {config.heed!r}")
    if config.heed is not None and PRIOR not in chosen.layout:
        refuse("heed", "these games show no prior: give options.observation=prior, or leave it")
    room = config.games_at_once * config.rollout
    if config.batch_size > room:
        refuse(
            "batch_size",
            f"{config.batch_size} is more than a rollout holds: games_at_once x rollout = {room}",
        )
    if room % config.batch_size == 1:
        refuse("batch_size", f"{config.batch_size} leaves one of the {room} decisions of a rollout")
    if config.history > 1 and len(chosen.observation_shape) > 1:
        refuse("history", "planes have none: leave options.observation out, or history")
    if config.history > 1 and len(chosen.sides) > len(set(chosen.sides)):
        refuse("history", "a side of several ships has none yet: the policy plays them all in turn")
    if config.imitation is not None:
        if config.imitation.decisions < room:
            refuse("imitation.decisions", f"must be at least those of a rollout, {room}")
        try:
            find_player(chosen, config.imitation.player)
        except CyberdeckError as error:
            refuse("imitation.player", str(error))
    _check_players(config, chosen, refuse)


def _check_players(config: Config, chosen: Variant, refuse: Any) -> None:
    playing = {name: share for name, share in config.opponents.items() if share != 0}
    for name, share in config.opponents.items():
        if share < 0:
            refuse(f"opponents.{name}", f"a share must be at least 0, not {share}")
    if chosen.seats == 1:
        if playing:
            refuse("opponents", f"{config.game} is a game for one; leave them out")
        if config.past is not None:
            refuse("past", f"{config.game} is a game for one; leave it out")
        if config.evaluation.opponents != Evaluation().opponents:
            refuse("evaluation.opponents", f"{config.game} is a game for one; leave them out")
        return
    if not playing:
        refuse(
            "opponents",
            f"{config.game} needs some: shares of {CURRENT}, {PAST} and "
            f"{', '.join(player_names(chosen))}, such as {{self: 2, past: 2, heuristic: 1}}",
        )
    named = [("opponents", name) for name in playing if name not in (CURRENT, PAST)]
    named += [("evaluation.opponents", name) for name in config.evaluation.opponents]
    for key, name in named:
        try:
            find_player(chosen, name)
        except CyberdeckError as error:
            more = f"; or {CURRENT}, {PAST}" if key == "opponents" else ""
            refuse(key, f"{error}{more}")
    kept = (config.past or Past()).keep if PAST in playing else 1
    times = kept // math.gcd(kept, playing.get(PAST, 1))
    if sum(playing.values()) * times > _MOST_ENTRIES:
        refuse(
            "opponents",
            f"shares and past.keep have to be smaller: they need {times} times "
            f"{sum(playing.values())} places in the pool, and it has {_MOST_ENTRIES}",
        )
    if config.past is not None and PAST not in playing:
        refuse("past", "nobody plays past selves: give opponents a share of past")
    if not config.evaluation.opponents:
        refuse("evaluation.opponents", "name at least one, such as [random, heuristic]")


_T = TypeVar("_T")


def _build(kind: type[_T], content: Any, where: str, key: str = "") -> _T:
    """A dataclass from a mapping: every key known, every type right."""
    if not isinstance(content, dict):
        raise OptionError(f"{where}: {key} must be a mapping of keys to values, not {content!r}")
    hints = typing.get_type_hints(kind)
    lead = f"{key}." if key else ""
    for name in content:
        if name not in hints:
            raise OptionError(
                f"{where}: unknown key {lead}{name}; known are " + ", ".join(sorted(hints))
            )
    values = {
        name: _value(hints[name], value, where, f"{lead}{name}") for name, value in content.items()
    }
    try:
        return kind(**values)
    except TypeError:
        needed = ("game", "decisions")
        missing = [name for name in needed if name not in content]
        raise OptionError(f"{where}: keys are missing: " + ", ".join(missing)) from None


def _value(hint: Any, value: Any, where: str, key: str) -> Any:
    """*value* as a field of this type wants it, or ``OptionError``."""
    allowed = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    for kind in allowed:
        if is_dataclass(kind) and isinstance(kind, type) and value is not None:
            return _build(kind, value, where, key)
    plain = tuple(typing.get_origin(kind) or kind for kind in allowed)
    if isinstance(value, str) and str not in plain:
        value = _number(value)  # YAML takes 3e-4 for a text
    if int in plain and isinstance(value, float) and value.is_integer():
        value = int(value)
    if float in plain and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if not isinstance(value, plain) or (isinstance(value, bool) and bool not in plain):
        names = " or ".join(_WORDS.get(kind, kind.__name__) for kind in plain)
        raise OptionError(f"{where}: {key} must be {names}, not {value!r}")
    inner = next((args for kind in allowed if (args := typing.get_args(kind))), ())
    if isinstance(value, list):
        return [_value(inner[0], item, where, f"{key}[{at}]") for at, item in enumerate(value)]
    if isinstance(value, dict):
        for name in value:
            _value(inner[0], name, where, f"the key {name!r} of {key}")
        if inner[1] is not Any:
            return {n: _value(inner[1], item, where, f"{key}.{n}") for n, item in value.items()}
    return value


def _number(text: str) -> Any:
    """The number that a text is, or the text."""
    try:
        return float(text)
    except ValueError:
        return text


_WORDS: Final[Mapping[type, str]] = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "true or false",
    list: "a list",
    dict: "a mapping of keys to values",
    types.NoneType: "nothing (null)",
}


def _plain(value: Any) -> Any:
    """Tuples as lists, at any depth."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
