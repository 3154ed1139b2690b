"""A class of 2019 or a program: what a file does decides, not what it mentions."""

from __future__ import annotations

import textwrap
import zipfile
from pathlib import Path

import pytest

from littlego.arena.participants import CourseAgent
from littlego.core.errors import UsageError
from littlego.course.classes import ClassAgent, is_class_of_2019
from littlego.course.seats import parse_entrant
from littlego.course.starter import write_kit
from tests.arena.agents import CLASS_2019, GOOD, python_agent

CLASS = textwrap.dedent(CLASS_2019)
LATER = """
from host import GO
from read import readInput
from write import writeOutput

class MyPlayer():
    def get_input(self, go, piece_type):
        return "PASS"

"""


@pytest.mark.parametrize("text", [
    CLASS,
    f"'No output here; writes no output.txt'\n{CLASS}",
    f"# puts no output.txt anywhere\n{CLASS}",
    f"{CLASS}\ndef show(go):\n    'output of the board'\n    print('output')\n",
    f"import json\nWEIGHTS = json.loads(open('weights.json').read())\n{CLASS}",
    f"{CLASS}\nif __name__ == '__main__':\n    print(MyPlayer().type)\n",
    "from base import Player\nclass MyPlayer(Player):\n    pass\n",
])  # fmt: skip
def test_classes(text: str, tmp_path: Path) -> None:
    assert is_class_of_2019(python_agent(tmp_path / "agent", text, "my_player.py") / "my_player.py")


@pytest.mark.parametrize("text", [
    GOOD,
    f"{LATER}writeOutput(MyPlayer().get_input(GO(5), 1))\n",
    f"{LATER}if __name__ == '__main__':\n    writeOutput(MyPlayer().get_input(GO(5), 1))\n",
    f"{LATER}def main():\n    writeOutput('PASS')\ndef start():\n    main()\nstart()\n",
    f"{CLASS}\nwith open('output.txt', 'w') as out:\n    out.write('PASS')\n",
    f"{CLASS}\nNAME = 'output.txt'\ndef main():\n    open(NAME, 'w').write('PASS')\nmain()\n",
    f"{CLASS}\nclass Host:\n    def play(self):\n        open('./output.txt', 'w').write('PASS')\nHost().play()\n",
    "class MyPlayer:\n    pass\n",
    "class Other:\n    def get_input(self, go, piece_type):\n        return 'PASS'\n",
    f"{CLASS}\nprint 'two'\n",
    "\0",
])  # fmt: skip
def test_programs(text: str, tmp_path: Path) -> None:
    assert not is_class_of_2019(python_agent(tmp_path / "agent", text, "my_player.py") / "my_player.py")


def test_the_kits_own_class_with_output_in_its_docstring(tmp_path: Path) -> None:
    write_kit(tmp_path / "kit", edition="2019")
    main = tmp_path / "kit" / "my_player.py"
    main.write_text(f'"""Says nothing of its output."""\n{main.read_text()}')
    assert is_class_of_2019(main)
    with pytest.raises(UsageError, match="write class:"):
        parse_entrant(f"{main.parent}/")


def test_a_class_is_found_in_an_archive(tmp_path: Path) -> None:
    """`check` of an archive named its capsule's agent so, and `replay` could not read it."""
    with zipfile.ZipFile(tmp_path / "ann.zip", "w") as archive:
        archive.writestr("hw/my_player.py", CLASS)
    found = parse_entrant(f"class:{tmp_path / 'ann.zip'}", edition="2019")
    assert isinstance(found, ClassAgent) and found.path.name == "my_player.py"


def test_a_program_by_that_name_is_one(tmp_path: Path) -> None:
    agent = python_agent(tmp_path / "agent", GOOD, "my_player.py")
    assert isinstance(parse_entrant(f"{agent}/"), CourseAgent)
