"""Properties of Stacktrices, over random play from random positions."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.play import FILES, Stacks, daring, flipped, letters
from tests.stacktrices.positions import write

IN_ALL = [4, 4, 3, 4, 4, 3]
SQUARES = [f"{file}{rank}" for file in FILES for rank in range(1, 8)]

OPTIONS = st.fixed_dictionaries(
    {
        "steal_on_attack": st.booleans(),
        "stacked_movement": st.booleans(),
        "reward": st.sampled_from(["outcome", "material"]),
        "max_turns": st.integers(2, 40),
    }
)


Position: TypeAlias = dict[str, Any]  # what `Stacks` is given


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """White, black and options: stacks anywhere, and as many pieces as they can hold."""
    options = draw(OPTIONS)
    squares = draw(st.permutations(SQUARES))[:14]
    alive = draw(st.lists(st.booleans(), min_size=14, max_size=14))
    alive[draw(st.integers(0, 6))] = alive[draw(st.integers(7, 13))] = True
    stacks = [[0] * 6 for _ in range(14)]
    for kind, count in enumerate(IN_ALL):
        for at in draw(st.lists(st.integers(0, 13), max_size=count)):
            adult = any(stacks[at][:3])
            free = adult and not stacks[at][kind] if kind > 2 else not adult
            if alive[at] and (free or (kind < 3 and options["stacked_movement"])):
                stacks[at][kind] += 1
    words = []
    for at, square in enumerate(squares):
        mark = "^" if at % 7 < 4 and draw(st.booleans()) else ""
        caps = f":{letters(stacks[at])}" if any(stacks[at]) else ""
        words.append(square + mark + caps if alive[at] else "-")
    sides = [" ".join([*words[at : at + 4], "|", *words[at + 4 : at + 7]]) for at in (0, 7)]
    return {"white": sides[0], "black": sides[1], **options}


def choice(game: Stacks, luck: np.random.Generator) -> int:
    game.legal()
    return int(daring(game.record, game.mask[None], luck)[0])


def without(record: NDArray[Any], *names: str) -> bytes:
    record = record.copy()
    for name in names:
        record[name] = 0
    return record.tobytes()


@settings(max_examples=100, deadline=None)
@given(positions(), st.integers(0, 2**32))
def test_what_holds_after_every_decision(position: Position, seed: int) -> None:
    """22 pieces, legal stacks, bases that only leave, rewards that cancel out, and a decision."""
    game = Stacks(**position, seed=seed)
    luck = np.random.default_rng(seed)
    for _ in range(150):
        if game.over:
            break
        before, phase = game.record.copy(), game.phase
        game.act(choice(game, luck))
        state, old = game.state, before[0]
        assert game.trouble() == ""
        assert bool(game.legal()) != game.over, "there is always something to decide"

        held = state["store"] + state["hand"].sum(axis=0) + state["pieces"].sum(axis=(0, 1))
        assert held.tolist() == IN_ALL
        for name in ("store", "hand", "pieces"):
            assert (state[name] >= 0).all()
        alive = state["square"] >= 0
        assert not state["pieces"][~alive].any()
        if game.phase != "trade":
            adult = state["pieces"][:, :, :3].any(axis=2)
            assert not state["pieces"][~adult].any(), "no skill without movement"
        assert (state["pieces"][:, :, 3:] <= 1).all()
        if not position["stacked_movement"]:
            assert (state["pieces"][:, :, :3].sum(axis=2) <= 1).all()

        gone = (old["square"] >= 0) & ~alive
        moved = (old["square"] != state["square"]) & ~gone
        assert gone.sum() <= (phase == "move"), "only a capture takes a base, and one"
        assert not (alive & (old["square"] < 0)).any(), "none comes back"
        assert moved.sum() == (phase == "move")
        assert not moved[1 - old["mover"]].any()
        assert not gone[old["mover"]].any()
        standing = state["square"][alive].tolist()
        assert len(set(standing)) == len(standing) == (state["board"] >= 0).sum()

        assert sum(game.reward) == 0  # type: ignore[arg-type]
        assert state["decisions"] == old["decisions"] + 1
        assert state["turns"] - old["turns"] in (0, 1)


@settings(max_examples=60, deadline=None)
@given(positions(), st.integers(0, 2**32))
def test_every_view_is_within_its_bounds(position: Position, seed: int) -> None:
    """For both seats, at the end of a game as well."""
    game = Stacks(**position, seed=seed)
    bounds = [game.variant.named(bound) for bound in game.variant.bounds()]
    luck = np.random.default_rng(seed)
    for _ in range(100):
        for seen in (game.seen(0), game.seen(1)):
            for name, part in seen.items():
                assert (bounds[0][name] <= part).all(), name
                assert (part <= bounds[1][name]).all(), name
        if game.over:
            break
        game.act(choice(game, luck))


@settings(max_examples=60, deadline=None)
@given(positions(), st.integers(0, 2**32))
def test_calling_off_restores_everything_and_ends_the_turn(position: Position, seed: int) -> None:
    """At any time in a trade it leaves the same position as ending the turn before it."""
    game = Stacks(**position, seed=seed)
    luck = np.random.default_rng(seed)
    before = None
    for _ in range(60):
        if game.over:
            break
        if game.phase == "after the move":
            before = game.record.copy()
        elif game.phase == "trade":
            kept = game.record.copy()
            game.do("call off")
            # The phase of a game that is over stays as it was.
            counters = ("decisions", "phase") if game.over else ("decisions",)
            called_off = without(game.record, *counters)
            assert before is not None
            game.record[:] = before
            assert without(game.do("end").record, *counters) == called_off
            game.record[:] = kept
        gives = [action for action in game.legal() if 389 <= action < 389 + 7 * game.picks]
        trading = game.phase in ("after the move", "trade") and gives
        game.act(int(luck.choice(gives)) if trading and luck.random() < 0.6 else choice(game, luck))


@settings(max_examples=60, deadline=None)
@given(positions(), st.integers(0, 2**32))
def test_the_seats_may_be_exchanged(position: Position, seed: int) -> None:
    """With the other seat as white the same actions make the same game, mirrored."""
    play_alike(*(Stacks(**position, seed=seed, first=first) for first in (0, 1)), seed=seed)


@settings(max_examples=20, deadline=None)
@given(OPTIONS, st.integers(0, 2**32))
def test_the_seats_may_be_exchanged_in_the_set_up(options: dict[str, Any], seed: int) -> None:
    """From the first decision on."""
    play_alike(Stacks(first=0, **options), Stacks(first=1, **options), seed, decisions=50)


def play_alike(one: Stacks, two: Stacks, seed: int, decisions: int = 80) -> None:
    luck = np.random.default_rng(seed)
    for _ in range(decisions):
        assert write(one.record) == write(two.record)
        assert one.reward == two.reward[::-1]  # type: ignore[index]
        assert (one.over, one.reason) == (two.over, two.reason)
        for seat in (0, 1):
            assert same(one.seen(seat), two.seen(1 - seat))
            assert one.metrics(seat) == two.metrics(1 - seat)
        assert one.legal() == two.legal()
        if one.over:
            break
        assert one.mover == 1 - two.mover  # type: ignore[operator]
        action = choice(one, luck)
        one.act(action)
        two.act(action)


def same(one: dict[str, np.ndarray], two: dict[str, np.ndarray], but: str = "") -> bool:
    return all((one[name] == two[name]).all() for name in one if name not in but.split())


@settings(max_examples=60, deadline=None)
@given(positions(), st.integers(0, 2**32))
def test_the_colours_may_be_exchanged(position: Position, seed: int) -> None:
    """With the board turned round and black to move it is the same game for both."""
    turned = {"white": flipped(position["black"]), "black": flipped(position["white"])}
    given = {**position, "seed": seed, "max_turns": 1000}
    one = Stacks(**given, turn="1 white", first=0)
    two = Stacks(**{**given, **turned}, turn="2 black", first=1)
    two.state["thief"] = one.state["thief"]  # both are drawn
    luck = np.random.default_rng(seed)
    for _ in range(80):
        for seat in (0, 1):
            assert same(one.seen(seat), two.seen(seat), but="white")
        assert one.legal() == two.legal()
        assert one.reward == two.reward
        assert (one.mover, one.reason) == (two.mover, two.reason)
        if one.over:
            break
        action = choice(one, luck)
        one.act(action)
        two.act(action)
