"""The server, and its command line."""

from __future__ import annotations

import argparse
import functools
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any, Final

import uvicorn
from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.types import ConcurrencyConfig

from cyberdeck.api.registration import load_file
from cyberdeck.common.text import printable, tell
from cyberdeck.errors import CyberdeckError
from cyberdeck.players import Opponent
from cyberdeck.text.openenv.environment import CyberdeckEnvironment
from cyberdeck.text.openenv.models import CyberdeckAction, CyberdeckObservation, CyberdeckState

#: So many faults of a request are told.
_FAULTS: Final = 10

#: A session that has been silent for so many seconds no longer counts.
_IDLE: Final = 3600.0

#: No body of a request is longer; uvicorn has the same limit for a message of a WebSocket.
LONGEST: Final = 16 << 20

#: Addresses that only this machine reaches.
_ALONE: Final = ("127.0.0.1", "localhost", "::1")

#: What `Host` says in a request for this machine's server; the port may be another one that is
#: forwarded here.
_HERE: Final = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?")


class Door:
    """Refuses pages of other sites, foreign names of this machine, and bodies without end.

    Any page that somebody looks at reaches a server of the same machine. Its browser says in
    ``Origin`` whose page it is: that has to be the server's own, which ``Host`` names. A foreign
    site can also make its own name lead here (DNS rebinding), so that both agree. So where the
    server listens to this machine alone, its name has to be one of this machine's.

    Args:
        app: what is behind it.
        host: the address that the server listens on.
    """

    def __init__(self, app: Any, host: str) -> None:
        self._app, self._alone = app, host in _ALONE

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Answer a request, or hand it on."""
        refusal = self._refusal(scope) if scope["type"] in ("http", "websocket") else None
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            status, words = refusal
            await PlainTextResponse(words, status)(scope, receive, send)
        else:  # closed before it is accepted: the handshake's answer is a 403
            await send({"type": "websocket.close", "code": 1008})

    def _refusal(self, scope: dict[str, Any]) -> tuple[HTTPStatus, str] | None:
        """Why somebody is not let in; None: they are."""
        said: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            said.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        hosts, origins = said.get("host", []), said.get("origin", [])
        if self._alone and not (len(hosts) == 1 and _HERE.fullmatch(hosts[0])):
            return HTTPStatus.FORBIDDEN, (
                "This server is for its own machine: ask for localhost or 127.0.0.1, or let it "
                "listen to others (--host, CYBERDECK_HOST)."
            )
        own = [f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")]
        if origins and not (len(origins) == len(hosts) == 1 and origins[0] in own):
            return HTTPStatus.FORBIDDEN, "Pages of other sites may not use this server."
        size = said.get("content-length", ["0"])[0]
        if "transfer-encoding" in said:
            return HTTPStatus.LENGTH_REQUIRED, "No length is given: send Content-Length."
        if not re.fullmatch("[0-9]{1,9}", size) or int(size) > LONGEST:
            words = f"Content-Length must be a number, of at most {LONGEST:,} bytes."
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, words
        return None


def make_app(
    game: str = "hackthegrid",
    *,
    seat: int | str | None = None,
    opponent: Opponent | None = None,
    sessions: int = 100,
    allow_graded: bool = False,
    host: str = "127.0.0.1",
    **options: Any,
) -> FastAPI:
    """The server, as an application for uvicorn.

    Args:
        game: what is played where a client names no game: a name, or the file of a game of your
            own, which is run. Clients can then name that game, but no file.
        seat: the client's seat in this game, unless it names another.
        opponent: any player; it plays against the client in this game, unless that names another.
        sessions: how many there may be at once.
        allow_graded: clients may ask for graded positions: to solve a game may take a minute and
            half a gigabyte.
        host: the address that the server will listen on. One that only this machine reaches has to
            be asked for by a name of this machine.
        options: the game's own options.
    """
    if game.endswith(".py"):
        game = load_file(game).name
    own = {"seat": seat, "opponent": opponent, "allow_graded": allow_graded, **options}
    make = functools.partial(CyberdeckEnvironment, game, **own)
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
    app.add_exception_handler(HTTPException, _refuse)
    app.add_exception_handler(RequestValidationError, _refuse)
    app.add_middleware(Door, host=host)
    return app


async def _complain(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, 400)


async def _refuse(request: Request, error: Exception) -> JSONResponse:
    """OpenEnv's own errors, without what was sent: it may be long, or no Unicode."""
    if isinstance(error, HTTPException):
        return JSONResponse({"detail": _told(error.detail)}, error.status_code)
    assert isinstance(error, RequestValidationError)
    return JSONResponse({"detail": _told(error.errors())}, 422)


def _told(detail: Any) -> Any:
    if isinstance(detail, list | tuple):
        return [_told(each) for each in detail[:_FAULTS]]
    if isinstance(detail, dict):
        return {name: _told(detail[name]) for name in ("type", "loc", "msg") if name in detail}
    return printable(detail) if isinstance(detail, str) else detail


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
        ("allow-graded", "CYBERDECK_ALLOW_GRADED", "no", "yes: clients may ask for graded tasks"),
        ("host", "CYBERDECK_HOST", "127.0.0.1", "where it listens; 0.0.0.0: open to others"),
    ):
        shown = os.environ.get(variable, default)
        parser.add_argument(
            f"--{name}",
            default=shown,
            metavar=name.upper(),
            type=_READ.get(name, str),
            help=f"{told} ({shown}; {variable} in the environment)",
        )
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


def _yes(text: str) -> bool:
    if text not in ("yes", "no"):
        raise argparse.ArgumentTypeError(f"{text!r} is neither yes nor no")
    return text == "yes"


#: What reads an argument's text.
_READ: Final[dict[str, Callable[[str], Any]]] = {
    "options": _options,
    "sessions": _positive,
    "allow-graded": _yes,
}


def app_of(chosen: argparse.Namespace) -> FastAPI:
    """The server that the arguments ask for."""
    how = {name: value for name, value in vars(chosen).items() if name not in ("options", "port")}
    return make_app(**how, **chosen.options)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until somebody stops the server; returns the exit status."""
    how = read_arguments(arguments)
    try:
        app = app_of(how)
    except CyberdeckError as error:
        tell(f"cyberdeck: {error}", sys.stderr)
        return 2
    uvicorn.run(app, host=how.host, port=how.port)
    return 0
