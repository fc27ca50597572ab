"""RLlib: the adapter gives what the engine gives, masks hold, what was trained is kept.

These tests run where Ray is installed: ``make ray-test``.
"""

from __future__ import annotations

import doctest
import importlib
import pickle
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import cyberdeck
from cyberdeck import (
    ActionError,
    Batch,
    EpisodeError,
    OptionError,
    PolicyError,
    hackthegrid_v0,
    hovercrafts_v0,
    register,
)
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.api.registration import load_file
from cyberdeck.evaluation import evaluate
from cyberdeck.players import networks
from tests.api.helpers import BRIEF, FEW, Case, brief, pick, reason, run_page
from tests.wide import WIDE

ray = pytest.importorskip("ray")
pytest.importorskip("ray.rllib")
torch = pytest.importorskip("torch")
rllib: Any = importlib.import_module("cyberdeck.rllib")

# Ray and RLlib warn of themselves.
pytestmark = pytest.mark.filterwarnings("ignore")

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "use" / "rllib.md"

TINY = {"train_batch_size_per_learner": 128, "minibatch_size": 64, "num_epochs": 1}

#: A policy.
ZEROS = networks.Network("hackthegrid", [(np.zeros((69, 349)), np.zeros(69))])

TEAMS: dict[str, Any] = {"ships": (1, 2), "max_turns": 4}


#: With three seats, and with two teams of two.
LARGER: list[Case] = [("kuhn_for_many", {}), ("tandem_tictactoe", {})]


@pytest.fixture(scope="module", autouse=True)
def cluster(_games_are_forgotten: None) -> Iterator[None]:
    for name, _ in LARGER:
        load_file(ROOT / "examples" / "games" / f"{name}.py")
    register(WIDE[1])
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def tiny(game: str, **arguments: Any) -> Any:
    """A configuration that trains next to nothing, from the same seed each time."""
    ready = rllib.make_config(game, hidden=(16,), **arguments)
    return ready.training(**TINY).env_runners(num_envs_per_env_runner=4).debugging(seed=3)


def shown(batch: Batch) -> dict[str, Any]:
    """What a module is given of a batch."""
    parts = {"observation": batch.observation, "action_mask": batch.mask}
    return {"obs": {name: torch.as_tensor(part.copy()) for name, part in parts.items()}}


# --- the env --------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [*map(brief, FEW[1::2]), *LARGER, (WIDE[1].name, {})], ids=str)
def test_the_agents_get_what_the_engine_gives_their_seats(case: Case) -> None:
    """Observations and masks as in the batch; rewards summed, and none is ever left over."""
    game, options = case
    env = rllib.RLlibEnv({"game": game, **options})
    names = env.possible_agents
    rng = np.random.default_rng(1)
    for seed in range(2):
        batch = Batch(game, 1, seed=seed, seat="every", autoreset="Disabled", **options)
        batch.reset(seed=seed)
        observations, infos = env.reset(seed=seed)
        gained = np.zeros(len(names))  # of the engine, since each seat's last decision
        asked: set[str] = set()
        returns: dict[str, float] = defaultdict(float)
        over = False
        while not over:
            mover = int(batch.mover[0])
            assert list(observations) == [names[mover]] == list(infos)
            assert "action_mask" not in infos[names[mover]]
            seen = observations[names[mover]]
            assert (seen["observation"] == batch.observation[0]).all()
            assert seen["observation"].dtype == batch.observation.dtype
            assert (seen["action_mask"] == batch.mask[0]).all()
            assert env.observation_spaces[names[mover]].contains(seen)
            action = pick(seen["action_mask"], rng)
            observations, rewards, terminateds, truncateds, infos = env.step({names[mover]: action})
            asked.add(names[mover])
            batch.step([action])
            gained += batch.reward[0]
            over = batch.mover[0] < 0
            assert terminateds["__all__"] == bool(batch.terminated[0])
            assert truncateds["__all__"] == bool(batch.truncated[0])
            assert rewards.keys() == observations.keys()
            for name, reward in rewards.items():
                returns[name] += reward
                if name in asked:
                    assert reward == pytest.approx(gained[names.index(name)])
                    gained[names.index(name)] = 0.0
                else:  # it is paid for its first decision
                    assert reward == 0.0
        assert set(observations) == set(names) == asked
        assert not gained.any()
        for seat, name in enumerate(names):
            assert returns[name] == pytest.approx(batch.final_return[0, seat])
            assert observations[name]["action_mask"].all()
            assert (observations[name]["observation"] == batch.final_observation[0, seat]).all()
            assert infos[name]["reason"] == batch.reason[0]


