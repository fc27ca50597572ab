"""A clock on the parts of a learner's work, and an opponent that is the learner itself."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from cyberdeck.engine.policy import Policy, PolicyInput


class Clock:
    """Seconds since it was cleared, by what is called: on the wall, and of the processor."""

    def __init__(self) -> None:
        self.wall: dict[str, float] = defaultdict(float)
        self.cpu: dict[str, float] = defaultdict(float)

    def clear(self) -> None:
        self.wall.clear()
        self.cpu.clear()

    def on(self, thing: Any, method: str, name: str) -> None:
        """Count the time of a method under that name."""
        called: Callable[..., Any] = getattr(thing, method)

        def timed(*arguments: Any, **named: Any) -> Any:
            wall, cpu = time.perf_counter(), time.process_time()
            answer = called(*arguments, **named)
            self.wall[name] += time.perf_counter() - wall
            self.cpu[name] += time.process_time() - cpu
            return answer

        setattr(thing, method, timed)


class Copy(Policy):
    """What has been learned so far, as self-play has it."""

    name = "network"
    player: Any

    def decide(self, seen: PolicyInput) -> Any:
        return self.player.decide(seen)
