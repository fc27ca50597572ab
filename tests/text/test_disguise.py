"""A disguised game in words: none of its names is told, and it can be played by what is told."""

import random
import re

import pytest

import cyberdeck
from cyberdeck import OptionError, TextGame, showing
from tests.disguises import OWN
from tests.engine.games import example

GAMES = [
    ("hackthegrid", {}),
    ("matrix_overload", {}),
    ("matrix_overload", {"edition": "royals"}),
    ("matrix_overload", {"edition": "rulebook"}),
    ("stacktrices", {"steal_on_attack": True}),
    ("hovercrafts", {"ships": (2, 1), "deployment": "random"}),
    ("hovercrafts", {"goal": "seize", "pick_side": True, "battles": 3}),
]


def told(game, seed, most=40):
    """All that is said in a random game, or its beginning: prompts, replies, endings."""
    game.reset(seed)
    drawn = random.Random(seed)
    while not game.over and len(game.actions) < most:
        seat = drawn.choice(game.deciding)
        yield game.prompt(seat)
        if drawn.random() < 0.1:
            yield game.answer(seat, '{"move": "nonsense"}').reply
        legal = game.legal(seat)
        action = drawn.choice(list(legal))
        assert len(set(legal.values())) == len(legal)
        move = drawn.choice([f'"{legal[action]}"', str(action)])
        assert game.answer(seat, f'{{"move": {move}}}').answer.action == action
    for seat in range(game.variant.seats):
        yield "\n".join(game.transcript(seat))
        yield showing.seat_name(game.variant, game.core.states, seat)
        if game.over:
            yield game.ending(seat).words


def names_in(text, variant):
    """Those of the game's own names that are in a text, in whatever form."""
    game = variant.game
    found = []
    for name in (game.title, *(game.names or variant.agents)):
        written = r"\s+".join(map(re.escape, name.split()))
        edges = (r"\b", r"(s|es|d|ed|er|ing)?(\b|(?=\d))") if name[-1].isalnum() else ("", "")
        if re.search(written.join(edges), text, re.IGNORECASE):
            found.append(name)
    return found


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_none_of_the_games_names_is_told(name, options):
    plain = TextGame(name, list_moves=True, **options)
    disguised = TextGame(name, list_moves=True, disguise=3, **options)
    assert plain.variant.game.title in next(told(plain, 0))
    text = "\n".join(told(disguised, 0))
    assert names_in(text, plain.variant) == []
    assert name != "hackthegrid" or re.search(r'"move": "[CR][0-3]"', text)  # its example
    usual = "\n".join(told(plain, 0, 20))
    assert len(names_in(usual, plain.variant)) > len(plain.variant.game.names) / 2


@pytest.mark.parametrize("name", OWN)
def test_nor_are_those_of_games_in_one_file(name):
    game = example(name)
    disguised = TextGame(game.name, list_moves=True, disguise=8)
    text = "\n".join(each for seed in range(2) for each in told(disguised, seed))
    assert names_in(text, disguised.variant) == []
    assert names_in(next(told(TextGame(game.name), 0)), disguised.variant)


@pytest.mark.parametrize(
    ("name", "ordinary"),
    [
        ("matrix_overload", "Bring down the twelve "),
        ("connect_four", " drop "),
        ("liars_dice", "first"),
    ],
)
def test_verbs_and_ordinary_words_stay(name, ordinary):
    game = name if name == "matrix_overload" else example(name).name
    assert ordinary in next(told(TextGame(game, disguise=3), 0))


def test_other_seeds_are_other_disguises():
    said = {next(told(TextGame("stacktrices", disguise=seed), 0)) for seed in (1, 2, 3, 1)}
    assert len(said) == 3


def test_words_keep_their_form():
    words = cyberdeck.variant("stacktrices", disguise=5).disguise.words
    pawn = words("pawn")
    assert words("Pawns, a PAWN") == f"{pawn.capitalize()}s, a {pawn.upper()}"
    assert len(pawn) == 4
    assert pawn[0] == "p"
    assert words("W4-b4, spawn") == "W4-b4, spawn"


def test_notation_is_the_same_but_for_names():
    """Where nothing is exchanged, each action is written as in the game itself, in other words."""
    plain = TextGame("hovercrafts")
    disguised = TextGame("hovercrafts", disguise=2)
    disguise = disguised.variant.disguise
    assert disguise.exchange is None
    for game in (plain, disguised):
        game.reset(3)
    seat = plain.deciding[0]
    for action, written in plain.legal(seat).items():
        assert disguised.legal(seat)[int(disguise.shown[action])] == disguise.words(written)
    assert list(plain.legal(seat)) != list(disguised.legal(seat))


def test_the_past_is_told_by_the_games_own_numbers():
    example("kuhn_poker")
    with pytest.raises(OptionError, match="kuhn_poker cannot be disguised"):
        cyberdeck.variant("kuhn_poker", observation="history", disguise=1)
