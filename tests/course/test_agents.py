"""Agents in the kit: those written for the course's files, the starter agent, and build.sh with all of them."""

from __future__ import annotations

import os
import pty
import re
import runpy
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from littlego.core.board import Colour
from littlego.core.points import PASS, Move, Pass, parse_move
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.course.starter import KIT, write_kit
from littlego.formats.course import CourseInput, write_input
from littlego.players.catalogue import make_player
from tests.course.starter_kits import ENVIRONMENT, cells, importing, run
from tests.helpers import at, random_game

# Written the way students write them, each leaning on the course's files differently.
AGENTS = {
    "first legal point": """
import sys
from read import readInput
from write import writeOutput
from host import GO

class MyPlayer():
    def __init__(self):
        self.type = 'first'

    def get_input(self, go, piece_type):
        for i in range(go.size):
            for j in range(go.size):
                if go.valid_place_check(i, j, piece_type, test_check = True):
                    return (i,j)
        return "PASS"

if __name__ == "__main__":
    N = 5
    piece_type, previous_board, board = readInput(N)
    go = GO(N)
    go.set_board(piece_type, previous_board, board)
    player = MyPlayer()
    action = player.get_input(go, piece_type)
    writeOutput(action)
""",
    "two-ply search on copies": """
from copy import deepcopy
from host import *
from read import *
from write import *

def moves(go, piece):
    return [(i, j) for i in range(5) for j in range(5) if go.valid_place_check(i, j, piece, True)]

def after(go, move, piece):
    new = go.copy_board()
    new.place_chess(move[0], move[1], piece)
    new.died_pieces = new.remove_died_pieces(3 - piece)
    new.n_move += 1
    return new

def value(go, me):
    liberties = sum(go.find_liberty(i, j) for i in range(5) for j in range(5) if go.board[i][j] == me)
    return go.score(me) - go.score(3 - me) + 0.01 * liberties

def best(go, me):
    scored = []
    for move in moves(go, me)[:6]:
        new = after(go, move, me)
        worst = min([value(after(new, reply, 3 - me), me) for reply in moves(new, 3 - me)[:6]] or [value(new, me)])
        scored.append((worst, move))
    return max(scored)[1] if scored else 'PASS'

me, previous, board = readInput(5, "input.txt")
go = GO(5)
go.verbose = True
go.set_board(me, previous, deepcopy(board))
move = best(go, me)
if move == 'PASS':
    writePass()
else:
    writeOutput(move)
""",
    "boards handled by hand": """
import host, read, write
piece, previous, now = read.readInput(5)
go = host.GO(5)
go.init_board(5)
go.previous_board, go.board = previous, now
go.died_pieces = [(i, j) for i in range(5) for j in range(5) if previous[i][j] == piece != now[i][j]]
groups = [go.ally_dfs(i, j) for i in range(5) for j in range(5) if now[i][j] == 3 - piece]
targets = [p for group in groups for stone in group for p in go.detect_neighbor(stone[0], stone[1])]
everywhere = [(i, j) for i in range(5) for j in range(5)]
for i, j in targets + everywhere:
    test = go.copy_board()
    if test.place_chess(i, j, piece):
        dead = test.find_died_pieces(3 - piece)
        test.remove_certain_pieces(dead)
        test.update_board(test.board)
        assert not test.compare_board(test.board, go.board) and test.detect_neighbor_ally(i, j) is not None
        write.writeOutput([i, j])
        break
else:
    write.writeOutput("PASS")
""",
}


@pytest.fixture(name="kit")
def fixture_kit(tmp_path: Path) -> Path:
    directory = tmp_path / "a directory"
    write_kit(directory)
    return directory


def game_through_files(kit: Path, colour: Colour, load: Callable[[str], Any]) -> list[str]:
    """A game of my_player3.py against random by the kit's own host, in this process; the moves."""
    host = load("host")
    shutil.copy(kit / "init" / "input.txt", kit / "input.txt")
    moves = []
    winner, to_move = 0, Colour.BLACK
    while not winner:
        program = "my_player3.py" if to_move is colour else "random_player.py"
        runpy.run_path(str(kit / program), run_name="__main__")
        moves.append((kit / "output.txt").read_text())
        winner = host.judge(len(moves))
        to_move = to_move.opponent
    return moves


