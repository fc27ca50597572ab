"""Games from outside: in other processes, of installed packages, and what is refused."""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest

import cyberdeck
from cyberdeck import CyberdeckError, Game, OptionError, ReplayError
from cyberdeck.api import registration
from cyberdeck.api.registration import ENVIRONMENT, load_file
from cyberdeck.commands.main import main
from cyberdeck.engine import registry
from cyberdeck.evaluation import evaluate
from cyberdeck.players import networks
from cyberdeck.replay import Replay

TICTACTOE = Path(__file__).parents[2] / "examples" / "games" / "tictactoe.py"

#: A game of one's own in few lines: {name} is to be filled in.
SOURCE = TICTACTOE.read_text("utf-8").replace('"tictactoe"', '"{name}"')


@pytest.fixture
def tictactoe() -> Game:
    return load_file(TICTACTOE)


def written(folder: Path, name: str, source: str = SOURCE) -> Path:
    file = folder / f"{name}.py"
    file.write_text(source.replace("{name}", name), encoding="utf-8")
    return file


# --- processes that are started from this one -----------------------------------------------------


def test_what_a_parent_has_registered_is_registered_again(
    tictactoe: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a variable that processes inherit. A file that has gone is a warning to the child."""
    assert json.loads(os.environ[ENVIRONMENT]) == [str(TICTACTOE)]
    found = dict(registry._found)
    del found["tictactoe"]
    monkeypatch.setattr(registry, "_found", found)
    monkeypatch.setenv(ENVIRONMENT, json.dumps(["/nowhere/game.py", str(TICTACTOE)]))
    with pytest.warns(UserWarning, match="the game of /nowhere/game.py, which the parent") as met:
        registration.register_all()
    assert "game.py does not exist" in str(met[0].message)
    assert len(met) == 1
    assert cyberdeck.game("tictactoe") is not tictactoe
    assert json.loads(os.environ[ENVIRONMENT]) == [str(TICTACTOE)]


def made(gym_id: str) -> Any:
    """For workers that know nothing but this function: it is unpickled by its name."""
    return gymnasium.make(gym_id, opponent="random")


@pytest.mark.slow
def test_workers_know_the_game(tictactoe: Game) -> None:
    """Spawned by Gymnasium, forked by Stable-Baselines3, and those of an evaluation."""
    from stable_baselines3.common.vec_env import SubprocVecEnv

    # "cyberdeck:" is Gymnasium's way to say what the worker is to import.
    makers = [partial(gymnasium.make, f"cyberdeck:{tictactoe.gym_id}", opponent="random")]
    envs = gymnasium.vector.AsyncVectorEnv(makers, context="spawn")
    try:
        observations, infos = envs.reset(seed=3)
        assert observations.shape == (1, 18)
        assert envs.step(np.array([np.flatnonzero(mask)[0] for mask in infos["action_mask"]]))
    finally:
        envs.close()
    # A server that was started before the game was registered knows nothing of it.
    forkserver._forkserver._stop()  # type: ignore[attr-defined]
    forked = SubprocVecEnv([partial(made, tictactoe.gym_id)], start_method="forkserver")
    try:
        assert forked.reset().shape == (1, 18)
    finally:
        forked.close()
    alone, spread = (
        evaluate(tictactoe.name, "random", ["random"], deals=40, processes=processes)
        for processes in (1, 2)
    )
    assert [record.wins for record in spread.records] == [record.wins for record in alone.records]


# --- installed packages ---------------------------------------------------------------------------

BROKEN = "the game 'broken' of an installed package (noughts:NOTHING) cannot be loaded"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder as of site-packages, with the game of a package, and another that is broken."""
    written(tmp_path, "noughts")
    about = tmp_path / "cyberdeck_noughts-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: cyberdeck-noughts\nVersion: 1.0\n")
    points = "noughts = noughts:GAME\nbroken = noughts:NOTHING\n"
    (about / "entry_points.txt").write_text(f"[cyberdeck.games]\n{points}")
    return tmp_path