@pytest.mark.parametrize(
    ("game", "opponent"),
    [("hackthegrid", ["heuristic", ZEROS]), ("hovercrafts", ["random", "heuristic"])],
)
def test_against_an_opponent_it_plays_as_the_gymnasium_env(game: str, opponent: Any) -> None:
    """A drawn seat, or a drawn team: its seats are the agents, each with the team's rewards."""
    options = {**BRIEF[game], **({"ships": (2, 3)} if game == "hovercrafts" else {})}
    variant = cyberdeck.variant(game, **options)
    teams = bool(variant.teams)
    env = rllib.RLlibEnv({"game": game, "opponent": opponent, **options})
    alone = CyberdeckEnv(game, seat="team" if teams else "random", opponent=opponent, **options)
    rng = np.random.default_rng(0)
    played = set()
    for seed in range(6):
        observations, _ = env.reset(seed=seed)
        observation, info = alone.reset(seed=seed)
        returns: dict[str, float] = defaultdict(float)
        total, over = 0.0, False
        while not over:
            ((name, seen),) = observations.items()
            assert name == env.possible_agents[info["seat"]]
            assert (seen["observation"] == observation).all()
            assert (seen["action_mask"] == info["action_mask"]).all()
            action = pick(seen["action_mask"], rng)
            observations, rewards, terminateds, truncateds, infos = env.step({name: action})
            observation, reward, terminated, truncated, info = alone.step(action)
            total += reward
            for each, gain in rewards.items():
                returns[each] += gain
            over = terminated or truncated
            assert (terminateds["__all__"], truncateds["__all__"]) == (terminated, truncated)
        sides = dict(zip(variant.agents, variant.sides, strict=True))
        (side,) = {sides[name] for name in returns}
        played.add(side)
        own = [name for name in variant.agents if sides[name] == side]
        assert list(observations) == own
        for each in own:
            assert returns[each] == pytest.approx(total)
            assert infos[each]["reason"] == info["reason"]
    assert len(played) == 2


