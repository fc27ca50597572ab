"""Very small games, one for each value of an option: so they are compiled together.

takers    Each draws numbers, one to three of them: whose best is highest wins.
kindness  The first takes a little, or lets the second win, who may leave it nothing or ruin it.
luck      Up to three times: take 1, or roll a die of three sides, where 0 loses all.
pairs, triples, alone   Four or six pass or win: two or three pairs, or everybody alone.
pennies   Matching pennies twice, and nobody sees anything: a first decision looks like a second.
many      Of so many outcomes a fifth is good for the first.
deals     67,600 deals, each seen by the one who guesses.
named     Chance by other names than ``dice.below``.
over      It is over before anybody decides.
"""

import types

import cyberdeck
from cyberdeck import Feature, Field, Game, Option, dice, end, kernel, win

SEATS = {
    **{"takers": 3, "kindness": 3, "luck": 1, "pairs": 4, "triples": 6, "alone": 4, "pennies": 2},
    **{"many": 2, "deals": 2, "named": 2, "over": 2},
}
TAKERS, KINDNESS, LUCK, PAIRS, TRIPLES, ALONE, PENNIES, MANY, DEALS, NAMED, OVER = range(11)


@kernel
def seat_count(state):
    if state.kind == TRIPLES:
        return 6
    if state.kind == PAIRS or state.kind == ALONE:
        return 4
    if state.kind == LUCK:
        return 1
    return 3 if state.kind <= KINDNESS else 2


@kernel
def side(state, seat):
    count = seat_count(state)
    return min(seat, count - 1 - seat) if state.kind == PAIRS or state.kind == TRIPLES else seat


def teams(options):
    count = {"pairs": 2, "triples": 3}.get(options["kind"], 0)
    return ["outer", "middle", "inner"][:count]


@kernel
def shuffle(state):
    if state.kind == DEALS:
        state.coin = dice.below(state, 260) * 260 + dice.below(state, 260)


@kernel
def start(state):
    state.got[:] = 0
    state.turn = 0
    if state.kind == OVER:
        win(state, dice.below(state, 4) > 0, 2)


@kernel
def legal(state, mask):
    mask[:] = 1


@kernel
def take(state, action):
    number = dice.below(state, 4)
    for _ in range(action):
        number = max(number, dice.below(state, 4))
    state.got[state.mover] = number
    if state.mover < 2:
        state.mover += 1
        return
    best, sharing = 0, 0
    for seat in range(3):
        best = max(best, state.got[seat])
    for seat in range(3):
        sharing += state.got[seat] == best
    for seat in range(3):
        state.reward[seat] = -1 if state.got[seat] < best else 1 if sharing == 1 else 0
    end(state, 2)


@kernel
def offer(state, action):
    if state.mover == 0 and action == 1:
        state.mover = 1
        return
    if state.mover == 0:
        state.reward[0] = -0.5
    else:
        state.reward[1], state.reward[0], state.reward[2] = 1.0, -float(action), -float(action)
    end(state, 2)


@kernel
def try_luck(state, action):
    gain = 1 if action == 0 else 2 * dice.below(state, 3)
    state.reward[0] = gain
    state.turn += 1
    if gain == 0 or state.turn == 3:
        end(state, 2)


@kernel
def pass_on(state, action):
    if action == 1 or state.decisions == 12:
        win(state, state.mover, 2)
    else:
        state.mover = (state.mover + 1) % seat_count(state)


@kernel
def match_pennies(state, action):
    if state.mover == 0:
        state.coin = action
        state.mover = 1
        return
    won = 1 if state.coin == action else -1
    state.reward[0], state.reward[1] = won, -won
    state.mover = 0
    if state.decisions == 4:
        end(state, 2)


@kernel
def coin(state):
    return dice.below(state, 2)


THROWS = types.ModuleType("throws_of_ones_own")
THROWS.coin = coin


@kernel
def act(state, action):
    if state.kind == TAKERS:
        take(state, action)
    elif state.kind == KINDNESS:
        offer(state, action)
    elif state.kind == LUCK:
        try_luck(state, action)
    elif state.kind <= ALONE:
        pass_on(state, action)
    elif state.kind == PENNIES:
        match_pennies(state, action)
    elif state.kind == MANY:
        win(state, dice.below(state, state.outcomes) % 5 > 0, 2)
    elif state.kind == DEALS:
        win(state, action ^ (state.coin & 1), 2)
    elif action == 0:
        win(state, cyberdeck.dice.below(state, 2), 2)
    else:
        win(state, THROWS.coin(state), 2)


@kernel
def observe(state, seat, out):
    if state.kind == DEALS:
        out[0], out[3] = state.coin // 260 % 100, state.coin % 260 % 100
        out[1], out[2] = state.coin // 26_000, state.coin % 260 // 100
    elif state.kind == TAKERS:
        for at in range(3):
            out[at] = state.got[at]


GAME = Game(
    name="small_games",
    most_seats=6,
    seats=lambda options: [*"abcdef"[: SEATS[options["kind"]]]],
    seat_count=seat_count,
    side=side,
    teams=teams,
    options=[
        Option("kind", "takers", choices=tuple(SEATS)),
        Option("outcomes", 5000, bounds=(2, 20_000)),
    ],
    fields=[Field("coin", 0, 2**31 - 1), Field("got", 0, 3, (3,)), Field("turn", 0, 3)],
    shuffle=shuffle,
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    features=[Feature("numbers", (4,), 0, 127)],
    actions=lambda options: [(3 if options["kind"] == "takers" else 2, "go")],
    reasons=("over",),
    reward_bound=12.0,
)
