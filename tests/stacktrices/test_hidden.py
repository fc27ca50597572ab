"""Noninterference: what a seat may not see shows nowhere, and is redrawn evenly."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch
from cyberdeck.games.stacktrices.constants import PHASES
from cyberdeck.views.record import Record
from cyberdeck.views.stacktrices import VIEW
from tests.play import daring, squares_of
from tests.stacktrices.positions import svg, viewer_of, words, write

GAME = "stacktrices"
VARIANTS: list[dict[str, Any]] = [
    {"steal_on_attack": steal, "stacked_movement": stacked, "observation": view, "setup": setup}
    for steal, stacked, view, setup in (
        (False, False, "vector", "choose"),
        (True, False, "planes", "random"),
        (False, True, "planes", "choose"),
        (True, True, "vector", "random"),
        (True, False, "prior", "choose"),
    )
]
SETUP = ("hide the thief", "place the pieces")
RAID = ("raid", "place the raided piece", "hide the raider")


def shown(batch: Batch, record: np.ndarray, seat: int, pictures: bool = True) -> list[Any]:
    """Everything that a seat is shown of a position."""
    variant, loops = batch.variant, batch.core.loops
    observation = np.empty(variant.observation_size, np.int8)
    mask = np.empty(variant.action_count, np.int8)
    metrics = np.empty(len(variant.game.metrics), np.int32)
    loops.look(record, 0, seat, mask, observation, metrics)
    seen = [observation.tobytes(), mask.tobytes(), metrics.tolist(), write(record, seat)]
    if pictures:
        own = mask if record["mover"][0] == seat else None
        seen += [words(record, seat), svg(record, seat, own)]
        read, viewer = Record.of(record), viewer_of(seat)
        seen.append(VIEW.page(read, viewer, None if own is None else own.tolist()))
        seen += [VIEW.action_name(read, action) for action in np.flatnonzero(mask).tolist()]
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


# --- a position -----------------------------------------------------------------------------------


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_positions_that_differ_only_in_a_hidden_thief_look_the_same(
    options: dict[str, Any],
) -> None:
    """For every other living drone: observation, mask, facts, notation, page, text and picture."""
    batch = Batch(GAME, 32, seed=3, **options)
    luck = np.random.default_rng(3)
    compared: Counter[str] = Counter()
    for step in range(160):
        row = step % 32
        record = batch.core.states[row : row + 1].copy()
        for seat in (0, 1):
            owner = 1 - seat
            thief = int(record["thief"][0, owner])
            if thief < 0 or known(record, owner) >= 0:
                continue
            pictures = step % 8 == 0
            expected = shown(batch, record, seat, pictures)
            for other in living(record, owner):
                twin = record.copy()
                twin["thief"][0, owner] = other
                assert shown(batch, twin, seat, pictures) == expected
                compared[phase(record)] += other != thief
        batch.step(daring(batch.core.states, batch.mask, luck))
    assert compared["move"] > 60
    assert compared["after the move"] > 60
    assert compared["trade"] > 10


@pytest.mark.parametrize("options", VARIANTS[:2], ids=str)
def test_a_thief_is_shown_while_it_is_revealed_and_not_before_or_after(
    options: dict[str, Any],
) -> None:
    """In the middle of its raid, exposed for good, or the only drone: else never."""
    batch = Batch(GAME, 64, seed=4, **options)
    luck = np.random.default_rng(4)
    met: Counter[str] = Counter()
    for _ in range(400):
        for row in range(0, 64, 4):
            record = batch.core.states[row : row + 1]
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
        batch.step(daring(batch.core.states, batch.mask, luck))
    assert met["hide the raider: known"] > 5
    assert met["hide the raider: hidden"] > 5, "the other side's"
    assert met["move: hidden"] > 500
    assert met["move: known"] > 20
    assert (met["exposed"] > 20) == options["steal_on_attack"]


@pytest.mark.parametrize("options", [VARIANTS[0], VARIANTS[2]], ids=str)
def test_during_the_set_up_nothing_of_the_other_side_shows(options: dict[str, Any]) -> None:
    """Ruling S4: thief, caps and hand of each side are hidden until both have finished."""
    games = 12
    batch = Batch(GAME, games, seed=5, first=1, **options)
    for step in range(22):
        states = batch.core.states
        white_begins = step < 11
        seat = 0 if white_begins else 1  # who looks: the one that is not asked
        views = []
        for row in range(games):
            record = states[:1].copy()
            for name in ("pieces", "hand", "thief"):
                record[name][0, 1 - seat] = states[name][row, 1 - seat]
            views.append(shown(batch, record, seat))
        assert all(view == views[0] for view in views)
        assert len({states["pieces"][row].tobytes() for row in range(games)}) > 1 or step % 11 < 2
        batch.step(batch.choose("random"))
    assert {PHASES[at] for at in batch.core.states["phase"]} == {"move"}
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
            state = batch.core.states[row]
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
        batch.step(daring(batch.core.states, batch.mask, luck))


# --- whole play -----------------------------------------------------------------------------------


class Twins:
    """Two batches that play the same; in some rows the thief of one side is another."""

    def __init__(self, games: int, seed: int, options: dict[str, Any]) -> None:
        self.one = Batch(GAME, games, seed=seed, **options)
        self.two = self.one.clone()
        self.random_bits = np.random.default_rng(seed)
        #: The side whose thief differs, and the two drones that may be it; no side: all is equal.
        self.owner = np.full(games, -1)
        self.drones = np.zeros((games, 2), int)
        self.met: Counter[str] = Counter()

    def part(self, row: int) -> None:
        """Let the twins of a row differ, if a hidden thief could be elsewhere."""
        record = self.one.core.states[row : row + 1]
        owner = int(self.random_bits.integers(2))
        thief = int(record["thief"][0, owner])
        others = [drone for drone in living(record, owner) if drone != thief]
        if phase(record) != "move" or thief < 0 or known(record, owner) >= 0 or not others:
            return
        other = int(self.random_bits.choice(others))
        self.two.core.states["thief"][row, owner] = other
        self.two.core._look_again(row)
        self.owner[row], self.drones[row] = owner, (thief, other)
        self.met["parted"] += 1

    def join(self, row: int) -> None:
        """Make the twins of a row equal again."""
        self.two.core.states[row] = self.one.core.states[row]
        self.two.core.rows[row] = self.one.core.rows[row]
        self.two.core._look_again(row)
        self.owner[row] = -1

    def same_choices(self, row: int) -> np.ndarray:
        """What may be chosen in both, and does not touch either thief."""
        state = self.one.core.states[row]
        both: np.ndarray = self.one.mask[row] & self.two.mask[row]
        owner = self.owner[row]
        if owner < 0:
            return both
        if state["mover"] == owner:
            assert not both[self.told].any(), "no two drones can both be the thief"
        if PHASES[state["phase"]] == "move" and state["mover"] != owner:
            legal = np.flatnonzero(both)
            hit = state["board"][squares_of(legal, 1 - owner)] - 7 * owner
            both[legal[np.isin(hit, self.drones[row])]] = 0
        return both

    @property
    def told(self) -> list[int]:
        """The actions that tell who the thief is: claim and, with the variant, expose."""
        actions = self.one.variant.action_count
        steal = self.one.variant.options["steal_on_attack"]
        return [actions - 4, actions - 1] if steal else [actions - 3]

    def compare(self, row: int, pictures: bool) -> None:
        records = [batch.core.states[row : row + 1] for batch in (self.one, self.two)]
        owner = int(self.owner[row])
        for name in records[0].dtype.names or ():
            if name != "thief" or owner < 0:
                assert (records[0][name] == records[1][name]).all(), name
        for batch_name in ("mover", "reward", "terminated", "truncated", "reason"):
            assert (getattr(self.one, batch_name)[row] == getattr(self.two, batch_name)[row]).all()
        if owner < 0:
            return
        views = [shown(self.one, record, 1 - owner, pictures) for record in records]
        assert views[0] == views[1]
        masks = [batch.look(row, owner)[1] for batch in (self.one, self.two)]
        for mask in masks:
            mask[self.told] = 0
        assert (masks[0] == masks[1]).all(), "the owner's choices, but for claim and expose"
        whose = "owner" if records[0]["mover"][0] == owner else "other"
        self.met[f"{phase(records[0])} of the {whose}"] += 1

    def step(self, pictures: bool) -> None:
        count = len(self.one)
        for row in range(count):
            if self.owner[row] < 0:
                self.part(row)
        choices = np.array([self.same_choices(row) for row in range(count)])
        for row in np.flatnonzero(~choices.any(axis=1)).tolist():
            self.join(row)  # every move would capture a drone that may be the thief
            choices[row] = self.one.mask[row]
        actions = daring(self.one.core.states, choices, self.random_bits)
        self.one.step(actions)
        self.two.step(actions)
        over = self.one.terminated | self.one.truncated
        for row in range(count):
            if over[row]:  # a new game has begun in both
                self.owner[row] = -1
                self.met["ended"] += 1
            self.compare(row, pictures and row % 8 == 0)
        assert (self.one.final_length == self.two.final_length).all()


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_whole_games_that_differ_only_in_a_hidden_thief_are_the_same(
    options: dict[str, Any],
) -> None:
    """The same movers, phases, decisions and views, as long as nothing touches the thief."""
    twins = Twins(16, 7, {"max_turns": 60, **options})
    for step in range(160):
        twins.step(pictures=step % 40 == 0)
    met = twins.met
    assert met["ended"] > 3
    assert met["parted"] > 20
    for where in ("move", "after the move", "trade"):
        assert met[f"{where} of the owner"] > 50
        assert met[f"{where} of the other"] > 50
    for where in ("steal", "hide the thief again", "raid"):
        assert met[f"{where} of the owner"] + met[f"{where} of the other"] > 0, where


# --- redrawing ------------------------------------------------------------------------------------


def redrawn(batch: Batch, record: np.ndarray, seat: int, times: int) -> list[np.ndarray]:
    """Copies of a position in which what *seat* cannot know is drawn again; all are possible."""
    copies = [record.copy() for _ in range(times)]
    failed = np.zeros(1, np.int64)
    for luck, copy in enumerate(copies):
        batch.core.loops.resample(copy, 0, seat, np.uint64(luck))
        assert batch.core.loops.check_state(copy, failed) == 0
    return copies


def even(counts: Counter[Any], kinds: int) -> bool:
    """Whether draws from so many kinds are evenly spread, by the sum of squared deviations."""
    expected = sum(counts.values()) / kinds
    assert expected >= 5
    squares = sum((counts[kind] - expected) ** 2 for kind in counts)
    squares += (kinds - len(counts)) * expected**2
    return bool(abs(squares / expected - (kinds - 1)) < 5 * (2 * kinds) ** 0.5)


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_resample_draws_the_thief_evenly_among_all_living_drones(options: dict[str, Any]) -> None:
    """Rules: possible thieves are always all the opponent's living drones; nothing else changes."""
    batch = Batch(GAME, 16, seed=8, **options)
    luck = np.random.default_rng(8)
    met: Counter[int] = Counter()
    for step in range(300):
        batch.step(daring(batch.core.states, batch.mask, luck))
        record = batch.core.states[step % 16 : step % 16 + 1].copy()
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


