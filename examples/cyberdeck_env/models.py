"""What goes over the wire."""

from cyberdeck.text.openenv import CyberdeckAction, CyberdeckObservation, CyberdeckState

__all__ = ["CyberdeckAction", "CyberdeckObservation", "CyberdeckState"]
