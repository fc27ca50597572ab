"""``make fuzz``: change what was right, in every format, for so many minutes.

Each door is a process of its own, which may crash or hang. What fails is kept as a file in the
folder, and told; ``--again FILE`` tries it once more. Where Google's atheris can be imported, it
measures which lines each try reaches and goes on from what reaches new ones; elsewhere chance alone
chooses, and knows no lines.
"""

from __future__ import annotations

import argparse
import faulthandler
import hashlib
import io
import itertools
import os
import subprocess
import sys
import time
import traceback
from contextlib import redirect_stderr
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Final

#: No input is longer.
_LONGEST = 1 << 20

#: What atheris looks into: nothing that numba compiles.
_TRACED_ROOMS: Final = (
    *("common", "replay", "playing", "text", "views", "drawing", "showing", "notation"),
    *("engine/saving", "engine/positions", "engine/native", "players/networks", "players/solved"),
)


def _untraced() -> list[str]:
    """All other modules: atheris is told those that it leaves out."""
    folder = Path(__file__).resolve().parents[2] / "envs" / "cyberdeck"
    paths = [path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.py")]
    others = [path.replace("/", ".") for path in paths if not path.startswith(_TRACED_ROOMS)]
    return [f"cyberdeck.{name}".removesuffix(".__init__") for name in others]


class Session:
    """The tries of one door in this process."""

    def __init__(self, name: str, folder: Path, slow: float) -> None:
        from tests.fuzz.doors import DOORS

        self.folder, self.slow = folder / name, slow
        self.folder.mkdir(parents=True, exist_ok=True)
        self.door = DOORS[name](self.folder)
        self.right = self.door.right()
        self.begun = [*self.right, *self.door.found(self.right)]
        self.tries = self.accepted = 0
        self.failures: set[str] = set()

    def attempt(self, data: bytes) -> None:
        """Try it. A failure is kept and told, one from each line."""
        from tests.fuzz.trial import tried

        self.tries += 1
        (self.folder / "trying").write_bytes(data)
        faulthandler.dump_traceback_later(120, exit=True)
        try:
            self.accepted += tried(self.door, data, self.slow)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{type(error).__name__} {last.filename}:{last.lineno}"
            if place not in self.failures:
                self.failures.add(place)
                path = self.folder / f"failure-{hashlib.sha256(data).hexdigest()[:12]}"
                path.write_bytes(data)
                print(f"\n{self.door.name}: {path} ({len(data)} bytes)", flush=True)
                traceback.print_exception(error, limit=-6, file=sys.stdout)
        finally:
            faulthandler.cancel_dump_traceback_later()
        # The process may end at any time.
        line = f"{self.tries} {self.accepted} {len(self.failures)}"
        (self.folder / "counts").write_text(line)


def guided(name: str, folder: Path, seconds: float, seed: int) -> None:
    """With atheris, which ends the process."""
    import atheris

    packages = ["cyberdeck", "cyberdeck_training", "yaml"]
    with (
        redirect_stderr(io.StringIO()),  # it tells of each
        atheris.instrument_imports(include=packages, exclude=_untraced()),
    ):
        session = Session(name, folder, 12.0)  # traced, and perhaps on a slow machine
    from tests.fuzz.trial import changed

    seeds = session.folder / "corpus"
    seeds.mkdir(exist_ok=True)
    for data in session.begun:
        (seeds / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)

    def change(data: bytes, longest: int, number: int) -> bytes:
        luck = Random(number)
        # Most of what reaches new lines is refused, and so is most of what is made of that.
        data = luck.choice((data, luck.choice(session.right)))
        return changed(session.door, data, luck, luck.choice((1, 1, 1, 2, 4)))[:longest]

    options = [
        *(f"-max_total_time={max(1, int(seconds))}", f"-max_len={_LONGEST}", "-len_control=0"),
        *(f"-seed={seed + 1}", "-rss_limit_mb=8000", "-timeout=300", "-verbosity=0"),
        f"-artifact_prefix={session.folder}/",
    ]
    atheris.Setup([sys.argv[0], *options, str(seeds)], session.attempt, custom_mutator=change)
    atheris.Fuzz()


def unguided(name: str, folder: Path, seconds: float, seed: int) -> None:
    """By chance: which one to begin with, and how it is changed."""
    from tests.fuzz.trial import several_changed

    until = time.monotonic() + seconds
    session = Session(name, folder, 1.0)
    for data in itertools.chain(
        session.begun, several_changed(session.door, session.right, itertools.count(seed))
    ):
        session.attempt(data)
        if time.monotonic() > until:
            break


def door_for(name: str, folder: Path, seconds: float, seed: int) -> int:
    """Run a door in other processes, until its time is over; how many failures there are."""
    here, until = folder / name, time.monotonic() + seconds
    counts = [0, 0, 0]
    while (left := until - time.monotonic()) > 0:
        (here / "counts").unlink(missing_ok=True)
        words = ["--door", name, "--output-dir", str(folder), "--seed", str(seed)]
        command = [sys.executable, "-m", "tests.fuzz", "--inside", str(left), *words]
        ended = subprocess.run(command, check=False).returncode
        if (here / "counts").exists():
            done = map(int, (here / "counts").read_text().split())
            counts = [sum(both) for both in zip(counts, done, strict=True)]
        if ended != 0:  # it has crashed or hung
            counts[2] += 1
            if not (here / "trying").exists():
                break
            kept = (here / "trying").rename(here / f"failure-{os.urandom(6).hex()}")
            print(f"\n{name}: {kept} has ended the process ({ended})", flush=True)
        seed += 100_000
    tries, accepted, failures = counts
    print(f"{name:12s} {tries:9,} tries, {accepted:9,} accepted, {failures} failures", flush=True)
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="in all")
    parser.add_argument("--door", action="append", help="only this one; can be given again")
    parser.add_argument("--output-dir", type=Path, default=Path("build/fuzz"), help="of failures")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 2**31)
    parser.add_argument("--again", type=Path, help="try a file that was kept, through the --door")
    parser.add_argument("--inside", type=float, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    is_guided = find_spec("atheris") is not None
    if chosen.inside is not None:
        way = guided if is_guided else unguided
        way(chosen.door[0], chosen.output_dir, chosen.inside, chosen.seed)
        return 0
    # Compiled code that checks every index is kept apart.
    folder: Path = chosen.output_dir
    os.environ |= {"NUMBA_BOUNDSCHECK": "1", "CYBERDECK_CACHE_DIR": str(folder.absolute())}
    folder.mkdir(parents=True, exist_ok=True)
    from tests.fuzz.doors import DOORS
    from tests.fuzz.trial import tried

    if chosen.again is not None:
        door = DOORS[chosen.door[0]](chosen.output_dir)
        door.right()
        print("accepted" if tried(door, chosen.again.read_bytes()) else "refused")
        return 0
    subprocess.run([sys.executable, "-m", "cyberdeck", "warm-up"], check=True)
    names = chosen.door or list(DOORS)
    how = "atheris" if is_guided else "chance"
    seconds = 60 * chosen.minutes / len(names)
    print(f"{how}, seed {chosen.seed}, {seconds:.0f} s for each of {', '.join(names)}", flush=True)
    failures = sum(door_for(name, chosen.output_dir, seconds, chosen.seed) for name in names)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
