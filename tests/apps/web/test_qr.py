"""QR codes: the example of the standard, and codes that other programs read."""

from __future__ import annotations

import pytest

from littlego.apps.web.qr import qr_code, reed_solomon, terminal_text

# ISO/IEC 18004, annex I: "01234567" as a code of version 1, level M.
DATA, CHECKS = "10200c566180ec11ec11ec11ec11ec11", "a524d4c1ed36c7872c55"
ADDRESS = "http://192.168.178.23:8025/"
# As zxing-cpp reads it; it read codes of 1 to 78 random letters, too.
GOLDEN = """
#######..#..##..##..###.#.#######
#.....#...###.###.###.###.#.....#
#.###.#.###.###.###.####..#.###.#
#.###.#..###.###.###.##...#.###.#
#.###.#...#...#...#...###.#.###.#
#.....#..#...#...#...#.##.#.....#
#######.#.#.#.#.#.#.#.#.#.#######
........###.###.###.#####........
###.#####.##..##..##..#..##...#..
...#.#.#..##..##..##..#...##.##.#
..#..##..#...#...#...#..#.#.....#
..###...#..#...#...#........##.#.
.######.#...#...#...#.....#.....#
#....#.###.###.###.###....##..#.#
.#..#.####.##.###.###.#.###.##.##
.#..#..#....###.###.####..####.#.
...##.##..##..##..##..#...##...##
#####......#..##..##..#...##..#.#
.....#####...#...#...#..#....#.##
....##.#####...#...#...#.#...#.#.
...#..#.#...#...#...#..#..##.#.##
..#.......####.###.###...###.#..#
#....##...###.###.###.#.##.######
.#.##..#..#.###.###.###..###.#.#.
#.##.####..#..##..##..########...
........####..##..##..#.#...#####
#######.###..#...#...#.##.#.#####
#.....#.####...#...#...##...##..#
#.###.#.###.#...#...#...######...
#.###.#....###.###.###..##..##...
#.###.#.#.###.###.###.#.##..#...#
#.....#.#...###.###.###.##.###.#.
#######.####..##..##..#.#..#...##
"""


def test_checks_are_those_of_the_standard() -> None:
    assert reed_solomon(bytes.fromhex(DATA), 10).hex() == CHECKS


def test_an_address_is_drawn_as_other_programs_read_it() -> None:
    rows = ["".join(".#"[dark] for dark in row) for row in qr_code(ADDRESS)]
    assert rows == GOLDEN.strip("\n").splitlines()


def test_a_terminal_shows_two_rows_in_a_line_with_light_around_them() -> None:
    modules = qr_code(ADDRESS)
    lines = [line.removeprefix("\x1b[97;40m").removesuffix("\x1b[0m") for line in terminal_text(modules).splitlines()]
    light = [[char in half for char in line] for line in lines for half in ("▀█", "▄█")]
    inside = [row[4:-4] for row in light[4:]]
    assert [[not each for each in row] for row in inside[: len(modules)]] == modules
    assert all(map(all, light[:4] + light[4 + len(modules) :]))
    assert all(all(row[:4] + row[-4:]) for row in light)


def test_a_text_that_does_not_fit_is_refused() -> None:
    assert qr_code("a" * 78)
    with pytest.raises(ValueError, match="79 bytes"):
        qr_code("a" * 79)
