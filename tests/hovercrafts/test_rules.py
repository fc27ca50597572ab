"""Every rule of Hovercrafts but those of one phase (test_phase.py), one by one, on the engine.

Half a die, rounded up, is 1 for 1 and 2, 2 for 3 and 4, 3 for 5 and 6.
"""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch
from cyberdeck.engine.phases import phases_between
from cyberdeck.engine.plain import Interpreter
from cyberdeck.games.hovercrafts import fire, moves
from cyberdeck.games.hovercrafts import ships as ships_
from cyberdeck.games.hovercrafts.constants import ACTIONS, FACINGS
from cyberdeck.games.hovercrafts.table import cell_of
from tests.hovercrafts.facade import NE, NW, SE, SW, Hover, N, S, Scene, board, ship_of
from tests.play import Play
from tests.reference.hovercrafts import AROUND, cube, offset
from tests.reference.hovercrafts_war import reached

MOVE, RIGHT, LEFT, LANDING, EMP, REPAIR, NOTHING = range(7)


# --- the table ------------------------------------------------------------------------------------


def test_v1_the_hexes_are_flat_topped_and_odd_columns_lie_half_a_hex_lower() -> None:
    """Ruling V1: a move in each of the six directions from every hex inside a map."""
    even = {N: (0, -1), NE: (1, -1), SE: (1, 0), S: (0, 1), SW: (-1, 0), NW: (-1, -1)}
    odd = {N: (0, -1), NE: (1, 0), SE: (1, 1), S: (0, 1), SW: (-1, 1), NW: (-1, 0)}
    for column in range(1, 6):
        for row in range(1, 4):
            for facing, (right, down) in (odd if column % 2 else even).items():
                game = Hover([(column, row, facing)], [(8, 7, N)]).turn("move", "landing")
                assert game.ship(0) == (column + right, row + down, facing, 3)


def test_facings_go_clockwise_from_north_and_a_turn_is_60_degrees() -> None:
    """Text: the ship rotates 60 degrees to the right, or to the left."""
    assert FACINGS == ("N", "NE", "SE", "S", "SW", "NW")
    for at, facing in enumerate(FACINGS):
        for given, plan, turned in ((facing, "right", at + 1), (at, "left", at - 1)):
            game = Hover([(4, 4, given)], [(0, 0, N)]).turn(plan, "landing")
            assert game.ship(0) == (4, 4, FACINGS[turned % 6], 3)


def boards(count: int, **options: Any) -> list[list[str]]:
    """The maps of so many games."""
    return [board(state) for state in Batch("hovercrafts", count, seed=7, **options)._core.states]


@pytest.mark.parametrize(
    ("ships", "size"),
    [
        *[((1, 1), (7, 4)), ((2, 1), (9, 6)), ((1, 3), (11, 8)), ((4, 4), (13, 10))],
        *[((5, 2), (13, 10)), ((6, 1), (15, 12)), ((1, 9), (15, 12))],
    ],
)
def test_the_larger_team_gives_the_size_of_the_map(
    ships: tuple[int, int], size: tuple[int, int]
) -> None:
    for scenario in ("skirmish", "tunnels", "random"):
        (rows,) = boards(1, ships=ships, scenario=scenario)
        assert (len(rows[0]), len(rows)) == size
    assert boards(1, ships=ships) == [["." * size[0]] * size[1]], "by default without walls"
    (wide,), (high,) = boards(1, ships=ships, width=20), boards(1, ships=ships, height=16)
    assert (len(wide[0]), len(wide)) == (20, size[1])
    assert (len(high[0]), len(high)) == (size[0], 16)


@pytest.mark.parametrize(("zion", "machines"), [(1, 1), (3, 2), (1, 9), (9, 1), (5, 5)])
def test_teams_may_be_uneven_and_hold_ten_ships_in_all(zion: int, machines: int) -> None:
    """Players: 2 to 10. The first seats fly for Zion."""
    game = Play("hovercrafts", ships=(zion, machines), deployment="random")
    assert game.variant.seats == zion + machines
    assert game.variant.agents == (
        *(f"zion_{ship}" for ship in range(zion)),
        *(f"machines_{ship}" for ship in range(machines)),
    )
    sides = [game.kernels.side(game.state, seat) for seat in range(zion + machines)]
    assert sides == [0] * zion + [1] * machines
    assert game.trouble() == ""


