"""Files beside the games: policies, solved games, what models were asked, notes of libraries."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from cyberdeck import variant
from cyberdeck.api.registration import load_file
from cyberdeck.engine import native
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.policy import Policy
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, PolicyError, ReplayError
from cyberdeck.exact import Bench, Sequences, Solver
from cyberdeck.players import networks
from cyberdeck.players.networks import Network, Prior, Value, Whole
from cyberdeck.players.solved import Solved
from cyberdeck.replay import Replay, prompts
from cyberdeck.text import answers
from cyberdeck.text.chat.journal import Journal
from cyberdeck.text.chat.protocol import Reply
from tests.fuzz import changes
from tests.fuzz.trial import Door, Failure
from tests.playing.helpers import EXAMPLES
from tests.training.runs import numbers


def played(chosen: Variant, policy: Policy, games: int = 3, most: int = 40) -> None:
    """Let a player play that game, if it can; what it cannot do, it says."""
    core = GameBatch(chosen, games, autoreset=DISABLED)
    with suppress(OptionError, PolicyError):
        policy.check(chosen)
        core.reset([*range(games)])
        while most and (running := np.flatnonzero(core.movers != NOBODY)).size:
            most -= 1
            actions = np.zeros(games, np.int64)
            actions[running] = core.ask(policy, running)
            if not core.masks[running, actions[running]].all():
                raise Failure("a player decides what is not legal")
            core.step(actions)


# --- players -------------------------------------------------------------------------------------


class Policies(Door):
    """Saved policies: a network's weights, and a few words."""

    name = "policy"
    refusals = (PolicyError,)
    SAID = ("game", "activation", "greedy", "options", "features", "actions", "history", "prior")

    def right(self) -> Sequence[bytes]:
        luck = np.random.default_rng(0)

        def layer(out: int, into: int) -> tuple[Any, Any]:
            return luck.normal(size=(out, into)), luck.normal(size=out)

        load_file(EXAMPLES / "tictactoe.py")
        told = {"observation": "prior"}
        self.games = [variant("tictactoe"), variant("hackthegrid"), variant("hackthegrid", **told)]
        width, size, seen = (game.observation_size for game in self.games)
        prior = Prior(self.games[2].layout["prior"].start, 0.5)
        deep = [layer(5, 2 * width), (*layer(4, 5), *layer(5, 4)), layer(9, 5)]
        made = [
            Network("tictactoe", [layer(9, width)]),
            Network("tictactoe", deep, "relu", history=2),
            Network("tictactoe", [layer(9, width + 2)], greedy=False, one_hot=[Whole(1, 0, 2)]),
            Network("hackthegrid", [layer(4, size), layer(69, 4)], value=Value([layer(1, 4)], 1)),
            Network("hackthegrid", [layer(69, seen)], options=told, prior=prior),
        ]
        return [self._saved(each) for each in made]

    def _saved(self, network: Network) -> bytes:
        network.save(self.folder / "saved.safetensors")
        return (self.folder / "saved.safetensors").read_bytes()

    def change(self, data: bytes, luck: Random) -> bytes:
        if len(data) < 8 or luck.random() < 0.1:
            return changes.bytes_changed(data, luck)
        (length,) = struct.unpack("<Q", data[:8])
        head, weights = data[8 : 8 + length], data[8 + length :]
        what = luck.random()
        if what < 0.4:
            pieces = ["tictactoe", "relu", "board", 9, 69]
            with suppress(ValueError, LookupError, TypeError, RecursionError):
                read = json.loads(head)
                name, said = luck.choice(sorted(read["__metadata__"].items()))
                words = changes.json_text_changed(str(said).encode(), luck, pieces)
                read["__metadata__"][name] = words.decode("utf-8", "replace")
                head = json.dumps(read).encode()
        elif what < 0.7:
            pieces = ["F32", "F64", "I8", "BF16", "F8_E4M3", "0.weights", "value.0.biases"]
            head = changes.json_text_changed(head, luck, pieces)
        else:
            large = [struct.pack("<f", each) for each in (1e38, np.nan, np.inf)]
            weights = changes.bytes_changed(weights, luck, large)
        return struct.pack("<Q", len(head)) + head + weights

    def enter(self, data: bytes) -> Any:
        return networks.load(self.file("a.safetensors", data))

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        again = networks.load(self.file("a.safetensors", self._saved(found)))
        if numbers(again) != numbers(found) or any(
            getattr(again, name) != getattr(found, name) for name in self.SAID
        ):
            raise Failure("saved again, it is another")
        yield f"{found.name} {found.game} {found.options} {found.features}"
        for each in self.games:
            played(each, found)


