"""Clauses of PettingZoo's envs."""

from __future__ import annotations

from typing import Final

import numpy as np

from cyberdeck.api.batch import Batch
from cyberdeck.engine.record import NOBODY
from cyberdeck.testing.asserting import (
    New,
    asked_of,
    hold,
    quietly,
    refused,
    same,
)
from cyberdeck.testing.faces import (
    OrderedTurns,
    Rounds,
    Turns,
    pick,
)


@asked_of(Turns, OrderedTurns)
def all_seats(new: New) -> None:
    """Agents see and get what the engine gives their seats, each reward once, and all of them."""
    face = new()
    env, variant, names = face.env, face.variant, face.env.possible_agents
    same(names, list(variant.agents), "possible_agents")
    for seed in range(4):
        table, rng = Batch(variant, 1, seed=seed, autoreset="disabled"), np.random.default_rng(seed)
        face.reset(seed)
        owed, paid = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
        for agent in env.agent_iter():
            seen, reward, terminated, truncated, info = env.last()
            mover = int(table.mover[0])
            same(reward, owed[agent], f"the reward of {agent}")
            paid[agent] += reward
            same(
                [terminated, truncated],
                [table.terminated.item(), table.truncated.item()],
                "the end",
            )
            same((terminated or truncated), mover == NOBODY, "the end")
            same(seen["action_mask"], info["action_mask"], "the mask in last()")
            same(face.core.states, table.core.states, "the game")
            views = [table.look(0, seat) for seat in range(variant.seats)]
            for name, view in zip(names, views, strict=True):
                same(tuple(env.observe(name).values()), view, f"what {name} sees")
            hold(env.state_space.contains(env.state()), "state() is not in state_space")
            same(env.state(), np.concatenate([view[0] for view in views]), "state()")
            same(info["reason"], int(table.reason[0]), "info['reason']")
            owed[agent] = 0.0
            if mover == NOBODY:
                refused(ValueError, env.step, 0)
                hold(not seen["action_mask"].any(), "after the end a mask allows something")
                env.step(None)
                continue
            hold(agent == names[mover], f"{agent} is selected, and {names[mover]} decides")
            same(env.unwrapped.action_masks(), table.mask[0] == 1, "action_masks()")
            action = pick(table.mask[0], rng)
            env.step(action)
            table.step([action])
            same(env.rewards, dict(zip(names, table.reward[0].tolist(), strict=True)), "rewards")
            owed = {name: owed[name] + gained for name, gained in env.rewards.items()}
        total = table.final_return[0].tolist()
        hold(np.allclose(list(paid.values()), total, atol=1e-5), f"{paid} was paid out of {total}")


@asked_of(OrderedTurns)
def offences(new: New) -> None:
    """Who acts illegally loses with its side: -1 for them, 1 for all others."""
    face = new()
    env, sides = face.env, dict(zip(face.variant.agents, face.variant.sides, strict=True))
    for played in range(4):
        face.reset(played)
        face.play(played, played)
        offender, mask = env.agent_selection, env.unwrapped.action_masks()
        if face.core.movers[0] == NOBODY or mask.all():
            continue
        owed = dict(env.unwrapped._cumulative_rewards) | {offender: 0.0}
        env.step(int(np.flatnonzero(~mask)[-1]))
        lost = {name: -1.0 if sides[name] == sides[offender] else 1.0 for name in sides}
        same(env.rewards, lost, "what an illegal action brings")
        for agent in env.agent_iter():
            _, reward, *ended, info = env.last()
            same([reward, *ended], [lost[agent] + owed[agent], True, False], f"the end for {agent}")
            why = env.metadata["reasons"][info["reason"]]
            hold(why == "illegal_action", f"the reason of the end is {why}")
            env.step(None)


#: What api_test says of all whose observations are dictionaries with a mask, as PettingZoo's own
#: board games have it; of agents that bear the names of the rules instead of player_0; and of an
#: empty board.
INHERENT: Final = (
    "Observation numpy array is all zeros",
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
    "We recommend agents to be named in the format",
)


@asked_of(Turns, OrderedTurns)
def aec_tests(new: New) -> None:
    """api_test, seed_test and state_test of pettingzoo.test find nothing."""
    with quietly(*INHERENT):
        from pettingzoo.test import api_test, seed_test
        from pettingzoo.test.state_test import test_state, test_state_space

        api_test(new().env, num_cycles=100)
        seed_test(lambda: new().env, num_cycles=100)
        if new().lenient:  # it samples without masks
            test_state_space(new().env)
            test_state(new().env, 20, 1)


@asked_of(Rounds)
def turn_by_turn(new: New) -> None:
    """Rounds are what turns make of the same decisions; parallel_api_test finds nothing."""
    face = new()
    env, names = face.env, face.env.possible_agents
    turns = Turns(face.variant).env
    for seed in range(3):
        rng = np.random.default_rng(seed)
        handed = face.reset(seed)
        turns.reset(seed=seed)
        while env.agents:
            actions, earned = face.choice(rng), dict.fromkeys(names, 0.0)
            deciding = [agent for agent in names if handed[-1][agent]["deciding"]]
            for agent in names:
                free = agent in deciding or handed[0][agent]["action_mask"].all()
                hold(free, f"the mask of {agent}, who does not decide, forbids something")
            for agent in deciding:
                hold(turns.agent_selection == agent, f"{agent} decides out of turn")
                same(turns.observe(agent), handed[0][agent], f"what {agent} sees")
                turns.step(actions[agent])
                earned = {name: earned[name] + gained for name, gained in turns.rewards.items()}
            left_out = {name: actions[name] for name in deciding}
            handed = face.step(actions if seed else left_out)
            same(handed[1], earned, "rewards")
            same(handed[2:4], (turns.terminations, turns.truncations), "the end")
            same(face.core.states, turns._core.states, "the game")
            same(env.state(), turns.state(), "state()")
            for name in names:
                same(handed[0][name]["observation"], turns.observe(name)["observation"], "the view")
                same(handed[-1][name]["reason"], turns.infos[name]["reason"], "the reason")
    with quietly(*INHERENT):
        from pettingzoo.test import parallel_api_test, parallel_seed_test

        parallel_api_test(new(illegal="lose").env, 100)
        parallel_seed_test(lambda: new(illegal="lose").env)
