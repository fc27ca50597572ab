"""A game as its view shows it: what views are given, from NumPy's records and compiled loops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import registry
from cyberdeck.engine.contract import whole_numbers
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import loops_of
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.roles import deciding
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import ActionError, EpisodeError, OptionError
from cyberdeck.views import frame, plain, words
from cyberdeck.views.record import Record, Rules
from cyberdeck.views.view import Between, Ending, Event, Look, Mask, Page, View, Viewer

States = NDArray[Any]  # (1,): one record


def view_of(variant: Variant) -> View:
    """What shows that game: its own view, or the plain one."""
    own: View | None = registry.view(variant.game)
    return plain_view(variant) if own is None else own


def plain_view(variant: Variant) -> View:
    """The view of a game that has none, or of any."""
    game = variant.game
    return plain.view(
        plain.Description(
            title=game.title,
            seats=variant.agents,
            features=[(each.name, each.shape, each.low, each.high) for each in variant.features],
            actions=variant.actions,
            reasons=game.reasons,
            simultaneous=game.simultaneous,
        )
    )


def reader(variant: Variant, states: States) -> Record:
    """A record as views read it."""
    held = states.copy()

    def observe(seat: int) -> list[int]:
        return _looked(variant, held, seat)[1]

    def those_deciding() -> list[int]:
        return deciding(variant.game, held)

    return Record.of(held, Rules(observe, those_deciding))


def _looked(variant: Variant, states: States, seat: int) -> tuple[list[int], list[int]]:
    """The mover's mask, and what *seat* observes."""
    mask = np.zeros(variant.action_count, np.int8)
    out = np.zeros(variant.observation_size, np.int8)
    metrics = np.zeros(len(variant.game.metrics), np.int32)
    loops_of(variant.game).look(states, 0, seat, mask, out, metrics)
    return mask.tolist(), out.tolist()


def known_mask(variant: Variant, states: States, viewer: Viewer) -> Mask:
    """The mover's mask, if the viewer may know it."""
    mover = int(states["mover"][0])
    if mover == NOBODY:
        return [0] * variant.action_count
    if variant.game.open or (viewer is not None and mover in viewer):
        return _looked(variant, states, mover)[0]
    return None


def public(variant: Variant, states: States) -> States:
    """The record that spectators are shown."""
    taken_out = view_of(variant).public
    if taken_out is None:
        return states
    shown = states.copy()
    for name, value in taken_out(Record.of(states)).items():
        shown[name] = value
    return shown


def shown_to(variant: Variant, states: States, viewer: Viewer) -> States:
    """The record that is drawn for a viewer."""
    return states if viewer is not None else public(variant, states)


def has_spectators(variant: Variant) -> bool:
    """Whether there is something to show to who plays no seat."""
    return variant.game.open or view_of(variant).public is not None


# --- a record ------------------------------------------------------------------------------------


def action_name(variant: Variant, states: States, action: int) -> str:
    """An action in words, as the mover would say it."""
    return registry.named_action(variant.game, states, action)


def seat_name(variant: Variant, states: States, seat: int) -> str:
    """What people call a seat."""
    return view_of(variant).seat_name(reader(variant, states), seat)


def turn(variant: Variant, states: States) -> str:
    """What stands above the decisions of the turn that is to be decided."""
    return view_of(variant).turn(reader(variant, states))


def ending(variant: Variant, states: States, viewer: Viewer = None) -> Ending:
    """How a game that is over ended."""
    found = view_of(variant).ending(reader(variant, states), viewer)
    if found is None:
        raise EpisodeError("the game is not over yet")
    return found


def story(variant: Variant, before: States, after: States, viewer: Viewer) -> list[Event]:
    """What happened between two records, as that viewer may know it."""
    passed = [reader(variant, states) for states in variant.game.frames(after)[:-1]]
    begun = variant.game.begun(after) if passed else None
    between = Between(None, passed, None if begun is None else reader(variant, begun))
    view = view_of(variant)
    return view.story(reader(variant, before), reader(variant, after), viewer, between)


def last_turn(variant: Variant, states: States, viewer: Viewer) -> list[Event]:
    """What the last turn has brought in its phases: also while the next one is decided."""
    begun = variant.game.begun(states)
    if begun is None:
        return []
    return [event for event in story(variant, begun, states, viewer) if event.phase]


