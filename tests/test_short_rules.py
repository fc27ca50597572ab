"""Rules in short: of the suite's games under their options, and of games without a view."""

from __future__ import annotations

import re
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

FILES: Final = Path(__file__).parents[1] / "examples/games"

THREE_SIDED: Final = {"ships": (2, 3), "goal": "breakthrough"}
MAP: Final = ("..#..", ".....", ".*.*.")

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


# --- HACKtheGRID ---------------------------------------------------------------------------------


def test_hackthegrid_tells_when_scrambles_swap() -> None:
    now, late = (plain(told("hackthegrid", scramble=when)) for when in ("on_take", "at_end"))
    assert "When you take a SCRAMBLE, you may at once swap" in now
    assert "After the last card each SCRAMBLE brings a swap to the hacker who took it" in late
    assert "at once" not in late
    assert "After the last card" not in now


def test_hackthegrid_tells_its_rewards() -> None:
    outcome, margin = (plain(told("hackthegrid", reward=each)) for each in ("outcome", "margin"))
    assert "A win is 1, a loss -1, a draw 0. If both lose, each gets -1." in outcome
    assert "/ 20, at least -1 and at most 1. If both lose, each gets -1." in margin
    assert "A win is 1" not in margin


def test_hackthegrid_tells_the_cards_of_a_deck_of_ones_own() -> None:
    deck = [("NET NODE", "cyan")] * 2 + [("NET NODE", "green")] + [("DATA PACKET", 5)] * 13
    text = told("hackthegrid", deck=deck)
    assert "\n  NET NODE          0   1 each   2 each   3: 2 cyan, green\n" in text
    assert "\n  DATA PACKET       1   1 each   2 each   13: 13 colour 5\n" in text
    assert not re.search("SCRAMBLE|FIREWALL|LOOPBACK|SPIKE|swap", text)
    assert "\n  FIREWALL          0   1 each  -1 each   3: cyan, yellow, green\n" in told(
        "hackthegrid"
    )


# --- MATR1X 0VERL0AD -----------------------------------------------------------------------------


@pytest.mark.parametrize("edition", ["firewall", "royals", "rulebook"])
def test_matrix_overload_tells_what_its_edition_plays(edition: str) -> None:
    text = plain(told("matrix_overload", edition=edition))
    digital, numbered = edition != "rulebook", edition == "firewall"
    for said, so in {
        "two jokers": not digital,
        "one joker": digital,
        "an 11 shows no suit, and a 12 only its colour": numbered,
        "jack (J, 11), queen (Q, 12) and king (K, 13)": not numbered,
        "twelve firewalls": numbered,
        "twelve royals": not numbered,
        "of your choice, whose strength grows by it, up to 20 at most": digital,
        "of its suit; if none stands, of its colour; if none stands, of any": not digital,
        "a royal laid there later has the ICE": not digital,
        "a joker 0 of any suit": not digital,
        "empty piles do not count": digital,
        "an empty pile counts 0": not digital,
        "the face-up card has no legal pile": digital,
        "a standing royal is stronger than 20": not digital,
        "it is over, neither won nor lost": digital,
        "After 500 moves the game is lost": not digital,
    }.items():
        assert (said in text) == so, said
    assert "Laid on 0: 1+2 attack 13 and 3+6 attack 18; on 1: 4+7 attack 19;" in text


def test_matrix_overload_tells_rewards_and_the_limit_of_moves() -> None:
    text = plain(told("matrix_overload", reward="royals", max_steps=1, stall="lose"))
    assert "After 1 move the game is lost. Each firewall that falls brings 1/12, and" in text
    assert "A win is 1, anything else 0." in plain(told("matrix_overload"))


# --- Stacktrices ---------------------------------------------------------------------------------


def test_stacktrices_tells_who_sets_up_and_begins() -> None:
    chosen, drawn = (plain(told("stacktrices", setup=each)) for each in ("choose", "random"))
    assert "Set-up: first white, then black hides its thief" in chosen
    assert "on its stacks, is drawn. Then all pieces are open" in drawn
    assert "first white" not in drawn
    begins = {0: "The first player is white.", 1: "The second player is white."}
    for first, said in {**begins, "random": "Who is white is drawn."}.items():
        assert f"White moves first. {said}" in plain(told("stacktrices", first=first))


@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("exposes", [False, True])
def test_stacktrices_tells_its_variants(stacked: bool, exposes: bool) -> None:
    text = plain(told("stacktrices", stacked_movement=stacked, steal_on_attack=exposes))
    for said, so in {
        "A stack can hold one movement piece and": not stacked,
        "A stack can hold movement pieces and": stacked,
        "no two movement pieces on one": stacked,
        "The movement piece of a stack with skill is protected": not stacked,
        "The last movement piece of a stack with skill is protected": stacked,
        "the movement pieces have pips in all": stacked,
        "raise an own pawn or drone": not stacked,
        "something can be taken or raised": not stacked,
        "Expose: ": exposes,
        "claim a raid or expose your thief if you may": exposes,
        "an exposed one stays": exposes,
    }.items():
        assert (said in text) == so, said


def test_stacktrices_tells_its_end_and_rewards() -> None:
    text = plain(told("stacktrices", max_turns=40))
    assert "and after 40 turns, both sides' counted. A win is 1, a loss -1, a draw 0." in text
    assert "0.01" not in text
    assert "0.01 for each pip" in plain(told("stacktrices", reward="material"))


