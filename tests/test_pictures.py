"""Pictures explain themselves: targets, letters, marks, words, themes, colours; every game."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch, OptionError, showing
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.drawing import svg as palette
from cyberdeck.drawing.lettering import LEAST, news
from cyberdeck.views.hackthegrid import drawing as hackthegrid
from cyberdeck.views.hovercrafts import signs as hovercrafts
from cyberdeck.views.matrix_overload import faces as matrix_overload
from cyberdeck.views.stacktrices import drawing as stacktrices

Record = np.ndarray[Any, Any]

GAMES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("hackthegrid", {}),
    ("matrix_overload", {"edition": "rulebook", "max_steps": 40}),
    ("stacktrices", {"max_turns": 5, "steal_on_attack": True}),
    ("hovercrafts", {"ships": (2, 1), "max_turns": 4}),
    ("hovercrafts", {"pick_side": True, "battles": 3, "deployment": "random", "max_turns": 1}),
)
GAME = pytest.mark.parametrize(("game", "options"), GAMES, ids=str)


def played(
    game: str, options: dict[str, Any], seeds: int = 2, every: int = 1
) -> Iterator[tuple[Batch, Record, int]]:
    """Random games: after every so many decisions, with the record before the last, and it."""
    for seed in range(seeds):
        batch = Batch(game, 1, seed=seed, autoreset="Disabled", **options)
        rng = np.random.default_rng(seed)
        for step in itertools.count(1):
            before = batch._core.states.copy()
            action = int(rng.choice(np.flatnonzero(batch.mask[0])))
            batch.step([action])
            over = batch.mover[0] < 0
            if over or step % every == 0:
                yield batch, before, action
            if over:
                break


def drawn(
    batch: Batch,
    seat: int | None = None,
    mask: Any = None,
    before: Record | None = None,
    narrow: bool = False,
    theme: str = "dark",
) -> str:
    """The game's picture, with the legal actions of a *mask*."""
    viewer = None if seat is None else (seat,)
    choices = None if mask is None else np.flatnonzero(mask).tolist()
    return showing.scene(batch.variant, batch._core.states, viewer, before).picture(
        choices, theme=theme, narrow=narrow
    )


def targets(svg: str) -> list[set[int]]:
    """The actions of each element that can be chosen; its marks are in order."""
    root, found = ET.fromstring(svg), []
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for element in root.iter():
        actions = element.get("data-actions")
        assert (actions is None) == (element.get("role") != "button")
        if actions is not None:
            assert element.get("aria-label")
            assert element.get("id") in (None, f"action-{actions}")
            found.append(set(map(int, actions.split())))
    assert root.get("role") == ("group" if found else "img")
    return found


@GAME
def test_every_legal_action_can_be_chosen_and_no_other(game: str, options: dict[str, Any]) -> None:
    for batch, _, _ in played(game, options, every=4):
        if batch.mover[0] < 0:
            continue
        legal = set(np.flatnonzero(batch.mask[0]).tolist())
        for narrow in (False, True):
            found = targets(drawn(batch, int(batch.mover[0]), batch.mask[0], narrow=narrow))
            assert set().union(*found) == legal
            for action in legal:
                assert set.intersection(*(each for each in found if action in each)) == {action}
        assert not targets(drawn(batch, 0))


#: Letters are strokes that begin on their line, each at its place: see lettering.py.
LETTERS = re.compile(r"(M[\d.]+ 0m[^M]+)+")


def written(element: ET.Element, scale: float = 1, x: float = 0) -> Iterator[tuple[float, float]]:
    """How high letters are, and where they begin and end."""
    for move, numbers in re.findall(r"(\w+)\(([^)]*)\)", element.get("transform", "")):
        values = [float(value) for value in numbers.split()]
        if move == "translate":
            x += scale * values[0]
        elif move == "scale":
            scale *= abs(values[0])
    d = element.get("d", "")
    if LETTERS.fullmatch(d):
        yield 10 * scale, x
        yield 10 * scale, x + scale * float(re.findall(r"M([\d.]+) 0m", d)[-1])
    for child in element:
        yield from written(child, scale, x)


