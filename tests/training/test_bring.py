"""What users bring, as the page about it shows it: it trains, goes on, and is asked about."""

from __future__ import annotations

import io
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import torch
import yaml

from cyberdeck import Batch, OptionError
from cyberdeck.common import consent
from cyberdeck.players import find_player
from cyberdeck_training import algorithms, config, networks, runs, settings, train
from cyberdeck_training.rewards import Transitions, pay_of
from cyberdeck_training.selfplay import Pool
from tests.test_docs import blocks
from tests.training.runs import interrupted, learned, trained, write
from tests.training.test_expert_iteration import GAMES
from tests.training.test_rollouts import GAMES_OF_MANY, Played
from tests.training.test_runs import steps

PAGE = Path(__file__).parents[2] / "docs" / "train" / "bring.md"

#: What the page says, in its order: part of a configuration each.
SHOWN: list[dict[str, Any]] = [
    yaml.safe_load(block.text) for block in blocks(PAGE) if block.info == "yaml"
]

#: What stands in the page's module, and things that are of no use.
MINE = "\n".join(block.text for block in blocks(PAGE) if block.info == "python")
MORE = """
import numpy as np

def negative(left):
    return left - 0.5

def falls(left):
    return 3 * left

def too_few(transitions):
    return transitions.rewards[1:]

def broken(observations):
    return observations["own"]

def as_paid(transitions):
    return transitions.rewards

class Stops(BaseCallback):
    made = 0

    def __init__(self):
        super().__init__()
        Stops.made += 1

    def _on_step(self):
        return self.num_timesteps < 300

class Counts(BaseCallback):
    def _on_rollout_start(self):
        with open("counted.txt", "a") as file:
            print(self.n_calls, self.num_timesteps, file=file)

    def _on_step(self):
        return True
"""

FOUR: dict[str, Any] = {
    "game": str(GAMES / "connect_four.py"),
    "opponents": {"self": 1, "random": 1},
    "past": ...,
    "evaluation": {"every": 256, "deals": 2, "final_deals": 2, "opponents": ["random"]},
    "total_timesteps": 256,
}
#: All of it but the algorithm, of which A2C has none.
EVERYTHING: dict[str, Any] = {
    "network": "mine:Network",
    "learning_rate": "mine:warm_up",
    "clip_range": {"from": 0.3, "to": 0.1},
    "ent_coef": {"from": 0.02, "to": 0.001, "schedule": "cosine"},
    "reward": "mine:hurried",
    "shaping": "mine:discs_in_the_middle",
    "opponents": {"self": 1, "past": {"from": 0, "to": 3}, "random": "mine:falls"},
    "past": {"every": 1, "keep": 2},
    "callbacks": {"mine:Weights": {"name": "again"}, "mine:Counts": {}},
}


