"""What goes over the wire: actions, observations and the state of an episode; and a client."""

from __future__ import annotations

import json
from typing import Any, Self

from openenv.core import EnvClient
from openenv.core.client_types import StepResult
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field, StrictInt, StrictStr, model_validator
from pydantic_core import PydanticCustomError


class CyberdeckAction(Action):
    """An answer: all that a model said, or just its move."""

    message: StrictStr | None = Field(
        None, description='what the model has said, with its move: ... {"move": "R1"}'
    )
    move: StrictStr | StrictInt | None = Field(
        None, description="in place of a message: a move's notation, or an action's number"
    )
    cut_off: bool = Field(False, description="the message was stopped by a limit of tokens")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.message is None) == (self.move is None):
            # A ValueError would end the session: OpenEnv cannot send it.
            raise PydanticCustomError("one_of_both", "give either message or move")
        return self

    @property
    def text(self) -> str:
        """The answer as ``TextEnv`` takes it."""
        if self.message is None:
            return json.dumps({"move": self.move})
        return self.message.encode(errors="replace").decode()  # half a character cannot be sent


class CyberdeckObservation(Observation):
    """What the seat is told, what became of its last answer, ``reward`` and ``done``."""

    text: str = Field(description="a prompt; or what was wrong with the answer; or how it ended")
    seat: str = Field(description="the seat that is to answer")
    legal_moves: list[str] = Field(default_factory=list, description="if list_moves asks for them")
    answer: str = Field("", description="the last one: move, illegal, unparsable or cut_off")
    move: str = Field("", description="what the last answer was read as")
    gave_up: bool = Field(False, description="no try was left: the seat's side has lost")
    reason: str = Field("", description="why the game is over")
    truncated: bool = Field(False, description="the game was stopped before its end")
    voided: str = Field("", description="why the episode does not count; it has no reward then")


class CyberdeckState(State):
    """What is known of an episode. What would give away secrets is told when it is over."""

    game: str = Field(description="the game's name")
    options: dict[str, Any] = Field(default_factory=dict, description="the game's own options")
    seats: list[str] = Field(default_factory=list, description="those that the client plays")
    done: bool = Field(False, description="whether it is over")
    seed: int | None = Field(None, description="what it came from; only when it is over")
    actions: list[int] = Field(
        default_factory=list, description="everybody's decisions; only when it is over"
    )


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