@pytest.mark.parametrize(
    "options",
    [
        {"scenario": "tunnels", "ships": (9, 1)},
        {"scenario": "tunnels", "width": 2, "height": 1},
        {"scenario": "tunnels", "width": 3, "height": 1},
        {"scenario": "random"},
        {"scenario": "random", "wall_density": 0.4, "ships": (4, 4)},
        {"scenario": "random", "wall_density": 0.6, "width": 20, "height": 16},
        {"scenario": "random", "wall_density": 0.6, "width": 20, "height": 1},
    ],
    ids=str,
)
def test_every_start_hex_is_connected_to_the_other_side(options: dict[str, Any]) -> None:
    """Tunnels and random: the start columns stay clear, and one can get across from everywhere."""
    maps = boards(25, **options)
    for rows in maps:
        last = len(rows[0]) - 1
        for column in (0, last):
            assert {row[column] for row in rows} == {"."}
        walls = {
            cube(column, row): hexagon == "#"
            for row, line in enumerate(rows)
            for column, hexagon in enumerate(line)
        }
        for start, goal in ((0, last), (last, 0)):
            ends = {cube(goal, row) for row in range(len(rows))}
            for row in range(len(rows)):
                assert reached(walls, {cube(start, row)}) & ends
    if last > 2 and len(rows) > 1:
        assert len(set(map(tuple, maps))) > 20, "drawn for every game"


@pytest.mark.parametrize(
    ("density", "low", "high"), [(0, 0, 0), (None, 0.13, 0.17), (0.3, 0.25, 0.35)]
)
def test_random_walls_have_the_density_of_the_option(
    density: float | None, low: float, high: float
) -> None:
    """0.15 by default."""
    options = {} if density is None else {"wall_density": density}
    maps = boards(50, ships=(5, 5), scenario="random", **options)
    inside = "".join(row[1:-1] for rows in maps for row in rows)
    assert low <= inside.count("#") / len(inside) <= high


def test_tunnels_are_corridors_between_walls() -> None:
    """Winding: no two neighbouring columns of corridors alike for long, and many walls."""
    for rows in boards(50, ships=(4, 4), scenario="tunnels"):
        inside = "".join(row[1:-1] for row in rows)
        assert 0.3 < inside.count("#") / len(inside) < 0.9
        columns = ["".join(row[column] for row in rows) for column in range(1, len(rows[0]) - 1)]
        assert len(set(columns)) > 4


def test_a_given_map_stands_as_it_is() -> None:
    """'.' is free and '#' a wall; rows from the top."""
    rows = ["..#..#.", ".#.....", "......#", ".##....", "......."]
    for given in (rows, tuple(rows)):
        game = Play("hovercrafts", ships=(2, 3), scenario=given)
        assert board(game.state) == rows
        assert game.game.read(game.record)["scenario"] == tuple(rows)


