"""Where the command `littlego` starts: Ctrl-C ends it without a traceback from the first imports on."""

from __future__ import annotations

import sys

_INTERRUPTED = 130
"""As in `output`, which is not imported yet."""


def run() -> None:
    try:
        from littlego.apps.cli.main import run as run_command

        run_command()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
