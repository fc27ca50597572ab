"""``train``, ``compare``, ``exploit``, ``export``: policies that learn, and what they learned."""

from __future__ import annotations

import os
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cyberdeck import exact
from cyberdeck.commands import arguments
from cyberdeck.commands.arguments import Chosen
from cyberdeck.common.progress import bar
from cyberdeck.common.text import nearest, printable, table, tell
from cyberdeck.engine import disguise
from cyberdeck.engine.contract import Game
from cyberdeck.engine.policy import Policy
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import KernelError, OptionError
from cyberdeck.evaluation.evaluate import named
from cyberdeck.players import find_player
from cyberdeck.text.chat.player import Chat

if TYPE_CHECKING:
    from cyberdeck_training.settings import RunSettings

#: Of a line of text where there is no terminal.
_WIDTH: Final = 100


def train(chosen: Chosen) -> int:
    """Train, and print the table of the final evaluation."""
    from cyberdeck_training import algorithms, runs
    from cyberdeck_training import config as configs

    name, game, changes = chosen.config, chosen.game, [*chosen.assignments]
    if chosen.resume is not None:
        changes += [name] if name is not None else []  # which is refused, as no KEY=VALUE
        folder = Path(chosen.resume)
        return run_in(folder, runs.config_of(folder, tuple(changes), game), resume=True)
    if name is None:
        name, game = game, None
    if name is None:
        raise OptionError("name a configuration, such as: cyberdeck train hackthegrid")
    config = configs.load(name, changes, game)
    _ = config.variant.loops  # no folder for a game that nothing here can compile
    algorithms.recipe_of(config)  # nor for a device that is not there
    return run_in(runs.create(Path(name).stem, Path(chosen.output_dir)), config)


def run_in(folder: Path, config: RunSettings, resume: bool = False) -> int:
    """Train in *folder*, and print what came out."""
    # PyTorch's threads spin for milliseconds before they sleep: on a machine with other work, two
    # are then slower than one. Spinning much less costs a tenth on an idle one. It has to be said
    # before PyTorch is loaded.
    os.environ.setdefault("GOMP_SPINCOUNT", "10000")
    from cyberdeck_training import runs
    from cyberdeck_training import train as training

    against = ", ".join(f"{printable(name)} {share}" for name, share in config.playing.items())
    against = f"against {against}" if against else ""
    parts = f"{config.algorithm} on {config.variant.game.title}", against, f"in {printable(folder)}"
    tell(", ".join(filter(None, parts)) + (f"\n{config.rounding}" if config.rounding else ""))
    try:
        if resume:
            training.resume(config, folder)
        else:
            training.begin(config, folder, ["cyberdeck", *sys.argv[1:]])
    except KeyboardInterrupt:
        best = folder / runs.BEST
        if (folder / runs.CHECKPOINTS).exists():
            kept = f"to go on: cyberdeck train --resume {printable(folder)}"
        elif best.exists():
            kept = f"the best policy so far is {printable(best)}"
        else:
            kept = "nothing is kept"
        arguments.note(f"interrupted; {kept}")
        return arguments.INTERRUPTED
    tell(f"\n{(folder / runs.TABLE).read_text('utf-8')}")
    if (folder / runs.EXPLOITED).exists():
        tell((folder / runs.EXPLOITED).read_text("utf-8"))
    tell(f"report: {printable(folder / 'report.html')}")
    return 0


def compare(chosen: Chosen) -> None:
    """Print a table of several runs, and write a page with their learning curves."""
    from cyberdeck_training.report import Comparison

    arguments.check_file(chosen.output)
    comparison = Comparison([Path(folder) for folder in chosen.runs], chosen.game)
    comparison.write(Path(chosen.output))
    tell(f"{comparison.table()}\n\nwritten: {printable(chosen.output)}")


def export(chosen: Chosen) -> None:
    """Write a policy for programs that know nothing of cyberdeck, and name the files."""
    from cyberdeck.players import exporting
    from cyberdeck.players.networks import InOwnView, Network

    variant = arguments.chosen_variant(chosen)
    arguments.check_file(chosen.file)
    player = find_player(variant, chosen.policy)
    if isinstance(player, InOwnView):
        player = player.policy
    if not isinstance(player, Network):
        raise OptionError(
            f"{chosen.policy} is no network: give baseline, or the file of a trained policy "
            "(*.safetensors)"
        )
    for path in exporting.export(player, chosen.file):
        tell(printable(path))


