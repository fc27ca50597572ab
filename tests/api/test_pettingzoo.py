"""PettingZoo's AEC env: what it renders, its registry, clones that keep the order."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.utils import parallel_to_aec, turn_based_aec_to_parallel
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

import cyberdeck
from cyberdeck import OptionError, showing
from cyberdeck.api.pettingzoo_env import CyberdeckAECEnv, env, raw_env
from cyberdeck.api.registration import load_file
from cyberdeck.testing.faces import Rounds, Turns
from tests.api.helpers import GAMES_FOR_TWO, pick, same

# PettingZoo's tests import an env of its own in a way that it deprecates itself.
with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import render_test

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "games"


@pytest.fixture(autouse=True)
def _no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def rest(one: Any, seed: int) -> list[Any]:
    """Legal play to the very end, dead agents stepped out: all that was seen."""
    rng = np.random.default_rng(seed)
    seen = []
    while one.agents:
        seen.append((one.agent_selection, *one.last()))
        _, _, terminated, truncated, info = one.last()
        one.step(None if terminated or truncated else pick(info["action_mask"], rng))
    return seen


# --- the library's own tests ----------------------------------------------------------------------


@pytest.mark.parametrize("game", ["matrix_overload", "hackthegrid"])
def test_pettingzoos_render_test(game: str) -> None:
    render_test(lambda **arguments: env(game, **arguments))


@pytest.mark.parametrize(
    ("kind", "game"), [*((Turns, game) for game in GAMES_FOR_TWO), (Rounds, "hovercrafts")]
)
def test_a_spectator_sees_no_more_than_any_seat(kind: Any, game: str) -> None:
    """What some seat cannot know is redrawn: the spectator's view stays as it was."""
    face, redrawn = kind(cyberdeck.variant(game), render_mode="ansi"), 0
    face.reset(6)
    table, rng = face.env, np.random.default_rng(0)
    for _ in range(30):
        pictures, texts = {(*table.frames(), table.svg(highlight=False))}, {table.render()}
        for seat in range(table._core.variant.seats):
            world = table.clone()
            world.resample(seat, seed=seat)
            redrawn += world.get_state() != table.get_state()
            texts.add(world.render())
            pictures.add((*world.frames(), world.svg(highlight=False)))
        assert len(pictures) == len(texts) == 1
        face.step(face.choice(rng))
        if table._core.movers[0] < 0:
            break
    assert redrawn > 0


def test_whose_view_is_rendered() -> None:
    seen = [env("stacktrices", render_mode="ansi", render_seat=seat) for seat in (1, "player_1")]
    for one in seen:
        one.reset(seed=4)
    game = seen[0].unwrapped._core
    assert (
        seen[0].render()
        == seen[1].render()
        == showing.scene(game.variant, game.states, (1,)).text()
    )
    kuhn = load_file(EXAMPLES / "kuhn_poker.py").name
    with pytest.raises(OptionError, match=r"no spectator's view: say by render_seat= .*'second'"):
        env(kuhn, render_mode="ansi")
    hidden = raw_env(kuhn)
    hidden.reset(seed=0)
    assert hidden._repr_svg_() is None
    with pytest.raises(OptionError, match="no spectator's view"):
        hidden.svg()
    shown = env(kuhn, render_mode="ansi", render_seat="second")
    shown.reset(seed=0)
    assert "seen by second" in shown.render()
    assert shown._repr_svg_() == shown.unwrapped.svg()


@pytest.mark.parametrize("game", GAMES_FOR_TWO)
def test_the_registry_and_the_module_make_the_same_env(game: str) -> None:
    version = cyberdeck.game(game).version
    made = pettingzoo.make("aec", f"cyberdeck/{game}-v{version}", mask="info")
    module = importlib.import_module(f"cyberdeck.{game}_v{version}")
    same_one = env(game, mask="info")
    for one in (made, module.env(mask="info"), same_one):
        assert isinstance(one, OrderEnforcingWrapper)
        assert isinstance(one.unwrapped, CyberdeckAECEnv)
        assert one.metadata["name"] == f"{game}_v{version}"
        assert one.metadata["is_parallelizable"] is False
        assert one.possible_agents == list(cyberdeck.variant(game).agents)
        one.reset(seed=5)
    assert type(module.raw_env()) is CyberdeckAECEnv
    same(rest(made, 1)[-1], rest(same_one, 1)[-1])


# --- its converters -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["kuhn_for_many", "tandem_tictactoe"])
def test_three_seats_and_more_go_through_the_converters(name: str) -> None:
    """As a parallel env, of which the one to move is asked alone, and back again."""
    load_file(EXAMPLES / f"{name}.py")
    rng = np.random.default_rng(0)
    for seed in range(2):
        one, twin = turn_based_aec_to_parallel(env(name)), raw_env(name)
        back = parallel_to_aec(turn_based_aec_to_parallel(env(name)))
        observations, _ = one.reset(seed=seed)
        twin.reset(seed=seed)
        back.reset(seed=seed)
        totals = dict.fromkeys(twin.agents, 0.0)
        assert list(observations) == twin.agents
        while one.agents:
            same(observations, {agent: twin.observe(agent) for agent in twin.agents})
            action = pick(twin.last()[4]["action_mask"], rng)
            observations, rewards, terminations, _, _ = one.step(dict.fromkeys(one.agents, action))
            twin.step(action)
            for _ in twin.agents:  # it waits for everybody, and takes the mover's
                back.step(action)
            assert rewards == twin.rewards
            assert set(terminations.values()) == {any(twin.terminations.values())}
            totals = {agent: total + rewards[agent] for agent, total in totals.items()}
        assert all(back.terminations.values())
        assert back.rewards == totals
        if name == "tandem_tictactoe":
            assert totals["north"] == totals["south"] == -totals["east"]
        else:
            assert sum(totals.values()) == 0


# --- copies ---------------------------------------------------------------------------------------


def test_env_still_enforces_the_order_in_a_clone() -> None:
    with pytest.raises(AssertionError, match="reset"):
        env("hackthegrid").clone().step(0)
    with pytest.raises(AttributeError, match="agents cannot be accessed before reset"):
        env("hackthegrid").agents  # noqa: B018
    one = env("hackthegrid")
    one.reset(seed=1)
    assert isinstance(one.clone(), OrderEnforcingWrapper)
