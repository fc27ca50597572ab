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

import cyberdeck
from cyberdeck import Batch, StateError
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
    transitions,
)

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
    firsts = set()
    for seed in range(20):
        seat = seed % 2
        face = Gymnasium(cyberdeck.variant("hackthegrid"), seat=seat, opponent=lowest)
        state = face.core.states[0]
        face.reset(seed, {"grid": GRID, "first": seat})
        assert (state["grid"].tolist(), state["mover"], state["decisions"]) == (GRID, seat, 0)
        face.reset(seed, {"first": 1 - seat})
        assert state["decisions"] >= 1, "the opponent has begun"
        face.reset(seed, {"grid": GRID})
        firsts.add(int(state["first"]))
        # Only who begins: nobody has taken a card from the grid that is drawn.
        face.reset(seed, {"first": seat})
        assert face.env.look()[1]["cards_left"] == 16
        assert not face.core.loops.check_state(face.core.states, np.zeros(1, np.int64))
    assert firsts == {0, 1}, "who begins is drawn if only the grid is given"


def last_decision(seat: int) -> bytes:
    """A position of HACKtheGRID in which *seat* takes the last card of the grid."""
    batch, found = Batch("hackthegrid", 64, seed=0), np.zeros(1)
    while not found.any():
        batch.step(batch.choose("random"))
        taking = batch.mask[:, :4].any(axis=1) & (batch.mover == seat)
        found = taking & (batch._core.states["remaining"] == 1)
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


# --- seats and opponents --------------------------------------------------------------------------


@pytest.mark.parametrize("seat", ["random", None])
def test_a_drawn_seat_is_asked_for_its_own_decisions(seat: str | None) -> None:
    """Which seat it is shows in the infos; both are drawn."""
    variant = cyberdeck.variant("hackthegrid", deck=SCRAMBLED)
    env = CyberdeckEnv(variant, seat=seat, opponent=["random", lowest])
    seats = []
    for seed in range(12):
        env.reset(seed=seed)
        seats.append(env.seat)
        for observation, *_, info in transitions(env, seed):
            assert info["seat"] == env.seat == seats[-1]
            assert variant.named(observation)["to_move"] == (info["reason"] == 0)
    assert set(seats) == {0, 1}


def test_every_player_of_a_pool_plays() -> None:
    called: set[int] = set()

    def counting(at: int) -> Any:
        def policy(observations: NDArray[np.int8], masks: NDArray[np.int8]) -> NDArray[np.int64]:
            assert masks.any(axis=1).all(), "a policy was handed an empty mask"
            called.add(at)
            return lowest(observations, masks)

        return policy

    env = CyberdeckEnv("hackthegrid", opponent=["random", counting(1), "heuristic", counting(3)])
    drawn = set()
    for seed in range(40):
        called.clear()
        env.reset(seed=seed)
        list(transitions(env, seed))
        drawn.add((*called,))
    assert drawn == {(), (1,), (3,)}, "one game, one opponent"


@pytest.mark.parametrize("game", GAMES_FOR_TWO)
def test_bytes_from_another_seat_or_pool_are_refused(game: str) -> None:
    variant = cyberdeck.variant(game)
    source = Gymnasium(variant, seat=0, opponent=["random", "heuristic", lowest])
    source.reset(0)
    source.core.rows["opponent"] = 2
    (saved,) = source.saved()
    for arguments in ({"seat": 1}, {"seat": "random"}, {"seat": 0, "opponent": "random"}):
        env = CyberdeckEnv(variant, **arguments)
        env.reset(seed=1)
        before = position(env)
        with pytest.raises(StateError, match="another seat or other opponents"):
            env.set_state(saved)
        assert position(env) == before
        env.reset(options={"state": saved})


# --- what nobody may know -------------------------------------------------------------------------


def shown(face: Gymnasium, step: Any = None) -> tuple[Any, ...]:
    """Everything that the player is shown of a position."""
    core, env = face.core, face.env
    return (
        *(each.tobytes() for each in (*core.look(0), env.action_masks())),
        *(env.svg(), env.svg(highlight=False), env.render()),
        [core.action_name(0, action) for action in range(21)],
        core.complaint(0, 20),
        step and str(step[1:]),
    )


@pytest.mark.parametrize("pair", [(10, 36), (11, 37), (24, 50)], ids=str)
def test_in_firewall_court_cards_that_look_alike_cannot_be_told_apart(
    pair: tuple[int, int],
) -> None:
    """An 11 shows no suit and a 12 only its colour (ruling M2): a whole game with two of them
    exchanged looks the same, decision by decision.
    """
    deck = np.random.default_rng(pair[0]).permutation(53)
    exchanged = deck.copy()
    exchanged[deck == pair[0]], exchanged[deck == pair[1]] = pair[1], pair[0]
    variant, rng = cyberdeck.variant("matrix_overload"), np.random.default_rng(pair[1])
    one, two = (Gymnasium(variant, render_mode="ansi") for _ in range(2))
    one.reset(1, {"deck": deck})
    two.reset(1, {"deck": exchanged})
    assert one.saved() != two.saved()
    assert shown(one) == shown(two)
    while not one.over:
        action = one.choice(rng)
        assert shown(one, one.step(action)) == shown(two, two.step(action))


# --- pictures -------------------------------------------------------------------------------------


def test_a_window_shows_every_frame_up_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reset and every step show one, the last of them the end of the game; a copy has its own."""
    shown: list[tuple[Window, NDArray[np.uint8]]] = []
    real = Window.show

    def show(window: Window, frame: NDArray[np.uint8]) -> None:
        shown.append((window, frame))
        real(window, frame)

    monkeypatch.setattr(Window, "show", show)
    face = Gymnasium(cyberdeck.variant("matrix_overload", max_steps=8), render_mode="human")
    face.reset(1)
    before = face.saved()
    twins = face.twins()
    for twin in twins:
        twin.play(0, 1)
        twin.env.close()
    assert face.saved() == before
    assert shown[0][0] not in [window for window, _ in shown[1:]], "a window belongs to one env"
    shown.clear()
    env, steps = face.env, len(face.play(1))
    assert len(shown) == steps
    assert (shown[-1][1] == rgb(env.svg())).all()
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
    drawn = Mock(side_effect=rgb)
    monkeypatch.setattr(raster, "rgb", drawn)
    env = CyberdeckEnv("hackthegrid", render_mode="human")
    env.reset(seed=1)
    env.step(env.suggest())
    assert drawn.call_count == 2
    assert pygame.display.get_init()
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.step(env.suggest())
    assert not pygame.display.get_init()
    env.step(env.suggest())
    env.reset()
    assert drawn.call_count == 2
    assert not pygame.display.get_init()
    env.close()
