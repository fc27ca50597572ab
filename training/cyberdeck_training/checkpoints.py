"""Checkpoints: everything a run needs to go on as if nothing had happened.

Each is a folder that is there whole or not at all. Reading one runs no code that lies in it: the
weights are read as numbers, everything else is JSON and plain arrays.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import random
import shutil
import struct
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck import CyberdeckError
from cyberdeck.common import archives, reading
from cyberdeck.common.files import PARTLY, make_folder, put, write_whole
from cyberdeck.common.text import printable, quoted
from cyberdeck.engine.history import courses, logs_of

FORMAT: Final = 3

#: What the state of a checkpoint must hold: of the learner, of the generators, of the run.
_KEYS: Final = (
    *("num_timesteps", "n_updates", "python_rng", "numpy_rng"),
    *("updates", "seconds", "best", "measured", "curves", "evaluations", "pool"),
)

#: Its whole numbers, and their bounds.
_WHOLE: Final = {
    **dict.fromkeys(("num_timesteps", "n_updates", "updates", "curves", "evaluations"), (0, 2**62)),
    "measured": (-1, 2**62),
    "numpy_rng": (0, 624),
}

#: The state of PyTorch's generator, as its bytes lie: what it was begun with, how many words are
#: left until new ones are made (one more than there are), where the next of them stands, and what
#: it keeps of normal numbers, which come in pairs.
_TORCH_RNG: Final = np.dtype(
    [
        *(("seed", "<u8"), ("left", "<i4"), ("seeded", "<i4"), ("next", "<u8")),
        *(("words", "<u8", 624), ("pair", "<f8", 3), ("paired", "<i4"), ("between", "<i4")),
        *(("single", "<f4"), ("kept", "<u1"), ("behind", "<u1", 3)),
    ]
)

#: No file of numbers is longer, in bytes.
_LONGEST: Final = 2**36

_MODEL, _ARRAYS, _STATE = "model.zip", "arrays.npz", "state.json"

#: How many values a file of weights may hold: an optimizer has four for each layer's.
_MOST_VALUES: Final = 100_000

#: What the names of weights in a model end with.
_WEIGHTS: Final = ".pth"

#: What the wrappers of envs remember, if they are there: their arrays.
_SHOWN: Final = ("frames", "shown_to_all")

#: What the names of the arrays of games' courses begin with, where they are kept.
_COURSES: Final = "course "

#: What the names of what a rollout left open begin with.
_OPEN: Final = "open "

#: What the names of a replay's arrays begin with.
_REPLAY: Final = "replay "


class CheckpointError(CyberdeckError):
    """A checkpoint that is damaged or does not fit the run."""


def save(folder: Path, model: Any, envs: Any, state: dict[str, Any]) -> None:
    """Write a checkpoint, with *state* in it, then remove older ones.

    It is taken between an update and the next rollout, when nothing else is under way.
    """
    import torch

    numpy_rng = np.random.get_state(legacy=False)  # noqa: NPY002  # SB3 draws from it
    logs = envs.unwrapped.core.logs
    arrays = {
        **_remembered(model, envs),
        **{name: getattr(envs, name) for name in _SHOWN if hasattr(envs, name)},
        **({_COURSES + name: part for name, part in courses(logs).items()} if logs else {}),
        **{_OPEN + name: part for name, part in model.rollout_buffer.open().items()},
        "observations": model._last_obs,
        "games": _games(envs),
        "torch_rng": torch.get_rng_state().numpy(),
        "numpy_rng": numpy_rng["state"]["key"],
    }
    content = {
        "format": FORMAT,
        "num_timesteps": model.num_timesteps,
        "n_updates": model._n_updates,
        "python_rng": random.getstate(),
        "numpy_rng": numpy_rng["state"]["pos"],
        **state,
    }
    make_folder(folder)
    partly = folder / PARTLY
    shutil.rmtree(partly, ignore_errors=True)
    partly.mkdir()
    try:
        write_packed(partly / _MODEL, model.save)
        write_packed(partly / _ARRAYS, lambda file: np.savez(file, **arrays))
        write_whole(partly / _STATE, json.dumps(content))
        place = folder / f"{model.num_timesteps:015}"
        if place.exists():  # of the same decisions: the older one until this one is there
            put(place, folder / f"{model.num_timesteps - 1:015}")
        put(partly, place)
    except BaseException:
        shutil.rmtree(partly, ignore_errors=True)
        raise
    for older in _all(folder)[:-1]:
        shutil.rmtree(older, ignore_errors=True)


def write_packed(path: Path, write: Callable[[io.BytesIO], Any]) -> None:
    """What *write* writes. In memory first: PyTorch hides what goes wrong with a file."""
    packed = io.BytesIO()
    write(packed)
    write_whole(path, packed.getvalue())


def last(folder: Path) -> Path | None:
    """The newest checkpoint, or None."""
    found = _all(folder)
    return found[-1] if found else None


def _all(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*") if path.name.isdigit())


def read(checkpoint: Path) -> dict[str, Any]:
    """A checkpoint's state, as far as it is JSON."""
    try:
        state: dict[str, Any] = reading.from_json(reading.read_bytes(checkpoint / _STATE))
        version = state["format"]
        missing = [key for key in _KEYS if key not in state] if version == FORMAT else []
        if missing:
            raise KeyError(*missing)
        if version == FORMAT:
            _check_numbers(state)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _unfit(checkpoint, error) from None
    if version != FORMAT:
        raise CheckpointError(
            f"{checkpoint} has the format {quoted(version)}, and this cyberdeck reads only "
            f"{FORMAT}: use the version that made it, or begin a new run"
        )
    return state


