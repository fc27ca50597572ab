"""A view of Liar's dice that tells nobody the other's dice, for views that do."""

from cyberdeck.views.view import LOST, WON, Ending, Event, Line, Page, Panel, View

SEATS = "first", "second"


def action_name(record, action):
    if action == 2 * record.each * record.sides:
        return "liar"
    return f"{action // record.sides + 1} x {action % record.sides + 1}"


def ending(record, viewer):
    if record.mover >= 0:
        return None
    winner = 0 if record.reward[0] > 0 else 1
    mood = WON if viewer is None or winner in viewer else LOST
    return Ending(f"{SEATS[winner]} wins", f"the bid was {bid(record)}", mood)


def bid(record):
    return action_name(record, record.bid) if record.bid >= 0 else "none"


def page(record, viewer, mask):
    over = ending(record, viewer)
    own = [f"{SEATS[seat]} has {record.cup[seat]}" for seat in viewer or ()]
    panels = [Panel("dice", [Line(line) for line in own])]
    task = "" if over else f"{SEATS[record.mover]} bids"
    return Page("Liar's dice", [f"the bid is {bid(record)}"], task, over, panels=panels)


def story(before, after, viewer, between):
    return [
        Event(words=f"{SEATS[seat]} said {action_name(before, action)}", seat=seat)
        for seat, action in between.decisions or ()
    ]


def public(record):
    return {"cup": 0}


VIEW = View(
    action_name=action_name,
    seat_name=lambda record, seat: SEATS[seat],
    ending=ending,
    page=page,
    story=story,
    public=public,
)
