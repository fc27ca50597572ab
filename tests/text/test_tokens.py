"""How long prompts are for a language model."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

CASES = ["hackthegrid", "matrix_overload", "stacktrices", "hovercrafts", "hovercrafts 3v3"]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_no_prompt_is_too_long_and_brief_ones_are_half(monkeypatch: Any, case: str) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    benchmark = importlib.import_module("prompts")
    assert [*benchmark.CASES] == CASES
    found = benchmark.lengths(case, benchmark.tokenizers(), games=5)
    assert len(found["most"]) == 2
    for tokenizer, most in found["most"].items():
        assert most <= 4000, tokenizer
        assert found["brief_mean"][tokenizer] <= 0.5 * found["mean"][tokenizer], tokenizer
