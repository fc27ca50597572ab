"""Every interface handled alike: begin, decide, step, look at what is handed out, save, take up."""

from __future__ import annotations

import copy
import functools
import pickle
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from cyberdeck.api import pettingzoo_env
from cyberdeck.api.batch import Batch
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.api.vector_env import CyberdeckVectorEnv
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant

ROWS = 3  # games side by side, in interfaces for many
STEPS = 40  # enough to compare them
LONG = 100_000  # and to come to an end


def pick(mask: NDArray[Any], rng: np.random.Generator) -> int:
    """A random legal action; 0 where there is none."""
    legal = np.flatnonzero(mask)
    return int(rng.choice(legal)) if len(legal) else 0


class Scripted:
    """A player without memory or chance: the same observation, the same legal action."""

    def __init__(self, salt: int) -> None:
        self.salt = salt

    def __call__(self, observations: NDArray[Any], masks: NDArray[Any]) -> NDArray[np.int64]:
        """An action for each row."""
        numbers = observations.reshape(len(masks), -1).astype(np.int64)
        weights = np.arange(1, numbers.shape[1] + 1) * (2 * self.salt + 3) % 101
        legal = [np.flatnonzero(mask) for mask in masks]
        chosen = [own[at % len(own)] for own, at in zip(legal, numbers @ weights, strict=True)]
        return np.array(chosen, np.int64)


class SeatView(NamedTuple):
    """What an interface gives a seat of one game, beside the engine's own arrays."""

    space: Any
    observation: Any
    info: dict[str, Any]
    numbers: NDArray[Any]
    mask: NDArray[np.int8]


class Face:
    """A game, or many, behind one interface; *arguments* are the interface's own."""

    library = "Gymnasium"
    count = 1
    many = False  # whether it takes a decision for each of many games
    lenient = False  # whether an illegal action loses, and is no error
    make: ClassVar[Any] = CyberdeckEnv

    def __init__(self, variant: Variant, **arguments: Any) -> None:
        self.variant, self.arguments = variant, arguments
        self.env = self.make(variant, **arguments)

    def around(self, env: Any) -> Self:
        """The same for a copy of its env."""
        twin = copy.copy(self)
        twin.env = env
        return twin

    @property
    def core(self) -> GameBatch:
        """The games themselves."""
        env = getattr(self.env, "unwrapped", self.env)
        core: GameBatch = env._core if hasattr(env, "_core") else env.core
        return core

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begin; all that is handed out."""
        return self.env.reset(seed=seed, options=options)

    def step(self, choice: Any) -> Any:
        """Apply what ``choice`` has chosen; all that is handed out."""
        return self.env.step(choice)

    @property
    def over(self) -> bool:
        """True if there is nothing left to step."""
        return not self.many and bool(self.core.movers[0] == NOBODY)

    def choice(self, rng: np.random.Generator) -> Any:
        """A legal decision, as ``step`` takes it."""
        actions = [pick(mask, rng) for mask in self.core.masks]
        return np.array(actions, np.int64) if self.many else actions[0]

    def altered(self, choice: Any, action: Any) -> Any:
        """The same, but in the first game this action."""
        return [action, *choice[1:].tolist()] if self.many else action

    def wrong(self, choice: Any) -> list[Any]:
        """Wrong decisions: of another type, number or shape, or out of range."""
        never = [1.5, "0", b"0", None, -1, self.variant.action_count, 10**30, -(10**30)]
        if self.many:
            shapes = [0, None, "0", {"a": 1}, choice[1:], choice[:, None], choice.astype(float)]
            return [*shapes, choice == 0, *(self.altered(choice, action) for action in never)]
        return [*never, True, np.True_, [0], (), {}, np.array([0, 1]), np.array(0.0)]

    def play(self, seed: int, most: int = LONG) -> list[Any]:
        """Random legal decisions until the end, or so many: all that is handed out."""
        rng, handed = np.random.default_rng(seed), list[Any]()
        while len(handed) < (min(most, STEPS) if self.many else most) and not self.over:
            handed.append(self.step(self.choice(rng)))
        return handed

    def begin(self, seed: int, most: int) -> None:
        """Begin, and make so many decisions, if the game lasts for longer."""
        self.reset(seed)
        self.play(seed, most)
        if self.core.movers[0] == NOBODY:
            self.reset(seed)

    def saved(self) -> list[bytes]:
        """Each game as bytes."""
        rows = [(row,) if self.many else () for row in range(self.count)]
        return [self.env.get_state(*row) for row in rows]

    def load(self, saved: Any, row: int = 0) -> None:
        """Put a saved game in the place of one."""
        self.env.set_state(*([row] if self.many else []), saved)

    def resample(self, seat: int, seed: int | None = None) -> None:
        """Redraw the first game."""
        self.env.resample(*([0] if self.many else []), seat, seed=seed)

    def position(self) -> Any:
        """All that a caller can learn of the games as they stand."""
        return self.saved(), self.core.masks.copy(), self.core.observations.copy(), self.books()

    def books(self) -> Any:
        """The interface's own bookkeeping."""

    def twins(self) -> list[Self]:
        """Copies of every kind: the first are the env's own, the last go on from saved bytes."""
        made = [copy.deepcopy(self.env), pickle.loads(pickle.dumps(self.env))]
        made += [self.env.clone()] if hasattr(self.env, "clone") else []
        used, fresh = (self.around(self.make(self.variant, **self.arguments)) for _ in range(2))
        used.reset(1234)
        restored = [used] if self.many else [used, fresh]
        for twin in restored:
            for row, saved in enumerate(self.saved()):
                twin.load(saved, row)
        return [*map(self.around, made), *restored]

    def views(self, handed: Any) -> list[SeatView]:
        """The views in a result of ``reset`` or ``step``, one of each game."""
        core = self.core
        space = getattr(self.env, "single_observation_space", None) or self.env.observation_space
        return [
            SeatView(space, *self.part(handed, row), core.look(seat, row)[0], core.masks[row])
            for row, seat in enumerate(core.playing().tolist())
        ]

    def part(self, handed: Any, row: int) -> tuple[Any, dict[str, Any]]:
        """A row's observation and info."""
        observation, info = handed[0], handed[-1]
        if not self.many:
            return observation, info
        if isinstance(observation, dict):
            parts = {name: each[row] for name, each in observation.items()}
            return parts, self.row_of(info, row)
        return observation[row], self.row_of(info, row)

    def row_of(self, infos: Any, row: int) -> dict[str, Any]:
        """A row's info."""
        names = [name for name in infos if not name.startswith(("_", "final_"))]
        return {name: infos[name][row] for name in names}


