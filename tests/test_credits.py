"""Whoever thought up a game of the suite is named wherever people meet it."""

from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]

#: As the games' texts name them.
AUTHORS = {
    "matrix_overload": ("Michael Elliot", "Tom Francis", "Andrew Steele"),
    "hackthegrid": ("Kelli Shaver & Jumpgate Games",),
    "stacktrices": ("Gregory Lattanzio",),
    "hovercrafts": ("author not named in the text we have",),
}


@pytest.mark.parametrize("game", AUTHORS)
def test_the_authors_of_a_game_are_credited(game: str) -> None:
    rules = f"envs/cyberdeck/games/{game}/RULES.md"
    for page in ("README.md", "NOTICE", "CITATION.cff", f"docs/games/{game}.md", rules):
        text = " ".join((ROOT / page).read_text("utf-8").split())
        for author in AUTHORS[game]:
            assert author in text, f"{page} does not name {author}"


def test_the_citation_refers_to_the_authors() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    named = [author["name"] for work in cited["references"] for author in work["authors"]]
    assert sorted(named) == sorted(name for names in AUTHORS.values() for name in names)
