"""Games in words, for language models: prompts, answers, and who gives them."""

from __future__ import annotations

from cyberdeck.players import EVERYWHERE
from cyberdeck.text.answers import Verdict
from cyberdeck.text.env import TextEnv
from cyberdeck.text.game import TextGame

__all__ = ["TextEnv", "TextGame", "Verdict"]

EVERYWHERE["chat"] = "cyberdeck.text.chat.player:Chat"
