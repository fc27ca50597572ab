"""Wheels with compiled games: python -m tools.native.wheels FOLDER [TARGET ...], or all targets.

Each is the wheel that hatchling builds, with the library in it and tags that say for whom it is.
What it needs stays as pyproject.toml says.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from cyberdeck.building.library import build
from cyberdeck.building.targets import TARGETS, Target
from cyberdeck.common.files import write_whole
from cyberdeck.engine import native

#: Python 3.11 and all later ones, by the stable ABI.
PYTHONS: Final = "cp311-abi3"

SUMS: Final = "SHA256SUMS"


def _pure_wheel(folder: Path) -> Path:
    command = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder))
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return next(folder.glob("*-py3-none-any.whl"))


def _tagged(target: Target) -> str:
    lines = ["Wheel-Version: 1.0", "Generator: cyberdeck", "Root-Is-Purelib: false"]
    lines += [f"Tag: {PYTHONS}-{each}" for each in target.tag.split(".")]
    return "\n".join(lines) + "\n"


def packed(files: Mapping[str, bytes], made: Path) -> None:
    """The wheel *made* of these files, and their RECORD: the same files make the same wheel."""
    about = next(Path(name).parent.as_posix() for name in files if name.endswith("/METADATA"))
    record = f"{about}/RECORD"
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as wheel:

        def add(name: str, file: bytes) -> None:
            info = zipfile.ZipInfo(name)  # of 1980
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            wheel.writestr(info, file, compresslevel=9)

        lines = []
        for name, file in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(file).digest()).rstrip(b"=")
            lines.append(f"{name},sha256={digest.decode()},{len(file)}\n")
            add(name, file)
        add(record, "".join([*lines, f"{record},,\n"]).encode())
    write_whole(made, content.getvalue())


def _platform_wheel(pure: Path, target: Target, library: bytes, folder: Path) -> Path:
    made = folder / pure.name.replace("py3-none-any", f"{PYTHONS}-{target.tag}")
    files = {}
    with zipfile.ZipFile(pure) as old:
        for name in old.namelist():
            if name.endswith(".dist-info/WHEEL"):
                files[name] = _tagged(target).encode()
            elif not name.endswith(".dist-info/RECORD"):
                files[name] = old.read(name)
    packed({**files, f"cyberdeck/engine/{target.library}": library}, made)
    return made


def wheels(folder: Path, targets: Sequence[str]) -> list[Path]:
    """A wheel for each of *targets*."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    stamp, libraries = native.stamp(), build(Path("build/native"), targets)
    with tempfile.TemporaryDirectory() as work:
        pure = _pure_wheel(Path(work))
        if native.stamp() != stamp:
            raise RuntimeError("sources were edited during the build: build again")
        for name in targets:
            library = libraries[name].read_bytes()
            made.append(_platform_wheel(pure, TARGETS[name], library, folder))
            print(f"{made[-1]}: {made[-1].stat().st_size / 1e6:.1f} MB")
    write_sums(folder)
    return made


def write_sums(folder: Path) -> None:
    """The digests of the wheels in a folder, beside them: ``sha256sum -c`` reads that."""
    found = {path.name: hashlib.sha256(path.read_bytes()) for path in sorted(folder.glob("*.whl"))}
    lines = [f"{digest.hexdigest()}  {name}\n" for name, digest in found.items()]
    write_whole(folder / SUMS, "".join(lines))


def main() -> int:
    if sys.flags.hash_randomization:  # numba orders variables by hashes of their names
        again = (sys.executable, "-m", "tools.native.wheels", *sys.argv[1:])
        alike = os.environ | {"PYTHONHASHSEED": "0"}
        return subprocess.run(again, env=alike, check=False).returncode
    chosen = [native.host() if each == "host" else each for each in sys.argv[2:]]
    wheels(Path(sys.argv[1]), chosen or list(TARGETS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
