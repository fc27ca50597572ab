"""What all measurements share: cores, sampler, timer, figures, and the talk with run.py."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from random import random
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Plays a little, and returns how many decisions it applied. Everything measured is one of these.
Chunk: TypeAlias = Callable[[], int]

#: Builds what is to be measured: imports, makes and resets it.
Subject: TypeAlias = Callable[[], Chunk]

#: Rows whose names end so play in as many threads, on as many cores.
THREADS = 2
WITH_THREADS = f", {THREADS} threads"

#: Keeps every library on one thread. Set before any of them is imported.
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "NPROC": "1",  # XLA's thread pools
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
    "PYGAME_HIDE_SUPPORT_PROMPT": "1",
}

#: Whose versions are told.
LIBRARIES = (
    *("cyberdeck", "numpy", "numba", "gymnasium", "pettingzoo", "open_spiel"),
    *("pgx", "jax", "jaxlib", "envpool", "torch"),
)


def use_cores(count: int = 1) -> list[int]:
    """Keep this process and its children on so many cores; which, or none where nobody can.

    The last of those allowed: the first one usually serves the machine's interrupts.
    """
    os.environ.update(ONE_THREAD)
    if not hasattr(os, "sched_setaffinity"):
        return []
    # What was allowed before a parent has chosen: a child may take more cores than that.
    here = " ".join(map(str, sorted(os.sched_getaffinity(0))))
    allowed = os.environ.setdefault("CYBERDECK_BENCH_CORES", here)
    cores = [int(core) for core in allowed.split()][-count:]
    os.sched_setaffinity(0, cores)
    return cores


def one_of(legal: Any) -> Any:
    """A uniformly drawn element: the cheap legal sampler of every loop over single games."""
    return legal[int(random() * len(legal))]


def one_of_each(masks: NDArray[Any], luck: NDArray[Any]) -> NDArray[Any]:
    """A uniform legal action for every row of *masks*; *luck* holds a number in [0, 1) for each.

    A row without a legal action (a finished game that awaits its reset) gets action 0.
    """
    seen = masks.cumsum(axis=1)
    actions: NDArray[Any] = (seen > (luck * seen[:, -1])[:, None]).argmax(axis=1)
    return actions


def timed(chunk: Chunk, seconds: float) -> dict[str, float]:
    """Run *chunk* again and again for *seconds*; decisions, time on the wall and on the core."""
    decisions, core = 0, time.process_time()
    start = time.perf_counter()
    while True:
        decisions += chunk()
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            core = time.process_time() - core
            return {"decisions": decisions, "seconds": elapsed, "core_seconds": core}


def serve(subjects: Mapping[str, Subject]) -> None:
    """Be the process of the subject named on the command line, and measure when run.py asks.

    Every line of input is a number of seconds; every answer is one line of JSON. Only answers go
    to the real stdout: what a library prints goes to stderr.
    """
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    use_cores(THREADS if sys.argv[1].endswith(WITH_THREADS) else 1)
    try:
        chunk = subjects[sys.argv[1]]()
        chunk()  # warm-up: whatever is compiled or allocated on first use is so now
    except ImportError as error:
        print(json.dumps({"missing": f"not installed: {error}"}), file=answers)
        return
    print(json.dumps({"ready": True}), file=answers)
    with contextlib.suppress(KeyboardInterrupt):
        for line in sys.stdin:
            print(json.dumps(timed(chunk, float(line))), file=answers)


# --- figures --------------------------------------------------------------------------------------


def figure(values: Sequence[float], samples: Sequence[dict[str, float]]) -> dict[str, Any]:
    """What came of several rounds: a value of each, and what was timed for it."""
    return {
        "median": statistics.median(values),
        "least": min(values),
        "most": max(values),
        "core_share": min(each["core_seconds"] / each["seconds"] for each in samples),
        "samples": samples,
    }


def rates(samples: Sequence[dict[str, float]]) -> dict[str, Any]:
    """The figure of decisions a second."""
    return figure([each["decisions"] / each["seconds"] for each in samples], samples)


def spread(each: dict[str, Any], form: str = ",.0f") -> str:
    """The least and the most of a figure."""
    return f"({each['least']:{form}} .. {each['most']:{form}})"


def busy(each: dict[str, Any]) -> str:
    """A mark for a figure whose process had not all of the core."""
    share = each["core_share"]
    return f"  had only {share:.0%} of the core" if share < 0.9 else ""


def verdict(value: float | None, least: float | None = None, most: float | None = None) -> str:
    """Whether a goal is met."""
    if value is None:
        return "not measured"
    low = least is None or value >= least
    return "met" if low and (most is None or value <= most) else "missed"


# --- the command, and where it ran ----------------------------------------------------------------


def parser_of(doc: str | None) -> argparse.ArgumentParser:
    """A parser for what all commands take that measure times."""
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE too")
    parser.add_argument("--quick", action="store_true", help="short rounds: to see that it runs")
    return parser


def write_json(path: Path | None, figures: Any) -> None:
    """Write them, if a file was named."""
    if path:
        path.write_text(json.dumps(figures, indent=1) + "\n")


def tell(text: str) -> None:
    """Say how far it is, beside what is printed in the end."""
    print(text, file=sys.stderr, flush=True)


def machine(cores: list[int]) -> dict[str, Any]:
    """Where this runs, and on what."""
    model = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
        model = next(models, model)
    versions = dict.fromkeys(LIBRARIES, "not installed")
    for library in LIBRARIES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[library] = metadata.version(library)
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "pinned_to_core": cores[0] if cores else None,
        "load_at_start": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "versions": versions,
    }


def described(about: dict[str, Any]) -> list[str]:
    """``machine`` in words."""
    pinned = about["pinned_to_core"]
    kept = "not pinned to a core" if pinned is None else f"pinned to core {pinned}"
    return [
        f"{about['cpu']}, {about['cores']} cores ({kept}), load {about['load_at_start']}",
        f"{about['system']}, {about['python']}",
        ", ".join(f"{name} {version}" for name, version in about["versions"].items()),
        "",
    ]
