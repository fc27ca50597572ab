"""The history that players are given: what was done in the game, and nothing else."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cyberdeck import Batch, Variant
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.engine.constants import RESIGNS, VOID
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.history import HIDDEN
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.policy import Policy, PolicyInput
from cyberdeck.engine.record import FORFEIT, NOBODY
from cyberdeck.errors import ActionError, OptionError, PolicyError, StateError
from cyberdeck.evaluation import evaluate, play_games, tournament
from cyberdeck.exact import PositionSolver
from cyberdeck.play.session import GameSession, Setup
from cyberdeck.playing.compiled import Compiled
from cyberdeck.replay import Replay
from cyberdeck.replay.frames import Move
from tests.playing.helpers import variant

#: Games with and without secrets, for two and for teams.
GAMES: list[tuple[str, dict[str, Any]]] = [
    ("hackthegrid", {}),
    ("stacktrices", {"max_turns": 6}),
    ("hovercrafts", {"ships": (2, 2), "max_turns": 2}),
]

#: What a player was told of a game: its seat, observations, actions and moves.
Told = tuple[int, bytes, list[int], list[tuple[int, int]]]


def chosen(observation: NDArray[Any], mask: NDArray[Any]) -> int:
    """Some legal action, by what is seen."""
    legal = np.flatnonzero(mask)
    return int(legal[observation.astype(int).sum() % len(legal)])


class Witness(Policy):
    """Plays by what it sees, and keeps what it was told, in order.

    It remembers how often it was asked in a game, and what it saw last: both are in its history.
    """

    name = "witness"
    memory = 2

    def __init__(self, needs_history: bool = True) -> None:
        self.needs_history = needs_history
        self.told: list[Told] = []
        self.whole: list[bool] = []
        self.remembered: list[list[float]] = []

    def decide(self, seen: PolicyInput) -> NDArray[Any]:
        self.remembered += seen.memory.tolist()
        assert len(seen.history) == (len(seen) if self.needs_history else 0)
        for at, history in enumerate(seen.history):
            assert history.seat == seen.seats[at]
            assert history.observations.shape[1:] == seen.observations.shape[1:]
            about = (history.observations.tobytes(), history.actions.tolist(), history.moves)
            self.told.append((history.seat, *about))
            self.whole.append(history.whole)
            last = history.observations[-1:].astype(int).sum()
            assert seen.memory[at].tolist() == [len(history.actions), last]
        seen.memory[:, 0] += 1
        seen.memory[:, 1] = seen.observations.sum(axis=1, dtype=int)
        pairs = zip(seen.observations, seen.masks, strict=True)
        return np.array([chosen(*each) for each in pairs])


def recorded(core: GameBatch, decisions: int | None = None) -> list[Told]:
    """What should be told at each decision of a game that keeps no history, played by hand."""
    found: list[Told] = []
    observations: dict[int, list[bytes]] = {}
    moves: list[tuple[int, int, list[int]]] = []
    together, hidden = np.zeros((2, core.variant.game.most_seats), np.bool_)
    sides = np.zeros(len(together), np.int64)
    game = core.rows["game"][0]
    while core.movers[0] != NOBODY and len(found) != decisions and core.rows["game"][0] == game:
        seat, action = int(core.movers[0]), chosen(core.observations[0], core.masks[0])
        before = observations.setdefault(seat, [])
        own = [each for mover, each, _ in moves if mover == seat]
        seen = [
            (mover, -1 if seat in blind and seat != mover else each) for mover, each, blind in moves
        ]
        found.append((seat, b"".join(before), own, seen))
        core.loops.describe_seats(core.states, 0, sides, together, hidden)
        blind = np.flatnonzero(hidden).tolist()
        moves.append((seat, action, blind))
        before.append(core.observations[0].tobytes())
        core.step(np.array([action]))
    return found


def by_hand(game: Any, seed: int) -> GameBatch:
    core = GameBatch(game, 1, autoreset=DISABLED)
    core.reset([seed])
    return core


@pytest.mark.parametrize(("game", "options"), GAMES)
def test_in_a_match_each_seat_is_told_what_it_saw_and_did(
    game: str, options: dict[str, Any]
) -> None:
    """What others decide in secret is hidden, and nothing else. Each remembers for itself."""
    played, who = variant(game, **options), {"one": Witness(), "other": Witness()}
    games = play_games(played, who, [(0, 0), (0, 1)], [5, 6])
    expected = [each for seed in games.seeds for each in recorded(by_hand(played, int(seed)))]
    told = [each for witness in who.values() for each in witness.told]
    assert sorted(told) == sorted(expected)
    assert all(all(witness.whole) for witness in who.values())
    decided = [action for *_, moves in told for _, action in moves]
    assert (HIDDEN in decided) == (game != "hackthegrid")


@pytest.mark.parametrize(("autoreset", "pool"), [("SameStep", 2), ("NextStep", 1)])
def test_opponents_in_a_batch_are_told_of_each_game_from_its_start(
    autoreset: str, pool: int
) -> None:
    witness = Witness()
    opponent: Any = [witness, witness] if pool == 2 else witness
    batch = Batch("hackthegrid", 3, seed=4, seat=0, opponent=opponent, autoreset=autoreset)
    for _ in range(60):
        batch.step([chosen(*each) for each in zip(batch.observation, batch.mask, strict=True)])
    expected = []
    for row in range(3):
        core = GameBatch(batch.variant, 1)  # one game after the other
        core.reset([4 + row])
        for _ in range(40):
            expected += [told for told in recorded(core) if told[0] == 1]
    assert len(witness.told) > 150
    assert [told for told in witness.told if told not in expected] == []
    firsts = [told for told in witness.told if not told[2]]
    assert len(firsts) > 10
    # A game that is over stays as it was.
    batch = Batch("hackthegrid", 8, seed=3, seat=0, opponent=Witness(), autoreset="Disabled")
    while (batch.mover >= 0).any():
        batch.step(batch.mask.argmax(axis=1))
    batch.step(batch.mask.argmax(axis=1))
    lengths = [len(log.entries) for log in batch._core.logs or ()]
    assert lengths == batch._core.rows["final_length"].tolist()
    assert len(set(lengths)) > 1


def test_built_in_players_of_the_pool_are_seen_too() -> None:
    class Counts(Witness):
        def decide(self, seen: PolicyInput) -> NDArray[Any]:
            for history in seen.history:
                record = history.log.record[0]
                assert len(history.moves) == record["decisions"]
                assert record["mover"] == history.seat
            return super().decide(seen)

    witness = Counts()
    options: dict[str, Any] = {"ships": (2, 2), "max_turns": 2, "deployment": "random"}
    pools: dict[str, Any] = {"opponent": [witness, "heuristic"], "ally": ["random", Counts()]}
    batch = Batch("hovercrafts", 4, seed=1, seat=0, **pools, **options)
    for _ in range(20):
        batch.step(batch.choose("random"))
    movers = {mover for *_, moves in witness.told for mover, _ in moves}
    assert movers == {0, 1, 2, 3}


@pytest.mark.parametrize("autoreset", ["SameStep", "NextStep"])
def test_who_plays_and_the_dice_are_the_same_with_a_history(autoreset: str) -> None:
    """It takes another way through the loops, and the course is the same; so are memories."""
    courses = []
    for told in (True, False):
        pool = [Witness(told), Witness(told)]
        batch = Batch("hackthegrid", 5, seed=4, seat="random", opponent=pool, autoreset=autoreset)
        for _ in range(30):
            batch.step(batch.mask.argmax(axis=1))
        remembered = [sorted(each.remembered) for each in pool]
        courses.append((batch._core.states.tobytes(), batch._core.rows.tobytes(), remembered))
        assert (batch._core.logs is None) != told
    assert courses[0] == courses[1]


def env_with(witness: Policy, **options: Any) -> CyberdeckEnv:
    env = CyberdeckEnv("hackthegrid", seat=0, opponent=witness, **options)
    env.reset(seed=3)
    return env


def go_on(env: CyberdeckEnv, steps: int) -> None:
    for _ in range(steps):
        core = env._core
        env.step(chosen(core.observations[0], core.masks[0]))


def expected_of_seat_1(env: CyberdeckEnv) -> list[Told]:
    return [told for told in recorded(by_hand(env._core.variant, 3)) if told[0] == 1]


@pytest.mark.parametrize("how", ["set_state", "resample", "reset to it", "reset", "next"])
def test_of_a_saved_or_redrawn_position_nothing_earlier_is_known(how: str) -> None:
    """With a reset a new history begins."""
    witness = Witness()
    env = env_with(witness)
    go_on(env, 2)
    assert witness.told == expected_of_seat_1(env)[: len(witness.told)]
    saved = env.get_state()
    assert all(witness.whole)
    logs = list(env._core.logs or ())
    with pytest.raises(StateError):
        env.set_state(b"nothing")
    assert env._core.logs == logs
    witness.told.clear()
    witness.whole.clear()
    change: dict[str, Callable[[], object]] = {
        "set_state": lambda: env.set_state(saved),
        "resample": lambda: env.resample(0, seed=1),
        "reset to it": lambda: env.reset(options={"state": saved}),
        "reset": lambda: env.reset(seed=3),
        "next": env.reset,
    }
    change[how]()
    go_on(env, 1)
    assert witness.told[0][2] == []
    assert len(witness.told[0][3]) <= 2
    assert set(witness.whole) == {how in ("reset", "next")}


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_twins_know_the_same_and_then_go_their_own_way(copied: Callable[[Any], Any]) -> None:
    env = env_with(Witness())
    go_on(env, 2)
    twin = copied(env)
    go_on(env, 1)
    known = twin._core.others.opponents[0]
    assert known.told
    known.told.clear()
    go_on(twin, 1)
    assert known.told[0] in expected_of_seat_1(env)
    assert known.told[0][2] != []


def test_a_step_that_fails_is_neither_in_the_history_nor_remembered() -> None:
    class Late(Witness):
        wrong = False

        def decide(self, seen: PolicyInput) -> NDArray[Any]:
            answer = super().decide(seen)
            return np.full(len(seen), 68) if self.wrong else answer

    late = Late()
    batch = Batch("hackthegrid", 20, seed=2, seat="random", opponent=[Witness(), late])
    batch.step(batch.mask.argmax(axis=1))
    late.wrong = True
    before = batch._core.states.tobytes()
    for fails in (
        lambda: batch.step(batch.mask.argmax(axis=1)),
        lambda: batch.reset(seed=5, options={"first": 1}),
    ):
        with pytest.raises(ActionError, match="chose wrongly"):
            fails()
        assert batch._core.states.tobytes() == before
    late.wrong = False
    for _ in range(6):
        batch.step(batch.mask.argmax(axis=1))


def seated(played: Variant, other: Policy, monkeypatch: pytest.MonkeyPatch) -> GameSession:
    """A table at which it plays against seat 0."""
    monkeypatch.setattr("cyberdeck.play.compiled.find_player", lambda *of: other)
    return GameSession(Compiled(played), Setup("0", other.name, other.name), seed=3)


def test_at_a_table_what_was_taken_back_did_not_happen(monkeypatch: pytest.MonkeyPatch) -> None:
    witness = Witness()
    played = variant("hackthegrid")
    session = seated(played, witness, monkeypatch)

    def own_move() -> int:
        list(session.others())
        return chosen(session.position.core.observations[0], session.position.core.masks[0])

    session.decide(own_move())
    list(session.others())
    session.decide(session.choices()[-1].action)
    list(session.others())
    session.undo()
    witness.told.clear()
    for _ in range(3):
        session.decide(own_move())
    list(session.others())
    expected = [told for told in recorded(by_hand(played, 3)) if told[0] == 1]
    assert [told for told in witness.told if told not in expected] == []
    assert len(witness.told[-1][3]) >= 5
    assert all(witness.whole)
    # A game that was kept goes on with all that it was.
    again = GameSession(Compiled(played), Setup("0", "witness", "witness"), seed=3)
    again.play(session.actions)
    assert again.position.core.logs is not None
    assert [entry.action for entry in again.position.core.logs[0].entries] == session.actions


def test_without_a_history_who_needs_one_says_so() -> None:
    batch = Batch("hackthegrid", 1, seed=0)
    with pytest.raises(PolicyError, match="needs the history"):
        batch._core.ask(Witness(), batch._core.all_rows)
    kuhn = variant("kuhn_poker.py")
    with pytest.raises(OptionError, match="cannot be enumerated"):
        PositionSolver(kuhn).table_of(Witness(), 1)
    with_one = Batch("hackthegrid", 1, seed=0, seat=0, opponent=Witness())
    with pytest.raises(OptionError, match="compiled loop"):
        with_one.play("random", 3)


# --- giving up -----------------------------------------------------------------------------------


class Quits(Policy):
    """Gives the game up in its third decision, if it may."""

    name = "quits"
    needs_history = True

    def __init__(self, answer: int, at: int = 2, may: bool = True) -> None:
        self.answer, self.at, self.may_give_up = answer, at, may

    def decide(self, seen: PolicyInput) -> NDArray[Any]:
        assert seen.memory.size == 0
        lowest = seen.masks.argmax(axis=1)
        late = np.array([len(history.actions) >= self.at for history in seen.history])
        return np.where(late, self.answer, lowest)


@pytest.mark.parametrize("illegal", ["raise", "lose"])
def test_who_resigns_forfeits(illegal: str) -> None:
    who: dict[str, Any] = {"q": Quits(RESIGNS), "r": "random"}
    how: dict[str, Any] = {"illegal": illegal, "keep_actions": True}
    games = play_games("hackthegrid", who, [(0, 1), (1, 0)], [1, 1], **how)
    assert games.reasons.tolist() == [FORFEIT, FORFEIT]
    assert games.returns.tolist() == [[-1, 1], [1, -1]]
    assert [actions[-1] for actions in games.actions] == [RESIGNS, RESIGNS]
    assert games.voided == 0


@pytest.mark.parametrize(("game", "options"), GAMES)
def test_a_resigned_game_has_a_replay(game: str, options: dict[str, Any], tmp_path: Path) -> None:
    played = variant(game, **options)
    who: dict[str, Any] = {"q": Quits(RESIGNS, at=1), "r": "random"}
    games = play_games(played, who, [(0, 1)], [1], keep_actions=True)
    games.replay(0).save(tmp_path / "replay.json")
    replay = Replay.load(tmp_path / "replay.json")
    assert replay.result is not None
    assert (replay.result.returns[0], replay.result.reason) == (-1, "illegal_action")
    replay.write_html(tmp_path / "replay.html", "all")
    for seat in (None, 0, 1):
        moves = [each for each in replay.story(seat) if isinstance(each, Move)]
        assert [each.words for each in moves].index("resigns") == len(moves) - 1


def test_a_team_resigns_together() -> None:
    options: dict[str, Any] = {"ships": (2, 2), "max_turns": 3, "deployment": "random"}
    who: dict[str, Any] = {"q": Quits(RESIGNS), "r": "random"}
    games = play_games("hovercrafts", who, [(1, 0)], [1], **options)
    assert games.returns.tolist() == [[1, -1]]
    batch = Batch("hovercrafts", 1, seed=1, seat=0, ally=Quits(RESIGNS), **options)
    while not batch.terminated[0]:
        batch.step(batch.choose("random"))
    assert batch.reason[0] == FORFEIT
    assert batch.reward[0].tolist() == [-1, -1, 1, 1]


@pytest.mark.parametrize(("answer", "illegal"), [(RESIGNS, "raise"), (VOID, "lose")])
def test_who_may_not_give_up_has_chosen_wrongly(answer: int, illegal: str) -> None:
    who: dict[str, Any] = {"q": Quits(answer, may=False), "r": "random"}
    with pytest.raises(ActionError, match=f"action {answer}"):
        play_games("hackthegrid", who, [(0, 1)], [1], illegal=illegal)
    env = env_with(Quits(answer, may=False), illegal=illegal)
    with pytest.raises(ActionError, match=f"action {answer}"):
        go_on(env, 9)


class Fails(Quits):
    """Its machine fails in games of some deals."""

    def decide(self, seen: PolicyInput) -> NDArray[Any]:
        answer = super().decide(seen)
        return np.where(seen.observations.sum(axis=1) % 2 == 1, answer, seen.masks.argmax(axis=1))


def test_games_in_which_a_machine_failed_do_not_count(tmp_path: Path) -> None:
    who: dict[str, Any] = {"f": Fails(VOID), "r": "random"}
    deals = list(range(30))
    games = play_games("hackthegrid", who, [(0, 1)] * 30, deals, keep_actions=True)
    assert 0 < games.voided < 30
    assert len(games) + games.voided == 30
    assert FORFEIT not in games.reasons
    assert len(games.actions) == len(games.returns) == len(games)
    one = play_games("hackthegrid", who, [(0, 1)], [int(games.deals[0])], keep_actions=True)
    assert one.actions[0].tolist() == games.actions[0].tolist()
    for result in (
        evaluate("hackthegrid", Fails(VOID), ["random"], deals=15),
        tournament("hackthegrid", [Fails(VOID), "random"], deals=15),
    ):
        voided = result.games.voided
        assert f"{voided} games were voided and do not count: a player's" in result.table()
        assert f"{voided} games were voided and do not count" in result._repr_html_()
        result.save_json(tmp_path / "result.json")
        assert f'"voided": {voided}' in (tmp_path / "result.json").read_text()
    assert "voided" not in evaluate("hackthegrid", "random", ["random"], deals=2).table()
    no_game = tournament("hackthegrid", [Quits(VOID, at=0), "random"], deals=2)
    assert (len(no_game.games), no_game.games.voided) == (0, 4)
    assert "4 games were voided" in no_game.table()


def test_a_machine_that_fails_stops_an_env_and_nothing_is_applied() -> None:
    quits = Quits(VOID, at=9)
    env = env_with(quits)
    go_on(env, 1)
    saved, quits.at = env.get_state(), 0
    with pytest.raises(PolicyError, match="its machine has failed"):
        go_on(env, 1)
    assert env.get_state() == saved


def test_an_opponent_that_resigns_loses_an_env_if_the_learner_has_decided() -> None:
    env, over = env_with(Quits(RESIGNS)), False
    while not over:
        core = env._core
        _, reward, over, _, info = env.step(chosen(core.observations[0], core.masks[0]))
    assert reward == 1
    assert info["reason"] == FORFEIT
    env = CyberdeckEnv("hackthegrid", seat=0, opponent=Quits(RESIGNS, at=0))
    with pytest.raises(PolicyError, match="before the learner has decided"):
        env.reset(seed=3, options={"first": 1})


@pytest.mark.parametrize(
    ("game", "options", "at"),
    [("hackthegrid", {}, 2), ("hovercrafts", {"ships": (1, 1), "deployment": "random"}, 0)],
)
def test_at_a_table_who_resigns_has_lost(
    game: str, options: dict[str, Any], at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it would have decided in secret."""
    session = seated(variant(game, **options), Quits(RESIGNS, at), monkeypatch)
    play_out(session)
    assert "resigns" in [news.words for news in session.news]
    saved = json.loads(session.finished().file("json")["text"])
    assert saved["result"] == {"returns": [1, -1], "reason": "illegal_action"}


