"""``replay``: a saved game as a list of moves, a page, an animation or pictures."""
