"""Files beside the games: policies, solved games, what models were asked, notes of libraries."""

from __future__ import annotations

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
from cyberdeck.errors import OptionError, PolicyError, ReplayError, ResultError
from cyberdeck.evaluation import Evaluation, evaluate, reporting_seed
from cyberdeck.exact import InformationSets, PositionSolver, Solver
from cyberdeck.players import networks
from cyberdeck.players.networks import Network, Prior, Value, Whole
from cyberdeck.players.solved import Solved
from cyberdeck.replay import Replay, prompts
from cyberdeck.text import answers
from cyberdeck.text.chat.journal import Journal
from cyberdeck.text.chat.protocol import Reply
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


class Policies(Door):
    """Saved policies: a network's weights, and a few words."""

    name = "policy"
    reads = ("cyberdeck.players.networks",)
    refusals = (PolicyError,)
    pieces = ("tictactoe", "relu", "board", 9, 69)
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
    reads = ("cyberdeck.players.solved",)
    refusals = (PolicyError,)
    pieces = ("kuhn_poker", "tictactoe")

    def right(self) -> Sequence[bytes]:
        self.game = Variant(load_file(EXAMPLES / "kuhn_poker.py"), {})
        self.held = InformationSets(PositionSolver(self.game).positions)
        solver = Solver(self.held)
        solver.iterate(20)
        solver.save(self.folder / "seed.npz")
        return [(self.folder / "seed.npz").read_bytes()]

    def enter(self, data: bytes) -> Any:
        return Solved(str(self.file("a.npz", data)))

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        yield f"{found.name} {found.game} {found.options}"
        played(self.game, found, games=30)
        with suppress(OptionError, PolicyError):
            found.over(self.held)


class Results(Door):
    """Results of matches."""

    name = "results"
    reads = ("cyberdeck.evaluation.saved",)
    refusals = (ResultError,)
    pieces = ("hackthegrid", "stacktrices", "cyberdeck evaluation", "points")

    def right(self) -> Sequence[bytes]:
        measured = [
            evaluate("hackthegrid", "heuristic", ["random"], deals=2),
            evaluate("hackthegrid", "random", deals=1, seed=reporting_seed("random", "2026-11-24")),
            evaluate("matrix_overload", "random", deals=2, openings=1),
        ]
        return [self._saved(each) for each in measured]

    def _saved(self, result: Evaluation) -> bytes:
        result.save_json(self.folder / "saved.json")
        return (self.folder / "saved.json").read_bytes()

    def enter(self, data: bytes) -> Any:
        return Evaluation.load(self.file("a.json", data))

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        yield found.table()
        again = Evaluation.load(self.file("a.json", self._saved(found)))
        if again.table() != found.table():
            raise Failure("saved again, it is another")


class Journals(Door):
    """Answers of language models that were kept."""

    name = "journal"
    reads = ("cyberdeck.text.chat.journal",)
    refusals = (OptionError,)

    def right(self) -> Sequence[bytes]:
        folder = self.folder / "journal"
        journal = Journal(folder)
        self.requests = [{"messages": [{"role": "user", "content": str(at)}]} for at in range(3)]
        for at, request in enumerate(self.requests):
            journal.answer(request, partial(Reply, f'{{"move": {at}}}', False, 10, 5, 0.5))
        del journal
        return [(folder / "answers.jsonl").read_bytes()]

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
    reads = ("cyberdeck.replay.prompts",)
    refusals = (ReplayError,)
    pieces = ("assistant", "</script>")

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

    def enter(self, data: bytes) -> Any:
        return prompts.load(self.file("a.prompts.jsonl", data))

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        seat = luck.choice([None, 0, 1])
        self.replay.write_html(self.folder / "page.html", seat, asked=found)
        yield (self.folder / "page.html").read_text("utf-8")


class Notes(Door):
    """The note beside a library, which is not loaded here: a line, and the library behind it."""

    name = "note"
    reads = ("cyberdeck.engine.native",)

    def right(self) -> Sequence[bytes]:
        library = bytes(range(256)) * 4
        return [native.noted(library).encode() + library]

    def enter(self, data: bytes) -> Any:
        note, mark, library = data.partition(b"\n")
        path = self.file("a.so", library)
        self.file("a.so.sum", note + mark)
        why = native._fault(path)
        if (why is None) != (note + mark == native.noted(library).encode()):
            raise Failure(f"of a note that does not agree is said: {why}")
        return why or ""
