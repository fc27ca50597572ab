"""The script that trains with RLlib: here, in processes, and on a cluster.

These tests run where Ray is installed: ``make ray-test``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cyberdeck import networks
from cyberdeck.evaluation import evaluate
from cyberdeck_training import rllib

TINY = ["--iterations", "1", "--batch", "128", "--deals", "5"]

with_ray = pytest.mark.skipif(
    __import__("importlib.util").util.find_spec("ray") is None, reason="ray is not installed"
)
