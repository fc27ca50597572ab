"""A game in disguise is the same game: masks, rewards and ends are, through what is exchanged."""

import gymnasium
import numpy as np
import pytest

import cyberdeck
from cyberdeck import ActionError, Batch, Policy, StateError
from cyberdeck.engine.chance import Outcomes
from cyberdeck.engine.loops import DISABLED, HEURISTIC, NEXT_STEP, RANDOM, SAME_STEP
from cyberdeck.engine.record import NOBODY
from cyberdeck.enumeration.exploring import Enumeration
from cyberdeck.exact.values import find_values
from cyberdeck.players import find_player
from cyberdeck.replay import Replay
from cyberdeck.replay.review import review
from cyberdeck.testing import check
from cyberdeck.transformed import new_games
from tests.disguises import CASES, OWN, difference
from tests.engine.games import example
from tests.refusals import check_refused

DECISIONS = 5_000


@pytest.mark.parametrize(("name", "options"), CASES)
def test_it_takes_the_same_course(name, options):
    assert difference(cyberdeck.variant(name, **options), 7, DECISIONS) == ""


@pytest.mark.parametrize("name", OWN)
def test_so_do_games_in_one_file(name):
    chosen = cyberdeck.variant(example(name).name)
    assert difference(chosen, 7, 150, rows=6) == ""


@pytest.mark.parametrize(("seed", "mode"), [(1, NEXT_STEP), (2, DISABLED)])
def test_however_games_follow_each_other(seed, mode):
    """And an action that goes by a wrong number would be noticed."""
    chosen = cyberdeck.variant("hackthegrid")
    assert difference(chosen, seed, 2_000, mode) == ""
    assert difference(chosen, seed, 2_000, mode, spoiled=True) != ""


@pytest.mark.slow
def test_what_is_given_away_is_the_same():
    chosen = cyberdeck.variant("hackthegrid", reward="regret")
    assert difference(chosen, 3, 200, NEXT_STEP, rows=16) == ""


@pytest.mark.parametrize(
    ("name", "options", "ways"),
    [
        ("hackthegrid", {}, (2, 20)),
        ("hovercrafts", {"deployment": "random"}, (1, 2)),
        ("stacktrices", {}, (2, 4)),
    ],
)
def test_each_of_what_can_be_exchanged_is_so_by_itself(name, options, ways):
    """Seats and lines; also one that undoes itself, alone or beside another."""
    games = [cyberdeck.variant(name, **options, disguise=seed) for seed in range(1, 30)]
    exchanges = [game.disguise.exchange for game in games]
    seats = {tuple(each.seats) for each in exchanges}
    assert (len(seats), len({(*each.seats, *each.actions[0]) for each in exchanges})) == ways


def test_built_in_players_decide_what_is_legal():
    batch = new_games(cyberdeck.variant("stacktrices", disguise=4), 32, autoreset=SAME_STEP)
    batch.reset(range(32))
    for code in (RANDOM, HEURISTIC):
        batch.play(code, 60)
        assert batch.masks[batch.all_rows, batch.choose(code)].all()


class Lowest(Policy):
    """Takes the game's first legal action; keeps what it was shown."""

    needs_history = True

    def __init__(self):
        self.seen = []

    def decide(self, seen):
        self.seen.append(seen)
        return seen.masks.argmax(axis=1)


def test_players_are_asked_about_the_game_itself():
    """An opponent meets masks and moves by the game's own numbers; the learner does not."""
    chosen = cyberdeck.variant("hackthegrid", disguise=21)
    lowest = Lowest()
    batch = Batch(chosen, 8, seed=0, seat="random", opponent=lowest)
    rng = np.random.default_rng(0)
    for _ in range(60):
        masks = batch.mask
        batch.step((masks * (1 + rng.random(masks.shape))).argmax(axis=1))
    for seen in lowest.seen:
        assert seen.variant.disguise is None
        moves = seen.masks[:, :4].any(axis=1)  # or else it is a swap
        assert (moves == (seen.masks[:, 4:] == 0).all(axis=1)).all()
        for history in seen.history:
            assert history.log.variant.disguise is None
            assert all(action < 69 for _, action in history.moves)
            assert history.moves[:1] == [] or history.moves[0][1] < 4  # nobody begins by a swap


