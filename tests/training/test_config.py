"""Configurations: all that is wrong with one is told in one clear error, before anything starts."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from cyberdeck import GAMES, OptionError
from cyberdeck.commands import main as command
from cyberdeck_training import config, documents
from tests.training.runs import write

SEARCHING: dict[str, Any] = {"algorithm": "expert_iteration"}
HIDDEN: dict[str, Any] = {"game": "stacktrices", "beliefs": {}, "opponents": {"self": 1}}
ALONE: dict[str, Any] = {"game": "matrix_overload", "opponents": ..., "past": ...}


def searching(**settings: Any) -> dict[str, Any]:
    return {**SEARCHING, "expert_iteration": settings}


def shared(*layers: Any) -> dict[str, Any]:
    return {"net_arch": {"shared": [*layers], "pi": [], "vf": []}}


CONFIGS = Path(__file__).resolve().parents[2] / "configs"
PUBLISHED = CONFIGS.parent / "benchmarks" / "published"


def read_again(loaded: config.Config, folder: Path) -> config.Config:
    """From a file that holds it."""
    (folder / "copy.yaml").write_text(loaded.text())
    return config.load(folder / "copy.yaml")


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_the_configurations_of_the_repository_are_right(path: Path) -> None:
    assert any(path.stem.startswith(game) for game in GAMES)
    assert path.stem.startswith(config.load(path).game)


@pytest.mark.parametrize("path", sorted(PUBLISHED.glob("*.yaml")), ids=lambda path: path.stem)
def test_published_runs_are_as_long_as_they_were_and_learn_from_all_that_a_seat_knows(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(CONFIGS.parent)
    loaded = config.load(path, game=yaml.safe_load(path.read_text())["game"])
    assert 10_000_000 <= loaded.decisions < 10_000_000 + loaded.rollout
    assert loaded.options["observation"] == "history"
    assert loaded.rollout % loaded.batch_size == 0
    assert loaded.algorithm == {"ppo": "maskable_ppo"}.get(path.stem[:3], "mmd")


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"total_timesteps": float("nan")}, "total_timesteps must be a whole number, not nan"),
        ({"gmae": "x"}, r"unknown key gmae \(did you mean game\?\); known are game, total_times"),
        ({"game": "chess"}, "game: there is no .*'chess'.*hackthegrid"),
        ({"game": ...}, "game is missing"),
        ({"game": None}, "game must be a text, not None"),
        ({"total_timesteps": "many"}, "total_timesteps must be a whole number, not 'many'"),
        ({"total_timesteps": 1.5}, "total_timesteps must be a whole number, not 1.5"),
        ({"total_timesteps": 0}, "total_timesteps must be greater than or equal to 1, not 0"),
        ({"n_epochs": True}, "n_epochs must be a whole number, not True"),
        ({"net_arch": [8, "x"]}, r"net_arch\[1\] must be a whole number, not 'x'"),
        ({"net_arch": [8, 0]}, r"net_arch\[1\] must be greater than or equal to 1, not 0"),
        ({"net_arch": [10**12]}, r"net_arch\[0\] must be less than or equal to 16384"),
        ({"net_arch": {"pi": [8]}}, "net_arch.vf is missing"),
        ({"net_arch": {"pi": [8], "vf": ["x"]}}, r"net_arch.vf\[0\] must be a whole number"),
        ({"net_arch": {"shared": [8]}}, "net_arch.pi is missing"),
        (shared(8, "x"), r"net_arch.shared\[1\] must be a"),
        (
            shared(8, {"residual": 0}),
            r"net_arch.shared\[1\].residual must be gre.* equal to 1, not 0",
        ),
        (shared({"residul": 8}), r"net_arch.shared\[0\].residul \(.* residual\?\); known are resi"),
        ({"algorithm": "maskable_po"}, r"there is no 'maskable_po' \(did you mean maskable_ppo"),
        ({"encoding": "fourier"}, "encoding: there is no 'fourier'; choose raw, scaled"),
        ({"activation_fn": "gelu"}, "activation_fn: .*choose tanh, relu"),
        ({"opponents": {"nobody": 1}}, "opponents: HACKtheGRID has no player 'nobody'"),
        ({"opponents": {"random": -1}}, "opponents.random must be greater than or equal to 0"),
        ({"opponents": {"random": 0.5}}, "opponents.random must be a whole number, not 0.5"),
        ({"opponents": {3: 1}}, "the key 3 of opponents must be a text"),
        ({"opponents": ["random"]}, "opponents must be a mapping"),
        (
            {"opponents": {}, "past": None},
            "opponents: hackthegrid needs some: shares of self, past",
        ),
        ({"opponents": {"random": 0}, "past": None}, "opponents: hackthegrid needs some"),
        ({"opponents": {"random": 1}}, "past: nobody plays past selves"),
        ({"past": {"keep": 0}}, "past.keep must be greater than or equal to 1, not 0"),
        ({"past": {"replace": "best"}}, "past.replace: there is no 'best'; choose oldest, random"),
        ({"past": {"evry": 1}}, r"unknown key past.evry \(did you mean every\?\); known are every"),
        ({"past": 3}, "past must be a mapping"),
        ({"objective": "win"}, "objective: there is no 'win'; choose points, exploit"),
        ({"objective": "exploit"}, "objective: exploit is for one player that stays the same"),
        (
            {"objective": "exploit", "opponents": {"random": 1}, "past": ...},
            "objective: exploit is for one .* for example, opponents={heuristic: 1} and evaluation",
        ),
        ({**ALONE, "objective": "exploit"}, "objective: exploit is for one player"),
        ({"options": {"scrambel": 1}}, "options.scrambel: .*'scrambel'"),
        ({"options": {"scramble": "never"}}, "options.scramble: .*'never'"),
        (
            {"game": "stacktrices", "options": {"reward": "regret"}},
            "options.reward: .*'regret' is not possible",
        ),
        ({"batch_size": 1000}, "batch_size: 1000 is more than a rollout holds"),
        ({"learning_rate": 0}, "learning_rate must be greater than 0"),
        ({"final_learning_rate": -1}, "final_learning_rate must be greater than or equal to 0"),
        ({"gamma": 1.1}, "gamma must be less than or equal to 1, not 1.1"),
        ({"ent_coef": float("nan")}, "ent_coef must be a finite number, not nan"),
        ({"ent_coef": float("inf")}, "ent_coef must be a finite number, not inf"),
        ({"seed": -1}, "seed must be greater than or equal to 0"),
        ({"seed": 2**30}, "seed must be less than 1073741824"),
        ({"history": 0}, "history must be greater than or equal to 1"),
        ({"evaluation": {"game": 3}}, "unknown key evaluation.game"),
        ({"evaluation": {"../x": 3}}, r"unknown key evaluation.\.\./x; known are every"),
        (
            {"evaluation": {"deals.x": 3}},
            r"unknown key evaluation.deals.x \(did you mean deals\?\)",
        ),
        ({"evaluation": {"deals": 0}}, "evaluation.deals must be greater than or equal to 1"),
        ({"evaluation": {"greedy": "no"}}, "evaluation.greedy must be true or false, not 'no'"),
        (
            {"evaluation": {"opponents": ["best"]}},
            "evaluation.opponents: HACKtheGRID has no player 'best'",
        ),
        ({"evaluation": {"opponents": []}}, "evaluation.opponents: name at least one"),
        (
            {"game": "hovercrafts", "options": {"ships": [2, 1]}, "history": 2},
            "history: a side of several ships has none yet",
        ),
        ({"dagger": {"expert": "best"}}, "dagger.expert: HACKtheGRID has no player 'best'"),
        (
            {"game": "stacktrices", "dagger": {"expert": "search:belief=random"}},
            "dagger.expert: search:belief=random decides by the course of a game",
        ),
        ({"dagger": {"timesteps": 127}}, "dagger.timesteps: .* those of a rollout, 128"),
        (
            {"expert_iteration": {}},
            "expert_iteration: maskable_ppo does not search: give algorithm=e",
        ),
        (searching(iteratons=8), r"key expert_iteration.iteratons \(did you mean iterations\?\)"),
        (searching(root="gumble"), r".root: there is no 'gumble' \(did you mean gumbel\?\)"),
        (searching(every=0), "expert_iteration.every must be greater than or equal to 1, not 0"),
        (searching(every=17), "expert_iteration.every: must be at most n_steps, 16, not 17"),
        (searching(iterations=10**6 + 1), "n.iterations must be less than or equal to 1000000"),
        ({"replay": 0}, "replay must be greater than or equal to 1, not 0"),
        ({**SEARCHING, "history": 2}, "history: a search does not look back"),
        ({**SEARCHING, "gamma": 0.9}, "gamma: a search does not discount: give 1, not 0.9"),
        ({"batch_size": 1}, "batch_size must be greater than or equal to 2"),
        (
            {"n_envs": 64, "n_steps": 2},
            "n_steps: must be more than the 2 sides that the learner plays",
        ),
        ({"threads": 2**40}, "threads must be less than or equal to 1024"),
        ({"n_envs": 10**12}, "n_envs must be less than or equal to"),
        ({"opponents": {"past": 1, "random": 9999}}, "opponents: shares and past.keep have to be"),
        ({**ALONE, "past": {}}, "past: matrix_overload is a game for one"),
        (
            {**ALONE, "evaluation": {"opponents": ["heuristic"]}},
            "evaluation.opponents: matrix_overload is a game for one",
        ),
        ({"prior_weight": 0.2}, "prior_weight: these games show no prior"),
        ({"prior_weight": 0}, "prior_weight must be greater than 0"),
        ({"prior_weight": "much"}, "prior_weight must be a number, not 'much'"),
        ({"precision": "double"}, "precision: there is no 'double'; choose float32, bfloat16"),
        # Learners, and what they learn by.
        ({"max_grad_norm": 0}, "max_grad_norm must be greater than 0, not 0"),
        ({"max_grad_nrom": 1}, r"unknown key max_grad_nrom \(did you mean max_grad_norm\?\)"),
        ({"clip_range_vf": -1}, "clip_range_vf must be greater than 0, not -1"),
        ({"final_ent_coef": -1}, "final_ent_coef must be greater than or equal to 0, not -1"),
        ({"algorithm": "mmdd"}, r"there is no 'mmdd' \(did you mean mmd\?\)"),
        ({"kl_coef": 0.1}, "kl_coef: maskable_ppo has none: give algorithm=mmd, or leave it"),
        ({"critic": "ful"}, r"there is no 'ful' \(did you mean full\?\); choose own, full, action"),
        ({"critic": "full", **ALONE}, "critic: full is not possible here: in matrix_overload, a"),
        ({"critic": "full", "algorithm": "ppo"}, "critic: .*ppo does not know what is legal"),
        ({"critic": "full", **SEARCHING}, "critic: .*a search asks a critic that sees as much"),
        ({"critic": "full", **shared(8)}, "critic: .*share no layers"),
        ({"critic": "full", "encoding": "standardized"}, "critic: .*knows only what a policy"),
        (
            {"critic": "full", "prior_weight": 0.1, "options": {"observation": "prior"}},
            "critic: .*prior_weight has a critic of its own",
        ),
        (
            {"critic": "action_values", "dagger": {"timesteps": 512}},
            "critic: action_values .*an expert tells are values of positions",
        ),
        ({"beliefs": {}}, "beliefs: not possible here: nothing is hidden in HACKtheGRID"),
        ({"beliefs": {"limit": 10_001}}, "beliefs.limit must be less than or equal to 10000"),
        (
            {"beliefs": {"player": "best"}},
            "beliefs.player: there is no 'best'; choose random, heuristic",
        ),
        *(
            ({**HIDDEN, **more}, f"beliefs: not possible here: {why}")
            for more, why in (
                ({"opponents": {"past": 1}}, "past selves follow none"),
                ({"history": 2}, "a policy sees beliefs or its last observations: leave history"),
                ({"encoding": "standardized"}, "standardized knows no means: give scaled or raw"),
                ({"critic": "full"}, "a critic that sees all gets none: give own"),
                ({"device": {"kind": "cpu"}}, "games on a device keep no courses: leave device"),
                (SEARCHING, "a search cannot follow them: give another algorithm than expert_it"),
            )
        ),
        # All that is wrong at once.
        ({"gama": 1, "seed": -1}, r"mean gamma.*line \d+: seed must|seed must.*mean gamma"),
        # What keys were called before.
        (
            {"discount": 0.9, "clip": 0.1},
            "discount is now called gamma.*clip is now|clip is now.*discount is now called gamma",
        ),
        ({"imitation": {"player": "heuristic"}}, "imitation is now called dagger, its player exp"),
    ],
)
def test_a_wrong_configuration_is_one_clear_error(
    tmp_path: Path, changed: dict[str, Any], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, **changed)
    with pytest.raises(OptionError, match=named) as raised:
        config.load(path)
    told = re.match(rf"{re.escape(str(path))}(, line (\d+))?: ", str(raised.value))
    assert told
    if told[2] is not None:
        line = path.read_text().splitlines()[int(told[2]) - 1]
        assert line.partition(":")[0].strip() in str(raised.value)
    assert "\n" not in str(raised.value)
    assert command.main(["train", str(path), "--runs", str(tmp_path / "runs")]) == 2
    assert str(raised.value) in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(("old", "new"), config.RENAMED.items())
def test_an_old_name_says_the_new_one(tmp_path: Path, old: str, new: str) -> None:
    """In a file, and on the command line."""
    said = re.escape(f"{old} is now called {new}")
    with pytest.raises(OptionError, match=rf"tiny.yaml, line \d+: {said}"):
        config.load(write(tmp_path, **{old: 1}))
    with pytest.raises(OptionError, match=f"argument '{old}=1': {said}"):
        config.load(write(tmp_path), [f"{old}=1"])
    words = new.replace("[256, 128]", "").replace("[128, 64]", "")
    known = {*config.Config.model_fields, *config.DAggerConfig.model_fields}
    assert known & set(re.findall(r"\w+", words))


def bomb(levels: int) -> bytes:
    """Lists of nine aliases of such lists: the last one stands for 9 ** levels values."""
    lines = [f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 9)}]" for at in range(1, levels)]
    return "\n".join(["a0: &a0 [1]", *lines, f"seed: *a{levels - 1}"]).encode()


def chain(length: int) -> bytes:
    """Each list holds the one before."""
    lines = [f"a{at}: &a{at} [*a{at - 1}]" for at in range(1, length)]
    return "\n".join(["a0: &a0 [1]", *lines]).encode()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, r"broken\.yaml cannot be read"),
        (
            b"seed: 1\ngame: [",
            r"broken\.yaml is not YAML: while parsing a flow node expected the node content, but "
            r"found '<stream end>' in line 2, column 8$",
        ),
        (b"game: \x01", r"is not YAML: .*special characters are not allowed at position 6$"),
        (b"- game", "must hold a mapping"),
        (b"", "must hold a mapping"),
        (b"a: !!python/object/apply:os.system [true]", "is not YAML"),
        (b"\xff\xfe\x00", "no text in UTF-8"),
        (b"seed: 1\n" * 10_000, "it has 80,000 bytes, and at most 65,536 are read"),
        (b"seed: " + b"[" * 3000, "more than 32 values in each other"),
        (bomb(12), "more than 10,000 values"),
        (b"seed: &a [*a]", "more than 10,000 values"),
        (chain(500), "or 32 in each other"),
        (b"seed: !!int ''", "'' is not possible"),
        (b"seed: !!float x", "'x' is not possible"),
        (b"seed: " + b"9" * 5000, "'9{60}...' is not possible: 'Exceeds the limit"),
        (b"seed: 0x" + b"f" * 5000, "'0xf+...' is too large a number"),
        (b"seed: !!timestamp 2001-13-45", "'tag:yaml.org,2002:timestamp' is no kind of value"),
        (b"seed: !!set {a}", "'tag:yaml.org,2002:set' is no kind of value"),
        (b'game: "\\e[2J"', r"'\\x1b\[2J' is not possible: it holds '\\x1b'"),
        (b'"\\ud800": 1', "cannot be shown"),
        (b"? [1]\n: 2", "unhashable"),
    ],
)
def test_a_missing_or_broken_file_is_named(
    tmp_path: Path, content: bytes | None, complaint: str
) -> None:
    broken = tmp_path / "broken.yaml"
    if content is not None:
        broken.write_bytes(content)
    began = time.process_time()
    with pytest.raises(OptionError, match=complaint) as raised:
        config.load(broken)
    assert time.process_time() - began < 4
    assert len(str(raised.value)) < 5000
    assert str(raised.value).isprintable()


def test_what_looks_like_a_date_is_a_text_and_no_key_rules_the_terminal(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"seed .*, not '2001-13-45'"):
        config.load(write(tmp_path, seed="2001-13-45"))
    broken = tmp_path / "keys.yaml"
    broken.write_text("game: hackthegrid\ntotal_timesteps: 1\noptions: {'a\u2028b': 1}\n")
    with pytest.raises(OptionError) as raised:
        config.load(broken)
    assert str(raised.value).isprintable()
    broken.write_text("".join(f"k{at}: 1\n" for at in range(5000)))
    with pytest.raises(OptionError) as raised:
        config.load(broken)
    assert len(str(raised.value)) < 5000


@pytest.mark.parametrize(
    "line", ["[]\n", "[a, b, {c: d}],\n", "- - - 1\n", "'", "&a ", "a: b\n", "? "]
)
def test_no_configuration_takes_long(line: str, tmp_path: Path) -> None:
    broken = tmp_path / "long.yaml"
    broken.write_text(line * (documents.MOST // len(line)))
    began = time.process_time()
    with pytest.raises(OptionError):
        config.load(broken)
    assert time.process_time() - began < 6


def test_values_may_be_named_on_the_command_line(tmp_path: Path) -> None:
    loaded = config.load(
        write(tmp_path),
        [
            "total_timesteps=5_000",
            "evaluation.deals=7",
            "options.reward=margin",
            "opponents={random: 3}",
            "past=null",
            "learning_rate=3e-4",
            "evaluation.every=1e6",
            "net_arch={pi: [4, 4], vf: [5]}",
        ],
    )
    assert loaded.total_timesteps == 5000
    assert loaded.evaluation.every == 1_000_000
    assert (loaded.evaluation.deals, loaded.evaluation.final_deals) == (7, 10)
    assert loaded.options == {"reward": "margin"}
    assert (loaded.opponents, loaded.past) == ({"random": 3}, None)
    assert loaded.learning_rate == 0.0003
    assert loaded.net_arch == config.NetArch(pi=[4, 4], vf=[5])


def test_layers_that_policy_and_critic_share(tmp_path: Path) -> None:
    """In a run's own file they are as they were given."""
    given = "net_arch={shared: [8, {residual: 4}], pi: [], vf: [3]}"
    loaded = config.load(write(tmp_path), [given])
    again = read_again(loaded, tmp_path).net_arch
    assert again == loaded.net_arch
    assert isinstance(again, config.NetArch)
    assert again.shared == [8, config.Residual(residual=4)]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ("total_timesteps", "'total_timesteps' is not KEY=VALUE"),
        ("=5", "'=5' is not KEY=VALUE"),
        ("total_timesteps=[", r"'\[' is not YAML"),
        ("total_timesteps.much=5", "total_timesteps is a value, it has no keys"),
        ("evaluation.delas=5", "^argument 'evaluation.delas=5': unknown key .*delas .*mean deals"),
        ("total_timesteps=", "^argument 'total_timesteps=': total_timesteps must be a whole num"),
        ("net_arch=[1, x]", r"^argument 'net_arch=\[1, x\]': net_arch\[1\] must be a whole number"),
        ("options.scrambel=1", r"^argument 'options.scrambel=1': .*\(did you mean scramble\?\)"),
        ("decision=5", r"^argument 'decision=5': .*\(did you mean total_timesteps\?\); known are"),
        ("imitation.player=random", "imitation is now called dagger"),
    ],
)
def test_a_wrong_value_on_the_command_line_is_one_clear_error(
    tmp_path: Path, change: str, complaint: str
) -> None:
    with pytest.raises(OptionError, match=complaint):
        config.load(write(tmp_path), [change])


