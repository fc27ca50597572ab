"""What people are shown stays: words, stories and pictures, in games that go on at random.

``python -m tests.golden.test_shown`` records it anew: after words or pictures were changed on
purpose, and looked at.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch, showing
from tests.cases import MAP, Case, label
from tests.golden import SEED
from tests.test_short_rules import ALL, told

FILE = Path(__file__).parent / "shown.json"

CASES: list[Case] = [
    ("hackthegrid", {}),
    ("hackthegrid", {"scramble": "at_end"}),
    *(("matrix_overload", {"edition": each}) for each in ("firewall", "royals", "rulebook")),
    ("stacktrices", {"setup": "random", "steal_on_attack": True}),
    ("stacktrices", {"stacked_movement": True}),
    ("hovercrafts", {}),
    ("hovercrafts", {"ships": (2, 1), "goal": "breakthrough", "pick_side": True}),
    ("hovercrafts", {"ships": (2, 2), "goal": "flagship", "scenario": MAP, "share_plans": True}),
    (
        "hovercrafts",
        {"ships": (1, 2), "goal": "seize", "battles": 3, "max_turns": 2, "deployment": "random"},
    ),
]
#: How many decisions are looked at, and how a picture is drawn after one and the next.
DECISIONS = 72
LOOKS: tuple[dict[str, Any], ...] = (
    {},
    {"narrow": True},
    {"bare": True, "theme": "light"},
    {"narrow": True, "bare": True},
)


def shown(case: Case) -> dict[str, str]:
    """Digests of all that is shown, by its kind: after each decision to another viewer."""
    game, options = case
    batch = Batch(game, 1, seed=SEED, **options)
    variant, past = batch.variant, showing.Past()
    digests: dict[str, Any] = defaultdict(lambda: hashlib.blake2b(digest_size=6))
    for step in range(DECISIONS):
        states = batch._core.states.copy()
        seat = step % (variant.seats + 1)
        viewer = (seat,) if seat < variant.seats else None
        seen = showing.scene_of(batch._core, 0, None if viewer is None else seat, past)
        mine = viewer is not None and states["mover"][0] == seat
        choices = np.flatnonzero(batch.mask[0]).tolist() if mine else None
        look = LOOKS[step // (variant.seats + 1) % len(LOOKS)]
        said = {
            "text": seen.text(),
            "screen": seen.screen(),
            f"picture {look}": seen.picture(choices, **look),
            "signs": seen.signs(),
        }
        if past.before is not None:
            said["story"] = repr(seen.events)
        for kind, words in said.items():
            digests[kind].update(words.encode())
        batch.play("heuristic" if step % 3 else "random", 1)
        if batch.terminated[0] or batch.truncated[0]:
            past = showing.Past()  # another game has begun
        else:
            past.went_on(variant, states, batch._core.states)
            past.before = states
    return {kind: digest.hexdigest() for kind, digest in digests.items()}


def rules_told() -> dict[str, str]:
    """Digests of the rules in short, by game and options."""
    texts = {f"{game} {options}": told(game, **options) for game, options in ALL}
    return {case: hashlib.blake2b(text.encode()).hexdigest()[:8] for case, text in texts.items()}


@pytest.mark.parametrize("case", CASES, ids=label)
def test_what_is_shown_stays(case: Case) -> None:
    assert shown(case) == json.loads(FILE.read_text())[label(case)]


def test_rules_in_short_stay() -> None:
    assert rules_told() == json.loads(FILE.read_text())["rules in short"]


if __name__ == "__main__":
    recorded = {label(case): shown(case) for case in CASES} | {"rules in short": rules_told()}
    FILE.write_text(json.dumps(recorded, indent=1) + "\n")