def test_calls_that_make_no_sense_change_nothing() -> None:
    env = rllib.RLlibEnv({"game": "hackthegrid"})
    with pytest.raises(EpisodeError, match="reset"):
        env.step({"row": 0})
    observations, _ = env.reset(seed=4)
    ((name, seen),) = observations.items()
    (other,) = set(env.possible_agents) - {name}
    before = env._core.save()
    illegal = int(np.flatnonzero(seen["action_mask"] == 0)[0])
    for actions in ({}, {other: 0}, {name: pick(seen["action_mask"], np.random), other: 0}):
        with pytest.raises(ActionError, match=f"{name} alone decides"):
            env.step(actions)
    with pytest.raises(ActionError, match="is not legal"):
        env.step({name: illegal})
    with pytest.raises(ActionError, match="whole number"):
        env.step({name: 0.5})
    assert env._core.save() == before


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "names no game"),
        ({"game": "hackthegrid", "scrambel": 1}, "scrambel"),
        ({"game": "matrix_overload", "opponent": "random"}, "game for one"),
    ],
)
def test_a_wrong_configuration_is_one_clear_error(arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(OptionError, match=named):
        rllib.RLlibEnv(arguments)
    if "game" in arguments:
        with pytest.raises(OptionError, match=named):
            rllib.make_config(**arguments)


def test_no_two_workers_play_the_same_games() -> None:
    """RLlib seeds env i of worker w with s + w + i."""
    from ray.rllib.env.env_context import EnvContext

    begun = set()
    for worker in range(4):
        env = rllib.RLlibEnv(EnvContext({"game": "hackthegrid"}, worker_index=worker))
        for at in range(4):
            env.reset(seed=7 + worker + at)
            begun.add(env._core.save())
    assert len(begun) == 16


# --- what RLlib records ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "arguments"),
    [
        ("hackthegrid", {"opponent": "heuristic", "reward": "margin"}),
        ("hovercrafts", {"ships": (2, 3), "max_turns": 2, "reward": "damage"}),
        ("tandem_tictactoe", {}),
    ],
    ids=str,
)
def test_rllib_records_every_decision_and_reward_once(game: str, arguments: dict[str, Any]) -> None:
    """Also of games that it cuts into pieces, in which others decide in between."""
    from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner

    games: list[tuple[dict[str, list[Any]], bool]] = []

    class Notes(rllib.RLlibEnv):  # type: ignore[misc,name-defined]
        """Notes of each agent what it saw, what it decided, and what that brought."""

        def reset(self, **given: Any) -> Any:
            self.made: dict[str, list[Any]] = defaultdict(list)
            self.shown, infos = super().reset(**given)
            return self.shown, infos

        def step(self, action_dict: Any) -> Any:
            ((agent, action),) = action_dict.items()
            self.made[agent].append((self.shown[agent]["observation"].tobytes(), int(action), 0))
            self.shown, rewards, over, cut, infos = super().step(action_dict)
            for each in rewards.keys() & self.made.keys():
                self.made[each][-1] = (*self.made[each][-1][:2], round(rewards[each], 4))
            if over["__all__"] or cut["__all__"]:
                games.append((self.made, cut["__all__"]))
            return self.shown, rewards, over, cut, infos

    ready = tiny(game, shared=False, **arguments)
    ready.environment(Notes, env_config=ready.env_config)
    runner = MultiAgentEnvRunner(config=ready)
    features = defaultdict(list)
    for _ in range(40):
        for feature in runner.sample(num_timesteps=16):
            feature.validate()
            features[feature.id_].append(feature)
    finished = [parts for parts in features.values() if parts[-1].is_done]
    assert len(finished) > 3 or game != "hackthegrid"
    assert any(len(parts) > 2 for parts in features.values())
    limited = False
    for parts in finished:
        made: dict[str, list[Any]] = defaultdict(list)
        for agent, own in ((a, o) for feature in parts for a, o in feature.agent_episodes.items()):
            for at in range(len(own)):
                seen, action = own.get_observations(at), int(own.get_actions(at))
                assert seen["action_mask"][action] == 1
                brought = round(float(own.get_rewards(at)), 4)
                made[agent].append((seen["observation"].tobytes(), action, brought))
        cut = parts[-1].is_truncated
        assert (made, cut) in games
        for ended in parts[-1].agent_episodes.values():
            assert (ended.is_truncated, ended.is_terminated) == (cut, not cut)
        limited |= cut
    assert limited == (game == "hovercrafts")


# --- the module -----------------------------------------------------------------------------------


def test_the_module_never_gives_an_illegal_action_a_chance() -> None:
    spec = tiny("hackthegrid").rl_module_spec.rl_module_specs[rllib.SHARED]
    module = spec.build()
    batch = Batch("hackthegrid", 64, seed=0)
    seen = shown(batch)
    logits = module.forward_train(seen)["action_dist_inputs"]
    chances = torch.distributions.Categorical(logits=logits)
    masks = batch.mask == 1
    assert (chances.probs.detach().numpy()[~masks] == 0).all()
    assert (chances.probs.detach().numpy()[masks] > 0).all()
    other = torch.distributions.Categorical(logits=logits.detach() * 0.5)
    (chances.entropy().mean() + torch.distributions.kl_divergence(chances, other).mean()).backward()
    for weights in module.policy.parameters():
        assert torch.isfinite(weights.grad).all()
    values = module.compute_values(seen)
    assert values.shape == (64,)
    spec.inference_only = True  # it has no critic
    assert not hasattr(spec.build(), "value")


