"""No prompt and no transcript tells what a seat, or a spectator, cannot know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cyberdeck import variant
from cyberdeck.engine import history, registry
from cyberdeck.views.view import Event, Line, Panel, View
from tests.text.redrawn import CASES, EXAMPLES, Leak, Redrawn, compare


@pytest.mark.parametrize("game", [*CASES, *EXAMPLES])
def test_a_seat_is_told_the_same_while_it_cannot_tell_games_apart(game: str) -> None:
    states = 240 if game in CASES else 80
    assert compare(game, states) >= states


@pytest.mark.slow
@pytest.mark.parametrize("game", CASES)
def test_a_seat_is_told_the_same_in_many_more_redrawn_states(game: str) -> None:
    assert compare(game, 800, seed=1) >= 800


# --- the same finds what is told by mistake -------------------------------------------------------


def _page(view: View, secret: Callable[[Any], Any]) -> View:
    def page(record: Any, viewer: Any, mask: Any) -> Any:
        shown = view.page(record, viewer, mask)
        return shown._replace(panels=[*shown.panels, Panel("Secret", [Line(str(secret(record)))])])

    return replace(view, page=page)


def _story(view: View, secret: Callable[[Any], Any]) -> View:
    def story(before: Any, after: Any, viewer: Any, between: Any) -> list[Event]:
        told = Event(words=f"secretly {secret(after)}", follows=True)
        return [*view.story(before, after, viewer, between), told]

    return replace(view, story=story)


def _notation(view: View, secret: Callable[[Any], Any]) -> View:
    assert view.notation is not None
    plain = view.notation
    return replace(
        view, notation=lambda record, action: f"{plain(record, action)}/{secret(record)}"
    )


def _turn(view: View, secret: Callable[[Any], Any]) -> View:
    return replace(view, turn=lambda record: f"{view.turn(record)} {secret(record)}")


def _cards_to_come(record: Any) -> Any:
    return record.draw


def _thieves(record: Any) -> Any:
    return record.thief


def _plans(record: Any) -> Any:
    return record.plan


LEAKS = [
    (_page, "matrix_overload", _cards_to_come),
    (_notation, "matrix_overload", _cards_to_come),
    (_story, "matrix_overload", _cards_to_come),
    (_page, "hackthegrid", lambda record: record.dice),
    (_page, "stacktrices", _thieves),
    (_notation, "stacktrices", _thieves),
    (_turn, "stacktrices", lambda record: record.hand),
    (_page, "hovercrafts", _plans),
    (_notation, "hovercrafts", _plans),
    (_turn, "hovercrafts", _plans),
]


@pytest.mark.parametrize(("leak", "game", "secret"), LEAKS)
def test_what_a_view_lets_out_is_found(
    monkeypatch: pytest.MonkeyPatch,
    leak: Callable[[View, Callable[[Any], Any]], View],
    game: str,
    secret: Callable[[Any], Any],
) -> None:
    leaking = leak(registry.view(registry.game(game)), secret)
    monkeypatch.setitem(registry._views, game, leaking)
    with pytest.raises(Leak):
        compare(game, 240)


@pytest.mark.parametrize("options", CASES["stacktrices"])
def test_a_spectator_who_is_shown_the_whole_record_is_found(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    view = registry.view(registry.game("stacktrices"))

    def story(before: Any, after: Any, viewer: Any, between: Any) -> list[Event]:
        return [Event(words=f"thieves {after.thief}", follows=True)] if viewer is None else []

    # What is told of the public record is fit for all.
    monkeypatch.setitem(registry._views, "stacktrices", replace(view, story=story))
    Redrawn(variant("stacktrices", **options), 0).run(120)
    whole = replace(view, story=story, public=lambda record: {})
    monkeypatch.setitem(registry._views, "stacktrices", whole)
    with pytest.raises(Leak, match="thieves"):
        Redrawn(variant("stacktrices", **options), 0).run(120)


@pytest.mark.parametrize("game", ["stacktrices", "hovercrafts", "goofspiel"])
def test_a_secret_decision_that_is_told_to_all_is_found(
    monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    monkeypatch.setattr(history, "hidden_from", lambda *_: ())
    with pytest.raises(Leak, match=r"transcript|spectator"):
        compare(game, 240)
