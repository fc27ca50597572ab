"""A game as its view shows it: what views are given, from NumPy's records and compiled loops."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import registry
from cyberdeck.engine.contract import whole_numbers
from cyberdeck.engine.definitions import said
from cyberdeck.engine.disguise import Disguise
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.phases import phases_between
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.roles import deciding
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import ActionError, OptionError
from cyberdeck.views import notation, plain
from cyberdeck.views.features import Description
from cyberdeck.views.record import Record, Rules
from cyberdeck.views.scene import Scene
from cyberdeck.views.view import Between, Event, Mask, Page, View, Viewer

States = NDArray[Any]  # (1,): one record


def view_of(variant: Variant) -> View:
    """What shows that game: its own view, or the plain one; with other words, if it is in disguise.

    A disguised game has no picture of its own: signs and letters on it would give it away.
    """
    view: View = registry.view(variant.game) or plain_view(variant)
    if variant.disguise is not None:
        view = _disguised(view, variant, variant.disguise)
    return _Shown(**vars(view), variant=variant)


@dataclass(frozen=True, kw_only=True)
class _Shown(View):
    """The view of a variant: pickled by that, since functions of a view may have no name."""

    variant: Variant

    def __reduce__(self) -> tuple[Any, ...]:
        return view_of, (self.variant,)


def _disguised(view: View, variant: Variant, disguise: Disguise) -> View:
    """What a view says, with invented names and with actions by the numbers that are shown."""
    words, own, written = disguise.words, disguise.own_number, view.notation

    def translated(told: Any) -> Any:
        """Something that a view gives, with its texts in other words."""
        if isinstance(told, str):
            return words(told)
        if isinstance(told, Event):
            return replace(told, words=words(told.words))
        if not isinstance(told, (tuple, list)):
            return told
        parts = [translated(each) for each in told]
        return type(told)(*parts) if hasattr(told, "_fields") else type(told)(parts)

    def action_name(record: Record, action: int) -> str:
        return words(view.action_name(record, own(action)))

    def page(record: Record, viewer: Viewer, mask: Mask) -> Page:
        own_mask = None if mask is None else [mask[at] for at in disguise.shown]
        shown: Page = translated(view.page(record, viewer, own_mask))
        if not shown.choices:
            return shown
        legal = [action for action, possible in enumerate(mask or ()) if possible]
        return shown._replace(choices=[f"{each} {action_name(record, each)}" for each in legal])

    def story(before: Record, after: Record, viewer: Viewer, between: Between) -> list[Event]:
        made = between.decisions
        if made is not None:
            made = [(seat, own(action)) for seat, action in made]
        told = view.story(before, after, viewer, between._replace(decisions=made))
        return [translated(each) for each in told]

    return replace(
        view,
        action_name=action_name,
        seat_name=lambda record, seat: words(view.seat_name(record, seat)),
        ending=lambda record, viewer: translated(view.ending(record, viewer)),
        page=page,
        story=story,
        draw=None,
        turn=lambda record: words(view.turn(record)),
        notation=written and (lambda record, action: words(written(record, own(action)))),
        how_to_write=words(str(said(view.how_to_write, variant.options))),
        how_to_play=words(
            str(said(view.how_to_play, variant.options) or plain_view(variant).how_to_play)
        ),
        inks=(),
        lessons=None,
    )


def title(variant: Variant) -> str:
    """What the game is called."""
    name = variant.game.title
    return name if variant.disguise is None else variant.disguise.words(name)


def plain_view(variant: Variant) -> View:
    """The view of a game that has none, or of any."""
    return plain.view(described(variant))


def described(variant: Variant) -> Description:
    """What the plain view knows of a game: also the first paragraph of what is said at the top of
    the file that has its rules, if it has no summary.
    """
    game, features = variant.game, []
    for each in variant.present:
        kind = float if each.dtype == "float32" else int
        features.append((each.name, each.shape, kind(each.low), kind(each.high), each.labels))
    of_file = inspect.unwrap(game.act).__globals__.get("__doc__") or ""
    return Description(
        title=game.title,
        seats=variant.agents,
        features=features,
        actions=variant.actions,
        reasons=game.reasons,
        simultaneous=game.simultaneous,
        secretive=game.secret is not None,
        about=game.summary or inspect.cleandoc(of_file).partition("\n\n")[0],
        rewards=game.rewards,
    )


def how_to_play(variant: Variant) -> str:
    """The rules in short, as they are played with the variant's options.

    >>> from cyberdeck import variant
    >>> "jack (J, 11)" in how_to_play(variant("matrix_overload", edition="royals"))
    True
    """
    told = said(view_of(variant).how_to_play, variant.options)
    return str(told or plain_view(variant).how_to_play)


def how_to_write(variant: Variant) -> str:
    """How actions are written, for somebody who has to."""
    view = view_of(variant)
    told = str(said(view.how_to_write, variant.options))
    if told or view.notation:
        return told
    told = plain.how_to_write(variant.actions)
    return told if variant.disguise is None else variant.disguise.words(told)


# --- a record ------------------------------------------------------------------------------------


def reader(variant: Variant, states: States) -> Record:
    """A record as views read it."""
    held = states.copy()
    rules = Rules(
        observe=partial(_observed, variant, held),
        deciding=partial(_deciding, variant, held),
        mask=partial(known_mask, variant, held),
        phases=partial(_phases, variant, held),
    )
    return Record.of(held, rules)


def _observed(variant: Variant, states: States, seat: int) -> list[int]:
    return look(variant, states, seat)[1]


def _deciding(variant: Variant, states: States) -> list[int]:
    return deciding(variant.game, states)


def _phases(variant: Variant, states: States, before: Record) -> list[Record]:
    phases = phases_between(variant.game, before.made_of, states)
    return [reader(variant, each) for each in phases]


def look(variant: Variant, states: States, seat: int) -> tuple[list[int], list[int]]:
    """The mover's mask, and what *seat* observes: as that variant shows it, without a past."""
    states = states.copy()
    variant.game.write(states, variant.options)
    mask, out, _ = variant.look(states, seat)
    present = sum(feature.size for feature in variant.present)
    return mask.tolist(), out[out.size - present :].tolist()


