"""States that other versions saved: fields are taken over by their names."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch, StateError, game
from cyberdeck.engine import saving
from cyberdeck.engine.careful import Careful
from cyberdeck.engine.contract import Game, Option
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.game_loops import carefully
from cyberdeck.engine.kernels import kernel
from cyberdeck.engine.loops import row_dtype
from cyberdeck.engine.record import Field
from cyberdeck.engine.variant import Variant
from tests.engine.games import LEFT, made

#: Saved at the commit 30c0c47, whose states had a digest in the place of their layout; the last one
#: by version 1 of Hovercrafts, which took escape_share=0.667 of three ships for all three.
OLD: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("older_states.json").read_text("utf-8")
)


# --- as they were saved --------------------------------------------------------------------------


def table(old: dict[str, Any], seed: int) -> Batch:
    return Batch(old["game"], 1, seed=seed, autoreset="disabled", **old["seated"], **old["options"])


@pytest.mark.parametrize("old", OLD, ids=lambda old: f"{old['game']}-{old['seed']}")
def test_older_states_are_read(old: dict[str, Any]) -> None:
    """They are what the same game, played anew, comes to; and go on like it."""
    played, read = table(old, old["seed"]), table(old, 99)
    for action in old["actions"]:
        played.step([action])
    read.set_state(0, base64.b64decode(old["saved"]))
    while True:
        assert read.get_state(0) == played.get_state(0)
        assert (read.observation == played.observation).all()
        assert (read.mask == played.mask).all()
        if read.mover[0] < 0:
            break
        action = read.choose("random")
        played.step(action)
        read.step(action)


def test_old_states_are_checked_like_new_ones() -> None:
    old = next(each for each in OLD if each["game"] == "hackthegrid")
    saved, read = base64.b64decode(old["saved"]), table(old, 99)
    before = read.get_state(0)
    for at in range(0, len(saved), 7):
        damaged = bytearray(saved)
        damaged[at] ^= 1 << (at % 8)
        with pytest.raises(StateError):
            read.set_state(0, bytes(damaged))
    unknown = saved[: len(b"cyberdeck 1\nhackthegrid\n")] + bytes(16)
    with pytest.raises(StateError, match="not known here"):
        read.set_state(0, signed(unknown + saved[len(unknown) : -16]))
    assert read.get_state(0) == before


def signed(body: bytes) -> bytes:
    return body + hashlib.blake2b(body, digest_size=16).digest()


# --- from a record of other fields ---------------------------------------------------------------


@kernel
def start(state: Any) -> None:
    state.left = 7
    state.pile[0] = 3


@kernel
def act(state: Any, action: Any) -> None:
    state.left -= 1
    state.pile[1] += 1
    state.mover = 1 - state.mover
    if state.left == 0:
        state.terminated, state.reason, state.mover = 1, 2, -1


PILE = Field("pile", -1, 9, (3,))


def counting(*fields: Field, **more: Any) -> Game:
    """A game that counts down from seven, whose record has these fields."""
    return made(name="counting", fields=fields, start=start, act=act, **more)


def games(game: Game, **options: Any) -> GameBatch:
    with carefully(Careful(game)):
        core = GameBatch(Variant(game, options), 1)
        core.reset([3])
        core.step(np.zeros(1, np.int64))
    return core


SAVED = games(counting(LEFT, PILE)).save()


def read(game: Game, saved: bytes = SAVED) -> np.ndarray:
    row = row_dtype(game.most_seats, len(game.metrics))
    return saving.unpack(game, row, saved)[1]


def test_a_state_names_its_fields() -> None:
    magic, name, row, record = SAVED.split(b"\n")[:4]
    assert (magic, name) == (b"cyberdeck 2", b"counting")
    assert row.startswith(b"dice:u8 game:u8 reward:f4:2 ")
    assert record.startswith(b"dice:u8 decisions:i4 reward:f4:2 mover:i1 ")
    assert b" left:i1 pile:i1:3 " in record


def test_fields_that_are_gone_or_lie_elsewhere() -> None:
    """In a game with fewer fields, in another order, and of a wider type."""
    wide = Field("pile", -1, 999, (3,))
    gone = Field("was", 0, 9, (5, 2))
    saved = games(counting(gone, LEFT, PILE)).save()
    fewer = games(counting(wide, LEFT))
    fewer.load(saved)
    record = fewer.states[0]
    assert (record["left"], record["decisions"], record["mover"]) == (6, 1, 1)
    assert record["pile"].tolist() == [3, 1, 0]
    assert fewer.observations.tolist() == [[6]]
    again = games(counting(gone, LEFT, PILE))  # saved anew, they are not in it
    with pytest.raises(StateError, match="a version without 'was', which this one needs"):
        again.load(fewer.save())


def test_numbers_are_taken_into_a_narrower_type_if_they_fit() -> None:
    wide = counting(LEFT, Field("pile", -1, 999, (3,)))
    core = games(wide)
    assert read(counting(LEFT, PILE), core.save())["pile"].tolist() == [[3, 1, 0]]
    core.states["pile"][0, 2] = 300
    with pytest.raises(StateError, match="field 'pile' does not fit"):
        read(counting(LEFT, PILE), core.save())
    core.states["pile"][0, 2] = 100  # within the type, beyond the bounds
    with pytest.raises(StateError, match="every field is within its bounds"):
        games(counting(LEFT, PILE)).load(core.save())


def test_another_shape_or_kind_of_number_is_an_error() -> None:
    for pile in (Field("pile", -1, 9, (4,)), Field("pile", 0, 2**64 - 1, (3,))):
        with pytest.raises(StateError, match="field 'pile' does not fit"):
            read(counting(LEFT, pile))


def test_an_option_is_what_it_is_by_default_in_states_of_before_it() -> None:
    pace = Option("pace", "slow", choices=("fast", "slow"))
    newer = counting(LEFT, PILE, options=(pace,))
    core = games(newer)
    core.load(SAVED)
    assert newer.read(core.states) == {"pace": "slow"}
    with pytest.raises(StateError, match="saved with pace='slow', and this env has pace='fast'"):
        games(newer, pace="fast").load(SAVED)
    unsettled = counting(
        LEFT,
        PILE,
        options=(dataclasses.replace(pace, default=None),),
        resolve_options=lambda options: {"pace": options["pace"] or "fast"},
    )
    with pytest.raises(StateError, match="a version without 'pace'"):
        read(unsettled)


# --- forged layouts ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "layout",
    [
        b"",
        b"dice",
        b"dice:u8 dice:u8",
        b"left:i1:0,3",
        b"left:i1:" + b"9" * 400,
        b"left:f8:999999999,999999999,999999999,999999999",
        b"left:O8 pile:U4",
        b"left:i1:-1",
        b"\xff\xfe:i1",
        b" ".join(b"f%d:i1" % at for at in range(9000)),
        b"x" * 10**6,
    ],
    ids=lambda layout: layout[:20],
)
def test_layouts_that_make_no_sense_are_refused(layout: bytes) -> None:
    *lines, rest = SAVED[:-16].split(b"\n", 4)
    for which in (2, 3):
        forged = [*lines]
        forged[which] = layout
        for body in (b"\n".join([*forged, rest]), b"\n".join(forged), b"\n".join(lines[:which])):
            with pytest.raises(StateError):
                read(counting(LEFT, PILE), signed(body))


def test_what_is_taken_over_is_checked_like_anything_else() -> None:
    """All fields of the record have other types, and the position is none."""
    own = game("hackthegrid")
    core = games(own)
    wide = [(name, core.states.dtype[name]) for name in own.dtype.names or () if name != "phase"]
    other = np.zeros(1, [*wide, ("phase", np.int32)])
    for name in own.dtype.names or ():
        other[name] = core.states[name]
    row, text = core.rows[:1], saving.layout(other.dtype)
    head = f"cyberdeck 2\nhackthegrid\n{saving.layout(row.dtype)}\n{text}\n".encode()
    before = core.save()
    core.load(signed(head + row.tobytes() + other.tobytes()))
    assert core.save() == before
    other["kind"] = 0
    with pytest.raises(StateError, match="no possible position"):
        core.load(signed(head + row.tobytes() + other.tobytes()))
    assert core.save() == before


def test_a_pickle_of_another_record_or_observation_is_refused() -> None:
    core = games(counting(LEFT, PILE))
    for name, other in (
        ("states", np.zeros(1, [*core.states.dtype.descr, ("more", np.int8)])),
        ("observations", core.observations.astype(np.int16)),
    ):
        kept = core.__deepcopy__({}).__getstate__()
        setattr(kept["_arrays"], name, other)
        with pytest.raises(StateError, match="pickled by a version with another record or obs"):
            GameBatch.__new__(GameBatch).__setstate__(kept)
