"""Tables about the games, made from the code's own: for the command, the docs and the spaces.

``python -m cyberdeck.docs`` writes the generated parts of docs/ in a checkout anew.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cyberdeck.common.text import table
from cyberdeck.engine import registry
from cyberdeck.engine.contract import Game
from cyberdeck.engine.variant import Variant
from cyberdeck.players import baselines, player_names

#: Generated text stands between these lines of a page.
BEGIN = "<!-- made by `make docs`: do not edit from here"
END = "to here -->"


def listing(markdown: bool = False) -> str:
    """All games, a line each."""
    head = ["game", "Gymnasium", "PettingZoo", "seats", "actions", "observation", "bytes"]
    rows = []
    for name in registry.GAMES:
        chosen = registry.variant(name)
        game = chosen.game
        zoo = f"{name}_v0" if game.most_seats > 1 else "-"
        sizes = (chosen.seats, chosen.action_count, chosen.observation_size, game.dtype.itemsize)
        rows.append([name, game.gym_id, zoo, *map(str, sizes)])
    if any(baselines.published(registry.game(name)) for name in registry.GAMES):
        head.append("baselines")
        for row in rows:
            row.append("; ".join(baselines.option_sets(registry.game(row[0]))) or "-")
    return table(head, rows, markdown)


def specs(game: Game, markdown: bool = False) -> str:
    """Seats, actions, observation, rewards, endings, info and options of a game."""
    chosen = Variant(game, {})
    code = "`" if markdown else ""
    heading = "## " if markdown else ""

    def section(title: str, body: str) -> str:
        return f"{heading}{title}\n\n{body}"

    ids = [("Gymnasium", f"{code}{game.gym_id}{code}")]
    if game.most_seats > 1:
        ids.append(("PettingZoo", f"{code}from cyberdeck import {game.name}_v0{code}"))
        ids.append(("PettingZoo's registry", f"{code}cyberdeck/{game.name}-v0{code}"))
    ids.append(("seats", ", ".join(f"{at} ({name})" for at, name in enumerate(chosen.agents))))
    ids.append(("actions", f"{code}Discrete({chosen.action_count}){code}"))
    ids.append(
        ("observation", f"{code}Box({chosen.observation_size},) int8{code} with default options")
    )
    ids.append(("size of a state", f"{game.dtype.itemsize} bytes"))
    ids.append(("players", ", ".join(f"{code}{name}{code}" for name in player_names(chosen))))
    if sets := baselines.option_sets(game):
        ids.append(("baselines", "for " + "; ".join(f"{code}{each}{code}" for each in sets)))
    options = [
        (f"{code}{o.name}{code}", _default(o.default), o.allowed, o.meaning) for o in game.options
    ]
    starts = [
        *((f"{code}{start.name}{code}", start.meaning) for start in game.starts),
        (f"{code}state{code}", "bytes of `get_state()`: go on from that position"),
    ]
    features = []
    for feature in chosen.features:
        where = chosen.layout[feature.name]
        features.append(
            (
                f"{where.start}:{where.stop}",
                f"{code}{feature.name}{code}",
                " x ".join(map(str, feature.shape)),
                f"{feature.low} to {feature.high}",
                feature.meaning,
            )
        )
    actions, at = [], 0
    for count, meaning in chosen.actions:
        at += count
        actions.append((f"{at - count} to {at - 1}" if count > 1 else str(at - 1), meaning))
    metrics = [
        (f"{code}action_mask{code}", "0/1 array of the legal actions"),
        *((f"{code}{metric.name}{code}", metric.meaning) for metric in game.metrics),
    ]
    if game.most_seats > 1:
        teams = "; for a whole team, the one that decides" if game.teams else ""
        metrics.append((f"{code}seat{code}", "Gymnasium: the seat that is played" + teams))
    reasons = ", ".join(f"{code}{reason}{code}" for reason in game.reasons[1:])
    metrics.append((f"{code}reason{code}", f"at the end: {reasons}"))
    return "\n\n".join(
        [
            section("Specs", table(("", ""), ids, markdown)),
            section(
                "Options", table(("option", "default", "allowed", "meaning"), options, markdown)
            ),
            section("Options of reset()", table(("option", "meaning"), starts, markdown)),
            section("Actions", table(("action", "meaning"), actions, markdown)),
            section(
                "Observation",
                table(("slice", "piece", "shape", "range", "meaning"), features, markdown),
            ),
            section("Info", table(("key", "meaning"), metrics, markdown)),
            section("Rewards", game.rewards),
        ]
    )


def _default(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else "the game's own"


def description(game: Game) -> str:
    """A game for the terminal."""
    return f"{game.title}\n{game.summary}\n\n{specs(game)}"


def with_generated(page: str, generated: str) -> str:
    """*page* with its generated part replaced."""
    before, _, rest = page.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise ValueError(f"the page has no generated part between {BEGIN!r} and {END!r}")
    return f"{before}{BEGIN} -->\n\n{generated}\n\n<!-- {END}{after}"


def pages(folder: Path) -> dict[Path, str]:
    """Every page with a generated part, as it should be."""
    games = listing(markdown=True)
    wanted = {folder / "README.md": games, folder.parent / "README.md": games}
    for name in registry.GAMES:
        wanted[folder / "games" / f"{name}.md"] = specs(registry.game(name), markdown=True)
    return {path: with_generated(path.read_text("utf-8"), text) for path, text in wanted.items()}


def main() -> int:
    """Write the generated parts of docs/ in the current folder."""
    folder = Path("docs")
    if not folder.is_dir():
        print("run this in a checkout: there is no docs/ folder here", file=sys.stderr)
        return 2
    for path, text in pages(folder).items():
        path.write_text(text, "utf-8")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
