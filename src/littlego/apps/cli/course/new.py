"""`littlego new`: a starter kit in a directory of your own."""

from __future__ import annotations

import os
import shlex
from typing import Annotated

import typer

from littlego.apps.cli import options
from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_EDITION, EDITIONS


def new(
    directory: options.NewDirectory,
    *,
    edition: options.Edition = options.EDITION,
    language: Annotated[
        str, typer.Option(metavar="NAME", help="What the agent is written in: python, c++ or java.")
    ] = "python",
    tictactoe: Annotated[bool, typer.Option("--tictactoe", help="The teaching example instead: a Q-learner.")] = False,
    force: options.Force = False,
) -> None:
    """Write a starter kit: an agent that already plays, and files to try it with.

    littlego new my-agent
    littlego new my-agent-in-java --language java
    littlego new my-class --edition 2019
    littlego new my-learner --tictactoe
    """
    from littlego.course.editions.edition import Kit
    from littlego.course.editions.find import EDITION_FILE, edition_text
    from littlego.course.kits.starter import AGENTS, write_kit
    from littlego.tictactoe.kit import write_tictactoe_kit

    found = options.edition_of(edition)
    language = {"cpp": "c++"}.get(language, language)
    if tictactoe:
        try:
            written = write_tictactoe_kit(directory, force=force)
        except OSError as error:
            raise UsageError(f"{error}; --force overwrites all but QLearner.py") from error
    else:
        written = write_kit(directory, edition=found.like, language=language, size=found.rules().size, force=force)
        if found.name not in EDITIONS and not found.needs_files:
            written.append(directory / EDITION_FILE)
            written[-1].write_text(edition_text(edition), encoding="utf-8")
    for path in written:
        print(path)
    where = shlex.quote(str(directory))
    by = "" if found.name in EDITIONS else f" --edition {EDITION_FILE}"
    if found.needs_files:  # a copy would not find its opponents
        by = f" --edition {shlex.quote(os.path.relpath(edition, directory))}"
    year = by or ("" if found.name == DEFAULT_EDITION else f" --edition {found.name}")
    if tictactoe:
        steps = [
            ("python3 TicTacToe.py", "train, test and grade the learner"),
            ("littlego tictactoe --learner QLearner.py", "the same, with this package"),
        ]
        edit = "QLearner.py"
    elif found.kit is Kit.CLASS:
        steps = [
            ("python3 go_play.py -p1=my -p2=random -t=50", "50 games against random"),
            ("python3 go_play.py -p1=manual -p2=my", "play against it"),
            (f"littlego match class:. smart{year}", "through the referee"),
            (f"littlego grade class:.{year} --out ../grade", "the course's grade"),
        ]
        edit = "my_player.py"
    else:
        by_hand = "sh run.sh white my_player3.py" if language == "python" else "littlego play . manual"
        steps = [
            (f"littlego match . random{by}" if by else "sh build.sh", "a match against the random player"),
            *([] if by else [(by_hand, "play against it yourself")]),
            (f"littlego check .{year}", "is it ready to submit?"),
            (f"littlego grade .{year} --out ../grade", "the course's grade, and why"),
        ]
        edit = AGENTS[language].name
    print(f"\nThe agent already plays; improve it in {edit}. Next:\n")
    print(f"  cd {where}")
    width = max(len(command) for command, _ in steps)
    for command, what in steps:
        print(f"  {command:<{width}}  {what}")
