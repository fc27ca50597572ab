"""A game of your own in one file, and what it gets by being registered.

Push your luck: two players take turns. In a turn you throw a die as often as you like, and each
throw except a 1 goes into the pot. If you bank, you get the pot; a 1 loses it. In either case it is
then the other player's turn. You win when your bank and the pot together reach 20.

Then also try: cyberdeck play examples/own_game.py --opponent search

Needs cyberdeck (docs/install.md).
"""

import gymnasium
import pettingzoo

import cyberdeck
from cyberdeck import Feature, Field, Game, dice, evaluate, kernel, win
from cyberdeck.testing import check

GOAL = 20
THROW, BANK = 0, 1
REACHED = 2  # reasons begin at 2


@kernel
def start(state):
    state.banked[:] = 0
    state.pot = 0


@kernel
def legal(state, mask):
    mask[THROW] = 1
    mask[BANK] = state.pot > 0


@kernel
def act(state, action):
    seat = state.mover
    if action == THROW:
        pips = 1 + dice.below(state, 6)
        if pips > 1:
            state.pot += pips
            if state.banked[seat] + state.pot >= GOAL:
                win(state, seat, REACHED)
            return
    else:
        state.banked[seat] += state.pot
    state.pot = 0
    state.mover = 1 - seat


@kernel
def observe(state, seat, out):
    out[0], out[1], out[2] = state.banked[seat], state.banked[1 - seat], state.pot


GAME = Game(
    name="push_your_luck",
    seats=("first", "second"),
    fields=[Field("banked", 0, GOAL - 1, (2,)), Field("pot", 0, GOAL + 5)],
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    features=[
        Feature("banked", (2,), 0, GOAL - 1, "own, theirs"),
        Feature("pot", (1,), 0, GOAL + 5),
    ],
    actions=[(1, "throw"), (1, "bank")],
    reasons=("reached the goal",),
)

if __name__ == "__main__":  # worker processes and the command load this file for the game alone
    cyberdeck.register(GAME)
    report = check("push_your_luck", decisions=500)
    print(report)
    assert not report.faults

    env = gymnasium.make("cyberdeck/PushYourLuck-v0", opponent="search:iterations=50")
    observation, info = env.reset(seed=1)
    over = False
    while not over:
        action = env.action_space.sample(info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
    print("against search, at random:", reward)

    aec = pettingzoo.make("aec", "cyberdeck/push_your_luck-v0", render_mode="ansi")
    aec.reset(seed=1)
    for agent in aec.agent_iter():
        observation, reward, terminated, truncated, info = aec.last()
        action = None
        if not terminated and not truncated:
            action = aec.action_space(agent).sample(observation["action_mask"])
        aec.step(action)
    print(aec.render())

    results = evaluate("push_your_luck", "search:iterations=100", "random", deals=200, seed=1)
    print(results.table())
    both = results.records[-1]  # on both sides of the same deals
    assert both.wins - both.losses > 3 * (both.wins + both.losses) ** 0.5, "no better than random"
