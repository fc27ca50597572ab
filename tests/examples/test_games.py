"""The games of ``examples/games``: from one file each, everything that the suite does."""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from numpy.typing import NDArray

from cyberdeck import Game, variant
from cyberdeck.commands.main import main
from cyberdeck.engine import dice, registry
from cyberdeck.engine.chance import Outcomes
from cyberdeck.evaluation import Evaluation, Tournament, evaluate, tournament
from cyberdeck.replay import Replay
from cyberdeck.testing import FACES, clauses, faces
from tests.engine.games import example
from tests.training.runs import write

FOLDER = Path(__file__).parents[2] / "examples" / "games"

NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))

#: Quickly one of secret decisions, one for three, one of fractions: all with chance; and by which
#: interfaces, of which each has one game at least.
QUICK = {
    "goofspiel": ["parallel_env"],
    "kuhn_for_many": ["gymnasium", "raw_env", "env", "parallel_env"],
    "coin_bets": ["gymnasium", "vector", "batch", "sb3"],
}

#: Those, and one of teams, by every interface; by one what is not compiled and played elsewhere.
KINDS = [*QUICK, "tandem_tictactoe"]
OTHERS = [name for name in NAMES if name not in (*KINDS, "phantom_tictactoe")]
PLAYED = [(k, f) for k in KINDS for f in FACES] + [(o, "gymnasium") for o in OTHERS]


def slowly(*given: Any, unless: bool = False) -> Any:
    return pytest.param(*given, marks=[pytest.mark.slow] * (not unless))


EACH = [slowly(name, unless=name in {*QUICK, "phantom_tictactoe"}) for name in NAMES]


@pytest.fixture(scope="module", params=EACH)
def game(request: pytest.FixtureRequest) -> Game:
    return example(request.param)


def test_a_file_is_short_and_needs_little() -> None:
    for name in NAMES:
        source = (FOLDER / f"{name}.py").read_text("utf-8")
        assert len(source.splitlines()) <= 150
        tree = ast.parse(source)
        assert ast.get_docstring(tree)
        imported = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(str(node.module))
        assert imported <= {"cyberdeck", "cyberdeck.views.view", "numpy"}


@pytest.mark.parametrize(
    ("game", "face"),
    [slowly(name, face, unless=face in QUICK.get(name, [])) for name, face in PLAYED],
    indirect=["game"],
)
def test_every_interface_keeps_its_promises(
    game: Game, face: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if face in QUICK.get(game.name, []):
        monkeypatch.setattr(faces, "STEPS", 8 if face == "vector" else 6)  # fewer than there
    asked = clauses(game.name, face, **({"flips": 12} if game.name == "coin_bets" else {}))
    assert asked or not game.simultaneous
    for clause in asked:
        clause()


def test_its_registry_finds_it(game: Game) -> None:
    if registry.variant(game.name).seats == 1:
        assert gymnasium.make(game.gym_id).reset(seed=1)
        return
    if not hasattr(pettingzoo, "make"):
        pytest.skip("this PettingZoo has no registry")
    env = pettingzoo.make("aec", game.zoo_id)
    env.reset(seed=1)
    assert env.possible_agents == list(registry.variant(game.name).agents)


def test_tournament_replay_and_pictures(game: Game, tmp_path: Path) -> None:
    if registry.variant(game.name).seats == 1:
        result: Evaluation | Tournament = evaluate(game.name, "random", deals=1, keep_actions=True)
    else:
        result = tournament(game.name, ["random", "random"], deals=1, keep_actions=True)
        assert "random (2)" in result.table()
    replay = result.games.replay(0)
    replay.save(tmp_path / "game.json")
    loaded = Replay.load(tmp_path / "game.json")
    assert loaded.played() == replay.played()
    frames = loaded.frames()
    assert sum(len(frame.story) for frame in frames) == len(loaded.actions)
    # What nobody sees is told with what comes after it.
    assert game.secret or len(frames) == len(loaded.actions) + 1
    assert all(frame.svg.startswith("<svg") for frame in frames)
    loaded.write_html(tmp_path / "game.html")
    assert game.title in (tmp_path / "game.html").read_text("utf-8")


@pytest.mark.slow
def test_train(tmp_path: Path) -> None:
    game = example("goofspiel")
    file = write(tmp_path, game=game.name, opponents={"self": 1, "past": 2, "random": 1})
    assert main(["train", str(file), "--output-dir", str(tmp_path / "r")]) == 0
    (made,) = (tmp_path / "r").iterdir()
    assert (made / "report.html").is_file()
    assert json.loads((made / "run.json").read_text())["game"] == game.name


# --- what is redrawn where a board is dark --------------------------------------------------------


@pytest.mark.parametrize(("rules", "count"), [("classical", 70), ("abrupt", 94)])
def test_what_is_redrawn_is_all_that_may_be(rules: str, count: int) -> None:
    """Of Dark Hex on four cells: the positions that some seat's course of the game may lead to."""
    chosen = variant(example("dark_hex").name, size=2, rules=rules)
    outcomes, possible = Outcomes(chosen), defaultdict[Any, dict[bytes, NDArray[Any]]](dict)

    def explore(record: NDArray[Any], known: tuple[Any, Any]) -> None:
        mover = int(record["mover"][0])
        if mover < 0:
            return
        mask, seen, _ = chosen.look(record, mover)
        course = (*known[mover], tuple(seen.tolist()))
        possible[mover, course][without_past(record)] = record
        for action in np.flatnonzero(mask).tolist():
            after = list(known)
            after[mover] = (*course, action)
            for _, child in outcomes.after(record, action):
                explore(child, (after[0], after[1]))

    for _, record in outcomes.beginnings():
        explore(record, ((), ()))
    assert len(possible) == count
    assert max(map(len, possible.values())) > 3
    for (seat, _), records in possible.items():
        redrawn = set()
        for bits in range(8 * len(records)):
            world = next(iter(records.values())).copy()
            chosen.loops.resample(world, 0, seat, dice.seeded(bits))
            redrawn.add(without_past(world))
        assert redrawn == set(records)


def without_past(record: NDArray[Any]) -> bytes:
    now = record.copy()
    now["dice"], now["reward"] = 0, 0
    return now.tobytes()
