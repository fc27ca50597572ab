"""What a policy in training believes of the others' views, beside its own."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO

from cyberdeck import Batch, OptionError, PolicyError, Variant
from cyberdeck.api.export import network
from cyberdeck.api.registration import load_file
from cyberdeck.common import archives
from cyberdeck.engine.others import ITSELF
from cyberdeck.engine.policy import BUILT_IN
from cyberdeck.evaluation import evaluate
from cyberdeck.players import find_player
from cyberdeck.players.beliefs import Filter
from cyberdeck.players.exporting import export
from cyberdeck.players.networks import BelievedObservations, load
from cyberdeck.players.search import Search
from cyberdeck.sb3 import make_vec_env
from cyberdeck_training import checkpoints, runs, train
from cyberdeck_training.research.views import BelievedViews
from tests.training.runs import TINY, trained
from tests.training.test_expert_iteration import GAMES

RANDOM = BUILT_IN["random"]
SEES: dict[str, Any] = {
    "game": str(GAMES / "liars_dice.py"),
    "options": {"sides": 3},
    "opponents": {"self": 1, "random": 1},
    "past": ...,
    "algorithm": "cyberdeck_training.research:Beliefs",
    "beliefs": {"player": "random", "limit": 50},
    "total_timesteps": 64,
    "num_envs": 4,
    "evaluation": {**TINY["evaluation"], "opponents": ["random"], "deals": 1, "final_deals": 2},
}


def game(name: str, **options: Any) -> Variant:
    return Variant(load_file(GAMES / f"{name}.py"), options)


def believing(variant: Variant, count: int, limit: int = 50, **more: Any) -> BelievedViews:
    envs = make_vec_env(variant, count, seed=1, history=True, **more)
    return BelievedViews(envs, Filter(variant, RANDOM, limit))


def any_legal(core: Any, luck: np.random.Generator) -> NDArray[np.int64]:
    return np.array([luck.choice(np.flatnonzero(mask)) for mask in core.masks])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(tmp_path_factory.mktemp("beliefs"), **SEES)


@pytest.mark.parametrize(
    ("name", "options"),
    [("leduc_poker", {}), ("dark_hex", {"rules": "abrupt", "size": 2}), ("kuhn_for_many", {})],
)
def test_after_the_own_view_stands_what_the_others_likely_see(
    name: str, options: dict[str, Any]
) -> None:
    """Worked out anew from a batch that plays the same games."""
    variant = game(name, **options)
    envs, size = believing(variant, 2, opponent=ITSELF), variant.observation_size
    seen, twin = envs.reset(), Batch(variant, 2, seed=1, history=True)
    luck = np.random.default_rng(0)
    for _ in range(8):
        assert (seen[:, :size] == twin.observation).all()
        for row in range(2):
            found, mover = twin.beliefs(row, "random", limit=50), int(twin.mover[row])
            others = [(mover + after) % variant.seats for after in range(1, variant.seats)]
            worlds = [found.states[at : at + 1] for at in range(len(found))]
            views = [[variant.look(world, seat)[1] for seat in others] for world in worlds]
            mean = found.weights @ np.reshape(views, (len(found), -1))
            assert seen[row, size:] == pytest.approx(mean, abs=1e-5)
        twin.step(actions := any_legal(twin._core, luck))
        seen, _, dones, _ = envs.step(actions)
        assert (dones == twin.terminated).all()


@pytest.mark.parametrize(("name", "options"), [("dark_hex", {"size": 2}), ("kuhn_for_many", {})])
def test_a_saved_policy_sees_what_its_model_saw(name: str, options: dict[str, Any]) -> None:
    """With others that decide in between; and where more is shown, in another order."""
    variant = game(name, **options)
    envs = believing(variant, 2, opponent="random")
    model = MaskablePPO("MlpPolicy", envs, n_steps=2, batch_size=4, seed=3)
    plays = network(model, variant, greedy=False, beliefs=BelievedObservations("random", 50))
    core, luck, seen = envs.unwrapped.core, np.random.default_rng(5), envs.reset()
    for _ in range(6):
        own = core.seen(core.all_rows, False)
        own = replace(own, history=[core.history_of(row) for row in range(2)])
        with torch.no_grad():
            found = model.policy.get_distribution(torch.as_tensor(seen), core.masks == 1)
        chances = found.distribution.probs.numpy()
        assert plays.chances(own) == pytest.approx(chances, abs=1e-5)
        seen, *_ = envs.step(any_legal(core, luck))


@pytest.mark.parametrize("itself", [True, False])
def test_of_a_game_that_was_cut_a_seat_has_what_it_believed_last(
    itself: bool, tmp_path: Path
) -> None:
    """Kuhn poker, which is cut where cards would be shown."""
    rules = (GAMES / "kuhn_poker.py").read_text().replace('"kuhn_poker"', '"kuhn_cut"')
    shown = "pay(state, 0 if state.deck[0] > state.deck[1] else 1, SHOWN)"
    assert shown in rules
    cuts = rules.replace(shown, "state.truncated, state.reason, state.mover = 1, SHOWN, -1")
    (tmp_path / "cut.py").write_text(cuts)
    variant = Variant(load_file(tmp_path / "cut.py"), {})
    envs = believing(variant, 2, limit=4, opponent=ITSELF if itself else "random")
    size, luck, cut = variant.observation_size, np.random.default_rng(2), 0
    last: dict[tuple[int, int], NDArray[np.float32]] = {}
    seen, core = envs.reset(), envs.unwrapped.core
    for _ in range(40):
        for row, seat in enumerate(core.playing().tolist()):
            last[row, seat] = seen[row, size:].copy()
        seats = core.seats.tolist()
        seen, _, dones, infos = envs.step(any_legal(core, luck))
        for row in np.flatnonzero(dones).tolist():
            told = infos[row]["terminal_observation"].reshape(-1, 2 * size)
            cut += core.truncated[row]
            for seat, view in zip((0, 1) if itself else (seats[row],), told, strict=True):
                assert (view[size:] == last.pop((row, seat), 0)).all()
    assert cut > 0


def test_what_was_learned_with_beliefs_plays_where_courses_are_kept(folder: Path) -> None:
    policy, variant = load(folder / "last.safetensors"), runs.config_of(folder).variant
    assert policy.beliefs == BelievedObservations("random", 50)
    found = [evaluate(variant, policy, ["random"], deals=2).table() for _ in range(2)]
    assert found[0] == found[1]
    batch = Batch(variant, 2, seed=0, seat=0, opponent=policy)
    for _ in range(5):
        batch.step(batch.choose("random"))
    core = Batch(variant, 4, seed=0)._core
    with pytest.raises(PolicyError, match="needs the history of games, and these keep none"):
        core.ask(policy, core.all_rows)


def test_what_sees_beliefs_guides_no_search_and_is_not_exported(
    folder: Path, tmp_path: Path
) -> None:
    policy, variant = load(folder / "last.safetensors"), runs.config_of(folder).variant
    with pytest.raises(OptionError, match="sees beliefs, which a search cannot follow"):
        Search(network=policy).seated(variant)
    with pytest.raises(PolicyError, match="sees beliefs, which exported policies cannot follow"):
        export(policy, tmp_path / "out.py")
    policy.beliefs = BelievedObservations("heuristic", 50)
    with pytest.raises(OptionError, match="beliefs by a heuristic, and Liars Dice has none"):
        find_player(variant, policy)
    with pytest.raises(OptionError, match="give history=True, and no planes"):
        BelievedViews(make_vec_env(variant, 2), Filter(variant, RANDOM, 5))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("course actions", lambda it: it + 99),
        ("course actions", lambda it: it.astype(np.float64)),
        ("course decided", lambda it: it + 1),
        ("course decided", lambda it: np.array([2**62] * 4 + [0] * (len(it) - 4))),
        ("course positions", lambda it: it[:-1]),
        ("course positions", lambda it: it * 0 + 255),
        ("course positions", lambda it: with_field(it, "sides", 6)),
        ("course positions", lambda it: with_field(it, "mover", -1)),
        ("frames", lambda it: it * np.nan),
        ("observations", lambda it: it.astype(np.int8)),
    ],
)
def test_courses_of_others_are_not_put_back(
    folder: Path, tmp_path: Path, name: str, change: Any
) -> None:
    """A checkpoint may come from a stranger."""
    own = tmp_path / "run"
    shutil.copytree(folder, own)
    last = checkpoints.last(own / runs.CHECKPOINTS)
    assert last is not None
    held = archives.arrays(last / "arrays.npz", 2**30)
    assert len(held[name])
    np.savez(last / "arrays.npz", **{**held, name: change(held[name])})
    with pytest.raises(checkpoints.CheckpointError, match="is damaged, or not of this run"):
        train.resume(runs.config_of(own, ("total_timesteps=96",)), own)


def with_field(held: NDArray[np.uint8], name: str, value: int) -> NDArray[np.uint8]:
    """Positions of another kind: such as of a die of six sides, whose view is longer."""
    records = held.view(game("liars_dice").game.dtype).copy()
    records[name] = value
    return records.view(np.uint8)
