"""Tests of matches, ratings, tournaments and plots."""
