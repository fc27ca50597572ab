"""What people and language models see of a game: its view, and what is made from it for all games.

Nothing here needs NumPy or numba: a view reads a record through ``views.record``.
"""
