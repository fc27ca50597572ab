"""What the tests of all interfaces share: cases, legal samplers, scripted players."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cyberdeck
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.testing import same
from cyberdeck.testing.faces import Scripted as scripted
from cyberdeck.testing.faces import pick
from tests.cases import EACH, SCRAMBLED, Case, label, listed

__all__ = ["CASES", "SCRAMBLED", "Case", "label", "pick", "same", "scripted"]

#: Every game with every option value.
CASES: list[Case] = EACH

#: One or two of each game where a test is too dear for all.
FEW: list[Case] = listed(Path(__file__).with_name("few.txt"))

#: The games for two.
GAMES_FOR_TWO: list[str] = [game for game in cyberdeck.GAMES if cyberdeck.variant(game).seats == 2]

#: Options that let a game end soon.
BRIEF: dict[str, dict[str, Any]] = {
    "matrix_overload": {"max_steps": 40},
    "hackthegrid": {},
    "hovercrafts": {"max_turns": 6},
    "stacktrices": {"max_turns": 8},
}


def reason(env: Any, info: dict[str, Any]) -> str:
    """Why the game is over, in a word."""
    word: str = env.metadata["reasons"][info["reason"]]
    return word


def gym_id(game: str) -> str:
    return cyberdeck.game(game).gym_id


def brief(case: Case) -> Case:
    """The same game with the same options, but for those that let it end soon."""
    return case[0], {**case[1], **BRIEF[case[0]]}


def own_seat(game: str, seat: int | str = 0) -> dict[str, Any]:
    """The argument that chooses a seat, if the game has more than one."""
    return {"seat": seat} if cyberdeck.game(game).most_seats > 1 else {}


def standing(core: GameBatch) -> tuple[bytes, ...]:
    """All that the games keep; equal before and after a refused call."""
    kept = (core.states, core.rows, core.masks, core.observations, core.finals)
    return tuple(array.tobytes() for array in kept)


def pick_rows(masks: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
    """A random legal action for each row."""
    return np.array([pick(mask, rng) for mask in masks], np.int64)


def lowest(observations: NDArray[np.int8], masks: NDArray[np.int8]) -> NDArray[np.int64]:
    """The first legal action; a module-level function, so that it can be pickled."""
    return masks.argmax(axis=1)


def run_page(page: Path, most: int | None = None) -> dict[str, Any]:
    """The first blocks of a page that are not run by its own test, as they stand there."""
    from tests.test_docs import blocks

    names: dict[str, Any] = {"__name__": "__example__"}
    for block in [each for each in blocks(page) if each.info == "python no-run"][:most]:
        exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), names)
    return names


def transitions(
    env: CyberdeckEnv, seed: int
) -> Iterator[tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]]:
    """Legal random play from where the env stands to the end of its game."""
    rng = np.random.default_rng(seed)
    over = False
    while not over:
        seen = env.step(pick(env.action_masks(), rng))
        over = seen[2] or seen[3]
        yield seen
