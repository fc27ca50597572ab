"""Runs: what they leave, and that one which was interrupted goes on as if it had not been."""

from __future__ import annotations

import csv
import errno
import html
import json
import os
import random
import re
import resource
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cyberdeck.commands import main as command
from cyberdeck.common import archives, files
from cyberdeck.common.files import PARTLY
from cyberdeck.common.statistics import Mean, shown
from cyberdeck.evaluation import evaluate
from cyberdeck.players import networks
from cyberdeck.replay import Replay
from cyberdeck_training import checkpoints, config, pages, records, runs, train
from tests.commands import refused
from tests.faults import Disk, PowerCut, leftovers, moments
from tests.training.runs import TINY, be_quick, interrupted, learned, trained, write

#: Learning from the own search.
SEARCHING: dict[str, Any] = {
    "algorithm": "expert_iteration",
    "expert_iteration": {"iterations": 3, "every": 2},
    "replay": 3,
}


def lines_of(path: Path) -> list[dict[str, str]]:
    """Those of a CSV file."""
    return list(csv.DictReader(path.read_text().splitlines()))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing has interrupted; of its policies two are the best, and not the last."""
    with pytest.MonkeyPatch.context() as patch:
        be_quick(patch)
        kept = {**TINY["evaluation"], "keep": True}
        return trained(tmp_path_factory.mktemp("whole"), seed=12, evaluation=kept)


@pytest.mark.usefixtures("drawn")
def test_a_run_leaves_everything_that_it_takes_to_believe_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from sb3_contrib import MaskablePPO

    monkeypatch.setattr(records, "PAUSE", 0.0)
    monkeypatch.setattr(pages, "draw", lambda *_: "<svg></svg>")  # tests of reports draw

    changes = ["total_timesteps=250", "evaluation.every=128"]
    arguments = ["train", str(write(tmp_path)), *changes, "--output-dir", str(tmp_path / "runs")]
    assert command.main(arguments) == 0
    printed = capsys.readouterr().out
    for word in ("random", "heuristic", "column", "row", "points", "report.html"):
        assert word in printed
    assert "250 decisions were asked for; a run learns from whole rollouts of 128" in printed
    # There is no terminal: lines instead of a bar.
    assert re.search(r"\n +128: of 256, [\d,]+ a second, (return .*)?\d+ s left\n", printed)
    assert re.search(r"\n +optimal: against random \d.*, against heuristic \d", printed)
    (folder,) = (tmp_path / "runs").iterdir()
    assert config.load(folder / "config.yaml") == config.load(write(tmp_path), changes)
    said = json.loads((folder / "run.json").read_text())
    assert said["game"] == "hackthegrid"
    assert said["decisions"] == 256
    assert said["finished"]
    assert said["seeds"]["final evaluation"] == 1_000_004
    assert said["versions"]["torch"]
    for name in ("report.html", "curves.csv", "evaluations.csv", "tensorboard"):
        assert (folder / name).exists(), name
    assert len(lines_of(folder / "curves.csv")) == 256 // 128
    decisions = [int(line["decisions"]) for line in lines_of(folder / "evaluations.csv")]
    assert decisions == [0, 0, 128, 128, 256, 256]
    others = [(line["player"], line["opponent"]) for line in lines_of(folder / "references.csv")]
    players = ("heuristic", "baseline", "optimal")
    assert others == [(one, against) for one in players for against in ("random", "heuristic")]
    replays = sorted(path.name for path in (folder / "replays").glob("*.json"))
    assert replays[-1] == "000000000256-random.json"
    assert len(replays) == len(list((folder / "replays").glob("*.html"))) == 6
    page = (folder / "report.html").read_text()
    assert page.count("<iframe ") == 2
    assert "script-src 'sha256-" in html.unescape(page)
    assert "256 decisions" in Replay.load(folder / "replays" / replays[-1]).title
    assert MaskablePPO.load(folder / "model.zip", device="cpu").num_timesteps == 256

    # The table is that of the policy in the file, on deals that nothing else has seen.
    assert (folder / "evaluation.txt").read_text().strip() in printed
    best = networks.load(folder / "best.safetensors")
    again = evaluate("hackthegrid", best, ["random", "heuristic"], deals=10, seed=1_000_004)
    kept = json.loads((folder / "evaluation.json").read_text())["records"]
    assert [record.points for record in again.records] == [Mean(**r["points"]) for r in kept]

    # On the same deals as what it was before its first update.
    first = networks.load(folder / "untrained.safetensors")
    before = evaluate("hackthegrid", first, ["random", "heuristic"], deals=10, seed=1_000_004)
    kept = json.loads((folder / "untrained.json").read_text())["records"]
    assert [record.points for record in before.records] == [Mean(**r["points"]) for r in kept]
    for name, result in (("trained", again), ("untrained", before)):
        row = "  ".join([f"{name:9}", *(f"{shown(each.points):22}" for each in result.overall)])
        assert f"\n{row.rstrip()}\n" in printed


KUHN = str(Path(__file__).parents[2] / "examples" / "games" / "kuhn_poker.py")

DARK_HEX = str(Path(KUHN).with_name("dark_hex.py"))

ALONE: dict[str, Any] = {"game": "matrix_overload", "opponents": ..., "past": ...}
ALONE["options"] = {"max_steps": 20}
TEAMS: dict[str, Any] = {"game": "hovercrafts", "options": {"ships": [2, 1]}}
ITSELF: dict[str, Any] = {"opponents": {"self": 1}, "past": ...}
MIXED: dict[str, Any] = {"opponents": {"self": 1, "random": 1}, "past": ...}
#: Of a game that has no heuristic.
BY_RANDOM = {"evaluation": {**TINY["evaluation"], "opponents": ["random"]}}
PRIOR: dict[str, Any] = {"prior_weight": 0.25, "options": {"observation": "prior"}}
SHARED = {"net_arch": {"shared": [8, {"residual": 4}], "pi": [], "vf": []}}

DAGGER: dict[str, Any] = {"algorithm": "dagger", "dagger": {"timesteps": 128}}


def research(name: str, **more: Any) -> dict[str, Any]:
    return {"algorithm": f"cyberdeck_training.research:{name}", **more}


KINDS: dict[str, dict[str, Any]] = {
    "history": research("LastObservations", history=3),
    "solitaire": ALONE,
    "shared layers": {**PRIOR, **SHARED},
    "no masks": {"algorithm": "ppo", **PRIOR, "prior_weight": 0.01},
    "dagger": DAGGER,
    "a seat's own past": {**MIXED, "game": KUHN, "options": {"observation": "history"}},
    "search": {"opponents": {"random": 2, "search:iterations=2": 1}, "past": ...},
    "regret": {"options": {"reward": "regret"}},
    "expert iteration": {**SEARCHING, "dagger": {"timesteps": 256}},
    "expert iteration alone": {**SEARCHING, **ALONE},
    "expert iteration in teams": {**SEARCHING, **TEAMS},
    "exploit": {**MIXED, **BY_RANDOM, "algorithm": "exploit", "opponents": {"random": 1}},
    # What a learner remembers is nothing but weights, whatever it learns by.
    "all seats": research("PPO", critic="full"),
    "all actions": research("MMD", critic="action_values", clip_range_vf=0.3, kl_coef=0.2),
    "all ships": research("PPO", **TEAMS, **ITSELF, critic="full"),
    # So few worlds are drawn, and in random play they are not all alike.
    "beliefs": research("Beliefs", game=DARK_HEX, **MIXED, **BY_RANDOM, beliefs={"limit": 4}),
    # The courses are in the checkpoint, and who searches by them searches alike.
    "opponents that know the course": {
        **{"game": DARK_HEX, "opponents": {"search:iterations=2,belief=random": 1}, "past": ...},
        **BY_RANDOM,
    },
}
#: Those that take more than a second.
LONG = {"regret", "expert iteration in teams", "beliefs", "opponents that know the course"}


def goes_on(folder: Path, **changed: Any) -> Path:
    """A run that is made longer is what a longer run would have been: its folder."""
    long = learned(trained(folder / "long", **{**changed, "total_timesteps": 384}))
    short = trained(folder / "short", **{**changed, "total_timesteps": 256})
    train.resume(runs.config_of(short, ("total_timesteps=384",)), short)
    assert learned(short) == long
    return short


@pytest.mark.parametrize(
    "changed",
    [pytest.param(KINDS[at], id=at, marks=[pytest.mark.slow] * (at in LONG)) for at in KINDS],
)
def test_every_kind_of_run_goes_through(tmp_path: Path, changed: dict[str, Any]) -> None:
    """And on, as if it had been longer from the beginning."""
    folder = goes_on(tmp_path, **changed)
    assert json.loads((folder / "run.json").read_text())["finished"]
    illegal = [float(line["illegal"] or 0) for line in lines_of(folder / "curves.csv")]
    assert any(illegal) == (changed.get("algorithm") == "ppo")
    last, best = (networks.load(folder / f"{name}.safetensors") for name in ("last", "best"))
    assert last.history == changed.get("history", 1)
    regret = changed.get("options") == {"reward": "regret"}
    assert (last.value is None) == ("critic" in changed or regret)
    assert (last.prior is None) == ("prior_weight" not in changed)
    if last.prior is not None:  # its weight is learned
        assert best.prior is not None
        assert last.prior.at == best.prior.at == 349
        assert last.prior.weight != changed["prior_weight"]
    if last.value is not None:
        shape = (2, 3) if "net_arch" in changed else (0, 2)
        assert (last.value.after, len(last.layers)) == shape


def test_what_fixed_players_remember_is_kept_too(tmp_path: Path) -> None:
    """An opponent, and an expert, from files with a history."""
    looking_back = research("LastObservations", history=3)
    made = trained(tmp_path / "made", **looking_back, total_timesteps=256) / "last.safetensors"
    dagger = {"expert": str(made), "timesteps": 384}
    opponents = {str(made): 1, "random": 1}
    goes_on(tmp_path, algorithm="dagger", opponents=opponents, past=..., dagger=dagger)


def test_the_same_run_learns_the_same(whole: Path, tmp_path: Path) -> None:
    """To the last bit: its policies are the same files, whether or not all are kept."""
    names = [f"policies/{at:012}.safetensors" for at in (0, 256, 512, 768)]
    kept, expected = learned(whole), learned(trained(tmp_path, seed=12))
    measured = {name: kept["policies"].pop(name) for name in names}
    assert kept == expected
    assert measured[names[-1]] == expected["policies"]["last.safetensors"]
    assert measured[names[0]] == expected["policies"]["untrained.safetensors"]
    assert learned(trained(tmp_path, seed=2))["policies"] != expected["policies"]


def steps(folder: Path) -> dict[str, list[int]]:
    """What TensorBoard shows: the decisions at which each value was told."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder / "tensorboard"))
    events.Reload()
    return {tag: [e.step for e in events.Scalars(tag)] for tag in events.Tags()["scalars"]}


