"""The client, by the name that OpenEnv's ``AutoEnv`` looks for."""

from cyberdeck.text.openenv import CyberdeckAction, CyberdeckObservation
from cyberdeck.text.openenv import CyberdeckClient as CyberdeckEnv

__all__ = ["CyberdeckAction", "CyberdeckEnv", "CyberdeckObservation"]
