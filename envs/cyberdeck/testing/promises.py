"""What is asked of interfaces: each clause is a function that makes one of them and tries it."""

from __future__ import annotations

import contextlib
import copy
import io
import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final

import gymnasium as gym
import numpy as np
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from cyberdeck.api.batch import Batch
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import ActionError, EpisodeError, OptionError, StateError
from cyberdeck.players import built_in_names
from cyberdeck.testing.faces import (
    LONG,
    SB3,
    STEPS,
    Face,
    Gymnasium,
    OrderedTurns,
    Rounds,
    Rows,
    Scripted,
    Turns,
    Vector,
    View,
    pick,
)

#: Makes the interface that is tested, of the game that is tested; takes the interface's arguments.
New = Callable[..., Any]
Function = Callable[[New], None]

LEARNERS: Final = (Gymnasium, Vector, SB3)
ALL_SEATS: Final = (Turns, OrderedTurns, Rounds)
EVERY: Final = (*LEARNERS, *ALL_SEATS, Rows)

#: The clauses of each interface.
CLAUSES: Final[dict[type[Face], list[Function]]] = {face: [] for face in EVERY}


def asked_of(*faces: type[Face]) -> Callable[[Function], Function]:
    """Have a function asked of these interfaces; its docstring says what must hold."""

    def note(function: Function) -> Function:
        for face in faces:
            CLAUSES[face].append(function)
        return function

    return note


def hold(holds: Any, words: str) -> None:
    """An error in these words, unless it holds."""
    if not holds:
        raise AssertionError(words)


def same(one: Any, other: Any, where: str = "what is handed out") -> None:
    """Hold two nested results to be equal bit for bit: keys, types, dtypes and values.

    >>> same({"seat": 1}, {"seat": 2}, "the info")
    Traceback (most recent call last):
    AssertionError: the info['seat'] is 1, and not 2
    """
    if type(one) is not type(other):
        raise AssertionError(f"{where} is of {type(one)}, and not of {type(other)}")
    if isinstance(one, np.ndarray):
        if one.dtype != other.dtype:  # to print a type takes longer than to compare it
            raise AssertionError(f"{where} is of {one.dtype}, and not of {other.dtype}")
        if one.shape != other.shape:
            raise AssertionError(f"{where} has {one.shape}, and not {other.shape}")
        if one.dtype == np.object_:
            same(one.tolist(), other.tolist(), where)
        elif not np.array_equal(one, other):
            place = tuple(np.argwhere(one != other)[0].tolist())
            raise AssertionError(f"{where} is {one[place]} at {place}, and not {other[place]}")
    elif isinstance(one, dict):
        if one.keys() != other.keys():
            raise AssertionError(f"{where} has {[*one]}, and not {[*other]}")
        for key in one:
            same(one[key], other[key], f"{where}[{key!r}]")
    elif isinstance(one, (list, tuple)):
        hold(len(one) == len(other), f"{where} has {len(one)} entries, and not {len(other)}")
        for at, pair in enumerate(zip(one, other, strict=True)):
            same(*pair, f"{where}[{at}]")
    elif one != other:
        raise AssertionError(f"{where} is {one!r}, and not {other!r}")


def refused(error: Any, call: Callable[..., Any], *arguments: Any, **more: Any) -> str:
    """The words of the error that a call raises."""
    try:
        call(*arguments, **more)
    except error as raised:
        hold(len(str(raised)) > 20, f"the error says too little: {raised}")
        return str(raised)
    shown = ", ".join([*(repr(each)[:40] for each in arguments), *map(str, more.items())])
    raise AssertionError(f"{call.__name__}({shown}) is accepted")