def _unfit(checkpoint: Path, error: Exception) -> CheckpointError:
    """That nothing goes on from a checkpoint, and why; PyTorch repeats names of weights."""
    if isinstance(error, KeyError):
        why = f"it has no {quoted(error.args[0])}"
    else:
        why = " ".join(str(getattr(error, "strerror", None) or error).split())
    return CheckpointError(
        f"{checkpoint} is damaged, or not of this run ({printable(why, 300)}): begin a new run; "
        "the policies of this one (*.safetensors) still play"
    )


def _check_numbers(state: dict[str, Any]) -> None:
    """``ValueError`` unless they are in range: NumPy's generator, for one, does not ask."""
    for name, (low, high) in _WHOLE.items():
        try:
            reading.whole(state[name], low, high)
        except ValueError as error:
            raise ValueError(f"{name} is {quoted(state[name])}: {error}") from None
    if not isinstance(state["best"], float | int) or not isinstance(state["pool"], dict):
        raise ValueError("best is no number, or pool no mapping")
    reading.finite(state["seconds"])


@contextmanager
def damage_told(checkpoint: Path) -> Iterator[None]:
    """What putting back a damaged checkpoint may raise becomes one error that says so."""
    try:
        yield
    except _DAMAGE as error:
        raise _unfit(checkpoint, error) from None


def restore_learner(checkpoint: Path, model: Any) -> None:
    """The weights, and what the optimizer remembers; *model* was made by the same config."""
    from stable_baselines3.common.save_util import load_from_zip_file

    with reading.opened(checkpoint / _MODEL, _LONGEST) as file:
        archives.check_stored(file)
        with zipfile.ZipFile(file) as archive:
            for name in archive.namelist():
                if name.endswith(_WEIGHTS):  # an archive as well
                    archives.check_stored(archive.open(name))
        size = file.seek(0, os.SEEK_END)
    # Reads weights and nothing else: the pickled rest of the file is left alone.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's, of what it then refuses
        _, held, _ = load_from_zip_file(checkpoint / _MODEL, load_data=False, device="cpu")
    _check_tensors(held, size)
    of_optimizer = _fitting(held["policy.optimizer"], model.policy.optimizer)
    model.set_parameters({**held, "policy.optimizer": of_optimizer}, device="cpu")


def _check_tensors(read: Any, size: int) -> None:
    """``ValueError`` unless all are of finite numbers, and together no longer than the file.

    A tensor may say of a few numbers that it repeats them as often as it likes; several that are
    one in a model, such as an extractor's, are one in the file.
    """
    import torch

    tensors, waiting = [], [read]
    for _ in range(_MOST_VALUES):
        if not waiting:
            break
        value = waiting.pop()
        if isinstance(value, torch.Tensor):
            tensors.append(value)
        elif isinstance(value, Mapping):
            waiting += value.values()
        elif isinstance(value, (list, tuple)):
            waiting += value
    storages = [each.untyped_storage() for each in tensors]
    stored = {each.data_ptr(): each.nbytes() for each in storages}
    repeats = any(a.nbytes > b.nbytes() for a, b in zip(tensors, storages, strict=True))
    if waiting or repeats or sum(stored.values()) > size:
        raise ValueError("its tensors are longer than the file, or too many")
    if not all(bool(torch.isfinite(each).all()) for each in tensors):
        raise ValueError("its numbers are not finite")


def _fitting(read: Any, optimizer: Any) -> dict[str, Any]:
    """What *optimizer* is to remember of each weight, from a file, with its own settings.

    Its loop does not ask whether that is as long as the weights are.
    """
    import torch

    weights = [weight for group in optimizer.param_groups for weight in group["params"]]
    for at, parts in read["state"].items():
        weight = weights[range(len(weights)).index(at)]
        if set(parts) != {"step", "exp_avg", "exp_avg_sq"}:
            raise ValueError("its optimizer is another")
        for name, part in parts.items():
            known = torch.zeros(()) if name == "step" else weight
            if (part.shape, part.dtype) != (known.shape, known.dtype) or not part.is_contiguous():
                raise ValueError("its optimizer remembers other weights")
    return {"state": read["state"], "param_groups": optimizer.state_dict()["param_groups"]}


