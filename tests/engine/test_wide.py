"""Observations and fields wider than int8: what is declared comes out everywhere."""

from __future__ import annotations

import dataclasses
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cyberdeck import (
    Batch,
    Feature,
    Game,
    Option,
    OptionError,
    StateError,
    Variant,
    kernel,
    register,
    variant,
)
from cyberdeck.evaluation import evaluate
from cyberdeck.exact import InformationSets, PositionSolver, Solver
from cyberdeck.players.networks import Encoding, Network, Whole, load
from cyberdeck.players.search import Search
from cyberdeck.players.solved import Solved
from cyberdeck.testing import Clause, clauses, random_play
from tests.wide import FRACTIONS, SIXTEEN, WIDE

KINDS = pytest.mark.parametrize("game", WIDE, ids=["int16", "float32"])


SLOW = pytest.mark.slow
ALL_OF_FRACTIONS = clauses(Variant(FRACTIONS, {}))
#: That what is handed out fits the spaces.
FORMATS = [
    each
    for each in [*ALL_OF_FRACTIONS, *clauses(Variant(SIXTEEN, {}))]
    if str(each) in ("gymnasium-formats", "vector-formats", "raw_env-formats")
]


@pytest.fixture(scope="module", autouse=True)
def _registered(_games_are_forgotten: None) -> None:
    for game in WIDE:
        register(game)


@pytest.mark.parametrize(
    "clause",
    [*FORMATS, *(pytest.param(clause, marks=SLOW) for clause in ALL_OF_FRACTIONS)],
    ids=str,
)
def test_what_an_interface_promises_holds(clause: Clause) -> None:
    clause()


def test_records_and_observations_have_the_types_that_were_asked_for() -> None:
    """Of an observation it is the widest."""
    kinds = {name: SIXTEEN.dtype[name].base.name for name in ("heap", "card", "share", "taken")}
    assert kinds == {"heap": "int16", "card": "int8", "share": "float32", "taken": "int64"}
    assert variant(SIXTEEN.name).dtype == np.int16
    assert variant(FRACTIONS.name).dtype == np.float32
    low, high = variant(FRACTIONS.name).bounds()
    assert (low.dtype, high.tolist()) == (np.float32, [500, np.float32(0.7), 2])


@KINDS
def test_what_is_seen_is_what_the_record_holds(game: Game) -> None:
    batch = Batch(game.name, 16, seed=5)
    batch.step(np.ones(16, np.int64))
    state, seen = batch._core.states, batch.observation
    assert (pickle.loads(pickle.dumps(batch)).observation == seen).all()
    card = state["card"][np.arange(16), batch.mover]
    assert (seen[:, 0] == state["heap"]).all()
    assert seen[:, 0].max() > 127 or game is FRACTIONS
    told = 500 * (card.astype(int) - 1) if game is SIXTEEN else (card / 3).astype(np.float32)
    assert (seen[:, 1] == told).all()
    if game is FRACTIONS:
        assert (seen[:, 2] == state["share"]).all()
        assert 0 < seen[:, 2].min() < 1


@KINDS
def test_the_past_is_remembered_as_it_was_seen(game: Game) -> None:
    recall = Variant(game, {"observation": "history"})
    batch, plain = Batch(recall, 8, seed=2), Batch(game.name, 8, seed=2)
    assert batch.observation.dtype == recall.dtype == variant(game.name).dtype
    first = plain.observation.copy()
    for _ in range(2):
        batch.step([0] * 8)
        plain.step([0] * 8)
    going = batch._core.states["decisions"] == 2
    past = recall.named(batch.observation)["past_observations"]
    assert (past[going, 0] == first[going]).all()


def test_features_that_are_wider_with_other_options_are_refused() -> None:
    big = Option("big", False, choices=(False, True))

    def features(options: Any) -> list[Feature]:
        return [Feature("heap", (1,), 0, 100, dtype="int16" if options["big"] else "int8")]

    game = dataclasses.replace(FRACTIONS, options=[big], features=features, longest=None)
    assert Variant(game, {"big": False}).dtype == np.int8
    with pytest.raises(
        OptionError, match="'heap' is int16, and by default the observation is int8"
    ):
        Variant(game, {"big": True})
    by_default = [dataclasses.replace(big, default=True)]
    game = dataclasses.replace(game, options=by_default)
    assert Variant(game, {"big": False}).dtype == np.int16  # one type with all options


def policy(game: Game, **more: Any) -> Network:
    width = variant(game.name).observation_size
    rng = np.random.default_rng(3)
    return Network(game.name, [(rng.normal(size=(2, width)) / 100, np.zeros(2))], **more)


