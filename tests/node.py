"""Scripts for node that run the pages' JavaScript, and what they are given."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from littlego.apps.web.settings import STATIC
from littlego.core.position import Position
from littlego.core.rules import Rules


def in_node(script: Path, *args: object, stdin: object = None) -> Any:
    """What a script prints, as JSON; its first argument is the folder of the pages' JavaScript."""
    command = ["node", str(script), str(STATIC / "js"), *map(str, args)]
    done = subprocess.run(command, input=json.dumps(stdin), capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def rules_in_the_page(rules: Rules) -> dict[str, Any]:
    return {
        "edition": rules.edition,
        "size": rules.size,
        "komi": rules.komi,
        "max_moves": rules.max_moves,
        "passing": rules.passing,
        "ko": rules.ko.value,
    }


def in_the_page(position: Position) -> dict[str, Any]:
    """The fields of the page's `Position`, under simple ko."""
    board = position.board
    return {
        "rules": rules_in_the_page(position.rules),
        "cells": "".join(str(colour.value if (colour := board.at(p)) else 0) for p in range(position.size**2)),
        "toMove": position.to_move.word,
        "ko": None if position.ko is None else position.move_name(position.ko),
        "passes": position.passes,
        "played": position.moves_played,
        "earlier": [],
    }
