"""Saved bytes from anybody: damaged, foreign and forged ones are refused, or can be played."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cyberdeck
from cyberdeck import StateError
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.api.pettingzoo_env import raw_env
from cyberdeck.api.vector_env import CyberdeckVectorEnv
from cyberdeck.engine import saving
from tests.api.helpers import CASES, FEW, Case, label, own_seat, pick, pick_rows, standing


def played(game: str, options: dict[str, Any], decisions: int, **seated: Any) -> CyberdeckEnv:
    """An env some decisions into a game, or at its end."""
    env = CyberdeckEnv(game, **seated, **options)
    env.reset(seed=decisions)
    rng = np.random.default_rng(decisions)
    for _ in range(decisions):
        if env._core.terminated[0] or env._core.truncated[0]:
            break
        env.step(pick(env.action_masks(), rng))
    return env


def refuses(env: Any, wrong: Any) -> None:
    """Both ways in give a StateError, and nothing changes."""
    core = env.unwrapped
    before = core.get_state()
    for call in (
        lambda: core.set_state(wrong),
        lambda: env.reset(seed=1, options={"state": wrong}),
    ):
        with pytest.raises(StateError, match=r".{20}"):
            call()
        assert core.get_state() == before


# --- damaged and foreign --------------------------------------------------------------------------


def rules_of(env: CyberdeckEnv) -> tuple[Any, ...]:
    """The options that a saved state and an env must share: not those that are only a view."""
    variant = env._core.variant
    return variant.game.name, {
        each.name: variant.options[each.name] for each in variant.game.options if not each.view
    }


def test_states_of_other_games_and_options_are_refused() -> None:
    envs = [played(*case, 2) for case in CASES]
    for env in envs:
        for other in envs:
            if rules_of(other) != rules_of(env):  # else the defaults, written out
                refuses(env, other.get_state())


def opened(env: Any) -> tuple[np.ndarray, np.ndarray]:
    """The bookkeeping and the record of a saved state, to be forged."""
    core = env.unwrapped._core
    return saving.unpack(core.game, core.rows.dtype, core.save())


def closed(env: Any, row: np.ndarray, record: np.ndarray) -> bytes:
    """Forged contents under a digest that fits."""
    return saving.pack(env.unwrapped._core.game, row, record)


# --- forged ---------------------------------------------------------------------------------------


def check_sound(env: Any) -> None:
    core = env._core
    failed = np.zeros(core.count, np.int64)
    wrong = core.loops.check_state(core.states, failed)
    assert wrong == 0, core.game.invariants[failed[failed > 0][0] - 1]
    for observation in core.observations:
        assert env.single_observation_space.contains(observation), "an observation outside it"


INTERESTING = [-128, -2, -1, 0, 1, 2, 3, 5, 7, 16, 20, 53, 54, 64, 100, 127]


@pytest.mark.parametrize(
    "case",
    [pytest.param(c, marks=[pytest.mark.slow] * (c not in FEW[1:6:2]), id=label(c)) for c in FEW],
)
def test_every_forged_field_is_refused_or_can_be_played(case: Case) -> None:
    """Each field in turn gets values at and beyond its bounds, in its first and last place.

    What is accepted is played on beside another game, and a new one begins after it; ``make fuzz``
    changes several fields at once, and shows and plays on what a single env accepts.
    """
    game, options = case
    envs = CyberdeckVectorEnv(game, 2, autoreset_mode="SameStep", **own_seat(game), **options)
    template, taken, rng = played(game, options, 3, **own_seat(game)), 0, np.random.default_rng(0)
    parts = opened(template)
    places = [
        (which, field, place, value)
        for which in (0, 1)
        for field in parts[which].dtype.names or ()
        for place in {0, parts[which][field].size - 1}
        for value in INTERESTING
        if value >= 0 or parts[which].dtype[field].base.kind != "u"
    ]
    for which, field, place, value in places:
        changed = [part.copy() for part in parts]
        changed[which][field].reshape(-1)[place] = value
        envs.reset(seed=0)
        before = standing(envs._core)
        try:
            envs.set_state(1, closed(template, *changed))
        except StateError:
            assert standing(envs._core) == before
            continue
        taken += 1
        for _ in range(4 if taken % 40 else 25):
            check_sound(envs)
            assert envs.action_masks().any(axis=1).all(), (field, place, value)
            envs.step(pick_rows(envs.action_masks(), rng))
    assert taken > 0, "nothing harmless was changed either"


@pytest.mark.parametrize("field", ["reason", "terminated", "truncated", "mover", "waiting"])
def test_forged_bookkeeping_does_not_upset_the_aec_env(field: str) -> None:
    env = raw_env("hackthegrid")
    for value in (-1, 1, 2, 127):
        env.reset(seed=1)
        row, record = opened(env)
        row[field] = value
        before = env.get_state(), env.agents, env.infos.keys(), env.terminations
        try:
            env.set_state(closed(env, row, record))
        except StateError:
            assert (env.get_state(), env.agents, env.infos.keys(), env.terminations) == before
            continue
        decisions = 0
        while not (any(env.terminations.values()) or any(env.truncations.values())):
            env.step(env.suggest())
            decisions += 1
        assert decisions > 4, "a running game was taken for a finished one"
        while env.agents:
            env.step(None)


@pytest.mark.parametrize("seed", [None, 7])
def test_a_position_goes_on_with_its_own_dice(seed: int | None) -> None:
    one = cyberdeck.Batch("hovercrafts", 1, seed=3, seat="every")
    other = raw_env("hovercrafts")
    other.reset(seed=seed, options={"state": one.get_state(0)})
    assert other._core.states["dice"].tolist() == one._core.states["dice"].tolist()


def test_a_game_that_begins_is_saved_without_what_the_one_before_brought() -> None:
    batch = cyberdeck.Batch("hackthegrid", 1, seed=0, seat="every", autoreset="SameStep")
    while not batch.terminated[0]:
        batch.step(batch.choose("random"))
    assert batch.reward.any()
    env = raw_env("hackthegrid")
    env.reset(seed=0)
    env.set_state(batch.get_state(0))
    assert not any(env.rewards.values())
