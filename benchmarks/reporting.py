"""Which deals a figure comes from, for the benchmarks that measure how strong players are."""

from __future__ import annotations

import argparse

from cyberdeck.evaluation import ReportingSeed, reporting_seed
from cyberdeck.evaluation.seeds import notes, shown


def add_seeds(parser: argparse.ArgumentParser, default: int = 0) -> None:
    """--seed, for choosing, or --held-out DAY, for publishing."""
    deals = parser.add_mutually_exclusive_group()
    deals.add_argument("--seed", type=int, default=default, help="deals to choose on")
    deals.add_argument("--held-out", metavar="DAY", help="deals for figures to publish")


def seed_of(chosen: argparse.Namespace, *players: str) -> int | ReportingSeed:
    """What *players* are measured on."""
    return chosen.seed if chosen.held_out is None else reporting_seed(players, chosen.held_out)


def first_of(chosen: argparse.Namespace, player: str) -> int:
    """The seed of the first deal, for what counts up from there."""
    seed = seed_of(chosen, player)
    return seed.number << 32 if isinstance(seed, ReportingSeed) else seed


def told(chosen: argparse.Namespace) -> str:
    """What stands below the tables."""
    seed = seed_of(chosen, "each row's player")
    return "".join(notes(seed)) or f"Deals: {shown(seed)}"
