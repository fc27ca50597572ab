"""The page on libraries without a door: its blocks play in what stands in for each library.

With the libraries themselves they were run once, as the page says. Here only a change of ours would
be seen, not one of theirs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from cyberdeck import TextEnv, TextGame
from tests.test_docs import blocks
from tests.text.playing import legal, move

PAGE = Path(__file__).parents[2] / "docs" / "use" / "text_others.md"


def run(monkeypatch: pytest.MonkeyPatch, modules: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The names of the block that imports the first of these modules, once it has been run."""
    for name, contents in modules.items():
        module = ModuleType(name)
        vars(module).update(contents)
        monkeypatch.setitem(sys.modules, name, module)
    first = next(iter(modules))
    begins = (f"import {first}\n", f"from {first} import")
    (block,) = (each for each in blocks(PAGE) if each.text.startswith(begins))
    names: dict[str, Any] = {"__name__": "__example__"}
    exec(compile("\n" * (block.line - 1) + block.text, str(PAGE), "exec"), names)
    return names


def registry() -> dict[str, Any]:
    """A module that makes what has been registered, as Gymnasium does."""
    found: dict[str, Any] = {}

    def register(name: str, entry_point: Any, **settings: Any) -> None:
        found[name] = lambda **more: entry_point(**settings, **more)

    def make_vec(names: list[str], seed: int) -> list[Any]:
        return [found[name](seed=seed + at) for at, name in enumerate(names)]

    return {
        "register": register,
        "make": lambda name, **more: found[name](**more),
        "make_vec": make_vec,
    }


def test_skyrl_gym(monkeypatch: pytest.MonkeyPatch) -> None:
    class BaseTextEnv:
        def __init__(self) -> None:
            self.turns = 0

    base = {"BaseTextEnv": BaseTextEnv, "BaseTextEnvStepOutput": dict}
    modules = {"skyrl_gym": registry(), "skyrl_gym.envs": {}}
    env = run(monkeypatch, {**modules, "skyrl_gym.envs.base_text_env": base})["env"]
    twin = TextEnv("hackthegrid", opponent="heuristic", brief=True)
    told = env.init([])[0][-1]["content"]
    assert told == twin.reset(7)[0]
    said, done, total = "I pass.", False, 0.0
    while not done:
        out = env.step(said)
        text, reward, done, *_ = twin.step(said)
        assert (out["reward"], out["done"]) == (reward, done)
        assert [each["content"] for each in out["observations"]] == ([] if done else [text])
        said, total = "" if done else move(legal(twin.game, twin.own[0])[0]), total + reward
    assert env.get_metrics() == {"turns": env.turns, "wrong_answers": 1, "return": total}


def test_gem(monkeypatch: pytest.MonkeyPatch) -> None:
    names = run(monkeypatch, {"gem": {**registry(), "Env": object}})
    twin = TextEnv("hackthegrid", opponent="heuristic", seat="row")
    assert names["env"].reset(seed=3) == twin.reset(3)
    first = move(legal(twin.game, twin.own[0])[0])
    assert names["env"].step(first) == twin.step(first)
    twin = TextEnv("hackthegrid", opponent="heuristic")
    assert [env.reset() for env in names["envs"]] == [twin.reset(seed) for seed in range(100, 108)]


class Kaggle:
    """An environment whose agents' model says what *answers* makes of a prompt; None: it fails."""

    def __init__(self, answers: Any) -> None:
        self.answers = answers

    def make(self, parts: dict[str, Any], configuration: dict[str, Any]) -> Kaggle:
        self.configuration = SimpleNamespace(**{"game": "hackthegrid", **configuration})
        self.interpreter, self.done = parts["interpreter"], True
        self.states = [
            SimpleNamespace(status="ACTIVE", action=None, reward=0, observation=SimpleNamespace())
            for _ in range(*parts["specification"]["agents"])
        ]
        self.states = self.interpreter(self.states, self)
        return self

    def run(self, agents: list[Any]) -> None:
        self.done = False
        while active := [each for each in self.states if each.status == "ACTIVE"]:
            for state in active:
                state.action = agents[0](vars(state.observation))
                if state.action is None:
                    state.status = "ERROR"
            self.states = self.interpreter(self.states, self)

    def create_agent_fn(self, harness: Any, max_retries: int, **_: Any) -> Any:
        def agent(observation: dict[str, Any]) -> Any:
            moves, before = harness.get_legal_moves(observation), {}
            for _ in range(max_retries):
                prompt = harness.make_prompt(observation, [], **before)
                response = self.answers(prompt, moves)
                if response is None:
                    return None
                legal = [*moves.values()]
                parsed = harness.parse_response(response, legal, observation=observation)
                if parsed.legal_action:
                    return {"submission": [*moves][legal.index(parsed.legal_action)]}
                before = {"previous_response": response, "previous_action": parsed.raw_action}
            return {"submission": -1}

        return agent


@pytest.mark.parametrize("how", ["well", "never", "not at all"])
def test_kaggle(monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    prompts: list[str] = []

    def answers(prompt: str, moves: dict[int, str]) -> str | None:
        prompts.append(prompt)
        if how == "well" and prompt.endswith("AGAIN"):
            return move([*moves][-1])
        return None if how == "not at all" else "I pass."

    kaggle = Kaggle(answers)
    harness = {
        "ParseResult": SimpleNamespace,
        "create_agent_fn": kaggle.create_agent_fn,
        "render_rethink_suffix": lambda *told: "AGAIN" if any(told[2:]) else "",
    }
    modules = {"kaggle_environments": {"make": kaggle.make}}
    game = run(monkeypatch, {**modules, "kaggle_environments.core_harness": harness})["env"].game
    rewards = [state.reward for state in kaggle.states]
    twin = TextGame("hackthegrid", retries=0)
    twin.reset(7)
    assert prompts[0] == twin.prompt(twin.deciding[0])
    if how == "not at all":
        assert game.voided
        assert rewards == [None, None]
        return
    while not twin.over:
        seat = twin.deciding[0]
        twin.answer(seat, move(legal(twin, seat)[-1]) if how == "well" else "I pass.")
    assert rewards == [*twin.returns]
    assert game.actions == twin.actions
    assert {state.status for state in kaggle.states} == {"DONE"}
