"""The server, for ``uvicorn server.app:app``; environment variables say what it plays."""

import sys

from cyberdeck.text.openenv.app import app_of, read_arguments
from cyberdeck.text.openenv.app import main as serve

app = app_of(read_arguments([]))


def main() -> None:
    """What ``uv run --project . server`` and ``python -m server.app`` start."""
    sys.exit(serve())


if __name__ == "__main__":
    main()
