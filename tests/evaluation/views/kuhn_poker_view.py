"""A view of Kuhn poker that tells nobody the other's card, for views that do."""

from cyberdeck.views.view import LOST, WON, Ending, Event, Line, Page, Panel, View

SEATS, CARDS, NAMES = ("first", "second"), ("jack", "queen", "king"), ("pass", "bet")


def action_name(record, action):
    return NAMES[action]


def ending(record, viewer):
    if record.mover >= 0:
        return None
    winner = 0 if record.reward[0] > 0 else 1
    mood = WON if viewer is None or winner in viewer else LOST
    return Ending(f"{SEATS[winner]} wins", f"it gets {abs(record.reward[0]):g}", mood)


def page(record, viewer, mask):
    over = ending(record, viewer)
    own = [f"{SEATS[seat]} has the {CARDS[record.deck[seat]]}" for seat in viewer or ()]
    panels = [Panel("cards", [Line(line) for line in own])]
    task = "" if over else f"{SEATS[record.mover]} decides"
    return Page("Kuhn poker", [f"decision {record.decisions}"], task, over, panels=panels)


def story(before, after, viewer, between):
    return [
        Event(words=f"{SEATS[seat]} said {NAMES[action]}", seat=seat)
        for seat, action in between.decisions or ()
    ]


def public(record):
    return {"deck": [0, 0, 0]}


VIEW = View(
    action_name=action_name,
    seat_name=lambda record, seat: SEATS[seat],
    ending=ending,
    page=page,
    story=story,
    public=public,
    turn=lambda record: f"Decision {record.decisions + 1}",
)
