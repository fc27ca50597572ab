"""``python -m cyberdeck``: the same as the ``cyberdeck`` command."""

import sys

from cyberdeck.command import main

if __name__ == "__main__":
    sys.exit(main())
