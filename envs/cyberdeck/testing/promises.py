"""Promises of interfaces: how clauses are written, and those of every interface."""

from __future__ import annotations

import contextlib
import copy
import io
import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from cyberdeck.engine.record import NOBODY
from cyberdeck.errors import ActionError, EpisodeError, OptionError, StateError
from cyberdeck.testing import faces

#: Makes the interface that is tested, of the game that is tested; takes the interface's arguments.
New = Callable[..., Any]
Function = Callable[[New], None]

LEARNERS: Final = (faces.Gymnasium, faces.Vector, faces.SB3)
ALL_SEATS: Final = (faces.Turns, faces.OrderedTurns, faces.Rounds)
EVERY: Final = (*LEARNERS, *ALL_SEATS, faces.Rows)

#: The clauses of each interface.
CLAUSES: Final[dict[type[faces.Face], list[Function]]] = {face: [] for face in EVERY}


def asked_of(*kinds: type[faces.Face]) -> Callable[[Function], Function]:
    """Have a function asked of these interfaces; its docstring says what must hold."""

    def note(function: Function) -> Function:
        for face in kinds:
            CLAUSES[face].append(function)
        return function

    return note


def hold(holds: Any, words: str) -> None:
    """An error in these words, unless it holds."""
    if not holds:
        raise AssertionError(words)


def same(one: Any, other: Any, where: str = "what is handed out") -> None:
    """Hold two nested results to be equal bit for bit: keys, types, dtypes and values.

    >>> same({"seat": 1}, {"seat": 2}, "the info")
    Traceback (most recent call last):
    AssertionError: the info['seat'] is 1, and not 2
    """
    if type(one) is not type(other):
        raise AssertionError(f"{where} is of {type(one)}, and not of {type(other)}")
    if isinstance(one, np.ndarray):
        if one.dtype != other.dtype:  # to print a type takes longer than to compare it
            raise AssertionError(f"{where} is of {one.dtype}, and not of {other.dtype}")
        if one.shape != other.shape:
            raise AssertionError(f"{where} has {one.shape}, and not {other.shape}")
        if one.dtype == np.object_:
            same(one.tolist(), other.tolist(), where)
        elif not np.array_equal(one, other):
            place = tuple(np.argwhere(one != other)[0].tolist())
            raise AssertionError(f"{where} is {one[place]} at {place}, and not {other[place]}")
    elif isinstance(one, dict):
        if one.keys() != other.keys():
            raise AssertionError(f"{where} has {[*one]}, and not {[*other]}")
        for key in one:
            same(one[key], other[key], f"{where}[{key!r}]")
    elif isinstance(one, (list, tuple)):
        hold(len(one) == len(other), f"{where} has {len(one)} entries, and not {len(other)}")
        for at, pair in enumerate(zip(one, other, strict=True)):
            same(*pair, f"{where}[{at}]")
    elif one != other:
        raise AssertionError(f"{where} is {one!r}, and not {other!r}")


def refused(error: Any, call: Callable[..., Any], *arguments: Any, **more: Any) -> str:
    """The words of the error that a call raises."""
    try:
        call(*arguments, **more)
    except error as raised:
        hold(len(str(raised)) > 20, f"the error says too little: {raised}")
        return str(raised)
    shown = ", ".join([*(repr(each)[:40] for each in arguments), *map(str, more.items())])
    raise AssertionError(f"{call.__name__}({shown}) is accepted")


