"""PettingZoo's AEC env: its own tests, bookkeeping over repeated turns, errors and states."""

from __future__ import annotations

import copy
import importlib
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

import cyberdeck
from cyberdeck import ActionError, EpisodeError, OptionError, StateError, showing
from cyberdeck.api.pettingzoo_env import CyberdeckAECEnv, env, raw_env
from cyberdeck.api.registration import load_file
from tests.api.helpers import CASES, GAMES_FOR_TWO, SCRAMBLED, TWO, Case, label, pick, reason, same

# PettingZoo's tests import an env of its own in a way that it deprecates itself.
with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, render_test, seed_test
    from pettingzoo.test.save_obs_test import test_save_obs as save_obs_test
    from pettingzoo.test.state_test import test_state as state_test
    from pettingzoo.test.state_test import test_state_space as state_space_test

#: Every game, the one for one player included: an AEC env with a single agent.
MAKERS: list[Callable[..., Any]] = [env, raw_env]
SWAPS = {"deck": SCRAMBLED, "scramble": "on_take"}


@pytest.fixture(autouse=True)
def _no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def books(one: Any) -> dict[str, Any]:
    """All of the AEC bookkeeping, as copies."""
    core = one.unwrapped
    return copy.deepcopy(
        {
            "state": core.get_state(),
            "agents": core.agents,
            "agent": core.agent_selection,
            "rewards": core.rewards,
            "cumulative": core._cumulative_rewards,
            "terminations": core.terminations,
            "truncations": core.truncations,
            "infos": core.infos,
            "observations": [core.observe(agent) for agent in core.possible_agents],
            "all": core.state(),
            "masks": core.action_masks(),
        }
    )


def move(one: Any, rng: np.random.Generator) -> None:
    """One legal step, or None for an agent that is done."""
    _, _, terminated, truncated, info = one.last()
    one.step(None if terminated or truncated else pick(info["action_mask"], rng))


def is_over(one: Any) -> bool:
    return any(one.terminations.values()) or any(one.truncations.values())


def rest(one: Any, seed: int) -> list[Any]:
    """Legal play to the very end, dead agents stepped out: all that was seen."""
    rng = np.random.default_rng(seed)
    seen = []
    while one.agents:
        seen.append((one.agent_selection, *one.last()))
        move(one, rng)
    return seen


# --- the library's own tests ----------------------------------------------------------------------


#: What api_test says of every env whose observations are dictionaries with a mask, as PettingZoo's
#: documentation asks for and its own board games have it; and of agents that bear the names of
#: the rules instead of player_0.
INHERENT = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or "
    "gymnasium.spaces.discrete",
    'We recommend agents to be named in the format <descriptor>_<number>, like "player_0"',
}


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("case", CASES, ids=label)
def test_pettingzoos_api_test(case: Case, make: Callable[..., Any]) -> None:
    """Its api_test, without any warning but what it says of every masked env of this kind."""
    game, options = case
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        api_test(make(game, **options), num_cycles=120)
    assert {str(warning.message) for warning in given} <= INHERENT


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("case", CASES, ids=label)
def test_pettingzoos_seed_test(case: Case, make: Callable[..., Any]) -> None:
    game, options = case
    seed_test(lambda: make(game, **options), num_cycles=100)


@pytest.mark.parametrize("case", CASES, ids=label)
def test_pettingzoos_state_test(case: Case) -> None:
    """test_state samples without masks, so it meets illegal actions: env() only."""
    game, options = case
    one = env(game, **options)
    state_space_test(one)
    for seed in range(5):
        state_test(one, 20, seed)


@pytest.mark.parametrize("game", list(cyberdeck.GAMES))
def test_pettingzoos_render_test(game: str) -> None:
    render_test(lambda **arguments: env(game, **arguments))


