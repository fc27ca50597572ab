"""A view of tic-tac-toe, for views that raise or return nothing."""

from cyberdeck.views.view import DRAWN, LOST, WON, Board, Cell, Ending, Event, Page, View

NAMES = "x", "o"


def action_name(record, action):
    return f"mark row {action // 3}, column {action % 3}"


def ending(record, viewer):
    if record.mover >= 0:
        return None
    if record.reward[0] == record.reward[1]:
        return Ending("A draw", "The grid is full", DRAWN)
    winner = 0 if record.reward[0] > 0 else 1
    mood = WON if viewer is None or winner in viewer else LOST
    return Ending(f"{NAMES[winner]} wins", "Three in a row", mood)


def page(record, viewer, mask):
    cells = [Cell(".xo"[mark + 1]) for mark in record.board]
    over = ending(record, viewer)
    task = "" if over else f"{NAMES[record.mover]} marks a cell"
    board = Board([cells[at : at + 3] for at in (0, 3, 6)])
    return Page("Tic-tac-toe", [f"move {record.decisions}"], task, over, board)


def story(before, after, viewer, between):
    return [
        Event(words=f"{NAMES[before.mover]} marked {cell}", seat=before.mover)
        for cell in range(9)
        if before.board[cell] != after.board[cell]
    ]


VIEW = View(
    action_name=action_name,
    seat_name=lambda record, seat: NAMES[seat],
    ending=ending,
    page=page,
    story=story,
)