@pytest.mark.parametrize("column", [0, 6])
def test_both_outer_columns_need_room_for_the_larger_team(column: int) -> None:
    """Sides are drawn: three ships against one need three free hexes on both sides."""
    rows = ["......."] * 4
    rows[2] = "".join("#" if at == column else "." for at in range(7))
    assert Play("hovercrafts", ships=(3, 1), scenario=rows).trouble() == ""
    rows[1] = rows[2]
    for ships in ((3, 1), (1, 3)):
        with pytest.raises(ValueError, match=f"column {column} .*2 free"):
            Play("hovercrafts", ships=ships, scenario=rows)
    assert Play("hovercrafts", ships=(2, 2), scenario=rows).trouble() == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *(
            ({"scenario": rows}, message)
            for rows, message in [
                (["...", ".x.", "..."], r"row 1, column 1.*'x'"),
                (["...", "..", "..."], r"row 1 .*2 hexes.*row 0 has 3"),
                ([], "0 rows"),
                (["..."] * 17, "17 rows"),
                (["."] * 3, "1 columns"),
                (["." * 21] * 3, "21 columns"),
                ([["."]], "no map"),
                ("labyrinth", "labyrinth"),
            ]
        ),
        ({"ships": (5, 6)}, "11"),
        ({"height": 2, "ships": (1, 3)}, "height=2 .*3 ships"),
        ({"scenario": ["..", ".."], "width": 3}, "width=3"),
        ({"stats": [(3, 1, 1, 1)]}, "stats has 1 entries.*2 ships"),
        ({"stats": [(0, 1, 1, 1), None]}, r"stats\[0\]: hull=0 "),
        ({"stats": [None, (10, 1, 1, 1)]}, r"stats\[1\]: hull=10 "),
        ({"stats": [{"energy": 7}, None]}, r"stats\[0\]: energy=7 "),
    ],
    ids=str,
)
def test_options_are_validated(options: dict[str, Any], message: str) -> None:
    """Of a map the error names row and column."""
    with pytest.raises(ValueError, match=message):
        Play("hovercrafts", **options)


def test_stats_are_set_for_each_ship_and_seen_by_everybody() -> None:
    """Text: 3 hull and 1 in each other; it should be viewable by every player."""
    stats = [(9, 6, 5, 4), None, {"energy": 6}, {"hull": 1, "shield": 0}]
    wanted = [[9, 6, 5, 4], [3, 1, 1, 1], [3, 1, 1, 6], [1, 0, 1, 1]]
    game = Play("hovercrafts", ships=(1, 3), stats=stats, deployment="random")
    names = ("hull", "shield", "ballistic", "energy")
    assert [[int(game.state[name][seat]) for name in names] for seat in range(4)] == wanted
    assert game.state["hull_left"][:4].tolist() == [9, 3, 3, 1]
    for seat in range(4):
        seen = game.seen(seat)
        others = seen["others"][:, 4:8].tolist()
        friends = [other for other in range(4) if other != seat and (other > 0) == (seat > 0)]
        enemies = [other for other in range(4) if (other > 0) != (seat > 0)]
        assert seen["own"][4:8].tolist() == wanted[seat]
        assert others == [wanted[other] for other in friends + enemies]


# --- deployment -----------------------------------------------------------------------------------


def test_v2_which_team_starts_is_drawn_per_game() -> None:
    starting = Batch("hovercrafts", 400, seed=1)._core.states["starting"]
    assert 150 < starting.sum() < 250


@pytest.mark.parametrize("starting", ["zion", "machines"])
def test_the_starting_team_deploys_first_and_on_the_rightmost_column(starting: str) -> None:
    """Each ship in turn; the second team on the opposite side; then the first turn begins."""
    game = Play("hovercrafts", {"starting": starting}, ships=(2, 3))
    order = [0, 1, 2, 3, 4] if starting == "zion" else [2, 3, 4, 0, 1]
    taken = []
    for at, seat in enumerate(order):
        assert game.mover == seat
        row, facing = (3 * at + 1) % 8, (2 * at + 1) % 6
        game.act(7 + 6 * row + facing)
        right = (seat < 2) == (starting == "zion")
        taken.append((seat, 10 if right else 0, row, facing))
        assert game.state["actions"].any() == (at == 4)
    for seat, column, row, facing in taken:
        assert int(game.state["cell"][seat]) == cell_of(column, row)
        assert int(game.state["facing"][seat]) == facing
    assert game.mover == 0
    assert game.legal() == [0, 1, 2, 3, 4, 5]


def test_a_ship_is_deployed_on_any_free_hex_of_its_column_in_any_direction() -> None:
    """No wall, no other ship; action 7 + 6*row + facing; the actions of a turn are closed."""
    rows = [".....", "#....", ".....", "....#", "....."]
    game = Play("hovercrafts", {"starting": "machines"}, ships=(2, 2), scenario=rows)
    places = [[0, 1, 2, 4], [0, 1, 4], [0, 2, 3, 4], [0, 2, 4]]
    for free, row in zip(places, (2, 0, 3, 0), strict=True):
        assert game.legal() == [7 + 6 * place + facing for place in free for facing in range(6)]
        game.act(7 + 6 * row + 5)
        assert game.trouble() == ""
    cells = [cell_of(*place) for place in ((0, 3), (0, 0), (4, 2), (4, 0))]
    assert game.state["cell"][:4].tolist() == cells


