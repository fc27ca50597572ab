"""Checkpoints: everything a run needs to go on as if nothing had happened.

Each is a folder that is there whole or not at all. Reading one runs no code that lies in it: all
that is in it is JSON and plain arrays.
"""

from __future__ import annotations

import math
import random
import shutil
import struct
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, FiniteFloat

from cyberdeck import CyberdeckError
from cyberdeck.common import archives, reading
from cyberdeck.common.files import PARTLY, make_folder, put, write_whole
from cyberdeck.common.text import printable
from cyberdeck.engine.history import courses, logs_of

_Counted = Annotated[int, Field(ge=0, lt=2**62)]


class State(BaseModel):
    """What a checkpoint says in JSON; the defaults are those of a run that begins."""

    model_config = {"strict": True, "ser_json_inf_nan": "constants"}

    format: Literal[1] = 1
    num_timesteps: _Counted = 0
    n_updates: _Counted = 0
    """The learner's, which counts passes over rollouts."""
    updates: _Counted = 0
    """The run's, which counts rollouts."""
    seconds: FiniteFloat = 0.0
    """That were spent up to here."""
    best: float = -math.inf
    """What the best policy has reached in an evaluation."""
    measured: Annotated[int, Field(ge=-1, lt=2**62)] = -1
    """The timesteps of the latest evaluation."""
    curves: _Counted | None = None
    """Bytes of the file of learning curves, as for that of evaluations."""
    evaluations: _Counted | None = None
    pool: dict[str, Any] = {}  # pydantic copies it
    python_rng: list[Any] = []
    numpy_rng: Annotated[int, Field(ge=0, le=624)] = 0
    """How many words NumPy's generator has used of those that it holds: it does not ask itself."""


#: No file of numbers is longer, in bytes.
_LONGEST: Final = 2**36

_ARRAYS, _STATE = "arrays.npz", "state.json"

#: What wrappers of envs remember, if they are there: their arrays.
_FRAMES: Final = "frames"

#: What the names of a learner's weights begin with, and of what its optimizer remembers of them.
_WEIGHT: Final = "weight "
_OPTIMIZER: Final = "optimizer "

#: What the names of the arrays of games' courses begin with, where they are kept.
_COURSES: Final = "course "

#: What the names of what a rollout left open begin with.
_OPEN: Final = "open "


class CheckpointError(CyberdeckError):
    """A checkpoint that is damaged or does not fit the run."""


def save(folder: Path, model: Any, envs: Any, state: State) -> None:
    """Write a checkpoint, with *state* in it, then remove older ones.

    It is taken between an update and the next rollout, when nothing else is under way.
    """
    import torch

    numpy_rng = np.random.get_state(legacy=False)  # noqa: NPY002  # SB3 draws from it
    core, replay = envs.unwrapped.core, getattr(model, "replay", None)
    arrays = {
        **weights(model),
        **(replay.arrays() if replay is not None else {}),
        **({_FRAMES: envs.frames} if hasattr(envs, _FRAMES) else {}),
        **{
            _COURSES + name: part
            for name, part in (courses(core.logs) if core.logs else {}).items()
        },
        **{_OPEN + name: part for name, part in model.rollout_buffer.open().items()},
        "observations": model._last_obs,
        "games": _games(envs),
        "torch_rng": torch.get_rng_state().numpy(),
        "numpy_rng": numpy_rng["state"]["key"],
    }
    for at, player in _players(model, envs):
        if (memory := core.memories.arrays(player)) is not None:
            arrays[f"memory {at}"], arrays[f"remembered {at}"] = memory
    generators = {"python_rng": [*random.getstate()], "numpy_rng": numpy_rng["state"]["pos"]}
    learner = {"num_timesteps": model.num_timesteps, "n_updates": model._n_updates}
    content = state.model_copy(update={**learner, **generators})
    make_folder(folder)
    partly = folder / PARTLY
    shutil.rmtree(partly, ignore_errors=True)
    partly.mkdir()
    try:
        write_packed(partly / _ARRAYS, lambda file: np.savez(file, **arrays))
        write_whole(partly / _STATE, content.model_dump_json())
        place = folder / f"{model.num_timesteps:015}"
        if place.exists():  # of the same decisions: the older one until this one is there
            put(place, folder / f"{model.num_timesteps - 1:015}")
        put(partly, place)
    except BaseException:
        shutil.rmtree(partly, ignore_errors=True)
        raise
    for older in every(folder)[:-1]:
        shutil.rmtree(older, ignore_errors=True)


