"""``python -m cyberdeck.text.openenv``."""

import sys

from cyberdeck.text.openenv.app import main

sys.exit(main())
