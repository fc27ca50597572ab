"""Promises to single libraries: Gymnasium, PettingZoo and stable-baselines3."""

from __future__ import annotations

import itertools
from typing import Any, Final

import gymnasium as gym
import numpy as np
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from cyberdeck.api.batch import Batch
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import EpisodeError
from cyberdeck.players import built_in_names
from cyberdeck.testing import faces
from cyberdeck.testing.promises import New, asked_of, hold, quietly, refused, same


def sittings(variant: Variant) -> list[tuple[dict[str, Any], set[int]]]:
    """A learner's places, the others playing by a script; and the seats that it plays there."""
    if variant.seats == 1:
        return [({}, {0})]
    given: dict[str, Any] = {"opponent": faces.Scripted(3)}
    if not variant.teams:
        return [({"seat": seat, **given}, {seat}) for seat in range(variant.seats)]
    found: list[tuple[dict[str, Any], set[int]]] = []
    for side, name in enumerate(variant.teams):
        own = {at for at in range(variant.seats) if variant.sides[at] == side}
        found.append(({"seat": name, **given}, own))
        found.append(({"seat": min(own), "ally": faces.Scripted(5), **given}, {min(own)}))
    return found


def others(table: Batch, own: set[int], players: dict[str, Any]) -> float:
    """Let the others play at the table until it is the learner's turn; what it earns meanwhile."""
    earned, sides = 0.0, table.variant.sides
    while (mover := int(table.mover[0])) not in (NOBODY, *own):
        player = players["ally" if sides[mover] == sides[min(own)] else "opponent"]
        table.step(player(table.observation, table.mask))
        earned += float(table.reward[0, min(own)])
    return earned


@asked_of(faces.Gymnasium)
def one_seat(new: New) -> None:
    """The learner is asked for its own decisions, sees its own views, gets all that it earns."""
    variant = new().variant
    for (arguments, own), seed in itertools.product(sittings(variant), range(2)):
        face, rng = new(**arguments), np.random.default_rng(seed)
        table = Batch(variant, 1, seed=seed, autoreset="Disabled")
        first = min(own)
        observation, info = face.reset(seed)
        owed, over = others(table, own, arguments), False
        while not over:
            mover, mask = int(table.mover[0]), face.env.action_masks()
            same(face.core.states, table.states, "the game")
            same(observation, table.observation[0], "the learner's observation")
            same(info["action_mask"], table.mask[0], "its mask")
            same(mask, table.mask[0] == 1, "action_masks()")
            hold(face.env.seat == info.get("seat", 0) == mover, f"it plays seat {face.env.seat}")
            hold(info["reason"] == 0, "the game runs, and info['reason'] says that it is over")
            for player in built_in_names(variant.game):
                hold(mask[face.env.suggest(player)], f"{player} suggests an illegal action")
            action = faces.pick(mask, rng)
            observation, reward, terminated, truncated, info = face.step(action)
            table.step([action])
            owed += float(table.reward[0, first]) + others(table, own, arguments)
            hold(type(reward) is float, f"a reward is of {type(reward)}")
            hold(abs(reward - owed) < 1e-5, f"a reward is {reward}, and {owed} was earned")
            ended = [table.terminated.item(), table.truncated.item()]
            same([terminated, truncated], ended, "the end")
            owed, over = 0.0, any(ended)
        same(observation, table.look(0, first)[0], "the last observation")
        free = info["action_mask"].all() and face.env.action_masks().all()
        hold(free, "after the end a mask forbids something")
        same(info["reason"], table.reason[0], "info['reason']")


@asked_of(faces.Gymnasium)
def losses(new: New) -> None:
    """With illegal="lose" an illegal action ends the game at -1; check_env finds nothing then."""
    variant = new().variant
    for played in range(4):
        face = new(illegal="lose")
        face.reset(played)
        face.play(played, played)
        mask = face.env.action_masks()
        if face.over or mask.all():
            continue
        seen, *ended, info = face.step(int(np.flatnonzero(~mask)[0]))
        same(ended, [-1.0, True, False], "what an illegal action brings")
        why = face.env.metadata["reasons"][info["reason"]]
        hold(why == "illegal_action", f"the reason of the end is {why}")
        hold(face.env.observation_space.contains(seen), "the last observation is not in its space")
        refused(EpisodeError, face.step, 0)
    with quietly():  # it samples without masks
        made = gym.make(variant.game.gym_id, illegal="lose", **variant.chosen)
        check_env(made.unwrapped, skip_render_check=True)


