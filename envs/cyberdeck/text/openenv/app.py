"""The server, and its command line."""

from __future__ import annotations

import argparse
import functools
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.types import ConcurrencyConfig

from cyberdeck.api.registration import load_file
from cyberdeck.errors import CyberdeckError
from cyberdeck.players import Opponent
from cyberdeck.text.openenv.environment import CyberdeckEnvironment
from cyberdeck.text.openenv.models import CyberdeckAction, CyberdeckObservation, CyberdeckState

#: A session that has been silent for so many seconds no longer counts.
_IDLE: Final = 3600.0


def make_app(
    game: str = "hackthegrid",
    *,
    seat: int | str | None = None,
    opponent: Opponent | None = None,
    sessions: int = 100,
    **options: Any,
) -> FastAPI:
    """The server, as an application for uvicorn.

    Args:
        game: what is played where a client names no game: a name, or the file of a game of your
            own, which is run. Clients can then name that game, but no file.
        seat: the client's seat in this game, unless it names another.
        opponent: any player; it plays against the client in this game, unless that names another.
        sessions: how many there may be at once.
        options: the game's own options.
    """
    if game.endswith(".py"):
        game = load_file(game).name
    make = functools.partial(CyberdeckEnvironment, game, seat=seat, opponent=opponent, **options)
    make().reset(seed=0)  # it says what is wrong, and compiles the game
    app: FastAPI = create_app(
        make,
        CyberdeckAction,
        CyberdeckObservation,
        env_name="cyberdeck",
        concurrency_config=ConcurrencyConfig(max_concurrent_envs=sessions, session_timeout=_IDLE),
        state_cls=CyberdeckState,
    )
    app.add_exception_handler(CyberdeckError, _complain)
    return app


async def _complain(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, 400)


def read_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """What the server is started with: arguments, or environment variables."""
    parser = argparse.ArgumentParser(
        prog="python -m cyberdeck.text.openenv",
        description="Serve games in words by OpenEnv's protocol.",
    )
    for name, variable, default, told in (
        ("game", "CYBERDECK_GAME", "hackthegrid", "its name, or the file of your own game (*.py)"),
        ("options", "CYBERDECK_OPTIONS", "{}", "the game's options, as a JSON object"),
        ("seat", "CYBERDECK_SEAT", None, "the client's seat"),
        ("opponent", "CYBERDECK_OPPONENT", None, "any player of the game, who plays against it"),
        ("sessions", "MAX_CONCURRENT_ENVS", "100", "so many at once"),
    ):
        shown = os.environ.get(variable, default)
        parser.add_argument(
            f"--{name}",
            default=shown,
            metavar=name.upper(),
            type=_READ.get(name, str),
            help=f"{told} ({shown}; {variable} in the environment)",
        )
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0: open to others (127.0.0.1)")
    parser.add_argument("--port", default=8000, type=int, help="(8000)")
    return parser.parse_args(arguments)


def _options(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise argparse.ArgumentTypeError(f'{text!r} is no JSON object such as {{"max_turns": 9}}')
    return found


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return int(text)


#: What reads an argument's text.
_READ: Final[dict[str, Callable[[str], Any]]] = {"options": _options, "sessions": _positive}


def app_of(chosen: argparse.Namespace) -> FastAPI:
    """The server that the arguments ask for."""
    return make_app(
        chosen.game,
        seat=chosen.seat,
        opponent=chosen.opponent,
        sessions=chosen.sessions,
        **chosen.options,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until somebody stops the server; returns the exit status."""
    how = read_arguments(arguments)
    try:
        app = app_of(how)
    except CyberdeckError as error:
        print(f"cyberdeck: {error}", file=sys.stderr)
        return 2
    uvicorn.run(app, host=how.host, port=how.port)
    return 0
