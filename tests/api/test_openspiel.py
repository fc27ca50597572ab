"""OpenSpiel takes every game: the same rules, honest information, its algorithms' exact values.

These tests run where OpenSpiel is installed: ``make example-test``.
"""

from __future__ import annotations

import copy
import doctest
import importlib
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cyberdeck
from cyberdeck.api.registration import load_file
from cyberdeck.engine import dice
from cyberdeck.engine.chance import MOST_ORDERS, in_order, orders_of
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.plain import Interpreter
from cyberdeck.engine.record import NOBODY
from cyberdeck.errors import ActionError, EpisodeError, OptionError
from cyberdeck.exact import Tree, uniform
from cyberdeck.exact import exploitability as our_exploitability
from tests.api.helpers import FEW, Case, brief, label, run_page
from tests.wide import WIDE

pyspiel = pytest.importorskip("pyspiel")
api: Any = importlib.import_module("cyberdeck.openspiel")

ROOT = Path(__file__).resolve().parents[2]
GAMES = ROOT / "examples" / "games"
OWN: list[Case] = [
    *((name, {}) for name in ("kuhn_poker", "goofspiel", "tictactoe")),
    ("liars_dice", {"dice": 2, "sides": 3}),
    ("dark_hex", {"size": 2, "rules": "abrupt"}),
    ("kuhn_for_many", {"players": 3}),
    ("tandem_tictactoe", {}),
    ("twenty_forty_eight", {}),
    ("phantom_tictactoe", {}),
    (WIDE[1].name, {}),
]
LARGE: list[Case] = [brief(case) for case in FEW[1::2]]


@pytest.fixture(scope="module", autouse=True)
def _own_games(_games_are_forgotten: None, tmp_path_factory: pytest.TempPathFactory) -> None:
    cyberdeck.register(WIDE[1])
    for name, _ in OWN[:-1]:
        load_file(GAMES / f"{name}.py")
    text = (GAMES / "goofspiel.py").read_text(encoding="utf-8")
    fewer = text.replace("CARDS, NONE = 4", "CARDS, NONE = 3")
    file = tmp_path_factory.mktemp("games") / "goofspiel_of_three.py"
    file.write_text(fewer.replace('"goofspiel"', '"goofspiel_of_three"'), encoding="utf-8")
    load_file(file)


def made(case: Case) -> Any:
    name, options = case
    return api.load_game(name, **options)


class Recorded:
    """A game's own dice, and what they have shown."""

    def __init__(self) -> None:
        self.shown: list[int] = []
        self.one_by_one = Interpreter({dice.below: self.below}).copy(dice.shuffle)
        self.dice = Interpreter({dice.below: self.below, dice.shuffle: self.shuffle})

    def below(self, record: Any, n: Any) -> int:
        record.dice = np.uint64((int(record.dice) + int(dice.STEP)) % 2**64)
        outcome = int(dice.scaled(np.uint64(dice.mixed(record.dice)), np.int64(n)))
        if n > 1:
            self.shown.append(outcome)
        return outcome

    def shuffle(self, record: Any, cards: Any, start: Any, count: Any) -> None:
        """By the throws of a batch; what they come to is shown as one where few orders differ."""
        places = [(start + at) % len(cards) for at in range(count)]
        before, shown = sorted(int(cards[place]) for place in places), self.shown.copy()
        self.one_by_one(record, cards, start, count)
        if (orders := orders_of(before)) <= MOST_ORDERS:
            now = [int(cards[place]) for place in places]
            number = next(each for each in range(orders) if in_order(before, each) == now)
            self.shown = [*shown, number] if orders > 1 else shown


def throw(state: Any, outcomes: list[int]) -> None:
    for outcome in outcomes:
        assert state.is_chance_node()
        assert outcome in state.legal_actions()
        state.apply_action(outcome)
    assert not state.is_chance_node()


