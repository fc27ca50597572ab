"""A first game in six steps, each with its picture."""

from __future__ import annotations

import itertools

import pytest

import cyberdeck
from cyberdeck import showing
from cyberdeck.playing.answers import Step, lessons
from cyberdeck.playing.compiled import Compiled


def lessons_of(game: str, narrow: bool = False) -> list[Step]:
    return lessons(Compiled(cyberdeck.variant(game)), narrow=narrow)


@pytest.mark.parametrize("game", cyberdeck.GAMES)
def test_every_game_of_the_suite_is_taught_in_six_steps(game: str) -> None:
    steps = lessons_of(game)
    assert len(steps) == 6
    told = showing.view_of(cyberdeck.variant(game)).lessons
    assert told is not None
    assert all(one.after < two.after for one, two in itertools.pairwise(told.steps))
    assert len(told.moves.split(", ")) == told.steps[-1].after, "what is shown is all that is kept"
    for step in steps:
        assert len(step.words) <= 300, "few words stand beside a board"
        assert step.picture.startswith("<svg")
    assert len({step.picture for step in steps}) == 6
    assert any("data-actions" in step.picture for step in steps), "what may be chosen is lit"
    assert lessons_of(game, narrow=True)[0].picture != steps[0].picture


def test_what_is_hidden_is_in_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pictures are black's: wherever white's thief is hidden, they are the same."""
    view = showing.view_of(cyberdeck.variant("stacktrices"))
    told, pictures = view.lessons, [step.picture for step in lessons_of("stacktrices")]
    assert told is not None
    other = told._replace(moves=told.moves.replace("hide W2", "hide W1"))
    assert other != told
    monkeypatch.setitem(vars(view), "lessons", other)
    assert [step.picture for step in lessons_of("stacktrices")] == pictures


def test_a_game_of_ones_own_has_none_if_it_says_none() -> None:
    from cyberdeck.api.registration import load_file

    assert lessons_of(load_file("examples/games/tictactoe.py").name) == []