@pytest.fixture(autouse=True)
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The module; nothing is agreed to yet."""
    (tmp_path / "agreed").mkdir()
    monkeypatch.setattr(consent, "own_folder", lambda _: tmp_path / "agreed")
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    (tmp_path / "mine.py").write_text(MINE + MORE)
    return tmp_path / "mine.py"


def agreed(folder: Path, **changed: Any) -> Any:
    """A configuration for connect four, all of which the user has named as well."""
    given = {**FOUR, **changed}
    if changed.get("algorithm") == "mine:A2C":
        given |= dict.fromkeys(("batch_size", "n_epochs", "net_arch"), ...)
    named = [f"{key}={yaml.safe_dump(value)}" for key, value in changed.items() if value is not ...]
    return config.load(write(folder, **given), named, game=given["game"])


@pytest.mark.parametrize("part", SHOWN, ids=lambda part: next(iter(part)))
def test_what_the_page_shows_trains(tmp_path: Path, part: dict[str, Any]) -> None:
    folder = trained(tmp_path, agreed(tmp_path, **part))
    again = runs.config_of(folder)
    assert networks.load(folder / "last.safetensors", again).logits(
        Batch(again.variant, 3, seed=0).observation.copy()
    ).shape == (3, 7)
    assert (folder / "best.onnx").exists() == bool(networks.needed(again))


def test_a_run_with_all_of_it_goes_on_to_the_last_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    length = {"total_timesteps": 640, "evaluation": {**FOUR["evaluation"], "every": 128}}
    loaded = agreed(tmp_path, **EVERYTHING, **length)
    whole = trained(tmp_path / "whole", loaded)
    stopped = runs.create("tiny", tmp_path / "stopped")
    taken, add = Counter[int](), Pool.add_past

    def third(pool: Pool, *given: Any) -> None:
        taken[0] += 1
        if taken[0] == 3:
            interrupted()
        add(pool, *given)

    with monkeypatch.context() as patch:
        patch.setattr(Pool, "add_past", third)
        with pytest.raises(KeyboardInterrupt):
            train.begin(loaded, stopped)
    train.resume(runs.config_of(stopped), stopped)
    assert learned(stopped) == learned(whole)


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ({"network": "mine:Nework"}, r"network: mine:Nework cannot be .* \(did you mean Network\?"),
        (
            {"learning_rate": "mine:negative"},
            "learning_rate: mine:negative cannot .*: it gives -0.5",
        ),
        (
            {"opponents": {"random": "mine:negative"}},
            "opponents.random: mine:negative .* gives -0.5, and",
        ),
        (
            {"reward": "mine:too_few"},
            r"mine:too_few gives \(1,\), not a finite number for each of 2",
        ),
        ({"shaping": "mine:broken"}, "shaping: mine:broken cannot .*: IndexError: only"),
        ({"reward": "mine:np"}, "reward: mine:np is no reward: it must be a function"),
        (
            {"callbacks": ["mine:hurried"]},
            "callbacks.mine:hurried: mine:hurried is no callback: it must be a c",
        ),
        ({"callbacks": {"mine:Weights": {"nam": 1}}}, "mine:Weights cannot be used: TypeError"),
        (
            {"callbacks": ["cyberdeck_training.callbacks:WandB"]},
            r"callbacks: .*WandB cannot be used: .* need wandb, which is not installed: .*wandb\]",
        ),
        (
            {"algorithm": "device_ppo", "device": {"kind": "cpu"}, "reward": "mine:hurried"},
            "reward: nothing outside the device is asked",
        ),
        (
            {"algorithm": "expert_iteration", "shaping": "mine:broken"},
            "shaping: a search counts what the game pays",
        ),
        (
            {
                **{"network": "cyberdeck_training.networks:Convolutional", "encoding": "onehot"},
                "game": "hackthegrid",
            },
            "it sees planes as they lie: choose any encoding but onehot",
        ),
        (
            {
                "network": "cyberdeck_training.networks:Convolutional",
                "game": str(GAMES / "kuhn_poker.py"),
            },
            "no feature has two or three dimensions: there is no board",
        ),
    ],
    ids=str,
)
def test_what_is_of_no_use_is_told_in_one_line_before_anything_starts(
    tmp_path: Path, part: dict[str, Any], told: str
) -> None:
    given = {**FOUR, **part}
    named = [f"{key}={yaml.safe_dump(value)}" for key, value in part.items()]
    game = given["game"] if given["game"].endswith(".py") else None
    with pytest.raises(OptionError, match=told) as raised:
        algorithms.recipe_of(config.load(write(tmp_path, **given), named, game=game))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("key", "value", "kind"),
    [
        *((key, EVERYTHING[key], key) for key in ("network", "reward", "shaping")),
        ("learning_rate", "mine:warm_up", "schedule"),
        ("opponents", {"random": "mine:falls"}, "schedule"),
        ("callbacks", ["mine:Weights"], "callback"),
        ("callbacks", ["cyberdeck_training.callbacks:MLflow"], "callback"),
    ],
)
def test_a_strangers_configuration_runs_none_of_it(
    tmp_path: Path, mine: Path, key: str, value: Any, kind: str
) -> None:
    mine.write_text(f"{mine.read_text()}\nfrom pathlib import Path\nPath('mark').touch()")
    folder = tmp_path / "stranger"
    given = {**FOUR, "game": "hackthegrid", key: value}
    write(folder, **given).rename(folder / "config.yaml")
    with pytest.raises(OptionError, match=f"names the {kind} '.*'; you have not agreed|which"):
        runs.config_of(folder)
    assert not (tmp_path / "mark").exists()
    runs.config_of(folder, (f"{key}={yaml.safe_dump(value)}",))
    runs.config_of(folder)  # what was agreed to stays so


# --- networks ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "more",
    [
        {"algorithm": "dagger", "dagger": {"timesteps": 128, "expert": "random"}},
        {"algorithm": "exploit", "opponents": {"random": 1}},
        pytest.param(
            {
                **{"algorithm": "device_ppo", "device": {"kind": "cpu"}},
                "ent_coef": {"from": 0.1, "to": 0},
            },
            marks=pytest.mark.slow,
        ),
    ],
    ids=lambda more: str(more["algorithm"]),
)
@pytest.mark.parametrize("own", ["mine:Network", "cyberdeck_training.networks:Convolutional"])
def test_networks_of_ones_own_learn_by_other_algorithms(
    tmp_path: Path, more: dict[str, Any], own: str
) -> None:
    folder = trained(tmp_path, agreed(tmp_path, network=own, **more))
    first, last = ((folder / f"{at}.safetensors").read_bytes() for at in ("untrained", "last"))
    assert first != last
    if more["algorithm"] != "device_ppo":
        assert learned(trained(tmp_path / "b", agreed(tmp_path, network=own, **more))) == learned(
            folder
        )


@pytest.mark.parametrize(
    "part",
    [
        {"network": "cyberdeck_training.networks:Convolutional"},
        {"activation_fn": "gelu", "net_arch": {"shared": [8], "pi": [4], "vf": [4]}},
        {
            "algorithm": "cyberdeck_training.research:PPO",
            **{"critic": "full", "activation_fn": "SiLU"},
        },
    ],
)
def test_a_policy_is_the_same_from_its_file_and_as_onnx(
    tmp_path: Path, part: dict[str, Any]
) -> None:
    loaded = agreed(tmp_path, **part)
    recipe = algorithms.recipe_of(loaded)
    model = recipe.make_learner(recipe.envs(Pool(loaded, tmp_path)))
    plays = recipe.network(model)
    assert isinstance(plays, networks.Module)
    plays.save(tmp_path / "own.safetensors")
    batch = Batch(loaded.variant, 40, seed=3)
    for _ in range(5):
        batch.step(batch.choose("random"))
    seen, masks = batch.observation.copy(), batch.mask == 1
    expected = plays.logits(seen)
    again = networks.load(tmp_path / "own.safetensors", loaded)
    assert (again.logits(seen) == expected).all()
    (tmp_path / "own.onnx").write_bytes(plays.onnx())
    session = onnxruntime.InferenceSession(tmp_path / "own.onnx")
    asked = {"observation": seen.reshape(40, -1).astype(np.float32), "mask": masks}
    (logits,) = session.run(["logits"], asked)
    np.testing.assert_allclose(logits[masks], expected[masks], atol=1e-4)
    assert (logits[~masks] < -1e29).all()
    assert session.get_modelmeta().custom_metadata_map["game"] == '"connect_four"'


def test_the_convolutional_network_sees_the_board_and_what_is_beside_it() -> None:
    from cyberdeck import Feature

    features = [Feature("own", (2, 3, 4), 0, 1), Feature("turn", (1,), 0, 9)]
    features.append(Feature("walls", (3, 4), 0, 1))
    network = networks.Convolutional(37, 5, features)
    assert network.planes == (3, 3, 4)
    assert network.off.tolist() == [24]
    for at in range(37):
        seen = torch.zeros(2, 37)
        seen[1, at] = 1
        logits, values = network(seen)
        assert logits.shape == (2, 5)
        assert values.shape == (2,)
        assert (logits[0] != logits[1]).any()


@pytest.mark.slow
@pytest.mark.learns
def test_the_convolutional_network_learns_connect_four(tmp_path: Path, learning_seed: int) -> None:
    """Untrained it gets 0.1 to 0.3 of the points against that search."""
    search = "search:iterations=30"
    folder = trained(
        tmp_path,
        agreed(
            tmp_path,
            network="cyberdeck_training.networks:Convolutional",
            seed=learning_seed,
            total_timesteps=100_000,
            **{
                "num_envs": 128,
                "n_steps": 32,
                "batch_size": 1024,
                "n_epochs": 3,
                "checkpoint": 999,
            },
            evaluation={"every": 50_000, "deals": 50, "final_deals": 200, "opponents": [search]},
        ),
    )
    files = runs.RunFiles(folder)
    assert files.final[search]["points"].low > files.untrained[search]["points"].high + 0.1


# --- rewards -------------------------------------------------------------------------------------


class Paid(Played):
    """What each decision has come to, in plain Python: what was seen next, and whether it ended."""

    def close(self, at: tuple[int, int], seen: Any, ended: bool) -> None:
        if at in self.open:
            (_, shown, action), brought = self.open.pop(at)
            self.done.append((shown, action, brought, seen.tobytes(), ended))


@pytest.mark.parametrize(
    "game", ["two", "three", "margins", pytest.param("teams", marks=pytest.mark.slow)]
)
def test_what_pays_sees_each_sides_own_decisions(tmp_path: Path, game: str) -> None:
    played = Paid(tmp_path, **GAMES_OF_MANY[game])
    told: list[tuple[Any, ...]] = []

    def pay(made: Transitions, gamma: float) -> Any:
        assert gamma == played.config.gamma
        ends = made.terminated | made.truncated
        for seen, action, reward, after, end in zip(*made[:4], ends, strict=True):
            told.append((seen.tobytes(), int(action), float(reward), after.tobytes(), bool(end)))
        return made.rewards

    played.model.rollout_buffer.pay = pay
    played.envs.unwrapped.tells_all = True
    played.model.learn(12 * played.config.rollout)
    now = played.envs.unwrapped.core
    for row, seat in enumerate(now.playing().tolist()):
        played.close((row, played.sides[seat]), now.observations[row], False)

    def counted(decisions: list[tuple[Any, ...]]) -> Counter[Any]:
        return Counter((*each[:2], round(each[2], 3), *each[3:]) for each in decisions)

    assert counted(told) == counted(played.done)


def test_paid_as_the_game_pays_it_learns_the_same(tmp_path: Path) -> None:
    """To the last bit, but for the critic, which is not kept."""
    own = trained(tmp_path / "own", agreed(tmp_path, reward="mine:as_paid"))
    plain = trained(tmp_path / "plain", agreed(tmp_path))
    assert learned(own)["curves"] == learned(plain)["curves"]
    paid, unpaid = (
        networks.load(folder / "last.safetensors", runs.config_of(folder))
        for folder in (own, plain)
    )
    assert paid.value is None  # type: ignore[union-attr]
    assert unpaid.value is not None  # type: ignore[union-attr]
    seen = Batch(runs.config_of(own).variant, 5, seed=1).observation.copy()
    assert (paid.logits(seen) == unpaid.logits(seen)).all()


def test_a_potential_is_paid_by_its_differences(tmp_path: Path) -> None:
    loaded = agreed(tmp_path, reward="mine:hurried", shaping="mine:discs_in_the_middle")
    pay = pay_of(loaded)
    assert pay is not None
    seen = np.zeros((3, 2, 6, 7), np.int8)
    seen[0, 0, 5, 3] = seen[1, 1, 5, 3] = 1
    rewards, ends = np.array([0.5, 0, -1], np.float32), np.array([False, False, True])
    made = Transitions(seen, np.zeros(3, np.int64), rewards, seen[::-1], ends, ~ends)
    # 0.1 less 0.01; the next potential is 0, -0.1 and that of an end.
    assert pay(made, 0.5) == pytest.approx([0.5 - 0.01 - 0.1, -0.01 - 0.05 + 0.1, -1 - 0.01])


# --- opponents -----------------------------------------------------------------------------------


def test_shares_follow_the_run_and_no_game_changes_its_opponent(tmp_path: Path) -> None:
    shares = {"self": {"from": 1, "to": 0}, "past": {"from": 0, "to": 3}, "random": "mine:falls"}
    loaded = agreed(tmp_path, opponents=shares, past={"every": 1, "keep": 2})
    pool = Pool(loaded, tmp_path / "selves")
    recipe = algorithms.recipe_of(loaded)
    envs = recipe.envs(pool)
    core = envs.unwrapped.core  # type: ignore[attr-defined]
    pool.deal(core, 1.0)
    pool.start(recipe.network(recipe.make_learner(envs)))
    assert Counter(each.name for each in pool.entries) == {"self": 250, "random": 750}
    envs.reset()
    for left in (0.75, 0.5, 0.25, 0.0):
        before = core.rows["opponent"].copy()
        playing = [pool.entries[at] for at in before]
        pool.deal(core, left)
        assert [pool.entries[at] for at in before] == playing
        counts = Counter(each.name for each in pool.entries)
        whole = left + 3 * (1 - left) + 3 * left
        for name, share in (("self", left), ("past", 3 * (1 - left)), ("random", 3 * left)):
            assert counts[name] == pytest.approx(1000 * share / whole, abs=50)
        slots = Counter(pool.slots)
        assert slots[0] == pytest.approx(slots[1], abs=30)
        for _ in range(15):
            core.step(core.masks.argmax(axis=1))
    again = Pool(loaded, tmp_path / "selves")
    other = algorithms.recipe_of(loaded).envs(again).unwrapped.core  # type: ignore[attr-defined]
    again.restore(pool.state(), other)
    assert [each.name for each in again.entries] == [each.name for each in pool.entries]
    with pytest.raises(ValueError, match="its pool does not have 1000 places"):
        again.restore({**pool.state(), "places": [99] * 1000}, other)


def test_players_of_any_kind_are_named_by_their_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As ``find_player`` takes them, which asks for consent where they are code."""

    def found(variant: Any, name: str) -> Any:
        if name in texts:
            consent.need("player", name, [consent.Effect.CODE])
            return find_player(variant, "random")
        return find_player(variant, name)

    texts = ["mine:Player", "some/mine.py:Player", "policy.onnx", "model.zip"]
    monkeypatch.setattr(settings, "find_player", found)
    given = {**FOUR, "game": "hackthegrid", "opponents": dict.fromkeys(texts, 1)}
    path = write(tmp_path, **given)
    with pytest.raises(OptionError, match="names the player 'mine:Player', which runs code"):
        config.load(path)
    loaded = config.load(path, [f"opponents={yaml.safe_dump(given['opponents'])}"])
    assert {*loaded.fixed} == {*texts}
    assert config.load(path) == loaded


