"""``GameBatch`` on a device: the same games, bit for bit, as tensors that never leave it.

What happens in every step is done there. What is asked of one row, such as its bytes or a picture,
is asked of a ``GameBatch`` with that row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NoReturn, Self

import numpy as np
import torch
from numpy.typing import NDArray

from cyberdeck.common.extras import need
from cyberdeck.common.memory import need_room
from cyberdeck.device.code import Setting
from cyberdeck.device.launch import DeviceLoops
from cyberdeck.device.tensors import Tensors, field, odd
from cyberdeck.engine import dice, loops
from cyberdeck.engine.arrays import Arrays, GameRows, LoopGames
from cyberdeck.engine.asking import OPPONENTS
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import SAME_STEP
from cyberdeck.engine.others import NO_ONE
from cyberdeck.engine.pieces import ROWS, Pieces
from cyberdeck.engine.policy import Policy
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.seats import EVERY_SEAT, Seat
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import ActionError, EpisodeError, OptionError

#: What can be a device: elsewhere nothing is compiled for.
_KINDS: Final = ("cuda", "cpu")

#: What actions may be.
_WHOLE: Final = (
    *(torch.int8, torch.int16, torch.int32, torch.int64),
    *(torch.uint8, torch.uint16, torch.uint32, torch.uint64),
)

#: The compute capability of the oldest card that the code is for: see ``code.py``.
_OLDEST: Final = (8, 0)


def device_called(device: Any) -> torch.device:
    """PyTorch's device of that name, or ``OptionError`` where there is none."""
    try:
        found = torch.device(device)
    except (RuntimeError, TypeError):
        found = None
    if found is None or found.type not in _KINDS:
        raise OptionError(f"device={device!r} is not possible: choose 'cuda', 'cuda:1' or 'cpu'")
    if found.type == "cpu":
        return found
    count, index = torch.cuda.device_count(), found.index
    if not torch.version.cuda or (index or 0) >= count:
        seen = f"PyTorch sees {count} GPU{'s' * (count != 1)} here"
        why = seen if torch.version.cuda else "this PyTorch has no CUDA"
        raise OptionError(f"device={device!r} is not there: {why}; device='cpu' does the same here")
    need("cuda.bindings", "games on a GPU", "cuda")
    found = torch.device("cuda", torch.cuda.current_device() if index is None else index)
    if torch.cuda.get_device_capability(found) < _OLDEST:
        raise OptionError(
            f"device={device!r} is a {torch.cuda.get_device_name(found)}: games need an NVIDIA "
            "card of 2020 or later (compute capability 8.0)"
        )
    return found


def room(device: torch.device) -> int | None:
    """Bytes of a card's memory; None for this machine's own."""
    return None if device.type == "cpu" else torch.cuda.mem_get_info(device)[1]


#: The bits of a seed that count.
_BITS: Final = (1 << 64) - 1


