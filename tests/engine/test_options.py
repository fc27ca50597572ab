"""Options: what they may be, and how they lie in the record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from cyberdeck import Columns, Feature, Field, Game, Option
from cyberdeck.building.description import described
from cyberdeck.engine import registry
from cyberdeck.engine.contract import Options
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from tests.engine import games

SUIT, RANK = Option("suit", "A", choices=("A", "B")), Option("rank", 1, bounds=(1, 9))


def features(options: Options) -> Sequence[Feature]:
    more = [Feature("more", (options["size"],), 0, 1)] if options["board"] == 9 else []
    return [Feature("seen", (1,), 0, 1), *more]


def made(*options: Option, fields: Sequence[Field] = (), **more: Any) -> Game:
    return games.made(name="options_tried", fields=fields, options=options, **more)


@pytest.mark.parametrize(
    ("option", "value", "held", "low", "high"),
    [
        (Option("size", 7, choices=(5, 7, 9)), 7, 7, 5, 9),
        (Option("size", 7, choices=(5, 7, 9), indexed=True), 7, 1, 0, 2),
        (Option("size", 7, bounds=(5, 9)), 7, 7, 5, 9),
        (Option("open", True, choices=(True, False)), True, 1, 0, 1),
        (Option("mode", "slow", choices=("fast", "slow")), "slow", 1, 0, 1),
        (Option("limit", "none", choices=("none", 10)), 10, 1, 0, 1),
        (Option("share", 0.5, bounds=(0.001, 1), digits=3), 0.25, 250, 1, 1000),
    ],
)
def test_kernels_read_numbers_as_they_are_and_of_other_choices_the_place(
    option: Option, value: Any, held: int, low: int, high: int
) -> None:
    game = made(option)
    record = Variant(game, {option.name: value}).blank()
    assert record[option.name] == [held]
    assert game.read(record) == {option.name: value}
    assert [(f.name, f.low, f.high) for f in game.bounds.fields] == [(option.name, low, high)]


def test_a_number_that_is_no_choice_is_read_as_it_is() -> None:
    """Between the bounds of the field, as in a damaged state: which is no option of anybody's."""
    game = made(Option("size", 7, choices=(5, 7, 9)))
    record = Variant(game, {}).blank()
    record["size"] = 6
    assert game.read(record) == {"size": 6}


@pytest.mark.parametrize("wrong", [{}, {"choices": (1, 2), "bounds": (1, 2)}])
def test_an_option_has_choices_or_bounds(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="'size' needs choices or bounds, and not both"):
        Option("size", 1, **wrong)


DECK = Columns("deck", [None] * 3, columns=(SUIT, RANK), rows=3)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        (RANK, 0, "rank=0 is not possible: it must be a whole number from 1 to 9"),
        (RANK, True, "rank=True is not possible: it must be a whole number"),
        (Option("first", 0, choices=(0, 1)), False, "first=False is not possible: choose one of"),
        (Option("open", True, choices=(False, True)), 1, "open=1 is not possible: choose one of"),
        (DECK, [None] * 2, r"deck: give 3 rows, each \(suit, rank\), not a list of 2"),
        (DECK, "default", r"deck: give 3 rows, each \(suit, rank\), not 'default'"),
        (DECK, [None, ("C", 1), None], r"deck\[1\]: suit='C' is not possible"),
        (DECK, [{"colour": 1}] * 3, r"deck\[0\]: there is no 'colour'; there are: suit, rank"),
    ],
)
def test_values_that_are_not_possible_are_named(option: Option, value: Any, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        option.validated(value)


def test_rows_lie_in_arrays_that_need_not_be_declared() -> None:
    game = made(DECK)
    chosen = Variant(game, {"deck": [("B", 9), {"rank": 4}, None]})
    record = chosen.blank()
    assert record["suit"].tolist() == [[1, 0, 0]]
    assert record["rank"].tolist() == [[9, 4, 1]]
    assert game.read(record) == chosen.options == {"deck": (("B", 9), ("A", 4), ("A", 1))}


def test_columns_may_lie_over_what_changes_in_play() -> None:
    """As many rows as there are, with what has been gained since: also where it is written anew."""
    fields = [Field("count", 0, 4), Field("rank", 0, 99, (4,)), Field("gained", 0, 9, (4, 2))]
    game = made(
        Option("count", 2, bounds=(0, 4), view=True),
        Columns("ranks", (), columns=(RANK,), rows="count", over=[("rank", "gained", 1)]),
        fields=fields,
    )
    chosen = Variant(game, {"ranks": [[3], [5]]})
    record = chosen.blank()
    record["gained"][0, 1, 1] = 4
    for _ in range(2):
        game.write(record, chosen.options)
        assert record["rank"].tolist() == [[3, 9, 0, 0]]
        assert game.read(record)["ranks"] == ((3,), (5,))


def test_javascript_chooses_freely_what_nothing_else_depends_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = made(
        Option("board", 7, choices=(7, 9)),
        Option("size", 3, bounds=(2, 6)),
        Option("limit", 10, bounds=(1, 99)),
        Option("goal", 3, choices=(3, 5)),
        Columns("deck", [None] * 2, columns=(SUIT, RANK), rows=2),
        features=features,
    )
    monkeypatch.setitem(registry._found, game.name, game)
    about = described(game.name, {})
    assert about["settings"]["together"] == ["board"]
    fixed = {each["name"]: each["fixed"] for each in about["options"] if "fixed" in each}
    assert fixed == {"size": 3, "deck": (("A", 1), ("A", 1))}
    fields = game.dtype.fields or {}
    own = [("size", 1), ("suit", 2), ("rank", 2)]
    assert about["settings"]["fixed"] == [
        [("int8", fields[name][1] + row)] for name, count in own for row in range(count)
    ]
    assert [each.get("held") for each in about["options"]] == [(7, 9), None, None, (3, 5), None]
    sizes = [
        sum(np.prod(about["settings"]["features"][at][1]) for at in layout["features"])
        for layout in about["settings"]["layouts"]
    ]
    assert sizes == [1, 4]
