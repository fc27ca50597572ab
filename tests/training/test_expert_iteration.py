"""Learning from experts: what they tell, and that the own search teaches the truth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete

from cyberdeck import Batch
from cyberdeck.engine.policy import Policy
from cyberdeck.exact import exploitability
from cyberdeck.players import find_player
from cyberdeck.players.guided import unlearned
from cyberdeck.players.networks import Network, load
from cyberdeck.players.search import ROOTS, Search
from cyberdeck.players.solved import Solved, save
from cyberdeck.players.solvers.hackthegrid.solver import BOTH_LOSE, DRAW, LOSS, WIN, Solver
from cyberdeck_training import config, imitation
from cyberdeck_training.imitation import Labels
from cyberdeck_training.rollouts import Rollout
from tests.evaluation.test_solved import determined, few_games, sequences  # noqa: F401
from tests.test_search import positions
from tests.training.runs import exploited, trained

GAMES = Path(__file__).resolve().parents[2] / "examples" / "games"


# --- what experts tell ----------------------------------------------------------------------------


def told(batch: Batch, player: str | Policy, threads: int = 1) -> tuple[Any, Any]:
    """The targets of a player."""
    labels = Labels(batch._core, find_player(batch.variant, player), steps=1, threads=threads)
    labels.begin()
    return labels.policy[0], labels.values[0]


def test_whoever_says_no_more_teaches_what_it_does() -> None:
    batch = positions("hackthegrid", {})
    policy, values = told(batch, "heuristic")
    assert (policy.argmax(axis=1) == batch.choose("heuristic")).all()
    assert policy.sum() == policy.max(axis=1).sum() == len(batch)
    assert np.isnan(values).all()


@pytest.mark.parametrize("ties", ["spiteful", "friendly"])
def test_optimal_teaches_all_that_is_optimal_and_what_comes_of_it(ties: str) -> None:
    batch = positions("hackthegrid", {})
    policy, values = told(batch, f"optimal:ties={ties}")
    outcomes = Solver(ties).values(batch._core.states)
    best = Solver(ties).optimal(outcomes)
    assert (best.sum(axis=1) > 1).any()
    assert ((policy > 0) == best).all()
    assert np.allclose(policy.sum(axis=1), 1)
    assert np.allclose(policy.max(axis=1) * best.sum(axis=1), 1)
    pays = {WIN: 1.0, DRAW: 0.0, LOSS: -1.0, BOTH_LOSE: -1.0}
    assert values.tolist() == [
        pays[int(row[which][0])] for row, which in zip(outcomes, best, strict=True)
    ]
    margins = positions("hackthegrid", {"reward": "margin"})
    assert np.isnan(told(margins, "optimal")[1]).all()  # by how much is not known
    # And so it comes, if both play optimally from there.
    batch = Batch("hackthegrid", 20, seed=5, autoreset="Disabled")
    batch.step(batch.choose("heuristic"))
    movers, values = batch._core.movers.copy(), told(batch, "optimal")[1]
    while (running := np.flatnonzero(batch._core.movers >= 0)).size:
        actions = np.zeros(20, np.int64)
        actions[running] = batch._core.ask(find_player(batch.variant, "optimal"), running)
        batch.step(actions)
    assert values.tolist() == batch.final_return[np.arange(20), movers].tolist()


@pytest.mark.parametrize(
    ("game", "options", "player"),
    [
        ("stacktrices", {}, "search:iterations=12"),
        *(("hackthegrid", {}, root) for root in ROOTS),
        # However the game is shown: the published one sees the heuristic's prior.
        *(("hackthegrid", {"observation": shown}, "baseline") for shown in ("vector", "prior")),
    ],
)
def test_searches_and_saved_policies_teach_probabilities_of_what_is_legal(
    game: str, options: dict[str, str], player: str
) -> None:
    """A policy also where it takes the likeliest."""
    batch = positions(game, options)
    teacher: Any = player
    if player in ROOTS:
        teacher = Search(12, root=player, network=unlearned(batch.variant))
    policy, values = told(batch, teacher)
    assert np.allclose(policy.sum(axis=1), 1)
    assert (policy[batch.mask == 0] == 0).all()
    assert np.isnan(values).all()
    if player == "baseline":
        asked = batch._core.ask(find_player(batch.variant, player), batch._core.all_rows)
        assert policy.max(axis=1).min() < 0.9
        assert (policy.argmax(axis=1) == asked).all()
    else:
        assert told(batch, teacher, threads=3)[0].tolist() == policy.tolist()


@pytest.mark.parametrize("kind", ["network", "table"])
def test_one_that_remembers_teaches_by_what_it_saw_and_the_learner_did(
    kind: str, tmp_path: Path
) -> None:
    """Until a game is over, beside a twin of it that is told the same."""
    luck, expert, variant = np.random.default_rng(3), None, "hackthegrid"
    if kind == "network":
        weights = luck.normal(size=(69, 2 * 349)) / 10
        expert = Network(variant, [(weights, np.zeros(69))], history=2, greedy=False)
    else:  # it takes one action in each information set: what it remembers matters
        held = sequences("goofspiel")
        save(tmp_path / "any.npz", held, determined(held))
        expert, variant = Solved(str(tmp_path / "any.npz")), held.positions.variant
    batch = Batch(variant, 8, seed=0)
    labels, memory = Labels(batch._core, expert, steps=30), np.zeros((8, 2, expert.memory))
    labels.begin()
    for step in range(30):
        at = np.arange(8), batch.mover.astype(np.int64)
        seen = replace(batch._core.seen(at[0], False), memory=memory[at].astype(np.float32))
        assert np.allclose(labels.policy[step], expert.chances(seen), atol=1e-6)
        assert np.isnan(labels.values[step]).all()
        batch.step(actions := batch.choose("random"))
        expert.took(seen, actions)
        memory[at] = seen.memory
        memory[batch._core.terminated == 1] = 0
        labels.stepped(step, actions)


def test_values_are_the_experts_or_what_the_game_brought() -> None:
    """Flat, in the order of observations, masks and policies; one decision in so many is asked."""

    def asked(count: int, steps: int, every: int) -> Labels:
        batch = Batch("hackthegrid", count, seed=0)
        labels = Labels(batch._core, find_player(batch.variant, "heuristic"), steps, every)
        labels.begin()
        for step in range(steps):
            batch.step(actions := batch.choose("random"))
            labels.stepped(step, actions)
        return labels

    of_each = asked(10, steps=6, every=3).policy.sum(axis=2)
    assert of_each.sum(axis=1).tolist() == [4, 3, 3, 4, 3, 3]
    assert (of_each.sum(axis=0) == 2).all()
    labels = asked(3, steps=2, every=2)
    labels.values[:] = [[np.nan, 0.5, np.nan], [np.nan, np.nan, -1.0]]
    buffer = a_buffer()
    buffer.observations[:] = np.arange(12, dtype=np.int8).reshape(2, 3, 2)
    buffer.action_masks[:] = False
    buffer.action_masks[1, 2, 7] = True
    buffer.returns[:] = [[1, 2, 3], [4, 5, 6]]
    known = imitation.positions(buffer, labels)
    assert known.values.tolist() == [1, 0.5, 3, 4, 5, -1]
    assert known.observations.tolist() == [[at, at + 1] for at in range(0, 12, 2)]
    assert np.argwhere(known.masks).tolist() == [[5, 7]]
    assert known.policy.sum(axis=1).tolist() == [1, 0, 1, 0, 1, 0]
    replay = imitation.Replay(2)
    for _ in range(3):
        replay.add(known)
    again = imitation.Replay(2)
    again.restore(replay.arrays(), a_buffer())
    assert again.all().values.tolist() == 2 * known.values.tolist()
    assert again.all().observations.tolist() == 2 * known.observations.tolist()


def a_buffer() -> Rollout:
    """Of two steps in three games of 69 actions."""
    return Rollout(2, Box(0, 9, (2,), np.int8), Discrete(69), n_envs=3)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("policy", np.zeros((2, 6, 68), np.float32), r"replay policy are \(2, 6, 68\)"),
        ("observations", np.zeros((2, 6, 2), np.float32), r"observations .* of float32"),
        ("masks", np.zeros((2, 6, 69), np.int8), r"masks .* of int8"),
        ("values", np.full((2, 6), np.nan, np.float32), r"values .* not finite"),
        ("values", np.zeros((1, 6), np.float32), "shorter"),
        ("values", None, "values"),
    ],
)
def test_no_positions_of_others_are_put_back(name: str, value: Any, error: str) -> None:
    """A checkpoint may come from a stranger."""
    shapes = {"observations": (2, np.int8), "masks": (69, np.bool_), "policy": (69, np.float32)}
    right = {
        f"replay {key}": np.zeros((2, 6, size), dtype) for key, (size, dtype) in shapes.items()
    }
    right["replay values"] = np.zeros((2, 6), np.float32)
    imitation.Replay(2).restore(right, a_buffer())
    wrong = {key: it for key, it in {**right, f"replay {name}": value}.items() if it is not None}
    with pytest.raises((ValueError, LookupError), match=error):
        imitation.Replay(2).restore(wrong, a_buffer())


# --- tic-tac-toe ----------------------------------------------------------------------------------

TIC_TAC_TOE: dict[str, Any] = {
    "game": str(GAMES / "tictactoe.py"),
    "total_timesteps": 100_000,
    "algorithm": "expert_iteration",
    "expert_iteration": {"iterations": 32, "every": 2},
    "replay": 16,
    "opponents": {"self": 1, "random": 1},
    "past": ...,
    "net_arch": [128, 64],
    "activation_fn": "relu",
    "num_envs": 128,
    "n_steps": 16,
    "batch_size": 256,
    "n_epochs": 2,
    "learning_rate": {"from": 0.005, "to": 0.0005},
    "gae_lambda": 1.0,
    "checkpoint": 10**6,
    "evaluation": {"every": 10**6, "deals": 2, "final_deals": 2, "opponents": ["random"]},
}


@pytest.mark.slow
def test_expert_iteration_learns_to_play_tic_tac_toe_perfectly(
    tmp_path: Path, learning_seed: int
) -> None:
    """The network alone: it never loses, whatever the other does."""
    network = load(trained(tmp_path, **TIC_TAC_TOE, seed=learning_seed) / "last.safetensors")
    chosen = config.load(GAMES / "tictactoe.py").variant
    assert exploitability(chosen, network) == 0


# --- Kuhn poker -----------------------------------------------------------------------------------

KUHN: dict[str, Any] = {
    **TIC_TAC_TOE,
    "game": str(GAMES / "kuhn_poker.py"),
    "opponents": {"self": 1},
    "net_arch": [32],
    "activation_fn": "tanh",
    "num_envs": 256,
    "n_steps": 8,
    "batch_size": 512,
    "learning_rate": {"from": 0.003, "to": 0.0005},
}
SEARCHED: dict[str, Any] = {
    "total_timesteps": 80_000,
    "expert_iteration": {"every": 2},
    "learning_rate": {"from": 0.003, "to": 0.0001},
}
BY_PPO: dict[str, Any] = {
    "total_timesteps": 500_000,
    **{"algorithm": "maskable_ppo", "expert_iteration": ..., "replay": ...},
    "ent_coef": 0.35,
    "num_envs": 1024,
    "batch_size": 2048,
    "learning_rate": {"from": 0.001, "to": 0.00003},
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "most"), [(SEARCHED, 0.2), (BY_PPO, 0.13)], ids=["expert iteration", "ppo"]
)
def test_how_far_from_an_equilibrium_kuhn_poker_is_learned(
    tmp_path: Path, settings: dict[str, Any], most: float, learning_seed: int
) -> None:
    """As docs/how/experts.md says, with something over for other machines; 0.458 at first."""
    assert exploited(trained(tmp_path, **{**KUHN, **settings}, seed=learning_seed)) < most