@pytest.mark.parametrize("make", MAKERS)
def test_pettingzoos_save_obs_test(
    make: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It knows only images, says so and writes nothing."""
    monkeypatch.chdir(tmp_path)
    save_obs_test(make("hackthegrid"))
    assert "did not save the observations" in capsys.readouterr().out


@pytest.mark.parametrize("game", GAMES_FOR_TWO)
def test_a_spectator_sees_no_more_than_any_seat(game: str) -> None:
    """What some seat cannot know is redrawn: the spectator's view stays as it was."""
    table, redrawn = raw_env(game, render_mode="ansi"), 0
    table.reset(seed=6)
    for _ in range(60):
        pictures, texts = {table.svg(highlight=False)}, {table.render()}
        for seat in range(table._core.variant.seats):
            world = table.clone()
            world.resample(seat, seed=seat)
            redrawn += world.get_state() != table.get_state()
            texts.add(world.render())
            pictures.add(world.svg(highlight=False))
        assert len(pictures) == len(texts) == 1
        table.step(table.suggest())
        if table._core.movers[0] < 0:
            break
    assert redrawn > 0


def test_whose_view_is_rendered() -> None:
    seen = [env("stacktrices", render_mode="ansi", render_seat=seat) for seat in (1, "player_1")]
    for one in seen:
        one.reset(seed=4)
    game = seen[0].unwrapped._core
    assert seen[0].render() == seen[1].render() == showing.text(game.variant, game.states, (1,))
    with pytest.raises(OptionError, match=r"render_seat='black' is not possible: .*'player_1'"):
        env("stacktrices", render_seat="black")
    with pytest.raises(OptionError, match=r"render_seat=2 is not possible: .* 0 to 1, or None"):
        env("stacktrices", render_seat=2)
    kuhn = load_file(Path(__file__).parents[2] / "examples/games/kuhn_poker.py").name
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


@pytest.mark.parametrize("game", GAMES_FOR_TWO)
def test_the_registry_and_the_module_make_the_same_env(game: str) -> None:
    version = cyberdeck.game(game).version
    made = pettingzoo.make("aec", f"cyberdeck/{game}-v{version}")
    module = importlib.import_module(f"cyberdeck.{game}_v{version}")
    same_one = env(game)
    for one in (made, module.env(), same_one):
        assert isinstance(one, OrderEnforcingWrapper)
        assert isinstance(one.unwrapped, CyberdeckAECEnv)
        assert one.metadata["name"] == f"{game}_v{version}"
        assert one.metadata["is_parallelizable"] is False
        assert one.possible_agents == list(cyberdeck.variant(game).agents)
        one.reset(seed=5)
    assert type(module.raw_env()) is CyberdeckAECEnv
    same(rest(made, 1)[-1], rest(same_one, 1)[-1])


def test_the_registry_hands_the_options_on() -> None:
    made = pettingzoo.make("aec", "cyberdeck/hackthegrid-v0", scramble="at_end")
    assert made.unwrapped._core.variant.options["scramble"] == "at_end"


# --- bookkeeping ----------------------------------------------------------------------------------


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("case", CASES, ids=label)
def test_rewards_arrive_once_and_whole(case: Case, make: Callable[..., Any]) -> None:
    """What last() hands out between an agent's own turns adds up to what it has earned."""
    game, options = case
    one = make(game, **options)
    repeated = lost = 0
    # In a game for two somebody loses sooner or later.
    beatable = case in TWO and options.get("reward") != "margin" and "max_turns" not in options
    for seed in range(80):
        if seed >= 8 and (lost > 2 or not beatable):
            break
        one.reset(seed=seed)
        rng = np.random.default_rng(seed)
        open_rewards = dict.fromkeys(one.possible_agents, 0.0)
        paid = dict.fromkeys(one.possible_agents, 0.0)
        earned = dict.fromkeys(one.possible_agents, 0.0)
        before = None
        for agent in one.agent_iter():
            _, reward, terminated, truncated, info = one.last()
            assert reward == open_rewards[agent], "to the last bit: PettingZoo compares so too"
            paid[agent] += reward
            over = terminated or truncated
            if not over and agent == before:
                repeated += 1
            before = agent
            open_rewards[agent] = 0.0
            one.step(None if over else pick(info["action_mask"], rng))
            for name, gained in one.rewards.items():
                assert over or isinstance(gained, float)
                open_rewards[name] += gained
                earned[name] += gained
        assert paid == pytest.approx(earned)
        lost += min(paid.values()) < -0.5
    if beatable:
        assert lost > 2, "the loser's -1 has not arrived"
    if options == SWAPS or game == "stacktrices":
        assert repeated > 8, "no repeated turns were seen"


@pytest.mark.parametrize("case", TWO, ids=label)
def test_masks_of_seats_not_to_move_are_all_zero(case: Case) -> None:
    """There is one mask in observe(), last(), infos and action_masks(), for every agent."""
    game, options = case
    one = env(game, **options)
    for seed in range(4):
        one.reset(seed=seed)
        rng = np.random.default_rng(seed)
        while not is_over(one):
            mover = one.agent_selection
            for agent in one.possible_agents:
                seen = one.observe(agent)
                assert one.observation_space(agent).contains(seen)
                assert (seen["action_mask"] == one.infos[agent]["action_mask"]).all()
                assert seen["action_mask"].dtype == one.infos[agent]["action_mask"].dtype == np.int8
                assert seen["action_mask"].any() == (agent == mover)
            observation, _, _, _, info = one.last()
            assert (observation["action_mask"] == info["action_mask"]).all()
            assert (one.unwrapped.action_masks() == info["action_mask"]).all()
            before = one.unwrapped.get_state()
            info["action_mask"][:] = 0
            assert one.unwrapped.get_state() == before
            assert one.unwrapped.action_masks().any()
            one.step(pick(observation["action_mask"], rng))
        while one.agents:
            for agent in one.agents:
                assert not one.observe(agent)["action_mask"].any()
                assert not one.infos[agent]["action_mask"].any()
                assert one.infos[agent]["reason"] > 0
            one.step(None)


@pytest.mark.parametrize("case", CASES, ids=label)
def test_state_is_all_that_the_seats_see(case: Case) -> None:
    game, options = case
    one = raw_env(game, **options)
    one.reset(seed=1)
    rng = np.random.default_rng(1)
    while one.agents:
        whole = one.state()
        assert one.state_space.contains(whole)
        parts = [one.observe(agent)["observation"] for agent in one.possible_agents]
        assert (whole == np.concatenate(parts)).all()
        move(one, rng)
    assert one.state_space.contains(one.state())


# --- what goes wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=label)
def test_an_illegal_action_in_raw_env_raises_and_changes_nothing(case: Case) -> None:
    game, options = case
    one = raw_env(game, **options)
    one.reset(seed=2)
    move(one, np.random.default_rng(2))
    before = books(one)
    agent = one.agent_selection
    for action in np.flatnonzero(one.infos[agent]["action_mask"] == 0):
        with pytest.raises(ActionError, match=rf"nothing was applied.*action {action} .*{agent}"):
            one.step(action)
    size = int(one.action_space(agent).n)
    wrong: list[Any] = [None, 1.0, "0", True, np.array([0, 1]), [0], -1, size, 10**30]
    for action in wrong:
        with pytest.raises(ActionError, match="nothing was applied"):
            one.step(action)
    same(books(one), before)


@pytest.mark.parametrize("case", CASES, ids=label)
def test_an_illegal_action_in_env_loses(case: Case) -> None:
    """As PettingZoo has it: the offender (and its team) gets -1, the others 1, and it is over."""
    game, options = case
    one = env(game, **options)
    for seed in range(4):
        one.reset(seed=seed)
        rng = np.random.default_rng(seed)
        for _ in range(seed):
            move(one, rng)
        offender = one.agent_selection
        mask = one.infos[offender]["action_mask"]
        if mask.all():
            continue
        one.step(int(rng.choice(np.flatnonzero(mask == 0))))
        guilty = offender.partition("_")[0] if game == "hovercrafts" else offender
        lost = {agent: agent.startswith(guilty) for agent in one.possible_agents}
        assert one.rewards == {agent: -1.0 if lost[agent] else 1.0 for agent in lost}
        assert set(one.terminations.values()) == {True}
        assert set(one.truncations.values()) == {False}
        assert {reason(one, info) for info in one.infos.values()} == {"illegal_action"}
        handed_out = {}
        for agent in one.agent_iter():
            _, handed_out[agent], terminated, _, _ = one.last()
            assert terminated
            one.step(None)
        assert handed_out[offender] == -1.0
        assert sum(handed_out.values()) == len(lost) - 2 * sum(lost.values())


@pytest.mark.parametrize("make", MAKERS)
def test_what_is_no_action_is_refused(make: Callable[..., Any]) -> None:
    one = make("hackthegrid")
    one.reset(seed=1)
    before = books(one)
    for action in (None, 1.5, "0", True, np.array([0, 1]), -1, 69):
        with pytest.raises(ActionError, match="nothing was applied"):
            one.step(action)
    same(books(one), before)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("game", GAMES_FOR_TWO)
def test_calls_out_of_order(game: str, make: Callable[..., Any]) -> None:
    """Before reset, with an action for a dead agent, and after everything is over."""
    one = make(game)
    agents = list(cyberdeck.variant(game).agents)
    for call in (lambda: one.step(0), lambda: one.observe(agents[0]), one.state):
        with pytest.raises((AssertionError, EpisodeError), match="reset"):
            call()
    with pytest.raises(EpisodeError, match="reset"):
        one.unwrapped.get_state()
    one.reset(seed=1)
    rng = np.random.default_rng(1)
    while not is_over(one):
        move(one, rng)
    before = books(one)
    with pytest.raises(ValueError, match="None"):
        one.step(0)
    same(books(one), before)
    while one.agents:
        one.step(None)
    end = one.unwrapped.get_state()
    if make is raw_env:
        with pytest.raises(EpisodeError, match="reset"):
            one.step(0)
    else:
        one.step(0)  # PettingZoo's order enforcement warns in its log and does nothing
    assert one.unwrapped.get_state() == end
    assert one.agents == []
    for agent in one.possible_agents:
        assert one.observation_space(agent).contains(one.observe(agent))
    one.reset()
    assert one.agents == agents


@pytest.mark.parametrize("make", MAKERS)
def test_wrong_starts_change_nothing(make: Callable[..., Any]) -> None:
    one = make("hackthegrid")
    one.reset(seed=1)
    move(one, np.random.default_rng(1))
    before = books(one)
    saved = one.unwrapped.get_state()
    wrong: list[dict[str, Any]] = [
        {"grid": [1, 2]},
        {"first": 3},
        {"fisrt": 0},
        {"state": saved, "first": 0},
        {"state": saved[:-1]},
        {"state": None},
    ]
    for options in wrong:
        with pytest.raises((OptionError, StateError)):
            one.reset(seed=3, options=options)
        same(books(one), before, str(options))


def test_env_keeps_its_promise_about_illegal_actions() -> None:
    with pytest.raises(OptionError, match="illegal"):
        env("hackthegrid", illegal="raise")
    for bad in ({"seat": 0}, {"opponent": "random"}, {"render_mode": "svg"}, {"deck": []}):
        with pytest.raises(OptionError):
            env("hackthegrid", **bad)


# --- states ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("case", CASES, ids=label)
def test_copies_keep_the_bookkeeping_at_any_time(case: Case, make: Callable[..., Any]) -> None:
    """By clone, deepcopy and pickle, also while the dead agents are being stepped out."""
    game, options = case
    one = make(game, **options)
    one.reset(seed=3)
    rng = np.random.default_rng(3)
    step = 0
    while one.agents:
        dead = is_over(one)
        if step in (0, 1, 5, 9) or dead:
            before = books(one)
            expected = rest(copy.deepcopy(one), 7)
            for twin in (one.clone(), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
                assert type(twin) is type(one)
                assert twin.unwrapped is not one.unwrapped
                same(books(twin), before)
                same(rest(twin, 7), expected)
                same(books(one), before, "a twin's game reached the original")
        move(one, rng)
        step += 1


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("case", CASES, ids=label)
def test_bytes_keep_the_bookkeeping(case: Case, make: Callable[..., Any]) -> None:
    """get_state into another env, every few decisions and at the end: the loser's -1 included."""
    game, options = case
    one = make(game, **options)
    one.reset(seed=4)
    rng = np.random.default_rng(4)
    over = False
    while True:
        other = make(game, **options)
        other.reset(seed=50)
        other.unwrapped.set_state(one.unwrapped.get_state())
        same(books(other), books(one))
        if over:
            break
        for _ in range(3):
            if not over:
                move(one, rng)
                over = is_over(one)
    same(rest(other, 1), rest(one, 1))


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("game", GAMES_FOR_TWO)
def test_a_state_put_into_a_fresh_env_can_be_played(game: str, make: Callable[..., Any]) -> None:
    """A checkpoint is restored before any reset."""
    source = make(game)
    source.reset(seed=1)
    move(source, np.random.default_rng(1))
    fresh = make(game)
    fresh.set_state(source.get_state())
    same(books(fresh), books(source))
    same(rest(fresh, 2), rest(source, 2))


@pytest.mark.parametrize("make", MAKERS)
def test_env_still_enforces_the_order_in_a_clone(make: Callable[..., Any]) -> None:
    fresh = make("hackthegrid").clone()
    with pytest.raises((AssertionError, EpisodeError), match="reset"):
        fresh.step(0)
    one = make("hackthegrid")
    one.reset(seed=1)
    twin = one.clone()
    assert isinstance(twin, OrderEnforcingWrapper) == (make is env)
    twin.step(pick(twin.last()[4]["action_mask"], np.random.default_rng(0)))
    assert twin.get_state() != one.get_state()


@pytest.mark.parametrize("case", TWO, ids=label)
def test_a_state_start_goes_on(case: Case) -> None:
    game, options = case
    one = env(game, **options)
    one.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(5):
        move(one, rng)
    other = env(game, **options)
    saved = one.unwrapped.get_state()
    for here in (one, other):  # the seed is that of the dice to come
        here.reset(seed=9, options={"state": saved})
    assert other.agent_selection == one.agent_selection
    for agent in one.possible_agents:
        same(other.observe(agent), one.observe(agent))
    same(rest(other, 3), rest(one, 3))


def test_no_warning_is_given_on_the_way() -> None:
    """A whole game and its pictures, all warnings being errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one = env("hackthegrid", render_mode="ansi")
        one.reset(seed=1)
        texts = [one.render()]
        rng = np.random.default_rng(1)
        while one.agents:
            move(one, rng)
            texts.append(one.render())
        assert len(set(texts)) > 10
