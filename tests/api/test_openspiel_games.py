"""Games of ``examples/games`` are OpenSpiel's own: what is legal, thrown, seen, known and won.

Small ones at every node, large ones in random games. Run where OpenSpiel is installed:
``make example-test``.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from cyberdeck import Batch
from cyberdeck.api.registration import load_file

pyspiel = pytest.importorskip("pyspiel")

GAMES = Path(__file__).resolve().parents[2] / "examples" / "games"
HIDDEN = "obstype=reveal-nothing"
HIDDEN_BOARDS = ("phantom_tictactoe", "dark_hex")


@pytest.fixture(scope="module", autouse=True)
def _own_games(_games_are_forgotten: None) -> None:
    for name in (*("kuhn_poker", "kuhn_for_many", "leduc_poker", "liars_dice"), *HIDDEN_BOARDS):
        load_file(GAMES / f"{name}.py")


def made(name: str, **options: Any) -> Any:
    from cyberdeck.api.openspiel import game

    return game(name, **options)


class Known(NamedTuple):
    """What a seat knows by OpenSpiel: its own view of a board, row by row, and its own actions.

    Dark Hex writes how many decisions there were as well, which a seat cannot know: its tensor
    leaves that out.
    """

    view: str
    actions: str

    @staticmethod
    def by(text: str, size: int) -> Known:
        return Known(text[: size * (size + 1) - 1], text[text.rindex("\n") + 1 :])


def seen(views: list[str], seats: NDArray[np.int64], size: int) -> NDArray[np.int8]:
    """Boards as ours show them: own cells, then the other's, and whose view it is."""
    letters = np.frombuffer("".join(f"{view}\n" for view in views).encode(), np.uint8)
    cells = letters.reshape(len(views), size, size + 1)[:, :, :size].reshape(len(views), -1)
    whose = np.array([[ord(letter) for letter in side] for side in ("xo", "ox")])[seats]
    return np.hstack([cells == whose[:, :1], cells == whose[:, 1:], seats[:, None]]).astype(np.int8)


# --- at every node --------------------------------------------------------------------------------


def nodes(ours: Any, theirs: Any) -> Iterator[tuple[Any, Any]]:
    """Both games side by side, everywhere: the same seats, actions, chances and returns."""
    assert ours.current_player() == theirs.current_player()
    assert ours.returns() == (theirs.returns() if theirs.is_terminal() else [0.0, 0.0])
    yield ours, theirs
    if theirs.is_chance_node():
        chances = [[chance for _, chance in each.chance_outcomes()] for each in (ours, theirs)]
        assert chances[0] == pytest.approx(chances[1])
    elif not theirs.is_terminal():
        assert ours.legal_actions() == theirs.legal_actions()
    for action, twin in zip(ours.legal_actions(), theirs.legal_actions(), strict=True):
        yield from nodes(ours.child(action), theirs.child(twin))


def told_apart(pairs: set[tuple[Any, Any]]) -> int:
    """So many are told apart, by both alike."""
    ours, theirs = (len(set(each)) for each in zip(*pairs, strict=True))
    assert ours == theirs == len(pairs)
    return ours


def test_leduc_poker() -> None:
    pairs, ends = set(), 0
    theirs = pyspiel.load_game("leduc_poker")
    start = made("leduc_poker").new_initial_state(), theirs.new_initial_state()
    for ours, twin in nodes(*start):
        ends += twin.is_terminal()
        if twin.is_chance_node():
            continue
        for seat in range(2):
            cards, paid, bets = np.split(np.array(ours.observation_tensor(seat)), [12, 14])
            told = np.array(twin.information_state_tensor(seat))[2:]  # after whose it is
            assert cards.tolist() == told[:12].tolist()
            assert np.stack([bets == 1, bets == 2], 1).ravel().tolist() == told[12:].tolist()
            pot = twin.observation_tensor(seat)[-2:]
            assert paid.tolist() == [pot[seat], pot[1 - seat]]
        if not twin.is_terminal():
            pairs.add((ours.information_state_string(), twin.information_state_string()))
    assert told_apart(pairs) == 936
    assert ends == 5520


# --- what is remembered ---------------------------------------------------------------------------

REMEMBERED: list[tuple[str, dict[str, Any], str, int]] = [
    ("kuhn_poker", {}, "kuhn_poker", 24),
    ("leduc_poker", {}, "leduc_poker", 2 * 936),
    ("liars_dice", {"sides": 3}, "liars_dice(numdice=1,dice_sides=3)", 384),
    ("liars_dice", {"dice": 2, "sides": 2}, "liars_dice(numdice=2,dice_sides=2)", 1536),
    ("dark_hex", {"size": 2}, f"dark_hex(board_size=2,gameversion=cdh,{HIDDEN})", 90),
    (
        "dark_hex",
        {"size": 2, "rules": "abrupt"},
        f"dark_hex(board_size=2,gameversion=adh,{HIDDEN})",
        138,
    ),
]


