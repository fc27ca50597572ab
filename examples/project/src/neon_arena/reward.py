"""A reward: `cyberdeck train neon_arena reward=neon_arena.reward:stay_alive`."""


def stay_alive(made):
    """A little for each decision that was not the last, beside what the game pays."""
    return made.rewards + 0.01 * ~made.terminated
