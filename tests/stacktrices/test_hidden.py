"""Noninterference: what a seat may not see shows nowhere, and is redrawn evenly."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch, showing
from cyberdeck.engine import saving
from cyberdeck.engine.record import FORFEIT, NOBODY
from cyberdeck.games.stacktrices.constants import PHASES
from cyberdeck.views.record import Record
from cyberdeck.views.stacktrices import VIEW
from tests.stacktrices.positions import story, svg, viewer_of, words, write
from tests.stacktrices.words import daring, squares_of

GAME = "stacktrices"
VARIANTS: list[dict[str, Any]] = [
    {"steal_on_attack": steal, "stacked_movement": stacked, "observation": view, "setup": setup}
    for steal, stacked, view, setup in (
        (False, False, "vector", "choose"),
        (True, False, "planes", "random"),
        (True, True, "prior", "choose"),
        (False, True, "planes", "random"),
    )
]
SETUP = ("hide the thief", "place the pieces")
RAID = ("raid", "place the raided piece", "hide the raider")


def shown(
    batch: Batch,
    record: np.ndarray,
    seat: int,
    pictures: bool = True,
    before: np.ndarray | None = None,
) -> list[Any]:
    """Everything that a seat is shown of a position, and of what has led there from another."""
    variant, loops = batch.variant, batch._core.loops
    observation = np.empty(variant.observation_size, np.int8)
    mask = np.empty(variant.action_count, np.int8)
    metrics = np.empty(len(variant.game.metrics), np.int32)
    loops.look(record, 0, seat, mask, observation, metrics)
    seen = [observation.tobytes(), mask.tobytes(), metrics.tolist(), write(record, seat)]
    if pictures:
        own = mask if record["mover"][0] == seat else None
        seen += [words(record, seat), svg(record, seat), svg(record, seat, own, before)]
        read, viewer = Record.of(record), viewer_of(seat)
        seen.append(VIEW.page(read, viewer, None if own is None else own.tolist()))
        seen.append(showing.scene(variant, record, viewer).screen())
        seen += [VIEW.action_name(read, action) for action in np.flatnonzero(mask).tolist()]
        seen.append([] if before is None else story(record, before, seat))
    return seen


def living(record: np.ndarray, owner: int) -> list[int]:
    """The drones that are not captured."""
    drones: list[int] = np.flatnonzero(record["square"][0, owner, :4] >= 0).tolist()
    return drones


def phase(record: np.ndarray) -> str:
    return PHASES[record["phase"][0]]


def known(record: np.ndarray, owner: int) -> int:
    """The thief that the opponent of *owner* knows, by the rules; -1 if there is none."""
    thief = int(record["thief"][0, owner])
    raiding = phase(record) in RAID and record["mover"][0] == owner
    open_to_all = raiding or record["exposed"][0, owner] or len(living(record, owner)) == 1
    return thief if open_to_all and phase(record) not in SETUP else -1


# --- the thief ------------------------------------------------------------------------------------


def with_thief(batch: Batch, row: int, owner: int, thief: int) -> bytes:
    """A row as it is saved, but for the thief of one side."""
    core = batch._core
    entry, record = saving.unpack(core.game, core.rows.dtype, batch.get_state(row))
    record["thief"][0, owner] = thief
    return saving.pack(core.game, entry, record)


@pytest.mark.parametrize("options", VARIANTS[:3], ids=str)
def test_games_that_differ_only_in_a_hidden_thief_go_on_alike(options: dict[str, Any]) -> None:
    """The other side is shown the same, and its owner may do the same, but for claim and expose.
    What touches neither of two drones that may be the thief leads to the same, whichever it is.
    """
    batch = Batch(GAME, 10, seed=3, max_turns=16, **options)
    luck = np.random.default_rng(3)
    actions = batch.variant.action_count
    told = [actions - 4, actions - 1] if options["steal_on_attack"] else [actions - 3]
    met: Counter[str] = Counter()
    for step in range(56):
        twins, owners = batch.clone(), np.full(10, -1)
        choices = batch.mask.copy()
        for row in range(10):
            record = batch._core.states[row : row + 1]
            owner = int(luck.integers(2))
            thief = int(record["thief"][0, owner])
            others = [drone for drone in living(record, owner) if drone != thief]
            if thief < 0 or known(record, owner) >= 0 or not others:
                continue
            other = int(luck.choice(others))
            twins.set_state(row, with_thief(batch, row, owner, other))
            both = batch.mask[row] & twins.mask[row]
            if record["mover"][0] == owner:
                assert not both[told].any(), "no two drones can both be the thief"
                assert {*np.flatnonzero(batch.mask[row] ^ twins.mask[row])} <= {*told}
            elif phase(record) == "move":
                legal = np.flatnonzero(both)
                hit = record["board"][0, squares_of(legal, 1 - owner)] - 7 * owner
                both[legal[np.isin(hit, (thief, other))]] = 0
            if both.any():
                owners[row], choices[row] = owner, both
            else:  # every move would capture a drone that may be the thief
                twins.set_state(row, batch.get_state(row))
        before = [each._core.states.copy() for each in (batch, twins)]
        chosen = daring(batch._core.states, choices, luck)
        batch.step(chosen)
        twins.step(chosen)
        for name in ("mover", "reward", "terminated", "truncated", "reason"):
            assert (getattr(batch, name) == getattr(twins, name)).all()
        over = batch.terminated | batch.truncated
        for row in np.flatnonzero(owners >= 0).tolist():
            seat, whole = 1 - int(owners[row]), slice(row, row + 1)
            pictures = 7 * step % 20 == row
            views, old = [], before[0][whole]
            for each, was in zip((batch, twins), before, strict=True):
                views.append(shown(each, was[whole], seat, pictures=False))
                if not over[row]:  # or a new game has begun in both
                    record = each._core.states[whole]
                    views[-1] += shown(each, record, seat, pictures, was[whole])
            assert views[0] == views[1]
            for name in set(old.dtype.names) - {"thief"}:
                assert (batch._core.states[name][row] == twins._core.states[name][row]).all(), name
            met[phase(old)] += 1
            met["owner"] += old["mover"][0] != seat
            met["ended"] += int(over[row])
    for where in ("move", "after the move", "trade", "owner"):
        assert met[where] > 15, where
    assert met["hide the thief again"] + met["steal"] + met["ended"] > 0


@pytest.mark.parametrize("options", VARIANTS[:2], ids=str)
def test_a_thief_is_shown_while_it_is_revealed_and_not_before_or_after(
    options: dict[str, Any],
) -> None:
    """In the middle of its raid, exposed for good, or the only drone: else never."""
    batch = Batch(GAME, 16, seed=4, **options)
    luck = np.random.default_rng(4)
    met: Counter[str] = Counter()
    for _ in range(240):
        for row in range(16):
            record = batch._core.states[row : row + 1]
            for seat in (0, 1):
                pieces = batch.variant.named(batch.look(row, seat)[0])
                features = pieces["opponent_features"]
                if features.ndim > 2:  # planes: a feature on the stack's square
                    found = [int((features[7] * plane).sum()) for plane in pieces["opponent_at"]]
                else:
                    found = features[:, 7].tolist()
                thief = known(record, 1 - seat)
                assert found == [int(stack == thief) for stack in range(7)]
                met[f"{phase(record)}: {'known' if thief >= 0 else 'hidden'}"] += 1
                met["exposed"] += int(record["exposed"][0, 1 - seat])
        batch.step(daring(batch._core.states, batch.mask, luck))
    assert met["hide the raider: known"] > 2
    assert met["hide the raider: hidden"] > 2, "the other side's"
    assert met["move: hidden"] > 500
    assert met["move: known"] > 20
    assert (met["exposed"] > 20) == options["steal_on_attack"]


@pytest.mark.parametrize("options", VARIANTS[0:3:2], ids=str)
def test_during_the_set_up_nothing_of_the_other_side_shows(options: dict[str, Any]) -> None:
    """Ruling S4: thief, caps and hand of each side are hidden until both have finished; also if
    one side forfeits the game.
    """
    games = 4
    batch = Batch(GAME, games, seed=5, first=1, **options)
    for step in range(22):
        states = batch._core.states
        white_begins = step < 11
        seat = 0 if white_begins else 1  # who looks: the one that is not asked
        views = []
        for row in range(games):
            record = states[:1].copy()
            for name in ("pieces", "hand", "thief"):
                record[name][0, 1 - seat] = states[name][row, 1 - seat]
            views.append(shown(batch, record, seat, pictures=step % 2 == 0))
            record["reason"], record["terminated"], record["mover"] = FORFEIT, 1, NOBODY
            record["reward"] = (1.0, -1.0)
            views[-1] += shown(batch, record, seat, pictures=step % 4 == 1)
        assert all(view == views[0] for view in views)
        assert len({states["pieces"][row].tobytes() for row in range(games)}) > 1 or step % 11 < 2
        batch.step(batch.choose("random"))
    assert {PHASES[at] for at in batch._core.states["phase"]} == {"move"}
    caps = [batch.variant.named(batch.look(row, 0)[0])["opponent_features"] for row in range(games)]
    assert len({one.tobytes() for one in caps}) == games, "then all caps lie open"


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_everything_else_is_open_to_both_seats(options: dict[str, Any]) -> None:
    """Text: only the thief is hidden. Own and opponent's parts of the views agree.

    Ranks are mirrored between the seats, files are kept.
    """
    batch = Batch(GAME, 16, seed=6, **options)
    luck = np.random.default_rng(6)
    planes = options["observation"] == "planes"
    for _ in range(150):
        for row in range(16):
            state = batch._core.states[row]
            one, two = (batch.variant.named(batch.look(row, seat)[0]) for seat in (0, 1))
            for name, end in (("at", -2), ("features", -2 if planes else None)):
                mine, theirs = one[f"own_{name}"].copy(), two[f"opponent_{name}"].copy()
                if end is not None:
                    theirs = np.flip(theirs, end)
                if name == "features":
                    if PHASES[state["phase"]] in SETUP:
                        continue
                    thieves = (slice(None), 7) if not planes else (7,)
                    mine[thieves] = theirs[thieves] = 0
                assert (mine == theirs).all()
            for name in ("store", "loot", "captured", "phase", "skipped", "turns_left", "gives"):
                assert (one[name] == two[name]).all()
            for name in ("last_from", "last_to"):
                assert (one[name] == np.flip(two[name], -2)).all()
            for seat, seen in enumerate((one, two)):
                assert seen["store"].reshape(6, -1)[:, 0].tolist() == state["store"].tolist()
                assert seen["to_move"].ravel()[0] == (state["mover"] == seat)
                assert seen["white"].ravel()[0] == (state["first"] == seat)
        batch.step(daring(batch._core.states, batch.mask, luck))


# --- redrawing ------------------------------------------------------------------------------------


def redrawn(batch: Batch, record: np.ndarray, seat: int, times: int) -> list[np.ndarray]:
    """Copies of a position in which what *seat* cannot know is drawn again; all are possible."""
    copies = [record.copy() for _ in range(times)]
    failed = np.zeros(1, np.int64)
    for luck, copy in enumerate(copies):
        batch._core.loops.resample(copy, 0, seat, np.uint64(luck))
        assert batch._core.loops.check_state(copy, failed) == 0
    return copies


def even(counts: Counter[Any], kinds: int) -> bool:
    """Whether draws from so many kinds are evenly spread, by the sum of squared deviations."""
    expected = sum(counts.values()) / kinds
    assert expected >= 5
    squares = sum((counts[kind] - expected) ** 2 for kind in counts)
    squares += (kinds - len(counts)) * expected**2
    return bool(abs(squares / expected - (kinds - 1)) < 5 * (2 * kinds) ** 0.5)


@pytest.mark.parametrize("options", VARIANTS[:2], ids=str)
def test_resample_draws_the_thief_evenly_among_all_living_drones(options: dict[str, Any]) -> None:
    """Rules: possible thieves are always all the opponent's living drones; nothing else changes."""
    batch = Batch(GAME, 16, seed=8, **options)
    luck = np.random.default_rng(8)
    met: Counter[int] = Counter()
    for step in range(300):
        batch.step(daring(batch._core.states, batch.mask, luck))
        record = batch._core.states[step % 16 : step % 16 + 1].copy()
        if step % 3 or phase(record) in SETUP:
            continue
        for seat in (0, 1):
            drones = living(record, 1 - seat)
            hidden = record["thief"][0, 1 - seat] >= 0 and known(record, 1 - seat) < 0
            thieves: Counter[int] = Counter()
            for copy in redrawn(batch, record, seat, 30 * len(drones) if hidden else 5):
                thieves[int(copy["thief"][0, 1 - seat])] += 1
                copy["thief"][0, 1 - seat] = record["thief"][0, 1 - seat]
                copy["dice"] = record["dice"]
                assert copy.tobytes() == record.tobytes()
            if hidden:
                assert set(thieves) == set(drones)
                assert even(thieves, len(drones))
                met[len(drones)] += 1
            else:
                assert set(thieves) == {int(record["thief"][0, 1 - seat])}
                met[0] += 1
    assert all(met[drones] > 0 for drones in (0, 2, 3, 4)), met


