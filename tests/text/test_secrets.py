"""No prompt and no transcript tells what a seat, or a spectator, cannot know."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cyberdeck import variant
from cyberdeck.engine import registry
from cyberdeck.play import compiled
from cyberdeck.views.view import Event, Line, Panel
from tests.text.redrawn import CASES, EXAMPLES, Leak, Redrawn, compare


@pytest.mark.parametrize("game", [*CASES, *EXAMPLES])
def test_a_seat_is_told_the_same_while_it_cannot_tell_games_apart(game: str) -> None:
    states = 180 if game in CASES else 20 if game == "goofspiel" else 40
    assert compare(game, states) >= states


# --- the same finds what is told by mistake -------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "where", "secret"),
    [
        ("matrix_overload", "page", "draw"),
        ("stacktrices", "notation", "thief"),
        ("hovercrafts", "turn", "plan"),
    ],
)
def test_what_a_view_lets_out_is_found(
    monkeypatch: pytest.MonkeyPatch, game: str, where: str, secret: str
) -> None:
    view = registry.view(registry.game(game))
    tell = getattr(view, where)

    def leak(record: Any, *others: Any) -> Any:
        told, secretly = tell(record, *others), str(getattr(record, secret))
        if where != "page":
            return f"{told} {secretly}"
        return told._replace(panels=[*told.panels, Panel("Secret", [Line(secretly)])])

    monkeypatch.setitem(registry._views, game, replace(view, **{where: leak}))
    with pytest.raises(Leak):
        compare(game, 240)


@pytest.mark.parametrize("options", CASES["stacktrices"])
def test_spectators_who_are_shown_the_record_are_found(monkeypatch: Any, options: Any) -> None:
    view = registry.view(registry.game("stacktrices"))

    def story(before: Any, after: Any, viewer: Any, between: Any) -> list[Event]:
        return [Event(words=f"thieves {after.thief}", follows=True)] if viewer is None else []

    # What is told of the public record is fit for all.
    monkeypatch.setitem(registry._views, "stacktrices", replace(view, story=story))
    Redrawn(variant("stacktrices", **options), 0).run(60)
    whole = replace(view, story=story, public=lambda record: {})
    monkeypatch.setitem(registry._views, "stacktrices", whole)
    with pytest.raises(Leak, match="thieves"):
        Redrawn(variant("stacktrices", **options), 0).run(60)


@pytest.mark.parametrize("game", ["stacktrices", "hovercrafts", "goofspiel"])
def test_a_secret_decision_that_is_told_to_all_is_found(monkeypatch: Any, game: str) -> None:
    monkeypatch.setattr(compiled, "hidden_from", lambda *_: ())
    with pytest.raises(Leak, match=r"transcript|spectator"):
        compare(game, 240)
