"""Wheels that carry the loops of the suite's games, compiled for each platform."""
