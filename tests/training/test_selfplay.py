"""The pool of opponents: shares, and who of the past selves makes room."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cyberdeck.engine.others import ITSELF
from cyberdeck.players.networks import Network
from cyberdeck.sb3 import make_vec_env
from cyberdeck_training import config
from cyberdeck_training.selfplay import Pool
from tests.training.runs import write


def pool_of(folder: Path, **changed: Any) -> Pool:
    return Pool(config.load(write(folder, **changed)), folder / "selves")


def begun(folder: Path, replace: str, every: int = 1) -> Pool:
    """A pool of three past selves before the first update."""
    pool = pool_of(folder, past={"every": every, "keep": 3, "replace": replace})
    pool.start(network_of(0))
    return pool


def updated(pool: Pool, first: int, last: int) -> list[int]:
    """Which network is in each slot after these updates."""
    for update in range(first, last + 1):
        pool.add_past(partial(network_of, update), update)
    return playing(pool)


def network_of(number: float) -> Network:
    """One that can be told from others by its last bias."""
    layers = [(np.zeros((69, 349)), np.full(69, float(number)))]
    return Network("hackthegrid", layers, greedy=False)


def playing(pool: Pool) -> list[int]:
    """Which network is in each slot."""
    return [int(network.layers[-1][1][0]) for network in pool.past.networks if network]


@pytest.mark.parametrize(
    ("shares", "keep"),
    [
        ({"self": 1, "past": 2, "heuristic": 1}, 4),
        ({"self": 2, "past": 3, "random": 1}, 8),
        ({"self": 5, "random": 0}, ...),
        ({"random": 1, "search:iterations=5": 3}, ...),
    ],
)
def test_everybody_is_there_as_often_as_its_share_says(
    tmp_path: Path, shares: dict[str, int], keep: Any
) -> None:
    past = None if keep is ... else {"keep": keep}
    pool = pool_of(tmp_path, opponents=shares, past=past)
    names = Counter(entry.name for entry in pool.entries)
    slots = Counter(pool.slots)
    total = sum(shares.values())
    for name, share in shares.items():
        assert names[name] / len(pool.entries) == share / total
    for at in range(0 if past is None else keep):
        assert slots[at] / len(pool.entries) == shares["past"] / keep / total


def test_the_oldest_or_a_random_one_makes_room_once_all_slots_are_taken(tmp_path: Path) -> None:
    pool = begun(tmp_path, "oldest", every=2)
    assert playing(pool) == [0, 0, 0]
    assert updated(pool, 1, 10) == pool.updates == [8, 10, 6]
    pool = begun(tmp_path, "random")
    assert sorted(updated(pool, 1, 3)) == [1, 2, 3]
    ages = Counter[int]()
    for update in range(4, 104):
        assert update in updated(pool, update, update)
        ages.update(update - joined for joined in pool.updates)
    assert max(ages) > 6  # some stay for long, which with "oldest" none does


def test_the_easiest_makes_room(tmp_path: Path) -> None:
    pool = begun(tmp_path, "easiest")
    for slot, points in enumerate((0.0, 1.0, 0.5)):
        for _ in range(20):
            pool.record({pool.slots.index(slot): (1, points)})
    pool.record({pool.entries.index(ITSELF): (1, 1.0)})  # of the present self nothing is kept
    assert updated(pool, 1, 1) == [0, 1, 0]
    assert updated(pool, 2, 2) == [0, 1, 2]  # the new one was not met yet: it is not taken as easy


def test_a_pool_goes_on_where_it_was(tmp_path: Path) -> None:
    pool = begun(tmp_path, "random")
    updated(pool, 1, 5)
    again = pool_of(tmp_path, past={"every": 1, "keep": 3, "replace": "random"})
    again.restore(pool.state())
    assert updated(again, 6, 19) == updated(pool, 6, 19)
    pool.prune()
    assert len(list((tmp_path / "selves").iterdir())) == len(set(pool.updates))


def test_each_past_self_plays_in_its_own_places(tmp_path: Path) -> None:
    """As it would by itself; those that are still the same are asked together."""
    pool = begun(tmp_path, "oldest")
    rng = np.random.default_rng(1)
    for update in (1, 2):
        layers = [(rng.normal(size=(69, 349)), np.zeros(69))]
        pool.add_past(partial(Network, "hackthegrid", layers, greedy=False), update)
    assert len({*map(id, pool.past.networks)}) == 3
    core = make_vec_env("hackthegrid", 60, seed=1, threads=2).core
    core.reset([*range(60)])
    places = rng.choice([place for place, slot in enumerate(pool.slots) if slot >= 0], 60)
    slots = np.array(pool.slots)[places]
    assert {*slots} == {0, 1, 2}
    for _ in range(10):
        seen = replace(core.seen(core.all_rows, False), places=places)
        actions = pool.past.decide(seen)
        for slot, network in enumerate(pool.past.networks):
            assert network is not None
            assert (actions == network.decide(seen))[slots == slot].all()
        core.step(actions)
