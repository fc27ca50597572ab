"""The server's client."""

from __future__ import annotations

from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult

from cyberdeck.text.openenv.models import CyberdeckAction, CyberdeckObservation, CyberdeckState


class CyberdeckClient(EnvClient[CyberdeckAction, CyberdeckObservation, CyberdeckState]):
    """A session with the server: ``reset``, ``step``, ``state``, ``close``, as in ``EnvClient``."""

    def _step_payload(self, action: CyberdeckAction) -> dict[str, Any]:
        payload: dict[str, Any] = action.model_dump(exclude_defaults=True)
        return payload

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[CyberdeckObservation]:
        reward, done = payload["reward"], payload["done"]
        observation = CyberdeckObservation(**payload["observation"], reward=reward, done=done)
        return StepResult(observation=observation, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> CyberdeckState:
        return CyberdeckState(**payload)
