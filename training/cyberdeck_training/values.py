"""What a value in a configuration may be, and what is said of one that is not possible."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated, Any, Final

import pydantic
from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag
from pydantic_core import PydanticCustomError

from cyberdeck import Game
from cyberdeck.api.registration import load_file
from cyberdeck.common import consent
from cyberdeck.common.brought import load
from cyberdeck.common.text import nearest, quoted
from cyberdeck.engine import registry
from cyberdeck.errors import ConsentError, CyberdeckError, OptionError

#: What turns an observation into the network's input: features extractors.
ENCODINGS: Final[Mapping[str, str]] = {
    "raw": "stable_baselines3.common.torch_layers:FlattenExtractor",
    "scaled": "cyberdeck.api.extractors:Scaled",
    "standardized": "cyberdeck.api.extractors:Standardized",
    "onehot": "cyberdeck.api.extractors:OneHot",
}

#: The activations that the file of a policy knows.
HELD: Final = ("tanh", "relu")

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


# --- what users bring ----------------------------------------------------------------------------


def brought(kind: str, name: str, base: type | None = None, installed: str | None = None) -> Any:
    """What somebody brings as that *kind*, at ``module:Name``: a class that builds on *base*, or
    without one a function.

    What is *installed* under that name, as an entry point's value, was agreed to by installing it.
    """
    module, _, attribute = (installed or name).partition(":")
    if not attribute:
        form = "module:Class" if base else "module:function"
        raise OptionError(f"{name} is no {kind}: it is named as {form}")
    ours = module.partition(".")[0] == __package__
    made = load(kind, name, installed or name, installed is not None or ours)
    if base is None and not callable(made):
        raise OptionError(f"{name} is no {kind}: it must be a function")
    if base is not None and not (isinstance(made, type) and issubclass(made, base)):
        where = f"{base.__module__}.{base.__name__}"
        raise OptionError(f"{name} is no {kind}: it must be a class that builds on {where}")
    if ours:
        consent.need(kind, name, getattr(made, "effects", ()))
    return made


def existing(kind: str, base: str = "") -> AfterValidator:
    """Of a text: that there is such a *kind* of what users bring; *base*: as of ``brought``, by its
    ``module:Name``.
    """

    def check(given: str) -> str:
        brought(kind, given, resolve_name(base) if base else None)
        return given

    return AfterValidator(check)


def activation(given: str) -> str:
    """One of PyTorch's activations, by its name there; upper and lower case are the same."""
    if given.lower() not in HELD:
        activation_class(given)
    return given


def activation_class(given: str) -> Any:
    """The module of ``torch.nn`` that is called so."""
    import torch

    known = {name.lower(): name for name in torch.nn.modules.activation.__all__}
    with suppress(AttributeError, TypeError, RuntimeError, ValueError):  # or it takes arguments
        made = getattr(torch.nn, known.get(given.lower(), ""))
        made()(torch.zeros(3, 1))
        return made
    close = nearest(given.lower(), known)
    raise ValueError(
        f"there is no {given!r}{close}; choose tanh, relu, GELU, or another activation of torch.nn "
        "that needs no arguments"
    )


# --- what is wrong -------------------------------------------------------------------------------


def refuse(key: str, message: str, wrong: object = True) -> None:
    """In a validator: what is wrong with the value of *key*, if something is."""
    if wrong:
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


# --- kinds of values ------------------------------------------------------------------------------


class Residual(Group):
    """A residual block among the shared layers: what it takes, plus what its hidden units add."""

    residual: Width


class Layers(Group):
    """The hidden layers: of the policy, and of the network that values positions."""

    shared: list[
        Annotated[
            Annotated[Width, Tag("<width>")] | Annotated[Residual, Tag("<block>")],
            Discriminator(lambda x: "<block>" if isinstance(x, dict | Residual) else "<width>"),
        ]
    ] = Field(default=[])
    """Those of both, before their own."""
    pi: Widths
    vf: Widths


#: One list stands for both networks. The tags are parts of no key.
NetArch = Annotated[
    Annotated[Widths, Tag("<both>")] | Annotated[Layers, Tag("<each>")],
    Discriminator(lambda given: "<each>" if isinstance(given, dict | Layers) else "<both>"),
]


def _without_arguments(given: Any) -> Any:
    if isinstance(given, list) and {*map(type, given)} <= {str}:
        return {key: {} for key in given}
    if not isinstance(given, dict):
        form = "a list such as [module:Class], or a mapping such as {module:Class: {argument: 1}}"
        raise ValueError(f"must be {form}, not {quoted(given)}")
    return given


_CALLBACK: Final = existing("callback", "stable_baselines3.common.callbacks:BaseCallback")

#: Their arguments by ``module:Class``; a list of them takes none.
Callbacks = Annotated[
    dict[Annotated[str, _CALLBACK], dict[str, Any]], BeforeValidator(_without_arguments)
]
