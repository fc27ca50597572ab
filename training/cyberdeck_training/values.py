"""What a value in a configuration may be, and what is said of one that is not possible."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn

import pydantic
from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from cyberdeck import Game
from cyberdeck.api.registration import load_file
from cyberdeck.common.text import nearest
from cyberdeck.engine import registry
from cyberdeck.errors import ConsentError, CyberdeckError

#: What turns an observation into the network's input: features extractors.
ENCODINGS: Final[Mapping[str, str]] = {
    "raw": "stable_baselines3.common.torch_layers:FlattenExtractor",
    "scaled": "cyberdeck.api.extractors:Scaled",
    "standardized": "cyberdeck.api.extractors:Standardized",
    "onehot": "cyberdeck.api.extractors:OneHot",
}

ACTIVATIONS: Final[Mapping[str, str]] = {"tanh": "torch.nn:Tanh", "relu": "torch.nn:ReLU"}

#: What PyTorch calls the precisions of its matrix products.
PRECISIONS: Final[Mapping[str, str]] = {"float32": "highest", "bfloat16": "medium"}


def one_of(known: Collection[str]) -> AfterValidator:
    """Of a text: that it is one of these."""

    def check(name: str) -> str:
        if name not in known:
            choices = ", ".join(known)
            raise ValueError(f"there is no {name!r}{nearest(name, known)}; choose {choices}")
        return name

    return AfterValidator(check)


def _number(value: Any) -> Any:
    """YAML takes 3e-4 for a text, and 1e6 for no whole number."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return value
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[int, BeforeValidator(_number)]
Real = Annotated[float, BeforeValidator(_number)]
Positive = Annotated[Whole, Field(ge=1)]
Share = Annotated[Real, Field(ge=0, le=1)]
Rate = Annotated[Real, Field(gt=0, le=1)]
Weight = Annotated[Real, Field(ge=0)]
AboveZero = Annotated[Real, Field(gt=0)]
Width = Annotated[Whole, Field(ge=1, le=2**14)]
Widths = list[Width]


def game_of(given: str) -> Game:
    """The game of that name, or of that file."""
    return game_of_file(given) if given.endswith(".py") else registry.game(given)


#: Once: it is compiled anew each time.
game_of_file: Final = cache(load_file)


def existing_game(given: str) -> str:
    """A game that there is; its file from wherever a run goes on."""
    given = str(Path(given).resolve()) if given.endswith(".py") else given
    game_of(given)
    return given


def refuse(key: str, message: str) -> NoReturn:
    """In a validator: what is wrong with the value of *key*."""
    raise PydanticCustomError("refused", "{message}", {"key": key, "message": message})


@contextmanager
def refused_as(key: str, more: str = "") -> Iterator[None]:
    """What the suite refuses in this block is wrong with the value of *key*."""
    try:
        yield
    except ConsentError:
        raise
    except CyberdeckError as error:
        refuse(key, f"{error}{more}")


class Group(pydantic.BaseModel):
    """Settings that belong together."""

    model_config = {"extra": "forbid", "strict": True, "frozen": True, "allow_inf_nan": False}
