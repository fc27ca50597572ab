"""OpenSpiel: any game as a ``pyspiel.Game``. Needs the extra ``openspiel``.

>>> from open_spiel.python.algorithms.exploitability import exploitability
>>> from open_spiel.python.policy import UniformRandomPolicy
>>> from cyberdeck.api.registration import load_file
>>> kuhn = game(load_file("examples/games/kuhn_poker.py").name)
>>> round(exploitability(kuhn, UniformRandomPolicy(kuhn)), 4)
0.4583
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote

import numpy as np
import pyspiel
from numpy.typing import NDArray

from cyberdeck import showing
from cyberdeck.engine import dice, registry
from cyberdeck.engine.chance import Chance, in_plain_python
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.contract import HISTORY, OBSERVATION, Game, Record
from cyberdeck.engine.defaults import hide_nothing
from cyberdeck.engine.fingerprint import functions_of
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED, FROM_POSITION, row_dtype
from cyberdeck.engine.recall import too_often
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import ActionError, EpisodeError, OptionError

#: What OpenSpiel calls all of them: ``cyberdeck(game=hackthegrid)``.
NAME: Final = "cyberdeck"

#: OpenSpiel asks for bounds: of the decisions and throws in a game, and of a throw's outcomes.
_LONGEST: Final = 100_000
_MOST_OUTCOMES: Final = 2**16

#: Random games that show what rewards are like, and how exactly.
_TRIED: Final = 64
_ROUNDING: Final = 1e-4

#: In the place of an action: the game is being dealt.
_DEAL: Final = -1

#: In the place of a seat.
_CHANCE: Final = int(pyspiel.PlayerId.CHANCE)
_OVER: Final = int(pyspiel.PlayerId.TERMINAL)


def game(chosen: str | Variant, *, general_sum: bool = False, **options: Any) -> CyberdeckGame:
    """A game for OpenSpiel's algorithms.

    One seat decides after the other. Where they do so in secret at the same time, they are not
    shown what the others have decided. Every throw of the dice is an explicit chance node: a
    shuffle of 16 cards is 15 of them, one with at most 1,000 outcomes is one.

    Args:
        chosen: name of the game, or a game with its options.
        general_sum: OpenSpiel gets to know what 64 random games show: whether rewards add up to the
            same in all of them, whether they come at the end alone, and whether a game brings
            more than its ``reward_bound``. A game that ends otherwise raises ``OptionError``
            then. True: it is of general sum, and its bounds are wide.
        options: the game's own options.

    >>> state = game("hackthegrid").new_initial_state()
    >>> while state.is_chance_node():  # the cards are shuffled, and who begins is drawn
    ...     state.apply_action(state.legal_actions()[0])
    >>> state.move_number(), state.action_to_string(state.legal_actions()[0])
    (16, 'go to column 0: SCRAMBLE (magenta)')
    """
    variant = registry.variant(chosen, game, **options)
    variant.refuse_disguise("games for OpenSpiel")
    if variant.regret:
        raise OptionError(
            "reward='regret' is not possible here: OpenSpiel's rewards are those of the game"
        )
    if registry.game(variant.game.name) is not variant.game.plain:
        raise OptionError(f"another game is registered as {variant.game.name!r}: register this one")
    return CyberdeckGame(variant, general_sum)


class _Rewards(NamedTuple):
    """What holds of the rewards of all games."""

    total: float | None  # of all seats, if it is always the same
    most: float  # that a seat may get, or less than its negative
    at_end: bool  # and nothing before

    def allow(self, returns: NDArray[np.float64]) -> bool:
        """Whether a game may end so."""
        adds_up = self.total is None or abs(returns.sum() - self.total) < _ROUNDING
        return bool(adds_up and np.abs(returns).max() < self.most + _ROUNDING)


def _tried(variant: Variant) -> _Rewards:
    """What random games show of their rewards."""
    core = GameBatch(variant, _TRIED, autoreset=DISABLED)
    core.reset(range(_TRIED))
    returns, at_end = np.zeros((_TRIED, variant.seats)), True
    rng = np.random.default_rng(0)
    for _ in range(_LONGEST):
        if (core.movers == NOBODY).all():
            break
        core.step((rng.random(core.masks.shape, np.float32) * core.masks).argmax(axis=1))
        returns += core.rewards
        at_end &= not core.rewards[core.movers != NOBODY].any()
    else:
        raise OptionError(f"{variant.game.title} does not end in {_LONGEST:,} random decisions")
    totals, most = returns.sum(axis=1), float(variant.game.reward_bound)
    alike = variant.seats > 1 and np.ptp(totals) < _ROUNDING
    within = np.abs(returns).max() < most + _ROUNDING
    return _Rewards(
        round(float(totals[0]), 4) if alike else None, most if within else most * _LONGEST, at_end
    )


class _Throw(Exception):
    """The dice have nothing more to show; as many outcomes as it says are possible."""


class _Dice(Chance):
    """Dice that show what is prescribed, and then raise ``_Throw``."""

    def below(self, record: Any, n: Any) -> int:
        """The next outcome of 0 to n - 1; one that is certain is not thrown."""
        if n == 1:
            return 0
        if not self.script:
            raise _Throw(int(n))
        return self.script.pop(0)

    def draw(self, record: Any) -> Any:
        """64 random bits, 16 with each throw."""
        return np.uint64(sum(self.below(record, 2**16) << at for at in (0, 16, 32, 48)))


class _Decision(NamedTuple):
    """A decision as the one who made it knows it."""

    seen: NDArray[Any]
    now: str  # the same as letters, and what was legal
    action: int

    def __str__(self) -> str:
        return f"{self.now}>{self.action}"


class _Position(NamedTuple):
    """Where a game stands. It is never changed: a state and its copies share it."""

    record: Record
    player: int  # the seat to decide, or OpenSpiel's number for chance or for the end
    mask: NDArray[np.int8]  # what the mover may do
    seen: NDArray[Any]  # and sees
    known: tuple[tuple[_Decision, ...], ...]  # what each seat saw and did whenever it decided
    returns: NDArray[np.float64]
    outcomes: int = 0  # of the throw that comes next
    action: int = _DEAL  # what the dice are thrown for
    thrown: tuple[int, ...] = ()  # for that, until now

    def __deepcopy__(self, memo: dict[int, Any]) -> _Position:
        return self

    @property
    def begun(self) -> bool:
        """Whether there is anything to be seen."""
        return self.player != _CHANCE or self.action != _DEAL


def _copied(array: NDArray[Any]) -> NDArray[Any]:
    """A copy of records: NumPy's own goes field by field, which takes ten times as long."""
    return np.frombuffer(bytearray(array.tobytes()), array.dtype)


