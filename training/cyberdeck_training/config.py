"""A training run's configuration: a YAML file, checked before anything starts.

What stable-baselines3 has a name for is called as it is there.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, cached_property
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn

import pydantic
import yaml
from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag
from pydantic_core import ErrorDetails, PydanticCustomError

from cyberdeck import CyberdeckError, Game, OptionError
from cyberdeck.api.registration import load_file
from cyberdeck.common import consent
from cyberdeck.common.reading import read_bytes, texts
from cyberdeck.common.text import nearest, printable, quoted
from cyberdeck.engine import registry
from cyberdeck.engine.policy import BUILT_IN, BuiltIn, Policy
from cyberdeck.engine.prior import PRIOR
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import ConsentError
from cyberdeck.players import built_in_names, find_player, player_names
from cyberdeck.players.beliefs import Filter
from cyberdeck.players.networks import MOST_WORLDS
from cyberdeck.players.search import ROOTS
from cyberdeck.transformed import values_of
from cyberdeck_training import documents, names
from cyberdeck_training.names import CURRENT, EXPLOIT, PAST, POINTS

#: What keys were called before.
RENAMED: Final = {
    "decisions": "total_timesteps",
    "heed": "prior_weight",
    "hidden": "net_arch",
    "activation": "activation_fn",
    "games_at_once": "n_envs",
    "rollout": "n_steps",
    "epochs": "n_epochs",
    "clip": "clip_range",
    "discount": "gamma",
    "entropy": "ent_coef",
    "value_weight": "vf_coef",
    "imitation": "dagger, its player expert, and its decisions timesteps",
}

#: The envs number the entries of a pool in 16 bits.
_MOST_ENTRIES: Final = 2**15 - 1

#: No error is longer: a file may be wrong in everything.
_LONGEST: Final = 4000

#: What the user can do where a configuration names what has effects.
_INSTEAD: Final = {
    "game": "name it too, by --game FILE (in Python: game=)",
    "player": "say yes in a terminal, or name it too, as in opponents={...} on the command line",
}

#: Where the configurations are that a game's name stands for: of the wheel, or of the checkout.
_FOLDERS: Final = (Path(__file__).parent / "configs", Path(__file__).parents[2] / "configs")


def _one_of(known: Collection[str]) -> AfterValidator:
    def check(name: str) -> str:
        if name not in known:
            choices = ", ".join(known)
            raise ValueError(f"there is no {name!r}{nearest(name, known)}; choose {choices}")
        return name

    return AfterValidator(check)


def _game(given: str) -> Game:
    return _file(given) if given.endswith(".py") else registry.game(given)


@cache
def _file(path: str) -> Game:
    return load_file(path)  # once: it is compiled anew each time


def _there(given: str) -> str:
    """A game that there is; its file from wherever a run goes on."""
    given = str(Path(given).resolve()) if given.endswith(".py") else given
    _game(given)
    return given


def _number(value: Any) -> Any:
    """YAML takes 3e-4 for a text, and 1e6 for no whole number."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return value
    return int(value) if isinstance(value, float) and value.is_integer() else value


_Whole = Annotated[int, BeforeValidator(_number)]
_Real = Annotated[float, BeforeValidator(_number)]
_Positive = Annotated[_Whole, Field(ge=1)]
_Share = Annotated[_Real, Field(ge=0, le=1)]
_Rate = Annotated[_Real, Field(gt=0, le=1)]
_Weight = Annotated[_Real, Field(ge=0)]
_AboveZero = Annotated[_Real, Field(gt=0)]
_Width = Annotated[_Whole, Field(ge=1, le=2**14)]
_Widths = list[_Width]


class _Group(pydantic.BaseModel):
    model_config = {"extra": "forbid", "strict": True, "frozen": True, "allow_inf_nan": False}


class PastConfig(_Group):
    """The past selves that play as ``past``."""

    every: _Positive = 20
    """Updates between two that join."""
    keep: _Positive = 8
    """How many are kept."""
    replace: Annotated[str, _one_of(names.REPLACED)] = "random"
    """Which of them makes room: the ``oldest``, a ``random`` one, or the ``easiest`` to beat."""


class DAggerConfig(_Group):
    """DAgger at first: what an expert would do where the learner gets to."""

    expert: str = "heuristic"
    """A player by name."""
    timesteps: _Positive = 1_000_000
    """For how many of the run's; PPO goes on from there."""


