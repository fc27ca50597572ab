"""Games in words as somebody sees them who trains a model: how long they are, and what is in them.

``python benchmarks/episodes.py``, from the root of a checkout. A learner plays random legal moves:
what a model is at best that knows the form of an answer and nothing else. Each seed is played
several times, as methods do that compare the games of a group (GRPO): against the same opponent,
with the same deal and the same luck.
"""

from __future__ import annotations

import argparse
import random
import statistics
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from cyberdeck import TextEnv, load_file
from cyberdeck.common.text import table
from prompts import Tokenizer, tokenizers

#: Seeds; games of each; of how many games the tokens are counted.
SEEDS, GROUP, COUNTED = 100, 8, 20

EXAMPLES = Path(__file__).parents[1] / "examples" / "games"
#: row: (game, options, a stronger opponent than random)
CASES: dict[str, tuple[str, dict[str, Any], str]] = {
    "tictactoe": ("tictactoe", {}, "search:iterations=32"),
    "connect_four": ("connect_four", {}, "search:iterations=32"),
    "kuhn_poker": ("kuhn_poker", {}, "search:iterations=32"),
    "liars_dice": ("liars_dice", {}, "search:iterations=32"),
    "goofspiel": ("goofspiel", {}, "search:iterations=32"),
    "hackthegrid": ("hackthegrid", {}, "heuristic"),
    "hovercrafts": ("hovercrafts", {}, "heuristic"),
    "matrix_overload": ("matrix_overload", {}, ""),
    "matrix_overload, royals": ("matrix_overload", {"reward": "royals"}, ""),
    "stacktrices": ("stacktrices", {}, "heuristic"),
}


class Episode(NamedTuple):
    tokens: list[int]
    """Of each prompt, if they are counted."""
    legal: list[float]
    """At each decision the share of all actions that are legal."""
    gained: float


def episode(env: TextEnv, seed: int, learner: random.Random, count: Tokenizer | None) -> Episode:
    """A game of random legal moves."""
    prompt, _ = env.reset(seed)
    tokens, legal, gained, over = [], [], 0.0, False
    while not over:
        if count is not None:
            tokens.append(count(prompt))
        mask = env.game.core.one_mask
        actions = mask.nonzero()[0]
        legal.append(len(actions) / len(mask))
        answer = f'{{"move": {learner.choice(actions)}}}'
        prompt, reward, terminated, truncated, _ = env.step(answer)
        gained, over = gained + reward, terminated or truncated
    return Episode(tokens, legal, gained)


def played(
    env: TextEnv, seeds: int, each: int, count: Tokenizer | None = None
) -> list[list[Episode]]:
    """For each seed its games."""
    learner = random.Random(0)
    return [[episode(env, seed, learner, count) for _ in range(each)] for seed in range(seeds)]


def rewards(groups: list[list[Episode]]) -> list[str]:
    """The mean reward of a game, with its standard error; and in how many groups it is the same in
    all games. Seeds are independent of each other, games of one seed are not.
    """
    each = [statistics.fmean(game.gained for game in group) for group in groups]
    alike = [len({game.gained for game in group}) == 1 for group in groups]
    error = statistics.stdev(each) / len(each) ** 0.5
    return [f"{statistics.fmean(each):+.2f} ({error:.2f})", f"{statistics.fmean(alike):.0%}"]


def row(case: str, count: Tokenizer) -> list[str]:
    game, options, stronger = CASES[case]
    if (file := EXAMPLES / f"{game}.py").exists():
        load_file(file)
    first = "random" if stronger else None
    plain = TextEnv(game, opponent=first, **options)
    brief = TextEnv(game, opponent=first, brief=True, **options)
    groups = played(plain, SEEDS, GROUP)
    games = list(chain.from_iterable(groups))
    full, short = (
        [each.tokens for (each,) in played(env, COUNTED, 1, count)] for env in (plain, brief)
    )
    against = ["", ""]
    if stronger:
        against = rewards(played(TextEnv(game, opponent=stronger, **options), SEEDS, GROUP))
    return [
        case,
        f"{statistics.fmean(len(each.legal) for each in games):.1f}",
        f"{max(len(each.legal) for each in games)}",
        f"{statistics.fmean(chain.from_iterable(full)):,.0f}",
        f"{statistics.fmean(map(sum, full)):,.0f}",
        f"{statistics.fmean(map(sum, short)):,.0f}",
        f"{statistics.fmean(chain.from_iterable(each.legal for each in games)):.0%}",
        *rewards(groups),
        *against,
    ]


def main() -> None:
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args()
    head = ["game", "decisions", "most", "tokens a prompt", "a game", "a game, brief", "legal"]
    head += ["against random", "alike", "against a stronger one", "alike"]
    count = tokenizers()["Tekken"]
    rows = [row(case, count) for case in CASES]
    print(table(head, rows, markdown=True))


if __name__ == "__main__":
    main()
