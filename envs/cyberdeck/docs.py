"""Tables about the games, made from the code's own: for the command, the docs and the spaces.

``python -m cyberdeck.docs`` writes the generated parts of docs/ in a checkout anew.
"""

from __future__ import annotations

import hashlib
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from cyberdeck.common.files import write_whole
from cyberdeck.common.text import table
from cyberdeck.engine import contract, dice, registry
from cyberdeck.engine.contract import REGRET, REWARD, VALUED, Feature, Game, Metric, Option
from cyberdeck.engine.defaults import end, hide_nothing, legal_count, nth_legal, win
from cyberdeck.engine.disguise import OPTION
from cyberdeck.engine.kernels import kernel
from cyberdeck.engine.record import Field
from cyberdeck.engine.symmetry import Symmetry
from cyberdeck.engine.variant import Variant
from cyberdeck.players import baselines, player_names
from cyberdeck.players.networks import SUFFIX
from cyberdeck.views import view

#: Generated text stands between these lines of a page.
BEGIN = "<!-- made by `make docs`: do not edit from here"
END = "to here -->"


def listing(names: Iterable[str], markdown: bool = False, width: int | None = None) -> str:
    """Games, a line each; in a terminal of that *width*, if it is one."""
    head = ["game", "Gymnasium", "PettingZoo", "seats", "actions", "observation", "bytes"]
    rows = []
    for name in names:
        chosen = registry.variant(name)
        game = chosen.game
        zoo = _module(game) or game.zoo_id
        sizes = (chosen.seats, chosen.action_count, chosen.observation_size, game.dtype.itemsize)
        rows.append([name, game.gym_id, zoo if game.most_seats > 1 else "-", *map(str, sizes)])
    baselines_of = [baselines.option_sets(registry.game(row[0])) for row in rows]
    if any(baselines_of):
        head.append("baselines")
        for row, sets in zip(rows, baselines_of, strict=True):
            row.append("; ".join(sets) or "-")
    return table(head, rows, markdown, width)


def _module(game: Game) -> str | None:
    """The module that PettingZoo's users import; only games of the suite have one."""
    return f"{game.name}_v{game.version}" if game.name in registry.GAMES else None


def specs(chosen: Variant, markdown: bool = False, width: int | None = None) -> str:
    """Seats, actions, observation, rewards, endings, info and options of a game."""
    game = chosen.game

    def code(text: object) -> str:
        return f"`{text}`" if markdown else str(text)

    def section(title: str, body: str) -> str:
        return f"{'## ' if markdown else ''}{title}\n\n{body}"

    ids = [("Gymnasium", code(game.gym_id))]
    if game.most_seats > 1:
        if module := _module(game):
            ids.append(("PettingZoo", code(f"from cyberdeck import {module}")))
        ids.append(("PettingZoo's registry", code(game.zoo_id)))
    box = code(f"Box({chosen.observation_size},) {chosen.dtype}")
    ids += [
        ("seats", ", ".join(f"{at} ({name})" for at, name in enumerate(chosen.agents))),
        ("actions", code(f"Discrete({chosen.action_count})")),
        ("observation", f"{box} with {'these' if chosen.chosen else 'default'} options"),
        ("size of a state", f"{game.dtype.itemsize} bytes"),
        ("players", ", ".join(map(code, player_names(chosen)))),
    ]
    if sets := baselines.option_sets(game):
        ids.append(("baselines", "for " + "; ".join(map(code, sets))))
    options = []
    for each in (*game.options, OPTION):
        default = repr(each.default) if len(repr(each.default)) <= 40 else "the game's own"
        options.append((code(each.name), default, each.allowed, each.meaning))
    if _may_have_values(chosen):
        page = "[regret](../../train/regret.md)" if markdown else "see docs/train/regret.md"
        paid = f"each decision is paid by what it gave away: {page}"
        options.insert(-1, (code(REWARD), "", f"{REGRET!r}, {VALUED}", paid))
    starts = [
        *((code(start.name), start.meaning) for start in game.starts),
        (code("state"), "bytes of `get_state()`: go on from that position"),
    ]
    features = [
        (
            "{0.start}:{0.stop}".format(chosen.layout[feature.name]),
            code(feature.name),
            " x ".join(map(str, feature.shape)),
            f"{feature.low} to {feature.high}",
            feature.meaning,
        )
        for feature in chosen.features
    ]
    actions, at = [], 0
    for count, meaning in chosen.actions:
        at += count
        actions.append((f"{at - count} to {at - 1}" if count > 1 else str(at - 1), meaning))
    metrics = [
        (code("action_mask"), "0/1 array of the legal actions"),
        *((code(metric.name), metric.meaning) for metric in game.metrics),
    ]
    if game.most_seats > 1:
        teams = "; for a whole team, the one that decides" if game.teams else ""
        metrics.append((code("seat"), f"Gymnasium: the seat that is played{teams}"))
    reasons = ", ".join(f"{at} {code(each)}" for at, each in enumerate(game.reasons) if each)
    metrics.append((code("reason"), f"why the game is over: {reasons}; 0 while it runs"))
    tables: list[tuple[str, Sequence[str], Sequence[Sequence[str]]]] = [
        ("Specs", ("", ""), ids),
        ("Options", ("option", "default", "allowed", "meaning"), options),
        ("Options of reset()", ("option", "meaning"), starts),
        ("Actions", ("action", "meaning"), actions),
        ("Observation", ("slice", "feature", "shape", "range", "meaning"), features),
        ("Info", ("key", "meaning"), metrics),
    ]
    sections = [
        section(name, table(head, rows, markdown, width)) for name, head, rows in tables if rows
    ]
    rewards = game.rewards if width is None else textwrap.fill(game.rewards, width)
    return "\n\n".join([*sections, section("Rewards", rewards)])


