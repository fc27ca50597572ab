"""Gymnasium's single env: its checker, prescribed starts, opponents inside, secrets, windows."""

from __future__ import annotations

import subprocess
import sys
from typing import Any
from unittest.mock import Mock

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from numpy.typing import NDArray

from cyberdeck import ActionError, Batch, EpisodeError, OptionError, StateError
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.drawing import raster
from cyberdeck.drawing.raster import rgb
from cyberdeck.drawing.window import Window
from cyberdeck.testing.faces import Gymnasium
from tests.api.helpers import (
    FEW,
    GAMES_FOR_TWO,
    SCRAMBLED,
    Case,
    gym_id,
    label,
    lowest,
    pick,
    same,
    transitions,
)
from tests.test_policies import Fixed, Lowest

GRID = [5, 3, 10, 0, 13, 7, 1, 9, 2, 11, 4, 15, 6, 14, 8, 12]


@pytest.fixture(autouse=True)
def _no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def position(env: CyberdeckEnv) -> tuple[Any, ...]:
    """Everything that a caller can learn of an env; equal before and after a refused call."""
    return env.get_state(), env.action_masks().tobytes(), env.look()[0].tobytes(), env.svg()


# --- the library's own ----------------------------------------------------------------------------


@pytest.mark.parametrize("case", FEW[1::6], ids=label)
def test_gymnasiums_own_checker_renders_it_in_every_mode(case: Case) -> None:
    """check_env, warnings being errors; it samples without masks, hence illegal="lose"."""
    game, options = case
    check_env(gym.make(gym_id(game), illegal="lose", **options).unwrapped)


