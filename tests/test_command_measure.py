"""``cyberdeck evaluate``, ``tournament``, ``replay`` and ``solve``: what they print and write."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import cyberdeck
from cyberdeck import players
from cyberdeck.commands import main as command
from cyberdeck.commands import solve
from cyberdeck.commands.arguments import game_options
from cyberdeck.common import progress as bars
from cyberdeck.engine import game_batch
from cyberdeck.engine.policy import Policy, PolicyInput
from cyberdeck.errors import install
from cyberdeck.evaluation import evaluate, rounds, tournament
from cyberdeck.exact import InformationSets
from cyberdeck.players.solved import Solved
from cyberdeck.replay import Replay
from tests.commands import Capture, refused, run
from tests.evaluation.test_solved import few_games  # noqa: F401
from tests.refusals import refusals
from tests.test_policies import network
from tests.test_replay import recorded

# --- options of games ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("ships=3v2", (3, 2)),
        ("ships=3,2", (3, 2)),
        ("share_plans=true", True),
        ("share_plans=False", False),
        ('scenario=["....", "...."]', ("....", "....")),
        ("wall_density=0.25", 0.25),
        ("width=null", 7),
        ("width=None", 7),
    ],
)
def test_options_are_read_as_their_kind(text: str, value: object) -> None:
    game = cyberdeck.game("hovercrafts")
    chosen = cyberdeck.variant(game.name, **game_options(game, [text]))
    assert chosen.options[text.partition("=")[0]] == value


def test_options_may_stand_anywhere_after_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But a player's settings, what belongs to another argument, and files are something else."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c=d.safetensors").touch()
    players = ["random", "search:iterations=2", "c=d.safetensors"]
    line = ["ships=2v2", "hovercrafts", *players, "goal=seize", "--csv", "a=b.csv", "width=9"]
    chosen = command.parser().parsed(["tournament", *line])
    assert chosen.assignments == ["ships=2v2", "goal=seize", "width=9"]
    assert (chosen.game, chosen.players, chosen.csv) == ("hovercrafts", players, "a=b.csv")


# --- evaluate ------------------------------------------------------------------------------------


def test_evaluate_prints_what_evaluate_returns(capsys: Capture, tmp_path: Path) -> None:
    kept, listed = tmp_path / "a.json", tmp_path / "a.csv"
    against = "--opponent random search:iterations=3 --opponent heuristic"
    how = f"--deals 6 --seed 4 scramble=at_end --json {kept} --csv {listed}"
    printed = run(capsys, f"evaluate hackthegrid heuristic {against} {how}")
    opponents = ["random", "search:iterations=3", "heuristic"]
    expected = evaluate("hackthegrid", "heuristic", opponents, deals=6, seed=4, scramble="at_end")
    heading = "HACKtheGRID, scramble=at_end, 6 deals, seed 4 (for choosing): heuristic"
    assert printed == f"{heading}\n\n{expected.table()}\n"
    assert json.loads(kept.read_text())["options"]["scramble"] == "at_end"
    assert len(listed.read_text().splitlines()) == 1 + 9


def test_evaluate_meets_whom_it_can_by_itself(capsys: Capture, tmp_path: Path) -> None:
    """A policy of a file too; in a solitaire there is nobody."""
    network("hackthegrid", {}).save(tmp_path / "small.safetensors")
    printed = run(capsys, f"evaluate hackthegrid {tmp_path}/small.safetensors --deals 2")
    assert printed.startswith("HACKtheGRID, 2 deals, seed 0 (for choosing): small\n")
    assert {line.split("  ")[0] for line in printed.splitlines()[4:]} == {"random", "heuristic"}
    printed = run(capsys, "evaluate matrix_overload heuristic --deals 5")
    assert re.search(r"^games +5$", printed, re.MULTILINE)
    assert re.search(r"^royals_killed +\d", printed, re.MULTILINE)


def test_replays_are_kept_deal_by_deal(capsys: Capture, tmp_path: Path) -> None:
    folder = tmp_path / "games"
    line = "evaluate hackthegrid heuristic --opponent random search:iterations=2 --deals 3 --seed 9"
    printed = run(capsys, f"{line} --save-replays {folder} --keep 5")
    assert printed.endswith(f"5 replays in {folder}\n")
    names = sorted(path.name for path in folder.iterdir())
    assert names == [
        "001-deal-0-heuristic-random.json",
        "002-deal-0-random-heuristic.json",
        "003-deal-0-heuristic-search_iterations_2.json",
        "004-deal-0-search_iterations_2-heuristic.json",
        "005-deal-1-heuristic-random.json",
    ]
    first, second, *_, last = (Replay.load(folder / name) for name in names)
    assert first.players == ("heuristic", "random")
    assert second.players == ("random", "heuristic")
    assert first.seed == second.seed != last.seed
    # These are the games that were measured.
    opponents = ["random", "search:iterations=2"]
    games = evaluate("hackthegrid", "heuristic", opponents, deals=3, seed=9).games
    at = np.flatnonzero((games.deals == 1) & (games.lineups == [0, 1]).all(axis=1))[0]
    assert tuple(games.returns[at].tolist()) == last.played().returns
    # Those of teams name the player of each ship.
    line = "evaluate hovercrafts heuristic --opponent random ships=2v1 --deals 1"
    run(capsys, f"{line} --save-replays {tmp_path}/teams")
    first = Replay.load(tmp_path / "teams" / "001-deal-0-heuristic-random.json")
    assert first.players == ("heuristic", "heuristic", "random")


class Wrong(Policy):
    """It does what is not legal."""

    name = "wrong"

    def decide(self, seen: PolicyInput) -> Any:
        return seen.masks.argmin(axis=1)


def test_games_lost_by_an_illegal_decision_have_no_replay(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(players.EVERYWHERE, "wrong", "tests.test_command_measure:Wrong")
    line = f"evaluate hackthegrid wrong --opponent random --deals 2 --save-replays {tmp_path}/games"
    assert "is not legal" in refused(capsys, line)
    assert command.main([*line.split(), "--illegal", "lose"]) == 0
    caught = capsys.readouterr()
    assert "0 replays in" in caught.out
    assert "4 games ended with an illegal decision" in caught.err


def test_ctrl_c_prints_what_is_finished(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    line = "evaluate hackthegrid heuristic --opponent random --deals 50"
    monkeypatch.setattr(rounds, "_AT_ONCE", 20)
    step, batches = game_batch.GameBatch.step, list[Any]()

    def interrupted(batch: Any, *given: Any) -> None:
        if batch not in batches:
            batches.append(batch)
        if len(batches) >= 3:
            raise KeyboardInterrupt
        step(batch, *given)

    with monkeypatch.context() as patch:
        patch.setattr(game_batch.GameBatch, "step", interrupted)
        assert command.main(line.split()) == 130
    caught = capsys.readouterr()
    assert re.search(r"^random +both +40 ", caught.out, re.MULTILINE)
    assert re.search(r"^random +column +20 ", caught.out, re.MULTILINE)
    assert "interrupted: these are the results of 40 of 100 games" in caught.err
    monkeypatch.setattr(game_batch.GameBatch, "step", interrupted)
    for line in ("evaluate hackthegrid heuristic", "tournament hackthegrid random heuristic"):
        assert command.main([*line.split(), "--json", str(tmp_path / "a.json")]) == 130
        caught = capsys.readouterr()
        assert caught.out == ""
        assert caught.err == "cyberdeck: interrupted: no game was finished\n"
    assert not (tmp_path / "a.json").exists()


def test_a_bar_on_terminals_only(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    with bars.bar(10, "games") as tell:
        assert tell is None
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with bars.bar(10, "games") as tell:
        tell(4)
        tell(10)
    assert "games" in capsys.readouterr().err
    monkeypatch.setattr(bars, "TICK", 0.01)
    with bars.bar(10, "games"):
        time.sleep(0.5)
        assert capsys.readouterr().err.count("0/10") > 2  # time goes on while nothing is done
    capsys.readouterr()
    monkeypatch.setattr(bars, "TICK", 1.0)
    with bars.bar(10, "best responses", share=True) as tell:
        assert capsys.readouterr().err == ""  # there may be something to say before
        time.sleep(0.11)
        tell(4)
    assert "\rbest responses  40%|" in capsys.readouterr().err
    monkeypatch.setattr(bars, "find_spec", lambda name: None)
    with bars.bar(10, "games") as tell:
        assert tell is None  # without tqdm


# --- tournament ----------------------------------------------------------------------------------


def test_a_tournament_prints_what_tournament_returns(capsys: Capture, tmp_path: Path) -> None:
    kept, listed, plots = tmp_path / "a.json", tmp_path / "a.csv", tmp_path / "plots"
    players = ["random", "heuristic", "search:iterations=2"]
    files = f"--json {kept} --csv {listed} --save-plots {plots} --save-replays {tmp_path}/games"
    line = f"tournament hackthegrid {' '.join(players)} --deals 2 --seed 2 {files} --keep 2"
    printed = run(capsys, line)
    expected = tournament("hackthegrid", players, deals=2, seed=2).table()
    assert printed.startswith(f"HACKtheGRID, 2 deals, seed 2 (for choosing)\n\n{expected}\n")
    assert json.loads(kept.read_text())["players"] == players
    assert len(listed.read_text().splitlines()) == 1 + 3
    assert sorted(path.name for path in plots.iterdir()) == ["points.png", "ratings.png"]
    assert len(list((tmp_path / "games").iterdir())) == 2


# --- replay --------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A short game of Hovercrafts."""
    players = ["ada", "ada", "bob"]
    replay = recorded("hovercrafts", {"ships": (2, 1)}, 2, player="random", players=players)
    replay.save(tmp_path / "game.json")
    return tmp_path / "game.json"