def test_at_a_table_a_machine_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The game waits for it, and can go on."""
    quits = Quits(VOID)
    session = seated(variant("hackthegrid"), quits, monkeypatch)
    with pytest.raises(PolicyError, match="machine has failed"):
        play_out(session)
    assert session.waiting
    quits.answer = RESIGNS
    play_out(session)
    assert session.ending().headline.startswith("You win")


def play_out(session: GameSession) -> None:
    while session.mover != NOBODY:
        list(session.others())
        if session.mover != NOBODY:
            session.decide(session.choices()[0].action)


# --- notes ---------------------------------------------------------------------------------------


class Scribbles(Policy):
    """Notes which action it takes, except the first."""

    name = "scribbles"

    def decide(self, seen: PolicyInput) -> NDArray[Any]:
        assert seen.notes == [None] * len(seen)
        actions = seen.masks.argmax(axis=1)
        for at, action in enumerate(actions.tolist()):
            if action:
                seen.notes[at] = {"took": action}
        return actions


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_match_keeps_notes_beside_the_decisions(processes: int) -> None:
    who: dict[str, Any] = {"s": Scribbles(), "h": "heuristic"}
    lineups, deals = [(0, 1), (1, 0), (1, 1)] * 14, [each // 3 for each in range(42)]
    how: dict[str, Any] = {"keep_actions": True, "processes": processes}
    games = play_games("hackthegrid", who, lineups, deals, **how)
    assert len(games.notes) == len(games) == 42
    for at, lineup in enumerate(lineups):
        core, expected = by_hand(games.variant, int(games.seeds[at])), []
        for action in games.actions[at].tolist():
            scribbled = lineup[int(core.movers[0])] == 0 and action
            expected.append({"took": action} if scribbled else None)
            core.step(np.array([action]))
        assert games.notes[at] == (expected if any(expected) else [])
    assert play_games("hackthegrid", who, [(0, 1)], [0]).notes == []
