"""Making our own submission: its book, the verification of it, and the gauntlet. Run by `python tools/own_agent`."""

import os
from pathlib import Path

# Worker processes import these modules as well, and find them by the variable.
_HERE = str(Path(__file__).parents[1])
os.environ["PYTHONPATH"] = os.pathsep.join([_HERE, *filter(None, [os.environ.get("PYTHONPATH")])])
