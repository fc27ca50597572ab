"""Prompts a second through each door for language agents, beside the interface they stand on.

``python benchmarks/doors.py``, in an environment that has a door's library: those that are missing
are named. One game is played again and again, HACKtheGRID against the heuristic, with answers that
were recorded before: through the door alone, and in so many games at once. Models take no time
here: verifiers asks a server in this process, which is part of the figure.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from cyberdeck import TextEnv, notation

#: The first task of verifiers has this seed.
GAME, SEAT, OPPONENT, SEED = "hackthegrid", "row", "heuristic", 0
ABOUT = {"seat": SEAT, "opponent": OPPONENT}
AT_ONCE = (1, 16)
ROUNDS, SECONDS = 5, 3.0

#: Plays for so many seconds with so many games at once: how many prompts were answered, and in how
#: many seconds, once all was up.
Door = Callable[[float, int], tuple[int, float]]


def recorded() -> list[str]:
    """The moves of the learner in the game: the first legal one each time."""
    env, moves = TextEnv(GAME, **ABOUT), []
    env.reset(SEED)
    while not env.game.over:
        moves.append(next(iter(notation.legal(env.game).values())))
        env.step(json.dumps({"move": moves[-1]}))
    return moves


MOVES = recorded()


def again(play: Callable[[], Any], seconds: float) -> tuple[int, float]:
    """Play whole games for so long."""
    prompts, start = 0, time.perf_counter()
    while (took := time.perf_counter() - start) < seconds:
        play()
        prompts += len(MOVES)
    return prompts, took


def no_door(seconds: float, at_once: int) -> tuple[int, float]:
    """TextEnv itself."""
    env = TextEnv(GAME, **ABOUT)

    def play() -> None:
        env.reset(SEED)
        for move in MOVES:
            env.step(json.dumps({"move": move}))

    return again(play, seconds)


def trl(seconds: float, at_once: int) -> tuple[int, float]:
    """The environment that TRL resets and whose tool it calls."""
    from cyberdeck.text.trl import environment_factory

    env = environment_factory(GAME, **ABOUT)()

    def play() -> None:
        env.reset(seed=SEED)
        for move in MOVES:
            env.move(move)
        env.get_reward()

    return again(play, seconds)


class _Model(BaseHTTPRequestHandler):
    """A chat model that knows the game by heart."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or each answer waits for the client's acknowledgement

    def do_POST(self) -> None:
        messages = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"]
        move = MOVES[sum(message["role"] == "assistant" for message in messages)]
        message = {"role": "assistant", "content": json.dumps({"move": move})}
        answer = {
            **{"id": "1", "object": "chat.completion", "created": 0, "model": "by heart"},
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        }
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """It says nothing."""


def verifiers(seconds: float, at_once: int) -> tuple[int, float]:
    """Episodes of verifiers, with its own agents, and a model behind HTTP."""
    import verifiers.v1 as vf

    server = ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    taskset = {"id": "cyberdeck-verifiers", "game": GAME}
    env = vf.load_environment(vf.resolve_env_config({"taskset": taskset, **ABOUT}))
    client = vf.EvalClientConfig(base_url=f"http://127.0.0.1:{server.server_port}/v1")
    run = vf.ModelContext(client=client, model="by heart", sampling=vf.SamplingConfig())
    (task,) = env.taskset.take(1)

    async def play() -> tuple[int, float]:
        async with env.serving():
            await env.run_episode(task, run)
            prompts, start = 0, time.perf_counter()

            async def on_and_on() -> None:
                nonlocal prompts
                while time.perf_counter() - start < seconds:
                    episode = await env.run_episode(task, run)
                    assert episode.ok, episode.errors
                    prompts += len(MOVES)

            await asyncio.gather(*(on_and_on() for _ in range(at_once)))
            return prompts, time.perf_counter() - start

    try:
        return asyncio.run(play())
    finally:
        server.shutdown()


def openenv(seconds: float, at_once: int) -> tuple[int, float]:
    """OpenEnv's client and its server, in one process; a WebSocket between them."""
    import uvicorn

    from cyberdeck.text.openenv import CyberdeckAction, CyberdeckClient
    from cyberdeck.text.openenv.app import make_app

    server = uvicorn.Server(uvicorn.Config(make_app(GAME, **ABOUT), port=0, log_level="error"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]

    async def play() -> tuple[int, float]:
        prompts, start = 0, time.perf_counter()

        async def on_and_on() -> None:
            nonlocal prompts
            async with CyberdeckClient(base_url=f"http://127.0.0.1:{port}") as client:
                while time.perf_counter() - start < seconds:
                    await client.reset(seed=SEED)
                    for move in MOVES:
                        result = await client.step(CyberdeckAction(move=move))
                    assert result.done
                    prompts += len(MOVES)

        await asyncio.gather(*(on_and_on() for _ in range(at_once)))
        return prompts, time.perf_counter() - start

    try:
        return asyncio.run(play())
    finally:
        server.should_exit = True


DOORS: dict[str, Door] = {
    "TextEnv, no door": no_door,
    "TRL": trl,
    "verifiers": verifiers,
    "OpenEnv": openenv,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="to see that it runs")
    rounds, seconds = (1, 0.2) if parser.parse_args().quick else (ROUNDS, SECONDS)
    print(f"Prompts per second: median of {rounds} times {seconds} s (least .. most)")
    for name, door in DOORS.items():
        for at_once in AT_ONCE[: 1 if door in (no_door, trl) else None]:
            try:
                times = [door(seconds, at_once) for _ in range(rounds)]
            except ImportError as error:
                print(f"  {name:16}  not installed: {error}")
                break
            each = [prompts / took for prompts, took in times]
            shown = f"{statistics.median(each):>7,.0f}  ({min(each):,.0f} .. {max(each):,.0f})"
            print(f"  {name:16} {at_once:>2} at once {shown}", flush=True)


if __name__ == "__main__":
    main()
