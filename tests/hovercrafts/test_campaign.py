"""The side that is picked, and the campaign: a war of several battles, with upgrades in secret."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from cyberdeck import showing
from cyberdeck.engine.positions import broken_invariant
from cyberdeck.games.hovercrafts.campaign import limit, stat_of
from cyberdeck.games.hovercrafts.constants import DEPLOY, NONE, PICK, STAT_NAMES, UPGRADE
from cyberdeck.games.hovercrafts.table import first_side, first_upgrade
from cyberdeck.views.words import consequences
from tests.hovercrafts.facade import Hover, N, S, ship_of
from tests.hovercrafts.test_secrets import shown_to_all, twin_of, unseen
from tests.play import Play

HULL, SHIELD, BALLISTIC, ENERGY = range(4)


def war(battles: int = 3, zion: int = 2, machines: int = 2, **options: Any) -> Hover:
    """A battle that a turn ends: the ships stand at the edge, facing off the map."""
    count = zion + machines
    ships: list[Any] = [(column, 0, N) for column in range(count)]
    return Hover(ships[:zion], ships[zion:], energy=[1] * count, battles=battles, **options)


def lose(game: Hover, *seats: int) -> None:
    """These ships leave the map, the others turn; the next energy checks show what they may."""
    count = game.variant.seats
    game.plan(*("move" if seat in seats else "right left" for seat in range(count)))


def raise_stats(game: Hover, *stats: int) -> None:
    for stat in stats:
        assert game.state["phase"] == UPGRADE
        game.act(int(first_upgrade(game.state)) + stat)


# --- the side ------------------------------------------------------------------------------------


@pytest.mark.parametrize("deployment", ["choose", "random"])
def test_v19_the_lowest_ship_of_the_side_that_was_drawn_picks_right_or_left(
    deployment: str,
) -> None:
    firsts = set()
    options = {"ships": (2, 3), "pick_side": True, "deployment": deployment}
    for seed, side in itertools.product(range(5), (0, 1)):
        game = Play("hovercrafts", seed=seed, **options)
        state = game.state
        drawn = int(state["starting"])
        firsts.add(drawn)
        assert (state["phase"], game.mover) == (PICK, (0, 2)[drawn])
        assert game.legal() == [int(first_side(state)), int(first_side(state)) + 1]
        assert [bool(game.seen(seat)["picking"][0]) for seat in range(5)] == [True] * 5
        game.act(game.legal()[side])
        right = drawn if side == 0 else 1 - drawn
        assert state["starting"] == right
        if deployment == "choose":
            assert (state["phase"], game.mover) == (DEPLOY, (0, 2)[right])
        else:
            columns = [ship_of(state, seat)[0] for seat in range(5)]
            assert columns == [10 if (seat >= 2) == right else 0 for seat in range(5)]
    assert firsts == {0, 1}


def test_actions_are_appended_after_deployments() -> None:
    plain = Play("hovercrafts").variant.actions
    asked = Play("hovercrafts", pick_side=True, battles=3).variant.actions
    assert asked[: len(plain)] == plain
    assert [meaning for _, meaning in asked[len(plain) :]] == [
        "take the right side",
        "take the left side",
        *(f"upgrade: {name}" for name in STAT_NAMES),
    ]


# --- battles -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("reward", "paid"), [("outcome", 0), ("damage", 0.6)])
def test_v20_between_battles_nothing_but_damage_is_paid(reward: str, paid: float) -> None:
    game = war(reward=reward)
    lose(game, 2, 3)
    assert game.rewards == [paid, paid, -paid, -paid]
    assert (game.state["battle"], game.state["won"].tolist()) == (1, [1, 0])
    assert game.game.reasons[int(game.state["battle_reason"])] == "disabled_all"
    assert [game.seen(seat)["battles"].tolist() for seat in (0, 3)] == [[1, 0, 2], [0, 1, 2]]
    assert game.metrics(3)["enemy_battles"] == 1


@pytest.mark.parametrize(
    ("battles", "before", "reason", "paid"),
    [
        (3, (1, 0, 1), "war_won", 1),  # the lead is 2, one battle is left
        (3, (0, 0, 1), "", 0),
        (3, (0, 1, 2), "war_drawn", 0),
        (5, (2, 1, 3), "war_won", 1),
        (7, (2, 1, 3), "", 0),
        (7, (3, 1, 4), "war_won", 1),
    ],
)
def test_v20_the_war_ends_when_the_lead_exceeds_the_battles_left(
    battles: int, before: tuple[int, int, int], reason: str, paid: int
) -> None:
    """*before*: battles won by either side, and ended; Zion wins the next one."""
    game = war(battles)
    *won, ended = before
    game.state["won"], game.state["battle"] = won, ended
    game.state["battle_reason"] = 2
    lose(game, 2, 3)
    assert (game.over, game.reason) == (reason != "", reason)
    assert game.rewards == [paid, paid, -paid, -paid]
    assert not game.state["truncated"]


def test_v20_a_battle_at_max_turns_is_drawn_and_the_war_is_terminated() -> None:
    game = war(max_turns=1)
    lose(game)
    assert game.state["won"].tolist() == [0, 0]
    assert game.state["second"].sum() == 0
    game.state["battle"] = 1
    state = game.state
    while not game.over:
        game.act(game.legal()[0])
        assert not state["truncated"]
    assert (game.reason, bool(state["terminated"])) == ("war_drawn", True)


# --- upgrades ------------------------------------------------------------------------------------


def test_v20_first_points_in_seat_order_then_second_points_of_the_winners_left() -> None:
    game = war(zion=2, machines=2)
    lose(game, 1, 2, 3)  # z0 stays on the map, z1 does not
    asked = []
    stats = [HULL, SHIELD, BALLISTIC, ENERGY, HULL]
    for stat in stats:
        together = [game.kernels.acts_simultaneously(game.state, seat) for seat in range(4)]
        asked.append((game.mover, int(game.state["slot"]), together))
        raise_stats(game, stat)
    first_round = [(seat, 0, [other >= seat for other in range(4)]) for seat in range(4)]
    assert asked == [*first_round, (0, 1, [True, False, False, False])]
    state = game.state
    assert [[int(stat_of(state, seat, stat)) for stat in range(4)] for seat in range(4)] == [
        [5, 1, 1, 1],
        [3, 2, 1, 1],
        [3, 1, 2, 1],
        [3, 1, 1, 2],
    ]
    assert (state["phase"], int(state["turns"])) == (DEPLOY, 0)
    assert state["hull_left"][:4].tolist() == [5, 3, 3, 3]  # repaired, with what was raised
    assert (state["cell"][:4] == NONE).all()
    assert game.trouble() == ""
    assert game.game.read(game.record)["stats"] == ((3, 1, 1, 1),) * 4


def test_v20_who_has_escaped_raises_a_second_stat() -> None:
    zion, goal = [(0, 1, "NW"), (4, 4, N)], {"goal": "breakthrough"}
    game = Hover(zion, [(8, 7, S)], energy=[1] * 3, battles=3, **goal)
    game.plan("move", "right left", "right left")
    assert game.state["second"][:3].tolist() == [1, 1, 0]


def test_v20_limits_and_who_has_nothing_left_to_raise_is_not_asked() -> None:
    full = (9, 6, 6, 6)
    stats = [full, (9, 6, 6, 5), (9, 6, 5, 5), (3, 1, 1, 1)]
    game = war(zion=3, machines=1, stats=stats)
    lose(game, 3)
    first = int(first_upgrade(game.state))
    assert (game.mover, game.legal()) == (1, [first + ENERGY])
    raise_stats(game, ENERGY)
    assert (game.mover, game.legal()) == (2, [first + BALLISTIC, first + ENERGY])
    raise_stats(game, ENERGY)
    assert game.mover == 3
    raise_stats(game, HULL)
    # Of those who may raise a second, only one has anything left: not the stat of its first.
    assert (game.mover, int(game.state["slot"]), game.legal()) == (2, 1, [first + BALLISTIC])
    assert [int(limit(stat)) for stat in range(4)] == [9, 6, 6, 6]


# --- secrets -------------------------------------------------------------------------------------


@pytest.mark.parametrize("share_plans", [False, True])
def test_upgrades_show_nowhere_until_all_have_chosen(share_plans: bool) -> None:
    """Not who has chosen, not what; with shared plans, allies see the points that all have
    chosen.
    """
    game = war(share_plans=share_plans)
    lose(game, 2, 3)
    checked = 0
    while game.state["phase"] == UPGRADE:
        assert (showing.public(game.variant, game.record)["upgrade"] == NONE).all()
        checked += unseen(
            game,
            lambda twin: twin.state["phase"] == UPGRADE,
            pictures=share_plans and game.mover in (1, 3),
            shared=share_plans,
            alike=slice(-1),
        )
        game.act(game.legal()[0])
    assert checked > 20


@pytest.mark.parametrize("share_plans", [False, True])
def test_resample_redraws_the_upgrades_that_a_seat_does_not_know(share_plans: bool) -> None:
    game = war(share_plans=share_plans)
    lose(game, 2, 3)
    raise_stats(game, HULL, HULL, HULL, HULL, SHIELD)  # z0 has chosen its second, z1 has not
    drawn: dict[tuple[int, int], set[int]] = {}
    for number in range(40):
        twin = twin_of(game)
        twin.state["dice"] = 1000 + number
        twin.redraw(1)
        assert broken_invariant(game.game, twin.record) == ""
        for place in np.ndindex(4, 2):
            drawn.setdefault(place, set()).add(int(twin.state["upgrade"][place]))
    everything = set(range(4))
    assert drawn[1, 0] == {HULL}
    assert drawn[1, 1] == drawn[2, 1] == drawn[3, 1] == {NONE}
    assert drawn[0, 0] == ({HULL} if share_plans else everything)
    assert drawn[0, 1] == drawn[2, 0] == drawn[3, 0] == everything


def test_the_others_are_asked_for_their_upgrades_again() -> None:
    game = war()
    lose(game, 2, 3)
    raise_stats(game, HULL, HULL, HULL, HULL, SHIELD)
    before, made = shown_to_all(game)[1], int(game.state["decisions"])
    game.kernels.withdraw_secret_actions(game.state, 1)
    assert (game.mover, int(game.state["slot"]), int(game.state["decisions"])) == (0, 0, made - 4)
    assert game.state["upgrade"][:4].tolist() == [[NONE, NONE], [HULL, NONE], *[[NONE, NONE]] * 2]
    raise_stats(game, ENERGY, ENERGY, ENERGY, ENERGY)  # z0, m0, m1, z0
    assert game.mover == 1
    assert shown_to_all(game)[1] == before


# --- in words ------------------------------------------------------------------------------------


def test_a_battle_and_its_upgrades_are_told() -> None:
    game = war()
    game.plan_next("right", "right", "move", "move", "no action", "no action", "no action")
    before = game.record.copy()
    game.plan_next("no action")
    told = lines(game, before)
    assert "phase 1: Z0 turns right; Z1 turns right; M0 leaves the map; " in told[0]
    assert told[-1] == "battle 1: Zion won; Zion 1, Machines 0"
    raise_stats(game, HULL, HULL, HULL, HULL, SHIELD)
    before = game.record.copy()
    raise_stats(game, SHIELD)
    assert lines(game, before) == [
        *("Z0 raises hull to 4", "Z0 raises shield to 2"),
        *("Z1 raises hull to 4", "Z1 raises shield to 2"),
        *("M0 raises hull to 4", "M1 raises hull to 4"),
    ]


def lines(game: Play, before: Any) -> list[str]:
    """What the decisions since have brought about."""
    story = showing.scene(game.variant, game.record, None, before).events
    return [each.line for each in consequences(story)]
