"""What users bring plays wherever a player is named, or is refused before anything starts."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cyberdeck
from cyberdeck import Batch, OptionError, TextGame
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.common import consent
from cyberdeck.common.brought import files_run
from cyberdeck.errors import ConsentError
from cyberdeck.evaluation import evaluate, reporting_seed
from cyberdeck.evaluation.evaluate import named
from cyberdeck.play.compiled import CompiledEngine
from cyberdeck.players import find_player, player_names
from cyberdeck.playing.table import Setup, Table
from cyberdeck_training import config
from tests.commands import refused, run
from tests.training.runs import write

Capture = pytest.CaptureFixture[str]

SOURCE = '''
import numpy as np
from cyberdeck import Policy
from cyberdeck.common.consent import Effect


class Ranked(Policy):
    """The legal action of that rank, the last one if there are fewer."""

    name = "ranked"

    def __init__(self, rank=0, backwards: bool = False, *unused, word: str | None = None, **more):
        self.rank, self.backwards, self.word = rank, backwards, word

    def decide(self, seen):
        legal = [np.flatnonzero(mask) for mask in seen.masks]
        legal = [each[::-1] if self.backwards else each for each in legal]
        return np.array([each[min(self.rank, len(each) - 1)] for each in legal])


class Needy(Ranked):
    def __init__(self, file: dict):
        pass


class Past(Ranked):
    needs_history = needs_states = True
    memory = 2

    def decide(self, seen):
        assert len(seen.history) == len(seen.states) == len(seen.memory)
        seen.memory[:] += 1
        return super().decide(seen)


class Calling(Ranked):
    effects = (Effect.NETWORK,)

    def decide(self, seen):
        raise ConnectionError("nobody answers")


def lowest(observations, action_masks):
    return action_masks.argmax(axis=1)


def floating(observations, action_masks):
    return lowest(observations, action_masks).astype(float)


def highest(observations, action_masks):
    return np.full(len(observations), action_masks.shape[1] - 1)


def failing(observations, action_masks):
    raise RuntimeError("out of\\nluck")


def alone(observations):
    return observations[:, 0]


last = Ranked(backwards=True)
number = 3
'''


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module of players in the folder where one is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    (tmp_path / "agreed").mkdir()
    monkeypatch.setattr(consent, "own_folder", tmp_path.joinpath)
    for name in [name for name in sys.modules if name.startswith("own_players")]:
        monkeypatch.delitem(sys.modules, name)
    (tmp_path / "own_players.py").write_text(SOURCE)
    return tmp_path / "own_players.py"


def actions_of(player: Any, game: str = "hackthegrid") -> list[int]:
    """What it decides in some games."""
    batch = Batch(game, 20, seed=5, history=True)
    found = []
    for _ in range(5):
        found.append(batch._core.ask(find_player(batch.variant, player), batch._core.all_rows))
        batch.step(batch.choose("random"))
    return [int(each) for each in np.concatenate(found)]


@pytest.mark.parametrize("where", ["own_players", "own_players.py", "./own_players.py"])
def test_a_class_an_object_or_a_function_is_a_player(where: str, file: Path) -> None:
    plain = actions_of(f"{where}:lowest")
    assert plain == actions_of(f"{where}:Ranked") == actions_of(f"{where}:Ranked:")
    assert plain == actions_of(f"{where}:Ranked:rank=0,word=auto,backwards=false")
    assert actions_of(f"{where}:Ranked:rank=2") != plain
    assert actions_of(f"{where}:last") == actions_of(f"{where}:Ranked:backwards=true") != plain
    assert actions_of(f"{where}:Past") == plain


def test_a_file_is_run_once_as_long_as_it_is_the_same(file: Path) -> None:
    first = find_player(cyberdeck.variant("hackthegrid"), "own_players.py:last")
    assert find_player(cyberdeck.variant("hackthegrid"), f"{file}:last") is first
    file.write_text(SOURCE.replace('"ranked"', '"edited"'))
    again = find_player(cyberdeck.variant("hackthegrid"), "own_players.py:last")
    assert (first.name, again.name) == ("ranked", "edited")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "floating",
            r"floating: <function floating .*> must return 2 whole numbers, one for each observati"
            r"on; it returned shape \(2,\) of float64$",
        ),
        ("highest", r"highest: <function highest .*> chose wrongly: row 0: action 68 .* legal are"),
        ("failing", r"failing, asked for two decisions in HACKtheGRID, raised RuntimeError: out of "
         "luck; a player returns an action for each row of observations and action_masks$"),
        ("alone", r"alone: alone\(observations\) is no player: that is a function of two arrays"),
        ("number", "number: 3 cannot play: give one of random, "),
        ("nothing", "nothing cannot be loaded: AttributeError: "),
        ("Ranked:rnk=2", r"Ranked has no setting 'rnk=2' \(did you mean rank\?\): it has rank=0, "
         "backwards=false, word=auto$"),
        ("Ranked:rank=x", "Ranked: rank='x' is not possible: a whole number is needed$"),
        ("Needy", "Needy cannot be made: TypeError: .*'file'$"),
        ("Needy:file=x", "Needy: file='x' is not possible: what no text can say is needed$"),
        ("lowest:rank=2", "lowest is no class that builds on cyberdeck.Policy: only such have set"),
        ("Effect", "Effect is no class that builds on cyberdeck.Policy: it cannot play$"),
    ],
)  # fmt: skip
def test_what_does_not_play_is_refused_before_anything_starts(
    name: str, told: str, file: Path, capsys: Capture
) -> None:
    for where in ("own_players.py", "own_players"):
        with pytest.raises(OptionError, match=f"^{where}:{told}") as caught:
            find_player(cyberdeck.variant("hackthegrid"), f"{where}:{name}")
        assert "\n" not in str(caught.value)
    line = f"evaluate hackthegrid own_players.py:{name} --opponent random --json result.json"
    assert refused(capsys, line).startswith("cyberdeck: own_players.py:")
    assert not Path("result.json").exists()


def test_what_connects_is_first_asked_in_a_game(file: Path) -> None:
    player = find_player(cyberdeck.variant("hackthegrid"), "own_players.py:Calling")
    with pytest.raises(ConnectionError):
        Batch("hackthegrid", 1, seed=0, seat=0, opponent=player).step([0])


@pytest.mark.parametrize("content", ["import nowhere_at_all", "x = )", "raise SystemExit(3)"])
def test_a_file_that_fails_says_where(content: str, file: Path) -> None:
    file.write_text(f"\n{content}\n")
    with pytest.raises(OptionError, match=r"^own_players\.py cannot be run: line 2: \w+: "):
        find_player(cyberdeck.variant("hackthegrid"), "own_players.py:lowest")
    with pytest.raises(OptionError, match=r"^own_players:lowest cannot be loaded: [A-Z]"):
        find_player(cyberdeck.variant("hackthegrid"), "own_players:lowest")


# --- wherever a player is named ------------------------------------------------------------------


def test_commands_take_it(file: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    own = "own_players.py:Ranked:rank=1"
    assert "own_players.py:Ranked:rank=1" in run(
        capsys, f"evaluate hackthegrid {own} --opponent own_players:lowest --deals 2"
    )
    assert run(capsys, f"tournament hackthegrid random {own} --deals 2").count(own) > 1
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    assert "HACKtheGRID" in run(capsys, f"play hackthegrid --opponent {own} --seed 1")
    kuhn = Path(__file__).parents[2] / "examples" / "games" / "kuhn_poker.py"
    assert "own_players.py:lowest" in run(capsys, f"exploit {kuhn} own_players.py:lowest")
    tasks = f"tasks hackthegrid --player {own} --count 1 --output -"
    assert json.loads(run(capsys, tasks))["game"] == "hackthegrid"


def test_envs_and_batches_and_texts_take_it(file: Path) -> None:
    own = "own_players.py:lowest"
    assert CyberdeckEnv("hackthegrid", opponent=own).reset(seed=0)
    batch = Batch("hackthegrid", 4, seed=0, seat=0, opponent=["random", own])
    batch.step(batch.choose("random"))
    assert TextGame("hackthegrid", players={"column": own})
    engine = CompiledEngine(cyberdeck.variant("hackthegrid"))
    table = Table(engine, Setup("row", own), seed=3)
    assert "error" not in table.handle({"do": "go on", "version": table.version})


def test_another_process_knows_its_class(file: Path) -> None:
    """Tried for real by a slow test, and here by what such a process is told."""
    find_player(cyberdeck.variant("hackthegrid"), "own_players.py:last")
    assert file in files_run()


@pytest.mark.slow
def test_matches_in_several_processes(file: Path) -> None:
    players = ("own_players.py:last", ["own_players.py:lowest", "own_players:Ranked:rank=1"])
    alone, spread = (
        evaluate("hackthegrid", *players, deals=40, processes=processes).records
        for processes in (1, 2)
    )
    assert alone == spread


def test_names_in_tables_and_of_deals(file: Path) -> None:
    texts = ["a/one.onnx", "two.zip:greedy=false", "own_players.py:last", "three.safetensors"]
    assert [*named(texts)] == ["one", "two:greedy=false", "own_players.py:last", "three"]
    before = reporting_seed("own_players.py:last", "2026-11-24").number
    file.write_text(f"{SOURCE}\n")
    assert reporting_seed("own_players.py:last", "2026-11-24").number != before


# --- consent -------------------------------------------------------------------------------------


def test_a_configuration_needs_the_users_yes(file: Path, tmp_path: Path) -> None:
    own = "own_players.py:lowest"
    path = write(tmp_path / "run", opponents={"self": 1, own: 1}, past=...)
    assert [*config.responder("hackthegrid", own, {}).fixed] == [f"{file}:lowest"]
    file.write_text(f"raise SystemExit('it was run')\n{SOURCE}")
    with pytest.raises(OptionError, match=f"names the player '{own}', which runs code; you have n"):
        config.load(path)
    file.write_text(SOURCE)
    loaded = config.load(path, [f"opponents={{self: 1, {own}: 1}}"])
    assert loaded.fixed[own].name == "lowest"
    config.load(path)  # what was agreed to stays so, as long as it is the same
    file.write_text(f"{SOURCE}\n")
    with pytest.raises(OptionError, match="as it is now"):
        config.load(path)


def test_a_page_names_no_code(file: Path) -> None:
    engine = CompiledEngine(cyberdeck.variant("hackthegrid"))
    table = Table(engine, Setup("row", "own_players.py:lowest"), seed=3)
    file.write_text(SOURCE.replace("return action_masks", "raise SystemExit"))
    for other in ("own_players.py:last", "own_players:last", "a.zip", "a.onnx"):
        Path(other.partition(":")[0]).touch()
        told = table.handle({"do": "new", "against": other, "version": table.version})["error"]
        assert told.startswith(f"the page names the player '{other}', which runs code; ")
    hidden, inside = cyberdeck.variant("stacktrices"), "search:belief=own_players.py:last"
    with (
        consent.named_by("the page", {"player": "name it yourself"}),
        pytest.raises(ConsentError, match=r"the player 'own_players\.py:last', which runs code"),
    ):
        find_player(hidden, inside)


# --- installed packages --------------------------------------------------------------------------


@pytest.fixture
def package(file: Path) -> None:
    about = file.parent / "own_players-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: own-players\nVersion: 1.0\n")
    points = "ranked = own_players:Ranked\ncalling = own_players:Calling\n"
    (about / "entry_points.txt").write_text(f"[cyberdeck.players]\n{points}")


def test_the_players_of_an_installed_package_have_names(package: None, capsys: Capture) -> None:
    variant = cyberdeck.variant("hackthegrid")
    assert player_names(variant)[-2:] == ["calling", "ranked"]
    assert "ranked" in run(capsys, "describe hackthegrid")
    with pytest.raises(OptionError, match=r"no player 'rankd' \(did you mean ranked\?\)"):
        find_player(variant, "rankd")
    assert "own_players" not in sys.modules
    assert actions_of("ranked:rank=2") == actions_of("own_players:Ranked:rank=2")


def test_a_package_is_agreed_to_by_installing_it(package: None, tmp_path: Path) -> None:
    """Its code is; what it does besides is not."""
    path = write(tmp_path / "run", opponents={"self": 1, "ranked:rank=2": 1}, past=...)
    assert config.load(path).fixed["ranked:rank=2"].name == "ranked"
    path = write(tmp_path / "run", opponents={"self": 1, "calling": 1}, past=...)
    with pytest.raises(OptionError, match="names the player 'calling', which opens connections;"):
        config.load(path)
