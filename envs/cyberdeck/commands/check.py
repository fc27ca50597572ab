"""``cyberdeck check``: does a game keep the contract?"""

from __future__ import annotations

import argparse

from cyberdeck.commands import arguments
from cyberdeck.common.text import tell


def run(chosen: argparse.Namespace) -> int:
    """Print the report; 1 if something is wrong, 3 if too little was looked at."""
    from cyberdeck.common.progress import bar
    from cyberdeck.testing.apart import check_apart
    from cyberdeck.testing.checking import CAREFUL, THOROUGH

    times = THOROUGH if chosen.thorough else 1
    with bar(times * (min(CAREFUL, chosen.decisions) + chosen.decisions), "decisions") as progress:
        report = check_apart(
            arguments.chosen_variant,
            (chosen,),
            progress,
            times * chosen.seconds,
            decisions=chosen.decisions,
            seed=chosen.seed,
            thorough=chosen.thorough,
        )
    tell(str(report))
    return report.status
