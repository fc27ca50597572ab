"""Games in words for all seats and for one: answers, retries, giving up, void games, and infos."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import cyberdeck
from cyberdeck import Batch, TextEnv, TextGame
from cyberdeck.engine.constants import RESIGNS
from cyberdeck.engine.policy import VOID, Policy, PolicyInput
from cyberdeck.errors import EpisodeError, OptionError
from cyberdeck.replay import Replay
from cyberdeck.text.answers import judged
from tests.text.playing import KINDS, legal, move, of_kind, played, rounds

TEAMS: dict[str, Any] = {"ships": (2, 2), "max_turns": 4}


class First(Policy):
    """Takes the first legal action, and notes for whom."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.seats: set[int] = set()

    def decide(self, seen: PolicyInput) -> Any:
        self.seats |= {*seen.seats.tolist()}
        return seen.masks.argmax(axis=1)


class Answers(Policy):
    """Answers the same at once, whatever is asked."""

    may_give_up = True

    def __init__(self, answer: int) -> None:
        self.name, self.answer = "the machine", answer

    def decide(self, seen: PolicyInput) -> Any:
        return np.full(len(seen), self.answer)


def begun(name: str = "hackthegrid", seed: int = 0, **how: Any) -> tuple[TextGame, int]:
    """A new game, and who owes the first answer."""
    game = TextGame(name, **how)
    game.reset(seed)
    return game, game.deciding[0]


@pytest.mark.parametrize("name", KINDS)
def test_legal_are_the_moves_of_each_seat_that_owes_an_answer(name: str) -> None:
    game = TextGame(of_kind(name))
    game.reset(5)
    for chosen in rounds(game, random.Random(5)):
        for seat, _ in chosen:
            named = game.legal(seat)
            assert [*named] == legal(game, seat)
            for action in [*named][:2]:
                assert game.clone().answer(seat, move(named[action])).answer.action == action


# --- answers that are no moves --------------------------------------------------------------------


def test_each_kind_of_bad_answer_has_its_own_retries() -> None:
    retries = {"illegal": 1, "unparsable": 2, "cut_off": 3}
    said = {"illegal": ('{"move": "R9"}', False), "unparsable": ("R1", False)}
    said["cut_off"] = (move("R1"), True)
    for kind, tries in retries.items():
        game, seat = begun(retries=retries)
        for others in retries:  # those of the other kinds are not used up
            if others != kind:
                text, cut_off = said[others]
                assert game.answer(seat, text, cut_off=cut_off).reply
        for left in range(tries, -1, -1):
            text, cut_off = said[kind]
            verdict = game.answer(seat, text, cut_off=cut_off)
            assert verdict.kind == kind
            assert verdict.gives_up == (left == 0)
            assert (f"You have {left} tr" in verdict.reply) == (left > 0)
        assert game.gave_up == (seat,)
        assert game.answers(seat) == {
            "move": 0,
            **{each: 1 + (each == kind) * tries for each in retries},
        }


def test_the_tries_are_counted_anew_in_each_decision() -> None:
    game, _ = begun(retries=1)
    for chosen in rounds(game, random.Random(0)):
        for seat, _ in chosen:
            assert game.answer(seat, "hm").reply
            assert game.answer(seat, '{"move": "R9"}').reply
    assert not game.gave_up
    assert game.answers(0)["unparsable"] == game.answers(0)["move"] > 1


def test_an_illegal_move_is_quoted_and_nothing_beside_it() -> None:
    game, seat = begun()
    reply = game.answer(seat, 'Listen, friend: {"move": "R9", "why": "it is mine"} Ha!').reply
    assert "'R9'" in reply
    assert not any(word in reply for word in ("friend", "mine", "Ha!"))
    assert '{"move": "' in reply  # the form
    for long in ('"' + "x" * 5000 + '"', "9" * 4000):
        game, seat = begun()
        assert len(game.answer(seat, f'{{"move": {long}}}').reply) < 1000


def test_of_an_answer_that_cannot_be_read_the_end_is_quoted() -> None:
    game, seat = begun(retries=5)
    assert "just words" in game.answer(seat, "just words").reply
    reply = game.answer(seat, "A" * 700 + "B" * 500).reply
    assert "B" * 500 in reply
    assert "A" not in reply.replace("Answer", "").partition("B")[0][-10:]
    assert len(game.answer(seat, "y" * 10_000_000).reply) < 1000


