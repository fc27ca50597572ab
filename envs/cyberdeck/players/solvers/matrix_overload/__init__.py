"""MATR1X 0VERL0AD with open cards: winning lines, and a player that samples decks."""
