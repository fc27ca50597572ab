"""What the decisions of a replay gave away: as the solver says, or by search, give or take."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from cyberdeck import Batch, ReplayError
from cyberdeck.api.registration import load_file
from cyberdeck.players.solvers.hackthegrid.solver import NAMES, Solver
from cyberdeck.replay import Replay
from cyberdeck.replay.review import review
from tests.commands import Capture, refused, run

KUHN = Path(__file__).parents[1] / "examples" / "games" / "kuhn_poker.py"
FOLD, CALL = 0, 1
JACK, QUEEN, KING = range(3)
#: What each result is worth to who moves.
WORTH = {"win": 1.0, "draw": 0.0, "loss": -1.0, "both lose": -1.0}


def played(seed: int = 7, reward: str = "outcome") -> Replay:
    """The heuristic against any move."""
    batch = Batch("hackthegrid", 1, seed=seed, autoreset="Disabled")
    actions: list[int] = []
    while batch.mover[0] >= 0:
        actions.append(int(batch.choose(("heuristic", "random")[batch.mover[0]])[0]))
        batch.step(actions[-1:])
    return Replay("hackthegrid", seed, actions, ("heuristic", "random"), {"reward": reward})


def folded(card: int) -> Replay:
    """Kuhn poker: the first bets, and the second folds that card."""
    game = load_file(KUHN).name
    deals = ((seed, Batch(game, 1, seed=seed)._core.states["deck"]) for seed in range(99))
    seed = next(seed for seed, deck in deals if deck[0, 1] == card)
    return Replay(game, seed, [CALL, FOLD])


# --- exactly --------------------------------------------------------------------------------------


@pytest.mark.parametrize("reward", ["outcome", "margin", "regret"])
def test_every_choice_is_measured_by_the_solver(reward: str) -> None:
    """Whatever the game was played for."""
    replay, solver = played(reward=reward), Solver()
    found = {each.decision: each for each in review(replay).judged}
    for position in replay.positions():
        if position.action is None:
            continue
        outcomes = solver.values(position.record[0])
        legal = [action for action, outcome in enumerate(outcomes) if outcome >= 0]
        if len(legal) == 1:
            assert position.number not in found
            continue
        worth = {action: WORTH[NAMES[outcomes[action]]] for action in legal}
        one = found.pop(position.number)
        assert (one.seat, one.action) == (position.mover, position.action)
        assert (one.lost, one.noise) == (max(worth.values()) - worth[one.action], 0)
        assert worth[one.best] == max(worth.values())
        assert (one.best == one.action) == (one.lost == 0)
        assert one.by.startswith("exact")
    assert not found
    assert sum(each.lost for each in review(replay).judged) > 0


# --- by search ------------------------------------------------------------------------------------


def test_whoever_folds_the_best_card_gives_away_what_it_would_have_won() -> None:
    last = review(folded(KING)).judged[-1]
    assert (last.seat, last.action, last.best) == (1, FOLD, CALL)
    assert (last.lost, last.noise) == (3.0, 0.0)  # 2 won, and 1 not lost, whoever lies there
    assert last.by.startswith("search:")


def test_what_a_search_finds_has_a_noise_that_more_games_make_smaller() -> None:
    """A Queen wins against one of two cards: to call is worth 1 more, if the cards are unknown."""
    noises = []
    for playouts in (36, 144):
        last = review(folded(QUEEN), playouts).judged[-1]
        assert last.best == CALL
        assert abs(last.lost - 1.0) < 4 * last.noise
        noises.append(last.noise)
    assert noises[0] == pytest.approx(2 / math.sqrt(36), rel=0.05)
    assert noises[1] == pytest.approx(noises[0] / 2, rel=0.05)
    assert review(folded(QUEEN), 36) == review(folded(QUEEN), 36)


def test_a_game_that_nobody_decided_has_nothing_to_review() -> None:
    with pytest.raises(ReplayError, match="nothing to review"):
        review(Replay("hackthegrid", 3, [-1]))


# --- shown ----------------------------------------------------------------------------------------


def test_the_table_fits_a_narrow_terminal(capsys: Capture, tmp_path: Path) -> None:
    played().save(tmp_path / "game.json")
    told = run(capsys, f"review {tmp_path / 'game.json'} --json {tmp_path / 'review.json'}")
    assert max(map(len, told.splitlines()[1:])) <= 80
    assert re.search(r"^12\.  row +S3-2  S0-1  2\.00 +exact$", told, re.MULTILINE)
    assert re.search(r"^row +5 +2\.00 +2\.00 +4$", told, re.MULTILINE)
    content = json.loads((tmp_path / "review.json").read_text())
    assert content["game"] == "hackthegrid"
    assert content["seats"] == ["column", "row"]
    assert [each["decision"] for each in content["decisions"] if each["lost"]] == [7, 12]
    assert "--output" in refused(capsys, f"replay {tmp_path / 'game.json'} --review")


def shown(replay: Replay, path: Path, seat: str | None) -> list[dict[str, Any]]:
    """The views of a page."""
    replay.write_html(path, seat, judged=review(replay).judged)
    found = re.search(r'id="data">(.*?)</script>', path.read_text())
    assert found is not None
    views: list[dict[str, Any]] = json.loads(found[1])["views"]
    return views


def test_a_page_tells_a_seat_nothing_about_decisions_that_it_could_not_judge(
    tmp_path: Path,
) -> None:
    views = shown(folded(KING), tmp_path / "page.html", "all")
    seats = {view["name"]: {seat for _, seat, *_ in view["judged"]} for view in views}
    assert seats == {"Everything": {0, 1}, "first": {0}, "second": {1}}
    in_the_open = shown(played(), tmp_path / "open.html", "row")
    assert {seat for _, seat, *_ in in_the_open[0]["judged"]} == {0, 1}


def test_a_click_on_the_graph_jumps_to_the_decision(browser: Any, tmp_path: Path) -> None:
    replay = played()
    replay.write_html(tmp_path / "page.html", judged=review(replay).judged)
    page = browser.new_page(viewport={"width": 390, "height": 800})
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((tmp_path / "page.html").as_uri())
    assert page.inner_text("#review summary") == "What was given away column 1.00 row 2.00"
    graph = page.locator("#review svg")
    box = graph.bounding_box()
    for decision, words in ((12, "S0-1"), (7, "C0")):
        at = (decision - 0.5) / len(replay.actions)
        graph.click(position={"x": at * box["width"], "y": 20})
        assert page.inner_text("#count").startswith(f"{decision} /")
        assert page.inner_text("#review p").startswith(f"{decision}. ")
        assert words in page.inner_text("#review p")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert not complaints
    replay.write_html(tmp_path / "plain.html")
    page.goto((tmp_path / "plain.html").as_uri())
    assert not page.is_visible("#review")
    page.close()
