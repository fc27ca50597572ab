"""Where verifiers looks for the games: ``vf-eval cyberdeck-verifiers``.

It imports a module of that name, ``cyberdeck_verifiers``: so this lies beside the packages.
"""

from cyberdeck.text.verifiers import Chat, Games, GamesEnv

__all__ = ["Chat", "Games", "GamesEnv"]
