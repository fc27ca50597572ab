"""``export``: a policy for programs that know nothing of cyberdeck."""

from __future__ import annotations

import argparse

from cyberdeck.commands import arguments
from cyberdeck.common.text import printable, tell
from cyberdeck.errors import OptionError
from cyberdeck.players import find_player
from cyberdeck.players.networks import InOwnView, Network


def export(chosen: argparse.Namespace) -> int:
    """Write it, and name the files."""
    from cyberdeck.players import exporting

    variant = arguments.chosen_variant(chosen)
    arguments.check_file(chosen.file)
    player = find_player(variant, chosen.policy)
    if isinstance(player, InOwnView):
        player = player.policy
    if not isinstance(player, Network):
        raise OptionError(
            f"{chosen.policy} is no network: give baseline, or the file of a trained policy "
            "(*.safetensors)"
        )
    for path in exporting.export(player, chosen.file):
        tell(printable(path))
    return 0