def known_mask(variant: Variant, states: States, viewer: Viewer) -> Mask:
    """The mover's mask, if the viewer may know it."""
    mover = int(states["mover"][0])
    if mover == NOBODY:
        return [0] * variant.action_count
    if variant.game.open or (viewer is not None and mover in viewer):
        return look(variant, states, mover)[0]
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


def has_spectators(variant: Variant) -> bool:
    """Whether there is something to show to who plays no seat."""
    return variant.game.open or view_of(variant).public is not None


def scene(
    variant: Variant,
    states: States,
    viewer: Viewer,
    before: States | None = None,
    turn: States | None = None,
) -> Scene:
    """What a viewer sees of a record, and of what has happened since *before*, and in the last
    turn, which the record *turn* is from.
    """
    records = [None if each is None else reader(variant, each) for each in (before, turn)]
    old, last = records if turn is not before else records[:1] * 2
    return Scene(view_of(variant), reader(variant, states), viewer, old, last)


def notations(variant: Variant, states: States) -> dict[int, str]:
    """The notation of each of the mover's legal actions."""
    mask = known_mask(variant, states, (int(states["mover"][0]),)) or ()
    return notation.notations(view_of(variant), reader(variant, states), mask)


def action_called(variant: Variant, states: States, text: str) -> int:
    """The legal action that *text* stands for, or ``ActionError``."""
    return notation.action_called(notations(variant, states), text)


def seat_name(variant: Variant, states: States, seat: int) -> str:
    """What people call a seat."""
    return view_of(variant).seat_name(reader(variant, states), seat)


# --- a row of a batch ----------------------------------------------------------------------------


