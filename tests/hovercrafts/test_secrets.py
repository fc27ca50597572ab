"""Plans are made in secret and carried out at the same time: nothing shows before, and nothing
depends on who was asked first, which seat one has, or on which side of the map one is.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from cyberdeck import showing
from cyberdeck.engine.phases import phases_between
from cyberdeck.games.hovercrafts.constants import DEPLOY, NONE, SHIPS, SLOTS
from cyberdeck.games.hovercrafts.game import GAME
from cyberdeck.games.hovercrafts.hidden import withdraw_secret_actions
from cyberdeck.games.hovercrafts.rules import carry_out
from cyberdeck.games.hovercrafts.table import team_of
from tests.hovercrafts.facade import Hover
from tests.hovercrafts.test_reference import TEAMS, Case, random_case, random_map
from tests.play import Play
from tests.reference.hovercrafts import Battle, Hex, Ship, ahead, cube, offset

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


def shown(game: Play, seat: int, pictures: bool = False) -> tuple[Any, ...]:
    """All that a seat is shown, in all kinds of observation."""
    seen: list[Any] = []
    for view in range(len(VIEWS)):
        record = game.record.copy()
        record["shown"] = view
        out = np.full(30_000, 99, np.int8)
        game.kernels.observe(record[0], seat, out)
        seen.append(out.tobytes())
    seen.append(tuple(game.metrics(seat).items()))
    if pictures:
        for show in (showing.text, showing.screen, showing.picture):
            seen.append(show(game.variant, game.record, (seat,)))
    return tuple(seen)


def shown_to_all(game: Play, pictures: bool = False) -> list[tuple[Any, ...]]:
    return [shown(game, seat, pictures) for seat in range(game.variant.seats)]


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
    before = shown_to_all(game, pictures)
    after: list[list[tuple[Any, ...]]] = []
    unchanged = 0
    for action in game.legal():
        twin = twin_of(game)
        twin.act(action)
        if not goes_on(twin):
            break
        after.append(shown_to_all(twin, pictures))
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


@pytest.mark.slow
def test_the_planning_of_others_shows_nowhere() -> None:
    luck = random.Random(1)
    decided = unchanged = 0
    for round_ in range(4):
        game = crowd(luck)
        while game.state["turns"] == 0 and not game.over:
            unchanged += unseen(game, lambda twin: twin.state["turns"] == 0, round_ == 0)
            game.act(luck.choice(game.legal()))
            decided += 1
    assert decided > 60
    assert unchanged > 600


@pytest.mark.parametrize("share_plans", [False, True])
def test_a_seat_that_plans_the_same_is_shown_the_same(share_plans: bool) -> None:
    """All through a turn, whatever the others plan (with shared plans: whatever enemies plan): the
    same views and the same mask at each of its decisions, and the same choice of the heuristic.
    """
    luck = random.Random(2)
    compared = 0
    for _ in range(25):
        one = crowd(luck, share_plans=share_plans)
        two = twin_of(one)
        viewer = luck.randrange(6)
        team = range(3) if viewer < 3 else range(3, 6)
        fixed = team if share_plans else [viewer]
        while True:
            assert one.mover == two.mover
            assert shown(one, viewer) == shown(two, viewer)
            mover = one.mover
            assert mover is not None
            action, other = luck.choice(one.legal()), luck.choice(two.legal())
            if mover in fixed:
                assert one.legal() == two.legal()
                other = action
            if mover == viewer:
                choices = []
                for game in (one, two):
                    mask = np.zeros(game.variant.action_count, np.int8)
                    game.kernels.legal(game.state, mask)
                    choices.append(int(game.kernels.heuristic(game.state, mask, np.uint64(7))))
                assert choices[0] == choices[1]
                compared += one.state["plan"].tolist() != two.state["plan"].tolist()
            one.act(action)
            two.act(other)
            if one.state["turns"] or one.over:
                break
    assert compared > 50


@pytest.mark.parametrize("view", VIEWS)
def test_share_plans_shows_the_slots_that_all_have_decided(view: str) -> None:
    """Allies see each other's completed slots, and nothing of the running one or of enemies."""
    luck = random.Random(3)
    rows = 0
    for _ in range(5):
        game = crowd(luck, share_plans=True, observation=view)
        while game.state["turns"] == 0 and not game.over:
            slot = int(game.state["slot"])
            for seat in range(6):
                shape = (2, SLOTS, 7)
                seen = game.seen(seat)["ally_plans"]
                flat = seen.reshape(2 * SLOTS * 7, -1)
                assert (flat == flat[:, :1]).all()
                plans = flat[:, 0].reshape(shape)
                allies = [other for other in range(6) if other // 3 == seat // 3 and other != seat]
                for at, ally in enumerate(allies):
                    for number in range(SLOTS):
                        planned = int(game.state["plan"][ally][number])
                        wanted = [0] * 7
                        if number < slot and planned >= 0:
                            wanted[planned] = 1
                            rows += 1
                        assert plans[at, number].tolist() == wanted
            game.act(luck.choice(game.legal()))
    assert rows > 200


def test_plans_are_shared_with_the_option_only() -> None:
    assert "ally_plans" not in crowd(random.Random(4)).seen(0)


def test_everybody_sees_all_that_is_not_a_plan() -> None:
    """Places, facings, hulls, actions rolled and who has landed change what all others see."""
    game = crowd(random.Random(5))
    for field, value in (("facing", 1), ("hull_left", -1), ("actions", 1), ("landed", 1)):
        for seat in range(6):
            twin = twin_of(game)
            twin.state[field][seat] = (twin.state[field][seat] + value) % 6
            for viewer in range(6):
                assert shown(twin, viewer) != shown(game, viewer), (field, seat, viewer)


# --- redrawing ------------------------------------------------------------------------------------


@pytest.mark.parametrize("share_plans", [False, True])
def test_resample_redraws_the_hidden_plans_and_nothing_else(share_plans: bool) -> None:
    """The others' decided slots, and the generator; a possible position that looks the same, and
    of whose last turn the same is told by who remembers how that began.
    """
    luck = random.Random(6)
    changed: Counter[str] = Counter()
    for _ in range(7):
        game = crowd(luck, share_plans=share_plans, emp_per_turn=luck.choice([1, 2]))
        first = game.record.copy()
        while game.state["turns"] < 2 and not game.over:
            slot = int(game.state["slot"])
            for viewer in range(6):
                twin = twin_of(game)
                twin.kernels.resample(twin.state, viewer)
                assert twin.trouble() == ""
                assert shown(twin, viewer) == shown(game, viewer)
                for field in GAME.dtype.names or ():
                    if field not in ("plan", "dice"):
                        assert (twin.state[field] == game.state[field]).all(), field
                phases = [
                    [phase.tobytes() for phase in phases_between(game.game, first, each.record)]
                    for each in (game, twin)
                ]
                assert phases[0] == phases[1]
                assert len(phases[0]) == (game.state["turns"] == 1) * game.state["passed"]
                for seat in range(6):
                    old, new = game.state["plan"][seat].tolist(), twin.state["plan"][seat].tolist()
                    assert [n < 0 for n in new] == [n < 0 for n in old]
                    known = 0
                    if seat == viewer:
                        known = SLOTS
                    elif share_plans and seat // 3 == viewer // 3:
                        known = slot
                    assert new[:known] == old[:known]
                    changed["own" if seat == viewer else "other"] += new != old
            game.act(luck.choice(game.legal()))
    assert changed["other"] > 350
    assert changed["own"] == 0


def test_resample_draws_everything_that_may_have_been_planned() -> None:
    """First slots evenly; EMPs as often as allowed; plans that end and plans that do not."""
    game = Hover([(1, 1, 0)], [(6, 6, 0)], energy=[5, 5])
    for _ in range(3):
        game.act(3)
        game.act(3)
    game.act(3)
    firsts: Counter[int] = Counter()
    plans = set()
    for seed in range(3000):
        twin = twin_of(game)
        twin.record["dice"] = seed * 7919
        twin.kernels.resample(twin.state, 1)
        plan = twin.state["plan"][0].tolist()
        firsts[plan[0]] += 1
        plans.add(tuple(plan[:4]))
    assert set(firsts) == set(range(6))
    assert all(abs(count - 500) < 120 for count in firsts.values()), firsts
    assert len(plans) > 500
    assert any(plan[1] == 6 for plan in plans)
    assert all(plan.count(4) <= 1 for plan in plans)
    assert any(4 in plan for plan in plans)


def test_before_the_plans_there_is_nothing_to_redraw_or_to_take_back() -> None:
    game = Play("hovercrafts", ships=(2, 2))
    while int(game.state["phase"]) == DEPLOY:
        before = game.record.copy()
        withdraw_secret_actions(game.state, int(game.state["mover"]))
        assert game.record.tobytes() == before.tobytes()
        game.kernels.resample(game.state, 0)
        game.record["dice"] = before["dice"]
        assert game.record.tobytes() == before.tobytes()
        game.act(game.legal()[0])


# --- asking again ---------------------------------------------------------------------------------


def may_know(viewer: int, seat: int, slot: int, now: int, share_plans: bool) -> bool:
    """By the rules: its own plan, and what allies were shown."""
    return viewer == seat or (share_plans and viewer // 3 == seat // 3 and slot < now)


@pytest.mark.parametrize("share_plans", [False, True])
def test_the_others_are_asked_again_and_then_the_seat_that_sees_just_the_same(
    share_plans: bool,
) -> None:
    luck = random.Random(11)
    again = 0
    for _ in range(12):
        game = crowd(luck, share_plans=share_plans)
        while game.state["turns"] == 0 and not game.over:
            viewer, now = int(game.state["mover"]), int(game.state["slot"])
            before, choices = shown(game, viewer), game.legal()
            plans = game.state["plan"].copy()
            twin = twin_of(game)
            withdraw_secret_actions(twin.state, viewer)
            # Only plans, the slot, who is asked and how many have been have changed.
            for field in GAME.dtype.names or ():
                if field not in ("plan", "slot", "mover", "decisions"):
                    assert (twin.state[field] == game.state[field]).all(), field
            wanted = []
            for slot in range(now + 1):
                for seat in range(6):
                    made = plans[seat, slot] != NONE
                    known = may_know(viewer, seat, slot, now, share_plans)
                    assert twin.state["plan"][seat, slot] == (plans[seat, slot] if known else -1)
                    if slot == now and seat >= viewer:
                        break
                    if made and not known:
                        wanted.append((slot, seat))
            asked = []
            while twin.mover != viewer:
                assert not twin.over
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
    assert again > 300


# --- nothing depends on the asking, on seats, or on sides -----------------------------------------


def test_the_order_of_asking_does_not_matter() -> None:
    """A turn decided slot by slot in seat order ends as one whose plans are written down seat by
    seat, the last seat first: the outcome depends on plans and dice alone.
    """
    luck = random.Random(7)
    for _ in range(150):
        game = crowd(luck)
        start = twin_of(game)
        plans = np.full((SHIPS, SLOTS), NONE, np.int8)
        while game.state["turns"] == 0 and not game.over:
            mover, slot = game.mover, int(game.state["slot"])
            plans[mover, slot] = luck.choice(game.legal())
            game.act(int(plans[mover, slot]))
        for seat in reversed(range(6)):
            start.state["plan"][seat] = plans[seat]
        carry_out(start.state)
        for field in ("decisions", "slot"):
            start.state[field] = game.state[field]
        assert start.record.tobytes() == game.record.tobytes()


# Of the second model, which the engine is held against (test_reference.py): there dice have names,
# so that the same ones can be rolled in another order.

Name = Callable[[Any], Hashable]


def settled(case: Case, name: Name, faces: dict[Hashable, int], luck: random.Random) -> Battle:
    """A phase whose dice show the faces of their names."""

    def roll(what: Hashable) -> int:
        return faces.setdefault(name(what), luck.randint(1, 6))

    battle = Battle(case.walls, [replace(one) for one in case.ships], roll)
    battle.jammed = set(case.jammed)
    battle.phase(case.actions)
    return battle


def seat_free(what: Any, ship: Sequence[int]) -> Hashable:
    """The name of a die with the numbers of ships in place of seats."""
    kind, _, *rest = what
    if kind == "contest":
        return (kind, *rest[:-1], ship[rest[-1]])
    if kind == "shot":
        attacker, target, time, who = rest
        return (kind, ship[attacker], ship[target], time, ship[who])
    if kind == "head-on":
        return (kind, frozenset(ship[seat] for seat in rest[0]), ship[rest[1]])
    return (kind, *(ship[seat] for seat in rest))


def seated(case: Case, ship: list[int]) -> Case:
    """The same case with ship `ship[seat]` in each seat; teams may have changed their names."""
    ships = [case.ships[at] for at in ship]
    first = ships[0].team
    ships = [replace(one, team=TEAMS[one.team != first]) for one in ships]
    jammed = {seat for seat, at in enumerate(ship) if at in case.jammed}
    actions = {seat: case.actions[at] for seat, at in enumerate(ship)}
    return replace(case, ships=ships, actions=actions, jammed=jammed)


def test_seats_and_the_names_of_teams_do_not_matter() -> None:
    """Ships take each other's seats within their teams, or the teams change names: every ship ends
    the phase as before if its dice show the same. (Ties of 64 rolls do not happen here.)
    """
    luck = random.Random(8)
    reordered = 0
    for number in range(4000):
        if number % 20 == 0:
            walls = random_map(luck)
        case = random_case(luck, walls, [])
        teams = [[at for at, one in enumerate(case.ships) if one.team == team] for team in TEAMS]
        for team in teams:
            luck.shuffle(team)
        luck.shuffle(teams)
        ship = teams[0] + teams[1]
        faces: dict[Hashable, int] = {}
        before = settled(case, partial(seat_free, ship=range(len(ship))), faces, luck)
        count = len(faces)
        after = settled(seated(case, ship), partial(seat_free, ship=ship), faces, luck)
        assert len(faces) == count, "the same dice are rolled"
        reordered += count > 0 and ship != sorted(ship)
        for seat, at in enumerate(ship):
            assert replace(after.ships[seat], team="") == replace(before.ships[at], team="")
            assert after.doing.get(seat) == before.doing.get(at)
        for old, new in ((before.landed, after.landed), (before.jammed, after.jammed)):
            assert {ship[seat] for seat in new} == old
        for old, new in ((before.shots, after.shots), (before.hits, after.hits)):
            assert {(ship[attacker], ship[target]) for attacker, target in new} == old
        swapped = case.ships[ship[0]].team == "machines"
        assert after.lost == dict(
            zip(TEAMS[::-1] if swapped else TEAMS, before.lost.values(), strict=True)
        )
    assert reordered > 1000


def mirrored(case: Case, across: Callable[[Hex], Hex]) -> Case:
    """Left and right exchanged."""
    exchanged = {"left": "right", "right": "left"}
    return replace(
        case,
        walls={across(place): wall for place, wall in case.walls.items()},
        ships=[mirrored_ship(one, across) for one in case.ships],
        actions={
            seat: exchanged.get(action, action) if action else None
            for seat, action in case.actions.items()
        },
    )


def mirrored_ship(ship: Ship, across: Callable[[Hex], Hex]) -> Ship:
    return replace(ship, place=ship.place and across(ship.place), facing=-ship.facing % 6)


def side_free(what: Any, across: Callable[[Hex], Hex]) -> Hashable:
    """The name of a die where a contest's hex is the one across."""
    return (*what[:2], across(what[2]), *what[3:]) if what[0] == "contest" else what


def rows_of_contests(case: Case) -> list[int]:
    """The rows of the hexes that several ships aim at."""
    aims = Counter(
        ahead(one.place, one.facing)
        for seat, one in enumerate(case.ships)
        if one.place and case.actions[seat] == "move" and seat not in case.jammed
    )
    return [
        offset(place)[1]
        for place, count in aims.items()
        if count > 1 and not case.walls.get(place, True)
    ]


def test_a_phase_in_the_mirror() -> None:
    """Left and right exchanged on the map, in facings and in turns: the mirrored result from the
    same dice. Only contests go hex by hex from left to right, so that none may share its row.
    """
    luck = random.Random(9)
    contests: Counter[int] = Counter()
    while contests.total() < 6000:
        walls = random_map(luck)
        last = max(place[0] for place in walls)
        if last % 2:
            continue  # an even number of columns: odd ones would not stay odd

        def across(place: Hex, last: int = last) -> Hex:
            column, row = offset(place)
            return cube(last - column, row)

        for _ in range(20):
            case = random_case(luck, walls, [])
            rows = rows_of_contests(case)
            if len(set(rows)) != len(rows):
                continue
            contests[len(rows)] += 1
            faces: dict[Hashable, int] = {}
            before = settled(case, partial(side_free, across=lambda place: place), faces, luck)
            count = len(faces)
            after = settled(mirrored(case, across), partial(side_free, across=across), faces, luck)
            assert len(faces) == count, "the same dice are rolled"
            assert after.ships == [mirrored_ship(one, across) for one in before.ships]
            for name in ("landed", "jammed", "rammed", "shots", "hits", "lost"):
                assert getattr(after, name) == getattr(before, name), name
    assert contests[1] > 500
    assert contests[2] > 50
