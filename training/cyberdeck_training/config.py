"""A training run's configuration: a YAML file, checked before anything starts."""

from __future__ import annotations

import types
import typing
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

import yaml

from cyberdeck import GAMES, CyberdeckError, OptionError, policies, variant


@dataclass(frozen=True)
class Evaluation:
    """How the trained policy is measured."""

    deals: int = 1000
    """Each is played on every side against each opponent."""
    opponents: list[str] = field(default_factory=lambda: ["random", "heuristic"])


@dataclass(frozen=True)
class Config:
    """One training run with MaskablePPO."""

    game: str
    """Name of the game, see ``cyberdeck list``."""
    decisions: int
    """How many decisions to train for."""
    options: dict[str, Any] = field(default_factory=dict)
    """The game's own options, see ``cyberdeck describe GAME``."""
    opponent: str | None = None
    """Who plays the other seats: a player by name; none in a game for one."""
    seed: int = 1
    games_at_once: int = 256
    rollout: int = 64
    """Decisions in each game between two updates."""
    batch_size: int = 2048
    epochs: int = 4
    """Passes over the decisions of a rollout."""
    learning_rate: float = 1e-3
    discount: float = 1.0
    gae_lambda: float = 0.95
    entropy: float = 0.01
    """Weight of the bonus for staying undecided."""
    hidden: list[int] = field(default_factory=lambda: [256, 128])
    """Widths of the hidden layers."""
    evaluation: Evaluation = field(default_factory=Evaluation)


_T = TypeVar("_T")


def load(path: Path, **overridden: Any) -> Config:
    """The configuration in *path*, or one ``OptionError`` that says what is wrong with it.

    Values given by name take the place of the file's, None leaves them.
    """
    try:
        content = yaml.safe_load(path.read_text())
    except OSError as error:
        raise OptionError(f"{path} cannot be read: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise OptionError(f"{path} is not YAML: {error}") from None
    if isinstance(content, dict):
        content |= {key: value for key, value in overridden.items() if value is not None}
    config = _build(Config, content, str(path))
    if config.game not in GAMES:
        raise OptionError(f"{path}: game: there is no {config.game!r}; choose " + ", ".join(GAMES))
    chosen = variant(config.game, **config.options)
    players = list(config.evaluation.opponents) if chosen.seats > 1 else []
    if config.opponent is not None:
        players.append(config.opponent)
    for player in players:
        try:
            policies.player(chosen, player)
        except CyberdeckError as error:
            raise OptionError(f"{path}: opponent: {error}") from None
    if config.opponent is not None and chosen.seats == 1:
        raise OptionError(f"{path}: opponent: {config.game} is a game for one; leave it out")
    for name in ("decisions", "games_at_once", "rollout", "batch_size", "epochs"):
        if getattr(config, name) < 1:
            raise OptionError(f"{path}: {name} must be at least 1")
    if config.evaluation.deals < 1:
        raise OptionError(f"{path}: evaluation: deals must be at least 1")
    if config.batch_size > config.games_at_once * config.rollout:
        raise OptionError(
            f"{path}: batch_size {config.batch_size} is more than a rollout holds: "
            f"games_at_once x rollout = {config.games_at_once * config.rollout}"
        )
    return config


def _build(kind: type[_T], content: Any, where: str) -> _T:
    """A dataclass from a mapping: every key known, every type right."""
    if not isinstance(content, dict):
        raise OptionError(f"{where} must be a mapping of keys to values, not {content!r}")
    hints = typing.get_type_hints(kind)
    known = {f.name for f in fields(kind)}  # type: ignore[arg-type]
    for key in content:
        if key not in known:
            raise OptionError(
                f"{where}: unknown key {key!r}; known are " + ", ".join(sorted(known))
            )
    values = {}
    for key, value in content.items():
        if hints[key] is Evaluation:
            value = _build(Evaluation, value, f"{where}: {key}")
        values[key] = _checked(hints[key], value, f"{where}: {key}")
    try:
        return kind(**values)
    except TypeError:
        missing = known - set(content)
        raise OptionError(f"{where}: keys are missing, of: " + ", ".join(sorted(missing))) from None


def _checked(hint: Any, value: Any, where: str) -> Any:
    if isinstance(hint, types.UnionType):
        allowed = typing.get_args(hint)
    else:
        allowed = (typing.get_origin(hint) or hint,)
    if float in allowed and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
        names = " or ".join(kind.__name__ for kind in allowed)
        raise OptionError(f"{where} must be {names}, not {value!r}")
    inner = typing.get_args(hint) if typing.get_origin(hint) is list else ()
    for item in value if inner else ():
        _checked(inner[0], item, f"{where}: an item")
    return value
