"""Agents of verifiers play HACKtheGRID against themselves, and then the suite's heuristic.

Needs cyberdeck with the extra verifiers (docs/install.md).

In place of a model, a server in this script takes a random legal move. With a model of your own,
leave the server out and name yours: EvalClientConfig(base_url=...), model=...
"""

import asyncio
import json
import random
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import verifiers.v1 as vf

GAMES = 8


class Model(BaseHTTPRequestHandler):
    """Speaks OpenAI's protocol, and takes its moves from the prompt."""

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = request["messages"][-1]["content"]
        moves = prompt.split("YOUR LEGAL MOVES\n")[1].split("\n")[0].split(", ")
        move = random.Random(prompt).choice(moves)
        message = {"role": "assistant", "content": f"I take any. {json.dumps({'move': move})}"}
        answer = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": request["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        }
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        """Print nothing."""


async def play(url, **seats):
    """Play several games at once; returns for each the agents' rewards, by their names."""
    taskset = {"id": "cyberdeck-verifiers", "game": "hackthegrid", "list_moves": True}
    env = vf.load_environment(vf.resolve_env_config({"taskset": taskset, **seats}))
    client = vf.EvalClientConfig(base_url=url)
    run = vf.ModelContext(client=client, model="by-chance", sampling=vf.SamplingConfig())
    async with env.serving():
        games = (env.run_episode(task, run) for task in env.taskset.take(GAMES))
        episodes = await asyncio.gather(*games)
    assert all(episode.ok for episode in episodes), [each.last_error for each in episodes]
    for episode in episodes:
        for trace in episode.traces:
            print(f"{episode.task.data.name:>20} {trace.agent.name} {trace.reward:+.0f}", end="  ")
            print(trace.info["ending"])
    return [{trace.agent.name: trace.reward for trace in each.traces} for each in episodes]


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_address[1]}/v1"

print("Against itself: two traces of each game, and never two winners")
for rewards in asyncio.run(play(url)):
    assert rewards.keys() == {"player_0", "player_1"}
    assert sum(rewards.values()) <= 0

print("Against the heuristic: one trace, of the seat that was drawn")
against = asyncio.run(play(url, opponent="heuristic"))
assert {name for rewards in against for name in rewards} == {"player_0", "player_1"}
assert sum(sum(rewards.values()) for rewards in against) < 0, "chance is no match for it"
server.shutdown()
