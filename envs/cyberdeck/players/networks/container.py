"""The container of saved policies: a ``.safetensors`` file, words and numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from numpy.typing import NDArray

from cyberdeck.common.extras import need
from cyberdeck.common.files import write_whole
from cyberdeck.common.reading import opened
from cyberdeck.common.text import printable
from cyberdeck.errors import PolicyError

#: The ending of a saved policy's file.
SUFFIX: Final = ".safetensors"

VERSION: Final = 4

#: The word that says the version.
_MARK: Final = "cyberdeck policy"

#: How many bytes a file may have.
MOST_BYTES: Final = 1 << 30


def write(path: str | Path, words: Mapping[str, str], tensors: dict[str, NDArray[Any]]) -> None:
    """Write a file; it is there whole, or not at all."""
    need("safetensors", "saved policies")
    from safetensors.numpy import save

    path = Path(path)
    if path.suffix != SUFFIX:
        raise PolicyError(f"{path}: the file of a policy must end with {SUFFIX}")
    write_whole(path, _in_order(save(tensors, metadata={_MARK: str(VERSION), **words})))


def _in_order(content: bytes) -> bytes:
    """A file with the words of its header in order: safetensors writes them in any."""
    after = 8 + int.from_bytes(content[:8], "little")
    head = json.dumps(json.loads(content[8:after]), sort_keys=True, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)  # numbers lie at multiples of eight
    return len(head).to_bytes(8, "little") + head + content[after:]


def read(path: str | Path) -> tuple[dict[str, str], dict[str, Any]]:
    """The words and the tensors of a file of this version, or ``PolicyError``."""
    need("safetensors", "saved policies")
    from safetensors import SafetensorError, safe_open

    try:
        opened(path, MOST_BYTES).close()
        with safe_open(str(path), framework="numpy") as file:
            words = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise PolicyError(f"{path} does not exist: give the file of a saved policy") from None
    except OSError as error:
        raise PolicyError(f"{path} cannot be read: {error.strerror or error}") from None
    except (SafetensorError, TypeError, AttributeError) as error:
        # The last two: numbers of a kind that NumPy does not have.
        why = printable(str(error), 300)
        raise PolicyError(f"{path} is no whole file of a saved policy ({why})") from None
    version = words.get(_MARK)
    if version is None:
        raise PolicyError(f"{path} holds weights, but not those of a cyberdeck policy")
    if version != str(VERSION):
        raise PolicyError(
            f"{path} has the version {printable(version, 60)}: this cyberdeck reads {VERSION}, "
            "which names the features that a policy reads; save the policy anew from its model "
            "(cyberdeck.api.sb3.network), or train it anew"
        )
    return words, tensors
