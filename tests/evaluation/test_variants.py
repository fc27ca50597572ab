"""Options are checked and completed once: a ``Variant`` goes all the way, and may be handed in."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from cyberdeck import OptionError, Variant, variant
from cyberdeck.commands import main as command
from cyberdeck.errors import ReplayError
from cyberdeck.evaluation import evaluate, play_games, tournament
from cyberdeck.replay import Replay
from tests.cases import EACH, label

OPPONENTS = ["random", "heuristic", "search:iterations=2"]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The options of every ``Variant`` that is made."""
    found: list[dict[str, Any]] = []
    resolve = Variant.__init__

    def watched(self: Variant, game: Any, options: Any, *adapter: Any) -> None:
        found.append(dict(options))
        resolve(self, game, options, *adapter)

    monkeypatch.setattr(Variant, "__init__", watched)
    return found


def test_an_evaluation_makes_one_variant(made: list[dict[str, Any]], tmp_path: Path) -> None:
    result = evaluate("hackthegrid", "heuristic", OPPONENTS, deals=2, keep_actions=True)
    assert made == [{}]
    replay = result.games.replay(0)
    replay.save(tmp_path / "game.json")
    assert len(replay.frames()) > 10
    assert made == [{}]
    del made[:]  # only for another reward there are two
    evaluate("hackthegrid", "heuristic", OPPONENTS, deals=2, reward="margin", scramble="at_end")
    given, counted = made
    assert given == {"reward": "margin", "scramble": "at_end"}
    assert (counted["reward"], counted["scramble"]) == ("outcome", "at_end")


def test_a_variant_in_the_games_place(made: list[dict[str, Any]]) -> None:
    by_name = evaluate("hackthegrid", "heuristic", ["random"], deals=3, scramble="at_end")
    chosen = variant("hackthegrid", scramble="at_end")
    del made[:]
    given = evaluate(chosen, "heuristic", ["random"], deals=3)
    assert given.records == by_name.records
    assert given.games.variant is chosen
    assert tournament(chosen, ["heuristic", "random"], deals=2).games.variant is chosen
    games = play_games(chosen, {"h": "heuristic"}, [(0, 0)], [0], keep_actions=True)
    assert games.variant is chosen
    replay = games.replay(0)
    assert (replay.game, replay.variant) == ("hackthegrid", chosen)
    assert Replay(chosen, replay.seed, replay.actions, ["h", "h"]) == replay
    assert made == []


def test_options_beside_a_variant_are_refused() -> None:
    chosen = variant("hackthegrid", scramble="at_end")
    message = "the options of this HACKtheGRID are chosen already: leave out scramble="
    with pytest.raises(OptionError, match=message):
        evaluate(chosen, "heuristic", scramble="at_end")
    with pytest.raises(OptionError, match=message):
        tournament(chosen, ["heuristic", "random"], scramble="on_take")
    with pytest.raises(ReplayError, match=message):
        Replay(chosen, 0, [], options={"scramble": "at_end"})


def test_commands_make_one_variant(made: list[dict[str, Any]], tmp_path: Path) -> None:
    against = f"--against {' '.join(OPPONENTS)} --deals 2 --option scramble=at_end"
    line = f"evaluate hackthegrid heuristic {against} --replays {tmp_path}/games"
    assert command.main(line.split()) == 0
    assert made == [{"scramble": "at_end"}]
    del made[:]
    assert command.main(["tournament", "hackthegrid", "heuristic", "random", "--deals", "2"]) == 0
    assert made == [{}]
    del made[:]
    saved = sorted(Path(tmp_path, "games").iterdir())[0]
    Replay.load(saved)
    assert len(made) == 1


@pytest.mark.parametrize("case", EACH, ids=label)
def test_a_variant_can_be_sent_to_other_processes(case: tuple[str, dict[str, Any]]) -> None:
    game, options = case
    chosen = variant(game, **options)
    twin = pickle.loads(pickle.dumps(chosen))
    assert twin.game is chosen.game
    for name in ("options", "features", "sides", "agents", "actions"):
        assert getattr(twin, name) == getattr(chosen, name)
