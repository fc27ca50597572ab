"""``list``, ``describe``, ``warm-up``, ``new``, ``check``, ``build``: games, also of one's own."""

from __future__ import annotations

import concurrent.futures
import keyword
import multiprocessing
import re
from collections.abc import Mapping
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Final

from cyberdeck import docs
from cyberdeck.commands import arguments
from cyberdeck.commands.arguments import Chosen
from cyberdeck.common.files import make_folder, write_whole
from cyberdeck.common.text import counted, printable, tell
from cyberdeck.engine import defaults, native, registry
from cyberdeck.engine.phases import phases_between
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.players import find_player

#: After so many decisions a turn has been carried out, if there are turns to be carried out.
_MOST_DECISIONS: Final = 200

_NOTHING_TO_DO: Final = "every game of the package is compiled: there is nothing to do"

_TEMPLATES: Final = Path(__file__).parent / "templates"
_MOST_SEATS: Final = 6


def list_games(chosen: Chosen) -> None:
    """Print a line for each game."""
    tell(docs.listing((each.name for each in registry.games()), width=arguments.table_width()))


def describe(chosen: Chosen) -> None:
    """Print all about one game, with the options that were given."""
    tell(docs.description(arguments.chosen_variant(chosen), arguments.table_width()))


def warm_up(chosen: Chosen) -> None:
    """Compile the loops of games into the cache folder: each in a process of its own."""
    games = chosen.games or [each.name for each in registry.games()]
    for name in games:
        arguments.chosen_game(name)
    if native.library() is not None:
        games = [name for name in games if name not in registry.GAMES]
    if not games:
        tell(_NOTHING_TO_DO)
        return
    from cyberdeck.engine.compiling import be_silent
    from cyberdeck.engine.jit import cache_folder

    folder = _found(cache_folder())
    tell(f"compiling {counted(len(games), 'game')}, which takes a minute or two ...")
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(mp_context=spawn, initializer=be_silent) as pool:
        # The largest games come last in the list; begun first, they leave no core idle at the end.
        compiling = [pool.submit(compile_game, name) for name in reversed(games)]
        try:
            for done in concurrent.futures.as_completed(compiling):
                tell(done.result())
        except BrokenProcessPool as broken:
            raise OSError(
                "a process that was compiling has been killed, most likely because memory ran out; "
                "what was finished is kept: try again, or let each game compile when it is used"
            ) from broken
    tell(f"compiled code is kept in {printable(folder)}")


def _found(place: Path | None) -> Path:
    """A place in the user's own folder; ``OSError`` where there is none."""
    if place is None:
        raise OSError(
            "compiled code needs a folder that you alone can write to, and there is none: set "
            "CYBERDECK_CACHE_DIR to one"
        )
    return place


def compile_game(named: str) -> str:
    """Have every loop of a game compiled, and return its title."""
    from cyberdeck.api import pettingzoo_env
    from cyberdeck.api.batch import Batch
    from cyberdeck.players.guided import unlearned
    from cyberdeck.players.search import Search

    game = arguments.chosen_game(named)
    name = game.name
    batch = Batch(name, 1, seed=0)
    batch.step(batch.choose("heuristic" if game.has_heuristic else "random"))
    batch.set_state(0, batch.get_state(0))
    batch.resample(0, 0)
    batch.play("random", 1)
    search = find_player(batch.variant, "search:iterations=1")
    batch.choose(search)
    guided = Search(iterations=1, network=unlearned(batch.variant))
    batch.choose(guided)
    if batch.variant.seats > 1:
        pettingzoo_env.raw_env(name).reset()
    if batch.variant.game.simultaneous:
        pettingzoo_env.parallel_env(name).reset()
    for _ in range(_MOST_DECISIONS):  # until a turn is carried out, where turns have phases
        before = batch.states
        batch.step(batch.choose("random"))
        if game.next_phase is defaults.no_phase or phases_between(game, before, batch.states):
            break
    return registry.game(name).title


def new(chosen: Chosen) -> None:
    """Write a game that works, to be changed into one's own, and its tests."""
    name, seats = chosen.name, chosen.seats
    parts = {
        "hidden": chosen.hidden,
        "simultaneous": chosen.simultaneous,
        "teams": chosen.teams,
        "redrawn": chosen.hidden or chosen.simultaneous,
    }
    _check(name, seats, parts, chosen.solo)
    make_folder(folder := Path(chosen.output_dir))
    files = [folder / f"{name}.py", folder / f"test_{name}.py"]
    for file in files:
        if file.exists():
            raise OptionError(f"{file} exists already: give another name, or another --output-dir")
    reasons = ("stopped", "too_much") if chosen.solo else ("most_rounds", "equal")
    words = {
        "name": name,
        "title": name.replace("_", " ").capitalize(),
        "seats": str(seats),
        "names": ", ".join(f'"player {number + 1}"' for number in range(seats)),
        "reasons": ", ".join(f'"{reason}"' for reason in reasons),
    }
    for file, template in zip(files, ("solo" if chosen.solo else "game", "test"), strict=True):
        text = (_TEMPLATES / f"{template}.txt").read_text("utf-8")
        write_whole(file, written(text, parts, words))
    tell(
        f"{files[0]}: a game that works; change it rule by rule\n{files[1]}: its tests, for pytest"
    )
    tell(f"Try: cyberdeck check {files[0]}\n     cyberdeck play {files[0]}")


