"""Tests of MATR1X 0VERL0AD."""
