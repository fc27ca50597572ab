"""Games in words for all seats and for one: prompts, answers, retries, giving up, void games."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest

import cyberdeck
from cyberdeck import Batch, TextEnv, TextGame, showing
from cyberdeck.engine.constants import RESIGNS, VOID
from cyberdeck.errors import EpisodeError, OptionError
from cyberdeck.replay import Replay
from cyberdeck.text.answers import judged
from cyberdeck.text.prompts import FORMS, MOST_TOLD, Transcript
from cyberdeck.views.words import consequences
from tests.text.playing import KINDS, First, Machine, legal, move, of_kind, played, rounds

TEAMS: dict[str, Any] = {"ships": (2, 2), "max_turns": 4}
AT_ONCE = ["hovercrafts", "goofspiel"]
UNSEEN = "I hold the king, so I bluff"
#: What a prompt that shows a record or an observation would hold.
VECTOR = re.compile(r"(-?\d+(\.\d*)?\s*,\s*){8}|(-?\d+(\.\d*)? +){12}|array\(|dtype|\d\.0\b")


def begun(name: str = "hackthegrid", seed: int = 0, **how: Any) -> tuple[TextGame, int]:
    """A new game, and who owes the first answer."""
    game = TextGame(name, **how)
    game.reset(seed)
    return game, game.deciding[0]


#: The seeds of games that column and row begin.
BEGUN_BY = [next(seed for seed in range(99) if begun(seed=seed)[1] == seat) for seat in (0, 1)]


# --- prompts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("brief", [False, True])
@pytest.mark.parametrize("name", KINDS)
def test_a_prompt_lists_what_is_legal_and_repeats_nobody_s_words(name: str, brief: bool) -> None:
    game = TextGame(of_kind(name), list_moves=True, brief=brief)
    game.reset(seed=1)
    luck = random.Random(1)
    for chosen in rounds(game, luck):
        for seat, action in chosen:
            prompt, named = game.prompt(seat), game.legal(seat)
            assert [*named] == legal(game, seat)
            assert f"\n\nYOUR LEGAL MOVES\n{', '.join(named.values())}\n\n" in prompt
            assert not VECTOR.search(prompt)
            assert UNSEEN not in prompt
            wrong = luck.choice([UNSEEN, move(UNSEEN), f'{{"move": ["{UNSEEN}"]}}'])
            assert game.answer(seat, wrong).reply
            verdict = game.answer(seat, f"{UNSEEN}: {move(luck.choice([action, named[action]]))}")
            assert verdict.answer == ("move", action, named[action])
        for seat in (None, *range(game.variant.seats)):
            assert UNSEEN not in "".join(game.transcript(seat))
    # Each decision has tries of its own.
    for answers in map(game.answers, range(game.variant.seats)):
        assert answers["move"] == answers["illegal"] + answers["unparsable"] > 0


@pytest.mark.parametrize("name", KINDS)
def test_a_prompt_for_a_tool_is_the_same_but_for_the_form(name: str) -> None:
    prompts: dict[str, list[tuple[int, str]]] = {"tool": [], "json": []}
    for form, told in prompts.items():
        played(TextGame(of_kind(name), form=form), 0, told)
    asks = '\n\nCall the tool "move" with your move, in this form: '
    for (seat, prompt), (same, spoken) in zip(*prompts.values(), strict=True):
        before, _, example = prompt.partition(asks)
        assert (seat, before) == (same, spoken.rpartition("\n\n")[0])
        assert f'{{"move": "{example}"}}' in spoken


@pytest.mark.parametrize("brief", [False, True])
def test_prompts_of_a_long_game_are_bounded_and_keep_the_rules(brief: bool) -> None:
    game = TextGame("stacktrices", steal_on_attack=True, stacked_movement=True, brief=brief)
    game.reset(seed=1)
    rules = showing.how_to_play(game.variant)
    first: dict[int, str] = {}
    lengths, done = [], 0
    for chosen in rounds(game, random.Random(1)):
        for seat, _ in chosen:
            prompt = game.prompt(seat)
            fresh = first.setdefault(seat, prompt) is prompt
            lengths.append(len(prompt))
            assert prompt.endswith(FORMS["json"].rpartition("}}")[2])
            name = showing.seat_name(game.variant, game.core.states, seat)
            opening = f"You play Stacktrices. You are {name}; against you: "
            assert prompt.startswith(opening) == (fresh or not brief)
            assert (f"THE RULES\n{rules}\n\nHOW MOVES ARE" in prompt) == (fresh or not brief)
            told = prompt.partition("SO FAR\n")[2].partition("\n\nTHE GAME NOW")[0]
            assert len(told) <= MOST_TOLD + 100
            last = game.transcript(seat)[-1:]
            assert brief or not last or last[0] in told
        done += len(chosen)
        if done >= 300:
            break
    assert done >= 300
    assert len("\n".join(game.transcript(0))) > MOST_TOLD
    assert max(lengths) < max(map(len, first.values())) + MOST_TOLD + 2000


def test_what_a_decision_brings_about_stands_behind_it_at_once() -> None:
    batch = Batch("matrix_overload", 1, seed=1, history=True)
    told, luck, brought = Transcript(batch.variant), np.random.default_rng(0), 0
    for _ in range(30):
        before = batch._core.states.copy()
        batch.step(luck.choice(np.flatnonzero(batch.mask[0]), 1))
        told.follow(batch._core.logs[0])
        events = consequences(showing.scene(batch.variant, batch._core.states, (0,), before).events)
        assert re.findall(r"\[(.*?)\]", told.lines(0)[-1]) == [each.line for each in events]
        brought += len(events)
    assert brought > 1


# --- answers --------------------------------------------------------------------------------------

LEGAL = {0: "R1", 1: "R2", 7: "stand"}

#: What may be said where LEGAL is: its kind, and the action.
ANSWERS: dict[str, tuple[str, int | None]] = {
    '{"move": "r2"}': ("move", 1),
    '{"move": 7}': ("move", 7),
    '{"move": 7.0}': ("move", 7),
    'I take R1. { \n"move": "R2"} So be it.': ("move", 1),
    '{"move": "R1"} ```{"move": "R2"}```': ("move", 1),
    '{"move": "R2", "next": {"move": "R1"}}': ("move", 1),
    '{"move": "R2"} {"why": "it is mine"}': ("move", 1),
    '{"a": ' * 70 + '{"move": "R2"}': ("move", 1),
    '{"move": "7"}': ("move", 7),
    '[{"move": "R2"}]': ("move", 1),
    '{"answer": {"move": "R2"}}': ("move", 1),
    '{"name": "move", "arguments": [{"move": "R2"}]} {"done": true}': ("move", 1),
    '{"move": {"move": "R2"}}': ("move", 1),
    '{"move": {"place": "R2"}}': ("unparsable", None),
    '{"move": "2"}': ("illegal", None),
    '{"move": "R2"}' + '{"a": ' * 70: ("unparsable", None),
    '{"move": "R2"}' + " " * 100_000: ("unparsable", None),
    "My move is R2, that is action 1.": ("unparsable", None),
    '{"Move": "R2"}': ("unparsable", None),
    '{"move": true}': ("unparsable", None),
    '{"move": " "}': ("unparsable", None),
    '{"move": 1.5}': ("unparsable", None),
    '{"move": "R2"': ("unparsable", None),
    'It is not {"move": "R2"} but {"move": null}': ("unparsable", None),
    '{"move": "I take R2"}': ("illegal", None),
    '{"move": "R22"}': ("illegal", None),
    '{"move": 2}': ("illegal", None),
}


@pytest.mark.parametrize("text", ANSWERS)
def test_the_last_object_with_a_move_counts_and_nothing_else(text: str) -> None:
    answer = judged(text, LEGAL)
    assert (answer.kind, answer.action) == ANSWERS[text]
    assert answer.said == LEGAL.get(answer.action or 0, "") or answer.kind != "move"
    assert judged(text, LEGAL, cut_off=True) == ("cut_off", None, "")


def test_each_kind_of_bad_answer_has_its_own_retries_and_no_try_left_loses() -> None:
    retries = {"illegal": 1, "unparsable": 2, "cut_off": 3}
    said = {"illegal": ('{"move": "R9"}', False), "unparsable": ("R1", False)}
    said["cut_off"] = (move("R1"), True)
    goals = {"illegal": "name a legal move", "unparsable": "answer in this form"}
    goals["cut_off"] = "answer more briefly"
    for kind, tries in retries.items():
        game, seat = begun(retries=retries)
        for other in retries:  # those of the other kinds are not used up
            if other != kind:
                text, cut_off = said[other]
                assert game.answer(seat, text, cut_off=cut_off).reply
        for left in range(tries, -1, -1):
            assert not game.over
            text, cut_off = said[kind]
            verdict = game.answer(seat, text, cut_off=cut_off)
            assert verdict.kind == kind
            assert verdict.gives_up == (left == 0)
            tries_left = "1 try" if left == 1 else f"{left} tries"
            told = f"\n\nYou have {tries_left} left to {goals[kind]}; after the last you lose.\n"
            assert (told in verdict.reply) == (left > 0)
        assert (game.over, game.gave_up, game.actions) == (True, (seat,), [RESIGNS])
        assert (game.returns[seat], game.returns[1 - seat]) == (-1, 1)
        counted = {each: 1 + (each == kind) * tries for each in retries}
        assert game.answers(seat) == {"move": 0, **counted}
        assert Replay(game.variant, game.seed, game.actions).played().returns == game.returns


def test_of_a_wrong_answer_no_more_is_quoted_than_is_needed() -> None:
    game, seat = begun(retries=9)
    reply = game.answer(seat, 'Listen, friend: {"move": "R9", "why": "it is mine"} Ha!').reply
    assert reply.startswith("'R9' cannot be read as a move. Moves are written like R")
    assert not any(word in reply for word in ("friend", "mine", "Ha!"))
    assert reply.endswith(game.prompt(seat).rpartition("\n\n")[2])  # the form
    for long in ('"' + "x" * 5000 + '"', "9" * 4000):
        assert len(game.answer(seat, f'{{"move": {long}}}').reply) < 1000
    needed = "Your answer has no move in the form that is needed"
    assert game.answer(seat, "just words").reply.startswith(f"{needed}:\njust words\n\n")
    reply = game.answer(seat, "A" * 700 + "B" * 500).reply
    assert reply.startswith(f"{needed}. It ends:\n{'B' * 500}\n\n")
    assert len(game.answer(seat, "y" * 10_000_000).reply) < 1000
    reply = game.answer(seat, "thinking and thinking", cut_off=True).reply
    assert reply.startswith("Your answer was cut off before its end")
    assert "thinking" not in reply


def test_nothing_is_asked_of_who_owes_no_answer() -> None:
    game = TextGame("hackthegrid")
    assert (game.deciding, game.gave_up, game.answers(0)) == ((), (), {})
    with pytest.raises(EpisodeError, match="no game"):
        _ = game.returns
    game, seat = begun()
    with pytest.raises(EpisodeError, match="owes no answer"):
        game.prompt(1 - seat)
    with pytest.raises(EpisodeError, match=f"owes no answer now: {game.variant.agents[seat]} does"):
        game.answer(1 - seat, move("R1"))
    with pytest.raises(EpisodeError, match="reset"):
        TextEnv("hackthegrid").step("R1")
    with pytest.raises(OptionError, match="an answer is a text"):
        game.answer(seat, b"R1")  # type: ignore[arg-type]
    with pytest.raises(EpisodeError, match="not over"):
        _ = game.returns
    with pytest.raises(cyberdeck.ActionError):
        game.reset(0, played=[77])


# --- deciding at the same time --------------------------------------------------------------------


@pytest.mark.parametrize("name", AT_ONCE)
def test_those_who_decide_at_once_may_be_asked_in_any_order(name: str) -> None:
    chosen = of_kind(name)
    games = [TextGame(chosen, list_moves=True) for _ in range(3)]
    for game in games:
        game.reset(1)
    at_once, first, luck = 0, games[0], random.Random(1)
    while not first.over:
        seats = list(first.deciding)
        at_once += len(seats) > 1
        actions = {seat: luck.choice(legal(first, seat)) for seat in seats}
        told: list[dict[int, str]] = []
        orders = (seats, seats[::-1], luck.sample(seats, len(seats)))
        for game, order in zip(games, orders, strict=True):
            # One asks all first, the others each when the one before has answered.
            prompts = {seat: game.prompt(seat) for seat in seats} if game is first else {}
            before = [game.transcript(each) for each in range(chosen.seats)]
            for seat in order:
                assert before == [game.transcript(each) for each in range(chosen.seats)]
                prompts[seat] = game.prompt(seat)
                game.answer(seat, move(actions[seat]))
            told.append(prompts)
        assert told[0] == told[1] == told[2]
        assert first.actions == games[1].actions == games[2].actions
    assert at_once > 2
    assert first.returns == games[1].returns == games[2].returns


# --- giving up, and void games --------------------------------------------------------------------


@pytest.mark.parametrize("name", AT_ONCE)
@pytest.mark.parametrize("guilty", [[0], [1], [0, 1]])
def test_who_gives_up_loses_with_its_side_and_so_may_both(name: str, guilty: list[int]) -> None:
    game = TextGame(of_kind(name), retries=0)
    game.reset(seed=2)
    while len(game.deciding) < game.variant.seats:
        game.answer(game.deciding[0], move(legal(game, game.deciding[0])[0]))
    sides = game.variant.sides
    quits = [sides.index(side) for side in guilty]  # one of each team
    for seat in game.deciding:
        assert not game.over
        said = "no idea" if seat in quits else move(legal(game, seat)[0])
        assert game.answer(seat, said).gives_up == (seat in quits)
    assert game.over
    assert {*game.gave_up} == {*quits}
    assert game.returns == tuple(-1.0 if side in guilty else 1.0 for side in sides)
    assert [game.gained(seat) for seat in range(len(sides))] == list(game.returns)
    assert "gives up" in game.transcript()[-1]


def test_who_give_up_together_keep_what_they_got_before() -> None:
    game = TextGame("hovercrafts", retries=0, reward="damage")
    batch, done, total = Batch(game.variant, 1, seed=0), list[int](), np.zeros(2)
    while not total.any() or batch._core.states["mover"][0] != 0:  # a ship was hit, a turn begins
        done += batch.choose("heuristic").tolist()
        batch.step(done[-1:])
        total += batch.reward[0]
        assert not batch.terminated[0]
    game.reset(0, played=done)
    assert game.deciding == (0, 1)
    assert [game.gained(seat) for seat in range(2)] == pytest.approx(total)
    for seat in range(2):
        game.answer(seat, "I resign")
    assert {*game.gave_up} == {0, 1}
    assert game.returns == pytest.approx(tuple(total - 1))
    assert [game.gained(seat) for seat in range(2)] == [-1, -1]


@pytest.mark.parametrize("name", ["stacktrices", "hovercrafts"])
def test_a_game_that_is_void_has_no_result(name: str) -> None:
    game, seat = begun(name)
    game.answer(seat, move(legal(game, seat)[0]))
    game.void("the power is out")
    assert (game.over, game.deciding, game.reason) == (True, (), "")
    assert game.returns == (0.0,) * game.variant.seats
    assert game.ending(0)[:2] == ("The game does not count", "the power is out")
    with pytest.raises(EpisodeError, match="the game is over: call reset"):
        game.prompt(seat)
    game.reset(seed=0)
    assert not game.voided
    game.void("")
    assert game.voided == "a player's machine has failed"


def test_who_gives_up_loses_and_a_replay_tells_it() -> None:
    """A player of the suite, or the learner, who is told."""
    env = TextEnv("hackthegrid", seat=0, opponent=Machine(RESIGNS), retries=0)
    for said, gave_up in (('{"move": "C0"}', 1), ("no", 0)):
        env.reset(seed=BEGUN_BY[0])
        told, *result, info = env.step(said)
        assert told.startswith("SINCE THEN\n")
        assert "gives up\n\nThe game is over. " in told
        assert result == [1 if gave_up else -1, True, False]
        assert (info["voided"], info["gave_up"]) == ("", gave_up == 0)
        assert info["reason"]
        game = env.game
        assert (game.gave_up, game.returns[gave_up]) == ((gave_up,), -1.0)
        assert Replay(game.variant, game.seed, game.actions).played().returns == game.returns
    with pytest.raises(EpisodeError, match="the other players end this game before the learner"):
        env.reset(seed=BEGUN_BY[1])


def test_a_player_whose_machine_fails_makes_the_episode_void() -> None:
    """After another error the game goes on from there."""
    machine = Machine(OptionError("busy"))
    env = TextEnv("hackthegrid", seat=0, opponent=machine)
    env.reset(seed=BEGUN_BY[0])
    for said in (move(legal(env.game, 0)[0]), move("R1")):
        with pytest.raises(OptionError, match="busy"):
            env.step(said)
    machine.answer = int(env.game.core.one_mask.argmax())
    assert env.game.deciding == (0,)
    assert len(env.game.actions) >= 2
    machine.answer = VOID
    env.reset(seed=BEGUN_BY[0])
    told, *result, info = env.step(move(legal(env.game, 0)[0]))
    assert "does not count" in told
    assert result == [0, False, True]
    assert info["voided"] == "the machine of the machine has failed"
    assert not info["gave_up"]
    with pytest.raises(EpisodeError, match="does not count: the machine of the machine has failed"):
        env.reset(seed=BEGUN_BY[1])


# --- one learner ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
def test_infos_have_the_same_keys_at_every_step_and_wrong_answers_bring_nothing(name: str) -> None:
    env, luck = TextEnv(of_kind(name), retries=1), random.Random(0)
    _, info = env.reset(seed=0)
    nothing = {"answer": "", "move": "", "gave_up": False, "reason": "", "voided": ""}
    assert info == {"seat": env.variant.agents[env.game.deciding[0]], **nothing}
    while not env.over:
        seat, before = env.game.deciding[0], info["seat"]
        action = luck.choice(legal(env.game, seat))
        notation = env.game.legal(seat)[action]
        for said, kind, read in (
            ("what?", "unparsable", ""),
            (move("what?"), "illegal", "'what?'"),
            (move(action), "move", notation),
        ):
            _, reward, terminated, truncated, info = env.step(said)
            assert (info["answer"], info["move"]) == (kind, read)
            assert info.keys() == {"seat", *nothing}
            assert bool(info["reason"]) == (terminated or truncated) == env.over
            assert kind == "move" or (reward, env.over, info["seat"]) == (0, False, before)
    with pytest.raises(EpisodeError, match="call reset"):
        env.step("more")


def test_a_team_s_seats_are_all_the_learner_s_and_each_team_is_as_often() -> None:
    opponent, counts = First("opponent"), [0, 0]
    env = TextEnv("hovercrafts", seat="team", opponent=opponent, **TEAMS)
    for seed in range(60):
        _, info = env.reset(seed=seed)
        side = env.variant.sides[env.own[0]]
        counts[side] += 1
        assert env.own == tuple(at for at in range(4) if env.variant.sides[at] == side)
        seats = {info["seat"]}
        while seed < 8 and not env.over:
            *_, info = env.step(move(legal(env.game, env.game.deciding[0])[0]))
            seats.add(info["seat"])
        assert seed >= 8 or seats == {env.variant.agents[seat] for seat in env.own}
        assert not opponent.seats & {*env.own}
        opponent.seats.clear()
    assert min(counts) > 20


def test_opponents_and_seats_are_drawn_for_each_game() -> None:
    pool = [First("one"), First("other")]
    env = TextEnv("hackthegrid", seat="random", opponent=pool)
    met = set()
    for seed in range(24):
        env.reset(seed=seed)
        env.step(move(legal(env.game, env.own[0])[0]))
        met.add((env.own, *(each.name for each in pool if each.seats)))
        for each in pool:
            each.seats.clear()
    assert met == {((seat,), name) for seat in (0, 1) for name in ("one", "other")}


@pytest.mark.parametrize("name", ["hackthegrid", "stacktrices", "hovercrafts"])
def test_a_game_goes_on_from_a_saved_position(name: str) -> None:
    batch = cyberdeck.Batch(name, 1, seed=4)
    batch.play("random", 9)
    while batch.mask[0].sum() == 1:  # where nobody is asked
        batch.play("random", 1)
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
