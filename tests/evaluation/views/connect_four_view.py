"""A view of Connect Four, for views that raise or return nothing."""

from cyberdeck.views.view import DRAWN, LOST, WON, Board, Cell, Ending, Event, Page, View

NAMES = "red", "yellow"
SIGNS = ".ry"


def action_name(record, action):
    return f"column {action + 1}"


def ending(record, viewer):
    if record.mover >= 0:
        return None
    if record.reward[0] == record.reward[1]:
        return Ending("A draw", "The board is full", DRAWN)
    winner = 0 if record.reward[0] > 0 else 1
    mood = WON if viewer is None or winner in viewer else LOST
    return Ending(f"{NAMES[winner]} wins", "Four in a row", mood)


def sign(record, row, column):
    bit = 7 * column + row
    return SIGNS[(record.discs[0] >> bit & 1) + 2 * (record.discs[1] >> bit & 1)]


def page(record, viewer, mask):
    cells = [[Cell(sign(record, 5 - row, column)) for column in range(7)] for row in range(6)]
    over = ending(record, viewer)
    task = "" if over else f"{NAMES[record.mover]} drops"
    return Page("Connect Four", [f"move {record.decisions}"], task, over, Board(cells))


def story(before, after, viewer, between):
    return [
        Event(words=f"{NAMES[before.mover]} dropped into {column}", seat=before.mover)
        for column in range(7)
        if before.height[column] != after.height[column]
    ]


VIEW = View(
    action_name=action_name,
    seat_name=lambda record, seat: NAMES[seat],
    ending=ending,
    page=page,
    story=story,
)
