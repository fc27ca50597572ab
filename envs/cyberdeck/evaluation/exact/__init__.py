"""Exact values of games for two: all positions, compiled."""
