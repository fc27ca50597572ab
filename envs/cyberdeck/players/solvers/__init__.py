"""Players that solve their game, and what they find out about it."""
