"""The digests that are compared on other machines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tools.native import digests


def test_another_digest_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases: list[digests.Case] = [("hackthegrid", {}, "every"), ("hackthegrid", {}, 0)]
    found = digests.found(cases)
    assert len(set(found)) == len(found)
    file = tmp_path / "digests.json"
    for code, told in enumerate((found, [*found[:1], *found[:1], *found[2:]])):
        file.write_text(json.dumps({"cases": cases, "digests": told}))
        assert digests.compare(file) == code
    assert "differs: ['hackthegrid', {}, 0]\n" in capsys.readouterr().out
