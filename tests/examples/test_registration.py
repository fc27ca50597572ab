"""Games from outside: in other processes, of installed packages, and what is refused."""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
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
from tests.engine.games import EXAMPLES

TICTACTOE = EXAMPLES / "tictactoe.py"

#: A game of one's own in few lines: {name} is to be filled in.
SOURCE = TICTACTOE.read_text("utf-8").replace('"tictactoe"', '"{name}"')


@pytest.fixture
def tictactoe() -> Game:
    return load_file(TICTACTOE)


def written(folder: Path, name: str, source: str = SOURCE, more: str = "") -> Path:
    """The file of a game of that name; *more*: arguments of ``Game`` besides."""
    file = folder / f"{name}.py"
    source = source.replace("    seats=", f"    {more}seats=")
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


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Installs packages with a game each, as site-packages has them: entry point -> what it is."""
    monkeypatch.setattr(registry, "_installed", {})
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv(ENVIRONMENT, "[]")

    def install(**points: str) -> None:
        about = tmp_path / "cyberdeck_noughts-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Name: cyberdeck-noughts\nVersion: 1.0\n")
        lines = "".join(f"{name} = {value}\n" for name, value in points.items())
        (about / "entry_points.txt").write_text(f"[cyberdeck.games]\n{lines}")
        registration.register_all()

    return install


@pytest.mark.filterwarnings("ignore:.*is out of date:DeprecationWarning")  # Gymnasium's own
def test_a_package_is_imported_when_its_game_is_asked_for(
    packages: Callable[..., None], tmp_path: Path
) -> None:
    """By whatever way, and what is wrong with another package is told to who asks for that."""
    written(tmp_path, "noughts")
    written(tmp_path, "crosses", more='gym_id="mine/Crosses", version=1, ')
    (tmp_path / "broken.py").write_text("import nowhere")
    packages(noughts="noughts:GAME", broken="broken:GAME", **{"mine/crosses-v1": "crosses:GAME"})
    assert {"noughts", "broken", "crosses"} <= {*registry.names()}
    assert not {"noughts", "broken", "crosses"} & {*sys.modules}
    env = gymnasium.make("cyberdeck/Noughts-v0")
    assert env.unwrapped.metadata["reasons"] == cyberdeck.game("noughts").reasons
    with pytest.raises(OptionError, match="mine/Crosses-v0 no longer exists: use mine/Crosses-v1"):
        gymnasium.make("mine/Crosses-v0")
    assert pettingzoo.make("aec", "mine/crosses-v1").metadata["name"] == "crosses_v1"
    wrong = re.escape(
        "the game 'broken' of an installed package (broken:GAME) cannot be loaded: "
        "ModuleNotFoundError: No module named 'nowhere'"
    )
    with pytest.raises(OptionError, match=wrong):
        gymnasium.make("cyberdeck/Broken-v0")
    with pytest.warns(UserWarning, match=wrong):
        assert main(["list"]) == 0


@pytest.mark.parametrize(
    ("point", "more", "message"),
    [
        ("game", "", "announces cyberdeck/Game-v0, and own:GAME is cyberdeck/Own-v0: call the"),
        ("own", "version=2, ", "entry point cyberdeck/own-v2, and let the game have gym_id"),
        ("a/own", 'gym_id="a/OWN", ', "a/own-v0, and let the game have gym_id='a/Own'"),
    ],
)
def test_an_entry_point_that_announces_another_id(
    point: str, more: str, message: str, packages: Callable[..., None], tmp_path: Path
) -> None:
    written(tmp_path, "own", more=more)
    packages(**{point: "own:GAME"})
    with pytest.raises(OptionError, match=re.escape(message)):
        cyberdeck.game(point.rpartition("/")[2])
    sys.modules.pop("own")


@pytest.mark.parametrize(
    ("point", "message"),
    [
        ("two words", "an entry point is called as its game, or NAMESPACE/GAME-v1"),
        ("hackthegrid", "'hackthegrid' is a game of the suite: choose another name"),
    ],
)
def test_an_entry_point_that_names_no_game_of_its_own(
    point: str, message: str, packages: Callable[..., None]
) -> None:
    with pytest.warns(UserWarning, match=rf"\(own:GAME\) cannot be loaded: .*{message}"):
        packages(**{point: "own:GAME"})


# --- what is refused ------------------------------------------------------------------------------


BAD_FILES = {
    "nothing": ("", "it describes no game: it must have GAME = cyberdeck.Game(...)"),
    "raises": ("\nGAME = undefined", "cannot be run: line 2: NameError: name 'undefined'"),
    "syntax": ("\nGAME = )", "cannot be run: line 2: SyntaxError: "),
    "leaves": ("raise SystemExit(3)", "cannot be run: line 1: SystemExit: 3"),
    "no_kernel": (
        SOURCE.replace("@kernel\ndef act", "def act"),
        ".py: line 56: no_kernel: act is no kernel: write @kernel above it",
    ),
    "hackthegrid": (SOURCE, "'hackthegrid' is a game of the suite: choose another name"),
    "two words": (SOURCE, "a game cannot be called 'two words'"),
    "twice": (
        SOURCE.replace("    seats=", '    gym_id="mine/Twice-v1", seats='),
        "'mine/Twice-v1' is not of version=0: leave out its",
    ),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, message = BAD_FILES[name]
    file = written(tmp_path, name, source)
    before = registry.names(), os.environ[ENVIRONMENT]
    with pytest.raises(CyberdeckError, match=re.escape(message)) as caught:
        load_file(file)
    assert (registry.names(), os.environ[ENVIRONMENT]) == before
    assert not any(name.startswith("cyberdeck_file_" + file.stem) for name in sys.modules)
    assert "\n" not in str(caught.value)
    if name == "nothing":
        assert main(["check", str(file)]) == 2
        assert capsys.readouterr().err == f"cyberdeck: {caught.value}\n"


def test_what_is_no_game_and_no_file_of_one(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"'tictactoe' is no game: give a cyberdeck\.Game"):
        cyberdeck.register("tictactoe")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"no game 'nowhere'.*also in each worker of a cluster"):
        cyberdeck.game("nowhere")
    with pytest.raises(OptionError, match=r"nowhere\.py does not exist: give the file of a game"):
        load_file(tmp_path / "nowhere.py")
    other = tmp_path / "game.txt"
    other.write_text(SOURCE)
    with pytest.raises(OptionError, match=r"game\.txt is no Python file"):
        load_file(other)


def test_a_game_that_is_registered_again_takes_the_place_of_the_first(tmp_path: Path) -> None:
    first = load_file(written(tmp_path, "again"))
    second = load_file(written(tmp_path, "again", more='title="Another", '))
    assert cyberdeck.game("again") is second is not first
    assert cyberdeck.variant("again").game.title == "Another"
    assert second.gym_id in gymnasium.registry
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cyberdeck.register(second)
    assert json.loads(os.environ[ENVIRONMENT]).count(str(tmp_path / "again.py")) == 1


@pytest.mark.filterwarnings("ignore:.*is out of date:DeprecationWarning")  # Gymnasium's own
@pytest.mark.parametrize(
    ("version", "changes", "says"),
    [
        (2, {2: "a draw is lost"}, "exists: use cyberdeck/Versioned-v2, where a draw is lost"),
        (1, {}, "where its rules, rewards, observation or actions have"),
    ],
)
def test_versions_of_ones_own_game(
    version: int, changes: dict[int, str], says: str, tmp_path: Path
) -> None:
    more = f"version={version}, changes={changes}, "
    game = load_file(written(tmp_path, "versioned", more=more))
    assert gymnasium.make(game.gym_id).spec.id == f"cyberdeck/Versioned-v{version}"
    for old in range(version):
        with pytest.raises(OptionError, match=f"-v{old} no longer .*{says}"):
            gymnasium.make(f"cyberdeck/Versioned-v{old}")


def test_the_namespace_of_an_id_is_that_in_every_registry(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, "spaced", more='gym_id="mine/Spaced", version=1, ')
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
