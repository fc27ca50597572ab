"""MATR1X 0VERL0AD: a one-player card game in three editions."""
