"""The games as an OpenEnv environment: the folder that its tools want to find."""

from .client import CyberdeckEnv
from .models import CyberdeckAction, CyberdeckObservation, CyberdeckState

__all__ = ["CyberdeckAction", "CyberdeckEnv", "CyberdeckObservation", "CyberdeckState"]