class Gymnasium(Face):
    """One learner's game."""


class Vector(Face):
    """Many of them."""

    count, many = ROWS, True
    # From Python 3.14 on a class would else bind it, as it binds functions.
    make = staticmethod(functools.partial(CyberdeckVectorEnv, num_envs=ROWS))


class SB3(Face):
    """The same for stable-baselines3."""

    library = "stable-baselines3"
    count, many = ROWS, True

    @staticmethod
    def make(variant: Variant, **arguments: Any) -> Any:
        """Only here is the library imported."""
        from cyberdeck.sb3 import make_vec_env

        return make_vec_env(variant, ROWS, **arguments)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is not None:
            self.env.seed(seed)
        self.env.set_options(options)
        return self.env.reset(), self.env.reset_infos

    def step(self, choice: Any) -> Any:
        handed = self.env.step(choice)
        for info in handed[-1]:
            info.get("episode", {}).pop("t", None)  # the time
        return handed

    def saved(self) -> list[bytes]:
        return list(self.env.env_method("get_state"))

    def load(self, saved: Any, row: int = 0) -> None:
        self.env.env_method("set_state", saved, indices=row)

    def row_of(self, infos: Any, row: int) -> dict[str, Any]:
        info = infos[row]  # what else there is belongs to a game that has ended
        return {name: info[name] for name in ("action_mask",) if name in info}


class Rows(Face):
    """A batch: every seat of many games."""

    library = "cyberdeck.Batch"
    count, many = ROWS, True
    make = staticmethod(functools.partial(Batch, num_envs=ROWS))

    def step(self, choice: Any) -> Any:
        self.env.step(choice)
        views = ((name, each) for name, each in vars(self.env).items() if name[:6] != "final_")
        return {name: each.copy() for name, each in views if isinstance(each, np.ndarray)}


class Turns(Face):
    """PettingZoo's AEC env, bare: every seat is an agent."""

    library = "PettingZoo"
    make = staticmethod(pettingzoo_env.raw_env)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.env.reset(seed=seed, options=options)
        return self.books()

    def step(self, choice: Any) -> Any:
        self.env.step(choice)
        return self.books()

    @property
    def over(self) -> bool:
        return not self.env.agents

    def choice(self, rng: np.random.Generator) -> Any:
        return None if super().over else super().choice(rng)

    def books(self) -> Any:
        bare = self.env.unwrapped
        names = ("agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations")
        books = {name: getattr(bare, name) for name in (*names, "truncations", "infos")}
        seen = [bare.observe(agent) for agent in bare.possible_agents]
        return copy.deepcopy(books) | {"observations": seen, "state": bare.state()}

    def twins(self) -> list[Self]:
        made = super().twins()  # bytes do not say which agents know already that all is over
        return made if len(self.env.agents) == self.variant.seats else made[:3]

    def views(self, handed: Any) -> list[SeatView]:
        env, look = self.env, self.core.look
        return [
            SeatView(env.observation_space(own), env.observe(own), env.infos[own], *look(at)[:2])
            for at, own in enumerate(env.possible_agents)
            if own in env.agents
        ]


class OrderedTurns(Turns):
    """The same in PettingZoo's order enforcement; who acts illegally loses."""

    lenient = True
    make = staticmethod(pettingzoo_env.env)


class Rounds(Face):
    """PettingZoo's parallel env, of games whose seats decide at the same time."""

    library = "PettingZoo"

    @staticmethod
    def make(variant: Any, **arguments: Any) -> Any:
        """An illegal action is an error here."""
        return pettingzoo_env.parallel_env(variant, **{"illegal": "raise", **arguments})

    def choice(self, rng: np.random.Generator) -> Any:
        masks = zip(self.env.possible_agents, self.env._masks, strict=True)
        return {agent: pick(mask, rng) for agent, mask in masks}

    def altered(self, choice: Any, action: Any) -> Any:
        return {**choice, self.variant.agents[self.core.movers[0]]: action}

    def wrong(self, choice: Any) -> list[Any]:
        return [*(self.altered(choice, action) for action in super().wrong(0)), {}, {"nobody": 0}]

    def books(self) -> Any:
        return list(self.env.agents), self.env.state()

    def views(self, handed: Any) -> list[SeatView]:
        env, (observations, *_, infos) = self.env, handed
        return [
            SeatView(env.observation_space(agent), observations[agent], infos[agent], *parts)
            for agent, *parts in zip(env.possible_agents, env._seen, env._masks, strict=True)
        ]