@GAME
def test_letters_can_be_read(game: str, options: dict[str, Any]) -> None:
    sizes = set()
    for batch, before, _ in played(game, options, every=6):
        for narrow in (False, True):
            root = ET.fromstring(drawn(batch, 0, batch.mask[0], before, narrow))
            wide = float(str(root.get("width")))
            assert wide == 390 if narrow else 700 < wide < 1000
            sizes.add(root.get("viewBox"))
            found = list(written(root))
            assert len(found) > 40
            assert min(size for size, _ in found) > LEAST - 0.01
            assert min(x for _, x in found) > 0
            assert max(x for _, x in found) < wide - 6
    assert len(sizes) == 2, "a picture keeps its size all game long"


def test_what_just_happened_always_has_room() -> None:
    """The longest words there are: both hackers swap; an ace resets a corner, and two queens of
    long names fall.
    """
    swap = "3 column swapped place 5 for row's 4"
    steps = [step.upper() for step in (swap, "2 column took SIGNAL SPIKE (magenta)", swap)]
    for wide in (692, 384):
        assert news(steps, 9, wide).content.count("<path") - 1 == 3
    fell = "The queen of diamonds on pile 20 fell to 10+10=20"
    longest = "The ace of diamonds was laid on pile 8, whose 37 cards went to the bottom"
    for rows, wide in ((3, 860), (6, 384)):
        assert news([longest, fell, fell], 9, wide).content.count("<path") - 1 == rows


@GAME
def test_marks_tell_nothing_that_the_seat_did_not_know_before(
    game: str, options: dict[str, Any]
) -> None:
    """Any record that it could not tell from the one before gives the same picture."""
    old, differed = None, 0
    for batch, before, _ in played(game, options, seeds=1, every=4):
        core, seats = batch._core, range(batch.variant.seats)
        for then in (before, before if old is None else old):
            for seat in seats:
                redrawn = then.copy()
                core.loops.resample(redrawn, 0, seat, np.uint64(7))
                redrawn["dice"] = then["dice"]  # those that were rolled since: all have seen them
                differed += bool((redrawn != then).any())
                one, other = (drawn(batch, seat, before=each) for each in (then, redrawn))
                assert one == other
        old = before
    assert differed or batch.variant.game.open


@GAME
def test_titles_and_descriptions_say_the_position(game: str, options: dict[str, Any]) -> None:
    seen, shown = set(), set()
    for batch, _, _ in played(game, options, seeds=1, every=2):
        for seat in (None, 0):
            picture = drawn(batch, seat)
            root = ET.fromstring(picture)
            title, desc = root[0], root[1]
            assert (title.tag[-5:], desc.tag[-4:]) == ("title", "desc")
            assert str(title.text).startswith(batch._core.game.title)
            if seat is None and batch.variant.seats > 1:
                assert not re.search(r"\byou", f"{title.text} {desc.text}", re.I)
        seen.add((title.text, desc.text))
        shown.add(picture.partition("</desc>")[2])
    assert len(seen) == len(shown) > 5


@GAME
def test_the_light_theme_leaves_no_dark_colour(game: str, options: dict[str, Any]) -> None:
    for batch, before, _ in played(game, options, seeds=1, every=6):
        both_drawn = [
            drawn(batch, 0, batch.mask[0], before, theme=theme) for theme in ("dark", "light")
        ]
        dark, light = (set(re.findall('="(#[0-9a-f]{6})"', svg)) for svg in both_drawn)
        assert dark <= set(palette.LIGHT)
        assert light == {palette.LIGHT[colour] for colour in dark}
        rules, *both = palette.both_themes(both_drawn[:1])
        assert rules.count("var(") >= len(dark)
        assert [block.count("--") for block in both] == [len(dark)] * 2
    with pytest.raises(OptionError, match="theme='blue'"):
        batch.svg(0, theme="blue")
    with pytest.raises(OptionError, match="render_theme='blue'"):
        CyberdeckEnv(game, render_theme="blue")