def test_an_answer_that_was_cut_off_is_told_so_and_not_quoted() -> None:
    game, seat = begun()
    reply = game.answer(seat, "thinking and thinking", cut_off=True).reply
    assert "cut off" in reply
    assert "thinking" not in reply


@pytest.mark.parametrize("retries", [-1, 1.5, True, "2", {"illegal": 1}, {"wrong": 1}, None])
def test_impossible_retries_are_an_error(retries: Any) -> None:
    with pytest.raises(OptionError, match="retries="):
        TextGame("hackthegrid", retries=retries)


# --- giving up, and void games --------------------------------------------------------------------


@pytest.mark.parametrize("seat", range(4))
def test_the_whole_team_of_one_who_gives_up_loses(seat: int) -> None:
    game, _ = begun("hovercrafts", retries=0, **TEAMS)
    while seat not in game.deciding or len(game.deciding) == 1:
        mover = game.deciding[0]
        game.answer(mover, move(legal(game, mover)[0]))
    assert game.answer(seat, "I resign").gives_up
    for other in list(game.deciding):
        assert not game.over
        game.answer(other, move(legal(game, other)[0]))
    sides = game.variant.sides
    assert game.over
    assert game.gave_up == (seat,)
    assert game.returns == tuple(-1.0 if side == sides[seat] else 1.0 for side in sides)
    assert [game.gained(each) for each in range(4)] == list(game.returns)
    assert "gives up" in game.transcript()[-1]


