"""Bet on a coin that shows heads six times in ten, as in Haghani and Dewey's experiment of 2016.

You begin with 25 dollars. Before each of 60 flips you choose which share of your money to bet on
heads: heads brings you as much as you have bet, tails costs you that. It is over when no flips or
dollars are left, or at 250 dollars, which is all that is paid. Your score is what you have then.

cyberdeck play examples/games/coin_bets.py
"""

from cyberdeck import Feature, Field, Game, Metric, Option, dice, end, kernel, offsets

START, MOST_PAID, MOST_FLIPS = 25, 250, 300
SHARES = 10  # an action is how many tenths are bet
ALL_FLIPPED, BROKE, PAID_OUT = 2, 3, 4


@kernel
def start(state):
    state.money = START
    state.left = state.flips


@kernel
def legal(state, mask):
    mask[:] = 1


@kernel
def act(state, action):
    bet = state.money * action / SHARES
    heads = dice.below(state, 100) < state.heads
    state.money = min(state.money + (bet if heads else -bet), MOST_PAID)
    state.left -= 1
    if state.money == MOST_PAID:
        end(state, PAID_OUT)
    elif state.money == 0:
        end(state, BROKE)
    elif state.left == 0:
        end(state, ALL_FLIPPED)
    if state.terminated:
        state.reward[0] = state.money


FEATURES = [
    Feature("money", (1,), 0, MOST_PAID, "in dollars", dtype="float32"),
    Feature("flips_left", (1,), 0, MOST_FLIPS, dtype="int16"),
]
AT = offsets(FEATURES)


@kernel
def observe(state, seat, out):
    out[AT.money] = state.money
    out[AT.flips_left] = state.left


@kernel
def report(state, seat, out):
    out[0] = int(state.money)


@kernel
def heuristic(state, mask, random_bits):
    """Kelly's share, by which money grows fastest in the long run: heads less tails."""
    return max(0, (2 * state.heads - 100) * SHARES // 100)


GAME = Game(
    name="coin_bets",
    seats=("player",),
    options=[
        Option("flips", 60, "how often the coin is flipped", bounds=(1, MOST_FLIPS)),
        Option("heads", 60, "how many of 100 flips show heads", bounds=(0, 100)),
    ],
    fields=[
        Field("money", 0, MOST_PAID, dtype="float32"),
        Field("left", 0, MOST_FLIPS),
    ],
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    features=FEATURES,
    actions=[(SHARES + 1, "bet tenths:")],
    reasons=("all_flipped", "broke", "paid_out"),
    scored=True,
    rewards="The dollars at the end, at most 250.",
    reward_bound=MOST_PAID,
    metrics=[Metric("dollars", "whole dollars that the player has")],
    report=report,
    heuristic=heuristic,
)
