"""A view of Goofspiel that tells nobody a bid before both are made, for views that do."""

from cyberdeck.views.view import DRAWN, LOST, WON, Ending, Event, Line, Page, Panel, View

SEATS = "left", "right"


def action_name(record, action):
    return f"bid {action + 1}"


def ending(record, viewer):
    if record.mover >= 0:
        return None
    points = f"{record.points[0]} to {record.points[1]}"
    if record.points[0] == record.points[1]:
        return Ending("A draw", points, DRAWN)
    winner = 0 if record.points[0] > record.points[1] else 1
    mood = WON if viewer is None or winner in viewer else LOST
    return Ending(f"{SEATS[winner]} wins", points, mood)


def page(record, viewer, mask):
    over = ending(record, viewer)
    own = [
        f"{SEATS[seat]} bids {record.bid[seat] + 1}"
        for seat in viewer or ()
        if record.bid[seat] >= 0
    ]
    panels = [Panel("bids", [Line(line) for line in own])]
    task = "" if over else "all bid"
    status = [f"the prize is {record.prize + 1}", f"points {record.points}"]
    return Page("Goofspiel", status, task, over, panels=panels)


def story(before, after, viewer, between):
    if before.mover == 0 or after.mover == 1:
        return []
    gained = [after.points[seat] - before.points[seat] for seat in range(2)]
    return [
        Event(words=f"{SEATS[seat]} got {gained[seat]}", seat=seat)
        for seat in range(2)
        if gained[seat]
    ]


def public(record):
    return {"bid": [-1, -1]}


VIEW = View(
    action_name=action_name,
    seat_name=lambda record, seat: SEATS[seat],
    ending=ending,
    page=page,
    story=story,
    public=public,
)