def test_the_game_of_an_installed_package(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(package)
    monkeypatch.setenv(ENVIRONMENT, "[]")
    with pytest.warns(UserWarning, match=re.escape(BROKEN)):
        registration.register_all()
    assert cyberdeck.game("noughts").title == "Noughts"
    assert gymnasium.spec("cyberdeck/Noughts-v0")


# --- what is refused ------------------------------------------------------------------------------


BAD_FILES = {
    "nothing": ("", "it describes no game: it must have GAME = cyberdeck.Game(...)"),
    "raises": ("\nGAME = undefined", "cannot be run: line 2: NameError: name 'undefined'"),
    "syntax": ("\nGAME = )", "cannot be run: line 2: SyntaxError: "),
    "leaves": ("raise SystemExit(3)", "cannot be run: line 1: SystemExit: 3"),
    "no_kernel": (
        SOURCE.replace("@kernel\ndef act", "def act"),
        ".py: line 52: no_kernel: act is no kernel: write @kernel above it",
    ),
    "hackthegrid": (SOURCE, "'hackthegrid' is a game of the suite: choose another name"),
    "two words": (SOURCE, "a game cannot be called 'two words'"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, message = BAD_FILES[name]
    file = written(tmp_path, name, source)
    before = registry.names(), os.environ[ENVIRONMENT]
    with pytest.raises(CyberdeckError, match=re.escape(message)) as caught:
        load_file(file)
    assert (registry.names(), os.environ[ENVIRONMENT]) == before
    assert not any(name.startswith("cyberdeck_game_" + file.stem) for name in sys.modules)
    assert "\n" not in str(caught.value)
    if name == "nothing":
        assert main(["check", str(file)]) == 2
        assert capsys.readouterr().err == f"cyberdeck: {caught.value}\n"


def test_what_is_no_game_and_no_file_of_one(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"'tictactoe' is no game: give a cyberdeck\.Game"):
        cyberdeck.register("tictactoe")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"nowhere\.py does not exist: give the file of a game"):
        load_file(tmp_path / "nowhere.py")
    other = tmp_path / "game.txt"
    other.write_text(SOURCE)
    with pytest.raises(OptionError, match=r"game\.txt is no Python file"):
        load_file(other)


def test_a_game_that_is_registered_again_takes_the_place_of_the_first(tmp_path: Path) -> None:
    first = load_file(written(tmp_path, "again"))
    source = SOURCE.replace("    seats=", '    title="Another",\n    seats=')
    second = load_file(written(tmp_path, "again", source))
    assert cyberdeck.game("again") is second is not first
    assert cyberdeck.variant("again").game.title == "Another"
    assert second.gym_id in gymnasium.registry
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cyberdeck.register(second)
    assert json.loads(os.environ[ENVIRONMENT]).count(str(tmp_path / "again.py")) == 1


@pytest.mark.filterwarnings("ignore:.*is out of date:DeprecationWarning")  # Gymnasium's own
def test_versions_of_ones_own_game(tmp_path: Path) -> None:
    numbered = SOURCE.replace(
        "    seats=", '    version=2, changes={2: "a draw is lost"},\n    seats='
    )
    game = load_file(written(tmp_path, "numbered", numbered))
    assert gymnasium.make(game.gym_id).spec.id == "cyberdeck/Numbered-v2"
    for version in range(2):
        message = f"-v{version} no longer exists: use cyberdeck/Numbered-v2, where a draw is lost"
        with pytest.raises(OptionError, match=message):
            gymnasium.make(f"cyberdeck/Numbered-v{version}")
    unsaid = SOURCE.replace("    seats=", "    version=1,\n    seats=")
    load_file(written(tmp_path, "unsaid", unsaid))
    with pytest.raises(OptionError, match="where its rules, rewards, observation or actions have"):
        gymnasium.make("cyberdeck/Unsaid-v0")
    twice = SOURCE.replace("    seats=", '    gym_id="mine/Twice-v1",\n    seats=')
    with pytest.raises(OptionError, match="'mine/Twice-v1' is not of version=0: leave out its"):
        load_file(written(tmp_path, "twice", twice))


def test_the_namespace_of_an_id_is_that_in_every_registry(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = SOURCE.replace("    seats=", '    gym_id="mine/Spaced", version=1,\n    seats=')
    file = written(tmp_path, "spaced", own)
    assert load_file(file).gym_id == "mine/Spaced-v1"
    assert main(["describe", str(file)]) == 0
    assert re.search(r"registry +mine/spaced-v1$", capsys.readouterr().out, re.MULTILINE)
    if not hasattr(pettingzoo, "make"):
        pytest.skip("this PettingZoo has no registry")
    env = pettingzoo.make("aec", "mine/spaced-v1")
    env.reset(seed=1)
    assert env.metadata["name"] == "spaced_v1"
    with pytest.raises(OptionError, match="mine/spaced-v0 no longer exists: use mine/spaced-v1"):
        pettingzoo.make("aec", "mine/spaced-v0")
    with pytest.raises(Exception, match="cyberdeck/spaced"):
        pettingzoo.make("aec", "cyberdeck/spaced-v1")


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file that shows when it is run."""
    file = written(tmp_path, "trap", f"open({str(tmp_path / 'sprung')!r}, 'w').close()\n" + SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    yield file
    assert not (tmp_path / "sprung").exists(), "a file was imported for its name"
    assert "trap" not in sys.modules


def names(trap: Path) -> list[str]:
    suite = "cyberdeck.games.hackthegrid"
    return ["trap", "trap:GAME", "trap.GAME", str(trap), suite, "../trap.py"]


def test_a_replay_of_a_game_that_is_not_registered(tmp_path: Path, trap: Path) -> None:
    file = tmp_path / "game.json"
    for name in names(trap):
        replay = {"cyberdeck replay": 1, "game": name, "seed": 1, "actions": [0]}
        file.write_text(json.dumps(replay))
        with pytest.raises(ReplayError, match=r"there is no game .* once it is registered"):
            Replay.load(file)


def test_a_policy_for_a_game_that_is_not_registered(tmp_path: Path, trap: Path) -> None:
    from safetensors.numpy import load_file as tensors_of
    from safetensors.numpy import safe_open, save_file

    saved = tmp_path / "policy.safetensors"
    load_file(TICTACTOE)
    networks.Network("tictactoe", [(np.zeros((9, 18)), np.zeros(9))]).save(saved)
    with safe_open(saved, "np") as opened:
        about = opened.metadata()
    assert networks.load(saved).game == "tictactoe"
    for name in names(trap):
        changed = {
            key: name if value == "tictactoe" else value.replace('"tictactoe"', json.dumps(name))
            for key, value in about.items()
        }
        assert changed != about
        save_file(tensors_of(saved), tmp_path / "other.safetensors", changed)
        with pytest.raises(CyberdeckError):
            evaluate("tictactoe", networks.load(tmp_path / "other.safetensors"), deals=1)
