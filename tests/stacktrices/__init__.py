"""Tests of Stacktrices."""