def test_a_configuration_is_written_as_it_is_read(tmp_path: Path) -> None:
    loaded = config.load(write(tmp_path, game="hovercrafts", options={"ships": [2, 2]}))
    assert read_again(loaded, tmp_path) == loaded


def test_every_game_has_a_configuration() -> None:
    assert [config.load(game).game for game in GAMES] == list(GAMES)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("chess", r"no configuration 'chess': give a file.*hackthegrid"),
        ("hackthegird", r"did you mean hackthegrid\?"),
        ("nowhere.py", r"nowhere\.py does not exist"),
    ],
)
def test_what_is_no_configuration_is_told_what_there_is(name: str, complaint: str) -> None:
    with pytest.raises(OptionError, match=complaint):
        config.load(name)


def test_a_game_without_a_configuration_is_trained_by_self_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its file, which is found from anywhere, or by its name once it is registered."""
    monkeypatch.chdir(CONFIGS.parent)
    loaded = config.load("examples/games/tictactoe.py", ["total_timesteps=5000"])
    assert loaded.variant.game.name == "tictactoe"
    assert loaded.opponents == {"self": 1, "past": 2, "random": 1}
    monkeypatch.chdir(tmp_path)
    assert read_again(loaded, tmp_path) == loaded
    assert config.load("tictactoe").variant.game is loaded.variant.game


def test_a_game_without_a_heuristic_is_not_measured_by_one(tmp_path: Path) -> None:
    file = str(Path("examples/games/tictactoe.py").resolve())
    given: dict[str, Any] = {"game": file, "opponents": {"self": 1}, "past": ...}
    loaded = config.load(write(tmp_path, **given, evaluation={"deals": 5}), game=file)
    assert loaded.evaluation.opponents == ["random"]
    assert read_again(loaded, tmp_path) == loaded
    with pytest.raises(OptionError, match=r"dagger.expert: Tictactoe has no heuristic: choose one"):
        config.load(write(tmp_path, **given, evaluation={"deals": 5}, dagger={}))
    with pytest.raises(OptionError, match=r"such as \{self: 1, past: 2, random: 1\}"):
        config.load(write(tmp_path, **{**given, "opponents": ...}))