class DeviceGames(GameRows):
    """N games on a device; see ``GameBatch``, whose names these are.

    Actions are checked there before each step, and what comes of that is waited for; unless
    illegal actions lose. Then nothing is waited for, and one that does not exist loses as well.
    """

    #: No history is kept.
    logs: Final = None

    def __init__(
        self,
        variant: Variant,
        count: int,
        *,
        device: torch.device,
        seat: Seat = EVERY_SEAT,
        opponents: Sequence[Policy] = (NO_ONE,),
        allies: Sequence[Policy] = (NO_ONE,),
        autoreset: int = SAME_STEP,
        illegal: str = "raise",
    ) -> None:
        if not is_whole(count) or count < 1:
            raise OptionError(f"{count!r} games are not possible: the number must be at least 1")
        variant.refuse_disguise("games on a device")
        for there, option in (
            (variant.regret, "reward='regret'"),
            (variant.game.recalls, "observation='history'"),
        ):
            if there:
                raise OptionError(f"{option} is not possible on a device: leave out one of the two")
        self.variant, self.device, self.autoreset = variant, device, autoreset
        self.lenient = illegal == "lose"
        self._seated: dict[str, Any] = {
            "seat": seat,
            "opponents": opponents,
            "allies": allies,
            "autoreset": autoreset,
            "illegal": illegal,
        }
        one = self._here(1)
        if seat.number != EVERY and one.others.outside:
            self.ask(one.others.outside[0].policy)
        self.pool, self.ally_pool = one.others.opponent_codes, one.others.ally_codes
        size = Arrays.bytes_of(variant, one._arrays.finals.shape[1])
        need_room(int(count), size, "games", room(device))
        self._tensors = Tensors.like(one._arrays, int(count), device)
        self.started = False
        self._bind()

    def _here(self, count: int) -> GameBatch:
        """As many games of this kind on this processor."""
        return GameBatch(self.variant, count, **self._seated)

    def _bind(self) -> None:
        """What follows from the rest: the loops, and fields of the tensors."""
        self.game = self.variant.game
        tensors = self._tensors
        self.count = len(tensors)
        if "loops" not in vars(self):
            sizes = self.variant.action_count, self.variant.observation_size
            pools = tuple(self.pool.tolist()), tuple(self.ally_pool.tolist())
            setting = Setting(*sizes, *pools, self.autoreset)
            self.loops = DeviceLoops(self.variant, setting, self.device)
        self.states, self.rows = tensors.states, tensors.rows
        self.masks, self.observations = tensors.masks, tensors.observations
        self.finals = tensors.finals
        row = loops.row_dtype(self.game.most_seats, len(self.game.metrics))

        def of_row(name: str) -> torch.Tensor:
            return field(self.rows, row, name)

        self._name_fields(of_row)
        self.terminated = self.terminated.view(torch.bool)
        self.truncated = self.truncated.view(torch.bool)
        self._dice = field(self.states, self.game.dtype, "dice"), of_row("dice")
        self.all_rows = torch.arange(self.count, device=self.device)
        self._games = LoopGames(
            *(self.states, self.rows, self.pool, self.ally_pool, self.autoreset),
            *(self.masks, self.observations.flatten(1), self.finals.flatten(2)),
        )
        self._decisions = Pieces(ROWS)

    def __getstate__(self) -> dict[str, Any]:
        return self._kept() | {"_tensors": self._tensors.to(torch.device("cpu"))}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)
        self.device = device_called(self.device)
        one = self._here(1)._arrays
        self._check_version(self._tensors.fit(Tensors.like(one, 1, torch.device("cpu"))))
        if self._tensors.states.device != self.device:
            self._tensors = self._tensors.to(self.device)
        self._bind()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A twin that goes its own way."""
        twin = object.__new__(type(self))
        vars(twin).update(self._kept() | {"_tensors": self._tensors.copy(), "loops": self.loops})
        twin._bind()
        return twin

    def _kept(self) -> dict[str, Any]:
        names = ("variant", "device", "autoreset", "lenient", "_seated", "pool", "ally_pool")
        return {name: getattr(self, name) for name in (*names, "started")}

    # --- starting --------------------------------------------------------------------------------

    def reset(
        self,
        seeds: Sequence[int | None],
        options: Mapping[str, Any] | None = None,
        which: Any = None,
    ) -> None:
        """Begin a game in each row of *which* (all rows by default), or, on an error, in none."""
        rows = self.all_rows if which is None else torch.as_tensor(which, device=self.device)
        if options is not None and options != {}:
            here = self._here(len(rows))
            self._tensors.bring(here._arrays, rows)
            here.reset(seeds, options)
            self._tensors.put(rows, here._arrays)
        else:
            self._seed(seeds, rows)
            states, books, pool, allies, _, *seen, _ = self._games
            self.loops.begin(rows, states, books, pool, allies, loops.FROM_SHUFFLE, *seen)
        self.started = True

    def _seed(self, seeds: Sequence[int | None], rows: torch.Tensor) -> None:
        if isinstance(seeds, range) and seeds.step == 1:
            which = rows
            given = np.arange(len(seeds), dtype=np.uint64) + np.uint64(seeds.start & _BITS)
        else:
            chosen = [at for at, seed in enumerate(seeds) if seed is not None]
            which = rows[torch.as_tensor(chosen, device=self.device, dtype=torch.int64)]
            given = np.array([int(seeds[at] or 0) & _BITS for at in chosen], np.uint64)
        for own, begun in zip(self._dice, (given, given ^ np.uint64(OPPONENTS)), strict=True):
            own[which] = torch.from_numpy(dice.each_seeded(begun).view(np.int64)).to(self.device)

    # --- playing ---------------------------------------------------------------------------------

    def playing(self) -> torch.Tensor:
        """The seat that the caller plays now: of several the one that decides, or the first."""
        seats: torch.Tensor = self.seats
        if not self._seated["seat"].team:
            return seats
        return torch.where(self.movers != NOBODY, self.movers, seats)

    def actions(self, actions: Any) -> torch.Tensor:
        """*actions* as a tensor of whole numbers, one for each row, or ``ActionError``."""
        if not isinstance(actions, torch.Tensor):
            actions = torch.from_numpy(super().actions(actions))
        given: torch.Tensor = actions
        if what := odd(given):
            raise ActionError(
                f"actions are a {what} tensor: an ordinary one is needed, with a whole number for "
                "each row; nothing was applied"
            )
        self._check_form(tuple(given.shape), given.dtype, whole=given.dtype in _WHOLE)
        return given.to(self.device, torch.int64).contiguous()

    def step(self, actions: torch.Tensor) -> None:
        """Apply one action in every row and go on until the caller has to decide everywhere."""
        if not self.lenient:
            self._check(actions)
        self.advance(actions)

    def advance(self, actions: torch.Tensor) -> None:
        """``step`` without looking whether *actions* are legal: one that is not loses."""
        self.loops.advance(self.all_rows, actions, *self._games)

    def _check(self, actions: torch.Tensor) -> None:
        last = self.variant.action_count - 1
        known = self.masks.gather(1, actions.clamp(0, last)[:, None])[:, 0] == 1
        legal = known & (actions >= 0) & (actions <= last)
        bad = ~legal & (self.movers != NOBODY)
        if bool(bad.any()):
            self._refuse_illegal(bad.nonzero()[:20, 0].tolist(), actions, int(bad.sum()))

    def complaint(self, row: int, action: int) -> str:
        """What is wrong with *action* in *row*: its meaning, who acts, and what is legal."""
        with self.single(row) as (core, at):
            place = f"row {row}: " if self.count > 1 else ""
            return f"{place}{core.complaint(at, action)}"

    def choose(self, code: int) -> torch.Tensor:
        """What a player of the compiled loops decides for the mover of every row (0 where a game
        is over).
        """
        actions = torch.empty(self.count, dtype=torch.int64, device=self.device)
        self.loops.choose(code, self.states, self.rows, self.masks, actions)
        return actions

    def ask(self, policy: Policy, which: Any = None) -> NoReturn:
        """Not here: policies decide in Python."""
        raise OptionError(
            f"{policy!r} is asked from Python, which is not possible on a device: choose 'random' "
            "or 'heuristic'"
        )

    def play(self, code: int, steps: int) -> None:
        """Let a player of the compiled loops make *steps* decisions in every row, all in one."""
        steps = self._checked_steps(steps)
        if self.device.type == "cpu":
            for now, part in self._decisions.of_steps(steps, self.count):
                self.loops.play(code, now, *self._games.part(part))
        elif steps > self._decisions.some:
            for begin, end in self._decisions.of(steps):
                self.loops.play(code, end - begin, *self._games)
                torch.cuda.synchronize(self.device)
        elif steps:  # a GPU is not waited for
            self.loops.play(code, steps, *self._games)

    # --- single rows -----------------------------------------------------------------------------

    @contextmanager
    def single(self, row: int, changed: bool = False) -> Iterator[tuple[GameBatch, int]]:
        """A row as it is now, on this processor, and its place there; it goes back if *changed*."""
        self.check_row(row)
        here, which = self._here(1), self.all_rows[row : row + 1]
        self._tensors.bring(here._arrays, which)
        here.started = self.started
        yield here, 0
        if changed:
            self._tensors.put(which, here._arrays)

    def look(
        self, seat: int, row: int = 0
    ) -> tuple[NDArray[Any], NDArray[np.int8], NDArray[np.int32]]:
        """What *seat* sees now: fresh arrays of the observation, its mask and its metrics."""
        with self.single(row) as (core, at):
            return core.look(seat, at)

    def action_name(self, row: int, action: Any) -> str:
        """What *action* would be in *row* as it stands, in words."""
        with self.single(row) as (core, at):
            return core.action_name(at, action)

    def resample(self, seat: int, random_bits: int | None, row: int = 0) -> None:
        """Redraw what *seat* cannot know in a row; None: by the row's own generator."""
        with self.single(row, changed=True) as (core, at):
            core.resample(seat, random_bits, at)

    def save(self, row: int = 0) -> bytes:
        """One row as bytes."""
        with self.single(row) as (core, at):
            return core.save(at)

    def load(self, saved: bytes, row: int = 0) -> None:
        """Put bytes from ``save`` into a row, or raise ``StateError`` and change nothing."""
        if not self.started and self.count > 1:
            raise EpisodeError("the other rows have no games yet: call reset() first")
        with self.single(row, changed=True) as (core, at):
            core.load(saved, at)
        self.started = True