def test_random_deployment_is_uniform_and_faces_inward() -> None:
    """A free hex of the own column, and one of the two facings that point inward."""
    rows = [".......", "#......", ".......", "......."]
    batch = Batch("hovercrafts", 1200, seed=2, scenario=rows, deployment="random")
    assert (batch.mover == 0).all()
    assert batch.variant.action_count == 7
    met: Counter[Any] = Counter()
    for state, seat in itertools.product(batch._core.states, range(2)):
        right = int(state["starting"]) == seat
        column, row, facing, _ = ship_of(state, seat)
        assert column == (6 if right else 0)
        met[right, row, facing] += 1
    places = [(True, row, facing) for row in range(4) for facing in (SW, NW)]
    places += [(False, row, facing) for row in (0, 2, 3) for facing in (NE, SE)]
    assert set(met) == set(places)
    for place, count in met.items():
        expected = 1200 / (8 if place[0] else 6)
        assert abs(count - expected) < 5 * expected**0.5


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"starting": "smiths"}, "smiths"),
        ({"dice": [7]}, "dice"),
        ({"dice": [1] * 15}, "dice"),
        ({"ships": [(0, 0, N)]}, "ships"),
        ({"ships": [(0, 0, N), (7, 0, N)]}, "ship 1: column 7"),
        ({"ships": [(0, 4, N), (1, 0, N)]}, "ship 0: column 0, row 4"),
        ({"ships": [(0, 0, N), (0, 0, N)]}, "ship 1: column 0, row 0"),
        ({"ships": [(3, 1, N), (0, 0, N)]}, "ship 0: column 3, row 1"),
        ({"ships": [(0, 0, 6), (1, 0, N)]}, "ship 0: facing 6"),
        ({"ships": [(0, 0, N, 4), (1, 0, N)]}, "ship 0: hull left 4"),
        ({"ships": [(0, 0, N, 0), (1, 0, N)]}, "ship 0: hull left 0"),
        ({"ships": [(0, 0), (1, 0, N)]}, "ship 0"),
        ({"ships": [(1, 0, N), None]}, "machines has no ship left"),
    ],
    ids=str,
)
def test_a_prescribed_position_is_validated(table: dict[str, Any], message: str) -> None:
    rows = [".......", "...#...", ".......", "......."]
    with pytest.raises(ValueError, match=message):
        Play("hovercrafts", table, scenario=rows)


def test_a_ship_may_be_out_in_a_prescribed_position() -> None:
    game = Hover([None, (4, 4, N)], [(1, 1, S, 2)], energy=[6, 1])
    assert game.ships == [None, (4, 4, N, 3), (1, 1, S, 2)]
    assert game.state["actions"][:3].tolist() == [0, 4, 2]
    assert game.mover == 1


# --- the energy check -----------------------------------------------------------------------------


def test_a_check_is_half_a_die_rounded_up_and_the_stat() -> None:
    """Text: the energy check's result is the number of actions: 1..3 and 0..6, at most 9."""
    for face, half in zip(range(1, 7), [1, 1, 2, 2, 3, 3], strict=True):
        stats = [{"energy": energy} for energy in range(7)]
        game = Hover(
            [(at, 0, S) for at in range(3)],
            [(at, 7, N) for at in range(4)],
            energy=[face] * 7,
            stats=stats,
        )
        assert game.state["actions"][:7].tolist() == [half + energy for energy in range(7)]
    assert max(game.state["actions"]) == 9