def last_of(folder: Path) -> Path:
    """Its last checkpoint."""
    last = checkpoints.last(folder / "checkpoints")
    assert last is not None
    return last


@pytest.fixture
def copied(whole: Path, tmp_path: Path) -> Path:
    """A finished run that may be changed."""
    return Path(shutil.copytree(whole, tmp_path / "copy"))


def checkpoint_of(folder: Path) -> int:
    """Decisions of the last checkpoint, -1 without one."""
    last = checkpoints.last(folder / "checkpoints")
    return -1 if last is None else int(last.name)


#: A run with all that has a course of its own, and checkpoints at evaluations only.
RICH: dict[str, Any] = {
    "checkpoint": 10**6,
    **{**DAGGER, "dagger": {"timesteps": 256}},
    "evaluation": {**TINY["evaluation"], "every": 384},
    "learning_rate": {"from": 1e-3, "to": 1e-5},
    "past": {"every": 1, "keep": 2, "replace": "easiest"},
    "total_timesteps": 700,  # no multiple of a rollout
}


@pytest.mark.parametrize(
    "changed", [RICH, {**RICH, **SEARCHING}], ids=["dagger", "expert iteration"]
)
def test_a_run_that_stops_at_any_moment_goes_on_as_if_nothing_had_happened(
    tmp_path: Path, changed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many updates after the checkpoint, which are made again."""
    expected = trained(tmp_path / "whole", **changed)
    loaded, updated = config.load(write(tmp_path, **changed)), train.Run.updated
    folder = runs.create("tiny", tmp_path / "runs")

    def stopped(run: Any) -> None:
        updated(run)
        if run.model.num_timesteps == 640:
            raise PowerCut

    with monkeypatch.context() as patch:
        patch.setattr(train.Run, "updated", stopped)
        with pytest.raises(PowerCut):
            train.begin(loaded, folder)
    assert checkpoint_of(folder) == 384
    train.resume(loaded, folder)
    assert learned(folder) == learned(expected)
    assert steps(folder) == steps(expected)


def test_a_finished_run_goes_on_only_with_more_decisions(
    whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = f"train --resume {whole}"
    finished = refused(capsys, again, at_once=False)
    assert "is finished: to train further, name more" in finished
    assert "only total_timesteps may be changed" in refused(capsys, f"{again} n_epochs=2")


def test_the_best_policy_is_the_one_that_does_best_against_its_worst_opponent(whole: Path) -> None:
    worst: dict[int, float] = {}
    for line in lines_of(whole / "evaluations.csv"):
        at = int(line["decisions"])
        worst[at] = min(worst.get(at, 1.0), float(line["points"]))
    top = max(worst.values())
    last = max(at for at, points in worst.items() if points == top)
    kept = whole / "policies" / f"{last:012}.safetensors"
    assert (whole / "best.safetensors").read_bytes() == kept.read_bytes()


def test_a_longer_run_stays_longer_when_it_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = trained(tmp_path, total_timesteps=256)
    with monkeypatch.context() as patch:
        patch.setattr("cyberdeck_training.train.Run.updated", interrupted)
        with pytest.raises(KeyboardInterrupt):
            train.resume(runs.config_of(folder, ("total_timesteps=512",)), folder)
    with pytest.raises(runs.RunError, match="has made 256 timesteps: total_timesteps=128 is less"):
        train.resume(runs.config_of(folder, ("total_timesteps=128",)), folder)
    train.resume(runs.config_of(folder), folder)
    assert checkpoint_of(folder) == 512


def test_a_checkpoint_goes_when_the_one_in_its_place_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measure(run: Any) -> None:
        if run.model.num_timesteps:
            raise KeyboardInterrupt
        real(run)

    def put(made: Path, place: Path) -> None:
        if made.name == PARTLY:
            raise KeyboardInterrupt
        files.put(made, place)

    loaded, folder, real = config.load(write(tmp_path)), tmp_path / "run", train.Run.measure
    folder.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(train.Run, "measure", measure)
        with pytest.raises(KeyboardInterrupt):
            train.begin(loaded, folder)
    before = [path.read_bytes() for path in sorted(last_of(folder).iterdir())]
    # Nothing was measured there, so it is saved once more when that is done.
    loaded = runs.config_of(folder, ("total_timesteps=384",))
    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "put", put)
        with pytest.raises(KeyboardInterrupt):
            train.resume(loaded, folder)
    assert [path.read_bytes() for path in sorted(last_of(folder).iterdir())] == before
    train.resume(loaded, folder)
    assert checkpoint_of(folder) == 384


def test_ctrl_c_during_an_evaluation_is_no_evaluation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = config.load(write(tmp_path, total_timesteps=256))
    folder = runs.create("tiny", tmp_path / "runs")
    real = networks.Network.decide

    def decide(self: Any, seen: Any) -> Any:
        if checkpoint_of(folder) >= 128 and self.greedy:  # the one that is measured is
            raise KeyboardInterrupt
        return real(self, seen)

    with monkeypatch.context() as patch:
        patch.setattr(networks.Network, "decide", decide)
        with pytest.raises(KeyboardInterrupt):
            train.begin(loaded, folder)
    assert len(lines_of(folder / "evaluations.csv")) == 2
    assert not json.loads((folder / "run.json").read_text())["finished"]
    train.resume(loaded, folder)
    assert len(lines_of(folder / "evaluations.csv")) == 4


def test_whichever_write_fails_the_run_goes_on_from_what_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = iter(range(10**9))
    with monkeypatch.context() as counting:
        counting.setattr(os, "fsync", lambda file: next(count))
        expected = learned(trained(tmp_path / "whole", total_timesteps=256))
    for which in range(1, next(count), 17):
        loaded = config.load(write(tmp_path / str(which), total_timesteps=256))
        folder = runs.create("tiny", tmp_path / str(which))
        calls = iter(range(10**9))

        def full(file: int, calls: Any = calls, which: int = which) -> None:
            if next(calls) == which:
                raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            with pytest.raises(runs.RunError, match=r"n \(No space left on device\)") as told:
                train.begin(loaded, folder)
        kept = checkpoint_of(folder) >= 0
        assert ("begin anew" in str(told.value), "--resume" in str(told.value)) == (not kept, kept)
        (train.resume if kept else train.begin)(loaded, folder)
        assert learned(folder) == expected


@pytest.mark.slow
def test_after_a_power_cut_a_run_goes_on_from_what_was_on_the_disk(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    with moments() as count:
        expected = learned(trained(tmp_path / "whole", total_timesteps=256))
    luck = random.Random(os.urandom(8))
    for number in range(2 * pytestconfig.getoption("--moments")):
        home, at = tmp_path / str(number), luck.randrange(8, count())
        loaded = config.load(write(home, total_timesteps=256))
        disk = Disk(home)
        with disk.until(at), pytest.raises(PowerCut):
            train.begin(loaded, runs.create("tiny", home / "runs"))
        (folder,) = (disk.left(tmp_path / f"{number}-left") / "runs").iterdir()
        kept = checkpoint_of(folder) >= 0
        (train.resume if kept else train.begin)(loaded, folder)
        assert learned(folder) == expected, (at, kept)


@pytest.mark.slow
def test_a_full_disk_leaves_the_last_checkpoint_whole(whole: Path, tmp_path: Path) -> None:
    """The log for TensorBoard and the curves grow until they are too long."""
    limit = (last_of(whole) / "arrays.npz").stat().st_size + 3000
    assert (whole / "last.safetensors").stat().st_size < limit
    given = {"total_timesteps": 10**9, "n_steps": 4, "batch_size": 32, "checkpoint": 10**6}
    loaded = config.load(write(tmp_path, **given, evaluation={"every": 512, "deals": 1}))
    folder, before = runs.create("tiny", tmp_path), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        told = r"cannot be written \(File too large\); the last checkpoint is whole"
        with pytest.raises(runs.RunError, match=told):
            train.begin(loaded, folder)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    at = checkpoint_of(folder)
    assert at >= 0
    assert not leftovers(folder)
    train.resume(runs.config_of(folder, (f"total_timesteps={at + 32}",)), folder)
    assert checkpoint_of(folder) == at + 32


def test_two_processes_do_not_train_in_one_folder(whole: Path) -> None:
    held = runs.locked(whole)
    with held, pytest.raises(runs.RunError, match="another process is training"):
        train.resume(runs.config_of(whole, ("total_timesteps=9999",)), whole)
    with runs.locked(whole):  # it was let go, though somebody knows it still
        pass


def test_what_is_no_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    again = f"train --resume {tmp_path}"
    assert "is no folder of a run: it has no config.yaml" in refused(capsys, again)
    write(tmp_path).rename(tmp_path / "config.yaml")
    assert "has no checkpoint" in refused(capsys, again, at_once=False)
    assert "name a configuration" in refused(capsys, "train")


def damaged(folder: Path, told: str = "") -> None:
    """That a run does not go on from its checkpoint is one clear error."""
    last = re.escape(str(last_of(folder)))
    with pytest.raises(checkpoints.CheckpointError, match=f"{last}.*{told}") as raised:
        train.resume(runs.config_of(folder, ("total_timesteps=9999",)), folder)
    assert str(raised.value).isprintable()
    assert len(str(raised.value)) < 500 + len(last)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        *(("state.json", content) for content in (b"{", b'{"format": 7}', b'{"format": 1}', None)),
        *(("arrays.npz", content) for content in (b"PK", None)),
        *(("state.json", {"numpy_rng": number}) for number in (625, -1)),
        *(("state.json", {"python_rng": it}) for it in ([3, [1] * 624 + [10**9], None], 7)),
        ("state.json", {"num_timesteps": 10**30}),
        ("state.json", {"pool": {}}),
        ("state.json", {"pool": {"updates": [0], "games": [], "points": [], "rng": {}}}),
    ],
)
def test_a_damaged_checkpoint_is_one_clear_error(copied: Path, name: str, content: Any) -> None:
    """NumPy's generator, for one, would read beyond its end."""
    path = last_of(copied) / name
    if content is None:
        path.unlink()
    elif isinstance(content, dict):
        path.write_text(json.dumps({**json.loads(path.read_text()), **content}))
    else:
        path.write_bytes(content)
    damaged(copied)


@pytest.mark.parametrize(
    ("at", "kind", "number"),
    [(8, "<i4", 624), (8, "<i4", 0), (16, "<u8", 625), (12, "<i4", 0)],
)
def test_pytorchs_generator_does_not_read_behind_its_words(
    copied: Path, at: int, kind: str, number: float
) -> None:
    """It asks for no more than that each number by itself is possible."""
    path = last_of(copied) / "arrays.npz"
    held = archives.arrays(path, 2**30)
    state = held["torch_rng"]
    state[16:24].view("<u8")[0] = 624  # of so many words, with none left
    state[8:12].view("<i4")[0] = 1
    place = state[at:]
    place[: np.dtype(kind).itemsize].view(kind)[0] = number
    np.savez(path, **held)
    damaged(copied, "torch_rng")


def test_no_lines_are_added_below_other_columns(copied: Path) -> None:
    """As a run of another version has them: every number would stand in the wrong one."""
    curves = copied / "curves.csv"
    before = curves.read_text().replace("search_loss,", "", 1) + " " * len("search_loss,")
    curves.write_text(before)
    with pytest.raises(checkpoints.CheckpointError, match=r"curves.csv has other columns than"):
        train.resume(runs.config_of(copied, ("total_timesteps=9999",)), copied)
    assert curves.read_text() == before


def test_resuming_runs_no_code_of_the_folder(copied: Path) -> None:
    """What is pickled is not read."""
    path = last_of(copied) / "arrays.npz"
    np.savez(path, **archives.arrays(path, 2**30), harm=np.array([{}]))
    damaged(copied, "harm is no array of numbers")


def test_ctrl_c_says_how_to_go_on_from_before_the_first_lesson(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = {**SEARCHING, "total_timesteps": 256}
    arguments = ["train", str(write(tmp_path, **changed)), "--output-dir", str(tmp_path / "runs")]
    with monkeypatch.context() as patch:
        patch.setattr("cyberdeck_training.train.Run.updated", interrupted)
        assert command.main(arguments) == 130
    (folder,) = (tmp_path / "runs").iterdir()
    assert f"to go on: cyberdeck train --resume {folder}" in capsys.readouterr().err
    assert (folder / "report.html").exists()
    assert checkpoint_of(folder) == 0
    assert command.main(["train", "--resume", str(folder)]) == 0
    assert learned(folder) == learned(trained(tmp_path / "whole", **changed))