#: Deuteranopia, after Machado, Oliveira and Fernandes (2009), for linear RGB.
DEUTERANOPIA = np.array(
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
)


def parts(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def linear(colour: list[int]) -> Any:
    part = np.array(colour) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def seen_by_a_deuteranope(colour: str) -> Any:
    """With a cube root, by which distances are about as they are seen."""
    return np.cbrt(np.clip(DEUTERANOPIA @ linear(parts(colour)), 0, 1))


def contrast(one: list[int], two: list[int]) -> float:
    weights = (0.2126, 0.7152, 0.0722)
    dim, bright = sorted(float(linear(colour) @ weights) for colour in (one, two))
    return (bright + 0.05) / (dim + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=palette.THEMES)
def test_colours_hold_for_deuteranopes(theme: int) -> None:
    """What a colour says has a shape as well; and these are still told apart."""

    def shown(colour: str) -> str:
        return palette.LIGHT[colour] if theme else colour

    cards = hackthegrid.PALETTE[:4]
    alone = [
        *itertools.combinations(cards, 2),
        hackthegrid.OWN,
        matrix_overload.INK,
        stacktrices.OWN,
        hovercrafts.COLOURS,
        (palette.LIME, palette.LINE),
        (palette.BRIGHT, palette.DIM),
    ]
    for one, two in alone:
        apart = seen_by_a_deuteranope(shown(one)) - seen_by_a_deuteranope(shown(two))
        assert np.linalg.norm(apart) > 0.2, (one, two)
    inks = palette.BRIGHT, palette.DIM, palette.CYAN, palette.LIME, palette.RED, palette.GREEN
    for ink in inks:
        for ground in (palette.NIGHT, palette.PANEL, palette.CARD):
            assert contrast(parts(shown(ink)), parts(shown(ground))) > 4.5, (ink, ground)


def test_envs_that_render_mark_the_last_step() -> None:
    marked = CyberdeckEnv("hackthegrid", seat=0, render_mode="rgb_array")
    plain = CyberdeckEnv("hackthegrid", seat=0)
    for env in (marked, plain):
        env.reset(seed=3)
    assert marked.svg() == plain.svg()
    for env in (marked, plain):
        env.step(env.suggest())
    assert marked.svg() != plain.svg()
    assert re.search("Just now: .*[12] you took", marked.svg())
    assert re.search("Just now: .*[12] row took", marked.svg()), "the opponent has moved as well"
    marked.set_state(marked.get_state())
    assert marked.svg() == plain.svg()


def test_hackthegrid_says_to_whom_it_ends_and_whose_line_is_empty() -> None:
    ends = set()
    for batch, _, _ in played("hackthegrid", {}, seeds=20, every=99):
        state = batch._core.states[0]
        titles = [str(ET.fromstring(drawn(batch, seat))[0].text) for seat in (None, 0, 1)]
        if state["remaining"]:
            says = re.compile(r"Both lose\. No card in (\w+ \d) for the (\w+) hacker")
            ((line, hacker),) = {words for title in titles for words in says.findall(title)}
            stuck = ["column", "row"].index(hacker)
            assert line == f"{('row', 'column')[stuck]} {state['avatar'][1 - stuck]}"
            grid = state["grid"].reshape(4, 4)
            cards = grid[state["avatar"][1]] if stuck == 0 else grid[:, state["avatar"][0]]
            assert (cards < 0).all()
            ends.add("lost")
        elif state["points"][0] != state["points"][1]:
            winner = int(np.argmax(state["points"]))
            name = ("column", "row")[winner]
            for at, said in (
                (0, f"The {name} hacker wins"),
                (1 + winner, "You win"),
                (2 - winner, f"You lose to the {name} hacker"),
            ):
                assert titles[at].startswith(f"HACKtheGRID, over. {said}. ")
            ends.add("won")
    assert ends == {"lost", "won"}
