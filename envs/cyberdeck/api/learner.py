"""What the adapters for one learner have in common: its seat, and who plays the others."""

from __future__ import annotations

from typing import Any

from cyberdeck.common.extras import need
from cyberdeck.engine import registry
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.loops import CALLER
from cyberdeck.engine.seats import Seat, checked_seat
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.players import Opponent, find_pool
from cyberdeck.transformed import new_games


def learner_seat(
    variant: Variant, seat: int | str | None, opponent: Opponent | None, ally: Opponent | None
) -> Seat:
    """The seat that the learner plays, checked; one-player games have none of these options."""
    if variant.seats == 1:
        if seat not in (None, 0) or opponent is not None or ally is not None:
            raise OptionError(
                f"{variant.game.title} is a game for one: leave out seat=, opponent= and ally="
            )
        return Seat(0)
    if ally is not None and not variant.teams:
        raise OptionError(f"{variant.game.title} has no teams: leave out ally=")
    chosen = checked_seat(variant, "random" if seat is None else seat)
    if ally is not None and chosen.team:
        raise OptionError(f"seat={seat!r} plays the whole team: there is no ally, leave out ally=")
    if chosen.number == EVERY:
        raise OptionError(
            "seat='every' is for cyberdeck.Batch and PettingZoo; here choose a seat or 'random'"
        )
    return chosen


def games_of(
    variant: Variant,
    count: int,
    seat: Seat,
    opponent: Opponent | None,
    ally: Opponent | None,
    device: Any = None,
    **play: Any,
) -> Any:
    """The games behind an adapter; other seats are played by *opponent* and *ally*, or randomly.

    *play*: see ``GameBatch``. With a *device* that PyTorch knows they are there, as tensors.
    """
    play["seat"] = seat
    play["opponents"] = find_pool(variant, "random" if opponent is None else opponent, "opponent")
    play["allies"] = find_pool(variant, "random" if ally is None else ally, "ally")
    if device is None:
        return new_games(variant, count, **play)
    for name, usual in (("threads", 1), ("history", False)):
        if play.pop(name, usual) != usual:
            raise OptionError(
                f"{name}= is for games on this processor: leave out {name}= or device="
            )
    for library in ("torch", "numba"):
        need(library, "games on a device", "cuda")
    from cyberdeck.device.games import DeviceGames, device_called

    return DeviceGames(variant, count, device=device_called(device), **play)


def learner_games(
    adapter: type,
    game: str | Variant,
    count: int,
    options: dict[str, Any],
    players: tuple[int | str | None, Opponent | None, Opponent | None],
    itself: bool = False,
    **play: Any,
) -> Any:
    """The games of a single learner, from the arguments of the adapter that shows them.

    *players* are its ``seat``, ``opponent`` and ``ally``. *itself*: the opponent may be ``ITSELF``.
    """
    variant = registry.variant(game, adapter, **options)
    seat, *others = players
    core = games_of(variant, count, learner_seat(variant, seat, *others), *others, **play)
    if CALLER in core.pool and not itself:
        raise OptionError(f"{adapter.__name__} shows one seat: its opponent cannot be the caller")
    return core
