"""Whole files: whatever fails or ends, a place holds what it held before, or all that is new."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from cyberdeck.common.files import (
    PARTLY,
    make_folder,
    remove_leftovers,
    sync_folder,
    write_whole,
)
from tests.faults import Disk, PowerCut, full_from, leftovers, moments

#: When something can happen to one file: it is synced, renamed, and its folder is synced.
MOMENTS = range(6)


def test_a_full_disk_leaves_what_was_there_and_its_error_names_the_file(tmp_path: Path) -> None:
    place = tmp_path / "note.json"
    with moments() as count:
        write_whole(place, "new")
    assert count() == len(MOMENTS)
    for at in MOMENTS:
        write_whole(place, "old")
        with moments(full_from(at)), pytest.raises(OSError, match="No space left") as told:
            write_whole(place, "new")
        assert told.value.filename == str(place)
        assert place.read_text() == ("old" if at < 3 else "new")
        assert not leftovers(tmp_path)


def test_a_file_that_is_too_long_is_not_there(tmp_path: Path) -> None:
    """A failing write, as the system makes it."""
    place, limits = tmp_path / "note.json", resource.getrlimit(resource.RLIMIT_FSIZE)
    write_whole(place, "old")
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, limits[1]))
    try:
        with pytest.raises(OSError, match="too large") as told:
            write_whole(place, "new" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert told.value.filename == str(place)
    assert place.read_text() == "old"
    assert not leftovers(tmp_path)


def test_after_a_power_cut_a_file_is_the_old_one_or_the_new_one(tmp_path: Path) -> None:
    for at in MOMENTS:
        home = tmp_path / str(at)
        home.mkdir()
        write_whole(home / "note", "old")
        disk = Disk(home)
        with disk.until(at), pytest.raises(PowerCut):
            write_whole(home / "note", "new")
        found = (disk.left(tmp_path / f"{at} after") / "note").read_text()
        assert found in ("old", "new")
        assert found == "new" or at < 5


def test_folders_are_there_after_a_power_cut(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    with disk.until(-1):
        make_folder(tmp_path / "one" / "two")
        write_whole(tmp_path / "one" / "two" / "note", "new")
    left = disk.left(tmp_path.with_name(f"{tmp_path.name}-left"))
    assert (left / "one" / "two" / "note").read_text() == "new"
    with pytest.raises(FileExistsError):
        make_folder(tmp_path / "one", exist_ok=False)


def test_a_disk_that_syncs_no_folders_is_written_to_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(file: int) -> None:
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr(os, "fsync", refuses)
    sync_folder(tmp_path)
    with pytest.raises(OSError, match="Invalid argument"):
        write_whole(tmp_path / "note", "new")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_what_is_no_file_is_written_to_and_stays_what_it_is(tmp_path: Path) -> None:
    """``--json /dev/stdout``, for example."""
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(link, "new")
    assert os.read(reading, 100) == b"new"
    os.close(reading)
    assert pipe.is_fifo()
    assert link.is_symlink()


def test_leftovers_are_removed_and_nothing_else(tmp_path: Path) -> None:
    for name in ("a.json", "a.json.part", f"b.json{PARTLY}", f"c/d.json{PARTLY}", f"c/{PARTLY}/e"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    remove_leftovers(tmp_path)
    left = [str(each.relative_to(tmp_path)) for each in tmp_path.rglob("*")]
    assert sorted(left) == ["a.json", "a.json.part", "c"]