def test_the_energy_checks_are_rolled_openly_in_the_order_of_the_seats() -> None:
    """Everybody sees how many actions everybody has."""
    game = Hover([(1, 1, N), (2, 2, N)], [(6, 6, N)], energy=[5, 1, 3])
    for seat, wanted in enumerate(([4, 2, 3], [2, 4, 3], [3, 4, 2])):
        seen = game.seen(seat)
        assert [int(seen["own"][8]), *seen["others"][:, 8].tolist()] == wanted


def test_a_die_is_fair() -> None:
    """Without prescribed dice: 1, 2 and 3 halves equally often, all independent."""
    batch = Batch("hovercrafts", 1800, seed=3, deployment="random")
    faces = Counter(map(tuple, batch._core.states["actions"][:, :2].tolist()))
    assert set(faces) == set(itertools.product((2, 3, 4), repeat=2))
    assert all(abs(count - 200) < 70 for count in faces.values()), faces


# --- planning -------------------------------------------------------------------------------------


def test_what_may_be_planned() -> None:
    """V3: the first slot may not be `no action`; after one only more of it. V4: one EMP a turn."""
    game = Hover([(1, 1, N)], [(6, 6, N)], energy=[5, 5])
    for legal, action in (
        ([0, 1, 2, 3, 4, 5], EMP),
        ([0, 1, 2, 3, 4, 5], MOVE),
        ([0, 1, 2, 3, 5, 6], REPAIR),  # seat 0 has planned its EMP
        ([0, 1, 2, 3, 4, 5, 6], NOTHING),  # seat 1 has not
        ([0, 1, 2, 3, 5, 6], NOTHING),
        *[([6], NOTHING)] * 3,
    ):
        assert game.legal() == legal
        game.act(action)
    assert game.state["turns"] == 1


@pytest.mark.parametrize("limit", [1, 2, 9])
def test_v4_the_option_emp_per_turn(limit: int) -> None:
    """The limit is for each turn."""
    stats = [{"energy": 6}, None]
    game = Hover([(1, 1, N)], [(6, 6, N)], energy=[6, 1], stats=stats, emp_per_turn=limit)
    for slot in range(9):
        assert game.mover == 0
        assert (EMP in game.legal()) == (slot < limit)
        game.act(EMP if slot < limit else LANDING)
        if slot < 2:
            game.act(LANDING)
    assert game.state["turns"] == 1
    assert EMP in game.legal()


def test_v3_the_asking_is_the_same_whatever_is_planned() -> None:
    """Every ship decides exactly its rolled number of slots, slot by slot in seat order."""
    asked = set()
    plans = ["move", "landing landing landing landing", "right left EMP", "EMP"]
    for shift in range(4):
        game = Hover([(1, 1, S), (7, 1, S)], [(1, 6, N), (7, 6, N)], energy=[1, 6, 3, 4])
        words = [plan.split() for plan in plans[shift:] + plans[:shift]]
        movers = []
        while game.state["turns"] == 0:
            seat, slot = game.mover, int(game.state["slot"])
            movers.append((seat, slot))
            word = words[seat][slot] if slot < len(words[seat]) else "no action"
            game.act(ACTIONS.index(word))
        asked.add(tuple(movers))
    slots = [range(4), range(4), (1, 2, 3), (1,)]
    assert asked == {tuple((seat, slot) for slot, seats in enumerate(slots) for seat in seats)}


def test_a_ship_that_is_out_is_not_asked() -> None:
    game = Hover([(4, 0, N), (1, 4, S)], [(6, 6, N)])
    game.turn("move", "landing", "landing")
    assert game.ship(0) is None
    for _ in range(6):
        assert game.mover in (1, 2)
        game.act(LANDING)


# --- the phases of a turn -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plans", "phases"),
    [
        (("landing", "landing"), 1),
        (("landing landing", "landing"), 2),
        (("landing", "landing landing landing"), 3),
        (("landing landing landing landing", "landing landing"), 4),
    ],
)
def test_a_turn_has_as_many_phases_as_the_longest_plan(plans: tuple[str, str], phases: int) -> None:
    """Four slots for each, of which the last ones are `no action`."""
    game = Hover([(1, 1, S)], [(6, 6, N)], energy=[5, 5]).turn(*plans)
    assert game.state["passed"] == phases