@pytest.mark.parametrize("case", [*LARGE, *OWN], ids=label)
def test_a_game_takes_the_course_that_it_takes_in_a_batch(case: Case) -> None:
    """With the same throws and the same actions: records, masks, views and rewards."""
    game = made(case)
    core = GameBatch(cyberdeck.variant(case[0], **case[1]), 1, autoreset=DISABLED)
    recorded = Recorded()
    kernels = core.game.kernels
    shuffle, start, act = map(recorded.dice.function, (kernels.shuffle, kernels.start, kernels.act))
    rng = np.random.default_rng(5)
    core.reset([0])
    state = game.new_initial_state()
    record = core.variant.blank()
    record["dice"] = dice.seeded(0)
    shuffle(record[0])
    start(record[0])
    throw(state, recorded.shown)
    returns = np.zeros(core.variant.seats)
    while True:
        for name in core.states.dtype.names or ():  # where the dice stand is of no use
            if name != "dice":
                assert np.array_equal(state.at.record[name], core.states[name]), name
        mover = int(core.movers[0])
        assert state.is_terminal() == (mover == NOBODY)
        for seat in range(core.variant.seats):
            seen = core.look(seat)[0]
            assert state.observation_tensor(seat) == seen.reshape(-1).tolist()
        if mover == NOBODY:
            break
        assert state.current_player() == mover
        legal = np.flatnonzero(core.masks[0])
        assert state.legal_actions() == legal.tolist()
        action = int(rng.choice(legal))
        assert state.action_to_string(action) == core.action_name(0, action)
        before, recorded.shown = core.states.copy(), []
        core.step(np.array([action]))
        if before["dice"] != core.states["dice"]:
            act(before[0], action)
        state.apply_action(action)
        throw(state, recorded.shown)
        returns += core.rewards[0]
        at_end = game.get_type().reward_model == game.get_type().RewardModel.TERMINAL
        if not at_end or state.is_terminal():
            assert state.returns() == returns.tolist()
            assert state.rewards() == (returns if at_end else core.rewards[0]).tolist()
        else:
            assert not any(state.returns() + state.rewards())


@pytest.mark.parametrize("case", [*LARGE, *OWN], ids=label)
def test_openspiels_own_checks(case: Case) -> None:
    """Legal actions, strings, tensors, returns, copies, bytes: in random games."""
    pyspiel.random_sim_test(made(case), num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (("kuhn_poker", {}), "EXPLICIT_STOCHASTIC IMPERFECT_INFORMATION ZERO_SUM TERMINAL 2 2.0"),
        (("tictactoe", {}), "DETERMINISTIC PERFECT_INFORMATION ZERO_SUM TERMINAL 2 1.0"),
        (
            ("matrix_overload", {"reward": "royals"}),
            "EXPLICIT_STOCHASTIC IMPERFECT_INFORMATION GENERAL_SUM REWARDS 1 2.0",
        ),
        # If cards remain, both lose.
        (("hackthegrid", {}), "EXPLICIT_STOCHASTIC PERFECT_INFORMATION GENERAL_SUM TERMINAL 2 1.0"),
        (
            ("kuhn_for_many", {"players": 3}),
            "EXPLICIT_STOCHASTIC IMPERFECT_INFORMATION ZERO_SUM TERMINAL 3 8.0",
        ),
    ],
    ids=str,
)
def test_what_openspiel_is_told(case: Case, said: str) -> None:
    game = made(case)
    kind = game.get_type()
    assert said.split() == [
        kind.chance_mode.name,
        kind.information.name,
        kind.utility.name,
        kind.reward_model.name,
        str(game.num_players()),
        str(game.max_utility()),
    ]
    assert game.min_utility() == -game.max_utility()
    assert game.utility_sum() == (0.0 if kind.utility == kind.Utility.ZERO_SUM else None)
    assert kind.dynamics == kind.Dynamics.SEQUENTIAL
    assert kind.min_num_players == kind.max_num_players == game.num_players()