@contextlib.contextmanager
def quietly(*allowed: str) -> Iterator[None]:
    """A library's own test: what it warns of is an error, but for what begins so."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DeprecationWarning)  # it warns of itself
        for words in allowed:
            warnings.filterwarnings("ignore", words)
        yield


# --- of every interface ---------------------------------------------------------------------------


@asked_of(*EVERY)
def seeds(new: New) -> None:
    """One seed and the same decisions make the same games, in a new env and in a used one."""
    fresh, used = new(), new()
    used.reset(99)
    used.play(1)
    for seed in (5, None, 0):
        same(used.reset(seed), fresh.reset(seed), f"what reset(seed={seed}) hands out")
        same(used.play(2), fresh.play(2))
        same(used.position(), fresh.position(), "the position")
    begun = []
    for face in (new(), new(), new()):
        for _ in range(2):
            face.reset()
            begun += face.saved()
    hold(len(set(begun)) == len(begun), "without a seed one game is played twice")
    fresh.reset(7)
    used.reset(8)
    same(fresh.saved()[1:], used.saved()[:-1], "of many games, the one of the next seed")


@asked_of(*EVERY)
def copies(new: New) -> None:
    """Copies, pickles and saved bytes go on alike, at any time, and leave the original alone."""
    face = new()
    face.reset(3)
    length = len(face.play(3))
    late = length - face.variant.seats - 2
    for played in sorted({0, 1, length // 2, max(late, 0), length - 1, length}):
        face.reset(3)
        face.play(3, played)
        before = face.position()
        expected = face.around(copy.deepcopy(face.env)).play(9, STEPS)
        for twin in face.twins():
            same(twin.position(), before, "a twin's position")
            same(twin.play(9, STEPS), expected)
        same(face.position(), before, "the original's position")
        same(face.play(9, STEPS), expected)


@asked_of(*EVERY)
def refusals(new: New) -> None:
    """An action that is not legal is an ActionError that names it, and nothing is applied."""
    ways: list[dict[str, Any]] = [{}, {"illegal": "lose"}]
    for way in ways[: 1 if new().lenient else 2]:
        face = new(**way)
        face.begin(1, 2)
        choice, before = face.choice(np.random.default_rng(1)), face.position()
        for wrong in face.wrong(choice):
            words = refused(ActionError, face.step, wrong)
            hold("nothing was applied" in words, f"it must say that nothing was applied: {words}")
        mask, mover = face.core.masks[0], face.variant.agents[face.core.movers[0]]
        for action in [] if way or face.lenient else np.flatnonzero(mask == 0).tolist():
            words = refused(ActionError, face.step, face.altered(choice, action))
            legal = f"{int(np.flatnonzero(mask)[0])} ("
            for part in ("nothing was applied", f"action {action} (", mover, legal):
                hold(part in words, f"{part!r} is not in the error: {words}")
        same(face.position(), before, "the position after what was refused")
        face.step(choice)


@asked_of(*LEARNERS, *ALL_SEATS)
def order(new: New) -> None:
    """Nothing works before the first reset, nor a step after the end, until a game begins anew."""
    face, early = new(), (EpisodeError, AssertionError)
    refused(early, face.step, [0] * face.count if face.many else 0)
    refused(early, face.saved)
    for name in ("suggest", "resample", "svg", "text", "state") if not face.many else ():
        if hasattr(face.env.unwrapped, name):
            refused(early, getattr(face.env.unwrapped, name))
    face.reset(1)
    face.play(1)
    if face.many:
        return
    before = face.position()
    if face.lenient:  # PettingZoo's order enforcement says so in its log alone
        face.step(0)
    else:
        refused(EpisodeError, face.step, 0)
        refused(EpisodeError, face.env.suggest)
    same(face.position(), before, "the position after the end")
    face.reset()
    hold(face.play(2), "no game begins after the end of one")


@asked_of(*EVERY)
def starts(new: New) -> None:
    """A reset goes on from a saved position; anything else is refused and changes nothing."""
    face = new()
    own = {"seat": 0} if isinstance(face, LEARNERS) and face.variant.seats > 1 else {}
    face, *others = new(**own), new(**own), new(**own)
    face.begin(11, 3)
    saved = face.saved()[0]
    for other in others:
        other.reset(77, {"state": saved})
        for row in range(other.count):
            same(other.core.look(0, row), face.core.look(0), "what is seen of the position")
            same(other.core.masks[row], face.core.masks[0], "its mask")
        hold(len(set(other.saved())) == other.count, "games from one position have the same dice")
    same(others[0].play(5, STEPS), others[1].play(5, STEPS))
    before = face.position()
    flipped = saved[:-1] + bytes([saved[-1] ^ 1])
    for wrong in (b"", b"cyberdeck", None, "x", saved[:-1], flipped, saved + b"\0"):
        refused(StateError, face.load, wrong)
        refused(StateError, face.reset, 3, {"state": wrong})
    if not face.many:
        others[0].play(1)
        refused(StateError, face.reset, 3, {"state": others[0].saved()[0]})
    for options in ({"state": saved, "more": 1}, {"no such start": 1}):
        refused(OptionError, face.reset, 3, options)
    same(face.position(), before, "the position after what was refused")


@asked_of(Gymnasium, *ALL_SEATS, Rows)
def resampling(new: New) -> None:
    """A redrawn game looks the same to its seat, follows from the seed, and can be played on."""
    face = new()
    face.begin(3, 3)
    seats = face.variant.seats
    for seat in [face.env.seat] if isinstance(face, Gymnasium) else range(seats):
        before, courses = face.core.look(seat), set()
        for seed in (1, 2, None):
            twin, other = face.twins()[:2]
            for each in (twin, other):
                each.resample(seat, seed=seed)
            core = twin.core
            same(twin.saved(), other.saved(), "what a seed redraws")
            same(core.look(seat), before, f"what seat {seat} sees")
            view = core.look(max(int(core.movers[0]), 0))[:2]
            same((core.observations[0], core.masks[0]), view, "what the mover sees")
            hold(core.rows["dice"][0] != face.core.rows["dice"][0], "the opponents' luck is kept")
            same(twin.saved()[1:], face.saved()[1:], "the other games")
            courses.add(twin.saved()[0])
            twin.play(1, STEPS)
        hold(len(courses) == 3, "other seeds redraw the same game")
    for seat in (-1, seats, 99):
        refused(OptionError, face.resample, seat)


@asked_of(*LEARNERS, *ALL_SEATS)
def formats(new: New) -> None:
    """Observations lie in their space, masks are where they were asked for; both are copies."""
    own = new().variant.dtype.name
    for mask, dtype in itertools.product(("both", "observation", "info", None), (own, "float32")):
        face, rng = new(mask=mask, dtype=dtype), np.random.default_rng(1)
        handed, keys = face.reset(1), None
        for _ in range(LONG if mask == "both" and not face.many else STEPS):
            views, before = face.views(handed), face.position()[:3]
            for view in views:
                keys = keys or view.info.keys()
                hold(view.info.keys() == keys, f"infos have {[*view.info]}, and had {[*keys]}")
                looks_right(view, mask, dtype)
                hold(view.mask.any() or not isinstance(face, LEARNERS), "a learner may do nothing")
                for part in (view.observation, view.info):
                    for each in part.values() if isinstance(part, dict) else [part]:
                        if isinstance(each, np.ndarray):
                            each[...] = 1 - each
            same(face.position()[:3], before, "the game, after writing into what was handed out,")
            if not face.many and face.core.movers[0] == NOBODY:
                break
            handed = face.step(face.choice(rng))
    refused(OptionError, new, mask="infos")
    refused(OptionError, new, dtype="float64")


def looks_right(view: View, mask: str | None, dtype: str) -> None:
    """A view is what the engine has for its seat, in the format that was asked for."""
    seen, info = view.observation, view.info
    hold(view.space.contains(seen), "an observation is not in its space")
    inside, beside = mask in ("observation", "both"), mask in ("info", "both")
    hold(isinstance(seen, dict) == inside, f"mask={mask!r}, and the observation is {type(seen)}")
    hold(("action_mask" in info) == beside, f"mask={mask!r}, and the info has {[*info]}")
    same(seen["observation"] if inside else seen, view.numbers.astype(dtype), "the observation")
    for masked in [seen] * inside + [info] * beside:
        same(masked["action_mask"], view.mask, "the mask")
    for name, value in info.items():
        whole = isinstance(value, (int, np.integer)) or name == "action_mask"
        hold(whole, f"info[{name!r}] is of {type(value)}, and not a whole number")


@asked_of(Gymnasium, *ALL_SEATS)
def pictures(new: New) -> None:
    """Each render mode gives what its name says, and drawing does not touch the game."""
    seat = {} if isinstance(new(), Gymnasium) else {"render_seat": 0}
    for mode, kind in (("ansi", str), ("rgb_array", np.ndarray), (None, type(None))):
        face = new(render_mode=mode, **seat)
        env = face.env.unwrapped
        if mode is not None:
            refused((EpisodeError, AssertionError), face.env.render)
        face.begin(2, 4)
        before = face.position()
        if mode is None:
            refused(OptionError, env.render)
        else:
            drawn = env.render()
            hold(isinstance(drawn, kind), f"in mode {mode!r} render() gives a {type(drawn)}")
            picture = mode == "ansi" or (drawn.dtype == np.uint8 and drawn.shape[2:] == (3,))
            hold(picture, "rgb_array is not an array of uint8 with three colours")
        hold(env.svg(seat=0).endswith("</svg>") and env.text(seat=0), "svg() or text() is empty")
        same(face.position(), before, "the position after it was drawn")
        for wrong in (-1, face.variant.seats):
            refused(OptionError, env.svg, seat=wrong)
    refused(OptionError, new, render_mode="svg")


# --- of Gymnasium ---------------------------------------------------------------------------------


def sittings(variant: Variant) -> list[tuple[dict[str, Any], set[int]]]:
    """Where a learner may sit, the others playing by a script, and the seats that it plays then."""
    if variant.seats == 1:
        return [({}, {0})]
    given: dict[str, Any] = {"opponent": Scripted(3)}
    if not variant.teams:
        return [({"seat": seat, **given}, {seat}) for seat in range(variant.seats)]
    sides = enumerate(variant.teams)
    teams = [
        (name, {at for at in range(variant.seats) if variant.sides[at] == side})
        for side, name in sides
    ]
    return [
        *(({"seat": name, **given}, own) for name, own in teams),
        *(({"seat": min(own), "ally": Scripted(5), **given}, {min(own)}) for _, own in teams),
    ]


@asked_of(Gymnasium)
def one_seat(new: New) -> None:
    """The learner is asked for its own decisions, sees its own views, gets all that it earns."""
    variant = new().variant
    for (arguments, own), seed in itertools.product(sittings(variant), range(2)):
        face, rng = new(**arguments), np.random.default_rng(seed)
        table = Batch(variant, 1, seed=seed, autoreset="disabled")
        first = min(own)

        def others(table: Batch = table, own: set[int] = own, players: Any = arguments) -> float:
            """Let the others play at the table until it is the learner's turn."""
            earned = 0.0
            while (mover := int(table.mover[0])) not in (NOBODY, *own):
                ally = variant.sides[mover] == variant.sides[min(own)]
                player = players["ally" if ally else "opponent"]
                table.step(player(table.observation, table.mask))
                earned += float(table.reward[0, min(own)])
            return earned

        observation, info = face.reset(seed)
        owed, over = others(), False
        while not over:
            mover, mask = int(table.mover[0]), face.env.action_masks()
            same(face.core.states, table.core.states, "the game")
            same(observation, table.observation[0], "the learner's observation")
            same(info["action_mask"], table.mask[0], "its mask")
            same(mask, table.mask[0] == 1, "action_masks()")
            hold(face.env.seat == info.get("seat", 0) == mover, f"it plays seat {face.env.seat}")
            hold(info["reason"] == 0, "the game runs, and info['reason'] says that it is over")
            for player in built_in_names(variant.game):
                hold(mask[face.env.suggest(player)], f"{player} suggests an illegal action")
            action = pick(mask, rng)
            observation, reward, terminated, truncated, info = face.step(action)
            table.step([action])
            owed += float(table.reward[0, first]) + others()
            hold(type(reward) is float, f"a reward is of {type(reward)}")
            hold(abs(reward - owed) < 1e-5, f"a reward is {reward}, and {owed} was earned")
            same(
                [terminated, truncated],
                [table.terminated.item(), table.truncated.item()],
                "the end",
            )
            owed, over = 0.0, terminated or truncated
        same(observation, table.look(0, first)[0], "the last observation")
        free = info["action_mask"].all() and face.env.action_masks().all()
        hold(free, "after the end a mask forbids something")
        same(info["reason"], table.reason[0], "info['reason']")


