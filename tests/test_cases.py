"""The options that the tests try cover what they claim to."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import cyberdeck
from tests.cases import EACH, FREE, PAIRS, covering, fits, values


def choices(game: str, options: dict[str, Any]) -> dict[str, str]:
    """What each option of *game* is set to, defaults included, as something to compare."""
    chosen = {name: repr(options.get(name, tried[0])) for name, tried in values(game).items()}
    if "stats" in options:
        chosen["stats"] = repr(FREE[game]["stats"][1])
    return chosen


@pytest.mark.parametrize("game", cyberdeck.GAMES)
def test_any_two_values_that_fit_meet_in_some_case(game: str) -> None:
    met = [choices(game, options) for name, options in PAIRS if name == game]
    for (one, some), (other, more) in itertools.combinations(values(game).items(), 2):
        for value, another in itertools.product(some, more):
            together = any(
                case[one] == repr(value) and case[other] == repr(another) for case in met
            )
            assert together == fits(game, {one: value, other: another}), (
                one,
                value,
                other,
                another,
            )


@pytest.mark.parametrize("game", cyberdeck.GAMES)
def test_every_value_occurs(game: str) -> None:
    met = [choices(game, options) for name, options in EACH if name == game]
    assert (game, {}) in EACH
    for option, tried in values(game).items():
        assert {case[option] for case in met} == {repr(value) for value in tried}


def test_the_cases_are_the_same_in_every_process() -> None:
    """pytest-xdist wants it so."""
    for game in cyberdeck.GAMES:
        assert covering(game, 2) == [options for name, options in PAIRS if name == game]
