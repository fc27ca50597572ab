"""OpenEnv: games in words behind a server. It needs the extra ``openenv``.

``python -m cyberdeck.text.openenv`` starts the server.
"""

from __future__ import annotations

from cyberdeck.text.openenv.environment import CyberdeckEnvironment
from cyberdeck.text.openenv.models import (
    CyberdeckAction,
    CyberdeckClient,
    CyberdeckObservation,
    CyberdeckState,
)

__all__ = [
    "CyberdeckAction",
    "CyberdeckClient",
    "CyberdeckEnvironment",
    "CyberdeckObservation",
    "CyberdeckState",
]
