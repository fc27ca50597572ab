"""OpenSpiel's algorithms on games of cyberdeck: search in HACKtheGRID, CFR on Kuhn poker.

Needs cyberdeck with the extra openspiel (docs/install.md).
"""

from pathlib import Path

import numpy as np
import pyspiel
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability, mcts

from cyberdeck import exact, load_file
from cyberdeck.openspiel import load_game

# Search plays 40 games, half of them from each seat, against a player who chooses at random.
grid = load_game("hackthegrid")
rng = np.random.RandomState(1)
search = mcts.MCTSBot(grid, 2.0, 30, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
margins = []
for number in range(40):
    seat = number % 2
    state = grid.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choice(outcomes, p=chances))
        elif state.current_player() == seat:
            state.apply_action(search.step(state))
        else:
            state.apply_action(rng.choice(state.legal_actions()))
    returns = state.returns()
    margins.append(returns[seat] - returns[1 - seat])
mean, error = np.mean(margins), np.std(margins) / np.sqrt(len(margins))
print(f"MCTS is ahead of a random player by {mean:.2f} +- {error:.2f} points a game")
assert mean > 3 * error

# A small game is enumerated once; the algorithms then run on the copy, without Python's rules.
kuhn = load_file(Path(__file__).parent / "games" / "kuhn_poker.py")
tree = pyspiel.convert_to_cached_tree(load_game(kuhn.name))
solver = cfr.CFRPlusSolver(tree)
at_first = exploitability.exploitability(tree, solver.average_policy())
for _ in range(1000):
    solver.evaluate_and_update_policy()
policy = solver.average_policy()
found = exploitability.exploitability(tree, policy)
value = expected_game_score.policy_value(tree.new_initial_state(), [policy, policy])[0]
print(f"CFR+ on Kuhn poker: exploitability {at_first:.6f} at first, {found:.6f} in the end")
print(f"value {value:.6f} (-1/18 = {-1 / 18:.6f})")
assert found < at_first / 100
assert abs(value + 1 / 18) < 1e-3

# The same policy by what a seat observes, for cyberdeck's own best response.
chances = {}
for state in policy.states:
    chances[tuple(state.observation_tensor())] = policy.action_probability_array[
        policy.state_index(state)
    ]
again = exact.exploitability(
    kuhn.name, lambda observation, mask: chances[tuple(observation.astype(float))]
)
assert abs(found - again) < 1e-9
