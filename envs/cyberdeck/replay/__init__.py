"""Replays: any game as a small file, and as pictures, an animated GIF or one HTML page.

A replay holds what a game's course depends on: game, options, seed (or where it began) and every
decision. Everything else is played anew from that, so that nothing in it can contradict the rules.

>>> from cyberdeck import Batch
>>> from cyberdeck.replay import Replay
>>> batch = Batch("hackthegrid", 1, seed=7, autoreset="Disabled")
>>> actions = []
>>> while batch.mover[0] >= 0:
...     actions.append(int(batch.choose("heuristic")[0]))
...     batch.step(actions[-1:])
>>> replay = Replay(game="hackthegrid", seed=7, actions=actions, players=("ada", "bob"))
>>> replay.played().reason
'grid_emptied'
"""

from cyberdeck.replay.checks import Result
from cyberdeck.replay.file import Replay, export
from cyberdeck.replay.frames import Consequence, Frame, Move, Position

__all__ = ["Consequence", "Frame", "Move", "Position", "Replay", "Result", "export"]
