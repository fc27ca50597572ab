"""All doors that there are, by their names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.fuzz import files, games, javascript, playing, training
from tests.fuzz.trial import Door

MODULES: Final = (files, games, javascript, playing, training)


def _kinds(door: type[Door]) -> Iterator[type[Door]]:
    for kind in door.__subclasses__():
        yield kind
        yield from _kinds(kind)


ALL: Final[dict[str, type[Door]]] = {door.name: door for door in _kinds(Door)}

#: Those that can be tried here.
DOORS: Final = {
    name: door
    for name, door in ALL.items()
    if door.__module__ != javascript.__name__ or javascript.is_there()
}
