"""Where verifiers looks for the games: ``vf-eval cyberdeck-verifiers``."""

from cyberdeck.text.verifiers import Chat, Games, GamesEnv

__all__ = ["Chat", "Games", "GamesEnv"]