class SolvedGames(Door):
    """Solved games: archives of arrays."""

    name = "solved"
    refusals = (PolicyError,)

    def right(self) -> Sequence[bytes]:
        self.game = Variant(load_file(EXAMPLES / "kuhn_poker.py"), {})
        self.held = Sequences(Bench(self.game).positions)
        solver = Solver(self.held)
        solver.iterate(20)
        solver.save(self.folder / "seed.npz")
        return [(self.folder / "seed.npz").read_bytes()]

    def change(self, data: bytes, luck: Random) -> bytes:
        return changes.archive_changed(data, luck, self._part)

    @staticmethod
    def _part(content: bytes, luck: Random) -> bytes:
        """An array: its head, or its numbers."""
        begin = 10 + int.from_bytes(content[8:10], "little")
        head, numbers = content[10:begin], content[begin:]
        if numbers.startswith(b"{") and luck.random() < 0.8:
            numbers = changes.json_text_changed(numbers, luck, ["kuhn_poker", "tictactoe"])
            head = b"{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }" % len(numbers)
        elif luck.random() < 0.6:
            numbers = changes.bytes_changed(numbers, luck)
        else:
            pieces = ["'<f8'", "'|O'", "'<U9'", "(2, 3)", "(0,)", "(-1,)", "True", "[('a', '<i4')]"]
            text = changes.text_changed(head.decode("latin-1"), luck, pieces)
            head = text.encode("latin-1", "replace")[: 2**16 - 1]
        return content[:8] + len(head).to_bytes(2, "little") + head + numbers

    def enter(self, data: bytes) -> Any:
        return Solved(str(self.file("a.npz", data)))

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        yield f"{found.name} {found.game} {found.options}"
        played(self.game, found, games=30)
        with suppress(OptionError, PolicyError):
            found.over(self.held)


# --- language models -----------------------------------------------------------------------------


class Journals(Door):
    """Answers of language models that were kept."""

    name = "journal"
    refusals = (OptionError,)

    def right(self) -> Sequence[bytes]:
        folder = self.folder / "journal"
        journal = Journal(folder)
        self.requests = [{"messages": [{"role": "user", "content": str(at)}]} for at in range(3)]
        for at, request in enumerate(self.requests):
            journal.answer(request, partial(Reply, f'{{"move": {at}}}', False, 10, 5, 0.5))
        del journal
        return [(folder / "answers.jsonl").read_bytes()]

    def change(self, data: bytes, luck: Random) -> bytes:
        return changes.lines_changed(data, luck, changes.json_text_changed)

    def enter(self, data: bytes) -> Any:
        # Each has its own: what was raised holds its journal, and that its folder.
        with TemporaryDirectory(dir=self.folder) as name:
            (Path(name) / "answers.jsonl").write_bytes(data)
            said = self._said(Path(name))
            if said != self._said(Path(name)):
                raise Failure("kept again, they are others")
        return said

    def _said(self, folder: Path) -> list[Reply]:
        journal = Journal(folder)
        ask = partial(Reply, "", True, 1, 1, 0.5)
        return [journal.answer(request, ask)[0] for request in self.requests]

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        for reply in found:
            yield answers.judged(reply.text, {0: "a"}, reply.cut_off).said
            yield f"{reply.prompt_tokens + reply.completion_tokens:,} in {reply.seconds:.1f} s"


class Prompts(Door):
    """What was asked and answered at each decision of a replay."""

    name = "prompts"
    refusals = (ReplayError,)

    def right(self) -> Sequence[bytes]:
        game = load_file(EXAMPLES / "tictactoe.py").name
        self.replay = Replay(game, 1, [0, 3, 1, 4, 2], ["model", "model"])
        about = {"verdict": "move", "prompt_tokens": 9, "completion_tokens": 3, "seconds": 0.5}
        said = [
            {"role": "user", "content": "Your turn.\nNow."},
            {"role": "assistant", "content": '{"move": "a1"}', **about},
        ]
        notes = [{"seat": at % 2, "messages": said} for at in range(5)]
        prompts.save(self.folder / "seed.jsonl", notes)
        return [(self.folder / "seed.jsonl").read_bytes()]

    def change(self, data: bytes, luck: Random) -> bytes:
        return changes.lines_changed(
            data, luck, partial(changes.json_text_changed, pieces=["assistant", "</script>"])
        )

    def enter(self, data: bytes) -> Any:
        return prompts.load(self.file("a.prompts.jsonl", data))

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        seat = luck.choice([None, 0, 1])
        self.replay.write_html(self.folder / "page.html", seat, asked=found)
        yield (self.folder / "page.html").read_text("utf-8")


# --- libraries -----------------------------------------------------------------------------------


class Notes(Door):
    """The note beside a library, which is not loaded here: a line, and the library behind it."""

    name = "note"

    def right(self) -> Sequence[bytes]:
        library = bytes(range(256)) * 4
        return [native.noted(library).encode() + library]

    def change(self, data: bytes, luck: Random) -> bytes:
        note, _, library = data.partition(b"\n")
        if luck.random() < 0.3:
            return note + b"\n" + changes.bytes_changed(library, luck)
        text = changes.text_changed(note.decode("latin-1"), luck)
        return text.encode("latin-1", "replace") + b"\n" + library

    def enter(self, data: bytes) -> Any:
        note, mark, library = data.partition(b"\n")
        path = self.file("a.so", library)
        self.file("a.so.sum", note + mark)
        why = native._fault(path)
        if (why is None) != (note + mark == native.noted(library).encode()):
            raise Failure(f"of a note that does not agree is said: {why}")
        return why or ""

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        yield found
