"""Slow and obvious second versions of the games, written from the rules text alone.

They share no code and no tables with the package. Tests play them side by side with the engine.
"""