def _recall(variant: Variant) -> Variant | None:
    """The same game with ``observation="history"``, if that is possible and shows no less."""
    if variant.game.recalls:
        return variant
    history = {**variant.options, OBSERVATION: HISTORY}
    if variant.longest is None or variant.game.plain_options(history) != variant.options:
        return None
    try:
        return Variant(variant.game, history)
    except OptionError:  # it has too many numbers
        return None


class _Rules:
    """How the positions of a game follow each other."""

    def __init__(self, variant: Variant, rewards: _Rewards) -> None:
        self.variant, self.rewards = variant, rewards
        #: The game that shows all that a seat has seen and done, if there is one.
        self.recall = _recall(variant)
        self._loops = variant.loops
        self._dice, self._alone = _Dice(), threading.Lock()
        k = variant.game.kernels
        plain = (in_plain_python(each, self._dice) for each in (k.shuffle, k.start, k.act))
        self._shuffle, self._start, self._act = plain
        self._row = np.zeros(1, row_dtype(variant.game.most_seats, len(variant.game.metrics)))
        self._row["seat_rule"] = self._row["seat"] = EVERY
        self._nobody = np.zeros(1, np.int8)
        mask = np.zeros(variant.action_count, np.int8)
        seen = np.zeros(variant.observation_size, variant.dtype)
        known, returns = ((),) * variant.seats, np.zeros(variant.seats)
        nothing = _Position(variant.blank(), _CHANCE, mask, seen, known, returns)
        self.first = self._thrown(nothing, _DEAL, ())

    def decided(self, at: _Position, action: int) -> _Position:
        """What the mover's *action* leads to."""
        seat, nobody = at.player, self._nobody
        own = (*at.known[seat], _Decision(at.seen, self.now(at), action))
        known = (*at.known[:seat], own, *at.known[seat + 1 :])
        record, row = _copied(at.record), _copied(self._row)
        mask, seen = at.mask[None].copy(), at.seen[None].copy()
        ends = np.empty((1, self.variant.seats, seen.size), seen.dtype)
        which, chosen = np.zeros(1, np.int64), np.array([action])
        self._loops.advance(which, chosen, record, row, nobody, nobody, DISABLED, mask, seen, ends)
        if record["dice"][0] != at.record["dice"][0]:  # it has thrown dice of its own
            return self._thrown(at._replace(known=known), action, ())
        reached = _Position(record, self._player(record), mask[0], seen[0], known, at.returns)
        return self._paid(reached)

    def shown(self, at: _Position, outcome: int) -> _Position:
        """What it leads to that the dice show *outcome*."""
        return self._thrown(at, at.action, (*at.thrown, outcome))

    def redrawn(self, at: _Position, seat: int, random_bits: int) -> _Position:
        """A position that *seat* cannot tell from this one; what others have seen is left out."""
        record = _copied(at.record)
        self._loops.resample(record, 0, seat, dice.seeded(random_bits))
        record["dice"] = at.record["dice"]
        known = tuple(own if each == seat else () for each, own in enumerate(at.known))
        return self._at(record, known, at.returns)

    def seen(self, at: _Position, seat: int) -> NDArray[Any]:
        """What a seat sees: nothing before the game has begun."""
        if at.player == seat or not at.begun:
            return at.seen
        variant = self.variant
        seen, mask = np.empty_like(at.seen), np.empty_like(at.mask)
        metrics = np.empty(len(variant.game.metrics), np.int32)
        self._loops.look(at.record, 0, seat, mask, seen, metrics)
        return seen

    def recalled(self, at: _Position, seat: int, recall: Variant) -> NDArray[Any]:
        """All that a seat has seen and done, as *recall* shows it: also while dice are thrown for
        what it has decided last.
        """
        vector = np.zeros(recall.observation_size, recall.dtype)
        past, size = recall.named(vector), sum(feature.size for feature in recall.present)
        for number, decision in enumerate(at.known[seat]):
            if number == recall.longest:
                raise too_often(recall.game, seat, number)
            past["past_observations"][number] = decision.seen[-size:]
            past["past_actions"][number, decision.action] = 1
        vector[-size:] = self.seen(at, seat)[-size:]
        return vector

    @staticmethod
    def now(at: _Position) -> str:
        """What the mover sees and may do."""
        return f"{at.seen.tobytes().hex()}/{np.packbits(at.mask).tobytes().hex()}"

    def _thrown(self, at: _Position, action: int, thrown: tuple[int, ...]) -> _Position:
        """What *action* leads to if the dice show *thrown*, or the next throw for it."""
        record = _copied(at.record)
        with self._alone:
            self._dice.script = list(thrown)
            try:
                if action == _DEAL:
                    self._shuffle(record)
                    self._start(record)
                else:
                    self._act(record, action)
            except _Throw as next_throw:
                outcomes: int = next_throw.args[0]
                return at._replace(player=_CHANCE, outcomes=outcomes, action=action, thrown=thrown)
        return self._paid(self._at(record, at.known, at.returns))

    def _at(
        self, record: Record, known: tuple[tuple[_Decision, ...], ...], returns: NDArray[np.float64]
    ) -> _Position:
        """The position of a record."""
        nobody, which, row = self._nobody, np.zeros(1, np.int64), _copied(self._row)
        mask = np.empty((1, self.variant.action_count), np.int8)
        seen = np.empty((1, self.variant.observation_size), self.variant.dtype)
        self._loops.begin(which, record, row, nobody, nobody, FROM_POSITION, mask, seen)
        return _Position(record, self._player(record), mask[0], seen[0], known, returns)

    @staticmethod
    def _player(record: Record) -> int:
        mover = int(record["mover"][0])
        return _OVER if mover == NOBODY else mover

    def _paid(self, at: _Position) -> _Position:
        """The position with what it has brought."""
        returns = at.returns + at.record["reward"][0, : self.variant.seats]
        if at.player == _OVER and not self.rewards.allow(returns):
            raise OptionError(
                f"this game of {self.variant.game.title} brings {returns.tolist()}, other than "
                f"{_TRIED} random games have shown: make it with general_sum=True"
            )
        return at._replace(returns=returns)


