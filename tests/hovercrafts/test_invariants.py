"""Records that look harmless one field at a time, and are no possible positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cyberdeck import StateError
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.engine import saving
from cyberdeck.engine.positions import broken_invariant
from cyberdeck.games.hovercrafts import invariants
from cyberdeck.games.hovercrafts.constants import DEPLOY, MOST_TURNS, NONE, PLAN, REPAIR, UPGRADE
from cyberdeck.games.hovercrafts.game import GAME
from cyberdeck.games.hovercrafts.table import cell_of
from tests.api.helpers import pick


def position(decisions: int = 12, **options: Any) -> CyberdeckEnv:
    env = CyberdeckEnv("hovercrafts", ships=(2, 2), **options)
    env.reset(seed=4)
    rng = np.random.default_rng(4)
    for _ in range(decisions):
        env.step(pick(env.action_masks(), rng))
    return env


def living(record: Any) -> list[int]:
    ships: list[int] = np.flatnonzero(record["cell"] != NONE).tolist()
    return ships


def broken(env: CyberdeckEnv, change: Callable[[Any], None]) -> str:
    """What no longer holds after a change of the record; set_state refuses it."""
    core = env._core
    row, record = saving.unpack(core.game, core.rows.dtype, env.get_state())
    assert broken_invariant(core.game, record) == ""
    change(record[0])
    row["mover"] = record["mover"]
    with pytest.raises(StateError):
        env.set_state(saving.pack(core.game, row, record))
    return broken_invariant(core.game, record)


def test_nobody_is_asked_to_deploy_where_deployment_is_random() -> None:
    """There are no actions for it: their mask would be written beyond its end."""
    waiting = position(0, height=6)
    state = waiting._core.states[0]
    assert state["phase"] == DEPLOY

    def deploy(record: Any) -> None:
        for field in GAME.dtype.names or ():
            if field != "deployment":
                record[field] = state[field]

    env = position(0, height=6, deployment="random")
    assert "ships stand" in broken(env, deploy)


def test_hull_lost_in_a_turn_is_none_while_it_is_planned() -> None:
    def lose(record: Any) -> None:
        record["lost"] = 127

    assert "last turn" in broken(position(), lose)


def test_a_ship_that_is_out_has_no_hull() -> None:
    env = position()
    assert env._core.states["phase"][0] == PLAN

    def take_out(record: Any) -> None:
        seat = 0 if record["mover"] != 0 else 1
        record["cell"][seat] = NONE
        record["actions"][seat] = 0
        record["plan"][seat] = NONE

    assert "ships stand" in broken(env, take_out)


@pytest.mark.parametrize("field", ["turns", "slot", "passed"])
def test_no_turn_has_begun_while_ships_are_deployed(field: str) -> None:
    def begin(record: Any) -> None:
        record[field] = 1

    assert "ships stand" in broken(position(0), begin)


def test_no_plans_have_been_revealed_before_the_first_turn_has_ended() -> None:
    def reveal(record: Any) -> None:
        record["revealed"][0] = REPAIR

    assert "last turn" in broken(position(0), reveal)


def test_all_phases_of_the_last_turn_have_passed() -> None:
    def stop(record: Any) -> None:
        record["revealed"][living(record)[0], record["passed"]] = REPAIR

    assert "last turn" in broken(position(), stop)


@pytest.mark.parametrize("decisions", [0, 12])
def test_there_are_no_more_decisions_than_can_have_been_made(decisions: int) -> None:
    """The number would run over in the end."""

    def count_on(record: Any) -> None:
        record["decisions"] = np.iinfo(np.int32).max

    def one_more(record: Any) -> None:
        record["decisions"] = invariants.most_decisions(record) + 1

    assert "end of the game" in broken(position(decisions), count_on)
    assert "end of the game" in broken(position(decisions), one_more)


def test_no_game_may_last_longer_than_the_option_allows() -> None:
    def prolong(record: Any) -> None:
        record["max_turns"] = MOST_TURNS + 1

    def overdo(record: Any) -> None:
        record["turns"] = record["max_turns"] + 1

    assert "within its bounds" in broken(position(), prolong)
    assert "options" in broken(position(), overdo)


def test_ships_moved_for_hexes_that_are_free() -> None:
    def aim(record: Any) -> None:
        record["aim"][living(record)[0]] = 0

    assert "last turn" in broken(position(), aim)


def test_a_long_game_with_damage_goes_on_whatever_has_been_lost_and_won_in_it() -> None:
    """What a seat has got in a whole game has no bound that fits every number of turns."""
    env = position(reward="damage", max_turns=MOST_TURNS)
    core = env._core
    row, record = saving.unpack(core.game, core.rows.dtype, env.get_state())
    row["returns"] = 12_345.6
    env.set_state(saving.pack(core.game, row, record))
    env.step(pick(env.action_masks(), np.random.default_rng(0)))
    row["returns"] = np.inf
    with pytest.raises(StateError):
        env.set_state(saving.pack(core.game, row, record))


def test_points_escapes_and_locations_are_those_of_the_goal() -> None:
    def score(record: Any) -> None:
        record["points"] = 1

    def escape(record: Any) -> None:
        seat = 0 if record["starting"] != 0 else 2  # a defender
        record["escaped"][seat], record["cell"][seat] = 1, NONE
        record["actions"][seat], record["plan"][seat] = 0, NONE

    def forget(record: Any) -> None:
        record["location"][0] = NONE

    def pile_up(record: Any) -> None:
        record["location"][1] = record["location"][0]

    def win(record: Any) -> None:
        record["points"][0] = record["points_to_win"]

    assert "points and escapes" in broken(position(), score)
    assert "points and escapes" in broken(position(goal="breakthrough", max_turns=9), escape)
    assert "the map" in broken(position(goal="seize"), forget)
    assert "the map" in broken(position(goal="seize"), pile_up)
    assert "end of the game" in broken(position(goal="seize"), win)


def upgrading(**options: Any) -> CyberdeckEnv:
    """Ships are upgraded, and some have chosen."""
    env = CyberdeckEnv("hovercrafts", ships=(2, 2), battles=5, max_turns=1, seat="team", **options)
    for seed in range(50):
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        state = env._core.states[0]
        for _ in range(40):
            env.step(pick(env.action_masks(), rng))
            if state["phase"] == UPGRADE and state["upgrade"][0, 0] != NONE:
                return env
    raise AssertionError("no such position")


def test_battles_and_upgrades_agree_with_each_other() -> None:
    def win(record: Any) -> None:
        record["won"] = record["battle"]

    def raise_all(record: Any) -> None:
        record["raised"][0], record["hull"][0] = 4, 9
        record["shield"][0] = record["ballistic"][0] = record["energy"][0] = 6
        record["hull_left"][0] = 9

    def fewer(record: Any) -> None:
        record["raised"][3, 1] = 2  # below the shield that it began with

    def both(record: Any) -> None:
        record["second"][:4] = 1

    def too_early(record: Any) -> None:
        record["upgrade"][3, 1] = 0

    def stand(record: Any) -> None:
        record["cell"][0] = cell_of(0, 0)

    assert "campaign's battles" in broken(upgrading(), win)
    assert "campaign's battles" in broken(upgrading(), raise_all)
    assert "campaign's battles" in broken(upgrading(), fewer)
    assert "campaign's battles" in broken(upgrading(), both)
    assert "upgrades are those" in broken(upgrading(), too_early)
    assert "ships stand" in broken(upgrading(), stand)


def test_what_ships_did_in_the_last_turn_could_be_done() -> None:
    def later(record: Any) -> None:
        record["deeds"][record["passed"]] = 1

    def itself(record: Any) -> None:
        record["deeds"][2 * record["phases"]] = -1

    def stranger(record: Any) -> None:
        record["deeds"][-1] = 1

    assert "last turn" in broken(position(12), later)
    assert "last turn" in broken(position(12), itself)
    assert "last turn" in broken(position(12), stranger)


def test_nothing_is_left_of_settling_moves_between_decisions() -> None:
    """Values that cancel out are not nothing."""

    def left(record: Any) -> None:
        record["place"][0], record["roll"][0] = 1, -1

    assert "within its bounds" in broken(position(0, height=6), left)