def test_a_replay_as_a_list_of_moves(capsys: Capture, saved: Path) -> None:
    printed = run(capsys, f"replay {saved}")
    replay = Replay.load(saved)
    lines = printed.splitlines()
    heading = ["Hovercrafts", "Z0: ada", "Z1: ada", "M0: bob", "ships=(2, 1)", "seed 2"]
    assert lines[:6] == heading
    moves = [line for line in lines if re.match(r" *\d+\. ", line)]
    assert len(moves) == len(replay.actions)
    assert re.match(r" *1\. \w+: deploy in row", moves[0])
    told = [line.strip() for line in lines if "phase 1:" in line]
    assert told
    assert len(told) == len(set(told))
    assert told[0].startswith("Turn 1, phase 1: Z0 ")
    assert lines[-1] == replay.headline()
    assert re.match(r"zion \(ada\) [+-]1, machines \(bob\) [+-]1: .*No ship of ", lines[-1])


def test_a_replay_as_files(capsys: Capture, tmp_path: Path) -> None:
    run(capsys, f"evaluate hackthegrid random --deals 1 --save-replays {tmp_path}/games --keep 1")
    (saved,) = (tmp_path / "games").iterdir()
    page, film, pictures = tmp_path / "a.html", tmp_path / "a.gif", tmp_path / "svg"
    told = run(capsys, f"replay {saved} --seat row")
    assert "\nseen by row\n" in told
    assert "seed" not in told
    shown = "--seat 1 --seconds 0.25 --width 90"
    outputs = f"--output {page} --output {film} --output-dir {pictures}"
    printed = run(capsys, f"replay {saved} {outputs} {shown}")
    assert printed == f"written: {page}, {film}, {pictures}\n"
    assert '"seconds":0.25' in page.read_text("utf-8")
    with Image.open(film) as opened:
        assert opened.width == 90
        assert opened.info["duration"] == 250
    assert (pictures / "0000.svg").exists()
    assert "is not empty" in refused(capsys, f"replay {saved} --output-dir {pictures}")
    assert "seat='²'" in refused(capsys, f"replay {saved} --seat ²")