def test_observations_have_the_shape_of_their_features() -> None:
    from open_spiel.python.observation import make_observation

    game = made(("kuhn_poker", {}))
    state = game.new_initial_state()
    observation = make_observation(game)
    observation.set_from(state, 0)
    assert not observation.tensor.any()  # nothing is dealt
    throw(state, [3])
    observation.set_from(state, 0)
    assert {name: piece.tolist() for name, piece in observation.dict.items()} == {
        "card": [0, 1, 0],
        "paid": [1, 1],
        "decisions": [0],
    }
    planes = made(("stacktrices", {"observation": "planes"}))
    assert planes.observation_tensor_shape() == list(planes.variant.observation_shape)
    assert len(planes.observation_tensor_shape()) == 3
    with pytest.raises(OptionError, match="its own alone"):
        game.make_py_observer(pyspiel.IIGObservationType(True, False, pyspiel.PrivateInfoType.NONE))


# --- information ----------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [*LARGE, *OWN], ids=label)
def test_what_a_seat_cannot_know_shows_nowhere(case: Case) -> None:
    game = made(case)
    rng = np.random.default_rng(3)
    state, redrawn = game.new_initial_state(), 0
    while not state.is_terminal():
        if not state.is_chance_node() and rng.random() < 0.6:
            for seat in range(game.num_players()):
                twin = state.resample_from_infostate(seat, rng.random)
                for shown in (
                    "information_state_string",
                    "observation_string",
                    "observation_tensor",
                    "legal_actions",
                ):
                    assert getattr(twin, shown)(seat) == getattr(state, shown)(seat)
                redrawn += twin.at.record.tobytes() != state.at.record.tobytes()
        state.apply_action(int(rng.choice(state.legal_actions())))
    hidden = game.get_type().information == game.get_type().Information.IMPERFECT_INFORMATION
    assert (redrawn > 0) == hidden


def reached(state: Any) -> Iterator[Any]:
    """What chance may make of a state, in order."""
    if not state.is_chance_node():
        yield state
        return
    for outcome, _ in state.chance_outcomes():
        yield from reached(state.child(outcome))


@pytest.mark.parametrize("name", ["kuhn_poker", "goofspiel_of_three"])
def test_seats_know_what_best_response_says_that_they_know(name: str) -> None:
    """Two places have one information state in OpenSpiel if they have one there; and uniform play
    is exploited by as much.
    """
    from open_spiel.python.algorithms.exploitability import exploitability
    from open_spiel.python.policy import UniformRandomPolicy

    game, tree = made((name, {})), Tree(cyberdeck.variant(name))
    pairs = set()

    def compare(state: Any, node: Any) -> None:
        assert state.is_terminal() == (node.mover == NOBODY)
        if state.is_terminal():
            assert state.returns() == node.returns.tolist()
            return
        pairs.add((state.information_state_string(), node.information))
        for action, outcomes in node.children.items():
            after = list(reached(state.child(action)))
            for child, (_, other) in zip(after, outcomes, strict=True):
                compare(child, other)

    roots = list(reached(game.new_initial_state()))
    for state, (_, node) in zip(roots, tree.roots, strict=True):
        compare(state, node)
    assert len({ours for ours, _ in pairs}) == len({theirs for _, theirs in pairs}) == len(pairs)
    assert len(pairs) > 10
    cached = pyspiel.convert_to_cached_tree(game)
    found = exploitability(cached, UniformRandomPolicy(cached))
    assert found == pytest.approx(our_exploitability(name, uniform), abs=1e-12)
    assert found > 0.1


# --- copies and bytes -----------------------------------------------------------------------------


def test_copies_go_their_own_ways() -> None:
    state = next(reached(made(("hackthegrid", {})).new_initial_state()))
    twins = [state.clone(), copy.deepcopy(state), pickle.loads(pickle.dumps(state))]
    before = str(state)
    for at, twin in enumerate(twins):
        assert str(twin) == before
        assert twin.history() == state.history()
        twin.apply_action(twin.legal_actions()[at])
        assert str(state) == before
    assert len({str(twin) for twin in twins}) == len(twins)
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer))"  # in another process
    told = subprocess.check_output([sys.executable, "-c", code], input=pickle.dumps(state))
    assert told.decode().strip() == before


@pytest.mark.parametrize("case", [*LARGE, *OWN[3:5]], ids=label)
def test_a_game_is_loaded_by_its_text(case: Case) -> None:
    game = made(case)
    for again in (pyspiel.load_game(str(game)), pickle.loads(pickle.dumps(game))):
        assert str(again) == str(game)
        assert again.variant.game is game.variant.game
        assert again.variant.options == game.variant.options
    named = pyspiel.load_game("cyberdeck", {"game": case[0]})
    assert named.variant.chosen == {}


