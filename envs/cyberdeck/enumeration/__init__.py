"""All positions of a small game, what its seats know in them, and compiled passes over them."""
