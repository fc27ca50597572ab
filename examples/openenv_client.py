"""Play HACKtheGRID on an OpenEnv server through its client, in two sessions at once.

Needs cyberdeck with the extra openenv (docs/install.md).
"""

import asyncio
import random
import socket
import subprocess
import sys
import time
import urllib.request

from cyberdeck.text.openenv import CyberdeckAction, CyberdeckClient

TASKS = 20


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def wait_for(url: str) -> None:
    """Wait until the server answers: its first start compiles the game."""
    for _ in range(600):
        try:
            urllib.request.urlopen(f"{url}/health")
            return
        except OSError:
            time.sleep(0.2)
    raise TimeoutError(url)


async def play(url: str, seat: str) -> list[float]:
    """Play one session; returns the reward of each task."""
    luck, rewards = random.Random(0), []
    async with CyberdeckClient(url) as client:
        for index in range(TASKS):
            result = await client.reset(split="train", index=index, seat=seat, list_moves=True)
            while not result.done:
                # A model would answer result.observation.text here.
                move = luck.choice(result.observation.legal_moves)
                result = await client.step(CyberdeckAction(message=f'{{"move": "{move}"}}'))
            rewards.append(result.reward)
            if index == 0:
                print(f"{seat}: {result.observation.text}")
    return rewards


async def both(url: str) -> None:
    row, column = await asyncio.gather(play(url, "row"), play(url, "column"))
    print(f"rewards of row {row}\nrewards of column {column}")
    assert {*row, *column} <= {-1.0, 0.0, 1.0}
    assert 1.0 in row
    assert await play(url, "row") == row, "the same tasks and moves are the same games"


url = f"http://127.0.0.1:{(port := free_port())}"
server = subprocess.Popen([sys.executable, "-m", "cyberdeck.text.openenv", "--port", str(port)])
try:
    wait_for(url)
    asyncio.run(both(url))
finally:
    server.terminate()
    server.wait()