# --- what is wrong --------------------------------------------------------------------------------


def test_wrong_arguments_are_told() -> None:
    kuhn = cyberdeck.variant("kuhn_poker")
    load_file(GAMES / "kuhn_poker.py")
    with pytest.raises(OptionError, match="another game is registered as 'kuhn_poker'"):
        api.load_game(kuhn)


def test_what_is_not_legal_is_refused_and_changes_nothing() -> None:
    game = made(("tictactoe", {}))
    state = game.new_initial_state()
    state.apply_action(4)
    for action in (4, -2, 9):
        with pytest.raises(ActionError, match="is not legal for o; legal are 0, 1, 2, 3, 5"):
            state.apply_action(action)
    assert state.history() == [4]
    for action in (0, 3, 1, 5):
        state.apply_action(action)
    assert state.returns() == [1.0, -1.0]
    with pytest.raises(EpisodeError, match="the game is over"):
        state.apply_action(2)
    state = made(("kuhn_poker", {})).new_initial_state()
    with pytest.raises(ActionError, match="outcomes are 0 to 5"):
        state.apply_action(6)
    with pytest.raises(OptionError, match="dice are being thrown"):
        state.resample_from_infostate(0, lambda: 0.5)


PAYER = """
import numpy as np
from cyberdeck import Feature, Field, Game, Option, dice, end, kernel

HALF = np.uint64(32)

@kernel
def start(state):
    state.number = 0
    state.bits = dice.draw(state) >> HALF

@kernel
def legal(state, mask):
    mask[:] = 1

@kernel
def act(state, action):
    state.number = state.number * 100 + action
    state.mover = 1 - state.mover
    if state.decisions == 2:
        state.reward[0], state.reward[1] = 0.75, 0.25
        if state.pays == 1:
            state.reward[1] = 1.0 if state.number == 7777 else -0.75
        end(state, 2)

@kernel
def observe(state, seat, out):
    out[0] = state.decisions

GAME = Game(
    name="payer", seats=("a", "b"), fields=[Field("number", 0, 9999), Field("bits", 0, 2**32)],
    options=[Option("pays", "constant", choices=("constant", "seldom"))],
    start=start, legal=legal, act=act, observe=observe, reasons=("done",), reward_bound=1.0,
    features=[Feature("decisions", (1,), 0, 2)], actions=[(100, "say")],
)
"""


def test_rewards_are_what_random_games_show_or_the_game_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "payer.py"
    file.write_text(PAYER, encoding="utf-8")
    name = load_file(file).name

    def ending(made: Any) -> Any:
        state = made.new_initial_state()
        throw(state, [1, 0, 2**16 - 1, 5])  # 64 random bits
        assert int(state.at.record["bits"][0]) == 5 * 2**16 + 2**16 - 1
        state.apply_action(77)
        state.apply_action(77)
        return state

    constant = api.load_game(name)
    assert constant.get_type().utility == constant.get_type().Utility.CONSTANT_SUM
    assert constant.utility_sum() == 1.0
    assert ending(constant).returns() == [0.75, 0.25]
    seldom = api.load_game(name, pays="seldom")
    assert seldom.utility_sum() == 0.0
    with pytest.raises(OptionError, match=r"brings \[0.75, 1.0\].*general_sum=True"):
        ending(seldom)
    general = api.load_game(name, pays="seldom", general_sum=True)
    assert general.get_type().utility == general.get_type().Utility.GENERAL_SUM
    assert general.utility_sum() is None
    assert ending(general).returns() == [0.75, 1.0]
    assert str(pyspiel.load_game(str(general))) == str(general) != str(seldom)


# --- docs -----------------------------------------------------------------------------------------


def test_the_doctests_and_the_page_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines of the docs, as they stand there."""
    monkeypatch.chdir(ROOT)
    failed, attempted = doctest.testmod(api)
    assert failed == 0 < attempted
    run_page(ROOT / "docs" / "use" / "openspiel.md")