_TYPE: Final = pyspiel.GameType

#: What is the same in every game.
_OF_ALL: Final[Mapping[str, Any]] = {
    "short_name": NAME,
    "dynamics": _TYPE.Dynamics.SEQUENTIAL,
    "provides_information_state_string": True,
    "provides_observation_string": True,
    "provides_observation_tensor": True,
    "parameter_specification": {"game": "", "options": "", "general_sum": False},
    "default_loadable": False,
}


def _throws_dice(of: Game) -> bool:
    """Whether there is any chance in the rules, with whatever options."""
    drawn: Any = dice.draw
    kernels: list[Any] = [of.kernels.shuffle, of.kernels.start, of.kernels.act]
    return any(drawn.py_func in functions_of(kernel.py_func) for kernel in kernels)


@functools.cache
def _rules(of: Game, chosen: str, general_sum: bool) -> _Rules:
    variant = Variant(of, json.loads(chosen))
    rewards = _tried(variant)
    if general_sum:
        rewards = rewards._replace(total=None, most=of.reward_bound * _LONGEST)
    return _Rules(variant, rewards)


class CyberdeckGame(pyspiel.Game):  # type: ignore[misc]  # untyped base
    """A game as OpenSpiel knows it; see ``game``, which makes it."""

    def __init__(self, variant: Variant, general_sum: bool) -> None:
        chosen = json.dumps(variant.chosen)
        self.rules = _rules(variant.game, chosen, general_sum)
        self.variant = variant = self.rules.variant
        rewards = self.rules.rewards
        self._throws = _throws_dice(variant.game)
        hidden = variant.game.simultaneous or variant.game.resample is not hide_nothing
        utility = _TYPE.Utility.GENERAL_SUM
        if rewards.total is not None:
            utility = _TYPE.Utility.CONSTANT_SUM if rewards.total else _TYPE.Utility.ZERO_SUM
        chance, seen, paid = _TYPE.ChanceMode, _TYPE.Information, _TYPE.RewardModel
        kind = _TYPE(
            long_name=variant.game.title,
            chance_mode=chance.EXPLICIT_STOCHASTIC if self._throws else chance.DETERMINISTIC,
            information=seen.IMPERFECT_INFORMATION if hidden else seen.PERFECT_INFORMATION,
            utility=utility,
            reward_model=paid.TERMINAL if rewards.at_end else paid.REWARDS,
            min_num_players=variant.seats,
            max_num_players=variant.seats,
            provides_information_state_tensor=self.rules.recall is not None,
            **_OF_ALL,
        )
        about = pyspiel.GameInfo(
            num_distinct_actions=variant.action_count,
            max_chance_outcomes=_MOST_OUTCOMES if self._throws else 0,
            num_players=variant.seats,
            min_utility=-rewards.most,
            max_utility=rewards.most,
            utility_sum=rewards.total,
            max_game_length=_LONGEST,
        )
        options = quote(chosen, safe="")  # commas and brackets are OpenSpiel's
        parameters = {"game": variant.game.name, "options": options, "general_sum": general_sum}
        super().__init__(kind, about, parameters)

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded, (self.get_parameters(),)

    def new_initial_state(self) -> CyberdeckState:
        """Before the first throw of the dice, or the first decision."""
        return CyberdeckState(self)

    def max_chance_nodes_in_history(self) -> int:
        """A bound: no game is known to need as many."""
        return _LONGEST if self._throws else 0

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        """What a seat sees, or, with perfect recall, all that it has seen and done."""
        if params:
            raise OptionError(f"an observer takes no parameters: leave out {params}")
        alone = pyspiel.PrivateInfoType.SINGLE_PLAYER
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != alone:
            raise OptionError("a seat sees what is public together with what is its own alone")
        return _Observer(self.rules, kind.perfect_recall)


