"""Train RLlib's PPO with masks by self-play, here or on a cluster, and save it as players.

Without arguments that is HACKtheGRID with ``observation="prior"``: it also sees what the heuristic
makes of each action, and learns soon; it is measured before and after. With arguments, for example:

python rllib_ppo.py hovercrafts --options '{"ships": [3, 3]}' --separate --updates 50
python rllib_ppo.py hackthegrid --runners 16 --address auto

Needs cyberdeck with the extra ray (docs/install.md), in an environment of its own:
RLlib pins an old Gymnasium.
"""

import argparse
import json
import sys
from pathlib import Path

import ray

from cyberdeck import evaluate
from cyberdeck.evaluation import Evaluation
from cyberdeck.rllib import Player, make_config, networks

LEARNED_SOON = {"observation": "prior", "reward": "margin"}

parser = argparse.ArgumentParser()
parser.add_argument("game", nargs="?", default="hackthegrid")
parser.add_argument("--options", type=json.loads, default=LEARNED_SOON, help="as JSON")
parser.add_argument("--updates", type=int, default=20)
parser.add_argument("--batch", type=int, default=4096, help="decisions of an update")
parser.add_argument("--runners", type=int, default=0, help="processes that play")
parser.add_argument("--address", help="of a Ray cluster, or 'auto'; without, Ray starts here")
parser.add_argument("--separate", action="store_true", help="a module for each seat or team")
parser.add_argument("--opponent", help="who plays the other side; without, the learner itself")
parser.add_argument("--hidden", type=int, nargs="+", default=[64, 64], help="widths of layers")
parser.add_argument("--restore", type=Path, help="a checkpoint to go on from")
parser.add_argument("--deals", type=int, default=500, help="of the evaluation")
parser.add_argument("--output-dir", type=Path, default=Path("runs/rllib"), help="for the results")
parser.add_argument("--seed", type=int, default=0)
chosen = parser.parse_args()

settings = (
    make_config(
        chosen.game,
        shared=not chosen.separate,
        opponent=chosen.opponent,
        hidden=chosen.hidden,
        **chosen.options,
    )
    .env_runners(num_env_runners=chosen.runners, num_envs_per_env_runner=64)
    .training(train_batch_size_per_learner=chosen.batch, minibatch_size=min(512, chosen.batch))
    .debugging(seed=chosen.seed)
)
ray.init(address=chosen.address, log_to_driver=False)
print(f"machines: {len(ray.nodes())}")
algorithm = settings.build_algo()
if chosen.restore:
    algorithm.restore_from_path(str(chosen.restore.absolute()))


def measured(name: str) -> Evaluation:
    """How it plays on deals that training does not see: it plays on from small seeds."""
    player = Player(algorithm, name=name)
    how = {"deals": chosen.deals, "seed": chosen.seed + 1_000_003}
    results = evaluate(chosen.game, player, **how, **chosen.options)
    print(f"{name}\n{results.table()}\n", flush=True)
    return results


if not sys.argv[1:]:
    untrained = measured("untrained")
try:
    for update in range(1, chosen.updates + 1):
        played = algorithm.train()["env_runners"]
        decisions, length = played["num_env_steps_sampled_lifetime"], played["episode_len_mean"]
        print(f"update {update}: {decisions:.0f} decisions, {length:.1f} in a game", flush=True)
except KeyboardInterrupt:
    print("stopped: measuring what was learned so far")

algorithm.save_to_path(str((chosen.output_dir / "checkpoint").absolute()))
for name, learned in networks(algorithm).items():  # they play wherever a player is named
    learned.save(chosen.output_dir / f"{name}.safetensors")
results = measured("trained")
algorithm.stop()
ray.shutdown()
(chosen.output_dir / "evaluation.txt").write_text(f"{results.table()}\n")
results.save_json(chosen.output_dir / "evaluation.json")

if not sys.argv[1:]:
    # Of each deal and opponent, the heuristic last, on both sides.
    before, after = (
        each.games.points()[each.games.lineups == 0].reshape(chosen.deals, -1, 2)
        for each in (untrained, results)
    )
    gain = (after - before)[:, -1].mean(axis=1)
    # No untrained network is so far ahead of another: README.md.
    assert gain.mean() - 3 * gain.std() / chosen.deals**0.5 > 0.1, "nothing was learned"