def dealt(ours: Any, theirs: Any) -> Iterator[tuple[Any, Any]]:
    """Both games after the deal: Kuhn poker's is thrown in another way."""
    if ours.is_chance_node():
        for action in ours.legal_actions():
            yield from dealt(ours.child(action), theirs)
        return
    twin = theirs.clone()
    if twin.is_chance_node():
        for seat in range(2):
            twin.apply_action(ours.observation_tensor(seat).index(1))
    yield ours, twin


@pytest.mark.parametrize(("name", "options", "theirs", "count"), REMEMBERED)
def test_a_history_tells_apart_what_openspiels_information_state_does(
    name: str, options: dict[str, Any], theirs: str, count: int
) -> None:
    """At every decision, for both seats: also for the one that does not decide.

    With its tensor: its text of Dark Hex says how many decisions there were, which a seat cannot
    know. Not at the end: there its tensor of Leduc poker does not say who folded or called last,
    and its text shows both cards.
    """
    start = made(name, **options).new_initial_state(), pyspiel.load_game(theirs).new_initial_state()
    begun = dealt(*start) if name == "kuhn_poker" else [start]
    pairs = set()
    for ours, twin in (pair for each in begun for pair in nodes(*each)):
        if twin.is_chance_node() or twin.is_terminal():
            continue
        for seat in range(2):
            own, other = (tuple(each.information_state_tensor(seat)) for each in (ours, twin))
            pairs.add(((seat, own), (seat, other)))
    assert told_apart(pairs) == count


@pytest.mark.parametrize(("name", "options"), [REMEMBERED[at][:2] for at in (0, 5)])
def test_the_bridge_remembers_what_the_engine_does(name: str, options: dict[str, Any]) -> None:
    """Everywhere, before the deal and at the end as well."""
    shown = made(name, **options, observation="history")
    assert shown.get_type().provides_information_state_tensor
    assert shown.information_state_tensor_shape() == [shown.variant.observation_size]
    seen = set()
    for present, history in nodes(
        *(
            made(name, **each).new_initial_state()
            for each in (options, {**options, "observation": "history"})
        )
    ):
        for seat in range(2):
            told = history.information_state_tensor(seat)
            assert present.information_state_tensor(seat) == told
            if not history.is_chance_node():  # there the last decision is not yet carried out
                assert history.observation_tensor(seat) == told
            seen.add((seat, *told))
    assert len(seen) > 24


# --- in random games ------------------------------------------------------------------------------

#: So many games are played side by side.
ROWS = 10_000


class Decision(NamedTuple):
    mover: int
    legal: list[int]
    known: Known
    action: int


class Played(NamedTuple):
    decisions: list[Decision]
    views: list[str]  # at the end, of both seats
    returns: list[float]


def played(theirs: Any, size: int, luck: random.Random) -> Played:
    """A random game of OpenSpiel's."""
    state, decisions = theirs.new_initial_state(), []
    while not state.is_terminal():
        legal, known = state.legal_actions(), Known.by(state.information_state_string(), size)
        action = luck.choice(legal)
        decisions.append(Decision(state.current_player(), legal, known, action))
        state.apply_action(action)
    return Played(decisions, [state.observation_string(seat) for seat in range(2)], state.returns())


def compared(games: list[Played], batch: Batch, size: int) -> Iterator[tuple[int, int]]:
    """The same games once more: all is the same. What a mover knows, in ours and in theirs."""
    batch.reset(seed=0)
    knows = [[b"", b""] for _ in games]
    for at in range(max(len(game.decisions) for game in games)):
        rows = np.array([row for row, game in enumerate(games) if len(game.decisions) > at])
        now = [games[row].decisions[at] for row in rows.tolist()]
        movers = np.array([decision.mover for decision in now])
        assert (batch.mover[rows] == movers).all()
        mask = np.zeros_like(batch.mask[rows])
        mask[
            np.repeat(np.arange(len(now)), [len(decision.legal) for decision in now]),
            np.concatenate([decision.legal for decision in now]),
        ] = 1
        assert (batch.mask[rows] == mask).all()
        shown = batch.observation[rows]
        assert (shown == seen([decision.known.view for decision in now], movers, size)).all()
        actions = batch.mask.argmax(axis=1)  # other games have begun anew: anything
        actions[rows] = [decision.action for decision in now]
        for row, own, decision in zip(rows.tolist(), shown, now, strict=True):
            knows[row][decision.mover] += own.tobytes()
            yield (
                hash((decision.mover, knows[row][decision.mover])),
                hash((decision.mover, decision.known)),
            )
            knows[row][decision.mover] += bytes([decision.action])
        batch.step(actions)
        over = np.array([row for row in rows.tolist() if len(games[row].decisions) == at + 1], int)
        assert batch.terminated[rows].sum() == batch.terminated[over].sum() == len(over)
        if len(over):
            assert (batch.final_return[over] == [games[row].returns for row in over]).all()
            for seat in range(2):
                views = [games[row].views[seat] for row in over]
                expected = seen(views, np.full(len(over), seat), size)
                assert (batch.final_observation[over, seat] == expected).all()