# --- training -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "arguments", "modules"),
    [
        ("hackthegrid", {}, {"shared"}),
        ("hovercrafts", {"shared": False, **TEAMS}, {"zion", "machines"}),
        ("hovercrafts", {"observation": "planes", "opponent": "random", **TEAMS}, {"shared"}),
        ("tandem_tictactoe", {"shared": False}, {"crosses", "noughts"}),
    ],
    ids=str,
)
def test_what_was_trained_is_restored_and_scores_the_same(
    tmp_path: Path, game: str, arguments: dict[str, Any], modules: set[str]
) -> None:
    from ray.rllib.algorithms.algorithm import Algorithm

    options = {key: value for key, value in arguments.items() if key not in ("shared", "opponent")}
    workers = 0 if arguments else 2  # processes that play for one learner
    ready = tiny(game, **arguments).env_runners(num_env_runners=workers)
    algorithm = ready.build_algo()
    try:
        assert algorithm.env_runner_group.num_healthy_remote_workers() == workers
        untrained = rllib.networks(algorithm)
        result = algorithm.train()
        for module in modules:
            assert np.isfinite(result["learners"][module]["total_loss"])
        learned = rllib.networks(algorithm)
        assert set(learned) == modules
        for name, network in learned.items():
            assert (network.layers[0][0] != untrained[name].layers[0][0]).any()
        player = rllib.Player(algorithm)
        saved = algorithm.save_to_path(str(tmp_path / "checkpoint"))
        first = evaluate(game, player, ["random"], deals=10, keep_actions=True, **options)
        inside = algorithm.learner_group._learner.module[min(modules)]
        batch = Batch(game, 32, seed=1, **options)
        with torch.no_grad():
            logits = inside.forward_inference(shown(batch))["action_dist_inputs"].numpy()
        mine = learned[min(modules)].logits(batch.observation)
        assert logits[batch.mask == 1] == pytest.approx(mine[batch.mask == 1], abs=1e-4)
        algorithm.train()
        assert any(
            (rllib.networks(algorithm)[name].layers[0][0] != learned[name].layers[0][0]).any()
            for name in modules
        )
    finally:
        algorithm.stop()
    restored = Algorithm.from_checkpoint(saved)
    try:
        again = evaluate(
            game, rllib.Player(restored), ["random"], deals=10, keep_actions=True, **options
        )
        assert again.records == first.records
        assert [*map(list, again.games.actions)] == [*map(list, first.games.actions)]
        restored.train()  # it can go on
    finally:
        restored.stop()
    if len(modules) == 1:
        learned["shared"].save(tmp_path / "p.safetensors")
        filed = evaluate(game, str(tmp_path / "p.safetensors"), ["random"], deals=10, **options)
        assert filed.records == first.records


def test_separate_modules_play_their_own_seats() -> None:
    variant = cyberdeck.variant("hovercrafts", ships=(2, 1))

    def likes(action: int) -> dict[str, Any]:
        weights = np.zeros((variant.action_count, variant.observation_size), np.float32)
        return {
            "policy.0.weight": weights,
            "policy.0.bias": np.eye(variant.action_count, dtype=np.float32)[action],
        }

    learned = {"zion": likes(3), "machines": likes(5)}
    algorithm = SimpleNamespace(
        config=tiny("hovercrafts", shared=False, ships=(2, 1)),
        learner_group=SimpleNamespace(get_weights=lambda: learned),
    )
    player = pickle.loads(pickle.dumps(rllib.Player(algorithm)))
    player.check(variant)
    with pytest.raises(OptionError, match="plays hovercrafts"):
        player.check(cyberdeck.variant("hackthegrid"))
    seen = Batch(variant, 4, seed=0)._core.seen(np.arange(4), False)
    seen.masks[:], seen.seats[:] = 1, [2, 0, 1, 2]
    assert player.decide(seen).tolist() == [5, 3, 3, 5]
    others = {"shared": {"encoder.weight": np.zeros((2, 2))}}
    algorithm.learner_group = SimpleNamespace(get_weights=lambda: others)
    with pytest.raises(PolicyError, match="MaskedModule"):
        rllib.networks(algorithm)