def write_packed(path: Path, write: Callable[[BytesIO], Any]) -> None:
    """What *write* writes. In memory first: PyTorch hides what goes wrong with a file."""
    packed = BytesIO()
    write(packed)
    write_whole(path, packed.getvalue())


def last(folder: Path) -> Path | None:
    """The newest checkpoint, or None."""
    return max(every(folder), default=None)


def every(folder: Path) -> list[Path]:
    """All of them, the oldest first."""
    return sorted(path for path in folder.glob("*") if path.name.isdigit())


def read(checkpoint: Path) -> State:
    """A checkpoint's state, as far as it is JSON."""
    with damage_told(checkpoint):
        read = reading.from_json(reading.read_bytes(checkpoint / _STATE))
        state = State.model_validate(read)
        if missing := State.model_fields.keys() - state.model_fields_set:
            raise ValueError(f"it has no {', '.join(sorted(missing))}")
    return state


@contextmanager
def damage_told(checkpoint: Path) -> Iterator[None]:
    """What reading or putting back a damaged checkpoint may raise becomes one error that says that
    nothing goes on from it, and why.
    """
    try:
        yield
    except _DAMAGE as error:
        missing = f"it has no {error.args[0]!r}" if isinstance(error, KeyError) else ""
        why = missing or str(getattr(error, "strerror", None) or error)
        raise CheckpointError(
            f"{checkpoint} is damaged, or not of this run ({printable(' '.join(why.split()), 300)})"
            ": begin a new run; the policies of this one (*.safetensors) still play"
        ) from None


def restore(checkpoint: Path, state: State, model: Any, envs: Any) -> None:
    """What was learned, the games, what players remember of them, and all generators.

    *model* was made by the same configuration. The opponents have to be in their slots by now: they
    may begin.
    """
    import torch

    arrays = archives.arrays(checkpoint / _ARRAYS, _LONGEST)
    torch_rng = _torch_rng(arrays)
    put_weights(model, arrays)
    seen = envs.reset()
    for row, game in enumerate(like(_games(envs), arrays, "games")):
        envs.env_method("set_state", game.tobytes(), indices=[row])
    model._last_obs = like(seen, arrays, "observations")
    if (shown := getattr(envs, _FRAMES, None)) is not None:
        shown[:] = like(shown, arrays, _FRAMES)
    core = envs.unwrapped.core
    if core.logs is not None:
        kept = {name.removeprefix(_COURSES): part for name, part in arrays.items()}
        core.logs[:] = logs_of(core.logs, kept)
    buffer = model.rollout_buffer
    opened = buffer.open().items()
    buffer.put_open({name: like(part, arrays, _OPEN + name) for name, part in opened})
    for at, player in _players(model, envs):
        if f"memory {at}" in arrays:
            numbers = arrays[f"memory {at}"]
            if numbers.shape[-1:] != (player.memory,):
                raise ValueError(f"{player.name} does not remember {numbers.shape[-1:]} numbers")
            core.memories.put_back(player, numbers, arrays[f"remembered {at}"])
    if getattr(model, "replay", None) is not None:
        model.replay.restore(arrays, buffer)
    model.num_timesteps, model._n_updates = state.num_timesteps, state.n_updates
    version, numbers, gauss = state.python_rng
    random.setstate((version, tuple(numbers), gauss))
    np.random.set_state(("MT19937", arrays["numpy_rng"], state.numpy_rng, 0, 0.0))  # noqa: NPY002
    torch.set_rng_state(torch.from_numpy(torch_rng))


