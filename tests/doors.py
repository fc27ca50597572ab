"""Every door through which something of others comes in: players as a text names them, readers of
files and messages, and the routes of OpenEnv's server.
"""

from __future__ import annotations

from typing import Final

from cyberdeck.common.consent import Effect

#: Players by name, and what each does besides deciding.
PLAYERS: Final[dict[str, tuple[Effect, ...]]] = {
    **dict.fromkeys(
        ("random", "heuristic", "search", "solved", "baseline", "sampler", "optimal"), ()
    ),
    "chat": (Effect.NETWORK, Effect.ENVIRONMENT, Effect.WRITES),
}


#: What reads, by its module, and the doors of the fuzzer that try it.
READERS: Final[dict[str, tuple[str, ...]]] = {
    "cyberdeck.common.consent": (),  # digests of files that are to be run
    "cyberdeck.mjs": ("javascript:Restored", "javascript:Opened"),
    "cyberdeck.engine.native": ("files:Notes",),
    "cyberdeck.engine.saving": ("games:States",),
    "cyberdeck.players.networks.container": ("files:Policies",),
    "cyberdeck.players.networks.loading": ("files:Policies",),
    "cyberdeck.players.solved": ("files:SolvedGames",),
    "cyberdeck.playing.keeping": ("playing:KeptGames",),
    "cyberdeck.playing.server": ("playing:Requests",),
    "cyberdeck.replay.file": ("games:Replays",),
    "cyberdeck.replay.prompts": ("files:Prompts",),
    "cyberdeck.text.answers": ("games:Moves",),
    "cyberdeck.text.chat.journal": ("files:Journals",),
    "cyberdeck.views.kept": ("games:Links",),
    "cyberdeck_training.checkpoints": ("training:Checkpoints", "training:Weights"),
    "cyberdeck_training.config": ("training:Configurations",),
    "cyberdeck_training.reading": ("training:RunFolders",),
    "cyberdeck_training.runs": ("training:RunFolders",),
}

OPENENV: Final = (
    *("/openapi.json", "/docs", "/docs/oauth2-redirect", "/redoc", "/list_environments"),
    *("/{env_name}/splits", "/{env_name}/tasks", "/{env_name}/num_tasks", "/{env_name}/task"),
    *("/{env_name}/task_range", "/mcp", "/reset", "/step", "/state", "/metadata", "/health"),
    *("/schema", "/ws"),
)
