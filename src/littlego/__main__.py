"""The command `littlego`, or `python -m littlego`: Ctrl-C ends it without a traceback from the first import on."""

from __future__ import annotations

import sys


def run() -> None:
    try:
        from littlego.apps.cli.main import run as run_command

        run_command()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    run()
