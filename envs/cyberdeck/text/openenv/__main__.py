"""``python -m cyberdeck.text.openenv`` starts the server."""

import sys

from cyberdeck.text.openenv.app import main

if __name__ == "__main__":
    sys.exit(main())
