"""Results in files of JSON, which are read again, and the games of several runs as those of one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common import reading
from cyberdeck.common.statistics import finite
from cyberdeck.common.text import printable, quoted
from cyberdeck.engine import registry
from cyberdeck.errors import CyberdeckError, ResultError
from cyberdeck.evaluation import seeds
from cyberdeck.evaluation.games import COLUMNS, Games, joined
from cyberdeck.evaluation.rounds import DEALS, seeds_of

#: The version of all that stands in a file. In its first line: ``"cyberdeck evaluation": 1``.
FORMAT: Final = 1

#: How many bytes of a file are read: about a million games.
_MOST: Final = 1 << 27

#: The arrays that a file holds: what begins a game follows from its deal.
_KEPT: Final = [name for name in COLUMNS if name != "seeds"]


def told(games: Games) -> dict[str, Any]:
    """What games were played, and by whom: the same of all that one run has played."""
    game, options = games.variant.game, dict(games.variant.options)
    return {
        **{"game": game.name, "game_version": game.version, "options": options},
        **{"players": list(games.players), "known_by": list(games.known_by)},
        **{"version": games.version, "openings": games.openings, **seeds.as_json(games.seed)},
    }


def text_of(kind: str, games: Games, figures: Mapping[str, Any]) -> str:
    """The text of a file: what was played, *figures* of it, and a line for each array of games."""
    about = {name: getattr(games, name) for name in ("interrupted", "voided", "failure")}
    about = {**told(games), **about, "counted": games.counts, **figures}
    content = finite({f"cyberdeck {kind}": FORMAT, **about})
    text = json.dumps(content, indent=2, allow_nan=False).removesuffix("\n}")
    lines = (f'    "{name}": {json.dumps(getattr(games, name).tolist())}' for name in _KEPT)
    return text + ',\n  "games": {\n' + ",\n".join(lines) + "\n  }\n}\n"


def read(path: str | Path, kind: str, make: Any) -> Any:
    """What *make* makes of the games and the content of a file, or ``ResultError``."""
    try:
        content = reading.from_json(reading.read_bytes(path, _MOST))
        return make(_games(content, f"cyberdeck {kind}"), content)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        damaged = "" if isinstance(error, CyberdeckError) else "it is damaged, or was cut off: "
        raise ResultError(printable(f"{path}: {damaged}{error}")) from None


def _games(content: Any, begins: str) -> Games:
    """The games of a file that *begins* with the name of its kind, checked entry by entry."""
    if not isinstance(content, dict) or begins not in content:
        raise ResultError(f'it is of another kind: such a file begins with "{begins}": {FORMAT}')
    _need(content[begins] == FORMAT, begins, content[begins], f"this cyberdeck reads {FORMAT}")
    variant = registry.variant(content["game"], **content["options"]).by_outcome
    seed: Any = reading.whole(content["seed"], 0, 2 * seeds.LIMIT - 1)
    about: dict[str, Any] = {name: _column(name, content, variant) for name in _KEPT}
    about["seeds"] = seeds_of(seed, about["deals"])
    if content["reported"] is not None:
        of = tuple(map(printable, content["reported_for"]))
        seed = seeds.ReportingSeed(seed, of, printable(content["reported"]))
    for number in [number for each in content["counted"].values() for number in each.values()]:
        reading.finite(number)
    about |= {"counts": content["counted"], "interrupted": bool(content["interrupted"])}
    about |= {name: reading.whole(content[name]) for name in ("voided", "openings")}
    about |= {name: printable(content[name]) for name in ("failure", "version")}
    about |= {name: tuple(map(printable, content[name])) for name in ("players", "known_by")}
    games = Games(variant, seed=seed, **about)
    # What was not printable, or of another kind, has become something else.
    for name, found in json.loads(json.dumps(told(games))).items():
        _need(content.get(name) == found, name, content.get(name), f"here it is {quoted(found)}")
    return games


def _column(name: str, content: Mapping[str, Any], variant: Any) -> NDArray[Any]:
    """One of the arrays of a file's games."""
    values, dtype = content["games"][name], np.dtype[Any](COLUMNS[name])
    sides, reasons = len(variant.teams or variant.agents), len(variant.game.reasons)
    wide = {"lineups": sides, "returns": sides, "metrics": len(variant.game.metrics)}
    shape = (len(content["games"]["deals"]), *([wide[name]] if name in wide else []))
    ends = {"lineups": len(content["players"]), "deals": DEALS, "reasons": reasons}
    low, end = (-1, ends[name]) if name in ends else (-np.inf, np.inf)
    array = np.array(values) if np.size(values) else np.zeros(shape, dtype)
    possible = array.shape == shape and array.dtype.kind in "bif"
    with np.errstate(all="ignore"):
        held = array.astype(dtype) if possible else np.zeros(shape, dtype)
        possible = possible and bool(((held == array) & (low < array) & (array < end)).all())
    _need(possible, f"games: {name}", values, f"it must be an array of {dtype}, {shape}")
    return held


def _need(possible: object, name: str, value: object, needed: str) -> None:
    if not possible:
        raise ResultError(f"{name} {quoted(value)} is not possible: {needed}")


def merged(parts: Sequence[Games]) -> Games:
    """The games of several runs as one run would have played them, but for their actions."""
    deals = np.empty(0, np.int64)
    for each in parts:
        for (name, one), other in zip(told(parts[0]).items(), told(each).values(), strict=True):
            _need(one == other, name, other, f"in the first result it is {quoted(one)}")
        both = np.intersect1d(deals, each.deals).tolist()
        _need(not both, "deals", both, "they are in two of the results")
        deals = np.append(deals, each.deals)
    whole = joined(parts)
    about: dict[str, Any] = {"actions": [], "notes": [], "counts": {}}
    for who, counted in parts[0].counts.items():
        about["counts"][who] = {of: sum(each.counts[who][of] for each in parts) for of in counted}
    for name in COLUMNS:
        about[name] = getattr(whole, name)[np.argsort(whole.deals, kind="stable")]
    about["failure"] = max(each.failure for each in parts)
    return replace(whole, **about, interrupted=any(each.interrupted for each in parts))