@dataclass
class Past:
    """What is remembered of a game, where it is shown: a record alone does not tell it."""

    before: States | None = None
    """The record before what has just happened, which is marked."""
    turn: States | None = None
    """A record of the last turn that was carried out in phases, from before that."""

    def went_on(self, variant: Variant, before: States, now: States) -> None:
        """The game has gone on, from one record to another."""
        if phases_between(variant.game, before, now):
            self.turn = before


class Pasts:
    """The same of the rows of a batch."""

    def __init__(self, core: GameBatch) -> None:
        self._core = core
        self._rows: dict[int, Past] = {}

    def __getitem__(self, row: int) -> Past | None:
        return self._rows.get(row)

    def went_on(self, before: States, new: NDArray[np.bool_]) -> None:
        """All rows have gone on from the records *before*, but for games that are *new*."""
        self.forget(np.flatnonzero(new))
        for row in np.flatnonzero(~new).tolist():
            past = self._rows.setdefault(row, Past())
            past.before = before[row : row + 1]
            past.went_on(self._core.variant, past.before, self._core.states[row : row + 1])

    def forget(self, rows: Iterable[int]) -> None:
        """Other games begin in these rows."""
        for row in rows if self._rows else ():
            self._rows.pop(int(row), None)


def scene_of(core: GameBatch, row: int, seat: int | None, past: Past | None = None) -> Scene:
    """What is seen of a row of games from a seat's view, or a spectator's: None."""
    core.check_view(row, 0 if seat is None else seat)
    past = past or Past()
    if seat is None and not has_spectators(core.variant):
        raise OptionError(
            f"{core.game.title} has no spectator's view: say by seat=, or by render_seat= when "
            f"making the env, from whose view it is shown: {', '.join(core.variant.agents)}"
        )
    viewer = None if seat is None else (seat,)
    whole = scene(core.variant, core.states[row : row + 1], viewer, past.before, past.turn)
    if viewer is not None:
        return whole
    shown = [each and each.public(whole.view.public) for each in (whole.before, whole.turn)]
    return Scene(whole.view, whole.record.public(whole.view.public), None, *shown)


def text_of(core: GameBatch, row: int, seat: int | None, past: Past | None = None) -> str:
    """A row of games as plain text from a seat's view, or a spectator's; and what has happened."""
    return scene_of(core, row, seat, past).text()


def picture_of(
    core: GameBatch,
    row: int,
    seat: int | None,
    highlight: bool | Iterable[int],
    past: Past | None = None,
    theme: str = "dark",
    narrow: bool = False,
) -> str:
    """Picture of a row of games from a seat's view, or a spectator's.

    If the seat is to move, its legal actions are highlighted, or those of them that *highlight*
    names: the reach of one stack, say. Spectators see them too where nothing is hidden. What has
    happened lately is marked.
    """
    shown = scene_of(core, row, seat, past)
    choices, mover = None, int(core.movers[row])
    shows = mover == seat or (seat is None and core.game.open and mover != NOBODY)
    if highlight is not False and shows:
        choices = np.flatnonzero(core.masks[row]).tolist()
        if highlight is not True:
            asked, count = whole_numbers(highlight), core.variant.action_count
            if asked is None or not all(0 <= action < count for action in asked):
                raise ActionError(
                    f"highlight={highlight!r} is not possible: give True, False, or actions from "
                    f"0 to {count - 1}"
                )
            choices = [action for action in choices if action in asked]
    return shown.picture(choices, theme, narrow)


def phases_of(core: GameBatch, row: int, seat: int | None, past: Past) -> list[str]:
    """The last turn in a row, as pictures of its phases, and of the row as it is.

    A phase marks what it has changed; the last picture, what ``picture_of`` does.
    """
    now = scene_of(core, row, seat, past)
    made: Sequence[Record] = () if now.turn is None else now.record.rules.phases(now.turn)
    if seat is None:
        made = [each.public(now.view.public) for each in made]
    steps = zip(made, [now.turn, *made], strict=False)
    drawn = [now._replace(record=each, before=old).picture() for each, old in steps]
    return [*drawn, now.picture()]
