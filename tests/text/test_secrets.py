"""No prompt and no transcript tells what a seat, or a spectator, cannot know."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cyberdeck import variant
from cyberdeck.engine import history, registry
from cyberdeck.views.view import Event, Line, Panel, View
from tests.text.redrawn import CASES, EXAMPLES, Leak, Redrawn, compare


@pytest.mark.parametrize("game", [*CASES, *EXAMPLES])
def test_a_seat_is_told_the_same_while_it_cannot_tell_games_apart(game: str) -> None:
    states = 240 if game in CASES else 40
    assert compare(game, states) >= states


@pytest.mark.slow
@pytest.mark.parametrize("game", CASES)
def test_a_seat_is_told_the_same_in_many_more_redrawn_states(game: str) -> None:
    assert compare(game, 800, seed=1) >= 800


# --- the same finds what is told by mistake -------------------------------------------------------


def leaking(game: str, where: str, secret: str) -> View:
    """A game's view that tells a field of the record, somewhere."""
    view = registry.view(registry.game(game))

    def page(record: Any, viewer: Any, mask: Any) -> Any:
        shown = view.page(record, viewer, mask)
        told = Panel("Secret", [Line(str(getattr(record, secret)))])
        return shown._replace(panels=[*shown.panels, told])

    def story(before: Any, after: Any, viewer: Any, between: Any) -> list[Event]:
        told = Event(words=f"secretly {getattr(after, secret)}", follows=True)
        return [*view.story(before, after, viewer, between), told]

    def notation(record: Any, action: int) -> str:
        assert view.notation is not None
        return f"{view.notation(record, action)}/{getattr(record, secret)}"

    def turn(record: Any) -> str:
        return f"{view.turn(record)} {getattr(record, secret)}"

    ways: dict[str, Any] = {"page": page, "story": story, "notation": notation, "turn": turn}
    return replace(view, **{where: ways[where]})


@pytest.mark.parametrize(
    ("game", "where", "secret"),
    [
        *(("matrix_overload", where, "draw") for where in ("page", "notation", "story")),
        ("hackthegrid", "page", "dice"),
        *(("stacktrices", where, "thief") for where in ("page", "notation")),
        ("stacktrices", "turn", "hand"),
        *(("hovercrafts", where, "plan") for where in ("page", "notation", "turn")),
    ],
)
def test_what_a_view_lets_out_is_found(
    monkeypatch: pytest.MonkeyPatch, game: str, where: str, secret: str
) -> None:
    monkeypatch.setitem(registry._views, game, leaking(game, where, secret))
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
