"""A person at the table: a running game, its choices and hints, and the table that a page shows."""
