"""``play``: a person against players of the suite, in the terminal or in the browser."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from cyberdeck.commands import arguments
from cyberdeck.commands.screen import BOLD, DIM, LETTERS, Quit, Screen
from cyberdeck.common.text import printable
from cyberdeck.errors import OptionError
from cyberdeck.play.choices import matching, written

if TYPE_CHECKING:
    from cyberdeck.play.session import GameSession


def play(chosen: argparse.Namespace) -> int:
    """Play one game to its end, or until the person leaves."""
    import numpy as np

    from cyberdeck.evaluation.match import judged
    from cyberdeck.play.compiled import CompiledEngine
    from cyberdeck.play.session import GameSession

    variant = judged(arguments.chosen_variant(chosen))
    arguments.check_file(chosen.save)
    seed = chosen.seed
    if seed is None:
        seed = int(np.random.default_rng().integers(2**31))
    engine = CompiledEngine(variant)
    own = engine.own_seats(chosen.seat, seed)
    sides = [variant.sides[seat] for seat in range(variant.seats) if seat not in own]
    allied = variant.sides[own[0]] in sides
    if chosen.against is not None and not sides:
        raise OptionError(f"{variant.game.title} is a solitaire: leave --against out")
    if chosen.ally is not None and not allied:
        raise OptionError("--ally is for other ships of your team: there are none")
    if chosen.lan and not chosen.browser:
        raise OptionError("--lan is for the page: add --browser")
    if chosen.browser:
        from cyberdeck.commands.browser import serve

        return serve(variant, chosen)
    screen = Screen(chosen.save, engine)
    screen.say(f"{variant.game.title}, seed {seed}", BOLD)
    screen.say("Starting: the first time on a machine this takes a while.", DIM)
    usual = engine.usual
    session = GameSession(engine, own, chosen.against or usual, chosen.ally or usual, seed)
    if variant.seats > 1:
        screen.say("you: " + ", ".join(map(session.seat_name, own)))
        for seat in range(variant.seats):
            if seat not in own:
                how = "with" if variant.sides[seat] == variant.sides[own[0]] else "against"
                screen.say(f"{how} you: {printable(session.name(seat))}")
    screen.say("Type a number or some of the words; ? explains the game and lists the commands.")
    if chosen.window:
        screen.open_window(variant.game.title)
    try:
        _play(session, screen)
    except (EOFError, KeyboardInterrupt, Quit):
        screen.say(f"\nYou have left. Decisions made by all seats: {len(session.log)}")
    finally:
        screen.close()
    return 0


def _play(session: GameSession, screen: Screen) -> None:
    """Decide, hear what the others do, and so on."""
    while True:
        for news in session.others():
            screen.narrate(news)
        screen.show(session)
        if session.over:
            _end(session, screen)
            if session.over:
                return
        elif (action := _decision(session, screen)) is not None:
            screen.narrate(f"you: {session.words(action)}")
            for news in session.decide(action):
                screen.narrate(news)


def _decision(session: GameSession, screen: Screen) -> int | None:
    """An action; None if the game has changed otherwise."""
    choices = session.choices()
    known = {str(choice.action): choice.action for choice in choices}
    prompt = f"{session.seat_name(session.mover)}> "
    screen.list(choices)
    if len(choices) == 1:
        prompt = f"The only choice: press Enter. {prompt}"
    while True:
        line = screen.ask(prompt)
        if not line:
            if len(choices) == 1 and not screen.more:
                return choices[0].action
            screen.go_on(session, choices)
        elif line in known:
            return known[line]
        elif line.isdigit():
            screen.say(f"{line} is not among your choices: press Enter to list them.")
        elif line not in LETTERS and (found := written(choices, line)):  # "s 0-1" may be a swap
            if len(found) == 1:
                return found[0].action
            screen.list(found)
        elif line == "h":
            screen.hint(session)
        elif line == "p":
            screen.show(session)
            screen.list(choices)
        elif line == "u":
            if screen.undo(session):
                return None
        elif screen.common(line, session):
            continue
        else:
            found = matching(choices, line)
            if len(found) == 1:
                return found[0].action
            if found:
                screen.list(found)
            else:
                screen.say(f"No choice has the words {line!r}: Enter lists all, ? helps.")


def _end(session: GameSession, screen: Screen) -> None:
    """Who has won, why, and by how much; then save, take back or leave."""
    screen.say(f"{session.ending().words}.", BOLD)
    if told := ", ".join(f"{name} {value}" for name, value in session.metrics()):
        screen.narrate(told)
    screen.save(session)
    while True:
        try:
            line = screen.ask("s FILE saves the replay, u takes back, Enter leaves> ")
            if not line or (line == "u" and screen.undo(session)):
                return
            if line != "u" and not screen.common(line, session):
                screen.say("The game is over: type s FILE, u, or Enter.")
        except (EOFError, KeyboardInterrupt):
            screen.say("")
            return
        except Quit:
            return
