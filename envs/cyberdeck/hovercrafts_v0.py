"""Importing it says what has taken the place of Hovercrafts' version 0."""

from cyberdeck.api.registration import replaced
from cyberdeck.engine.registry import game

raise ImportError(replaced(game("hovercrafts"), 0, "hovercrafts_v"))