def test_the_longest_plan_of_a_ship_that_is_out_does_not_count() -> None:
    """Seat 0 leaves the map in phase 1; the second phase is the last."""
    plans = "move left left left, landing left"
    game = Scene("4,0N 1,1S", "- 1,1SE", plans=plans, energy=[5, 5, 5]).play()
    assert game.state["passed"] == 2


# --- ties -----------------------------------------------------------------------------------------


def fives(kernel: Any, state: Any, *arguments: int) -> tuple[Any, int]:
    """What a kernel makes of dice that all show a 5, for ever; and how many it rolls."""
    rolled: list[int] = []

    def die(state: Any) -> int:
        rolled.append(5)
        return 5

    return Interpreter({ships_.die: die}).function(kernel)(state, *arguments), len(rolled)


def test_after_64_ties_the_defender_holds() -> None:
    """Both sides get 5 for ever: 64 times two checks, and no hit."""
    game = Hover([(4, 4, N)], [(4, 3, N)])
    assert fives(fire.hits, game.state, 0, 1) == (False, 2 * 64)


def test_after_64_ties_the_lower_seat_wins_a_contest() -> None:
    """Three ships, 64 times three checks; then their seats are the order."""
    game = Hover([(4, 3, S), (4, 5, N), (3, 3, SE)], [(8, 7, N)])
    game.state["aim"][:3] = cell_of(4, 4)
    assert fives(moves.contest, game.state, cell_of(4, 4))[1] == 3 * 64
    assert game.state["place"][:3].tolist() == [0, 1, 2]


# --- the end --------------------------------------------------------------------------------------

DAMAGE = {"reward": "damage"}


def test_the_disabled_members_of_a_team_get_the_same() -> None:
    """Seat 1 leaves the map in the turn before."""
    game = Hover([(4, 1, NW), (0, 7, S)], [(4, 0, N, 1)])
    game.turn("landing", "move", "landing")
    assert (game.over, game.rewards) == (False, [0, 0, 0])
    game.turn("right", "", "landing", dice=[6, 1])
    assert game.rewards == [1, 1, -1]
    assert game.variant.agents == ("zion_0", "zion_1", "machines_0")


@pytest.mark.parametrize("turns", [1, 3])
def test_after_max_turns_the_game_is_truncated(turns: int) -> None:
    game = Hover([(1, 1, N)], [(6, 6, N)], max_turns=turns)
    for turn in range(1, turns + 1):
        assert not game.over
        game.turn("landing", "landing")
        assert game.state["turns"] == turn
        assert game.rewards == [0, 0]
    assert (game.terminated, game.truncated, game.reason) == (False, True, "max_turns")


def test_with_damage_a_wall_costs_its_own_team_once() -> None:
    """The decisions of the next turn, and its end, bring nothing."""
    game = Scene("4,4N 0,0N", "4,4N2", (), "move", walls=[(4, 3)], options=DAMAGE).play()
    assert game.rewards == [-0.1, -0.1, 0.1]
    while game.state["turns"] == 1:
        game.act(LANDING)
        assert game.rewards == [0, 0, 0]


def test_with_damage_repairs_do_not_count() -> None:
    """One hull is repaired, and one lost in the wall: only that counts."""
    game = Hover([(4, 4, N, 2)], [(6, 6, N, 1)], walls=[(4, 3)], reward="damage")
    game.turn("repair", "repair")
    assert game.hulls == [3, 2]
    assert game.rewards == [0, 0]
    game.turn("move repair", "repair")
    assert game.hulls == [3, 3]
    assert game.rewards == [-0.1, 0.1]


# --- what a ship sees -----------------------------------------------------------------------------


