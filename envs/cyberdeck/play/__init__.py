"""A game in progress: where it stands, who plays it, and who tells what happens in it."""
