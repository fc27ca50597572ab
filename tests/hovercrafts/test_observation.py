"""Where the features of Hovercrafts' observation lie."""

from __future__ import annotations

from typing import Any

import pytest

from cyberdeck.engine.features import layout
from cyberdeck.engine.plain import as_python
from cyberdeck.games.hovercrafts.constants import OBSERVATIONS
from cyberdeck.games.hovercrafts.observation import places_of
from tests.play import Play

OPTIONS: list[dict[str, Any]] = [
    {},
    {"ships": (2, 3), "share_plans": True, "goal": "flagship"},
    {"ships": (4, 1), "share_plans": True, "goal": "breakthrough", "pick_side": True},
    {"ships": (1, 3), "goal": "seize", "battles": 3, "locations": 5, "width": 7},
    {"ships": (3, 3), "share_plans": True, "goal": "seize", "battles": 5, "pick_side": True},
]

#: What the features are called that begin there.
NAMES = {
    "numbers": ["to_move"],
    "map": ["map", "roster"],
    "marks": ["flagships", "escaped"],
}


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("view", OBSERVATIONS)
def test_kernels_and_features_agree_where_they_lie(options: dict[str, Any], view: str) -> None:
    play = Play("hovercrafts", observation=view, **options)
    there = layout(play.variant.features)
    board = int(play.state["width"]) * int(play.state["height"])
    places = as_python(places_of)(play.state, board if view == "planes" else 1)
    found = set()
    for name, place in places._asdict().items():
        for feature in NAMES.get(name, [name]):
            if feature in there:
                assert there[feature].start == place, feature
                found.add(feature)
    assert {"to_move", "number", "last_turn"} < found
    assert ("own_upgrades" in found) == bool(options.get("battles"))
