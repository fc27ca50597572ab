"""Train RLlib's PPO with masks on HACKtheGRID by self-play, and evaluate it without Ray.

With ``observation="prior"`` it also sees what the heuristic makes of each action, and learns soon.

pip install "cyberdeck[ray]", in an environment of its own: RLlib pins an old Gymnasium
"""

from cyberdeck.api.rllib import config, networks
from cyberdeck.evaluation import evaluate

algorithm = (
    config("hackthegrid", observation="prior", hidden=(64, 64))
    .env_runners(num_envs_per_env_runner=64)
    .debugging(seed=0)
    .build_algo()
)
for update in range(1, 7):
    results = algorithm.train()
    length = results["env_runners"]["episode_len_mean"]
    print(f"update {update}: {length:.1f} decisions in a game", flush=True)

learned = networks(algorithm)["shared"]  # it can also be saved, and plays wherever one is named
algorithm.stop()
results = evaluate("hackthegrid", learned, "random", deals=500, seed=1)
print(results.table())

both = results.records[-1]  # on both sides of the same deals
assert both.wins - both.losses > 3 * (both.wins + both.losses) ** 0.5, "no better than random play"
