"""Rules in short: of the suite's games under their options, and of games without a view."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import cyberdeck
from cyberdeck import showing
from cyberdeck.api.registration import load_file
from cyberdeck.engine import registry
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.views.view import View
from tests.cases import values
from tests.engine.games import edited, example

FILE: Final = Path(__file__).with_name("short_rules.txt")

THREE_SIDED: Final = {"ships": (2, 3), "goal": "breakthrough"}

#: What has to be beside an option that a rule depends on.
BESIDE: Final[dict[str, dict[str, Any]]] = {
    "wall_density": {"scenario": "random"},
    "locations": {"goal": "seize"},
    "points": {"goal": "seize"},
    "escape_share": THREE_SIDED,
    "share_plans": {"ships": (2, 2)},
    "stats": {"ships": (5, 5)},
}
#: Every other value of every option that the tests know.
MATTERING: Final = [
    (game, BESIDE.get(name, {}), name, value)
    for game in registry.GAMES
    for name, tried in values(game).items()
    for value in tried[1:]
    if name != "observation" and value != "truncate"  # for learners; the default's meaning
]
ALL: Final = [(game, {}) for game in registry.GAMES] + [
    (game, {**beside, name: value}) for game, beside, name, value in MATTERING
]


def told(game: str, **options: Any) -> str:
    return showing.how_to_play(cyberdeck.variant(game, **options))


def plain(text: str) -> str:
    """Without line breaks."""
    return " ".join(text.split())


@pytest.mark.parametrize(("game", "beside", "name", "value"), MATTERING)
def test_an_option_that_changes_the_rules_changes_what_is_told(
    game: str, beside: dict[str, Any], name: str, value: Any
) -> None:
    assert told(game, **beside) != told(game, **{**beside, name: value})


@pytest.mark.parametrize("game", registry.GAMES)
def test_what_is_shown_to_a_learner_changes_no_rule(game: str) -> None:
    assert len({told(game, observation=shown) for shown in values(game)["observation"]}) == 1


@pytest.mark.parametrize(("game", "options"), ALL)
def test_rules_fit_a_terminal_and_name_no_options(game: str, options: dict[str, Any]) -> None:
    text = told(game, **options)
    assert max(map(len, text.splitlines())) <= 79
    assert len(text) <= 4600
    assert not re.search(r"[a-z]_[a-z]|=|\boptions?\b|None|True|False|\{|  \n", text)
    assert not re.search(r"\.\.|,,|;;| [.,;]|\n\n\n", text)


def variants() -> Iterator[tuple[str, str, list[str]]]:
    """Of ``short_rules.txt``: a game, its options, and what is told with them or is not."""
    game, *blocks = "", *re.split(r"\n(?=\S)", FILE.read_text("utf-8"))
    for block in blocks[2:]:
        head, *lines = block.strip().split("\n")
        if lines:
            yield game, head, [line.strip() for line in lines]
        else:
            game = head


@pytest.mark.parametrize(("game", "options", "lines"), [*variants()])
def test_a_variant_is_told_by_its_own_words(game: str, options: str, lines: list[str]) -> None:
    text = plain(told(game, **eval(f"dict({options})")))
    for line in lines:
        assert (line[2:] in text) == (line[0] == "+"), line


def test_hovercrafts_tells_the_hexes_beside_a_hex_as_its_rules_do() -> None:
    text = plain(told("hovercrafts"))
    listed = text.partition("Where c is even, ")[2].split("where c is odd, ")
    for parity, words in enumerate(listed):
        found = dict(re.findall(r"(NE|SE|SW|NW)(?: is)? (c[+-]1,r(?:[+-]1)?)", words))
        assert found == {
            facing: f"c{right:+},r" + (f"{down:+}" if down else "")
            for facing, (right, down) in zip(c.FACINGS, c.TOWARDS[parity], strict=True)
            if right
        }


# --- games without a view ------------------------------------------------------------------------


def test_a_game_of_one_file_is_told_by_the_top_of_its_file() -> None:
    text = told(example("goofspiel").name)
    assert plain(text) == (
        "Goofspiel with four cards: bid in secret for prizes that are turned up one by one. Both "
        "hold the cards 1 to 4, and 1 to 4 are the prizes. Each round a prize is drawn, both bid a "
        "card at the same time, and the higher bid gets the prize; equal bids win nothing. More "
        "points win. Rewards: A win is 1, a loss -1, anything else 0. A game can end by: most "
        "points, equal."
    )
    assert max(map(len, text.splitlines())) <= 79
    assert "set of bits" not in told(example("connect_four").name)  # its second one


def test_a_summary_comes_before_the_top_of_the_file(tmp_path: Path) -> None:
    own = ("    seats=", '    summary="Cross it.",\n    seats=')
    no_words = ('reasons=("three_in_a_row", "full")', 'rewards=""')
    assert told(load_file(edited(tmp_path, "tictactoe", *own, *no_words)).name) == "Cross it."


def test_a_view_tells_a_text_or_by_the_options(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = vars(registry.view(cyberdeck.game("hackthegrid")))
    for how_to_play, words in (
        ("Do it.", "Do it."),
        (lambda options: f"Do it by {options['reward']}.", "Do it by margin."),
        ("", f"{cyberdeck.game('hackthegrid').summary}\n\nRewards: "),
    ):
        view = View(**{**shown, "how_to_play": how_to_play})
        monkeypatch.setitem(registry._views, "hackthegrid", view)
        assert told("hackthegrid", reward="margin").startswith(words)