def test_make_imports_the_package_by_itself() -> None:
    """A worker that never imported cyberdeck makes the env by module:id."""
    script = (
        "import sys, gymnasium\n"
        "for make in (gymnasium.make, gymnasium.make_vec):\n"
        f"    env = make('cyberdeck:{gym_id('matrix_overload')}')\n"
        "    print(type(env.unwrapped).__name__)\n"
        "assert 'torch' not in sys.modules and 'pygame' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["CyberdeckEnv", "CyberdeckVectorEnv"]


# --- reset ----------------------------------------------------------------------------------------


def test_a_prescribed_grid_and_first_seat_are_dealt() -> None:
    for seat in (0, 1):
        env = CyberdeckEnv("hackthegrid", seat=seat, opponent=lowest)
        env.reset(seed=1, options={"grid": GRID, "first": seat})
        state = env._core.states[0]
        assert state["grid"].tolist() == GRID
        assert (state["mover"], state["decisions"]) == (seat, 0)
        env.reset(seed=1, options={"first": 1 - seat})
        assert env._core.states[0]["decisions"] >= 1, "the opponent has begun"
    firsts = set()
    for seed in range(20):
        env.reset(seed=seed, options={"grid": GRID})
        firsts.add(int(env._core.states[0]["first"]))
        # Only who begins: nobody has taken a card from the grid that is drawn.
        env.reset(seed=seed, options={"first": 1})
        assert env.look()[1]["cards_left"] == 16
        assert not env._core.loops.check_state(env._core.states, np.zeros(1, np.int64))
    assert firsts == {0, 1}, "who begins is drawn if only the grid is given"


WHOLE = list(range(53))

WRONG_STARTS: list[tuple[str, dict[str, Any], str]] = [
    ("matrix_overload", {"deck": [*WHOLE[:-2], 0, 53]}, "missing: 51, 52; twice: 0; unknown: 53$"),
    ("matrix_overload", {"deck": [0.5, *WHOLE[1:]]}, "list of 53"),
    ("matrix_overload", {"deck": WHOLE, "seed": 3}, "seed.*deck, state"),
    ("hackthegrid", {"deck": WHOLE}, "deck.*grid, first, state"),
    ("hackthegrid", {"grid": [*GRID[:-1], 16]}, "each card 0 to 15"),
    ("hackthegrid", {"grid": GRID, "first": 2}, "column hacker"),
    ("stacktrices", {"position": None}, "must be a text"),
    ("stacktrices", {"positon": ""}, "positon.*position, state"),
]


@pytest.mark.parametrize(("game", "options", "message"), WRONG_STARTS)
def test_a_wrong_start_is_one_clear_error_and_changes_nothing(
    game: str, options: dict[str, Any], message: str
) -> None:
    made: Any = gym.make(gym_id(game))
    env = made.unwrapped
    with pytest.raises(OptionError, match=message):
        made.reset(seed=1, options=options)
    with pytest.raises(EpisodeError, match="reset"):
        env.get_state()
    made.reset(seed=1)
    before = env.get_state(), env.action_masks().tolist()
    with pytest.raises(OptionError, match=message):
        made.reset(seed=2, options=options)
    assert (env.get_state(), env.action_masks().tolist()) == before
    made.step(env.suggest())


def last_decision(seat: int) -> bytes:
    """A position of HACKtheGRID in which *seat* takes the last card of the grid."""
    batch, found = Batch("hackthegrid", 64, seed=0), np.zeros(1)
    while not found.any():
        batch.step(batch.choose("random"))
        taking = batch.mask[:, :4].any(axis=1) & (batch.mover == seat)
        found = taking & (batch.core.states["remaining"] == 1)
    return batch.get_state(int(found.argmax()))


@pytest.mark.parametrize("opponent", ["random", lowest], ids=["built-in", "outside"])
def test_a_start_that_the_opponent_ends_is_refused(opponent: Any) -> None:
    """From a position in which only the opponent decides any more, no learner can begin."""
    for seat in (0, 1):
        env = CyberdeckEnv("hackthegrid", seat=seat, opponent=opponent)
        env.reset(seed=1)
        before = env.get_state()
        with pytest.raises(StateError, match="nothing left to play"):
            env.reset(options={"state": last_decision(1 - seat)})
        assert env.get_state() == before
        assert len(list(transitions(env, 1))) > 3


# --- seats and opponents --------------------------------------------------------------------------


@pytest.mark.parametrize("seat", ["random", None])
def test_a_drawn_seat_is_asked_for_its_own_decisions(seat: str | None) -> None:
    """Which seat it is shows in the infos; both are drawn."""
    env = CyberdeckEnv("hackthegrid", seat=seat, opponent=["random", lowest], deck=SCRAMBLED)
    seats = []
    for seed in range(12):
        observation, info = env.reset(seed=seed)
        seats.append(env.seat)
        for observation, *_, info in transitions(env, seed):
            running = info["reason"] == 0
            assert info["seat"] == env.seat == seats[-1]
            assert env._core.variant.named(observation)["to_move"] == running
            assert env._core.movers[0] == (env.seat if running else -1)
    assert set(seats) == {0, 1}


def test_every_player_of_a_pool_plays() -> None:
    called = []

    def counting(at: int) -> Any:
        def policy(observations: NDArray[np.int8], masks: NDArray[np.int8]) -> NDArray[np.int64]:
            assert masks.any(axis=1).all(), "a policy was handed an empty mask"
            called.append(at)
            return lowest(observations, masks)

        return policy

    pool = ["random", counting(1), "heuristic", counting(3)]
    env = CyberdeckEnv("hackthegrid", opponent=pool, seat=0)
    drawn = set()
    for seed in range(40):
        called.clear()
        env.reset(seed=seed)
        list(transitions(env, seed))
        opponent = int(env._core.rows["opponent"][0])
        drawn.add(opponent)
        assert set(called) == {opponent} & {1, 3}, "one game, one opponent"
    assert drawn == {0, 1, 2, 3}


# --- opponents that go wrong ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (lambda seen: seen.masks.argmin(axis=1), ActionError),
        (Mock(side_effect=KeyError), KeyError),
        (Mock(side_effect=KeyboardInterrupt), KeyboardInterrupt),
    ],
)
@pytest.mark.parametrize("illegal", ["raise", "lose"])
def test_an_opponent_that_goes_wrong_changes_nothing(
    answer: Any, error: type[BaseException], illegal: str
) -> None:
    """One clear error; the env stands where it stood and plays on as if nothing had been."""
    player = Fixed(Lowest().decide)
    deck = [("DATA PACKET", at % 4) for at in range(16)]  # no SCRAMBLE: every turn is one decision
    env = CyberdeckEnv("hackthegrid", seat=0, opponent=player, illegal=illegal, deck=deck)
    player.answer = answer
    with pytest.raises(error):
        env.reset(seed=2, options={"first": 1})
    with pytest.raises(EpisodeError):
        env.get_state()
    player.answer = Lowest().decide
    env.reset(seed=2, options={"first": 0})
    env.step(pick(env.action_masks(), np.random.default_rng(0)))
    twin = env.clone()
    before = position(env)
    player.answer = answer
    action = pick(env.action_masks(), np.random.default_rng(1))
    with pytest.raises(error):
        env.step(action)
    assert position(env) == before
    with pytest.raises(error):
        env.reset(seed=9, options={"first": 1})
    assert position(env) == before
    player.answer = Lowest().decide
    same(env.step(action), twin.step(action))
    same(list(transitions(env, 5)), list(transitions(twin, 5)))


@pytest.mark.parametrize("game", GAMES_FOR_TWO)
def test_bytes_from_another_seat_or_pool_are_refused(game: str) -> None:
    source = CyberdeckEnv(game, seat=0, opponent=["random", "heuristic", lowest])
    source.reset(seed=0)
    source._core.rows["opponent"] = 2
    saved = source.get_state()
    for arguments in ({"seat": 1}, {"seat": "random"}, {"seat": 0, "opponent": "random"}):
        env = CyberdeckEnv(game, **arguments)
        env.reset(seed=1)
        before = position(env)
        with pytest.raises(StateError, match="another seat or other opponents"):
            env.set_state(saved)
        assert position(env) == before
        env.reset(options={"state": saved})


# --- what nobody may know -------------------------------------------------------------------------


