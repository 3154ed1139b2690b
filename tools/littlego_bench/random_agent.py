"""The program that benchmarks measure with: the starter kit's random player, little more than starting Python."""

from __future__ import annotations

import shutil
from pathlib import Path

from littlego.arena.participants import CourseAgent
from littlego.course.starter import write_kit


def write_random_agent(folder: Path) -> CourseAgent:
    write_kit(folder)
    shutil.copy(folder / "random_player.py", folder / "my_player3.py")
    return CourseAgent(folder)
