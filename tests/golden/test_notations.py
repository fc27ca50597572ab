"""How actions are written stays: programs, replays and people have written it down.

``python -m tests.golden.test_notations`` records it anew, after a rule was changed on purpose.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

from cyberdeck import Batch, notation
from tests.cases import Case, label
from tests.golden import SEED
from tests.notations import CASES, variant_of

FILE = Path(__file__).parent / "notations.json"

#: So many games of each case are played by chance.
GAMES = 4

SENTENCE = (
    "{case}, {place}: what was {old!r} is {new!r} now. Notation must stay as it is: programs, "
    "replays and people have written it down. Only if a rule was changed on purpose, and these are "
    "other games, record it anew: python -m tests.golden.test_notations"
)


def written(case: Case) -> dict[str, str]:
    """The first two of each form that are written in some games, and a digest of all."""
    variant, found = variant_of(case), dict[str, str]()
    forms, everything = defaultdict[str, set[str]](set), hashlib.blake2b(digest_size=8)
    for seed in range(SEED, SEED + GAMES):
        batch = Batch(variant, 1, seed=seed, autoreset="Disabled")
        number = 0
        while batch.mover[0] >= 0:
            number += 1
            for action, name in notation.legal(batch).items():
                everything.update(f"{action} {name}\n".encode())
                form = re.sub(r"\d+|\b[a-g](?=\d)", "#", name)
                if name not in forms[form] and len(forms[form]) < 2:
                    forms[form].add(name)
                    found[f"seed {seed}, decision {number}, action {action}"] = name
            batch.step(batch.choose("random"))
    return {**found, "all that is written": everything.hexdigest()}


@pytest.mark.parametrize("case", CASES, ids=label)
def test_what_is_written_stays(case: Case) -> None:
    recorded, now = json.loads(FILE.read_text())[label(case)], written(case)
    for place, old in recorded.items():
        new = now.get(place, "")
        assert old == new, SENTENCE.format(case=label(case), place=place, old=old, new=new)


if __name__ == "__main__":
    lines = (f"{json.dumps(label(case))}: {json.dumps(written(case))}" for case in CASES)
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
