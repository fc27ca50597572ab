"""``observation="history"``: a seat's own past beside what it sees now, and nobody else's."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import cyberdeck
from cyberdeck import (
    Batch,
    Feature,
    Field,
    Game,
    Option,
    OptionError,
    StateError,
    Variant,
    dice,
    end,
    kernel,
)
from cyberdeck.building.ahead import build
from cyberdeck.building.description import described
from cyberdeck.engine import registry
from cyberdeck.engine.careful import Careful
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.game_loops import carefully
from cyberdeck.engine.plain import as_python
from cyberdeck.enumeration.exploring import Enumeration
from cyberdeck.errors import KernelError
from cyberdeck.evaluation import evaluate, play_games
from cyberdeck.players.search import Search
from cyberdeck.replay import Replay
from cyberdeck.showing import text_of
from cyberdeck.testing import clauses, random_play
from tests.engine.games import example
from tests.test_policies import network

#: Open, hidden, with several decisions in a row, and simultaneous.
CASES: list[tuple[str, dict[str, Any]]] = [
    ("tictactoe", {}),
    ("kuhn_poker", {}),
    ("leduc_poker", {}),
    ("liars_dice", {"dice": 2, "sides": 3}),
    ("phantom_tictactoe", {"rules": "classical"}),
    ("dark_hex", {"size": 2, "rules": "abrupt"}),
    ("goofspiel", {}),
]
HISTORY = {"observation": "history"}


SLOW = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def _examples(_games_are_forgotten: None) -> None:
    for name, _ in CASES:
        example(name)


def some(batch: Batch, luck: np.random.Generator) -> NDArray[np.int64]:
    """Legal actions at random; anything where a game is over."""
    return (luck.random(batch.mask.shape) * (batch.mask + 1e-9)).argmax(axis=1)


# --- what is shown --------------------------------------------------------------------------------


def expected(chosen: Variant, plain: Batch, decided: list[Any], row: int, seat: int) -> list[Any]:
    """What a seat should see: what was seen at each of its decisions, what it did, and now."""
    own = [each for each in decided if each[:2] == (row, seat)]
    assert chosen.longest is not None
    seen = np.zeros((chosen.longest, plain.observation.shape[1]), np.int8)
    done = np.zeros((chosen.longest, plain.mask.shape[1]), np.int8)
    for at, (_, _, saw, did) in enumerate(own):
        seen[at], done[at, did] = saw, 1
    return [seen.tolist(), done.tolist(), plain.look(row, seat)[0].tolist()]


@pytest.mark.parametrize(("name", "options"), [*CASES, pytest.param("goofspiel", {}, marks=SLOW)])
def test_a_seat_is_shown_what_it_saw_and_did_and_what_it_sees_and_nothing_else(
    name: str, options: dict[str, Any]
) -> None:
    """At any time, also while another decides, and in copies and saved games.

    The same game without a past says what that is.
    """
    games = [cyberdeck.variant(name, **options, **more) for more in ({}, HISTORY)]
    plain, batch, other = (
        Batch(each, 2, seed=3, autoreset="Disabled") for each in (*games, games[1])
    )
    shown, luck, decided = games[1], np.random.default_rng(0), list[Any]()
    twins = [batch]
    while True:
        for twin in twins:
            assert twin._core.states.tobytes() == batch._core.states.tobytes()
            assert (twin.observation == batch.observation).all()
        assert (plain.mask == batch.mask).all()
        assert (plain.mover == batch.mover).all()
        for row in range(2):
            for seat in range(2):
                seen = batch.look(row, seat)[0]
                pieces = shown.named(seen)
                parts = [pieces["past_observations"], pieces["past_actions"]]
                now = seen[-plain.observation.shape[1] :]
                found = [*(each.tolist() for each in parts), now.tolist()]
                assert found == expected(shown, plain, decided, row, seat)
        running = np.flatnonzero(plain.mover >= 0).tolist()
        if not running:
            break
        actions = some(plain, luck)
        for row in running:
            saw = plain.observation[row].copy()
            decided.append((row, int(plain.mover[row]), saw, int(actions[row])))
        for each in (plain, *twins):
            each.step(actions)
        if len(twins) == 1:
            check_redrawn(batch)
        if len(twins) == 1 and (plain._core.states["decisions"] == 2).any():
            for row in range(2):
                other._core.load(batch._core.save(row), row)
            twins += [other, copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    assert len(twins) == 4
    assert (plain.final_return == batch.final_return).all()
    if name in ("tictactoe", "kuhn_poker", "goofspiel"):
        decisions = [(row, seat) for row, seat, *_ in decided]
        assert max(map(decisions.count, decisions)) == shown.longest


def check_redrawn(batch: Batch) -> None:
    """A redrawn game keeps the seat's own past, and of the others' what was open to all."""
    for row in range(2):
        for seat in range(2):
            twin = copy.deepcopy(batch)
            twin.resample(row, seat, seed=row)
            assert (twin.look(row, seat)[0] == batch.look(row, seat)[0]).all()
            there, here = (each._core.states[row] for each in (twin, batch))
            for field in ("past_decisions", "past_observations", "past_actions"):
                assert (there[field][seat] == here[field][seat]).all()
                if batch.variant.game.open:
                    assert (there[field] == here[field]).all()
                else:
                    assert not there[field][1 - seat].any()


def test_the_features_are_named_and_within_their_bounds() -> None:
    chosen = cyberdeck.variant("leduc_poker", **HISTORY)
    assert [(each.name, each.shape) for each in chosen.features] == [
        ("past_observations", (4, 22)),
        ("past_actions", (4, 3)),
        ("cards", (2, 6)),
        ("paid", (2,)),
        ("bets", (2, 4)),
    ]
    low, high = chosen.bounds()
    assert set(low.tolist()) == {0}
    assert high[:88].tolist() == [13] * 88
    assert high[88:100].tolist() == [1] * 12
    assert [each.name for each in chosen.present] == ["cards", "paid", "bets"]
    batch = Batch(chosen, 1, seed=0)
    assert "past" not in text_of(batch._core, 0, 0)
    assert "cards" in text_of(batch._core, 0, 0)


def test_by_default_a_game_is_what_it_was() -> None:
    """The option is no field, and saved states say nothing of it."""
    now = cyberdeck.variant("kuhn_poker")
    before = dataclasses.replace(now.game, longest=None)
    assert [option.name for option in before.options] == []
    assert (now.options, now.chosen) == ({"observation": "present"}, {})
    assert now.game.dtype == before.dtype
    assert now.blank().tobytes() == Variant(before, {}).blank().tobytes()
    assert now.features == Variant(before, {}).features


@SLOW
def test_what_a_seat_is_shown_is_its_information_set() -> None:
    """As many as OpenSpiel counts: 94, of which the present shows fewer."""
    chosen = [
        cyberdeck.variant("dark_hex", size=2, rules="abrupt", **options)
        for options in ({}, HISTORY)
    ]
    present, history = (len(Enumeration(each).all(1.0).observations) for each in chosen)
    assert present < history == 94


# --- one more choice of an option that is there ---------------------------------------------------

WIDE = 2


@kernel
def start(state: Any) -> None:
    state.total = 0
    state.throw = 1 + dice.below(state, 6)


@kernel
def legal(state: Any, mask: Any) -> None:
    mask[:] = 1


@kernel
def act(state: Any, action: Any) -> None:
    state.total += action * state.throw
    state.throw = 1 + dice.below(state, 6)
    # Of ten games one is longer than the author thinks.
    if state.decisions >= 3 and (state.decisions > 3 or dice.below(state, 10) > 0):
        end(state, 2)


@kernel
def observe(state: Any, seat: Any, out: Any) -> None:
    out[0] = -state.throw
    if state.shown == WIDE:
        out[1] = state.total


def thrower(**parts: Any) -> Game:
    usual: dict[str, Any] = {
        "name": "thrower",
        "seats": ("player",),
        "fields": [Field("total", 0, 24), Field("throw", 1, 6)],
        "options": [
            Option(
                "observation",
                "narrow",
                "how much",
                choices=("none", "narrow", "wide"),
                field="shown",
                view=True,
            )
        ],
        "start": start,
        "legal": legal,
        "act": act,
        "observe": observe,
        "features": lambda options: [
            Feature("throw", (1,), -6, -1),
            *([Feature("total", (1,), 0, 24)] if options["observation"] == "wide" else []),
        ],
        "actions": [(1, "leave"), (1, "take")],
        "reasons": ("done",),
        "longest": 4,
    }
    return Game(**usual | parts)


def test_a_game_that_chooses_how_it_is_shown_keeps_its_choices() -> None:
    """The past is that of the default, whatever the field of the option holds."""
    game = thrower()
    registry.add(game)
    assert game.options[0].choices == ("none", "narrow", "wide", "history")
    assert {
        name: Variant(game, {"observation": name}).observation_size
        for name in ("none", "narrow", "wide", "history")
    } == {"none": 1, "narrow": 1, "wide": 2, "history": 4 * 3 + 1}
    chosen = Variant(game, HISTORY)
    assert chosen.blank()["shown"][0] == 1
    assert chosen.game.read(chosen.blank()) == HISTORY
    wide = Variant(game, {"observation": "wide"})
    assert wide.game.read(wide.blank()) == {"observation": "wide"}
    assert chosen.bounds()[0].tolist() == [-6] * 4 + [0] * 8 + [-6]
    with pytest.raises(OptionError, match="choose one of 'none', 'narrow', 'wide', 'history'"):
        Variant(game, {"observation": "past"})
    assert Variant(thrower(longest=8000), {}).options == {"observation": "narrow"}


@pytest.mark.parametrize("options", [{}, {"options": ()}])
def test_a_game_that_does_not_say_its_longest_has_no_past(options: dict[str, Any]) -> None:
    game = thrower(**options, longest=None)
    said = r"'history' is not possible: Thrower does not say .*, as Game\(longest=\.\.\.\)"
    with pytest.raises(OptionError, match=said):
        Variant(game, HISTORY)
    own = Option("observation", "none", "", choices=("none", "history"))
    assert Variant(thrower(options=[own], longest=None), HISTORY).options == HISTORY


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"longest": 2.0}, r"thrower: longest=2\.0 is not possible: give how often"),
        ({"longest": lambda options: 0}, "thrower: longest=0 is not possible"),
        (
            {"longest": 8000},
            r"24,001 numbers here, 8000 decisions of 1 \+ 2 and 1 .* 20,000 are",
        ),
        (
            {"options": [Option("observation", 1, "", bounds=(0, 3))]},
            "longest needs an option 'observation' with choices",
        ),
        (
            {"options": [Option("observation", "history", "", choices=("history", "none"))]},
            "two called 'history'",
        ),
    ],
)
def test_what_longest_cannot_be(parts: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        Variant(thrower(**parts), HISTORY)


# --- a game that is longer than it says -----------------------------------------------------------


def test_a_seat_that_decides_more_often_is_an_error_at_play() -> None:
    """One game of ten is too long: the first games, which are careful, do not show it."""
    chosen = Variant(thrower(longest=3), HISTORY)
    _ = chosen.loops
    batch = Batch(chosen, 40, seed=0)
    first = batch.observation[:, -1].copy()
    for _ in range(3):
        batch.step(np.ones(40, int))
    long = np.flatnonzero(batch._core.states["decisions"])
    assert 0 < len(long) < 10
    pieces = batch._core.variant.named(batch.observation)
    assert (pieces["past_observations"][long, 0, 0] == first[long]).all()
    assert pieces["past_actions"][long].tolist() == [[[0, 1]] * 3] * len(long)
    with pytest.raises(KernelError, match=r"thrower: seat 0 has decided more often .* longest=3"):
        batch.step(np.ones(40, int))


def test_check_and_the_first_use_notice_it() -> None:
    kuhn = cyberdeck.variant("kuhn_poker").game
    wrong = dataclasses.replace(kuhn, name="short_poker", longest=1)
    said = "first decides more often than 1 times, which longest= says is the most"
    with pytest.raises(KernelError, match=said):
        _ = Variant(wrong, {}).loops
    for options in ({}, HISTORY):
        chosen = Variant(wrong, options)
        with carefully(Careful(chosen.game)):
            fault = random_play(chosen, decisions=20, games=4).faults[0]
        assert (fault.check, fault.what) == ("mover", said)
    assert not random_play(Variant(kuhn, HISTORY), decisions=20, games=4).faults
    wrong = dataclasses.replace(kuhn, name="shorter_poker", longest=None, most_decisions=1)
    fault = random_play(Variant(wrong, {}), decisions=20, games=4).faults[0]
    assert (
        fault.what == "all decide more often than 1 times, which most_decisions= says is the most"
    )


# --- copied, saved, redrawn -----------------------------------------------------------------------


def test_an_env_keeps_its_promises() -> None:
    chosen = cyberdeck.variant("kuhn_poker", **HISTORY)
    for clause in clauses(chosen, "gymnasium"):
        if str(clause) in ("gymnasium-formats", "gymnasium-resampling"):
            clause()


@SLOW
def test_every_interface_keeps_its_promises() -> None:
    for clause in clauses("goofspiel", **HISTORY):
        clause()


def test_a_state_with_a_past_can_be_gone_on_with_without_it_and_not_the_other_way() -> None:
    leduc = (cyberdeck.variant("leduc_poker", **each) for each in (HISTORY, {}))
    games = [GameBatch(each, 1) for each in leduc]
    history, plain = games
    for each in games:
        each.reset([4])
        each.step(np.array([2]))
    own = plain.save()
    for core, saved in ((plain, history.save()), (history, own)):
        with pytest.raises(StateError, match="where observation='history' keeps the past in it"):
            core.load(saved)
    assert plain.save() == own
    assert history.observations[0, :88].any() == 0  # the second seat has decided nothing yet
    assert history.look(0)[0][:88].any()


def test_what_was_decided_in_secret_is_forgotten_when_it_is_taken_back() -> None:
    """Goofspiel's second bidder lets the first bid again: that bid is nobody's past."""
    batch = Batch(cyberdeck.variant("goofspiel", **HISTORY), 1, seed=3)
    batch.step([2])
    state = batch._core.states[0]
    assert state["past_decisions"].tolist() == [1, 0]
    as_python(batch._core.game.kernels.withdraw_secret_actions)(state, 1)
    assert (state["mover"], state["decisions"]) == (0, 0)
    assert state["past_decisions"].tolist() == [0, 0]
    assert not state["past_observations"].any()


# --- played, learned, told ------------------------------------------------------------------------


def test_who_needs_the_present_alone_plays_the_same_where_there_is_a_past() -> None:
    """A network, and a search by it, for which what the seat remembers looks alike."""
    plain, history = (cyberdeck.variant("kuhn_poker", **each) for each in ({}, HISTORY))
    present = network("kuhn_poker", {})
    for player in (present, Search(4, network=present)):
        results = [evaluate(each, player, "random", deals=20, seed=1) for each in (plain, history)]
        assert results[0].games.returns.tolist() == results[1].games.returns.tolist()
        assert results[0].overall == results[1].overall


def test_a_network_that_remembers_is_refused_where_there_is_no_past() -> None:
    plain, history = (cyberdeck.variant("kuhn_poker", **each) for each in ({}, HISTORY))
    remembers = network("kuhn_poker", HISTORY)
    assert evaluate(history, remembers, "random", deals=4)
    with pytest.raises(OptionError, match=r"trained with .*'observation': 'history'"):
        evaluate(plain, remembers, "random", deals=4)


def test_a_replay_goes_through_the_same_positions(tmp_path: Path) -> None:
    chosen = cyberdeck.variant("kuhn_poker", **HISTORY)
    players, deals = {"random": "random"}, [7]
    games = play_games(chosen, players, [[0, 0]], deals, keep_actions=True)
    games.replay(0).save(tmp_path / "game.json")
    replay = Replay.load(tmp_path / "game.json")
    assert replay.variant.options == HISTORY
    assert replay.variant.game is chosen.game
    assert replay.result == games.replay(0).played()


def test_javascript_has_the_present_alone(tmp_path: Path) -> None:
    for name, _ in CASES:
        told = described(name, {})
        assert "observation" not in [option["name"] for option in told["options"]]
    with pytest.raises(OptionError, match="for Python alone"):
        build(cyberdeck.variant("kuhn_poker", **HISTORY), HISTORY, tmp_path)
