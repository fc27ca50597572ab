"""Positions of games: saved states, replays, and what is written about moves."""

from __future__ import annotations

import base64
import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from random import Random
from typing import Any
from xml.parsers import expat

import numpy as np

from cyberdeck import Batch, notation, showing
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.api.pettingzoo_env import raw_env
from cyberdeck.common.text import printable
from cyberdeck.engine import registry, saving
from cyberdeck.engine.careful import Careful
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.game_loops import carefully
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.engine.watched import lenient
from cyberdeck.errors import ActionError, ReplayError, StateError
from cyberdeck.replay import Replay
from cyberdeck.replay.link import packed, unpacked
from cyberdeck.text import answers
from tests.cases import EACH
from tests.fuzz.changes import bytes_changed, link_changed
from tests.fuzz.known import STATES
from tests.fuzz.trial import Door, Failure
from tests.playing import helpers

#: One position in so many is played on by plain Python, where every index is checked.
CAREFUL = 100
#: No game is played on longer, there and in compiled code.
_FEW, _MANY = 6, 4_000


def core_of(variant: Variant, seed: int = 0) -> GameBatch:
    """A game that has begun."""
    core = GameBatch(variant, 1, autoreset=DISABLED)
    core.reset([seed])
    return core


def step(core: GameBatch, luck: Random) -> int:
    """A decision at random; which one."""
    action = luck.choice(np.flatnonzero(core.masks[0]).tolist())
    core.advance_one(action)
    return int(action)


def over(core: GameBatch) -> bool:
    return bool(core.movers[0] == NOBODY)


class Positions:
    """A variant, and states of it to be changed and mixed."""

    def __init__(self, case: tuple[str, dict[str, Any]], number: int) -> None:
        self.variant = Variant(registry.game(case[0]), case[1])
        self.head = b"%c" % number
        self.core = core_of(self.variant)
        self.states = []
        luck = Random(number)
        for length in (0, 3, 25, _MANY):
            core = core_of(self.variant, length)
            while length and not over(core):
                step(core, luck)
                length -= 1
            self.states.append(core.save())

    def forged(self, state: bytes, luck: Random) -> bytes:
        """Other numbers in its fields, under a digest that fits."""
        game = self.variant.game
        begin = saving.heading(game, self.core.rows.dtype)
        size = len(begin) + self.core.rows.dtype.itemsize + game.dtype.itemsize
        if not state.startswith(begin) or len(state) != size + 16:
            changed = bytes_changed(state, luck)
            return changed if luck.random() < 0.2 else _signed(changed[:-16])
        row, record = map(np.copy, saving.unpack(game, self.core.rows.dtype, _signed(state[:-16])))
        other = saving.unpack(game, self.core.rows.dtype, luck.choice(self.states))[1]
        for _ in range(luck.choice((1, 1, 1, 2, 3, 5))):
            changed = row if luck.random() < 0.15 else record
            names = changed.dtype.names or ()
            name = luck.choice([each for each in names if each[0] != "_" and changed[each].size])
            flat = changed[name].flatten()
            at, what = luck.randrange(flat.size), luck.randrange(6)
            if what == 0:
                there = luck.randrange(flat.size)
                flat[at], flat[there] = flat[there], flat[at]
            elif what == 1 and changed is record:
                flat = other[name].flatten()
            elif flat.dtype.kind == "f":
                flat[at] = luck.choice((0.0, -0.0, 1e30, flat[at] + 1, 0.5, np.nan, np.inf))
            else:
                near, bounds = int(flat[at]) + luck.choice((-1, 1, 2, -2)), np.iinfo(flat.dtype)
                number = luck.choice((near, near, luck.randrange(64), bounds.min, bounds.max))
                flat[at] = np.clip(number, bounds.min, bounds.max)
            changed[name] = flat.reshape(changed[name].shape)
        return saving.pack(game, row, record)

    def with_fields(self, changes: Sequence[tuple[str, Any]]) -> Iterator[bytes]:
        """Each of the states with these fields changed."""
        for state in self.states[2:]:
            row, record = saving.unpack(self.variant.game, self.core.rows.dtype, state)
            for name, value in changes:
                (record if name in (record.dtype.names or ()) else row)[name] = value
            yield saving.pack(self.variant.game, row, record)

    def read(self, state: bytes, door: int) -> GameBatch:
        """Through one of the doors."""
        name, options = self.variant.game.name, self.variant.chosen
        if door == 1:
            env = CyberdeckEnv(name, **options)
            env.reset(seed=0, options={"state": state})
            state = env.get_state()
        if door < 2:
            self.core.reset([0], {"state": state})
            return self.core
        if door == 2 and self.variant.seats > 1:
            aec = raw_env(name, **options)
            aec.reset(seed=0)
            aec.set_state(state)
        self.core.load(state)
        return self.core


