"""The keeper as a program of its own: reads its plan as JSON from the descriptor it is given."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))

from littlego.arena.sandbox.keeper import keep
from littlego.arena.sandbox.plan import Plan

if __name__ == "__main__":
    with os.fdopen(int(sys.argv[1]), "rb") as file:
        keep(Plan(**json.load(file)))