def shown(env: CyberdeckEnv, seen: tuple[Any, ...] | None = None) -> tuple[Any, ...]:
    """Everything that the player is shown of a position."""
    core = env._core
    observation, mask, metrics = core.look(0)
    return (
        observation.tobytes(),
        mask.tobytes(),
        metrics.tobytes(),
        env.action_masks().tobytes(),
        str(env._info()),
        env.svg(),
        env.svg(highlight=False),
        env.render(),
        [core.action_name(0, action) for action in range(21)],
        core.complaint(0, 20),
        seen and str(seen[1:4]),
    )


LOOKALIKES = [(10, 36), (11, 37), (24, 50)]  # two 11s, two 12s of a colour


@pytest.mark.parametrize("pair", LOOKALIKES, ids=str)
def test_in_firewall_court_cards_that_look_alike_cannot_be_told_apart(
    pair: tuple[int, int],
) -> None:
    """An 11 shows no suit and a 12 only its colour (ruling M2): a whole game with two of them
    exchanged looks the same, decision by decision.
    """
    deck = np.random.default_rng(pair[0]).permutation(53)
    exchanged = deck.copy()
    exchanged[deck == pair[0]], exchanged[deck == pair[1]] = pair[1], pair[0]
    one = CyberdeckEnv("matrix_overload", render_mode="ansi")
    two = CyberdeckEnv("matrix_overload", render_mode="ansi")
    one.reset(seed=1, options={"deck": deck})
    two.reset(seed=1, options={"deck": exchanged})
    assert one.get_state() != two.get_state()
    rng = np.random.default_rng(pair[1])
    over, seen, again = False, None, None
    while not over:
        assert shown(one, seen) == shown(two, again)
        action = pick(one.action_masks(), rng)
        seen, again = one.step(action), two.step(action)
        over = seen[2] or seen[3]
    assert shown(one, seen) == shown(two, again)


# --- pictures -------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", FEW[1::2], ids=label)
def test_every_step_shows_in_pictures_and_texts(case: Case) -> None:
    """Also the last one; as pixels, without a mark of what is legal."""
    game, options = case
    env = CyberdeckEnv(game, render_mode="ansi", **options)
    assert env._repr_svg_() is None
    env.reset(seed=2)
    texts, pictures = [env.render()], [env._repr_svg_()]
    for _ in transitions(env, 2):
        texts.append(env.render())
        pictures.append(env._repr_svg_())
    assert min(len(each) for each in texts if isinstance(each, str)) > 40
    assert len(set(texts)) > len(texts) // 2
    assert texts[-1] != texts[-2], "the last move is not in the text"
    assert pictures[-1] != pictures[-2], "the last move is not in the picture"
    env.render_mode = "rgb_array"
    frame = env.render()
    assert isinstance(frame, np.ndarray)
    assert frame.std() > 1, "a blank picture"
    assert (frame == rgb(env.svg(highlight=False))).all()


def test_a_window_shows_every_frame_up_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reset and every step show one, the last of them the end of the game; a copy has its own."""
    shown: list[NDArray[np.uint8]] = []
    real = Window.show

    def show(window: Window, frame: NDArray[np.uint8]) -> None:
        shown.append(frame)
        real(window, frame)

    monkeypatch.setattr(Window, "show", show)
    env = CyberdeckEnv("matrix_overload", render_mode="human", max_steps=8)
    env.reset(seed=1)
    before, first = env.get_state(), env._window
    assert first is not None
    face = Gymnasium(env._core.variant, render_mode="human").around(env)
    for twin in (each.env for each in face.twins()):
        assert twin._window is not first, "a window belongs to one env"
        twin.step(pick(twin.action_masks(), np.random.default_rng(0)))
        twin.close()
    assert env.get_state() == before
    assert env._window is first
    shown.clear()
    steps = len(list(transitions(env, 1)))
    assert len(shown) == steps
    assert (shown[-1] == rgb(env.svg())).all()
    assert env.render() is None
    env.close()
    env.close()
    env.reset()
    assert len(shown) == steps + 2
    env.close()


def test_a_window_that_was_closed_stays_closed_and_costs_no_pictures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The user closes it between two steps: not even the next one is drawn."""
    pygame = pytest.importorskip("pygame")
    drawn: list[str] = []

    def counted(svg: str) -> NDArray[np.uint8]:
        drawn.append(svg)
        return rgb(svg)

    monkeypatch.setattr(raster, "rgb", counted)
    env = CyberdeckEnv("hackthegrid", render_mode="human")
    env.reset(seed=1)
    env.step(env.suggest())
    assert len(drawn) == 2
    assert pygame.display.get_init()
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.step(env.suggest())
    assert not pygame.display.get_init()
    env.step(env.suggest())
    env.reset()
    assert len(drawn) == 2
    assert env._window is not None
    assert not env._window.is_open()
    env._window.show(np.zeros((20, 30, 3), np.uint8))
    assert not pygame.display.get_init()
    env.close()
