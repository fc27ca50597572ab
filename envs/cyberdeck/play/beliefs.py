"""What a seat may believe that the others see, in words, for prompts and hints."""

from __future__ import annotations

from cyberdeck import showing
from cyberdeck.engine import registry
from cyberdeck.engine.history import History
from cyberdeck.players.beliefs import Filter
from cyberdeck.views import features
from cyberdeck.views.view import View


def describe_beliefs(believing: Filter, history: History) -> str:
    """What a seat that has to decide believes that the others see; "" where it knows all of that.

    >>> from cyberdeck import Batch
    >>> from cyberdeck.api.registration import load_file
    >>> from cyberdeck.players import find_player
    >>> from cyberdeck.players.beliefs import Filter
    >>> batch = Batch(load_file("examples/games/kuhn_poker.py").name, 1, seed=0, history=True)
    >>> believing = Filter(batch.variant, find_player(batch.variant, "random"))
    >>> print(describe_beliefs(believing, batch.core.history_of(0)))
    What the others see, if they play like random (exact):
    second, card: jack 50%, king 50%
    """
    found, told = believing(history), []
    variant, disguise = found.variant, history.log.variant.disguise
    own: View | None = registry.view(variant.game)
    worlds = [found.states[at : at + 1] for at in range(len(found))]
    weights = found.weights.tolist()
    for seat in (each for each in range(variant.seats) if each != found.seat):
        lines: list[str] = []
        if own is not None:
            pages = [own.page(showing.reader(variant, world), (seat,), None) for world in worlds]
            lines = features.likely_lines(pages, weights)
        if not lines:  # no view says it
            seen = [showing.look(variant, world, seat)[1] for world in worlds]
            lines = features.likely(showing.described(variant), seen, weights)
        if lines:
            told += [
                f"{showing.seat_name(variant, found.states[:1], seat)}, {lines[0]}",
                *lines[1:],
            ]
    if not told:
        return ""
    head = f"What the others see, if they play like {believing.player.name} ({found.how}):"
    text = "\n".join([head, *told])
    return text if disguise is None else disguise.words(text)