def text(variant: Variant, states: States, viewer: Viewer, before: States | None = None) -> str:
    """A record as plain text; and what has happened since *before*, and in the last turn."""
    events = [] if before is None else story(variant, before, states, viewer)
    told = last_turn(variant, states, viewer)
    return words.text(_page(variant, states, viewer), events, told)


def screen(variant: Variant, states: States, viewer: Viewer) -> str:
    """A record for a terminal of 80x24."""
    return words.screen(_page(variant, states, viewer))


def _page(variant: Variant, states: States, viewer: Viewer) -> Page:
    mask = known_mask(variant, states, viewer)
    return view_of(variant).page(reader(variant, states), viewer, mask)


def picture(
    variant: Variant,
    states: States,
    viewer: Viewer,
    choices: Sequence[int] | None = None,
    before: States | None = None,
    theme: str = "dark",
    narrow: bool = False,
) -> str:
    """A record as an SVG picture; *choices* can be chosen, what has changed since *before* is
    marked.
    """
    events = [] if before is None else story(variant, before, states, viewer)
    look = Look(
        viewer,
        None if choices is None else tuple(choices),
        narrow,
        None if before is None else reader(variant, before),
        events,
        last_turn(variant, states, viewer),
    )
    mask = known_mask(variant, states, viewer)
    return frame.picture(view_of(variant), reader(variant, states), mask, look, theme)


# --- a row of a batch ----------------------------------------------------------------------------


def seen_by(core: GameBatch, row: int, seat: int | None) -> States:
    """A row's record as it is shown to a seat, or to a spectator: None."""
    core.check_view(row, 0 if seat is None else seat)
    if seat is None and not has_spectators(core.variant):
        raise OptionError(
            f"{core.game.title} has no spectator's view: say by seat=, or by render_seat= when "
            f"making the env, from whose view it is shown: {', '.join(core.variant.agents)}"
        )
    return shown_to(core.variant, core.states[row : row + 1], _viewer(seat))


def _viewer(seat: int | None, allies: Sequence[int] = ()) -> Viewer:
    return None if seat is None else (seat, *allies)


def text_of(core: GameBatch, row: int, seat: int | None, before: States | None = None) -> str:
    """A row of games as plain text from a seat's view, or a spectator's; and what has happened
    since the record *before*.
    """
    viewer = _viewer(seat)
    if before is not None:
        before = shown_to(core.variant, before, viewer)
    return text(core.variant, seen_by(core, row, seat), viewer, before)


def picture_of(
    core: GameBatch,
    row: int,
    seat: int | None,
    highlight: bool | Iterable[int],
    before: States | None = None,
    theme: str = "dark",
    narrow: bool = False,
    allies: Sequence[int] = (),
) -> str:
    """Picture of a row of games from a seat's view, or a spectator's.

    If the seat is to move, its legal actions are highlighted, or those of them that *highlight*
    names: the reach of one stack, say. Spectators see them too where nothing is hidden. What has
    changed since the record *before* is marked.
    """
    variant, viewer = core.variant, _viewer(seat, allies)
    states = seen_by(core, row, seat)
    choices, mover = None, int(core.movers[row])
    shows = mover == seat or (seat is None and core.game.open and mover != NOBODY)
    if highlight is not False and shows:
        choices = np.flatnonzero(core.masks[row]).tolist()
        if highlight is not True:
            asked = _actions(variant, highlight)
            choices = [action for action in choices if action in asked]
    if before is not None:
        before = shown_to(variant, before, viewer)
    return picture(variant, states, viewer, choices, before, theme, narrow)


def phases_of(
    core: GameBatch, row: int, seat: int | None, before: States | None = None
) -> list[str]:
    """What has happened in a row since the record *before*, as pictures.

    A phase marks what it has changed; the last picture, of the row as it is, what ``picture_of``
    does.
    """
    variant, viewer = core.variant, _viewer(seat)
    if before is not None:
        before = shown_to(variant, before, viewer)
    *passed, now = core.game.frames(seen_by(core, row, seat))
    steps = [*zip(passed, [before, *passed], strict=False), (now, before)]
    return [picture(variant, states, viewer, None, old) for states, old in steps]


def _actions(variant: Variant, highlight: Any) -> list[int]:
    """The actions to highlight as a list, or ``ActionError``."""
    listed = whole_numbers(highlight)
    if listed is None or not all(0 <= at < variant.action_count for at in listed):
        raise ActionError(
            f"highlight={highlight!r} is not possible: give True, False, or actions from 0 to "
            f"{variant.action_count - 1}"
        )
    return listed