def _signed(body: bytes) -> bytes:
    return body + saving._hash(body)


class States(Door):
    """Saved states of every game with every option: the first byte says of which."""

    name = "state"
    reads = ("cyberdeck.engine.saving",)
    refusals = (StateError,)
    beside: Sequence[Sequence[tuple[str, Any]]] = ()

    def right(self) -> Sequence[bytes]:
        self.held = [Positions(case, number) for number, case in enumerate(EACH)]
        return [each.head + state for each in self.held for state in each.states]

    def found(self, right: Sequence[bytes]) -> Sequence[bytes]:
        long = [each.head + b"A" * 10**6 for each in self.held[:4]]
        return long + [
            each.head + changed
            for each in self.held
            for changes in (*STATES.get(each.variant.game.name, ()), *self.beside)
            for changed in each.with_fields(changes)
        ]

    def of(self, data: bytes) -> Positions:
        return self.held[data[0] % len(self.held) if data else 0]

    def change(self, data: bytes, luck: Random) -> bytes:
        return data[:1] + self.of(data).forged(data[1:], luck)

    def enter(self, data: bytes) -> Any:
        held, state = self.of(data), data[1:]
        before = held.core.save()
        try:
            return held, held.read(state, sum(data) % 8)
        except StateError:
            if held.core.save() != before:
                raise Failure("what was refused has changed the game") from None
            raise

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        held, core = found
        if luck.randrange(CAREFUL) == 0:
            with carefully(Careful(held.variant.game, lenient)):
                again = core_of(held.variant)
                again.load(core.save())
                yield from played_on(again, luck, _FEW)
        begun = core.save()
        actions = yield from played_on(core, luck, _MANY)
        if over(core) and 0 < len(actions) < 150 and luck.random() < 0.05:
            replay = Replay(held.variant, None, actions, start={"state": begun})
            yield from replayed(replay, self.folder, luck)


def played_on(core: GameBatch, luck: Random, most: int) -> Generator[str, None, list[int]]:
    """Play on to the end, or so far, and show it; what was decided. It is saved as it was."""
    actions: list[int] = []
    yield from looked_at(core, luck)
    looks = {luck.randrange(1, 40) for _ in range(3)}
    while not over(core) and len(actions) < most:
        looking = len(actions) in looks
        if looking:
            saved, before = core.save(), core.states.copy()
            core.load(saved)
            if core.save() != saved:
                raise Failure("saved and put back, and saved again, it is another")
        actions.append(step(core, luck))
        if looking:
            yield from looked_at(core, luck, showing.Past(before, before))
    yield from looked_at(core, luck)
    core.load(core.save())
    return actions


def looked_at(core: GameBatch, luck: Random, past: showing.Past | None = None) -> Iterator[str]:
    """A position as a seat and a spectator see it, and what has happened before."""
    variant, states = core.variant, core.states
    seats: list[int | None] = [luck.randrange(variant.seats)]
    if showing.has_spectators(variant):
        seats.append(None)
    for seat in seats:
        core.look(seat or 0)
        yield showing.text_of(core, 0, seat, past)
        yield showing.scene_of(core, 0, seat).screen()
        picture = showing.picture_of(core, 0, seat, True, past, narrow=luck.random() < 0.5)
        expat.ParserCreate().Parse(picture, True)
        yield picture
    shown = showing.scene(variant, states, None)
    yield shown.ending.words if over(core) else shown.view.turn(shown.record)
    if over(core):
        return
    called = showing.notations(variant, states)
    yield "\n".join(called.values())
    for action in luck.sample(sorted(called), min(3, len(called))):
        yield registry.named_action(variant, states, action)
        if showing.action_called(variant, states, called[action]) != action:
            raise Failure(f"{called[action]} is read as another action")


def replayed(replay: Replay, folder: Any, luck: Random) -> Iterator[str]:
    """Save it again, and write it in every form."""
    path = folder / "again.json"
    replay.save(path)
    names = ("game", "options", "seed", "start", "players", "title", "notes", "actions")
    entries = {name: getattr(replay, name) for name in names}
    if Replay.load(path) != Replay(**entries, result=replay.played()):
        raise Failure("saved again, it is another")
    yield replay.headline()
    seat = luck.choice([None, "spectator", *range(replay.variant.seats)])
    if seat == "spectator" and not showing.has_spectators(replay.variant):
        seat = 0
    for frame in replay.frames(seat):
        yield frame.svg
    yield "\n".join(map(str, replay.story(seat)))
    if luck.random() < 0.3:
        replay.write_html(folder / "page.html", seat)
        yield (folder / "page.html").read_text("utf-8")
    if luck.random() < 0.01 and len(replay.actions) < 100:
        replay.write_gif(folder / "film.gif", 120, seat=seat)


