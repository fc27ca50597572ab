"""The outside interfaces: each file is a thin adapter over the engine, and none knows a game."""
