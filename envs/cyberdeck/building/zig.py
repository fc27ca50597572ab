"""zig, which comes as a package: it compiles C and links for every platform from any other."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from cyberdeck.errors import KernelError, install


def check_zig() -> None:
    """``KernelError`` if it is not installed."""
    if find_spec("ziglang") is None:
        raise KernelError(f"to link takes ziglang: {install('build')}")


def zig(*arguments: str | Path, folder: Path) -> None:
    """Run it; *folder* is for what it keeps."""
    check_zig()
    caches = {name: str(folder / "zig") for name in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")}
    # -P: nothing is imported from whatever folder this is started in.
    command = [sys.executable, "-P", "-m", "ziglang", *map(str, arguments)]
    if subprocess.run(command, env=os.environ | caches, check=False).returncode:
        raise KernelError("zig could not link this game: its own message stands above")
