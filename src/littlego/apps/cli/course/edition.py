"""`littlego edition`: courses as files."""

from __future__ import annotations

from typing import Annotated

import typer

from littlego.apps.cli import completion, options, output
from littlego.core.rules import EDITIONS

app = typer.Typer(
    help="Editions: the rules, limits, opponents and points of a course, as a file.",
    no_args_is_help=True,
)

Named = Annotated[
    str,
    typer.Argument(
        metavar="EDITION",
        help=f"A file such as mycourse.toml, or {', '.join(EDITIONS)}.",
        autocompletion=completion.editions,
    ),
]


@app.command()
def check(edition: Named, *, json: options.Json = False) -> None:
    """Say in words what an edition means, or what is wrong with its file.

    littlego edition check mycourse.toml
    """
    from littlego.course.editions.words import edition_words

    found = options.edition_of(edition)
    if json:
        output.print_json({"name": found.name, "digest": found.digest(), "words": edition_words(found)})
        return
    for line in edition_words(found):
        print(output.printable(line))


@app.command()
def show(edition: Named) -> None:
    """Print an edition's file, to begin your own with.

    littlego edition show 2025 > mycourse.toml
    """
    from littlego.course.editions.find import edition_text

    print(edition_text(edition), end="")
