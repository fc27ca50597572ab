"""What a value in a configuration may be, and what is said of one that is not possible."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import pydantic
from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from cyberdeck.common.text import nearest
from cyberdeck.errors import ConsentError, CyberdeckError


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
