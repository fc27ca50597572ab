"""The loops of the suite's games as a library for each platform, and wheels that carry it."""