def capped(pieces: int) -> Batch:
    """A game whose white has hidden its thief and put that many pieces; white is seat 0."""
    batch = Batch(GAME, 1, seed=9, first=0)
    for _ in range(1 + pieces):
        batch.step(batch.choose("random"))
    return batch


def layouts(pieces: int) -> set[tuple[int, ...]]:
    """All ways to cap bare stacks with that many pieces: how many of each kind on each stack."""
    to_cap = (2, 2, 1, 2, 2, 1)
    found: set[tuple[int, ...]] = {(0,) * 42}
    for _ in range(pieces):
        bigger = set()
        for caps in found:
            for place in range(42):
                stack, kind = place - place % 6, place % 6
                adult = any(caps[stack : stack + 3])
                free = adult and not caps[place] if kind > 2 else not adult
                if free and sum(caps[kind::6]) < to_cap[kind]:
                    bigger.add((*caps[:place], caps[place] + 1, *caps[place + 1 :]))
        found = bigger
    return found


@pytest.mark.parametrize("pieces", [0, 1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_s24_resample_during_the_set_up_is_even_over_arrangements(pieces: int) -> None:
    """Ruling S24: every arrangement of as many pieces, with every thief, is as likely. Before the
    thief is hidden nothing is redrawn, nor what a side knows.
    """
    batch = capped(pieces)
    record = batch._core.states.copy()
    possible = layouts(pieces)
    assert len(possible) == (1, 21, 168 + 63, 630 + 1008 + 63)[pieces]
    caps: Counter[tuple[int, ...]] = Counter()
    thieves: Counter[int] = Counter()
    expected = shown(batch, record, 1, pictures=False)
    for copy in redrawn(batch, record, 1, max(200, 8 * len(possible))):
        caps[tuple(copy["pieces"][0, 0].ravel().tolist())] += 1
        thieves[int(copy["thief"][0, 0])] += 1
        assert shown(batch, copy, 1, pictures=False) == expected
    assert set(caps) <= possible
    assert even(caps, len(possible))
    assert even(thieves, 4)
    start = Batch(GAME, 1, seed=9, first=0)._core.states
    for known, seat in ((record, 0), (start, 0), (start, 1)):
        for copy in redrawn(batch, known, seat, 5):
            copy["dice"] = known["dice"]
            assert copy.tobytes() == known.tobytes()


def test_s24_resample_of_a_finished_set_up() -> None:
    """Ruling S24: while black still decides, all of white's ten pieces are redrawn evenly.

    Of seven stacks five are adults; two of these have a skill pawn, two a skill drone, and one
    the skill queen; which, does not depend on one another, nor on the thief.
    """
    batch = capped(10)
    record = batch._core.states.copy()
    assert (phase(record), int(record["mover"][0])) == ("hide the thief", 1)
    times = 4000
    copies = redrawn(batch, record, 1, times)
    caps = np.array([copy["pieces"][0, 0] for copy in copies])  # [copy, stack, kind]
    thieves = np.array([copy["thief"][0, 0] for copy in copies])
    for stack in range(7):
        own, pupil = caps[:, stack] > 0, ~caps[:, stack].any(axis=1)
        for found, expected in (
            (pupil, 2 / 7),
            (own[:, 0], 2 / 7),
            (own[:, 2], 1 / 7),
            (own[:, 2] & own[:, 5], 1 / 7 * 1 / 5),
            (own[:, 3] & own[:, 4], 5 / 7 * 2 / 5 * 2 / 5),
            (pupil & (thieves == stack), (stack < 4) / 4 * 2 / 7),
        ):
            spread = (times * expected * (1 - expected)) ** 0.5
            assert abs(found.sum() - times * expected) <= 4.5 * spread, stack
