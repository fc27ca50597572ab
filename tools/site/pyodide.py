"""Pyodide's core from the npm registry, by npm: ``python -m tools.site.pyodide FOLDER``.

It is of the version, and has the sum, that stand here. Its files lie in FOLDER/package then.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Final

VERSION: Final = "314.0.7"
SHA256: Final = "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0"


def fetch(folder: Path) -> None:
    """Have it there."""
    folder.mkdir(parents=True, exist_ok=True)
    packed = folder / f"pyodide-{VERSION}.tgz"
    if not packed.is_file() or _sum(packed) != SHA256:
        subprocess.run(
            ["npm", "pack", "--silent", f"pyodide@{VERSION}", "--pack-destination", str(folder)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    if _sum(packed) != SHA256:
        raise SystemExit(f"{packed} is not what it was: its sum is {_sum(packed)}, not {SHA256}")
    with tarfile.open(packed) as files:
        files.extractall(folder, filter="data")


def _sum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    fetch(Path(sys.argv[1]))