@pytest.mark.parametrize("colour", list(Colour))
@pytest.mark.parametrize("name", AGENTS)
def test_agents_written_for_the_courses_files_run_unchanged(
    name: str,
    colour: Colour,
    kit: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (kit / "my_player3.py").write_text(AGENTS[name])
    monkeypatch.chdir(kit)
    with importing(kit) as load:
        moves = game_through_files(kit, colour, load)
    assert capsys.readouterr() == ("", "")
    position = Position.initial()
    for move in moves:
        position = position.play(parse_move(move, 5))
    assert len(moves) == 24, "random never passes while it can move"


class FromFile:
    """The starter agent as a player of ours, given what input.txt would say."""

    def __init__(self) -> None:
        self.agent = runpy.run_path(str(KIT / "my_player3.py"))
        self.previous: Position | None = None

    def choose(self, position: Position) -> Move:
        previous = self.previous or Position.initial()
        move = self.agent["choose"](position.to_move.value, cells(previous), cells(position))
        chosen = PASS if move is None else move[0] * 5 + move[1]
        self.previous = position.play(chosen)
        return chosen


@pytest.mark.parametrize("opponent", ["random", "greedy", "aggressive"])
def test_the_starter_agent_plays_legally_and_not_badly(opponent: str) -> None:
    from littlego.core.game import play

    wins = 0
    for seed in range(20):
        colour = Colour.BLACK if seed % 2 else Colour.WHITE
        players = {colour: FromFile(), colour.opponent: make_player(opponent, seed=seed)}
        outcome = play(players).outcome
        assert outcome is not None
        assert not outcome.verdict.is_forfeit
        wins += outcome.winner is colour
    assert wins >= 10 or opponent != "random"


def test_the_starter_agent_sees_exactly_the_legal_moves() -> None:
    legal_moves = runpy.run_path(str(KIT / "my_player3.py"))["legal_moves"]
    for seed in range(30):
        previous = Position.initial()
        for position, _ in random_game(edition_rules(), seed):
            found = legal_moves(position.to_move.value, cells(previous), cells(position))
            points = [move for move in position.legal_moves() if not isinstance(move, Pass)]
            assert [row * 5 + column for row, column, _, _ in found] == points
            assert [captured for *_, captured in found] == [position.captures(point) for point in points]
            previous = position


def test_the_starter_agent_passes_when_it_must(kit: Path) -> None:
    position = at(". X . X X\nX X X X X\nX X X X X\nX X X X X\nX X X X X", Colour.WHITE)
    (kit / "input.txt").write_text(write_input(CourseInput(Colour.WHITE, position.board, position.board)))
    assert run(kit, "my_player3.py").returncode == 0
    assert (kit / "output.txt").read_text() == "PASS"


@pytest.mark.slow
def test_build_plays_the_match_and_sums_it_up(kit: Path, tmp_path: Path) -> None:
    """Started from elsewhere, in a directory with a space in its name, by whatever `sh` is here."""
    done = run(tmp_path, "sh", str(kit / "build.sh"), "1")
    assert done.returncode == 0, done.stderr
    assert all("newer than the course's Python 3.7" in line for line in done.stderr.splitlines())
    assert re.fullmatch(
        r"""my_player3.py against random_player.py
Game 1 as Black: (won|lost) after 24 moves
Game 1 as White: (won|lost) after 24 moves
=====Summary=====
You play as Black Player \| Win: [01] \| Lose: [01]
You play as White Player \| Win: [01] \| Lose: [01]
""",
        done.stdout,
    )


# Agents that lose at once, so that a match is short: each says in its move which program it was.
LOSING = {
    "my_player.py": "open('output.txt', 'w').write('9,1')\n",
    "my_player3.py": "open('output.txt', 'w').write('9,3')\nraise SystemExit(7)\n",
    "my_player.cpp": '#include <fstream>\n#include "move.h" // 9,4\n'
    'int main() { std::ofstream("output.txt") << move(); }\n',
    "my_player.java": "class my_player { public static void main(String[] a) throws Exception {"
    ' java.nio.file.Files.write(java.nio.file.Path.of("output.txt"), "9,5".getBytes()); } }\n',
    "my_player11.cpp": '#include <fstream>\nint main() { auto m = "9,6"; std::ofstream("output.txt") << m; }\n',
}
TOOLS = {".py": "python3", ".cpp": "g++", ".java": "javac"}


@pytest.mark.parametrize(("shell", "file"), [*(("sh", file) for file in LOSING), ("bash", "my_player.py")])
def test_build_looks_for_programs_in_the_courses_order(shell: str, file: str, kit: Path) -> None:
    if shutil.which(shell) is None or shutil.which(TOOLS[Path(file).suffix]) is None:
        pytest.skip(f"{shell} or {TOOLS[Path(file).suffix]} is not here")
    (kit / "my_player3.py").unlink()
    for name in list(LOSING)[list(LOSING).index(file) :]:
        (kit / name).write_text(LOSING[name])
    (kit / "move.h").write_text("const char *move();\n")
    (kit / "move.cpp").write_text('#include "move.h"\nconst char *move() { return "9,4"; }\n')
    done = run(kit, shell, "build.sh", "1")
    assert done.returncode == 0, done.stderr
    assert f"{file} against random_player.py\nGame 1 as Black: lost after 1 moves" in done.stdout
    point = re.search(r"9,\d", LOSING[file])
    assert point is not None
    assert f"Black (X) loses at move 1: {point[0]} is not on the board" in done.stderr
    assert f"White (O) loses at move 2: {point[0]} is not on the board" in done.stderr
    assert done.stdout.endswith(
        "=====Summary=====\nYou play as Black Player | Win: 0 | Lose: 1\nYou play as White Player | Win: 0 | Lose: 1\n"
    )
    assert ("The program of move 1 ended with status 7." in done.stderr) == (file == "my_player3.py")


def test_build_says_what_is_missing(kit: Path) -> None:
    (kit / "my_player3.py").unlink()
    done = run(kit, "sh", "build.sh")
    assert (done.returncode, done.stdout) == (3, "")
    assert "there is no my_player3.py" in done.stderr
    assert run(kit, "sh", "build.sh", "many").stderr == "build.sh: expected a number of games, got 'many'\n"


def test_a_move_that_crashed_after_its_output_counts(kit: Path) -> None:
    """The course's host looks at the file alone; the second move, on the same point, is what loses."""
    (kit / "my_player3.py").write_text("open('output.txt', 'w').write('PASS')\nraise SystemExit(7)\n")
    (kit / "random_player.py").write_text("open('output.txt', 'w').write('PASS')\n")
    done = run(kit, "sh", "build.sh", "1", "-v")
    assert "The program of move 1 ended with status 7." in done.stderr
    assert "Game 1 as Black: lost after 2 moves\nGame 1 as White: won after 2 moves" in done.stdout
    assert "Move 2: White (O) plays PASS" in done.stderr


def test_a_move_that_used_up_its_time_is_lost_though_it_was_written(kit: Path) -> None:
    build = (kit / "build.sh").read_text()
    assert build.count("ulimit -t 10;") == 1
    (kit / "build.sh").write_text(build.replace("ulimit -t 10;", "ulimit -t 1;"))
    (kit / "my_player3.py").write_text("with open('output.txt', 'w') as f: f.write('2,2')\nwhile True: pass\n")
    done = run(kit, "sh", "build.sh", "1")
    assert "used up its 10 s of CPU time" in done.stderr
    assert "Game 1 as Black: lost after 1 moves\nGame 1 as White: lost after 2 moves" in done.stdout


def test_the_kits_host_remarks_on_what_the_text_does_not_allow(kit: Path) -> None:
    shutil.copy(kit / "init" / "input.txt", kit)
    for text, remark in (
        ("2,2\n", ""),
        ("2, 2", "could lose elsewhere for move 1: the course's text asks for '2,2' alone"),
    ):
        (kit / "output.txt").write_text(text)
        done = run(kit, "python3", "host.py", "-m", "1")
        assert done.returncode == 0
        assert remark in done.stderr
        assert bool(remark) == bool(done.stderr)
        shutil.copy(kit / "init" / "input.txt", kit)


def test_a_person_plays_by_hand(kit: Path) -> None:
    (kit / "random_player.py").write_text("open('output.txt', 'w').write('PASS')\n")
    ours, theirs = pty.openpty()
    try:
        os.write(ours, b"2,2\nx\n2,2\n9,9\n1,1\n3,3\npass\n")
        done = subprocess.run(
            ["sh", "run.sh"],
            cwd=kit,
            stdin=theirs,
            capture_output=True,
            text=True,
            env=ENVIRONMENT,
            timeout=600,
            check=False,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("You have black.")
    assert "Type two numbers such as 2,3" in done.stdout
    assert "Not possible: 2,2 is occupied." in done.stdout
    assert "Not possible: 9,9 is not on the board" in done.stdout
    assert "Move 5: Black (X) plays 3,3" in done.stdout
    assert done.stdout.endswith(
        "Stones: Black (X) 3, White (O) 0 and 2.5 for moving second.\nGame over. Black (X) wins.\nYou win.\n"
    )