class ExpertIterationConfig(_Group):
    """The search that expert iteration learns from."""

    iterations: Annotated[_Whole, Field(ge=1, le=10**6)] = 32
    """Of each search."""
    root: Annotated[str, _one_of(ROOTS)] = "gumbel"
    """What chooses at its first node."""
    every: _Positive = 4
    """One decision in so many of each game is searched; all are played by the network alone."""


class BeliefsConfig(_Group):
    """What is seen of the others' views, as far as they can be believed."""

    player: Annotated[str, _one_of(BUILT_IN)] = "random"
    """How the others are taken to play."""
    limit: Annotated[_Whole, Field(ge=1, le=MOST_WORLDS)] = 50
    """How many worlds are followed."""


class EvaluationConfig(_Group):
    """How the policy is measured, while it learns and at the end."""

    every: _Positive = 500_000
    """Timesteps between two measurements."""
    deals: _Positive = 100
    """Of each measurement; each deal is played on every side against each opponent."""
    final_deals: _Positive = 1000
    """Of the last one, on other deals."""
    opponents: list[str] = ["random", "heuristic"]
    greedy: bool = True
    """Whether the policy plays the likeliest action, or draws one."""
    keep: bool = False
    """Whether the policies that were measured are kept, in ``policies``."""


class DeviceConfig(_Group):
    """Games, network and updates on one device, see ``device_ppo.py``."""

    kind: str = "cuda"
    """``cuda``, ``cuda:1``, or ``cpu``, which does the same here."""
    seconds: _AboveZero | None = None
    """Stop learning after so many seconds; by then the learning rate has reached its end."""
    graphs: bool = True
    """Whether a GPU's work is recorded as CUDA graphs."""
    compile: bool = False
    """Whether PyTorch compiles network and loss, which takes a while and needs a C compiler."""
    profile: bool = False
    """Whether to say at the end where the time has gone."""


class Residual(_Group):
    """A residual block among the shared layers: what it takes, plus what its hidden units add."""

    residual: _Width


class NetArch(_Group):
    """The hidden layers: of the policy, and of the network that values positions."""

    shared: list[
        Annotated[
            Annotated[_Width, Tag("<width>")] | Annotated[Residual, Tag("<block>")],
            Discriminator(lambda x: "<block>" if isinstance(x, dict | Residual) else "<width>"),
        ]
    ] = []
    """Those of both, before their own."""
    pi: _Widths
    vf: _Widths


#: One list stands for both networks. The tags are parts of no key: see ``_told``.
_NetArch = Annotated[
    Annotated[_Widths, Tag("<both>")] | Annotated[NetArch, Tag("<each>")],
    Discriminator(lambda given: "<each>" if isinstance(given, dict | NetArch) else "<both>"),
]