# --- replays -------------------------------------------------------------------------------------


class Replays(Door):
    """Replays of every game."""

    name = "replay"
    reads = ("cyberdeck.replay.checks",)
    refusals = (ReplayError,)
    pieces = (*registry.names(), -1, 20_001, "state", "deck")

    def right(self) -> Sequence[bytes]:
        return [
            each for number, case in enumerate(helpers.GAMES) for each in self._some(case, number)
        ]

    def _some(self, case: tuple[str, dict[str, Any]], number: int) -> Iterator[bytes]:
        variant, luck = helpers.variant(case[0], **case[1]), Random(number)
        core = core_of(variant, number)
        actions: list[int] = []
        written = []
        while not over(core):
            if len(actions) == 2:
                state, begun = core.save(), len(actions)
            at = core.states.copy()
            actions.append(step(core, luck))
            written.append(showing.notations(variant, at)[actions[-1]])
        players = ["ada"] * variant.seats
        for replay in (
            Replay(variant, number, actions, players, title="one", notes="two\nlines"),
            Replay(variant, None, actions[begun:], start={"state": state}),
        ):
            yield self.saved(replay)
        plain = json.loads(self.saved(Replay(variant, number, actions)))
        yield json.dumps({**plain, "actions": written}).encode()

    def saved(self, replay: Replay) -> bytes:
        replay.save(self.folder / "seed.json")
        return (self.folder / "seed.json").read_bytes()

    def change(self, data: bytes, luck: Random) -> bytes:
        if luck.random() < 0.1:
            with suppress(ValueError, KeyError, TypeError, RecursionError):
                read = json.loads(data)
                state = bytearray(base64.b64decode(read["start"]["state"]))[:-16]
                state[luck.randrange(max(1, len(state)))] = luck.randrange(256)
                read["start"]["state"] = base64.b64encode(_signed(bytes(state))).decode()
                return json.dumps(read).encode()
        return super().change(data, luck)

    def enter(self, data: bytes) -> Any:
        return Replay.load(self.file("a.json", data))

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        yield from replayed(found, self.folder, luck)


class Links(Replays):
    """The same in the letters of a link."""

    name = "link"
    reads = ("cyberdeck.views.kept",)

    def right(self) -> Sequence[bytes]:
        found = []
        for number, case in enumerate(helpers.GAMES):
            whole, *_ = self._some(case, number)
            found.append(packed(Replay.load(self.file("seed.json", whole))).encode())
        return found

    def change(self, data: bytes, luck: Random) -> bytes:
        return link_changed(data, luck, self.pieces)

    def enter(self, data: bytes) -> Any:
        return unpacked(data.decode("utf-8", "replace"))


# --- what is written of moves --------------------------------------------------------------------


class Moves(Door):
    """Notation, and answers of language models: the first byte says in which position."""

    name = "answer"
    reads = ("cyberdeck.text.answers",)
    head = 1
    refusals = (ActionError,)

    def right(self) -> Sequence[bytes]:
        self.held = []
        for number, (name, options) in enumerate(EACH):
            game = Batch(name, 1, seed=number, autoreset="Disabled", **options)
            for luck in range(number % 7):
                if not over(game._core):
                    step(game._core, Random(luck))
            if not over(game._core):
                self.held.append((game, notation.legal(game)))
        said = [b"\0" + b"```a\n" * 20_000, b"\0" + b'{"' * 50_000, b"\0" + b'{"a":[' * 15_000]
        for number, (_, called) in enumerate(self.held):
            for action, word in list(called.items())[:3]:
                said.append(b"%c%s" % (number, word.encode()))
                for move in (word, action):
                    text = f'I think.\n```json\n{{"move": "C2"}}\n```\n{json.dumps({"move": move})}'
                    said.append(b"%c%s" % (number, text.encode()))
        called = {word for _, words in self.held for word in words.values()}
        self.pieces = [*sorted(called)[:200], "```", "```json\n", '{"move": ', "}"]
        return said

    def _of(self, data: bytes) -> tuple[Batch, dict[int, str]]:
        return self.held[data[0] % len(self.held) if data else 0]

    def enter(self, data: bytes) -> Any:
        game, called = self._of(data)
        text = data[1:].decode("utf-8", "surrogateescape")
        judged = answers.judged(text, called)
        if len(judged.said) > 100 or judged.said != printable(judged.said):
            raise Failure(f"of an answer is told {judged.said!a}")
        if judged.kind == answers.MOVE and judged.action not in called:
            raise Failure(f"{judged.action} is not legal")
        return game, notation.read(game, text)

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        yield notation.write(*found)