# --- Hovercrafts ---------------------------------------------------------------------------------


def test_hovercrafts_tells_ships_and_the_map() -> None:
    text = plain(told("hovercrafts", ships=(2, 3)))
    assert "Zion has Z0 and Z1, the Machines have M0 to M2;" in text
    assert "Map: 11 columns and 8 rows of hexes" in text
    assert "which team has column 10; the other has column 0" in text
    assert "There are no walls." in text
    assert "allies too" in text
    assert "llies" not in told("hovercrafts")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"scenario": "tunnels"}, "all is wall (###) but for corridors"),
        ({"scenario": "random"}, "a wall (###) with a chance of 15%."),
        ({"scenario": MAP}, "5 columns and 3 rows"),
        ({"scenario": MAP}, "There are walls (###)."),
        ({"scenario": MAP, "goal": "seize"}, "The map has 2 locations (o)."),
        ({"goal": "seize", "locations": 1}, "The map has 1 location (o)."),
        ({"goal": "seize", "points": 7}, "7 points win the game"),
        ({"goal": "flagship"}, "loses the game if its flagship (Z0, M0) is out"),
        ({"goal": "breakthrough"}, "from column 0, facing SW or NW, escapes"),
        ({"goal": "breakthrough"}, "attackers win the game if at least 1 of their ships escaped"),
        ({**THREE_SIDED, "escape_share": 0.5}, "if at least 1 (Zion) or 2 (the Machines) of their"),
        ({**THREE_SIDED, "escape_share": 1}, "if at least 2 (Zion) or 3 (the Machines) of their"),
        ({"pick_side": True}, "its first ship picks column 6 or column 0"),
        ({"deployment": "random"}, "in column 6 facing SW or NW, in column 0 NE or SE"),
        ({"deployment": "choose"}, "one by one, choose a free hex of it and a facing, openly"),
        ({"emp_per_turn": 3}, "at most 3 in a plan"),
        ({"stats": [{"hull": 5}, None]}, "hull 5, shield 1, ballistic 1, energy 1; but M0 3, 1"),
        ({"ships": (2, 1)}, "Allies do not see each other's plans."),
        ({"ships": (2, 1), "share_plans": True}, "as far as all ships have decided"),
        ({"reward": "damage"}, "0.1 for each hull that the enemies have lost in it"),
        ({"max_turns": 1}, "After 1 turn it is a draw."),
        ({"battles": 5}, "a war of 5 battles at most"),
        ({"battles": 5}, "up to 9 for hull and 6 for the others"),
        ({"battles": 3, "scenario": "tunnels"}, "battle begins like the first, with a new map."),
        ({"battles": 3, "goal": "seize"}, "like the first, with new locations."),
        ({"battles": 3}, "The next battle begins like the first."),
        ({"battles": 3}, "team that wins the war gets 1"),
    ],
)
def test_hovercrafts_tells_what_its_options_bring(options: dict[str, Any], said: str) -> None:
    assert said in plain(told("hovercrafts", **options))


def test_hovercrafts_tells_nothing_of_what_is_off() -> None:
    text = told("hovercrafts")
    assert not re.search("flagship|location|point|escape|battle|war|wall.*###|picks|0[.]1", text)
    assert "escape" not in told("hovercrafts", battles=3)
    assert "or had escaped" in plain(told("hovercrafts", battles=3, goal="breakthrough"))


def test_hovercrafts_tells_the_hexes_beside_a_hex_as_its_rules_do() -> None:
    text = plain(told("hovercrafts"))
    assert "North of c,r is c,r-1, south c,r+1." in text
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
    text = told(load_file(FILES / "goofspiel.py").name)
    assert plain(text) == (
        "Goofspiel with four cards: bid in secret for prizes that are turned up one by one. Both "
        "hold the cards 1 to 4, and 1 to 4 are the prizes. Each round a prize is drawn, both bid a "
        "card at the same time, and the higher bid gets the prize; equal bids win nothing. More "
        "points win. Rewards: A win is 1, a loss -1, anything else 0. A game can end by: most "
        "points, equal."
    )
    assert max(map(len, text.splitlines())) <= 79
    assert "set of bits" not in told(load_file(FILES / "connect_four.py").name)  # its second one


def test_a_summary_comes_before_the_top_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "crosses.py"
    rules = (FILES / "tictactoe.py").read_text("utf-8")
    named = rules.replace('name="tictactoe"', 'name="crosses_told", summary="Cross it."')
    file.write_text(named.replace('reasons=("three_in_a_row", "full")', 'rewards=""'))
    assert told(load_file(file).name) == "Cross it."


def test_a_view_tells_a_text_or_by_the_options(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = vars(showing.view_of(cyberdeck.variant("hackthegrid")))
    for how_to_play, words in (
        ("Do it.", "Do it."),
        (lambda options: f"Do it by {options['reward']}.", "Do it by margin."),
        ("", f"{cyberdeck.game('hackthegrid').summary}\n\nRewards: "),
    ):
        view = View(**{**shown, "how_to_play": how_to_play})
        monkeypatch.setitem(registry._views, "hackthegrid", view)
        assert told("hackthegrid", reward="margin").startswith(words)
