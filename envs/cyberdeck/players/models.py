"""Models of other libraries as players: of PyTorch and ONNX; ``sb3.py`` has those that it knows.

Each gives every action a number, in many games at once. The likeliest legal action is taken, or one
is drawn by the probabilities that these numbers are logits of.
"""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common import brought
from cyberdeck.common.extras import need
from cyberdeck.common.text import quoted
from cyberdeck.engine.policy import Expert, Policy, PolicyInput, last_observations, memory_for
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import CyberdeckError, OptionError, PolicyError
from cyberdeck.players.networks import InOwnView, chosen, probabilities, shown_as


class ModelPolicy(Expert):
    """Decides by a number for each action: a subclass gives them.

    Args:
        name: how tables of results call it.
        greedy: take the likeliest action, or draw one by the probabilities.
        masked: choose among the legal actions only. A model that was trained without masks may be
            measured as it is with False: then it may decide illegally.
    """

    tells_chances = True

    def __init__(self, name: str, greedy: bool, masked: bool) -> None:
        self.name, self.greedy, self.masked = name, greedy, masked

    def logits(self, seen: PolicyInput) -> NDArray[Any]:
        """(N, A): the numbers."""
        raise NotImplementedError

    def check(self, variant: Variant) -> None:
        """It must give each action of the game a number: it is tried on two empty observations."""
        shape, count = (2, *variant.observation_shape), variant.action_count
        masks, none = np.ones((2, count), np.int8), np.zeros(2, np.int8)
        memory = np.zeros((2, self.memory), np.float32)
        empty = np.zeros(shape, variant.dtype)
        bits, states = np.zeros(2, np.uint64), np.zeros(0)
        blank = PolicyInput(variant, empty, masks, none, bits, states, memory)
        try:
            found = f"an array of {np.shape(self.logits(blank))}"
        except CyberdeckError:
            raise
        except Exception as error:
            found = brought.in_words(error)
        if found != f"an array of {masks.shape}":
            raise OptionError(
                f"{self.name} cannot play {variant.game.title} here: of observations {shape} it "
                f"makes {found}, and one number for each action is needed, {masks.shape}"
            )

    def decide(self, seen: PolicyInput) -> NDArray[np.int64]:
        """The likeliest action, or one drawn by the probabilities."""
        return chosen(self._legal(seen), self.greedy, seen.random_bits)

    def chances(self, seen: PolicyInput) -> NDArray[np.float64]:
        """(N, A): the probabilities that it draws by, if it does."""
        return super().chances(seen) if self.greedy else probabilities(self._legal(seen))

    def targets(self, seen: PolicyInput) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Its probabilities, of which it may take but the likeliest; of values it says nothing."""
        return probabilities(self._legal(seen)), np.full(len(seen), np.nan)

    def _legal(self, seen: PolicyInput) -> NDArray[np.float64]:
        logits = np.asarray(self.logits(seen), np.float64)
        return np.where(seen.masks == 1, logits, -np.inf) if self.masked else logits


class TorchPolicy(ModelPolicy):
    """A PyTorch module as a player, or an agent of CleanRL.

    The module takes observations (N, ...) and gives logits (N, A), alone or first of several
    results; an agent is asked by its ``get_action_and_value``. It is a copy that learns no more,
    with the module's device and precision.

    Args:
        module: the module.
        greedy, masked, name: as of ``ModelPolicy``.

    >>> import torch
    >>> from cyberdeck import evaluate
    >>> module = torch.nn.Linear(349, 69)
    >>> _ = evaluate("hackthegrid", TorchPolicy(module), ["random"], deals=4)
    """

    def __init__(
        self, module: Any, *, greedy: bool = True, masked: bool = True, name: str | None = None
    ) -> None:
        super().__init__(name or type(module).__name__, greedy, masked)
        self._module = copy.deepcopy(module).eval()

    def logits(self, seen: PolicyInput) -> NDArray[Any]:
        """(N, A): what the module gives; of an agent, the logarithms of its probabilities."""
        import torch

        some = next(self._module.parameters(), torch.zeros(()))
        with torch.inference_mode():
            shown = torch.as_tensor(seen.observations).to(some)
            if hasattr(self._module, "get_action_and_value"):
                # A distribution tells of each action in all games at once.
                actions = torch.arange(seen.masks.shape[1], device=some.device)[:, None]
                found = self._module.get_action_and_value(shown, actions)[1].T
            else:
                found = self._module(shown)
            found = found[0] if isinstance(found, (tuple, list)) else found
            numbers: NDArray[Any] = getattr(found, "logits", found).double().cpu().numpy()
        return numbers


# --- ONNX ----------------------------------------------------------------------------------------

#: What is said of an exported policy beside its numbers.
_ABOUT: Final = ("game", "options", "features", "history", "greedy")

#: What ONNX calls the types of numbers otherwise than NumPy.
_TYPES: Final = {"float": "float32", "double": "float64"}


class OnnxPolicy(ModelPolicy):
    """A model of ONNX as a player: by its file, or as a session of onnxruntime. Needs the extra
    ``onnx``.

    It takes observations (N, ...), beside them masks (N, A) as truth values if it has a second
    input, and gives logits (N, A): its output of that name, or its first. What ``cyberdeck export``
    writes says which features it reads, and how many observations.

    Args:
        model: the file, or the session.
        greedy, masked, name: as of ``ModelPolicy``; without *greedy*, as the model says.
    """

    def __init__(
        self,
        model: Any,
        *,
        greedy: bool | None = None,
        masked: bool = True,
        name: str | None = None,
    ) -> None:
        is_file = isinstance(model, (str, Path))
        self._file = Path(model) if is_file else None
        self._session = _session(self._file) if self._file else model
        kept = self._session.get_modelmeta().custom_metadata_map
        try:
            self._about = {word: json.loads(kept[word]) for word in _ABOUT if word in kept}
        except ValueError:  # somebody else's words
            self._about = {}
        greedy = self._about.get("greedy", True) if greedy is None else greedy
        super().__init__(name or (self._file.stem if self._file else "onnx"), greedy, masked)
        inputs = {each.name: each for each in self._session.get_inputs()}
        outputs = [each.name for each in self._session.get_outputs()]
        self._mask = next((each for each, of in inputs.items() if of.type == "tensor(bool)"), None)
        shown = [of for each, of in inputs.items() if each != self._mask]
        if len(shown) != 1 or len(shown[0].shape) < 2:
            raise PolicyError(
                f"{self.name} takes {', '.join(inputs)}: a player takes observations (N, ...), "
                "and masks as truth values beside them, if it needs any"
            )
        kind = shown[0].type.removeprefix("tensor(").removesuffix(")")
        self._input, self._type = shown[0].name, np.dtype(_TYPES.get(kind, kind))
        self._flat = len(shown[0].shape) == 2
        self._output = "logits" if "logits" in outputs else outputs[0]
        self._history = int(self._about.get("history", 1))
        self.memory = memory_for(
            sum(self._about.get("features", {}).values()) * self._history, self._history
        )

    def check(self, variant: Variant) -> None:
        """The features that it reads must be there; and it must give each action a number."""
        if (game := self._about.get("game", variant.game.name)) != variant.game.name:
            raise OptionError(f"{self.name} plays {quoted(game)}, not {variant.game.title}")
        if missing := self._missing(variant):
            raise OptionError(
                f"{self.name} reads {quoted(missing[0])}, which {variant.game.title} here has not: "
                f"give the options that it was trained with, {self._about.get('options')}"
            )
        super().check(variant)

    def seated(self, variant: Variant) -> Policy:
        """The policy; where its features are not shown, one that sees the game as in training."""
        own = shown_as(variant, self._about.get("options", {})) if self._missing(variant) else None
        if own is not None and not self._missing(own):
            return InOwnView(self, own)
        return super().seated(variant)

    def _missing(self, variant: Variant) -> list[str]:
        """The features that it reads and that are not there."""
        there = {feature.name: feature.size for feature in variant.features}
        read = self._about.get("features", {})
        return [name for name, size in read.items() if there.get(name) != size]

    def logits(self, seen: PolicyInput) -> NDArray[Any]:
        """(N, A): what the model gives."""
        shown = seen.observations
        if features := self._about.get("features"):
            flat, layout = shown.reshape(len(seen), -1), seen.variant.layout
            read = np.hstack([flat[:, layout[name]] for name in features])
            shown = last_observations(replace(seen, observations=read), self._history)
        if self._flat:
            shown = shown.reshape(len(seen), -1)
        given = {self._input: shown.astype(self._type)}
        if self._mask is not None:
            given[self._mask] = seen.masks == 1
        found: NDArray[Any] = self._session.run([self._output], given)[0]
        return found

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | ({"_session": None} if self._file else {})

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)
        if self._file:
            self._session = _session(self._file)


def _session(file: Path) -> Any:
    need("onnxruntime", "policies as ONNX", "onnx")
    import onnxruntime

    try:
        return onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors have no class in common
        raise PolicyError(f"{file} is no model that runs: {brought.in_words(error)}") from None
