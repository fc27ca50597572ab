"""Helpers of every room: files, tables of text, statistics, progress. They know no game."""