@pytest.mark.parametrize("name", ["stacktrices", "hovercrafts"])
def test_a_game_that_is_void_has_no_result(name: str) -> None:
    game, seat = begun(name)
    game.answer(seat, move(legal(game, seat)[0]))
    game.void("the power is out")
    assert (game.over, game.deciding, game.reason) == (True, (), "")
    assert game.returns == (0.0,) * game.variant.seats
    assert "the power is out" in game.ending(0).words
    with pytest.raises(EpisodeError):
        game.prompt(seat)
    game.reset(seed=0)
    assert not game.voided
    assert played(game, 0).returns != ()


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"move": "R1"}\n```\nNo, better: {"move": "R2"}',
        '```board``` {"move": "R1"}\n```json\n{"move": "R2"}\n```',
        '{"move": "R1"} ```{"move": "R2"}```',
    ],
)
def test_the_last_move_counts_in_a_fence_or_not(text: str) -> None:
    assert judged(text, {0: "R1", 1: "R2"}).action == 1


def test_a_player_whose_machine_fails_makes_the_episode_void() -> None:
    env = TextEnv("hackthegrid", seat=0, opponent=Answers(VOID))
    with pytest.raises(EpisodeError, match="does not count: the machine of the machine has failed"):
        env.reset(seed=begun_by(1))
    env.reset(seed=begun_by(0))
    said, reward, terminated, truncated, info = env.step(move(legal(env.game, 0)[0]))
    assert "does not count" in said
    assert (reward, terminated, truncated) == (0, False, True)
    assert info["voided"] == "the machine of the machine has failed"
    assert not info["gave_up"]


def test_a_player_who_gives_up_loses() -> None:
    env = TextEnv("hackthegrid", seat=0, opponent=Answers(RESIGNS))
    env.reset(seed=begun_by(0))
    _, reward, terminated, truncated, info = env.step(move(legal(env.game, 0)[0]))
    assert (reward, terminated, truncated) == (1, True, False)
    assert not info["voided"]
    assert not info["gave_up"]  # the learner has not


def test_who_give_up_together_keep_what_they_got_before() -> None:
    game = TextGame("hovercrafts", retries=0, reward="damage")
    batch, played, total = Batch(game.variant, 1, seed=0), list[int](), np.zeros(2)
    while not total.any() or batch.core.states["mover"][0] != 0:  # a ship was hit, a turn begins
        played += batch.choose("heuristic").tolist()
        batch.step(played[-1:])
        total += batch.reward[0]
        assert not batch.terminated[0]
    game.reset(0, played=played)
    assert game.deciding == (0, 1)
    assert [game.gained(seat) for seat in range(2)] == pytest.approx(total)
    for seat in range(2):
        game.answer(seat, "I resign")
    assert {*game.gave_up} == {0, 1}
    assert game.returns == pytest.approx(tuple(total - 1))
    assert [game.gained(seat) for seat in range(2)] == [-1, -1]


def test_after_an_error_of_another_player_the_game_goes_on_from_there() -> None:
    class Busy(First):
        fails = True

        def decide(self, seen: PolicyInput) -> Any:
            if self.fails:
                raise OptionError("busy")
            return super().decide(seen)

    busy = Busy("busy")
    env = TextEnv("hackthegrid", seat=0, opponent=busy)
    env.reset(seed=begun_by(0))
    with pytest.raises(OptionError, match="busy"):
        env.step(move(legal(env.game, 0)[0]))
    with pytest.raises(OptionError, match="busy"):
        env.step(move("R1"))
    busy.fails = False
    assert env.game.deciding == (0,)
    assert len(env.game.actions) >= 2
    *_, info = env.step(move(legal(env.game, 0)[0]))
    assert info["answer"] == "move"


def test_what_is_refused_at_the_beginning_changes_nothing() -> None:
    env = TextEnv("hackthegrid")
    seats = {}
    for seed in range(20):
        env.reset(seed=seed)
        seats[env.own] = seed
    (own, seed), (_, other) = seats.items()
    prompt, _ = env.reset(seed=seed)
    with pytest.raises(OptionError, match="nothing"):
        env.reset(seed=other, options={"nothing": 1})
    assert env.own == own
    assert env.game.prompt(env.game.deciding[0]) == prompt
    assert {*env.game._players} == {1 - own[0]}


def test_each_team_is_the_learner_s_as_often() -> None:
    env, counts = TextEnv("hovercrafts", seat="team", ships=(2, 1), max_turns=2), [0, 0]
    for seed in range(60):
        env.reset(seed=seed)
        counts[env.variant.sides[env.own[0]]] += 1
    assert min(counts) > 20


def test_before_the_first_game_there_is_none() -> None:
    game = TextGame("hackthegrid")
    assert (game.deciding, game.gave_up, game.answers(0)) == ((), (), {})
    with pytest.raises(EpisodeError, match="no game"):
        _ = game.returns


def begun_by(seat: int) -> int:
    """The seed of a game that this seat begins."""
    return next(seed for seed in range(99) if begun(seed=seed)[1] == seat)


# --- one learner ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
def test_infos_have_the_same_keys_at_every_step(name: str) -> None:
    env, luck = TextEnv(of_kind(name), retries=1), random.Random(0)
    _, info = env.reset(seed=0)
    keys = {"seat", "answer", "move", "gave_up", "reason", "voided"}
    assert info.keys() == keys
    assert (info["answer"], info["move"], info["reason"]) == ("", "", "")
    over = False
    while not over:
        said = luck.choice(["what?", move(luck.choice(legal(env.game, env.game.deciding[0])))])
        _, _, terminated, truncated, info = env.step(said)
        assert info.keys() == keys
        assert info["seat"] in env.variant.agents
        assert info["answer"] == ("unparsable" if said == "what?" else "move")
        over = terminated or truncated
        assert bool(info["reason"]) == over
    with pytest.raises(EpisodeError):
        env.step("more")


def test_a_learner_who_gives_up_loses_and_is_told() -> None:
    env = TextEnv("stacktrices", seat=1, retries=0)
    env.reset(seed=0)
    said, reward, terminated, truncated, info = env.step("no")
    assert said.startswith("The game is over. ")
    assert (reward, terminated, truncated) == (-1, True, False)
    assert info["gave_up"]
    assert info["reason"]


def test_a_team_s_seats_are_all_the_learner_s() -> None:
    opponent = First("opponent")
    env = TextEnv("hovercrafts", seat="team", opponent=opponent, **TEAMS)
    for seed in range(8):
        _, info = env.reset(seed=seed)
        own = {env.variant.agents[seat] for seat in env.own}
        seats, over = {info["seat"]}, False
        while not over:
            possible = legal(env.game, env.game.deciding[0])
            _, _, terminated, truncated, info = env.step(move(possible[0]))
            seats.add(info["seat"])
            over = terminated or truncated
        assert seats == own
        assert {env.variant.sides[seat] for seat in env.own} == {env.variant.sides[env.own[0]]}
        assert len(own) == 2
        assert not opponent.seats & {*env.own}
        opponent.seats.clear()


def test_allies_play_on_the_learner_s_side_and_opponents_on_the_other() -> None:
    ally, enemy = First("ally"), First("enemy")
    env = TextEnv("hovercrafts", seat=0, ally=ally, opponent=enemy, **TEAMS)
    prompt, _ = env.reset(seed=0)
    while env.game.deciding:
        assert env.game.deciding == (0,)
        env.step(move(legal(env.game, 0)[0]))
    sides = env.variant.sides
    assert ally.seats == {seat for seat in range(1, 4) if sides[seat] == sides[0]}
    assert enemy.seats == {seat for seat in range(4) if sides[seat] != sides[0]}
    assert "on one side with" in prompt


def test_opponents_are_drawn_from_a_pool_for_each_game() -> None:
    pool = [First("one"), First("other")]
    env = TextEnv("hackthegrid", seat="random", opponent=pool)
    met, seats = [], set()
    for seed in range(24):
        env.reset(seed=seed)
        seats.add(env.own)
        env.step(move(legal(env.game, env.own[0])[0]))
        met.append([each.name for each in pool if each.seats])
        for each in pool:
            each.seats.clear()
    assert {*map(tuple, met)} == {("one",), ("other",)}
    assert seats == {(0,), (1,)}


@pytest.mark.parametrize("name", ["hackthegrid", "stacktrices", "hovercrafts"])
def test_a_game_goes_on_from_a_saved_position(name: str) -> None:
    batch = cyberdeck.Batch(name, 1, seed=4)
    batch.play("random", 9)
    saved = batch.get_state(0)
    seat = int(batch.mover[0])
    env = TextEnv(name, seat=seat, opponent="heuristic")
    prompts = [env.reset(seed=1, options={"state": saved})[0] for _ in range(2)]
    assert prompts[0] == prompts[1]
    assert "what was done before that is not known" in prompts[0]
    assert "nothing yet" not in prompts[0]
    assert legal(env.game, seat) == np.flatnonzero(batch.look(0, seat)[1]).tolist()
    assert len(env.step(move(legal(env.game, seat)[-1]))) == 5
    assert "what was done before" not in TextEnv(name).reset(seed=1)[0]
    with pytest.raises(OptionError, match="cannot start from"):
        env.reset(options={"nothing": 1})


@pytest.mark.parametrize("name", KINDS)
def test_a_clone_goes_its_own_way(name: str) -> None:
    env = TextEnv(of_kind(name))
    env.reset(seed=2)
    env.step("no move")
    twin = env.clone()
    possible = legal(env.game, env.game.deciding[0])
    once = env.step(move(possible[0]))
    transcript = env.game.transcript(env.own[0])
    assert twin.game.actions != env.game.actions
    assert twin.step(move(possible[0])) == once
    assert twin.game.transcript(twin.own[0]) == transcript
    assert twin.reset() == env.reset()


def test_nothing_is_asked_of_who_owes_no_answer() -> None:
    game, seat = begun()
    with pytest.raises(EpisodeError, match="owes no answer"):
        game.prompt(1 - seat)
    with pytest.raises(EpisodeError, match="owes no answer"):
        game.answer(1 - seat, move("R1"))
    with pytest.raises(EpisodeError, match="reset"):
        TextEnv("hackthegrid").step("R1")
    with pytest.raises(OptionError, match="an answer is a text"):
        game.answer(seat, b"R1")  # type: ignore[arg-type]
    with pytest.raises(EpisodeError, match="not over"):
        _ = game.returns


def test_a_player_of_the_suite_that_resigns_has_given_up_and_a_replay_tells_it() -> None:
    class Quits(Policy):
        may_give_up = True

        def decide(self, seen: PolicyInput) -> NDArray[Any]:
            return np.full(len(seen), RESIGNS)

    env = TextEnv("hackthegrid", seat="row", opponent=Quits())
    env.reset(seed=0)  # row begins
    *_, terminated, truncated, info = env.step('{"move": "R1"}')
    assert (terminated, truncated, info["gave_up"]) == (True, False, False)
    game = env.game
    assert (game.gave_up, game.returns) == ((0,), (-1.0, 1.0))
    assert Replay(game.variant, game.seed, game.actions).played().returns == (-1.0, 1.0)


def test_a_game_that_a_speaker_gives_up_can_be_replayed() -> None:
    game = TextGame("stacktrices", retries=0)
    game.reset(seed=1)
    loser = game.deciding[0]
    game.answer(loser, "I give up.")
    assert game.actions == [RESIGNS]
    assert Replay(game.variant, game.seed, game.actions).played().returns == game.returns
