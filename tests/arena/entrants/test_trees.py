"""Directories of strangers: what is taken from them, and that they can always be removed."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from littlego.arena.untrusted import Bounds, NotPlain, copy_tree, plain_files
from littlego.storage.scratch import remove_tree

BOUNDS = Bounds(files=100, size=1 << 20)
ROOT = os.geteuid() == 0


def _device(path: Path) -> None:
    os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))


def _deep(path: Path) -> None:
    path.joinpath(*["d"] * 40).mkdir(parents=True)


def _many(path: Path) -> None:
    path.mkdir()
    for number in range(101):
        (path / f"{number}.txt").touch()


def _folders(path: Path) -> None:
    path.mkdir()
    for number in range(101):
        (path / f"{number}").mkdir()


def _large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(BOUNDS.size + 1)


ODD: dict[str, tuple[Callable[[Path], object], str]] = {
    "link to a file": (lambda path: path.symlink_to("/etc/passwd"), "odd: a symbolic link"),
    "link to a directory": (lambda path: path.symlink_to("/etc"), "odd: a symbolic link"),
    "link to itself": (lambda path: path.symlink_to("."), "odd: a symbolic link"),
    "link to nothing": (lambda path: path.symlink_to("/nowhere"), "odd: a symbolic link"),
    "hard link": (lambda path: path.hardlink_to(path.parent / "plain.txt"), r": a file with 2 hard links"),
    "FIFO": (os.mkfifo, "odd: a FIFO"),
    "socket": (_socket, "odd: a socket"),
    "device": (_device, "odd: a device"),
    "deep": (_deep, "directories more than 32 deep"),
    "many files": (_many, "more than 100 files"),
    "many directories": (_folders, "more than 100 files"),
    "large": (_large, "more than 100 files or 1 MiB"),
}


@pytest.mark.parametrize("kind", ODD)
def test_what_is_not_a_plain_file_is_refused_by_its_name(kind: str, tmp_path: Path) -> None:
    if kind == "device" and not ROOT:
        pytest.skip("only root makes devices")
    make, words = ODD[kind]
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "plain.txt").write_text("x")
    make(tmp_path / "agent" / "odd")
    with pytest.raises(NotPlain, match=words):
        copy_tree(tmp_path / "agent", tmp_path / "copy", BOUNDS)


@pytest.mark.parametrize("name", [b"new\nline", b"\xff\xfe", b"bell\x07"])
def test_names_that_are_no_text_are_refused(name: bytes, tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).touch()
    with pytest.raises(NotPlain, match="a file name must be plain text") as caught:
        copy_tree(tmp_path, tmp_path.parent / "copy", BOUNDS)
    assert str(caught.value).isprintable()
    str(caught.value).encode()


def test_a_copy_is_ours_and_as_old_as_the_original(tmp_path: Path) -> None:
    source = tmp_path / "agent"
    (source / "sub" / "empty").mkdir(parents=True)
    script = source / "sub" / "run.sh"
    script.write_text("echo")
    script.chmod(0o4755)
    (source / "sub.txt").write_text("é")
    (source / "été.txt").write_text("x")
    os.utime(script, ns=(1, 12345678901))
    (source / "left out").symlink_to("/etc")
    copy_tree(source, tmp_path / "copy", BOUNDS, leave_out=lambda relative: relative.name == "left out")
    found = tmp_path / "copy" / "sub" / "run.sh"
    assert stat.S_IMODE(found.stat().st_mode) == 0o755, "no set-user bit"
    assert found.stat().st_mtime_ns == 12345678901
    names = [str(relative) for relative, _ in plain_files(tmp_path / "copy", BOUNDS)]
    assert names == ["sub/run.sh", "sub.txt", "été.txt"], "in the order of paths"


def test_nothing_is_written_through_what_is_there_already(tmp_path: Path) -> None:
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "file.txt").write_text("new")
    (tmp_path / "copy").mkdir()
    (tmp_path / "victim.txt").write_text("old")
    (tmp_path / "copy" / "file.txt").symlink_to(tmp_path / "victim.txt")
    with pytest.raises(FileExistsError):
        copy_tree(tmp_path / "agent", tmp_path / "copy", BOUNDS)
    assert (tmp_path / "victim.txt").read_text() == "old"


def nest(root: Path, depth: int) -> None:
    """Directories inside each other, deeper than any path can say: chains, joined by renames."""
    root.mkdir()
    chain = Path(*["d"] * 30)
    folder = os.open(root, os.O_RDONLY)
    for _ in range(depth // 30):
        (root / "new" / chain).mkdir(parents=True)
        if (root / "top").exists():
            (root / "top").rename(root / "new" / chain / "top")
        (root / "new").rename(root / "top")
    os.close(folder)


@pytest.mark.parametrize("depth", [100, 3000])
def test_removal_of_a_deep_nest(depth: int, tmp_path: Path) -> None:
    nest(tmp_path / "game", depth)
    assert remove_tree(tmp_path / "game") == ""
    assert list(tmp_path.iterdir()) == []


def test_a_nest_of_this_kind_ends_what_the_library_offers(tmp_path: Path) -> None:
    nest(tmp_path / "game", 3000)
    with pytest.raises((RecursionError, OSError)):
        shutil.rmtree(tmp_path / "game")
    assert remove_tree(tmp_path / "game") == ""


def test_removal_leaves_alone_what_links_lead_to(tmp_path: Path) -> None:
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / "file").write_text("x")
    game = tmp_path / "game"
    game.mkdir()
    (game / "link").symlink_to(tmp_path / "victim")
    (game / "sub").mkdir()
    (game / "sub" / "link").symlink_to(tmp_path / "victim")
    os.mkfifo(game / "sub" / "fifo")
    (game / "sub" / "hard").hardlink_to(tmp_path / "victim" / "file")
    assert remove_tree(game) == ""
    assert (tmp_path / "victim" / "file").read_text() == "x"
    (tmp_path / "game").symlink_to(tmp_path / "victim")
    assert remove_tree(tmp_path / "game") == "", "a link itself"
    assert (tmp_path / "victim" / "file").exists()
    assert remove_tree(tmp_path / "game") == "", "nothing there"
    assert remove_tree(tmp_path / "no" / "parent") == ""


def _lock_up_and_remove(place: Path) -> bool:
    game = place / "game"
    (game / "a" / "b" / "c").mkdir(parents=True)
    (game / "a" / "b" / "file").touch()
    for name in ("a/b/c", "a/b", "a", ""):
        (game / name).chmod(0)
    return remove_tree(game) == "" and not game.exists()


def test_removal_of_directories_without_permissions(tmp_path: Path) -> None:
    """As an ordinary user, for whom permissions count."""
    if not ROOT:
        assert _lock_up_and_remove(tmp_path)
        return
    os.chown(tmp_path, 65534, 65534)
    place = os.open(tmp_path, os.O_RDONLY)  # an ordinary user cannot get there by the path
    child = os.fork()
    if child == 0:
        os.fchdir(place)
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
        os._exit(0 if _lock_up_and_remove(Path()) else 1)
    os.close(place)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not ROOT, reason="only root marks files as immutable")
def test_removal_of_what_is_marked_as_immutable(tmp_path: Path) -> None:
    game = tmp_path / "game"
    (game / "sub" / "inner").mkdir(parents=True)
    (game / "sub" / "file").touch()
    for name, mark in (("sub/file", "+i"), ("sub/inner", "+i"), ("sub", "+a"), ("", "+i")):
        if subprocess.run(["chattr", mark, game / name], check=False, capture_output=True).returncode:
            subprocess.run(["chattr", "-R", "-ai", game], check=False, capture_output=True)
            pytest.skip("this file system has no such marks")
    assert remove_tree(game) == ""
    assert not game.exists()


def test_removal_while_files_appear(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The writer stops when removing has begun for the third time."""
    game = tmp_path / "game"
    (game / "sub").mkdir(parents=True)
    enough, begun = threading.Event(), threading.Event()
    attempts: list[Path] = []
    rmtree = shutil.rmtree

    def write() -> None:
        number = 0
        while not enough.wait(0.001):
            number += 1
            try:
                (game / "sub" / f"{number}").touch()
                (game / f"{number}").mkdir()
            except OSError:
                break
            if number > 200:
                begun.set()

    def counted(path: Path) -> None:
        attempts.append(path)
        if len(attempts) == 3:
            enough.set()
        rmtree(path)

    monkeypatch.setattr(shutil, "rmtree", counted)
    writer = threading.Thread(target=write)
    writer.start()
    assert begun.wait(60)
    try:
        assert remove_tree(game, patience=600) == ""
    finally:
        enough.set()
        writer.join()
    assert remove_tree(game) == ""
    assert not game.exists()


@pytest.mark.skipif(not ROOT, reason="mounts a file system")
def test_what_cannot_be_removed_is_named_and_does_not_keep_the_rest(tmp_path: Path) -> None:
    game = tmp_path / "game"
    (game / "held" / "mounted").mkdir(parents=True)
    (game / "other" / "inner").mkdir(parents=True)
    if subprocess.run(["mount", "-t", "tmpfs", "none", game / "held" / "mounted"], check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        left = remove_tree(game, patience=0.1)
        assert "cannot be removed: Device or resource busy" in left
        assert str(game) in left
        assert not list(tmp_path.glob("*/other"))
    finally:
        for mounted in tmp_path.rglob("mounted"):
            subprocess.run(["umount", "-l", mounted], check=True)
    assert remove_tree(game) == ""
