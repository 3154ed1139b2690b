"""Why games were forfeited: the file and the line, from what programs leave on standard error."""

from __future__ import annotations

from pathlib import Path

import pytest

from littlego.course.failures import blamed
from littlego.course.grading.gradescope import gradescope_results
from littlego.course.grading.html import grade_page
from littlego.course.grading.words import causes, first_fix
from littlego.course.seats import parse_entrant
from tests.arena.agents import python_agent
from tests.course.grading.test_run import graded, small

IN_A_LIBRARY = """\
thinking about 3 moves
Traceback (most recent call last):
  File "/tmp/littlego-game-x1/my_player3.py", line 31, in <module>
    main()
    ~~~~^^
  File "/tmp/littlego-game-x1/helper.py", line 7, in main
    json.loads(text)
  File "/usr/lib/python3.11/json/__init__.py", line 346, in loads
    return _default_decoder.decode(s)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^
json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)
"""
IN_JAVA = """\
Exception in thread "main" java.lang.ArrayIndexOutOfBoundsException: Index 5 out of bounds for length 5
\tat my_player.best(my_player.java:42)
\tat my_player.main(my_player.java:9)
"""
WRAPPED = """\
Exception in thread "main" java.lang.IllegalStateException: wrapped
\tat my_player.main(my_player.java:2)
Caused by: java.lang.ArithmeticException: / by zero
\t... 1 more
"""
FROM_THE_LIBRARY = """\
Exception in thread "main" java.lang.NumberFormatException: For input string: "x"
\tat java.base/java.lang.Integer.parseInt(Integer.java:652)
\tat board.read(board.java:7)
"""
FROM_THE_LIBRARY_OF_JAVA_8 = """\
Exception in thread "main" java.lang.NumberFormatException: For input string: "x"
\tat java.lang.NumberFormatException.forInputString(NumberFormatException.java:65)
\tat java.lang.Integer.parseInt(Integer.java:580)
\tat board.read(board.java:7)
"""
IN_THE_LIBRARY_ONLY = """\
Exception in thread "main" java.lang.UnsupportedClassVersionError: board has been compiled by a more recent version
\tat java.base/java.lang.ClassLoader.defineClass1(Native Method)
\tat java.base/java.lang.ClassLoader.defineClass(ClassLoader.java:1017)
"""
NO_MAIN = """\
Error: Main method not found in class my_player, please define the main method as:
   public static void main(String[] args)
or a JavaFX application class must extend javafx.application.Application
"""
SYNTAX = """\
  File "my_player3.py", line 3
    if x = 3:
       ^^^^^
SyntaxError: invalid syntax
"""


@pytest.mark.parametrize(
    ("stderr", "place", "exception"),
    [
        (IN_A_LIBRARY, "helper.py, line 7", "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"),
        (
            IN_JAVA,
            "my_player.java, line 42",
            "java.lang.ArrayIndexOutOfBoundsException: Index 5 out of bounds for length 5",
        ),
        (WRAPPED, "my_player.java, line 2", "java.lang.ArithmeticException: / by zero"),
        (FROM_THE_LIBRARY, "board.java, line 7", 'java.lang.NumberFormatException: For input string: "x"'),
        (FROM_THE_LIBRARY_OF_JAVA_8, "board.java, line 7", 'java.lang.NumberFormatException: For input string: "x"'),
        (
            IN_THE_LIBRARY_ONLY,
            "",
            "java.lang.UnsupportedClassVersionError: board has been compiled by a more recent version",
        ),
        (SYNTAX, "my_player3.py, line 3", "SyntaxError: invalid syntax"),
        ("terminate called\n", "", "terminate called"),
        (NO_MAIN, "", "Main method not found in class my_player"),
        ("", "", ""),
    ],
    ids=["library", "java", "cause", "java library", "java 8", "java only", "syntax", "words", "no main", "nothing"],
)
def test_whose_line_it_is(stderr: str, place: str, exception: str) -> None:
    assert blamed(stderr) == (place, exception)


SOMETIMES = """
with open("input.txt") as file:
    colour = file.readline().strip()
if colour == "1":
    raise KeyError(f"no plan for 0x{id(file)} " + 7000 * "x")
with open("output.txt", "w") as file:
    file.write("7,7")
"""


@pytest.mark.process
def test_a_report_begins_with_what_to_fix(tmp_path: Path) -> None:
    agent = parse_entrant(str(python_agent(tmp_path / "agent", SOMETIMES)))
    report = graded(agent, small(("random",)), tmp_path / "out")
    crash, off_board = causes(report)
    assert (crash.verdict.value, crash.place, len(crash.games)) == ("crash", "my_player3.py, line 5", 2)
    assert "KeyError" in crash.message
    assert len(crash.sentence) < 400, "an agent's words are clipped"
    assert (off_board.verdict.value, off_board.message) == ("illegal_off_board", "the point is not on the board")
    fix = first_fix(report)
    assert fix.startswith("Fix this first: it crashed at my_player3.py, line 5: KeyError: 'no plan for")
    assert "That cost 2 of 4 games; see game 1 against random, move 1." in fix
    page = grade_page(report)
    assert 0 < page.index("Fix this first") < page.index("Rubric"), "before the tables"
    results = gradescope_results(report)
    assert results["output"].splitlines()[1] == fix
    assert "2 forfeited: it made an illegal move: the point is not on the board" in results["tests"][0]["output"]
