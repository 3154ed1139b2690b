"""Plays one case: `python act.py CASE FACTS`, in a directory with this file and the modules that declare cases.

Like those modules it needs only Python 3.7. FACTS is a JSON object of what an attacker might know: paths, ports,
process numbers, and the module that declares the case.
"""

import importlib
import json
import os
import sys


def main() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    parts = "tests.sandbox.hostile.agents".split(".")
    for length in range(1, len(parts) + 1):
        name = ".".join(parts[:length])
        package = type(sys)(name)
        package.__path__ = [here]
        sys.modules[name] = package
    facts = json.loads(sys.argv[2])
    agent = importlib.import_module("tests.sandbox.hostile.agents.agent")
    importlib.import_module("tests.sandbox.hostile.agents." + facts["module"])
    agent.FACTS.update(facts)
    agent.CASES[sys.argv[1]].act()


if __name__ == "__main__":
    main()
