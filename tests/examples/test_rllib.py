"""RLlib's script with arguments: what it leaves, from a checkpoint on, and on a cluster.

``make ray-test``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import cyberdeck
from cyberdeck.evaluation import evaluate
from cyberdeck.players import networks

# Ray warns of itself.
pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]

SCRIPT = Path(__file__).parents[2] / "examples" / "rllib_ppo.py"
TINY = ("--updates", "1", "--batch", "1024", "--deals", "5")


def trained(folder: Path, *arguments: str) -> str:
    """What a run prints that leaves its results in *folder*."""
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments, *TINY, "--output-dir", str(folder)],
        env={**os.environ, "PYTHONPATH": str(Path(cyberdeck.__file__).parents[1])},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=900,  # the machine may be busy
    ).stdout


def test_training_leaves_policies_and_a_table_and_goes_on(tmp_path: Path) -> None:
    options = {"ships": (1, 2), "max_turns": 4}
    arguments = ("hovercrafts", "--options", json.dumps(options), "--separate")
    printed = trained(tmp_path, *arguments)
    assert (tmp_path / "evaluation.txt").read_text() in printed
    assert json.loads((tmp_path / "evaluation.json").read_text())["records"][-1]["games"] == 10
    for name in ("zion", "machines"):
        saved = networks.load(tmp_path / f"{name}.safetensors")
        assert evaluate("hovercrafts", saved, ["random"], deals=2, **options).records
    more = trained(tmp_path / "more", *arguments, "--restore", str(tmp_path / "checkpoint"))
    first, second = (
        int(text.split(" decisions")[0].split()[-1].replace(",", "")) for text in (printed, more)
    )
    assert 1024 <= first < second


def test_it_trains_on_a_cluster_by_its_address(tmp_path: Path) -> None:
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        cluster.add_node(num_cpus=1)
        where = ("--runners", "1", "--address", cluster.address)
        assert "machines: 2\n" in trained(tmp_path, "hackthegrid", *where)
    finally:
        cluster.shutdown()
    assert networks.load(tmp_path / "shared.safetensors").game == "hackthegrid"