def test_others_are_seen_from_the_own_ship() -> None:
    """Where another ship is: steps straight ahead and ahead to the right; and how it faces."""
    luck = np.random.default_rng(4)
    for _ in range(40):
        cells = luck.choice(20 * 16, 3, replace=False)
        ships = [(int(at) % 20, int(at) // 20, int(luck.integers(6))) for at in cells]
        game = Hover(ships[:1], ships[1:], size=(20, 16))
        column, row, facing = ships[0]
        straight, right = AROUND[facing], AROUND[(facing + 1) % 6]
        for other, (there, below, looking) in enumerate(ships[1:]):
            seen = game.seen(0)["others"][other].tolist()
            steps, aside = seen[10:12]
            x, _, z = cube(column, row)
            place = (
                x + steps * straight[0] + aside * right[0],
                z + steps * straight[2] + aside * right[2],
            )
            assert offset((place[0], -place[0] - place[1], place[1])) == (there, below)
            assert seen[1:3] == [there, below]
            assert seen[12:].index(1) == (looking - facing) % 6


def test_walls_and_edges_are_seen_around_the_own_ship() -> None:
    """The six hexes next to it come first, from straight ahead on, clockwise."""
    for facing in range(6):
        game = Hover([(1, 1, facing)], [(6, 6, N)], walls=[(1, 0), (2, 2)])
        walls, edges = game.seen(0)["around"].tolist()
        # Around (1, 1): north (1, 0) and south-east (2, 2).
        assert [(facing + at) % 6 for at in range(6) if walls[at]] == sorted(
            [0, 2], key=lambda way: (way - facing) % 6
        )
        assert sum(walls) == 2
        assert not any(edges[:6])
        assert sum(edges) > 0


# --- the sample game ------------------------------------------------------------------------------


def test_the_sample_game() -> None:
    """Minx (Zion) against Locust (Machines) on 7x4, die by die, in the documented order."""
    game = Hover([(6, 1, NW)], [(0, 0, SE)], size=(7, 4), energy=[5, 1])
    assert game.state["actions"][:2].tolist() == [4, 2]
    # Phase 4: Minx shoots: 2 -> 2 against Locust's 3 -> 3: a miss; and Locust: 6 -> 4 against
    # 4 -> 3: a hit. Then 3 actions each.
    game.turn("move move left move", "move move", dice=[2, 3, 6, 4], energy=[3, 3])
    assert game.ships == [(3, 0, SW, 2), (2, 1, SE, 3)]
    assert game.state["passed"] == 4
    assert (game.pairs("shot"), game.pairs("hit")) == ({(0, 1), (1, 0)}, {(1, 0)})

    assert game.state["actions"][:2].tolist() == [3, 3]
    # Phase 1: Locust's EMP, 2; Minx has landed for her repair and does not roll. Phase 2: Minx's
    # EMP 3 -> 3 (the text reads it as 4), Locust 1 -> 2: affected. Phase 3: Minx shoots: 4 -> 3
    # against 2 -> 2: a hit. Then 2 and 3 actions.
    game.turn("repair EMP left", "EMP move left", dice=[2, 3, 1, 4, 2], energy=[2, 4])
    frames = [*phases_between(game.game, game.began, game.record), game.record]
    assert [[ship_of(frame[0], seat) for seat in range(2)] for frame in frames] == [
        [(3, 0, SW, 3), (2, 1, SE, 3)],
        [(3, 0, SW, 3), (3, 1, SE, 3)],
        *[[(3, 0, S, 3), (3, 1, SE, 2)]] * 2,
    ], "the pictures: after each phase, and in the end"
    assert game.state["passed"] == 3
    assert game.state["done"][:2].tolist() == [LEFT, LANDING]
    assert (game.pairs("shot"), game.pairs("hit")) == ({(0, 1)}, {(0, 1)})

    assert game.state["actions"][:2].tolist() == [2, 3]
    # Phase 1: Minx rams: 4 -> 2+3 = 5 against 4 -> 2+2 = 4: Locust loses one. Locust's EMP 5 -> 4,
    # Minx 1 -> 2: affected. Minx shoots all the same: 5 -> 4 against 2 -> 2: a hit, Locust is out.
    game.turn("move left", "EMP left left", dice=[4, 4, 5, 1, 5, 2])
    assert game.ships == [(3, 0, S, 3), None]
    assert game.state["done"][:2].tolist() == [LANDING, NOTHING]
    assert game.reason == "disabled_all"
    assert game.rewards == [1, -1]
