"""HACKtheGRID: two hackers collect cards from a 4x4 grid, everything in the open."""