@contextlib.contextmanager
def quietly(*allowed: str) -> Iterator[None]:
    """A library's own test: what it warns of is an error, but for what begins so."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DeprecationWarning)  # it warns of itself
        for words in allowed:
            warnings.filterwarnings("ignore", words)
        yield


@asked_of(*EVERY)
def seeds(new: New) -> None:
    """One seed and the same decisions make the same games, in a new env and in a used one."""
    fresh, used = new(), new()
    used.reset(99)
    used.play(1)
    for seed in (5, None, 0):
        same(used.reset(seed), fresh.reset(seed), f"what reset(seed={seed}) hands out")
        same(used.play(2), fresh.play(2))
        same(used.position(), fresh.position(), "the position")
    begun = []
    for face in (new(), new(), new()):
        for _ in range(2):
            face.reset()
            begun += face.saved()
    hold(len(set(begun)) == len(begun), "without a seed one game is played twice")
    fresh.reset(7)
    used.reset(8)
    same(fresh.saved()[1:], used.saved()[:-1], "of many games, the one of the next seed")


@asked_of(*EVERY)
def copies(new: New) -> None:
    """Copies, pickles and saved bytes go on alike, at any time, and leave the original alone."""
    face = new()
    face.reset(3)
    length = len(face.play(3))
    late = length - face.variant.seats - 2
    for played in sorted({0, 1, length // 2, max(late, 0), length - 1, length}):
        face.reset(3)
        face.play(3, played)
        before = face.position()
        expected = face.around(copy.deepcopy(face.env)).play(9, faces.STEPS)
        for twin in face.twins():
            same(twin.position(), before, "a twin's position")
            same(twin.play(9, faces.STEPS), expected)
        same(face.position(), before, "the original's position")
        same(face.play(9, faces.STEPS), expected)


@asked_of(*EVERY)
def refusals(new: New) -> None:
    """An action that is not legal is an ActionError that names it, and nothing is applied."""
    for way in [{}] if new().lenient else [{}, {"illegal": "lose"}]:
        face = new(**way)
        face.begin(1, 2)
        choice, before = face.choice(np.random.default_rng(1)), face.position()
        for wrong in face.wrong(choice):
            words = refused(ActionError, face.step, wrong)
            hold("nothing was applied" in words, f"it must say that nothing was applied: {words}")
        mask, mover = face.core.masks[0], face.variant.agents[face.core.movers[0]]
        for action in [] if way or face.lenient else np.flatnonzero(mask == 0).tolist():
            words = refused(ActionError, face.step, face.altered(choice, action))
            legal = f"{int(np.flatnonzero(mask)[0])} ("
            for part in ("nothing was applied", f"action {action} (", mover, legal):
                hold(part in words, f"{part!r} is not in the error: {words}")
        same(face.position(), before, "the position after what was refused")
        face.step(choice)


@asked_of(*LEARNERS, *ALL_SEATS)
def order(new: New) -> None:
    """Nothing works before the first reset, nor a step after the end, until a game begins anew."""
    face, early = new(), (EpisodeError, AssertionError)
    refused(early, face.step, [0] * face.count if face.many else 0)
    refused(early, face.saved)
    for name in ("suggest", "resample", "svg", "text", "state") if not face.many else ():
        if hasattr(face.env.unwrapped, name):
            refused(early, getattr(face.env.unwrapped, name))
    face.reset(1)
    face.play(1)
    if face.many:
        return
    before = face.position()
    if face.lenient:  # PettingZoo's order enforcement says so in its log alone
        face.step(0)
    else:
        refused(EpisodeError, face.step, 0)
        refused(EpisodeError, face.env.suggest)
    same(face.position(), before, "the position after the end")
    face.reset()
    hold(face.play(2), "no game begins after the end of one")


@asked_of(*EVERY)
def starts(new: New) -> None:
    """A reset goes on from a saved position; anything else is refused and changes nothing."""
    face = new()
    own = {"seat": 0} if isinstance(face, LEARNERS) and face.variant.seats > 1 else {}
    face, *others = new(**own), new(**own), new(**own)
    face.begin(11, 3)
    saved = face.saved()[0]
    for other in others:
        other.reset(77, {"state": saved})
        for row in range(other.count):
            same(other.core.look(0, row), face.core.look(0), "what is seen of the position")
            same(other.core.masks[row], face.core.masks[0], "its mask")
        hold(len(set(other.saved())) == other.count, "games from one position have the same dice")
    same(others[0].play(5, faces.STEPS), others[1].play(5, faces.STEPS))
    before = face.position()
    flipped = saved[:-1] + bytes([saved[-1] ^ 1])
    for wrong in (b"", b"cyberdeck", None, "x", saved[:-1], flipped, saved + b"\0"):
        refused(StateError, face.load, wrong)
        refused(StateError, face.reset, 3, {"state": wrong})
    if not face.many:
        others[0].play(1)
        refused(StateError, face.reset, 3, {"state": others[0].saved()[0]})
    for options in ({"state": saved, "more": 1}, {"no such start": 1}):
        refused(OptionError, face.reset, 3, options)
    same(face.position(), before, "the position after what was refused")


@asked_of(faces.Gymnasium, *ALL_SEATS, faces.Rows)
def resampling(new: New) -> None:
    """A redrawn game looks the same to its seat, follows from the seed, and can be played on."""
    face = new()
    face.begin(3, 3)
    seats = face.variant.seats
    for seat in [face.env.seat] if isinstance(face, faces.Gymnasium) else range(seats):
        before, courses = face.core.look(seat), set()
        for seed in (1, 2, None):
            twin, other = face.twins()[:2]
            for each in (twin, other):
                each.resample(seat, seed=seed)
            core = twin.core
            same(twin.saved(), other.saved(), "what a seed redraws")
            same(core.look(seat), before, f"what seat {seat} sees")
            view = core.look(max(int(core.movers[0]), 0))[:2]
            same((core.observations[0], core.masks[0]), view, "what the mover sees")
            hold(core.rows["dice"][0] != face.core.rows["dice"][0], "the opponents' luck is kept")
            same(twin.saved()[1:], face.saved()[1:], "the other games")
            courses.add(twin.saved()[0])
            twin.play(1, faces.STEPS)
        hold(len(courses) == 3, "other seeds redraw the same game")
    for seat in (-1, seats, 99):
        refused(OptionError, face.resample, seat)


@asked_of(*LEARNERS, *ALL_SEATS)
def formats(new: New) -> None:
    """Observations lie in their space, masks are where they were asked for; both are copies."""
    own = new().variant.dtype.name
    for mask, dtype in itertools.product(("both", "observation", "info", None), (own, "float32")):
        face, rng = new(mask=mask, dtype=dtype), np.random.default_rng(1)
        handed, keys = face.reset(1), None
        for _ in range(faces.LONG if mask == "both" and not face.many else faces.STEPS):
            views, before = face.views(handed), face.position()[:3]
            for view in views:
                facts = view.info.keys()
                keys = keys or facts
                hold(facts == keys, f"infos have {sorted(facts)}, and had {sorted(keys)}")
                looks_right(view, mask, dtype)
                hold(view.mask.any() or not isinstance(face, LEARNERS), "a learner may do nothing")
                for part in (view.observation, view.info):
                    for each in part.values() if isinstance(part, dict) else [part]:
                        if isinstance(each, np.ndarray):
                            each[...] = 1 - each
            same(face.position()[:3], before, "the game, after writing into what was handed out,")
            if not face.many and face.core.movers[0] == NOBODY:
                break
            handed = face.step(face.choice(rng))
    refused(OptionError, new, mask="infos")
    refused(OptionError, new, dtype="float64")


def looks_right(view: faces.SeatView, mask: str | None, dtype: str) -> None:
    """A view is what the engine has for its seat, in the format that was asked for."""
    seen, info = view.observation, view.info
    hold(view.space.contains(seen), "an observation is not in its space")
    inside, beside = mask in ("observation", "both"), mask in ("info", "both")
    hold(isinstance(seen, dict) == inside, f"mask={mask!r}, and the observation is {type(seen)}")
    hold(("action_mask" in info) == beside, f"mask={mask!r}, and the info has {[*info]}")
    same(seen["observation"] if inside else seen, view.numbers.astype(dtype), "the observation")
    for masked in [seen] * inside + [info] * beside:
        same(masked["action_mask"], view.mask, "the mask")
    for name, value in info.items():
        whole = isinstance(value, (int, np.integer)) or name == "action_mask"
        hold(whole, f"info[{name!r}] is of {type(value)}, and not a whole number")


@asked_of(faces.Gymnasium, *ALL_SEATS)
def pictures(new: New) -> None:
    """Each render mode gives what its name says, and drawing does not touch the game."""
    seat = {} if isinstance(new(), faces.Gymnasium) else {"render_seat": 0}
    for mode, kind in (("ansi", str), ("rgb_array", np.ndarray), (None, type(None))):
        face = new(render_mode=mode, **seat)
        env = face.env.unwrapped
        if mode is not None:
            refused((EpisodeError, AssertionError), face.env.render)
        face.begin(2, 4)
        before = face.position()
        if mode is None:
            refused(OptionError, env.render)
        else:
            drawn = env.render()
            hold(isinstance(drawn, kind), f"in mode {mode!r} render() gives a {type(drawn)}")
            picture = mode == "ansi" or (drawn.dtype == np.uint8 and drawn.shape[2:] == (3,))
            hold(picture, "rgb_array is not an array of uint8 with three colours")
        hold(env.svg(seat=0).endswith("</svg>") and env.text(seat=0), "svg() or text() is empty")
        same(face.position(), before, "the position after it was drawn")
        for wrong in (-1, face.variant.seats):
            refused(OptionError, env.svg, seat=wrong)
    refused(OptionError, new, render_mode="svg")
