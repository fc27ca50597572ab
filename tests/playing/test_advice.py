"""Hints and evaluation agree with each other, and with what comes of the moves."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from cyberdeck.engine import registry
from cyberdeck.engine.constants import NOBODY
from cyberdeck.play import compiled
from cyberdeck.play.compiled import CompiledPosition
from cyberdeck.play.engine import Hint, Worth, outlook
from cyberdeck.players.search import Search
from cyberdeck.playing.compiled import Compiled
from cyberdeck.views import features
from cyberdeck.views.view import Line, Page, Panel

from .helpers import EXAMPLES, variant

#: The share that a solver's words stand for.
RESULTS = {"a win": 1.0, "a draw": 0.5, "a loss": 0.0}

#: So far may two searches of nearly the same be apart.
NOISE = 0.25

EVERY_GAME = [
    ("matrix_overload", {}),
    ("hackthegrid", {}),
    ("stacktrices", {"setup": "random"}),
    ("hovercrafts", {"ships": (2, 1)}),
    *((path.name, {}) for path in sorted(EXAMPLES.glob("*.py"))),
]


def positions(engine: Compiled, count: int) -> Iterator[CompiledPosition]:
    """So many positions that random play comes by."""
    rng = random.Random(1)
    while count > 0:
        position = engine.begin(rng.randrange(1000), ())
        while position.mover != NOBODY and count > 0:
            if rng.random() < 0.2:
                count -= 1
                yield position
            position.step(rng.choice(legal(position)))


def legal(position: CompiledPosition) -> list[int]:
    return [action for action, allowed in enumerate(position.mask) if allowed]


def number(text: str) -> float:
    """What a number in a list of moves says."""
    return RESULTS[text] if text in RESULTS else float(text.removesuffix("%"))


def check(engine: Compiled, position: CompiledPosition) -> None:
    """Share, sentence, numbers and suggestion say the same."""
    hint, worth = engine.hint(position), engine.worth(position)
    assert hint.player in ("Search", "The solver")
    assert worth.player in ("Search", "The solver")
    assert {hint.action, *hint.worth} <= set(legal(position))
    if worth.share is None:
        assert worth.words.endswith(" more points")
    elif not engine.scored:
        said = RESULTS.get(worth.words)
        assert worth.words == outlook(worth.share) if said is None else worth.share == said
    if hint.worth:  # the sampler gives no numbers
        assert hint.outlook == worth.words
        texts = list(hint.worth.values())
        numbers = [number(text) for text in texts]
        assert numbers == sorted(numbers, reverse=True)
        assert hint.worth[hint.action] == texts[0]
        assert texts[0].strip("+") in worth.words


def check_what_follows(engine: Compiled, position: CompiledPosition) -> bool:
    """What wins at once is a full bar, and a forced move is worth what comes after it; whether
    there was something to check.
    """
    choices, own = legal(position), position.mover
    alone = len(engine.agents) == 1
    share = engine.worth(position).share
    assert share is not None
    followers = []
    for action in choices:
        followers.append(position.twin())
        followers[-1].step(action)
    ends = [twin.returns[own] for twin in followers if twin.mover == NOBODY]
    if 1 in ends:
        assert share == 1
    if len(choices) > 1:
        return 1 in ends
    if ends:
        assert share == pytest.approx(ends[0] if alone else (1 + ends[0]) / 2)
    else:
        after = engine.worth(followers[0]).share
        assert after is not None
        same = engine.sides[followers[0].mover] == engine.sides[own]
        if same or share + after > 0:  # else both lose
            assert share == pytest.approx(after if same else 1 - after, abs=NOISE)
    return True


def check_positions(game: str, options: dict[str, Any], count: int) -> int:
    """How many of them had something to check besides."""
    engine, more = Compiled(variant(game, **options)), 0
    for position in positions(engine, count):
        check(engine, position)
        if engine.open and not engine.scored:
            more += check_what_follows(engine, position)
    return more


def test_share_sentence_numbers_and_suggestion_agree() -> None:
    """And a forced move, or one that wins, is worth what comes of it."""
    assert check_positions("hackthegrid", {}, 20) > 3


@pytest.mark.slow
@pytest.mark.parametrize(("game", "options"), EVERY_GAME)
def test_they_agree_in_many_positions_of_every_game(
    game: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where something is hidden nothing is compared with what follows: a short search does."""
    usual = compiled.usual_search
    monkeypatch.setattr(compiled, "usual_search", lambda g: usual(g) if g.open else Search(50))
    check_positions(game, options, 200)