class Config(_Group):
    """One training run."""

    game: Annotated[str, AfterValidator(_there)]
    """Name of the game, see ``cyberdeck list``; or the file (*.py) of one of your own."""
    total_timesteps: Annotated[_Whole, Field(ge=1, le=10**12)]
    """How many decisions of the learner to train for; against itself those of all sides count."""
    options: dict[str, Any] = {}
    """The game's own options, see ``cyberdeck describe GAME``."""
    algorithm: Annotated[str, _one_of(names.ALGORITHMS)] = "maskable_ppo"
    opponents: dict[str, Annotated[_Whole, Field(ge=0)]] = {}
    """Who plays the other sides, and in how many games compared to each other."""
    past: PastConfig | None = None
    objective: Annotated[str, _one_of(names.OBJECTIVES)] = POINTS
    """What makes a policy the best: the most ``points`` against the opponent of the evaluation that
    it does worst against, or reward in a game that nobody wins; or, to ``exploit`` the one opponent
    that there is, the most reward."""
    dagger: DAggerConfig | None = None
    expert_iteration: ExpertIterationConfig | None = None
    replay: _Positive = 8
    """How many rollouts are learned from while an expert labels them, the latest ones."""
    seed: Annotated[_Whole, Field(ge=0, lt=2**30)] = 1
    threads: Annotated[_Whole, Field(ge=1, le=1024)] = 2
    """Of PyTorch, and of the search that is learned from."""
    precision: Annotated[str, _one_of(names.PRECISIONS)] = "float32"
    """Of PyTorch's matrix products; bfloat16 is faster on processors that have it."""
    history: Annotated[_Whole, Field(ge=1, le=100)] = 1
    """How many of its last observations the policy sees, the present one included."""
    beliefs: BeliefsConfig | None = None
    """The policy sees after its own observation what it may believe that the others see, such as
    ``{player: random, limit: 50}``. Following that takes much longer than playing."""
    encoding: Annotated[str, _one_of(names.ENCODINGS)] = "scaled"
    """What the network gets of an observation."""
    prior_weight: Annotated[_Real, Field(gt=0, le=10)] | None = None
    """What each step of the observation's prior adds to an action at first; learned on. Without,
    the prior is seen by the network as all else is."""
    net_arch: _NetArch = [256, 128]
    """Widths of the hidden layers: of both networks, or ``{pi: [...], vf: [...]}``; behind those
    that both share with ``{shared: [...], pi: [...], vf: [...]}``."""
    activation_fn: Annotated[str, _one_of(names.ACTIVATIONS)] = "tanh"
    critic: Annotated[str, _one_of(names.CRITICS)] = names.OWN
    """What values positions while it learns sees as much as the policy (``own``), or what all seats
    see (``full``); or it sees that and values each action (``action_values``)."""
    n_envs: Annotated[_Whole, Field(ge=1, le=2**20)] = 256
    """Games side by side."""
    n_steps: Annotated[_Whole, Field(ge=1, le=2**16)] = 64
    """Decisions in each game between two updates."""
    batch_size: Annotated[_Whole, Field(ge=2, le=2**24)] = 2048
    n_epochs: Annotated[_Whole, Field(ge=1, le=1000)] = 4
    """Passes over the decisions of a rollout."""
    learning_rate: _Rate = 1e-3
    final_learning_rate: _Share | None = None
    """Where the learning rate goes in a straight line; it stays where it is without."""
    clip_range: _Rate = 0.2
    """How far an update may change a decision's probability."""
    clip_range_vf: _AboveZero | None = None
    """How far an update may change a value; as far as it likes without."""
    gamma: _Share = 1.0
    gae_lambda: _Share = 0.95
    ent_coef: _Weight = 0.01
    """Weight of the bonus for staying undecided."""
    final_ent_coef: _Weight | None = None
    """Where that goes in a straight line; it stays where it is without."""
    kl_coef: _Weight | None = None
    """Of ``mmd``, 0.05 without: weight of the distance to the policy before the update."""
    vf_coef: _Weight = 0.5
    """Weight of the loss of what values positions."""
    max_grad_norm: _AboveZero = 0.5
    """Longer gradients are shortened to this."""
    checkpoint: Annotated[_Real, Field(ge=0)] = 30.0
    """Seconds between two checkpoints."""
    device: DeviceConfig | None = None
    """Where all of it is, such as ``{kind: cuda}``; without, games and network are on processors.
    Such a run takes minutes, and has no checkpoints."""
    evaluation: EvaluationConfig = EvaluationConfig()

    @cached_property
    def variant(self) -> Variant:
        return Variant(_game(self.game), self.options)

    @cached_property
    def fixed(self) -> dict[str, Policy]:
        """The opponents that stay the same, by name."""
        return {
            name: find_player(self.variant, name)
            for name, share in self.opponents.items()
            if share and name not in (CURRENT, PAST)
        }

    @cached_property
    def expert(self) -> Policy | None:
        """Who tells in DAgger. Not an opponent's memory: one of that name is another."""
        return None if self.dagger is None else find_player(self.variant, self.dagger.expert)

    @property
    def plays_itself(self) -> bool:
        """Whether there are games in which the learner plays all sides."""
        return self.opponents.get(CURRENT, 0) > 0

    @property
    def rollout(self) -> int:
        """Decisions between two updates."""
        return self.n_envs * self.n_steps

    @property
    def decisions(self) -> int:
        """How many are made: every update learns from a whole rollout, the last one too."""
        return -(-self.total_timesteps // self.rollout) * self.rollout

    @property
    def only_opponent(self) -> str | None:
        """The one player that it is trained against and measured by, if nobody else is there."""
        met = [name for name, share in self.opponents.items() if share]
        return met[0] if len(met) == 1 and met == self.evaluation.opponents else None

    @property
    def exploited(self) -> str | None:
        """The player that it is to exploit, if that is the objective."""
        return self.only_opponent if self.objective == EXPLOIT else None

    @property
    def rounding(self) -> str:
        """Why that is more than was asked for; empty if it is not."""
        if self.decisions == self.total_timesteps:
            return ""
        return (
            f"{self.total_timesteps:,} decisions were asked for; a run learns from whole rollouts "
            f"of {self.rollout:,} (n_envs x n_steps), {self.decisions:,} decisions at the end"
        )

    def text(self) -> str:
        """As YAML that ``load`` reads."""
        text: str = yaml.safe_dump(self.model_dump(mode="json"), sort_keys=False)
        return text

    @pydantic.model_validator(mode="after")
    def _fits(self) -> Config:
        """What no single value shows."""
        chosen = self._variant()
        if self.prior_weight is not None and PRIOR not in chosen.layout:
            _refuse(
                "prior_weight",
                "these games show no prior: give options.observation=prior, or leave it",
            )
        room = self.rollout
        if self.batch_size > room:
            _refuse(
                "batch_size",
                f"{self.batch_size} is more than a rollout holds: n_envs x n_steps = {room}",
            )
        if self.history > 1 and len(chosen.observation_shape) > 1:
            _refuse("history", "planes have none: leave options.observation out, or history")
        if self.history > 1 and len(chosen.sides) > len(set(chosen.sides)):
            _refuse(
                "history", "a side of several ships has none yet: the policy plays them all in turn"
            )
        if self.dagger is not None:
            if self.dagger.timesteps < room:
                _refuse("dagger.timesteps", f"must be at least those of a rollout, {room}")
            with _refused("dagger.expert"):
                expert = self.expert
            if expert is not None and expert.needs_history:
                _refuse(
                    "dagger.expert",
                    f"{self.dagger.expert} decides by the course of a game, which no expert is "
                    "told: name a player that looks at positions, or remembers numbers",
                )
        self._check_search()
        self._check_critic(chosen)
        self._check_beliefs(chosen)
        if self.kl_coef is not None and not names.ALGORITHMS[self.algorithm].mirrors:
            mirror = next(name for name, known in names.ALGORITHMS.items() if known.mirrors)
            _refuse("kl_coef", f"{self.algorithm} has none: give algorithm={mirror}, or leave it")
        self._check_opponents(chosen)
        self._check_device()
        if self.objective == EXPLOIT and self.only_opponent is None:
            _refuse(
                "objective",
                "exploit is for one player that stays the same, and nobody else in opponents and "
                "evaluation.opponents: give, for example, opponents={heuristic: 1} and "
                f"evaluation.opponents=[heuristic], or objective={POINTS}",
            )
        return self

    def _check_search(self) -> None:
        searching = [name for name, known in names.ALGORITHMS.items() if known.searches]
        if self.algorithm not in searching:
            if self.expert_iteration is not None:
                _refuse(
                    "expert_iteration",
                    f"{self.algorithm} does not search: give algorithm={searching[0]}, or leave it",
                )
            return
        if self.history > 1:
            _refuse("history", "a search does not look back: leave it out")
        if self.gamma < 1:
            _refuse("gamma", f"a search does not discount: give 1, not {self.gamma}")
        every = (self.expert_iteration or ExpertIterationConfig()).every
        if every > self.n_steps:
            _refuse(
                "expert_iteration.every",
                f"must be at most n_steps, {self.n_steps}, not {every}: in some games of a rollout "
                "nothing would be searched",
            )

    def _check_critic(self, chosen: Variant) -> None:
        if self.critic == names.OWN:
            return
        known = names.ALGORITHMS[self.algorithm]
        shared = isinstance(self.net_arch, NetArch) and self.net_arch.shared
        for wrong, why in (
            (chosen.seats == 1, f"in {self.game}, a game for one, nobody sees more"),
            (not known.masked, f"{self.algorithm} does not know what is legal"),
            (known.searches, "a search asks a critic that sees as much as its policy"),
            (self.prior_weight is not None, "a policy with prior_weight has a critic of its own"),
            (shared, "a policy and a critic that see different things share no layers"),
            (self.encoding == "standardized", "standardized knows only what a policy sees"),
            (
                self.critic == names.ACTION_VALUES and self.dagger is not None,
                "what an expert tells are values of positions, not of actions",
            ),
        ):
            if wrong:
                _refuse("critic", f"{self.critic} is not possible here: {why}")

    def _check_beliefs(self, chosen: Variant) -> None:
        if self.beliefs is None:
            return
        for wrong, why in (
            (chosen.game.open, f"nothing is hidden in {chosen.game.title}"),
            (len(chosen.observation_shape) > 1, "planes have none: leave options.observation out"),
            (self.history > 1, "a policy sees beliefs or its last observations: leave history out"),
            (self.opponents.get(PAST, 0) > 0, "past selves follow none: leave past out"),
            (self.prior_weight is not None, "beside them there is no prior_weight: leave it out"),
            (self.encoding == "standardized", "standardized knows no means: give scaled or raw"),
            (self.critic != names.OWN, f"a critic that sees all gets none: give {names.OWN}"),
            (self.device is not None, "games on a device keep no courses: leave device out"),
            (
                names.ALGORITHMS[self.algorithm].searches,
                f"a search cannot follow them: give another algorithm than {self.algorithm}",
            ),
        ):
            if wrong:
                _refuse("beliefs", f"not possible here: {why}")
        with _refused("beliefs"):
            Filter(chosen, BUILT_IN[self.beliefs.player], self.beliefs.limit)

    def _check_device(self) -> None:
        if self.device is None:
            return
        asked = [name for name, each in self.fixed.items() if not isinstance(each, BuiltIn)]
        for key, wrong, do in (
            ("algorithm", self.algorithm != "maskable_ppo", "give maskable_ppo"),
            ("critic", self.critic != names.OWN, f"give {names.OWN}"),
            ("history", self.history > 1, "leave it out"),
            ("options", self.variant.game.recalls, "show no history"),
            ("dagger", self.dagger is not None, "leave it out"),
            ("clip_range_vf", self.clip_range_vf is not None, "leave it out"),
            ("final_ent_coef", self.final_ent_coef is not None, "leave it out"),
            (
                "opponents",
                bool(asked) or self.opponents.get(PAST, 0) > 0,
                f"play against {CURRENT}, {' and '.join(built_in_names(self.variant.game))} alone",
            ),
        ):
            if wrong:
                _refuse(key, f"not possible with device={{kind: {self.device.kind}}}: {do}")

    def _variant(self) -> Variant:
        """The game with the options, or an error of the one without which it would be right."""
        try:
            self.variant.refuse_disguise("training runs")
            if self.variant.regret:
                values_of(self.variant)  # or no folder is made for a run without any
            return self.variant
        except CyberdeckError as error:
            game, wrong = _game(self.game), "options"
            for name in self.options:
                rest = {other: self.options[other] for other in self.options if other != name}
                with suppress(CyberdeckError):
                    Variant(game, rest)
                    wrong = f"options.{name}"
            _refuse(wrong, str(error))

    def _check_opponents(self, chosen: Variant) -> None:
        playing = {name: share for name, share in self.opponents.items() if share}
        if chosen.seats == 1:
            for key, given in (
                ("opponents", playing),
                ("past", self.past),
                ("evaluation.opponents", self.evaluation.opponents != EvaluationConfig().opponents),
            ):
                if given:
                    _refuse(key, f"{self.game} is a game for one; leave it out")
            return
        built_in = built_in_names(chosen.game)
        if not playing:
            _refuse(
                "opponents",
                f"{self.game} needs some: shares of {CURRENT}, {PAST} and "
                f"{', '.join(player_names(chosen))}, such as "
                f"{{{CURRENT}: 1, {PAST}: 2, {built_in[-1]}: 1}}",
            )
        with _refused("opponents", f"; or {CURRENT}, {PAST}"):
            _ = self.fixed
        if not self.evaluation.opponents:
            _refuse("evaluation.opponents", f"name at least one, such as [{', '.join(built_in)}]")
        if "opponents" not in self.evaluation.model_fields_set:  # a game may have no heuristic
            measured = self.evaluation.model_copy(update={"opponents": built_in})
            object.__setattr__(self, "evaluation", measured)
        for name in self.evaluation.opponents:
            with _refused("evaluation.opponents"):
                find_player(chosen, name)
        sides = len(set(chosen.sides))
        if self.plays_itself and self.n_steps <= sides:
            _refuse(
                "n_steps",
                f"must be more than the {sides} sides that the learner plays against itself, not "
                f"{self.n_steps}: of each game's last decisions nothing is known yet",
            )
        if self.past is not None and PAST not in playing:
            _refuse("past", "nobody plays past selves: give opponents a share of past")
        kept = (self.past or PastConfig()).keep if PAST in playing else 1
        times = kept // math.gcd(kept, playing.get(PAST, 1))
        if sum(playing.values()) * times > _MOST_ENTRIES:
            _refuse(
                "opponents",
                f"shares and past.keep have to be smaller: they need {times} times "
                f"{sum(playing.values())} places in the pool, and it has {_MOST_ENTRIES}",
            )


def _refuse(key: str, message: str) -> NoReturn:
    raise PydanticCustomError("refused", "{message}", {"key": key, "message": message})


@contextmanager
def _refused(key: str, more: str = "") -> Iterator[None]:
    """What the suite refuses is an error of that key."""
    try:
        yield
    except ConsentError:
        raise
    except CyberdeckError as error:
        _refuse(key, f"{error}{more}")


def load(name: str | Path, changes: Sequence[str] = (), game: str | None = None) -> Config:
    """The configuration that *name* stands for, or one ``OptionError`` with what is wrong in it.

    It is a file (*.yaml), a packaged one, or a game, by its name or file (*.py), that has none of
    its own. *changes* are texts ``key=value`` that take the place of its values; the key of a value
    inside another has a dot (``evaluation.deals=50``), and the value is YAML.

    The file of a game is a program, and some players open connections or write files. Those that a
    configuration names are used if you name them too, as *game* or in *changes*, if you have agreed
    before and they are the same, or if you say yes in a terminal; else that is an ``OptionError``.
    *game* takes the place of the configuration's.

    >>> load("hackthegrid", ["total_timesteps=100_000"]).gamma
    1.0
    """
    content, file, lines = _content(str(name))
    named = content.get("game")
    if game is not None:
        if not (isinstance(named, str) and named.endswith(".py")):
            raise OptionError(f"{file} is of {named!r}, which is no file: leave out {game!r}")
        content["game"] = game
    told = [str(name), game or ""]
    told += [text for change in changes for text in texts(_change(content, change))]
    told += [str(Path(each).resolve()) for each in told if each.endswith(".py")]
    wrong = [(old, f"{old} is now called {RENAMED[old]}") for old in content if old in RENAMED]
    if not wrong:
        try:
            with consent.named_by(file, _INSTEAD, told, asks=True):
                return Config.model_validate(content)
        except pydantic.ValidationError as error:
            found = error.errors()
            for each in found:
                if isinstance(refusal := each.get("ctx", {}).get("error"), ConsentError):
                    raise OptionError(printable(refusal, _LONGEST)) from None
            wrong = [_told(each) for each in found]
    raise OptionError(printable(_message(wrong, file, lines, changes), _LONGEST))


def says_again(name: str | Path, change: str) -> bool:
    """Whether the configuration *name* says what *change* does: who names a player so agrees."""
    content, *_ = _content(str(name))
    before = copy.deepcopy(content)
    _change(content, change)
    return content == before


def _content(name: str) -> tuple[dict[str, Any], str, dict[str, int]]:
    """The keys and values that *name* stands for, where they are, and the line of each key."""
    packaged = {path.stem: path for folder in _FOLDERS for path in folder.glob("*.yaml")}
    if name.endswith((".yaml", ".yml")) or (Path(name).is_file() and not name.endswith(".py")):
        path = Path(name)
    elif name in packaged:
        path = packaged[name]
    elif name.endswith(".py") or name in registry.names():
        return _without_file(name), name, {}
    else:
        known = [*packaged, *(each for each in registry.names() if each not in packaged)]
        raise OptionError(
            f"there is no configuration {name!r}{nearest(name, known)}: give a file (*.yaml), a "
            f"game's file (*.py), or one of {', '.join(sorted(known))}"
        )
    try:
        content, node = documents.load(read_bytes(path, documents.MOST).decode())
    except OSError as error:
        raise OptionError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise OptionError(f"{path} is no text in UTF-8") from None
    except yaml.YAMLError as error:
        raise OptionError(f"{path} is not YAML: {_one_line(error)}") from None
    if not isinstance(content, dict):
        raise OptionError(f"{path} must hold a mapping of keys to values, not {quoted(content)}")
    return content, str(path), dict(_lines(node))


def _one_line(error: yaml.YAMLError) -> str:
    """What PyYAML says, but for the name of the file, which it does not know."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return printable(" ".join(str(error).split()).replace('in "<unicode string>",', "at"))
    told = [error.context, error.problem]
    if mark := error.problem_mark:
        told.append(f"in line {mark.line + 1}, column {mark.column + 1}")
    return printable(" ".join(filter(None, told)))


def _lines(node: yaml.Node | None, outer: str = "") -> Iterator[tuple[str, int]]:
    """The keys of a YAML mapping, those inside others after a dot, and the line of each."""
    if isinstance(node, yaml.MappingNode) and outer.count(".") < 3:
        for key, value in node.value:
            name = f"{outer}{key.value}"
            yield name, key.start_mark.line + 1
            yield from _lines(value, f"{name}.")


def _without_file(name: str) -> dict[str, Any]:
    """What a game is trained with that has no configuration of its own: self-play."""
    content: dict[str, Any] = {"game": name, "total_timesteps": 1_000_000}
    game = _game(_there(name))
    if game.most_seats > 1:
        fixed = built_in_names(game)
        content["opponents"] = {CURRENT: 1, PAST: 2, fixed[-1]: 1}
        content["evaluation"] = {"opponents": fixed}
    return content


def _change(content: dict[str, Any], change: str) -> Any:
    """Put ``key=value`` into *content*, and return the value."""
    key, equals, text = change.partition("=")
    if not equals or not key:
        raise OptionError(f"{change!r} is not KEY=VALUE, such as total_timesteps=100000")
    try:
        value, _ = documents.load(text)
    except yaml.YAMLError:
        raise OptionError(f"{quoted(change)}: {quoted(text)} is not YAML") from None
    *outer, last = key.split(".")
    inside: Any = content
    for part in outer:
        if inside.get(part) is None:
            inside[part] = {}
        inside = inside[part]
        if not isinstance(inside, dict):
            raise OptionError(f"{change!r}: {part} is a value, it has no keys")
    inside[last] = value
    return value


def _told(error: ErrorDetails) -> tuple[str, str]:
    """What is wrong: of which key, and in words."""
    place = [part for part in error["loc"] if not str(part).startswith("<")]
    if place[-1:] == ["[key]"]:
        return str(place[0]), f"the key {quoted(error['input'])} of {place[0]} must be a text"
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    key = error.get("ctx", {}).get("key", key.removeprefix("."))
    match error["type"]:
        case "extra_forbidden":
            # By its parts: a key that nobody knows may hold any character.
            group = ".".join(takewhile(lambda part: not part.isdigit(), map(str, place[:-1])))
            known = _GROUPS[group].model_fields
            near = nearest(place[-1], known if group else [*known, *RENAMED])
            for old, new in RENAMED.items():
                near = near.replace(f" {old}?", f" {new}?")
            return key, f"unknown key {key}{near}; known are {', '.join(known)}"
        case "missing":
            return key, f"{key} is missing"
        case "refused" | "value_error":
            return key, f"{key}: {error['msg'].removeprefix('Value error, ')}"
        case kind:
            said = error["msg"].replace("Input should be", "must be")
            return key, f"{key} {_EXPECTED.get(kind, said)}, not {quoted(error['input'])}"


#: What pydantic says in Python's words.
_EXPECTED: Final = {
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "string_type": "must be a text",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be a mapping of keys to values",
    "model_type": "must be a mapping of keys to values",
}

_GROUPS: Final[dict[str, type[_Group]]] = {
    "": Config,
    "past": PastConfig,
    "dagger": DAggerConfig,
    "expert_iteration": ExpertIterationConfig,
    "beliefs": BeliefsConfig,
    "evaluation": EvaluationConfig,
    "device": DeviceConfig,
    "net_arch": NetArch,
    "net_arch.shared": Residual,
}


def _message(
    wrong: Sequence[tuple[str, str]], file: str, lines: Mapping[str, int], changes: Sequence[str]
) -> str:
    """All that is wrong in one line, after the line of the file or the argument where it stands."""

    def where(key: str) -> str:
        key = key.replace("[", ".")
        for change in reversed(changes):
            changed = change.partition("=")[0]
            if f"{key}.".startswith(f"{changed}."):
                return f"argument {change!r}"
            if changed.startswith(f"{key}."):
                return f"{file} with {change!r}"
        while key not in lines and "." in key:
            key = key.rpartition(".")[0]
        return f"{file}, line {lines[key]}" if key in lines else file

    told: dict[str, list[str]] = {}
    for key, words in wrong:
        told.setdefault(where(key), []).append(words)
    return "; ".join(f"{place}: {'; '.join(words)}" for place, words in told.items())
