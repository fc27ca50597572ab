"""The games as an environment of OpenEnv: what its tools want to find in a folder."""

from .client import CyberdeckEnv
from .models import CyberdeckAction, CyberdeckObservation, CyberdeckState

__all__ = ["CyberdeckAction", "CyberdeckEnv", "CyberdeckObservation", "CyberdeckState"]
