"""`python -m littlego` is the command `littlego`."""

from littlego.apps.cli.main import run

run()
