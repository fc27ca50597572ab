"""``solve``: what is known exactly of games that have a solver."""