def written(template: str, parts: Mapping[str, bool], words: Mapping[str, str]) -> str:
    """A template with the parts that are wanted, and its words.

    ``{@part}...{@}`` is there with a part, ``{@!part}...{@}`` without it, and ``{word}`` stands for
    a word.

    >>> written("{@teams}two {@}{@!teams}no {@}teams of {name}", {"teams": True}, {"name": "x"})
    'two teams of x'
    """
    while found := re.search(r"\{@(!?)(\w+)\}\n?((?:(?!\{@).)*?)\{@\}(\n?)", template, re.DOTALL):
        no, part, text, line = found.groups()
        wanted = parts[part] != bool(no)
        alone = found[0].startswith(f"{{@{no}{part}}}\n")
        kept = (text if wanted else "") + ("" if alone else line)
        template = template[: found.start()] + kept + template[found.end() :]
    for word, text in words.items():
        template = template.replace(f"{{{word}}}", text)
    return template


def _check(name: str, seats: int, parts: Mapping[str, bool], solo: bool) -> None:
    """``OptionError`` unless such a game can be written."""
    if not re.fullmatch("[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise OptionError(f"{name!r} cannot be a game's name: use lower-case letters, digits and _")
    if name in registry.GAMES:
        raise OptionError(f"there is a game {name!r} already: give another name")
    if solo and (seats != 2 or any(parts.values())):
        raise OptionError("--solo is a game for one: leave the other parts out")
    if not 2 <= seats <= _MOST_SEATS:
        raise OptionError(f"--seats {seats} is not possible: 2 to {_MOST_SEATS}; for one: --solo")
    if parts["teams"] and (seats % 2 or seats < 4):
        raise OptionError(f"--teams needs 4 or 6 seats: add --seats {4 if seats < 5 else 6}")


def check(chosen: Chosen) -> int:
    """Print the report; 1 if something is wrong, 3 if too little was looked at."""
    from cyberdeck.common.progress import bar
    from cyberdeck.testing.checking import CAREFUL, THOROUGH, check_apart

    times = THOROUGH if chosen.thorough else 1
    with bar(times * (min(CAREFUL, chosen.decisions) + chosen.decisions), "decisions") as progress:
        report = check_apart(
            arguments.chosen_variant,
            (chosen,),
            progress,
            times * chosen.seconds,
            decisions=chosen.decisions,
            seed=chosen.seed,
            thorough=chosen.thorough,
        )
    tell(str(report))
    return report.status


def build(chosen: Chosen) -> None:
    """Write a game's library, its WebAssembly, and what plays it; or the library of the suite."""
    if (chosen.game is None) != chosen.suite or (
        chosen.suite and (chosen.output_dir or chosen.assignments)
    ):
        raise OptionError("build takes a GAME, or --suite and nothing else")
    if chosen.suite:
        _build_suite()
        return
    game = arguments.chosen_game(chosen.game)
    options = arguments.game_options(game, chosen.assignments)
    variant = Variant(game, options)
    home = Path(chosen.game).parent if chosen.game.endswith(".py") else Path()
    folder = home if chosen.output_dir is None else Path(chosen.output_dir)

    from cyberdeck.building import ahead

    ahead.check_tools()
    tell(f"{game.title}: compiling, which takes a minute ...")
    made = ahead.build(variant, options, folder)
    tell("\n".join(printable(path) for path in made))
    if game.name not in registry.GAMES and folder.resolve() != home.resolve():
        arguments.note(f"Python finds {native.file_name(game.name)} beside the game's file only")


def _build_suite() -> None:
    """Compile the package's games once, for every process of this user."""
    if native.library() is not None:
        tell(_NOTHING_TO_DO)
        return
    from cyberdeck.building import ahead

    ahead.check_tools()
    made = _found(native.suite_file())
    games = counted(len(registry.GAMES), "game")
    tell(f"compiling {games} for {native.host()}, which takes some minutes ...")
    ahead.build_suite(made)
    tell(f"{printable(made)}: every game of the package starts with it")
