"""Plans are made in secret and carried out at the same time: nothing shows before."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cyberdeck import showing
from cyberdeck.engine.game_loops import loops_of
from cyberdeck.engine.phases import phases_between
from cyberdeck.games.hovercrafts.constants import DEPLOY, NONE, SLOTS
from cyberdeck.games.hovercrafts.game import GAME
from cyberdeck.games.hovercrafts.table import team_of
from tests.hovercrafts.facade import Hover
from tests.play import Play

VIEWS = ("vector", "planes", "prior")


def crowd(luck: random.Random, **options: Any) -> Hover:
    """Six ships close together, with two to six actions each."""
    free = [(column, row) for column in range(2, 7) for row in range(1, 6)]
    ships = [(*place, luck.randrange(6)) for place in luck.sample(free, 6)]
    energy = [luck.randint(1, 6) for _ in range(6)]
    stats = [{"energy": luck.randint(1, 3)} for _ in ships]
    options = {"energy": energy, "stats": stats, "seed": luck.getrandbits(62), **options}
    return Hover(ships[:3], ships[3:], walls=[(4, 0)], **options)


def twin_of(game: Hover) -> Hover:
    twin = Hover.__new__(Hover)
    twin.__dict__.update(game.__dict__)
    twin.record = game.record.copy()
    return twin


def shown(
    game: Play,
    seat: int,
    pictures: bool = False,
    before: np.ndarray | None = None,
    turn: np.ndarray | None = None,
) -> tuple[Any, ...]:
    """All that a seat is shown, in all kinds of observation; in pictures, words and as data."""
    seen: list[Any] = []
    for view in range(len(VIEWS)):
        record = game.record.copy()
        record["shown"] = view
        out = np.full(30_000, 99, np.int8)
        mask, numbers = np.empty_like(game.mask), np.empty(len(GAME.metrics), np.int32)
        loops_of(GAME).look(record, 0, seat, mask, out, numbers)
        seen.append(out.tobytes())
    seen.append(tuple(game.metrics(seat).items()))
    if pictures:
        variant, record, viewer = game.variant, game.record, (seat,)
        seen.append(before is not None and showing.scene(variant, record, viewer, before).events)
        seen.append(showing.scene(variant, record, viewer, before, turn).text())
        seen.append(showing.scene(variant, record, viewer).screen())
        seen.append(showing.scene(variant, record, viewer, before, turn).picture(None))
    return tuple(seen)


def shown_to_all(
    game: Play, pictures: bool = False, before: np.ndarray | None = None
) -> list[tuple[Any, ...]]:
    return [shown(game, seat, pictures, before) for seat in range(game.variant.seats)]


# --- nothing shows --------------------------------------------------------------------------------


def unseen(
    game: Hover,
    goes_on: Callable[[Hover], bool],
    pictures: bool,
    shared: bool = False,
    alike: slice = slice(None),
) -> int:
    """Whatever the mover decides, all others are shown the same; and as long as the slot is the
    same, nothing changes for them (in what is *alike*): nobody can tell who has been asked already.
    With *shared* plans its allies see a slot that all have decided. Returns how often nothing did.
    """
    mover, slot = int(game.state["mover"]), int(game.state["slot"])
    before = shown_to_all(game, pictures, game.record)
    after: list[list[tuple[Any, ...]]] = []
    unchanged = 0
    for action in game.legal():
        twin = twin_of(game)
        twin.act(action)
        if not goes_on(twin):
            break
        after.append(shown_to_all(twin, pictures, game.record))
        same_slot = twin.state["slot"] == slot
        for seat, view in enumerate(after[-1]):
            if seat == mover:
                assert view != before[seat], "its own choice"
                continue
            if same_slot:
                assert view[alike] == before[seat][alike]
                unchanged += 1
            ally = shared and team_of(game.state, seat) == team_of(game.state, mover)
            assert (ally and not same_slot) or view == after[0][seat]
    return unchanged


def test_the_planning_of_others_shows_nowhere() -> None:
    luck = random.Random(1)
    decided = unchanged = 0
    while decided < 20:
        game = crowd(luck)
        while game.state["turns"] == 0 and not game.over:
            unchanged += unseen(game, lambda twin: twin.state["turns"] == 0, decided % 24 == 4)
            game.act(luck.choice(game.legal()))
            decided += 1
    assert unchanged > 200


@pytest.mark.parametrize("view", VIEWS)
def test_share_plans_shows_the_slots_that_all_have_decided(view: str) -> None:
    """Allies see each other's completed slots, and nothing of the running one or of enemies."""
    assert "ally_plans" not in crowd(random.Random(4), observation=view).seen(0)
    luck = random.Random(3)
    rows = 0
    for _ in range(2):
        game = crowd(luck, share_plans=True, observation=view)
        while game.state["turns"] == 0 and not game.over:
            slot = int(game.state["slot"])
            for seat in range(6):
                flat = game.seen(seat)["ally_plans"].reshape(2 * SLOTS * 7, -1)
                assert (flat == flat[:, :1]).all()
                wanted = np.zeros((2, SLOTS, 7), np.int8)
                allies = [other for other in range(6) if other // 3 == seat // 3 and other != seat]
                for at, ally in enumerate(allies):
                    for number, planned in enumerate(game.state["plan"][ally, :slot]):
                        if planned >= 0:
                            wanted[at, number, planned] = 1
                            rows += 1
                assert (flat[:, 0] == wanted.ravel()).all()
            game.act(luck.choice(game.legal()))
    assert rows > 80


def test_everybody_sees_all_that_is_not_a_plan() -> None:
    """Places, facings, hulls, actions rolled and who has landed change what all others see."""
    game = crowd(random.Random(5))
    before = shown_to_all(game)
    for field, value in (("facing", 1), ("hull_left", -1), ("actions", 1), ("landed", 1)):
        for seat in range(6):
            twin = twin_of(game)
            twin.state[field][seat] = (twin.state[field][seat] + value) % 6
            for viewer in range(6):
                assert shown(twin, viewer) != before[viewer], (field, seat, viewer)


# --- redrawing ------------------------------------------------------------------------------------


def may_know(viewer: int, seat: int, slot: int, now: int, share_plans: bool) -> bool:
    """By the rules: its own plan, and what allies were shown."""
    return viewer == seat or (share_plans and viewer // 3 == seat // 3 and slot < now)


def assert_only(fields: set[str], one: Hover, other: Hover) -> None:
    """Nothing else differs."""
    for field in set(GAME.dtype.names or ()) - fields:
        assert (one.state[field] == other.state[field]).all(), field


@pytest.mark.parametrize("share_plans", [False, True])
def test_resample_redraws_the_hidden_plans_and_nothing_else(share_plans: bool) -> None:
    """The others' decided slots, and the generator; a possible position that looks the same, in
    which the heuristic chooses the same, and of whose last turn the same is told by who remembers
    how that began.
    """
    luck = random.Random(6)
    changed = decided = 0
    for _ in range(2):
        game = crowd(luck, share_plans=share_plans, emp_per_turn=2)
        first = game.record.copy()
        while game.state["turns"] < 2 and not game.over:
            now = int(game.state["slot"])
            told = [one.tobytes() for one in phases_between(game.game, first, game.record)]
            assert len(told) == (game.state["turns"] == 1) * game.state["passed"]
            for viewer in range(6):
                twin = twin_of(game)
                twin.redraw(viewer)
                assert twin.trouble() == ""
                past = (decided % 30 == viewer, first, first if told else None)
                assert shown(twin, viewer, *past) == shown(game, viewer, *past)
                assert_only({"plan", "dice"}, twin, game)
                if viewer == game.mover:
                    assert twin.legal() == game.legal()
                    assert twin.advised(7) == game.advised(7), "from the same luck"
                again = phases_between(game.game, first, twin.record)
                assert [one.tobytes() for one in again] == told
                old, new = game.state["plan"], twin.state["plan"]
                assert ((new == NONE) == (old == NONE)).all()
                for seat, slot in np.ndindex(6, SLOTS):
                    if may_know(viewer, seat, slot, now, share_plans):
                        assert new[seat, slot] == old[seat, slot]
                changed += (new != old).any(axis=1).sum()
            game.act(luck.choice(game.legal()))
            decided += 1
    assert changed > 100


def test_resample_draws_everything_that_may_have_been_planned() -> None:
    """First slots evenly; EMPs as often as allowed; plans that end and plans that do not."""
    game = Hover([(1, 1, 0)], [(6, 6, 0)], energy=[5, 5])
    for _ in range(7):
        game.act(3)
    firsts: Counter[int] = Counter()
    plans = set()
    for seed in range(1500):
        twin = twin_of(game)
        twin.record["dice"] = seed * 7919
        twin.redraw(1)
        plan = twin.state["plan"][0].tolist()
        firsts[plan[0]] += 1
        plans.add(tuple(plan[:4]))
    assert set(firsts) == set(range(6))
    assert all(abs(count - 250) < 80 for count in firsts.values()), firsts
    assert len(plans) > 400
    assert any(plan[1] == 6 for plan in plans)
    assert {plan.count(4) for plan in plans} == {0, 1}


def test_before_the_plans_there_is_nothing_to_redraw_or_to_take_back() -> None:
    game = Play("hovercrafts", ships=(2, 2))
    while int(game.state["phase"]) == DEPLOY:
        before = game.record.copy()
        game.kernels.withdraw_secret_actions(game.state, int(game.state["mover"]))
        assert game.record.tobytes() == before.tobytes()
        game.redraw(0)
        game.record["dice"] = before["dice"]
        assert game.record.tobytes() == before.tobytes()
        game.act(game.legal()[0])


# --- asking again ---------------------------------------------------------------------------------


@pytest.mark.parametrize("share_plans", [False, True])
def test_the_others_are_asked_again_and_then_the_seat_that_sees_just_the_same(
    share_plans: bool,
) -> None:
    luck = random.Random(11)
    again = 0
    for _ in range(4):
        game = crowd(luck, share_plans=share_plans)
        while game.state["turns"] == 0 and not game.over:
            viewer, now = int(game.state["mover"]), int(game.state["slot"])
            before, choices = shown(game, viewer), game.legal()
            plans = game.state["plan"]
            twin = twin_of(game)
            twin.kernels.withdraw_secret_actions(twin.state, viewer)
            assert_only({"plan", "slot", "mover", "decisions"}, twin, game)
            wanted = []
            for slot, seat in np.ndindex(now + 1, 6):
                known = may_know(viewer, seat, slot, now, share_plans)
                assert twin.state["plan"][seat, slot] == (plans[seat, slot] if known else NONE)
                if plans[seat, slot] != NONE and not known:
                    wanted.append((slot, seat))
            asked = []
            while twin.mover != viewer:
                asked.append((int(twin.state["slot"]), twin.mover))
                twin.act(luck.choice(twin.legal()))
            assert asked == wanted
            assert twin.state["decisions"] == game.state["decisions"]
            assert twin.trouble() == ""
            again += len(asked)
            assert int(twin.state["slot"]) == now
            assert twin.legal() == choices
            assert shown(twin, viewer) == before
            # On it goes, as any turn: everybody's plan is made once, and carried out.
            rolled = twin.state["actions"][:6].copy()
            while twin.state["turns"] == 0 and not twin.over:
                twin.act(luck.choice(twin.legal()))
            planned = (twin.state["revealed"][:6] != NONE).sum(axis=1)
            assert planned.tolist() == rolled.tolist()
            assert twin.trouble() == ""
            game.act(luck.choice(game.legal()))
    assert again > 100
