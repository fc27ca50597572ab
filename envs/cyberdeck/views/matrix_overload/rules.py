"""MATR1X 0VERL0AD's rules in short, as they are played with given options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from cyberdeck.common.text import counted
from cyberdeck.games.matrix_overload import constants as c
from cyberdeck.views.matrix_overload import cards
from cyberdeck.views.rules import paragraph, sections, terms

#: What the three royals of a suit are called, by whether it is a number.
_COURTS: Final = (("J", "Q", "K"), ("11", "12", "13"))


def how_to_play(options: Mapping[str, Any]) -> str:
    """The rules and the scoring."""
    digital, numbered = options["edition"] != "rulebook", options["edition"] == "firewall"
    name = "firewall" if numbered else "royal"
    first, second, third = _COURTS[numbered]
    attacks = "; on ".join(filter(None, map(_attacks, range(c.INNER))))
    piles = "\n".join("".join(map(_at, row)).rstrip() for row in cards.TABLE)
    return sections(
        paragraph(
            f"Overload the twelve {name}s on the outer piles (9 to 20) around a matrix of nine "
            "inner piles (0 to 8):"
        )
        + f"\n{piles}",
        paragraph(
            f"There are 52 cards and {'one joker' if digital else 'two jokers'}. A joker counts 0, "
            "an ace 1, 2 to 10 their number. Clubs and spades are black, hearts and diamonds red.",
            "The firewalls are 11, 12 and 13 of each suit, but an 11 shows no suit, and a 12 only "
            "its colour: more does not count."
            if numbered
            else "The royals are jack (J, 11), queen (Q, 12) and king (K, 13) of each suit.",
            "At first each inner pile but the centre (4) gets one card, in the order drawn. "
            f"A {name} drawn meanwhile is set aside; they go back on top of the draw pile, the "
            "first one on top. The top card of the draw pile always lies face up.",
        ),
        "Each move lays the face-up card on a pile; you may not pass:\n"
        + terms(
            (name, _court(options["edition"])),
            ("2-10", _number(name, digital)),
            (
                "A",
                "on any inner pile, whose cards first go to the bottom of the draw pile, the top "
                "card first",
            ),
            (
                "joker",
                "like an ace, but only on an inner pile with the lowest top card; "
                + ("empty piles do not count" if digital else "an empty pile counts 0"),
            ),
        ),
        paragraph(
            f"A card laid on an inner pile lets two other piles attack a {name} across the matrix. "
            f"Laid on {attacks}. On 4, or on an outer pile, no card does."
        ),
        paragraph(
            f"The {name} falls if the top cards of both piles add up to its strength or more, and "
            "fit it. If a pile is empty there is no attack. Strength is 11, 12 or 13, and the "
            f"ICE. A fallen {name} keeps its pile occupied. What fits:"
        )
        + "\n"
        + terms(
            (first, "any two cards"),
            (second, "two cards of its colour"),
            (third, "two cards of its suit"),
        ),
        paragraph(
            "You win when all twelve have fallen. Else you lose when the draw pile is empty after "
            "a move,",
            "or when the face-up card has no legal pile."
            if digital
            else "or when a standing royal is stronger than 20.",
            _limit(options),
            "A win is 1, anything else 0."
            if options["reward"] == "win"
            else f"Each {name} that falls brings 1/12, and a win 1 more.",
        ),
        paragraph(
            f"On the table {third}♥/15 ICE2 is a {name} of hearts of strength 15, of which 2 are "
            "ICE. Clubs are ♣, spades ♠, diamonds ♦."
        ),
    )


def _at(pile: int) -> str:
    return f"{'' if pile == c.NONE else pile:>5}"


def _court(edition: str) -> str:
    """Where a royal goes."""
    shown = {"firewall": " (an 11 has neither here, a 12 no suit)"}.get(edition, "")
    zero = (
        "An empty inner pile counts 0 without a colour, a joker 0 of any suit"
        if edition == "rulebook"
        else "An empty inner pile and a joker count 0, without a colour"
    )
    return (
        "on an empty outer pile. Of the top cards beside empty outer piles those of its suit "
        f"count; if there are none, those of its colour; if there are none, all{shown}. It goes "
        f"beside the highest of them; choose if there are several such piles. {zero}"
    )


def _number(name: str, digital: bool) -> str:
    """Where a number card goes."""
    inside = "on an inner pile that is empty or whose top card is not higher. If there is none, it "
    if digital:
        return (
            f"{inside}becomes ICE of a standing {name} of your choice, whose strength grows by it, "
            "up to 20 at most"
        )
    return (
        f"{inside}becomes ICE of a standing royal, whose strength grows by it: of its suit; if "
        "none stands, of its colour; if none stands, of any. Of these it is the weakest; choose if "
        "several are. If no royal stands, it is laid where a royal of its suit would go: a pile "
        "with such ICE still counts as empty, and a royal laid there later has the ICE"
    )


def _attacks(pile: int) -> str:
    """Which piles attack where when a card is laid on an inner pile; nothing where none do."""
    told = " and ".join(
        f"{first}+{second} attack {c.INNER + outer}"
        for first, second, outer in c.LINES[pile]
        if outer != c.NONE
    )
    return f"{pile}: {told}" if told else ""


def _limit(options: Mapping[str, Any]) -> str:
    after = f"After {counted(options['max_steps'], 'move')}"
    if options["stall"] == "lose":
        return f"{after} the game is lost."
    return f"{after} it is over, neither won nor lost."
