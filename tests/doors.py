"""Every door through which something of others comes in, and what holds it to each rule.

A door is a player (as a text names it), a command, an entry point or variable, a reader of files
and messages, or a route of a server. For each kind, ``HELD`` names for each rule the test that
holds its doors to it, or says in words why there is nothing to hold.
"""

from __future__ import annotations

from typing import Final

from cyberdeck.common.consent import Effect

RULES: Final = (
    *("code", "network", "environment", "writes", "size", "time", "memory"),
    *("control characters", "origin", "token", "interruption"),
)

#: Players by name, and what each does besides deciding.
PLAYERS: Final[dict[str, tuple[Effect, ...]]] = {
    **dict.fromkeys(
        ("random", "heuristic", "search", "solved", "baseline", "sampler", "optimal"), ()
    ),
    "chat": (Effect.NETWORK, Effect.ENVIRONMENT, Effect.WRITES),
}

#: Commands: those that run what they are given.
COMMANDS: Final = (
    *("list", "describe", "warm-up", "play", "train", "compare", "evaluate", "tournament"),
    *("exploit", "export", "solve", "tasks", "replay", "review", "new", "check", "build"),
)

#: Where other packages come in: groups of entry points, and variables of the environment.
ENTRIES: Final = ("cyberdeck.games", "CYBERDECK_GAMES")

#: What reads, by its module, and the doors of the fuzzer that try it.
READERS: Final[dict[str, tuple[str, ...]]] = {
    "cyberdeck.common.consent": (),  # digests of files that are to be run
    "cyberdeck.mjs": ("javascript:Restored", "javascript:Opened"),
    "cyberdeck.engine.native": ("files:Notes",),
    "cyberdeck.engine.saving": ("games:States",),
    "cyberdeck.players.networks": ("files:Policies",),
    "cyberdeck.players.solved": ("files:SolvedGames",),
    "cyberdeck.playing.keeping": ("playing:KeptGames",),
    "cyberdeck.playing.server": ("playing:Requests",),
    "cyberdeck.replay.checks": ("games:Replays",),
    "cyberdeck.replay.prompts": ("files:Prompts",),
    "cyberdeck.text.answers": ("games:Moves",),
    "cyberdeck.text.chat.journal": ("files:Journals",),
    "cyberdeck.views.kept": ("games:Links",),
    "cyberdeck_training.checkpoints": ("training:Checkpoints", "training:Weights"),
    "cyberdeck_training.config": ("training:Configurations",),
    "cyberdeck_training.reading": ("training:RunFolders",),
    "cyberdeck_training.runs": ("training:RunFolders",),
}

#: Routes of servers: of the page in the browser, and of OpenEnv's server.
PAGE: Final = ("GET /", "POST /table", "POST /again")
OPENENV: Final = (
    *("/openapi.json", "/docs", "/docs/oauth2-redirect", "/redoc", "/list_environments"),
    *("/{env_name}/splits", "/{env_name}/tasks", "/{env_name}/num_tasks", "/{env_name}/task"),
    *("/{env_name}/task_range", "/mcp", "/reset", "/step", "/state", "/metadata", "/health"),
    *("/schema", "/ws"),
)

_FUZZ: Final = "tests/fuzz/test_fuzz.py::test_what_strangers_send_is_withstood"
_BOMBS: Final = "tests/test_strangers.py::test_a_megabyte_takes_no_second_and_no_200_megabytes"
_AGREED: Final = "tests/training/test_consent.py::test_a_strangers_players_reach_nothing_and_nobody"
_DECLARED: Final = "tests/test_doors.py::test_a_player_does_what_it_declares_and_nothing_else"
_NAMES: Final = "tests/test_strangers.py::test_names_of_files_do_not_rule_the_terminal"
_CTRL_C: Final = (
    "tests/engine/test_pieces.py::test_ctrl_c_is_heard_within_a_second_and_the_work_can_go_on"
)
_SERVER: Final = "tests/playing/test_server.py"
_OPENENV: Final = "tests/text/test_openenv.py"
_MINE: Final = "what the user names is the user's own"
_LOCAL: Final = "nobody else can reach it"

HELD: Final[dict[str, dict[str, str]]] = {
    "player": {
        **dict.fromkeys(("code", "network", "environment", "writes"), _DECLARED),
        **dict.fromkeys(("size", "time", "memory"), _MINE),
        "control characters": _NAMES,
        **dict.fromkeys(("origin", "token"), _LOCAL),
        "interruption": _CTRL_C,
    },
    "command": {
        **dict.fromkeys(("code", "network", "environment", "writes"), _AGREED),
        **dict.fromkeys(("size", "time", "memory"), _MINE),
        "control characters": _NAMES,
        **dict.fromkeys(("origin", "token"), _LOCAL),
        "interruption": _CTRL_C,
    },
    "entry": {
        **dict.fromkeys(RULES, "whoever sets the variable, or installs the package, is the user"),
    },
    "reader": {
        **dict.fromkeys(("code", "network", "environment", "writes"), _FUZZ),
        "size": "tests/test_strangers.py::test_the_page_tells_the_bounds",
        **dict.fromkeys(("time", "memory"), _BOMBS),
        "control characters": _FUZZ,
        **dict.fromkeys(("origin", "token"), _LOCAL),
        "interruption": "a file is read, or refused, within a second",
    },
    "page": {
        **dict.fromkeys(
            ("code", "network", "environment", "writes"),
            "tests/playing/test_table.py::test_a_page_names_nobody_who_does_more_than_decide",
        ),
        "size": f"{_SERVER}::test_who_is_turned_away",
        "time": f"{_SERVER}::test_a_message_that_comes_byte_by_byte_is_not_waited_for",
        "memory": f"{_SERVER}::test_connections_that_are_held_open_keep_nobody_out",
        "control characters": _FUZZ,
        "origin": f"{_SERVER}::test_who_is_turned_away",
        "token": f"{_SERVER}::test_a_link_in_the_network_ends_with_the_server",
        "interruption": "a connection has its own thread, which the server's end does not wait for",
    },
    "openenv": {
        **dict.fromkeys(
            ("code", "network", "environment", "writes"),
            f"{_OPENENV}::test_a_client_names_no_file_and_no_setting",
        ),
        **dict.fromkeys(("size", "time"), f"{_OPENENV}::test_odd_requests_get_a_short_answer"),
        "memory": f"{_OPENENV}::test_sessions_share_the_solver_of_a_game_and_few_games_are_held",
        "control characters": "what it answers is JSON, which has no control characters",
        "origin": f"{_OPENENV}::test_who_is_let_in",
        "token": "it has none: whoever may connect may play",
        "interruption": "uvicorn's own: it ends at Ctrl-C",
    },
}