# --- the documentation ----------------------------------------------------------------------------


def test_the_doctests() -> None:
    failed, attempted = doctest.testmod(rllib)
    assert failed == 0 < attempted


@pytest.mark.slow
def test_the_page_trains_a_policy_for_each_team(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The lines of the docs, as they stand there."""
    monkeypatch.chdir(tmp_path)
    learners = run_page(PAGE)["results"]["learners"]
    for policy in ("zion", "machines"):
        assert np.isfinite(learners[policy]["total_loss"])


# --- RLlib's own wrappers of PettingZoo -----------------------------------------------------------

pytest.importorskip("ray")
pytest.importorskip("ray.rllib")
torch = pytest.importorskip("torch")

# Ray and RLlib warn of themselves.
pytestmark = pytest.mark.filterwarnings("ignore")

FLEET = {"ships": (3, 3), "scenario": "tunnels", "share_plans": True, "reward": "damage"}


def sample(env: Any, episodes: int) -> Any:
    """Whole episodes of RLlib's env runner, with an RLModule that draws a legal action."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module import RLModuleSpec
    from ray.rllib.core.rl_module.torch import TorchRLModule
    from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner

    class RandomLegal(TorchRLModule):  # type: ignore[misc]
        def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
            masks = batch["obs"]["action_mask"].float()
            return {"actions": torch.multinomial(masks, 1)[:, 0]}

    torch.manual_seed(0)
    config = (
        PPOConfig()
        .environment(lambda options: env)
        .multi_agent(
            policies={"zion", "machines", "row", "column"},
            policy_mapping_fn=lambda agent, episode, **_: team(agent),
        )
        .rl_module(rl_module_spec=RLModuleSpec(module_class=RandomLegal))
        .debugging(seed=0)
    )
    return MultiAgentEnvRunner(config=config).sample(num_episodes=episodes)


def team(agent: str) -> str:
    return agent.rstrip("_0123456789")


@pytest.mark.parametrize(
    ("wrapper", "make", "endings"),
    [
        ("PettingZooEnv", hackthegrid_v0.env, {"grid_emptied", "cards_remain"}),
        ("PettingZooEnv", lambda: hovercrafts_v0.env(ships=(2, 3), max_turns=12), {"disabled_all"}),
        ("ParallelPettingZooEnv", lambda: hovercrafts_v0.parallel_env(**FLEET), {"disabled_all"}),
        (
            "ParallelPettingZooEnv",
            lambda: hovercrafts_v0.parallel_env(ships=(1, 2), max_turns=3),
            {"max_turns"},
        ),
    ],
    ids=["turns", "teams in turns", "rounds", "short rounds"],
)
def test_rllib_gets_the_last_rewards_of_every_agent(
    wrapper: str, make: Any, endings: set[str]
) -> None:
    """Also of those that were out long before."""
    from ray.rllib.env.wrappers import pettingzoo_env

    env, ended, outlived = make(), set(), 0
    for episode in sample(getattr(pettingzoo_env, wrapper)(env), 6):
        assert episode.is_done
        assert sorted(episode.agent_episodes) == sorted(env.possible_agents)
        total = {name: own.get_return() for name, own in episode.agent_episodes.items()}
        for name, own in episode.agent_episodes.items():
            assert own.is_done
            assert len(own.get_observations()["action_mask"]) == len(own) + 1 > 1
            for at in range(len(own)):
                assert own.get_observations(at)["action_mask"][own.get_actions(at)] == 1
            info = own.get_infos(-1)
            ended.add(ending := reason(env, info))
            outlived += info.get("own_hull") == 0 < info["own_ships"]
            assert episode.is_truncated == (ending == "max_turns")
            for other, their in total.items():
                alike = team(name) == team(other) or ending == "cards_remain"  # both lose
                assert own.get_return() == pytest.approx(their if alike else -their, abs=1e-5)
    assert ended >= endings
    assert outlived or "disabled_all" not in endings
