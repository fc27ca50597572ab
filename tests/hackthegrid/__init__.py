"""Tests of HACKtheGRID."""
