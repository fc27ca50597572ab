"""Stacktrices: two players, stacks of pyramids on a 7x7 board, and a hidden thief on each side."""
