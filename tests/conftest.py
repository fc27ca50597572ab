"""How the tests are run."""

from __future__ import annotations

import functools
import gc
import os
import shutil
from collections.abc import Callable, Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from numba.core import event

from cyberdeck.engine import compiling, jit, native, registry
from cyberdeck.engine.plain import as_python
from cyberdeck.engine.watched import lenient

# Each core has a process of tests: in it a product of matrices takes one thread. Several threads
# that wait for each other take six times as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# What the tests import is there to the end: to go through all of it is seldom of use.
gc.set_threshold(10_000, 50, 100)


#: Markers of what runs in other environments, a library each has, and what runs it there.
ELSEWHERE = [
    ("ray", "ray", "ray-test"),
    ("examples", "tianshou", "example-test"),
    ("agents", "trl", "agents-test"),
    ("openenv", "openenv", "openenv-test"),
]

# What a command prints is compared: whether something had to be compiled for it does not matter.
compiling.be_silent()


#: Where the loops are written that play games, search in them, and follow what may be believed.
_PLAYING = ("cyberdeck.engine.game_loops", "cyberdeck.players.trees", "cyberdeck.players.worlds")

_playing = SimpleNamespace(plain=False)  # how the test that runs now plays games of files


def plainly(function: Callable[..., Any]) -> Callable[..., Any]:
    """A loop or a kernel as plain Python, in which an index past the end is an error."""
    return as_python(function, watch=lenient)


class _Loop:
    """A loop of a game from a file, or a kernel by itself: plain Python in quick tests."""

    def __init__(self, *made_from: Any) -> None:
        self._made_from = made_from

    @functools.cached_property
    def _compiled(self) -> Any:
        return _compile_loop(*self._made_from)

    @functools.cached_property
    def _plain(self) -> Callable[..., Any]:
        return plainly(self._made_from[0])

    def __call__(self, *arguments: Any) -> Any:
        return (self._plain if _playing.plain else self._compiled)(*arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._compiled, name)


def _loop_of(function: Callable[..., Any], label: str, options: dict[str, Any]) -> Any:
    of_a_file = function.__module__.startswith(_PLAYING) and label not in registry.GAMES
    # A kernel that is called from Python gives its own name for a game's.
    by_itself = label == function.__qualname__.rpartition(".")[2]
    made = _Loop if of_a_file or by_itself else _compile_loop
    return made(function, label, options)


_compile_loop, jit.compile_loop = jit.compile_loop, _loop_of


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Slow tests, those marked so, and those of compiled libraries have games of files compiled."""
    _playing.plain = not any(map(item.get_closest_marker, ("slow", "compiled", "native")))
    return (yield)


@pytest.fixture(scope="module", autouse=True)
def _games_are_forgotten() -> Iterator[None]:
    """Games that a module registers are there for its own tests, and for nobody's after them.

    Processes that those start would load them, and `cyberdeck warm-up` would compile them.
    """
    from cyberdeck.api.registration import ENVIRONMENT

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "_found", dict(registry._found))
        patch.setenv(ENVIRONMENT, os.environ.get(ENVIRONMENT, "[]"))
        yield


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Headless Chromium, if there is one: CHROMIUM, on the PATH, or playwright's own."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="pages are tried in a browser only where playwright is"
    )
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    with playwright.sync_playwright() as driver:
        path = path or driver.chromium.executable_path
        if not Path(path).exists():
            pytest.skip("there is no Chromium: put one on the PATH, or name it in CHROMIUM")
        opened = driver.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu", "--no-zygote"]
        )
        yield opened
        opened.close()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-skips", action="store_true", help="a test that is skipped has failed")
    parser.addoption(
        "--games", type=int, default=10_000, help="so many random ones beside OpenSpiel's"
    )
    parser.addoption(
        "--moments", type=int, default=2, help="kill each command that writes at so many"
    )
    parser.addoption("--page", help="the folder of the page that plays without Python")
    parser.addoption("--seeds", type=int, default=1, help="learn by so many seeds each")
    parser.addoption("--native", help="a folder of compiled loops: play with this machine's")


def pytest_configure(config: pytest.Config) -> None:
    if folder := config.getoption("--native"):
        import cyberdeck.engine

        cyberdeck.engine.__path__.append(str(Path(folder, native.host()).resolve()))
        assert native.library() is not None, "that library was made from other sources"
    else:  # nor with what `cyberdeck build --suite` has left on this machine
        native.suite_file = lambda: None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """What learns is tested by as many seeds as are asked for: `make seeds-test`."""
    if "learning_seed" in metafunc.fixturenames:
        metafunc.parametrize("learning_seed", range(metafunc.config.getoption("--seeds")))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Whatever takes a browser is marked so; what takes other libraries is skipped without."""
    missing = [
        (marker, f"{library} is not installed: make {target}")
        for marker, library, target in ELSEWHERE
        if find_spec(library) is None
    ]
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "browser" in fixtures:
            item.add_marker("browser")
        if "learning_seed" in fixtures:
            item.add_marker("learns")
        for marker, reason in missing:
            if item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))


#: CPU seconds that a quick test may take, and one that has something compiled.
QUICK, QUICK_IF_COMPILED = 1.0, 2.0

_compiled = event.RecordingListener()  # what numba has compiled in this process
event.register("numba:compile", _compiled)


def _cpu() -> float:
    """CPU seconds of this process and of those it has waited for: a busy machine adds none."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    began, compiled = _cpu(), len(_compiled.buffer)
    try:
        return (yield)
    finally:
        limit = QUICK if compiled == len(_compiled.buffer) else QUICK_IF_COMPILED
        spent = _cpu() - began
        if spent > limit and not item.get_closest_marker("slow"):
            item.user_properties.append(("outgrown", round(spent, 1)))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Quick tests that have become slow, longest first."""
    outgrown = {
        report.nodeid: value
        for report in terminalreporter.getreports("passed")
        for name, value in report.user_properties
        if name == "outgrown"
    }
    if outgrown:
        terminalreporter.section("no longer quick: CPU seconds")
        for test, spent in sorted(outgrown.items(), key=lambda found: -found[1]):
            terminalreporter.write_line(f"{spent:6.1f}  {test}")


def _failed_if_skipped(report: Any, config: pytest.Config) -> None:
    if config.getoption("--no-skips") and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, and --no-skips was given: {report.longrepr[2]}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    report = yield
    _failed_if_skipped(report, item.config)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    report = yield
    _failed_if_skipped(report, collector.config)
    return report
