"""``python -m cyberdeck``: the same as the ``cyberdeck`` command."""

import sys

from cyberdeck.commands.main import main

if __name__ == "__main__":
    sys.exit(main())