def weights(model: Any) -> dict[str, NDArray[Any]]:
    """What was learned, and what the optimizer remembers of it, each once."""
    return {name: _array(part) for name, part in _tensors(model).items()}


def put_weights(model: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Put back what ``weights`` gave, or ``ValueError``: an optimizer's loop, for one, does not ask
    whether what it remembers is as long as the weights are.
    """
    import torch

    memory = model.policy.optimizer.state
    for at, weight in enumerate(_trained(model)):
        memory.pop(weight, None)
        if any(name.startswith(f"{_OPTIMIZER}{at} ") for name in arrays):  # not before an update
            memory[weight] = _first_memory(model, weight)
    parts = _tensors(model)
    read = {name: like(_array(part), arrays, name) for name, part in parts.items()}
    with torch.no_grad():
        for name, part in parts.items():
            part.copy_(torch.from_numpy(read[name]))


def _tensors(model: Any) -> dict[str, Any]:
    """Those of a model's policy, and of its optimizer's memory by the places of its weights."""
    policy = model.policy
    learned = {**dict(policy.named_parameters()), **dict(policy.named_buffers())}
    found = {_WEIGHT + name: part for name, part in learned.items()}
    for at, weight in enumerate(_trained(model)):
        memory = policy.optimizer.state.get(weight, {})
        found |= {f"{_OPTIMIZER}{at} {name}": part for name, part in memory.items()}
    return found


def _trained(model: Any) -> list[Any]:
    return [each for group in model.policy.optimizer.param_groups for each in group["params"]]


def _first_memory(model: Any, weight: Any) -> dict[str, Any]:
    """What an optimizer remembers of a weight after a step."""
    import torch

    optimizer, twin = model.policy.optimizer, torch.nn.Parameter(torch.zeros_like(weight))
    twin.grad = torch.zeros_like(weight)
    other = type(optimizer)([twin], **optimizer.defaults)
    other.step()
    return dict(other.state[twin])


def _array(part: Any) -> NDArray[Any]:
    array: NDArray[Any] = part.detach().contiguous().numpy()
    return array


#: What reading a damaged file may raise.
_DAMAGE: Final = (
    *(OSError, ValueError, LookupError, TypeError, RuntimeError, EOFError, ArithmeticError),
    *(AttributeError, AssertionError, struct.error, zipfile.BadZipFile),
)


def _games(envs: Any) -> NDArray[np.uint8]:
    """(N, bytes): every game with its bookkeeping."""
    return np.array([np.frombuffer(b, np.uint8) for b in envs.env_method("get_state")])


def _players(model: Any, envs: Any) -> Iterator[tuple[int, Any]]:
    """All who may remember something, numbered in an order that a run keeps."""
    core = envs.unwrapped.core
    experts = [each.expert for each in getattr(model, "teachers", ())]
    return enumerate(dict.fromkeys([*core.others.opponents, *core.others.allies, *experts]))


def like(known: NDArray[Any], arrays: Mapping[str, NDArray[Any]], name: str) -> NDArray[Any]:
    """The array of that name, or ``ValueError`` if it is not one such as *known*."""
    found = arrays[name]
    if (found.shape, found.dtype) != (known.shape, known.dtype):
        raise ValueError(f"its {name} are {found.shape} of {found.dtype}")
    if found.dtype.kind == "f" and not np.isfinite(found).all():
        raise ValueError(f"its {name} are not finite")
    return found


def _torch_rng(arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.uint8]:
    """The state of PyTorch's generator, or ``ValueError``: PyTorch itself reads behind its words,
    if the numbers that say how many are left and where the next one stands do not fit together.
    """
    import torch

    state = like(torch.get_rng_state().numpy(), arrays, "torch_rng")
    left, seeded, *after = state[8:24].view("<i4").tolist()
    if seeded != 1 or left < 1 or after[1] or not 0 <= after[0] <= 625 - left:
        raise ValueError(f"its torch_rng has {left} words left from {after[0]} on, or is damaged")
    return state
