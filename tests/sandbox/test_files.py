"""The work directory as an enemy might leave it."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from littlego.sandbox import files


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[int]:
    descriptor = files.open_directory(str(tmp_path))
    yield descriptor
    os.close(descriptor)


class TestReadOutput:
    def test_text_comes_back_as_it_is(self, tmp_path: Path, directory: int) -> None:
        (tmp_path / "output.txt").write_bytes(b"2,3\r\n\tmore text\n")
        assert files.read_output(directory, 100) == b"2,3\r\n\tmore text\n"

    @pytest.mark.parametrize("make", [lambda _: None, lambda path: path.touch()], ids=["missing", "empty"])
    def test_nothing_is_none(self, tmp_path: Path, directory: int, make: object) -> None:
        assert callable(make)
        make(tmp_path / "output.txt")
        assert files.read_output(directory, 100) is None

    @pytest.mark.parametrize("content", [b"\x00", b"2,3\x00", b"\xff2,3", "2,3 é".encode(), b"\x1b[2J"])
    def test_a_first_line_that_is_not_ascii_text_is_refused(
        self, tmp_path: Path, directory: int, content: bytes
    ) -> None:
        (tmp_path / "output.txt").write_bytes(content)
        with pytest.raises(files.BadOutput, match="not plain text: it holds the byte 0x"):
            files.read_output(directory, 100)

    def test_any_bytes_may_follow_the_first_line(self, tmp_path: Path, directory: int) -> None:
        for content in (b"2,3\n" + bytes(range(256)), b"2,3\r\xff", b"2,3\f\v\n"):
            (tmp_path / "output.txt").write_bytes(content)
            assert files.read_output(directory, 300) == content

    def test_the_limit_itself_is_allowed(self, tmp_path: Path, directory: int) -> None:
        (tmp_path / "output.txt").write_bytes(b"x" * 100)
        assert files.read_output(directory, 100) == b"x" * 100
        with pytest.raises(files.BadOutput, match="has 100 bytes; at most 99"):
            files.read_output(directory, 99)

    def test_links_are_refused(self, tmp_path: Path, directory: int) -> None:
        move = tmp_path / "move"
        move.write_text("2,3")
        output = tmp_path / "output.txt"
        output.symlink_to(move)
        with pytest.raises(files.BadOutput, match="is a symbolic link"):
            files.read_output(directory, 100)
        output.unlink()
        output.hardlink_to(move)
        with pytest.raises(files.BadOutput, match="2 names"):
            files.read_output(directory, 100)

    def test_other_kinds_are_refused_without_waiting(self, tmp_path: Path, directory: int) -> None:
        output = tmp_path / "output.txt"
        os.mkfifo(output)
        with pytest.raises(files.BadOutput, match="is a FIFO"):
            files.read_output(directory, 100)
        output.unlink()
        output.mkdir()
        with pytest.raises(files.BadOutput, match="is a directory"):
            files.read_output(directory, 100)
        output.rmdir()
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(output))
            with pytest.raises(files.BadOutput, match="is a socket"):
                files.read_output(directory, 100)

    def test_a_renamed_directory_is_still_the_one_that_was_opened(self, tmp_path: Path) -> None:
        work = tmp_path / "work"
        work.mkdir()
        (work / "output.txt").write_text("2,3")
        descriptor = files.open_directory(str(work))
        assert files.is_still(str(work), descriptor)
        work.rename(tmp_path / "moved")
        assert not files.is_still(str(work), descriptor)
        work.mkdir()
        (work / "output.txt").write_text("0,0")
        assert not files.is_still(str(work), descriptor)
        assert files.read_output(descriptor, 100) == b"2,3"
        os.close(descriptor)


class TestPrepare:
    def test_old_files_go_and_the_input_is_new(self, tmp_path: Path, directory: int) -> None:
        (tmp_path / "input.txt").write_text("old")
        (tmp_path / "output.txt").write_text("old")
        files.prepare(directory, b"new")
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"input.txt": b"new"}

    def test_a_planted_link_is_removed_and_not_followed(self, tmp_path: Path, directory: int) -> None:
        outside = tmp_path / "outside"
        outside.write_text("keep")
        (tmp_path / "input.txt").symlink_to(outside)
        (tmp_path / "output.txt").symlink_to(tmp_path / "nothing")
        files.prepare(directory, b"new")
        assert outside.read_text() == "keep"
        assert not (tmp_path / "input.txt").is_symlink()
        assert not (tmp_path / "output.txt").is_symlink()

    def test_planted_directories_are_removed_and_links_in_them_not_followed(
        self, tmp_path: Path, directory: int
    ) -> None:
        kept = tmp_path / "kept"
        kept.mkdir()
        (kept / "file").write_text("keep")
        (tmp_path / "output.txt" / "a" / "b").mkdir(parents=True)
        (tmp_path / "output.txt" / "a" / "link").symlink_to(kept)
        files.prepare(directory, b"new")
        assert (kept / "file").read_text() == "keep"
        assert not (tmp_path / "output.txt").exists()


class TestMeasure:
    def test_what_is_allowed_passes(self, tmp_path: Path, directory: int) -> None:
        (tmp_path / "file").write_bytes(bytes(1000))
        files.measure(directory, files=1, size=1 << 20)
        files.measure(directory, files=1, size=1 << 20)

    def test_files_bytes_and_depth_are_bounded(self, tmp_path: Path, directory: int) -> None:
        for name in "ab":
            (tmp_path / name).write_bytes(bytes(10000))
        with pytest.raises(files.TooMuch, match="more than 1 files"):
            files.measure(directory, files=1, size=1 << 20)
        with pytest.raises(files.TooMuch, match="more than 15000 bytes"):
            files.measure(directory, files=10, size=15000)
        (tmp_path / "/".join("d" * 40)).mkdir(parents=True)
        with pytest.raises(files.TooMuch, match="nested"):
            files.measure(directory, files=100, size=1 << 20)

    def test_a_sparse_file_counts_in_full(self, tmp_path: Path, directory: int) -> None:
        with (tmp_path / "sparse").open("wb") as file:
            file.truncate(1 << 30)
        with pytest.raises(files.TooMuch, match="bytes"):
            files.measure(directory, files=10, size=1 << 20)

    def test_links_are_counted_and_not_followed(self, tmp_path: Path, directory: int) -> None:
        (tmp_path / "loop").symlink_to(tmp_path)
        files.measure(directory, files=1, size=1 << 20)


def test_what_becomes_a_link_while_it_is_measured_is_passed_over(
    tmp_path: Path, directory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A living agent may swap its files between two of our looks; that must not make its move void."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "program").touch()
    (tmp_path / "program").chmod(0o4755)
    really = files._disarm

    def swapped_before(inside: int, name: str) -> object:
        (tmp_path / name).rename(tmp_path / "aside")
        (tmp_path / name).symlink_to("/")
        return really(inside, name)

    monkeypatch.setattr(files, "_disarm", swapped_before)
    files.measure(directory, files=10, size=1 << 20)
    assert (tmp_path / "aside").exists()


class TestCopy:
    @pytest.fixture
    def other(self, tmp_path: Path) -> Iterator[tuple[Path, int]]:
        (other := tmp_path.with_name(f"{tmp_path.name}-other")).mkdir()
        descriptor = files.open_directory(str(other))
        yield other, descriptor
        os.close(descriptor)

    def test_plain_files_are_made_alike_and_others_go(
        self, tmp_path: Path, directory: int, other: tuple[Path, int]
    ) -> None:
        there, target = other
        (tmp_path / "folder" / "deep").mkdir(parents=True)
        (tmp_path / "folder" / "deep" / "book").write_bytes(b"moves")
        (tmp_path / "program").write_bytes(b"x" * 5000)
        (tmp_path / "program").chmod(0o6755)
        (tmp_path / "link").symlink_to("/etc/passwd")
        os.mkfifo(tmp_path / "pipe")
        (there / "gone" / "old").mkdir(parents=True)
        (there / "program").mkdir()
        for _ in range(2):
            files.copy(directory, target, files=10, size=1 << 20)
            found = sorted(str(path.relative_to(there)) for path in there.rglob("*"))
            assert found == ["folder", "folder/deep", "folder/deep/book", "program"]
        assert (there / "folder" / "deep" / "book").read_bytes() == b"moves"
        ours, theirs = (tmp_path / "program").stat(), (there / "program").stat()
        assert (theirs.st_size, theirs.st_mtime_ns, theirs.st_mode & 0o7777) == (5000, ours.st_mtime_ns, 0o755)

    def test_what_looks_the_same_is_not_written_again(
        self, tmp_path: Path, directory: int, other: tuple[Path, int]
    ) -> None:
        there, target = other
        (tmp_path / "book").write_bytes(b"moves")
        files.copy(directory, target, files=10, size=1 << 20)
        before = (there / "book").stat()
        files.copy(directory, target, files=10, size=1 << 20)
        assert (there / "book").stat().st_ino == before.st_ino
        (tmp_path / "book").write_bytes(b"other")
        os.utime(tmp_path / "book", ns=(0, before.st_mtime_ns + 1))
        files.copy(directory, target, files=10, size=1 << 20)
        assert (there / "book").read_bytes() == b"other"

    def test_holes_count_before_they_are_written(self, tmp_path: Path, directory: int, other: tuple[Path, int]) -> None:
        for name in "abcd":
            with (tmp_path / name).open("wb") as file:
                file.truncate(1 << 19)
        with pytest.raises(files.TooMuch, match="more than 1048576 bytes"):
            files.copy(directory, other[1], files=10, size=1 << 20)
