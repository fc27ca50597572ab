"""Records that look harmless one field at a time, and are no possible positions."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from cyberdeck import StateError
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.engine import saving
from cyberdeck.engine.positions import broken_invariant
from cyberdeck.games.hovercrafts import invariants
from cyberdeck.games.hovercrafts.constants import MOST_TURNS, NONE, PLAN, REPAIR
from cyberdeck.games.hovercrafts.game import GAME
from cyberdeck.games.hovercrafts.table import cell_of
from tests.api.helpers import pick
from tests.hovercrafts.test_campaign import HULL, lose, raise_stats, war
from tests.play import Play


def position(decisions: int = 12, **options: Any) -> Play:
    game = Play("hovercrafts", seed=4, ships=(2, 2), **options)
    luck = random.Random(4)
    for _ in range(decisions):
        game.act(luck.choice(game.legal()))
    return game


def upgrading() -> Play:
    """Ships are upgraded, and some have chosen."""
    game = war(battles=5)
    lose(game, 2, 3)
    raise_stats(game, HULL, HULL)
    return game


deploying = partial(position, 0, height=6)
deployed_at_random = partial(deploying, deployment="random")
breaking_through = partial(position, goal="breakthrough", max_turns=9)
seizing = partial(position, goal="seize")


def deploy(record: Any) -> None:
    """There are no actions for it: their mask would be written beyond its end."""
    waiting = deploying().state
    for field in GAME.dtype.names or ():
        if field != "deployment":
            record[field] = waiting[field]


def take_out(record: Any) -> None:
    assert record["phase"] == PLAN
    seat = 0 if record["mover"] != 0 else 1
    record["cell"][seat], record["actions"][seat], record["plan"][seat] = NONE, 0, NONE


def one_more(record: Any) -> None:
    record["decisions"] = invariants.most_decisions(record) + 1


def defender_escapes(record: Any) -> None:
    seat = 0 if record["starting"] != 0 else 2
    record["escaped"][seat], record["cell"][seat] = 1, NONE
    record["actions"][seat], record["plan"][seat] = 0, NONE


def same_location(record: Any) -> None:
    record["location"][1] = record["location"][0]


#: A field, or a field and an index in it: its new value.
Change = dict[str | tuple[Any, ...], Any] | Callable[[Any], None]

MOST = {"decisions": np.iinfo(np.int32).max}
RAISED = {
    **{("raised", 0): 4, ("hull", 0): 9, ("hull_left", 0): 9},
    **{(name, 0): 6 for name in ("shield", "ballistic", "energy")},
}
LEFT = {("place", 0): 1, ("roll", 0): -1}  # values that cancel out are not nothing

#: The rule: a position, a change, and the invariant that does not hold any more.
CHANGES: dict[str, tuple[Callable[[], Play], Change, str]] = {
    "nobody deploys where it is random": (deployed_at_random, deploy, "ships stand"),
    "no turn has begun in deployment": (deploying, {"turns": 1}, "ships stand"),
    "no slot is decided in deployment": (deploying, {"slot": 1}, "ships stand"),
    "no phase has passed in deployment": (deploying, {"passed": 1}, "ships stand"),
    "a ship that is out has no hull": (position, take_out, "ships stand"),
    "hull lost in a turn is none while it is planned": (position, {"lost": 127}, "last turn"),
    "no plans are revealed before a turn": (deploying, {("revealed", 0): REPAIR}, "last turn"),
    "all phases of a turn passed": (position, {("revealed", 0, 0): REPAIR}, "last turn"),
    "ships moved for hexes that are free": (position, {("aim", 0): 0}, "last turn"),
    "nothing was done in phases that did not pass": (position, {("deeds", 0): 1}, "last turn"),
    "no ship rams itself": (partial(position, 18), {("deeds", 8): -1}, "last turn"),
    "nobody did anything who is not there": (position, {("deeds", -1): 1}, "last turn"),
    "decisions never run over": (position, MOST, "end of the game"),
    "decisions never run over in deployment": (deploying, MOST, "end of the game"),
    "decisions can have been made": (position, one_more, "end of the game"),
    "decisions can have been made in deployment": (deploying, one_more, "end of the game"),
    "no game lasts longer than any": (position, {"max_turns": MOST_TURNS + 1}, "within its bounds"),
    "no game lasts longer than max_turns": (position, {"turns": 51}, "options"),
    "points are for locations": (position, {"points": 1}, "points and escapes"),
    "defenders do not escape": (breaking_through, defender_escapes, "points and escapes"),
    "no location is missing": (seizing, {("location", 0): NONE}, "the map"),
    "locations are hexes of their own": (seizing, same_location, "the map"),
    "whoever has the points has won": (seizing, {("points", 0): 5}, "end of the game"),
    "a battle has one winner": (upgrading, {"won": 1}, "campaign's battles"),
    "no more is raised than battles allow": (upgrading, RAISED, "campaign's battles"),
    "a ship began with such stats": (upgrading, {("raised", 3, 1): 2}, "campaign's battles"),
    "one side raises second stats": (
        upgrading,
        {"second": [1] * 4 + [0] * 6},
        "campaign's battles",
    ),
    "upgrades are chosen in order": (upgrading, {("upgrade", 3, 1): 0}, "upgrades are those"),
    "no ship is on the map between battles": (
        upgrading,
        {("cell", 0): cell_of(0, 0)},
        "ships stand",
    ),
    "nothing is left of settling moves": (deploying, LEFT, "within its bounds"),
}


@pytest.mark.parametrize(("made", "change", "message"), CHANGES.values(), ids=CHANGES)
def test_a_state_that_cannot_be_is_told(
    made: Callable[[], Play], change: Change, message: str
) -> None:
    game = made()
    assert broken_invariant(game.game, game.record) == ""
    if callable(change):
        change(game.state)
    else:
        for where, value in change.items():
            name, *index = [where] if isinstance(where, str) else where
            game.record[name][(0, *index)] = value
    assert message in broken_invariant(game.game, game.record)


def test_a_long_game_with_damage_goes_on_whatever_has_been_lost_and_won_in_it() -> None:
    """What a seat has got in a whole game has no bound that fits every number of turns."""
    env = CyberdeckEnv("hovercrafts", reward="damage", max_turns=MOST_TURNS)
    env.reset(seed=4)
    core = env._core
    row, record = saving.unpack(core.game, core.rows.dtype, env.get_state())
    row["returns"] = 12_345.6
    env.set_state(saving.pack(core.game, row, record))
    env.step(pick(env.action_masks(), np.random.default_rng(0)))
    row["returns"] = np.inf
    with pytest.raises(StateError):
        env.set_state(saving.pack(core.game, row, record))