@KINDS
def test_a_policy_says_what_it_reads(game: Game, tmp_path: Path) -> None:
    made = policy(game)
    made.save(tmp_path / "own.safetensors")
    kept = load(tmp_path / "own.safetensors")
    assert [feature.dtype for feature in kept.features] == [f.dtype for f in made.features]
    kept.check(variant(game.name))
    assert evaluate(game.name, kept, [made], deals=2).overall[0].points.value == 0.5  # as the other
    narrow = [dataclasses.replace(made.features[0], high=100, dtype="int8"), *made.features[1:]]
    with pytest.raises(OptionError, match="'heap' is int16, and it reads int8: it was made for an"):
        policy(game, features=narrow).check(variant(game.name))
    # One-hot numbers may be wide.
    seen = Encoding([Whole(1, 998, 1000)], 2)(np.array([[300, 999]], variant(game.name).dtype))
    assert seen.tolist() == [[300, 0, 1, 0]]


@SLOW
def test_exact_values_do_not_depend_on_the_type(tmp_path: Path) -> None:
    game = FRACTIONS
    bench = PositionSolver(game.name)
    solver = Solver(InformationSets(bench.positions))
    solver.iterate(60)
    assert bench.positions.observations.dtype == variant(game.name).dtype
    assert solver.sequences.best_responses(solver.average).exploitability < 0.05
    solver.save(tmp_path / "own.npz")
    player = Solved(str(tmp_path / "own.npz"))
    assert len(evaluate(game.name, player, ["random"], deals=8).games) == 16


def test_searches_see_what_there_is() -> None:
    found = evaluate(FRACTIONS.name, "search:iterations=20", ["random"], deals=6)
    assert found.overall[0].points.value > 0.5


@SLOW
def test_networks_that_guide_a_search_see_what_there_is() -> None:
    search = Search(network=policy(FRACTIONS), iterations=8)
    assert len(evaluate(FRACTIONS.name, search, ["random"], deals=4).games) == 8


def test_fractions_are_shown_and_no_others_are_taken() -> None:
    batch = Batch(FRACTIONS.name, 1, seed=1)
    batch.step([0])
    share = batch.observation[0, 2]
    assert f"share {share:.6g}" in batch.text(0, seat=0)
    assert f"{share:.6g}" in batch.svg(0, seat=0)
    for bad in (np.nan, 2.5):
        batch._core.states["share"] = bad
        broken = batch.get_state(0)
        with pytest.raises(StateError, match=f"share is {bad}, and not 0 to 2"):
            batch.set_state(0, broken)


def test_check_says_where_a_feature_is_no_number() -> None:
    @kernel
    def observe(state: Any, seat: Any, out: Any) -> None:
        out[0] = state.heap
        out[1] = np.inf * (state.taken > 0)

    game = dataclasses.replace(FRACTIONS, name="wide_broken", observe=observe, longest=None)
    found = random_play(Variant(game, {}), decisions=20, games=2)
    assert any("is nan, and not" in str(fault) for fault in found.faults)


def test_extractors_leave_fractions_as_they_are() -> None:
    pytest.importorskip("stable_baselines3")
    import torch

    from cyberdeck.api.extractors import OneHot, Scaled
    from cyberdeck.sb3 import make_vec_env
    from cyberdeck_training.research.views import AllSeats, LastObservations

    envs = make_vec_env(FRACTIONS.name, 4, seed=0)
    seen = torch.as_tensor(envs.reset())
    assert OneHot(envs.observation_space).one_hot == []  # share is 0 to 2, and not one of three
    shown = Scaled(envs.observation_space)(seen)
    assert shown[:, 0].tolist() == (seen[:, 0] * np.float32(1 / 500)).tolist()
    assert shown[:, 1].tolist() == seen[:, 1].tolist()  # no bound below 1 makes it larger
    frames = LastObservations(make_vec_env(FRACTIONS.name, 4, seed=0), 2)
    assert OneHot(frames.observation_space).one_hot == []
    every = AllSeats(make_vec_env(FRACTIONS.name, 4, seed=0))
    assert OneHot(every.observation_space).one_hot == []


@KINDS
def test_a_learner_takes_them_and_its_policy_is_saved(game: Game) -> None:
    sb3_contrib = pytest.importorskip("sb3_contrib")
    from cyberdeck.api.export import network
    from cyberdeck.api.extractors import OneHot
    from cyberdeck.sb3 import SB3Policy, make_vec_env

    envs = make_vec_env(game.name, 8, seed=0)
    shape = {"features_extractor_class": OneHot}
    model = sb3_contrib.MaskablePPO("MlpPolicy", envs, n_steps=16, policy_kwargs=shape, seed=0)
    model.learn(128)
    assert model.rollout_buffer.observations.dtype == variant(game.name).dtype
    found = evaluate(game.name, network(model, game.name), [SB3Policy(model)], deals=4)
    assert found.overall[0].points.value == 0.5  # each as the other
    other = FRACTIONS if game is SIXTEEN else SIXTEEN
    with pytest.raises(OptionError, match="takes observations"):
        network(model, other.name)