@pytest.mark.parametrize("rules", ["classical", "abrupt"])
@pytest.mark.parametrize(
    ("name", "size", "count"),
    [("phantom_tictactoe", 3, None), ("dark_hex", 3, None), ("dark_hex", 5, 500)],
)
def test_random_games(
    pytestconfig: pytest.Config, name: str, size: int, count: int | None, rules: str
) -> None:
    """Of 3x3 cells ``--games=100000`` takes a minute."""
    count = count or pytestconfig.getoption("--games")
    options: dict[str, Any] = {"rules": rules}
    theirs = f"phantom_ttt(gameversion={rules},{HIDDEN})"
    if name == "dark_hex":
        options["size"] = size
        theirs = f"dark_hex(board_size={size},gameversion={rules[0]}dh,{HIDDEN})"
    luck, game = random.Random(size), pyspiel.load_game(theirs)
    batch, pairs = Batch(name, min(count, ROWS), **options), set()
    for _ in range(count // len(batch)):
        games = [played(game, size, luck) for _ in range(len(batch))]
        pairs |= set(compared(games, batch, size))
    assert told_apart(pairs) > count


@pytest.mark.parametrize(("dice", "sides", "count"), [(1, 6, None), (5, 6, 500)])
def test_random_games_of_liars_dice(
    pytestconfig: pytest.Config, dice: int, sides: int, count: int | None
) -> None:
    """The same bids after the same throws; ``--games=100000`` takes a minute."""
    count = count or pytestconfig.getoption("--games")
    theirs = pyspiel.load_game(f"liars_dice(numdice={dice},dice_sides={sides})")
    luck = np.random.default_rng(dice)
    batch, ends = Batch("liars_dice", min(count, ROWS), dice=dice, sides=sides), set()
    for seed in range(count // len(batch)):
        batch.reset(seed=seed)
        twins = [theirs.new_initial_state() for _ in range(len(batch))]
        for twin, cups in zip(twins, batch.core.states["cup"], strict=True):
            for die in np.repeat([*range(sides)] * 2, cups.ravel()).tolist():
                assert twin.is_chance_node()
                twin.apply_action(die)
        rows = np.arange(len(batch))
        while len(rows):
            now = [twins[row] for row in rows.tolist()]
            movers = batch.mover[rows]
            assert movers.tolist() == [twin.current_player() for twin in now]
            legal = [twin.legal_actions() for twin in now]
            assert [np.flatnonzero(mask).tolist() for mask in batch.mask[rows]] == legal
            assert (batch.observation[rows] == told(now, movers, dice, sides)).all()
            # Mostly low bids, so that games are long.
            ways = np.array([*map(len, legal)])
            chosen = (ways * luck.random(len(rows)) ** luck.integers(1, 4, len(rows))).astype(int)
            actions = batch.mask.argmax(axis=1)  # other games have begun anew: anything
            actions[rows] = [each[at] for each, at in zip(legal, chosen.tolist(), strict=True)]
            for twin, action in zip(now, actions[rows].tolist(), strict=True):
                twin.apply_action(action)
            batch.step(actions)
            done = np.array([twin.is_terminal() for twin in now])
            assert (batch.terminated[rows] == done).all()
            over = rows[done]
            ended = [twins[row] for row in over.tolist()]
            assert batch.final_return[over].tolist() == [twin.returns() for twin in ended]
            for seat in range(2):
                seats = np.full(len(over), seat)
                shown = batch.final_observation[over, seat]
                assert (shown == told(ended, seats, dice, sides)).all()
            ends |= {(*twin.returns(), len(twin.history())) for twin in ended}
            rows = rows[~done]
    assert len(ends) > 10


def told(states: list[Any], seats: NDArray[np.int64], dice: int, sides: int) -> NDArray[np.float64]:
    """What OpenSpiel tells each seat, as ours does: how many dice of each face, and the bids."""
    tensors = [
        state.information_state_tensor(seat)[2:]  # after whose it is
        for state, seat in zip(states, seats.tolist(), strict=True)
    ]
    if not tensors:
        return np.zeros((0, sides + 2 * dice * sides + 1))
    whole = np.array(tensors)
    own = whole[:, : dice * sides].reshape(len(whole), dice, sides).sum(axis=1)
    return np.hstack([own, whole[:, dice * sides :]])


# --- three seats ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "deals", "known"), [(2, 6, 11 / 12), (3, 24, 33 / 16)])
def test_kuhn_poker_for_many_is_openspiels(players: int, deals: int, known: float) -> None:
    """Through the bridge: what everybody gets by uniform play, and gains by a best response.

    A deal is one draw, where OpenSpiel deals card by card.
    """
    from open_spiel.python.algorithms import expected_game_score, exploitability
    from open_spiel.python.policy import UniformRandomPolicy

    ours = made("kuhn_for_many", players=players)
    assert len(ours.new_initial_state().chance_outcomes()) == deals
    found = []
    for game in (ours, pyspiel.load_game(f"kuhn_poker(players={players})")):
        uniform = UniformRandomPolicy(game)
        start = game.new_initial_state()
        values = expected_game_score.policy_value(start, [uniform] * players)
        found.append([*values, exploitability.nash_conv(game, uniform)])
    assert found[0] == pytest.approx(found[1], abs=1e-12)
    assert found[0][-1] == pytest.approx(known, abs=1e-12)