def test_s24_resample_redraws_nothing_before_the_thief_is_hidden() -> None:
    """Ruling S24: there is nothing hidden yet."""
    batch = Batch(GAME, 1, seed=9, first=0)
    record = batch.core.states.copy()
    for seat in (0, 1):
        for copy in redrawn(batch, record, seat, 5):
            copy["dice"] = record["dice"]
            assert copy.tobytes() == record.tobytes()


@pytest.mark.parametrize("pieces", [0, 1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_s24_resample_during_the_set_up_is_even_over_arrangements(pieces: int) -> None:
    """Ruling S24: every arrangement of as many pieces, with every thief, is as likely."""
    batch = capped(pieces)
    record = batch.core.states.copy()
    possible = layouts(pieces)
    assert len(possible) == (1, 21, 168 + 63, 630 + 1008 + 63)[pieces]
    caps: Counter[tuple[int, ...]] = Counter()
    thieves: Counter[int] = Counter()
    for copy in redrawn(batch, record, 1, max(200, 8 * len(possible))):
        caps[tuple(copy["pieces"][0, 0].ravel().tolist())] += 1
        thieves[int(copy["thief"][0, 0])] += 1
        assert shown(batch, copy, 1, pictures=False) == shown(batch, record, 1, pictures=False)
    assert set(caps) <= possible
    assert even(caps, len(possible))
    assert even(thieves, 4)
    for copy in redrawn(batch, record, 0, 5):  # white itself knows it all
        copy["dice"] = record["dice"]
        assert copy.tobytes() == record.tobytes()


def test_s24_resample_of_a_finished_set_up() -> None:
    """Ruling S24: while black still decides, all of white's ten pieces are redrawn evenly.

    Of seven stacks five are adults; two of these have a skill pawn, two a skill drone, and one
    the skill queen; which, does not depend on one another, nor on the thief.
    """
    batch = capped(10)
    record = batch.core.states.copy()
    assert (phase(record), int(record["mover"][0])) == ("hide the thief", 1)
    times = 4000
    found: Counter[str] = Counter()
    for copy in redrawn(batch, record, 1, times):
        for stack in (0, 3, 5):
            caps = copy["pieces"][0, 0, stack]
            found[f"{stack} pupil"] += int(caps.sum() == 0)
            found[f"{stack} movement pawn"] += int(caps[0])
            found[f"{stack} movement queen"] += int(caps[2])
            found[f"{stack} both queens"] += int(caps[2] and caps[5])
            found[f"{stack} skill pawn and drone"] += int(caps[3] and caps[4])
            found[f"{stack} is a thief and pupil"] += int(
                caps.sum() == 0 and copy["thief"][0, 0] == stack
            )
    share = {
        "pupil": 2 / 7,
        "movement pawn": 2 / 7,
        "movement queen": 1 / 7,
        "both queens": 1 / 7 * 1 / 5,
        "skill pawn and drone": 5 / 7 * 2 / 5 * 2 / 5,
        "is a thief and pupil": 1 / 4 * 2 / 7,
    }
    for stack in (0, 3, 5):
        for what, expected in share.items():
            if stack == 5 and "thief" in what:
                expected = 0.0
            spread = (times * expected * (1 - expected)) ** 0.5
            assert abs(found[f"{stack} {what}"] - times * expected) <= 4.5 * spread, (stack, what)


def test_resample_looks_the_same_to_the_seat_at_any_time() -> None:
    """A redrawn game cannot be told from the true one, in the set-up or later."""
    batch = Batch(GAME, 8, seed=10, steal_on_attack=True)
    luck = np.random.default_rng(10)
    changed = 0
    for step in range(150):
        record = batch.core.states[step % 8 : step % 8 + 1].copy()
        for seat in (0, 1):
            expected = shown(batch, record, seat, pictures=step % 10 == 0)
            for copy in redrawn(batch, record, seat, 3):
                assert shown(batch, copy, seat, pictures=step % 10 == 0) == expected
                changed += (copy["thief"] != record["thief"]).any()
        batch.step(daring(batch.core.states, batch.mask, luck))
    assert changed > 200
