"""Three people's evenings, each typed from the document of their year: 2019, 2022 and 2025.

What is quoted stands in the documents so; what they leave to the person is said.
"""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.command import in_this_process
from tests.course.starter_kits import ENVIRONMENT, run

pytestmark = pytest.mark.process


def at_terminal(directory: Path, command: str, *, typed: bytes = b"") -> str:
    """What a command prints that ends well, and all that is typed while it runs."""
    ours, theirs = pty.openpty()
    try:
        os.write(ours, typed)
        words = command.split()
        done = subprocess.run(
            words, cwd=directory, stdin=theirs, capture_output=True, text=True, env=ENVIRONMENT, check=False
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_evening_of_2022(tmp_path: Path) -> None:
    """Section 4.4, on the student's own machine: three steps, and line 36."""
    stage = tmp_path / "HW2" / "stage1"
    assert in_this_process("new", "--course", str(stage), "--edition", "2022").returncode == 0
    # "download them from HW2/stage1/resource/$ASNLIB/public/myplayer_play onto your local machine and play there"
    mine = tmp_path / "mine"
    shutil.copytree(stage / "resource" / "asnlib" / "public" / "myplayer_play", mine)
    # "Duplicate random_player.py and rename one copy to my_player3.py"
    shutil.copy(mine / "random_player.py", mine / "my_player3.py")
    # "modify line 36: prefix="./"" changes nothing, for it is that line
    lines = (mine / "build.sh").read_text().splitlines()
    assert lines[36 - 1] == 'prefix="./"'
    # "$ sh build.sh", one game of each colour to be quick
    shown = at_terminal(mine, "sh build.sh 1")
    assert shown.startswith("my_player3.py against random_player.py\nGame 1 as Black: ")
    assert re.search(r"You play as White Player \| Win: [01] \| Lose: [01]\n$", shown)
    # The line is used: without the files that it points to there, those beside the script are played with.
    (mine / "build.sh").write_text("\n".join([*lines[:35], 'prefix="./nowhere/"', *lines[36:]]) + "\n")
    shutil.move(mine / "init", mine / "elsewhere")
    assert run(mine, "sh", "build.sh", "1").returncode == 3
    # The six files of the appendix are in "HW2/stage1/resource/startercode".
    six = {"Board.py", "RandomPlayer.py", "SmartPlayer.py", "PerfectPlayer.py", "QLearner.py", "TicTacToe.py"}
    assert six < {path.name for path in (stage / "resource" / "startercode").iterdir()}


def test_an_evening_of_2025(tmp_path: Path) -> None:
    """Section 4.4, on the course's machine: the buttons, and what to type if they do not work."""
    stage = tmp_path / "HW2" / "stage1"
    assert in_this_process("new", "--course", str(stage), "--edition", "2025").returncode == 0
    work = stage / "work"
    # "copying random_player.py into your work directory, renaming it as my_player3.py, and then clicking on Build"
    shutil.copy(stage / "resource" / "asnlib" / "public" / "myplayer_play" / "random_player.py", work / "my_player3.py")
    shown = at_terminal(work, "bash ../resource/scripts/build.sh 1")
    assert re.search(r"You play as Black Player \| Win: [01] \| Lose: [01]\n", shown)
    # An agent that loses at move 3 is the one that is played, not another.
    (work / "my_player3.py").write_text("print('2,2', file=open('output.txt', 'w'))\n")
    assert "Black Player | Win: 0 | Lose: 1" in at_terminal(work, "bash ../resource/scripts/build.sh 1")
    # "click the Run button to play a YouSelf-vs-RandomPlayer game"
    by_hand = at_terminal(work, "bash ../resource/scripts/run.sh", typed=b"PASS\n" * 13)
    assert by_hand.startswith("You have black.")
    assert "Stones: Black (X) 0, White (O) " in by_hand
    # "when you click the Submit button, your uploaded agent will be called ... The results will also be reported"
    report = at_terminal(work, "bash ../resource/scripts/submit.sh")
    assert report.startswith("work: 0 of 75 points, edition 2025, submit for stage 1\n")
    assert "alphabeta" not in report, "reserved for grading"
    assert (stage / "submission" / "report.html").exists()
    # Nothing of ours is in the student's directory but the edition's file: what is there is submitted.
    assert {path.name for path in work.iterdir()} <= {"my_player3.py", "edition.toml", "input.txt", "output.txt"}


EIGHT = [
    f"python3 go_play.py -n=5 -p1={first} -p2={second} -t=1"
    for opponent in ("random", "greedy", "aggressive", "smart")
    for first, second in (("my", opponent), (opponent, "my"))
]


def test_an_evening_of_2019(tmp_path: Path) -> None:
    """Sections 2.5 and 3.2: the commands, with fewer games."""
    kit = tmp_path / "kit"
    assert in_this_process("new", str(kit), "--edition", "2019").returncode == 0
    line = r"(Black player \(X\)|White player \(O\)) \| Wins:[\d.]+% Loses:[\d.]+%"
    # "$ python3 go_play.py -p1=greedy -t=100"
    assert len(re.findall(line, at_terminal(kit, "python3 go_play.py -p1=greedy -t=10"))) == 2
    for command in EIGHT:
        assert len(re.findall(line, at_terminal(kit, command))) == 2
    # "$ python3 go_play.py -n=5 -p1=manual -p2=random -t=1"
    cells = "".join(f"{i},{j}\n" for i in range(5) for j in range(5)) * 5
    shown = at_terminal(kit, "python3 go_play.py -n=5 -p1=manual -p2=random -t=1", typed=cells.encode())
    assert "X" in shown
    assert "O" in shown
    # "We'll first modify the go_play.py: from student1_player import MyPlayer as s1", and s2
    for student in ("student1", "student2"):
        shutil.copy(kit / "my_player.py", kit / f"{student}_player.py")
    program = (kit / "go_play.py").read_text()
    imports = "from student1_player import MyPlayer as s1\nfrom student2_player import MyPlayer as s2\n"
    (kit / "go_play.py").write_text(program.replace("import argparse\n", f"import argparse\n{imports}", 1))
    for command in ("python3 go_play.py -n=5 -p1=s1 -p2=s2 -t=6", "python3 go_play.py -n=5 -p1=s2 -p2=s1 -t=5"):
        assert len(re.findall(line, at_terminal(kit, command))) == 2
    # "you can view your submission report to see if your code works": the kit knows that it is of 2019.
    checked = in_this_process("check", "class:.", cwd=kit)
    assert checked.returncode == 0, checked.stdout
    played = in_this_process(
        "match", "class:.", "random", "--games", "2", "--out", str(tmp_path / "m"), "--json", cwd=kit
    )
    assert '"edition": "2019"' in played.stdout
