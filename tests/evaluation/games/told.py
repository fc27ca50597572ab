"""Six tricks with twelve cards, told in words of its own: a view, metrics and a heuristic.

Each holds three of the cards 1 to 12. One leads, the other answers, the higher card takes the trick
and leads next; both draw from the stock while there is one. More tricks win.
"""

from dataclasses import dataclass

from cyberdeck import Feature, Field, Game, Metric, dice, end, kernel, nth_legal, win
from cyberdeck.views.view import (
    DRAWN,
    LOST,
    WON,
    Ending,
    Event,
    Line,
    Page,
    Panel,
    View,
    seat_of,
    sentence,
)

CARDS, HAND, NONE = 12, 3, -1
STOCK, THROWN = 2, 3  # in `place`, after the seats; thrown by the first, and by the second
MOST_TRICKS, EQUAL = 2, 3


@kernel
def draw(state, seat):
    """A card from the stock, if there is one."""
    count = 0
    for card in range(CARDS):
        count += state.place[card] == STOCK
    if count == 0:
        return
    left = dice.below(state, count)
    for card in range(CARDS):
        if state.place[card] == STOCK:
            if left == 0:
                state.place[card] = seat
                return
            left -= 1


@kernel
def shuffle(state):
    state.place[:] = STOCK
    for _ in range(HAND):
        draw(state, 0)
        draw(state, 1)


@kernel
def start(state):
    state.led = NONE
    state.tricks[:] = 0


@kernel
def legal(state, mask):
    for card in range(CARDS):
        mask[card] = state.place[card] == state.mover


@kernel
def act(state, action):
    seat, other = state.mover, 1 - state.mover
    state.place[action] = THROWN + seat
    state.mover = other
    if state.led == NONE:
        state.led = action
        return
    taker = seat if action > state.led else other
    state.led = NONE
    state.tricks[taker] += 1
    state.mover = taker
    draw(state, taker)
    draw(state, 1 - taker)
    if state.decisions < CARDS:
        return
    if state.tricks[0] == state.tricks[1]:
        end(state, EQUAL)
    else:
        win(state, 0 if state.tricks[0] > state.tricks[1] else 1, MOST_TRICKS)


@kernel
def observe(state, seat, out):
    for card in range(CARDS):
        out[card] = state.place[card] == seat
        out[CARDS + card] = state.place[card] == THROWN + seat
        out[2 * CARDS + card] = state.place[card] == THROWN + 1 - seat
    out[3 * CARDS] = state.led + 1
    out[3 * CARDS + 1] = state.tricks[seat]
    out[3 * CARDS + 2] = state.tricks[1 - seat]


@kernel
def resample(state, seat):
    """The other's cards, dealt anew of those that the seat does not see, the lowest first."""
    theirs, unseen = 0, 0
    for card in range(CARDS):
        theirs += state.place[card] == 1 - seat
        unseen += state.place[card] == 1 - seat or state.place[card] == STOCK
    for card in range(CARDS):
        if state.place[card] == 1 - seat or state.place[card] == STOCK:
            state.place[card] = STOCK
            if dice.below(state, unseen) < theirs:
                state.place[card] = 1 - seat
                theirs -= 1
            unseen -= 1


@kernel
def report(state, seat, out):
    out[0] = state.tricks[seat] - state.tricks[1 - seat]
    out[1] = 0
    for card in range(CARDS):
        if state.place[card] == seat:
            out[1] = card + 1


@kernel
def heuristic(state, mask, random_bits):
    """Lead the highest card; answer with the lowest that takes the trick, or else the lowest."""
    if state.led == NONE:
        for card in range(CARDS - 1, -1, -1):
            if mask[card] == 1:
                return card
    for card in range(state.led + 1, CARDS):
        if mask[card] == 1:
            return card
    return nth_legal(mask, 0)


GAME = Game(
    name="right_told",
    seats=("ann", "ben"),
    fields=[
        Field("place", 0, THROWN + 1, (CARDS,)),
        Field("led", NONE, CARDS - 1),
        Field("tricks", 0, CARDS // 2, (2,)),
    ],
    shuffle=shuffle,
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    resample=resample,
    heuristic=heuristic,
    report=report,
    metrics=[Metric("lead", "own tricks less theirs"), Metric("highest", "own card, 0 if none")],
    features=[
        Feature("hand", (CARDS,), 0, 1),
        Feature("thrown", (2, CARDS), 0, 1, "by oneself, by the other"),
        Feature("led", (1,), 0, CARDS, "the card that is led, or 0"),
        Feature("tricks", (2,), 0, CARDS // 2, "own, theirs"),
    ],
    actions=[(CARDS, "throw card")],
    reasons=("most_tricks", "equal"),
)

# --- what people see -----------------------------------------------------------------------------

NAMES = "Ann", "Ben"


@dataclass(frozen=True, kw_only=True)
class Thrown(Event):
    card: int


@dataclass(frozen=True, kw_only=True)
class Drawn(Event):
    """A card from the stock, which only who draws it sees."""


def knows(viewer, seat):
    return viewer is not None and seat in viewer


def does(viewer, seat, words):
    return f"you {words}" if knows(viewer, seat) else f"{NAMES[seat]} {words}"


def story(before, after, viewer, between):
    events = []
    for card in range(CARDS):
        where = after.place[card]
        if before.place[card] < THROWN <= where:
            words = does(viewer, where - THROWN, f"threw the {card + 1}")
            events.append(Thrown(words=words, seat=where - THROWN, card=card))
    for seat in range(2):
        for card in range(CARDS):
            drawn = before.place[card] == STOCK and after.place[card] == seat
            if drawn and knows(viewer, seat):
                events.append(Drawn(words=f"you drew the {card + 1}", seat=seat, follows=True))
    return events


def ending(record, viewer):
    if record.mover != NONE:
        return None
    why = f"{record.tricks[0]} tricks to {record.tricks[1]}"
    if record.tricks[0] == record.tricks[1]:
        return Ending("Nobody wins", why, DRAWN)
    winner = 0 if record.tricks[0] > record.tricks[1] else 1
    won = viewer is None or knows(viewer, winner)
    return Ending(f"{NAMES[winner]} wins", why, WON if won else LOST)


def listed(record, where):
    cards = [str(card + 1) for card in range(CARDS) if record.place[card] == where]
    return " ".join(cards) or "none"


def page(record, viewer, mask):
    over = ending(record, viewer)
    panels = []
    for seat in range(2):
        lines = [Line(f"tricks {record.tricks[seat]}"), Line(listed(record, THROWN + seat))]
        if knows(viewer, seat):
            lines.append(Line(f"in hand {listed(record, seat)}"))
        panels.append(Panel(NAMES[seat], lines))
    led = "" if record.led == NONE else f" on the {record.led + 1}"
    mine = not over and seat_of(viewer) == record.mover
    whose = "your turn" if mine else f"{NAMES[record.mover]}'s turn" if not over else ""
    status = [f"trick {min(record.decisions // 2 + 1, CARDS // 2)} of {CARDS // 2}"]
    return Page("Six tricks", status, sentence(whose) + led if whose else "", over, panels=panels)


def public(record):
    """Spectators do not see hands: they lie with the stock."""
    return {"place": [where if where >= THROWN else STOCK for where in record.place]}


VIEW = View(
    action_name=lambda record, action: f"throw the {action + 1}",
    seat_name=lambda record, seat: NAMES[seat],
    ending=ending,
    page=page,
    story=story,
    public=public,
    how_to_play="The higher card takes the trick. More tricks win.",
)