@asked_of(Gymnasium)
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


@asked_of(Vector)
def single_envs(new: New) -> None:
    """It gives what a SyncVectorEnv of single envs does, bit for bit, in every mode."""
    variant = new().variant
    mixed: dict[str, Any] = {"illegal": "lose", "mask": "both", "dtype": "float32"}
    if variant.seats > 1:
        mixed["opponent"] = ["random", Scripted(1), built_in_names(variant.game)[-1], Scripted(2)]
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
        for step in range(STEPS):
            masks = many.unwrapped.action_masks()
            hold(masks.any(axis=1).all(), "a learner is handed a mask of zeros")
            actions = np.array([pick(mask, rng) for mask in masks])
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


# --- of PettingZoo --------------------------------------------------------------------------------


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


# --- of stable-baselines3 -------------------------------------------------------------------------

#: What check_env says of planes, which it takes for pictures.
PICTURES: Final = (
    "It seems that your observation",
    "Treating image space",
    "The minimal resolution",
)


@asked_of(SB3)
def sb3_checker(new: New) -> None:
    """check_env of stable_baselines3.common.env_checker finds nothing in the single env."""
    from stable_baselines3.common.env_checker import check_env as check

    variant = new().variant
    with quietly(*PICTURES if len(variant.observation_shape) > 1 else ()):
        check(Gymnasium(variant, illegal="lose").env)
