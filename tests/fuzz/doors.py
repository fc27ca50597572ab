"""All doors by their names: those of the table of doors."""

from __future__ import annotations

import importlib
from typing import Final

from tests import doors
from tests.fuzz import javascript
from tests.fuzz.trial import Door


def _door(place: str) -> type[Door]:
    module, _, name = place.partition(":")
    door: type[Door] = getattr(importlib.import_module(f"tests.fuzz.{module}"), name)
    return door


#: All of the table; each stands once, whatever reads through it.
PLACES: Final = dict.fromkeys(place for places in doors.READERS.values() for place in places)

DOORS: Final[dict[str, type[Door]]] = {
    door.name: door
    for door in map(_door, PLACES)
    if door.__module__ != javascript.__name__ or javascript.is_there()
}
