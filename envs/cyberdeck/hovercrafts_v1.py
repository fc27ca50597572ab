"""Importing it says what has taken the place of Hovercrafts' version 1."""

from cyberdeck.api.registration import replaced
from cyberdeck.engine.registry import game

raise ImportError(replaced(game("hovercrafts"), 1, "hovercrafts_v"))