# --- callbacks -----------------------------------------------------------------------------------


def test_a_callback_ends_a_run_with_its_result(tmp_path: Path) -> None:
    loaded = agreed(tmp_path, callbacks=["mine:Stops"], total_timesteps=1280)
    folder = trained(tmp_path, loaded)
    assert sys.modules["mine"].Stops.made == 1
    info = runs.read_info(folder)
    assert info.finished
    assert info.decisions == 304
    assert (folder / "report.html").exists()
    (checkpoint,) = (folder / "checkpoints").iterdir()
    assert int(checkpoint.name) == 256  # not within a rollout


def test_callbacks_count_on_where_a_run_goes_on(tmp_path: Path) -> None:
    folder = trained(tmp_path, agreed(tmp_path, callbacks=["mine:Counts"]))
    train.resume(runs.config_of(folder, ("total_timesteps=512",)), folder)
    lines = Path("counted.txt").read_text().splitlines()
    assert lines == [f"{calls} {8 * calls}" for calls in (0, 16, 32, 48)]


def test_callbacks_find_all_that_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cyberdeck_training import callbacks

    told: dict[str, list[int]] = {}

    def log(values: dict[str, float], step: int) -> None:
        for name in values:
            told.setdefault(name, []).append(step)

    def init(callback: Any) -> None:
        callback.logger.output_formats.append(callbacks._Writer(log))

    (tmp_path / "mlflow.py").write_text("")
    monkeypatch.setattr(callbacks.MLflow, "_init_callback", init)
    names = ["cyberdeck_training.callbacks:MLflow", "mine:Weights"]
    folder = trained(tmp_path, agreed(tmp_path, callbacks=names))
    assert steps(folder)["mine/weights"] == [128, 256]
    assert told["games/win"] == told["train/policy_gradient_loss"] == [128, 256]
    assert told["mine/weights"] == [128, 256]
    assert told["evaluation/points-random"] == [256]