@asked_of(faces.Vector)
def single_envs(new: New) -> None:
    """It gives what a SyncVectorEnv of single envs does, bit for bit, in every mode."""
    variant = new().variant
    mixed: dict[str, Any] = {"illegal": "lose", "mask": "both", "dtype": "float32"}
    if variant.seats > 1:
        mixed["opponent"] = [
            "random",
            faces.Scripted(1),
            built_in_names(variant.game)[-1],
            faces.Scripted(2),
        ]
    ways = itertools.product(AutoresetMode, ({}, mixed), (None, 7))
    for mode, arguments, limit in ways:
        chosen = {"num_envs": 5, "max_episode_steps": limit, **arguments, **variant.chosen}
        modes: dict[str, Any] = {"autoreset_mode": mode}
        name = variant.game.gym_id
        many: Any = gym.make_vec(name, **modes, **chosen)
        sync: Any = gym.make_vec(name, vectorization_mode="sync", vector_kwargs=modes, **chosen)
        for part in ("single_observation_space", "observation_space", "action_space"):
            hold(getattr(many, part) == getattr(sync, part), f"{part} is another")
        same(many.reset(seed=42), sync.reset(seed=42), "what reset() hands out")
        rng = np.random.default_rng(8)
        for step in range(faces.STEPS):
            masks = many.unwrapped.action_masks()
            hold(masks.any(axis=1).all(), "a learner is handed a mask of zeros")
            actions = np.array([faces.pick(mask, rng) for mask in masks])
            if arguments and step % 9 == 8:
                actions = rng.integers(masks.shape[1], size=5)
            seen = many.step(actions)
            same(seen, sync.step(actions.copy()), f"what step {step} hands out, mode {mode.value},")
            over = seen[2] | seen[3]
            if mode is AutoresetMode.DISABLED and over.any():
                refused(EpisodeError, many.step, actions)
                again = {"seed": [step if each else None for each in over]}
                options = [{"reset_mask": over.copy()} for _ in range(2)]
                begun = many.reset(**again, options=options[0])
                same(
                    begun, sync.reset(**again, options=options[1]), "what a partial reset hands out"
                )
                same(options[0], {"reset_mask": over}, "the caller's options")


#: What check_env says of planes, which it takes for pictures.
PICTURES: Final = (
    "It seems that your observation",
    "Treating image space",
    "The minimal resolution",
)


@asked_of(faces.SB3)
def sb3_checker(new: New) -> None:
    """check_env of stable_baselines3.common.env_checker finds nothing in the single env."""
    from stable_baselines3.common.env_checker import check_env as check

    variant = new().variant
    with quietly(*PICTURES if len(variant.observation_shape) > 1 else ()):
        check(faces.Gymnasium(variant, illegal="lose").env)


@asked_of(faces.Turns, faces.OrderedTurns)
def all_seats(new: New) -> None:
    """Agents see and get what the engine gives their seats, each reward once, and all of them."""
    face = new()
    env, variant, names = face.env, face.variant, face.env.possible_agents
    same(names, list(variant.agents), "possible_agents")
    for seed in range(4):
        table, rng = Batch(variant, 1, seed=seed, autoreset="Disabled"), np.random.default_rng(seed)
        face.reset(seed)
        owed, paid = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
        for agent in env.agent_iter():
            seen, reward, terminated, truncated, info = env.last()
            mover = int(table.mover[0])
            same(reward, owed[agent], f"the reward of {agent}")
            paid[agent] += reward
            ended = [table.terminated.item(), table.truncated.item()]
            same([terminated, truncated], ended, "the end")
            same(any(ended), mover == NOBODY, "the end")
            same(seen["action_mask"], info["action_mask"], "the mask in last()")
            same(face.core.states, table.states, "the game")
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
            action = faces.pick(table.mask[0], rng)
            env.step(action)
            table.step([action])
            same(env.rewards, dict(zip(names, table.reward[0].tolist(), strict=True)), "rewards")
            owed = {name: owed[name] + gained for name, gained in env.rewards.items()}
        total = table.final_return[0].tolist()
        hold(np.allclose(list(paid.values()), total, atol=1e-5), f"{paid} was paid out of {total}")


@asked_of(faces.OrderedTurns)
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


@asked_of(faces.Turns, faces.OrderedTurns)
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


@asked_of(faces.Rounds)
def turn_by_turn(new: New) -> None:
    """Rounds are what turns make of the same decisions; parallel_api_test finds nothing."""
    face = new()
    env, names = face.env, face.env.possible_agents
    turns = faces.Turns(face.variant).env
    for seed in range(3):
        rng = np.random.default_rng(seed)
        handed = face.reset(seed)
        turns.reset(seed=seed)
        while env.agents:
            actions, earned = face.choice(rng), dict.fromkeys(names, 0.0)
            left_out = {name: actions[name] for name in names if handed[-1][name]["deciding"]}
            for agent in names:
                free = agent in left_out or handed[0][agent]["action_mask"].all()
                hold(free, f"the mask of {agent}, who does not decide, forbids something")
            for agent in left_out:
                hold(turns.agent_selection == agent, f"{agent} decides out of turn")
                same(turns.observe(agent), handed[0][agent], f"what {agent} sees")
                turns.step(actions[agent])
                earned = {name: earned[name] + gained for name, gained in turns.rewards.items()}
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
