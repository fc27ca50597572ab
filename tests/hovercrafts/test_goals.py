"""The goals of a battle, each rule by its words, and what is shown of them."""

from __future__ import annotations

from typing import Any

import pytest

from cyberdeck import Batch, OptionError
from cyberdeck.games.hovercrafts.constants import FREE, NONE
from cyberdeck.games.hovercrafts.table import adjacent, column_of
from tests.hovercrafts.facade import Hover, N, S, Scene
from tests.play import Play


def marked(*places: tuple[int, int], rows: int = 8) -> list[str]:
    return [
        "".join("*" if (column, row) in places else "." for column in range(9))
        for row in range(rows)
    ]


def seize(*places: tuple[int, int], points: int) -> dict[str, Any]:
    return {"goal": "seize", "scenario": marked(*places), "points": points}


FLAGSHIP = {"goal": "flagship"}
BREAKTHROUGH = {"goal": "breakthrough"}  # Zion is on the rightmost column, and so attacks
ALL_OF_THEM = {"goal": "breakthrough", "escape_share": 1.0}


# --- seize ---------------------------------------------------------------------------------------


def test_v17_a_point_for_each_location_on_which_a_living_ship_stands_at_the_end_of_a_turn() -> None:
    options = seize((4, 4), (5, 1), (4, 1), points=3)
    scene = Scene("4,4N 5,1N | 4,2N", plans="right, right, move", reason="", options=options)
    game = scene.play()  # the Machines' ship moves to 4,1
    assert game.state["points"].tolist() == [2, 1]
    game.turn("right", "right", "landing")
    assert (game.reason, game.rewards) == ("points", [1, 1, -1])
    assert game.state["points"].tolist() == [4, 2]


@pytest.mark.parametrize(
    ("before", "reason", "rewards"),
    [((2, 2), "points_equal", [0, 0]), ((2, 4), "points", [-1, 1]), ((4, 2), "points", [1, -1])],
)
def test_v17_both_at_once_the_more_wins_and_equal_is_a_draw(
    before: tuple[int, int], reason: str, rewards: list[float]
) -> None:
    game = Hover([(4, 4, N)], [(4, 1, S)], **seize((4, 4), (4, 1), points=3))
    game.state["points"] = before
    game.turn("right", "left")
    assert (game.reason, game.rewards) == (reason, rewards)


@pytest.mark.parametrize("scenario", ["skirmish", "tunnels", "random", ["." * 9] * 8])
def test_v17_locations_lie_apart_in_the_middle_and_are_reached_from_both_sides(
    scenario: Any,
) -> None:
    batch = Batch("hovercrafts", 64, seed=3, goal="seize", scenario=scenario, ships=(2, 2))
    width = batch.variant.options["width"]
    third = width // 3
    for state in batch._core.states:
        cells = [int(cell) for cell in state["location"] if cell != NONE]
        assert len(set(cells)) == 3
        for at, cell in enumerate(cells):
            assert third <= column_of(cell) <= width - 1 - third
            assert state["terrain"][cell] == FREE
            if scenario != "tunnels":  # where there may be no other place
                assert not any(adjacent(cell, other) for other in cells[:at])


def test_v17_crowded_locations_may_touch_and_dense_walls_give_way() -> None:
    options = {"scenario": "random", "wall_density": 0.6, "locations": 5}
    batch = Batch("hovercrafts", 200, seed=4, goal="seize", **options)
    assert ((batch._core.states["location"] != NONE).sum(axis=1) == 5).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scenario": ["...", "..."], "locations": 3}, "locations=3 lie in columns 1 to 1"),
        ({"width": 3, "height": 2}, "locations=3 lie in columns 1 to 1"),
        ({"scenario": ["..#*#..", "..###..", "..###.."]}, "row 0, column 3 .* cannot be reached"),
        ({"scenario": ["..**.*.", ".***..."]}, "the map has 6 locations"),
    ],
)
def test_v17_a_map_that_can_never_have_its_locations_is_refused(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        Play("hovercrafts", goal="seize", **options)


def test_a_map_marks_its_locations_and_reads_back_with_them() -> None:
    rows = ("..#..#.", ".*...*.", ".......")
    game = Play("hovercrafts", goal="seize", scenario=rows, locations=5)
    assert game.game.read(game.record)["scenario"] == rows
    assert (game.state["location"] != NONE).sum() == 2
    plain = Play("hovercrafts", scenario=rows)
    assert plain.variant.options["scenario"] == tuple(row.replace("*", ".") for row in rows)


# --- breakthrough --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ship", "escapes"),
    [
        *(("0,3NW", True), ("0,3SW", True)),
        *(("0,0NW", True), ("0,7SW", True)),  # the corners, too
        *(("0,0N", False), ("0,7S", False), ("2,0NW", False)),  # over the upper edge, or the lower
    ],
)
def test_v18_an_escape_is_over_the_edge_of_the_leftmost_column(ship: str, escapes: bool) -> None:
    """Who has escaped has cost no hull; who has not is too few for the rest."""
    game = Scene(
        f"{ship} 4,4N | 8,0S",
        "-",
        plans="move, right, right",
        reason="" if escapes else "held",
        rewards=[0, 0, 0] if escapes else [-1.3, -1.3, 1.3],
        options={**ALL_OF_THEM, "reward": "damage"},
    ).play()
    assert bool(game.state["escaped"][0]) == escapes