def exploit(chosen: Chosen) -> int:
    """Print how far a player is from perfect, exactly or by a responder trained against it."""
    game = arguments.chosen_game(chosen.game)
    given, changes = _divided(game, chosen)
    options = arguments.game_options(game, given)
    variant = Variant(game, options)
    if max(variant.sides) == 0:
        raise OptionError(
            f"{variant.game.title} is a game for one: nobody answers a player there. What it "
            f"reaches: cyberdeck evaluate {chosen.game} {chosen.player}"
        )
    player = find_player(variant, chosen.player)
    asked = isinstance(player, Chat)
    if asked and chosen.train:
        raise OptionError(f"{player.name} is a chat model: no responder is trained against it")
    config: RunSettings | None = None
    if chosen.train:  # checked at once, as enumerating may take a minute
        from cyberdeck_training.config import responder

        config = responder(chosen.game, chosen.player, options, changes)
    try:
        (name,) = named([chosen.player])
        answered = _answered(variant, player, name, chosen)
    except (OptionError, KernelError) as reason:
        if asked:
            raise
        if config is None:
            raise OptionError(
                f"{reason}: with --train a responder is trained, which finds a lower bound"
            ) from reason
        arguments.note(f"{reason}; a responder is trained")
    else:
        tell(answered)
        if config is None:
            return 0
        tell()
    from cyberdeck_training import runs

    _ = variant.loops  # no folder for a game that nothing here can compile
    folder = runs.create(f"{Path(chosen.game).stem}-exploit", Path(chosen.output_dir))
    return run_in(folder, config)


def _divided(game: Game, chosen: Chosen) -> tuple[list[str], list[str]]:
    """KEY=VALUE that are options of the game, and those of the training configuration."""
    known = [option.name for option in (*game.options, disguise.OPTION)]
    given = [each for each in chosen.assignments if each.partition("=")[0] in known]
    changes = [each for each in chosen.assignments if each not in given]
    if changes and not chosen.train:
        key = changes[0].partition("=")[0]
        raise OptionError(
            f"{game.title} has no option {key!r}{nearest(key, known)}: it has the options "
            f"{', '.join(known)}; values for training need --train"
        )
    return given, changes


def _answered(variant: Variant, player: Policy, name: str, chosen: Chosen) -> str:
    """The best response to *player*, exactly; ``OptionError`` where that is not possible."""
    asked, spent = isinstance(player, Chat), {"memory": chosen.memory, "minutes": chosen.minutes}
    answer = exact.exploit(variant, player, **spent, requests=asked, bars=bar, note=arguments.note)
    responses = answer.responses
    rows = [
        (agent, *map(_signed, (value, best)), f"{gain:.4f}")
        for agent, value, best, gain in zip(
            variant.agents, responses.values, responses.best, responses.gains, strict=True
        )
    ]
    means = (sum(each) / variant.seats for each in (responses.values, responses.best))
    rows.append(("mean", *map(_signed, means), f"{responses.exploitability:.4f}"))
    head = ("seat", f"{name} itself", "best response", "gain")
    notes = [
        f"The exploitability of {name} is {responses.exploitability:.4f}: the best response gains "
        f"that much reward a game over what {name} gets itself, averaged over the seats (NashConv, "
        f"their sum: {sum(responses.gains):.4f}). At 0 nobody gains by playing in another way."
    ]
    if not asked:
        own = "all of that as well" if answer.remembers else "the present observation"
        notes[0] += (
            " Whoever answers best remembers all that it has seen and done; "
            f"{name} is one of the strategies that decide by {own}."
        )
    if variant.game.rewards:
        notes.append(f"Rewards: {variant.game.rewards}")
    if not answer.exact:
        notes.append(
            f"{name} draws what it does. It was asked {answer.draws} times in each situation: so "
            "few draws are a strategy of their own, and the figure is a little too high."
        )
    width = arguments.table_width() or _WIDTH
    return "\n".join(
        [
            f"{variant.game.title}, {answer.gone_through}; reward a game against {name}",
            "",
            table(head, rows, width=arguments.table_width()),
            "",
            *(textwrap.fill(each, width, break_on_hyphens=False) for each in notes),
        ]
    )


def _signed(value: float) -> str:
    return f"{round(value, 4) + 0.0:+.4f}"  # no -0.0000
