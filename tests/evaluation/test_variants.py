"""Options are checked and completed once: a ``Variant`` goes all the way, and may be handed in."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from cyberdeck import OptionError, variant
from cyberdeck.evaluation import evaluate, play_games, tournament
from cyberdeck.replay import Replay
from tests.cases import EACH, label


def test_a_variant_in_the_games_place() -> None:
    by_name = evaluate("hackthegrid", "heuristic", ["random"], deals=3, scramble="at_end")
    chosen = variant("hackthegrid", scramble="at_end")
    given = evaluate(chosen, "heuristic", ["random"], deals=3)
    assert given.records == by_name.records
    assert given.games.variant is chosen
    assert tournament(chosen, ["heuristic", "random"], deals=2).games.variant is chosen
    games = play_games(chosen, {"h": "heuristic"}, [(0, 0)], [0], keep_actions=True)
    assert games.variant is chosen
    replay = games.replay(0)
    assert (replay.game, replay.variant) == ("hackthegrid", chosen)
    assert Replay(chosen, replay.seed, replay.actions, ["h", "h"]) == replay


def test_options_beside_a_variant_are_refused() -> None:
    chosen = variant("hackthegrid", scramble="at_end")
    message = "the options of this HACKtheGRID are chosen already: leave out scramble="
    with pytest.raises(OptionError, match=message):
        evaluate(chosen, "heuristic", scramble="at_end")


@pytest.mark.parametrize("case", EACH, ids=label)
def test_a_variant_can_be_sent_to_other_processes(case: tuple[str, dict[str, Any]]) -> None:
    game, options = case
    chosen = variant(game, **options)
    twin = pickle.loads(pickle.dumps(chosen))
    assert twin.game is chosen.game
    for name in ("options", "features", "sides", "agents", "actions"):
        assert getattr(twin, name) == getattr(chosen, name)
