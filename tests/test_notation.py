"""Every legal action has a notation, which is read as that action and as no other."""

from __future__ import annotations

import dataclasses

import gymnasium
import numpy as np
import pytest

import cyberdeck
from cyberdeck import (
    ActionError,
    Batch,
    OptionError,
    hackthegrid_v0,
    hovercrafts_v0,
    notation,
    register,
    showing,
)
from cyberdeck.engine import registry
from cyberdeck.views.notation import found, key, told_apart
from tests.cases import EACH, Case, label
from tests.notations import misread_in, variant_of

#: Games of one file with names that are like others'.
PLAIN = [(name, {}) for name in ("tictactoe", "kuhn_poker", "goofspiel")]


@pytest.mark.parametrize("case", [*EACH, *PLAIN], ids=label)
def test_every_legal_action_is_read_back_under_whatever_marks(case: Case) -> None:
    assert misread_in(case, 120)[:5] == []


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("W4-b4", 0),
        ("w4 × B4+", 0),
        ("  W4 X b4 !?", 0),
        ("Ｗ４－ｂ４", 0),
        ("“W4_b4”.", 0),
        ("TAKE MD (of B2)", 2),
        ("six", 3),
        ("W4-b", None),
        ("W4-b44", None),
        ("s i x", 3),
        ("sixx", None),
        ("...", None),
        ("", None),
    ],
)
def test_marks_capitals_and_spaces_do_not_count_and_letters_do(
    text: str, action: int | None
) -> None:
    names = {0: "W4-b4", 1: "W4-b5", 2: "take md of B2", 3: "six"}
    assert found(text, names) == ([] if action is None else [action])


def test_names_that_are_alike_get_their_numbers() -> None:
    names = told_apart({0: "bid +1", 1: "bid -1", 2: "pass", 3: "!", 4: "Pass", 5: "bid 2"})
    assert names[5] == "bid 2"
    assert "action 1" in names[1]
    assert len(set(map(key, names.values()))) == 6
    assert all(found(name, names) == [action] for action, name in names.items())


# --- in public ------------------------------------------------------------------------------------


def test_whatever_holds_a_game_has_its_notation() -> None:
    from pettingzoo.utils import wrappers

    table = wrappers.TerminateIllegalWrapper(hackthegrid_v0.env(), -1)
    single = gymnasium.make("cyberdeck/HackTheGrid-v0", opponent="random")
    several = gymnasium.make_vec("cyberdeck/HackTheGrid-v0", num_envs=3)
    for env in (table, single, several):
        env.reset(seed=0)
    for games in (
        Batch("hackthegrid", 3, seed=0),
        wrappers.OrderEnforcingWrapper(table),
        gymnasium.wrappers.TimeLimit(single, 100),
        gymnasium.wrappers.vector.RecordEpisodeStatistics(several),
    ):
        names = notation.legal(games)
        side = "CR"["R0" in names.values()]
        assert names
        assert names.items() <= {at: f"{side}{at}" for at in range(4)}.items()
        for action, name in names.items():
            assert notation.write(games, action) == name
            assert notation.read(games, f" {name.lower()}!") == action


def test_what_holds_no_game_is_refused() -> None:
    for nothing in ("hackthegrid", np.zeros((3, 3))):
        with pytest.raises(OptionError, match=r"^.*\w holds no game: give a cyberdeck\.Batch.*$"):
            notation.legal(nothing)


def test_where_all_decide_at_once_the_mover_s_actions_are_written() -> None:
    env = hovercrafts_v0.parallel_env()
    env.reset(seed=0)
    names = notation.legal(env)
    assert names[7] == "row 0 N"
    assert notation.read(env, "Row 0, n.") == 7


def test_rows_are_games_of_their_own() -> None:
    batch = Batch("hackthegrid", 40, seed=0)
    batch.play("random", 9)
    rows = [notation.legal(batch, row) for row in range(40)]
    assert len({tuple(names.values()) for names in rows}) > 5
    for row, names in enumerate(rows):
        assert list(names) == np.flatnonzero(batch.mask[row]).tolist()
    with pytest.raises(cyberdeck.CyberdeckError, match="40"):
        notation.legal(batch, 40)


def test_a_game_that_is_over_has_nothing_to_write() -> None:
    batch = Batch("hackthegrid", 1, seed=0, autoreset="Disabled")
    while batch.mover[0] >= 0:
        batch.step(batch.choose("random"))
    assert notation.legal(batch) == {}
    with pytest.raises(ActionError, match="'R2' is no legal action: legal are none"):
        notation.read(batch, "R2")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("C7", "'C7' is no legal action: legal are R0, R1, R2, R3"),
        ("R22", "did you mean R2"),
        ("x" * 5000, r"'x{60}\.\.\.' is no legal action"),
        ("2", "'2' is no legal action"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_line(text: str, said: str) -> None:
    batch = Batch("hackthegrid", 1, seed=20_261_121)
    with pytest.raises(ActionError, match=said) as refused:
        notation.read(batch, text)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300


def test_only_a_text_is_read_and_only_what_is_legal_is_written() -> None:
    batch = Batch("hackthegrid", 1, seed=0)
    with pytest.raises(ActionError, match="is no notation: it must be a text"):
        notation.read(batch, b"R2")  # type: ignore[arg-type]
    for action in (-1, 60, 10**9):
        with pytest.raises(ActionError, match=str(action)):
            notation.write(batch, action)


def test_a_game_of_one_file_has_its_action_names_or_gives_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "_views", dict(registry._views))
    variant = variant_of(("tictactoe", {}))
    batch = Batch(variant, 1, seed=0)
    assert notation.write(batch, 5) == "mark cell 5"
    plain = showing.plain_view(variant)
    own = dataclasses.replace(
        plain, notation=lambda record, action: f"{'abc'[action % 3]}{action // 3 + 1}"
    )
    register(variant.game, view=own)
    assert notation.write(batch, 5) == "c2"
    assert notation.read(batch, "C-2") == 5
