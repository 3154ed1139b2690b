"""Small agents for the tests: each a function that writes a directory."""

from __future__ import annotations

import shlex
import textwrap
from pathlib import Path

GOOD = """
    import random
    text = open("input.txt").read().split("\\n")
    board = text[6:11]
    def empty(i, j):
        return 0 <= i < 5 and 0 <= j < 5 and board[i][j] == "0"
    free = [(i, j) for i in range(5) for j in range(5) if empty(i, j)
            and any(empty(i + a, j + b) for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0)))]
    with open("output.txt", "w") as out:
        out.write("%d,%d" % random.choice(free) if free else "PASS")
"""
"""Plays only where it has an empty neighbour, which is always legal."""

PASSES = 'open("output.txt", "w").write("PASS")'
OCCUPIED = 'open("output.txt", "w").write("2,2")'


def python_agent(folder: Path, source: str, name: str = "my_player3.py") -> Path:
    """An agent of one Python file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(textwrap.dedent(source))
    return folder


def passing_command(folder: Path, seconds: str) -> str:
    """The spelling of a command that waits and passes, quick to start: a shell script.

    It can be asked for again with other seconds, even while it plays, and is the same player.
    """
    folder.mkdir(parents=True, exist_ok=True)
    script, wait = folder / "pass.sh", folder / "seconds"
    if not script.exists():
        script.write_text(f"read seconds < {shlex.quote(str(wait))}\nsleep $seconds\necho PASS > output.txt\n")
    changed = folder / "changed"
    changed.write_text(f"{seconds}\n")
    changed.replace(wait)
    return f"cmd:/bin/sh {script}"


CPP = r"""
#include <fstream>
#include <string>
int main() {
    std::ifstream in("input.txt");
    std::string line, board[5];
    for (int k = 0; k < 6; ++k) std::getline(in, line);
    for (auto &row : board) std::getline(in, row);
    std::ofstream out("output.txt");
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 4; ++j)
            if (board[i][j] == '0' && board[i][j + 1] == '0') { out << i << ',' << j; return 0; }
    out << "PASS";
}
"""

JAVA = """
import java.nio.file.*;
import java.util.*;
public class my_player {
    public static void main(String[] args) throws Exception {
        List<String> text = Files.readAllLines(Paths.get("input.txt"));
        String move = "PASS";
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 4; j++)
                if (move.equals("PASS") && text.get(6 + i).startsWith("00", j)) move = i + "," + j;
        Files.write(Paths.get("output.txt"), move.getBytes());
    }
}
"""

CLASS_2019 = """
    class MyPlayer():
        def __init__(self):
            self.type = "my"
        def get_input(self, go, piece_type):
            for i in range(go.size):
                for j in range(go.size):
                    if go.valid_place_check(i, j, piece_type, test_check=True):
                        return i, j
            return "PASS"
"""
