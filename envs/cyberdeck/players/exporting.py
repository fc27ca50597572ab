"""Policies for elsewhere: as ONNX, and as numbers that a short file of NumPy plays by."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cyberdeck.common.extras import need
from cyberdeck.common.files import write_whole
from cyberdeck.errors import PolicyError
from cyberdeck.players import standalone
from cyberdeck.players.networks import Layer, Network, stored

if TYPE_CHECKING:
    from onnx import NodeProto

#: The version of ONNX's operators: one that runtimes of 2022 have.
_OPERATORS: Final = 17

#: What stands in the place of minus infinity, which some runtimes do not have.
_ILLEGAL: Final = -1e30


def export(network: Network, path: str | Path) -> list[Path]:
    """Write a network for elsewhere, by the ending of *path*: what was written.

    ``.onnx``: takes ``observation`` and ``mask``, gives ``logits`` and, if the network says what
    positions are worth, ``value``. ``.py``: a file that needs NumPy alone, and its numbers beside
    it. Both take the features that the network reads, in its order.

    >>> from tempfile import TemporaryDirectory
    >>> from cyberdeck import variant
    >>> from cyberdeck.players.baselines import baseline
    >>> with TemporaryDirectory() as folder:
    ...     written = export(baseline(variant("hackthegrid")), f"{folder}/mine.py")
    ...     [path.name for path in written]
    ['mine.py', 'mine.npz']
    """
    path = Path(path)
    if network.beliefs is not None:
        raise PolicyError(
            f"{network.name} sees beliefs, which exported policies cannot follow: export one that "
            "was trained without beliefs"
        )
    if path.suffix == ".onnx":
        write_whole(path, _onnx(network))
        return [path]
    if path.suffix == ".py":
        numbers = path.with_suffix(".npz")
        write_whole(numbers, _numbers(network))
        write_whole(path, Path(standalone.__file__).read_text("utf-8"))
        return [path, numbers]
    raise PolicyError(f"{path}: a policy is exported as .onnx or as .py, not as {path.suffix!r}")


def _about(network: Network) -> dict[str, Any]:
    """The facts about a policy that travel with it."""
    return {
        "game": network.game,
        "options": network.options,
        "features": {feature.name: feature.size for feature in network.features},
        "history": network.history,
        "greedy": network.greedy,
    }


# --- NumPy ---------------------------------------------------------------------------------------


def _numbers(network: Network) -> bytes:
    """The ``.npz`` that ``standalone.py`` reads."""
    encoding, prior = network.encoding, network.prior
    held: dict[str, Any] = {
        "about": json.dumps(_about(network)),
        "features": [feature.name for feature in network.features],
        "sizes": [feature.size for feature in network.features],
        "activation": network.activation,
        "kept": encoding.kept,
        "sources": encoding.sources,
        "values": encoding.values,
        "prior": -1 if prior is None else prior.at,
        "weight": 0.0 if prior is None else prior.weight,
        **stored(network.layers),
    }
    written = io.BytesIO()
    np.savez_compressed(written, **held)
    return written.getvalue()


# --- ONNX ----------------------------------------------------------------------------------------


class _Graph:
    """Nodes and numbers, each with a name of its own."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.held: dict[str, Any] = {}

    def hold(self, numbers: Any) -> str:
        name = f"held {len(self.held)}"
        self.held[name] = np.asarray(numbers)
        return name

    def put(self, kind: str, *taken: str, out: str = "", **how: Any) -> str:
        from onnx import helper

        out = out or f"made {len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, taken, [out], **how))
        return out

    def linear(self, x: str, weights: Any, biases: Any) -> str:
        product = self.put("MatMul", x, self.hold(weights.T.astype(np.float32)))
        return self.put("Add", product, self.hold(biases.astype(np.float32)))

    def through(self, layers: list[Layer], activation: str, x: str, last: bool) -> str:
        """The output of *layers*; if they are the *last* ones, without a final activation."""
        kind = {"tanh": "Tanh", "relu": "Relu"}[activation]
        for at, (weights, biases, *back) in enumerate(layers):
            y = self.linear(x, weights, biases)
            if not last or at + 1 < len(layers):
                y = self.put(kind, y)
            x = self.put("Add", x, self.linear(y, *back)) if back else y
        return x


def _onnx(network: Network) -> bytes:
    need("onnx", "policies as ONNX", "onnx")
    from onnx import TensorProto, checker, helper, numpy_helper

    graph, encoding, value = _Graph(), network.encoding, network.value
    floats, actions = TensorProto.FLOAT, network.shape[-1]
    seen = x = "observation"
    if encoding.one_hot:
        kept = graph.put("Gather", seen, graph.hold(encoding.kept), axis=1)
        asked = graph.put("Gather", seen, graph.hold(encoding.sources), axis=1)
        values = graph.hold(encoding.values.astype(np.float32))
        one_hot = graph.put("Cast", graph.put("Equal", asked, values), to=floats)
        x = graph.put("Concat", kept, one_hot, axis=1)
    outputs = {"logits": [actions]}
    shared = value.after if value else 0
    x = graph.through(network.layers[:shared], network.activation, x, False)
    if value:
        worth = graph.through(list(value.layers), network.activation, x, True)
        graph.put("Squeeze", worth, graph.hold(np.array([1])), out="value")
        outputs["value"] = []
    x = graph.through(network.layers[shared:], network.activation, x, True)
    if network.prior:
        first, weight = network.prior
        places = graph.hold(np.arange(first, first + actions))
        told = graph.put("Gather", seen, places, axis=1)
        x = graph.put("Add", x, graph.put("Mul", told, graph.hold(np.float32(weight))))
    graph.put("Where", "mask", x, graph.hold(np.float32(_ILLEGAL)), out="logits")
    made = helper.make_model(
        helper.make_graph(
            graph.nodes,
            network.game,
            [
                helper.make_tensor_value_info(seen, floats, ["N", encoding.elements]),
                helper.make_tensor_value_info("mask", TensorProto.BOOL, ["N", actions]),
            ],
            [
                helper.make_tensor_value_info(name, floats, ["N", *shape])
                for name, shape in outputs.items()
            ],
            [numpy_helper.from_array(numbers, name) for name, numbers in graph.held.items()],
        ),
        opset_imports=[helper.make_opsetid("", _OPERATORS)],
        ir_version=8,
        producer_name="cyberdeck",
    )
    helper.set_model_props(made, {name: json.dumps(said) for name, said in _about(network).items()})
    checker.check_model(made, full_check=True)
    return bytes(made.SerializeToString())
