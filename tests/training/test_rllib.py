"""The command that trains with RLlib: here, in processes, and on a cluster.

All but the first of these tests want Ray: ``make ray-test``.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from cyberdeck.commands import main as command
from cyberdeck.evaluation import evaluate
from cyberdeck.players import networks
from cyberdeck_training.rllib import RllibRun

TINY = ["--iterations", "1", "--batch", "128", "--deals", "5"]

WITH_RAY = find_spec("ray") is not None

# Ray and RLlib warn of themselves.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["chess"], "chess"),
        (["hackthegrid", "--option", "scramble=never"], "never"),
        (["hackthegrid", "--opponent", "nobody"], "nobody" if WITH_RAY else "cyberdeck[ray]"),
        (["hackthegrid", "--restore", "nowhere"], "nowhere"),
    ],
)
def test_a_wrong_call_is_one_clear_error(
    arguments: list[str], named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["train-rllib", *arguments, "--runs", str(tmp_path / "runs")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert named in line
    assert not (tmp_path / "runs").exists()


@pytest.mark.ray
def test_training_leaves_policies_and_a_table_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = {"ships": (1, 2), "max_turns": 4}
    arguments = ["hovercrafts", "--option", "ships=1v2", "--option", "max_turns=4", "--separate"]
    runs = ["--runs", str(tmp_path / "runs")]
    assert command.main(["train-rllib", *arguments, *TINY, *runs]) == 0
    printed = capsys.readouterr().out
    assert "decisions" in printed
    assert "against random" in printed
    (folder,) = (tmp_path / "runs").iterdir()
    table = (folder / "evaluation.txt").read_text().strip()
    assert table in printed
    assert json.loads((folder / "evaluation.json").read_text())["records"][-1]["games"] == 10
    for name in ("zion", "machines"):
        saved = networks.load(folder / f"{name}.safetensors")
        assert evaluate("hovercrafts", saved, ["random"], deals=2, **options).records
    again = [*arguments, *TINY, "--restore", str(folder / "checkpoint")]
    assert command.main(["train-rllib", *again, "--runs", str(tmp_path / "more")]) == 0
    first, second = (
        int(text.split(" decisions")[0].split()[-1].replace(",", ""))
        for text in (printed, capsys.readouterr().out)
    )
    assert 128 <= first < second


@pytest.mark.ray
def test_it_trains_on_a_cluster_by_its_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ray
    from ray.cluster_utils import Cluster

    learn = RllibRun._learn
    nodes = []

    def noted(*arguments: Any) -> Path:
        nodes.extend(ray.nodes())
        return learn(*arguments)

    monkeypatch.setattr(RllibRun, "_learn", noted)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        cluster.add_node(num_cpus=1)
        where = ["--address", cluster.address, "--runs", str(tmp_path)]
        assert command.main(["train-rllib", "hackthegrid", *TINY, "--runners", "1", *where]) == 0
    finally:
        cluster.shutdown()
    assert len(nodes) == 2
    (folder,) = tmp_path.iterdir()
    assert networks.load(folder / "shared.safetensors").game == "hackthegrid"
