"""Lizzie's own class for lines of analysis reads ours, as values that the solver confirms.

Debian has Lizzie as `liblizzie-java`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from littlego import Oracle, Position

LIZZIE = Path("/usr/share/java/lizzie.jar")
JAVA = shutil.which("java")
GAME = ("C3", "C2", "D3", "B2", "C4", "B4", "D4", "D2", "E2", "B3", "D1", "B5", "A4")


@pytest.mark.process
@pytest.mark.skipif(
    JAVA is None or not LIZZIE.exists(),
    reason="no Java, or no Lizzie (apt-get install liblizzie-java)",
)
def test_lizzie_reads_our_analysis(tmp_path: Path) -> None:
    assert JAVA is not None
    plays = [f"play {'bw'[number % 2]} {vertex}" for number, vertex in enumerate(GAME)]
    asked = "\n".join([*plays, "lz-analyze 6000", "name", "kata-analyze 6000", "quit", ""])
    engine = [sys.executable, "-m", "littlego", "gtp", "greedy"]
    answers = subprocess.run(engine, input=asked, capture_output=True, encoding="utf-8", check=True).stdout
    lz, kata = (lines_in(part)[-1] for part in answers.split("Little-Go greedy"))
    reader = [JAVA, "-Djava.awt.headless=true", f"-Duser.home={tmp_path}", "-cp", str(LIZZIE)]
    source = str(Path(__file__).with_name("LizzieLines.java"))
    done = subprocess.run(
        [*reader, source], input=f"lz {lz}\nkata {kata}\n", capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    read = [line.split("\t") for line in done.stdout.splitlines() if "\t" in line]
    position = Position.initial()
    for vertex in GAME:
        position = position.play(vertex)
    for dialect in ("lz", "kata"):
        rows = {vertex: rest for said, vertex, *rest in read if said == dialect}
        assert set(rows) == {vertex_of(move) for move in position.legal_moves()}
        with Oracle(memory=1 << 24) as oracle:
            for vertex, (visits, rate, lead, line) in rows.items():
                wins = oracle.value(position.play(vertex)) is position.to_move
                assert (int(visits) >= 10, float(rate)) == (True, 100.0 * wins)
                assert line.split()[0] == vertex
                if dialect == "kata":
                    assert (float(lead) > 0) == wins


def lines_in(answers: str) -> list[str]:
    return [line for line in answers.splitlines() if line.startswith("info ")]


def vertex_of(move: object) -> str:
    return "ABCDE"[move % 5] + str(5 - move // 5) if isinstance(move, int) else "pass"
