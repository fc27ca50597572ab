"""OpenSpiel: any game as a ``pyspiel.Game``. Needs the extra ``openspiel``.

>>> from open_spiel.python.algorithms.exploitability import exploitability
>>> from open_spiel.python.policy import UniformRandomPolicy
>>> from cyberdeck import load_file
>>> kuhn = load_game(load_file("examples/games/kuhn_poker.py").name)
>>> round(exploitability(kuhn, UniformRandomPolicy(kuhn)), 4)
0.4583
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import quote, unquote

import numpy as np
import pyspiel
from numpy.typing import NDArray

from cyberdeck import showing
from cyberdeck.api.chance_nodes import CHANCE, LONGEST, OVER, Rules, try_rewards
from cyberdeck.engine import dice, registry
from cyberdeck.engine.contract import Game
from cyberdeck.engine.defaults import hide_nothing
from cyberdeck.engine.fingerprint import functions_of
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import ActionError, EpisodeError, OptionError

#: What OpenSpiel calls all of them: ``cyberdeck(game=hackthegrid)``.
NAME: Final = "cyberdeck"

#: OpenSpiel asks for a bound of a throw's outcomes.
_MOST_OUTCOMES: Final = 2**16


def load_game(chosen: str | Variant, *, general_sum: bool = False, **options: Any) -> CyberdeckGame:
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

    >>> state = load_game("hackthegrid").new_initial_state()
    >>> while state.is_chance_node():  # the cards are shuffled, and who begins is drawn
    ...     state.apply_action(state.legal_actions()[0])
    >>> state.move_number(), state.action_to_string(state.legal_actions()[0])
    (16, 'go to column 0: SCRAMBLE (magenta)')
    """
    variant = registry.variant(chosen, load_game, **options)
    variant.refuse_disguise("games for OpenSpiel")
    if variant.regret:
        raise OptionError(
            "reward='regret' is not possible here: OpenSpiel's rewards are those of the game"
        )
    if registry.game(variant.game.name) is not variant.game.plain:
        raise OptionError(f"another game is registered as {variant.game.name!r}: register this one")
    return CyberdeckGame(variant, general_sum)


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


@functools.cache
def _rules(of: Game, chosen: str, general_sum: bool) -> Rules:
    variant = Variant(of, json.loads(chosen))
    rewards = try_rewards(variant)
    if general_sum:
        rewards = rewards._replace(total=None, most=of.reward_bound * LONGEST)
    return Rules(variant, rewards)


class CyberdeckGame(pyspiel.Game):  # type: ignore[misc]  # untyped base
    """A game as OpenSpiel knows it; see ``load_game``, which makes it."""

    def __init__(self, variant: Variant, general_sum: bool) -> None:
        chosen = json.dumps(variant.chosen)
        self.rules = _rules(variant.game, chosen, general_sum)
        self.variant = variant = self.rules.variant
        rewards = self.rules.rewards
        made: Any = variant.game.kernels
        draw: Any = dice.draw
        #: Whether there is any chance in the rules, with whatever options.
        self._throws = any(
            draw.py_func in functions_of(each.py_func)
            for each in (made.shuffle, made.start, made.act)
        )
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
            max_game_length=LONGEST,
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
        return LONGEST if self._throws else 0

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
    def rules(self) -> Rules:
        """How it goes on."""
        found: Rules = self.get_game().rules
        return found

    def current_player(self) -> int:
        """The seat to decide, chance, or nobody."""
        return self.at.player

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.at.player == OVER

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """What the dice may show next: each outcome alike."""
        return [(outcome, 1.0 / self.at.outcomes) for outcome in range(self.at.outcomes)]

    def rewards(self) -> list[float]:
        """What the last decision has brought; where all comes at the end, everything then."""
        if self.at.player == CHANCE:
            return [0.0] * self.num_players()
        if self.rules.rewards.at_end:
            return self.returns()
        return list(self.at.record["reward"][0, : self.num_players()].tolist())

    def returns(self) -> list[float]:
        """The sum of rewards until now."""
        if self.rules.rewards.at_end and self.at.player != OVER:
            return [0.0] * self.num_players()
        return list(self.at.returns.tolist())

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> CyberdeckState:
        """A state that *player* cannot tell from this one, as its game redraws what is hidden.

        ``history()`` stays that of this state, and the others have seen nothing until now.
        """
        if self.at.player == CHANCE:
            raise OptionError("dice are being thrown: redraw where a seat decides")
        twin: CyberdeckState = self.clone()
        twin.at = self.rules.redrawn(self.at, player, int(sampler() * 2**53))
        return twin

    def _legal_actions(self, player: int) -> list[int]:
        return list(np.flatnonzero(self.at.mask).tolist())

    def _apply_action(self, action: int) -> None:
        at, rules = self.at, self.rules
        if at.player == OVER:
            raise EpisodeError("the game is over: there is nothing left to decide")
        if at.player == CHANCE:
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
        if player == CHANCE:
            return f"throw {action}"
        if not self.at.begun:  # before that an action has no meaning
            return f"action {action}"
        return registry.named_action(self.rules.variant, self.at.record, action)

    def __str__(self) -> str:
        """All of it, in words and as a number that no other position has."""
        at, lines = self.at, []
        if at.begun:
            seat = max(int(at.record["mover"][0]), 0)
            lines.append(showing.scene(self.rules.variant, at.record, (seat,)).text())
        if at.player == CHANCE:
            lines.append(f"a throw of {at.outcomes} outcomes comes next, after {[*at.thrown]}")
        parts = (at.record.tobytes(), at.returns.tobytes(), repr((at.action, at.thrown)).encode())
        lines.append("position " + hashlib.blake2b(b"".join(parts), digest_size=8).hexdigest())
        return "\n".join(lines)


class _Observer:
    """What a seat sees, as OpenSpiel asks for it: feature by feature, or planes as they are."""

    def __init__(self, rules: Rules, perfect_recall: bool) -> None:
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
        """The same as a text: equal ones for states that the seat cannot tell apart."""
        at, name = state.at, self._rules.variant.agents[player]
        if not self._perfect_recall:
            return f"{name} {self._rules.seen(at, player).tobytes().hex()}"
        now = [self._rules.now(at)] if at.player == player else []
        return " ".join([name, *(each.text for each in at.known[player]), *now])


def _loaded(parameters: Mapping[str, Any]) -> CyberdeckGame:
    """A game by OpenSpiel's parameters."""
    options = json.loads(unquote(parameters["options"]) or "{}")
    return load_game(parameters["game"], general_sum=parameters["general_sum"], **options)


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
