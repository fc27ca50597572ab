"""The plain view of any game, made from what a seat observes: for games that have none."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from cyberdeck.engine.constants import COMMON_REASONS, FORFEIT, NOBODY
from cyberdeck.engine.naming import named_action
from cyberdeck.views import plain_picture
from cyberdeck.views import view as v
from cyberdeck.views.features import Description, Shown, observed, plainly, planes_in, text_grids
from cyberdeck.views.notation import told_apart
from cyberdeck.views.record import Record
from cyberdeck.views.rules import paragraph, sections
from cyberdeck.views.view import Drawn, Ending, Line, Look, Mask, Page, Panel, View, Viewer
from cyberdeck.views.words import WIDTH, filled


def view(game: Description) -> View:
    """The plain view of a game."""

    def action_name(record: Record, action: int) -> str:
        return named_action(game.actions, action)

    @functools.cache
    def notations() -> dict[int, str]:
        count = sum(size for size, _ in game.actions)
        return told_apart({action: named_action(game.actions, action) for action in range(count)})

    def ending(record: Record, viewer: Viewer) -> Ending | None:
        if record.mover != NOBODY:
            return None
        # By an illegal action, or by giving up: the record does not say which.
        why = "forfeited" if record.reason == FORFEIT else game.reasons[record.reason]
        return Ending("Game over", v.sentence(why.replace("_", " ")), v.DRAWN)

    def page(record: Record, viewer: Viewer, mask: Mask) -> Page:
        """Every feature by its name; dots are zeros. Then the legal actions."""
        shown = observed(game, record, viewer)
        singles = [(each.name, each.grids[0][0][0]) for each in shown if each.single]
        numbers = filled(f"{name} {plainly(value)}" for name, value in singles)
        numbers += [line for each in shown if each.in_a_line for line in each.lines]
        panels = [Panel("", [Line(line) for line in numbers])] if numbers else []
        for each in shown:
            if each.labels and not each.in_a_line:
                panels.append(Panel(each.name, [Line(line) for line in each.lines]))
            elif not each.single and not each.in_a_line:
                panels.append(_panel(each))
        over = ending(record, viewer)
        status = [] if game.secretive else [f"decisions {record.decisions}"]
        if len(game.seats) > 1:
            seat = v.seat_of(viewer)
            status.insert(0, f"seen by {'a spectator' if seat is None else game.seats[seat]}")
        names = [
            f"{action} {named_action(game.actions, action)}"
            for action, legal in enumerate(mask or ())
            if legal and (viewer is None or record.mover in viewer)
        ]
        turn = "" if over else _turn(game, record, viewer)
        return Page(game.title, status, turn, over, panels=panels, choices=names)

    def draw(record: Record, page: Page, look: Look) -> Drawn:
        """A panel for each feature, and the legal actions by name."""
        features = observed(game, record, look.viewer)
        before = features if look.before is None else observed(game, look.before, look.viewer)
        named = [(action, named_action(game.actions, action)) for action in look.choices or ()]
        return plain_picture.draw_features(list(zip(features, before, strict=True)), named, look)

    return View(
        action_name=action_name,
        notation=lambda record, action: notations()[action],
        how_to_write=how_to_write(game.actions),
        seat_name=lambda record, seat: game.seats[seat],
        ending=ending,
        page=page,
        draw=draw,
        how_to_play=how_to_play(game),
    )


def how_to_play(game: Description) -> str:
    """What the game says of itself."""
    ends = ", ".join(reason.replace("_", " ") for reason in game.reasons[len(COMMON_REASONS) :])
    return sections(
        paragraph(game.about),
        paragraph(f"Rewards: {game.rewards}" if game.rewards else ""),
        paragraph(f"A game can end by: {ends}." if ends else ""),
    )


def how_to_write(actions: Sequence[tuple[int, str]]) -> str:
    """How actions are written that are called by the meaning of their groups.

    >>> how_to_write([(9, "mark cell"), (1, "pass")])
    'mark cell 0 to mark cell 8; pass'
    """
    each = (f"{name} 0 to {name} {count - 1}" if count > 1 else name for count, name in actions)
    return "\n".join(filled(each))


def _turn(game: Description, record: Record, viewer: Viewer) -> str:
    """Who decides, as that seat may know it: not who of several that do it in secret is next."""
    mover, seat = record.mover, v.seat_of(viewer)
    if game.simultaneous:
        those = record.rules.deciding()
        if seat is None:
            return "all decide" if len(those) == len(game.seats) else "some decide"
        if seat not in those:
            return "others decide"
        return "your turn, others decide as well" if len(those) > 1 else "your turn"
    return "your turn" if mover == seat else f"{game.seats[mover]}'s turn"


def _panel(shown: Shown) -> Panel:
    """A feature's grids under its name."""
    head, said = shown.name, plainly
    if shown.planes:
        head, words = shown.words(WIDTH - 2, lambda word: len(word) + 1)
        said = functools.partial(planes_in, words)
    return Panel(head, [Line(line) for line in text_grids(shown.grids, said)])