def restore_games(checkpoint: Path, state: dict[str, Any], model: Any, envs: Any) -> None:
    """The games, what players remember of them, and all generators.

    The opponents have to be in their slots by now: they may begin.
    """
    import torch

    arrays = archives.arrays(checkpoint / _ARRAYS, _LONGEST)
    torch_rng = _torch_rng(arrays)
    envs.reset()
    _put_back(envs, arrays)
    for name in _SHOWN:
        if (shown := getattr(envs, name, None)) is not None:
            shown[:] = _like(shown, arrays, name)
    if (logs := envs.unwrapped.core.logs) is not None:
        kept = {name.removeprefix(_COURSES): part for name, part in arrays.items()}
        logs[:] = logs_of(logs, kept)
    buffer = model.rollout_buffer
    opened = buffer.open().items()
    buffer.put_open({name: _like(part, arrays, _OPEN + name) for name, part in opened})
    _remember(model, envs, arrays)
    model._last_obs = arrays["observations"]
    model.num_timesteps = int(state["num_timesteps"])
    model._n_updates = int(state["n_updates"])
    version, numbers, gauss = state["python_rng"]
    random.setstate((version, tuple(numbers), gauss))
    np.random.set_state(  # noqa: NPY002
        ("MT19937", arrays["numpy_rng"], int(state["numpy_rng"]), 0, 0.0)
    )
    torch.set_rng_state(torch.from_numpy(torch_rng))


#: What reading a damaged file may raise.
_DAMAGE: Final = (
    *(OSError, ValueError, LookupError, TypeError, RuntimeError, EOFError, ArithmeticError),
    *(AttributeError, AssertionError, struct.error, zipfile.BadZipFile, pickle.UnpicklingError),
)


def _games(envs: Any) -> NDArray[np.uint8]:
    """(N, bytes): every game with its bookkeeping."""
    return np.array([np.frombuffer(b, np.uint8) for b in envs.env_method("get_state")])


def _players(model: Any, envs: Any) -> list[Any]:
    """All who may remember something, in an order that a run keeps."""
    core = envs.unwrapped.core
    experts = [each.expert for each in getattr(model, "teachers", ())]
    return list(dict.fromkeys([*core.others.opponents, *core.others.allies, *experts]))


def _remembered(model: Any, envs: Any) -> dict[str, NDArray[Any]]:
    """What the players remember of the games, and the positions of earlier rollouts."""
    found: dict[str, NDArray[Any]] = {}
    for at, player in enumerate(_players(model, envs)):
        arrays = envs.unwrapped.core.memories.arrays(player)
        if arrays is not None:
            found[f"memory {at}"], found[f"remembered {at}"] = arrays
    if getattr(model, "replay", None) is not None:
        found |= {f"{_REPLAY}{name}": array for name, array in model.replay.arrays().items()}
    return found


def _remember(model: Any, envs: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Put back what ``_remembered`` gave."""
    memories = envs.unwrapped.core.memories
    for at, player in enumerate(_players(model, envs)):
        if f"memory {at}" in arrays:
            numbers = arrays[f"memory {at}"]
            if numbers.shape[-1:] != (player.memory,):
                raise ValueError(f"{player.name} does not remember {numbers.shape[-1:]} numbers")
            memories.put_back(player, numbers, arrays[f"remembered {at}"])
    names = [name for name in arrays if name.startswith(_REPLAY)]
    if names:
        kept = {name.removeprefix(_REPLAY): arrays[name] for name in names}
        model.replay.restore(kept, model.rollout_buffer)


def _like(known: NDArray[Any], arrays: Mapping[str, NDArray[Any]], name: str) -> NDArray[Any]:
    """The array of that name, or ``ValueError`` if it is not one such as *known*."""
    found = arrays[name]
    if (found.shape, found.dtype) != (known.shape, known.dtype):
        raise ValueError(f"its {name} are {found.shape} of {found.dtype}")
    if found.dtype.kind == "f" and not np.isfinite(found).all():
        raise ValueError(f"its {name} are not finite")
    return found


def _torch_rng(arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.uint8]:
    """The state of PyTorch's generator, or ``ValueError``: PyTorch itself reads behind its words,
    if the two numbers that say how many are left do not fit together.
    """
    import torch

    found = _like(torch.get_rng_state().numpy(), arrays, "torch_rng")
    state = found.view(_TORCH_RNG)[0]
    left, after = int(state["left"]), int(state["next"])
    right = state["seeded"] == 1 and left >= 1 and after + left <= 625
    kept = (state["paired"], state["kept"])
    if not right or max(kept) > 1 or not np.isfinite([*state["pair"], state["single"]]).all():
        raise ValueError(f"its torch_rng has {left} words left from {after} on, or is damaged")
    return found


def _put_back(envs: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
    games = arrays["games"]
    if len(games) != envs.num_envs:
        raise ValueError(f"it holds {len(games)} games, and this run has {envs.num_envs}")
    space = envs.observation_space
    _like(np.zeros((envs.num_envs, *space.shape), space.dtype), arrays, "observations")
    for row, game in enumerate(games):
        envs.env_method("set_state", game.tobytes(), indices=[row])
