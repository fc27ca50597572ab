"""What every room may use: files, tables of text, statistics, progress. It knows no game."""
