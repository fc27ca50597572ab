"""What makes a wheel unfit is seen: each fault is put into this machine's wheel.

Run by `make native-test` in the environment that builds wheels, which has what reads libraries.
"""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

Files = dict[str, bytes]
ABOUT = "cyberdeck-0.1.0.dist-info"
LIBRARY = "cyberdeck/engine/_native.abi3.so"


@pytest.fixture(scope="module")
def wheel() -> Path:
    """That of the machine that builds."""
    found = next(Path("build/wheels").glob("*.whl"))
    if "manylinux_2_17_x86_64" not in found.name:
        pytest.skip("the faults are put into a library for Linux on x86-64")
    return found


@pytest.fixture
def files(wheel: Path) -> Files:
    with zipfile.ZipFile(wheel) as opened:
        return {each: opened.read(each) for each in opened.namelist() if "/RECORD" not in each}


def edited(name: str, old: bytes, new: bytes) -> Callable[[Files], None]:
    """Put *new* in the place of *old*, which is there."""

    def edit(files: Files) -> None:
        assert old in files[name]
        files[name] = files[name].replace(old, new)

    return edit


def of_another_machine(files: Files) -> None:
    files[LIBRARY] = files[LIBRARY][:18] + b"\xb7" + files[LIBRARY][19:]  # the machine in ELF


def with_another_library(files: Files) -> None:
    files["cyberdeck/engine/_other.so"] = files[LIBRARY]


def with_more_at_the_top(files: Files) -> None:
    files["configs/hackthegrid.yaml"] = b""


def heavy(files: Files) -> None:
    files["cyberdeck/noise"] = np.random.default_rng(0).bytes(5_000_000)


FAULTS = {
    "its tags are": edited(f"{ABOUT}/WHEEL", b"manylinux_2_17", b"manylinux_2_5"),
    "for every machine": edited(f"{ABOUT}/WHEEL", b"Purelib: false", b"Purelib: true"),
    "it needs numba": edited(f"{ABOUT}/METADATA", b"Requires-Dist: numpy", b"Requires-Dist: numba"),
    "its name is another": edited(f"{ABOUT}/METADATA", b"Name: cyberdeck", b"Name: hyperdeck"),
    "the library is for ELF AARCH64": of_another_machine,
    "it needs glibc": edited(LIBRARY, b"GLIBC_2.2.5", b"GLIBC_2.99\0"),
    "it loads": edited(LIBRARY, b"libc.so.6", b"libm.so.6"),
    "it gives": edited(LIBRARY, b"PyInit__native", b"PyInit__nativf"),
    r"it takes \['PyEvil_SaveThread'\]": edited(LIBRARY, b"PyEval_SaveTh", b"PyEvil_SaveTh"),
    "at its top lie": with_more_at_the_top,
    "its libraries are": with_another_library,
    "it weighs": heavy,
}


def test_the_wheel_is_fit(wheel: Path) -> None:
    from tools.native.inspection import inspect

    assert inspect(wheel) == "linux-x86_64"


@pytest.mark.parametrize("seen", FAULTS)
def test_a_fault_is_seen(seen: str, files: Files, wheel: Path, tmp_path: Path) -> None:
    from tools.native.inspection import Wrong, inspect
    from tools.native.wheels import packed

    FAULTS[seen](files)
    packed(files, tmp_path / wheel.name)
    with pytest.raises(Wrong, match=seen):
        inspect(tmp_path / wheel.name)


def test_a_record_that_is_wrong_is_seen(wheel: Path, tmp_path: Path) -> None:
    from tools.native.inspection import Wrong, inspect

    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(tmp_path / wheel.name, "w") as new:
        for each in old.namelist():
            content = old.read(each)
            new.writestr(each, content + b"\n#" if each == "cyberdeck/errors.py" else content)
    with pytest.raises(Wrong, match=r"RECORD is wrong: cyberdeck/errors\.py"):
        inspect(tmp_path / wheel.name)


def test_another_platforms_name_and_other_sources_are_seen(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tools.native.inspection import Wrong, inspect

    from cyberdeck.engine import native

    other = tmp_path / wheel.name.replace("manylinux_2_17_x86_64.manylinux2014", "linux")
    other.write_bytes(wheel.read_bytes())
    with pytest.raises(Wrong, match="no platform's tags"):
        inspect(other)
    monkeypatch.setattr(native, "stamp", lambda: "of other sources")
    with pytest.raises(Wrong, match="of other sources"):
        inspect(wheel)


def test_sums_are_beside_the_wheels(wheel: Path, tmp_path: Path) -> None:
    from tools.native.wheels import SUMS, write_sums

    (tmp_path / wheel.name).write_bytes(wheel.read_bytes())
    write_sums(tmp_path)
    assert (tmp_path / SUMS).read_text() == (wheel.parent / SUMS).read_text()
    checking = ["sha256sum", "--check", "--strict", SUMS]
    subprocess.run(checking, cwd=tmp_path, check=True)
    (tmp_path / wheel.name).write_bytes(b"other")
    assert subprocess.run(checking, cwd=tmp_path, check=False).returncode == 1