def test_v18_the_share_is_rounded_up_and_who_has_escaped_stays_away() -> None:
    game = Scene("0,1NW 0,4NW 4,4N | 8,0S", "-", (), "move", reason="", options=BREAKTHROUGH).play()
    assert game.seen(0)["escapes_left"].tolist() == [1]  # of two of three
    game.turn("", "right", "right", "right")
    assert game.ship(0) is None


# --- what is shown -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ships", "share", "escapes"),
    [
        *(((3, 3), 2 / 3, [2, 2]), ((3, 3), 0.67, [3, 3])),
        *(((7, 3), 3 / 7, [3, 2]), ((2, 2), 0.0001, [1, 1])),
    ],
)
def test_v18_shares_are_exact_and_kept_as_how_many_ships_they_come_to(
    ships: tuple[int, int], share: float, escapes: list[int]
) -> None:
    game = Play("hovercrafts", ships=ships, goal="breakthrough", escape_share=share)
    assert game.state["escapes"].tolist() == escapes
    same = game.game.read(game.record)["escape_share"]
    assert same == game.variant.options["escape_share"]
    assert [-(-round(same * count, 9) // 1) for count in ships] == escapes


@pytest.mark.parametrize(
    ("scenario", "sizes"),
    [
        ("skirmish", [(2, 1), (7, 2), (5, 2), (10, 3), (8, 3)]),
        ("tunnels", [(2, 1), (3, 1), (5, 1), (6, 1), (6, 1)]),
        ("random", [(2, 1), (10, 2), (7, 2), (7, 2), (7, 2)]),
    ],
)
def test_v18_rows_and_escapes_go_by_scenario_and_ships(scenario: str, sizes: Any) -> None:
    for ships, size in enumerate(sizes, 1):
        game = Play("hovercrafts", ships=(ships, ships), goal="breakthrough", scenario=scenario)
        assert (game.state["height"], game.state["escapes"][0]) == size


@pytest.mark.parametrize("share", [0, 1.01, True])
def test_v18_a_share_that_asks_for_nobody_or_for_more_than_there_are_is_refused(
    share: object,
) -> None:
    with pytest.raises(OptionError, match="above 0, and at most 1"):
        Play("hovercrafts", goal="breakthrough", escape_share=share)


def test_the_map_is_shown_as_it_lies_and_locations_from_the_own_ship() -> None:
    rows = marked((4, 2), (2, 6))
    rows[5] = "#" + rows[5][1:]
    game = Hover([(4, 4, N)], [(4, 2, S)], energy=[1, 1], goal="seize", scenario=rows)
    seen = game.seen(0)
    told = [["." if n == 0 else "#" if n == 1 else "*" for n in row] for row in seen["map"]]
    assert ["".join(row) for row in told] == rows
    ahead, beside = seen["locations"].tolist()
    assert ahead == [2, 0, -1]
    assert beside[2] == 0
    assert seen["points_to_win"].tolist() == [5]


def test_the_last_turn_is_shown_to_all_as_it_was_carried_out() -> None:
    """Zion's first ship rams a friend, then is jammed and lands; its enemy hits it."""
    game = Hover([(4, 4, N), (4, 3, N)], [(4, 6, N)], energy=[3, 1, 3])
    # Phase 1: z0 rams z1 (hull checks 4 to 6), m0 moves behind z0; phase 2: m0's EMP jams z0 and
    # not z1; phase 3: z0 would turn, and lands.
    game.turn(
        *("move right right", "landing landing", "move EMP left"), dice=[1, 6, 6, 1, 6, 1, 6, 1]
    )
    state = game.state
    phases = int(state["phases"])
    assert phases == 4
    for seat in range(3):
        seen = game.seen(seat)
        own = seen["last_turn"][0].tolist()
        assert seen["number"].tolist() == [[1, 2, 1][seat]]
        assert own[:phases] == {0: [1, 2, 4, 0], 1: [4, 4, 0, 0], 2: [1, 5, 3, 0]}[seat]
        rams = own[2 * phases : 3 * phases]
        assert rams == ([-2, 0, 0, 0] if seat == 0 else [0] * phases)
        if seat == 0:
            assert own[phases : 2 * phases] == [0, 1, 0, 0]
    # The own ship, allies, enemies.
    everybody = {seat: game.seen(seat)["last_turn"][0].tolist() for seat in range(3)}
    assert game.seen(1)["last_turn"].tolist() == [everybody[1], everybody[0], everybody[2]]
    assert game.seen(2)["last_turn"].tolist() == [everybody[2], everybody[0], everybody[1]]


def test_hits_are_told_by_the_number_of_who_was_hit() -> None:
    game = Hover([(4, 4, N)], [(8, 7, N), (4, 3, S)], energy=[1, 1, 1])
    game.turn("right left", "right", "landing landing", dice=[6, 1, 6, 1])
    phases = int(game.state["phases"])
    assert game.seen(0)["last_turn"][0, 3 * phases :].tolist() == [0, 2]
    assert not game.seen(0)["last_turn"][1:, 3 * phases :].any()


def test_the_planes_tell_every_ships_stats_before_it_is_on_the_map() -> None:
    stats = [{"hull": 5}, {"shield": 4}, {"energy": 6}]
    game = Play("hovercrafts", ships=(1, 2), stats=stats, observation="planes")
    for seat, order in enumerate([[0, 1, 2], [1, 2, 0], [2, 1, 0]]):
        roster = game.seen(seat)["roster"].reshape(5, -1)
        wanted = [[5, 5, 1, 1, 1], [3, 3, 4, 1, 1], [3, 3, 1, 1, 6]]
        assert roster[:, :3].T.tolist() == [wanted[ship] for ship in order]
        assert not roster[:, 3:].any()
