"""An oracle: it gets the best reward there is, 1, in each task; ``python oracle.py URL [TASKS]``.

It knows what a player cannot know: the task's seed, and so the moves of the others. It plays a game
of its own from the same seed at random, again and again, until it has won. With the same moves it
then wins on the server.
"""

import random
import sys

from cyberdeck import TextEnv, notation
from cyberdeck.text.openenv import CyberdeckAction, CyberdeckClient
from cyberdeck.text.splits import split_seed


def winning_moves(env: TextEnv, seed: int) -> list[str]:
    """Moves that win the game of this seed."""
    luck = random.Random(seed)
    while True:
        env.reset(seed)
        moves, reward, over = [], 0.0, False
        while not over:
            moves.append(luck.choice([*notation.legal(env.game).values()]))
            _, reward, terminated, truncated, _ = env.step(f'{{"move": "{moves[-1]}"}}')
            over = terminated or truncated
        if reward == 1:
            return moves


def main(url: str, tasks: int) -> float:
    """The mean reward of the first tasks of the test split."""
    env, total = TextEnv("hackthegrid"), 0.0
    with CyberdeckClient(url).sync() as client:
        for index in range(tasks):
            client.reset(split="test", index=index)
            for move in winning_moves(env, split_seed("test", index)):
                result = client.step(CyberdeckAction(move=move))
                total += result.reward
            assert result.done
    return total / tasks


if __name__ == "__main__":
    url, tasks = sys.argv[1], int((*sys.argv[2:], "20")[0])
    print(f"{main(url, tasks):.3f} in the first {tasks} tasks")
