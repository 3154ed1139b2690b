"""`python -m littlego` is the command `littlego`."""

from littlego.apps.cli.start import run

run()