def _may_have_values(chosen: Variant) -> bool:
    """True if a game can have exact values, unless it has too many positions."""
    game = chosen.game.plain
    return game.resample is hide_nothing and not game.simultaneous and chosen.seats <= 2


def description(chosen: Variant, width: int | None = None) -> str:
    """A game for the terminal, of that *width*."""
    options = [f"{name}={value}" for name, value in chosen.chosen.items()]
    heading = "\n".join(
        filter(None, (", ".join([chosen.game.title, *options]), chosen.game.summary))
    )
    return f"{heading}\n\n{specs(chosen, width=width)}"


# --- what authors of games write with -------------------------------------------------------------

#: Classes that describe a game, and what its kernels call, as authors name it.
DESCRIBING: Final = (
    *(Game, Field, Feature, Option, contract.Columns, Metric, Symmetry),
    *(view.View, view.Ending, view.Page, view.Board, view.Cell, view.Piece, view.Panel, view.Line),
    *(view.Event, view.Between, view.Look, view.Drawn),
)
CALLED: Final[dict[str, Callable[..., Any]]] = {
    **{each.__name__: each for each in (kernel, win, end, nth_legal, legal_count)},
    **{f"dice.{name}": getattr(dice, name) for name in ("below", "shuffle", "draw", "scaled")},
}

#: Where a section of a docstring begins, and a name with what is said of it there.
_SECTION = re.compile(r"\n\n(?=\S.*:\n    \w+: )")
_ENTRY = re.compile(r"^    (\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)


def explained(about: type) -> tuple[str, dict[str, dict[str, str]]]:
    """A class's docstring taken apart: what comes first, and the names explained in each section.

    >>> explained(Metric)[1]["Args"]["name"]
    'its key in ``info``.'
    """
    first, *sections = _SECTION.split(inspect.cleandoc(about.__doc__ or ""))
    return first, {
        section.partition(":\n")[0]: {name: _line(text) for name, text in _ENTRY.findall(section)}
        for section in sections
    }


def _line(text: str) -> str:
    return " ".join(text.split())


def _signature(name: str, function: Callable[..., Any]) -> str:
    """The signature of a function, with the defaults that are plain values."""
    takes: list[str] = []
    for each in inspect.signature(function).parameters.values():
        if each.kind is each.KEYWORD_ONLY and "*" not in takes:
            takes.append("*")
        plain = each.default is None or isinstance(each.default, (str, int, float, tuple))
        default = "" if each.default is each.empty else f"={each.default!r}" if plain else "=..."
        takes.append(each.name + default)
    return f"{name}({', '.join(takes)})"


def authors_reference() -> str:
    """The classes that describe a game, and what kernels call, from their own docstrings."""
    parts = []
    for about in DESCRIBING:
        first, sections = explained(about)
        call = textwrap.fill(_signature(about.__name__, about), 100, subsequent_indent="    ")
        parts += [f"## {about.__name__}", first, f"```text\n{call}\n```"]
        for title, names in sections.items():
            if title != "Args":
                parts.append(f"{title}:")
            rows = [(f"`{name}`", text) for name, text in names.items()]
            parts.append(table(("name", "meaning"), rows, markdown=True))
    calls = [
        (f"`{_signature(name, each)}`", _line(each.__doc__ or "")) for name, each in CALLED.items()
    ]
    parts += ["## What kernels call", table(("call", "what it does"), calls, markdown=True)]
    return re.sub("(?<!`)``(?!`)", "`", "\n\n".join(parts))  # as Markdown writes code


def digests(examples: Path) -> str:
    """SHA-256 of the published policies, and of those that are examples."""
    own = [path for name in registry.GAMES for path in baselines.published(registry.game(name))]
    rows = [
        (f"`{path.parent.name}/{path.name}`", f"`{hashlib.sha256(path.read_bytes()).hexdigest()}`")
        for path in [*own, *sorted(examples.glob(f"*{SUFFIX}"))]
    ]
    return table(("file", "SHA-256"), rows, markdown=True)


def with_generated(page: str, generated: str) -> str:
    """*page* with its generated part replaced."""
    before, _, rest = page.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise ValueError(f"the page has no generated part between {BEGIN!r} and {END!r}")
    return f"{before}{BEGIN} -->\n\n{generated}\n\n<!-- {END}{after}"


def pages(folder: Path) -> dict[Path, str]:
    """Every page with a generated part, as it should be."""
    from cyberdeck.testing.report import CHECKS

    games = listing(registry.GAMES, markdown=True)
    wanted = {folder / "games" / "index.md": games, folder.parent / "README.md": games}
    for name in registry.GAMES:
        wanted[folder / "reference" / "games" / f"{name}.md"] = specs(
            registry.variant(name), markdown=True
        )
    wanted[folder / "reference" / "api" / "games.md"] = authors_reference()
    checks = [(f"`{name}`", what) for name, what in CHECKS.items()]
    head = ("check", "what has to hold")
    wanted[folder / "reference" / "command.md"] = table(head, checks, markdown=True)
    examples = folder.parent / "examples" / "policies"
    wanted[folder / "reference" / "measured" / "baselines.md"] = digests(examples)
    return {path: with_generated(path.read_text("utf-8"), text) for path, text in wanted.items()}


def main() -> int:
    """Write the generated parts of docs/ in the current folder."""
    folder = Path("docs")
    if not folder.is_dir():
        print("run this in a checkout: there is no docs/ folder here", file=sys.stderr)
        return 2
    for path, text in pages(folder).items():
        write_whole(path, text)
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
