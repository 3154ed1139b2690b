"""`littlego new`: a starter kit in a directory of your own."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from littlego.apps.cli import options
from littlego.core.errors import UsageError


def new(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write it; created if missing.")],
    *,
    edition: options.Edition = options.EDITION,
    tictactoe: Annotated[bool, typer.Option("--tictactoe", help="The teaching example instead: a Q-learner.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
) -> None:
    """Write a starter kit: an agent that already plays, and files to try it with.

    littlego new my-agent
    littlego new my-class --edition 2019
    littlego new my-learner --tictactoe
    """
    from littlego.course.kits.starter import write_kit
    from littlego.tictactoe.kit import write_tictactoe_kit

    if tictactoe:
        try:
            written = write_tictactoe_kit(directory, force=force)
        except OSError as error:
            raise UsageError(f"{error}; --force overwrites all but QLearner.py") from error
    else:
        written = write_kit(directory, edition=edition, force=force)
    for path in written:
        print(path)
    where = shlex.quote(str(directory))
    if tictactoe:
        steps = [
            (f"cd {where}", ""),
            ("python3 TicTacToe.py", "train the learner, then test and grade it"),
            ("littlego tictactoe --learner QLearner.py", "the same, with this package"),
        ]
        edit = "QLearner.py"
    elif edition == "2019":
        steps = [
            (f"cd {where}", ""),
            ("python3 go_play.py -p1=my -p2=random -t=50", "50 games against the random player"),
            ("python3 go_play.py -p1=manual -p2=my", "play against it yourself"),
            ("littlego match class:. smart --edition 2019", "a match through the referee"),
            ("littlego grade class:. --edition 2019", "the grade the course would give, and why"),
        ]
        edit = "my_player.py"
    else:
        steps = [
            (f"cd {where}", ""),
            ("sh build.sh", "a match against the random player"),
            ("sh run.sh white my_player3.py", "play against it yourself"),
            ("littlego check .", "is it ready to submit?"),
            ("littlego grade .", "the grade the course would give, and why"),
        ]
        edit = "my_player3.py"
    print(f"\nThe agent already plays; improve it in {edit}. Next:\n")
    for command, what in steps:
        print(f"  {command:<44}  {what}".rstrip())
