"""Tests of the table and its page."""