def advised(
    monkeypatch: pytest.MonkeyPatch, visits: list[int], values: list[float], **of: Any
) -> tuple[Hint, Worth]:
    """What is said of tic-tac-toe if a search finds that of its first actions."""
    engine = Compiled(variant("tictactoe.py"))
    monkeypatch.setitem(vars(engine), "_exact", None)
    rest = [0] * (9 - len(visits))
    monkeypatch.setattr(engine, "examine", lambda position: (visits + rest, values + rest))
    for name, each in of.items():
        monkeypatch.setattr(engine, name, each)
    position = engine.begin(0, ())
    return engine.hint(position), engine.worth(position)


def test_the_best_of_what_was_tried_enough_is_suggested(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was hardly tried says nothing, and of equals the one tried more is taken."""
    hint, worth = advised(monkeypatch, [100, 24, 25, 60, 80], [0.1, 0.9, 0.5, 0.2, 0.5])
    assert (hint.player, hint.action) == ("Search", 4)
    assert hint.worth == {4: "75%", 2: "75%", 3: "60%", 0: "55%"}
    assert hint.outlook == worth.words == "you are winning, 75%"
    assert worth.share == 0.75


@pytest.mark.parametrize(
    ("value", "of", "share", "number", "words"),
    [
        (1.0, {}, 1, "100%", "you are winning, 100%"),
        (-1.0, {}, 0, "0%", "you are losing, 0%"),
        (0.5, {"agents": ["player"]}, 0.5, "50%", "about even, 50%"),
        (1.0, {"agents": ["player"], "bound": 2.0}, 1, "100%", "you are winning, 100%"),
        (0.06, {"scored": True, "bound": 2.0}, 0.515, "+0.06", "worth about +0.06"),
        (2588.85, {"scored": True, "agents": ["player"]}, None, "+2589", "about 2589 more points"),
    ],
)
def test_a_value_is_said_by_what_is_paid(
    value: float,
    of: dict[str, Any],
    share: float | None,
    number: str,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """For who wins, or as a score; a score that has no range has no share."""
    hint, worth = advised(monkeypatch, [10], [value], **of)
    assert worth == (share if share is None else pytest.approx(share), words, "Search")
    assert hint.worth == {0: number}


def test_how_somebody_stands() -> None:
    """By the number that is shown."""
    shares = (0.7451, 0.6, 0.5, 0.2451, 0.2449)
    assert [outlook(share).split(",")[0] for share in shares] == [
        *("you are winning", "you are ahead", "about even", "you are behind", "you are losing"),
    ]


def test_a_won_position_is_a_full_bar_whatever_else_is_paid() -> None:
    """In a game for one, too: the last cards of a game that the heuristic has won."""
    for reward in ("win", "royals"):
        engine = Compiled(registry.variant("matrix_overload", reward=reward))
        position = engine.begin(1, ())
        while position.mover != NOBODY:
            before = position.twin()
            position.step(position.ask(engine.player("heuristic")))
        assert position.returns[0] > 0
        assert engine.worth(before) == (1.0, "a win", "The solver")


def test_a_forced_move_is_searched_where_somebody_asks() -> None:
    """The search itself takes it at once."""
    engine = Compiled(variant("hackthegrid"))
    found = next(each for each in positions(engine, 100) if len(legal(each)) == 1)
    seen = found.core.seen(found.core.all_rows, True)
    visits, values = Search(iterations=60).examine(seen)
    assert (visits.sum(), values.any()) == (1, False)
    visits, values = Search(iterations=60).examine(seen, forced=True)
    assert visits.sum() == 60
    assert values.any()


def test_what_lines_are_marked_with_is_told_once() -> None:
    """The likeliest line first, by its first words."""

    def page(thief: int) -> Page:
        lines = [f"W{at} (drone, a{at}){', the thief' * (at == thief)}" for at in range(3)]
        return Page("", (), "", panels=[Panel("Stacks", [Line(line) for line in lines])])

    told = features.likely_lines([page(1), page(2), page(2)], [0.25, 0.5, 0.25])
    assert told == ["thief: W2 75%; W1 25%"]