# --- solve ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", solve.SOLVERS)
def test_one_deal_is_told_in_full_and_of_many_there_are_figures(
    game: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, other = (run(capsys, f"solve {game} --deal {seed}") for seed in (5, 6))
    assert first != other
    batch = cyberdeck.Batch(game, 1, seed=5)
    words = {batch._core.action_name(0, int(action)) for action in np.flatnonzero(batch.mask[0])}
    assert any(word in first for word in words)
    told: list[int] = []
    monkeypatch.setattr(solve, "bar", lambda *_: nullcontext(told.append))
    assert re.search(r"\b3 (of|deals)\b", run(capsys, f"solve {game} --deals 3 --seed 5"))
    assert told == [1, 2, 3]


def test_the_line_of_a_solitaire_wins_where_there_is_one(capsys: Capture) -> None:
    printed = run(capsys, "solve matrix_overload --deal 7 edition=royals")
    told = re.findall(r"^ *\d+\. (.*)$", printed, re.MULTILINE)
    batch = cyberdeck.Batch("matrix_overload", 1, seed=7, autoreset="Disabled", edition="royals")
    for words in told:
        legal = np.flatnonzero(batch.mask[0])
        (action,) = (each for each in legal if batch.action_name(0, int(each)) == words)
        batch.step([action])
    assert batch.reasons[batch.reason[0]] == "won"
    assert f"won in {len(told)} moves" in printed
    printed = run(capsys, "solve matrix_overload --deal 7 max_steps=9")
    assert printed.startswith("No line that wins")
    assert "won 0 of 2" in run(capsys, "solve matrix_overload --deals 2 max_steps=9")


KUHN = str(Path(__file__).parents[1] / "examples" / "games" / "kuhn_poker.py")


def test_a_small_game_is_solved_by_a_table_that_plays(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = run(capsys, f"solve {KUHN} --method cfr+ --iterations 30 --output kuhn.npz")
    assert printed.startswith("Kuhn Poker, 12 information sets, cfr+; exploitability\n")
    rows = [line.split() for line in printed.splitlines()[2:] if line[:1] == " "]
    assert [int(row[0]) for row in rows] == [1, 2, 5, 10, 20, 30]
    assert [row[2] for row in rows][::3] == ["0.458333", "0.032687"]
    assert printed.endswith("The average is kept: it plays as solved:file=kuhn.npz\n")
    exploited = run(capsys, f"exploit {KUHN} solved:file=kuhn.npz")
    assert exploited.startswith("Kuhn Poker, all 12 information sets; reward a game against")
    assert f"The exploitability of solved:file=kuhn.npz is {float(rows[-1][2]):.4f}" in " ".join(
        exploited.split()
    )
    monkeypatch.setattr("builtins.input", lambda prompt: "" if "saves" in prompt else "0")
    assert "Folded" in run(capsys, f"play {KUHN} --opponent solved:file=kuhn.npz --seed 3")


def test_what_an_interrupted_solver_has_is_kept(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    gather, gathered = InformationSets.gather, []

    def interrupted(sequences: InformationSets, *arguments: Any) -> None:
        gathered.append(arguments)
        if len(gathered) == 28:  # in the eighth iteration: thrice it has told how far it is
            raise KeyboardInterrupt
        gather(sequences, *arguments)

    monkeypatch.setattr(InformationSets, "gather", interrupted)
    file = tmp_path / "kuhn.npz"
    assert command.main(["solve", KUHN, "--output", str(file)]) == 130
    caught = capsys.readouterr()
    assert caught.err == "cyberdeck: interrupted after 7 iterations\n"
    assert f"it plays as solved:file={file}" in caught.out
    assert Solved(str(file)).game == "kuhn_poker"


def test_a_solver_stops_after_some_minutes_and_takes_no_more_memory_than_there_is(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = run(capsys, f"solve {KUHN} --method mmd --minutes 0.002")
    assert "kept" not in printed
    assert 0.1 <= float(printed.splitlines()[-1].split()[1]) < 5
    monkeypatch.setattr(solve, "_BYTES", 2**28)
    wrong = refused(capsys, f"solve {KUHN}")
    assert "solving Kuhn Poker takes 6.5 GB, more than the 3 that it may: give --memory" in wrong


# --- mistakes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("line", "complaint"), refusals("commands"))
def test_mistakes_are_one_line(
    line: str, complaint: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parents[1])
    assert complaint in refused(capsys, line)


@pytest.mark.parametrize(
    ("line", "library", "extra"),
    [
        ("tournament hackthegrid random random --deals 2 --save-plots x", "matplotlib", "evaluate"),
        ("evaluate hackthegrid a.safetensors", "safetensors", "evaluate"),
        ("play hackthegrid --window", "pygame", "window"),
    ],
)
def test_a_missing_extra_is_named(
    line: str, library: str, extra: str, capsys: Capture, monkeypatch: Any, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    error = refused(capsys, line, at_once=False)
    assert library in error
    assert install(extra) in error


def test_importing_and_listing_are_light() -> None:
    script = (
        "import sys, cyberdeck.evaluation; from cyberdeck.commands import main as command; "
        "command.main(['list']); "
        "heavy = {'scipy.optimize', 'matplotlib', 'tqdm', 'torch', 'pygame', 'safetensors', 'PIL'};"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    python = [sys.executable, "-c", script]
    done = subprocess.run(python, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "hackthegrid" in done.stdout