class CyberdeckState(pyspiel.State):  # type: ignore[misc]  # untyped base
    """A position of a game and how it came about."""

    def __init__(self, of: CyberdeckGame) -> None:
        super().__init__(of)
        self.at = of.rules.first

    @property
    def rules(self) -> _Rules:
        """How it goes on."""
        found: _Rules = self.get_game().rules
        return found

    def current_player(self) -> int:
        """The seat to decide, chance, or nobody."""
        return self.at.player

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.at.player == _OVER

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """What the dice may show next: each outcome alike."""
        return [(outcome, 1.0 / self.at.outcomes) for outcome in range(self.at.outcomes)]

    def rewards(self) -> list[float]:
        """What the last decision has brought; where all comes at the end, everything then."""
        if self.at.player == _CHANCE:
            return [0.0] * self.num_players()
        if self.rules.rewards.at_end:
            return self.returns()
        return list(self.at.record["reward"][0, : self.num_players()].tolist())

    def returns(self) -> list[float]:
        """The sum of rewards until now."""
        if self.rules.rewards.at_end and self.at.player != _OVER:
            return [0.0] * self.num_players()
        return list(self.at.returns.tolist())

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> CyberdeckState:
        """A state that *player* cannot tell from this one, as its game redraws what is hidden.

        ``history()`` stays that of this state, and the others have seen nothing until now.
        """
        if self.at.player == _CHANCE:
            raise OptionError("dice are being thrown: redraw where a seat decides")
        twin: CyberdeckState = self.clone()
        twin.at = self.rules.redrawn(self.at, player, int(sampler() * 2**53))
        return twin

    def _legal_actions(self, player: int) -> list[int]:
        return list(np.flatnonzero(self.at.mask).tolist())

    def _apply_action(self, action: int) -> None:
        at, rules = self.at, self.rules
        if at.player == _OVER:
            raise EpisodeError("the game is over: there is nothing left to decide")
        if at.player == _CHANCE:
            if not 0 <= action < at.outcomes:
                raise ActionError(f"{action} cannot be thrown: outcomes are 0 to {at.outcomes - 1}")
            self.at = rules.shown(at, action)
            return
        if not 0 <= action < len(at.mask) or not at.mask[action]:
            legal = self._legal_actions(at.player)
            listed = ", ".join(map(str, legal[:12])) + (", ..." if len(legal) > 12 else "")
            seat = rules.variant.agents[at.player]
            raise ActionError(f"action {action} is not legal for {seat}; legal are {listed}")
        self.at = rules.decided(at, action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == _CHANCE:
            return f"throw {action}"
        if not self.at.begun:  # before that an action has no meaning
            return f"action {action}"
        return showing.action_name(self.rules.variant, self.at.record, action)

    def __str__(self) -> str:
        """All of it, in words and as a number that no other position has."""
        at, lines = self.at, []
        if at.begun:
            seat = max(int(at.record["mover"][0]), 0)
            lines.append(showing.text(self.rules.variant, at.record, (seat,)))
        if at.player == _CHANCE:
            lines.append(f"a throw of {at.outcomes} outcomes comes next, after {[*at.thrown]}")
        parts = (at.record.tobytes(), at.returns.tobytes(), repr((at.action, at.thrown)).encode())
        lines.append("position " + hashlib.blake2b(b"".join(parts), digest_size=8).hexdigest())
        return "\n".join(lines)


class _Observer:
    """What a seat sees, as OpenSpiel asks for it: feature by feature, or planes as they are."""

    def __init__(self, rules: _Rules, perfect_recall: bool) -> None:
        self._rules, self._perfect_recall = rules, perfect_recall
        self.tensor: Any = None
        self.dict: dict[str, NDArray[np.float32]] = {}
        variant = rules.recall if perfect_recall else rules.variant
        if variant is None:  # as long as the game has been until now: no tensor of one size
            return
        self.tensor = np.zeros(variant.observation_size, np.float32)
        if len(variant.observation_shape) > 1:
            self.dict["observation"] = self.tensor.reshape(variant.observation_shape)
        else:
            self.dict.update(variant.named(self.tensor))

    def set_from(self, state: CyberdeckState, player: int) -> None:
        """Write what a seat sees."""
        rules, recall = self._rules, self._rules.recall
        if not self._perfect_recall:
            self.tensor[:] = rules.seen(state.at, player)
        elif recall is not None:
            self.tensor[:] = rules.recalled(state.at, player, recall)

    def string_from(self, state: CyberdeckState, player: int) -> str:
        """The same as letters: equal ones for states that the seat cannot tell apart."""
        at, name = state.at, self._rules.variant.agents[player]
        if not self._perfect_recall:
            return f"{name} {self._rules.seen(at, player).tobytes().hex()}"
        now = [self._rules.now(at)] if at.player == player else []
        return " ".join([name, *map(str, at.known[player]), *now])


def _loaded(parameters: Mapping[str, Any]) -> CyberdeckGame:
    """A game by OpenSpiel's parameters."""
    options = json.loads(unquote(parameters["options"]) or "{}")
    return game(parameters["game"], general_sum=parameters["general_sum"], **options)


#: By its name OpenSpiel loads them all. What differs from game to game stands in each game's own.
_ANY: Final = _TYPE(
    long_name="A game of cyberdeck",
    chance_mode=_TYPE.ChanceMode.EXPLICIT_STOCHASTIC,
    information=_TYPE.Information.IMPERFECT_INFORMATION,
    utility=_TYPE.Utility.GENERAL_SUM,
    reward_model=_TYPE.RewardModel.REWARDS,
    min_num_players=1,
    max_num_players=127,
    provides_information_state_tensor=False,
    **_OF_ALL,
)
pyspiel.register_game(_ANY, _loaded)
# OpenSpiel's registry outlives the interpreter: a function that it freed then would be a crash.
atexit.register(pyspiel.register_game, _ANY, object)
