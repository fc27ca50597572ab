"""What a thing is called is the same wherever people meet it: the table in docs/play/words.md."""

from __future__ import annotations

import functools
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch, showing
from cyberdeck import variant as made
from cyberdeck.drawing import lettering
from cyberdeck.engine import registry
from cyberdeck.play.compiled import rules as table_rules

DOCS = Path(__file__).parent.parent / "docs"

#: Options of each game that bring other words; a game is played with each.
PLAYED: dict[str, list[dict[str, Any]]] = {
    "matrix_overload": [{"edition": each} for each in ("firewall", "royals", "rulebook")],
    "hackthegrid": [{}, {"scramble": "at_end"}],
    "stacktrices": [{"max_turns": 30}, {"steal_on_attack": True}, {"stacked_movement": True}],
    "hovercrafts": [
        {"ships": (1 + (goal == "fleet"), 1), "goal": goal, "scenario": "tunnels", "max_turns": 2}
        for goal in ("fleet", "flagship", "seize", "breakthrough")
    ],
}


def table() -> dict[str, list[tuple[str, list[str]]]]:
    """Of each game: its words, each with those that are not used for it."""
    found = defaultdict(list)
    for line in (DOCS / "play" / "words.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and cells[0] in PLAYED:
            found[cells[0]].append((cells[1], [word for word in cells[3].split(", ") if word]))
    return found


def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All words that pictures write from now on."""
    words: list[str] = []
    original = lettering.text

    @functools.wraps(original)
    def heard(string: str, *arguments: Any, **named: Any) -> str:
        words.append(string)
        return original(string, *arguments, **named)

    for name, module in list(sys.modules.items()):
        if name.startswith(("cyberdeck.views", "cyberdeck.drawing")):
            for key, value in list(vars(module).items()):
                if value is original:
                    monkeypatch.setattr(module, key, heard)
                elif hasattr(value, "cache_clear"):
                    value.cache_clear()  # what is kept is written no more
    return words


def met(game: str, options: dict[str, Any]) -> list[str]:
    """What people read in a game: rules, actions, pages, news, how it ended."""
    variant = made(game, **options)
    words = [showing.how_to_play(variant), showing.how_to_write(variant)]
    if (lessons := showing.view_of(variant).lessons) is not None:
        words += [step.words for step in lessons.steps]
    batch = Batch(game, 1, seed=5, **options)
    states, viewers = batch._core.states, [(seat,) for seat in range(variant.seats)]
    for step in range(120):
        if batch.mover[0] < 0:
            words.append(" ".join(showing.scene(variant, states, (0,)).ending[:2]))
            break
        legal = np.flatnonzero(batch.mask[0]).tolist()
        words += [registry.named_action(variant, states, action) for action in legal]
        mover = (int(batch.mover[0]),)
        shown = states.copy()
        page = showing.scene(variant, shown, mover).page
        words += [page.task, *page.status, *(meaning for _, meaning in page.legend)]
        for panel in page.panels:
            words += [panel.title, *(line.text for line in panel.lines)]
        before = states.copy()
        batch.step(batch.choose("random"))
        if batch._core.states["decisions"][0] > before["decisions"][0]:
            for viewer in viewers:
                events = showing.scene(variant, batch._core.states, viewer, before).events
                words += [event.words for event in events]
        if step % 50 == 20:
            for narrow in (False, True):
                showing.scene(variant, shown, mover, before).picture(legal, narrow=narrow)
    return words


@pytest.mark.parametrize("game", PLAYED)
def test_a_thing_is_called_the_same_everywhere(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pictures = drawn(monkeypatch)
    read = [word for options in PLAYED[game] for word in met(game, options)]
    sheet = (DOCS / "play" / "rules" / f"{game}.md").read_text()
    # Options are called as they are.
    rules = re.sub("(?s)```.*?```|`[^`\n]+`", "", table_rules(game))
    everything = sorted({*read, *pictures, *sheet.splitlines()})
    assert len(set(pictures)) > 20
    for word, others in table()[game]:
        called = re.compile(rf"(?i)\b{re.escape(word)}(s|es|d|ed)?\b")
        assert any(map(called.search, everything)), f"nothing is called {word!r}"
        for other in others:
            of_the_text = other.endswith("*")
            wrong = re.compile(rf"(?i)\b{re.escape(other.rstrip('*'))}\b")
            where = everything if of_the_text else [*everything, *rules.splitlines()]
            found = [text for text in where if wrong.search(text)]
            assert not found, f"{other!r} should be {word!r}: {found[0]!r}"
