"""Read the two files of the game. Both functions raise ValueError if a file does not say what it should."""

import re


def readInput(n, path="input.txt"):
    """(piece_type, previous_board, board) of an n x n game; boards are lists of rows of 0, 1 and 2."""
    with open(path) as file:
        lines = file.read().split()
    if len(lines) != 1 + 2 * n or lines[0] not in ("1", "2"):
        raise ValueError(f"{path}: expected 1 or 2 and two boards of {n} rows")
    for number, line in enumerate(lines[1:], start=2):
        if len(line) != n or line.strip("012"):
            raise ValueError(f"{path}: line {number}: expected {n} digits 0, 1 or 2, got {line!r}")
    rows = [[int(digit) for digit in line] for line in lines[1:]]
    return int(lines[0]), rows[:n], rows[n:]


def readOutput(path="output.txt"):
    """("MOVE", row, column) or ("PASS", -1, -1). Only the first line counts, as with the course's host."""
    with open(path, encoding="utf-8", errors="replace") as file:
        line = file.readline(1000).strip()
    fields = line.split(",")
    if fields[0] == "PASS":
        return "PASS", -1, -1
    number = r"\s*[+-]?(?=[0-9_]{1,20}\s*\Z)[0-9]+(?:_[0-9]+)*\s*\Z"
    if len(fields) < 2 or not all(re.match(number, field) for field in fields[:2]):
        raise ValueError(f"{path}: expected 'PASS' or 'row,column' such as 2,3, got {line[:40]!r}")
    return "MOVE", int(fields[0]), int(fields[1])


def remarkOnOutput(action, i, j, path="output.txt"):
    """How output.txt differs from the move alone, which is what the course's text asks for; "" if it does not."""
    expected = "PASS" if action == "PASS" else f"{i},{j}"
    with open(path, "rb") as file:
        text = file.read(1000)
    if text in (expected.encode(), expected.encode() + b"\n"):
        return ""
    return f"the course's text asks for {expected!r} alone; the file says {text[:40].decode('latin-1')!r}"
