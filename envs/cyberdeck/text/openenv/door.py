"""Who is let in: an ASGI application around the server's, before any code of OpenEnv runs."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any, Final

from fastapi.responses import PlainTextResponse

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
