"""What a new game can be in Python: the games that there are, and of one its options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cyberdeck.common.text import nearest, quoted
from cyberdeck.engine import option_text, registry
from cyberdeck.engine.contract import Columns, Game, Option
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError


def games() -> list[dict[str, str]]:
    """Name, title and summary of every game that is known, the suite's own first."""
    found = map(registry.game, registry.names())
    return [{"name": each.name, "title": each.title, "summary": each.summary} for each in found]


def _free(game: Game) -> list[Option]:
    """The options that change what is played, and that one line can hold."""
    return [
        each
        for each in game.options
        if not each.scoring and not each.view and not (isinstance(each, Columns) and each.rows)
    ]


def chosen(name: Any, texts: Any) -> Variant:
    """The game of that name with options as people write them; empty ones are left as they are."""
    if not isinstance(name, str) or name not in registry.names():
        known = registry.names()
        near = nearest(name, known) if isinstance(name, str) else ""
        raise OptionError(f"there is no game {quoted(name)}{near}: choose " + ", ".join(known))
    game = registry.game(name)
    given = texts if isinstance(texts, Mapping) else {}
    known_options = {each.name: each for each in _free(game)}
    found: dict[str, Any] = {}
    for key, text in given.items():
        if not isinstance(text, str):
            raise OptionError(f"{quoted(key)}={quoted(text)}: an option's value is a text")
        if text.strip():
            # Of what is unknown the game itself complains.
            option = known_options.get(key)
            found[key] = text if option is None else option_text.read(option.choices, text.strip())
    return Variant(game, found).by_outcome


def options(variant: Variant) -> list[dict[str, Any]]:
    """The options that change what is played, what they mean, and how they are chosen now."""
    return [
        {
            "name": each.name,
            "meaning": each.meaning,
            "choices": [option_text.written(choice) for choice in each.choices],
            "default": option_text.written(each.default),
            "allowed": each.allowed,
            "value": option_text.written(variant.chosen.get(each.name, each.default)),
        }
        for each in _free(variant.game)
    ]
