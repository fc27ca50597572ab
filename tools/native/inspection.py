"""What a platform's wheel holds: python -m tools.native.inspection WHEEL ...

Everything that can be seen without its machine: that names, tags and records tell the truth, and
that the library is for the machine they name, takes nothing but Python's stable ABI and functions
that every system has, and gives nothing but its module.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import sys
import tomllib
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from email.parser import Parser
from pathlib import Path
from typing import Any, Final

import abi3info
import lief
from abi3info.models import PyVersion
from tools.native.wheels import PYTHONS

from cyberdeck.building.targets import GLIBC, TARGETS, Target
from cyberdeck.engine import native

#: What a wheel may weigh, in bytes, beside the policies that it publishes.
MOST: Final = 5_000_000
POLICIES: Final = "cyberdeck/players/baselines/"

#: What it puts beside other packages. verifiers finds an environment by the name of a module there.
TOP: Final = {"cyberdeck", "cyberdeck_training", "cyberdeck_verifiers.py"}

#: What libraries may be and take, by format.
SYSTEMS: Final = tomllib.loads(Path(__file__).with_name("systems.toml").read_text())
#: What zig's linker gives in every library for macOS.
OF_THE_LINKER: Final = {"_mh_dylib_header", "__dso_handle"}


class Wrong(ValueError):
    """Something that a wheel may not be."""


@dataclass
class Library:
    """What a library says of itself."""

    machine: str
    newest_glibc: tuple[int, ...] = (0,)
    oldest_system: tuple[int, ...] = (0,)
    libraries: set[str] = field(default_factory=set)
    exported: set[str] = field(default_factory=set)
    imported: set[str] = field(default_factory=set)


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(each) for each in text.split("."))


def _elf(found: Any) -> Library:
    asked = [
        each.name
        for library in found.symbols_version_requirement
        for each in library.get_auxiliary_symbols()
    ]
    own = [each for each in found.dynamic_symbols if each.name]
    return Library(
        f"ELF {found.header.machine_type.name}",
        max((_version(each.removeprefix("GLIBC_")) for each in asked), default=(0,)),
        libraries=set(found.libraries),
        exported={each.name for each in own if each.shndx},
        imported={each.name for each in own if not each.shndx},
    )


def _mach_o(found: Any) -> Library:
    exported = {each.symbol.name.removeprefix("_") for each in found.dyld_info.exports}
    return Library(
        f"Mach-O {found.header.cpu_type.name}",
        oldest_system=tuple(found.build_version.minos[:2]),
        libraries={each.name for each in found.libraries},
        exported=exported - OF_THE_LINKER,
        imported={each.name.removeprefix("_") for each in found.imported_symbols},
    )


def _pe(found: Any) -> Library:
    header = found.optional_header
    return Library(
        f"PE {found.header.machine.name}",
        oldest_system=(header.major_subsystem_version, header.minor_subsystem_version),
        libraries={each.name for each in found.imports},
        exported={each.name for each in found.get_export().entries},
        imported={each.name for every in found.imports for each in every.entries},
    )


def read(library: bytes) -> Library:
    """What *library* says of itself, whatever its format."""
    lief.logging.disable()
    found: Any = lief.parse(list(library))
    if isinstance(found, lief.ELF.Binary):
        return _elf(found)
    if isinstance(found, lief.MachO.FatBinary):
        found = found.at(0)
    if isinstance(found, lief.MachO.Binary):
        return _mach_o(found)
    if isinstance(found, lief.PE.Binary):
        return _pe(found)
    raise Wrong("the library has no format that is known here")


def _stable(pythons: str) -> set[str]:
    """The names of the stable ABI of the Python that a tag names, as ``cp311-abi3``."""
    version = pythons.removeprefix("cp").partition("-")[0]
    least = PyVersion(int(version[0]), int(version[1:]))
    every = {**abi3info.FUNCTIONS, **abi3info.DATAS}
    return {symbol.name for symbol, entry in every.items() if entry.added <= least}


def _need(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Wrong(otherwise)


def check_library(name: str, content: bytes) -> None:
    """``Wrong`` if *content* is no library for the target *name*."""
    found = read(content)
    own = SYSTEMS[found.machine.partition(" ")[0]]
    _need(found.machine == SYSTEMS["machines"][name], f"the library is for {found.machine}")
    _need(found.newest_glibc <= _version(GLIBC), f"it needs glibc {found.newest_glibc}")
    old_enough = found.oldest_system <= tuple(own["oldest"])
    _need(old_enough, f"it needs a system of {found.oldest_system}")
    _need(found.libraries == {*own["libraries"]}, f"it loads {sorted(found.libraries)}")
    _need(found.exported == {"PyInit__native"}, f"it gives {sorted(found.exported)}")
    others = found.imported - {*own["functions"]} - _stable(PYTHONS)
    _need(not others, f"it takes {sorted(others)}")
    _need("PyModule_Create2" in found.imported, "it takes nothing from Python")
    _need(native.stamp().encode() in content, "it is of other sources than those installed")


def _target(wheel: Path) -> tuple[str, Target]:
    for name, target in TARGETS.items():
        if wheel.stem.endswith(f"-{PYTHONS}-{target.tag}"):
            return name, target
    raise Wrong("its name ends in no platform's tags")


def _check_record(wheel: zipfile.ZipFile, about: str) -> None:
    names = wheel.namelist()
    rows = list(csv.reader(wheel.read(f"{about}/RECORD").decode().splitlines()))
    _need(len(set(names)) == len(names), "a file is in it twice")
    _need(sorted(row[0] for row in rows) == sorted(names), "RECORD lists other files")
    for name, digest, size in rows:
        if name == f"{about}/RECORD":
            _need(digest == size == "", "RECORD has a digest of itself")
            continue
        content = wheel.read(name)
        made = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        _need((digest, size) == (f"sha256={made}", str(len(content))), f"RECORD is wrong: {name}")


def inspect(path: Path) -> str:
    """The wheel's target; ``Wrong`` if it is not what it says."""
    name, target = _target(path)
    with zipfile.ZipFile(path) as wheel:
        about = "-".join(path.stem.split("-")[:2]) + ".dist-info"
        _check_record(wheel, about)
        tags = Parser().parsestr(wheel.read(f"{about}/WHEEL").decode())
        named = {f"{PYTHONS}-{each}" for each in target.tag.split(".")}
        _need(set(tags.get_all("Tag", [])) == named, f"its tags are {tags.get_all('Tag')}")
        _need(tags["Root-Is-Purelib"] == "false", "it says that it is for every machine")
        metadata = Parser().parsestr(wheel.read(f"{about}/METADATA").decode())
        _need(f"{metadata['Name']}-{metadata['Version']}.dist-info" == about, "its name is another")
        needed = [n for n in metadata.get_all("Requires-Dist", []) if n.startswith("numba")]
        _need(bool(needed), "no extra brings numba")
        _need(all("extra ==" in each for each in needed), "it needs numba")
        top = {each.partition("/")[0] for each in wheel.namelist()} - {about}
        _need(top == TOP, f"at its top lie {sorted(top)}")
        suffixes = (".so", ".pyd", ".dll", ".dylib")
        compiled = [each for each in wheel.namelist() if each.endswith(suffixes)]
        library = f"cyberdeck/engine/{target.library}"
        _need(compiled == [library], f"its libraries are {compiled}")
        check_library(name, wheel.read(library))
        sizes = [e.compress_size for e in wheel.infolist() if not e.filename.startswith(POLICIES)]
        _need(sum(sizes) <= MOST, f"it weighs {sum(sizes)} bytes beside the published policies")
    return name


def main(paths: Sequence[str]) -> int:
    wrong = 0
    for path in map(Path, paths):
        try:
            print(f"{inspect(path)}: {path.name} is as it should be")
        except Wrong as error:
            print(f"{path.name}: {error}", file=sys.stderr)
            wrong += 1
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