def test_the_best_play_is_as_good_in_disguise():
    """The solver's values are those of the image."""
    chosen = cyberdeck.variant("hackthegrid", disguise=2)
    plain, disguised = chosen.undisguised, chosen
    seats = disguised.disguise.exchange.seats
    optimal = find_player(plain, "optimal")
    solver = optimal.solver
    one, two = new_games(plain, 8), new_games(disguised, 8)
    for batch in (one, two):
        batch.reset(range(8))
    values, images = solver.values(one.states), solver.values(two.states)
    own = disguised.disguise.exchange.actions
    for row in range(8):
        mover = one.movers[row]
        assert two.movers[row] == seats[mover]
        assert (images[row][own[mover]] == values[row]).all()
    known, shown = find_values(plain).of(one.states), find_values(disguised).of(two.states)
    numbers = disguised.disguise.shown[own[one.movers]]
    assert np.array_equal(np.take_along_axis(shown, numbers, axis=1), known, equal_nan=True)


def test_the_env_is_in_disguise_as_well():
    usual = gymnasium.make("cyberdeck/HackTheGrid-v0", seat="row")
    env = gymnasium.make("cyberdeck/HackTheGrid-v0", seat="row", disguise=5)
    assert env.action_space == usual.action_space
    _, info = env.reset(seed=1)
    legal = np.flatnonzero(info["action_mask"])
    assert legal.max() > 3  # the game's own numbers are 0 to 3
    names = {env.unwrapped.action_name(action) for action in legal}
    assert len(names) == len(legal)
    assert all(name.startswith("go to row") for name in names)
    env.step(legal[0])
    saved = env.unwrapped.get_state()
    usual.reset(seed=0, options={"state": saved})  # a position of the game itself
    assert usual.unwrapped.action_name(3).startswith("go to row 3")


def test_an_illegal_action_is_told_by_the_names_of_the_disguise():
    env = gymnasium.make("cyberdeck/MatrixOverload-v0", disguise=5).unwrapped
    _, info = env.reset(seed=1)
    with pytest.raises(ActionError) as error:
        env.step(int(info["action_mask"].argmin()))
    assert not any(suit in str(error.value) for suit in ("heart", "club", "spade", "diamond"))


def played(batch, decide):
    """What is decided in its one game."""
    batch.reset([3])
    actions = []
    while batch.movers[0] != NOBODY:
        actions.append(int(decide()[0]))
        batch.step(np.array(actions[-1:]))
    return actions


def test_a_replay_keeps_its_disguise(tmp_path):
    chosen = cyberdeck.variant("stacktrices", disguise=8)
    batch = new_games(chosen, 1, autoreset=DISABLED)
    actions = played(batch, lambda: batch.choose(RANDOM))
    Replay(chosen, seed=3, actions=actions).save(tmp_path / "game.json")
    loaded = Replay.load(tmp_path / "game.json")
    assert loaded.variant.options["disguise"] == 8
    *_, last = loaded.positions()
    assert (last.record == batch.states).all()
    assert not any("white" in position.words for position in loaded.positions())


def test_what_decisions_of_a_disguised_game_gave_away_is_known():
    batch = new_games(cyberdeck.variant("hackthegrid", disguise=2), 1, autoreset=DISABLED)
    optimal = find_player(batch.variant, "optimal")
    actions = played(batch, lambda: batch.ask(optimal, batch.all_rows))
    judged = review(Replay(batch.variant, seed=3, actions=actions)).judged
    assert {(each.kind, each.lost) for each in judged} == {("exact", 0.0)}


def test_who_knows_a_game_by_its_own_numbers_alone_refuses_it():
    example("kuhn_poker")
    chosen = cyberdeck.variant("kuhn_poker", disguise=4)
    check_refused(
        ("values take no game in disguise: leave out disg", lambda: Enumeration(chosen).all(0.1)),
        ("exact values take no game in disguise", lambda: Outcomes(chosen)),
        ("checks take no game in disguise", lambda: check(chosen)),
        ("did you mean disguise", lambda: cyberdeck.variant("hackthegrid", disguse=3)),
    )


def test_a_state_with_other_options_is_told_from_a_disguised_game():
    """Also where it is compared with what a disguised game carries."""
    usual = gymnasium.make("cyberdeck/HackTheGrid-v0", observation="prior", disguise=5).unwrapped
    usual.reset(seed=0)
    saved = usual.get_state()
    seen_otherwise = gymnasium.make("cyberdeck/HackTheGrid-v0", disguise=5).unwrapped
    seen_otherwise.reset(seed=1)
    seen_otherwise.set_state(saved)
    other = gymnasium.make("cyberdeck/HackTheGrid-v0", scramble="at_end", disguise=5).unwrapped
    with pytest.raises(StateError, match="scramble='on_take', and this env has scramble='at_end'"):
        other.set_state(saved)
