"""The page on libraries without a door: its blocks play in what stands in for each library.

With the libraries themselves they were run once, as the page says. Here only a change of ours would
be seen, not one of theirs.
"""

from __future__ import annotations

import sys
from functools import partial
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
        found[name] = partial(entry_point, **settings)

    def make(name: str, **more: Any) -> Any:
        return found[name](**more)

    def make_vec(names: list[str], seed: int) -> list[Any]:
        return [make(name, seed=seed + at) for at, name in enumerate(names)]

    return {"register": register, "make": make, "make_vec": make_vec}


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


@pytest.mark.parametrize("how", ["well", "never", "not at all"])
def test_kaggle(monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """Its own loop, of agents that answer so; where one fails it has that status."""
    core = {
        "ParseResult": SimpleNamespace,
        "create_agent_fn": lambda harness, **_: harness,
        "render_rethink_suffix": lambda *told: "AGAIN" if any(told[2:]) else "",
    }
    made = {
        "make": lambda parts, configuration: SimpleNamespace(run=list, **parts, **configuration)
    }
    modules = {"kaggle_environments": made, "kaggle_environments.core_harness": core}
    names = run(monkeypatch, modules)
    parts, harness, twin = names["env"], names["Harness"](), TextGame("hackthegrid", retries=0)
    twin.reset(7)
    configuration = SimpleNamespace(game="hackthegrid", seed=parts.seed)
    env = SimpleNamespace(configuration=configuration, done=True)
    states = [
        SimpleNamespace(status="ACTIVE", action=None, reward=0, observation=SimpleNamespace())
        for _ in range(*parts.specification["agents"])
    ]
    states = parts.interpreter(states, env)
    env.done = False
    while active := [each for each in states if each.status == "ACTIVE"]:
        (state,), (seat,) = active, twin.deciding
        seen = vars(state.observation)
        moves = harness.get_legal_moves(seen)
        action, named = [*moves.items()][-1]
        assert harness.make_prompt(seen, []) == twin.prompt(seat)
        assert harness.make_prompt(seen, [], previous_response="?") == twin.prompt(seat) + "AGAIN"
        said = move(action) if how == "well" else "I pass."
        parsed = harness.parse_response(said, [*moves.values()], observation=seen)
        assert parsed.legal_action == (named if how == "well" else None)
        twin.answer(seat, said)
        if how == "not at all":
            state.status = "ERROR"
        else:
            state.action = {"submission": action if how == "well" else -1}
        states = parts.interpreter(states, env)
    if how == "not at all":
        assert env.game.voided
        assert [state.reward for state in states] == [None, None]
    else:
        assert [state.reward for state in states] == [*twin.returns]
        assert env.game.actions == twin.actions
        assert {state.status for state in states} == {"DONE"}
