"""Hovercrafts: two teams of ships on a hex map, who plan their turns in secret."""
